"""Bodies that one piece of code serves: joints of one kind, at like places of the tree, with like zeros in numbers.

What all bodies of a class have in common is constant in its code; everything else is a column of a table.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from operator_algebra.backends.loops.limits import LIMITS, Limits
from operator_algebra.backends.scalar.graph import Node, Untraceable
from operator_algebra.models.arrays import Indices
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers, in_parts
from operator_algebra.operators.leaf_factors import BodyClass

_SEEN = (0.0, 1.0, -1.0)


@dataclass(frozen=True, eq=False)
class Kind:
    """A class of bodies."""

    bodies: Indices
    of: BodyClass
    """Those with joints of the same kind, these bodies among them."""
    places: Indices
    """Where these bodies stand in `of`."""
    tip: bool
    first: bool
    """Whether of what hangs on the same body it is the first that an inward sweep meets."""
    varying: Indices
    """The columns of all that is fixed of a body that differ from body to body, each once."""
    copies: Mapping[int, tuple[int, float]]
    """Columns that are others of these times a sign: for each the place of that one."""

    @property
    def example(self) -> int:
        """A body of the class."""
        return int(self.bodies[0])

    @property
    def coordinates(self) -> tuple[int, int]:
        """How many coordinates and rates a joint has."""
        return self.of.q.shape[1], self.of.v.shape[1]

    @property
    def parts(self) -> Iterator[slice]:
        """The bodies in parts whose numbers stay in the cache, as do those that are computed of them."""
        return in_parts(len(self.places))

    def numbers(self, part: slice) -> Numbers:
        """What varies, at a part of the bodies, (bodies, columns)."""
        columns, places = _columns(self.of.record().values()), self.places[part]
        found = np.empty((len(places), len(self.varying)))
        for place, column in enumerate(self.varying.tolist()):
            found[:, place] = columns[column][places]
        return found

    def alone(self, loads: Sequence[Node]) -> BodyClass:
        """One body, nodes in the place of what varies; its coordinates are numbered from 0."""
        one = self.of.alone(int(self.places[0]))
        loaded = dict(zip(self.varying.tolist(), loads, strict=True))
        loaded |= {column: loads[place] * sign for column, (place, sign) in self.copies.items()}
        record: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.object_]]] = {}
        start = 0
        for name, array in one.record().items():
            entries: list[object] = array.ravel().tolist()
            entries = [loaded.get(start + i, entry) for i, entry in enumerate(entries)]
            made = np.empty(len(entries), dtype=object)
            made[:] = entries
            record[name] = made.reshape(array.shape)
            start += len(entries)
        nq, nv = self.coordinates
        found = one.with_record(record)
        return replace(found, q=np.arange(nq), v=np.arange(nv))


def kinds(
    model: Model, several: Sequence[BodyClass], sizes: Sequence[Indices] = (), limits: Limits = LIMITS
) -> tuple[Kind, ...]:
    """The classes of a model, by what is fixed of its bodies, and by sizes of the blocks of other spaces."""
    parent = np.asarray(model.parent)
    root, tip = parent < 0, np.ones(model.n, dtype=bool)
    tip[parent[~root]] = False
    first = np.zeros(model.n, dtype=bool)
    last = np.full(model.n, -1)
    last[parent[~root]] = np.flatnonzero(~root)  # of equal places the last one stays
    first[last[last >= 0]] = True
    flags = (root, tip, first, *sizes)
    found = [kind for of in several for kind in _parted(of, flags, zeros=True)]
    most = limits.most_kinds(model.n)
    if len(found) > min(most, limits.by_zeros):
        found = [kind for of in several for kind in _parted(of, flags, zeros=False)]
    if len(found) > most:
        raise Untraceable("there are more kinds of bodies than code is made for")
    return tuple(found)


def _parted(of: BodyClass, flags: Sequence[np.ndarray[tuple[int], np.dtype[np.generic]]], *, zeros: bool) -> list[Kind]:
    columns = _columns(of.record().values())
    told: list[np.ndarray[tuple[int], np.dtype[np.integer]]] = [flag[of.bodies].astype(np.intp) for flag in flags]
    # Where these are zero, a body has no block of some leaf.
    telling = columns if zeros else _columns([of.armature, of.damping, of.stiffness])
    for column in telling:
        code = np.zeros(len(column), dtype=np.int8)
        for place, value in enumerate(_SEEN if zeros else _SEEN[:1], 1):
            code[column == value] = place
        told.append(code)
    several = np.zeros(len(of.bodies), dtype=np.intp)
    for code, weight in zip(told, np.arange(1, 2 * len(told), 2, dtype=np.intp) ** 11, strict=True):
        several += code * weight  # a sum that runs over
    _, starts, keys = np.unique(several, return_index=True, return_inverse=True)
    if not all(np.array_equal(code, code[starts][keys]) for code in told):
        raise Untraceable("two kinds of bodies have the same number")
    found: list[Kind] = []
    for key in range(len(starts)):
        places = np.flatnonzero(keys == key)
        varying, copies = _told_apart(columns, places)
        bodies = of.bodies[places]
        _, tip, first, *_ = (bool(flag[bodies[0]]) for flag in flags)
        found.append(Kind(bodies, of, places, tip, first, varying, copies))
    return found


def _told_apart(columns: Sequence[Numbers], places: Indices) -> tuple[Indices, dict[int, tuple[int, float]]]:
    """The columns that differ by more than a sign, and of the others the place of the one they are, with the sign."""
    found: list[int] = []
    copies: dict[int, tuple[int, float]] = {}
    for at, column in enumerate(columns):
        own = column[places]
        if (own == own[0]).all():
            continue
        for place, other in enumerate(found):
            first = columns[other][places[0]]
            sign = next((s for s in (1.0, -1.0) if own[0] == s * first), None)
            if sign is not None and np.array_equal(own, sign * columns[other][places]):
                copies[at] = place, sign
                break
        else:
            found.append(at)
    return np.array(found, dtype=np.intp), copies


def _columns(arrays: Iterable[Numbers]) -> list[Numbers]:
    """The columns of arrays, one after the other, (bodies,) each."""
    floats = [np.asarray(array, dtype=np.float64) for array in arrays]
    return [column for array in floats for column in array.reshape(len(array), math.prod(array.shape[1:])).T]
