"""The passes of the compiler, in order: each takes a graph and leaves one that computes the same."""

from __future__ import annotations

from collections.abc import Callable

from operator_algebra.lowering.eliminate import eliminate
from operator_algebra.lowering.fewest import fewest_sweeps
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.products import name_common_prefixes, recognise_grams, recognise_updates, reuse_products
from operator_algebra.lowering.refine import refine
from operator_algebra.lowering.share import share
from operator_algebra.lowering.signs import positive_blocks
from operator_algebra.lowering.simplify import (
    drop_identities,
    drop_zeros,
    resolve_aliases,
    separate_constants,
    simplify,
)

Pass = Callable[[Graph], None]

FRONT: tuple[Pass, ...] = (resolve_aliases, share, simplify)
"""What makes a graph small before anything is solved for."""

LAST: tuple[Pass, ...] = (
    name_common_prefixes,
    reuse_products,
    recognise_updates,
    reuse_products,
    recognise_grams,
    Graph.prune,
)
"""Products of blocks, once it is settled what recurs."""


def save_sweeps(graph: Graph) -> None:
    """Transpose and superpose what is summed over the mechanism, where that saves sweeps.

    A residual stays as it is: by other equations than its own it would tell nothing of the rounding of a solution.
    """
    if graph.method != "refined" and not (graph.refines and graph.opened):
        fewest_sweeps(graph, LAST)


PASSES: tuple[Pass, ...] = (
    *FRONT,
    share,
    separate_constants,
    refine,
    eliminate,
    drop_zeros,
    drop_identities,
    resolve_aliases,
    share,
    save_sweeps,
    positive_blocks,
    *LAST,
)
"""From the lifted formula to recurrences that run one way."""
