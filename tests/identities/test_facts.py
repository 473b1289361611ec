"""What laws say of themselves: words for every domain, and one small fragment of HTML."""

from xml.etree import ElementTree

import pytest
from hypothesis import given

from operator_algebra.description import describe
from operator_algebra.expressions.nodes import Expr
from operator_algebra.identities.catalogue import catalogue
from operator_algebra.identities.facts import TRAITS, domain
from operator_algebra.identities.identity import Identity, Law
from operator_algebra.symbols import I, phi
from tests.expression_strategies import expressions

LAWS = catalogue()


def fragment(law: Law) -> str:
    return law._repr_html_()  # pyright: ignore[reportPrivateUsage]


def read(law: Law) -> str:
    """The text of the fragment, which is well-formed, small and stands alone."""
    assert len(fragment(law).encode()) < 30_000
    root = ElementTree.fromstring(fragment(law))
    for node in root.iter():
        assert node.tag not in ("script", "link", "style", "img", "iframe")
        assert not [name for name in node.attrib if name in ("id", "src", "href") or name.startswith("on")]
    return "".join(root.itertext())


def test_words_of_domains_are_explained() -> None:
    assert {word for law in LAWS.values() for word in law.domain} <= set(TRAITS)
    assert domain(Identity("mine", phi, phi, domain=("round",))) == "round"


@pytest.mark.parametrize("law", LAWS.values(), ids=list(LAWS))
def test_a_fragment_shows_the_whole_record(law: Law) -> None:
    text = read(law)
    assert all(word in text for word in (law.name, domain(law), law.cites, law.idea, law.misprint))
    assert all(getattr(twin, "slip", None) or getattr(twin, "name", "") in text for twin in law.twins)
    assert fragment(law).count("<math>") == (1 + len(law.twins) if isinstance(law, Identity) else 0)


@given(expressions(depth=4))
def test_fragments_of_own_laws_are_well_formed(e: Expr) -> None:
    law = Identity("<mine> & 'yours'", e, e)
    assert law.name in read(law)
    assert describe(law).startswith(f"law        {law.name}")


def test_both_sides_stand_in_one_equation() -> None:
    (equation,) = ElementTree.fromstring(fragment(Identity("mine", phi, I))).iter("math")
    assert "".join(equation.itertext()) == "φ=I"
