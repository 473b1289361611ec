"""How the links and joints of a URDF file hang together: one tree, in which every name is used once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from operator_algebra.models.formats.urdf.parts import Link, Parts, UrdfJoint
from operator_algebra.models.formats.urdf.values import Reading
from operator_algebra.models.mimic import Mimic, faults
from operator_algebra.models.topology import cycle

_RINGS = 5


@dataclass(frozen=True)
class LinkTree:
    """Links that have no parent, and the joints below each link in the order of the file."""

    links: Mapping[str, Link]
    roots: Sequence[str]
    below: Mapping[str, Sequence[UrdfJoint]]


def link_tree(parts: Parts, line: int, reading: Reading) -> LinkTree:
    """The tree, with every problem of names and connections noted; only without problems is it one."""
    links = _unique_links(parts.links, reading)
    _check_joint_names(parts.joints, reading)
    if not links:
        reading.problem("the robot has no links", line, "", "A mechanism has at least one.")
    above: dict[str, UrdfJoint] = {}
    below: dict[str, list[UrdfJoint]] = {}
    for joint in parts.joints:
        ends = (("parent", joint.parent), ("child", joint.child))
        known = [_is_known(joint, end, link, links, reading) for end, link in ends]
        if not all(known):
            continue
        if joint.child in above:
            first = above[joint.child]
            what = f'the link "{joint.child:.60}" has two parents: "{first.parent:.60}" by the {first.title} '
            what += f'(line {first.line}) and "{joint.parent:.60}" by this joint'
            advice = "A link has one parent; loops are constraints on a tree."
            reading.problem(what, joint.line, joint.title, advice)
            continue
        above[joint.child] = joint
        below.setdefault(joint.parent, []).append(joint)
    roots = [name for name in links if name not in above]
    _check_cycles(links, above, reading)
    if len(roots) > 1 and not any(problem.fatal for problem in reading.problems):  # else it is a consequence
        names = ", ".join(f'"{name:.60}"' for name in roots[:8]) + (", …" if len(roots) > 8 else "")
        what = f"{len(roots)} links have no parent: {names}"
        advice = "A URDF has one root: join the others to it, with a fixed joint for instance."
        reading.problem(what, links[roots[1]].line, links[roots[1]].title, advice, fatal=False)
    return LinkTree(links, roots, below)


def _unique_links(links: Iterable[Link], reading: Reading) -> dict[str, Link]:
    found: dict[str, Link] = {}
    for link in links:
        first = found.setdefault(link.name, link)
        if first is not link:
            what = f"two links have this name, the other at line {first.line}"
            reading.problem(what, link.line, link.title, "Names are unique.")
    return found


def _check_joint_names(joints: Iterable[UrdfJoint], reading: Reading) -> None:
    found: dict[str, UrdfJoint] = {}
    for joint in joints:
        first = found.setdefault(joint.name, joint)
        if first is not joint:
            what = f"two joints have this name, the other at line {first.line}"
            reading.problem(what, joint.line, joint.title, "Names are unique.")


def _is_known(joint: UrdfJoint, end: str, link: str, links: Mapping[str, Link], reading: Reading) -> bool:
    if link in links:
        return True
    advice = reading.spelling(link, links, "Add the link, or correct the name.")
    reading.problem(f'the {end} link "{link:.60}" does not exist', joint.line, joint.title, advice)
    return False


def _check_cycles(links: Mapping[str, Link], above: Mapping[str, UrdfJoint], reading: Reading) -> None:
    names = list(links)
    place = {name: k for k, name in enumerate(names)}
    parents = [place[above[name].parent] if name in above else -1 for name in names]
    for _ in range(_RINGS):
        ring = cycle(parents)
        if not ring:
            return
        path = " → ".join(f'"{names[k]:.60}"' for k in [*ring[:8], ring[0]])
        joint = above[names[ring[0]]]
        what = f"the links form a cycle: {path}"
        reading.problem(what, joint.line, joint.title, "Loops are constraints on a tree; cut one.")
        for k in ring:
            parents[k] = -1


def mimics(joints: Sequence[UrdfJoint], reading: Reading) -> list[Mimic]:
    """The joints that follow others; those that cannot are left out, with problems noted. Fixed joints follow none."""
    following = [joint for joint in joints if joint.mimic is not None and joint.joint.nv]
    found = [joint.mimic.mimic for joint in following if joint.mimic is not None]
    wrong: set[int] = set()
    for k, what, advice in faults(found, {joint.name: joint.joint for joint in joints}):
        wrong.add(k)
        line = following[k].mimic
        reading.problem(what, line.line if line else 0, following[k].title, advice, fatal=False)
    return [mimic for k, mimic in enumerate(found) if k not in wrong]
