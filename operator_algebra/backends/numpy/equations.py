"""The equations of one body: gathered block by block, sized, counted from their constants, made triangular."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from operator_algebra.backends.numpy.arrays import Block, Sizes
from operator_algebra.backends.numpy.places import split
from operator_algebra.backends.numpy.triangles import PROBES, Relation, Triangle, triangularised


class Equations:
    """Block equations Σ block · unknown = constant; unknowns stand in columns in the order of their making."""

    def __init__(self) -> None:
        self._rows = 0
        self._columns = 0
        self._blocks: list[tuple[slice, slice, Block]] = []
        self._constants: list[tuple[slice, Block]] = []
        self._probes: list[tuple[slice, Block]] = []
        self._sizes: list[tuple[slice, Sizes | float]] = []
        self._defined: list[tuple[slice, slice]] = []
        self._related: list[slice] = []
        self._origins: list[tuple[slice, Block]] = []

    @property
    def width(self) -> int:
        """How many scalar unknowns there are."""
        return self._columns

    def columns(self, sizes: Iterable[int]) -> list[slice]:
        """Places for unknowns of these sizes."""
        places: list[slice] = []
        for size in sizes:
            places.append(slice(self._columns, self._columns + size))
            self._columns += size
        return places

    def known(self, columns: Iterable[slice], magnitudes: Sizes | float) -> None:
        """Say how large some unknowns are: (..., width), or one number."""
        start = 0
        for column in columns:
            stop = start + column.stop - column.start
            self._sizes.append(
                (column, magnitudes[..., start:stop] if isinstance(magnitudes, np.ndarray) else magnitudes)
            )
            start = stop

    def add(
        self,
        rows: int,
        terms: Iterable[tuple[slice, Block]],
        constant: Block | None = None,
        *,
        probe: Block | None = None,
        defines: slice | None = None,
    ) -> None:
        """One more block row, with what earlier rounding left in it; it may be the definition of an unknown."""
        where = slice(self._rows, self._rows + rows)
        self._rows += rows
        self._blocks.extend((where, column, block) for column, block in terms)
        if constant is not None:
            self._constants.append((where, constant))
        if probe is not None:
            self._probes.append((where, probe))
        if defines is not None:
            self._defined.append((where, defines))

    def relate(
        self, relation: Relation, own: Sequence[slice], others: Iterable[tuple[slice, Block]], *, driven: bool = True
    ) -> None:
        """What is known of some unknowns, which it counts from its origin; without constants if it is not `driven`."""
        terms = [*split(relation.own, own), *others]
        constant, probe = (relation.constant, relation.probe) if driven else (None, None)
        self._related.append(slice(self._rows, self._rows + relation.own.shape[-2]))
        self.add(relation.own.shape[-2], terms, constant, probe=probe)
        self.known(own, relation.sizes)
        if driven:
            for column in own:
                start = column.start - own[0].start
                self._origins.append((column, relation.origin[..., start : start + column.stop - column.start, :]))

    def triangularised(self, width: int, given: int, salt: int | None = None, driving: int = 0) -> Triangle:
        """Eliminate the first `width` columns; those from `given` on are what the others respond to.

        Constants as large as rounding come along if there is a salt, of signs that are independent of those of others.
        So many columns at the end are `driving`: no unknowns, but each of them the constant of one column of results.
        """
        constants = [block for _, block in self._constants]
        count = next((block.shape[-1] for block in constants if block.shape[-1] != 1), 1)
        lead = np.broadcast_shapes(
            *(block.shape[:-2] for _, _, block in self._blocks), *(block.shape[:-2] for block in constants)
        )
        system = np.zeros((*lead, self._rows, self._columns))
        for where, column, block in self._blocks:
            system[..., where, column] += block
        right = np.zeros((*lead, self._rows, count))
        for where, block in self._constants:
            right[..., where, :] += block
        probe = np.zeros((*lead, self._rows, PROBES))
        for where, block in self._probes:
            probe[..., where, :] += block
        sizes = self._magnitudes(np.abs(system), given)
        if driving:
            system, right = system[..., :-driving], -system[..., -driving:]
            sizes = sizes[..., :-driving]
        origin, right = self._counted(system, right)
        return triangularised(system, right, probe, sizes, origin[..., :given, :], width, given, salt)

    def _counted(self, system: Block, right: Block) -> tuple[Block, Block]:
        """From where unknowns are counted, and the constants that are left.

        A constant in the definition of an unknown may be larger than all that stands beside it, as a torque about the
        axis of a thin rod is beside what the rod itself resists. In the mix of reflections others would drown in its
        rounding. So the unknown is counted from it: what is left of the unknown is as small as its size says.
        """
        origin = np.zeros((*right.shape[:-2], system.shape[-1], right.shape[-1]))
        for column, block in self._origins:
            origin[..., column, :] = block
        known = system @ origin
        for row in self._related:
            known[..., row, :] = 0.0
        right = right - known
        for row, column in self._in_turn():
            sign = np.diagonal(system[..., row, column], axis1=-2, axis2=-1)[..., None]
            origin[..., column, :] = sign * right[..., row, :]
            right -= system[..., :, column] @ origin[..., column, :]
            # Exactly, as what rounding would leave of a large constant is large.
            right[..., row, :] = 0.0
        return origin, right

    def _in_turn(self) -> Iterator[tuple[slice, slice]]:
        """Definitions, each behind those of all that it is defined by."""
        waiting = list(self._defined)
        while waiting:
            columns = [column for _, column in waiting]
            reads = [(row, column) for row, column, _ in self._blocks if column in columns]
            ready = [(row, own) for row, own in waiting if all(c == own for r, c in reads if r == row)]
            yield from ready
            waiting = [one for one in waiting if one not in ready] if ready else []

    def _magnitudes(self, system: Block, given: int) -> Sizes:
        """How large each unknown is if the given ones have size one, by its definition or by what it balances."""
        sizes = np.zeros((*system.shape[:-2], self._columns))
        sizes[..., given:] = 1.0
        for column, magnitude in self._sizes:
            sizes[..., column] = magnitude
        known = [column for column, _ in self._sizes]
        defined = [(row, column) for row, column in self._defined if column.stop <= given and column not in known]
        for last in (False, True):
            for _ in defined:
                for row, column in defined:
                    others = system[..., row, :].copy()
                    others[..., column] = 0.0
                    found = (others * sizes[..., None, :]).max(axis=-1, initial=0.0)
                    sizes[..., column] = np.where(sizes[..., column] > 0.0, sizes[..., column], found)
            if not last:
                sizes = np.where(sizes > 0.0, sizes, _balanced(system, sizes))
        return np.where(sizes > 0.0, sizes, 1.0)


def _balanced(system: Block, sizes: Sizes) -> Sizes:
    """The sizes of unknowns at which they matter first in an equation whose size is known."""
    largest = (system * sizes[..., None, :]).max(axis=-1, initial=0.0)
    limits = np.where((system > 0.0) & (largest[..., None] > 0.0), largest[..., None] / system, np.inf)
    least = limits.min(axis=-2, initial=np.inf)
    return np.where(np.isfinite(least), least, 0.0)
