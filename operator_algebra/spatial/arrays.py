"""What spatial formulas ask of an array library: a handful of functions, so that tracing namespaces stay small."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol, TypeAlias

Array: TypeAlias = Any
"""An array of whatever library the namespace belongs to: NumPy, JAX, or NumPy arrays of symbols."""

Vector3: TypeAlias = tuple[float, float, float]
Matrix3: TypeAlias = tuple[Vector3, Vector3, Vector3]

Axes: TypeAlias = Literal["body", "world"]
"""The axes that blocks are written in: those of each body, or those of the ground."""
FRAMES = {"body": "axes of each body", "world": "of the base"}
"""The same in words."""

IDENTITY3: Matrix3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ZERO3: Vector3 = (0.0, 0.0, 0.0)


class ArrayNamespace(Protocol):
    """The functions that a joint's transform and joint map may call; arithmetic and indexing come with the arrays."""

    @property
    def sin(self) -> Callable[..., Any]: ...
    @property
    def cos(self) -> Callable[..., Any]: ...
    @property
    def eye(self) -> Callable[..., Any]: ...
    @property
    def stack(self) -> Callable[..., Any]: ...
    @property
    def concatenate(self) -> Callable[..., Any]: ...
    @property
    def zeros_like(self) -> Callable[..., Any]: ...
    @property
    def broadcast_to(self) -> Callable[..., Any]: ...


class ManifoldNamespace(ArrayNamespace, Protocol):
    """What `integrate` and `difference` need on top: branches and inverse functions."""

    @property
    def sqrt(self) -> Callable[..., Any]: ...
    @property
    def arctan2(self) -> Callable[..., Any]: ...
    @property
    def where(self) -> Callable[..., Any]: ...
