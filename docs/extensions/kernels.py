"""Kernels of pages with code cells are reached over encrypted channels: over plain ones each prints a warning."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import jupyter_client
import zmq
from traitlets import default

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata


class EncryptedKernelManager(jupyter_client.AsyncKernelManager):
    """Encrypts where manager and kernel can; older ones, which cannot, don't warn either."""

    @default("transport_encryption")
    def _transport_encryption(self) -> str:
        return "auto" if zmq.has("curve") else "disabled"


def setup(app: Sphinx) -> ExtensionMetadata:
    """Called by Sphinx."""
    jupyter_client.AsyncKernelManager = EncryptedKernelManager
    # A package of the theme switches on the information of all libraries, which names every kernel that is started.
    logging.getLogger("traitlets").setLevel(logging.WARNING)
    return {"parallel_read_safe": True}
