"""The laws of a report, worst first: one line each, which unfolds to what the law says of itself; and their filter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from operator_algebra.identities.catalogue import THEMES
from operator_algebra.identities.facts import facts, false_neighbours, formula, page_name
from operator_algebra.markup import element, escape, html_table

if TYPE_CHECKING:
    from operator_algebra.checking.check import Check
    from operator_algebra.identities.identity import Law

_VERDICTS = {"FAILS": ("✗", "bad"), "inconclusive": ("?", "unsure"), "holds": ("✓", "good")}
"""Sign and class of each verdict, the worst first."""

STYLE = """
.filter { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; margin: .6rem 0; }
.filter[hidden] { display: none; }
.filter input, .filter select { font: inherit; font-size: .9rem; color: inherit; background: var(--band);
  border: 1px solid var(--line); border-radius: .35rem; padding: .25rem .5rem; }
.filter input { flex: 1 1 16rem; max-width: 26rem; }
.law > summary, .heads { display: grid; gap: 0 .7rem; padding: .3rem .4rem; align-items: baseline; font-size: .86rem;
  grid-template-columns: 1rem minmax(9rem, 14rem) minmax(0, 1fr) 3.2rem 3.2rem 3.2rem 6.5rem 7.2rem; }
.law > summary { list-style: none; cursor: pointer; border-bottom: 1px solid var(--line); }
.law > summary::-webkit-details-marker { display: none; }
.law > summary:hover, .law[open] > summary { background: var(--band); }
.law > summary .formula { overflow-x: auto; overflow-y: hidden; font-size: .98rem; }
.law code { font-family: inherit; } .law > div td code { font-family: ui-monospace, monospace; }
.law .n, .heads .n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.heads { color: var(--soft); font-weight: 600; border-bottom: 1px solid var(--line); }
.law > div { padding: .5rem .4rem 1rem 2.1rem; border-bottom: 1px solid var(--line); }
.law > div td:first-child { width: 8rem; color: var(--soft); } .law > div ul { margin: .3rem 0; }
@media (max-width: 60rem) { .heads { display: none; }
  .law > summary { grid-template-columns: 1rem minmax(0, 1fr) repeat(3, 2.6rem); }
  .law > summary .formula { grid-column: 2 / -1; grid-row: 2; } .law > summary .where { display: none; } }
@media print { .filter { display: none; } .law { break-inside: avoid; } }
"""

SCRIPT = """
(() => {
  const laws = [...document.querySelectorAll(".law")], filter = document.querySelector(".filter");
  const [words, verdict, theme] = filter.querySelectorAll("input, select"), count = filter.querySelector("output");
  const show = () => {
    const wanted = words.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let shown = 0;
    for (const law of laws) {
      const { text, verdict: found, theme: own } = law.dataset;
      law.hidden = !(wanted.every((word) => text.includes(word))
        && (!verdict.value || found === verdict.value) && (!theme.value || own === theme.value));
      shown += !law.hidden;
    }
    count.value = `${shown} of ${laws.length}`;
  };
  const aim = () => {
    const law = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (law && law.matches(".law")) { law.hidden = false; law.open = true; law.scrollIntoView(); }
  };
  filter.hidden = false;
  for (const control of [words, verdict, theme]) control.addEventListener("input", show);
  addEventListener("hashchange", aim);
  show();
  aim();
})();
"""
"""Works without a network; where scripts are off, all laws are shown and the filter is not."""


def law_list(checks: Sequence[Check], documentation: str = "") -> str:
    """Filter, headings and laws; `documentation` is the address of the built pages, if there are any."""
    labels = ("", "law", "formula", "holds", "inconcl.", "fails", "worst on", "worst / bound")
    numbers = ("holds", "inconcl.", "fails", "worst / bound")
    heads = [element("span", label, class_="n" if label in numbers else "") for label in labels]
    ordered = sorted(checks, key=_severity)
    parts = [_filter(ordered), element("div", *heads, class_="heads"), *(_law(one, documentation) for one in ordered)]
    return "\n".join([*parts, f"<script>{SCRIPT}</script>"])


def _severity(check: Check) -> tuple[int, float]:
    """Failing laws first, then those that could not be told, then those nearest to their bounds."""
    ratio = check.worst.ratio if check.worst is not None else 0.0
    return list(_VERDICTS).index(check.verdict), -ratio


def _filter(checks: Sequence[Check]) -> str:
    own = {check.law.theme for check in checks}
    themes = [(theme, title) for theme, title in THEMES.items() if theme in own]
    verdicts = [(verdict, verdict) for verdict in _VERDICTS if any(check.verdict == verdict for check in checks)]
    return element(
        "div",
        '<input type="search" placeholder="name, operator, mechanism, source" aria-label="filter by words">',
        _select("every verdict", verdicts),
        _select("every theme", themes),
        element("output", class_="soft"),
        class_="filter",
        hidden="hidden",
    )


def _select(everything: str, options: Sequence[tuple[str, str]]) -> str:
    listed = [element("option", escape(title), value=value) for value, title in options]
    return element("select", element("option", everything, value=""), *listed, aria_label=everything)


def _law(check: Check, documentation: str) -> str:
    law, worst = check.law, check.worst
    sign, kind = _VERDICTS[check.verdict]
    counts = [element("span", str(check.count(verdict)), class_="n") for verdict in ("holds", "inconclusive", "FAILS")]
    summary = element(
        "summary",
        element("span", sign, class_=kind, title=check.verdict),
        element("span", escape(law.name)),
        element("span", formula(law), class_="formula"),
        *counts,
        element("span", escape(worst.mechanism if worst is not None else "none in its domain"), class_="where"),
        element("span", f"{worst.residual:.0e} / {worst.bound:.0e}" if worst is not None else "", class_="n where"),
    )
    found = (law.name, law.formula(), law.formula("ascii"), law.theme, law.cites, worst.mechanism if worst else "")
    return element(
        "details",
        summary,
        element("div", _page(check, documentation)),
        class_="law",
        id=page_name(law),
        data_verdict=check.verdict,
        data_theme=law.theme,
        data_text=" ".join(found).lower(),
    )


def _page(check: Check, documentation: str) -> str:
    """What a law says of itself, how it was found, and where to read on."""
    law, worst = check.law, check.worst
    rows = [(escape(label), escape(text)) for label, text in facts(law)]
    if law.twins:
        rows.append(("refuted", false_neighbours(law)))
    if worst is not None:
        rows.append(("condition", f"{worst.condition:.0e}"))
        rows.append(("replay", element("code", escape(check.replay()))))
    if documentation and law.theme in THEMES:
        rows.append(("page", element("a", "in the catalogue of laws", href=_address(law, documentation))))
    return html_table(rows)


def _address(law: Law, documentation: str) -> str:
    return f"{documentation}/catalogue/{law.theme}.html#{page_name(law)}"
