"""Mass matrix, bias force and forward dynamics of real robots agree with Pinocchio."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from operator_algebra.applications.dynamics import coriolis, gravity_term, mass_matrix
from operator_algebra.errors import SingularError
from operator_algebra.evaluation import evaluate
from operator_algebra.expressions.build import inv
from operator_algebra.models.gallery import Base
from operator_algebra.symbols import T
from tests.models.formats.urdf.file_in_pinocchio import Pinocchio
from tests.models.formats.urdf.robots import is_named, link_names, load_quietly, robot_files
from tests.rounding import apart, condition, rounding

pin: Any = pytest.importorskip("pinocchio")

FILES = {name: path for name, path in robot_files().items() if is_named(path)}
SINGULAR = ("romeo_description/romeo", "romeo_description/romeo_laas_small")  # at every pose: tips without mass


def _compare(name: str, base: Base) -> None:
    model = load_quietly(FILES[name], base=base)
    if model.nv == 0:
        assert model.n == 1
        return
    other = Pinocchio(str(FILES[name]), model, base)
    q, v = model.random(7)
    torque = np.random.default_rng(7).uniform(-1.0, 1.0, model.nv)
    order = other.order()
    assert sorted(order.tolist()) == list(range(other.model.nv))
    there, rates, torques = other.configuration(q), np.zeros(model.nv), np.zeros(model.nv)
    rates[order], torques[order] = v, torque

    matrix = evaluate(mass_matrix, model, q=q).dense()
    theirs = np.triu(pin.crba(other.model, other.data, there))
    theirs = (theirs + np.triu(theirs, 1).T)[np.ix_(order, order)]
    size = np.sqrt(np.diag(matrix))
    allowed = rounding(terms=9 * model.n)
    assert (np.abs(matrix - theirs) <= allowed * np.outer(size, size)).all()

    forces = evaluate(coriolis + gravity_term, model, q=q, v=v).dense().ravel()
    their_forces = pin.nonLinearEffects(other.model, other.data, there, rates)[order]
    # Weights and momenta cancel in a force: the terms before that are as large as the largest of all.
    terms = max(np.abs(forces).max(), size.max() ** 2 * (1.0 + float(np.abs(v).sum()) ** 2))
    assert apart(forces, their_forces) <= allowed * terms

    if name in SINGULAR:
        with pytest.raises(SingularError):
            evaluate(inv(mass_matrix) @ T, model, q=q, T=torque)
        return
    answer = evaluate(inv(mass_matrix) @ (T - coriolis - gravity_term), model, q=q, v=v, T=torque).dense().ravel()
    their_answer = pin.aba(other.model, other.data, there, rates, torques)[order]
    # Two backward stable answers differ by rounding times the condition number of the equilibrated mass matrix.
    scaled, difference = size * answer, size * (answer - their_answer)
    allowed *= condition(matrix / np.outer(size, size))
    assert np.linalg.norm(difference) <= allowed * np.linalg.norm(scaled)


@pytest.mark.parametrize("name", FILES)
def test_a_fixed_base(name: str) -> None:
    _compare(name, "fixed")


@pytest.mark.parametrize("name", [name for name, path in FILES.items() if "world" not in link_names(path)])
def test_a_floating_base(name: str) -> None:
    _compare(name, "floating")
