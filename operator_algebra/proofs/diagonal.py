"""The calculus of block diagonals: what diag of a word is, in letters.

Blocks at its ends come out, E X E* among them; what goes one way has the diagonal of its parts, 0 if strict, I if unit;
diag(E* Y E) = diag(E* diag(Y) E) for any Y, since only the parent's own block enters; diag(E Y E*) = E diag(Y) E* if Y
goes one way, since children of one body don't lead to each other. On chains E* X E is block-diagonal. For a Y such as
φ M φ* that joins ancestors and descendants only the same is true, but the kernel cannot see it.
"""

from __future__ import annotations

from collections.abc import Callable

from operator_algebra.operators.structure import Structure
from operator_algebra.proofs.letters import RING, Form, Letter, pattern, times, word

Named = Callable[[Form], Form]
"""The letter of diag(w) for a word w that nothing here makes smaller."""

_ONE_WAY = ("diagonal", "inward", "outward")


def diagonal(p: Form, named: Named, *, serial: bool) -> Form:
    """The block diagonal of a polynomial."""
    return RING.sum(
        RING.product([{(numbers, ()): c}, _of_word(letters, named, serial=serial)])
        for (numbers, letters), c in p.items()
    )


def local(letters: tuple[Letter, ...], *, serial: bool) -> bool:
    """Whether a word is block-diagonal; on chains E* X E is, too."""
    return _shape(letters, serial=serial).flow in ("diagonal", "zero")


def _shape(letters: tuple[Letter, ...], *, serial: bool) -> Structure:
    if not serial:
        return pattern(letters)
    rest: list[Letter | None] = []
    for x in letters:
        opening = len(rest) - 1
        while opening >= 0 and ((y := rest[opening]) is None or y.structure.flow == "diagonal"):
            opening -= 1
        before = rest[opening] if opening >= 0 else None
        if (
            before is not None
            and x.structure.hop
            and before.structure.hop
            and x.structure.flow != before.structure.flow
        ):
            rest[opening:] = [None]
        else:
            rest.append(x)
    plain = pattern(y for y in rest if y is not None)
    return plain if None not in rest else Structure.make(plain.flow, plain.flags & {"strict", "hop"})


def _of_word(letters: tuple[Letter, ...], named: Named, *, serial: bool) -> Form:
    shape, count = _shape(letters, serial=serial), len(letters)
    if shape.flow in ("diagonal", "zero"):
        return word(*letters)
    if shape.flow in _ONE_WAY and (shape.strict or shape.unit):
        return {} if shape.strict else RING.of()
    start = max(k for k in range(count + 1) if local(letters[:k], serial=serial))
    stop = min(k for k in range(start, count + 1) if local(letters[k:], serial=serial))
    if (start, stop) != (0, count):
        core = _of_word(letters[start:stop], named, serial=serial)
        return times(word(*letters[:start]), core, word(*letters[stop:]))
    first, last = letters[0].structure, letters[-1].structure
    if shape.flow in _ONE_WAY and first.unit:
        return _of_word(letters[1:], named, serial=serial)
    if count > 1 and first.hop and last.hop:
        ends = first.flow, last.flow
        inner = _shape(letters[1:-1], serial=serial).flow
        if ends == ("inward", "outward") and inner in _ONE_WAY:
            return times(word(letters[0]), _of_word(letters[1:-1], named, serial=serial), word(letters[-1]))
        if ends == ("outward", "inward"):
            made = times(word(letters[0]), _of_word(letters[1:-1], named, serial=serial), word(letters[-1]))
            return RING.sum(RING.scaled(c, _letter(w[1], named, w[0], serial=serial)) for w, c in made.items())
    return named(word(*letters))


def _letter(letters: tuple[Letter, ...], named: Named, numbers: tuple[Letter, ...], *, serial: bool) -> Form:
    """Diag(E* X E) of a block-diagonal X: a letter on trees."""
    own = word(*letters) if local(letters, serial=serial) else named(word(*letters))
    return RING.product([{(numbers, ()): 1}, own])
