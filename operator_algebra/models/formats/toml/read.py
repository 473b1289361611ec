"""The package's own file format: TOML, with SI units, radians, [x, y, z] and quaternions [w, x, y, z]. The reader."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import partial
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeVar, cast

from operator_algebra.arguments import shown
from operator_algebra.errors import ModelError, explain
from operator_algebra.models.formats.opening import read_text
from operator_algebra.models.formats.toml.tables import Lines, Table
from operator_algebra.models.joints.joint import JOINT_KINDS, Joint, Limits, joint_class, make_joint
from operator_algebra.models.loops import DIRECTIONS, Loop, loop_faults
from operator_algebra.models.mimic import Mimic, faults
from operator_algebra.models.model import GRAVITY, Body, Frame, Model
from operator_algebra.models.problems import Problem, report
from operator_algebra.models.validate import suggestion
from operator_algebra.spatial.arrays import ZERO3
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement, vector3

VERSION = 1
ABOUT = ("description", "source", "licence")
RESERVED = ("constraints", "springs", "dampers")
_ROTATIONS = ("rotation", "quaternion", "rpy", "rotation_vector")
# A dotted key takes the parser time in the square of its parts.
_LONGEST_LINE = 4000
_ENOUGH_PROBLEMS = 200
T = TypeVar("T")


def read_toml(source: Traversable | Path, *, base: str = "fixed", mimic: bool = True, strict: bool = True) -> Model:
    """The model in a TOML file; all that is wrong with the file is said in one `ModelError`.

    Without `mimic` no joint follows another one.
    """
    text = read_text(source)
    file = Path(str(source)).name
    problems: list[Problem] = []
    top = Table(_parse(text, file), file, "", 0, Lines(text), problems)
    _check_version(top)
    for key in ABOUT:
        top.text(key)
    for key in RESERVED:
        if top.take(key) is not None:
            advice = "Give springs and dampers with the joint: stiffness, damping, rest."
            top.problem(f'the key "{key}" is reserved for a later version', key, advice, fatal=False)
    name = top.text("name", file.removesuffix(".toml")) or file
    given = top.numbers("gravity", GRAVITY)
    gravity = _made(top, "gravity", lambda: vector3(given, "gravity"), GRAVITY)
    tables = [
        Table(table, file, f'body "{table.get("name", k)}"', top.lines.of("bodies", k), top.lines, problems)
        for k, table in enumerate(top.tables("bodies"))
    ]
    bodies: list[Body] = []
    for k, table in enumerate(tables):
        bodies.append(_body(table, k))
        if len(problems) > _ENOUGH_PROBLEMS:
            report(problems, strict=True)
    frames = dict(_frames(top, {body.name for body in bodies}))
    following = list(_mimics(top, bodies))
    loops = _loops(top, frames)
    top.close()
    if base == "floating":
        bodies = [_floating(body, table) for body, table in zip(bodies, tables, strict=True)]
    return Model.from_parts(
        name=name,
        bodies=bodies,
        gravity=gravity,
        frames=frames,
        problems=problems,
        where=lambda k: tables[k].where() if k >= 0 else top.where("name"),
        strict=strict,
        mimic=following if mimic else (),
        loops=loops,
    )


def read_about(source: Traversable | Path) -> dict[str, str]:
    """Description, source and licence that a file states."""
    values = _parse(read_text(source), Path(str(source)).name)
    return {key: str(values[key]) for key in ABOUT if key in values}


def _parse(text: str, file: str) -> dict[str, Any]:
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line) > _LONGEST_LINE:
            raise ModelError(explain(f"the line has {len(line)} characters", f"{file}, line {number}", "Break it."))
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ModelError(explain("brackets are nested too deep", file)) from None
    except ValueError as error:  # TOMLDecodeError, and what int() says of a number with thousands of digits
        message = str(error)
        place = re.search(r" ?\(at (?:line (\d+), column \d+|end of document)\)", message)
        line = (place[1] if place else None) or str(text.count("\n") + 1)
        what = message[: place.start()] if place else message
        advice = "Was the file truncated?" if place and not place[1] else "Check the quotes, commas and brackets there."
        raise ModelError(explain(f"not valid TOML: {what}", f"{file}, line {line}", advice)) from None


def _check_version(top: Table) -> None:
    version = top.take("version")
    if version is None:
        top.problem("there is no version", remedy=f"Write version = {VERSION} at the top.")
    elif isinstance(version, bool) or not isinstance(version, int) or version < 1:
        top.problem(f"the version is {shown(version)}", "version", f"Write version = {VERSION}.")
    elif version > VERSION:
        top.problem(f"the version is {version}; this package reads up to {VERSION}", "version", "Update the package.")


def _body(table: Table, k: int) -> Body:
    name = table.text("name")
    if name is None:
        table.problem("the body has no name", remedy='Write name = "…".')
        name = f"body {k}"
    inner = table.table("joint")
    if inner is None and "joint" not in table.values:
        table.problem("the body has no joint", remedy='Write joint = { kind = "fixed" } to fix it to its parent.')
    joint = Joint.fixed() if inner is None else _joint(inner)
    placement = _placement(table.table("placement"))
    mass, com, moments = table.number("mass"), table.numbers("com", ZERO3), table.numbers("inertia", ZERO3)
    inertia = _made(table, "mass", lambda: Inertia(mass, com, moments), Inertia())
    parent = table.text("parent")
    table.close()
    return Body(name, parent, joint, placement, inertia)


def _joint(table: Table) -> Joint:
    kind = table.text("kind")
    if kind is None:
        table.problem(
            "the joint has no kind", remedy=f'Write kind = "revolute", or another of {", ".join(JOINT_KINDS)}.'
        )
        return Joint.fixed()
    if kind not in JOINT_KINDS:
        _made(table, "kind", lambda: joint_class(kind), None)
        return Joint.fixed()
    options: dict[str, Any] = {}
    known = [entry.name for entry in fields(joint_class(kind))]
    for key in known:
        if key == "limits":
            inner = table.table("limits")
            if inner is not None:
                options[key] = _limits(inner)
        elif key == "name":
            options[key] = table.text("name", "")
        elif key in table.values:
            given = table.numbers(key)
            if given is not None:
                options[key] = given
    table.close(known)
    return _made(table, None, lambda: make_joint(kind, **options), Joint.fixed(name=options["name"]))


def _limits(table: Table) -> Limits:
    bounds = {entry.name: _bound(table.numbers(entry.name, ())) for entry in fields(Limits)}
    table.close()
    return Limits(**bounds)


def _bound(value: Any) -> tuple[float, ...]:
    return tuple(cast("list[float]", value)) if isinstance(value, list | tuple) else (value,)


def _placement(table: Table | None) -> Placement:
    if table is None:
        return Placement()
    translation = table.numbers("translation", ZERO3)
    given = [key for key in _ROTATIONS if table.numbers(key) is not None]
    table.close()
    if len(given) > 1:
        table.problem(f"the rotation is given twice, by {' and '.join(given)}", given[1], "Give one of them.")
    if not given:
        return _made(table, "translation", lambda: Placement(translation=translation), Placement())
    make: dict[str, Callable[..., Placement]] = {
        "rotation": Placement,
        "quaternion": Placement.from_quaternion,
        "rpy": Placement.from_rpy,
        "rotation_vector": Placement.from_rotation_vector,
    }
    return _made(table, given[0], lambda: make[given[0]](table.values[given[0]], translation), Placement())


def _frames(top: Table, bodies: set[str]) -> Iterator[tuple[str, Frame]]:
    section = top.table("frames")
    if section is None:
        return
    for name in section.values:
        table = section.table(name)
        if table is not None:
            table.element, table.line = f'frame "{name}"', top.lines.of(f"frames.{name}")
            body, placement = table.text("body"), _placement(table.table("placement"))
            table.close()
            if body is None or body in bodies:
                yield name, Frame(body, placement)
            else:
                table.problem(f'the body "{body}" does not exist', "body", suggestion(body, bodies))


def _mimics(top: Table, bodies: list[Body]) -> Iterator[Mimic]:
    """The joints that follow others, tested."""
    tables: list[Table] = []
    found: list[Mimic] = []
    for k, values in enumerate(top.tables("mimic")):
        line = top.lines.of("mimic", k)
        table = Table(values, top.file, f'mimic joint "{values.get("joint", k)}"', line, top.lines, top.problems)
        names = {key: table.text(key) for key in ("joint", "follows")}
        for key, name in names.items():
            if name is None and key not in values:
                table.problem(f"there is no {key}", remedy=f'Write {key} = "…", the name of a joint.')
        multiplier, offset = table.number("multiplier", 1.0), table.number("offset")
        table.close()
        joint, follows = names["joint"], names["follows"]
        if joint is not None and follows is not None:
            tables.append(table)
            found.append(_made(table, None, partial(Mimic, joint, follows, multiplier, offset), Mimic(joint, follows)))
    for k, what, remedy in faults(found, {body.joint.name or body.name: body.joint for body in bodies}):
        tables[k].problem(what, "follows", remedy)
    yield from found


def _loops(top: Table, frames: dict[str, Frame]) -> list[Loop]:
    """What is held beside the joints, tested."""
    tables: list[Table] = []
    found: list[Loop] = []
    for k, values in enumerate(top.tables("loops")):
        line = top.lines.of("loops", k)
        table = Table(values, top.file, f'loop "{values.get("name", k)}"', line, top.lines, top.problems)
        texts = {key: table.text(key) for key in ("name", "first", "second", "at")}
        for key in ("name", "first", "second"):
            if key not in values:
                table.problem(f"there is no {key}", remedy=f'Write {key} = "…".')
        if "locked" not in values:
            table.problem("nothing is locked", remedy=f"Write locked = [ … ], of {', '.join(DIRECTIONS)}.")
        locked = table.texts("locked")
        table.close()
        name, first, second = texts["name"], texts["first"], texts["second"]
        if name is not None and first is not None and second is not None and locked is not None:
            tables.append(table)
            found.append(Loop(name, first, second, locked, texts["at"]))
    for k, key, what, remedy in loop_faults(found, frames):
        tables[k].problem(what, key, remedy)
    return found


def _floating(body: Body, table: Table) -> Body:
    """The body with a floating joint where it is fixed to the ground."""
    if body.parent is not None or body.joint.kind == "floating":
        return body
    if body.joint.kind != "fixed":
        table.problem(
            f"base='floating' needs a base body, but the root moves on the ground by a {body.joint.kind} joint",
            "joint",
            'Put a body with inertia and joint = { kind = "fixed" } under it.',
        )
        return body
    return replace(body, joint=Joint.floating(name=body.joint.name))


def _made(table: Table, key: str | None, make: Callable[[], T], otherwise: T) -> T:
    try:
        return make()
    except ModelError as error:
        table.problem(str(error), key)
        return otherwise
