"""What an independent engine says: MuJoCo's mass matrix and bias on the gallery, where it is installed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from operator_algebra.applications import dynamics
from operator_algebra.errors import BackendUnavailable, ModelError
from operator_algebra.evaluation import evaluate
from operator_algebra.installing import install_command
from operator_algebra.interop.mujoco import mass_and_bias
from operator_algebra.models.gallery import available, load


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two engines are apart on one mechanism, relative to the largest entry; or why they can't be compared."""

    mechanism: str
    mass: float
    bias: float
    note: str = ""


def compare_gallery(seed: int) -> list[Agreement] | None:
    """The gallery in both engines; None where MuJoCo is not installed."""
    found: list[Agreement] = []
    for name in available():
        model = load(name)
        q, v = model.random(seed)
        try:
            mass, bias = mass_and_bias(model, q, v)
        except BackendUnavailable:
            return None
        except ModelError as error:
            found.append(Agreement(name, 0.0, 0.0, str(error)))
            continue
        own_mass = evaluate(dynamics.mass_matrix, model, q=q).dense()
        own_bias = evaluate(dynamics.coriolis + dynamics.gravity_term, model, q=q, v=v).dense()
        found.append(Agreement(name, _apart(own_mass, mass), _apart(own_bias, bias)))
    return found


def _apart(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).max(initial=0.0) / max(float(np.abs(a).max(initial=0.0)), np.finfo(float).tiny))


def sentence(found: list[Agreement] | None) -> str:
    """One line for the table."""
    if found is None:
        return f"no independent engine: MuJoCo is not installed ({install_command('mujoco')})"
    told = [one for one in found if not one.note]
    worst = max((max(one.mass, one.bias) for one in told), default=0.0)
    text = f"independent engine: MuJoCo's mass matrix and bias on {len(told)} of {len(found)} gallery models,"
    text += f" apart by at most {worst:.0e}"
    refused = [one.mechanism for one in found if one.note]
    return text + (f"; it refuses {', '.join(refused)}" if refused else "")
