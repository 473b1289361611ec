"""Work grows with the size of what is given, counted in steps and never in seconds; what is too large is told."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pytest

import operator_algebra as oa
from operator_algebra.errors import InputError, NotLowerable
from operator_algebra.expressions import parse as parsing
from operator_algebra.expressions.nodes import Expr
from operator_algebra.symbols import E_phi, I, inv, phi

f = oa.vector("f", oa.FORCE)
A = oa.operator("A", oa.FORCE >> oa.FORCE, structure="diagonal")


def work(run: Callable[[], object]) -> int:
    """Calls of functions of the package that something takes, and steps of its generators.

    Those without a name are not counted: they run over the blocks of pivots, which are as many as the result has.
    """
    count = 0

    def watch(frame: FrameType, event: str, _: Any) -> None:
        nonlocal count
        code = frame.f_code
        count += event == "call" and "operator_algebra" in code.co_filename and code.co_name[0] != "<"

    sys.setprofile(watch)
    try:
        run()
    finally:
        sys.setprofile(None)
    return count


NESTED: dict[str, Callable[[Expr], Expr]] = {
    "sums on the left": lambda e: inv(I + phi @ e),
    "sums on the right": lambda e: inv(I + e @ phi),
    "hops": lambda e: inv(I + A @ E_phi + e),
    "shifts": lambda e: inv(I + E_phi @ e),
    "blocks": lambda e: inv(I + A @ e),
}


@pytest.mark.parametrize("step", NESTED.values(), ids=NESTED)
def test_nested_inverses_lower_in_proportion(step: Callable[[Expr], Expr]) -> None:
    def nested(n: int) -> Expr:
        e: Expr = A
        for _ in range(n):
            e = step(e)
        return e @ f

    small, large = (nested(n) for n in (60, 240))
    oa.lower(nested(20))  # what is computed once does not count
    assert work(lambda: oa.lower(large)) < 4.6 * work(lambda: oa.lower(small))


def test_what_couples_too_much_is_refused() -> None:
    e: Expr = A
    for _ in range(1100):
        e = inv(I + phi @ e)
    with pytest.raises(NotLowerable, match=r"couple 1,100 unknowns at every body.* 1,100² blocks"):
        oa.lower(e @ f)


TEXTS: dict[str, Callable[[int], str]] = {
    "a sum": lambda n: " + ".join(["H phi M"] * n),
    "a product": lambda n: " ".join(["phi"] * n),
    "parentheses": lambda n: "(" * n + "phi" + ")" * n,
    "inverses": lambda n: "inv(I + phi " * n + "phi" + ")" * n,
    "stars": lambda n: "phi" + "''" * n,
    "signs": lambda n: "-" * n + "phi",
    "multiples": lambda n: "(phi + 2 " * n + "phi" + ")" * n,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_texts_are_read_in_proportion(text: Callable[[int], str]) -> None:
    oa.parse(text(10))
    small, large = (work(lambda n=n: oa.parse(text(n))) for n in (501, 2004))
    assert large < 4.4 * small


def test_a_text_of_a_book_is_refused() -> None:
    with pytest.raises(InputError, match=r"a formula of 10,000,002 characters is too long to be read; 10,000,000 are"):
        oa.parse(" " * (parsing.LONGEST - 1) + "phi")


def test_a_batch_that_no_memory_holds_is_refused() -> None:
    arm = oa.chain(3)
    solve = oa.compile(oa.dynamics.forward_dynamics, arm)
    q, v, T = np.zeros(3), np.zeros(3), np.zeros(3)
    with pytest.raises(InputError, match=r"array of shape \(1000000000, 3\) holds 3.0e\+09 numbers"):
        solve(q=np.broadcast_to(q, (10**9, 3)), v=v, T=T)
    with pytest.raises(InputError, match=r"has 1.0e\+10 samples \(100000, 100000\) of 3 bodies"):
        solve(q=np.zeros((100_000, 1, 3)), v=np.zeros((1, 100_000, 3)), T=T)
    one = oa.chain(1)
    with pytest.raises(InputError, match=r"holds 1.0e\+09 numbers"):
        oa.compile(oa.dynamics.forward_dynamics, one)(q=np.broadcast_to(0.1, (10**9, 1)), v=[0.0], T=[0.0])
    with pytest.raises(InputError, match="Call with parts of the batch"):
        arm.integrate(np.broadcast_to(q, (10**9, 3)), v)
