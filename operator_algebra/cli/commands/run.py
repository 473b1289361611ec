"""`operator-algebra run`: the numbers of a formula on a mechanism, computed by its sweeps."""

from __future__ import annotations

import warnings
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from operator_algebra.cli.terminal.complete import backends, formulas
from operator_algebra.cli.terminal.output import Ascii, Json, ModelName, Seed, columns, folded, say, say_json
from operator_algebra.errors import InputError, OperatorAlgebraWarning

if TYPE_CHECKING:
    from operator_algebra.calls.compiled import Compiled


class AxesName(StrEnum):
    """The axes of spatial blocks."""

    body = "body"
    world = "world"


class MethodName(StrEnum):
    """How a component of both directions is eliminated."""

    auto = "auto"
    joseph = "joseph"
    refined = "refined"
    orthogonal = "orthogonal"


def command(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME|TEXT|FILE",
            help="dynamics.forward_dynamics, a program.txt, or \"inv(H phi M phi' H') T\".",
            autocompletion=formulas,
            show_default=False,
        ),
    ],
    model: ModelName = None,
    inputs: Annotated[
        Path | None, typer.Option(metavar="FILE", help="q and inputs by name: .json, .toml or .npz.")
    ] = None,
    random: Annotated[bool, typer.Option("--random", help="Draw q and the inputs that are not given.")] = False,
    seed: Seed = 0,
    backend: Annotated[
        str,
        typer.Option(metavar="NAME", help="auto, numpy, sympy, or another that is installed.", autocompletion=backends),
    ] = "auto",
    frame: Annotated[AxesName, typer.Option(metavar="AXES", help="body or world axes.")] = AxesName.body,
    method: Annotated[
        MethodName, typer.Option(metavar="NAME", help="auto, joseph, refined or orthogonal.")
    ] = MethodName.auto,
    as_json: Json = False,
    ascii_only: Ascii = False,
) -> None:
    """Compute a formula on a mechanism; results carry the names of the joints."""
    from operator_algebra.checking.suite import mechanism
    from operator_algebra.cli.reading.digits import few_digits
    from operator_algebra.cli.reading.inputs import configuration, drawn, missing, read_inputs
    from operator_algebra.cli.reading.lookup import question, stored
    from operator_algebra.compiler import compile as compile_formula
    from operator_algebra.operators.inputs import DEFAULTS, unmentioned

    if model is None:
        raise InputError("run computes on a mechanism. Name one with --model, such as --model arm7.")
    target = mechanism(model)
    asked = stored(words) or question(" ".join(words))
    compiled = compile_formula(asked, target, backend=backend, frame=frame.value, method=method.value)
    given = read_inputs(inputs) if inputs is not None else {}
    if "q" in given:
        given["q"] = configuration(target, given["q"])
    program = compiled.program
    wanted = [symbol for symbol in program.accepts if DEFAULTS.get(symbol.name) != symbol.type]
    names = ["q", *(symbol.name for symbol in wanted)]
    takes = ["q", *(symbol.name for symbol in program.accepts)]
    for one in given:
        if one not in takes:
            raise unmentioned(f"{inputs}: {program.formula}", one, takes)
    absent = [one for one in names if one not in given]
    if absent and random:
        values = drawn(target, wanted, given, seed)
        if compiled.backend == "sympy":  # exact, so that sixteen digits would be carried through every line
            values |= few_digits(target, {one: values[one] for one in absent})
    elif absent and compiled.backend != "sympy":  # closed forms keep symbols for what is not given
        raise missing(program.formula, target, wanted, given)
    else:
        values = given
    result, told = _computed(compiled, values)
    for text in told:
        typer.echo(f"warning: {text}", err=True)
    chosen = absent if random else []
    if as_json:
        say_json(_record(compiled, values, result, chosen, seed, told))
        return
    say(_page(compiled, result, chosen, seed), ascii_only=ascii_only)


def _computed(compiled: Compiled, values: dict[str, Any]) -> tuple[Any, list[str]]:
    """The result, and what the package warned of on the way."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", OperatorAlgebraWarning)
        result = compiled(**values)
    return result, [str(one.message) for one in caught if issubclass(one.category, OperatorAlgebraWarning)]


def _page(compiled: Compiled, result: Any, chosen: list[str], seed: int) -> str:
    from operator_algebra.cli.terminal.numbers import table

    output = compiled.program.outputs[0]
    head = f"{compiled.program.formula}   on {compiled.model.name}   {compiled.backend}, {compiled.frame} axes"
    lines = [folded(head), *(folded(line) for line in _where(compiled))]
    if chosen:
        few = " to few digits" if compiled.backend == "sympy" else ""
        lines.append(f"drawn at random{few}, seed {seed}: {', '.join(chosen)}")
    if compiled.backend != "sympy":
        return "\n".join([*lines, "", table(compiled.model, output, result, columns(0))])
    written = _written(result)
    if isinstance(written, list):
        named = zip(compiled.model.joint_names, written, strict=True)
        return "\n".join([*lines, "", *(f"{name}  {block}" for name, block in named)])
    return "\n".join([*lines, "", written])


def _where(compiled: Compiled) -> list[str]:
    """The definitions of the names that the formula has from an application."""
    from operator_algebra.applications.legend import legend
    from operator_algebra.expressions.query import Query

    asked = compiled.program.outputs[0].formula
    entries = legend(asked.body if isinstance(asked, Query) else asked)
    own = [f"{entry.name} = {entry.definition}" for entry in entries if entry.own]
    return [f"where {'; '.join(own)}"] if own else []


def _written(closed: Any) -> str | list[str]:
    """A closed form as SymPy writes it, or that of each block."""
    return [str(block) for block in closed] if isinstance(closed, tuple) else str(closed)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _record(
    compiled: Compiled, values: dict[str, Any], result: Any, chosen: list[str], seed: int, told: list[str]
) -> dict[str, Any]:
    """All that is needed to compute it again, in full precision."""
    from operator_algebra.cli.terminal.numbers import plain_lists

    return {
        "formula": compiled.program.formula,
        "model": compiled.model.name,
        "joints": list(compiled.model.joint_names),
        "backend": compiled.backend,
        "frame": compiled.frame,
        "method": compiled.program.method,
        "inputs": plain_lists(values),
        "random": chosen,
        "seed": seed if chosen else None,
        "warnings": told,
        "result": _written(result) if compiled.backend == "sympy" else plain_lists(result),
    }
