"""Input values of a formula: named, of the right shape, finite, and of the structure that was declared for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import cast

import numpy as np

from operator_algebra.arguments import shown
from operator_algebra.errors import InputError
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import NotNumeric, numeric
from operator_algebra.operators.arrays import Anything, SampleBlock, SampleVector
from operator_algebra.operators.given_blocks import (
    array_of,
    bodies_first,
    describe,
    expected_shape,
    free_axis,
    join,
    lists_blocks,
    same_lead,
    scalar_blocks,
    shape_of,
)
from operator_algebra.operators.inputs import DEFAULTS, Bound, Declared, InputValue, model_layouts, unmentioned
from operator_algebra.operators.layout import Layout
from operator_algebra.operators.spaces import ONE, Space
from operator_algebra.operators.structure import Structure
from operator_algebra.operators.verify import Fault, verify_blocks, verify_dense


def bind(
    what: str,
    wanted: Iterable[Declared],
    model: Model,
    given: Mapping[str, object],
    *,
    batch: bool = False,
    whole: bool = True,
    lead: tuple[int, ...] = (),
) -> Bound:
    """Check the values of the inputs that a formula mentions.

    `batch` allows leading axes, of which q has `lead`; `whole` allows operators that are not local on the tree, given
    as dense arrays. `what` names the formula in messages.
    """
    return Binder(what, model, batch, whole, lead).bind(wanted, given)


class Binder:
    """Reads the values of inputs into blocks; a subclass may take other numbers than floats."""

    def __init__(self, what: str, model: Model, batch: bool, whole: bool, lead: tuple[int, ...] = ()) -> None:
        self.what = what
        self.model = model
        self.batch = batch
        self.whole = whole
        self.lead = lead
        self.layouts = model_layouts(model)

    def bind(self, wanted: Iterable[Declared], given: Mapping[str, object]) -> Bound:
        """The values of all inputs, checked."""
        symbols = {symbol.name: symbol for symbol in sorted(wanted, key=lambda symbol: symbol.name)}
        values = {name: value for name, value in given.items() if value is not None}
        for name in values:
            if name not in symbols:
                raise unmentioned(self.what, name, ["q", *symbols])
        absent: set[str] = set()
        for name, symbol in symbols.items():
            if name not in values:
                default = self.default(symbol)
                if default is None:
                    raise InputError(self.missing(symbol, values))
                values[name] = default
                absent.add(name)
        # Values by name first: they say how large the blocks of a user's space are. Then vectors: they tell a batch.
        order = sorted(
            symbols, key=lambda name: (not isinstance(values[name], Mapping), symbols[name].type.domain != ONE)
        )
        found: dict[str, InputValue] = {}
        for name in order:
            found[name] = self.value(symbols[name], values[name])
            dense = found[name].dense
            if symbols[name].type.domain == ONE and dense is not None:
                self._meet(dense.shape[:-2])
        return Bound({name: found[name] for name in symbols}, self.layouts, frozenset(absent))

    def _meet(self, lead: tuple[int, ...]) -> None:
        """Remember the leading axes of a vector; those that do not fit are refused by the call."""
        with suppress(ValueError):
            self.lead = np.broadcast_shapes(self.lead, lead)

    def default(self, symbol: Declared) -> object:
        """The value of an input that is not given, if it has one."""
        if DEFAULTS.get(symbol.name) == symbol.type:
            return np.zeros(self.layouts["spatial"].size)
        return None

    def verify_whole(self, symbol: Declared, array: SampleBlock, rows: Layout, cols: Layout) -> None:
        """Refuse an operator that has not the declared structure."""
        verify_dense(array, rows, cols, self.model.parent, symbol.structure, self._fault(symbol))

    def verify_local(self, symbol: Declared, blocks: Sequence[SampleBlock]) -> None:
        """Refuse blocks that have not the declared structure."""
        verify_blocks(blocks, symbol.structure, self.model.joint_names, self._fault(symbol))

    def missing(self, symbol: Declared, values: Mapping[str, object]) -> str:
        """What is said when an input is missing."""
        given = ", ".join(["q", *values])
        return f"{self.what} needs {symbol.name} ({self._expected(symbol)}); it was not given. Given: {given}."

    def _expected(self, symbol: Declared) -> str:
        type_ = symbol.type
        if type_ == ONE >> ONE:
            return "a number"
        if type_.domain == ONE:
            layout = self.layouts.get(type_.codomain.sizes)
            return f"{type_.codomain}, {layout.size} entries" if layout else f"{type_.codomain}"
        return f"{type_}, {symbol.structure}"

    def refuse(self, symbol: Declared, problem: str, remedy: str = "") -> InputError:
        """The error for a value that does not fit."""
        where = f"{symbol.name} ({self._expected(symbol)}) of {self.what} on {self.model.name}"
        return InputError(f"{where}: {problem}. {remedy}".rstrip())

    def value(self, symbol: Declared, value: object) -> InputValue:
        """One input, checked."""
        if isinstance(value, Mapping):
            return self._by_name(symbol, cast("Mapping[object, object]", value))
        type_ = symbol.type
        if not (type_.domain.attached and type_.codomain.attached):
            return self._dense(symbol, value)
        if symbol.structure.flow == "diagonal" or symbol.structure.hop:
            return self._local(symbol, value)
        if not self.whole:
            raise self.refuse(
                symbol,
                f"it is {symbol.structure}, which is not local on the tree",
                'Declare its structure ("diagonal", "inward hop"), or use evaluate.',
            )
        return self._dense(symbol, value)

    # -- numbers ---------------------------------------------------------------------------------------------------

    def numbers(self, symbol: Declared, value: object, what: str = "it") -> Anything:
        """A finite array of floats or complex numbers, in the precision that it has."""
        try:
            array = numeric(value)
        except NotNumeric as reason:
            raise self.refuse(symbol, f"{what} is not an array of numbers ({reason})") from None
        if not np.isfinite(array).all():
            where = tuple(np.argwhere(~np.isfinite(array))[0].tolist())
            raise self.refuse(symbol, f"{what} is not finite at {where}: {array[where]}")
        return array

    def layout(self, symbol: Declared, space: Space) -> Layout:
        """The block sizes of a space, if they are known by now."""
        if space.sizes not in self.layouts:
            raise self.refuse(
                symbol,
                f"the block sizes of {space} are not known",
                f"Give an operator of {space} as a mapping joint or frame name → block.",
            )
        return self.layouts[space.sizes]

    def _settle(self, symbol: Declared, space: Space, size: int) -> Layout:
        """The layout of a space without bodies; the first value that has it says how large it is."""
        if space.sizes not in self.layouts and not space.attached:
            self.layouts[space.sizes] = Layout.of([size], attached=False)
        return self.layout(symbol, space)

    # -- the forms in which values are given -----------------------------------------------------------------------

    def _dense(self, symbol: Declared, value: object) -> InputValue:
        type_ = symbol.type
        array = self.numbers(symbol, value)
        if type_.domain == ONE:
            array = array[..., None]
        if type_.codomain == ONE:
            array = array[..., None, :] if type_.domain != ONE else array[..., None]
        if array.ndim < 2:
            raise self.refuse(symbol, f"it has shape {shape_of(value)}", "Give an array with rows and columns.")
        rows = self._settle(symbol, type_.codomain, array.shape[-2])
        cols = self._settle(symbol, type_.domain, array.shape[-1])
        if array.shape[-2:] != (rows.size, cols.size) or (array.ndim > 2 and not self.batch):
            raise self.refuse(
                symbol, f"it has shape {shape_of(value)}, not {expected_shape(type_, rows, cols, batch=self.batch)}"
            )
        if (type_.domain.attached and type_.codomain.attached) or symbol.structure.flags:
            self.verify_whole(symbol, array, rows, cols)
        return InputValue(type_, symbol.structure, rows, cols, dense=array)

    def _local(self, symbol: Declared, value: object) -> InputValue:
        rows, cols = self.layout(symbol, symbol.type.codomain), self.layout(symbol, symbol.type.domain)
        flat = self._scalars(symbol, value, rows, cols)
        if flat is not None:
            blocks = [scalar_blocks(flat[..., rows.part(k)]) for k in range(rows.count)]
        else:
            blocks = self._per_body(symbol, value, rows, cols)
        return self._checked(symbol, rows, cols, blocks)

    def _scalars(self, symbol: Declared, value: object, rows: Layout, cols: Layout) -> SampleVector | None:
        """The array (..., nv) of scalar blocks, if that is the form of the value."""
        if symbol.structure.hop or not rows.matches(cols) or lists_blocks(value, rows, cols):
            return None
        try:
            shape = shape_of(value)
        except Exception:  # noqa: BLE001  a value of the caller's own may fail in any way
            return None
        blocks = (rows.count, rows.sizes[0], cols.sizes[0])
        if shape == blocks or (shape[-3:] == blocks and len(shape) - 1 != len(self.lead)):
            return None
        if shape[-2:] == (rows.size, rows.size) and not self._is_batch(shape[:-1]):
            raise self.refuse(
                symbol,
                f"it has shape {shape}, a matrix for the whole mechanism",
                f"Give one block per joint ({self.model.n} blocks) or an array ({rows.size},) of scalar blocks"
                + (", and for a batch of these give q the same leading axes." if self.batch else "."),
            )
        fits = len(shape) >= 1 and shape[-1] == rows.size and (self.batch or len(shape) == 1)
        return self.numbers(symbol, value) if fits else None

    def _is_batch(self, lead: tuple[int, ...]) -> bool:
        """Whether q or a vector has the last of these leading axes, too."""
        return self.batch and bool(self.lead) and (lead[-1] == 1 or self.lead[-1] == lead[-1])

    def _per_body(self, symbol: Declared, value: object, rows: Layout, cols: Layout) -> list[SampleBlock]:
        name = "edge" if symbol.structure.hop else "joint"
        listed = bodies_first(value)
        if listed is None or len(listed) != self.model.n:
            raise self.refuse(
                symbol,
                f"it has {describe(value)}",
                f"Give one block per {name} ({self.model.n} blocks)"
                + ("." if symbol.structure.hop else f" or an array ({rows.size},) of scalar blocks."),
            )
        array = array_of(value)
        lead = () if array is None else array.shape[:-3]
        blocks: list[SampleBlock] = []
        for k, given in enumerate(listed):
            i, j = self._ends(symbol.structure, k)
            if min(i, j) < 0:
                blocks.append(np.zeros((*lead, rows.sizes[max(i, 0)], cols.sizes[max(j, 0)])))
                continue
            blocks.append(
                self._block(symbol, given, (int(rows.sizes[i]), int(cols.sizes[j])), self.model.joint_names[k])
            )
        return blocks

    def _ends(self, structure: Structure, k: int) -> tuple[int, int]:
        """Row body and column body of the block given for body k."""
        if not structure.hop:
            return k, k
        parent = self.model.parent[k]
        return (parent, k) if structure.flow == "inward" else (k, parent)

    def _block(self, symbol: Declared, value: object, shape: tuple[int, int], name: str) -> SampleBlock:
        block = self.numbers(symbol, value, f'the block at "{name}"')
        if block.ndim == 0 and shape == (1, 1):
            block = block.reshape(1, 1)
        if block.shape[-2:] != shape or (block.ndim > 2 and not self.batch):
            raise self.refuse(symbol, f'the block at "{name}" has shape {block.shape}, not {shape}')
        return block

    def _by_name(self, symbol: Declared, value: Mapping[object, object]) -> InputValue:
        type_, model = symbol.type, self.model
        if type_.domain != ONE and symbol.structure.flow not in ("diagonal", "full"):
            raise self.refuse(symbol, "blocks by joint name are for block-diagonal operators and vectors")
        gathered: dict[int, list[SampleBlock]] = {}
        for name, given in value.items():
            k = self._place(symbol, name)
            block = self.numbers(symbol, given, f'the block at "{name}"')
            if type_.domain == ONE:
                block = np.atleast_1d(block)[..., None]
            elif block.ndim == 1:
                block = block[:, None] if type_.domain.sizes not in self.layouts else block[None, :]
            if block.ndim < 2 or (block.ndim > 2 and not self.batch):
                raise self.refuse(symbol, f'the block at "{name}" has shape {block.shape}')
            gathered.setdefault(k, []).append(block)
        along = free_axis(type_, self.layouts)
        joined = {k: join(parts, along) for k, parts in gathered.items()}
        for axis, space in ((-2, type_.codomain), (-1, type_.domain)):
            if space.sizes not in self.layouts:
                sizes = [joined[k].shape[axis] if k in joined else 0 for k in range(model.n)]
                self.layouts[space.sizes] = Layout.of(sizes)
        rows, cols = self.layout(symbol, type_.codomain), self.layout(symbol, type_.domain)
        column = type_.domain == ONE
        blocks: list[SampleBlock] = []
        for k in range(model.n):
            shape = (int(rows.sizes[k]), 1 if column else int(cols.sizes[k]))
            block = joined.get(k, np.zeros(shape))
            if block.shape[-2:] != shape:
                raise self.refuse(symbol, f'the block at "{model.joint_names[k]}" has shape {block.shape}, not {shape}')
            blocks.append(block)
        if column:
            return InputValue(type_, symbol.structure, rows, cols, dense=np.concatenate(same_lead(blocks), axis=-2))
        return self._checked(symbol, rows, cols, blocks)

    def _place(self, symbol: Declared, name: object) -> int:
        """The body that a joint or frame name means."""
        model = self.model
        if isinstance(name, str) and name in model.joint_names:
            return model.joint_index(name)
        frame = model.frames.get(name) if isinstance(name, str) else None
        if frame is None:
            known = ", ".join([*model.joint_names[:6], *list(model.frames)[:6]])
            raise self.refuse(symbol, f"there is no joint or frame {shown(name)}", f"There are {known}.")
        if frame.body is None:
            raise self.refuse(symbol, f'the frame "{name}" is fixed to the ground, which has no block')
        return model.body_index(frame.body)

    def _checked(self, symbol: Declared, rows: Layout, cols: Layout, blocks: list[SampleBlock]) -> InputValue:
        self.verify_local(symbol, blocks)
        return InputValue(symbol.type, symbol.structure, rows, cols, blocks=blocks)

    def _fault(self, symbol: Declared) -> Fault:
        return lambda problem: self.refuse(symbol, problem, "Change the value, or the structure that was declared.")
