"""Pinocchio at the same states, where it is installed and has the joints of a mechanism."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from operator_algebra.bench.measure import Floats
from operator_algebra.interop.pinocchio import KINDS, Twin, twin
from operator_algebra.models.model import Model

# Its data hold tensors of nv³ numbers: a thousand degrees of freedom would need tens of gigabytes.
MOST_FREEDOMS = 200


@dataclass(frozen=True)
class Called:
    """One of Pinocchio's functions: its name for one state, for many in one call, and what it takes beside q."""

    alone: str
    together: str = ""
    rates: tuple[str, ...] = ()


INVERSE_DYNAMICS = Called("rnea", "rneaInParallel", ("v", "qdd"))
FORWARD_DYNAMICS = Called("aba", "abaInParallel", ("v", "T"))
MASS_MATRIX = Called("crba")
INVERSE = Called("computeMinverse")


def pinocchio(model: Model) -> Twin | None:
    """The mechanism in Pinocchio; None if it cannot be."""
    known = all(body.joint.kind in KINDS for body in model.bodies)
    if find_spec("pinocchio") is None or not known or model.nv > MOST_FREEDOMS:
        return None
    return twin(model)


@dataclass(frozen=True)
class States:
    """Some states of a mechanism in Pinocchio's coordinates, for one of its functions."""

    twin: Twin
    called: Called
    each: list[tuple[Floats, ...]]

    @classmethod
    def of(cls, other: Twin, called: Called, q: Floats, values: dict[str, Floats]) -> States:
        """The states whose coordinates and rates are rows."""
        rates = [values[name] for name in called.rates]
        return cls(other, called, [(other.q(q[k]), *(other.v(x[k]) for x in rates)) for k in range(len(q))])

    def one(self) -> Callable[[], object]:
        """A call at the first state alone."""
        function, model, data = getattr(self.twin.pin, self.called.alone), self.twin.model, self.twin.data
        q, *rates = self.each[0]
        if not rates:
            return lambda: function(model, data, q)
        first, second = rates
        return lambda: function(model, data, q, first, second)

    def loop(self) -> Callable[[], object]:
        """A call at each state."""
        function, model, data = getattr(self.twin.pin, self.called.alone), self.twin.model, self.twin.data
        return lambda: [function(model, data, *state) for state in self.each]

    def batch(self) -> Callable[[], object]:
        """The fastest way to all states on one thread: its own call for many, or a call each where it has none."""
        if not self.called.together:
            return self.loop()
        pin, count = self.twin.pin, len(self.each)
        columns: list[Floats] = [np.asfortranarray(np.array(part).T) for part in zip(*self.each, strict=True)]
        out = np.empty((self.twin.origin.nv, count), order="F")
        many = getattr(pin, self.called.together)
        pool = pin.ModelPool(self.twin.model, 1)
        return lambda: many(1, pool, *columns, out)

    def results(self) -> Floats:
        """What it finds at each state, in our order, a row each; symmetric matrices are filled from one triangle."""
        function, model, data = getattr(self.twin.pin, self.called.alone), self.twin.model, self.twin.data
        found = [np.array(function(model, data, *state)) for state in self.each]
        if self.called.rates:
            return np.array([self.twin.v(one) for one in found])
        whole = [np.triu(one) + np.triu(one, 1).T for one in found]
        return np.array([self.twin.matrix(one).reshape(-1) for one in whole])
