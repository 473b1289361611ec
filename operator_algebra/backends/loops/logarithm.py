"""The logarithm of what is positive, as lines of LLVM IR without a branch."""

from __future__ import annotations

import math

from operator_algebra.backends.native.text import Vector

_DIGITS = (1 << 52) - 1
_ONE = 1023 << 52
_TERMS = 10
"""Of the series: z is at most 0.172, and z²⁰ / 21 below 2⁻⁵³ of the whole."""
_LARGE = 6.93147180369123816490e-01
_SMALL = 1.90821492927058770002e-10
"""log 2 in two parts, the first with so many zeros behind it that it times an exponent is exact."""


def logarithm(x: Vector) -> Vector:
    """log x = e log 2 + 2 artanh z, where x = 2ᵉ m, √½ ≤ m ≤ √2, and z = (m − 1) / (m + 1)."""
    block = x.block
    bits = block.named(f"bitcast {block.reals} {x.name} to {block.integers}")
    digits = block.named(f"and {block.integers} {bits}, splat (i64 {_DIGITS})")
    whole = block.named(f"or {block.integers} {digits}, splat (i64 {_ONE})")
    m = block.vector(f"bitcast {block.integers} {whole} to {block.reals}")
    shifted = block.named(f"lshr {block.integers} {bits}, splat (i64 52)")
    exponent = block.vector(f"uitofp {block.integers} {shifted} to {block.reals}") - 1023.0
    large = block.compared("ogt", m, block.constant(math.sqrt(2.0)))
    m = block.chosen(large, m * 0.5, m)
    exponent = block.chosen(large, exponent + 1.0, exponent)
    sum_ = m + 1.0
    z = block.vector(f"fdiv {block.reals} {(m - 1.0).name}, {sum_.name}")
    w = z * z
    series = block.constant(1.0 / (2 * _TERMS - 1))
    for i in reversed(range(1, _TERMS - 1)):
        series = series * w + 1.0 / (2 * i + 1)
    fraction = z * 2.0
    return exponent * _LARGE + (fraction + (fraction * w * series + exponent * _SMALL))
