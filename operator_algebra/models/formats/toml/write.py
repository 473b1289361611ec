"""The package's own file format: the writer. What is read again is equal to the bit."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

from operator_algebra.arguments import shown
from operator_algebra.errors import ModelError, explain
from operator_algebra.models.formats.opening import write_text
from operator_algebra.models.formats.toml.read import VERSION
from operator_algebra.models.joints.joint import JOINT_KINDS, Joint, Limits
from operator_algebra.models.loops import Loop
from operator_algebra.models.model import Body, Model
from operator_algebra.spatial.arrays import IDENTITY3
from operator_algebra.spatial.transforms import Placement

_HEADER = f"""\
# A mechanism of operator_algebra, format version {VERSION}.
# Units: kg, m, s, rad, N. Vectors are x, y, z; quaternions w, x, y, z; spatial vectors angular, then linear.
# placement: pose of the joint's frame in the parent body (without parent: the ground); rotation: rows of the matrix.
# inertia: about the mass centre, in the axes of the body; three moments, or a 3 x 3 matrix.
# loops: frames that are held to each other in the locked directions of the first; with at, velocities alone, there.
# joint: armature, stiffness, damping and limits have one number for each degree of freedom.
# mimic: the coordinate of a joint is multiplier times that of the joint that it follows, plus offset.
"""


def write_toml(model: Model, target: Path) -> None:
    """Write a model so that reading it gives an equal one, to the bit."""
    parts = [_HEADER, f"version = {VERSION}\nname = {_text(model.name)}\ngravity = {_value(model.gravity)}\n"]
    parts.extend(_body_text(body, model.name) for body in model.bodies)
    for name, frame in model.frames.items():
        lines = [f"\n[frames.{_text(name)}]"]
        if frame.body is not None:
            lines.append(f"body = {_text(frame.body)}")
        lines.extend(_placement_text(frame.placement))
        parts.append("\n".join(lines) + "\n")
    parts.extend(map(_loop_text, model.loops))
    parts.extend(
        f"\n[[mimic]]\njoint = {_text(mimic.joint)}\nfollows = {_text(mimic.follows)}\n"
        f"multiplier = {_value(mimic.multiplier)}\noffset = {_value(mimic.offset)}\n"
        for mimic in model.mimic
    )
    write_text(target, "".join(parts))


def _body_text(body: Body, model: str) -> str:
    lines = ["\n[[bodies]]", f"name = {_text(body.name)}"]
    if body.parent is not None:
        lines.append(f"parent = {_text(str(body.parent))}")
    lines.append(f"joint = {{ {_joint_text(body.joint, model, body.name)} }}")
    lines.extend(_placement_text(body.placement))
    inertia = body.inertia
    lines.append(f"mass = {_value(inertia.mass)}")
    if any(inertia.com):
        lines.append(f"com = {_value(inertia.com)}")
    if any(map(any, inertia.inertia_at_com)):
        (a, ab, ac), (_, b, bc), (_, _, c) = inertia.inertia_at_com
        lines.append(f"inertia = {_value(inertia.inertia_at_com if ab or ac or bc else (a, b, c))}")
    return "\n".join(lines) + "\n"


def _loop_text(loop: Loop) -> str:
    lines = [
        "\n[[loops]]",
        f"name = {_text(loop.name)}",
        f"first = {_text(loop.first)}",
        f"second = {_text(loop.second)}",
    ]
    lines.append(f"locked = [{', '.join(map(_text, loop.locked))}]")
    if loop.at is not None:
        lines.append(f"at = {_text(loop.at)}")
    return "\n".join(lines) + "\n"


def _joint_text(joint: Joint, model: str, body: str) -> str:
    if joint.kind not in JOINT_KINDS:
        raise ModelError(
            explain(
                f"the joint of kind {shown(joint.kind)} is not one of the package's, so a file cannot hold it",
                f'model "{model}", body "{body}"',
                "Keep the Python code that makes the model, or pickle the model.",
            )
        )
    pairs = [f'kind = "{joint.kind}"']
    for entry in fields(joint):
        value = getattr(joint, entry.name)
        if isinstance(value, str):
            if value:
                pairs.append(f"{entry.name} = {_text(value)}")
        elif isinstance(value, Limits):
            bounds = [f"{f.name} = {_value(getattr(value, f.name))}" for f in fields(value) if getattr(value, f.name)]
            pairs.append(f"limits = {{ {', '.join(bounds)} }}" if bounds else "limits = {}")
        elif value is not None and (entry.name in joint.parameters or any(value)):
            pairs.append(f"{entry.name} = {_value(value)}")
    return ", ".join(pairs)


def _placement_text(placement: Placement) -> list[str]:
    pairs: list[str] = []
    if any(placement.translation):
        pairs.append(f"translation = {_value(placement.translation)}")
    if placement.rotation != IDENTITY3:
        pairs.append(f"rotation = {_value(placement.rotation)}")
    return [f"placement = {{ {', '.join(pairs)} }}"] if pairs else []


def _value(value: Any) -> str:
    """Numbers to full precision, in lists as deep as they are."""
    if isinstance(value, tuple):
        return f"[{', '.join(_value(item) for item in cast('tuple[Any, ...]', value))}]"
    return repr(float(value))


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
