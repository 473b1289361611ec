"""Of which multiples a line is the sum, where the search went by more than sums: what the kernel has to be told.

Two operators have the same block diagonal if they differ by words that join no body with itself: where diag(X) stands
on a way to a body and back it could be X, and a resolvent in a word that goes one way could be I, since φ = I + φ E. A
solution of an equation differs from whatever else satisfies it by multiples of that difference,
f(X) − f(Y) = Σ u (X − Y) v.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from operator_algebra.proofs.facts import DiagonalOf, Fact, Unique, joined, turned
from operator_algebra.proofs.letters import ONE, RING, Form, Letter, Rational, Word, adjoint, pattern, word
from operator_algebra.proofs.theory import Theory

Special: TypeAlias = Literal["itself", "apart"]
"""The line itself; I, in a word that joins no body with itself."""


class Multiple(NamedTuple):
    """A multiple c · left · of · right: of a fact; of diag(X) − X, by its letter; or of what is special."""

    c: Rational
    left: Word
    of: Fact | Letter | Special
    right: Word


def of_diagonal(theory: Theory, line: Form, why: DiagonalOf | None) -> list[Multiple]:
    """What a line about block diagonals is the sum of; of a value, why is None."""
    return _with_words_apart(theory, line, [] if why is None else [Multiple(1, ONE, why.of, ONE)])


def of_unique(theory: Theory, line: Form, why: Unique) -> list[Multiple]:
    """What it is the sum of that a solution is what else satisfies its equation."""
    return _with_words_apart(theory, line, list(_Difference(theory, why).terms()))


def _with_words_apart(theory: Theory, line: Form, terms: list[Multiple]) -> list[Multiple]:
    """The terms, and what is missing of a line: diagonals that could be what they are of, and words without one."""
    rest = RING.minus(line, RING.sum(_form(term, line) for term in terms))
    more = list(opened(theory, rest))
    left = RING.minus(rest, RING.sum(_form(term, line) for term in more))
    return [*terms, *more, *(Multiple(c, one, "apart", ONE) for one, c in left.items())]


def _form(term: Multiple, line: Form) -> Form:
    c, left, of, right = term
    if isinstance(of, Letter):
        assert of.body is not None
        between = RING.minus(word(of), of.body)
    else:
        assert of != "apart"
        between = line if of == "itself" else of.form
    return RING.product([{left: c}, between, {right: 1}])


def opened(theory: Theory, p: Form) -> Iterator[Multiple]:
    """What has to be taken from a polynomial until no diag(X) could be X under a block diagonal, and no resolvent I."""
    left = [(c, *one) for one, c in p.items()]
    while left:
        c, numbers, letters = left.pop()
        if pattern(_between(letters)).strict:
            continue
        for k, x in enumerate(letters):
            before, behind = letters[:k], letters[k + 1 :]
            if x.kind == "diag" and _returns(before, behind, serial=theory.serial):
                yield Multiple(c, (numbers, before), x, ((), behind))
                assert x.body is not None
                left += [(c * d, *joined((numbers, before), joined(one, ((), behind)))) for one, d in x.body.items()]
                break
            if _strict_but_for_one(x, before, behind):
                yield Multiple(c, (numbers, before), inverse_fact(theory, x, "left"), ((), behind))
                left.append((c, numbers, before + behind))
                break


def _returns(before: Sequence[Letter], behind: Sequence[Letter], *, serial: bool) -> bool:
    """Whether words lead to one body and back: so many edges up, and on chains down, and as many back."""
    way, back = _climbed(before, serial=serial), _climbed(behind, serial=serial)
    return way is not None and back == (way[1], way[0]) and (way[1] == 0 or serial)


def _climbed(letters: Sequence[Letter], *, serial: bool) -> tuple[int, int] | None:
    """How many edges both ends climb to where they meet, if that is known."""
    a = c = 0
    for x in letters:
        if x.structure.flow != "diagonal" and not x.structure.hop:
            return None
        up, down = int(x.structure.flow == "outward"), int(x.structure.flow == "inward")
        a, c = a + max(0, up - c), down + max(0, c - up)
        a, c = (max(0, a - c), max(0, c - a)) if serial else (a, c)
    return a, c


def _strict_but_for_one(x: Letter, before: tuple[Letter, ...], behind: tuple[Letter, ...]) -> bool:
    """Whether a word would join no body with itself if a resolvent in it were x − I."""
    if x.kind != "inverse" or not x.structure.unit or x.structure.flow == "diagonal":
        return False
    assert x.body is not None
    rest = [letters for _, letters in x.body if letters]
    return all(pattern(_between((*before, x, *letters, *behind))).strict for letters in rest)


def _between(letters: tuple[Letter, ...]) -> tuple[Letter, ...]:
    """What stands between blocks, and between a hop and one back: if that is strict, the whole has no diagonal."""
    while letters:
        first, last = letters[0].structure, letters[-1].structure
        if "diagonal" in (first.flow, last.flow):
            letters = letters[1:] if first.flow == "diagonal" else letters[:-1]
        elif first.hop and last.hop and first.flow != last.flow:
            letters = letters[1:-1]
        else:
            break
    return letters


def inverse_fact(theory: Theory, x: Letter, side: str) -> Fact:
    """The fact x X − I = 0, or X x − I = 0, of an inverse or the adjoint of one."""
    base = theory.base(x)
    facts = {why.side: Fact(form, why) for why, form in theory.axioms_of(base)}
    if base is x:
        return facts["left" if side == "left" else "right"]
    return turned(facts["right" if side == "left" else "left"])


@dataclass(frozen=True, slots=True)
class _Difference:
    """A solution less what else satisfies its equation."""

    theory: Theory
    why: Unique

    def terms(self) -> Iterator[Multiple]:
        """X − Y as the equation of X, less that of Y, and what f(X) − f(Y) is."""
        unknown, image = self.why.unknown, self.why.image
        (equation,) = [Fact(form, why) for why, form in self.theory.axioms_of(unknown)]
        yield Multiple(1, ONE, equation, ONE)
        yield Multiple(-1, ONE, self.why.of, ONE)
        images: dict[Letter, Form] = {unknown.star: adjoint(image), unknown: image}
        for old, new in self.why.renamed:
            images |= {old.star: word(new.star), old: word(new)}
        yield from self._formula(images, 1, ONE, self.theory.equations[unknown], ONE)

    def _formula(
        self, images: Mapping[Letter, Form], c: Rational, left: Word, p: Form, right: Word
    ) -> Iterator[Multiple]:
        """The difference of a polynomial, letter by letter: what stands before is as it was, what stands behind new."""
        for (numbers, letters), d in p.items():
            for k, x in enumerate(letters):
                if x in images:
                    before = joined(left, (numbers, letters[:k]))
                    behind = RING.product([RING.substituted({((), letters[k + 1 :]): 1}, images.get), {right: 1}])
                    for one, e in behind.items():
                        yield from self._letter(images, c * d * e, before, x, one)

    def _letter(
        self, images: Mapping[Letter, Form], c: Rational, left: Word, x: Letter, right: Word
    ) -> Iterator[Multiple]:
        if x is self.why.unknown:
            yield Multiple(c, left, "itself", right)
        elif x.kind == "diag" and x.body is not None:
            yield from self._formula(images, c, left, x.body, right)
        elif x.kind == "inverse" and x.body is not None:
            (((_, (y,)), _),) = images[x].items()
            before, behind = joined(left, ((), (x,))), joined(((), (y,)), right)
            yield Multiple(c, left, inverse_fact(self.theory, x, "left"), behind)
            yield Multiple(-c, before, inverse_fact(self.theory, y, "right"), right)
            yield from self._formula(images, -c, before, x.body, behind)
        else:
            raise AssertionError(f"{x.kind} of an unknown has no difference")
