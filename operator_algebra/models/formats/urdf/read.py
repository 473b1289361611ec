"""Robots in URDF: the reader. Links become bodies; drawings, contacts, sensors and transmissions are left alone."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from operator_algebra.errors import ModelError, OperatorAlgebraWarning, explain
from operator_algebra.models.formats.opening import decoded, read_bytes
from operator_algebra.models.formats.urdf.bodies import assemble
from operator_algebra.models.formats.urdf.parts import Link, Parts, read_parts
from operator_algebra.models.formats.urdf.tree import link_tree, mimics
from operator_algebra.models.formats.urdf.values import Reading
from operator_algebra.models.formats.urdf.xml import Element, declared_encoding, parse_xml
from operator_algebra.models.model import GRAVITY, Model
from operator_algebra.models.plausible import inertia_problems
from operator_algebra.models.problems import Problem, Where, report

_LOG = logging.getLogger(__name__)
_NAMED = 4


def read_urdf(
    source: Path, *, base: str = "fixed", merge_fixed: bool = True, mimic: bool = True, strict: bool = True
) -> Model:
    """The model in a URDF file; all that is wrong with the file is said in one `ModelError`.

    A link without <inertial> has neither mass nor inertia. Links that are fixed to each other are merged, and keep
    their names as frames. A joint that mimics another one is independent, which a warning says.
    """
    file = source.name
    data = read_bytes(source)
    robot = parse_xml(decoded(data, str(source), declared_encoding(data)), file)
    _check_robot(robot, file)
    reading = Reading(file)
    name = robot.attributes.get("name", "")
    if not name.strip():
        reading.problem("the robot has no name", robot.line, "", 'Write <robot name="…">.', fatal=False)
        name = source.stem
    parts = read_parts(robot, reading)
    tree = link_tree(parts, robot.line, reading)
    following = mimics(parts.joints, reading) if mimic else []
    links = parts.links
    # Before merging: the sum of a good and a bad inertia may look good.
    implausible = list(_inertia_problems(links, _where(reading, links, robot)))
    if any(problem.fatal for problem in reading.problems):
        report([*reading.problems, *implausible], strict=strict)
    built = assemble(tree, base, merge_fixed, reading)
    model = Model.from_parts(
        name=name,
        bodies=built.bodies,
        gravity=GRAVITY,
        frames=built.frames,
        problems=reading.problems,
        where=_where(reading, built.links, robot),
        strict=strict,
        implausible=implausible,
        mimic=following,
    )
    _announce(file, parts, robot)
    if built.frames:
        _LOG.info("%s: %d merged links; model.frames has their names", file, len(built.frames))
    return model


def _inertia_problems(links: Sequence[Link], at: Where) -> Iterator[Problem]:
    masses = np.array([link.inertia.mass for link in links])
    moments = np.array([link.inertia.inertia_at_com for link in links]).reshape(-1, 3, 3)
    return inertia_problems(masses, moments, at, lambda k, _: id(links[k].inertia))


def _where(reading: Reading, links: Sequence[Link], robot: Element) -> Where:
    return lambda k: reading.where(links[k].line, links[k].title) if k >= 0 else reading.where(robot.line, "")


def _check_robot(robot: Element, file: str) -> None:
    if robot.tag != "robot":
        what = f"the outermost element is <{robot.tag:.60}>, not <robot>"
        raise ModelError(explain(what, f"{file}, line {robot.line}", "This reader knows URDF only."))


def _announce(file: str, parts: Parts, robot: Element) -> None:
    ignored = [joint for joint in parts.joints if joint.ignored]
    if ignored:
        kinds = ", ".join(sorted({quantity for joint in ignored for quantity in joint.ignored}))
        names = _some([f'"{joint.name:.60}"' for joint in ignored])
        what = f"{kinds} of joints ({len(ignored)}) ignored: {names}"
        _warn(explain(what, file, "Only damping is read."))
    transmissions = sum(1 for _ in robot.all("transmission"))
    if transmissions:
        _LOG.info("%s: %d transmissions ignored; rotor inertia is the armature of a joint", file, transmissions)


def _some(texts: Sequence[str]) -> str:
    return ", ".join(texts[:_NAMED]) + (", …" if len(texts) > _NAMED else "")


def _warn(message: str) -> None:
    warnings.warn(message, OperatorAlgebraWarning, stacklevel=5)
