"""What `check` leaves in a folder: results.json, report.html, and the pictures as PNG and SVG."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from operator_algebra.checking.results import results
from operator_algebra.checking.suite import coverage
from operator_algebra.cli.reporting.page import page
from operator_algebra.errors import BackendUnavailable
from operator_algebra.models.gallery import load
from operator_algebra.symbols import parse
from operator_algebra.views.factors import factors
from operator_algebra.views.flow import flow
from operator_algebra.views.residuals import residuals
from operator_algebra.views.robot import robot
from operator_algebra.views.scaling import scaling
from operator_algebra.views.vector import inline, svg

if TYPE_CHECKING:
    from operator_algebra.checking.check import Check
    from operator_algebra.cli.reporting.oracle import Agreement

_CHECKOUT = Path(__file__).resolve().parents[3]
BUILT = ("out/docs", "docs/_build/html")
"""Where the pages are after the command of the README, and after the gate."""


def write_report(
    checks: Sequence[Check],
    folder: Path,
    agreements: Sequence[Agreement] | None,
    *,
    samples: int,
    seed: int,
    seconds: float,
) -> Path:
    """Write the files and return the path of the page; results.json holds no time and no machine."""
    folder.mkdir(parents=True, exist_ok=True)
    data = json.dumps(results(checks, samples=samples, seed=seed), indent=1, sort_keys=True, ensure_ascii=False)
    (folder / "results.json").write_text(data + "\n", encoding="utf-8")
    pictures = _pictures(checks, folder)
    covered = coverage(list(dict.fromkeys(row.mechanism for check in checks for row in check.rows)))
    text = page(
        checks,
        pictures,
        covered,
        agreements,
        samples=samples,
        seed=seed,
        seconds=seconds,
        documentation=_documentation(folder),
    )
    path = folder / "report.html"
    path.write_text(text, encoding="utf-8")
    return path


def _documentation(folder: Path) -> str:
    """The way from the report to the pages that were built in the checkout; none if there are none."""
    for built in BUILT:
        pages = _CHECKOUT / built
        if (pages / "catalogue" / "index.html").is_file():
            return Path(os.path.relpath(pages, folder.resolve())).as_posix()
    return ""


def _pictures(checks: Sequence[Check], folder: Path) -> dict[str, tuple[str, str]]:
    """The SVG and the caption of each picture; none where matplotlib is missing."""
    found: dict[str, tuple[str, str]] = {}
    try:
        for name, (caption, draw) in _drawings(checks).items():
            figure = draw()
            figure.savefig(folder / f"{name}.png")
            text = svg(figure)
            (folder / f"{name}.svg").write_text(text, encoding="utf-8")
            found[name] = inline(text, name), caption
    except BackendUnavailable:
        return {}
    return found


def _drawings(checks: Sequence[Check]) -> dict[str, tuple[str, Callable[[], Any]]]:
    def heat() -> Any:
        return residuals(checks)

    def tiles() -> Any:
        return factors("H φ M φ* H*", load("quadruped"))

    def stick() -> Any:
        return robot(load("quadruped"), ellipsoids=True)

    def sweeps() -> Any:
        return flow(parse("inv(H phi M phi' H') T"), load("tree4"))

    def cost() -> Any:
        return scaling("inv(H phi M phi' H') T", (4, 8, 16, 32, 64))

    return {
        "residuals": ("Every law on every mechanism: log₁₀ of the worst residual as a share of its bound.", heat),
        "factors": ("The mass matrix of the quadruped as a product; filled cells are blocks.", tiles),
        "robot": (
            "The quadruped: links, joints, and how heavy each body is alone (M) and with what it carries (P).",
            stick,
        ),
        "flow": ("The sweeps that solve the mass matrix, on a small tree.", sweeps),
        "scaling": ("Operations and time against the number of bodies: sweeps beside matrices.", cost),
    }
