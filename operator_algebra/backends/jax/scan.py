"""A program in pieces as a pure function of JAX arrays: one scan for each sweep, in which bodies choose their piece.

Sweeps in which nothing passes between bodies are computed for all bodies of a kind at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from operator_algebra.backends.jax.library import Array, Jax, Scalar
from operator_algebra.backends.jax.plan import OF_BODIES, Order, Part, Plan, plan, signs
from operator_algebra.backends.loops.piece_code import PieceCode
from operator_algebra.backends.loops.records import Load, Slot
from operator_algebra.backends.loops.standing import table
from operator_algebra.backends.scalar.graph import Node

Read = Callable[[Load], Array]


@dataclass
class _State:
    """One configuration on its way through the sweeps."""

    q: Array
    inputs: Sequence[Array]
    kept: dict[Slot, Array] = field(default_factory=dict[Slot, Array])
    """What bodies keep, (bodies,) each."""
    whole: dict[Slot, Array] = field(default_factory=dict[Slot, Array])
    results: dict[int, Array] = field(default_factory=dict[int, Array])
    good: list[Array] = field(default_factory=list[Array])


class Scans:
    """The function of one configuration."""

    def __init__(self, code: PieceCode, jax: Jax) -> None:
        self._jax, self._np = jax, jax.numpy
        model, self._cut = code.model, code.cut
        self._n = model.n
        self._starts = [model.columns.q_starts, *(one.starts for one in code.inputs)]
        self._sizes = [one.size for one in code.found]
        self._parent = np.maximum(np.asarray(model.parent), 0)
        self._order = Order.of(model)
        self._numbers, self._signs = table(self._cut, model.n), signs(self._cut, model.n)
        starts = [one.starts for one in code.found]
        self._plans = [
            None if direction == "once" else plan(self._cut, number, starts)
            for number, direction in enumerate(self._cut.directions)
        ]
        self._once = [Part.of(self._cut, number, len(self._cut.kinds)) for number in range(len(self._plans))]
        of = np.empty(model.n, dtype=np.intp)
        for place, kind in enumerate(self._cut.kinds):
            of[kind.bodies] = place
        self._kinds = of[self._order.bodies]
        self._back = np.argsort(np.concatenate([kind.bodies for kind in self._cut.kinds]))
        """Where each body stands among those of all kinds, one kind after the other."""
        self._operations: Mapping[str, Callable[..., Array]] = {
            "add": self._np.add,
            "subtract": self._np.subtract,
            "multiply": self._np.multiply,
            "negative": self._np.negative,
            "reciprocal": self._np.reciprocal,
            "sqrt": self._np.sqrt,
            "abs": self._np.abs,
            "max": self._np.maximum,
            "sin": self._np.sin,
            "cos": self._np.cos,
            "log": self._np.log,
        }

    def __call__(self, q: Array, *inputs: Array) -> tuple[Array, ...]:
        """Whether the numbers may be trusted, and the entries of each result, from those of q and of each input."""
        state = _State(q, inputs)
        for sweep, once in zip(self._plans, self._once, strict=True):
            if sweep is None:
                self._done_once(state, once)
            elif any(part.nodes or part.loads for part in sweep.parts):
                given = self._rows(state, sweep)
                found = self._scanned(state, sweep, given) if sweep.passing else self._at_once(state, sweep, given)
                self._keep(state, sweep, found)
        several = [state.results.get(of, self._np.zeros((size,))) for of, size in enumerate(self._sizes)]
        state.good += [self._np.isfinite(array).all() for array in (q, *inputs, *several)]
        return self._np.stack(state.good).all(), *several

    # -- what bodies read ------------------------------------------------------------------------------------------

    def _rows(self, state: _State, sweep: Plan) -> Array:
        """What bodies read in a sweep, (bodies, columns)."""
        parts: list[Array] = []
        for where in OF_BODIES:
            of = sorted({load.of for load in sweep.read if load.where == where})
            for number in of:
                loads = [load for load in sweep.read if load.where == where and load.of == number]
                parts.append(self._columns(state, loads))
        return self._np.concatenate(parts, axis=1) if parts else self._np.zeros((self._n, 0))

    def _columns(self, state: _State, loads: Sequence[Load]) -> Array:
        """Those that come from one array."""
        (first, *_), places = loads, [load.place for load in loads]
        match first.where:
            case "number":
                return self._np.asarray(self._numbers[:, places])
            case "sign":
                return self._np.asarray(self._signs[first.of][:, places])
            case "coordinate":
                return state.q[self._entries(0, places, state.q)]
            case "input":
                return state.inputs[first.of][self._entries(1 + first.of, places, state.inputs[first.of])]
            case _:
                none = self._np.zeros((self._n,))
                several = [none if load.slot is None else state.kept.get(load.slot, none) for load in loads]
                found = self._np.stack(several, axis=1)
                return found[self._parent] if first.where == "above" else found

    def _entries(
        self, array: int, places: Sequence[int], given: Array
    ) -> np.ndarray[tuple[int, int], np.dtype[np.intp]]:
        """Where entries of bodies stand; a body that has none of them reads another, which it does not use."""
        starts = np.asarray(self._starts[array])[: self._n, None]
        return np.minimum(starts + np.array(places)[None, :], given.shape[0] - 1)

    def _beside(self, state: _State, load: Load) -> Array:
        """What belongs to no body."""
        if load.where == "common":
            return state.inputs[load.of][load.place]
        assert load.slot is not None
        return state.whole.get(load.slot, self._np.zeros(()))

    # -- a piece ---------------------------------------------------------------------------------------------------

    def _values(self, part: Part, read: Read) -> Callable[[Node], Scalar]:
        """The values of the nodes of a piece, computed from what it reads."""
        found: dict[int, Scalar] = {n: read(load) for n, load in part.loads.items()}
        for node in part.nodes:
            if node.known:
                found[node.number] = node.value
                continue
            value = self._operations[node.operation](*(found[a.number] for a in node.arguments))
            # No derivative goes through what tells how much is rounded, whose roots may be those of zero.
            found[node.number] = self._jax.lax.stop_gradient(value) if node.number in part.rough else value
        return lambda node: found[node.number]

    def _side_by_side(self, several: Sequence[Scalar], shape: tuple[int, ...], wide: int) -> Array:
        """Numbers as the last axis of an array, zeros behind them."""
        xnp = self._np
        columns = [xnp.broadcast_to(xnp.asarray(one, xnp.float64), shape) for one in several]
        columns += [xnp.zeros(shape)] * (wide - len(columns))
        return xnp.stack(columns, axis=-1) if columns else xnp.zeros((*shape, 0))

    def _judged(self, part: Part, value: Callable[[Node], Scalar], shape: tuple[int, ...]) -> Array:
        """Whether all is positive that should be."""
        xnp = self._np
        several = [xnp.broadcast_to(xnp.asarray(value(node), xnp.float64), shape) for node in part.piece.positive]
        return (xnp.stack(several, axis=-1) > 0.0).all() if several else xnp.asarray(True)

    def _given(
        self, sweep: Plan, part: Part, value: Callable[[Node], Scalar], received: Read, shape: tuple[int, ...]
    ) -> Array:
        """What a body gives: what it keeps, what it adds to sums, its entries of results."""
        piece, several = part.piece, list[Scalar]()
        for slot in sweep.kept:
            if slot[0] == "sent":
                several.append(received(Load("own", 0, 0, slot)))
            else:
                several.append(value(piece.kept[slot]) if slot in piece.kept else 0.0)
        several += [value(piece.added[slot]) if slot in piece.added else 0.0 for slot in sweep.added]
        several += [value(node) for _, _, node in piece.results]
        return self._side_by_side(several, shape, sweep.wide)

    # -- sweeps ----------------------------------------------------------------------------------------------------

    def _at_once(self, state: _State, sweep: Plan, given: Array) -> Array:
        """What all bodies give, kind by kind."""
        found: list[Array] = []
        for kind, part in zip(self._cut.kinds, sweep.parts, strict=True):
            own, shape = given[kind.bodies], (len(kind.bodies),)

            def read(load: Load, own: Array = own) -> Array:
                return own[:, sweep.columns[load]] if load in sweep.columns else self._beside(state, load)

            value = self._values(part, read)
            found.append(self._given(sweep, part, value, read, shape))
            state.good.append(self._judged(part, value, shape))
        return self._np.concatenate(found)[self._back]

    def _scanned(self, state: _State, sweep: Plan, given: Array) -> Array:
        """What bodies give, one after the other."""
        lax, inward, order = self._jax.lax, sweep.direction == "inward", self._order
        none = self._np.zeros((len(sweep.passing),))
        branches = [self._branch(state, sweep, part) for part in sweep.parts]

        def step(ring: Array, here: tuple[Array, Array, Array, Array]) -> tuple[Array, tuple[Array, Array]]:
            own, kind, place, above = here
            received = lax.dynamic_index_in_dim(ring, place if inward else above, 0, keepdims=False)
            found, passed, good = lax.switch(kind, branches, own, received)
            if inward:
                ring = lax.dynamic_update_index_in_dim(ring, none, place, 0)
                passed = passed + lax.dynamic_index_in_dim(ring, above, 0, keepdims=False)
            ring = lax.dynamic_update_index_in_dim(ring, passed, above if inward else place, 0)
            return ring, (found, good)

        several = given[order.bodies], *map(self._np.asarray, (self._kinds, order.here, order.above))
        _, (found, good) = lax.scan(step, self._np.zeros((order.size, len(sweep.passing))), several, reverse=inward)
        state.good.append(good.all())
        return found[np.argsort(order.bodies)]

    def _branch(self, state: _State, sweep: Plan, part: Part) -> Callable[[Array, Array], tuple[Array, Array, Array]]:
        """What a body of a kind gives and passes on, from what it reads and what has come to it."""
        filled = part.piece.sent if sweep.direction == "inward" else part.piece.kept

        def branch(own: Array, received: Array) -> tuple[Array, Array, Array]:
            def read(load: Load) -> Array:
                if load.slot is not None and load.slot in sweep.places:
                    return received[sweep.places[load.slot]]
                return own[sweep.columns[load]] if load in sweep.columns else self._beside(state, load)

            value = self._values(part, read)
            passed = [value(filled[slot]) if slot in filled else 0.0 for slot in sweep.passing]
            found = self._given(sweep, part, value, read, ())
            return found, self._side_by_side(passed, (), len(passed)), self._judged(part, value, ())

        return branch

    def _done_once(self, state: _State, part: Part) -> None:
        """What belongs to no body."""
        value = self._values(part, lambda load: self._beside(state, load))
        for slot, node in part.piece.kept.items():
            if slot in self._cut.whole:
                state.whole[slot] = self._np.asarray(value(node), self._np.float64)
        entries: dict[int, list[Scalar]] = {}
        for of, _, node in part.piece.results:
            entries.setdefault(of, []).append(value(node))
        state.results |= {of: self._side_by_side(one, (), len(one)) for of, one in entries.items()}
        state.good.append(self._judged(part, value, ()))

    def _keep(self, state: _State, sweep: Plan, found: Array) -> None:
        """What later sweeps read, and results."""
        for column, slot in enumerate(sweep.kept):
            state.kept[slot] = found[:, column]
        for column, slot in enumerate(sweep.added, len(sweep.kept)):
            total = found[:, column].sum(0)
            state.whole[slot] = state.whole[slot] + total if slot in state.whole else total
        for of, entries in sweep.results.items():
            state.results[of] = found[entries.bodies, entries.columns]
