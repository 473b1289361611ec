"""check: verdicts, the smallest counter-example, and what it refuses."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from operator_algebra.checking.check import Check, check, check_all
from operator_algebra.checking.suite import TRAITS, coverage, groups, in_domain, mechanism, suite, traits_of, trials
from operator_algebra.errors import InputError, ParseError
from operator_algebra.expressions.build import fixpoint, operator
from operator_algebra.identities.catalogue import catalogue, law_named
from operator_algebra.identities.claims import law_of, laws_of
from operator_algebra.identities.identity import Identity
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.gallery import load
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.model import Body, Model
from operator_algebra.models.shapes import forest_shapes
from operator_algebra.operators.spaces import FORCE, MOTION, RATE, TORQUE, space
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.symbols import E_phi, H, I, K, M, inv, phi, psi


def test_a_sign_slip_is_refuted_by_two_bodies() -> None:
    found = check("inv(I + H phi K) = I + H psi K", chain(6))
    assert found.verdict == "FAILS"
    assert not found
    assert found.counterexample is not None
    assert found.counterexample.model.n == 2
    assert found.counterexample.block == (0, 1)
    assert found.counterexample.elsewhere == 0
    assert "smallest counter-example: 2 bodies, revolute–revolute, q = (0, 0)" in str(found)
    left, right = float(found.counterexample.left[0, 0]), float(found.counterexample.right[0, 0])
    assert left == -right != 0.0


def test_small_cases_mislead() -> None:
    claim = "(I + H phi K)(I - H phi K) = I"
    assert check(claim, chain(2)).verdict == "holds"
    found = check(claim, chain(5))
    assert found.counterexample is not None
    assert found.counterexample.model.n == 3


def test_a_law_of_chains_is_refuted_on_a_tree() -> None:
    claim = "Omega = Upsilon + psi_tilde' Upsilon + Upsilon psi_tilde"
    assert check(claim, chain(4)).verdict == "holds"
    found = check(claim, random_tree(6, branching=0.8, seed=4))
    assert found.counterexample is not None
    assert max(map(len, found.counterexample.model.children)) > 1
    assert found.counterexample.model.n == 3


def test_projections_need_no_J() -> None:
    assert check("tau tau = tau", chain(3)).verdict == "holds"
    assert check("tau_J tau_J = tau_J", chain(3)).verdict == "FAILS"


def test_a_new_gain_of_ones_own() -> None:
    J = operator("J_rotor", RATE >> TORQUE, structure="diagonal definite")
    P = fixpoint(
        "P_rotor",
        MOTION >> FORCE,
        lambda P: M + E_phi @ (P - P @ H.T @ inv(H @ P @ H.T + J) @ H @ P) @ E_phi.T,
    )
    D = H @ P @ H.T + J
    gain = E_phi @ P @ H.T @ inv(D)
    mass = H @ phi @ M @ phi.T @ H.T + J
    geared = Identity("geared innovations", mass, (I + H @ phi @ gain) @ D @ (I + H @ phi @ gain).T)
    assert check(geared, mechanism("forest5.7"))
    assert not check(Identity("J forgotten", mass - J, (I + H @ phi @ gain) @ D @ (I + H @ phi @ gain).T), chain(2))


def test_a_space_of_ones_own_gets_sizes() -> None:
    contact = space("feet")
    A = operator("A", contact.dual >> FORCE, structure="diagonal")
    assert check(Identity("adjoint", (A.T @ phi.T).T, phi @ A), chain(3))


def test_an_ill_conditioned_claim_is_told_from_a_false_one() -> None:
    light = Inertia(1e-9, (0.1, 0, 0), (1e-12, 1e-12, 1e-12))
    heavy = Inertia(1e9, (0.1, 0, 0), (1e6, 1e6, 1e6))
    bodies = [
        Body("a", None, Joint.revolute(), inertia=light),
        Body("b", "a", Joint.floating(), inertia=heavy),
        Body("c", "b", Joint.spherical(), inertia=light),
    ]
    uneven = Model(name="uneven", bodies=bodies)
    for name in ("inverse mass matrix", "operational-space kernel", "innovations factorization"):
        found = check(name, uneven)
        assert found.verdict == "holds"
    assert sum(row.precise for row in check("operational-space kernel", uneven).rows) > 0


def test_a_singular_inverse_is_inconclusive_and_named() -> None:
    found = check("inv(H E_phi M E_phi' H') = inv(D)", chain(3))
    assert found.verdict == "inconclusive"
    assert found.count("inconclusive") == 8
    assert found.culprit == "H E_φ M E_φ* H*"
    assert "to blame: H E_φ M E_φ* H*" in str(found)


def test_a_check_speaks() -> None:
    found = check("factor inverse", chain(3), samples=2)
    assert repr(found).startswith("holds   factor inverse   2 samples, worst residual ")
    assert str(found).startswith("holds        factor inverse: (I + H φ K)⁻¹ = I − H ψ K\n")
    assert 'replay  oa.check("factor inverse", model, samples=2, seed=0)   # model: your "chain3"' in str(found)
    assert 'replay  operator-algebra check "factor inverse" --model tree4' in str(
        check("factor inverse", load("tree4"))
    )
    assert found.samples == 2
    assert found.residual <= found.bound
    assert "<table>" in found._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert "chain3" in found.table()


def test_progress_is_told_from_the_start_and_to_the_end() -> None:
    told: list[tuple[int, int | None]] = []
    check("factor inverse", chain(2), progress=lambda done, total, text: told.append((done, total)))
    assert told == [(0, 8), (8, 8)]


def test_progress_ends_with_what_was_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operator_algebra.checking.search.suite", lambda: ("tree4", "planar2r", "chain50"))
    told: list[tuple[int, int | None]] = []
    laws = list(catalogue().values())
    found = check_all(laws, samples=1, progress=lambda done, total, text: told.append((done, total)))
    outside = sum(not in_domain(law, mechanism(name)) for law in laws for name in ("tree4", "planar2r", "chain50"))
    judged = sum(one.samples for one in found)
    assert outside > 0
    assert told[0] == (0, 3 * len(laws) - outside)
    assert told[-1] == (judged, judged)


def test_the_place_of_work_does_not_matter() -> None:
    laws = [law_named("gain normalisation"), law_named("left exchange")]
    with ThreadPoolExecutor(2) as pool:
        there = check_all(laws, mechanism("tree4"), samples=3, executor=pool)
    here = check_all(laws, mechanism("tree4"), samples=3)
    assert [one.rows for one in here] == [one.rows for one in there]


def test_wrong_use_is_refused() -> None:
    with pytest.raises(InputError, match="Did you mean 'factor inverse'"):
        check("factor inverze")
    with pytest.raises(InputError, match=r"samples is 0\. Give a whole number of at least 1"):
        check("factor inverse", samples=0)
    with pytest.raises(InputError, match="seed is -1"):
        check("factor inverse", seed=-1)
    with pytest.raises(InputError, match="check takes one model"):
        check("factor inverse", [chain(2)])  # pyright: ignore[reportArgumentType]
    with pytest.raises(ParseError):
        check("inv(I + H phi K = I")
    with pytest.raises(InputError, match="unknown trait 'planar'"):
        check(Identity("law", H @ phi, H @ phi, domain=("planar",)), chain(2))


def test_claims_by_name_pattern_and_text() -> None:
    assert law_of("factor inverse") is law_named("factor inverse")
    assert len(laws_of("riccati")) > 5
    assert [law.name for law in laws_of("exchange")] == [law.name for law in laws_of("*exchange*")]
    with pytest.raises(InputError, match="no law has a name or theme like"):
        laws_of("zz*")
    assert law_of("phi - psi = psi K H phi").lhs == phi - psi
    assert law_of("phi - psi = psi K H phi").rhs == psi @ K @ H @ phi


def test_the_suite_covers_what_it_says() -> None:
    names = suite()
    assert len(names) == len(set(names)) >= 90
    assert len(groups()["all shapes of forests to 5 bodies"]) == 36
    shapes = {mechanism(name).parent for name in groups()["all shapes of forests to 5 bodies"]}
    assert len(shapes) == 36
    assert max(mechanism(name).n for name in names) == 200
    rows = dict(coverage(names))
    assert rows["kinds of joints"] == "10 of 10"
    for group in groups().values():
        assert set(group) <= set(names)


def test_every_joint_stands_deep_in_a_tree_and_carries_something() -> None:
    for name in groups()["each kind of joint inside a tree"]:
        model = mechanism(name)
        (place,) = [k for k, body in enumerate(model.bodies) if body.name == "link4"]
        assert model.bodies[place].joint.kind == name.partition("-")[0]
        assert model.level[place] == 3
        assert model.children[place]


def test_samples_turn_through_axes_and_orders() -> None:
    for name in ("tree4", "forest5.7", "free1", "hand"):
        model = mechanism(name)
        batches = list(trials(model, 8, 0))
        seen = Counter((sample.frame, trial.model is not model) for trial, _ in batches for sample in trial.samples)
        assert set(seen.values()) == {2}
        assert len(seen) == 4
        assert sorted(number for _, numbers in batches for number in numbers) == list(range(8))
    # A chain has no siblings to mirror.
    assert [len(numbers) for _, numbers in trials(chain(3), 8, 0)] == [8]


def test_traits() -> None:
    assert traits_of(chain(3)) == {"serial", "1-DOF", "revolute", "constant joint maps", "closed joints"}
    assert "serial" not in traits_of(mechanism("tree4"))
    assert "free base" in traits_of(mechanism("free2"))
    assert "free base" not in traits_of(mechanism("free-inside"))
    assert set(TRAITS) == {"serial", "1-DOF", "revolute", "constant joint maps", "closed joints", "free base"}


def test_forests_are_counted_as_in_combinatorics() -> None:
    # Unlabelled rooted forests: 1, 2, 4, 9, 20, 48.
    assert [len(forest_shapes(n)) for n in range(1, 7)] == [1, 2, 4, 9, 20, 48]
    assert all(parent[0] == -1 for n in range(1, 6) for parent in forest_shapes(n))


def test_a_check_is_true_only_if_it_holds() -> None:
    assert isinstance(check("left exchange", chain(2)), Check)
    assert bool(check("left exchange", chain(2))) is True
    assert np.isfinite(check("left exchange", chain(2)).condition)
    assert psi is not phi
