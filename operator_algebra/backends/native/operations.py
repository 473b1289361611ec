"""The operations of a graph on vectors, as lines of LLVM IR."""

from __future__ import annotations

from collections.abc import Sequence

from operator_algebra.backends.native.text import Block, Several, Term, Vector
from operator_algebra.backends.scalar.graph import Operation
from operator_algebra.backends.scalar.sine import reduced


def computed(block: Block, operation: Operation, a: Vector, b: Vector) -> Vector:
    """One operation; those of one operand ignore the second."""
    match operation:
        case "add":
            return a + b
        case "subtract":
            return a - b
        case "multiply":
            return a * b
        case "negative":
            return -a
        case "reciprocal":
            return block.vector(f"fdiv {block.reals} {block.constant(1.0).name}, {a.name}")
        case "sqrt":
            return a.called("sqrt")
        case "abs":
            return a.called("fabs")
        case "max":
            larger = block.chosen(block.compared("ugt", a, b), a, b)
            return block.chosen(block.compared("uno", b, b), b, larger)
        case "sin":
            return turned(block, [a])[0][0]
        case "cos":
            return turned(block, [a])[0][1]
        case _:
            raise ValueError(f"{operation} is not written in LLVM IR")


def turned(block: Block, angles: Sequence[Vector], *, fuses: bool = False) -> list[tuple[Vector, Vector]]:
    """Sine and cosine of each angle, in the quarter that the last bits of the rounded number tell.

    If it `fuses`, products are not rounded before they are added to something.
    """
    if fuses:
        terms = reduced(Several(tuple(Term((angle,)) for angle in angles)), block.precision)
        rounded, sines, cosines = (Several(tuple(term.value for term in one.parts)) for one in terms)
    else:
        rounded, sines, cosines = reduced(Several(tuple(angles)), block.precision)
    found: list[tuple[Vector, Vector]] = []
    bits = block.precision.bits
    for number, s, c in zip(rounded.parts, sines.parts, cosines.parts, strict=True):
        quarter = block.named(f"bitcast {block.reals} {number.name} to {block.integers}")
        odd = block.named(f"trunc {block.integers} {quarter} to {block.truths}")
        after = block.named(f"add {block.integers} {quarter}, splat (i{bits} 1)")
        sine = _signed(block, block.chosen(odd, c, s), quarter)
        found.append((sine, _signed(block, block.chosen(odd, s, c), after)))
    return found


def _signed(block: Block, x: Vector, quarter: str) -> Vector:
    """With the other sign where the second bit of an integer is set."""
    bits = block.precision.bits
    moved = block.named(f"shl {block.integers} {quarter}, splat (i{bits} {bits - 2})")
    sign = block.named(f"and {block.integers} {moved}, splat (i{bits} {-(2 ** (bits - 1))})")
    bits = block.named(f"bitcast {block.reals} {x.name} to {block.integers}")
    turned_bits = block.named(f"xor {block.integers} {bits}, {sign}")
    return block.vector(f"bitcast {block.integers} {turned_bits} to {block.reals}")
