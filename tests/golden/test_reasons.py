"""Each line of a page has a reason, and a law that is cited speaks of what the program computes."""

from __future__ import annotations

import re

import pytest

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.expressions.build import diag, fixpoint, inv, operator
from operator_algebra.expressions.nodes import Expr, Fixpoint, Symbol
from operator_algebra.expressions.traverse import children_and_definition, postorder
from operator_algebra.identities.catalogue import catalogue, sides
from operator_algebra.lowering.lower import lower
from operator_algebra.markup import width
from operator_algebra.operators.spaces import FORCE, MOTION, RATE, TORQUE
from operator_algebra.pages.reasons import LONGEST, Explainer
from operator_algebra.pages.writer import Writer
from operator_algebra.programs.program import Program
from tests.golden.pages import FOLDER, pages

PAGES = pages()
NAMES = [path.relative_to(FOLDER).as_posix() for path in PAGES]
MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
COMPUTED = {"P": s.P, "P_plus": s.P_plus, "D": s.D, "G": s.G, "Upsilon": s.Upsilon, "R": s.R, "V": s.V}
DERIVED = {"P_plus", "tau_bar", "Upsilon_plus"}


def page(program: Program, style: str = "ascii", numbering: str = "model", *, reasons: bool = True) -> list[str]:
    """The lines from the first loop to the foot."""
    text = program.pseudocode(style, numbering=numbering, reasons=reasons)  # pyright: ignore[reportArgumentType]
    lines = text.partition("\nbecause")[0].partition("\ncost")[0].splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith(("for ", "once"))), len(lines))
    return [line for line in lines[start:] if line.strip()]


def is_assignment(line: str) -> bool:
    return bool(re.match(r"    \S.* = ", line))


def without_note(line: str) -> str:
    return re.split(r"    (?:over children|p is the parent)", line.rstrip())[0].rstrip()


def reasons(program: Program) -> list[tuple[str, str]]:
    """Each assignment of the ASCII page and its reason, wherever it stands: beside the line or below it."""
    plain = [without_note(line) for line in page(program, reasons=False) if is_assignment(line)]
    found: list[tuple[str, str]] = []
    for line in page(program):
        if found and not is_assignment(line) and line.startswith(" " * 20):
            found[-1] = (found[-1][0], line.strip())
        elif is_assignment(line):
            own = re.sub(r"\s+", " ", plain[len(found)]).strip()
            shown = re.sub(r"\s+", " ", line).strip()
            assert shown.startswith(own), (shown, own)
            found.append((own, shown.removeprefix(own).strip()))
    assert len(found) == len(plain)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_no_line_lacks_a_reason(name: str) -> None:
    found = reasons(lower(PAGES[FOLDER / name]))
    shown = {word for line, _ in found for word in re.findall(r"\w+", line)}
    for line, reason in found:
        words, _, law = reason.partition(" [")
        assert words, line
        assert shown.issuperset(re.findall(r"\b[A-Za-z]+_\d+\b", words)), words
        assert width(words) <= LONGEST + 12, words
        assert not law or law.endswith("]")


@pytest.mark.parametrize("name", NAMES)
def test_every_style_and_numbering_has_the_reasons(name: str) -> None:
    program = lower(PAGES[FOLDER / name])
    count = len(reasons(program))
    latex = program.pseudocode("latex", reasons=True)
    assert latex.count(r"&& \text{") == count
    assert latex.count("{") == latex.count("}")
    assert latex.count("$") % 2 == 0
    assert program.pseudocode("ascii", reasons=True).isascii()
    for style in ("unicode", "ascii", "latex"):
        model, paper = page(program, style), page(program, style, "paper")
        assert [a for a, b in zip(model, paper, strict=True) if a != b and "for" not in a] == []


@pytest.mark.parametrize("name", NAMES)
def test_reasons_change_nothing_but_the_column(name: str) -> None:
    program = lower(PAGES[FOLDER / name])
    assert program.pseudocode() == program.pseudocode(reasons=False)
    with_reasons = program.pseudocode(reasons=True)
    assert with_reasons.partition("\nbecause")[2] == program.pseudocode().partition("\nbecause")[2]


def cited(program: Program) -> set[str]:
    return {match[1] for _, reason in reasons(program) if (match := re.search(r"\[([^\]]+)\]$", reason))}


def speaks_of(law: str) -> tuple[set[str], set[str]]:
    """The computed operators in a law, and the leaves; φ, ψ, K and the like are spelled out."""
    known = {e: name for name, e in COMPUTED.items() if name not in DERIVED}
    operators: set[str] = set()
    leaves: set[str] = set()

    def below(node: Expr) -> tuple[Expr, ...]:
        return () if node in known else children_and_definition(node)

    for side in sides(catalogue()[law]):
        for node in postorder(side, below):
            if node in known:
                operators.add(known[node])
            elif isinstance(node, Symbol) and node.definition is None and node.origin in ("model", "input"):
                leaves.add(node.name)
            assert not isinstance(node, Fixpoint) or node in known
    return operators, leaves


def computed(program: Program) -> set[str]:
    """What of the vocabulary a program holds, told from definitions."""
    roles = set(Explainer(program, Writer(program, "ascii")).roles.of.values())
    return roles | {name for step in program.steps.values() for name in step.value.names}


@pytest.mark.parametrize("name", NAMES)
def test_a_cited_law_is_in_the_catalogue_and_speaks_of_the_program(name: str) -> None:
    program = lower(PAGES[FOLDER / name])
    for law in cited(program):
        operators, leaves = speaks_of(law)
        assert operators <= computed(program), law
        # A law holds for whatever drives it: T and v stand for the right-hand side at hand.
        assert leaves - {"T", "v"} <= {symbol.name for symbol in program.symbols}, law


def test_laws_are_cited() -> None:
    found = {law for e in PAGES.values() for law in cited(lower(e))}
    assert found >= {
        "velocity",
        "Riccati equation, updated inertia",
        "gain equation",
        "update, short form",
        "innovations factorization",
        "factor inverse",
        "inverse mass matrix",
        "response to body forces",
        "composite inertia",
        "costate Lyapunov equation",
        "diagonal of the inverse mass matrix",
        "determinant of the mass matrix",
    }


def reason_of(program: Program, name: str) -> str:
    return next(reason for line, reason in reasons(program) if line.startswith(f"{name}("))


def test_a_pivot_with_more_terms_is_not_that_of_the_plain_mass_matrix() -> None:
    program = lower(dynamics.forward_dynamics)
    assert reason_of(program, "D") == "pivot: inertia felt along joint k, and armature"
    # G D = P H* and P = M + E P⁺ E* are as true with J.
    assert reason_of(program, "G").endswith("[gain equation]")
    assert not {"innovations factorization", "inverse mass matrix", "determinant of the mass matrix"} & cited(program)
    foot = program.pseudocode().partition("because")[2]
    assert "H φ M φ* H* + armature = (I + H φ K) D (I + K* φ* H*)" in foot


OTHER = operator("N", MOTION >> FORCE, structure="diagonal definite")
J = operator("J", RATE >> TORQUE, structure="diagonal semidefinite")


@pytest.mark.parametrize(
    "e",
    [
        inv(s.H @ s.phi @ OTHER @ s.phi.T @ s.H.T) @ s.T,
        diag(s.phi.T @ inv(s.M) @ s.phi),
        fixpoint("P", MOTION >> FORCE, lambda X: 2 * s.M + s.E_phi @ X @ s.E_phi.T),
        fixpoint("Upsilon", FORCE >> MOTION, lambda X: inv(s.M) + diag(s.E_phi.T @ X @ s.E_phi)),
        inv(MASS + MASS @ inv(MASS + J) @ MASS) @ s.T,
    ],
    ids=str,
)
def test_a_recursion_that_only_looks_alike_is_given_no_law(e: Expr) -> None:
    found = cited(lower(e))
    assert not {law for law in found if any(w in law for w in ("Riccati", "costate", "composite", "innovations"))}


def test_names_of_a_user_are_not_taken_for_those_of_the_vocabulary() -> None:
    own = operator("b", RATE >> TORQUE, structure="diagonal")
    program = lower(own @ s.v)
    assert "gyroscopic" not in program.pseudocode(reasons=True)


def test_no_innovation_where_nothing_comes_back() -> None:
    # T is given, and no z is taken off it.
    for e in (s.U @ s.T, inv(s.D) @ s.T, inv(s.D) @ (s.T - s.H @ s.f_ext), s.K.T @ s.psi.T @ s.H.T @ s.v):
        text = lower(e).pseudocode(reasons=True)
        assert not any(words in text for words in ("innovation:", "freed children", "held still", "is known"))


@pytest.mark.parametrize("e", [s.W @ s.T, inv(s.I + s.H @ s.phi @ s.K) @ s.T, s.ell @ s.T], ids=str)
def test_innovations_are_known_by_what_comes_back(e: Expr) -> None:
    assert "factor inverse" in cited(lower(e))


def test_joseph_s_form_has_its_own_law() -> None:
    assert reason_of(lower(dynamics.forward_dynamics, method="joseph"), "P_plus").endswith("[update, Joseph form]")
    assert reason_of(lower(inv(MASS) @ s.T, method="joseph"), "P_plus").endswith("[update, two-sided]")
