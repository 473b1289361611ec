"""Spatial operator algebra for multibody dynamics."""

from __future__ import annotations

__version__ = "0.1.0"
