"""The page of laws that nobody typed in: they are proved, and nobody has."""

import re
from pathlib import Path

import pytest

import operator_algebra as oa
from operator_algebra.identities.claims import law_of
from operator_algebra.identities.identity import Identity
from operator_algebra.proofs.chain import record_of
from operator_algebra.proofs.letters import RING
from operator_algebra.proofs.theory import Theory

DOCS = Path(__file__).parents[2] / "docs"
LAWS = re.findall(r"^\| `(.* = .*)` \|", (DOCS / "explain" / "discovery.md").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_page_has_a_table_and_a_link() -> None:
    assert len(LAWS) > 10
    assert "explain/discovery" in (DOCS / "index.md").read_text(encoding="utf-8").split("Explain")[1]


@pytest.mark.parametrize("text", LAWS)
def test_each_law_of_the_table_is_proved_and_in_no_record(text: str) -> None:
    assert oa.prove(text).verdict == "PROVED"
    law, theory = law_of(text), Theory()
    assert isinstance(law, Identity)
    assert record_of(RING.minus(theory.read(law.lhs), theory.read(law.rhs))) is None
