"""`operator-algebra check`: try laws on mechanisms, print a table, leave a report."""

from __future__ import annotations

import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from operator_algebra.cli.terminal.complete import claims
from operator_algebra.cli.terminal.output import Ascii, Json, ModelName, Quiet, say, say_json

if TYPE_CHECKING:
    from operator_algebra.checking.check import Check
    from operator_algebra.cli.reporting.oracle import Agreement
    from operator_algebra.proofs.proof import Proof

FAILED = 1
STOPPED = 130
UNCERTAIN = 3


def command(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATTERN|EQUATION",
            help='Laws by name or theme, with * and ?, or an equation, "lhs = rhs".',
            autocompletion=claims,
            show_default="all laws",
        ),
    ] = None,
    model: ModelName = None,
    samples: Annotated[int, typer.Option(metavar="N", min=1, help="Configurations of each mechanism.")] = 8,
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="The same seed gives the same results, byte for byte.")
    ] = 0,
    jobs: Annotated[int, typer.Option(metavar="N", min=0, help="Processes; 0 takes one for each core.")] = 0,
    probe: Annotated[
        int, typer.Option(min=0, metavar="N", help="Probe the laws with vectors on a chain and a tree of N bodies.")
    ] = 0,
    every: Annotated[
        bool, typer.Option("--every", help="Go on after a claim has failed; several laws are always tried everywhere.")
    ] = False,
    proved: Annotated[
        bool, typer.Option("--prove", help="Say of each law, too, whether it is proved for every tree.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 3 if a sample was inconclusive.")] = False,
    report: Annotated[
        bool | None,
        typer.Option(
            "--report/--no-report", help="Write the report; unasked, of all laws on the suite.", show_default=False
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write the report here.", show_default="out/check")
    ] = None,
    coverage: Annotated[bool, typer.Option("--coverage", help="Print what the suite covers, and stop.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
    ascii_only: Ascii = False,
) -> None:
    """Check laws: the whole catalogue on the whole suite, or one claim, or on one mechanism."""
    claim = " ".join(words or ["*"])
    if coverage:
        from operator_algebra.checking import suite

        say("\n".join(f"{what:<40}{count}" for what, count in suite.coverage(suite.suite())), ascii_only=ascii_only)
        return
    if probe:
        from operator_algebra.cli.commands.probe import probe_laws

        raise typer.Exit(probe_laws(claim, probe, seed, as_json=as_json, quiet=quiet, ascii_only=ascii_only))
    whole = claim == "*" and not model
    agreements: list[Agreement] | None = None
    start = time.monotonic()
    from operator_algebra.checking.workers import processes, workers

    try:
        # Processes load what they need while this one does.
        with workers(processes(jobs)) if whole else nullcontext() as pool:
            from operator_algebra.cli.reporting import judge, oracle

            if pool is None:
                checks = judge.judge(claim, model, samples, seed, jobs, every=every, progress=not quiet)
            else:
                checks, agreements = judge.judge_all(pool, samples, seed, progress=not quiet)
    except KeyboardInterrupt:
        typer.echo("\nstopped; nothing was written. The same command with the same seed starts again.", err=True)
        raise typer.Exit(STOPPED) from None
    seconds = time.monotonic() - start
    proofs: list[Proof] = []
    if proved:
        from operator_algebra.proofs.prove import prove_all

        proofs = prove_all([check.law for check in checks], progress=False if quiet else None)
    from operator_algebra.cli.terminal import tables

    asked = out is not None if report is None else report
    written = engine = None
    if whole or asked:
        if not whole:
            agreements = oracle.compare_gallery(seed)
        engine = oracle.sentence(agreements) if whole else None
        if asked or report is None:
            from operator_algebra.cli.reporting import write

            folder = out or Path("out/check")
            written = write.write_report(checks, folder, agreements, samples=samples, seed=seed, seconds=seconds)
    if as_json:
        from operator_algebra.checking.results import results

        told = results(checks, samples=samples, seed=seed)
        for one, proof in zip(told["laws"], proofs, strict=False):
            one["proof"] = proof.verdict
        say_json(told)
    elif len(checks) == 1:
        say("\n".join([str(checks[0]), *map(str, proofs), *tables.closing(None, written)]), ascii_only=ascii_only)
    else:
        text = tables.summary(checks, judge.chosen(model), samples, seed, seconds, proofs=proofs)
        say("\n".join([text, *tables.closing(engine, written)]), ascii_only=ascii_only)
    raise typer.Exit(_code(checks, strict=strict))


def _code(checks: list[Check], *, strict: bool) -> int:
    if any(check.verdict == "FAILS" for check in checks):
        return FAILED
    if strict and any(check.verdict == "inconclusive" or check.count("inconclusive") for check in checks):
        return UNCERTAIN
    return 0
