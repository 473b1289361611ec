"""Text of LLVM IR: vectors of numbers, one lane for each sample, whose arithmetic writes lines."""

from __future__ import annotations

import struct
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from ctypes import c_float
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from operator_algebra.backends.scalar.precision import DOUBLE, Precision
from operator_algebra.backends.scalar.sine import Summand


@dataclass
class Block:
    """Lines without a branch, over vectors of so many lanes."""

    lanes: int
    lines: list[str] = field(default_factory=list[str])
    precision: Precision = DOUBLE

    @property
    def real(self) -> str:
        """The type of a number."""
        return "double" if self.precision.bits == 64 else "float"

    @property
    def suffix(self) -> str:
        """What the names of functions of vectors end with."""
        return f"v{self.lanes}f{self.precision.bits}"

    @property
    def reals(self) -> str:
        """The type of a vector of numbers."""
        return f"<{self.lanes} x {self.real}>"

    @property
    def integers(self) -> str:
        """The type of a vector as wide of integers."""
        return f"<{self.lanes} x i{self.precision.bits}>"

    @property
    def bytes(self) -> int:
        """Of a vector of numbers."""
        return self.lanes * self.precision.bytes

    @property
    def aligned(self) -> str:
        """What is promised of the addresses of vectors: no more than of those of numbers."""
        return f"align {self.precision.bytes}"

    @property
    def truths(self) -> str:
        """The type of what comparisons give."""
        return f"<{self.lanes} x i1>"

    def named(self, instruction: str) -> str:
        """A line, and the name of its value."""
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {instruction}")
        return name

    def vector(self, instruction: str) -> Vector:
        """A line whose value is a vector of numbers."""
        return Vector(self, self.named(instruction))

    def constant(self, value: float) -> Vector:
        """The same number in all lanes, to the bit."""
        near = value if self.precision.bits == 64 else c_float(value).value  # written as a double, too
        return Vector(self, f"splat ({self.real} 0x{struct.unpack('<Q', struct.pack('<d', near))[0]:016X})")

    def shuffled(self, a: Vector, b: Vector, places: Iterable[int]) -> Vector:
        """Lanes of two vectors, those of the second counted on from those of the first."""
        mask = ", ".join(f"i32 {place}" for place in places)
        pair = f"{self.reals} {a.name}, {self.reals} {b.name}"
        return self.vector(f"shufflevector {pair}, <{self.lanes} x i32> <{mask}>")

    def chosen(self, condition: str, a: Vector, b: Vector) -> Vector:
        """The one where a condition holds, the other elsewhere."""
        return self.vector(f"select {self.truths} {condition}, {self.reals} {a.name}, {self.reals} {b.name}")

    def compared(self, how: str, a: Vector, b: Vector) -> str:
        """A comparison, lane by lane."""
        return self.named(f"fcmp {how} {self.reals} {a.name}, {b.name}")

    def fused(self, a: Vector, b: Vector, c: Vector) -> Vector:
        """a b + c, rounded once."""
        several = ", ".join(f"{self.reals} {one.name}" for one in (a, b, c))
        return self.vector(f"call {self.reals} @llvm.fma.{self.suffix}({several})")

    def both(self, conditions: Sequence[str]) -> str:
        """Whether all of some conditions hold."""
        found = conditions[0]
        for condition in conditions[1:]:
            found = self.named(f"and {self.truths} {found}, {condition}")
        return found


@dataclass(frozen=True)
class Vector:
    """A value of a block: a number in each lane. Nothing is contracted: a product is rounded before it is added."""

    block: Block
    name: str

    def _of(self, instruction: str, other: Vector | float) -> Vector:
        b = other if isinstance(other, Vector) else self.block.constant(other)
        return self.block.vector(f"{instruction} {self.block.reals} {self.name}, {b.name}")

    def __add__(self, other: Vector | float) -> Vector:
        return self._of("fadd", other)

    def __sub__(self, other: Vector | float) -> Vector:
        return self._of("fsub", other)

    def __mul__(self, other: Vector | float) -> Vector:
        return self._of("fmul", other)

    def __neg__(self) -> Vector:
        return self.block.vector(f"fneg {self.block.reals} {self.name}")

    def called(self, function: str) -> Vector:
        """A function of LLVM of this vector."""
        reals = self.block.reals
        return self.block.vector(f"call {reals} @llvm.{function}.{self.block.suffix}({reals} {self.name})")


@dataclass(frozen=True)
class Term:
    """A value, or a product of two that is not rounded before something is added to it."""

    factors: tuple[Vector, ...]

    @property
    def value(self) -> Vector:
        """As it is."""
        first, *rest = self.factors
        return first * rest[0] if rest else first

    def _of(self, other: Term | float) -> Term:
        return other if isinstance(other, Term) else Term((self.factors[0].block.constant(other),))

    def __add__(self, other: Term | float) -> Term:
        one = self._of(other)
        product, rest = (self, one) if len(self.factors) > 1 else (one, self)
        return Term((_fused(product, rest.value) if len(product.factors) > 1 else self.value + one.value,))

    def __sub__(self, other: Term | float) -> Term:
        one = self._of(other)
        if len(one.factors) > 1:
            a, b = one.factors
            return Term((_fused(Term((-a, b)), self.value),))
        return Term((_fused(self, -one.value) if len(self.factors) > 1 else self.value - one.value,))

    def __mul__(self, other: Term | float) -> Term:
        return Term((self.value, self._of(other).value))


def _fused(product: Term, c: Vector) -> Vector:
    a, b = product.factors
    return a.block.fused(a, b, c)


N = TypeVar("N", bound=Summand)


@dataclass(frozen=True)
class Several(Generic[N]):
    """Values that the same is done with, one operation after the other for all: none waits for the one before it."""

    parts: tuple[N, ...]

    def _pairs(self, other: Several[N] | float) -> Iterable[tuple[N, N | float]]:
        others = other.parts if isinstance(other, Several) else [other] * len(self.parts)
        return zip(self.parts, others, strict=True)

    def __add__(self, other: Several[N] | float) -> Several[N]:
        return Several(tuple(a + b for a, b in self._pairs(other)))

    def __sub__(self, other: Several[N] | float) -> Several[N]:
        return Several(tuple(a - b for a, b in self._pairs(other)))

    def __mul__(self, other: Several[N] | float) -> Several[N]:
        return Several(tuple(a * b for a, b in self._pairs(other)))


@contextmanager
def counted(block: Block, name: str, start: str, stop: str, step: int) -> Generator[str]:
    """Lines that run as long as so many numbers are left; the first is `%name`, in the end that of the rest."""
    lines = block.lines
    lines += [f"br label %{name}.before", f"{name}.before:", f"br label %{name}.test", f"{name}.test:"]
    lines.append(f"%{name} = phi i64 [{start}, %{name}.before], [%{name}.next, %{name}.again]")
    lines += [f"%{name}.next = add i64 %{name}, {step}", f"%{name}.more = icmp sle i64 %{name}.next, {stop}"]
    lines += [f"br i1 %{name}.more, label %{name}.body, label %{name}.done", f"{name}.body:"]
    yield f"%{name}"
    lines += [f"br label %{name}.again", f"{name}.again:", f"br label %{name}.test", f"{name}.done:"]
