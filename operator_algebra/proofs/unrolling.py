"""Block diagonals of words that lead away from a body and back: what they have to do with those of the next bodies.

A resolvent at an end is unrolled once, ψ = I + ψ E_ψ, until a hop stands at both ends or the word goes one way. What
comes of it is an equation of the diagonal for itself, x = c + A diag(E* x E) B. It is the solution of that equation, as
is whatever else satisfies it: an unknown of the claim, or one that is introduced here.
"""

from __future__ import annotations

from collections.abc import Iterator

from operator_algebra.errors import OperatorAlgebraError
from operator_algebra.expressions.build import fixpoint
from operator_algebra.expressions.nodes import Expr
from operator_algebra.proofs.facts import DiagonalOf, Fact, Term, Unique, total, turned
from operator_algebra.proofs.letters import ONE, RING, Form, Letter, adjoint, quotient, times, word
from operator_algebra.proofs.readback import formula_of
from operator_algebra.proofs.theory import Unsure
from operator_algebra.proofs.workbench import Workbench

_STEPS = 40
"""Diagonals replaced on the way to one equation."""


def unrolling(bench: Workbench) -> Iterator[Fact]:
    """Diagonals with a hop at one end are unrolled at the other; those with resolvents at both are solutions."""
    for x in [x for x in bench.theory.letters if x.kind == "diag"]:
        if _state(x):
            known = _solution(bench, x)
            if known is not None and bench.once("solution", x):
                yield known
        elif bench.once("one end", x) and (known := _opened(bench, x)) is not None:
            yield known
    yield from _claimed(bench)


def _claimed(bench: Workbench) -> Iterator[Fact]:
    """What is left of the claim says of an unknown what it is: that is so if it satisfies the equation."""
    left = bench.full.reduce(bench.goal)[0]
    for word_, c in left.items() if len(left) > 1 else ():
        if len(word_[1]) == 1 and not word_[0] and (f := word_[1][0]).kind == "unknown" and not f.starred:
            solved = _is_solution(bench, f, RING.minus(word(f), RING.scaled(quotient(1, c), left)))
            if solved is not None and bench.once("claimed", f, frozenset(left.items())):
                yield solved


def _word(x: Letter) -> tuple[Letter, ...] | None:
    """The word of which a letter is the diagonal."""
    if x.body is None or list(x.body.values()) != [1]:
        return None
    ((numbers, letters),) = x.body
    return letters if not numbers and len(letters) > 1 else None


def _resolvent(x: Letter) -> bool:
    return x.kind == "inverse" and x.structure.unit


def _state(x: Letter) -> bool:
    """Whether resolvents stand at both ends, one that leads away and one that leads back."""
    letters = _word(x)
    if letters is None or not (_resolvent(letters[0]) and _resolvent(letters[-1])):
        return False
    return letters[0].structure.flow != letters[-1].structure.flow


def _at_the_left(letters: tuple[Letter, ...]) -> Form:
    """ψ w as w + (I − ψ⁻¹) ψ w."""
    first, assumed = letters[0], letters[0].body
    assert assumed is not None
    return RING.sum([word(*letters[1:]), times(RING.minus(RING.of(), assumed), word(first, *letters[1:]))])


def _at_the_right(letters: tuple[Letter, ...]) -> Form:
    """The same at the other end."""
    return adjoint(_at_the_left(tuple(x.star for x in reversed(letters))))


def _unrolled(letters: tuple[Letter, ...]) -> Form | None:
    """A word with a hop at one end, unrolled so that this hop and another one close around what is left."""
    return _from_the_left(letters) or adjoint(_from_the_left(tuple(x.star for x in reversed(letters))) or {}) or None


def _from_the_left(letters: tuple[Letter, ...]) -> Form | None:
    """E* w ψ as E* w + E* w ψ E_ψ; E D φ* w, for a block-diagonal D, as E D w + (E D E*) φ* w."""
    first, last = letters[0], letters[-1]
    if not first.structure.hop:
        return None
    if first.structure.flow == "outward":
        return _at_the_right(letters) if _resolvent(last) and last.structure.flow == "inward" else None
    k = next((k for k, x in enumerate(letters) if k and x.structure.flow != "diagonal"), 0)
    if not (k and _resolvent(letters[k]) and letters[k].structure.flow == "outward"):
        return None
    return times(word(*letters[:k]), _at_the_left(letters[k:]))


def _diagonal(bench: Workbench, fact: Fact) -> Fact:
    """The block diagonal of a fact."""
    return Fact(bench.theory.diagonal(fact.form), DiagonalOf(fact))


def _opened(bench: Workbench, x: Letter) -> Fact | None:
    """The fact x = …, for a diagonal whose word has a hop at one end and a resolvent at the other, or is rewritten."""
    letters = _word(x)
    if letters is None:
        return None
    other = _unrolled(letters)
    if other is not None:
        fact = bench.equal(word(*letters), other)
        return None if fact is None else _diagonal(bench, fact)
    normal, trace = bench.core.reduce(word(*letters))
    return None if normal == x.body else _diagonal(bench, total(trace))


def _solution(bench: Workbench, x: Letter, waiting: frozenset[Letter] = frozenset()) -> Fact | None:
    """The fact x − F = 0, F the solution of the equation that x satisfies; or x − its value, if it asks for nothing."""
    if x in bench.same:
        return bench.same[x]
    if x.star in bench.same:
        return turned(bench.same[x.star])
    if x in waiting or x.star in waiting or not _state(x):
        return None
    fact = _equation(bench, x, waiting | {x})
    solved = None if fact is None else _solved(bench, x, fact)
    if solved is not None:
        bench.same[x] = solved
    return solved


def _solved(bench: Workbench, x: Letter, fact: Fact) -> Fact | None:
    rhs = RING.minus(word(x), fact.form)
    if not any(_within(x, y) for _, letters in rhs for y in letters):
        return fact
    for f in [y for y in bench.theory.letters if y.kind == "unknown" and y.type == x.type]:
        solved = _is_solution(bench, f, word(x), fact)
        if solved is not None:
            return solved
    made = _introduced(bench, x, rhs)
    return None if made is None else _is_solution(bench, made, word(x), fact)


def _equation(bench: Workbench, x: Letter, waiting: frozenset[Letter]) -> Fact | None:
    """The fact x = …, where only diag(E* x E) and what is known are left of diagonals."""
    letters = _word(x)
    assert letters is not None
    if bench.core.reduce(word(*letters))[0] != x.body:
        return None
    fact = bench.equal(word(*letters), _at_the_left(letters))
    if fact is None:
        return None
    fact = _diagonal(bench, fact)
    for _ in range(_STEPS):
        found = ((w, y, known) for w in fact.form for y in w[1] if (known := _known(bench, y, waiting)) is not None)
        place = next(found, None)
        if place is None:
            break
        ((numbers, row), y, known) = place
        k, c = row.index(y), fact.form[numbers, row]
        fact = total([Term(1, ONE, fact, ONE), Term(-c, (numbers, row[:k]), known, ((), row[k + 1 :]))])
    rest, trace = bench.core.reduce(RING.minus(word(x), fact.form))
    if any(y.kind == "diag" and _open(y, x) for _, row in rest for y in row):
        return None
    return total([Term(1, ONE, fact, ONE), *trace])


def _known(bench: Workbench, y: Letter, waiting: frozenset[Letter]) -> Fact | None:
    """What is known of a diagonal: a solution, one inside of it, or one step of unrolling."""
    letters = _word(y) if y.kind == "diag" else None
    if letters is None:
        return None
    if _state(y):
        return _solution(bench, y, waiting)
    for k, z in enumerate(letters):
        known = _solution(bench, z, waiting) if z.kind == "diag" else None
        if known is not None:
            return _diagonal(bench, total([Term(1, ((), letters[:k]), known, ((), letters[k + 1 :]))]))
    return _opened(bench, y)


def _open(y: Letter, x: Letter) -> bool:
    """Whether a diagonal is one with resolvents in its word that is not made of x."""
    letters = _word(y) or ()
    return any(_resolvent(z) for z in letters) or any(
        z.kind == "diag" and z not in (x, x.star) and _open(z, x) for z in letters
    )


def _within(x: Letter, y: Letter) -> bool:
    """Whether a letter is x, or made of it."""
    body = y.star.body if y.body is None else y.body
    return y in (x, x.star) or (body is not None and any(_within(x, z) for _, row in body for z in row))


def _is_solution(bench: Workbench, f: Letter, image: Form, fact: Fact | None = None) -> Fact | None:
    """The fact image − F = 0, if the image satisfies the equation of F; `fact` says what the image is."""
    flows = {x.structure.flow for _, letters in image for x in letters if len(letters) == 1}
    if flows != {f.structure.flow} or any(_within(f, x) for _, letters in image for x in letters):
        return None
    images: dict[Letter, Form] = {f.star: adjoint(image), f: image}
    try:
        renamed = dict(_renamed(bench, bench.theory.equations[f], f, images))
    except Unsure:
        return None
    expected = RING.substituted(bench.theory.equations[f], images.get)
    plain = list(_written_out(bench, expected))
    rhs = image if fact is None else RING.minus(image, fact.form)
    wanted = RING.minus(expected, total(plain).form)
    gap = bench.equal(rhs, wanted) if rhs != wanted else Fact({}, ())
    if gap is None:
        return None
    terms = [Term(1, ONE, one, ONE) for one in (fact, gap) if one is not None and one.form]
    shown = total([*terms, *(Term(-t.c, t.left, t.fact, t.right) for t in plain)])
    solved = Fact(RING.minus(word(f), image), Unique(f, image, shown, tuple(renamed.items())))
    return total([Term(-1, ONE, solved, ONE)])


def _written_out(bench: Workbench, p: Form) -> Iterator[Term]:
    """Diagonals of sums as sums of diagonals."""
    for (numbers, letters), c in p.items():
        for k, y in enumerate(letters):
            if y.kind == "diag" and y.body is not None and _word(y) is None:
                for why, form in bench.theory.axioms_of(y):
                    yield Term(c, (numbers, letters[:k]), Fact(form, why), ((), letters[k + 1 :]))


def _renamed(bench: Workbench, p: Form, f: Letter, images: dict[Letter, Form]) -> Iterator[tuple[Letter, Letter]]:
    """The letters of p that are made of an unknown, inner ones first, and what they become; their images are noted."""
    for x in [bench.theory.base(x) for _, letters in p for x in letters]:
        if x not in images and x.body is not None and _within(f, x):
            yield from _renamed(bench, x.body, f, images)
            made = bench.theory.put(x, RING.substituted(x.body, images.get))
            images |= {x.star: word(made.star), x: word(made)}
            yield x, made


def _introduced(bench: Workbench, x: Letter, rhs: Form) -> Letter | None:
    """The letter of an unknown with the equation of x, if that asks one way only."""

    def body(unknown: Expr) -> Expr:
        return formula_of(rhs, x.type, {x: unknown})

    try:
        made = bench.theory.read(fixpoint("F", x.type, body))
    except OperatorAlgebraError:
        return None
    (((_, (letter,)), _),) = made.items()
    return letter
