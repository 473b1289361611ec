"""Whether a given operator has the structure that was declared for it: a false tag would be a silent wrong number."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from operator_algebra.errors import InputError
from operator_algebra.operators.arrays import Pattern, SampleBlock, Stack, StackFlags
from operator_algebra.operators.layout import Layout
from operator_algebra.operators.structure import Structure

Fault = Callable[[str], InputError]

ROUNDING = 64.0 * float(np.finfo(np.float64).eps)
"""Entries may differ by this much, relative to the largest of their block."""


def verify_blocks(blocks: Sequence[SampleBlock], structure: Structure, names: Sequence[str], fault: Fault) -> None:
    """Check the flags of a block-diagonal or hop operator, block by block."""
    if structure.hop:
        return
    for shape in dict.fromkeys(block.shape[-2:] for block in blocks if block.size):
        which = [k for k, block in enumerate(blocks) if block.shape[-2:] == shape]
        lead = np.broadcast_shapes(*{blocks[k].shape[:-2] for k in which})
        stack = np.stack([np.broadcast_to(blocks[k], (*lead, *shape)) for k in which])
        for word, good in _tests(stack, structure):
            bad = np.nonzero(~good.reshape(len(which), -1).all(axis=1))[0]
            if len(bad):
                raise fault(f'the block at "{names[which[int(bad[0])]]}" is not {word}')


def verify_dense(
    array: SampleBlock, rows: Layout, cols: Layout, parent: Sequence[int], structure: Structure, fault: Fault
) -> None:
    """Check the flow and the flags of an operator given as a whole."""
    whole = structure
    if structure.flow in ("inward", "outward", "related", "diagonal", "zero") or structure.strict or structure.unit:
        related = _related(parent)[rows.owner][:, cols.owner]
        own = rows.owner[:, None] == cols.owner[None, :]
        allowed = {"inward": related, "outward": related.T, "related": related | related.T, "diagonal": own}
        flow = allowed.get(structure.flow, np.ones_like(own))
        if structure.flow == "zero" or (array * ~flow).any():
            raise fault(f"it is not {structure.flow}: entries outside that pattern are not zero")
        if structure.strict and (array * own).any():
            raise fault("it is not strict: its diagonal blocks are not zero")
        if structure.unit and np.abs((array - np.eye(rows.size)) * own).max(initial=0.0) > ROUNDING:
            raise fault("it is not unit: its diagonal blocks are not I")
        whole = Structure("full", structure.flags - {"unit", "strict"})
    for word, good in _tests(array, whole):
        if not good.all():
            raise fault(f"it is not {word}")


def _related(parent: Sequence[int]) -> Pattern:
    """Entry (i, j): body i is an ancestor of j, or j itself."""
    n = len(parent)
    result = np.eye(n, dtype=bool)
    for k, p in enumerate(parent):
        if p >= 0:
            result[:, k] |= result[:, p]
    return result


def _tests(stack: Stack, structure: Structure) -> list[tuple[str, StackFlags]]:
    """The words to verify, and for each matrix of the stack (..., r, c) whether it is so."""
    found: list[tuple[str, StackFlags]] = []
    if 0 in stack.shape[-2:]:
        return found
    size = np.abs(stack).max(axis=(-2, -1))
    real = np.real(stack).astype(np.float64)  # what a complex step leaves: signs and ranks are those of the real part
    if structure.unit:
        found.append(("I", np.abs(stack - np.eye(stack.shape[-1])).max(axis=(-2, -1)) <= ROUNDING))
    if structure.symmetric:
        skew = np.abs(stack - np.swapaxes(stack, -1, -2)).max(axis=(-2, -1))
        found.append(("symmetric", skew <= ROUNDING * size))
    if structure.definite:
        found.append(("definite", _has_cholesky(real)))
    elif structure.semidefinite:
        least = np.linalg.eigvalsh(real)[..., 0]
        found.append(("semidefinite", least >= -ROUNDING * size))
    if structure.has("onto") and not structure.definite:
        values = np.linalg.svd(real, compute_uv=False)
        enough = stack.shape[-2] <= stack.shape[-1]
        word = "invertible" if structure.invertible else "of full row rank"
        found.append((word, enough & (values[..., -1] > ROUNDING * values[..., 0])))
    return found


def _has_cholesky(stack: Stack) -> StackFlags:
    """Whether each matrix has a Cholesky factor."""
    try:
        np.linalg.cholesky(stack)
    except np.linalg.LinAlgError:
        least = np.linalg.eigvalsh(stack)
        return least[..., 0] > ROUNDING * np.abs(least[..., -1])
    return np.ones(stack.shape[:-2], dtype=bool)
