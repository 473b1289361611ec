"""`operator-algebra doctor`: what is installed, what is missing, and how to mend it."""

from __future__ import annotations

import os
import platform
import sys
from typing import Annotated

import typer

from operator_algebra.backends.native.machine import machine
from operator_algebra.backends.native.store import Store, store
from operator_algebra.cli.terminal.output import Ascii, Json, folded, say, say_json

# What the optional parts are for.
USES = {
    "views": "pictures",
    "native": "machine code for long batches",
    "jax": "programs as functions that JAX differentiates",
    "oracles": "other engines that the tests compare with",
    "test": "the tests, and the engine that check compares with",
    "docs": "the documentation",
    "dev": "the gate",
}
_LABEL = 26


def command(
    as_json: Json = False,
    ascii_only: Ascii = False,
    forget: Annotated[bool, typer.Option("--forget", help="Delete the machine code that is kept in files.")] = False,
) -> None:
    """Show versions, extras, threads and encoding, with a remedy under what is missing."""
    kept = store()
    if forget and kept is not None:
        kept.clear()
    facts = _facts(kept)
    if as_json:
        say_json([{"what": what, "value": value, "remedy": remedy} for what, value, remedy in facts])
        return
    lines: list[str] = []
    for what, value, remedy in facts:
        lines.append(folded(f"{what:<{_LABEL}}{value}"))
        if remedy:
            lines.append(f"{'':<4}→ {remedy}")
    say("\n".join(lines), ascii_only=ascii_only)


def _facts(kept: Store | None) -> list[tuple[str, str, str]]:
    import operator_algebra
    from operator_algebra.installing import install_command, lacking, version_of, wanted

    rows = [
        ("operator_algebra", operator_algebra.__version__, ""),
        ("Python", platform.python_version(), ""),
        ("platform", platform.platform(), ""),
        ("cores", str(os.cpu_count() or 1), ""),
    ]
    for name, versions in wanted().items():
        remedy = install_command(name) if lacking({name: versions}) else ""
        rows.append((name, version_of(name) or "missing", remedy))
    for extra, use in USES.items():
        absent = lacking(wanted(extra))
        state = f"missing {', '.join(absent)}" if absent else "there"
        rows.append((f"{extra} (optional)", f"{use}: {state}", install_command(*absent) if absent else ""))
    here = machine()
    rows.append(("machine code", f"for {here.processor}, {here.lanes} doubles at a time" if here else "none", ""))
    sizes = kept.sizes() if kept is not None else {}
    megabytes = f"{sum(sizes.values()) / 1e6:.1f} MB in {len(sizes)} files, {kept.folder}" if kept else "nothing"
    remedy = "operator-algebra doctor --forget deletes it" if sizes else ""
    rows.append(("machine code kept", megabytes, remedy))
    threads = os.environ.get("OPENBLAS_NUM_THREADS") or os.environ.get("OMP_NUM_THREADS") or "all cores"
    rows.append(("BLAS threads", threads, ""))
    encoding = sys.stdout.encoding or "unknown"
    unicode = encoding.lower().replace("-", "") in ("utf8", "utf16", "cp65001")
    rows.append(("encoding of the terminal", encoding, "" if unicode else "use --ascii, or set PYTHONIOENCODING=utf-8"))
    return rows
