"""Rewrites of vector sums that save whole recurrences: common factors are taken out, parallel recurrences merged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from operator_algebra.lowering.components import components
from operator_algebra.lowering.graph import RING, Graph, as_form, as_terms, collect
from operator_algebra.lowering.values import Unknown, Value
from operator_algebra.operators.spaces import Type
from operator_algebra.programs.instructions import Invert, Linear, Reduce, Shift
from operator_algebra.programs.records import Ref, Term, map_references, references, terms_of, with_terms


def resolve_aliases(graph: Graph) -> None:
    """Read through values that are just another value."""
    target: dict[int, int] = {}
    for number, value in graph.values.items():
        definition = value.definition
        if isinstance(definition, Linear) and len(definition.terms) == 1:
            bare = definition.terms[0].bare
            if bare is not None and not bare.star and bare.value != number:
                target[number] = bare.value

    def follow(number: int) -> int:
        seen = {number}
        while number in target and target[number] not in seen:
            number = target[number]
            seen.add(number)
        return number

    def change(ref: Ref) -> Ref:
        return Ref(follow(ref.value), ref.star)

    for number in target:
        end = follow(number)
        if not graph[end].names:
            graph.put(end, replace(graph[end], names=graph[number].names))
    if target:
        for number, value in list(graph.values.items()):
            graph.put(number, replace(value, definition=map_references(value.definition, change)))
    graph.follow({number: Ref(follow(number)) for number in target})


def inline_single_use(graph: Graph) -> None:
    """Put an anonymous vector that is read once, and only added, into the sum that reads it."""
    # On a line of its own a sum hides its terms from the sum that reads it, where they may meet terms with the same
    # factors and become one recurrence with them. What is read twice stays, for it would be computed twice, and so does
    # what belongs to no body, for it would be computed at each.
    keep = graph.roots
    changed = True
    while changed:
        changed = False
        reads = graph.reads()
        for number, value in list(graph.values.items()):
            if number not in graph.values or not isinstance(value.definition, Linear | Unknown | Reduce):
                continue
            terms: list[Term] = []
            taken: list[int] = []
            explicit = not isinstance(value.definition, Unknown)
            for term in value.definition.terms:
                last = term.factors[-1] if term.factors else None
                source = graph.values.get(last.value) if last is not None else None
                inner = source.definition if source is not None else None
                if (
                    last is None
                    or source is None
                    or not isinstance(inner, Linear)
                    or last.star
                    or not source.is_vector
                    or not value.is_vector
                    or (value.attached and not source.attached)
                    or (source.names and not _meets(graph, value.definition, inner, last))
                    or last.value in keep
                    or last.value == number
                    or reads.get(last.value) != 1
                    or (len(term.factors) > 1 and len(inner.terms) != 1)
                    or _starts_with_inverse(graph, inner)
                    or any(t.factors and t.factors[-1].star for t in inner.terms)
                    or (explicit and any(number == ref.value for ref, _ in references(inner)))
                ):
                    terms.append(term)
                    continue
                terms.extend(_through(term, inner.terms))
                taken.append(last.value)
            if taken:
                changed = True
                graph.put(number, replace(value, definition=with_terms(value.definition, collect(terms))))
                for source_number in taken:
                    del graph.values[source_number]


def _meets(graph: Graph, reader: Linear | Unknown | Reduce, inner: Linear, ref: Ref) -> bool:
    """Whether a named sum shares a leading factor with what it is added to: then both become one recurrence."""
    heads = {_leading(graph, term) for term in reader.terms if term.factors[-1:] != (ref,)} - {None}
    return len(heads) > 0 and any(_leading(graph, term) in heads for term in inner.terms)


def _starts_with_inverse(graph: Graph, inner: Linear) -> bool:
    """ν = D⁻¹ ε keeps its own line."""
    factors = inner.terms[0].factors if inner.terms else ()
    return len(factors) > 1 and isinstance(graph[factors[0].value].definition, Invert)


def separate_constants(graph: Graph) -> None:
    """M (α − s), α solved for and s known, becomes M α − M s: the coefficients of α then meet in one sum."""
    # A sum of α and s belongs to the component because of α, so s would pass for something to be solved for, and the
    # coefficient of α would be split between two unknowns. Apart, M s is known before elimination begins.
    keep, reads = graph.roots, graph.reads()
    for component in list(components(graph)):
        if component.trivial or not {"U", "D"} <= component.labels:
            continue
        inside = set(component.members)
        for number in component.members:
            definition = graph[number].definition
            if not isinstance(definition, Linear | Unknown):
                continue
            terms: list[Term] = []
            for term in definition.terms:
                last = term.factors[-1] if term.factors else None
                inner = graph[last.value] if last is not None and last.value in inside - keep - {number} else None
                if inner is None or inner.names or last is None or reads[last.value] != 1:
                    terms.append(term)
                    continue
                parts = terms_of(inner.definition) if isinstance(inner.definition, Linear) else ()
                known = [t.factors[-1].value not in inside for t in parts if t.factors]
                mixed = len(known) == len(parts) and any(known) and not all(known)
                terms.extend(_through(term, parts) if mixed else [term])
            if len(terms) > len(definition.terms):
                graph.put(number, replace(graph[number], definition=with_terms(definition, collect(terms))))
    graph.prune()


def _through(term: Term, parts: tuple[Term, ...]) -> tuple[Term, ...]:
    """The terms of a product whose last factor is a sum."""
    return as_terms(RING.product((as_form([replace(term, factors=term.factors[:-1])]), as_form(parts))))


def factor_sums(graph: Graph) -> bool:
    """A x + A y becomes A (x + y), also for shifts; whether anything changed."""
    changed = False
    for number, value in list(graph.values.items()):
        if not value.is_vector or not isinstance(value.definition, Linear | Unknown):
            continue
        terms = _factor_common(graph, value.definition.terms)
        if terms != value.definition.terms:
            graph.put(number, replace(value, definition=with_terms(value.definition, terms)))
            changed = True
    return changed


def _factor_common(graph: Graph, terms: tuple[Term, ...]) -> tuple[Term, ...]:
    groups: dict[object, list[Term]] = {}
    for term in terms:
        groups.setdefault(_leading(graph, term), []).append(term)
    result: list[Term] = []
    for key, group in groups.items():
        if len(group) == 1 or key is None:
            result.extend(group)
        elif isinstance(key, Shift):
            inner: list[Term] = []
            for term in group:
                definition = graph[term.factors[0].value].definition
                assert isinstance(definition, Shift)
                inner.append(Term(term.coefficient, (definition.source,), term.scalars))
            type_ = graph[group[0].factors[0].value].type
            source = graph.linear(Type(type_.domain, key.hop.type.domain), inner)
            shifted = graph.new(type_, Shift(key.hop, Ref(source)))
            result.append(Term(Fraction(1), (Ref(shifted),)))
        else:
            assert isinstance(key, Ref)
            sign = group[0].coefficient if all(abs(t.coefficient) == 1 for t in group) else Fraction(1)
            inner = [Term(t.coefficient * sign, t.factors[1:], t.scalars) for t in group]
            domain = graph.type_of(group[0].factors[-1]).domain
            source = graph.linear(Type(domain, graph.type_of(key).domain), inner)
            result.append(Term(sign, (key, Ref(source))))
    return collect(result)


def _leading(graph: Graph, term: Term) -> object:
    """What a term starts with: an operator applied to a vector, or a shift of a vector."""
    if len(term.factors) >= 2 and not graph[term.factors[0].value].is_vector:
        return term.factors[0]
    if len(term.factors) == 1:
        definition = graph[term.factors[0].value].definition
        if isinstance(definition, Shift) and definition.closing is None:
            return Shift(definition.hop, Ref(0))
    return None


@dataclass(frozen=True, slots=True)
class _Recurrence:
    """v = L v + s."""

    shift: Shift
    rest: tuple[Term, ...]


def _recurrence(graph: Graph, number: int) -> _Recurrence | None:
    value = graph[number]
    if not isinstance(value.definition, Linear):
        return None
    rest: list[Term] = []
    found: Shift | None = None
    for term in value.definition.terms:
        bare = term.bare
        definition = graph[bare.value].definition if bare is not None else None
        if isinstance(definition, Shift) and definition.closing is None and definition.source == Ref(number):
            found = definition
        else:
            rest.append(term)
    return None if found is None else _Recurrence(Shift(found.hop, Ref(0)), tuple(rest))


def merge_recurrences(graph: Graph) -> bool:
    """Σ c_i v_i with v_i = L v_i + s_i, read nowhere else, is one recurrence w = L w + Σ c_i s_i."""
    keep = graph.roots
    readers: dict[int, set[int]] = {}
    for number, value in graph.values.items():
        for ref, _ in references(value.definition):
            readers.setdefault(ref.value, set()).add(number)
    for number, value in list(graph.values.items()):
        if not value.is_vector or not isinstance(value.definition, Linear | Unknown):
            continue
        groups: dict[Shift, list[tuple[Term, _Recurrence]]] = {}
        for term in value.definition.terms:
            if len(term.factors) != 1 or term.factors[0].star or term.factors[0].value in keep:
                continue
            candidate = term.factors[0].value
            recurrence = _recurrence(graph, candidate)
            if recurrence is None or candidate == number:
                continue
            own = Shift(recurrence.shift.hop, Ref(candidate))
            if all(reader == number or graph[reader].definition == own for reader in readers[candidate]):
                groups.setdefault(recurrence.shift, []).append((term, recurrence))
        for shift, group in groups.items():
            if len(group) > 1:
                _merge(graph, number, shift, group)
                return True
    return False


def _merge(graph: Graph, number: int, shift: Shift, group: list[tuple[Term, _Recurrence]]) -> None:
    value = graph[number]
    assert isinstance(value.definition, Linear | Unknown)
    type_ = graph[group[0][0].factors[0].value].type
    merged = graph.reserve()
    sign = group[0][0].coefficient if all(abs(term.coefficient) == 1 for term, _ in group) else Fraction(1)
    graph.put(merged, Value(type_, Linear(())))
    shifted = graph.new(type_, Shift(shift.hop, Ref(merged)))
    terms = [Term(Fraction(1), (Ref(shifted),))]
    for term, recurrence in group:
        terms.extend(_through(replace(term, coefficient=term.coefficient * sign), recurrence.rest))
    graph.put(merged, Value(type_, Linear(collect(terms))))
    taken = [term for term, _ in group]
    others = [term for term in value.definition.terms if term not in taken]
    graph.put(
        number,
        replace(value, definition=with_terms(value.definition, collect([*others, Term(sign, (Ref(merged),))]))),
    )


def drop_zeros(graph: Graph) -> None:
    """Remove terms with a factor that vanishes for every mechanism."""
    zero = {number for number, value in graph.values.items() if value.definition == Linear(())}
    pending = True
    while pending:
        pending = False
        for number, value in list(graph.values.items()):
            if number in zero:
                continue
            definition = value.definition
            if isinstance(definition, Linear | Unknown | Reduce):
                terms = tuple(
                    t for t in definition.terms if not zero.intersection((*t.scalars, *(r.value for r in t.factors)))
                )
                if terms != definition.terms:
                    graph.put(number, replace(value, definition=with_terms(definition, terms)))
                if not terms and not isinstance(definition, Unknown):
                    zero.add(number)
                    pending = True
            elif isinstance(definition, Shift) and definition.source.value in zero:
                graph.put(number, replace(value, definition=Linear(())))
                zero.add(number)
                pending = True


def drop_identities(graph: Graph) -> None:
    """Remove identity blocks from products."""
    ones = {
        number
        for number, value in graph.values.items()
        if not value.is_vector and value.definition == Linear((Term(Fraction(1), ()),))
    }
    for number, value in list(graph.values.items()):
        if not isinstance(value.definition, Linear | Unknown | Reduce) or number in ones:
            continue
        terms = tuple(
            replace(t, factors=tuple(r for r in t.factors if r.value not in ones) or t.factors[:1])
            if len(t.factors) > 1
            else t
            for t in value.definition.terms
        )
        if terms != value.definition.terms:
            graph.put(number, replace(value, definition=with_terms(value.definition, collect(terms))))


def simplify(graph: Graph) -> None:
    """Apply all rewrites until nothing changes."""
    for _ in range(len(graph.values) + 4):
        resolve_aliases(graph)
        inline_single_use(graph)
        changed = factor_sums(graph)
        graph.prune()
        while merge_recurrences(graph):
            graph.prune()
            changed = True
        if not changed:
            break
