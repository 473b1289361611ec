"""The links and joints of a URDF file, each read by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from operator_algebra.arguments import shown
from operator_algebra.errors import ModelError
from operator_algebra.models.formats.urdf.values import Reading
from operator_algebra.models.formats.urdf.xml import Element
from operator_algebra.models.joints.joint import Joint, Limits, make_joint
from operator_algebra.models.mimic import Mimic
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement

UNBOUNDED = 1e30
"""Limits must be finite in URDF: from here on they stand for none."""

_KINDS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "floating": "floating",
    "planar": "planar",
}
_AXIAL = ("revolute", "continuous", "prismatic", "planar")
_IN = {
    "robot": ("link", "joint", "material", "transmission", "gazebo", "sensor"),
    "link": ("inertial", "visual", "collision"),
    "inertial": ("origin", "mass", "inertia"),
    "joint": ("origin", "parent", "child", "axis", "calibration", "dynamics", "limit", "mimic", "safety_controller"),
}
_ATTRIBUTES = {
    "origin": ("xyz", "rpy"),
    "mass": ("value",),
    "inertia": ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"),
    "axis": ("xyz",),
    "limit": ("lower", "upper", "effort", "velocity"),
    "dynamics": ("damping", "friction"),
    "mimic": ("joint", "multiplier", "offset"),
}

_EXACT = ("origin", "mass", "inertia", "axis")
"""Elements in which nothing is known to be an extension: what is not read there would be a pose or a mass lost."""


@dataclass(frozen=True)
class Link:
    """A rigid part; `inertia` is in the link's frame, and zero where the file gives none."""

    name: str
    title: str
    line: int
    inertia: Inertia


@dataclass(frozen=True)
class Following:
    """What a joint is said to follow, and where."""

    mimic: Mimic
    line: int


@dataclass(frozen=True)
class UrdfJoint:
    """A joint between two links; `ignored` are quantities that this package does not take from a file."""

    name: str
    title: str
    line: int
    parent: str
    child: str
    origin: Placement
    joint: Joint
    mimic: Following | None
    ignored: Sequence[str]


@dataclass
class Parts:
    """All that a robot is made of, in the order of the file."""

    links: list[Link] = field(default_factory=list[Link])
    joints: list[UrdfJoint] = field(default_factory=list[UrdfJoint])


def read_parts(robot: Element, reading: Reading) -> Parts:
    """The links and joints of a robot; those that cannot be named are left out, with a problem noted."""
    parts = Parts()
    for element in robot.children:
        if element.tag == "link":
            link = _link(element, reading)
            if link is not None:
                parts.links.append(link)
        elif element.tag == "joint":
            joint = _joint(element, reading)
            if joint is not None:
                parts.joints.append(joint)
        elif element.tag.startswith("xacro:"):
            advice = "The file is a template: run xacro on it first."
            reading.problem(f"<{element.tag:.60}> is not URDF", element.line, "", advice)
    _slips(robot, "", reading)
    return parts


def _link(element: Element, reading: Reading) -> Link | None:
    name = reading.text(element, "name", "")
    title = f'link "{name:.60}"' if name else "link"
    _slips(element, title, reading)
    inertial = reading.only(element, "inertial", title)
    inertia = Inertia() if inertial is None else _inertia(inertial, title, reading)
    line = element.line if inertial is None else inertial.line
    return None if name is None else Link(name, title, line, inertia)


def _inertia(element: Element, title: str, reading: Reading) -> Inertia:
    """The inertia in the axes of the link; the file gives it in those of its <origin>."""
    _slips(element, title, reading)
    place = reading.placement(element, title)
    mass_element, moments = reading.only(element, "mass", title), reading.only(element, "inertia", title)
    mass = 0.0
    if mass_element is None:
        reading.problem("<inertial> has no <mass>", element.line, title, 'Write <mass value="…"/>.')
    else:
        mass = reading.number(mass_element, "value", title) or 0.0
    rows: list[list[float]] = [[0.0] * 3 for _ in range(3)]
    if moments is None:
        advice = "Write <inertia ixx=… iyy=… izz=…/>; without it the link is a point mass."
        reading.problem("<inertial> has no <inertia>", element.line, title, advice, fatal=False)
    else:
        for i, a in enumerate("xyz"):
            for j, b in enumerate("xyz"[i:], start=i):
                value = reading.number(moments, f"i{a}{b}", title, None if i == j else 0.0) or 0.0
                rows[i][j] = rows[j][i] = value
    try:
        return Inertia(mass, inertia_at_com=rows).moved(place)
    except ModelError as error:
        reading.problem(str(error), element.line, title)
        return Inertia()


def _joint(element: Element, reading: Reading) -> UrdfJoint | None:
    name = reading.text(element, "name", "")
    title = f'joint "{name:.60}"' if name else "joint"
    _slips(element, title, reading)
    parent, child = (_linked(element, end, title, reading) for end in ("parent", "child"))
    origin = reading.placement(element, title)
    mimic = _mimic(element, name or "", title, reading)
    joint, ignored = _motion(element, name or "", title, reading)
    if name is None or parent is None or child is None:
        return None
    return UrdfJoint(name, title, element.line, parent, child, origin, joint, mimic, ignored)


def _linked(element: Element, end: str, title: str, reading: Reading) -> str | None:
    found = reading.only(element, end, title)
    if found is None:
        reading.problem(f"the joint has no <{end}>", element.line, title, f'Write <{end} link="…"/>.')
        return None
    return reading.text(found, "link", title)


def _motion(element: Element, name: str, title: str, reading: Reading) -> tuple[Joint, list[str]]:
    kind = reading.text(element, "type", title)
    if kind is None or kind not in _KINDS:
        if kind is not None:
            known = tuple(_KINDS)
            advice = reading.spelling(kind, known, f"URDF has {', '.join(known)}.")
            reading.problem(f"unknown joint type {shown(kind)}", element.line, title, advice)
        return Joint.fixed(name=name), []
    options: dict[str, Any] = {"name": name}
    if kind in _AXIAL:
        axis = reading.only(element, "axis", title)
        options["axis"] = (1.0, 0.0, 0.0) if axis is None else reading.vector(axis, "xyz", title, (1.0, 0.0, 0.0))
        if not any(options["axis"]):
            line = element.line if axis is None else axis.line
            reading.problem("the axis is zero", line, title, "Give the direction of the motion, such as 0 0 1.")
            options["axis"] = (1.0, 0.0, 0.0)
    dynamics = reading.only(element, "dynamics", title)
    ignored: list[str] = []
    if kind != "fixed" and dynamics is not None:
        damping = reading.number(dynamics, "damping", title, 0.0, fatal=False, least=0.0)
        options["damping"] = damping or 0.0
        friction = reading.number(dynamics, "friction", title, 0.0, fatal=False, least=0.0)
        ignored = [
            key
            for key, value in dynamics.attributes.items()
            if key not in _ATTRIBUTES["dynamics"] and value.strip("0. ")
        ]
        ignored += ["friction"] if friction else []
    if kind in ("revolute", "continuous", "prismatic"):
        options["limits"] = _limits(element, kind, title, reading)
    try:
        return make_joint(_KINDS[kind], **options), ignored
    except ModelError as error:
        reading.problem(str(error), element.line, title)
        return Joint.fixed(name=name), []


def _limits(element: Element, kind: str, title: str, reading: Reading) -> Limits | None:
    """The bounds; a position that only one side bounds is bounded by 0 on the other, as the format says."""
    limit = reading.only(element, "limit", title)
    if limit is None:
        return None
    given = {
        key: reading.number(limit, key, title, 0.0, fatal=False, infinite=True, least=least)
        for key, least in (("lower", -float("inf")), ("upper", -float("inf")), ("velocity", 0.0), ("effort", 0.0))
    }
    lower, upper = given["lower"] or 0.0, given["upper"] or 0.0
    bounds: dict[str, tuple[float, ...]] = {}
    if kind != "continuous" and {"lower", "upper"} & limit.attributes.keys():
        if lower > upper:
            what = f"the lower limit {lower:g} is above the upper {upper:g}"
            reading.problem(what, limit.line, title, "Swap them.", fatal=False)
        else:
            bounds = {"lower": _bound(lower), "upper": _bound(upper)}
    for key in ("velocity", "effort"):
        if key in limit.attributes:
            bounds[key] = _bound(given[key] or 0.0)
    return Limits(**bounds)


def _bound(value: float) -> tuple[float, ...]:
    return () if abs(value) >= UNBOUNDED else (value,)


def _mimic(element: Element, name: str, title: str, reading: Reading) -> Following | None:
    mimic = reading.only(element, "mimic", title)
    if mimic is None:
        return None
    multiplier, offset = (
        reading.number(mimic, key, title, default, fatal=False)
        for key, default in (("multiplier", 1.0), ("offset", 0.0))
    )
    return Following(Mimic(name, mimic.attributes.get("joint", ""), multiplier or 0.0, offset or 0.0), mimic.line)


def _slips(element: Element, title: str, reading: Reading) -> None:
    """Other tags and attributes are extensions and are left alone, unless they look like a slip or may move masses."""
    known = _IN[element.tag]
    for child in element.children:
        if child.tag not in known and (advice := reading.spelling(child.tag.lower(), known)):
            reading.problem(f"unknown element <{child.tag:.60}>", child.line, title, advice, fatal=False)
        names = _ATTRIBUTES.get(child.tag, ())
        for key in child.attributes if names else ():
            advice = "" if key in names else reading.spelling(key.lower(), names)
            # An attribute beside the one that it is like is no slip of it.
            slip = advice and not any(f'"{name}"' in advice for name in child.attributes)
            if key not in names and child.tag in _EXACT:
                slip, advice = True, advice or f"<{child.tag}> has {', '.join(names)}; delete what is not one of them."
            if slip:
                what = f"unknown attribute {key:.60} of <{child.tag}>"
                reading.problem(what, child.line, title, advice, fatal=False)
