"""Finding, reading and writing mechanisms; the only file that knows where the gallery's data lives."""

from __future__ import annotations

import difflib
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal

from operator_algebra.arguments import choice, flag, quoted, shown, told
from operator_algebra.errors import ModelError, explain
from operator_algebra.models.formats.toml.read import read_about, read_toml
from operator_algebra.models.formats.toml.write import write_toml
from operator_algebra.models.formats.urdf.read import read_urdf
from operator_algebra.models.formats.urdf.write import write_urdf
from operator_algebra.models.model import Model

Base = Literal["fixed", "floating"]

_PATH = 300
"""Characters of a path in a message: its end."""


def available() -> list[str]:
    """Names of the gallery's mechanisms.

    >>> "planar2r" in available()
    True
    """
    return sorted(_gallery())


def load(
    name_or_path: str | Path,
    *,
    base: Base = "fixed",
    merge_fixed: bool = True,
    mimic: bool = True,
    strict: bool = True,
) -> Model:
    """A mechanism of the gallery by its name, or of a .toml or .urdf file by its path.

    `base="floating"` puts a floating joint under each root that is not floating yet. `merge_fixed` merges the links of
    a URDF file that are fixed to each other. With `mimic=False` joints that mimic others are independent and
    `model.mimic` is empty. `strict=False` loads what can be loaded, with warnings.

    >>> load("planar2r")
    Model planar2r   2 bodies   2 revolute   nq 2, nv 2   fixed base
    """
    choice(base, "base", ("fixed", "floating"), error=ModelError)
    flag(merge_fixed, "merge_fixed", error=ModelError)
    flag(mimic, "mimic", error=ModelError)
    flag(strict, "strict", error=ModelError)
    source = _find(name_or_path)
    if source.name.lower().endswith(".toml"):
        return read_toml(source, base=base, mimic=mimic, strict=strict)
    if source.name.lower().endswith(".urdf"):
        return read_urdf(Path(str(source)), base=base, merge_fixed=merge_fixed, mimic=mimic, strict=strict)
    raise ModelError(explain("unknown kind of file", str(source)[-_PATH:], "Give a .toml or .urdf file."))


def save(model: Model, path: str | Path) -> None:
    """Write a model to a .toml or .urdf file."""
    target = Path(_text(path, "save"))
    if target.suffix.lower() == ".toml":
        write_toml(model, target)
    elif target.suffix.lower() == ".urdf":
        write_urdf(model, target)
    else:
        raise ModelError(
            explain("unknown kind of file", str(target)[-_PATH:], "Give a name that ends in .toml or .urdf.")
        )


def about(name: str) -> dict[str, str]:
    """What the gallery says of a mechanism: description, source and licence of its figures."""
    source = _find(name)
    return read_about(source) if source.name.endswith(".toml") else {}


def _root() -> Traversable:
    shipped = files("operator_algebra") / "_gallery"
    return shipped if shipped.is_dir() else Path(__file__).parents[2] / "models"


def _gallery() -> dict[str, Traversable]:
    entries = [entry for entry in _root().iterdir() if entry.name.endswith((".toml", ".urdf"))]
    return {entry.name.rpartition(".")[0]: entry for entry in entries}


def _text(path: object, what: str) -> str:
    """A name or path as text."""
    if isinstance(path, str | Path):
        return str(path)
    raise ModelError(explain(f"{told(path)} is neither a name nor a path", what, "Give a text, or a Path."))


def _find(name_or_path: str | Path) -> Traversable:
    text = _text(name_or_path, "load")
    if "\0" in text or not text.strip():
        raise ModelError(explain(f"{shown(text)} is neither a name nor a path", "load"))
    gallery = _gallery()
    if text in gallery:
        return gallery[text]
    known = sorted(gallery)
    path = Path(text)
    try:
        path = path.expanduser()
        if path.is_file():
            return path
        kind = "is a directory" if path.is_dir() else "does not exist"
    except (OSError, RuntimeError) as error:  # RuntimeError: no home folder of that user
        kind = f"cannot be opened ({getattr(error, 'strerror', None) or error})"
    if path.suffix:
        raise ModelError(explain(f"the file {kind}", text[-_PATH:], "Check the path."))
    close = difflib.get_close_matches(text, known, n=1)
    advice = f'Did you mean "{close[0]}"?' if close else f"There are {', '.join(known)}; files end in .toml or .urdf."
    raise ModelError(explain(f"the gallery has no mechanism {quoted(text)}", "load", advice))
