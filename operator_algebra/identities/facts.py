"""What a law says of itself besides its formula: where it holds, why, who wrote it, which neighbours are false."""

from __future__ import annotations

import re
from typing import Literal

from operator_algebra.expressions.mathml import mathml
from operator_algebra.identities.evidence import Certified, record
from operator_algebra.identities.identity import Identity, Law, Twin
from operator_algebra.markup import element, escape, html_table

TRAITS: dict[str, str] = {
    "J = 0": "no J: D = H P H*",
    "any J": "any block-diagonal J as well: D = H P H* + J",
    "any G": "any block-diagonal gain as well",
    "serial": "chains: no body carries two others",
    "1-DOF": "joints with one degree of freedom",
    "revolute": "joints that turn about one axis",
    "constant joint maps": "joints whose map is constant in the axes of the body, all but universal ones",
    "closed joints": "joints whose motions have their brackets among them, all but universal ones",
    "free base": "root joints with six degrees of freedom",
}
"""What the words of a domain mean."""


def domain(law: Law) -> str:
    """On which mechanisms a law holds, in words."""
    return "; ".join(TRAITS.get(word, word) for word in law.domain) or "every tree, every joint"


def certified(law: Law) -> Certified | None:
    """What is recorded of the proof of a law as it stands; a formula or domain that has changed since is not proved."""
    found = record().get(law.name)
    return found if found is not None and (found.formula, found.domain) == (law.formula("ascii"), law.domain) else None


def evidence(law: Law) -> Literal["proved", "sampled"]:
    """The stronger of the two words that is true; never one for the other.

    >>> from operator_algebra.identities.catalogue import law_named
    >>> evidence(law_named("factor inverse"))
    'proved'
    """
    return "sampled" if certified(law) is None else "proved"


def page_name(law: Law) -> str:
    """The anchor of a law in pages.

    >>> from operator_algebra.identities.catalogue import catalogue
    >>> page_name(catalogue("factor inverse")["factor inverse"])
    'law-factor-inverse'
    """
    return f"law-{'-'.join(re.findall('[a-z0-9]+', law.name.lower()))}"


def facts(law: Law) -> tuple[tuple[str, str], ...]:
    """Label and text of everything that the record says besides name, formula and false neighbours.

    >>> from operator_algebra.identities.catalogue import catalogue
    >>> facts(catalogue("propagation")["propagation"])[1]
    ('holds for', 'every tree, every joint')
    """
    rows = (
        ("theme", law.theme),
        ("holds for", domain(law)),
        ("cites", law.cites),
        ("idea", law.idea),
        ("misprint", law.misprint),
        ("evidence", str(certified(law) or "sampled, not proved") if law.theme else ""),
    )
    return tuple((label, text) for label, text in rows if text)


def formula(law: Law | Twin) -> str:
    """The equation as MathML; a statement, which is no equation, as text."""
    return mathml(law.lhs, law.rhs) if isinstance(law, Identity | Twin) else element("code", escape(law.formula()))


def false_neighbours(law: Law) -> str:
    """The planted slips with their wrong formulas, as a list."""
    twins = [(twin.slip if isinstance(twin, Twin) else twin.name, formula(twin)) for twin in law.twins]
    return element("ul", *(element("li", escape(slip), ": ", wrong) for slip, wrong in twins))


def html(law: Law) -> str:
    """Name and formula, a table of the facts, and the false neighbours folded.

    >>> from operator_algebra.symbols import H, I, K, inv, phi, psi
    >>> html(Identity("factor inverse", inv(I + H @ phi @ K), I - H @ psi @ K)).count("<math>")
    1
    """
    head = element("p", element("strong", escape(law.name)), " ", formula(law))
    table = html_table([(escape(label), escape(text)) for label, text in facts(law)])
    summary = element("summary", "false neighbours, which the check refutes")
    return element("div", head, table, element("details", summary, false_neighbours(law)) if law.twins else "")
