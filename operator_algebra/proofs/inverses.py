"""Inverses that can be written down: of A C A* by its factors, of A + B φ C by the matrix inversion lemma.

Nothing is assumed of the inverse found: X is the inverse of p because p X = I is rewritten to I = I.
"""

from __future__ import annotations

from collections.abc import Iterator

from operator_algebra.operators.spaces import Type
from operator_algebra.proofs.facts import Fact, Term, total
from operator_algebra.proofs.letters import ONE, RING, Form, Letter, Rational, adjoint, quotient, times, word
from operator_algebra.proofs.theory import Axiom
from operator_algebra.proofs.workbench import Workbench


def inverses(bench: Workbench) -> Iterator[Fact]:
    """For every inverse in the claim that is not one of a single factor: what it is."""
    for x in [x for x in bench.theory.letters if x.kind == "inverse"]:
        assert x.body is not None
        if x in bench.solved or (x.structure.flow == "diagonal" and not _of_invertible_blocks(x.body)):
            continue
        found = inverse_of(bench, bench.core.reduce(x.body)[0], x)
        if found is None:
            continue
        found, _ = bench.core.reduce(found, local=True)
        fact = bench.equal(times(x.body, found), RING.of())
        if fact is not None:
            bench.solved[x] = _is(bench, x, found, fact)
            yield bench.solved[x]


def _is(bench: Workbench, x: Letter, found: Form, fact: Fact) -> Fact:
    """The fact x = found from body · found = I, multiplied by x from the left."""
    left = next(one for why, one in bench.axioms.items() if why == Axiom(x, "left"))
    terms = [Term(c, ONE, left, found_word) for found_word, c in found.items()]
    return total([*terms, Term(-1, ((), (x,)), fact, ONE)])


def inverse_of(bench: Workbench, p: Form, besides: Letter) -> Form | None:
    """What may be the inverse of a polynomial in normal form."""
    if len(p) == 1 and ONE in p:
        return {ONE: quotient(1, p[ONE])}
    return _known(bench, p, besides) or _by_lemma(bench, p, besides) or _by_factors(bench, p, besides)


def _known(bench: Workbench, p: Form, besides: Letter) -> Form | None:
    """The letter of an inverse whose body is p."""
    for y in _inverses(bench):
        if besides not in (y, y.star) and y.body is not None and bench.core.reduce(y.body)[0] == p:
            return word(y)
    return None


def _inverses(bench: Workbench) -> list[Letter]:
    """Every inverse that the theory has, and its adjoint."""
    return list(dict.fromkeys(y for x in bench.theory.letters if x.kind == "inverse" for y in (x, x.star)))


def _by_lemma(bench: Workbench, p: Form, besides: Letter) -> Form | None:
    """(A + B φ C)⁻¹ = A⁻¹ − A⁻¹ B ψ C A⁻¹, where ψ⁻¹ = φ⁻¹ + C A⁻¹ B. In a word b φ c the C is S c, S = I − φ⁻¹."""
    for phi in [y for y in _inverses(bench) if y.structure.unit]:
        split = [(c, letters, letters.index(phi)) for (_, letters), c in p.items() if letters.count(phi) == 1]
        befores = {letters[:k] for _, letters, k in split}
        if len(befores) != 1:
            continue
        (before,) = befores
        inverted = phi.body
        assert inverted is not None
        shift = RING.minus(RING.of(), inverted)
        after = times(shift, RING.sum({((), letters[k + 1 :]): c} for c, letters, k in split))
        rest = RING.minus(p, times(word(*before, phi), after))
        own = inverse_in_place(bench, bench.core.reduce(rest)[0], besides)
        if own is None:
            continue
        resolvent = _resolvent(bench, RING.sum([inverted, times(after, own, word(*before))]), phi)
        if resolvent is not None:
            return RING.minus(own, times(own, word(*before), word(resolvent), after, own))
    return None


def inverse_in_place(bench: Workbench, p: Form, besides: Letter) -> Form | None:
    """The inverse of I, of what a letter is the inverse of, or of a leaf that is declared to have one."""
    if len(p) == 1 and ONE in p:
        return {ONE: quotient(1, p[ONE])}
    letters = next(iter(p))[1]
    if p == word(*letters) and len(letters) == 1 and _invertible(letters[0]):
        spaces = letters[0].type
        return word(bench.theory.made_of("inverse", p, Type(spaces.codomain, spaces.domain)))
    return _known(bench, p, besides)


def _invertible(x: Letter) -> bool:
    return x.kind == "leaf" and "invertible" in x.structure.flags


def _of_invertible_blocks(p: Form) -> bool:
    """Whether blocks are a product that begins with a leaf which has an inverse."""
    return len(p) == 1 and len(letters := next(iter(p))[1]) > 1 and _invertible(letters[0])


def _resolvent(bench: Workbench, p: Form, like: Letter) -> Letter | None:
    """The inverse of p: a letter of the claim, or a new one if p is unit and goes one way, so that it exists."""
    normal = bench.core.reduce(p)[0]
    for y in _inverses(bench):
        if y.body is not None and y.type == like.type and bench.core.reduce(y.body)[0] == normal:
            return y
    made = bench.theory.made_of("inverse", p, like.type)
    return made if made.structure.unit else None


def _by_factors(bench: Workbench, p: Form, besides: Letter) -> Form | None:
    """The inverse of c A C B, for a symmetric letter C that stands once in every word."""
    for middle in [x for x in bench.theory.letters if x.structure.symmetric and x is not besides]:
        factors = _factors(p, middle)
        if factors is None:
            continue
        c, left, right = factors
        inner = middle.body if middle.kind == "inverse" else _known(bench, word(middle), besides)
        if inner is None:
            continue
        first = _of_a_factor(bench, left, besides)
        mirrored = right == adjoint(left)
        last = None if first is None else adjoint(first) if mirrored else _of_a_factor(bench, right, besides)
        if first is not None and last is not None:
            return RING.scaled(quotient(1, c), times(last, inner, first))
    return None


def _of_a_factor(bench: Workbench, p: Form, besides: Letter) -> Form | None:
    return inverse_in_place(bench, p, besides) or _by_lemma(bench, p, besides)


def _factors(p: Form, middle: Letter) -> tuple[Rational, Form, Form] | None:
    """P = c A C B if the coefficients, as a table over what stands left and right of C, are of rank one."""
    table: dict[tuple[tuple[Letter, ...], tuple[Letter, ...]], Rational] = {}
    for (numbers, letters), c in p.items():
        if numbers or letters.count(middle) != 1:
            return None
        k = letters.index(middle)
        table[letters[:k], letters[k + 1 :]] = c
    if not table:
        return None
    first, last = min(table, key=lambda pair: len(pair[0]) + len(pair[1]))
    pivot = table[first, last]
    column = {u: c for (u, v), c in table.items() if v == last}
    line = {v: c for (u, v), c in table.items() if u == first}
    if len(table) != len(column) * len(line):
        return None
    if any(c * pivot != column.get(u, 0) * line.get(v, 0) for (u, v), c in table.items()):
        return None
    left = {((), u): quotient(c, pivot) for u, c in column.items()}
    right = {((), v): quotient(c, pivot) for v, c in line.items()}
    return pivot, left, right
