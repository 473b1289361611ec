"""What others see of generated code: arrays of samples in, results out; one configuration is a batch of one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from operator_algebra.backends.backend import Result
from operator_algebra.backends.laid import Laid
from operator_algebra.models.numeric import Kind, Numbers

if TYPE_CHECKING:
    from operator_algebra.backends.native.door import Door
    from operator_algebra.backends.native.run import Computed


class Code(ABC):
    """Generated code for one model and one form of arguments."""

    kind: Kind
    """Of the numbers that it takes and gives."""
    given: tuple[int, ...]
    """How many numbers q and each input have."""
    results: Sequence[Laid]
    """How results are laid out."""
    _sizes: Sequence[int]
    """How many numbers each array of the results has."""

    @property
    def native(self) -> bool:
        """Whether it is machine code."""
        return True

    @property
    @abstractmethod
    def source(self) -> str:
        """The code for one configuration."""

    @property
    @abstractmethod
    def operations(self) -> Mapping[str, int]:
        """How many operations of each kind it takes."""

    @abstractmethod
    def batch(self, given: Sequence[Numbers], count: int, threads: int = 1) -> Computed:
        """The results of some samples.

        q and the inputs are arrays (samples, numbers); one with a single row belongs to every sample. Threads share
        the samples, whose bits are those of one.
        """

    def laid_out(self, arrays: Sequence[Numbers], lead: tuple[int, ...]) -> dict[str, Result]:
        """Results with the axes of the batch and their own, from arrays (samples, entries)."""
        found: dict[str, Result] = {}
        rest = iter(arrays)
        for laid in self.results:
            own = [next(rest).reshape((*lead, *shape)) for shape in laid.shapes]
            found[laid.name] = own if laid.listed else own[0]
        return found

    def single(self, arguments: Sequence[float]) -> list[float] | None:
        """The entries of the results at one configuration; None where they may not be trusted."""
        whole, _, results = self.batch(
            np.split(np.array([arguments], dtype=self.kind), np.cumsum(self.given)[:-1], axis=1), 1
        )
        return np.concatenate(results, axis=1)[0].tolist() if whole else None

    def one(self, entries: Sequence[float]) -> dict[str, Result]:
        """Results of one configuration, from its entries."""
        return self.laid_out(np.split(np.array([entries], dtype=self.kind), np.cumsum(self._sizes)[:-1], axis=1), ())

    def door(self, names: Sequence[str], other: Callable[..., object], threads: int = 1) -> Door | None:
        """The call with vectors of these names that takes them as they are; None where there is none."""
        del names, other, threads
        return None

    def bound(
        self, given: Sequence[Numbers], count: int, out: Numbers, other: Callable[[], object], threads: int = 1
    ) -> Callable[[], None] | None:
        """The call with the addresses of arrays whose rows have no gaps; None where there is none."""
        del given, count, out, other, threads
        return None
