"""Every citation names a source that the documentation lists."""

import re

from operator_algebra.identities.catalogue import catalogue
from operator_algebra.symbols import armature, innovations, vocabulary
from tests.house.tree import ROOT, read

PAGE = read(ROOT / "docs" / "reference" / "sources.md")
SOURCES = re.findall(r"^\| ([a-z][a-z ]+[a-z]) \| [A-Z]\. ", PAGE, re.MULTILINE)


def cited() -> dict[str, str]:
    """Who cites, and what; what cites nothing is left out."""
    operators = {**vocabulary(), **{f"{name}_J": e for name, e in vars(innovations(armature)).items()}}
    found = {name: getattr(e, "cites", "") for name, e in operators.items()}
    found |= {name: law.cites for name, law in catalogue().items()}
    return {name: text for name, text in found.items() if text}


def test_the_page_lists_five_sources() -> None:
    assert len(SOURCES) == len(set(SOURCES)) == 5


def test_every_citation_names_a_listed_source() -> None:
    places = re.compile(rf"(?:{'|'.join(SOURCES)})(?: \(|, )")
    assert len(cited()) > 50
    assert not {name: text for name, text in cited().items() if not places.match(text)}
