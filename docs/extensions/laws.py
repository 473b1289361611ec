"""The catalogue of laws, one page for each theme, and the glossary: written from the records at each build."""

import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from extensions.evidence import Evidence, read_evidence
from operator_algebra.expressions.nodes import Expr
from operator_algebra.identities.catalogue import THEMES, laws_about, laws_of
from operator_algebra.identities.facts import certified, domain, page_name
from operator_algebra.identities.identity import Identity, Law, Twin
from operator_algebra.identities.meanings import MEANINGS
from operator_algebra.symbols import vocabulary

_DOCS = Path(__file__).parents[1]

_EQUATION = re.compile(r"\bD = [^;]*")


def _domain(law: Law) -> str:
    """The words of a domain, with their equations typeset."""
    return _EQUATION.sub(lambda found: f"${found[0].replace('*', '^*')}$", domain(law))


def _formula(law: Law) -> str:
    if isinstance(law, Identity):
        return f"$$\n{law.formula('latex')}\n$$"
    return f"> {law.formula()}"


def _twin(twin: object) -> str:
    if isinstance(twin, Twin):
        return f"- {twin.slip}: `{twin.lhs} = {twin.rhs}`"
    return f"- {twin}"


def _facts(law: Law, evidence: Evidence) -> list[str]:
    found = evidence.get(law.name, {})
    facts = [f"**Domain**: {_domain(law)}."]
    if law.idea:
        facts.append(f"**Why**: {law.idea}")
    if law.cites:
        facts.append(f"**Source**: {law.cites}." + (f" Printed there: {law.misprint}." if law.misprint else ""))
    if "samples" in found:
        facts.append(
            f"**Samples**: holds on {found['samples']} samples of {found['mechanisms']} mechanisms; nearest to its "
            f"bound on {found['nearest']}, residual {found['residual']:.0e} of {found['bound']:.0e}."
        )
    known = certified(law)
    facts.append("**Proof**: " + ("none: sampled, not proved." if known is None else f"{known}."))
    if "outside" in found:
        facts.append("**Outside its domain**: " + "; ".join(found["outside"]) + ".")
    facts.append("**Slips that are refuted**:\n\n" + "\n".join(map(_twin, law.twins)))
    return facts


def theme_page(theme: str, evidence: Evidence) -> str:
    """The laws of a theme."""
    parts = [f"# {THEMES[theme]}\n"]
    for law in laws_of(theme):
        parts.append(f"({page_name(law)})=\n\n## {law.name[0].upper()}{law.name[1:]}\n\n{_formula(law)}\n")
        parts += [f"{fact}\n" for fact in _facts(law, evidence)]
    return "\n".join(parts)


def glossary_page() -> str:
    """Every operator with its meaning, and how many laws speak of it."""
    parts = [
        "# Glossary\n",
        "What each operator means physically. Types and definitions are in {doc}`vocabulary`.\n",
    ]
    for name, e in vocabulary().items():
        parts.append(f"`{name}`  ${e.render('latex')}$\n: {MEANINGS[name]} {_mentioned(e)}\n")
    return "\n".join(parts)


def _mentioned(e: Expr) -> str:
    count = len(laws_about(e))
    return f"*{count} laws speak of it.*" if count > 1 else "*One law speaks of it.*" if count else ""


def overview_page(evidence: Evidence) -> str:
    """The themes, with the number of their laws."""
    rows = "\n".join(f"- {{doc}}`{theme}`: {len(laws_of(theme))} laws" for theme in THEMES)
    total = f"{sum(one.get('samples', 0) for one in evidence.values()):,}".replace(",", " ")
    tree = "\n".join(THEMES)
    return (
        "# Catalogue of laws\n\n"
        "Each law is one record of the package: this page, its check, and the reasons beside the lines of a printed "
        f"algorithm come from it. {total} samples were judged for the evidence shown here; "
        "`operator-algebra check` repeats them.\n\n"
        f"{rows}\n\n```{{toctree}}\n:hidden:\n\n{tree}\n```\n"
    )


def _write(sphinx: Sphinx) -> None:
    evidence = read_evidence()
    pages = {f"catalogue/{theme}.md": theme_page(theme, evidence) for theme in THEMES}
    pages |= {"catalogue/index.md": overview_page(evidence), "reference/glossary.md": glossary_page()}
    for path, text in pages.items():
        target = _DOCS / path
        target.parent.mkdir(exist_ok=True)
        if not target.is_file() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")


def setup(sphinx: Sphinx) -> ExtensionMetadata:
    """Called by Sphinx."""
    sphinx.connect("builder-inited", _write)
    return {"parallel_read_safe": True}
