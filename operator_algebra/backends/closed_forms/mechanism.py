"""The data of a mechanism as exact numbers, some of them replaced by symbols, for the formulas of leaves and joints."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from typing import Any, cast

import numpy as np

from operator_algebra.backends.closed_forms.trigonometry import rational
from operator_algebra.errors import InputError
from operator_algebra.models.arrays import JointGroup, ModelArrays
from operator_algebra.models.model import Model
from operator_algebra.operators.vanishing import vanishing

sympy: Any = import_module("sympy")

Parameters = Mapping[str, Any]
"""Body → {mass, com, inertia_at_com, translation, rotation}, joint → {armature, stiffness, damping}, and gravity."""

_BODY = {"mass": (), "com": (3,), "inertia_at_com": (3, 3), "translation": (3,), "rotation": (3, 3)}
_JOINT = {"armature": "armature", "damping": "damping", "stiffness": "spring"}  # and the leaf that each makes
_NEAR = 4e-16  # directions are stored to this


class SymbolicNamespace:
    """The functions that formulas of joints call, on arrays of expressions."""

    def __init__(self) -> None:
        self.sin: Any = np.frompyfunc(sympy.sin, 1, 1)
        self.cos: Any = np.frompyfunc(sympy.cos, 1, 1)
        self.sqrt: Any = np.frompyfunc(sympy.sqrt, 1, 1)
        self.arctan2: Any = np.frompyfunc(sympy.atan2, 2, 1)
        self.where: Any = np.where
        self.eye: Any = np.eye
        self.stack: Any = np.stack
        self.concatenate: Any = np.concatenate
        self.zeros_like: Any = np.zeros_like
        self.broadcast_to: Any = np.broadcast_to


class ExactModel(Model):
    """A model whose numbers are rationals, roots of rationals, and symbols."""

    def __init__(self, model: Model, parameters: Parameters) -> None:
        state = self.__dict__
        state.update(model.__getstate__())
        given = _checked(model, parameters)
        if "gravity" in given:
            state["gravity"] = tuple(given.pop("gravity"))
        else:
            state["gravity"] = tuple(rational(g) for g in model.gravity)
        state["arrays"] = _arrays(model, given)
        state["joint_groups"] = tuple(_exact_group(group) for group in model.joint_groups)

    def difference(self, q0: Any, q1: Any) -> Any:
        """q1 ⊖ q0 of the joints that have springs: their coordinates are their rates."""
        result = np.full(self.nv, sympy.Integer(0), dtype=object)
        for group in self.joint_groups:
            if group.joint.allows_springs:
                result[group.v] = q1[group.q] - q0[group.q]
        return result


def objects(values: Any) -> Any:
    """An array of exact expressions from numbers and expressions."""
    given = np.asarray(values, dtype=object)
    made: Any = np.empty(given.shape, dtype=object)
    made.flat = [rational(x) if isinstance(x, float) else sympy.sympify(x) for x in given.flat]
    return made


# -- parameters --------------------------------------------------------------------------------------------------------


def parameters(model: Model, *fields: str) -> dict[str, dict[str, Any]]:
    """Symbols for data of the bodies and joints of a model, to be given as `parameters=`: m0, m1, … for "mass".

    >>> from operator_algebra.models.families import chain
    >>> parameters(chain(2), "mass")
    {'link1': {'mass': m0}, 'link2': {'mass': m1}}
    """
    found: dict[str, dict[str, Any]] = {}
    for field in fields:
        if field not in _READY:
            raise InputError(f'there are no ready symbols for "{field}". Ready are those for {", ".join(_READY)}.')
        for k, name in enumerate(model.body_names):
            found.setdefault(name, {})[field] = _ready(field, k)
    return found


_READY = {"mass": "m", "com": "c", "translation": "l", "inertia_at_com": "I"}


def _ready(field: str, k: int) -> Any:
    letter = f"{_READY[field]}{k}"
    if field == "mass":
        return sympy.Symbol(letter)
    if field != "inertia_at_com":
        return tuple(sympy.Symbol(letter + axis) for axis in "xyz")
    return [[sympy.Symbol(letter + "".join(sorted(a + b))) for b in "xyz"] for a in "xyz"]


def _checked(model: Model, given: Parameters) -> dict[str, Any]:
    """The replacements by name, their shapes checked."""
    known = (*model.body_names, *(name for name in model.joint_names if name not in model.body_names), "gravity")
    result: dict[str, Any] = {}
    for name, fields in given.items():
        if name not in known:
            raise InputError(f'parameters: {model.name} has no body or joint "{name}". There are {", ".join(known)}.')
        if name == "gravity":
            result[name] = _value(model, name, "", fields, (3,))
            continue
        result[name] = {field: _field(model, name, field, value) for field, value in dict(fields).items()}
    return result


def _field(model: Model, name: str, field: str, value: Any) -> Any:
    if field in _BODY and name in model.body_names:
        if field == "inertia_at_com" and np.shape(value) == (3,):
            value = sympy.diag(*value).tolist()
        return _value(model, name, field, value, _BODY[field])
    if field in _JOINT and name in model.joint_names:
        leaf = _JOINT[field]
        if leaf in vanishing(model):
            raise InputError(
                f"parameters: no joint of {model.name} has {field}, so programs for it leave {leaf} out. "
                "Give a joint some in the model, whatever its value."
            )
        joint = model.bodies[model.joint_index(name)].joint
        return _value(model, name, field, np.broadcast_to(np.asarray(value, dtype=object), (joint.nv,)), (joint.nv,))
    fields = (*_BODY, *_JOINT)
    raise InputError(f'parameters: "{name}" has no "{field}". Replaceable are {", ".join(fields)} and gravity.')


def _value(model: Model, name: str, field: str, value: Any, shape: tuple[int, ...]) -> Any:
    array = np.asarray(value, dtype=object)
    if array.shape != shape:
        what = f"{field} of {name}" if field else name
        raise InputError(f"parameters of {model.name}: {what} has shape {array.shape}, not {shape}.")
    return objects(array)


def _arrays(model: Model, given: Mapping[str, Any]) -> ModelArrays:
    arrays = {field: objects(value) for field, value in vars(model.arrays).items()}
    for k in range(model.n):
        arrays["rotation"][k] = _rotation(model.arrays.rotation[k])
    for name, fields in given.items():
        for field, value in fields.items():
            if field in _JOINT:
                arrays[field][model.v_slices[model.joint_index(name)]] = value
            else:
                arrays[field][model.body_index(name)] = value
    return ModelArrays(**arrays)


# -- directions --------------------------------------------------------------------------------------------------------


def _exact_group(group: JointGroup) -> JointGroup:
    joint = copy.copy(group.joint)
    for field in joint.parameters:
        value = np.asarray(getattr(joint, field))
        axes = value.ndim and value.shape[-1] == 3
        exact: Any = value
        if axes:
            exact = np.array([_direction(axis) for axis in value.reshape(-1, 3).tolist()]).reshape(value.shape)
        object.__setattr__(joint, field, objects(exact))
    return replace(group, joint=joint)


def _direction(axis: Sequence[float]) -> list[Any]:
    """A unit vector with exact components where they are square roots of simple fractions, such as (1, 1, 0)/√2."""
    squares = [_simple_square(x) for x in axis]
    if all(square is not None for square in squares) and sum(cast("list[Fraction]", squares)) == 1:
        return [_signed_root(x, cast(Fraction, square)) for x, square in zip(axis, squares, strict=True)]
    return [rational(x) for x in axis]


def _rotation(matrix: Any) -> Any:
    """A rotation with exact entries, if they are square roots of simple fractions and the matrix then is orthogonal."""
    rows = sympy.Matrix([_direction(row) for row in matrix.tolist()])
    if sympy.simplify(rows * rows.T) == sympy.eye(3):
        return np.array(rows.tolist(), dtype=object)
    return objects(matrix)


def _simple_square(x: float) -> Fraction | None:
    """x² as a fraction with a small denominator, if x is that close to its root."""
    square = Fraction(x * x).limit_denominator(1000)
    return square if abs(float(square) ** 0.5 - abs(x)) <= _NEAR else None


def _signed_root(x: float, square: Fraction) -> Any:
    root = sympy.sqrt(sympy.Rational(square.numerator, square.denominator))
    return -root if x < 0 else root
