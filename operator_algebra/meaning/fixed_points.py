"""Fixed points, level by level: each block once, from blocks that are known when it is its turn.

Bodies are taken tips first where an equation looks outboard, base first where it looks inboard.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeGuard

import numpy as np

from operator_algebra.errors import InputError, NotLowerable, SingularError
from operator_algebra.expressions import build
from operator_algebra.expressions.mismatch import short
from operator_algebra.expressions.nodes import Diag, Expr, Fixpoint, Inverse, Root
from operator_algebra.expressions.traverse import children_and_definition, postorder
from operator_algebra.meaning.evaluator import Environment, Evaluation, Request, Steps
from operator_algebra.meaning.inverses import refuse_singular
from operator_algebra.meaning.plan import Known, NoSinglePath, Planner, Unknown, open_nodes
from operator_algebra.meaning.rules import constant
from operator_algebra.meaning.source import OneOf, Source
from operator_algebra.meaning.steps import NOTHING
from operator_algebra.operators.arrays import Indices, OfBodies, SampleBlock
from operator_algebra.operators.blockdict import BlockDict
from operator_algebra.operators.blocks import BlockMatrix, group_by_size
from operator_algebra.operators.factors import eps
from operator_algebra.operators.inversion import SingularBlock, identity, sound_blocks

Again = Callable[[int], dict[Expr, BlockMatrix]]

DISTURBED = 4
"""How often a recursion is done with other roundings, once half of a pivot's digits are lost; one may miss by luck."""


def fixpoint_steps(run: Evaluation, node: Fixpoint, request: Request) -> Steps[BlockMatrix]:
    """The value of a fixed point; the environment of its solution is kept for `magnitudes`."""
    here = request.environment
    open_ = open_nodes(node)
    if node.body not in open_:
        return (yield Request("value", node.body, None, here))
    beyond: dict[str, BlockMatrix] = {}
    again: Again | None = None
    pivots = [part for part in postorder(node.body, children_and_definition) if part in open_ and _is_pivot(part)]
    try:
        found, again = yield from _solve(run, node, open_, here, beyond)
    except NoSinglePath as factor:
        found = yield from _rounds(run, node, open_, here, str(factor))
    except RecursionError:
        raise InputError(f"the equation of {node.name} is nested too deeply to be solved. Name parts of it.") from None
    environment = _inside(here, found, open_)
    run.environments[node, id(here)] = environment
    for part in pivots:
        # A pivot lost in rounding shows only against the size of what it was computed from.
        try:
            yield Request("value", part, None, environment)
        except SingularError as error:
            if not beyond.keys() & set(error.joints):
                raise
    if again is not None and pivots and not beyond and run.source.dtype != object:
        yield from _beyond_rounding(run, pivots, environment, lambda seed: _inside(here, again(seed), open_))
    return next(iter(beyond.values()), found[node.variable])


def _is_pivot(part: Expr) -> TypeGuard[Inverse | Root]:
    return isinstance(part, Inverse | Root) and part.body.structure.flow == "diagonal"


def _beyond_rounding(
    run: Evaluation,
    pivots: list[Inverse | Root],
    environment: Environment,
    again: Callable[[int], Environment],
) -> Steps[None]:
    """Refuse pivots that are not larger than what roundings, taken otherwise, change of them.

    What cancelled further out is gone from a pivot, and from what it is computed from; all roundings together are not.
    """
    rounding = eps(run.source.dtype)
    for seed in range(DISTURBED):
        other, doubtful = again(seed), False
        for pivot in pivots:
            block: BlockMatrix = yield Request("value", pivot.body, None, environment)
            disturbed: BlockMatrix = yield Request("value", pivot.body, None, other)
            # Beyond the range of floats nothing is known of digits; that is told by whoever looks at the value.
            lost = np.nan_to_num((disturbed - block).diagonal_norms(), nan=0.0, posinf=0.0)
            try:
                sound_blocks(block, lost / rounding)
            except SingularBlock as singular:
                refuse_singular(run.source, pivot.body, singular)
            doubtful |= bool((lost > np.sqrt(rounding) * block.diagonal_norms()).any())
        if not doubtful:
            return


def local_steps(run: Evaluation, node: Diag, here: Environment | None) -> Steps[BlockMatrix]:
    """The block-diagonal part of products over hops, body by body; `NoSinglePath` if it is not of that form."""
    if here is not None and node in here.open:
        raise NoSinglePath(short(node))
    planner = Planner(_one(run), frozenset())
    schedule = planner.diagonal_part(node)
    yield from _fill(planner, here, run.beside)
    return _assembled(run, node, [schedule.run(k) for k in range(len(planner.source.parent))])


def _solve(
    run: Evaluation,
    node: Fixpoint,
    open_: frozenset[Expr],
    here: Environment | None,
    beyond: dict[str, BlockMatrix],
) -> Steps[tuple[dict[Expr, BlockMatrix], Again]]:
    """The values of a system of unknowns, and a function that finds them again with roundings taken otherwise.

    Blocks that overflowed count as zero, so that a pivot that caused it can be named; `beyond` becomes the joints where
    one did, each with the value as it is.
    """
    column = node.type.codomain.attached and not node.type.domain.attached
    if not column and node.structure.flow not in ("diagonal", "zero"):
        raise NoSinglePath(short(node))
    planner = Planner(_one(run), open_)
    planner.unknown(node)
    unknowns = list(dict.fromkeys(planner.unknowns.values()))
    order = _order(unknowns)
    level = planner.source.level
    bodies = np.argsort(-level if _tips_first(unknowns) else level, kind="stable").tolist()
    yield from _fill(planner, here, run.beside)
    _sweep(run, order, bodies)
    values: dict[Expr, BlockMatrix] = {}
    for unknown in unknowns:
        overflowed = [
            k for k, block in enumerate(unknown.blocks) if block.dtype != object and not np.isfinite(block).all()
        ]
        if overflowed:
            raw = _assembled(run, unknown.node, unknown.blocks)
            beyond.update({run.source.binding.joint_names[k]: raw for k in overflowed if unknown.node is node})
            for k in overflowed:
                finite = np.isfinite(unknown.blocks[k]).all(axis=(-1, -2), keepdims=True)
                unknown.blocks[k] = np.where(finite, unknown.blocks[k], 0.0)
        values |= _named(run, unknown, node)

    def again(seed: int) -> dict[Expr, BlockMatrix]:
        planner.rounding.disturb(seed)
        _sweep(run, order, bodies)
        return {name: value for unknown in unknowns for name, value in _named(run, unknown, node).items()}

    return values, again


def _sweep(run: Evaluation, order: list[Unknown], bodies: list[int]) -> None:
    """Find the blocks of all unknowns, body by body."""
    try:
        with np.errstate(all="ignore"):
            for k in bodies:
                for unknown in order:
                    block = unknown.schedule.run(k)
                    if unknown.node.structure.symmetric:
                        # Unless symmetry is enforced, the recursion of P is unstable for joints with several freedoms.
                        block = (block + block.swapaxes(-1, -2)) / 2
                    unknown.blocks[k] = block
    except SingularBlock as block:
        assert isinstance(block.culprit, Expr)
        refuse_singular(run.source, block.culprit, block)


def _named(run: Evaluation, unknown: Unknown, node: Fixpoint) -> dict[Expr, BlockMatrix]:
    """The value of an unknown under its variable, of an inner one under its own name, too."""
    value = _assembled(run, unknown.node, unknown.blocks)
    named: dict[Expr, BlockMatrix] = {unknown.node.variable: value}
    return named if unknown.node is node else {**named, unknown.node: value}


def _tips_first(unknowns: list[Unknown]) -> bool:
    heights = {height for unknown in unknowns for _, height in unknown.reads if height}
    outboard, inboard = any(h > 0 for h in heights), any(h < 0 for h in heights)
    if outboard and inboard:
        raise NotLowerable(
            f"{unknowns[0].node.name} runs both ways: its equation needs it at children and at the parent. "
            "Split it into a recursion from the tips and one from the base."
        )
    return not inboard


def _order(unknowns: list[Unknown]) -> list[Unknown]:
    """The unknowns such that each is found after those that it needs at the same body."""
    done: list[Unknown] = []
    waiting = list(unknowns)
    while waiting:
        ready = [u for u in waiting if not any(height == 0 and other in waiting for other, height in u.reads)]
        if not ready:
            raise NotLowerable(
                f"{waiting[0].node.name} depends on itself at the same body: an algebraic equation, not a recursion "
                "over the tree. Put a shift around it: E_phi @ X @ E_phi.T, or diag(E_phi.T @ X @ E_phi)."
            )
        done += ready
        waiting = [u for u in waiting if u not in ready]
    return done


def _one(run: Evaluation) -> Source:
    """The tree on which a plan is made: of mechanisms that stand beside each other one is as good as the other."""
    return run.source if run.beside == 1 else OneOf(run.source, run.beside)


def _fill(planner: Planner, here: Environment | None, beside: int) -> Steps[None]:
    """Compute the parts without unknowns as whole operators, and take the blocks that the plan reads."""
    parent = planner.source.parent
    for known in planner.known.values():
        value: BlockMatrix = yield Request("value", known.node, None, here)
        known.blocks = _blocks(value, known, parent, beside)


def _blocks(value: BlockMatrix, known: Known, parent: OfBodies, beside: int) -> list[SampleBlock]:
    k = np.arange(len(parent), dtype=np.intp)
    if known.place == "local":
        return _blocks_at(value, k, k, len(parent), beside)
    if known.place == "column":
        return _blocks_at(value, k, None, len(parent), beside)
    if known.place == "number":
        return [value.data.toarray()]
    below = k[parent >= 0]
    rows, cols = (parent[below], below) if known.place == "inward" else (below, parent[below])
    blocks: list[SampleBlock] = [NOTHING] * len(parent)
    for body, block in zip(below.tolist(), _blocks_at(value, rows, cols, len(parent), beside), strict=True):
        blocks[body] = block
    return blocks


def _blocks_at(value: BlockMatrix, rows: Indices, cols: Indices | None, bodies: int, beside: int) -> list[SampleBlock]:
    """The blocks at these places, of a column if no block columns are given; of several mechanisms one on another."""
    first = bodies * np.repeat(np.arange(beside, dtype=np.intp), len(rows))
    down = first + np.tile(rows, beside)
    found = value.blocks_at(down, np.zeros_like(down) if cols is None else first + np.tile(cols, beside))
    return found if beside == 1 else [np.stack(found[k :: len(rows)]) for k in range(len(rows))]


def _assembled(run: Evaluation, node: Expr, blocks: list[SampleBlock]) -> BlockMatrix:
    rows, cols = run.source.layout(node.type.codomain), run.source.layout(node.type.domain)
    if run.beside > 1:
        each = [np.broadcast_to(block, (run.beside, *block.shape[-2:])) for block in blocks]
        blocks = [block[number] for number in range(run.beside) for block in each]
    k = np.arange(len(blocks), dtype=np.intp)
    j = k if node.type.domain.attached else np.zeros_like(k)
    groups = group_by_size(rows, cols, blocks, k, j)
    return BlockMatrix.from_groups(node.type, rows, cols, groups, run.source.binding, run.source.dtype)


def _inside(here: Environment | None, values: dict[Expr, BlockMatrix], open_: frozenset[Expr]) -> Environment:
    if here is None:
        return Environment(values, open_ | values.keys())
    return Environment({**here.values, **values}, here.open | open_ | values.keys())


def _rounds(
    run: Evaluation, node: Fixpoint, open_: frozenset[Expr], here: Environment | None, factor: str
) -> Steps[dict[Expr, BlockMatrix]]:
    """Whole-operator rounds, for equations that are not along one path; causal ones settle, from any start."""
    value = constant(run, build.zero(node.type))
    if node.type.same_sizes:
        value = identity(value.rows, value)
    for _ in range(run.depth + 2):
        environment = _inside(here, {node.variable: value}, open_)
        after: BlockMatrix = yield Request("value", node.body, None, environment)
        if _same(value, after):
            return {node.variable: after}
        value = after
    raise NotLowerable(
        f"{node.name} is not causal: its equation does not settle along the tree ({factor} does not lead from one body "
        "to its children or its parent). Write each X under one shift: E_phi @ X @ E_phi.T, or "
        "diag(E_phi.T @ X @ E_phi)."
    )


def _same(one: BlockMatrix, other: BlockMatrix) -> bool:
    difference = (one - other).data
    return not difference.blocks if isinstance(difference, BlockDict) else not difference.data.any()
