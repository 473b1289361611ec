"""One trial: a mechanism at a batch of samples, in floats or to hundreds of bits; laws share its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from operator_algebra.checking.arithmetic import Array, Floats
from operator_algebra.checking.judge import Judge, Value
from operator_algebra.checking.probe import Prober
from operator_algebra.checking.scene import Sample, extended_scene, float_scene
from operator_algebra.expressions.nodes import Expr
from operator_algebra.models.changes import carried, mirrored
from operator_algebra.models.model import Model

_FLIPPED = {"body": "world", "world": "body"}


@dataclass(frozen=True)
class Trial:
    """A mechanism and the samples at which laws are judged together."""

    model: Model
    samples: tuple[Sample, ...]
    precise: bool = False

    @cached_property
    def judge(self) -> Judge:
        """Values, each computed once."""
        scene = extended_scene if self.precise else float_scene
        return Judge(scene(self.model, self.samples))

    @cached_property
    def probers(self) -> tuple[Prober, ...]:
        """The samples of a large mechanism, one by one."""
        return tuple(Prober(self.model, sample) for sample in self.samples)

    def value(self, e: Expr) -> Value:
        """The value of an expression."""
        return self.judge.value(e)

    def norm(self, array: Array) -> Floats:
        """The norm of each sample."""
        return self.judge.arithmetic.norm(array)

    def bound(self, condition: Floats) -> Floats:
        """8 eps (1 + √depth) times the condition: what rounding may leave of a true law, as a share of its terms."""
        eps = self.judge.arithmetic.eps if self.precise else float(np.finfo(np.float64).eps)
        return 8.0 * eps * (1.0 + np.sqrt(self.model.depth)) * condition

    @cached_property
    def turned(self) -> Trial:
        """The same samples in the other axes."""
        return replace(self, samples=tuple(replace(sample, frame=_FLIPPED[sample.frame]) for sample in self.samples))

    @cached_property
    def _mirror(self) -> tuple[Model, Array]:
        return mirrored(self.model)

    @cached_property
    def mirrored(self) -> Trial:
        """The same samples with siblings stored in the opposite order."""
        model, order = self._mirror
        return replace(self, model=model, samples=tuple(_carried(self.model, order, sample) for sample in self.samples))

    @property
    def order(self) -> Array:
        """Where the bodies of the mirrored mechanism stand in this one."""
        return self._mirror[1]

    def precisely(self, samples: Sequence[int]) -> Trial:
        """Some of the samples to hundreds of bits."""
        return Trial(self.model, tuple(self.samples[k] for k in samples), precise=True)


def _carried(model: Model, order: Array, sample: Sample) -> Sample:
    return replace(
        sample,
        q=carried(model, order, np.asarray(sample.q), rates=False),
        v=carried(model, order, np.asarray(sample.v), rates=True),
    )
