"""Formulas that hold for some mechanisms alone are refused on others."""

from __future__ import annotations

from collections.abc import Iterable

from operator_algebra.errors import InputError, explain
from operator_algebra.models.model import Model


def refuse_outside(narrow: Iterable[str], model: Model) -> None:
    """Raise `InputError` where something holds for constant joint maps, and a joint of the model has another."""
    name = next(iter(narrow), None)
    if name is None:
        return
    group = next((one for one in model.joint_groups if not one.joint.has_constant_map), None)
    if group is not None:
        joint = model.joint_names[int(group.bodies[0])]
        raise InputError(
            explain(
                f'{name} holds for constant joint maps, and that of joint "{joint}" of kind "{group.joint.kind}" '
                "depends on q",
                f"model {model.name}",
                "Take several joints with one rate each in its place.",
            )
        )
