"""Values of q and of the inputs of a formula: from a file, drawn at random, or asked for with a template."""

from __future__ import annotations

import json
import tomllib
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from operator_algebra.checking.inputs import draw, user_sizes
from operator_algebra.errors import InputError, ModelError, explain
from operator_algebra.expressions.nodes import Symbol
from operator_algebra.models.formats.opening import read_text
from operator_algebra.models.model import Model
from operator_algebra.operators.inputs import model_layouts

_FORMATS = ".json, .toml or .npz"
_SHOWN = 12


def read_inputs(path: Path) -> dict[str, Any]:
    """The values of a file by name: lists, numbers, or mappings joint name → block."""
    readers = {".json": _read_json, ".toml": _read_toml, ".npz": _read_npz}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise InputError(explain(f"inputs are read from {_FORMATS}", str(path), "Save them in one of these formats."))
    found = reader(path)
    if not isinstance(found, Mapping):
        what = f"the file holds {type(found).__name__}, not values by name"
        raise InputError(explain(what, str(path), 'Write {"q": […], …}.'))
    return {str(name): value for name, value in cast("Mapping[object, Any]", found).items()}


def _text(path: Path) -> str:
    try:
        return read_text(path)
    except ModelError as error:
        raise InputError(str(error)) from None


def _read_json(path: Path) -> Any:
    try:
        return json.loads(_text(path))
    except json.JSONDecodeError as error:
        raise InputError(explain(f"it is not JSON: {error.msg}", f"{path}, line {error.lineno}")) from None
    except RecursionError:
        raise InputError(explain("the lists are nested too deeply", str(path))) from None


def _read_toml(path: Path) -> Any:
    try:
        return tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InputError(explain(f"it is not TOML: {error}", str(path))) from None


def _read_npz(path: Path) -> Any:
    try:
        with np.load(path, allow_pickle=False) as archive:
            return dict(archive)
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        what = f"it is not an archive of plain arrays ({str(error).splitlines()[0] if str(error) else 'damaged'})"
        raise InputError(explain(what, str(path), "Write it with numpy.savez.")) from None


def configuration(model: Model, value: Any) -> Any:
    """q as an array; a mapping joint name → coordinates has to name every joint that moves."""
    if not isinstance(value, Mapping):
        return value
    given = cast("Mapping[str, Any]", value)
    known = dict(zip(model.joint_names, model.q_slices, strict=True))
    moving = [name for name, part in known.items() if part.stop > part.start]
    strange = [name for name in given if name not in known]
    absent = [name for name in moving if name not in given]
    if strange or absent:
        found = [f"unknown joints {_listed(strange)}"] if strange else []
        found += [f"no coordinates of {_listed(absent)}"] if absent else []
        raise InputError(explain("; ".join(found), f"q of {model.name}", f"It has {_listed(moving)}."))
    q = model.neutral()
    for name in given:
        try:
            part = np.atleast_1d(np.asarray(given[name], dtype=np.float64))
        except (TypeError, ValueError):
            raise InputError(f'q of {model.name}: the coordinates of "{name}" are not numbers.') from None
        size = known[name].stop - known[name].start
        if part.shape != (size,):
            raise InputError(f'q of {model.name}: "{name}" has {size} coordinates, not shape {part.shape}.')
        q[known[name]] = part
    return q


def drawn(model: Model, wanted: Iterable[Symbol], given: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """The given values, and random ones for q and all inputs that are not given."""
    q, v = model.random(seed)
    values: dict[str, Any] = {"q": q, **given}
    for symbol in wanted:
        if symbol.name not in values:
            values[symbol.name] = v if symbol.name == "v" else _random(model, symbol, seed)
    return values


def _random(model: Model, symbol: Symbol, seed: int) -> Any:
    layouts = model_layouts(model)

    def sizes(space: Any) -> Any:
        if space.sizes in layouts:
            return np.asarray(layouts[space.sizes].sizes, dtype=np.intp)
        return user_sizes(space, model.n)

    rows, cols = sizes(symbol.type.codomain), sizes(symbol.type.domain)
    value = draw(symbol, rows, cols, np.asarray(model.parent, dtype=np.intp), seed).toarray()
    structure = symbol.structure
    if not (symbol.type.codomain.attached and symbol.type.domain.attached):
        return value[:, 0] if symbol.type.domain.name == "one" else value
    if not (structure.flow == "diagonal" or structure.hop):
        return value
    up, left = np.cumsum(rows) - rows, np.cumsum(cols) - cols
    blocks: list[Any] = []
    for k, p in enumerate(model.parent):
        i, j = (k, k) if not structure.hop else (p, k) if structure.flow == "inward" else (k, p)
        blocks.append(value[up[i] : up[i] + rows[i], left[j] : left[j] + cols[j]] if min(i, j) >= 0 else None)
    named = symbol.type.codomain.sizes not in layouts or symbol.type.domain.sizes not in layouts
    return dict(zip(model.joint_names, blocks, strict=True)) if named else blocks


def missing(what: str, model: Model, wanted: Sequence[Symbol], given: Mapping[str, Any]) -> InputError:
    """The error for values that were not given: their names and sizes, a file that would do, and the other way."""
    sizes = {"joint": model.nv, "spatial": 6 * model.n}
    absent = [] if "q" in given else [f"q ({model.nq} numbers)"]
    for symbol in wanted:
        if symbol.name not in given:
            size = sizes.get(symbol.type.codomain.sizes) if symbol.type.domain.name == "one" else None
            absent.append(f"{symbol.name} ({size} numbers)" if size else f"{symbol.name} ({symbol.type})")
    return InputError(
        f"{what} on {model.name} needs {', '.join(absent)}; not given. Add --random to draw them, or give a file with "
        f"--inputs, such as inputs.json with\n{template(model, wanted)}"
    )


def template(model: Model, wanted: Sequence[Symbol]) -> str:
    """A JSON file of the inputs: the neutral configuration, zeros, and unit blocks; long lists are cut."""
    entries = [f'  "q": {_numbers(model.neutral())}']
    for symbol in wanted:
        if symbol.type.domain.name == "one":
            size = {"joint": model.nv, "spatial": 6 * model.n}.get(symbol.type.codomain.sizes, 1)
            entries.append(f'  "{symbol.name}": {_numbers(np.zeros(size))}')
        else:
            entries.append(f'  "{symbol.name}": {_unit_blocks(model, symbol)}')
    return "{\n" + ",\n".join(entries) + "\n}"


def _unit_blocks(model: Model, symbol: Symbol) -> str:
    layouts = model_layouts(model)
    ends = [layouts.get(space.sizes) for space in (symbol.type.codomain, symbol.type.domain)]
    named: list[str] = []
    for k, name in enumerate(model.joint_names[:_SHOWN]):
        rows, cols = (1 if end is None else int(end.sizes[k]) for end in ends)
        named.append(f"{json.dumps(name)}: {json.dumps(np.eye(rows, cols).tolist())}")
    if model.n > _SHOWN:
        named.append(f"… {model.n} in all")
    return "{" + ", ".join(named) + "}"


def _numbers(values: Any) -> str:
    listed = [repr(float(value)) for value in values[:_SHOWN]]
    if len(values) > _SHOWN:
        listed.append(f"… {len(values)} in all")
    return f"[{', '.join(listed)}]"


def _listed(names: Sequence[str]) -> str:
    shown = [f'"{name}"' for name in names[:6]]
    return ", ".join(shown) + (f", … ({len(names)} in all)" if len(names) > 6 else "")
