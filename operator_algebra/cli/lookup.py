"""What a NAME on the command line means: a name of the vocabulary, of an application, of a law, or a formula."""

from __future__ import annotations

from importlib import import_module

from operator_algebra.errors import InputError
from operator_algebra.expressions.nodes import Expr


def formula(text: str) -> Expr:
    """The expression that is meant.

    >>> formula("H phi M phi' H'").type
    rate → torque
    """
    from operator_algebra.checking.claims import claim_names
    from operator_algebra.symbols import parse

    module, _, name = text.partition(".")
    if name.isidentifier() and module.isidentifier():
        return _application(module, name)
    return parse(text, claim_names())


def _application(module: str, name: str) -> Expr:
    import operator_algebra

    known = [key for key, home in operator_algebra._MODULES.items() if home.startswith("applications.")]  # pyright: ignore[reportPrivateUsage]
    if module not in known:
        raise InputError(f"there is no application {module!r}. There are {', '.join(known)}.")
    found = vars(import_module(f"operator_algebra.applications.{module}"))
    value = found.get(name)
    if not isinstance(value, Expr):
        names = sorted(key for key, one in found.items() if isinstance(one, Expr) and key not in _vocabulary())
        raise InputError(f"{module} has no formula {name!r}. It has {', '.join(names)}.")
    return value


def _vocabulary() -> set[str]:
    from operator_algebra.symbols import vocabulary

    return set(vocabulary())
