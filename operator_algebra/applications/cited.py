"""What the names of the index of papers stand for."""

from __future__ import annotations

from importlib import import_module

from operator_algebra.symbols import vocabulary


def meant(name: str) -> object:
    """An operator of the vocabulary, a formula or function of an application, or another public name.

    >>> meant("dynamics.velocity")
    V   one → motion   column   = φ* H* v
    """
    if name in vocabulary():
        return vocabulary()[name]
    package = import_module("operator_algebra")
    home, _, last = name.rpartition(".")
    return getattr(getattr(package, home) if home else package, last)
