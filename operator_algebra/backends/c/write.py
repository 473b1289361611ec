"""A tape as one file of C99: the same operations in the same order, for one configuration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from operator_algebra.backends.scalar.sine import ROUND, Summand, reduced
from operator_algebra.backends.scalar.tape import Entry, Tape

Named = tuple[str, int]
"""A parameter and how many numbers it has."""

_WRITTEN = {
    "add": "{} + {}",
    "subtract": "{} - {}",
    "multiply": "{} * {}",
    "negative": "-{}",
    "reciprocal": "1.0 / {}",
    "sqrt": "sqrt({})",
    "abs": "fabs({})",
    "max": "larger({}, {})",
    "log": "log({})",
}
_LARGER = """\
/* The larger of two numbers; not a number if either is none. */
static double larger(double a, double b)
{
    return b != b || a <= b ? b : a;
}
"""


def c_file(name: str, comment: Sequence[str], tape: Tape, given: Sequence[Named], results: Sequence[Named]) -> str:
    """The file with the function `name`, whose parameters are the arrays that are given, then those of the results."""
    lines = list(_lines(tape, given, results))
    whole = "\n".join(f"    {line}" for line in lines)
    parameters = [f"const double {argument}[{size}]" for argument, size in given if size]
    parameters += [f"double {result}[{size}]" for result, size in results if size]
    parts = ["#include <math.h>\n"]
    parts += [_turned()] * ("turned(" in whole) + [_LARGER] * ("larger(" in whole)
    head = "\n".join(["/*", *(f" * {line}".rstrip() for line in comment), " */"])
    parts.append(f"{head}\nint {name}({', '.join(parameters) or 'void'})\n{{\n{whole}\n}}\n")
    return "\n".join(parts)


def _lines(tape: Tape, given: Sequence[Named], results: Sequence[Named]) -> Iterator[str]:
    start = len(tape.constants)
    arguments = [f"{argument}[{i}]" for argument, size in given for i in range(size)]
    known = {place: f"({x!r})" if x < 0.0 else repr(x) for place, x in enumerate(tape.constants)}
    known |= {start + i: argument for i, argument in enumerate(arguments)}
    first = start + tape.arguments
    for i, angle in enumerate(tape.turned):
        known[first + 2 * i], known[first + 2 * i + 1] = f"s{angle}", f"c{angle}"
        yield f"double s{angle}, c{angle};"
    rows = sorted({entry.place for entry in tape.entries})
    known |= {place: f"a{place - rows[0]}" for place in rows}
    for begin in range(0, len(rows), 12):
        yield f"double {', '.join(known[place] for place in rows[begin : begin + 12])};"
    yield "double total = 0.0, lost = 0.0;"
    yield "int good;"
    yield ""
    yield from (f"total += {argument};" for argument in arguments)
    yield "if (total - total != 0.0)"
    yield "    return 0;"
    for angle in tape.turned:
        yield f"turned({arguments[angle]}, &s{angle}, &c{angle});"
    for entry in tape.entries:
        yield from _assigned(entry, known)
    entries = [f"{result}[{i}]" for result, size in results for i in range(size)]
    for entry, place in zip(entries, tape.results, strict=True):
        yield f"{entry} = {known[place]};"
        yield f"total += {known[place]};"
    yield from (f"lost += {known[place]};" for place in tape.lost)
    yield "good = total - total == 0.0 && lost < 1.0;"
    yield from (f"good = good && {known[place]} > 0.0;" for place in tape.positive)
    yield "return good;"


def _assigned(entry: Entry, known: dict[int, str]) -> Iterator[str]:
    a, to = known[entry.a], known[entry.place]
    if entry.operation in ("sin", "cos"):
        pair = f"&{to}, &unused" if entry.operation == "sin" else f"&unused, &{to}"
        yield f"{{ double unused; turned({a}, {pair}); }}"
        return
    yield f"{to} = {_WRITTEN[entry.operation].format(a, known.get(entry.b, ''))};"


# -- sines -------------------------------------------------------------------------------------------------------------


def _turned() -> str:
    """The function of sine and cosine."""
    steps = _Steps()
    rounded, sine, cosine = cast("tuple[_Step, ...]", reduced(cast("Summand", _Step(steps, "x"))))
    lines = "\n".join(f"    const double {name} = {value};" for name, value in steps.lines.items())
    return f"""\
/* Sine and cosine for |x| up to a million, by additions and multiplications alone. */
static void turned(double x, double *sine, double *cosine)
{{
{lines}
    const int quarter = (int)((long long)({rounded.text} - {ROUND!r}) & 3);
    const double s = quarter & 1 ? {cosine.text} : {sine.text};
    const double c = quarter & 1 ? {sine.text} : {cosine.text};
    *sine = quarter & 2 ? -s : s;
    *cosine = (quarter + 1) & 2 ? -c : c;
}}
"""


class _Steps:
    """Lines, each with the name of its value."""

    def __init__(self) -> None:
        self.lines: dict[str, str] = {}


@dataclass(frozen=True)
class _Step:
    """A named value; arithmetic with it writes lines."""

    steps: _Steps
    text: str

    def _with(self, sign: str, other: _Step | float) -> _Step:
        name = f"t{len(self.steps.lines)}"
        right = other.text if isinstance(other, _Step) else f"({other!r})" if other < 0.0 else repr(other)
        self.steps.lines[name] = f"{self.text} {sign} {right}"
        return _Step(self.steps, name)

    def __add__(self, other: _Step | float) -> _Step:
        return self._with("+", other)

    def __sub__(self, other: _Step | float) -> _Step:
        return self._with("-", other)

    def __mul__(self, other: _Step | float) -> _Step:
        return self._with("*", other)
