"""The axioms behind a claim: they follow from the definitions in its formulas, and from nothing else.

Definitions are written out first. What stays are letters: leaves and inputs; solutions of equations, F = f(F);
inverses, X Y = I and Y X = I; roots, r r* = D; block diagonals, and brackets of motions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, assert_never

from operator_algebra.expressions.nodes import (
    Diag,
    Expr,
    Fixpoint,
    Inverse,
    Local,
    One,
    Product,
    Root,
    Scale,
    Sum,
    Symbol,
    Transpose,
    Zero,
    of_a_kind,
)
from operator_algebra.expressions.ring import SCALAR
from operator_algebra.expressions.traverse import children_and_definition, postorder
from operator_algebra.operators.leaf import Form as LeafForm
from operator_algebra.operators.leaf import JointMap, JointMapRate
from operator_algebra.operators.local import SPIN, LocalFunction
from operator_algebra.operators.spaces import Type
from operator_algebra.operators.structure import Structure
from operator_algebra.proofs.diagonal import diagonal
from operator_algebra.proofs.letters import (
    RING,
    Form,
    Kind,
    Letter,
    adjoint,
    leaf,
    made_of,
    quotient,
    times,
    whole,
    word,
)

TRAITS = {
    "serial": "no body carries two others",
    "1-DOF": "joints have one degree of freedom",
    "constant joint maps": "joint maps are constant in the axes of the body",
    "closed joints": "brackets of motions of a joint are motions of the joint",
    "revolute": "joints turn about an axis through the origin of the body",
}
"""Words of a domain that are axioms, and what each says.

E* D E is block-diagonal; cross(H* x) H* = 0; Ḣ = 0; cross(H* x) H* = H* A for some A; cross(H* x) = spin(H* x).
A joint that turns about one axis has one degree of freedom, and a constant map.
"""

Side = Literal["left", "right", "skew", "known", "jacobi", "rigid", "alone", "turning", ""]


class Unsure(Exception):
    """An inverse or a root that a claim does not speak of: H S H* may well be zero."""


@dataclass(frozen=True, slots=True)
class Axiom:
    """Why a polynomial is zero: the definition of a letter, or what holds of a bracket and another letter."""

    letter: Letter
    side: Side = ""
    other: Letter | None = None


@dataclass(slots=True)
class Theory:
    """The letters of some formulas, in the order in which they were met, and what they are."""

    traits: frozenset[str] = frozenset()
    letters: dict[Letter, None] = field(default_factory=dict[Letter, None])
    equations: dict[Letter, Form] = field(default_factory=dict[Letter, Form])
    _read: dict[Expr, Form] = field(default_factory=dict[Expr, Form])
    _bound: dict[Expr, Letter] = field(default_factory=dict[Expr, Letter])

    @property
    def serial(self) -> bool:
        """Whether no body carries two others."""
        return "serial" in self.traits

    def copy(self) -> Theory:
        """The same letters, to which others can be added."""
        return Theory(self.traits, dict(self.letters), dict(self.equations), dict(self._read), dict(self._bound))

    def read(self, e: Expr) -> Form:
        """The polynomial of a formula."""

        def below(node: Expr) -> tuple[Expr, ...]:
            return () if isinstance(node, Fixpoint) else children_and_definition(node)

        for node in postorder(e, below, until=self._read.__contains__):
            if node not in self._read:
                self._read[node] = self._form(node)
        return self._read[e]

    def _form(self, node: Expr) -> Form:
        node = of_a_kind(node)
        match node:
            case Zero():
                return {}
            case One():
                return RING.of()
            case Sum():
                return RING.sum(self._read[child] for child in node.children)
            case Product():
                return RING.product(self._read[child] for child in node.children)
            case Scale():
                if isinstance(node.factor, Fraction):
                    return RING.scaled(whole(node.factor), self._read[node.body])
                return RING.product([self.number(node.factor), self._read[node.body]])
            case Symbol():
                return self._symbol(node)
            case Transpose():
                return adjoint(self._read[node.body])
            case Fixpoint():
                return word(self._unknown(node))
            case Inverse():
                return self._inverse(node)
            case Root() | Diag() | Local():
                return word(self.letter_of(node))
            case _:
                assert_never(node)

    def _inverse(self, node: Inverse) -> Form:
        """The letter of an inverse; of one letter that is an inverse itself, what that is the inverse of."""
        body = self._read[node.body]
        if len(body) == 1:
            (((numbers, letters), c),) = body.items()
            if not numbers and len(letters) == 1 and letters[0].kind == "inverse" and letters[0].body is not None:
                return RING.scaled(quotient(1, c), letters[0].body)
        return word(self.letter_of(node))

    def _symbol(self, node: Symbol) -> Form:
        if node.definition is not None:
            return self._read[node.definition]
        if node in self._bound:
            return word(self._bound[node])
        if node.type == SCALAR:
            return {((self._met(leaf(node, "number", node.structure)),), ()): 1}
        return word(self._met(leaf(node, "leaf", node.structure)))

    def number(self, factor: Expr) -> Form:
        """A factor one → one: symbols multiply, any other is a number of its own."""
        form = self._read[factor]
        if all(not letters for _, letters in form):
            return form
        symmetric = Structure.make("small", ("symmetric",))
        return {((self._met(leaf(min(factor, factor.T, key=repr), "number", symmetric)),), ()): 1}

    def _unknown(self, node: Fixpoint) -> Letter:
        letter = leaf(node, "unknown", node.structure)
        if letter not in self.equations:
            self._bound[node.variable] = letter
            self._met(letter)
            self.equations[letter] = {}
            self.equations[letter] = self.read(node.body)
        return letter

    def letter_of(self, node: Inverse | Root | Diag | Local) -> Letter:
        """The letter of the inverse, root, block diagonal or bracket of what has been read."""
        kind: Kind
        match node:
            case Inverse():
                kind = "inverse"
            case Root():
                kind = "root"
            case Diag():
                kind = "diag"
            case Local():
                kind = "local"
            case _:
                assert_never(node)
        function = node.function if isinstance(node, Local) else None
        return self.made_of(kind, self._read[node.children[0]], node.type, node, function)

    def made_of(
        self, kind: Kind, body: Form, type_: Type, source: Expr | None = None, function: LocalFunction | None = None
    ) -> Letter:
        """The inverse, root, … of a polynomial; it and its letters belong to the theory from now on."""
        for _, letters in body:
            for x in letters:
                self._met(x)
        return self._met(made_of(kind, body, type_, source, function))

    def put(self, x: Letter, body: Form) -> Letter:
        """The same inverse, diagonal, … of another polynomial; `Unsure` where the claim does not say that it exists."""
        made = made_of(x.kind, body, x.type, function=x.function)
        if made.kind in ("inverse", "root") and not made.structure.unit and self.base(made) not in self.letters:
            raise Unsure
        return self.made_of(x.kind, body, x.type, function=x.function)

    def base(self, letter: Letter) -> Letter:
        """The letter itself, or what it is the adjoint of: of an inverse and its adjoint, what was met first."""
        return letter.star if letter.starred or (letter not in self.letters and letter.star in self.letters) else letter

    def _met(self, letter: Letter) -> Letter:
        self.letters.setdefault(self.base(letter))
        return letter

    # -- axioms

    def axioms(self) -> Iterator[tuple[Axiom, Form]]:
        """What every letter is by definition, as polynomials that are zero."""
        known: set[Letter] = set()
        while pending := [x for x in self.letters if x not in known]:
            for x in pending:
                known.add(x)
                yield from self.axioms_of(x)

    def plain(self, x: Letter) -> bool:
        """Whether rewriting alone deals well with a letter: no diagonals, brackets, or inverses of whole matrices."""
        if x.kind == "unknown":
            return all(y.kind != "diag" for _, letters in self.equations[x] for y in letters)
        return x.kind not in ("diag", "local", "own") and (x.kind != "inverse" or x.structure.flow != "full")

    def axioms_of(self, x: Letter) -> Iterator[tuple[Axiom, Form]]:
        """What one letter is by definition."""
        own = word(x)
        match x.kind:
            case "leaf" | "number":
                if _form(x) == JointMapRate() and self.traits & {"constant joint maps", "revolute"}:
                    yield Axiom(x), own
            case "unknown":
                yield Axiom(x), RING.minus(own, self.equations[x])
            case "inverse":
                assert x.body is not None
                yield Axiom(x, "left"), RING.minus(times(own, x.body), RING.of())
                yield Axiom(x, "right"), RING.minus(times(x.body, own), RING.of())
            case "root":
                assert x.body is not None
                yield Axiom(x), RING.minus(times(own, word(x.star)), x.body)
            case "diag":
                assert x.body is not None
                made = self.diagonal(x.body, x)
                if made != own:
                    yield Axiom(x), RING.minus(own, made)
            case "own":
                bracket, shown = self.acting(x)
                yield Axiom(x), RING.minus(word(bracket, shown), word(shown, x))
            case "local":
                assert x.body is not None
                made = self.local(x, x.body)
                if made != own:
                    yield Axiom(x), RING.minus(own, made)
            case _:
                assert_never(x.kind)

    def of_joints(self, x: Letter) -> Iterator[tuple[Axiom, Form]]:
        """What holds of the bracket with a motion of the joint, H* w, in some domains."""
        assert x.body is not None
        (((_, letters), _),) = x.body.items()
        if not (letters[0].starred and _form(letters[0].star) == JointMap()):
            return
        if self.traits & {"1-DOF", "revolute"}:
            yield Axiom(x, "alone", x), word(x, letters[0])
        elif "closed joints" in self.traits:
            rates = letters[0].type.domain
            self.made_of("own", word(x), rates >> rates)
        if "revolute" in self.traits:
            yield Axiom(x, "turning", x), RING.minus(word(x), word(self.turning(x)))

    def turning(self, x: Letter) -> Letter:
        """The spin with the vector of a bracket."""
        assert x.body is not None
        return self._met(made_of("local", x.body, x.type, function=SPIN))

    def acting(self, x: Letter) -> tuple[Letter, Letter]:
        """The bracket with H* w that acts on motions of joints as a letter says, and H*."""
        assert x.body is not None
        (((_, (bracket,)), _),) = x.body.items()
        assert bracket.body is not None
        (((_, letters), _),) = bracket.body.items()
        return bracket, letters[0]

    def diagonal(self, p: Form, own: Letter | None = None) -> Form:
        """The block diagonal of a polynomial in letters; words that need one get a letter."""

        def named(core: Form) -> Form:
            if own is not None and own.body == core:
                return word(own)
            ((_, letters),) = core
            return word(self.made_of("diag", core, Type(letters[-1].type.domain, letters[0].type.codomain)))

        return diagonal(p, named, serial=self.serial)

    def local(self, like: Letter, p: Form) -> Form:
        """The value of a local function, which is linear, word by word."""
        return RING.sum(
            RING.product([{(numbers, ()): c}, word(self.value(like, word(*letters)))])
            for (numbers, letters), c in p.items()
        )

    def value(self, like: Letter, p: Form) -> Letter:
        """The value of the same local function at another vector."""
        return self.made_of("local", p, like.type, function=like.function)


def _form(x: Letter) -> LeafForm | None:
    """What the blocks of a leaf are made of."""
    leaf = x.source.leaf if isinstance(x.source, Symbol) else None
    return None if leaf is None else leaf.form
