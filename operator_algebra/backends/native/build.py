"""The "compiled" backend: as "numpy", but machine code is made in the first call, and not once it is worth its time."""

from __future__ import annotations

from typing import cast

from operator_algebra.arguments import Redundant
from operator_algebra.backends.floats import Floats
from operator_algebra.backends.native.machine import machine
from operator_algebra.installing import missing
from operator_algebra.models.model import Model
from operator_algebra.programs.program import Program
from operator_algebra.spatial.arrays import Axes


def build(program: Program, model: Model, frame: str, redundant: Redundant = "raise") -> Floats:
    """Make a program ready for a model; what is no list of operations is interpreted here, too."""
    if machine() is None:
        raise missing('backend "compiled"', "llvmlite")
    return Floats(program, model, cast("Axes", frame), redundant, machine_code="at once")
