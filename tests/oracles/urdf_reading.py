"""A second, trusting reader of URDF on the XML tools of the standard library: dictionaries and dense matrices."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Turns about x, y, z.
_GENERATORS = np.array([np.cross(np.eye(3), axis) for axis in np.eye(3)])


class PlainJoint(NamedTuple):
    """A joint between two links: pose of its frame in the parent link, unit axis."""

    kind: str
    parent: str
    child: str
    origin: Floats  # (4, 4)
    axis: Floats  # (3,)
    damping: str


class PlainRobot(NamedTuple):
    """Spatial inertia of each link about its origin, and joints by name."""

    inertias: dict[str, Floats]
    joints: dict[str, PlainJoint]


def read_plainly(text: str) -> PlainRobot:
    """The robot in a valid file."""
    robot = ET.fromstring(text)
    links = {link.attrib["name"]: _inertia(link.find("inertial")) for link in robot.findall("link")}
    joints = {joint.attrib["name"]: _joint(joint) for joint in robot.findall("joint")}
    return PlainRobot(links, joints)


def _joint(joint: ET.Element) -> PlainJoint:
    ends = [joint.find(tag) for tag in ("parent", "child")]
    parent, child = ("" if end is None else end.attrib["link"] for end in ends)
    axis = None if joint.attrib["type"] in ("fixed", "floating") else joint.find("axis")  # it means nothing there
    direction = _vector("1 0 0" if axis is None else axis.get("xyz", "1 0 0"))
    length = float(np.linalg.norm(direction))
    dynamics = joint.find("dynamics")
    damping = "0" if dynamics is None else dynamics.get("damping", "0")
    unit = direction / length if length else direction
    return PlainJoint(joint.attrib["type"], parent, child, _pose(joint.find("origin")), unit, damping)


def _inertia(inertial: ET.Element | None) -> Floats:
    if inertial is None:
        return np.zeros((6, 6))
    mass, moments = inertial.find("mass"), inertial.find("inertia")
    m = 0.0 if mass is None else float(mass.attrib["value"])
    J = np.zeros((3, 3))
    if moments is not None:
        for i, a in enumerate("xyz"):
            for j, b in enumerate("xyz"):
                J[i, j] = _number(moments.get("i" + "".join(sorted(a + b))))
    pose = _pose(inertial.find("origin"))
    R, c = pose[:3, :3], pose[:3, 3]
    lever = np.array([[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]])
    return np.block([[R @ J @ R.T - m * lever @ lever, m * lever], [-m * lever, m * np.eye(3)]])


def _pose(origin: ET.Element | None) -> Floats:
    pose = np.eye(4)
    if origin is not None:
        for angle, generator in zip(_vector(origin.get("rpy", "0 0 0")), _GENERATORS, strict=True):
            turn = np.eye(3) + np.sin(angle) * generator + (1.0 - np.cos(angle)) * generator @ generator
            pose[:3, :3] = turn @ pose[:3, :3]
        pose[:3, 3] = _vector(origin.get("xyz", "0 0 0"))
    return pose


def _vector(text: str) -> Floats:
    return np.array([float(word) for word in text.split()])


def _number(text: str | None) -> float:
    return float(text) if text is not None else 0.0
