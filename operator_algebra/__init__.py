"""Spatial operator algebra for multibody dynamics: formulas, checked on mechanisms and lowered to O(N) programs.

The public names below are imported when they are first used, so that `import operator_algebra` costs next to nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from operator_algebra import errors as errors
    from operator_algebra.operators.spaces import FORCE as FORCE
    from operator_algebra.operators.spaces import MOTION as MOTION
    from operator_algebra.operators.spaces import ONE as ONE
    from operator_algebra.operators.spaces import RATE as RATE
    from operator_algebra.operators.spaces import TORQUE as TORQUE
    from operator_algebra.operators.spaces import WHITE as WHITE
    from operator_algebra.operators.spaces import Space as Space
    from operator_algebra.operators.spaces import Type as Type
    from operator_algebra.operators.spaces import space as space

# Module → the public names that live there.
_NAMES = {
    "operators.spaces": "FORCE MOTION ONE RATE TORQUE WHITE Space Type space",
}

# Modules that are themselves public names.
_MODULES = ("errors",)

_HOME = {
    **{name: module for module, names in _NAMES.items() for name in names.split()},
    **{module.rpartition(".")[2]: module for module in _MODULES},
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    module = import_module(f"{__name__}.{_HOME[name]}")
    value = module if _HOME[name] in _MODULES else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*_HOME, "__version__", "__doc__"})
