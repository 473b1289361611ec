"""Exact models as the meaning of formulas reads them: an oracle that shares no evaluation with proofs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.meaning.evaluator import Evaluation
from operator_algebra.operators.layout import Layout
from operator_algebra.operators.spaces import Space
from operator_algebra.programs.mechanism import Mechanism
from operator_algebra.proofs.rigid import Rows
from tests.oracles.exact_sources import GivenSource

OF_NO_BODY = {"one", "ground", "tasks"}


def meaning(tree: Mechanism, leaves: Mapping[Symbol, Rows]) -> Evaluation:
    """The same blocks as block matrices of fractions."""
    sizes = {**tree.sizes, "one": (1,)}
    layouts = {family: Layout.of(list(size), attached=family not in OF_NO_BODY) for family, size in sizes.items()}
    values = {leaf.name: _blocks(tree, leaf, rows) for leaf, rows in leaves.items()}
    return Evaluation(GivenSource(tree.parent, layouts, values), 1e9)


def _blocks(tree: Mechanism, leaf: Symbol, rows: Rows) -> dict[tuple[int, int], object]:
    whole = np.array(rows, dtype=object).reshape(tree.whole(leaf.type.codomain), tree.whole(leaf.type.domain))
    across, down = _parts(tree, leaf.type.codomain), _parts(tree, leaf.type.domain)
    return {(i, j): whole[here, there] for i, here in enumerate(across) for j, there in enumerate(down)}


def _parts(tree: Mechanism, space: Space) -> list[slice]:
    sizes = [tree.size(space, k) for k in tree.bodies] if space.attached else [tree.whole(space)]
    return [slice(sum(sizes[:k]), sum(sizes[: k + 1])) for k in range(len(sizes))]


def meant(tree: Mechanism, leaves: Mapping[Symbol, Rows], e: Expr) -> Rows:
    """The value of a formula by its meaning."""
    return meaning(tree, leaves).value(e).data.toarray().tolist()
