"""The report as one HTML page: summary, laws worst first, heat map, drawings; it loads nothing and prints well."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from html import escape
from importlib import metadata
from typing import TYPE_CHECKING

import operator_algebra
from operator_algebra.cli.reporting.law_list import STYLE, law_list
from operator_algebra.installing import install_command
from operator_algebra.views.vector import tones

if TYPE_CHECKING:
    from operator_algebra.checking.check import Check
    from operator_algebra.cli.reporting.oracle import Agreement

_STYLE = """
:root { color-scheme: light dark; --ink: #1f2328; --soft: #57606a; --line: #d0d7de; --page: #ffffff;
  --band: #f6f8fa; --good: #0b6b3a; --bad: #b3001b; --unsure: #8a5a00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9aa4af; --line: #3a424c; --page: #10151b;
    --band: #1a212a; --good: #57c98a; --bad: #ff8a8a; --unsure: #e3b341; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page);
  margin: 0 auto; max-width: 72rem; padding: 1.5rem; }
h1 { font-size: 1.5rem; margin: 0 0 .2rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; } p.soft, .soft { color: var(--soft); }
.cards { display: flex; flex-wrap: wrap; gap: .8rem; margin: 1.2rem 0; }
.card { border: 1px solid var(--line); border-radius: .5rem; padding: .6rem 1rem;
  background: var(--band); min-width: 8rem; }
.card b { display: block; font-size: 1.45rem; font-variant-numeric: tabular-nums; }
.good { color: var(--good); } .bad { color: var(--bad); } .unsure { color: var(--unsure); }
table { border-collapse: collapse; width: 100%; font-size: .86rem; }
th, td { text-align: left; padding: .22rem .5rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 600; } td.d { white-space: nowrap; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
code, pre { font: .84rem/1.45 ui-monospace, monospace; }
pre { background: var(--band); padding: .7rem; overflow-x: auto; border-radius: .4rem;
  border: 1px solid var(--line); white-space: pre-wrap; }
figure { margin: 1rem 0; } .wide { overflow-x: auto; }
figure svg { max-width: 100%; height: auto; border-radius: .4rem; border: 1px solid var(--line); }
figcaption { color: var(--soft); font-size: .85rem; }
@media print { body { max-width: none; padding: 0; font-size: 10pt; } h2 { break-after: avoid; }
  figure, tr, .card, pre { break-inside: avoid; } }
"""


def page(
    checks: Sequence[Check],
    pictures: Mapping[str, tuple[str, str]],
    covered: Sequence[tuple[str, str]],
    agreements: Sequence[Agreement] | None,
    *,
    samples: int,
    seed: int,
    seconds: float,
    documentation: str = "",
) -> str:
    """The page; `pictures` are SVG and caption by name, `documentation` is the address of the built pages."""
    tones_of_pictures = tones([svg for svg, _ in pictures.values()])
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
        f"<title>operator_algebra: laws checked</title><style>{_STYLE}{STYLE}{tones_of_pictures}</style></head><body>",
        _summary(checks, samples, seed, seconds),
        _problems(checks),
        _laws(checks, documentation),
        _figure(pictures, "residuals", "Heat map"),
        _coverage(covered),
        _engines(agreements),
        _drawings(pictures),
        _versions(),
        "</body></html>",
    ]
    return "\n".join(part for part in parts if part)


def _count(checks: Sequence[Check], field: str) -> int:
    return sum(getattr(row, field) for check in checks for row in check.rows)


def _summary(checks: Sequence[Check], samples: int, seed: int, seconds: float) -> str:
    mechanisms = len({row.mechanism for check in checks for row in check.rows})
    cards = [
        (f"{len(checks)}", "laws", ""),
        (f"{mechanisms}", "mechanisms", ""),
        (f"{_count(checks, 'holds'):,}".replace(",", " "), "samples hold", "good"),
        (f"{_count(checks, 'inconclusive')}", "inconclusive", "unsure" if _count(checks, "inconclusive") else ""),
        (f"{_count(checks, 'fails')}", "fail", "bad" if _count(checks, "fails") else ""),
        (f"{_count(checks, 'precise')}", "judged in extended precision", ""),
    ]
    shown = "".join(f'<div class="card"><b class="{kind}">{value}</b>{what}</div>' for value, what, kind in cards)
    holds = all(check.verdict == "holds" for check in checks)
    verdict = "every law holds on every sample that could be judged" if holds else "not every law holds"
    each = "1 sample" if samples == 1 else f"{samples} samples"
    return (
        f"<h1>Laws of the spatial operator algebra, checked</h1>"
        f'<p class="soft">{verdict}; sampled, not proved · {each} of each mechanism in the domain of a law, '
        f"in body and world axes and both orders of siblings · seed {seed} · {seconds:.0f} s</p>"
        f'<div class="cards">{shown}</div>'
    )


def _problems(checks: Sequence[Check]) -> str:
    found = [check for check in checks if check.verdict != "holds"]
    if not found:
        return ""
    texts = "".join(f"<pre>{escape(str(check))}</pre>" for check in found)
    return f'<h2 class="bad">Laws that do not hold</h2>{texts}'


def _laws(checks: Sequence[Check], documentation: str) -> str:
    about = (
        "Worst first: what fails, what could not be told, what came nearest to its bound. A line unfolds to its law."
    )
    if not documentation:
        about += " The catalogue with evidence and counter-examples is built by sphinx-build docs out/docs."
    return f'<h2>Laws</h2><p class="soft">{about}</p>{law_list(checks, documentation)}'


def _coverage(covered: Sequence[tuple[str, str]]) -> str:
    rows = "".join(f"<tr><td>{escape(what)}</td><td>{escape(count)}</td></tr>" for what, count in covered)
    return f"<h2>What the suite covers</h2><table>{rows}</table>"


def _engines(agreements: Sequence[Agreement] | None) -> str:
    if agreements is None:
        return '<h2>An independent engine</h2><p class="soft">MuJoCo is not installed here; nothing was compared.</p>'
    rows = "".join(
        f"<tr><td>{escape(one.mechanism)}</td>"
        + (
            f'<td class="soft" colspan="2">{escape(one.note)}</td></tr>'
            if one.note
            else f'<td class="n">{one.mass:.0e}</td><td class="n">{one.bias:.0e}</td></tr>'
        )
        for one in agreements
    )
    head = '<tr><th>mechanism</th><th class="n">mass matrix apart by</th><th class="n">bias apart by</th></tr>'
    return f"<h2>An independent engine: MuJoCo</h2><table>{head}{rows}</table>"


def _figure(pictures: Mapping[str, tuple[str, str]], name: str, title: str = "") -> str:
    if name not in pictures:
        return ""
    svg, caption = pictures[name]
    head = f"<h2>{escape(title)}</h2>" if title else ""
    return f"{head}<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"


def _drawings(pictures: Mapping[str, tuple[str, str]]) -> str:
    shown = [_figure(pictures, name) for name in pictures if name != "residuals"]
    if not shown:
        return f'<p class="soft">Drawings need matplotlib: <code>{escape(install_command("matplotlib"))}</code></p>'
    return "<h2>Drawings</h2>" + "".join(shown)


def _versions() -> str:
    names = ("numpy", "scipy", "mpmath", "matplotlib", "mujoco")
    found = [f"operator_algebra {operator_algebra.__version__}", f"Python {platform.python_version()}"]
    for name in names:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    return f'<h2>Versions</h2><p class="soft">{escape(" · ".join(found))}</p>'
