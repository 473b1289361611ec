"""Laws on very large mechanisms: probed with random vectors, in time and memory linear in the bodies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from operator_algebra.checking.large import NotProbed, probe_residual
from operator_algebra.checking.prober import Prober
from operator_algebra.checking.scene import Sample
from operator_algebra.checking.suite import in_domain
from operator_algebra.checking.verdict import Verdict
from operator_algebra.errors import SingularError
from operator_algebra.identities.identity import Law
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.model import Model

_KINDS = ("revolute", "universal", "spherical", "prismatic")


@dataclass(frozen=True, slots=True)
class Probed:
    """One law on one large mechanism; `note` says why it was not probed, if it was not."""

    law: str
    mechanism: str
    verdict: Verdict
    residual: float
    bound: float
    note: str = ""

    def facts(self) -> dict[str, object]:
        """The outcome as plain data."""
        return {key: value for key, value in asdict(self).items() if value == value and value != float("inf")}

    def __str__(self) -> str:
        tail = self.note or f"residual {self.residual:.0e} (bound {self.bound:.0e})"
        return f"{self.verdict:<13}{self.law:<40}{self.mechanism:<16}{tail}"


def probe_mechanisms(bodies: int) -> list[Model]:
    """A chain and a bushy tree with joints of one to three degrees of freedom."""
    return [
        chain(bodies, joint=_KINDS, seed=bodies),
        random_tree(bodies, joints=_KINDS, branching=0.9, seed=bodies),
    ]


def probe(model: Model, laws: Sequence[Law], seed: int = 0) -> Iterator[Probed]:
    """The laws on one mechanism, one by one; they share what is local to the bodies.

    >>> from operator_algebra.identities.catalogue import law_named
    >>> [outcome.verdict for outcome in probe(chain(50), [law_named("left exchange")])]
    ['holds']
    """
    sample = Sample.draw(model, seed, "body")
    prober = Prober(model, [sample])
    for law in laws:
        if in_domain(law, model):
            yield _probed(prober, law)


def _probed(prober: Prober, law: Law) -> Probed:
    name = prober.model.name
    try:
        with np.errstate(all="ignore"):
            found = probe_residual(prober, law)
    except (NotProbed, SingularError) as error:
        return Probed(law.name, name, "inconclusive", float("nan"), float("nan"), str(error).splitlines()[0])
    size, difference = float(found.size[0]), float(found.difference[0])
    share = difference / size if size else 0.0
    eps = float(np.finfo(np.float64).eps)
    bound = 8.0 * eps * (1.0 + float(np.sqrt(prober.model.depth))) * float(found.condition[0])
    useful = bound < eps ** (1 / 3) and np.isfinite(share)
    verdict: Verdict = "inconclusive" if not useful else "holds" if share <= bound else "FAILS"
    return Probed(
        law.name,
        name,
        verdict,
        share,
        bound,
        "" if useful else f"rounding in {'the terms' if found.culprit is None else found.culprit}",
    )
