"""Every citation names a source that the documentation lists."""

import re
from collections.abc import Iterator

from operator_algebra.symbols import armature, innovations, vocabulary
from tests.house.tree import ROOT, read

SOURCES = set(
    re.findall(r"^\| ([a-z][a-z ]+[a-z]) \| [A-Z]\. ", read(ROOT / "docs" / "reference" / "sources.md"), re.MULTILINE)
)


def citations() -> Iterator[tuple[str, str]]:
    """Who cites, and one source each."""
    cited = {name: getattr(e, "cites", "") for name, e in vocabulary().items()}
    cited |= {f"{name}_J": e.cites for name, e in vars(innovations(armature)).items()}
    for name, text in cited.items():
        yield from ((name, part.strip()) for part in text.split(";") if part.strip())


def test_the_sources_are_listed() -> None:
    assert len(SOURCES) == 5


def test_every_citation_names_a_listed_source() -> None:
    found = list(citations())
    assert len(found) > 20
    assert not [(name, text) for name, text in found if re.split(r" ?[(,§]| [A-Z\d]", text)[0] not in SOURCES]
