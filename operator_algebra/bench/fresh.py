"""New processes, for what a first call, a check or a million bodies take there."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path


def output_of(code: str) -> str:
    """What code prints in a new process; the package is bytecode there, as it is for any process but the first."""
    return subprocess.check_output([sys.executable, "-c", code], env=_environment(), text=True)


@cache
def _environment() -> dict[str, str]:
    package = Path(__file__).parents[1]
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(package)], check=False, capture_output=True)
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
