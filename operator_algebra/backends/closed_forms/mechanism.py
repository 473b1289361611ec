"""The data of a mechanism as exact numbers, some of them replaced by symbols, for the formulas of leaves and joints."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from operator_algebra.arguments import shown
from operator_algebra.backends.closed_forms.symbolic import Expression, Objects, elementwise, is_matrix, sympy
from operator_algebra.backends.closed_forms.trigonometry import plain, rational, simplified
from operator_algebra.errors import InputError
from operator_algebra.models.arrays import Floats, JointGroup, ModelArrays
from operator_algebra.models.model import Model
from operator_algebra.operators import leaf

Ready = Expression | tuple[Expression, ...] | list[list[Expression]]
"""Symbols for one field."""
Datum = Expression | Objects
"""The exact value of one field."""

_BODY = {"mass": (), "com": (3,), "inertia_at_com": (3, 3), "translation": (3,), "rotation": (3, 3)}
_JOINT = {"armature": leaf.armature, "damping": leaf.damping, "stiffness": leaf.spring}  # and the leaf that each makes
_NEAR = 4e-16  # directions are stored to this


class SymbolicNamespace:
    """The functions that formulas of joints call, on arrays of expressions."""

    def __init__(self) -> None:
        self.sin = elementwise(sympy.sin)
        self.cos = elementwise(sympy.cos)
        self.sqrt = elementwise(sympy.sqrt)
        self.arctan2 = elementwise(sympy.atan2, 2)
        self.where = np.where
        self.eye = np.eye
        self.stack = np.stack
        self.concatenate = np.concatenate
        self.zeros_like = np.zeros_like
        self.broadcast_to = np.broadcast_to


class ExactModel(Model):
    """A model whose numbers are rationals, roots of rationals, and symbols.

    `parameters`: body → {mass, com, inertia_at_com, translation, rotation}, joint → {armature, stiffness, damping}, and
    gravity.
    """

    def __init__(self, model: Model, parameters: object) -> None:
        state = self.__dict__
        state.update(model.__getstate__())
        given = _checked(model, parameters)
        state["gravity"] = tuple(map(rational, model.gravity) if given.gravity is None else given.gravity)
        state["arrays"] = _arrays(model, given.fields)
        state["joint_groups"] = tuple(_exact_group(group) for group in model.joint_groups)

    def entries(self) -> Iterable[Expression]:
        """Every number."""
        return (entry for values in (self.gravity, *vars(self.arrays).values()) for entry in np.asarray(values).flat)

    def difference(self, q0: ArrayLike, q1: ArrayLike) -> Objects:
        """q1 ⊖ q0 of the joints that have springs; only where coordinates are rates is it rational."""
        q0, q1 = np.asarray(q0), np.asarray(q1)
        result = np.full(self.nv, sympy.Integer(0), dtype=object)
        for group in self.joint_groups:
            if group.kind_class.nq == group.kind_class.nv and group.joint.allows_springs:
                result[group.v] = group.joint.difference(q0[group.q], q1[group.q], SymbolicNamespace())
            elif any(self.arrays.stiffness[group.v].flat):
                name = self.joint_names[int(group.bodies[0])]
                raise InputError(
                    f'the spring of joint "{name}" of {self.name} has no closed form: it pulls by the logarithm of a '
                    "rotation. Use a numeric backend, or take the stiffness away."
                )
        return result


def objects(values: object) -> Objects:
    """An array of exact expressions from numbers and expressions."""
    try:
        given = np.asarray(values, dtype=object)
        entries = list(given.flat)
    except Exception:  # noqa: BLE001  a value of the caller's own may fail in any way
        raise TypeError(f"{shown(values)} is not an array of numbers and expressions") from None
    made = [_expression(x) for x in entries]
    return np.fromiter(made, dtype=object, count=len(made)).reshape(given.shape)


def vector(values: object) -> Objects:
    """The entries of a vector; a column of SymPy is one too."""
    return objects(list(values) if is_matrix(values) and values.shape[1] == 1 else values)


def _expression(x: object) -> Expression:
    """A number or an expression, every bit of it; text is not evaluated."""
    if isinstance(x, float) and math.isfinite(x):
        return rational(x)
    scalar = cast("Any", x)
    if isinstance(x, np.complexfloating):
        return _expression(scalar.real) + sympy.I * _expression(scalar.imag)
    if isinstance(x, np.floating) and np.isfinite(scalar):  # other widths, which SymPy would round to a decimal
        return sympy.Rational(*scalar.as_integer_ratio())
    found = None if isinstance(x, str) else sympy.sympify(x)
    if found is None or not isinstance(found, sympy.Expr):
        raise TypeError(f"{x!r:.40} is neither a number nor an expression")
    return found


# -- parameters --------------------------------------------------------------------------------------------------------


def parameters(model: Model, *fields: str) -> dict[str, dict[str, Any]]:
    """Symbols for data of the bodies and joints of a model, to be given as `parameters=`: m0, m1, … for "mass".

    >>> from operator_algebra.models.families import chain
    >>> parameters(chain(2), "mass")
    {'link1': {'mass': m0}, 'link2': {'mass': m1}}
    """
    found: dict[str, dict[str, object]] = {}
    for field in fields:
        if field not in _READY:
            raise InputError(f'there are no ready symbols for "{field}". Ready are those for {", ".join(_READY)}.')
        for k, name in enumerate(model.body_names):
            found.setdefault(name, {})[field] = _ready(field, k)
    return found


_READY = {"mass": "m", "com": "c", "translation": "l", "inertia_at_com": "I"}


def _ready(field: str, k: int) -> Ready:
    letter = f"{_READY[field]}{k}"
    if field == "mass":
        return sympy.Symbol(letter)
    if field != "inertia_at_com":
        return tuple(sympy.Symbol(letter + axis) for axis in "xyz")
    return [[sympy.Symbol(letter + "".join(sorted(a + b))) for b in "xyz"] for a in "xyz"]


@dataclass(frozen=True)
class Replaced:
    """What is replaced: fields of bodies and joints by name, and gravity."""

    fields: dict[str, dict[str, Datum]]
    gravity: Objects | None = None


def _checked(model: Model, given: object) -> Replaced:
    """The replacements by name, their shapes checked."""
    known = (*model.body_names, *(name for name in model.joint_names if name not in model.body_names), "gravity")
    replaced = Replaced({})
    for name, fields in _mapping(model, "body or joint", given).items():
        if name not in known:
            raise InputError(f'parameters: {model.name} has no body or joint "{name}". There are {", ".join(known)}.')
        if name == "gravity":
            replaced = replace(replaced, gravity=_value(model, name, "", fields, (3,)))
            continue
        entries = _mapping(model, f"field of {name}", fields)
        replaced.fields[name] = {field: _field(model, name, field, value) for field, value in entries.items()}
    return replaced


def _mapping(model: Model, key: str, given: object) -> Mapping[str, object]:
    if isinstance(given, Mapping):
        return cast("Mapping[str, object]", given)
    raise InputError(
        f"parameters of {model.name}: {shown(given)} is not a mapping from each {key} to its value. "
        'Give {"link1": {"mass": m}}, or what parameters(model, "mass") returns.'
    )


def _field(model: Model, name: str, field: str, value: object) -> Datum:
    if field in _BODY and name in model.body_names:
        if field == "inertia_at_com" and np.shape(cast(ArrayLike, value)) == (3,):
            value = sympy.diag(*objects(value)).tolist()
        found = _value(model, name, field, value, _BODY[field])
        _physical(model, name, field, found)
        return found if found.shape else found.item()
    if field in _JOINT and name in model.joint_names:
        made = _JOINT[field]
        if made.absent(model):
            raise InputError(
                f"parameters: no joint of {model.name} has {field}, so programs for it leave {made.name} out. "
                "Give a joint some in the model, whatever its value."
            )
        joint = model.bodies[model.joint_index(name)].joint
        return _value(model, name, field, np.broadcast_to(np.asarray(value, dtype=object), (joint.nv,)), (joint.nv,))
    fields = (*_BODY, *_JOINT)
    raise InputError(f'parameters: "{name}" has no "{field}". Replaceable are {", ".join(fields)} and gravity.')


def _value(model: Model, name: str, field: str, value: object, shape: tuple[int, ...]) -> Objects:
    what = f"parameters of {model.name}: {field} of {name}" if field else f"parameters of {model.name}: {name}"
    try:
        array = vector(value)
    except (TypeError, ValueError, sympy.SympifyError):
        raise InputError(f"{what} is not made of numbers and expressions: {shown(value)}.") from None
    if array.shape != shape:
        raise InputError(f"{what} has shape {array.shape}, not {shape}.")
    for entry in array.flat:
        plain(entry)
    return array


def _physical(model: Model, name: str, field: str, value: Objects) -> None:
    """Refuse a value that no body could have for any value of its symbols."""
    wrong = None
    if field == "mass" and value.item().is_negative:
        wrong = f"is negative: {value.item()}"
    elif field == "inertia_at_com" and any(sympy.expand(x) != 0 for x in (value - value.T).flat):
        wrong = "is not symmetric"
    elif field == "rotation":
        turn = sympy.Matrix(value.tolist())
        if simplified(turn * turn.T) != sympy.eye(3) or simplified(turn.det()) != 1:
            wrong = "is not a rotation: its rows are not orthonormal and right-handed"
    if wrong:
        raise InputError(f"parameters of {model.name}: {field} of {name} {wrong}.")


def _arrays(model: Model, given: Mapping[str, Mapping[str, Datum]]) -> ModelArrays:
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
        exact: Objects = value
        if axes:
            exact = np.array([_direction(axis) for axis in value.reshape(-1, 3).tolist()]).reshape(value.shape)
        object.__setattr__(joint, field, objects(exact))
    return replace(group, joint=joint)


def _direction(axis: Sequence[float]) -> list[Expression]:
    """A unit vector: square roots of simple fractions, such as (1, 1, 0)/√2, or fractions, its length exactly 1."""
    roots = _roots(axis)
    if roots is not None:
        return roots
    big = max(range(3), key=lambda i: abs(axis[i]))
    u, v = (_near(axis[i - 2] / (1.0 + abs(axis[big]))) for i in (big, big + 1))
    below = 1 + u * u + v * v
    third = (2 - below) / below
    turned = [third if axis[big] > 0 else -third, 2 * u / below, 2 * v / below]
    return [_number(turned[(i - big) % 3]) for i in range(3)]


def _rotation(matrix: Floats) -> Objects:
    """A rotation that is orthogonal exactly: of square roots of simple fractions, or of a quaternion of fractions."""
    found = [_roots(row) for row in matrix.tolist()]
    if all(row is not None for row in found):
        rows = sympy.Matrix(found)
        if sympy.simplify(rows * rows.T) == sympy.eye(3):
            return np.array(found, dtype=object)
    w, x, y, z = _quaternion(matrix)
    n = w * w + x * x + y * y + z * z
    rows = [
        [1 - 2 * (y * y + z * z) / n, 2 * (x * y - w * z) / n, 2 * (x * z + w * y) / n],
        [2 * (x * y + w * z) / n, 1 - 2 * (x * x + z * z) / n, 2 * (y * z - w * x) / n],
        [2 * (x * z - w * y) / n, 2 * (y * z + w * x) / n, 1 - 2 * (x * x + y * y) / n],
    ]
    return np.array([[_number(entry) for entry in row] for row in rows], dtype=object)


def _quaternion(R: Floats) -> list[Fraction]:
    """Fractions w, x, y, z of some length that give a rotation, to all its digits."""
    trace = R.trace()
    squares = np.array([1.0 + trace, *(1.0 + 2.0 * R.diagonal() - trace)])  # 4 w², 4 x², 4 y², 4 z²
    big = int(np.argmax(squares))
    a, b, c = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    d, e, f = R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1]
    products = ((0.0, a, b, c), (a, 0.0, d, e), (b, d, 0.0, f), (c, e, f, 0.0))[big]  # of the largest with the others
    return [Fraction(1) if i == big else _near(products[i] / squares[big]) for i in range(4)]


def _roots(axis: Sequence[float]) -> list[Expression] | None:
    """A unit vector as square roots of fractions with small denominators, if it is that close to some."""
    squares = [Fraction(x * x).limit_denominator(1000) for x in axis]
    if sum(squares) != 1 or any(abs(float(s) ** 0.5 - abs(x)) > _NEAR for s, x in zip(squares, axis, strict=True)):
        return None
    roots = [sympy.sqrt(_number(square)) for square in squares]
    return [-root if x < 0 else root for root, x in zip(roots, axis, strict=True)]


def _near(x: float) -> Fraction:
    """A fraction with few digits that is x to the last digit of a number near 1."""
    exact_x, most = Fraction(x), 10**8
    while abs((found := exact_x.limit_denominator(most)) - exact_x) > 2e-17:
        most *= 10
    return found


def _number(x: Fraction) -> Expression:
    return sympy.Rational(x.numerator, x.denominator)
