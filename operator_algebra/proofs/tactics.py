"""What rewriting alone does not find: each tactic adds facts, which leave ordinary lines of a certificate behind."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.traverse import definition_of
from operator_algebra.identities.catalogue import catalogue
from operator_algebra.identities.identity import Identity
from operator_algebra.operators.leaf import RigidShift
from operator_algebra.operators.local import CROSS, CROSSBAR
from operator_algebra.proofs.facts import BracketOf, DiagonalOf, Fact, Term, Unique, total
from operator_algebra.proofs.letters import ONE, RING, Form, Letter, adjoint, quotient, times, word
from operator_algebra.proofs.theory import Axiom, Theory, Unsure
from operator_algebra.proofs.workbench import Workbench


def bracket_facts(bench: Workbench) -> Iterator[Fact]:
    """Brackets are skew, derivations of each other, kept by rigid shifts, and have adjoints."""
    theory = bench.theory
    crosses = [x for x in theory.letters if x.function is CROSS and _single(x)]
    for x, y in product(crosses, [y for y in theory.letters if y.function is CROSSBAR and _single(y)]):
        if bench.once("known", x, y):
            form = RING.minus(times(word(x.star), _body(y)), times(word(y), _body(x)))
            yield bench.axiom(Axiom(x, "known", y), form)
    for k, x in enumerate(crosses):
        for y in crosses[k:]:
            if bench.once("skew", x, y):
                yield bench.axiom(Axiom(x, "skew", y), RING.sum([times(word(x), _body(y)), times(word(y), _body(x))]))
    for x in crosses:
        if bench.once("joint", x):
            yield from (bench.axiom(why, form) for why, form in theory.of_joints(x))
        ((_, letters),) = _body(x)
        if letters[0] in crosses:
            y = theory.value(x, word(*letters[1:]))
            if bench.once("jacobi", letters[0], y):
                parts = [word(x), RING.scaled(-1, word(letters[0], y)), word(y, letters[0])]
                yield bench.axiom(Axiom(letters[0], "jacobi", y), RING.sum(parts))
        if letters[0].starred and _rigid(letters[0].star):
            shift = letters[0]
            y = theory.value(x, word(*letters[1:]))
            if bench.once("rigid", shift, y):
                form = RING.minus(word(x, shift), word(shift, y))
                yield bench.axiom(Axiom(y, "rigid", shift.star), form)


def _single(x: Letter) -> bool:
    return x.body is not None and list(x.body.values()) == [1]


def _body(x: Letter) -> Form:
    assert x.body is not None
    return x.body


def _rigid(x: Letter) -> bool:
    leaf = x.source.leaf if isinstance(x.source, Symbol) else None
    return leaf is not None and leaf.form == RigidShift("parent")


def arguments(bench: Workbench) -> Iterator[Fact]:
    """What is inside of a diagonal or a bracket is rewritten; where it begins and ends in resolvents it is unrolled."""
    for x in list(bench.theory.letters):
        if x.kind not in ("diag", "local") or not _single(x):
            continue
        body = _body(x)
        fact = _with_inverses(bench, body)
        if fact is not None:
            if bench.once("solved", x):
                yield _inside(bench, x, fact)
            continue
        normal, trace = bench.core.reduce(body)
        if normal != body and bench.once("argument", x):
            yield _inside(bench, x, total(trace))
        for y, known in bench.same.items():
            ((numbers, letters),) = body
            if y in letters and bench.once("same", x, y):
                k = letters.index(y)
                yield _inside(bench, x, total([Term(1, (numbers, letters[:k]), known, ((), letters[k + 1 :]))]))
        if bench.age(x) < 2 and bench.once("unrolled", x):
            unrolled = _unrolled(body) if x.kind == "diag" else _first_unrolled(body)
            fact = bench.equal(body, unrolled) if unrolled != body else None
            if fact is not None:
                bench.once("rolled out", x)
                yield _inside(bench, x, fact)


def _with_inverses(bench: Workbench, body: Form) -> Fact | None:
    """The word with the inverses written out that are known, not multiplied out further."""
    ((numbers, letters),) = body
    for k, x in enumerate(letters):
        if x in bench.solved:
            left, right = (numbers, letters[:k]), ((), letters[k + 1 :])
            return total([Term(1, left, bench.solved[x], right)])
    return None


def _inside(bench: Workbench, x: Letter, fact: Fact) -> Fact:
    if x.kind == "diag":
        return Fact(bench.theory.diagonal(fact.form), DiagonalOf(fact))
    return Fact(bench.theory.local(x, fact.form), BracketOf(x, fact))


def _unrolled(p: Form) -> Form:
    """ψ at the right end as I + ψ (I − ψ⁻¹), at the left end as I + (I − ψ⁻¹) ψ."""
    ((_, letters),) = p
    first, last = letters[0], letters[-1]
    if len(letters) < 2 or not (_resolvent(first) and _resolvent(last)):
        return p
    left = RING.sum([RING.of(), times(RING.minus(RING.of(), _body(first)), word(first))])
    right = RING.sum([RING.of(), times(word(last), RING.minus(RING.of(), _body(last)))])
    return times(left, word(*letters[1:-1]), right)


def _first_unrolled(p: Form) -> Form:
    """A velocity as that of the joint and that of the parent: φ* u as u + (I − φ⁻*) φ* u."""
    ((_, letters),) = p
    first = letters[0]
    if not _resolvent(first):
        return p
    return RING.sum([word(*letters[1:]), times(RING.minus(RING.of(), _body(first)), p)])


def _resolvent(x: Letter) -> bool:
    return x.kind == "inverse" and x.structure.unit


def uniqueness(bench: Workbench) -> Iterator[Fact]:
    """What satisfies the equation of an unknown is the unknown.

    Tried are other unknowns, diagonals, and what the claim says it is.
    """
    theory = bench.theory
    for f in [x for x in theory.letters if x.kind == "unknown"]:
        for x in list(theory.letters):
            like = x is not f and x.type == f.type and x.structure.flow == f.structure.flow
            if like and (x.kind == "unknown" or ("rolled out", x) in bench.said) and f not in bench.same:
                found = _as_image(bench, f, word(x))
                if found is not None:
                    bench.same[x] = total([Term(-1, ONE, found, ONE)])
                    bench.same.setdefault(f, found)
                    yield found
        c = bench.goal.get(((), (f,)))
        if c is not None and len(bench.goal) > 1:
            found = _as_image(bench, f, RING.minus(word(f), RING.scaled(quotient(1, c), bench.goal)))
            if found is not None and bench.once("claimed", f):
                yield found


def from_laws(bench: Workbench) -> Iterator[Fact]:
    """What laws of the catalogue say that an unknown is, where that satisfies its equation.

    It is tried at once if its letters are there, else when they have been worked with.
    """
    for f in [x for x in bench.theory.letters if x.kind == "unknown"]:
        for side in _said_equal(f):
            before = len(bench.theory.letters)
            image = bench.theory.read(side)
            if len(bench.theory.letters) == before and bench.once("law", f, side):
                found = _as_image(bench, f, image)
                if found is not None:
                    yield found


def _said_equal(f: Letter) -> Iterator[Expr]:
    """What laws of the catalogue say that an unknown is; whether it is so is found out here."""
    for law in catalogue().values():
        if isinstance(law, Identity):
            for one, other in ((law.lhs, law.rhs), (law.rhs, law.lhs)):
                meant = definition_of(one)
                if (one if meant is None else meant) is f.source:
                    yield other


def _as_image(bench: Workbench, f: Letter, image: Form) -> Fact | None:
    """The fact that an unknown is its image, if that satisfies the equation."""
    theory = bench.theory
    if any(depends(x, f) for _, letters in image for x in letters):
        return None
    try:
        renamed = _renamed(theory, f, image)
    except Unsure:
        return None
    fact = bench.equal(image, _put(theory.equations[f], f, image, renamed))
    return None if fact is None else Fact(RING.minus(word(f), image), Unique(f, image, fact, tuple(renamed.items())))


def _renamed(theory: Theory, f: Letter, image: Form) -> dict[Letter, Letter]:
    """The letters of the equation of f that depend on f, and what they become."""
    images: dict[Letter, Letter] = {}
    for x in _inner(theory, theory.equations[f], f, set()):
        images[x] = theory.put(x, _put(_body(x), f, image, images))
    return images


def _inner(theory: Theory, p: Form, f: Letter, seen: set[Letter]) -> Iterator[Letter]:
    """The letters of p whose own polynomials mention f, inner ones first."""
    for _, letters in p:
        for x in map(theory.base, letters):
            if x in seen or x.body is None:
                continue
            seen.add(x)
            yield from _inner(theory, x.body, f, seen)
            if depends(x, f):
                yield x


def depends(x: Letter, f: Letter) -> bool:
    """Whether a letter is made of another."""
    body = x.star.body if x.body is None else x.body
    return f in (x, x.star) or (body is not None and any(depends(y, f) for _, letters in body for y in letters))


def _put(p: Form, f: Letter, image: Form, renamed: dict[Letter, Letter]) -> Form:
    images: dict[Letter, Form] = {f: image, f.star: adjoint(image)}
    for old, new in renamed.items():
        images |= {old: word(new), old.star: word(new.star)}
    return RING.substituted(p, images.get)


TACTICS = (bracket_facts, arguments, uniqueness)
