"""Loops as machine code: right on long chains and trees, to the bit in any batch, and where pivots are small."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from operator_algebra.applications import dynamics
from operator_algebra.backends.floats import Floats
from operator_algebra.backends.loops import classes
from operator_algebra.backends.loops import run as loops
from operator_algebra.backends.loops.limits import EVERYWHERE, Limits
from operator_algebra.backends.loops.run import LoopKernel
from operator_algebra.backends.native import machine as machines
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.calls.compiled import Compiled
from operator_algebra.compiler import compile as compile_program
from operator_algebra.expressions.nodes import Expr
from operator_algebra.lowering.lower import lower
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.model import Model
from operator_algebra.operators.leaf_factors import body_classes
from operator_algebra.operators.vanishing import vanishing
from tests.backends.loops.by_hand import ByHand
from tests.backends.loops.called import executable, kernel, rows, swinging, told
from tests.backends.scalar.calls import Call
from tests.fences import CAN, fenced
from tests.oracles.recursive_dynamics import mass_matrix
from tests.programs.test_interpreted_programs import inputs
from tests.rounding import EPS, apart, condition, rounding, size
from tests.strategies import ALL_JOINTS

pytest.importorskip("llvmlite")
FORWARD, INVERSE = dynamics.forward_dynamics, dynamics.inverse_dynamics


def runs_in_loops(compiled: Compiled) -> bool:
    return any(isinstance(one, LoopKernel) for one in executable(compiled).kernels)


def arguments(model: Model, names: tuple[str, ...], count: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    values: dict[str, Any] = {name: rng.standard_normal((count, model.nv)) for name in names}
    return {"q": np.stack([model.random(k)[0] for k in range(count)]), **values}


@pytest.mark.parametrize(
    "model",
    [chain(120), chain(120, seed=4), random_tree(160, joints=["revolute"], seed=1), random_tree(64, seed=1)],
    ids=["chain", "any axes", "tree", "all joints"],
)
def test_there_and_back(model: Model) -> None:
    """Forces of the accelerations of some forces are these forces, within what rounding the accelerations costs."""
    forward, inverse = compile_program(FORWARD, model), compile_program(INVERSE, model)
    values = arguments(model, ("v", "T"), 11)
    qdd = forward(**values)
    given = {name: values[name] for name in ("q", "v")}
    T = inverse(**given, qdd=qdd)
    assert runs_in_loops(forward)
    assert runs_in_loops(inverse)
    rounded = inverse(**given, qdd=qdd * (1 + EPS * np.random.default_rng(1).choice([-1.0, 1.0], qdd.shape)))
    allowed = 64 * size(rounded - T) + rounding(size(T, inverse(**given, qdd=0 * qdd)), terms=model.n)
    assert apart(T, values["T"]) <= allowed


@pytest.mark.parametrize("e", [FORWARD, INVERSE], ids=["forward", "inverse"])
@pytest.mark.parametrize("kinds", [["revolute"], ["revolute", "spherical"], ["prismatic", "universal"]], ids=str)
def test_they_are_what_is_interpreted(e: Expr, kinds: list[str]) -> None:
    model = chain(90, joint=kinds, seed=3)
    compiled = compile_program(e, model)
    values = arguments(model, ("v", "qdd" if e is INVERSE else "T"), 5)
    found, expected = compiled(**values), compile_program(e, model, backend="interpreter")(**values)
    assert runs_in_loops(compiled)
    scale = 1.0 if e is INVERSE else condition(mass_matrix(model, values["q"][0]))
    assert apart(found, expected) <= rounding(size(expected), terms=model.n, condition=min(scale, 1e8))


@pytest.mark.parametrize("near", [0, loops._NEAR])  # pyright: ignore[reportPrivateUsage]
def test_any_number_of_samples_has_the_same_bits(near: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model = chain(24, seed=1)
    made, call = kernel(model, FORWARD, arguments(model, ("v", "T"), 33))
    several = rows(call)
    _, good, (whole,) = made.batch(several, 33)
    assert good.all()
    monkeypatch.setattr(loops, "_NEAR", near)
    for count in range(34):
        _, flags, (found,) = made.batch([array[:count] for array in several], count)
        assert flags.shape == (count,)
        assert np.array_equal(found, whole[:count])
    for k in (0, 9, 32):
        _, _, (alone,) = made.batch([array[k : k + 1] for array in several], 1)
        assert np.array_equal(alone[0], whole[k])
    _, _, (shared,) = made.batch([several[0], several[1][:1], several[2][:1]], 33)
    _, _, (copied,) = made.batch([several[0], *(np.repeat(one[:1], 33, axis=0) for one in several[1:])], 33)
    assert np.array_equal(shared, copied)


@pytest.mark.skipif(not CAN, reason="pages are protected as Linux does it")
@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("e", [FORWARD, INVERSE], ids=["forward", "inverse"])
def test_nothing_beside_the_arrays_is_touched(e: Expr, before: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    model = chain(11, seed=1)
    made, call = kernel(model, e, arguments(model, ("v", "qdd" if e is INVERSE else "T"), 33))
    several, plain = rows(call), np.empty
    _, _, (whole,) = made.batch(several, 33)

    def empty(shape: Any, dtype: Any = np.float64) -> Any:
        found = plain(shape, dtype)
        return fenced(found, before=before) if found.size and found.dtype == np.float64 else found

    for count in (*range(1, 18), 24, 25, 33):
        own = [fenced(array[:count], before=before) for array in several]
        with monkeypatch.context() as patched:
            patched.setattr(loops, "_local", SimpleNamespace())
            patched.setattr(np, "empty", empty)
            _, good, (found,) = made.batch(own, count)
        assert good.all()
        assert np.array_equal(found, whole[:count])


def test_pieces_of_long_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    model = chain(24)
    made, call = kernel(model, FORWARD, arguments(model, ("v", "T"), 70))
    _, _, (whole,) = made.batch(rows(call), 70)
    assert np.array_equal(made.batch(rows(call), 70, 2)[2][0], whole)
    monkeypatch.setattr(loops, "_MEMORY", 8)
    assert np.array_equal(made.batch(rows(call), 70)[2][0], whole)


def test_threads_at_once() -> None:
    model = chain(200, seed=1)
    compiled = compile_program(FORWARD, model)
    values = arguments(model, ("v", "T"), 12)
    expected = compiled(**values)

    def called(k: int) -> Any:
        return compiled(**{name: x[k] for name, x in values.items()})

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(called, [*range(12)] * 4))
    assert all(np.array_equal(one, expected[k % 12]) for k, one in enumerate(found))


@pytest.mark.parametrize("branching", [0.0, 0.6, 1.0])
def test_code_does_what_pieces_say(branching: float) -> None:
    model = random_tree(6, joints=["revolute", "spherical", "fixed"], branching=branching, seed=2)
    program = lower({"x": FORWARD, "V": dynamics.velocity}, zeros=vanishing(model))
    call = Call.of(program, model, model.random(0)[0], inputs(program, model, 0))
    made = LoopKernel(program, model, Signature.of(call.inputs), EVERYWHERE)
    good, _, found = made.batch([np.ravel(x)[None, :] for x in rows(call)], 1)
    entries = [(x.rows, x.entries) for n, x in call.inputs.values.items() if n not in call.inputs.absent]
    layouts = [call.inputs.layouts[output.rows.sizes] for output in program.outputs]
    by_hand = ByHand(made.cut, model, call.q, entries, layouts)
    assert good == by_hand.run()
    for one, other in zip(found, by_hand.results, strict=True):
        assert apart(one[0], other) <= rounding(size(other), terms=model.n, condition=1e3)


# -- who runs ----------------------------------------------------------------------------------------------------------


def test_short_lists_and_trees_of_many_kinds_have_no_loops() -> None:
    compiled = compile_program(dynamics.gravity_term, chain(7))
    compiled(q=chain(7).neutral())
    assert not runs_in_loops(compiled)
    tree = random_tree(64, joints=ALL_JOINTS, seed=0)
    call = Call.of(lower(dynamics.gravity_term), tree, tree.neutral(), {})
    for limits in (Limits(), Limits(kinds=4), Limits(operations=1_000)):
        kernel = Floats(call.program, tree, "body", loops=limits).kernel(call.inputs)
        assert isinstance(kernel, LoopKernel) == (limits == Limits())


def test_without_llvm_all_is_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "machine", lambda: None)
    model = chain(150)
    compiled = compile_program(FORWARD, model)
    values = {name: x[0] for name, x in arguments(model, ("v", "T"), 1).items()}
    found = compiled(**values)
    assert not runs_in_loops(compiled)
    assert np.array_equal(found, compile_program(FORWARD, model, backend="interpreter")(**values))


def test_what_llvm_cannot_do_is_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(self: machines.Machine, text: str) -> bytes:
        del self, text
        raise RuntimeError("no such instruction")

    monkeypatch.setattr(machines.Machine, "compiled", refused)
    model = chain(151)
    values = {name: x[0] for name, x in arguments(model, ("v", "T"), 1).items()}
    found = compile_program(FORWARD, model)(**values)
    assert np.array_equal(found, compile_program(FORWARD, model, backend="interpreter")(**values))


def test_each_body_is_of_one_kind() -> None:
    for model in (chain(40, seed=0), random_tree(200, joints=["revolute", "prismatic"], seed=0)):
        bodies = np.concatenate([kind.bodies for kind in classes.kinds(model, body_classes(model))])
        assert np.array_equal(np.sort(bodies), np.arange(model.n))


# -- pivots ------------------------------------------------------------------------------------------------------------


def test_what_is_singular_is_told_as_by_the_interpreter() -> None:
    model = swinging(150)
    values = arguments(model, ("v", "T"), 4)
    values["q"][1, 1] = 0.0  # on the axis
    values["q"][3, 1] = 1e-9
    compiled = compile_program(FORWARD, model)
    alone = [told(lambda k=k: compiled(**{name: x[k] for name, x in values.items()}))[0] for k in (0, 2)]
    found, message = told(lambda: compiled(**values))
    expected, said = told(lambda: compile_program(FORWARD, model, backend="interpreter")(**values))
    assert runs_in_loops(compiled)
    assert message == said
    assert 'joint "swivel"' in message
    assert np.array_equal(found[[0, 2]], alone)
    assert np.isnan(found[1]).all()
    assert np.array_equal(np.isnan(found), np.isnan(expected))


@pytest.mark.parametrize("name", ["q", "v", "T"])
def test_what_is_not_finite_is_not_trusted(name: str) -> None:
    model = chain(24)
    values = arguments(model, ("v", "T"), 3)
    made, call = kernel(model, FORWARD, values)
    place = {"q": 0, **{one: 1 + i for i, one in enumerate(n for n in call.inputs.values if n != "f_ext")}}[name]
    several = [array.copy() for array in rows(call)]
    several[place][1, 5] = np.nan
    assert made.batch(several, 3).good.tolist() == [True, False, True]
    assert made.single([x for array in rows(call) for x in array[0].tolist()]) is not None
    assert made.single([x for array in several for x in array[1].tolist()]) is None


def test_angles_that_are_far_away_are_left_to_the_interpreter() -> None:
    model = chain(110)
    compiled = compile_program(dynamics.velocity, model)
    q = np.zeros(model.n)
    q[50] = 3e6
    found = compiled(q=q, v=np.ones(model.n))
    expected = compile_program(dynamics.velocity, model, backend="interpreter")(q=q, v=np.ones(model.n))
    assert np.array_equal(found, expected)
