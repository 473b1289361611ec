"""Vectors on their way through a law: their entries, and what rounding may have done to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from operator_algebra.checking.arithmetic import Array, Floats
from operator_algebra.meaning.evaluator import Worst, worst


@dataclass(frozen=True, eq=False)
class Column:
    """Vectors of one space, (samples, entries, columns), their sizes before cancellation, and the worst inverse so far.

    The condition of that is one for each sample.
    """

    entries: Floats
    size: Floats
    worst: Worst = field(default_factory=Worst)

    @classmethod
    def of(cls, entries: Floats) -> Column:
        """Vectors in which nothing cancelled."""
        return cls(entries, np.abs(entries))

    @classmethod
    def units(cls, samples: int, size: int) -> Column:
        """The columns of I, for each sample."""
        return cls.of(np.broadcast_to(np.eye(size), (samples, size, size)))

    def where(self, kept: Array) -> Column:
        """The same on some of its places, zero elsewhere."""
        there = kept[:, None]
        return Column(np.where(there, self.entries, 0.0), np.where(there, self.size, 0.0), self.worst)

    def at(self, samples: Array, other: Column) -> Column:
        """These at some of the samples, others at the rest."""
        here = samples[:, None, None]
        condition = np.where(samples, self.worst.condition, other.worst.condition)
        blamed = (self if samples[np.argmax(condition)] else other).worst.culprit
        entries, size = np.where(here, self.entries, other.entries), np.where(here, self.size, other.size)
        return Column(entries, size, Worst(condition, blamed))

    def parts(self, step: int) -> list[Column]:
        """So many columns after another."""
        starts = range(0, max(1, self.entries.shape[-1]), step)
        return [Column(self.entries[..., k : k + step], self.size[..., k : k + step], self.worst) for k in starts]

    def __add__(self, other: Column) -> Column:
        return Column(self.entries + other.entries, self.size + other.size, worst(self.worst, other.worst))


def joined(parts: Sequence[Column]) -> Column:
    """Columns side by side."""
    if len(parts) == 1:
        return parts[0]
    entries, size = (np.concatenate([getattr(part, name) for part in parts], axis=-1) for name in ("entries", "size"))
    return Column(entries, size, worst(*(part.worst for part in parts)))


def norms(values: Floats) -> Floats:
    """The norm of each vector, (samples, 1, columns)."""
    return np.sqrt(np.einsum("sij,sij->sj", values, values))[:, None, :]


def lost(x: Column) -> Floats:
    """How much larger vectors were before cancellation, (samples, 1, columns)."""
    norm, before = norms(x.entries), norms(x.size)
    return np.maximum(1.0, np.where(norm > 0.0, before, 1.0) / np.where(norm > 0.0, norm, 1.0))
