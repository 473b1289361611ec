"""Slips planted in the passes that save sweeps, one line of source each."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from operator_algebra.lowering import (
    dependence,
    fewest,
    finish,
    least,
    passes,
    schedule,
    share,
    superpose,
    traces,
    transpose,
)
from tests.lowering import test_dependence, test_opposites, test_superpose, test_traces, test_transpose
from tests.lowering.mutants import forget


@dataclass(frozen=True)
class Slip:
    """Text of a module that reads otherwise."""

    module: ModuleType
    right: str
    wrong: str

    def planted(self) -> ModuleType:
        """The module with the slip."""
        assert self.module.__file__ is not None
        source = Path(self.module.__file__).read_text(encoding="utf-8")
        assert source.count(self.right) == 1, self.right
        made = ModuleType(self.module.__name__)
        exec(compile(source.replace(self.right, self.wrong), self.module.__file__, "exec"), vars(made))
        return made


READ: Mapping[ModuleType, tuple[tuple[ModuleType, str], ...]] = {
    transpose: ((traces, "transposed"), (least, "Directions"), (test_transpose, "transposed")),
    dependence: ((fewest, "merge_dependent"), (test_dependence, "merge_dependent")),
    traces: ((fewest, "transposed_sum"), (test_traces, "transposed_sum")),
    superpose: ((fewest, "superposed"), (test_superpose, "superposed")),
    share: ((fewest, "share_opposites"), (test_opposites, "share_opposites")),
    schedule: ((superpose, "earliest"), (finish, "schedule")),
    fewest: ((passes, "fewest_sweeps"),),
}
"""Where what a module makes is read."""

SLIPS: Mapping[str, Slip] = {
    "the adjoint recurrence forgets a coefficient": Slip(
        transpose,
        "yield last, Term(term.coefficient, (*_reversed",
        "yield last, Term(UNIT, (*_reversed",
    ),
    "what drives forgets a number in front": Slip(
        transpose,
        "(own.T, *term.factors), term.scalars)",
        "(own.T, *term.factors))",
    ),
    "what does not recur is lost": Slip(
        transpose,
        "return [*kept, *_Adjoint",
        "return [*_Adjoint",
    ),
    "a part returns to the other rows": Slip(
        transpose,
        "own if i == index else None",
        "own if i != index else None",
    ),
    "a row of a column is left out": Slip(
        transpose,
        "                        found.append(Term(UNIT, (part.T, ref)))",
        "                        continue",
    ),
    "recurrences on the left are not seen": Slip(
        transpose,
        "for side in (terms, mirrored) if right >= left else (mirrored, terms):",
        "for side in (terms,):",
    ),
    "copies stay": Slip(
        dependence,
        "if relation.independent:",
        "if True:",
    ),
    "what hops bring is told apart by what it is, not by what it is made of": Slip(
        dependence,
        "made_of: Mapping[Group, Mapping[int, Fraction]] = {one: {} for",
        "made_of: Mapping[Group, Mapping[int, Fraction]] = {one: {one[1]: Fraction(1)} for",
    ),
    "what hops bring is not looked at": Slip(
        dependence,
        "            if made_of == self.made_of:\n                return\n            self.made_of = made_of",
        "            self.made_of = made_of\n            return",
    ),
    "copies forget what they are multiplied by": Slip(
        dependence,
        "Linear((Term(own / size,",
        "Linear((Term(Fraction(1),",
    ),
    "a trace forgets what does not recur": Slip(
        traces,
        "if _place(term, carried) is None]",
        "if False]",
    ),
    "an adjoint block is not turned": Slip(
        traces,
        "factors = tuple(ref.T for ref in reversed(factors))",
        "pass",
    ),
    "blocks go back the way they came": Slip(
        traces,
        "around = (*term.factors[place + 1 :], own, *term.factors[:place])",
        "around = (*term.factors[:place], own, *term.factors[place + 1 :])",
    ),
    "what drives blocks forgets its coefficient": Slip(
        traces,
        "replace(like, factors=turns[best])",
        "Term(UNIT, turns[best])",
    ),
    "traces stay as they are": Slip(
        traces,
        "if not terms or not carried or not graph[source].type.square:",
        "if True:",
    ),
    "a response forgets the coefficient of its number": Slip(
        superpose,
        "return Term(term.coefficient, term.factors[:-1], term.scalars)",
        "return Term(UNIT, term.factors[:-1], term.scalars)",
    ),
    "the rest is the whole": Slip(
        superpose,
        "return Ref(self.rest.get(ref.value, ref.value), ref.star)",
        "return ref",
    ),
    "what answers a response does not respond": Slip(
        superpose,
        "found.extend(self.drives[ref.value])",
        "pass",
    ),
    "only what is known before the numbers is split": Slip(
        superpose,
        "self.free[n] <= self.actual[late]",
        "self.free[n] < self.actual[late]",
    ),
    "a sum forgets the numbers in front of it": Slip(
        superpose,
        "((*before, *left), (*right, *after), late)",
        "(left, (*right, *after), late)",
    ),
    "sums wait for late numbers": Slip(
        superpose,
        "return known < self.actual[number]",
        "return False",
    ),
    "the side that is known first is transposed": Slip(
        transpose,
        "if right >= left else",
        "if right <= left else",
    ),
    "two minus signs are one": Slip(
        share,
        "(-1) ** len(turned)",
        "(-1) ** min(1, len(turned))",
    ),
    "products forget the signs of their factors": Slip(
        share,
        "sign *= 0 if direct == opposite else 1 if direct < opposite else -1",
        "sign *= 0 if direct == opposite else 1",
    ),
    "a hop of the opposite is the same": Slip(
        share,
        "return hop, closing, signed(source)",
        "return hop, closing, self.class_of(source)",
    ),
    "opposites are not seen": Slip(
        share,
        "share(graph, signs=True)",
        "share(graph)",
    ),
    "sums are read before they are over": Slip(
        schedule,
        "return not reader.attached\n",
        "return True\n",
    ),
    "no direction twice in a row": Slip(
        schedule,
        'for direction in ("inward", "outward"))',
        'for direction in ("inward", "outward") if state.word[-1:] != (direction,))',
    ),
    "what needs no sweep waits for one": Slip(
        schedule,
        "return not (value.attached or self._given(number)) and",
        "return False and",
    ),
    "dear forms are taken": Slip(
        fewest,
        "dearer = share > DEARER",
        "dearer = False",
    ),
    "operations before sweeps": Slip(
        fewest,
        "(form.sweeps, form.operations) < (self.best.sweeps, self.best.operations)",
        "(form.operations, form.sweeps) < (self.best.operations, self.best.sweeps)",
    ),
    "all sums are transposed or none": Slip(
        fewest,
        "range(len(sums), -1, -1) if len(sums) <= SINGLY else (len(sums), 0)",
        "(len(sums), 0)",
    ),
    "a form is changed after it was measured": Slip(
        fewest,
        "split = form.copy()",
        "split = form",
    ),
}


@contextmanager
def planted(name: str) -> Generator[None]:
    """The compiler with one of these slips."""
    slip = SLIPS[name]
    made = slip.planted()
    with pytest.MonkeyPatch.context() as patch:
        for place, attribute in READ[slip.module]:
            patch.setattr(place, attribute, getattr(made, attribute))
        forget()
        yield
    forget()
