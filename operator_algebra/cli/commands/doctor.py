"""`operator-algebra doctor`: what is installed, what is missing, and how to mend it."""

from __future__ import annotations

import os
import platform
import sys

from operator_algebra.cli.terminal.output import Ascii, Json, folded, say, say_json

# What the optional parts are for.
USES = {
    "views": "pictures",
    "native": "machine code for long batches",
    "oracles": "other engines that the tests compare with",
    "test": "the tests, and the engine that check compares with",
    "docs": "the documentation",
    "dev": "the gate",
}
_LABEL = 26


def command(as_json: Json = False, ascii_only: Ascii = False) -> None:
    """Show versions, extras, threads and encoding, with a remedy under what is missing."""
    facts = _facts()
    if as_json:
        say_json([{"what": what, "value": value, "remedy": remedy} for what, value, remedy in facts])
        return
    lines: list[str] = []
    for what, value, remedy in facts:
        lines.append(folded(f"{what:<{_LABEL}}{value}"))
        if remedy:
            lines.append(f"{'':<4}→ {remedy}")
    say("\n".join(lines), ascii_only=ascii_only)


def _facts() -> list[tuple[str, str, str]]:
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
    threads = os.environ.get("OPENBLAS_NUM_THREADS") or os.environ.get("OMP_NUM_THREADS") or "all cores"
    rows.append(("BLAS threads", threads, ""))
    encoding = sys.stdout.encoding or "unknown"
    unicode = encoding.lower().replace("-", "") in ("utf8", "utf16", "cp65001")
    rows.append(("encoding of the terminal", encoding, "" if unicode else "use --ascii, or set PYTHONIOENCODING=utf-8"))
    return rows
