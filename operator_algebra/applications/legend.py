"""What the names in a formula stand for: definition, and meaning in a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from operator_algebra.expressions.nodes import Expr, Fixpoint, Symbol
from operator_algebra.expressions.summary import definition_of
from operator_algebra.identities.meanings import MEANINGS
from operator_algebra.symbols import vocabulary

OWN_MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "mass_matrix": "Takes joint accelerations to the joint forces that they need.",
        "bias": "The joint forces at q̈ = 0: velocity terms, gravity, external forces, springs and dampers.",
        "mass_matrix_ring": "How the mass matrix changes with time.",
        "mass_matrix_along_w": "How the mass matrix changes as the pose moves along w.",
        "bias_by_v_along_w": "How these forces change as the joint rates move along w.",
        "inverse_dynamics_by_q": "Takes changes of the pose to changes of the joint forces.",
        "forward_dynamics_by_q": "Takes changes of the pose to changes of the joint accelerations.",
        "logdet_along_w": "Its trace is how log det of the mass matrix changes as the pose moves along w.",
        "Gamma": "What ∇ along v adds to the rates of components, as a force.",
        "Gamma_v": "The same for constant joint maps.",
        "Gamma_w": "The same along w.",
        "bracket": "The bracket of v and w, as fields with constant components.",
        "varying_bracket": "The same where joint maps change, those of universal joints too.",
        "Gamma_bracket": "What ∇ along the bracket adds to the rates of components.",
        "give": "A force on the body of a joint for each that the joint feels.",
        "applied": "The net forces on bodies, but for what joints hold back and what accelerations need.",
        "held_between": "Takes what joints hold back to net forces on bodies.",
        "all_inertia": "The inertias of all bodies; rotors couple each with its parent.",
        "jacobian": "Takes joint rates to the velocities of the picked frames.",
        "A": "Takes joint rates to velocities that have to be zero.",
        "J": "Takes joint rates to the velocities with which things meet.",
        "P_perp": "What of a rate breaks the constraints.",
    }
)
"""Of the names that applications define."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A name as it is printed, what it is equal to if it is defined, and a sentence if one is known."""

    name: str
    definition: Expr | None
    meaning: str
    own: bool
    """Whether an application defines it; the vocabulary is the same everywhere."""


def legend(e: Expr) -> list[Entry]:
    """The names in a formula, and those in what applications define them to be; of a name, those in its definition.

    >>> from operator_algebra.applications.dynamics import forward_dynamics
    >>> [entry.name for entry in legend(forward_dynamics)][:3]
    ['ℳ', 'T', 'bias']
    """
    found: dict[Expr, Entry] = {}
    body = definition_of(e)
    waiting = names_in(e if body is None else body)
    while waiting:
        name = waiting.pop(0)
        if name not in found and name is not e:
            found[name] = _entry(name)
            if found[name].own:
                waiting += names_in(found[name].definition)
    return list(found.values())


def meaning(e: Expr) -> str:
    """The sentence about a name, empty for any other formula."""
    return _entry(e).meaning if isinstance(e, Symbol | Fixpoint) else ""


def _entry(e: Expr) -> Entry:
    name = e.name if isinstance(e, Symbol | Fixpoint) else ""
    known = vocabulary().get(name) is e
    own = not known and definition_of(e) is not None
    meaning = "An input." if isinstance(e, Symbol) and e.origin == "input" else ""
    if known or own:
        meaning = (MEANINGS if known else OWN_MEANINGS).get(name, meaning)
    return Entry(e.render(), definition_of(e), meaning, own)


def written(e: Expr) -> Iterator[Expr]:
    """The parts of a formula as it is written, from left to right; those of definitions and fixed points are not."""
    stack = [e]
    seen: set[Expr] = set()
    while stack:
        node = stack.pop()
        if node in seen or (isinstance(node, Symbol) and node.origin == "bound"):
            continue
        seen.add(node)
        yield node
        if not isinstance(node, Fixpoint):
            stack += reversed(node.children)


def names_in(e: Expr | None) -> list[Expr]:
    """The symbols and fixed points that a formula is written with."""
    return [] if e is None else [node for node in written(e) if isinstance(node, Symbol | Fixpoint)]
