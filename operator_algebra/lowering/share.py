"""Value numbering: values with equal definitions are one value, also when the definitions are recursive.

All values of one type start as equal and are told apart until nothing changes. What is then still together satisfies
the same causal recursion, whose solution is unique; a value that stays together with its adjoint is self-adjoint. Where
signs are looked at, too, a vector may be another one's opposite.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction

from operator_algebra.expressions.words import Word, collected
from operator_algebra.lowering.cancel import Cancelling
from operator_algebra.lowering.graph import RING, Form, Graph, as_form, collect
from operator_algebra.lowering.values import Definition, Unknown, Value
from operator_algebra.programs.instructions import (
    Answer,
    Call,
    Given,
    Invert,
    Linear,
    Part,
    Reduce,
    Relate,
    Resolve,
    RootOf,
    Rounding,
    Shift,
    Stack,
    Surround,
    Total,
    Update,
)
from operator_algebra.programs.records import Ref, Term, map_references, references

EXPANSION_LIMIT = 64


class Canonical:
    """Sums of products over non-linear atoms; block values are multiplied out, vectors are left as they are."""

    def __init__(self, graph: Graph, *, cancelling: bool = False) -> None:
        self._graph = graph
        self._known: dict[int, Form | None] = {}
        self._adjoints: dict[int, Form] = {}
        self._cancelling = Cancelling(self._inverted) if cancelling else None

    def of(self, number: int) -> Form:
        """The polynomial of a sum of block values."""
        stack = [number]
        while stack:
            current = stack[-1]
            if current in self._known and self._known[current] is not None:
                stack.pop()
                continue
            definition = self._graph[current].definition
            assert isinstance(definition, Linear)
            if current not in self._known:
                self._known[current] = None
                below = [ref.value for term in definition.terms for ref in term.factors if self._expandable(ref.value)]
                missing = [value for value in below if value not in self._known]
                if missing:
                    stack.extend(missing)
                    continue
            self._known[current] = self.multiplied_out(as_form(definition.terms))
            stack.pop()
        found = self._known[number]
        assert found is not None
        return found

    def multiplied_out(self, form: Form) -> Form:
        """A sum of products of values, by those that are known."""
        found = RING.substituted(form, self._image, EXPANSION_LIMIT)
        return found if self._cancelling is None else self._cancelling.reduced(found)

    def _inverted(self, ref: Ref) -> Form | None:
        """What a value is the inverse of."""
        definition = self._graph[ref.value].definition
        if not isinstance(definition, Invert):
            return None
        return self.form(definition.source.T if ref.star else definition.source)

    def form(self, ref: Ref) -> Form:
        """The polynomial of any value."""
        return self.read(ref) if self._expandable(ref.value) else RING.of(ref)

    def _expandable(self, number: int) -> bool:
        value = self._graph[number]
        return isinstance(value.definition, Linear) and not value.is_vector and value.attached

    def read(self, ref: Ref) -> Form:
        """The polynomial of a sum of block values, or of its adjoint."""
        if not ref.star:
            return self.of(ref.value)
        if ref.value not in self._adjoints:
            self._adjoints[ref.value] = RING.adjoint(self.of(ref.value), _adjoint)
        return self._adjoints[ref.value]

    def _image(self, ref: Ref) -> Form | None:
        known = self._expandable(ref.value) and self._known.get(ref.value) is not None
        return self.read(ref) if known else None


def _adjoint(ref: Ref) -> Ref:
    return ref.T


class _Classes:
    """The current partition of values and their adjoints."""

    def __init__(self, graph: Graph, *, signs: bool = False, cancelling: bool = False) -> None:
        self.graph = graph
        self.signs = signs
        self.canonical = Canonical(graph, cancelling=cancelling)
        self.elements = [ref for number, value in sorted(graph.values.items()) for ref in _faces(number, value, signs)]
        self.of: dict[Ref, int] = {}
        self._members: dict[int, set[Ref]] = {}
        numbers: dict[Hashable, int] = {}
        for ref in self.elements:
            number = numbers.setdefault(self._start(ref), len(numbers))
            self.of[ref] = number
            self._members.setdefault(number, set()).add(ref)
        self._readers: dict[int, list[Ref]] = {}
        for ref in self.elements:
            for value in self._reads(abs(ref.value)):
                self._readers.setdefault(value, []).append(ref)

    def _reads(self, number: int) -> set[int]:
        value = self.graph[number]
        if isinstance(value.definition, Linear) and not value.is_vector and value.attached:
            words = self.canonical.of(number)
            return {v for scalars, factors in words for v in (*scalars, *(ref.value for ref in factors))}
        return {ref.value for ref, _ in references(value.definition)}

    def refine(self) -> None:
        """Split classes until the partition is stable; only readers of what was split are looked at again."""
        dirty = set(self.elements)
        while dirty:
            by_class: dict[int, list[Ref]] = {}
            for ref in dirty:
                if len(self._members[self.of[ref]]) > 1:  # what is alone has nothing to be told apart from
                    by_class.setdefault(self.of[ref], []).append(ref)
            keys = {ref: self._key(ref) for refs in by_class.values() for ref in refs}
            dirty = set[Ref]()
            for number, refs in by_class.items():
                for moved in self._split(number, refs, keys):
                    dirty.update(self._readers.get(abs(moved.value), ()))

    def _split(self, number: int, refs: list[Ref], keys: dict[Ref, Hashable]) -> list[Ref]:
        """Give groups of a class new numbers, but for one that stays; returns what moved."""
        groups: dict[Hashable, list[Ref]] = {}
        for ref in refs:
            groups.setdefault(keys[ref], []).append(ref)
        members = self._members[number]
        ordered = sorted(groups.items(), key=lambda item: len(item[1]), reverse=True)
        staying = ordered[0][0]
        if len(refs) < len(members):
            touched = set(refs)
            staying = self._key(next(ref for ref in members if ref not in touched))
        moved: list[Ref] = []
        for key, group in ordered:
            if key == staying:
                continue
            fresh = len(self._members)
            self._members[fresh] = set(group)
            self._members[number].difference_update(group)
            for ref in group:
                self.of[ref] = fresh
            moved.extend(group)
        return moved

    def _symmetric_given(self, ref: Ref) -> bool:
        definition = self.graph[ref.value].definition
        return isinstance(definition, Given) and definition.symbol is not None and definition.symbol.structure.symmetric

    def _start(self, ref: Ref) -> Hashable:
        value = self.graph[abs(ref.value)]
        type_ = self.graph.type_of(Ref(abs(ref.value), ref.star))
        if isinstance(value.definition, Given | Unknown | Relate | Resolve | Surround | Answer):
            star = ref.star and not self._symmetric_given(ref)
            return type_, ref.value, star
        kind = "linear" if isinstance(value.definition, Linear) else type(value.definition).__name__
        return type_, kind

    def class_of(self, ref: Ref) -> int:
        found = self.of.get(ref)
        return -1 - self.of[ref.T] if found is None else found

    def _key(self, element: Ref) -> Hashable:
        number, star = abs(element.value), element.star
        sign = 1 if element.value > 0 else -1
        definition = self.graph[number].definition

        def signed(ref: Ref) -> int:
            return self.class_of(ref if sign > 0 else Ref(-ref.value, ref.star))

        match definition:
            case Given() | Unknown() | Relate() | Resolve() | Surround() | Answer():
                return element.value, star and not self._symmetric_given(element)
            case Linear():
                return self._linear_key(Ref(number, star), sign)
            case Shift():
                source, hop, closing = definition.source, definition.hop, definition.closing
                if star:
                    assert closing is not None
                    source, hop, closing = source.T, closing.T, hop.T
                return hop, closing, signed(source)
            case Invert():
                return signed(Ref(definition.source.value, definition.source.star != star))
            case RootOf():
                return sign, star, self.class_of(definition.source)
            case Call():
                return sign, definition.name, star, tuple(self.class_of(arg) for arg in definition.arguments)
            case Stack():
                rows = definition.rows
                if star:
                    rows = tuple(
                        tuple(None if r is None else r.T for r in column) for column in zip(*rows, strict=True)
                    )
                return tuple(tuple(None if r is None else signed(r) for r in row) for row in rows)
            case Part():
                return star, definition.index, signed(definition.source)
            case Reduce():
                return star, self._terms_key(definition.terms, sign)
            case Total():
                return sign, star, definition.kind, self.class_of(definition.source)
            case Update() | Rounding():
                raise AssertionError("updates are recognised, and bounds are made, after sharing")

    def _linear_key(self, ref: Ref, sign: int) -> Hashable:
        value = self.graph[ref.value]
        assert isinstance(value.definition, Linear)
        if value.is_vector or not value.attached:
            return ref.star, self._terms_key(value.definition.terms, sign)
        return self._sum_key(self.canonical.read(ref).items())

    def key_of(self, form: Form) -> Hashable:
        """What equal sums have in common."""
        for _, factors in form:
            for ref in factors:
                self.canonical.form(ref)
        return self._sum_key(self.canonical.multiplied_out(form).items())

    def _terms_key(self, terms: tuple[Term, ...], sign: int) -> Hashable:
        return self._sum_key(((term.scalars, term.factors), _times(sign, term.coefficient)) for term in terms)

    def _sum_key(self, pairs: Iterable[tuple[Word[int, Ref], Fraction]]) -> Hashable:
        keys = ((self._word_key(word), c) for word, c in pairs)
        found = collected((word, _times(sign, c)) for (word, sign), c in keys if sign)
        return frozenset((word, c.as_integer_ratio()) for word, c in found.items())

    def _word_key(self, word: Word[int, Ref]) -> tuple[Word[int, int], int]:
        """A product by its classes, and its sign; 0 if a factor is its own opposite as far as is known."""
        scalars, factors = word
        sign = 1
        found: list[int] = []
        for factor in factors:
            own = self.class_of(factor)
            opposite = self.of.get(Ref(-factor.value)) if self.signs else None
            if opposite is None:
                found.append(own)
                continue
            direct = self.of[Ref(factor.value)]
            sign *= 0 if direct == opposite else 1 if direct < opposite else -1
            least = min(direct, opposite)
            found.append(-1 - least if factor.star else least)
        return (tuple(sorted(self.of[Ref(s)] for s in scalars)), tuple(found)), sign


def _times(sign: int, c: Fraction) -> Fraction:
    return c if sign > 0 else -c


def _faces(number: int, value: Value, signs: bool) -> tuple[Ref, ...]:
    """What a value is looked at as: itself and its adjoint, or for a vector its opposite, as a negative number."""
    if not value.is_vector:
        return Ref(number), Ref(number, star=True)
    return (Ref(number), Ref(-number)) if signs else (Ref(number),)


def share_opposites(graph: Graph) -> None:
    """Merge equal values, and let vectors that are opposite to others be read as these with a minus."""
    share(graph, signs=True)


def sum_key(graph: Graph, *, cancelling: bool = False) -> Callable[[Form], Hashable]:
    """What equal sums of products have in common, as far as value numbering sees it; of zero it is the empty set."""
    classes = _Classes(graph, cancelling=cancelling)
    classes.refine()
    return classes.key_of


def share(graph: Graph, *, signs: bool = False, cancelling: bool = False) -> None:
    """Merge equal values and mark self-adjoint ones.

    With `cancelling` X X⁻¹ is I. Then forms that differ by how they round may become one, so no program is made so.
    """
    classes = _Classes(graph, signs=signs, cancelling=cancelling)
    classes.refine()
    chosen: dict[int, Ref] = {}
    stands: dict[int, Ref] = {}
    for number in sorted(graph.values, key=lambda n: _preference(graph, n)):
        direct = classes.of[Ref(number)]
        if direct not in chosen:
            chosen[direct] = Ref(number)
            for face in (Ref(number, star=True), Ref(-number)):
                other = classes.of.get(face)
                if other is not None:
                    chosen.setdefault(other, face)
        stands[number] = chosen[direct]
    for number in graph.values:
        if classes.of.get(Ref(-number)) == classes.of[Ref(number)]:
            # Nothing but zero is its own opposite.
            graph.put(number, replace(graph[number], definition=Linear(())))
    opposite = {number: -stands[number].value for number in stands if stands[number].value < 0}
    for number, other in opposite.items():
        # Sums read the other vector with a minus; for all else this is one.
        graph.put(number, replace(graph[number], definition=Linear((Term(Fraction(-1), (Ref(other),)),))))
        stands[number] = Ref(number)
    symmetric = frozenset(
        number
        for number, value in graph.values.items()
        if not value.is_vector and classes.of[Ref(number)] == classes.of[Ref(number, star=True)]
    )

    def change(ref: Ref) -> Ref:
        found = stands[ref.value]
        star = found.star != ref.star
        return Ref(found.value, star and found.value not in symmetric)

    kept: dict[int, list[str]] = {}
    for number, value in sorted(graph.values.items()):
        kept.setdefault(stands[number].value, []).extend(() if stands[number].star else value.names)
    for number, value in list(graph.values.items()):
        if stands[number] == Ref(number):
            names = tuple(dict.fromkeys(kept[number]))
            definition = map_references(_turned(value.definition, opposite), change)
            graph.put(number, replace(value, definition=definition, names=names, symmetric=number in symmetric))
    graph.follow(stands)


def _turned(definition: Definition, opposite: Mapping[int, int]) -> Definition:
    """A sum with a minus for each factor that is read as its opposite."""
    if not opposite or not isinstance(definition, Linear | Reduce):
        return definition
    terms: list[Term] = []
    for term in definition.terms:
        turned = [ref.value for ref in term.factors if ref.value in opposite]
        factors = tuple(Ref(opposite.get(ref.value, ref.value), ref.star) for ref in term.factors)
        terms.append(Term(term.coefficient * (-1) ** len(turned), factors, term.scalars))
    return replace(definition, terms=collect(terms))


def _preference(graph: Graph, number: int) -> tuple[bool, bool, int]:
    """Which of several equal values stays: a given one, then one that is not a mere alias, then the oldest."""
    definition = graph[number].definition
    alias = isinstance(definition, Linear) and len(definition.terms) == 1 and definition.terms[0].bare is not None
    return not isinstance(definition, Given), alias, number
