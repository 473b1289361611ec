"""The default backend: with generated code and without it a call says the same, sample by sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics, task_space
from operator_algebra.backends import floats
from operator_algebra.backends.backend import Executable
from operator_algebra.backends.floats import Floats
from operator_algebra.calls.compiled import Compiled
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import RangeError, SingularError
from operator_algebra.expressions.build import diag, inv, operator, scalar, vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, dense, logdet
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.gallery import load
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import RATE, TORQUE
from tests.nearly_singular import DOUBTFUL, sample
from tests.outcomes import outcome
from tests.programs.test_interpreted_programs import parts
from tests.rounding import apart, condition, rounding, size
from tests.strategies import ALL_JOINTS

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
TREE = random_tree(6, joints=ALL_JOINTS, seed=5)
ARM = load("arm7")


def executable(compiled: Compiled) -> Executable:
    return compiled._numeric()  # pyright: ignore[reportPrivateUsage]


def plain(compiled: Compiled) -> Compiled:
    """The same, interpreted."""
    return replace(compiled, _executable=executable(compiled).interpreted)


def has_kernel(compiled: Compiled, q: Any, values: dict[str, Any]) -> bool:
    found = executable(compiled)
    assert isinstance(found, Floats)
    return found.kernel(compiled._bound(q, values).inputs) is not None  # pyright: ignore[reportPrivateUsage]


def test_small_pivots_are_told_as_by_the_interpreter() -> None:
    """Alone and in batches: the same errors, warnings, refined and rescued numbers, to the bit."""
    seen = {"error": 0, "warning": 0}
    for family, seed in product(DOUBTFUL, range(6)):
        model, q = sample(family, seed).model, sample(family, seed).q
        compiled = compile_program(inv(MASS) @ s.T, model)
        if compiled.program.cost(model).total > 30_000:
            continue
        T = np.ones(model.nv)
        found, expected = outcome(lambda: compiled(q=q, T=T)), outcome(lambda: plain(compiled)(q=q, T=T))  # noqa: B023
        assert found.warned == expected.warned
        assert (type(found.error), str(found.error)) == (type(expected.error), str(expected.error))
        seen["error"] += expected.error is not None
        seen["warning"] += bool(expected.warned)
        if expected.warned or expected.error:
            assert np.array_equal(found.result, expected.result, equal_nan=True)
    assert min(seen.values()) > 2


def swinging() -> Model:
    """An arm whose tip has almost no inertia about its last axis."""
    return chain(3, seed=1)


D = operator("D", RATE >> TORQUE, structure="diagonal")
SHIFTED = inv(MASS - D) @ s.T
"""A pivot vanishes where D is a pivot of the mass matrix."""


def doubtful_batch(count: int, at: int, relative: float) -> tuple[Compiled, dict[str, Any]]:
    """A batch of one arm whose sample `at` has a pivot of some relative size at its tip, all others none."""
    model = swinging()
    compiled = compile_program(SHIFTED, model)
    q = np.stack([model.random(k)[0] for k in range(count)])
    pivot = compile_program(diag(MASS), model)(q=q)[:, -1, 0, 0]
    given = np.zeros((count, 3))
    given[at, -1] = pivot[at] * (1.0 - relative)
    return compiled, {"q": q, "T": np.ones((count, 3)), "D": given}


@pytest.mark.parametrize("relative", [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, -1e-9, -0.5])
@pytest.mark.parametrize("count", [3, 40])
def test_one_doubtful_sample_leaves_the_others_alone(count: int, relative: float) -> None:
    compiled, values = doubtful_batch(count, 1, relative)
    assert has_kernel(compiled, values["q"], {name: x for name, x in values.items() if name != "q"})
    found, expected = (outcome(lambda run=run: run(**values)) for run in (compiled, plain(compiled)))
    assert found.warned == expected.warned
    assert (type(found.error), str(found.error)) == (type(expected.error), str(expected.error))
    if isinstance(expected.error, SingularError) and isinstance(found.error, SingularError):
        assert found.error.samples == expected.error.samples == [1]
        assert found.error.joints == expected.error.joints
    others = {name: np.delete(x, 1, axis=0) for name, x in values.items()}
    assert np.array_equal(np.delete(found.result, 1, axis=0), compiled(**others))
    masked = compiled(**values, errors="mask") if expected.error else None
    if masked is not None:
        assert np.isnan(masked[1]).all()
        assert np.array_equal(np.delete(masked, 1, axis=0), compiled(**others))
    if abs(relative) < 1e-4:
        assert np.array_equal(found.result[1], expected.result[1], equal_nan=True)


@pytest.mark.parametrize("errors", ["raise", "mask"])
@pytest.mark.parametrize("least", [0.0, 1e-9, 1e-6])
def test_singular_nearly_singular_and_indefinite_samples_of_one_batch(least: float, errors: Any) -> None:
    """Each is told, refined, computed again or masked as by the interpreter; the others keep their bits."""
    compiled, values = doubtful_batch(12, 3, 0.0)
    tips = compile_program(diag(MASS), compiled.model)(q=values["q"])[:, -1, 0, 0]
    inverse = compile_program(dense(inv(MASS)), compiled.model)(q=values["q"])
    values["D"][3, -1] = (1.0 - least) / inverse[3, -1, -1]  # what is left of the matrix has no determinant
    for place, relative in ((5, 1e-7), (8, -0.5)):
        values["D"][place, -1] = tips[place] * (1.0 - relative)
    found, expected = (outcome(lambda run=run: run(**values, errors=errors)) for run in (compiled, plain(compiled)))
    assert found.warned == expected.warned
    assert (type(found.error), str(found.error)) == (type(expected.error), str(expected.error))
    assert (found.error is not None) is (least == 0.0 and errors == "raise")
    for place in (3, 5):
        assert np.array_equal(found.result[place], expected.result[place], equal_nan=True)
    assert apart(found.result[8], expected.result[8]) <= rounding(size(expected.result[8]), terms=9, condition=100)
    others = [k for k in range(12) if k not in (3, 5)]
    rest = outcome(lambda: compiled(**{name: x[others] for name, x in values.items()}))
    assert np.array_equal(found.result[others], rest.result)
    assert rest.error is None


def test_axes_of_a_batch_with_a_doubtful_sample() -> None:
    compiled, values = doubtful_batch(12, 5, 1e-9)
    flat = outcome(lambda: compiled(**values))
    square = outcome(lambda: compiled(**{name: x.reshape(3, 4, *x.shape[1:]) for name, x in values.items()}))
    assert np.array_equal(flat.result[5], square.result[1, 1])
    assert np.array_equal(flat.result.reshape(3, 4, -1)[[0, 2]], square.result[[0, 2]])
    assert flat.warned == square.warned


def test_what_leaves_the_range_of_floats_is_told_as_by_the_interpreter() -> None:
    compiled = compile_program(dynamics.inverse_dynamics, ARM)
    q = np.stack([ARM.random(k)[0] for k in range(20)])
    v = np.ones((20, 7))
    v[3] = 1e200
    found, expected = (outcome(lambda run=run: run(q=q, v=v, qdd=v)) for run in (compiled, plain(compiled)))
    assert isinstance(found.error, RangeError)
    assert str(found.error) == str(expected.error)
    assert np.isnan(found.result[3]).all()
    assert np.isfinite(np.delete(found.result, 3, axis=0)).all()


@pytest.mark.parametrize("shape", [(), (3,), (0,), (2, 3), (40,), (5, 0, 2), (5, 8)])
def test_any_leading_axes(shape: tuple[int, ...]) -> None:
    formulas: dict[str, Expr | Query] = {
        "x": inv(MASS) @ s.T,
        "M": dense(MASS),
        "D": s.D,
        "det": logdet(MASS),
        "P": s.P,
    }
    compiled = compile_program(formulas, TREE)
    rng = np.random.default_rng(0)
    q = TREE.integrate(TREE.neutral(), rng.standard_normal((*shape, TREE.nv)))
    T = rng.standard_normal((*shape, TREE.nv))
    assert has_kernel(compiled, q, {"T": T})
    found, expected = compiled(q=q, T=T), plain(compiled)(q=q, T=T)
    worst = rounding(terms=6, condition=condition(compile_program(dense(MASS), TREE)(q=TREE.neutral())))
    for name in formulas:
        for one, other in zip(parts(found[name]), parts(expected[name]), strict=True):
            assert apart(one, other) <= 100 * worst * (1.0 + size(other))


def test_negative_determinants_are_told() -> None:
    compiled = compile_program(logdet(s.H @ s.M @ s.H.T - 2 * s.D), ARM)
    found, expected = (str(_raised(lambda run=run: run(q=ARM.neutral()))) for run in (compiled, plain(compiled)))
    assert found == expected


def _raised(run: Callable[[], Any]) -> Exception | None:
    try:
        run()
    except Exception as error:  # noqa: BLE001  whatever it is, both have to raise it
        return error
    return None


@pytest.mark.parametrize("given", [3.0, 0.5])
def test_numbers_and_vectors_of_no_body(given: float) -> None:
    h, x = scalar("h"), vector("x", s.RATE)
    compiled = compile_program(h * (MASS @ x), ARM)
    q, _ = ARM.random(1)
    values: dict[str, Any] = {"h": given, "x": np.arange(7.0)}
    assert has_kernel(compiled, q, values)
    one, other = compiled(q=q, **values), plain(compiled)(q=q, **values)
    assert apart(one, other) <= rounding(size(other), terms=49)


# -- where there is no code --------------------------------------------------------------------------------------------


def test_large_programs_and_axes_of_the_base_are_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"T": np.ones(7)}
    q, _ = ARM.random(0)
    assert has_kernel(compile_program(inv(MASS) @ s.T, ARM), q, values)
    assert not has_kernel(compile_program(inv(MASS) @ s.T, ARM, frame="world"), q, values)
    assert not has_kernel(compile_program(inv(MASS) @ s.T, ARM, method="orthogonal"), q, values)
    monkeypatch.setattr(floats, "MOST", 100)
    assert not has_kernel(compile_program(inv(MASS) @ (2 * s.T), ARM), q, values)


def test_the_source_is_that_of_the_code_that_runs() -> None:
    compiled = compile_program(inv(MASS) @ (3 * s.T), ARM)
    assert "interpreted" in compiled.source
    compiled(q=ARM.neutral(), T=np.ones(7))
    assert compiled.source.startswith("def kernel(arguments):")


def test_kernels_of_many_forms_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(floats, "_KEPT", 2)
    compiled = compile_program(dynamics.inverse_dynamics, ARM)
    q, v = ARM.random(0)
    first = compiled(q=q, v=v, qdd=v)
    compiled(q=q, v=v, qdd=v, f_ext=np.zeros(42))
    assert np.array_equal(compiled(q=q, v=v, qdd=v), first)


def test_spaces_of_a_user_count_as_they_are_given() -> None:
    model = load("humanoid")
    compiled, q = compile_program(dense(task_space.inverse_inertia), model), model.random(0)[0]
    hands = task_space.picks(model, ["grip_l", "grip_r"])
    assert has_kernel(compiled, q, {"B": hands})
    found, wanted = compiled(q=q, B=hands), plain(compiled)(q=q, B=hands)
    worst = condition(compile_program(dense(dynamics.mass_matrix), model)(q=q))
    assert apart(found, wanted) <= rounding(size(wanted), terms=model.n, condition=worst)
    everywhere = task_space.picks(model, list(model.joint_names))
    assert not has_kernel(compiled, q, {"B": everywhere})
