"""A printed page is an algorithm: done by hand, line by line, it gives what its formula means."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from operator_algebra.applications.dynamics import mass_matrix
from operator_algebra.evaluation import evaluate, evaluate_with_scale
from operator_algebra.expressions.build import diag, fixpoint, inv, operator
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, dense, logdet, trace
from operator_algebra.lowering.lower import lower
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import FORCE, MOTION, RATE, TORQUE, space
from operator_algebra.programs.program import Output, Program
from operator_algebra.symbols import E_phi, I, M
from tests.golden.known import block_sizes
from tests.golden.pages import FOLDER, pages
from tests.lowering.agreement import bound, scale
from tests.oracles.printed_page import Machine
from tests.rounding import apart
from tests.strategies import random_body

PAGES = pages()
# These write I inside a matrix, a block of a stack, the columns of a joint, or elimination by relations, in words that
# no line spells out.
IN_WORDS = ("[I", "I,", "I;", "I]", "I(k)", "[1]", "triangularise", "solve the equations")


def is_read(path: Path) -> bool:
    """Whether the page that is kept has lines to be done by hand."""
    _, page, *_ = re.split("==== ascii, .* numbering ====", path.read_text(encoding="utf-8"))
    return bool(re.search("^(for |once)", page, re.M)) and not any(word in page for word in IN_WORDS)


READ = {path.relative_to(FOLDER).as_posix(): e for path, e in PAGES.items() if is_read(path)}
PARENTS = (-1, 0, 1, 1, 0, 4)
KINDS = ("revolute", "universal", "spherical", "prismatic", "revolute", "cylindrical")


def branched() -> Model:
    """A tree with joints of one to three degrees of freedom, and rotors."""
    rng = np.random.default_rng(5)
    bodies = [
        random_body(k, parent, kind, rng, armature=True)
        for k, (parent, kind) in enumerate(zip(PARENTS, KINDS, strict=True))
    ]
    return Model(name="branched", bodies=bodies)


pytestmark = pytest.mark.usefixtures("on_any_joints")
MODEL = branched()
Q, V = MODEL.random(3)


PICKED = (2, 5)


def inputs(program: Program) -> dict[str, Any]:
    """A value for each input that the formulas mention; picks stand at two bodies of different branches."""
    rng = np.random.default_rng(7)
    found: dict[str, Any] = {}
    for symbol in program.accepts:
        rows, cols = symbol.type.codomain, symbol.type.domain
        if symbol.name == "v":
            continue
        if rows.name == cols.name == "one":
            found[symbol.name] = 0.1
        elif symbol.structure.hop:
            high, wide = heights(rows.sizes), heights(cols.sizes)
            found[symbol.name] = [0.3 * rng.normal(size=(high[max(p, 0)], wide[k])) for k, p in enumerate(PARENTS)]
        elif not rows.attached and cols.name != "one":
            found[symbol.name] = rng.normal(size=(4, MODEL.nv)) if cols.attached else 3 * np.eye(4)
        elif cols.sizes == rows.sizes and cols.attached:
            found[symbol.name] = by_joint([3 * np.eye(size) for size in heights(rows.sizes)])
        elif cols.attached:
            sizes = zip(heights(rows.sizes), heights(cols.sizes), strict=True)
            found[symbol.name] = by_joint([rng.normal(size=size) for size in sizes])
        elif cols.name == "one" and rows.sizes not in ("spatial", "joint") and rows.attached:
            found[symbol.name] = by_joint([rng.normal(size=size) for size in heights(rows.sizes)])
        elif cols.name == "one":
            found[symbol.name] = rng.normal(size=sum(heights(rows.sizes)) if rows.attached else 4)
        else:
            found[symbol.name] = rng.normal(size=(sum(heights(rows.sizes)), 4))
    return found


def by_joint(blocks: list[Any]) -> dict[str, Any]:
    """Blocks by the joint that they belong to."""
    return {name: block for name, block in zip(MODEL.joint_names, blocks, strict=True) if block.size}


def heights(sizes: str) -> list[int]:
    """How many coordinates each body has."""
    joints = [part.stop - part.start for part in MODEL.v_slices]
    known = {"spatial": [6] * MODEL.n, "joint": joints, **block_sizes(MODEL)}
    return known.get(sizes, [3 * (k in PICKED) for k in range(MODEL.n)])


def cuts(sizes: str) -> list[slice]:
    """Which coordinates belong to which body."""
    ends = np.cumsum([0, *heights(sizes)])
    return [slice(int(a), int(b)) for a, b in pairwise(ends)]


def value(e: Any, given: dict[str, Any]) -> Any:
    """What a formula or a leaf means, by evaluation."""
    dense = evaluate(e, MODEL, q=Q, **known(e if isinstance(e, Expr) else e.body, given)).dense()
    return dense.reshape(-1, 1) if dense.ndim < 2 else dense


def known(body: Expr, given: dict[str, Any]) -> dict[str, Any]:
    """The inputs that a formula mentions."""
    names = {s.name for s in lower({"x": body}).accepts}
    return {name: value for name, value in {**given, "v": V}.items() if name in names}


def machine(program: Program, given: dict[str, Any]) -> Machine:
    """The tree with the leaves that the page is given."""
    hops: dict[str, dict[int, Any]] = {}
    values: dict[str, dict[int, Any]] = {}
    for symbol in program.symbols:
        if symbol.structure.hop and symbol.name in given:
            edges = zip(MODEL.parent, given[symbol.name], strict=True)
            hops[symbol.name] = {k: block for k, (p, block) in enumerate(edges) if p >= 0}
            continue
        dense = value(symbol, given)
        rows, cols = symbol.type.codomain, symbol.type.domain
        for k in range(MODEL.n) if rows.attached or cols.attached else [-1]:
            row = cuts(rows.sizes)[k] if rows.attached else slice(None)
            col = cuts(cols.sizes)[k] if cols.attached else slice(None)
            if not symbol.structure.hop:
                values.setdefault(symbol.name, {})[k] = dense[row, col]
            elif MODEL.parent[k] >= 0:
                hop = hops.setdefault(symbol.name.removeprefix("E_"), {})
                hop[k] = dense[cuts(rows.sizes)[MODEL.parent[k]], col]
    return Machine(MODEL.parent, hops, values)


def result(output: Output, done: Machine, name: str) -> Any:
    """What the page left under the name of a result, as one array."""
    body = output.formula.body if isinstance(output.formula, Query) else output.formula
    rows, cols = body.type.codomain, body.type.domain
    if isinstance(output.formula, Query) and output.formula.kind == "block":
        i, j = (int(place) for place in output.formula.places)
        return done.walked[i, j]
    if output.walk is not None:
        table = np.zeros((cuts(rows.sizes)[-1].stop, cuts(cols.sizes)[-1].stop))
        for (i, j), block in done.walked.items():
            place = table[cuts(rows.sizes)[i], cuts(cols.sizes)[j]]
            place[:] = block if np.ndim(block) else block * np.eye(*place.shape)  # I has the size of its place
        return table
    found = done.values[name]
    if output.ref is not None and output.ref.star:
        found = {k: block.T for k, block in found.items()}
        return np.concatenate([found[k] for k in range(MODEL.n)], axis=1)
    if -1 in found:
        return np.atleast_2d(found[-1])
    if output.kind == "blocks":
        table = np.zeros((cuts(rows.sizes)[-1].stop, cuts(cols.sizes)[-1].stop))
        for k, block in found.items():
            table[cuts(rows.sizes)[k], cuts(cols.sizes)[k]] = block
        return table
    return np.concatenate([found[k] for k in range(MODEL.n)])


@pytest.mark.parametrize("name", READ)
def test_a_page_done_by_hand_gives_what_its_formula_means(name: str) -> None:
    done_by_hand(lower(READ[name]))


R_inverse = fixpoint("R_inverse", MOTION >> FORCE, lambda X: M + E_phi @ inv(inv(X) + inv(M)) @ E_phi.T)
GEAR = operator("gear", TORQUE >> TORQUE, structure="inward hop")
DAMPING = operator("B_joint", RATE >> TORQUE, structure="diagonal definite")
A = operator("A", RATE >> space("coordinates", attached=False))
COMPLIANCE = A @ inv(mass_matrix) @ A.T
BEYOND: dict[str, Expr | Query] = {
    "an inverse that children hand on": R_inverse,
    "an inverse that the parent hands on": diag(E_phi.T @ inv(M) @ E_phi),
    "a second hop": dense(inv(mass_matrix + GEAR @ DAMPING @ GEAR.T + DAMPING)),
    "a second hop with messages of its own": dense(inv((I + GEAR) @ mass_matrix @ (I + GEAR.T))),
    "one step inward": dense(E_phi @ M),
    "one step outward": dense(E_phi.T @ inv(M)),
    "a small determinant": logdet(COMPLIANCE),
    "a small trace": trace(COMPLIANCE),
}


@pytest.mark.parametrize("name", BEYOND)
def test_pages_of_a_user_s_own_formulas(name: str) -> None:
    done_by_hand(lower(BEYOND[name]))


def test_joseph_s_form_done_by_hand() -> None:
    program = lower(READ["dynamics/forward_dynamics.txt"], method="joseph")
    assert "(I - G(k) H(k)) P(k) (I - G(k) H(k))' + G(k) armature(k) G(k)'" in program.pseudocode("ascii")
    done_by_hand(program)


def done_by_hand(program: Program) -> None:
    """Do the page and compare."""
    given = inputs(program)
    done = machine(program, given)
    done.run(program.pseudocode("ascii"))
    for output in program.outputs:
        kept = "x" if output.ref is None else program.steps[output.ref.value].name
        found, expected = result(output, done, kept), value(output.formula, given)
        body = output.formula.body if isinstance(output.formula, Query) else output.formula
        scaled = evaluate_with_scale(body, MODEL, q=Q, **known(body, given))
        terms = scale(output.formula, expected, scaled) if isinstance(output.formula, Query) else scaled.scale
        assert apart(found, expected) <= bound(scaled) * terms, output.name


def test_enough_pages_are_done_by_hand() -> None:
    assert len(READ) >= 50
