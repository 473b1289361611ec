"""One page that shows an arm of two links in every form that a formula takes on its way to a number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from operator_algebra.backends.floats import build
from operator_algebra.backends.kernel import Kernel
from operator_algebra.compiler import compile as compile_program
from operator_algebra.expressions.nodes import Expr
from operator_algebra.lowering.lower import lower
from operator_algebra.models.gallery import load
from operator_algebra.symbols import H, M, T, inv, phi

_ROBOT = "planar2r"
_FORMULA: Expr = inv(H @ phi @ M @ phi.T @ H.T) @ T


_COUNTED = {
    "add": "additions",
    "subtract": "subtractions",
    "multiply": "multiplications",
    "reciprocal": "division",
    "sin": "sine",
    "cos": "cosine",
}


def _kernel() -> Kernel:
    """The generated code for batches of the arm."""
    model = load(_ROBOT)
    compiled = compile_program(_FORMULA, model)
    code = build(compiled.program, model, compiled.frame)
    replace(compiled, _executable=code)(q=np.zeros((1, model.nq)), T=np.zeros((1, model.nv)))
    (kernel,) = code.kernels
    assert isinstance(kernel, Kernel)
    return kernel


def _body_of(function: str) -> str:
    """Lines of a function in C from its comment on, without what comes before it."""
    return function[function.rindex("/*") :]


def _arithmetic(text: str) -> str:
    """The lines of IR from the first load on, without sine and cosine, which are the same for every program."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if "= load <" in line)
    first = next(i for i, line in enumerate(lines) if "0x3FE45F306DC9C883" in line)  # 2/π: the angle is reduced
    last = max(i for i, line in enumerate(lines) if "xor <" in line) + 1
    skipped = f"  ; … {last - first + 1} lines: sine and cosine of q[1]"
    return "\n".join([*lines[start:first], skipped, *lines[last + 1 :]])


def _blocks() -> Iterator[tuple[str, str, str, str]]:
    """Title, what is to be said, the language of the text, the text."""
    kernel = _kernel()
    counts = kernel.operations
    told = ", ".join(f"{counts[kind]} {words}" for kind, words in _COUNTED.items() if kind in counts)
    page = lower(_FORMULA).pseudocode(reasons=True)
    yield "The page", "Derived from the formula alone, for any mechanism.", "text", page
    yield (
        "The operations",
        f"The page read body by body over nodes for this arm, whose numbers are known: {told}. "
        "All that does not depend on q and T was computed beforehand, and what is one thing is one operation. "
        "The last line says whether the numbers may be trusted: that everything is finite, the angle is not too "
        "large, and a bound of the digits that are lost at pivots.",
        "python",
        kernel.source,
    )
    yield (
        "The machine's language",
        "The same operations as LLVM IR, here for one sample at a time; with a register of eight doubles each "
        "`<1 x double>` is `<8 x double>`.",
        "llvm",
        _arithmetic(kernel.ir),
    )
    c = compile_program(_FORMULA, load(_ROBOT), backend="c").source
    yield "C", '`oa.compile(formula, robot, backend="c").source`, behind its own sine and cosine.', "c", _body_of(c)


def one_arm_page() -> str:
    """The page as Markdown."""
    parts = [
        "# One arm, from formula to machine code",
        f"The formula is ${_FORMULA.render('latex')}$: which accelerations joint forces give an arm at rest. The "
        f"arm is `{_ROBOT}` of the gallery: two links that turn about parallel axes. Nothing below was written "
        "by hand; the page is made anew with the documentation.",
    ]
    columns = [
        f"**{title}.** {told}\n\n```{{code-block}} {language}\n\n{text.rstrip()}\n```"
        for title, told, language, text in _blocks()
    ]
    for heading, pair in (("Read by people", columns[:2]), ("Read by machines", columns[2:])):
        cells = "\n\n".join(f"````{{container}} column\n\n{column}\n````" for column in pair)
        parts += [f"## {heading}", f"`````{{container}} beside\n\n{cells}\n`````"]
    parts.append(
        "All forms do the same operations in the same order, so they give the same bits. {doc}`generated_code` says "
        "which of them runs when, {doc}`lowering` how the page came about."
    )
    return "\n\n".join(parts) + "\n"
