"""How fast programs shall be, and how fast they are: each figure beside what it must reach and what it should."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from operator_algebra.bench.measure import Row, machine

Verdict = Literal["goal", "floor", "missed"]
Better = Literal["more", "less"]


@dataclass(frozen=True)
class Figure:
    """One measured number; `least` says whether more is better or less."""

    group: str
    work: str
    unit: str
    value: float
    floor: float
    goal: float
    better: Better = "more"
    spread: tuple[float, float] | None = None
    """The same from medians, and from the best and the worst round, where there is more than one."""

    @property
    def verdict(self) -> Verdict:
        """Whether the goal is reached, or the floor at least."""
        sign = 1 if self.better == "more" else -1
        if sign * self.value >= sign * self.goal:
            return "goal"
        return "floor" if sign * self.value >= sign * self.floor else "missed"


def faster(group: str, work: str, rows: Sequence[Row], ours: str, peer: str, floor: float, goal: float) -> Figure:
    """How many times as long as ours a peer takes; the best of all rounds, and the range over them."""
    best = min(row.seconds[peer] for row in rows) / min(row.seconds[ours] for row in rows)
    each = [row.medians[peer] / row.medians[ours] for row in rows]
    return Figure(group, work, f"× {peer}", best, floor, goal, "more", (min(each), max(each)))


def share(group: str, work: str, rows: Sequence[Row], ours: str, peer: str, floor: float, goal: float) -> Figure:
    """Our time as a part of a peer's."""
    best = min(row.seconds[ours] for row in rows) / min(row.seconds[peer] for row in rows)
    each = [row.medians[ours] / row.medians[peer] for row in rows]
    return Figure(group, work, f"of {peer}'s", best, floor, goal, "less", (min(each), max(each)))


def number(value: float) -> str:
    """Three digits, without an exponent where people would not write one.

    >>> number(1234.5), number(0.0123), number(38.04), number(3.2e-15)
    ('1234', '0.0123', '38', '3.2e-15')
    """
    if value and not 1e-4 <= abs(value) < 1e7:
        return f"{value:.2g}"
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def text(figures: Sequence[Figure]) -> str:
    """The table in plain text."""
    rows = [(f.work, f"{number(f.value)} {f.unit}", number(f.floor), number(f.goal), f.verdict) for f in figures]
    heads = ("work", "measured", "floor", "goal", "reached")
    sizes = [max(len(row[k]) for row in (heads, *rows)) for k in range(5)]
    lines: list[str] = []
    group = ""
    for figure, row in zip(figures, rows, strict=True):
        if figure.group != group:
            group = figure.group
            lines += ["", group, _line(heads, sizes)] if not lines else ["", group]
        lines.append(_line(row, sizes))
    return "\n".join(lines).lstrip("\n")


def _line(cells: Sequence[str], sizes: Sequence[int]) -> str:
    first, *rest = (cell.ljust(size) for cell, size in zip(cells, sizes, strict=True))
    return "   ".join([first, *rest]).rstrip()


def figures_of(record: Mapping[str, Any]) -> list[Figure]:
    """The figures of a run that was kept."""
    found = [Figure(**one) for one in record["figures"]]
    return [one if one.spread is None else replace(one, spread=(one.spread[0], one.spread[1])) for one in found]


def markdown(record: Mapping[str, Any]) -> str:
    """The record of a run as a page: machine, tables, what is missed."""
    figures = figures_of(record)
    lines = [f"Measured in one run of {record['minutes']} minutes on: {'; '.join(record['machine'])}.", ""]
    group = ""
    for figure in figures:
        if figure.group != group:
            group = figure.group
            lines += [
                "",
                f"## {group}",
                "",
                "| work | measured | range | floor | goal | reached |",
                "|---|---|---|---|---|---|",
            ]
        low_high = "" if figure.spread is None else f"{number(figure.spread[0])} to {number(figure.spread[1])}"
        cells = (
            figure.work,
            f"{number(figure.value)} {figure.unit}",
            low_high,
            number(figure.floor),
            number(figure.goal),
        )
        lines.append(f"| {' | '.join(cells)} | {figure.verdict} |")
    return "\n".join(lines) + "\n"


def recorded(figures: Sequence[Figure], minutes: float) -> dict[str, object]:
    """A run as data."""
    return {"machine": machine(), "minutes": round(minutes), "figures": [asdict(one) for one in figures]}


def write(path: Path, figures: Sequence[Figure], minutes: float) -> None:
    """Keep a run as JSON."""
    path.write_text(json.dumps(recorded(figures, minutes), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
