"""Probing: the same verdicts as dense algebra, and large mechanisms in linear time."""

import random

import numpy as np
import pytest

from operator_algebra.checking.check import check_all
from operator_algebra.checking.large import probe_residual
from operator_algebra.checking.probed_laws import probe, probe_mechanisms
from operator_algebra.checking.prober import Prober, stands_beside
from operator_algebra.checking.scene import Sample
from operator_algebra.checking.suite import in_domain, mechanism
from operator_algebra.identities.catalogue import catalogue, law_named
from operator_algebra.identities.identity import Identity, Law, false_claim
from operator_algebra.models.families import chain, random_tree
from operator_algebra.spatial.arrays import Axes
from operator_algebra.symbols import E_phi, I, M, inv, phi
from tests.expression_grammar import SPACES, Maker
from tests.rounding import EPS, rounding

LAWS = list(catalogue().values())
HALF = EPS**0.5  # of the digits


@pytest.mark.parametrize("name", ["tree4", "forest5.7", "free2"])
def test_probes_tell_laws_from_their_twins(name: str) -> None:
    model = mechanism(name)
    sample = Sample.draw(model, 5, "body")
    prober = Prober(model, [sample])
    for law in LAWS:
        if not in_domain(law, model):
            continue
        assert _share(prober, law) < HALF, law
        claims = [false_claim(law, twin) for twin in law.twins]
        assert max(_share(prober, claim) for claim in claims) > HALF, law


def _share(prober: Prober, law: Law) -> float:
    found = probe_residual(prober, law)
    return float(found.difference[0] / found.size[0]) if found.size[0] else 0.0


@pytest.mark.parametrize("place", [0, 1])
def test_the_catalogue_on_six_hundred_bodies(place: int) -> None:
    model = probe_mechanisms(600)[place]
    outcomes = list(probe(model, LAWS))
    assert [outcome for outcome in outcomes if outcome.verdict == "FAILS"] == []
    unclear = {outcome.law for outcome in outcomes if outcome.verdict == "inconclusive"}
    assert unclear <= {
        "determinant of the mass matrix",
        "rate of the determinant of the mass matrix",
        "trace of the kernel",
    }
    assert all(outcome.note for outcome in outcomes if outcome.verdict == "inconclusive")


def test_constraints_of_a_long_chain_are_told_from_their_twins() -> None:
    laws = [law for law in LAWS if law.theme == "constraints"]
    outcomes = list(probe(probe_mechanisms(600)[0], [false_claim(law, law.twins[0]) for law in laws]))
    assert [outcome.verdict for outcome in outcomes] == ["FAILS"] * len(laws)


@pytest.mark.parametrize("name", ["forest5.7", "free2"])
def test_samples_beside_each_other_are_told_what_each_is_told_alone(name: str) -> None:
    model = mechanism(name)
    frames: tuple[Axes, ...] = ("body", "world", "world", "body")
    samples = [Sample.draw(model, seed, frame) for seed, frame in enumerate(frames)]
    beside, alone = Prober(model, samples), [Prober(model, [sample]) for sample in samples]
    for law in LAWS:
        if not in_domain(law, model):
            continue
        claim = false_claim(law, law.twins[0])
        together, one_by_one = probe_residual(beside, claim), [probe_residual(prober, claim) for prober in alone]
        for part in ("difference", "condition"):
            expected = np.concatenate([getattr(found, part) for found in one_by_one])
            assert np.abs(getattr(together, part) - expected).max() <= HALF * expected.max(), (law.name, part)


@pytest.mark.parametrize("few", [0, 128], ids=["by equations", "by inverses"])
def test_random_operators_on_samples_beside_each_other(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operator_algebra.checking.prober._DENSE", few)
    names = ["forest5.7", "free2", "tree4", "fixed-outboard", "fixed-alone"]
    for seed in range(40):
        rng = random.Random(seed)
        model, maker = mechanism(rng.choice(names)), Maker(rng.choice, moving=True)
        e = (
            maker.column(rng.choice(SPACES), 3)
            if seed % 3
            else maker.general(rng.choice(SPACES) >> rng.choice(SPACES), 3)
        )
        if seed % 4:
            e = maker.number(2) * e
        samples = [Sample.draw(model, seed, "body"), Sample.draw(model, seed + 1, "world")]
        if not stands_beside(e):
            continue
        beside, alone = Prober(model, samples), [Prober(model, [sample]) for sample in samples]
        x = beside.random(e.type.domain)
        found, expected = beside.apply(e, x), [prober.apply(e, prober.random(e.type.domain)) for prober in alone]
        entries, size = (np.concatenate([getattr(one, part) for one in expected]) for part in ("entries", "size"))
        assert np.abs(found.entries - entries).max(initial=0.0) <= HALF * size.max(initial=0.0), (seed, str(e))


def test_many_columns_are_substituted_as_few_are() -> None:
    model = random_tree(30, joints=("revolute", "spherical"), branching=0.7, seed=3)
    prober = Prober(model, [Sample.draw(model, seed, "body") for seed in (0, 1)])
    for e in (phi, phi.T):
        many = prober.apply(e, prober.units(e.type.domain))
        for k in (0, 5, 6 * model.n - 1):
            unit = prober.units(e.type.domain).parts(1)[k]
            few = prober.apply(e, unit)
            allowed = rounding(float(np.abs(many.size).max()), terms=6 * model.depth)
            assert np.abs(many.entries[..., [k]] - few.entries).max() <= allowed


def test_what_loses_all_digits_is_named() -> None:
    """The inverse of what couples neighbours grows with the fourth power of their number."""
    stiff = (I - E_phi.T) @ inv(M) @ (I - E_phi)
    (outcome,) = probe(probe_mechanisms(600)[0], [Identity("stiff", inv(stiff), phi @ M @ phi.T)])
    assert outcome.verdict == "inconclusive"
    assert outcome.note == f"rounding in {stiff}"


def test_a_slip_on_many_bodies() -> None:
    law = law_named("factor inverse")
    (outcome,) = probe(chain(3000), [false_claim(law, law.twins[0])])
    assert outcome.verdict == "FAILS"


def test_the_large_inverse_solves() -> None:
    model = chain(1500, joint=["revolute", "spherical"], seed=1)
    prober = Prober(model, [Sample.draw(model, 0, "body")])
    law = law_named("inverse mass matrix")
    assert isinstance(law, Identity)
    x = prober.random(law.lhs.type.domain)
    y = prober.apply(law.lhs, x)
    back = prober.apply(law.lhs.children[0], y)
    allowed = rounding(float(np.linalg.norm(back.size)), terms=6 * model.n)
    assert np.linalg.norm(back.entries - x.entries) <= allowed


def test_large_mechanisms_of_the_suite_are_probed() -> None:
    laws = [law_named(name) for name in ("mixed decomposition", "costate entries", "a joint removes inertia")]
    assert [one.verdict for one in check_all(laws, mechanism("chain50"), samples=2)] == ["holds"] * 3


def test_many_bodies_take_linear_memory() -> None:
    model = chain(20_000)
    prober = Prober(model, [Sample.draw(model, 0, "body")])
    law = law_named("propagation exchange")
    assert isinstance(law, Identity)
    x = prober.random(law.lhs.type.domain)
    left, right = prober.apply(law.lhs, x), prober.apply(law.rhs, x)
    allowed = rounding(float(np.linalg.norm(left.size)), terms=6 * model.n)
    assert np.linalg.norm(left.entries - right.entries) <= allowed
