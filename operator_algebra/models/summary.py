"""How a model shows itself: one line, a tree of text, a fragment of HTML."""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from operator_algebra.models.model import Model

_COLUMNS = 100
_LINES = 200  # a longer tree helps nobody
_INDENT = 48
_DRAWN = 64
_NAME = 40


def line(model: Model) -> str:
    """Name, bodies, joints by kind, coordinates, base; at most 100 columns."""
    kinds = ", ".join(f"{count} {kind}" for kind, count in _kinds(model).items())
    head = f"Model {_short(model.name)}   {model.n} {_plural('body', 'bodies', model.n)}"
    follow = f", {len(model.mimic)} mimic" if model.mimic else ""
    tail = f"nq {model.nq}, nv {model.nv}{follow}   {base(model)}"
    if model.loops:
        tail += f"   {len(model.loops)} {_plural('loop', 'loops', len(model.loops))}"
    text = f"{head}   {kinds}   {tail}"
    if len(text) <= _COLUMNS:
        return text
    return f"{head}   {len(_kinds(model))} kinds of joint   {tail}"


def base(model: Model) -> str:
    """Whether the roots float."""
    floating = sum(model.columns.kinds[k] == "floating" for k in model.roots)
    roots = len(model.roots)
    if floating in (0, roots):
        kind = "floating" if floating else "fixed"
        return f"{kind} base" if roots == 1 else f"{roots} {kind} bases"
    return f"{roots} bases, {floating} floating"


def tree(model: Model) -> str:
    """One line for each body, with its joint and its mass."""
    rows = _rows(model)
    wide = max(len(row[0]) for row in rows)
    joint = max(len(row[1]) for row in rows)
    lines = [line(model), "ground", *(f"{a:<{wide}}   {b:<{joint}}   {c}" for a, b, c in rows)]
    if model.n > len(rows):
        lines.append(f"… {model.n - len(rows)} bodies more")
    return "\n".join(lines)


def _rows(model: Model) -> list[tuple[str, str, str]]:
    last = {row[-1] for row in (*model.children, model.roots) if row}
    followed = {mimic.joint: mimic.follows for mimic in model.mimic}
    indents: dict[int, str] = {-1: ""}
    rows: list[tuple[str, str, str]] = []
    kinds, masses = model.columns.kinds, model.arrays.mass
    for k, body in enumerate(model.body_names[:_LINES]):
        indent = indents[model.parent[k]]
        below = indent + ("   " if k in last else "│  ")
        indents[k] = below if len(below) <= _INDENT else f"… {model.level[k] + 1} "
        mark = "└─ " if k in last else "├─ "
        name = model.joint_names[k]
        joint = kinds[k] if name == body else f"{_short(name)}, {kinds[k]}"
        if name in followed:
            joint += f", mimics {_short(followed[name])}"
        rows.append((indent + mark + _short(body), joint, f"{masses[k]:g} kg"))
    return rows


def html(model: Model) -> str:
    """A drawing of the tree and a table, as one fragment without script or address."""
    head = f"<strong>{escape(_short(model.name))}</strong> {escape(line(model).split('   ', 1)[1])}"
    shown = min(model.n, _DRAWN)
    more = f"<p>… {model.n - shown} bodies more</p>" if model.n > shown else ""
    drawing = _drawing(model) if model.n <= _DRAWN else f"<p>{model.n} bodies, depth {model.depth}: not drawn</p>"
    return (
        f"<div><p>{head}</p><details open><summary>tree</summary>{drawing}</details>"
        f"<details><summary>bodies</summary>{_table(model, shown)}{more}</details></div>"
    )


def _table(model: Model, shown: int) -> str:
    rows = "".join(
        f"<tr><td>{k}</td><td>{escape(_short(body))}</td><td>{model.parent[k]}</td>"
        f"<td>{escape(_short(model.joint_names[k]))}</td><td>{escape(model.columns.kinds[k])}</td>"
        f"<td>{model.arrays.mass[k]:g}</td></tr>"
        for k, body in enumerate(model.body_names[:shown])
    )
    titles = "".join(f"<th>{title}</th>" for title in ("k", "body", "parent", "joint", "kind", "mass [kg]"))
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{rows}</tbody></table>"


def _drawing(model: Model) -> str:
    """Bodies from left to right by level, each tip on a line of its own."""
    rows: dict[int, float] = {}
    tips = 0
    for k in reversed(range(model.n)):  # children stand behind their parent, so they are placed first
        if model.children[k]:
            rows[k] = sum(rows[child] for child in model.children[k]) / len(model.children[k])
        else:
            rows[k] = float(tips)
            tips += 1
    spots = {k: (30 + 36 * (model.level[k] + 1), 14 + 20 * (tips - 1 - rows[k])) for k in rows}
    spots[-1] = (30, 14 + 10 * (tips - 1))
    edges = "".join(
        f'<path d="M{spots[p][0]:g} {spots[p][1]:g}L{spots[k][0]:g} {spots[k][1]:g}"/>'
        for k, p in enumerate(model.parent)
    )
    dots = "".join(
        f'<circle cx="{spots[k][0]:g}" cy="{spots[k][1]:g}" r="5"><title>{escape(_short(body))}</title></circle>'
        for k, body in enumerate(model.body_names)
    )
    width, height = 60 + 36 * model.depth, 28 + 20 * max(tips - 1, 0)
    ground = f'<rect x="24" y="{spots[-1][1] - 6:g}" width="8" height="12"/>'
    return (
        f'<svg width="{width}" height="{height:g}" viewBox="0 0 {width} {height:g}" role="img" '
        f'stroke="currentColor" fill="currentColor"><g stroke-width="1.5">{edges}</g>{ground}{dots}</svg>'
    )


def _kinds(model: Model) -> Counter[str]:
    return Counter(model.columns.kinds)


def _plural(one: str, many: str, count: int) -> str:
    return one if count == 1 else many


def _short(name: str) -> str:
    return name if len(name) <= _NAME else name[: _NAME - 1] + "…"


def joint_kinds(model: Model) -> list[str]:
    """The kind of each joint, base to tip."""
    return model.columns.kinds
