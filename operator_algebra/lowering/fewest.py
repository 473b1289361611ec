"""The choice of the form with the fewest sweeps: what is summed over the mechanism may be transposed or superposed.

Forms whose operations exceed those of the untouched program by more than DEARER are refused; of those with equally few
sweeps the one with the fewest operations stays. Operations are counted on a small tree of joints that are alike, with
the sizes of spaces that are known; else joints count as hinges, columns of a user's space as six.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from operator_algebra.lowering.dependence import merge_dependent
from operator_algebra.lowering.finish import sketched
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.least import least_sweeps
from operator_algebra.lowering.schedule import schedule
from operator_algebra.lowering.share import share_opposites
from operator_algebra.lowering.simplify import drop_zeros, resolve_aliases
from operator_algebra.lowering.superpose import superposed
from operator_algebra.lowering.traces import transposable, transposed_sum
from operator_algebra.programs.cost import cost

DEARER = 1.25
"""By how much operations may grow to save a sweep."""
SINGLY = 3
"""Up to so many sums are transposed in every choice; of more, all or none."""


@dataclass(frozen=True)
class _Tree:
    """What operations are counted on before there is a mechanism."""

    parent: tuple[int, ...] = (-1, 0, 1, 2, 3, 1, 5, 6)
    freedoms: tuple[int, ...] = (1,) * 8

    @property
    def n(self) -> int:
        return len(self.parent)


@dataclass(frozen=True)
class _Form:
    """A form of the graph, the sums that were transposed for it, whether it was superposed, and what it takes."""

    graph: Graph
    sums: tuple[int, ...]
    split: bool
    sweeps: int
    operations: int

    @property
    def how(self) -> str:
        """How it was made, in words."""
        count = len(self.sums)
        done = {0: "", 1: "one sum transposed"}.get(count, f"{count} sums transposed")
        return ", ".join(filter(None, (done, "superposed" if self.split else ""))) or "as written"


def fewest_sweeps(graph: Graph, after: Sequence[Callable[[Graph], None]]) -> None:
    """Give a graph the form with the fewest sweeps, as counted when the passes `after` are done, too."""
    sums = transposable(graph)
    if not sums:
        sweeps = sum(stage.direction != "once" for stage in schedule(graph))
        graph.choices = (_told("as written", sweeps, least_sweeps(graph)),)
        return
    choice = _Choice(graph, after)
    choice.search(sums)
    graph.become(choice.best.graph)
    graph.choices = choice.told


class _Choice:
    """The best form so far, and what was tried."""

    def __init__(self, graph: Graph, after: Sequence[Callable[[Graph], None]]) -> None:
        self.graph = graph
        self.after = after
        self.bound = least_sweeps(graph)
        self.best = self.untouched = self._measured(graph, (), split=False)
        self._tried: list[str] = []

    @property
    def told(self) -> tuple[str, ...]:
        """The form that was taken, the program as written, and what else was tried."""
        taken = _told(self.best.how, self.best.sweeps, self.bound)
        return (taken, f"{self.untouched.how}: {_count(self.untouched.sweeps)}", *self._tried)

    def search(self, sums: Sequence[int]) -> None:
        """Try forms until the bound is met, and then whether fewer sums do as well."""
        if self._met:
            return
        seen = set[tuple[int, ...]]()
        for chosen in _subsets(sums):
            form, done = self._transposed(chosen)
            if done in seen:
                continue
            seen.add(done)
            if done:
                self._try(form, done, split=False)
            if not self._met or self.best is self.untouched:
                self._superpose(form, done)
            if self._met:
                break
        # A form that was superposed has all its sums early because they are transposed: none can be spared.
        spare = self.best.sums if self._met and not self.best.split and len(sums) <= SINGLY else ()
        for number in spare:
            form, done = self._transposed([one for one in self.best.sums if one != number])
            if done not in seen:
                self._try(form, done, split=False)

    @property
    def _met(self) -> bool:
        return self.best.sweeps <= self.bound

    def _try(self, graph: Graph, sums: tuple[int, ...], *, split: bool) -> None:
        form = self._measured(graph, sums, split=split)
        share = form.operations / max(1, self.untouched.operations)
        dearer = share > DEARER
        if not dearer and (form.sweeps, form.operations) < (self.best.sweeps, self.best.operations):
            self.best = form
        if form.sweeps < self.untouched.sweeps or not dearer:
            refused = ", refused" if dearer else ""
            self._tried.append(f"{form.how}: {_count(form.sweeps)}, {share:.2f} of the operations{refused}")

    def _transposed(self, chosen: Sequence[int]) -> tuple[Graph, tuple[int, ...]]:
        """The graph with those of some sums transposed that can be."""
        form = self.graph.copy()
        done = tuple(number for number in chosen if transposed_sum(form, number))
        if done:
            _tidied(form)
        return form, done

    def _superpose(self, form: Graph, done: tuple[int, ...]) -> None:
        split = form.copy()
        if superposed(split):
            _tidied(split)
            self._try(split, done, split=True)

    def _measured(self, graph: Graph, sums: tuple[int, ...], *, split: bool) -> _Form:
        last = graph.copy()
        for one in self.after:
            one(last)
        program = sketched(last)
        return _Form(graph, sums, split, len(program.sweeps), cost(program, _Tree(), self.graph.sizes).total)


def _subsets(sums: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All, then fewer, then none."""
    sizes = range(len(sums), -1, -1) if len(sums) <= SINGLY else (len(sums), 0)
    for size in sizes:
        yield from combinations(sums, size)


def _tidied(graph: Graph) -> None:
    """What vanishes goes, what is equal or opposite becomes one, as long as this finds anything."""
    graph.prune()
    before = 0
    while before != len(graph.values) or merge_dependent(graph):
        before = len(graph.values)
        resolve_aliases(graph)
        drop_zeros(graph)
        share_opposites(graph)
        resolve_aliases(graph)
        graph.prune()


def _told(how: str, sweeps: int, bound: int) -> str:
    """The form that was taken, and what is known of others."""
    others = "no form has fewer" if sweeps == bound else f"none has fewer than {bound}"
    return f"{how}: {_count(sweeps)}, {others}"


def _count(sweeps: int) -> str:
    return "1 sweep" if sweeps == 1 else f"{sweeps} sweeps"
