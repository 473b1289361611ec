"""Robots in URDF: the writer. Joints with several motions become joints with one each, by links without mass."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from xml.sax.saxutils import quoteattr

from operator_algebra.errors import ModelError, OperatorAlgebraWarning, explain
from operator_algebra.models.formats.opening import write_text
from operator_algebra.models.formats.urdf.bodies import GROUND
from operator_algebra.models.formats.urdf.parts import UNBOUNDED
from operator_algebra.models.joints.axis import AxisJoint
from operator_algebra.models.joints.joint import Joint, Limits, make_joint
from operator_algebra.models.mimic import Mimic
from operator_algebra.models.model import GRAVITY, Body, Model
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement

_DIRECT = ("fixed", "revolute", "prismatic", "planar", "floating")


def write_urdf(model: Model, target: Path) -> None:
    """Write a model as URDF, in which it has the same masses, joints and coordinates; what is lost, a warning says.

    Joints that are a series of turns and slides (cylindrical, universal, translation) become chains of joints with one
    motion each. Others that URDF does not know, such as spherical and helical ones, are refused.
    """
    _refuse(model)
    links, joints = _Names([*model.body_names, *model.frames]), _Names(model.joint_names)
    root = _root_link(model)
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f"<robot name={quoteattr(model.name)}>"]
    if root is None:
        lines.append(f"  <link name={quoteattr(GROUND)}/>")
    followers = {mimic.joint: mimic for mimic in model.mimic}
    for body, joint_name in zip(model.bodies, model.joint_names, strict=True):
        lines += _link(body.name, body.inertia)
        if body.name != root:
            lines += _joints(body, joint_name, links, joints, followers.get(joint_name))
    for name, frame in model.frames.items():
        lines += _link(name, Inertia())
        lines += _joint(joints.new(name), Joint.fixed(), frame.body or GROUND, name, frame.placement)
    write_text(target, "\n".join([*lines, "</robot>", ""]))
    lost = sorted(set(_losses(model)))
    if lost:
        what = f"URDF has no place for {', '.join(lost)}: not written"
        warnings.warn(explain(what, target.name, "Save as .toml to keep all."), OperatorAlgebraWarning, stacklevel=4)


class _Names:
    """Names that are taken, and new ones beside them."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def new(self, wish: str) -> str:
        name, count = wish, 1
        while name in self._taken:
            count += 1
            name = f"{wish}_{count}"
        self._taken.add(name)
        return name


def _refuse(model: Model) -> None:
    wrong = [
        (f"URDF has no {body.joint.kind} joint", f'joint "{name}"', "Save as .toml, or use joints that URDF has.")
        for body, name in zip(model.bodies, model.joint_names, strict=True)
        if body.joint.kind not in _DIRECT and not _parts(body.joint)
    ]
    if GROUND in (*model.body_names, *model.frames):
        wrong.append((f'the name "{GROUND}" stands for the ground in URDF', f'link "{GROUND}"', "Rename it."))
    for name in sorted(set(model.body_names).intersection(model.frames)):
        wrong.append(("a body and a frame have this name", f'link "{name}"', "Rename one."))
    if wrong:
        raise ModelError(
            "\n".join(explain(what, f'model "{model.name}", {where}', remedy) for what, where, remedy in wrong)
        )


def _root_link(model: Model) -> str | None:
    """The body that is the root link; without one, bodies and frames hang on a link that is the ground."""
    first, *others = model.roots
    if others or any(frame.body is None for frame in model.frames.values()):
        return None
    body = model.bodies[first]
    plain = body.joint.kind == "fixed" and not body.joint.name and body.placement == Placement()
    return body.name if plain else None


def _joints(body: Body, name: str, links: _Names, joints: _Names, mimic: Mimic | None) -> Iterator[str]:
    parent, place = str(body.parent or GROUND), body.placement
    *first, last = [body.joint] if body.joint.kind in _DIRECT else _parts(body.joint)
    for k, joint in enumerate(first, start=1):
        between = links.new(f"{body.name}_{k}")
        yield from _link(between, Inertia())
        yield from _joint(joints.new(f"{name}_{k}"), joint, parent, between, place)
        parent, place = between, Placement()
    yield from _joint(name, last, parent, body.name, place, mimic)


def _parts(joint: Joint) -> list[Joint]:
    """The joints of its series, or none."""
    limits = joint.limits or Limits()
    return [
        make_joint(kind, axis=axis, damping=joint.damping[i], limits=_limits_of(limits, i))
        for i, (kind, axis) in enumerate(joint.series())
    ]


def _limits_of(limits: Limits, i: int) -> Limits:
    return replace(limits, **{key: bound[i : i + 1] for key, bound in vars(limits).items()})


def _link(name: str, inertia: Inertia) -> Iterator[str]:
    if inertia.is_zero:
        yield f"  <link name={quoteattr(name)}/>"
        return
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.inertia_at_com
    moments = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
    yield f"  <link name={quoteattr(name)}>"
    yield "    <inertial>"
    yield f'      <origin xyz="{_text(inertia.com)}"/>'
    yield f'      <mass value="{inertia.mass!r}"/>'
    yield f"      <inertia {_attributes(moments)}/>"
    yield "    </inertial>"
    yield "  </link>"


def _joint(
    name: str, joint: Joint, parent: str, child: str, place: Placement, mimic: Mimic | None = None
) -> Iterator[str]:
    limits = joint.limits or Limits()
    kind = "continuous" if joint.kind == "revolute" and not (limits.lower or limits.upper) else joint.kind
    yield f'  <joint name={quoteattr(name)} type="{kind}">'
    yield f"    <parent link={quoteattr(parent)}/>"
    yield f"    <child link={quoteattr(child)}/>"
    yield f'    <origin xyz="{_text(place.translation)}" rpy="{_text(roll_pitch_yaw(place))}"/>'
    if isinstance(joint, AxisJoint):
        yield f'    <axis xyz="{_text(joint.axis)}"/>'
    if kind in ("revolute", "prismatic") or (kind == "continuous" and joint.limits):
        yield f"    <limit {_limits_text(limits, kind)}/>"
    if any(joint.damping) and _is_uniform(joint.damping):
        yield f'    <dynamics damping="{joint.damping[0]!r}"/>'
    if mimic is not None:
        numbers = _attributes({"multiplier": mimic.multiplier, "offset": mimic.offset})
        yield f"    <mimic joint={quoteattr(mimic.follows)} {numbers}/>"
    yield "  </joint>"


def _limits_text(limits: Limits, kind: str) -> str:
    """All bounds, which readers of URDF insist on."""
    bounds = {"lower": (limits.lower, -UNBOUNDED), "upper": (limits.upper, UNBOUNDED)} if kind != "continuous" else {}
    bounds |= {"effort": (limits.effort, UNBOUNDED), "velocity": (limits.velocity, UNBOUNDED)}
    values = {key: bound[0] if bound and math.isfinite(bound[0]) else none for key, (bound, none) in bounds.items()}
    return _attributes(values)


def _losses(model: Model) -> Iterator[str]:
    if model.gravity != GRAVITY:
        yield f"gravity {model.gravity}"
    if model.loops:
        yield "loops"
    for body in model.bodies:
        joint = body.joint
        if any(joint.armature):
            yield "armature"
        if any(joint.stiffness):
            yield "springs"
        if joint.kind in ("planar", "floating"):
            if joint.limits is not None:
                yield f"limits of {joint.kind} joints"
            if not _is_uniform(joint.damping):
                yield f"different dampings in one {joint.kind} joint"


def _is_uniform(values: tuple[float, ...]) -> bool:
    return len(set(values)) == 1


def roll_pitch_yaw(place: Placement) -> tuple[float, float, float]:
    """Angles about the fixed axes x, y, z that give the rotation to rounding, also where the pitch is ±π/2."""
    (xx, xy, xz), (yx, yy, yz), (zx, _, _) = place.rotation
    yaw = math.atan2(yx, xx)
    c, s = math.cos(yaw), math.sin(yaw)
    pitch = math.atan2(-zx, c * xx + s * yx)
    return (math.atan2(s * xz - c * yz, c * yy - s * xy), pitch, yaw)


def _attributes(values: Mapping[str, float]) -> str:
    return " ".join(f'{key}="{value!r}"' for key, value in values.items())


def _text(values: Iterable[float]) -> str:
    return " ".join(repr(float(value)) for value in values)
