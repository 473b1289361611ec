"""`operator-algebra doctor`: what is installed, what is missing, and how to mend it."""

from __future__ import annotations

import os
import platform
import sys
from importlib import metadata
from importlib.util import find_spec

from operator_algebra.cli.output import Ascii, Json, say, say_json

_NEEDED = {"numpy": "2.0", "scipy": "1.14", "sympy": "1.13", "mpmath": "1.3", "typer": "0.15", "rich": "13.7"}
_EXTRAS = {
    "matplotlib": ("pictures", 'pip install "operator-algebra[views]"'),
    "mujoco": ("an independent engine that check compares with", 'pip install "operator-algebra[test]"'),
    "pinocchio": ("an independent engine that the tests compare with", 'pip install "operator-algebra[oracles]"'),
    "pytest": ("the tests", 'pip install "operator-algebra[test]"'),
    "sphinx": ("the documentation", 'pip install "operator-algebra[docs]"'),
}


def command(as_json: Json = False, ascii_only: Ascii = False) -> None:
    """Show versions, extras, threads and encoding, with a remedy beside what is missing."""
    facts = _facts()
    if as_json:
        say_json([{"what": what, "value": value, "remedy": remedy} for what, value, remedy in facts])
        return
    lines = [f"{what:<28}{value}{f'   → {remedy}' if remedy else ''}" for what, value, remedy in facts]
    say("\n".join(lines), ascii_only=ascii_only)


def _facts() -> list[tuple[str, str, str]]:
    import operator_algebra

    rows = [
        ("operator_algebra", operator_algebra.__version__, ""),
        ("Python", platform.python_version(), "" if sys.version_info >= (3, 11) else "install Python 3.11 or newer"),
        ("platform", platform.platform(), ""),
        ("cores", str(os.cpu_count() or 1), ""),
    ]
    for name, least in _NEEDED.items():
        version = _version(name)
        old = version and tuple(map(int, version.split(".")[:2])) < tuple(map(int, least.split(".")))
        remedy = f'pip install "{name}>={least}"' if not version or old else ""
        rows.append((name, version or "missing", remedy))
    for name, (use, remedy) in _EXTRAS.items():
        there = find_spec(name) is not None
        version = _version({"pinocchio": "pin"}.get(name, name))
        rows.append((f"{name} (optional)", version or "there" if there else f"missing: {use}", "" if there else remedy))
    threads = os.environ.get("OPENBLAS_NUM_THREADS") or os.environ.get("OMP_NUM_THREADS") or "all cores"
    rows.append(("BLAS threads", threads, ""))
    encoding = sys.stdout.encoding or "unknown"
    unicode = encoding.lower().replace("-", "") in ("utf8", "utf16", "cp65001")
    rows.append(("encoding of the terminal", encoding, "" if unicode else "use --ascii, or set PYTHONIOENCODING=utf-8"))
    return rows


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""
