"""Readable proofs: both sides are rewritten, rule by rule, until they meet.

A step applies one rule wherever it applies, and is named by the definition or the law that it is; a rule without a name
is a lemma, which stands below the chain with the multiples of named rules of which it is the sum.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice

from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.traverse import all_below, postorder
from operator_algebra.identities.catalogue import catalogue
from operator_algebra.identities.identity import Identity
from operator_algebra.identities.variants import wider
from operator_algebra.proofs.facts import Assumed, BracketOf, DiagonalOf, Fact, Real, Turned, Unique, resting_on
from operator_algebra.proofs.letters import ONE, RING, Form, Letter, Rational, Word, adjoint, quotient
from operator_algebra.proofs.order import Key, Order
from operator_algebra.proofs.search import Search
from operator_algebra.proofs.spelling import Style, arranged, spelled, written
from operator_algebra.proofs.theory import Axiom, Theory
from operator_algebra.proofs.workbench import Workbench
from operator_algebra.proofs.writer import Writer, kernel_word

_LONGEST, _WIDEST, _MOST = 40, 30, 15
"""Steps of a chain, terms of a formula, and lemmas, that somebody reads."""

_WIDTH = 60
"""Characters of a formula behind which reasons stand in a column."""

EXPANDED = "definitions, multiplied out"

Terms = tuple[tuple[Rational, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One link: the formula after it, as terms, and why it equals the one before."""

    terms: Terms
    reason: str

    def text(self, style: Style = "unicode") -> str:
        """The formula."""
        return written(self.terms, style)


@dataclass(frozen=True, slots=True)
class Shown:
    """One link as a textbook has it, unexpanded."""

    formula: Expr
    reason: str

    def text(self, style: Style = "unicode") -> str:
        """The formula."""
        return self.formula.render(style)


@dataclass(frozen=True, slots=True)
class Lemma:
    """A rule that is nobody's law: its number, what it says, and the multiples of others that add up to it."""

    number: int
    lhs: Terms
    rhs: Terms
    because: tuple[tuple[Rational, tuple[str, ...], str, tuple[str, ...]], ...]
    rule: str = ""

    def text(self, style: Style = "unicode") -> str:
        """The equation."""
        return f"{written(self.lhs, style)} = {written(self.rhs, style)}"

    def reason(self, style: Style = "unicode") -> str:
        """The sum that it is: multiples of what is named in brackets, which is zero; of many only the names."""
        if self.rule:
            return self.rule
        if len(self.because) > _MOST:
            names = dict.fromkeys(f"[{name}]" for _, _, name, _ in self.because)
            return f"{len(self.because)} multiples of {', '.join(names)}"
        parts = [(c, (*left, f"[{name}]", *right)) for c, left, name, right in self.because]
        return written(tuple(parts), style)


@dataclass(frozen=True, slots=True)
class Chain:
    """lhs = … = rhs, and the lemmas that it uses."""

    first: Expr
    last: Expr
    steps: tuple[Step | Shown, ...]
    lemmas: tuple[Lemma, ...]

    def links(self, style: Style = "unicode") -> list[tuple[str, str]]:
        """Every formula with the reason why it equals the one before; what reads the same as that is left out."""
        told = [(self.first.render(style), "")]
        for step in self.steps:
            text = step.text(style)
            if text != told[-1][0]:
                told.append((text, step.reason))
        last = self.last.render(style)
        return told if told[-1][0] == last else [*told, (last, "the same by definitions")]

    def render(self, style: Style = "unicode") -> str:
        """The chain as a page: a line for each link, the reason behind it, lemmas below."""
        return _latex(self) if style == "latex" else _text(self, style)


def _text(told: Chain, style: Style) -> str:
    (first, _), *links = told.links(style)
    width = min(_WIDTH, max((len(text) for text, _ in links), default=0))
    lines = [f"  {first}", *(f"    = {text:<{width}}   {reason}" for text, reason in links)]
    for lemma in told.lemmas:
        lines += [f"  lemma {lemma.number}: {lemma.text(style)}", f"    for {lemma.reason(style)}"]
    return "\n".join(line.rstrip() for line in lines)


def _latex(told: Chain) -> str:
    (first, _), *links = told.links("latex")
    rows = [rf"{first}", *(rf"&= {text} && \text{{{reason}}}" for text, reason in links)]
    for lemma in told.lemmas:
        rows.append(rf"&{lemma.text('latex')} && \text{{lemma {lemma.number}}}")
    body = " \\\\\n".join(rows)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"


@dataclass(slots=True)
class _Teller:
    """Names letters, rules and lemmas as they are met."""

    writer: Writer
    key: Key
    claimed: frozenset[frozenset[tuple[Word, Rational]]]
    folded: list[tuple[tuple[str, ...], str]]
    lemmas: dict[Fact, Lemma] = field(default_factory=dict[Fact, Lemma])

    def word(self, word: Word) -> tuple[str, ...]:
        """The names of the letters of a word; K stands for E_φ P H* D⁻¹."""
        numbers, letters = word
        names = tuple(map(self.letter, (*numbers, *letters)))
        for long, short in self.folded:
            k = 0
            while k + len(long) <= len(names):
                if names[k : k + len(long)] == long:
                    names = (*names[:k], short, *names[k + len(long) :])
                k += 1
        return names

    def letter(self, x: Letter) -> str:
        """The name of a letter; what the claim gives no name is written out."""
        name = self.writer.name(x)
        base = self.writer.theory.base(x)
        if base.body is None or base in self.writer.wanted or "(" in name:
            return name
        text = (
            base.source.render()
            if base.source is not None
            else f"{kernel_word(base)}({written(self.terms(base.body))})"
        )
        return f"⟨{text}⟩" if base is x else f"⟨({text})*⟩"

    def terms(self, form: Form) -> Terms:
        """A polynomial, its shortest words first."""
        return arranged((c, self.word(word)) for word, c in form.items())

    def reason(self, fact: Fact) -> str:
        """The name of a rule: a definition, a law, or a lemma with a number."""
        why = fact.why
        if isinstance(why, Turned):
            return f"{self.reason(why.of)}, adjoint"
        if isinstance(why, Axiom):
            return self._definition(why)
        if isinstance(why, Assumed):
            return why.law.name
        if isinstance(why, Real):
            return "a number is its own adjoint"
        if (
            isinstance(why, tuple)
            and len(why) == 1
            and abs(why[0].c) == 1
            and (why[0].left, why[0].right) == (ONE, ONE)
        ):
            return self.reason(why[0].fact)
        law = None if _content(fact.form) in self.claimed else record_of(fact.form)
        return law if law is not None else f"lemma {self._lemma(fact).number}"

    def _definition(self, why: Axiom) -> str:
        name = self.writer.name(why.letter)
        own = spelled(self.letter(why.letter))
        match why.side:
            case "left" | "right":
                if "(" not in name:
                    return f"definition of {own}"
                body = spelled(name[name.index("(") + 1 : -1])
                return f"{own} {body} = I" if why.side == "left" else f"{body} {own} = I"
            case "skew":
                return "brackets are skew"
            case "known":
                return "a bracket with a known force"
            case "jacobi":
                return "brackets are derivations"
            case "rigid":
                return "a rigid shift keeps brackets"
            case "alone":
                return "a motion about one axis leaves it alone"
            case "turning":
                return f"a joint turns: {own} is a spin"
            case _:
                kinds = {
                    "unknown": f"equation of {own}",
                    "root": f"{own} {own}* is what it is the root of",
                    "leaf": f"joint maps are constant: {own} = 0",
                    "own": "motions of a joint are closed under brackets",
                }
                return kinds.get(why.letter.kind, f"{own}, written out")

    def _lemma(self, fact: Fact) -> Lemma:
        found = self.lemmas.get(fact)
        if found is not None:
            return found
        why = fact.why
        because: list[tuple[Rational, tuple[str, ...], str, tuple[str, ...]]] = []
        rule = ""
        if isinstance(why, tuple):
            for c, left, one, right in why:
                because.append((c, self.word(left), self.reason(one), self.word(right)))
        elif isinstance(why, DiagonalOf):
            rule = f"the block diagonal of {self.reason(why.of)}"
        elif isinstance(why, BracketOf):
            rule = f"the bracket with {self.reason(why.of)}"
        elif isinstance(why, Unique):
            name = spelled(self.writer.name(why.unknown))
            rule = f"the equation of {name} has one solution; that it is one says {self.reason(why.of)}"
        lead = max(fact.form, key=self.key)
        rest = RING.minus({lead: fact.form[lead]}, fact.form)
        number = len(self.lemmas) + 1
        sides = self.terms({lead: fact.form[lead]}), self.terms(rest)
        made = self.lemmas[fact] = Lemma(number, *sides, tuple(because), rule)
        return made


def chain(found: Search, lhs: Expr, rhs: Expr) -> Chain | None:
    """The chain of a proof; None where it would be longer than anybody reads, or meets in no formula."""
    if found.proved is None:
        return None
    writer = Writer(found.theory)
    writer.prefer((lhs, rhs))
    left, right = found.theory.read(lhs), found.theory.read(rhs)
    if found.bench is None:
        key = Order(found.theory).key
        teller = _Teller(writer, key, frozenset(), _folds(found.theory, writer, lhs, rhs))
        return Chain(lhs, rhs, (Step(teller.terms(left), EXPANDED),), ())
    claimed = frozenset(_scaled(RING.minus(left, right)))
    teller = _Teller(writer, found.bench.full.order.key, claimed, _folds(found.theory, writer, lhs, rhs))
    down, up = [list(islice(_rewritten(found.bench, form), _LONGEST + 1)) for form in (left, right)]
    met = _met([left, *(form for form, _ in down)], [right, *(form for form, _ in up)])
    if met is None or sum(met) > _LONGEST:
        return None
    down, up = down[: met[0]], up[: met[1]]
    steps = [Step(teller.terms(left), EXPANDED)]
    steps += [Step(teller.terms(form), teller.reason(fact)) for form, fact in down]
    befores = [right, *(form for form, _ in up)]
    for (_, fact), before in zip(reversed(up), reversed(befores[:-1]), strict=True):
        steps.append(Step(teller.terms(before), teller.reason(fact)))
    if len(teller.lemmas) > _MOST:
        return None
    return Chain(lhs, rhs, tuple(steps), tuple(teller.lemmas.values()))


def _met(down: Sequence[Form], up: Sequence[Form]) -> tuple[int, int] | None:
    """Where two ways from the sides first come to the same formula: after how many steps of each."""
    places = {_content(form): i for i, form in reversed(list(enumerate(down)))}
    found = [(places[content], j) for j, form in enumerate(up) if (content := _content(form)) in places]
    return min(found, key=sum, default=None)


def axioms(found: Search, lhs: Expr, rhs: Expr) -> tuple[str, ...]:
    """What a proof takes from definitions, equations and facts of brackets, called as the claim calls its letters."""
    if found.proved is None:
        return ()
    writer = Writer(found.theory)
    writer.prefer((lhs, rhs))
    teller = _Teller(writer, Order(found.theory).key, frozenset(), _folds(found.theory, writer, lhs, rhs))
    facts = [one for one in resting_on(found.proved) if isinstance(one.why, Axiom | Real)]
    return tuple(dict.fromkeys(teller.reason(one) for one in facts))


def _rewritten(bench: Workbench, form: Form) -> Iterator[tuple[Form, Fact]]:
    """A polynomial rewritten to its normal form: each time one rule wherever it applies first."""
    rules = bench.full
    while True:
        matches = {word: found for word in form if (found := rules.match(word)) is not None}
        if not matches or len(form) > _WIDEST:
            return
        largest = max(matches, key=rules.order.key)
        rule = matches[largest].rule
        while chosen := {word: found for word, found in matches.items() if found.rule is rule}:
            for word, found in chosen.items():
                if word not in form:
                    continue  # an earlier one has cancelled it
                taken = RING.product([{found.left: form[word]}, rule.fact.form, {found.right: 1}])
                form = RING.minus(form, taken)
            matches = {word: found for word in form if (found := rules.match(word)) is not None}
        yield form, rule.fact


def _folds(theory: Theory, writer: Writer, *sides: Expr) -> list[tuple[tuple[str, ...], str]]:
    """What the claim calls by a name and is one word: K for E_φ P H* D⁻¹, K* for its adjoint; long ones first."""
    found: dict[tuple[str, ...], str] = {}
    for node in (one for side in sides for one in postorder(side, all_below)):
        if isinstance(node, Symbol) and node.definition is not None:
            form = theory.read(node)
            ((word, c),) = form.items() if len(form) == 1 else ((ONE, 0),)
            if c == 1 and len(word[1]) > 1 and not word[0]:
                turned = next(iter(adjoint(form)))
                found.setdefault(tuple(writer.word(word).split()), node.name)
                found.setdefault(tuple(writer.word(turned).split()), f"{node.name}'")
    return sorted(found.items(), key=lambda pair: -len(pair[0]))


def _content(form: Form) -> frozenset[tuple[Word, Rational]]:
    return frozenset(form.items())


def record_of(form: Form) -> str | None:
    """The law of the catalogue that says that a polynomial is zero, itself or its adjoint, however it is scaled."""
    return _laws().get(_content(form))


@cache
def _laws() -> Mapping[frozenset[tuple[Word, Rational]], str]:
    """The laws of the catalogue by what they say is zero, however it is scaled, and their adjoints."""
    theory = Theory()
    found: dict[frozenset[tuple[Word, Rational]], str] = {}
    for law in catalogue().values():
        for reading in wider(law):
            if isinstance(reading, Identity):
                form = RING.minus(theory.read(reading.lhs), theory.read(reading.rhs))
                for content in _scaled(form):
                    found.setdefault(content, reading.name)
    return found


def _scaled(form: Form) -> Iterator[frozenset[tuple[Word, Rational]]]:
    """What says the same: multiples in which a coefficient is one, and their adjoints."""
    for one in (form, adjoint(form)):
        yield from (_content(RING.scaled(quotient(1, c), one)) for c in set(one.values()))
