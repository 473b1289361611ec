"""Screws: every twist turns about an axis and slides along it, every wrench pulls along one and turns about it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from operator_algebra.applications.displacements import exp, in_range, read_numbers
from operator_algebra.errors import InputError, explain
from operator_algebra.models.numeric import NotNumeric, Numbers, numeric
from operator_algebra.spatial.transforms import ORTHOGONAL


@dataclass(frozen=True, eq=False)
class Screw:
    """An axis through a point, a pitch along it, and a magnitude; arrays (..., 3), (..., 3), (...), (...).

    The point is the one of the axis that is nearest to the origin. An infinite pitch is a slide, or a couple, along
    the axis alone.

    >>> Screw.of_twist([0, 0, 2, 0, -2, 1]).point.round(12)[:2]
    array([1., 0.])
    """

    axis: Numbers
    point: Numbers
    pitch: Numbers
    magnitude: Numbers

    def __post_init__(self) -> None:
        axis = read_numbers(self.axis, "the axis of a screw", (3,), "Give a vector of length one.")
        if not (np.abs(_lengths(axis) - 1.0) <= ORTHOGONAL).all():
            raise InputError(explain("the axis of a screw has not the length one", remedy="Divide it by its length."))
        object.__setattr__(self, "axis", axis)
        object.__setattr__(self, "point", read_numbers(self.point, "the point of a screw", (3,), "Give three numbers."))
        for name in ("pitch", "magnitude"):
            try:
                found = numeric(getattr(self, name))
            except NotNumeric as reason:
                raise InputError(f"the {name} of a screw is no number ({reason}).") from None
            if np.isnan(found).any() or (name == "magnitude" and not np.isfinite(found).all()):
                raise InputError(f"the {name} of a screw is not finite: {found}.")
            object.__setattr__(self, name, found)

    @staticmethod
    def of_twist(twist: ArrayLike) -> Screw:
        """That of a twist, along ω: v = −ω × p + h ω with magnitude |ω|; along v where ω = 0.

        [Chasles]

        >>> float(Screw.of_twist([0, 0, 0, 0, 0, 3]).pitch)
        inf
        """
        xi = read_numbers(twist, "a twist", (6,), "Give six numbers, [angular; linear].")
        return _screw(xi[..., :3], xi[..., 3:], "a twist")

    @staticmethod
    def of_wrench(wrench: ArrayLike) -> Screw:
        """That of a wrench, along f: n = −f × p + h f with magnitude |f|; along n where f = 0.

        [Poinsot]

        >>> float(Screw.of_wrench([0, 0, 3, 0, 0, 6]).pitch)
        0.5
        """
        F = read_numbers(wrench, "a wrench", (6,), "Give six numbers, [moment; force].")
        return _screw(F[..., 3:], F[..., :3], "a wrench")

    def twist(self) -> Numbers:
        """[ω; v] with the axis that of ω."""
        return np.concatenate(self._halves(), axis=-1)

    def wrench(self) -> Numbers:
        """[n; f] with the axis that of f."""
        return np.concatenate(self._halves()[::-1], axis=-1)

    def displacement(self) -> Numbers:
        """The pose that the twist leads to in unit time: a turn about the axis, and a slide along it.

        [Chasles]

        >>> Screw.of_twist([0, 0, np.pi, 0, 0, 1]).displacement().round(12)[2]
        array([0., 0., 1., 1.])
        """
        return exp(self.twist())

    def __repr__(self) -> str:
        return f"Screw(axis={self.axis}, point={self.point}, pitch={self.pitch}, magnitude={self.magnitude})"

    def _halves(self) -> tuple[Numbers, Numbers]:
        """What points along the axis, and what follows from the point and the pitch."""
        along = self.magnitude[..., None] * self.axis
        slides = ~np.isfinite(self.pitch)[..., None]
        pitch = np.where(slides[..., 0], 0.0, self.pitch)[..., None]
        other = np.cross(self.point, along) + pitch * along
        return np.where(slides, 0.0, along), np.where(slides, along, other)


def _screw(along: Numbers, other: Numbers, what: str) -> Screw:
    if along.dtype.kind == "c":
        raise InputError(explain(f"{what} is complex", remedy="Lengths are those of real vectors."))
    length, rest = _lengths(along), _lengths(other)
    if ((length == 0.0) & (rest == 0.0)).any():
        raise InputError(explain(f"{what} is zero, and has no axis", remedy="Leave it out."))
    slides = length == 0.0
    with np.errstate(all="ignore"):
        axis = np.where(slides[..., None], other / np.where(slides, rest, 1.0)[..., None], along / length[..., None])
        moved = other / np.where(slides, 1.0, length)[..., None]
        pitch = np.where(slides, np.inf, (axis * moved).sum(-1))
        point = np.where(slides[..., None], 0.0, np.cross(axis, moved))
    in_range(point, f"the axis of {what}")
    in_range(np.where(slides, 0.0, pitch), f"the pitch of {what}")
    return Screw(axis, point, pitch, np.where(slides, rest, length))


def _lengths(vector: Numbers) -> Numbers:
    """|x|, scaled by the largest entry so that squares stay in range."""
    largest = np.abs(vector).max(-1)
    scale = np.where(largest == 0.0, 1.0, largest)
    return scale * np.sqrt(((vector / scale[..., None]) ** 2).sum(-1))
