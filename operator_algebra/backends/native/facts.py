"""What machine code is made for and by, told without importing LLVM. Code of other machines or versions is not run."""

from __future__ import annotations

import os
import struct
import sys
from functools import cache
from importlib.util import find_spec

EFFORT = 2
"""Of the code generator; no pass comes before it: the graph has nothing twice and nothing unused."""
_TOLD = "/proc/cpuinfo"
_CAN = ("flags", "Features")
"""Lines of a processor that say what it can do."""
_IS = (*_CAN, "vendor_id", "cpu family", "model", "stepping", *(f"CPU {x}" for x in ("implementer", "variant", "part")))
"""All lines that matter: others are of its clock and the like."""
_WHOLE = 2**24
"""Bytes of a library that has all of LLVM in it, at the least: elsewhere its version could change unseen."""


@cache
def facts() -> str | None:
    """Of this processor and the llvmlite that is installed; None where there is none, or it has to be asked itself."""
    processor, maker = _processor(), _maker()
    if processor is None or maker is None:
        return None
    system = sys.platform, os.uname().machine, str(struct.calcsize("P"))
    return "\n".join((*system, *processor, *maker))


def _processor() -> list[str] | None:
    """What the system tells of the first one."""
    found: dict[str, str] = {}
    try:
        with open(_TOLD, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                name, _, value = line.partition(":")
                if not value:
                    break
                found[name.strip()] = value.strip()
    except OSError:
        return None
    told = [f"{name}: {found[name]}" for name in _IS if name in found]
    return told if any(name in found for name in _CAN) else None


def _maker() -> list[str] | None:
    """The files of llvmlite by which one version of it differs from another."""
    try:
        spec = find_spec("llvmlite")
    except ValueError:  # it is imported, but not from a file
        return None
    if spec is None or not spec.origin:
        return None
    folder = os.path.dirname(spec.origin)
    library = os.path.join(folder, "binding", "libllvmlite.so")
    try:
        states = [os.stat(path) for path in (os.path.join(folder, "_version.py"), library)]
    except OSError:
        return None
    if states[-1].st_size < _WHOLE:
        return None
    return [spec.origin, *(f"{state.st_size} {state.st_mtime_ns}" for state in states)]
