"""Single precision: numbers of seven digits less what is said to be lost, everything else from double precision."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from operator_algebra import compiler
from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.backends import floats
from operator_algebra.backends import kernel as kernels
from operator_algebra.backends.native.make import native_kernel
from operator_algebra.backends.native.run import NativeKernel
from operator_algebra.backends.scalar.graph import Graph
from operator_algebra.backends.scalar.precision import SINGLE
from operator_algebra.backends.scalar.tape import Tape
from operator_algebra.backends.scalar.traced import Traced
from operator_algebra.calls.compiled import Compiled
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError, RangeError
from operator_algebra.expressions.build import inv, scalar
from operator_algebra.expressions.query import dense, logdet
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.gallery import load
from operator_algebra.models.model import Model
from tests.fences import CAN, fenced
from tests.nearly_singular import DOUBTFUL, sample
from tests.often import some
from tests.outcomes import outcome
from tests.rounding import EPS, condition, rounding, size
from tests.strategies import ALL_JOINTS

pytest.importorskip("llvmlite")

Singles = NDArray[np.float32]
WIDER = float(np.finfo(np.float32).eps) / EPS
"""So many times as much is rounded."""
ARM = load("arm7")
MASS = dynamics.mass_matrix


def single(e: Any, model: Model, **options: Any) -> Compiled:
    return compile_program(e, model, dtype="float32", **options)


def state(model: Model, shape: tuple[int, ...], *names: str, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    q = model.integrate(model.neutral(), rng.standard_normal((*shape, model.nv)))
    values = {"q": q, **{name: rng.standard_normal((*shape, model.nv)) for name in names}}
    return {name: value.astype(np.float32) for name, value in values.items()}


def kernel_of(compiled: Compiled) -> NativeKernel | None:
    code: Any = compiled._executable  # pyright: ignore[reportPrivateUsage]
    return code.kernels[0]._native if code.kernels else None


def bits(array: Any) -> NDArray[np.int32]:
    return np.ascontiguousarray(array).view(np.int32)


# -- sines -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def turned() -> NativeKernel:
    graph = Graph()
    x = graph.input(0)
    tape = Tape.of(Traced((), (x.sin(), x.cos()), (), ()), 1)
    found = native_kernel(tape, [1], [2], SINGLE)
    assert found is not None
    return found


RNG = np.random.default_rng(0)
ANGLES = {
    "small": RNG.uniform(-4.0, 4.0, 20_000),
    "tiny": 10.0 ** RNG.uniform(-37, 0, 2_000),
    "near quarters of a turn": (np.arange(-6000, 6000)[:, None] * (math.pi / 2) + np.array([-1e-4, 0.0, 1e-3])).ravel(),
    "far": RNG.uniform(-SINGLE.farthest, SINGLE.farthest, 20_000),
}


@pytest.mark.parametrize("where", ANGLES)
def test_sines_are_right_to_two_units_of_the_last_place(where: str, turned: NativeKernel) -> None:
    angles = ANGLES[where].astype(np.float32)
    whole, _, (found,) = turned([angles[:, None]], len(angles))
    assert whole
    exact = np.stack([np.sin(angles.astype(float)), np.cos(angles.astype(float))], axis=1)
    units = np.spacing(np.abs(exact).astype(np.float32)).astype(float)
    assert (np.abs(found - exact) <= np.maximum(2 * units, 1e-9)).all()


# -- numbers -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", some(range(24), each=4))
def test_it_is_double_precision_with_more_rounding(seed: int) -> None:
    tree = random_tree(2 + seed % 5, joints=ALL_JOINTS, seed=seed)
    if not tree.nv:
        return
    given = state(tree, (11,), "v", "qdd", seed=seed)
    of_inverse = given["q"], given["v"], given["qdd"]
    names: dict[str, tuple[Any, dict[str, Any], bool]] = {
        "inverse": (dynamics.inverse_dynamics, given, False),
        "mass matrix": (dense(MASS), {"q": given["q"]}, False),
        "forward": (dynamics.forward_dynamics, {"q": given["q"], "v": given["v"], "T": given["qdd"]}, True),
    }
    worst = max(map(condition, compile_program(dense(MASS), tree, backend="interpreter")(q=given["q"])))
    for e, values, inverts in names.values():
        found = single(e, tree)(**values)
        wanted = compile_program(e, tree, backend="interpreter")(**values)
        assert found.dtype == np.float32
        assert found.shape == wanted.shape
        # Terms that cancel are no larger than products of arguments with what all bodies weigh, as far as they reach.
        terms = size(wanted) + size(*of_inverse) ** 2 * _weight(tree) * (worst / _weight(tree) if inverts else 1.0)
        allowed = WIDER * rounding(terms, terms=tree.n, condition=worst if inverts else 1.0)
        assert size(found - wanted) <= allowed


def _weight(model: Model) -> float:
    """No entry of the mass matrix is larger than this in any pose that is tried, and no moment of gravity much."""
    poses = np.stack([model.random(seed)[0] for seed in range(8)])
    return 10.0 * max(1.0, size(*compile_program(dense(MASS), model, backend="interpreter")(q=poses)))


def test_digits_are_those_of_single_precision() -> None:
    for name in ("arm7", "quadruped", "humanoid"):
        model = load(name)
        given = state(model, (300,), "v", "qdd")
        wanted = compile_program(dynamics.inverse_dynamics, model)(**given)
        found = single(dynamics.inverse_dynamics, model)(**given)
        each = np.abs(found - wanted).max(axis=1) / np.abs(wanted).max(axis=1)
        assert np.median(each) < 8 * np.finfo(np.float32).eps
        assert each.max() > EPS * 1e4  # it is not double precision


@pytest.mark.parametrize("count", range(34))
def test_batches_of_any_size(count: int) -> None:
    model = ARM
    compiled, given = single(dynamics.forward_dynamics, model), state(model, (40,), "v", "T")
    whole = compiled(**given)
    part = compiled(**{name: x[:count] for name, x in given.items()})
    assert part.dtype == np.float32
    assert np.array_equal(bits(part), bits(whole[:count]))
    if count:
        alone = compiled(**{name: x[count - 1] for name, x in given.items()})
        assert np.array_equal(bits(alone), bits(whole[count - 1]))
    if CAN and count:
        out = fenced(np.zeros((count, 7), np.float32))
        for before in (False, True):
            closed: dict[str, Any] = {name: fenced(x[:count], before=before) for name, x in given.items()}
            assert compiled(**closed, out=out) is out
            assert np.array_equal(bits(out), bits(part))


def test_any_number_of_threads() -> None:
    given = state(ARM, (40_000,), "v", "qdd")
    one, two = (single(dynamics.inverse_dynamics, ARM, threads=n)(**given) for n in (1, 2))
    assert np.array_equal(bits(one), bits(two))


# -- what machine code is not trusted with -----------------------------------------------------------------------------


@pytest.mark.parametrize("h", [1.0, 1.0 - 2.0**-17, 1.0 - 2.0**-24, 1.0 + 2.0**-23, 2.0], ids=str)
@pytest.mark.parametrize("errors", ["raise", "mask"])
def test_doubtful_samples_are_those_of_double_precision(errors: Any, h: float) -> None:
    e = inv(MASS - scalar("h") * (s.H @ s.phi @ s.M @ s.phi.T @ s.H.T)) @ s.T
    model = chain(3, seed=1)
    given = state(model, (5,), "T")
    several = np.array([0.5, 0.25, h, 0.125, 0.5], np.float32)
    found, warned, error = outcome(lambda: single(e, model)(**given, h=several, errors=errors))
    wanted, expected, fault = outcome(lambda: compile_program(e, model)(**given, h=several, errors=errors))
    assert (warned, type(error), str(error)) == (expected, type(fault), str(fault))
    as_double = np.array_equal(bits(found[2]), bits(wanted[2].astype(np.float32)))
    worst = condition(compile_program(dense(MASS), model)(q=given["q"][2]))
    assert as_double or size(found[2] - wanted[2]) <= WIDER * rounding(size(wanted[2]), terms=9, condition=worst)
    assert as_double or fault is None
    others = [0, 1, 3, 4]
    healthy = single(e, model)(**{n: x[others] for n, x in given.items()}, h=several[others])
    assert np.array_equal(bits(found[others]), bits(healthy))


@pytest.mark.parametrize(("family", "seed"), some(product(DOUBTFUL, range(20)), each=19))
def test_mechanisms_that_cost_digits(family: str, seed: int) -> None:
    """What is not trusted is as in double precision; all else is as far off as single precision explains."""
    one = sample(family, seed)
    model = one.model
    given = state(model, (), "v", "T", seed=seed)
    given["q"] = one.q.astype(np.float32)
    found, _, error = outcome(lambda: single(dynamics.forward_dynamics, model)(**given))
    wanted, _, fault = outcome(
        lambda: compile_program(dynamics.forward_dynamics, model, backend="interpreter")(**given)
    )
    assert type(error) is type(fault)
    if fault is None:
        worst = condition(compile_program(dense(MASS), model, backend="interpreter")(q=given["q"]))
        forces = compile_program(dynamics.bias, model, backend="interpreter")(q=given["q"], v=given["v"])
        terms = size(wanted) * (1.0 + size(forces) / max(size(given["T"]), 1e-3))
        as_double = np.array_equal(bits(found), bits(wanted.astype(np.float32)))
        assert as_double or size(found - wanted) <= WIDER * rounding(terms, terms=model.n, condition=worst)


def test_what_leaves_its_range() -> None:
    compiled = single(dynamics.inverse_dynamics, ARM)
    given = state(ARM, (4,), "v", "qdd")
    given["qdd"][2] = 3e38
    with pytest.raises(RangeError, match="sample 2"):
        compiled(**given)
    masked = compiled(**given, errors="mask")
    assert np.isnan(masked[2]).all()
    assert np.isfinite(masked[[0, 1, 3]]).all()
    wide = {name: x.astype(np.float64) for name, x in given.items()}
    wide["qdd"][2] = 1e60
    with pytest.raises(RangeError, match="sample 2"):
        compiled(**wide)
    wide["qdd"][2], wide["q"][1] = 1.0, 1e5
    double = compile_program(dynamics.inverse_dynamics, ARM)(**wide)
    assert np.array_equal(compiled(**wide)[1], double[1].astype(np.float32))


def test_where_there_is_no_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    given = state(ARM, (5,), "v", "qdd")
    double = compile_program(dynamics.inverse_dynamics, ARM)(**given)
    wanted = double.astype(np.float32)

    def none(*_: object, **__: object) -> None:
        return None

    monkeypatch.setattr(kernels, "native_kernel", none)
    compiler._compiled.cache_clear()  # pyright: ignore[reportPrivateUsage]
    other = single(dynamics.inverse_dynamics, ARM)
    for _ in range(3):
        assert np.array_equal(bits(other(**given)), bits(wanted))
    assert kernel_of(other) is None
    compiler._compiled.cache_clear()  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize(
    ("e", "model"),
    [(logdet(MASS), ARM), (logdet(MASS), chain(70))],
    ids=["logarithm", "loops"],
)
def test_what_is_not_machine_code_is_rounded(e: Any, model: Model) -> None:
    given = state(model, (3,))
    found = single(e, model)(**given)
    assert np.asarray(found).dtype == np.float32
    assert np.array_equal(found, np.asarray(compile_program(e, model)(**given), dtype=np.float32))


# -- calls -------------------------------------------------------------------------------------------------------------


def test_arguments_of_other_kinds_are_rounded() -> None:
    compiled = single(dynamics.forward_dynamics, ARM)
    given = state(ARM, (6,), "v", "T")
    wanted = compiled(**given)
    kinds: list[Callable[[Singles], Any]] = [
        lambda x: x.astype(np.float64),
        lambda x: x.tolist(),
        lambda x: x.astype(">f4"),
        np.asfortranarray,
        lambda x: np.repeat(x, 2, axis=1)[:, ::2],
        lambda x: x.reshape(2, 3, 7),
    ]
    for kind in kinds:
        found = compiled(**{name: kind(x) for name, x in given.items()})
        assert found.dtype == np.float32
        assert np.array_equal(bits(found.reshape(6, 7)), bits(wanted))
    mixed = compiled(q=given["q"].astype(np.float64), v=given["v"], T=given["T"])
    assert np.array_equal(bits(mixed), bits(wanted))


def test_out_and_bound_calls() -> None:
    compiled = single(dynamics.forward_dynamics, ARM)
    for shape in ((), (6,), (2, 3)):
        given = state(ARM, shape, "v", "T")
        wanted, out = compiled(**given), np.zeros((*shape, 7), np.float32)
        for _ in range(3):
            out[...] = 0
            assert compiled(**given, out=out) is out
            assert np.array_equal(bits(out), bits(wanted))
        call = compiled.bind(**given, out=out)
        for factor in (1.0, 2.0):
            given["T"] *= np.float32(factor)
            call()
            assert np.array_equal(bits(out), bits(compiled(**given)))
        with pytest.raises(InputError, match="writable array of float32"):
            compiled(**given, out=np.zeros((*shape, 7)))
    with pytest.raises(InputError, match="writable array of float64"):
        compile_program(dynamics.forward_dynamics, ARM)(**given, out=out)


def test_results_of_any_kind() -> None:
    tree = random_tree(4, joints=ALL_JOINTS, seed=3)
    given = state(tree, (3,), "v", "T")
    found = single({"E": dynamics.kinetic_energy, "x": dynamics.forward_dynamics, "D": s.D}, tree)(**given)
    assert {np.asarray(block).dtype for one in found.values() for block in one} == {np.dtype(np.float32)}
    operator: Any = single(MASS, ARM).linear_operator(q=np.ones(7))
    assert operator.matvec(np.ones(7)).dtype == np.float32


def test_backends_that_have_none() -> None:
    for backend in ("interpreter", "c", "sympy"):
        with pytest.raises(InputError, match='dtype="float32"'):
            single(MASS @ s.qdd, ARM, backend=backend)
    with pytest.raises(InputError, match="dtype"):
        compile_program(MASS, ARM, dtype="float16")  # pyright: ignore[reportArgumentType]
    assert isinstance(single(MASS @ s.qdd, ARM, backend="compiled")._executable, floats.Floats)  # pyright: ignore[reportPrivateUsage]
