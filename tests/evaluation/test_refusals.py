"""Whatever cannot be evaluated ends in an error that says what, where, and what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from operator_algebra import symbols as s
from operator_algebra.errors import InputError, NotLowerable, SingularError
from operator_algebra.evaluation import evaluate
from operator_algebra.expressions.build import diag, fixpoint, inv, operator, root, scalar, vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import logdet
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.model import Body, Model
from operator_algebra.operators.spaces import FORCE, MOTION, RATE, TORQUE
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement
from tests.rounding import apart, condition, rounding, size

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
TREE = random_tree(6, seed=1)
Q, V = TREE.random(1)


def point_arm(tip: Inertia) -> Model:
    """Two turning joints and a wrist about the axis of whatever the tip is."""
    step = Placement(translation=(0.5, 0, 0))
    return Model(
        name="point_arm",
        strict=False,
        bodies=[
            Body("upper", None, Joint.revolute(name="shoulder"), inertia=Inertia.box(1.0, (0.5, 0.1, 0.1))),
            Body("fore", "upper", Joint.revolute(name="elbow"), step, Inertia.box(1.0, (0.5, 0.1, 0.1))),
            Body("hand", "fore", Joint.revolute((0.6, 0.8, 0), name="wrist"), step, tip),
            Body("nail", "hand", Joint.fixed(name="glue"), step),
        ],
    )


@pytest.mark.filterwarnings("ignore::operator_algebra.errors.OperatorAlgebraWarning")
@pytest.mark.parametrize("e", [inv(s.D), s.P, s.psi, s.K @ s.T, s.Upsilon, root(s.D)], ids=str)
@pytest.mark.parametrize("mass", [0.0, 1.0])
def test_a_tip_without_inertia_about_its_axis_names_the_joint(e: Expr, mass: float) -> None:
    # A point mass on the axis: its inertia about the axis is the rounding of a difference, here 3e-17.
    model = point_arm(Inertia(mass, (0.6 * 0.7, 0.8 * 0.7, 0.0)))
    given: dict[str, Any] = {"T": np.ones(model.nv)} if "T" in str(e) else {}
    with pytest.raises(SingularError, match=r'(singular|no square root) at joint "wrist"') as error:
        evaluate(e, model, q=model.neutral(), **given)
    assert error.value.joints == ("wrist",)


@pytest.mark.filterwarnings("ignore::operator_algebra.errors.OperatorAlgebraWarning")
def test_the_message_about_a_singular_pivot() -> None:
    model = point_arm(Inertia(0.0))
    with pytest.raises(SingularError) as error:
        evaluate(inv(s.D), model, q=model.neutral())
    assert str(error.value) == (
        'H P H* is singular at joint "wrist" (pivot 0e+00, scale 0e+00): nothing outboard of it (it carries glue) has '
        "inertia about its axis. Give the tip body inertia, or fix the joint."
    )
    with pytest.raises(SingularError, match='"wrist"'):
        evaluate(inv(MASS), model, q=model.neutral())


def test_light_bodies_are_not_singular() -> None:
    """A mechanism of dust: pivots of 1e-15 are sound where everything is that small."""
    dust = [Inertia.box(1e-12, (1e-2, 2e-2, 1e-2)) for _ in range(4)]
    bodies = [
        Body(f"b{k}", f"b{k - 1}" if k else None, Joint.revolute((0, 1, 0)), inertia=i) for k, i in enumerate(dust)
    ]
    placed = [
        bodies[0],
        *(Body(b.name, b.parent, b.joint, Placement(translation=(1e-2, 0, 0)), b.inertia) for b in bodies[1:]),
    ]
    model = Model(name="dust", bodies=placed)
    q, _ = model.random(0)
    D = evaluate(s.D, model, q=q).dense()
    assert apart(evaluate(inv(s.D), model, q=q).dense() @ D, np.eye(4)) <= rounding()


def _lossy(n: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """A matrix of rank n − 1 whose blocks are all sound."""
    unit = np.ones((n, 1)) / n**0.5
    return np.eye(n) - unit @ unit.T


def test_singular_inverses_name_the_formula() -> None:
    with pytest.raises(SingularError, match=r"strictly inward.*Did you mean the inverse of I minus it"):
        evaluate(inv(s.phi - s.I), TREE, q=Q)
    with pytest.raises(SingularError, match=r"singular to rounding|is singular at joint"):
        evaluate(inv(s.Omega), TREE, q=Q)
    A = operator("A", RATE >> TORQUE)
    with pytest.raises(
        SingularError, match=r"A on tree6_1 is singular to rounding \(condition .*\): it has no inverse"
    ):
        evaluate(
            inv(A),
            TREE,
            q=Q,
            A=_lossy(TREE.nv),
        )
    with pytest.raises(SingularError, match=r'A is singular at joint ".*: what it is made of cancels there'):
        evaluate(inv(A), TREE, q=Q, A=np.ones((TREE.nv, TREE.nv)))
    with pytest.raises(SingularError, match="is singular at joint"):
        evaluate(inv(s.tau_bar), TREE, q=Q)


def test_what_has_no_spaces_has_no_value() -> None:
    for e in (s.I, s.I + s.I, 2 * s.I):
        with pytest.raises(InputError, match="Put it beside a typed operator"):
            evaluate(e, TREE, q=Q)


def test_the_logarithm_of_a_determinant_must_be_positive() -> None:
    A = operator("A", RATE >> TORQUE)
    turned = np.eye(TREE.nv)
    turned[0, 0] = -1
    with pytest.raises(InputError, match="the determinant is negative"):
        evaluate(logdet(A), TREE, q=Q, A=turned)
    turned[0, 0] = 0
    with pytest.raises(SingularError, match=r"logdet\(A\): A is singular"):
        evaluate(logdet(A), TREE, q=Q, A=turned)


# -- fixed points that are not recursions over the tree ----------------------------------------------------------------


def test_itself_at_the_same_body() -> None:
    X = fixpoint("X", MOTION >> FORCE, lambda X: s.M + X @ inv(s.M) @ X)
    with pytest.raises(NotLowerable, match="X depends on itself at the same body: an algebraic equation"):
        evaluate(X, TREE, q=Q)
    Y = fixpoint("Y", MOTION >> FORCE, lambda Y: s.M + diag(s.phi @ Y @ s.phi.T))
    with pytest.raises(NotLowerable, match="not causal"):
        evaluate(Y, TREE, q=Q)


def test_both_ways() -> None:
    X = fixpoint(
        "X",
        MOTION >> FORCE,
        lambda X: s.M + s.E_phi @ X @ s.E_phi.T + s.M @ diag(s.E_phi.T @ inv(X) @ s.E_phi) @ s.M,
    )
    with pytest.raises(NotLowerable, match="X runs both ways"):
        evaluate(X, TREE, q=Q)


def test_mutual_recursion_at_one_body() -> None:
    X = fixpoint(
        "X",
        MOTION >> FORCE,
        lambda X: s.M + fixpoint("Y", MOTION >> FORCE, lambda Y: X + s.E_phi @ Y @ s.E_phi.T),
    )
    with pytest.raises(NotLowerable, match="depends on itself at the same body"):
        evaluate(X, TREE, q=Q)


def test_a_fixed_point_that_is_not_local_settles_by_rounds() -> None:
    X = fixpoint("X", FORCE >> FORCE, lambda X: s.I + s.E_phi @ X)
    assert X.structure.flow == "inward"
    phi = evaluate(s.phi, TREE, q=Q).dense()
    assert apart(evaluate(X, TREE, q=Q).dense(), phi) <= rounding(size(phi), terms=6 * TREE.depth)
    strict = fixpoint("X", MOTION >> FORCE, lambda X: s.M + diag(s.phi_tilde @ X @ s.phi_tilde.T))
    value = evaluate(strict, TREE, q=Q)
    tilde = evaluate(s.phi_tilde, TREE, q=Q)
    again = evaluate(s.M, TREE, q=Q) + (tilde @ value @ tilde.T).diagonal()
    assert apart(value.dense(), again.dense()) <= rounding(size(value.dense()), terms=6 * 6 * TREE.n)


def test_rounds_of_an_equation_with_an_inverse() -> None:
    X = fixpoint("X", MOTION >> FORCE, lambda X: s.M + diag(s.phi_tilde @ inv(inv(X) + inv(s.M)) @ s.phi_tilde.T))
    value = evaluate(X, TREE, q=Q)
    tilde, M = evaluate(s.phi_tilde, TREE, q=Q), evaluate(s.M, TREE, q=Q)
    again = M + (tilde @ (value.inverse() + M.inverse()).inverse() @ tilde.T).diagonal()
    conditioned = max(condition(M[k, k]) for k in range(TREE.n))
    allowed = rounding(size(value.dense()), terms=6 * 6 * TREE.n, condition=conditioned)
    assert apart(value.dense(), again.dense()) <= allowed


def test_a_fixed_point_that_does_not_mention_itself_is_its_equation() -> None:
    X = fixpoint("X", MOTION >> FORCE, lambda X: s.M + s.R)
    assert np.array_equal(evaluate(X, TREE, q=Q).dense(), evaluate(s.M + s.R, TREE, q=Q).dense())


# -- size and depth ----------------------------------------------------------------------------------------------------


def test_values_beyond_the_limit_are_refused_before_they_are_computed() -> None:
    long = chain(5000, seed=1)
    q = long.neutral()
    with pytest.raises(
        InputError, match=r"φ on chain5000 is 30000×30000 and takes about 5\.4 GB, beyond the limit of 2 GB"
    ):
        evaluate(s.phi, long, q=q)
    with pytest.raises(InputError, match=r"Apply it to a vector \(… @ x\), ask for one block\(e, i, j\), compile it"):
        evaluate(MASS, long, q=q, limit="50 MB")
    with pytest.raises(InputError, match="beyond the limit"):
        evaluate(inv(MASS) @ s.T, long, q=q, T=np.ones(5000), limit="100 MB")
    assert evaluate(s.phi, TREE, q=Q, limit=1e9).nnz
    for bad in ("much", "2 XB", "", "1.2.3 GB"):
        with pytest.raises(InputError, match="is not an amount of memory"):
            evaluate(s.phi, TREE, q=Q, limit=bad)


def test_an_operator_deeper_than_the_stack() -> None:
    arm = chain(2, seed=1)
    e: Expr = s.D
    for _ in range(2000):
        e = s.D @ (s.W.T - inv(s.D) @ e)
    value = evaluate(e, arm, q=arm.neutral()).dense()
    # Every second step undoes the one before.
    pivot, W = (evaluate(x, arm, q=arm.neutral()).dense() for x in (s.D, s.W))
    assert apart(value, pivot) <= rounding(size(pivot), terms=2000, condition=condition(pivot) * condition(W))


def test_a_continued_fraction_of_inverses() -> None:
    arm = chain(2, seed=1)
    e: Expr = s.D
    for _ in range(300):
        e = s.D + s.D @ inv(e) @ s.D
    value = evaluate(e, arm, q=arm.neutral()).dense()
    golden = (1 + 5**0.5) / 2
    pivot = evaluate(s.D, arm, q=arm.neutral()).dense()
    # The fraction forgets: an error shrinks by the golden ratio at each level.
    assert apart(value, golden * pivot) <= rounding(size(value))


def test_a_vector_ten_thousand_deep() -> None:
    arm = chain(2, seed=1)
    h, x = scalar("h"), vector("x", RATE)
    e: Expr = x
    for _ in range(10_000):
        e = inv(s.D) @ (s.D @ e + h * s.T)
    torque = np.array([1.0, -1.0])
    found = evaluate(e, arm, q=arm.neutral(), h=1e-3, x=np.ones(2), T=torque).dense()
    pivot = evaluate(s.D, arm, q=arm.neutral()).dense()
    expected = 1 + 10 * np.linalg.solve(pivot, torque)
    assert apart(found, expected) <= rounding(size(expected), terms=10_000**2, condition=condition(pivot))


def test_a_deeply_nested_equation_ends_in_a_typed_error() -> None:
    def f(X: Expr) -> Expr:
        e = X
        for _ in range(3000):
            e = s.M + 0.25 * (s.E_phi @ inv(inv(e)) @ s.E_phi.T)
        return e

    X = fixpoint("X", MOTION >> FORCE, f)
    with pytest.raises(InputError, match="nested too deeply"):
        evaluate(X, chain(3, seed=1), q=np.zeros(3))


def test_columns_of_other_spaces_are_columns_too() -> None:
    found = evaluate(s.b @ s.v.T, TREE, q=Q, v=V)
    assert found.type == TORQUE >> FORCE
    assert found.shape == (6 * TREE.n, TREE.nv)
