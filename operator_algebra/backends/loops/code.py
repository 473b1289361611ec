"""What others see of loops: arrays of samples in, results out; one configuration is a batch of one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from operator_algebra.backends.backend import Result
from operator_algebra.backends.native.run import Computed
from operator_algebra.backends.scalar.traced import Laid
from operator_algebra.models.numeric import Kind, Numbers


class LoopCode(ABC):
    """Loops for one model and one form of arguments; they are machine code from the first call on."""

    kind: Kind
    """Of the numbers that it takes and gives."""
    native = True
    given: tuple[int, ...]
    """How many numbers q and each input have."""
    results: Sequence[Laid]
    """How results are laid out."""
    _sizes: Sequence[int]

    @property
    @abstractmethod
    def source(self) -> str:
        """The code for one configuration, as LLVM IR."""

    @property
    @abstractmethod
    def operations(self) -> Mapping[str, int]:
        """How many operations of each kind all bodies take, with those that tell whether results may be trusted."""

    @abstractmethod
    def batch(self, given: Sequence[Numbers], count: int, threads: int = 1) -> Computed:
        """The results of some samples.

        q and the inputs are arrays (samples, numbers); one with a single row belongs to every sample. Threads share
        the samples, whose bits are those of one, and end with the call.
        """

    @abstractmethod
    def laid_out(self, arrays: Sequence[Numbers], lead: tuple[int, ...]) -> dict[str, Result]:
        """Results with the axes of the batch, from arrays (samples, entries)."""

    def single(self, arguments: Sequence[float]) -> list[float] | None:
        """The entries of the results at one configuration; None where they may not be trusted."""
        whole, _, results = self.batch(
            np.split(np.array([arguments], dtype=self.kind), np.cumsum(self.given)[:-1], axis=1), 1
        )
        return np.concatenate(results, axis=1)[0].tolist() if whole else None

    def one(self, entries: Sequence[float]) -> dict[str, Result]:
        """Results of one configuration, from its entries."""
        return self.laid_out(np.split(np.array([entries], dtype=self.kind), np.cumsum(self._sizes)[:-1], axis=1), ())

    def door(self, names: Sequence[str], other: Callable[..., object], threads: int = 1) -> None:
        """Arguments are turned in each call, so code does not take them as they are."""
        del names, threads

    def bound(
        self, given: Sequence[Numbers], count: int, out: Numbers, other: Callable[[], object], threads: int = 1
    ) -> None:
        """For the same reason there are no addresses to keep."""
        del given, count, out, other, threads
