"""The states of a walk, numbered like values: those that carry the same are one, and so are those that are read alike.

All states with one hop start as equal and are told apart by what they take from the input and, in all, from each class
of states; or by what the output, and each class in all, takes from them.    [lumping of linear automata, both ways]
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from operator_algebra.lowering.graph import RING, Form
from operator_algebra.programs.instructions import Hop
from operator_algebra.programs.records import Ref
from operator_algebra.programs.walk import Blocks, Walk

Key = Callable[[Form], Hashable]
"""What equal sums have in common; false of zero."""
Added = Callable[[Form], Ref | None]
"""The value of a sum; None if it is zero."""
Label = tuple[Literal["inward", "outward"], Hop]


@dataclass(frozen=True)
class States:
    """A walk as a linear automaton: new = A state + b x through a hop, output = c state + direct x."""

    labels: tuple[Label, ...]
    A: tuple[tuple[Form, ...], ...]
    b: tuple[Form, ...]
    c: tuple[Form, ...]
    direct: Form

    @staticmethod
    def of(t: Walk) -> States:
        """Those that go inward first."""
        rows = [(*_row(z), *_nothing(t.outward)) for z in t.s_z]
        rows += [(*_row(z), *_row(beta)) for z, beta in zip(t.d_z, t.d_beta, strict=True)]
        labels: list[Label] = [*(("inward", hop) for hop in t.inward), *(("outward", hop) for hop in t.outward)]
        given, read = (*_row(t.s_x), *_row(t.d_x)), (*_row(t.out_z), *_row(t.out_beta))
        return States(tuple(labels), tuple(rows), given, read, _row((t.out_x,))[0])

    def walk(self, added: Added) -> Walk:
        """The walk, without what comes back from the parent."""
        n = sum(way == "inward" for way, _ in self.labels)

        def row(forms: Iterable[Form]) -> Blocks:
            return tuple(map(added, forms))

        hops = [hop for _, hop in self.labels]
        return Walk(
            tuple(hops[:n]),
            tuple(hops[n:]),
            added(self.direct),
            row(self.c[:n]),
            row(self.c[n:]),
            row(self.b[:n]),
            tuple(row(one[:n]) for one in self.A[:n]),
            row(self.b[n:]),
            tuple(row(one[:n]) for one in self.A[n:]),
            tuple(row(one[n:]) for one in self.A[n:]),
            (),
        )

    def less(self, other: States) -> States:
        """The difference of what two walks put out."""
        mine, theirs = _nothing(self.labels), _nothing(other.labels)
        A = (*((*row, *theirs) for row in self.A), *((*mine, *row) for row in other.A))
        minus = [RING.minus({}, form) for form in other.c]
        direct = RING.minus(self.direct, other.direct)
        found = States((*self.labels, *other.labels), A, (*self.b, *other.b), (*self.c, *minus), direct)
        return found.only(sorted(range(len(found.labels)), key=lambda k: found.labels[k][0]))

    def only(self, kept: Sequence[int]) -> States:
        """Some of the states, in this order."""
        A = tuple(tuple(self.A[i][j] for j in kept) for i in kept)
        b, c = (tuple(part[k] for k in kept) for part in (self.b, self.c))
        return States(tuple(self.labels[k] for k in kept), A, b, c, self.direct)

    def turned(self) -> States:
        """What is taken and what is read changed over."""
        return States(self.labels, tuple(zip(*self.A, strict=True)), self.c, self.b, self.direct)

    def needed(self, key: Key) -> States:
        """Without states that nothing gets into, or of which nothing gets out."""
        reached, read = _reached(self, key), _reached(self.turned(), key)
        return self.only([k for k in range(len(self.labels)) if k in reached & read])


def _nothing(states: Sequence[object]) -> tuple[Form, ...]:
    return tuple({} for _ in states)


def _row(refs: Blocks) -> tuple[Form, ...]:
    return tuple({} if ref is None else RING.of(ref) for ref in refs)


def _reached(states: States, key: Key) -> set[int]:
    found = {k for k, form in enumerate(states.b) if key(form)}
    pending = list(found)
    while pending:
        source = pending.pop()
        more = [k for k, row in enumerate(states.A) if k not in found and key(row[source])]
        found.update(more)
        pending += more
    return found


def fewest(states: States, key: Key) -> States:
    """The same walk with as few states as are told apart, forwards and backwards."""
    states = states.needed(key)
    while True:
        less = _merged(_merged(states, key).turned(), key).turned().needed(key)
        if len(less.labels) == len(states.labels):
            return less
        states = less


def vanishes(states: States, key: Key) -> bool:
    """Whether nothing gets out."""
    left = fewest(states, key)
    return not left.labels and not key(left.direct)


def _merged(states: States, key: Key) -> States:
    """One state for those that carry the same."""
    classes = _numbered([(label, key(form)) for label, form in zip(states.labels, states.b, strict=True)])
    while True:
        rows = [tuple(key(part) for part in _by_class(row, classes)) for row in states.A]
        finer = _numbered(zip(classes, rows, strict=True))
        if len(set(finer)) == len(set(classes)):
            break
        classes = finer
    if len(set(classes)) == len(classes):
        return states
    kept = [classes.index(one) for one in range(len(set(classes)))]
    A = tuple(tuple(_by_class(states.A[k], classes)) for k in kept)
    labels, b = tuple(states.labels[k] for k in kept), tuple(states.b[k] for k in kept)
    return States(labels, A, b, tuple(_by_class(states.c, classes)), states.direct)


def _numbered(keys: Iterable[Hashable]) -> list[int]:
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]


def _by_class(row: Sequence[Form], classes: Sequence[int]) -> list[Form]:
    """The sum of a row over each class of its columns."""
    return [
        RING.sum(form for form, own in zip(row, classes, strict=True) if own == one) for one in range(len(set(classes)))
    ]
