"""Orthogonal elimination, body by body: triangularise what a body and its children say, hand the rest to the parent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from operator_algebra.backends.numpy.arrays import Block, Flags, Scalars, Sizes
from operator_algebra.backends.numpy.equations import Equations
from operator_algebra.backends.numpy.places import Places, columns_in, span, split
from operator_algebra.backends.numpy.triangles import Relation, Triangle, stacked
from operator_algebra.operators.spaces import Space
from operator_algebra.programs.instructions import Hop, Relate
from operator_algebra.programs.records import Ref, Term

Kernel = Callable[[int], Block]
Drives = Sequence[Kernel | None]

_ABOUT = 1e3
"""Losses are alike if they differ by less."""


@dataclass(frozen=True)
class _Equation:
    rows: Space
    members: list[tuple[int, Kernel]]
    gathers: list[tuple[int, Kernel]]
    pulls: list[tuple[int, Kernel]]


class RelationKernels:
    """The kernels of one relation on one model, and of what is solved with it.

    A subtree says Ru u + Rβ β = r of what it sends (u) and receives (β), the rest of the tree Ou u + Oβ β = 0. Children
    are taken in one after the other, so that the work is linear in their number.
    """

    def __init__(
        self,
        definition: Relate,
        parent: Sequence[int],
        children: Sequence[Sequence[int]],
        size: Callable[[Space, int], int],
        term: Callable[[Term, Space], Kernel],
        constant: Callable[[Ref], Kernel],
        hop: Callable[[Hop], Sequence[Block]],
    ) -> None:
        self.definition = definition
        self.parent = parent
        self.children = children
        self.size = size
        self.inward = [hop(h) for h, _ in definition.gathers]
        self.outward = [hop(h) for h, _ in definition.pulls]
        self.equations = [
            _Equation(
                equation.rows,
                [(i, term(t, equation.rows)) for i, t in equation.members],
                [(i, term(t, equation.rows)) for i, t in equation.gathers],
                [(i, term(t, equation.rows)) for i, t in equation.pulls],
            )
            for equation in definition.equations
        ]
        self._constants = [None if e.constant is None else constant(e.constant) for e in definition.equations]
        self._undriven: Drives = [None] * len(self.equations)
        self._spaces = definition.spaces
        self._gathered_spaces = [hop.type.codomain for hop, _ in definition.gathers]
        self._sent_members = list(dict.fromkeys(i for _, i in definition.gathers))
        self._kept_members = [i for i in range(len(definition.spaces)) if i not in self._sent_members]
        self._sent_spaces = [definition.spaces[i] for i in self._sent_members]
        self._shown_spaces = [definition.spaces[i] for _, i in definition.pulls]
        self._received_spaces = [hop.type.codomain for hop, _ in definition.pulls]
        self._triangles: dict[int, Triangle] = {}
        """Of the equations of each body."""
        self._taken_in: dict[int, Triangle] = {}
        """Of what each body says to its parent, together with the children before it."""
        self._before: dict[int, Relation] = {}
        self._all: dict[int, Relation] = {}
        self._surroundings: dict[int, Block] = {}
        self._sent: dict[int, Block] = {}
        self._solutions: dict[int, Block] = {}
        self._kept: dict[int, Scalars] = {}
        """What rounding leaves of the diagonals of the triangles of each body."""
        self._losses: list[Scalars] | None = None

    def _sizes(self, spaces: Iterable[Space], k: int) -> list[int]:
        return [self.size(space, k) for space in spaces]

    def _places(self, equations: Equations, k: int) -> Places:
        own: list[slice] = [slice(0)] * len(self._spaces)
        for i, column in zip(self._kept_members, equations.columns(self._of(self._kept_members, k)), strict=True):
            own[i] = column
        gathered = equations.columns(self._sizes(self._gathered_spaces, k))
        sent = equations.columns(self._sizes(self._sent_spaces, k))
        for i, column in zip(self._sent_members, sent, strict=True):
            own[i] = column
        return Places(own, gathered, sent, equations.columns(self._sizes(self._received_spaces, k)))

    def _of(self, members: Iterable[int], k: int) -> list[int]:
        return [self.size(self._spaces[i], k) for i in members]

    # -- inward ----------------------------------------------------------------------------------------------------

    def inward_step(self, k: int) -> Triangle:
        """Take in the children, triangularise the local equations with them, keep what is left."""
        gathered: Relation | None = None
        for c in self.children[k]:
            self._before[c] = gathered or self._nothing(k)
            self._taken_in[c], gathered = self._take_in(gathered, c, 2 * c)
        gathered = gathered or self._nothing(k)
        self._all[k] = gathered
        equations = Equations()
        places = self._places(equations, k)
        given = equations.width - columns_in(places.received)
        # Rows stand in the order of the unknowns that they are for, on which the sign of a determinant depends.
        self._add_body(equations, k, places, self._constants, self._kept_members)
        self._add_gathered(equations, gathered, places.gathered, places.own)
        self._add_body(equations, k, places, self._constants, self._sent_members)
        # At a root all is eliminated, so that what a singular system leaves undetermined shows in its triangle.
        width = given - columns_in(places.sent) if self.parent[k] >= 0 else given
        self._triangles[k] = self._triangularised(k, equations, width, given, 2 * k + 1)
        return self._triangles[k]

    def _triangularised(
        self, k: int, equations: Equations, width: int, given: int, salt: int | None = None, driving: int = 0
    ) -> Triangle:
        found = equations.triangularised(width, given, salt, driving)
        self._kept[k] = np.minimum(self._kept.get(k, 1.0), found.kept)
        return found

    def _nothing(self, k: int) -> Relation:
        """The sums over no children: g = 0."""
        sums, shown = sum(self._sizes(self._gathered_spaces, k)), sum(self._sizes(self._shown_spaces, k))
        none = np.zeros((sums, 1))
        return Relation(np.eye(sums), np.zeros((sums, shown)), none, none, np.zeros(sums), none)

    def _take_in(self, gathered: Relation | None, c: int, salt: int | None = None) -> tuple[Triangle, Relation]:
        """One more child: eliminate what it sends, u, and the sums without it, g⁻, with g = g⁻ + U u."""
        k = self.parent[c]
        equations = Equations()
        before = equations.columns(self._sizes(self._gathered_spaces, k)) if gathered else []
        sent = equations.columns(self._sizes(self._sent_spaces, c))
        sums = equations.columns(self._sizes(self._gathered_spaces, k))
        shown = equations.columns(self._sizes(self._shown_spaces, k))
        relation = self._triangles[c].relation
        if gathered:
            equations.relate(gathered, before, split(gathered.others, shown))
        received = split(relation.others, Equations().columns(self._sizes(self._received_spaces, c)))
        pulls = zip(shown, self.outward, received, strict=True)
        others = [(column, block @ hop[c]) for column, hop, (_, block) in pulls]
        equations.relate(relation, sent, others)
        for i, total in enumerate(sums):
            unit = np.eye(total.stop - total.start)
            carried = sent[self._sent_members.index(self.definition.gathers[i][1])]
            terms = [(total, unit), (carried, -self.inward[i][c]), *((column, -unit) for column in before[i : i + 1])]
            equations.add(len(unit), terms, defines=total)
        width, given = columns_in(before) + columns_in(sent), equations.width - columns_in(shown)
        taken = self._triangularised(c, equations, width, given, salt)
        return taken, taken.relation

    def measure(self, k: int) -> Scalars:
        """How far from singular the whole system is: by how little a perturbation can do as much harm at a body.

        What moves freely beyond a joint without inertia moves as freely as the joint: the loss is that of the joint.
        """
        if self._losses is None:
            self._losses = self._blamed(self._probed())
        return self._losses[k]

    def _blamed(self, losses: Sequence[Scalars]) -> list[Scalars]:
        """The losses, each where it began: at the innermost body on the way to the base that loses about as much."""
        lead = np.broadcast_shapes(*(loss.shape for loss in losses))
        table = np.stack([np.broadcast_to(loss, lead) for loss in losses])
        origin = np.arange(len(losses)).reshape(-1, *(1 for _ in lead)) + np.zeros(table.shape, dtype=np.intp)
        for k, parent in enumerate(self.parent):
            if parent >= 0:
                above = np.take_along_axis(table, origin[parent][None], axis=0)[0]
                origin[k] = np.where(above <= _ABOUT * table[k], origin[parent], k)
        found = np.ones(table.shape)
        for k, loss in enumerate(table):
            there = np.take_along_axis(found, origin[k][None], axis=0)
            np.put_along_axis(found, origin[k][None], np.minimum(there, loss), axis=0)
        return list(found)

    def _probed(self) -> list[Scalars]:
        """What is left of the sizes of solutions where constants are as large as rounding is, one over their excess."""
        found: list[Scalars] = []
        solutions: list[Block] = []
        sent: dict[int, Block] = {}
        for k, parent in enumerate(self.parent):
            triangle = self._triangles[k]
            if parent < 0:
                given = [np.zeros((triangle.top.shape[-1], 1))]
            else:
                given = [sent[k], *self._arriving(k, solutions[parent])]
            unknowns = triangle.probed(stacked(given))
            places = self._places(Equations(), k)
            whole = stacked([unknowns, sent[k]]) if parent >= 0 else unknowns
            solutions.append(stacked([whole[..., place, :] for place in places.own]))
            sizes = np.concatenate([triangle.sizes[..., place] for place in places.own], axis=-1)
            known = np.isfinite(triangle.triangle).all(axis=(-2, -1))
            left = np.minimum(1.0 / np.maximum(_excess(solutions[k], sizes), 1.0), self._kept[k])
            found.append(np.where(known, left, np.nan))
            sums = whole[..., span(places.gathered), :]
            for c, own in self._handed_back(k, sums, solutions[k], Triangle.probed):
                sent[c] = own
        return found

    def logdet(self) -> Block:
        """The log det of the whole system, its definitions v = … counted as v − … = 0; complex where it is negative."""
        total: Scalars | float = 0.0
        exponent: Scalars | float = 0.0
        negative: Flags | bool = False
        for k in range(len(self.parent)):
            taken = [self._taken_in[k]] if self.parent[k] >= 0 else []
            for one in (self._triangles[k], *taken):
                total, exponent = total + one.logdet, exponent + one.exponent
                negative = negative ^ one.negative
            defined = sum(self.size(e.rows, k) for e in self.definition.equations if e.explicit)
            negative = negative ^ (defined % 2 == 1)
        total = total + exponent * np.log(2.0)
        # A determinant of zero has no sign.
        negative = negative & np.isfinite(total)
        whole = total + 1j * np.pi * negative if np.any(negative) else total
        return np.asarray(whole)[..., None, None]

    # -- the equations of one body ---------------------------------------------------------------------------------

    def _add_body(
        self, equations: Equations, k: int, places: Places, constants: Drives, members: Iterable[int] | None = None
    ) -> None:
        for i in range(len(self.equations)) if members is None else members:
            equation, constant = self.equations[i], constants[i]
            known = None if constant is None else -constant(k)
            explicit = places.own[i] if self.definition.equations[i].explicit else None
            equations.add(self.size(equation.rows, k), _local(equation, k, places), known, defines=explicit)

    def _add_gathered(
        self, equations: Equations, gathered: Relation, sums: list[slice], own: list[slice], driven: bool = True
    ) -> None:
        """What children say; without their constants if they are not `driven`."""
        shown = [own[carried] for _, carried in self.definition.pulls]
        equations.relate(gathered, sums, split(gathered.others, shown), driven=driven)

    def _add_surroundings(self, equations: Equations, k: int, places: Places) -> None:
        around = self._surroundings[k]
        equations.add(around.shape[-2], split(around, [*places.sent, *places.received]))

    # -- outward ---------------------------------------------------------------------------------------------------

    def outward_step(self, k: int) -> Block:
        """The members of the component at a body, stacked; also what its children sent."""
        triangle = self._triangles[k]
        if self.parent[k] < 0:
            # Nothing arrives.
            given = [np.zeros((triangle.top.shape[-1], triangle.top_constant.shape[-1]))]
        else:
            given = [self._sent[k], *self._arriving(k, self._solutions[self.parent[k]])]
        unknowns = triangle.solved(stacked(given))
        places = self._places(Equations(), k)
        whole = stacked([unknowns, self._sent[k]]) if self.parent[k] >= 0 else unknowns
        placed = triangle.placed(whole)
        self._solutions[k] = stacked([placed[..., place, :] for place in places.own])
        sums = whole[..., span(places.gathered), :]
        for c, own in self._handed_back(k, sums, self._solutions[k], Triangle.solved):
            self._sent[c] = own
        return self._solutions[k]

    def _arriving(self, k: int, solution: Block) -> list[Block]:
        above = Equations().columns(self._sizes(self._spaces, self.parent[k]))
        pulls = zip(self.definition.pulls, self.outward, strict=True)
        return [hop[k] @ solution[..., above[carried], :] for (_, carried), hop in pulls]

    def _handed_back(
        self, k: int, sums: Block, solution: Block, solved: Callable[[Triangle, Block], Block]
    ) -> Iterator[tuple[int, Block]]:
        """From the sums over all children what each of them sent, the last one first."""
        own = Equations().columns(self._sizes(self._spaces, k))
        shown = [solution[..., own[carried], :] for _, carried in self.definition.pulls]
        for c in reversed(self.children[k]):
            both = solved(self._taken_in[c], stacked([sums, *shown]))
            size = both.shape[-2] - sum(self._sizes(self._sent_spaces, c))
            sums = both[..., :size, :]
            yield c, both[..., size:, :]

    def surround_step(self, k: int) -> None:
        """The relations of the rest of the tree to every child of body k, and at a root to itself."""
        if self.parent[k] < 0:
            # Nothing arrives at a root, and what it sends is free.
            sent, received = sum(self._sizes(self._sent_spaces, k)), sum(self._sizes(self._received_spaces, k))
            self._surroundings[k] = np.hstack([np.zeros((received, sent)), np.eye(received)])
        after: Relation | None = None
        for c in reversed(self.children[k]):
            self._surroundings[c] = self._around(c, after or self._nothing(k))
            _, after = self._take_in(after, c)

    def _around(self, c: int, after: Relation) -> Block:
        """What the parent, the children before and after, and the rest of the tree say of the edge to child c."""
        k = self.parent[c]
        equations = Equations()
        places = self._places(equations, k)
        later = equations.columns(self._sizes(self._gathered_spaces, k))
        width = equations.width
        arriving = equations.columns(self._sizes(self._received_spaces, c))
        sent = equations.columns(self._sizes(self._sent_spaces, c))
        equations.known(places.received, 1.0)
        equations.known(sent, self._triangles[c].relation.sizes)
        for i, equation in enumerate(self.equations):
            terms = list(_local(equation, k, places))
            for j, coefficient in equation.gathers:
                terms.append((later[j], coefficient(k)))
                carried = sent[self._sent_members.index(self.definition.gathers[j][1])]
                terms.append((carried, coefficient(k) @ self.inward[j][c]))
            explicit = places.own[i] if self.definition.equations[i].explicit else None
            equations.add(self.size(equation.rows, k), terms, defines=explicit)
        self._add_gathered(equations, self._before[c], places.gathered, places.own, driven=False)
        self._add_gathered(equations, after, later, places.own, driven=False)
        self._add_surroundings(equations, k, places)
        for (_, carried), hop, column in zip(self.definition.pulls, self.outward, arriving, strict=True):
            unit = np.eye(column.stop - column.start)
            equations.add(len(unit), [(column, unit), (places.own[carried], -hop[c])])
        found = self._triangularised(c, equations, width, width, driving=columns_in(sent))
        return np.concatenate([-found.rest_constant, found.rest], axis=-1)

    def answer(self, k: int, drives: Drives) -> Block:
        """The members of body k, stacked, one column for each unit that drives its equations."""
        equations = Equations()
        places = self._places(equations, k)
        equations.known(places.received, 1.0)
        self._add_body(equations, k, places, drives)
        self._add_gathered(equations, self._all[k], places.gathered, places.own, driven=False)
        self._add_surroundings(equations, k, places)
        width = equations.width
        triangle = self._triangularised(k, equations, width, width)
        unknowns = triangle.placed(triangle.solved(np.zeros((0, 1))))
        return stacked([unknowns[..., place, :] for place in places.own])


def _local(equation: _Equation, k: int, places: Places) -> Iterator[tuple[slice, Block]]:
    for i, coefficient in equation.members:
        yield places.own[i], coefficient(k)
    for i, coefficient in equation.gathers:
        yield places.gathered[i], coefficient(k)
    for j, coefficient in equation.pulls:
        yield places.received[j], coefficient(k)


def _excess(unknowns: Block, sizes: Sizes) -> Scalars:
    """By how much unknowns exceed their sizes in the mean over signs; infinite where they are not numbers."""
    excess = np.sqrt(np.square(unknowns / sizes[..., None]).mean(axis=-1))
    return np.where(np.isnan(excess), np.inf, excess).max(axis=-1, initial=0.0)
