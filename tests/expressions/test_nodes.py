"""Nodes: one object per content, frozen, picklable, safe to build in threads."""

import copy
import gc
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given

from operator_algebra.errors import InputError
from operator_algebra.expressions.build import define, diag, inv, operator, root
from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.order import digest
from operator_algebra.operators.spaces import FORCE, MOTION
from operator_algebra.symbols import D, H, I, K, M, P, cross, innovations, phi, v, vocabulary
from tests.expression_strategies import expressions


def samples() -> list[Expr]:
    mass = H @ phi @ M @ phi.T @ H.T
    return [mass, inv(mass), I + H @ phi @ K, root(D), diag(phi @ M), cross(H.T @ v).T, 2 * P - 0.5 * M]


def test_equal_formulas_are_one_object() -> None:
    for one, other in zip(samples(), samples(), strict=True):
        assert one is other
        assert hash(one) == hash(other)
    assert len({*samples(), *samples()}) == len(samples())


def test_equality_is_that_of_the_written_formula() -> None:
    assert phi @ (I + K @ H) != phi + phi @ K @ H
    assert define("x", M) != M
    assert operator("X", MOTION >> FORCE) != operator("X", MOTION >> FORCE, structure="diagonal")


def test_unused_expressions_are_forgotten() -> None:
    gc.collect()
    before = len(Expr._interned)  # pyright: ignore[reportPrivateUsage]
    for k in range(200):
        repr(operator(f"temporary_{k}", MOTION >> FORCE) @ phi.T)
    gc.collect()
    assert len(Expr._interned) < before + 50  # pyright: ignore[reportPrivateUsage]


def test_expressions_are_frozen() -> None:
    with pytest.raises(AttributeError, match="frozen"):
        H.name = "other"  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(AttributeError, match="frozen"):
        del H.type
    with pytest.raises(InputError, match="built by"):
        Symbol("X")


def test_copies_are_the_same_object() -> None:
    for e in samples():
        assert copy.copy(e) is e
        assert copy.deepcopy([e, {e: e}]) == [e, {e: e}]


@given(expressions())
def test_pickling_gives_back_the_same_object(e: Expr) -> None:
    assert pickle.loads(pickle.dumps(e)) is e


def test_pickles_and_digests_agree_across_processes() -> None:
    """The other process builds the nodes in another order and with another seed of hashing."""
    formulas = samples()
    program = (
        "import pickle, sys\n"
        "from operator_algebra.expressions.order import digest\n"
        "from tests.expressions.test_nodes import samples\n"
        "theirs = pickle.loads(sys.stdin.buffer.read())\n"
        "ours = samples()\n"
        "assert all(a is b for a, b in zip(theirs, ours, strict=True))\n"
        "print(*(digest(e).hex() for e in ours))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        input=pickle.dumps(formulas),
        capture_output=True,
        check=True,
        env={"PYTHONHASHSEED": "7", "PYTHONPATH": ":".join(filter(None, sys.path))},
    )
    assert run.stdout.decode().split() == [digest(e).hex() for e in formulas]


def test_threads_build_the_same_objects() -> None:
    def build(_: int) -> list[Expr]:
        e: Expr = operator("threaded", MOTION >> FORCE)
        made: list[Expr] = []
        for k in range(100):
            e = M + phi @ inv(inv(e) + k * inv(P)) @ phi.T
            made += [e, e.T]
        assert made[-1].structure.flow == "full"
        return made

    with ThreadPoolExecutor(8) as pool:
        first, *others = pool.map(build, range(8))
    for other in others:
        assert all(a is b for a, b in zip(first, other, strict=True))


@pytest.mark.parametrize(
    ("attribute", "advice"),
    [
        ("H", r"the adjoint of an expression is \.T"),
        ("I", r"inverse of an expression is inv"),
        ("nonsense", "nonsense"),
    ],
)
def test_attributes_that_are_not_there(attribute: str, advice: str) -> None:
    with pytest.raises(AttributeError, match=advice):
        getattr(phi, attribute)


def test_truth_powers_and_division_are_refused() -> None:
    with pytest.raises(InputError, match="truth value"):
        bool(phi == phi and phi)
    with pytest.raises(InputError, match="inv"):
        phi**-1  # pyright: ignore[reportUnusedExpression]
    with pytest.raises(InputError, match="inv"):
        1 / phi  # pyright: ignore[reportUnusedExpression, reportOperatorIssue]
    with pytest.raises(InputError, match="inv"):
        phi / M  # pyright: ignore[reportUnusedExpression]


def test_arrays_leave_the_operators_to_us() -> None:
    np = pytest.importorskip("numpy")
    for combine in (lambda: np.eye(3) @ phi, lambda: phi @ np.eye(3), lambda: np.eye(3) + phi):
        with pytest.raises(InputError, match="Bind arrays by name"):
            combine()
    for combine in (lambda: M @ "H", lambda: "H" @ M, lambda: M + "R"):  # pyright: ignore[reportOperatorIssue]
        with pytest.raises(InputError, match=r"Read it first: oa\.parse"):
            combine()
    assert np.float64(0.5) * M == 0.5 * M
    assert np.int64(2) * M == 2 * M


def test_the_vocabulary_is_small() -> None:
    assert all(not e.children for e in vocabulary().values() if isinstance(e, Symbol))
    assert innovations(0).P is P
