"""How compiled programs show themselves: a line, a page, a fragment of HTML; nothing is computed for it."""

from collections.abc import Callable
from xml.etree import ElementTree

import pytest

import operator_algebra as oa
from operator_algebra.calls.compiled import Compiled
from operator_algebra.symbols import D, H, M, T, inv, phi

MASS = H @ phi @ M @ phi.T @ H.T
DOG = oa.load("quadruped")
COMPILED: dict[str, Callable[[], Compiled]] = {
    "vector": lambda: oa.compile(inv(MASS) @ T, DOG),
    "blocks": lambda: oa.compile(D, DOG, frame="world"),
    "query": lambda: oa.compile(oa.logdet(MASS), DOG, method="orthogonal"),
    "single block": lambda: oa.compile(oa.block(MASS, 0, "knee_fl"), DOG),
    "mapping": lambda: oa.compile({"qdd": oa.dynamics.forward_dynamics, "energy": oa.dynamics.kinetic_energy}, DOG),
    "many": lambda: oa.compile({f"m<{k}>": k * M for k in range(1, 40)}, oa.chain(2)),
    "closed form": lambda: oa.compile(MASS, oa.chain(2), backend="sympy"),
    "long": lambda: oa.compile(sum((phi @ M @ phi.T for _ in range(300)), start=M) @ oa.symbols.V, oa.chain(2)),
}


@pytest.mark.parametrize("make", COMPILED.values(), ids=list(COMPILED))
def test_fragments_are_small_well_formed_and_say_what_a_call_takes_and_costs(make: Callable[[], Compiled]) -> None:
    compiled = make()
    fragment = compiled._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert len(fragment.encode()) < 30_000
    root = ElementTree.fromstring(fragment)
    for node in root.iter():
        assert node.tag not in ("script", "link", "style", "img", "iframe", "br")
        assert not [name for name in node.attrib if name in ("id", "src", "href") or name.startswith("on")]
    text = "".join(root.itertext())
    cost = compiled.program.cost(compiled.model)
    wanted = (compiled.model.name, compiled.backend, compiled.frame, ", ".join(("q", *compiled.inputs)))
    assert all(word in text for word in (*wanted, f"{cost.total} in total"))


def test_formulas_are_typeset_and_named() -> None:
    found = [
        "".join(node.itertext())
        for node in ElementTree.fromstring(
            oa.compile({"a": MASS @ oa.symbols.v, "b": oa.trace(MASS)}, DOG)._repr_html_()  # pyright: ignore[reportPrivateUsage]
        ).iter("math")
    ]
    assert found == ["HφMφ*H*v", "trace\u2061(HφMφ*H*)"]


def test_the_page_begins_with_the_line() -> None:
    compiled = oa.compile(inv(MASS) @ T, DOG)
    assert repr(compiled) == "Compiled  (H φ M φ* H*)⁻¹ T   quadruped   numpy   inputs q, T"
    assert str(compiled).splitlines()[:3] == [
        repr(compiled),
        "formula   (H φ M φ* H*)⁻¹ T",
        "model     quadruped, 13 bodies, 1 floating, 12 revolute, nq 19, nv 18, floating base",
    ]
    assert oa.describe(compiled) == str(compiled)
