"""Bodies from links: links that are fixed to each other become one body, and frames keep their names and places."""

from __future__ import annotations

from dataclasses import dataclass, field

from operator_algebra.models.body import Body, Frame
from operator_algebra.models.formats.urdf.parts import Link, UrdfJoint
from operator_algebra.models.formats.urdf.tree import LinkTree
from operator_algebra.models.formats.urdf.values import Reading
from operator_algebra.models.joints.joint import Joint
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement

GROUND = "world"
"""A root link of this name without inertia is the ground itself, as simulators have it."""

_NO_PLACEMENT = Placement()


@dataclass(frozen=True)
class _Carrier:
    """The body (None: the ground) that a link is part of, and the link's place in it."""

    body: str | None
    placement: Placement = _NO_PLACEMENT

    def place(self, origin: Placement) -> Placement:
        return origin if self.placement is _NO_PLACEMENT else self.placement @ origin


@dataclass
class Assembly:
    """Bodies in the order of the file, each parent before its children, with the links that they come from."""

    bodies: list[Body] = field(default_factory=list[Body])
    links: list[Link] = field(default_factory=list[Link])
    frames: dict[str, Frame] = field(default_factory=dict[str, Frame])


def assemble(tree: LinkTree, base: str, merge_fixed: bool, reading: Reading) -> Assembly:
    """The bodies of a tree of links on a fixed or floating base; the root link stays a body in either case."""
    made = _Making(tree, base == "floating", merge_fixed, reading)
    stack: list[tuple[UrdfJoint, _Carrier]] = []
    for root in tree.roots:
        carrier = made.root(tree.links[root])
        stack += [(joint, carrier) for joint in reversed(tree.below.get(root, ()))]
        while stack:
            joint, above = stack.pop()
            carrier = made.link(joint, above)
            stack += [(below, carrier) for below in reversed(tree.below.get(joint.child, ()))]
    return made.result()


class _Making:
    """The assembly under way."""

    def __init__(self, tree: LinkTree, floating: bool, merge_fixed: bool, reading: Reading) -> None:
        self._tree = tree
        self._floating = floating
        self._merge_fixed = merge_fixed
        self._reading = reading
        self._assembly = Assembly()
        self._inertias: dict[str, Inertia] = {}

    def root(self, link: Link) -> _Carrier:
        """A link without parent: the ground, or a body on it."""
        if link.name == GROUND and link.inertia.is_zero and self._tree.below.get(link.name):
            return _Carrier(None)
        joint = Joint.floating(name=self._root_name(link)) if self._floating else Joint.fixed()
        return self._body(link, None, joint, _NO_PLACEMENT)

    def link(self, joint: UrdfJoint, above: _Carrier) -> _Carrier:
        """The link that a joint carries."""
        link, motion, place = self._tree.links[joint.child], joint.joint, above.place(joint.origin)
        is_base = above.body is None and not (link.inertia.is_zero and not self._tree.below.get(link.name))
        if motion.kind == "fixed" and self._merge_fixed and not is_base:
            return self._merged(link, _Carrier(above.body, place))
        if motion.kind == "fixed" and self._floating and is_base:
            motion = Joint.floating(name=joint.name)
        elif motion.kind != "floating" and self._floating and is_base:
            what = f"base='floating' needs a base link, but {link.title} moves on the ground by a {motion.kind} joint"
            advice = f'Put a link with inertia between "{GROUND}" and it.'
            self._reading.problem(what, joint.line, joint.title, advice)
        return self._body(link, above.body, motion, place)

    def result(self) -> Assembly:
        """The bodies with the inertia of all links that they are made of."""
        bodies = [
            Body(body.name, body.parent, body.joint, body.placement, self._inertias[body.name])
            for body in self._assembly.bodies
        ]
        return Assembly(bodies, self._assembly.links, self._assembly.frames)

    def _body(self, link: Link, parent: str | None, joint: Joint, place: Placement) -> _Carrier:
        self._assembly.bodies.append(Body(link.name, parent, joint, place))
        self._assembly.links.append(link)
        self._inertias[link.name] = link.inertia
        return _Carrier(link.name)

    def _merged(self, link: Link, carrier: _Carrier) -> _Carrier:
        self._assembly.frames[link.name] = Frame(carrier.body, carrier.placement)
        if carrier.body is None or link.inertia.is_zero:
            return carrier
        moved, others = link.inertia.moved(carrier.placement), self._inertias[carrier.body]
        if moved.mass and others.mass + moved.mass == 0.0:
            what = f'its mass and that of the link "{carrier.body:.60}" that it is fixed to add up to zero'
            self._reading.problem(what, link.line, link.title, "Check the signs, or load with merge_fixed=False.")
            return carrier
        self._inertias[carrier.body] = others + moved
        return carrier

    def _root_name(self, link: Link) -> str:
        """A joint without a name has that of its body, which must not be another joint's."""
        taken = {joint.name for joints in self._tree.below.values() for joint in joints}
        name = link.name
        while name in taken:
            name += "_floating"
        return "" if name == link.name else name
