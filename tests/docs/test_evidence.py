"""The evidence shown by the catalogue belongs to the laws as they stand, and the glossary explains every operator."""

import json

from operator_algebra.checking.suite import TRAITS
from operator_algebra.identities.catalogue import catalogue
from operator_algebra.identities.meanings import MEANINGS
from operator_algebra.symbols import vocabulary
from tests.house.tree import ROOT, read
from tests.laws.verdicts import FORMAL

EVIDENCE = json.loads(read(ROOT / "docs" / "evidence.json"))


def test_every_law_has_evidence_for_the_formula_that_it_states() -> None:
    laws = catalogue()
    assert list(EVIDENCE) == list(laws)
    for name, law in laws.items():
        assert EVIDENCE[name]["formula"] == law.formula("ascii")
        assert EVIDENCE[name]["residual"] <= EVIDENCE[name]["bound"]
        assert EVIDENCE[name]["samples"] > 0


def test_every_narrow_domain_has_a_counter_example() -> None:
    narrow = {name for name, law in catalogue().items() if {"J = 0", *TRAITS} & set(law.domain)}
    refuted = {name for name, facts in EVIDENCE.items() if "outside" in facts}
    assert refuted <= narrow
    assert narrow - refuted <= FORMAL


def test_the_glossary_explains_every_operator() -> None:
    assert list(MEANINGS) == list(vocabulary())
    assert all(meaning.endswith(".") for meaning in MEANINGS.values())
