"""Expressions 10,000 levels deep and texts of up to a megabyte end in a result or a typed error, in seconds."""

import copy
import gc
import pickle
import time
from collections.abc import Callable

import pytest

from operator_algebra.errors import OperatorAlgebraError, ParseError
from operator_algebra.expressions.build import define, diag, fixpoint, inv, scalar
from operator_algebra.expressions.formulas import formula
from operator_algebra.expressions.names import Style
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.normalize import normalize
from operator_algebra.expressions.order import digest
from operator_algebra.expressions.summary import html
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.markup import width
from operator_algebra.operators.spaces import FORCE, MOTION
from operator_algebra.rates import differentiate
from operator_algebra.symbols import E_phi, H, M, P, R, parse, phi, psi

DEPTH = 10_000
SECONDS = 30.0
"""Ten times what the slowest takes; a walk whose cost is the square of the size takes minutes."""


def inverses() -> Expr:
    e = M
    for _ in range(DEPTH // 2):
        e = M + phi @ inv(inv(P) + inv(e)) @ phi.T
    return e


def brackets() -> Expr:
    e = phi
    for _ in range(DEPTH // 2):
        e = phi @ (psi + e)
    return e


def stars() -> Expr:
    e = phi @ M @ phi.T
    for _ in range(DEPTH // 2):
        e = diag((psi @ e @ phi.T).T) + M
    return e


def scalars() -> Expr:
    h = scalar("h")
    e = M
    for k in range(DEPTH):
        e = h * e if k % 2 else scalar("k") * e
    return e


def definitions() -> Expr:
    e = phi
    for _ in range(DEPTH):
        e = define("x", psi @ e)
    return e


def equations() -> Expr:
    e = M
    for _ in range(150):
        e = fixpoint("X", MOTION >> FORCE, lambda X, e=e: e + E_phi @ X @ E_phi.T)
    return e


@pytest.fixture(scope="module", params=[inverses, brackets, stars, scalars, definitions, equations])
def deep(request: pytest.FixtureRequest) -> Expr:
    build: Callable[[], Expr] = request.param
    return build()


@pytest.fixture(autouse=True)
def quick() -> object:
    start = time.process_time()
    yield
    assert time.process_time() - start < SECONDS


def test_queries_of_deep_expressions(deep: Expr) -> None:
    assert deep.T.T is deep
    assert deep.structure.flow
    assert free_symbols(deep)
    assert deep.symbols()
    assert digest(deep)
    assert copy.deepcopy(deep) is deep


def test_deep_expressions_are_shown(deep: Expr) -> None:
    assert width(repr(deep)) <= 100
    assert len(html(deep)) < 30_000
    for style in ("unicode", "ascii", "latex"):
        assert deep.render(style)


def test_deep_expressions_are_pickled(deep: Expr) -> None:
    assert pickle.loads(pickle.dumps(deep)) is deep


def test_deep_expressions_are_substituted(deep: Expr) -> None:
    assert deep.substitute({M: R, phi: psi}).type == deep.type


@pytest.mark.parametrize("domain", [["1-DOF"], ["1-DOF", "constant joint maps"]], ids=["any", "constant"])
def test_deep_expressions_are_differentiated(deep: Expr, domain: list[str]) -> None:
    found = differentiate(deep, along="v", rates={"H": 0} if H in free_symbols(deep) else {}, domain=domain)
    assert found.type == deep.type


@pytest.mark.parametrize(("build", "style"), [(inverses, "ascii"), (brackets, "unicode"), (scalars, "ascii")])
def test_deep_expressions_are_read_back(build: Callable[[], Expr], style: Style) -> None:
    e = build()
    names: dict[str, Expr] = {"h": scalar("h"), "k": scalar("k")}
    assert parse(e.render(style), names) is e


def test_a_deep_normal_form() -> None:
    e = M
    for _ in range(DEPTH // 5):
        e = inv(2 * inv(2 * e + 2 * P))
    assert str(normalize(e)) == f"M + {DEPTH // 5} P"
    with pytest.raises(OperatorAlgebraError, match="more than 50000 terms"):
        normalize(formula("(psi + phi) " * 20, "normalize"))


def test_deep_expressions_are_freed_without_recursion() -> None:
    e = inverses()
    assert e.T is e
    del e
    gc.collect()


def test_a_product_of_many_factors() -> None:
    e = phi
    for _ in range(2_000):
        e = e @ phi @ psi
    assert len(e.children) == 4_001
    assert e.structure.flow == "inward"


TEXTS = {
    "product": "phi " * 250_000,
    "clash": "phi " * 50_000 + "phi'",
    "sum": " + ".join(["phi"] * 30_000),
    "parentheses": "(" * 100_000 + "M" + ")" * 100_000,
    "inverses": "inv(D)" + " + inv(D)" * 20_000,
    "nested inverses": "inv(I + " * 20_000 + "phi" + ")" * 20_000,
    "nested diagonals": "diag(phi + " * 15_000 + "phi" + ")" * 15_000,
    "stars": "phi" + "'" * 100_000,
    "signs": "-" * 100_000 + "phi",
    "numbers": "(v' D v) " * 20_000 + "phi",
    "arguments": "cross(" + "V," * 50_000 + "V)",
    "one name": "x" * 1_000_000,
    "digits": "7" * 1_000_000 + " phi",
    "big numbers": "9e900 " * 30_000 + "phi",
    "fractions": "(" + " + ".join(f"1/{i}" for i in range(1, 20_000)) + ") phi",
    "open": "(" * 100_000,
    "garbage": "\0" * 1_000_000,
    "blanks": " " * 1_000_000,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))
def test_long_texts(text: str) -> None:
    try:
        e = parse(text)
    except OperatorAlgebraError as error:
        message = str(error)
        assert len(message) < 1_000
        assert message.split("\n")[0]
        return
    assert width(repr(e)) <= 100


def test_needless_nesting_is_refused_in_words() -> None:
    with pytest.raises(ParseError, match="Remove the parentheses that change nothing"):
        parse("(" * 20_000 + "D" + " + D)" * 20_000)
    assert parse("(" * 1_000 + "D" + " + D)" * 1_000) == parse(" + ".join(["D"] * 1_001))
