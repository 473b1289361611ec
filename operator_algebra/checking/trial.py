"""One trial: a mechanism at a batch of samples, in floats or to hundreds of bits; laws share its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from operator_algebra.checking.arithmetic import Array, Floats
from operator_algebra.checking.prober import Prober
from operator_algebra.checking.scene import Sample, Scene, extended_scene, float_scene
from operator_algebra.checking.valuation import Valuation
from operator_algebra.checking.values import Value, chosen
from operator_algebra.expressions.nodes import Expr
from operator_algebra.models.changes import carried, mirrored
from operator_algebra.models.model import Model
from operator_algebra.spatial.arrays import Axes

_BESIDE = 1600  # bodies of all samples that are probed at once


@dataclass(eq=False)
class Ground:
    """What all laws stand on: leaves, inputs and recursions of a trial, and of its samples to hundreds of bits."""

    scene: Scene | None = None
    probers: tuple[Prober, ...] = ()
    precise: dict[tuple[tuple[int, ...], int], Trial] = field(
        default_factory=dict[tuple[tuple[int, ...], int], "Trial"]
    )


@dataclass(frozen=True)
class Trial:
    """A mechanism and the samples at which laws are judged together."""

    model: Model
    samples: tuple[Sample, ...]
    bits: int = 0
    """Of fixed point; 0 for floats."""
    ground: Ground = field(default_factory=Ground, repr=False, compare=False)

    @property
    def precise(self) -> bool:
        """Whether values have hundreds of bits."""
        return self.bits > 0

    @cached_property
    def valuation(self) -> Valuation:
        """Values, each computed once."""
        if self.ground.scene is None:
            if self.precise:
                self.ground.scene = extended_scene(self.model, self.samples, self.bits)
            else:
                self.ground.scene = float_scene(self.model, self.samples)
        return Valuation(self.ground.scene)

    @cached_property
    def probers(self) -> tuple[Prober, ...]:
        """The samples of a large mechanism, so many beside each other as memory is for."""
        if not self.ground.probers:
            step = max(1, _BESIDE // self.model.n)
            parts = (self.samples[k : k + step] for k in range(0, len(self.samples), step))
            self.ground.probers = tuple(Prober(self.model, part) for part in parts)
        return tuple(prober.anew() for prober in self.ground.probers)

    def anew(self) -> Trial:
        """The same trial on the same ground, with nothing else computed."""
        return replace(self)

    def value(self, e: Expr) -> Value:
        """The value of an expression."""
        return self.valuation.value(e)

    def norm(self, array: Array) -> Floats:
        """The norm of each sample."""
        return self.valuation.arithmetic.norm(array)

    def bound(self, condition: Floats) -> Floats:
        """8 eps (1 + √depth) times the condition: what rounding may leave of a true law, as a share of its terms."""
        return 8.0 * self.eps * (1.0 + np.sqrt(self.model.depth)) * condition

    @property
    def eps(self) -> float:
        """The rounding of a number."""
        return self.valuation.arithmetic.eps if self.precise else float(np.finfo(np.float64).eps)

    @cached_property
    def turned(self) -> Trial:
        """The same samples, each in the other kind of axes."""
        other: dict[Axes, Axes] = {"body": "world", "world": "body"}
        samples = tuple(replace(sample, frame=other[sample.frame]) for sample in self.samples)
        return Trial(self.model, samples, self.bits)

    def value_in(self, frame: Axes, e: Expr) -> Value:
        """The value of an expression in one kind of axes, whatever those of the samples are."""
        here = np.array([sample.frame == frame for sample in self.samples])
        if here.all() or not here.any():
            return (self if here.all() else self.turned).value(e)
        return chosen(here, self.value(e), self.turned.value(e))

    @cached_property
    def _mirror(self) -> tuple[Model, Array]:
        return mirrored(self.model)

    @cached_property
    def mirrored(self) -> Trial:
        """The same samples with siblings stored in the opposite order."""
        model, order = self._mirror
        return Trial(model, tuple(_carried(self.model, order, sample) for sample in self.samples), self.bits)

    @property
    def order(self) -> Array:
        """Where the bodies of the mirrored mechanism stand in this one."""
        return self._mirror[1]

    def precisely(self, samples: Sequence[int], bits: int = 320) -> Trial:
        """Some of the samples to hundreds of bits."""
        key = tuple(samples), bits
        if key not in self.ground.precise:
            self.ground.precise[key] = Trial(self.model, tuple(self.samples[k] for k in samples), bits)
        return self.ground.precise[key].anew()


def _carried(model: Model, order: Array, sample: Sample) -> Sample:
    return replace(
        sample,
        q=carried(model, order, np.asarray(sample.q), rates=False),
        v=carried(model, order, np.asarray(sample.v), rates=True),
    )
