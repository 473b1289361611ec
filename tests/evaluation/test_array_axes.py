"""The arrays of operators, and of what formulas mean, have the axes that their annotations say."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from typing import Annotated, Any, get_args, get_origin

import numpy as np
import pytest

from operator_algebra import symbols as s
from operator_algebra.errors import SingularError
from operator_algebra.evaluation import evaluate, evaluate_with_scale, model_source, start
from operator_algebra.expressions.build import diag, fixpoint, inv, operator, root, scalar
from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.query import Query, question
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.meaning.source import edge_ends
from operator_algebra.meaning.steps import Rounding
from operator_algebra.models.families import chain
from operator_algebra.models.model import Frame, Model
from operator_algebra.models.numeric import Numbers
from operator_algebra.operators import arrays, leaf_factors
from operator_algebra.operators.bind import bind
from operator_algebra.operators.blocks import BlockGroup
from operator_algebra.operators.leaf import LEAVES, RigidShift
from operator_algebra.operators.leaf_factors import body_classes
from operator_algebra.operators.leaves import LeafValues, local_blocks
from operator_algebra.operators.spaces import FORCE, MOTION, ONE, RATE, TORQUE, space
from operator_algebra.spatial.arrays import Axes
from tests.array_axes import Watch, arrays_in, one_of_each_joint, places
from tests.expression_strategies import inputs_for
from tests.oracles.exact_sources import ConvertedSource

FRAMES: tuple[Axes, ...] = ("body", "world")
KINDS = (np.float64, np.longdouble, np.complex128)
FORMULAS = (
    "inv(H phi M phi.T H.T) T",
    "inv(M + phi M phi.T)",
    "inv(phi) f_ext",
    "inv(M + E_phi M E_phi.T) + inv(M)",
    "psi K D",
    "cross(V).T M V",
    "H_dot M V + spring + (armature + damping) v",
    "E_ground phi M phi.T E_ground.T",
    "X_cm.T a_ground + X_abs.T a_ground",
    "m inv(m)",
    "diag(phi M phi.T)",
    "trace(H phi M phi.T H.T)",
    "logdet(H phi M phi.T H.T)",
    "logdet(D)",
    "dense(Omega)",
    "block(inv(H phi M phi.T H.T), 3, 4)",
)
RECURSIONS = (
    fixpoint("X", MOTION >> FORCE, lambda X: s.M + diag(s.E_phi @ X.T @ s.E_phi.T)),
    fixpoint("X", MOTION >> FORCE, lambda X: s.M + scalar("h") * diag(s.E_phi @ root(X) @ root(X).T @ s.E_phi.T)),
    fixpoint("X", ONE >> MOTION, lambda X: s.H.T @ s.v + s.E_phi.T @ s.cross(X) @ s.H.T @ s.v),
    s.Upsilon,
    diag(s.E_phi),
    diag(s.I + s.E_phi),
)
J = operator("J", RATE >> TORQUE, structure="diagonal definite")
SOFT = operator("S", RATE >> TORQUE, structure="diagonal semidefinite")
ONTO = operator("O", FORCE >> FORCE, structure="diagonal invertible")
WHOLE = operator("A", RATE >> TORQUE, structure="definite")
INWARD = operator("N", FORCE >> FORCE, structure="inward hop")
LOWER = operator("L", FORCE >> FORCE, structure="inward unit")
LOOPS = space("loops", attached=False)
PICK = operator("C", space("grip").dual >> FORCE, structure="diagonal")


FILLED_LATER = {"nested:_System(rows)", "plan:Known(blocks)", "steps:Rounding(signs)", "steps:Schedule(steps)"}
"""Fields that are empty when their record is made; what is put there is compared where it is found."""


@pytest.fixture(scope="module")
def tree() -> Model:
    """Two joints of every kind, with springs, dampers and rotors wherever they can have them, on two roots."""
    model = one_of_each_joint(copies=2)
    bodies = [
        replace(body, joint=replace(body.joint, stiffness=2.0 * body.joint.allows_springs, damping=0.5, armature=0.1))
        for body in model.bodies
    ]
    return Model(bodies=bodies, frames={"left": Frame(bodies[5].name), "right": Frame(bodies[5].name)})


def given(e: Expr | Query, model: Model) -> dict[str, Any]:
    """Values of the inputs, and v where a leaf reads it."""
    body = e.body if isinstance(e, Query) else e
    reads = any(symbol.leaf is not None and symbol.leaf.reads_rates for symbol in free_symbols(body))
    return {**({"v": model.random(2)[1]} if reads else {}), **inputs_for(body, model, 3)}


def value(formula: str, tree: Model) -> None:
    e = question(formula, "a formula")
    for kind in KINDS:
        for frame in FRAMES:
            evaluate(e, tree, q=tree.random(1)[0].astype(kind), frame=frame, **given(e, tree))


def scales(tree: Model) -> None:
    for e in (s.psi @ s.K, inv(s.phi), s.V_tilde, s.R, s.m):
        evaluate_with_scale(e, tree, q=tree.random(1)[0], **given(e, tree))


def recursions(tree: Model) -> None:
    for e in RECURSIONS:
        evaluate(e, tree, q=tree.random(1)[0], **given(e, tree))


def exact_values(tree: Model) -> None:
    del tree
    model = chain(4, joint=("revolute", "universal", "prismatic", "revolute"), seed=3)
    for e in (inv(s.H @ s.phi @ s.M @ s.phi.T @ s.H.T), s.m, inv(s.psi), s.V):
        run = start(ConvertedSource(model_source(e, model, q=model.random(1)[0], **given(e, model)), Fraction))
        run.value(e).dense()


def reasons_for_no_value(tree: Model) -> None:
    lost = s.H @ s.M @ s.H.T - s.H @ s.phi @ s.M @ s.H.T
    for kind in KINDS:
        for e in (inv(lost), inv(s.P_plus), root(s.M - 2 * s.M)):
            with pytest.raises(SingularError):
                evaluate(e, tree, q=tree.random(1)[0].astype(kind))


def inverses_together(tree: Model) -> None:
    full = operator("A", RATE >> TORQUE)
    zero = np.zeros((tree.nv, tree.nv))
    evaluate(inv(inv(full) + inv(J)), tree, q=tree.neutral(), J=np.ones(tree.nv), A=zero)


def redundant_rows(tree: Model) -> None:
    rows = operator("rows", RATE >> LOOPS)
    twice = np.repeat(np.random.default_rng(1).standard_normal((2, tree.nv)), 2, axis=0)
    e = inv(rows @ inv(J) @ rows.T) @ rows @ inv(J) @ s.T
    evaluate(e, tree, q=tree.neutral(), redundant="least norm", J=np.ones(tree.nv), rows=twice, T=np.ones(tree.nv))


def looks(tree: Model) -> None:
    found = evaluate(s.H @ s.phi, tree, q=tree.neutral())
    found.dense("paper")
    found.pattern("paper")
    assert found[3, 4].shape
    assert found._repr_html_()  # pyright: ignore[reportPrivateUsage]
    evaluate(s.H @ s.phi @ s.M @ s.phi.T @ s.H.T, tree, q=tree.random(1)[0]).inverse()


def given_operators(tree: Model) -> None:
    blocks = np.broadcast_to(np.eye(6), (tree.n, 6, 6))
    grips = {"left": np.ones((6, 2)), "right": np.ones((6, 1)), tree.joint_names[3]: np.ones((6, 3))}
    values: dict[Symbol, Any] = {
        J: np.ones(tree.nv),
        SOFT: [np.eye(body.joint.nv) for body in tree.bodies],
        ONTO: blocks,
        WHOLE: np.eye(tree.nv),
        INWARD: blocks,
        LOWER: np.eye(6 * tree.n),
        PICK: grips,
        s.T: {tree.joint_names[3]: np.ones(tree.bodies[3].joint.nv)},
    }
    for e, one in values.items():
        evaluate(e, tree, q=tree.neutral(), **{e.name: one})


def given_operators_of_samples(tree: Model) -> None:
    values: dict[str, Any] = {
        "J": np.ones((2, 3, tree.nv)),
        "O": np.broadcast_to(np.eye(6), (2, 3, tree.n, 6, 6)),
        "N": np.ones((2, 3, tree.n, 6, 6)),
        "T": np.ones((2, 3, tree.nv)),
        "f_ext": {tree.joint_names[3]: np.ones((2, 3, 6))},
    }
    bound = bind("it", [J, ONTO, INWARD, s.T, s.f_ext], tree, values, batch=True, lead=(2, 3))
    assert bound.values["T"].entries.shape == (2, 3, tree.nv)
    assert all(len(one.by_body()) == tree.n for one in bound.values.values())


def leaves(tree: Model, lead: tuple[int, ...] = ()) -> None:
    v = np.random.default_rng(1).uniform(-1.0, 1.0, (*lead, tree.nv))
    q = tree.integrate(np.broadcast_to(tree.neutral(), (*lead, tree.nq)), v)
    for frame in FRAMES:
        values = LeafValues(tree, q, v, frame)
        assert all(len(values.blocks(leaf)) == tree.n for leaf in LEAVES)


def leaves_as_factors(tree: Model, lead: tuple[int, ...] = ()) -> None:
    v = np.random.default_rng(1).uniform(-1.0, 1.0, (*lead, tree.nv))
    q = tree.integrate(np.broadcast_to(tree.neutral(), (*lead, tree.nq)), v)
    for of in body_classes(tree):
        for leaf in LEAVES:
            if leaf.form != RigidShift("base"):
                for factor in leaf_factors.factors(leaf, of, q[..., of.q], v[..., of.v], np):
                    factor.block(np)


@dataclass(frozen=True)
class Case:
    """Something to do with a tree, at so many axes of samples."""

    act: Callable[[Model], None]
    batch: int = 0


CASES: dict[str, Case] = {
    **{formula: Case(partial(value, formula)) for formula in FORMULAS},
    **{
        act.__name__: Case(act)
        for act in (scales, recursions, exact_values, reasons_for_no_value, inverses_together, redundant_rows, looks)
    },
    **{act.__name__: Case(act) for act in (given_operators, leaves, leaves_as_factors)},
    "given_operators_of_samples": Case(given_operators_of_samples, 2),
    "leaves_of_samples": Case(partial(leaves, lead=(2, 3)), 2),
    "factors_of_samples": Case(partial(leaves_as_factors, lead=(2, 3)), 2),
}


@pytest.fixture(scope="module")
def compared(tree: Model) -> Callable[[str], set[tuple[str, str]]]:
    """What a case compares, each case done once."""

    @cache
    def done(name: str) -> set[tuple[str, str]]:
        with pytest.MonkeyPatch.context() as patch:
            watch = Watch(CASES[name].batch)
            watch.everything(patch)
            CASES[name].act(tree)
        return watch.seen

    return done


@pytest.mark.parametrize("case", CASES)
def test_arrays_have_the_axes_of_their_annotations(case: str, compared: Callable[[str], set[tuple[str, str]]]) -> None:
    assert compared(case)


def test_every_name_of_axes_is_met(compared: Callable[[str], set[tuple[str, str]]]) -> None:
    seen = {axes for case in CASES for _, axes in compared(case)}
    named = {get_args(alias)[1] for alias in vars(arrays).values() if get_origin(alias) is Annotated}
    assert named - seen == set()


def test_every_function_of_arrays_is_met(compared: Callable[[str], set[tuple[str, str]]]) -> None:
    """Its arguments, its result, and the fields of records."""
    seen = {where.partition(")")[0] for case in CASES for where, _ in compared(case)}
    rooms = ("operator_algebra.operators.", "operator_algebra.meaning.")
    found = [
        where
        for where, hint in places()
        if where.startswith(rooms) and get_origin(hint) is not Callable and any(True for _ in arrays_in(hint))
    ]
    assert {where.rpartition(".")[2] for where in found if where.removesuffix(")") not in seen} == FILLED_LATER


def test_every_array_says_its_axes() -> None:
    rooms = ("operator_algebra.operators.", "operator_algebra.meaning.")
    bare = [
        where
        for where, hint in places()
        for array in arrays_in(hint)
        if where.startswith(rooms) and get_origin(array) is not Annotated
    ]
    assert not bare


PLANTED: dict[str, tuple[Any, str, Any, str]] = {
    "one argument": (local_blocks, "motion", "*lead 3", "recursions"),
    "one result": (LeafValues._to_base, "return", "*#batch m r c f", "leaves"),  # pyright: ignore[reportPrivateUsage]
    "two names of a record swapped": (BlockGroup, "blocks", "r m c", "looks"),
    "an argument of meaning": (edge_ends, "parent", "n n", "given_operators"),
    "a name of meaning that is another size": (edge_ends, "parent", "m", "given_operators"),
    "a method of meaning": (Rounding.__call__, "block", "m r c", "recursions"),
}


@pytest.mark.parametrize("planted", PLANTED)
def test_wrong_axes_are_told(planted: str, tree: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    annotated, part, axes, case = PLANTED[planted]
    monkeypatch.setitem(annotated.__annotations__, part, Annotated[Numbers, axes])
    Watch().everything(monkeypatch)
    with pytest.raises(AssertionError, match=rf"is not \({re.escape(axes)}\)"):
        CASES[case].act(tree)
