"""Loops as machine code: the tables of a mechanism, and calls with rows of samples."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from struct import Struct
from typing import NamedTuple

import numpy as np

from operator_algebra.backends.loops.body import SIGNED
from operator_algebra.backends.loops.emit import BESIDE, EACH, FIXED, loop_text
from operator_algebra.backends.loops.limits import LIMITS, Limits
from operator_algebra.backends.loops.piece_code import PieceCode
from operator_algebra.backends.loops.pieces import cut
from operator_algebra.backends.loops.records import Cut, Running
from operator_algebra.backends.loops.standing import table as table_of
from operator_algebra.backends.native.crew import TOGETHER, Batch
from operator_algebra.backends.native.loaded import Loaded
from operator_algebra.backends.native.machine import machine
from operator_algebra.backends.native.run import Computed, address, in_rows
from operator_algebra.backends.native.store import code_of
from operator_algebra.backends.scalar.graph import Untraceable, operations
from operator_algebra.backends.scalar.precision import DOUBLE, Precision
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.backends.signs import random_signs
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
from operator_algebra.programs.program import Program

_NEAR = 2**19
"""Bytes of what a vector of samples keeps, above which there is none beside it: it would be farther away."""
_MEMORY = 2**28
"""Bytes of what bodies keep, above which a sample is computed at a time."""
_OFTEN = 1 / 8
"""Of the bodies, if columns run in more, they run in all: in lanes most blocks would have them anyway."""
_TRIED, _TRIED_BODIES = 8, 2_000
"""So many configurations are tried, of mechanisms with fewer bodies than this over it."""
_LINE = 8
"""Numbers in a line of the cache."""

Array = np.ndarray[tuple[int, ...], np.dtype[np.generic]]


def loop_kernel(
    program: Program, model: Model, signature: Signature, limits: Limits = LIMITS, precision: Precision = DOUBLE
) -> LoopKernel:
    """The loops of a program; which columns of rounding they have is chosen at configurations tried.

    Where inertia bears rounding no columns start. Where they would, a number along axes may do; else they run in all
    bodies if they do in many.
    """
    found = LoopKernel(program, model, signature, limits, precision)
    if found.runs_everywhere and not found.cut.axial:
        return found
    q, _ = model.random(0)
    share = 1.0 if found.runs_everywhere else found.share(q)
    if share > 0.0 and found.cut.axial:
        with suppress(Untraceable):
            spared = LoopKernel(program, model, signature, limits, precision, columns="never")
            if spared.suffices(q):
                return spared
    if share > _OFTEN and not found.runs_everywhere:
        return LoopKernel(program, model, signature, limits, precision, columns="everywhere")
    return found


class Room(NamedTuple):
    """Memory of a thread: doubles in all, and bytes to what bodies keep, what passes, columns, sums."""

    size: int
    starts: tuple[int, ...]
    apart: int
    """Bytes from what belongs to a vector of samples to what belongs to the next."""
    beside: int
    """How many vectors are computed beside each other."""


class LoopKernel(PieceCode):
    """A program for one model and one form of arguments.

    Columns of rounding run where they are "needed", since inertia does not bear it, "everywhere" or "never". Where none
    do, samples of which little is known are computed again by a kernel that has them.
    """

    def __init__(
        self,
        program: Program,
        model: Model,
        signature: Signature,
        limits: Limits = LIMITS,
        precision: Precision = DOUBLE,
        *,
        columns: Running = "needed",
    ) -> None:
        if machine() is None:
            raise Untraceable("there is no LLVM here")
        pieces = cut(program, model, signature, columns=columns, limits=limits, precision=precision)
        super().__init__(pieces, program, model, signature)
        self.columns: Running = columns
        self._made_of = program, model, signature, limits, precision
        self._precision = precision
        self.kind = np.dtype(precision.name)
        if precision is not DOUBLE and _has_logarithms(self.cut):
            raise Untraceable(f"there are no logarithms of {precision.name}")
        self.refuse_long(limits)
        coordinates = np.ascontiguousarray(model.columns.q_starts, dtype=np.int64)
        self._starts: list[Array] = [coordinates, *(one.starts for one in (*self.inputs, *self.found))]
        self._started = [address(starts) for starts in self._starts]
        self._packed = Struct(f"{len(FIXED) + len(EACH) * len(self._starts)}q").pack
        self._rooms: dict[int, Room] = {}
        self._codes: dict[int, Loaded] = {}
        self._runs = np.zeros(1, dtype=np.int64)
        self._code(1)

    @property
    def runs_everywhere(self) -> bool:
        """Whether columns of rounding run at all bodies, or there are none."""
        return not any(piece.columns for row in self.cut.table for piece in row)

    def share(self, q: Numbers) -> float:
        """Of the bodies, those in which columns of rounding start or run on, at a configuration."""
        self._runs[0] = 0
        self._tried(q)
        return float(self._runs[0]) / self.model.n

    def suffices(self, q: Numbers) -> bool:
        """Whether all is well at a configuration and some others, if no columns run."""
        more = min(_TRIED, _TRIED_BODIES // self.model.n)
        return self._tried(q) and all(self._tried(self.model.random(seed)[0]) for seed in range(1, more))

    def _tried(self, q: Numbers) -> bool:
        """Whether a configuration may be trusted, at rest."""
        zeros = (np.zeros((1, size)) for size in self.given[1:])
        return self._batch([one.astype(self.kind) for one in (q[None], *zeros)], 1).whole

    @cached_property
    def _careful(self) -> LoopKernel | None:
        """The same with columns everywhere, if code is not too long with them."""
        with suppress(Untraceable):
            return LoopKernel(*self._made_of, columns="everywhere")
        return None

    @cached_property
    def _tables(self) -> tuple[Array, Array, Array, Array]:
        """Kinds, parents, numbers and signs of the bodies."""
        n, several = self.model.n, self.cut.kinds
        of = np.empty(n, dtype=np.uint8)
        for place, kind in enumerate(several):
            of[kind.bodies] = place
        numbers = table_of(self.cut, n, self.kind)
        signs = [random_signs(SIGNED, sign.entries, sign.salt).reshape(SIGNED, -1) for sign in self.cut.signs]
        beside = np.concatenate(signs, axis=1) if signs else np.empty((SIGNED, 0))
        own = np.ascontiguousarray(beside, dtype=self.kind)
        return of, np.asarray(self.model.parent, dtype=np.int64), numbers, own

    @cached_property
    def _addresses(self) -> list[int]:
        """Of the tables."""
        return list(map(address, self._tables))

    @cached_property
    def _frames(self) -> int:
        """A power of two larger than the distance of any body from its parent, in numbers of bodies.

        What passes between them is over before another body stands at the same place.
        """
        parent = np.asarray(self.model.parent, dtype=np.int64)
        inner = np.flatnonzero(parent >= 0)
        return 1 << int((inner - parent[inner]).max(initial=0)).bit_length()

    def _text(self, lanes: int) -> str:
        here = machine()
        fuses = here is not None and here.fuses
        arrays = len(self.inputs), len(self.results)
        return loop_text(self.cut, *arrays, lanes, fuses=fuses, precision=self._precision)

    def _code(self, lanes: int) -> Loaded:
        if lanes not in self._codes:
            found = code_of(self._text(lanes))
            if found is None:
                raise Untraceable("this LLVM does not do it for this processor")
            self._codes[lanes] = found
        return self._codes[lanes]

    def _lanes(self, count: int) -> int:
        here = machine()
        assert here is not None
        lanes = here.lanes * DOUBLE.bytes // self._precision.bytes
        large = self._precision.bytes * lanes * len(self.cut.slots) * self.model.n > _MEMORY
        return 1 if count == 1 or large else lanes

    def batch(self, given: Sequence[Numbers], count: int, threads: int = 1) -> Computed:
        """The results of some samples.

        q and the inputs are arrays (samples, numbers); one with a single row belongs to every sample. Threads share
        the samples, whose bits are those of one.
        """
        found = self._batch(given, count, threads)
        if found.whole or self.columns != "never" or self._careful is None:
            return found
        doubtful = np.flatnonzero(~found.good)
        rows = [array if len(array) == 1 else array[doubtful] for array in given]
        again = self._careful.batch(rows, len(doubtful), threads)
        for result, other in zip(found.results, again.results, strict=True):
            result[doubtful] = other
        found.good[doubtful] = again.good
        return found._replace(whole=again.whole)

    def _batch(self, given: Sequence[Numbers], count: int, threads: int = 1) -> Computed:
        lanes = self._lanes(count)
        code = self._code(lanes)
        arrays = [in_rows(array, count, array.shape[1], self.kind) for array in self.joined(given)]
        results = [np.empty((count, size), dtype=self.kind) for size in self._sizes]
        good = np.empty(count + lanes, dtype=np.bool_)  # lanes that are left over have flags, too
        table: list[int] = []
        for array, start in zip((*arrays, *results), self._started, strict=True):
            table += [address(array), array.strides[0] if len(array) > 1 else 0, array.shape[1], start]
        room, flags = self._room(lanes), address(good)
        many = max(1, min(threads, -(-count // TOGETHER)))
        active = np.zeros((many, room.beside * self._frames * max(1, lanes // 8)), dtype=np.uint8)
        memories = _memories(many, room.size)
        rest = address(self._runs), flags, self._frames - 1, room.apart, room.beside
        tables: list[bytes] = []
        for memory, marks in zip(memories, active, strict=True):
            own = [_start(memory) + one for one in room.starts]
            tables.append(self._packed(*self._addresses, *own, address(marks), *rest, *table))
        Batch(code, count, self.model.n, tables, (arrays, results, good, active, memories)).computed()
        return Computed(bool(good[:count].all()), good[:count], results)

    def _room(self, lanes: int) -> Room:
        """What a thread needs."""
        found = self._rooms.get(lanes)
        if found is None:
            columns = sum((*self.given, *self._sizes)) if lanes > 1 else 0
            passing = self._frames * len(self.cut.passing)
            parts = self.model.n * len(self.cut.slots), passing, columns, len(self.cut.whole)
            width = lanes * self._precision.bytes
            apart = width * sum(parts)
            beside = BESIDE if lanes > 1 and apart <= _NEAR else 1
            starts = tuple(width * sum(parts[:i]) for i in range(len(parts)))
            found = self._rooms[lanes] = Room(beside * apart // DOUBLE.bytes + 1, starts, apart, beside)
        return found

    @property
    def source(self) -> str:
        """The code for one configuration, as LLVM IR."""
        return self._text(1)


def _has_logarithms(pieces: Cut) -> bool:
    ends = (piece.wanted_at_most(pieces.read) for row in pieces.table for piece in row)
    return any("log" in operations(several) for several in ends)


_local = threading.local()


def _memories(count: int, size: int) -> list[Numbers]:
    """Memory for so many threads, kept for the next call of the thread that asks."""
    found: list[Numbers] | None = getattr(_local, "kept", None)
    if found is None:
        found = _local.kept = []
    found[:] = [memory for memory in found if len(memory) >= size + _LINE]
    while len(found) < count:
        found.append(np.empty(size + _LINE))
    return found[:count]


def _start(memory: Numbers) -> int:
    """Where its first line of the cache starts."""
    first = address(memory)
    return first + -first % (_LINE * memory.itemsize)
