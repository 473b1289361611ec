"""`discover` and `derive`: the equation that makes an operator a product, and the inverse that comes of it.

A = L φ N φ* L* + J, with blocks L, N, J and φ = (I − E)⁻¹, is looked for as (I + W K) D (I + W K)*, W = L φ, with
unknown blocks D and K. Nothing is said of N but that it can be written X − E X E* + S; what A then is in I, W and W*
is compared with the product: D and K follow from three coefficients, and the fourth is the equation for X.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Literal, NamedTuple

from operator_algebra.arguments import choice, items
from operator_algebra.arguments import word as name_of
from operator_algebra.errors import InputError
from operator_algebra.expressions.build import define, fixpoint, inv, one, operator
from operator_algebra.expressions.formulas import formula
from operator_algebra.expressions.nodes import Expr, Fixpoint, Inverse, Symbol
from operator_algebra.expressions.traverse import all_below, fold, postorder, rebuild
from operator_algebra.identities.identity import Identity
from operator_algebra.operators.spaces import Type
from operator_algebra.proofs.completion import Completion
from operator_algebra.proofs.letters import RING, Form, Letter, adjoint, pattern, times, whole_pattern, word
from operator_algebra.proofs.oneway import without_inverse
from operator_algebra.proofs.order import Order
from operator_algebra.proofs.proof import Proof
from operator_algebra.proofs.prove import positive, prove, reading
from operator_algebra.proofs.readback import formula_of, letter_names, name_of_form
from operator_algebra.proofs.theory import Theory
from operator_algebra.proofs.workbench import Workbench

_SHAPE = "L φ N φ* L* + J with block-diagonal L, N and J, where φ leads inward"


@dataclass(frozen=True)
class Discovery:
    """An operator as a product, and the equation that makes it one: true, if both are PROVED.

    `unknown` is the solution X of the equation, `pivot` D and `gain` K are made of it; `propagation` is W, so that the
    operator is (I + W K) D (I + W K)*.
    """

    expression: Expr
    unknown: Expr
    pivot: Symbol
    gain: Symbol
    propagation: Expr
    equation: Proof
    factorization: Proof

    def __bool__(self) -> bool:
        return bool(self.equation) and bool(self.factorization)

    def __repr__(self) -> str:
        lines: list[str] = []
        for told, proof in (("", self.factorization), ("if ", self.equation)):
            assert isinstance(proof.claim, Identity)
            lines.append(f"{proof.verdict:<13}  {told}{proof.claim.formula()}")
        for made in (self.pivot, self.gain):
            assert made.definition is not None
            lines.append(f"{'':<15}{made.render()} = {made.definition.render()}")
        return "\n".join(lines)


def discover(
    e: Expr | str, *, unknown: str | None = None, frame: Sequence[Expr | str] | None = None, seconds: float = 10.0
) -> Discovery:
    """The equation that makes an operator a product of triangular factors and blocks, and the product, both proved.

    The operator is L φ N φ* L* + J: a mass matrix, with or without rotors. `unknown` names the solution of the
    equation, P unless it is said. The factors are sums of I and L φ K; `frame` says that, I and L φ, where one wants
    to be sure of it. `seconds` bounds the search for each of the two proofs.

    >>> discover("H phi M phi.T H.T")
    PROVED         H φ M φ* H* = (I + H φ K) D (I + K* φ* H*)
    PROVED         if M = P − E_φ P E_φ* + K D K*
                   D = H P H*
                   K = E_φ P H* D⁻¹
    """
    e = formula(e, "discover")
    positive(seconds)
    called = name_of("P" if unknown is None else unknown, "unknown")
    found = _ansatz(e)
    if frame is not None:
        _in_frame(e, found, frame)
    return _told(e, found, called, float(seconds))


GOALS = {"lowerable": "no inverse of a whole matrix is left"}
"""What a form may be derived for."""


def derive(e: Expr | str, *, goal: Literal["lowerable"] = "lowerable", seconds: float = 10.0) -> Proof:
    """An operator without the inverses of whole matrices in it: `.claim.rhs` is that form, and the proof that it is.

    The inverse of L φ N φ* L* + J is that of its factors, and that of a factor, A + B φ C, has another propagation in
    place of φ. That it is one is proved from both sides, so that nothing is assumed of the matrix. There is one `goal`,
    a form that can be lowered to sweeps. `seconds` bounds the search for each proof.

    >>> derive("inv(H phi M phi.T H.T)")
    PROVED         derived: (H φ M φ* H*)⁻¹ = (I − K* ψ* H*) D⁻¹ (I − H ψ K)
                   holds for: every tree, every joint
                   assuming: D is invertible
                   checked by the kernel: 12 lines
    """
    e = formula(e, "derive")
    choice(goal, "goal", GOALS)
    positive(seconds)
    inverses = [node for node in postorder(e) if isinstance(node, Inverse)]
    found = {
        node: x for node in inverses if (x := _inverse(node) if _whole(node) else without_inverse(node)) is not None
    }
    if not found:
        raise InputError(
            f"{e.render()} has no inverse of a whole matrix in it, such as inv(H phi M phi.T H.T), nor of a factor."
        )

    def combine(node: Expr, parts: tuple[Expr, ...]) -> Expr:
        return found[node] if isinstance(node, Inverse) and node in found else rebuild(node, parts)

    form = fold(e, combine)
    claims = [Identity(f"inverse {side}", *sides) for node, x in found.items() for side, sides in _both(node, x)]
    readings = [reading(claim, float(seconds)) for claim in claims]
    if not isinstance(e, Inverse):
        readings.append(reading(Identity("derived", e, form), float(seconds)))
    return Proof(Identity("derived", e, form), tuple(readings))


def _whole(node: Inverse) -> bool:
    """Whether it is the inverse neither of blocks nor of what goes one way."""
    return node.structure.flow not in ("diagonal", "inward", "outward")


def _both(node: Inverse, x: Expr) -> Iterator[tuple[str, tuple[Expr, Expr]]]:
    """What an inverse has to do from the right and from the left."""
    yield "from the right", (node.body @ x, one(Type(node.body.type.codomain, node.body.type.codomain)))
    yield "from the left", (x @ node.body, one(Type(node.body.type.domain, node.body.type.domain)))


def _inverse(node: Inverse) -> Expr:
    """(I − L ψ K)* D⁻¹ (I − L ψ K), with ψ⁻¹ = φ⁻¹ + K L."""
    found = _ansatz(node.body)
    _, pivot, gain = _solved(found, "P")
    left, shift = found.formula(found.left), found.shift
    psi = define(found.name("psi"), inv(one() - define(found.name("E_psi"), shift - gain @ left)))
    factor = one() - left @ psi @ gain
    return factor.T @ inv(pivot) @ factor


# -- the ansatz --------------------------------------------------------------------------------------------------------


class _Ansatz(NamedTuple):
    """A = D + W E B + B* E* W* + W S W* for N = X − E X E* + S, with polynomials in an unknown X."""

    names: dict[Letter, Expr]
    taken: frozenset[str]
    left: Form
    phi: Letter
    shift: Expr
    inner: Form
    pivot: Form
    coupling: Form
    unknown: Letter

    def name(self, wanted: str) -> str:
        """A name that the formula does not have: P, P_2 and so on."""
        return next(name for k in count(1) if (name := wanted if k == 1 else f"{wanted}_{k}") not in self.taken)

    def formula(self, p: Form, unknown: Expr | None = None) -> Expr:
        """A polynomial as a formula, with something for the unknown."""
        names = self.names if unknown is None else {**self.names, self.unknown: unknown}
        return formula_of(p, _type(p), names)


def _ansatz(e: Expr) -> _Ansatz:
    theory = Theory()
    left, phi, inner, rest = _parts(e, theory.read(e))
    assert phi.body is not None
    shift = RING.minus(RING.of(), phi.body)
    unknown, residual = (_free(theory, text, _type(inner)) for text in ("unknown", "residual"))
    x, s, w = word(unknown), word(residual), times(left, word(phi))
    told = RING.sum([RING.minus(x, times(shift, x, adjoint(shift))), s])
    rules = Completion(Order(theory))
    rules.add(Workbench(theory, rules, rules).new_axioms())
    rules.run([], 200)
    normal = rules.reduce(RING.sum([rest, times(w, told, adjoint(w))]))[0]
    coupling = _behind(normal, w)
    product = times(w, shift, coupling)
    known = [product, adjoint(product), times(w, s, adjoint(w))]
    pivot = rules.reduce(RING.minus(normal, RING.sum(known)))[0]
    if whole_pattern(pivot).flow != "diagonal" or any(residual in letters for _, letters in pivot):
        raise _refused(e)
    taken = frozenset(node.name for node in postorder(e, all_below) if isinstance(node, Symbol | Fixpoint))
    names = letter_names(e, theory)
    called = name_of_form(e, theory, shift)
    hop = formula_of(shift, phi.type, names) if called is None else called
    return _Ansatz(names, taken, left, phi, hop, inner, pivot, coupling, unknown)


def _parts(e: Expr, p: Form) -> tuple[Form, Letter, Form, Form]:
    """L, φ, N and J of the sum of words L φ n φ* L* and of words that are made of blocks."""
    lefts: dict[tuple[tuple[Letter, ...], Letter], None] = {}
    inner: Form = {}
    rest: Form = {}
    for (numbers, letters), c in p.items():
        k = next((k for k, x in enumerate(letters) if x.structure.flow != "diagonal"), None)
        if k is None:
            rest[numbers, letters] = c
            continue
        phi, left, back = letters[k], letters[:k], tuple(x.star for x in reversed(letters[: k + 1]))
        middle = letters[k + 1 : len(letters) - k - 1]
        if letters[len(letters) - k - 1 :] != back or not _resolvent(phi) or pattern(middle).flow != "diagonal":
            raise _refused(e)
        lefts[left, phi] = None
        inner[numbers, middle] = c
    if len(lefts) != 1 or adjoint(inner) != inner or adjoint(rest) != rest:
        raise _refused(e)
    (((left, phi), _),) = lefts.items()
    return word(*left), phi, inner, rest


def _in_frame(e: Expr, found: _Ansatz, frame: Sequence[Expr | str]) -> None:
    """Test that the factors are made of what a frame lists: I and L φ."""
    listed = [formula(one, "frame") for one in items(frame, "frame", 'two operators, ["I", "H phi"]')]
    theory = Theory()
    wanted = [RING.of(), times(found.left, word(found.phi))]
    if [theory.read(one) for one in listed] != wanted:
        given = ", ".join(one.render() for one in listed)
        raise InputError(
            f"in the frame {given or 'of nothing'} there is no product for {e.render()}. "
            f"Leave it out, or give I and {found.formula(wanted[1]).render()}."
        )


def _refused(e: Expr) -> InputError:
    return InputError(f"{e.render()} is not of the form {_SHAPE}.")


def _resolvent(x: Letter) -> bool:
    return x.kind == "inverse" and x.structure.unit and x.structure.flow == "inward"


def _free(theory: Theory, name: str, type_: Type) -> Letter:
    """A symmetric block-diagonal operator of which nothing else is known."""
    (((_, (letter,)), _),) = theory.read(operator(name, type_, structure="diagonal symmetric")).items()
    return letter


def _type(p: Form) -> Type:
    (_, letters), *_ = (w for w in p if w[1])
    return Type(letters[-1].type.domain, letters[0].type.codomain)


def _behind(p: Form, w: Form) -> Form:
    """The sum of all t where a word of p is W t and does not end in W*."""
    (((_, front), _),) = w.items()
    back = tuple(x.star for x in reversed(front))
    size = len(front)
    return {
        (numbers, letters[size:]): c
        for (numbers, letters), c in p.items()
        if letters[:size] == front and letters[len(letters) - size :] != back
    }


# -- its solution ------------------------------------------------------------------------------------------------------


def _solved(found: _Ansatz, unknown: str) -> tuple[Expr, Symbol, Symbol]:
    """The coefficients of (I + W K) D (I + W K)*: D is that of I, K D that of W, and S = K D K* the equation for X."""
    inner, shift = found.formula(found.inner), found.shift

    def body(x: Expr) -> Expr:
        coupling = shift @ found.formula(found.coupling, x)
        return inner + shift @ x @ shift.T - coupling @ inv(found.formula(found.pivot, x)) @ coupling.T

    solution = fixpoint(found.name(unknown), inner.type, body)
    pivot = define(found.name("D"), found.formula(found.pivot, solution))
    return solution, pivot, define(found.name("K"), shift @ found.formula(found.coupling, solution) @ inv(pivot))


def _told(e: Expr, found: _Ansatz, unknown: str, seconds: float) -> Discovery:
    solution, pivot, gain = _solved(found, unknown)
    inner, shift = found.formula(found.inner), found.shift
    propagation = found.formula(times(found.left, word(found.phi)))
    factor = one() + propagation @ gain
    equation = Identity("equation", inner, solution - shift @ solution @ shift.T + gain @ pivot @ gain.T)
    product = Identity("factorization", e, factor @ pivot @ factor.T)
    proofs = [prove(claim, seconds=seconds) for claim in (equation, product)]
    return Discovery(e, solution, pivot, gain, propagation, *proofs)
