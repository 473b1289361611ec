"""Operation counts: dense block algebra, linear in the bodies unless a result itself is larger.

Rows times columns times twice the inner size for a product, as for matrices that know nothing of zeros.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.errors import InputError
from operator_algebra.expressions.build import diag, inv, operator, vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, block, dense, logdet, trace
from operator_algebra.lowering.lower import Method, lower
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import FORCE, MOTION, space
from operator_algebra.programs.cost import cost
from tests.strategies import mechanisms

H, M, T, phi = s.H, s.M, s.T, s.phi
MASS = H @ phi @ M @ phi.T @ H.T
LINEAR: dict[str, Expr | Query] = {
    "velocity": s.V,
    "inverse dynamics": dynamics.inverse_dynamics,
    "inverse mass matrix times force": inv(MASS) @ T,
    "forward dynamics": dynamics.forward_dynamics,
    "kinetic energy": dynamics.kinetic_energy,
    "diagonal of the inverse": diag(inv(MASS)),
    "trace of the inverse": trace(inv(MASS)),
    "a block of the inverse": block(inv(MASS), 0, 1),
    "log-determinant": logdet(MASS),
}


METHODS: tuple[Method, ...] = ("auto", "orthogonal")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", LINEAR)
def test_cost_is_linear(name: str, method: Method) -> None:
    program = lower(LINEAR[name], method=method)
    costs = [program.cost(chain(n)) for n in (50, 100, 200)]
    assert costs[0].order == "O(N)"
    totals = [cost.total for cost in costs]
    assert totals[2] - totals[1] == 2 * (totals[1] - totals[0]) > 0
    # The first and the last body of a chain differ from those between; these are all alike.
    assert len(set(costs[0].per_body[1:-1])) == 1


def test_cost_counts_degrees_of_freedom() -> None:
    program = lower(inv(MASS) @ T)
    flops = [program.cost(chain(20, joint=kind)).total for kind in ("revolute", "cylindrical", "spherical", "floating")]
    assert flops == sorted(flops)
    assert flops[0] < 20 * 1500  # 4 s³ + 4 s² m + … with s = 6, m = 1 and some overhead


def test_dense_results_cost_what_they_hold() -> None:
    mass, inverse = lower(dense(MASS)), lower(dense(inv(MASS)))
    assert (mass.cost(chain(5)).order, inverse.cost(chain(5)).order) == ("O(N depth)", "O(N²)")
    for program in (mass, inverse):
        a, b, c = (program.cost(chain(n)).total for n in (50, 100, 200))
        assert c - b > 3 * (b - a)
    wide = random_tree(200, joints=("revolute",), branching=1.0, seed=0)
    assert mass.cost(wide).total < mass.cost(chain(200)).total / 4


def test_a_sum_over_bodies_costs_something() -> None:
    alone, with_sum = lower(s.V).cost(chain(30)), lower(dynamics.kinetic_energy).cost(chain(30))
    assert with_sum.total >= alone.total + 30 * 6 * 6


# -- by hand -----------------------------------------------------------------------------------------------------------

A = operator("A", FORCE >> FORCE, structure="diagonal")
BY_HAND: dict[str, tuple[Expr, int]] = {
    "a block times a vector": (A @ s.f_ext, 2 * 6 * 6),
    "a joint map": (H @ s.f_ext, 2 * 1 * 6),
    "products from the right": (A @ A @ s.f_ext, 2 * (2 * 6 * 6)),
    "a sum adds once": (s.f_ext + A @ s.f_ext, 2 * 6 * 6 + 6),
    "an inverse": (diag(inv(A)), 2 * 6**3),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_each_body_costs_what_its_blocks_cost(name: str) -> None:
    e, flops = BY_HAND[name]
    assert lower(e).cost(chain(3)).per_body == (flops,) * 3


def test_an_inward_hop_is_paid_where_children_arrive_and_an_outward_one_below() -> None:
    edge = 2 * 6 * 6 + 6
    assert lower(s.E_phi @ s.f_ext).cost(chain(3)).per_body == (edge, edge, 0)
    assert lower(s.E_phi.T @ H.T @ s.v).cost(chain(3)).per_body == (12, 12 + edge, 12 + edge)


@settings(max_examples=10)
@given(mechanisms(max_bodies=7))
def test_each_stage_costs_what_it_costs_alone(model: Model) -> None:
    for e in (*LINEAR.values(), dense(MASS), s.P, {"V": s.V, "mass": dense(inv(MASS))}):
        program = lower(e)
        found = program.cost(model)
        every, silent = tuple(program.steps.values()), tuple(replace(one, walk=None) for one in program.outputs)
        for stage, share in zip(program.stages, found.shares, strict=False):
            rest = tuple(step for step in every if step not in stage.steps)
            alone = replace(program, stages=(stage,), given=rest, outputs=silent).cost(model)
            assert (share.direction, share.flops) == (stage.direction, alone.per_body)
        walks = [share.flops for share in found.shares[len(program.stages) :]]
        reads = any(output.walk is not None for output in program.outputs)
        assert walks == ([replace(program, stages=(), given=every).cost(model).per_body] if reads else [])
        assert found.total == sum(share.total for share in found.shares) == sum(found.per_body)


def test_a_program_is_counted_for_a_mechanism() -> None:
    with pytest.raises(InputError, match="counted for a model"):
        lower(s.V).cost("pendulum")  # pyright: ignore[reportArgumentType]


def test_sizes_that_are_told_are_counted() -> None:
    """A diagonal of a user's own: twice the rows times the columns of each block."""
    own = space("own")
    C, D = operator("C", own >> own.dual, structure="diagonal"), operator("D", MOTION >> own, structure="diagonal")
    program, model = lower(C @ D @ vector("a", MOTION)), chain(3)
    for rows in (1, 6):
        own_size = 3 * (2 * rows * 6 + 2 * rows * rows)
        assert cost(program, model, {"own": rows}).total == own_size
    assert cost(program, model).total == cost(program, model, {"own": 6}).total
    hinges, floating = chain(4), chain(4, joint="floating")
    assert cost(lower(inv(MASS) @ T), hinges, {"joint": 6}).total == cost(lower(inv(MASS) @ T), floating).total
