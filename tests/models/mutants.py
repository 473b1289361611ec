"""Mutants of good URDF and TOML files: each must end in the right model or in a typed error, soon.

An hour of it, with new seeds: python -m tests.models.mutants --seconds 3600
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
import time
import tomllib
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from operator_algebra.errors import ModelError, OperatorAlgebraWarning
from operator_algebra.models.gallery import load
from operator_algebra.models.model import Model
from tests.oracles import dense_dynamics
from tests.oracles.urdf_reading import read_plainly
from tests.rounding import apart, rounding, size

DATA = Path(__file__).parents[1] / "data" / "good"
PATIENCE = 2.0
_NASTY = (
    *("", " ", "nan", "inf", "-inf", "1e999", "1e308", "1e-320", "-1", "0", "0 0 0", "1,5", "0x10", "1_0", "٣", "--1"),
    *("a", "true", "1 2", "1 2 3 4", "nan 0 0", "1e200 0 0", "base", "upper", "world", "9" * 400, "&lt;", "é", "\t"),
    *("revolute", "fixed", "floating", "planar", "spherical", "[]", "{}", '"', "3.14159265358979", "2", "1e-9"),
)
Mutation = Callable[[random.Random, str], str]


def mutant(rng: random.Random, good: str) -> bytes:
    """A good text with up to four things changed, and sometimes a broken byte."""
    text = good
    for _ in range(rng.randint(1, 4)):
        text = rng.choice(_MUTATIONS)(rng, text) or " "
    data = text.encode("utf-8", "surrogatepass")
    if rng.random() < 0.1:
        at = rng.randrange(len(data))
        data = data[:at] + bytes([rng.randrange(256)]) + data[at + rng.randint(0, 1) :]
    return data


def _value(rng: random.Random, text: str) -> str:
    """Another value between quotes, or behind an equals sign."""
    found = list(re.finditer(r'"[^"\n]*"|(?<== )[^\s,}]+', text))
    if not found:
        return text
    place = rng.choice(found)
    quoted = place[0].startswith('"')
    new = rng.choice([*_NASTY, rng.choice(found)[0].strip('"')])
    return (
        f'{text[: place.start()]}"{new}"{text[place.end() :]}'
        if quoted
        else text[: place.start()] + new + text[place.end() :]
    )


def _digit(rng: random.Random, text: str) -> str:
    found = [match.start() for match in re.finditer(r"\d", text)]
    if not found:
        return text
    at = rng.choice(found)
    return text[:at] + rng.choice("0123456789-.e,") + text[at + 1 :]


def _character(rng: random.Random, text: str) -> str:
    at = rng.randrange(len(text))
    return text[:at] + chr(rng.choice([rng.randrange(32, 127), rng.randrange(0x110000 - 0x800)])) + text[at + 1 :]


def _cut(rng: random.Random, text: str) -> str:
    at = rng.randrange(len(text))
    return text[:at] + text[at + rng.randint(1, 60) :]


def _word(rng: random.Random, text: str) -> str:
    words = text.split() or [" "]
    at = rng.randrange(len(text))
    return f"{text[:at]}{rng.choice(words)} {text[at:]}"


def _swap_words(rng: random.Random, text: str) -> str:
    names = sorted(set(re.findall(r"\w+", text))) or ["x"]
    return re.sub(rf"\b{re.escape(rng.choice(names))}\b", rng.choice(names), text, count=rng.choice([0, 1]))


def _line(rng: random.Random, text: str) -> str:
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(4)
    if kind == 0:
        lines[i], lines[j] = lines[j], lines[i]
    elif kind == 1:
        lines.insert(i, lines[j])
    elif kind == 2:
        del lines[i]
    else:
        lines = lines[: i + 1]
    return "".join(lines)


# Values most often: they leave the file well-formed.
_MUTATIONS: tuple[Mutation, ...] = (_value, _value, _value, _digit, _digit, _swap_words, _line, _character, _cut, _word)


def judge(data: bytes, path: Path) -> str:
    """Load a mutant both ways and say what became of it; `AssertionError` where the model is not that of the file."""
    path.write_bytes(data)
    verdict = "refused"
    for strict in (False, True):
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", OperatorAlgebraWarning)
            refusal = ""
            try:
                model = load(path, merge_fixed=False, strict=strict)
                merged = load(path, strict=strict)
            except ModelError as error:
                model = merged = None
                refusal = str(error)
            assert time.process_time() - start < PATIENCE
            if model is None or merged is None:
                assert refusal.startswith((path.name, str(path), "model")), refusal
                return verdict
            assert merged.nv == model.nv
            for one in (model, merged):
                assert np.isfinite(dense_dynamics.mass_matrix(one, one.neutral())).all()
            (_compare_urdf if path.suffix == ".urdf" else _compare_toml)(model, data.decode("utf-8-sig"))
        verdict = "right" if strict else "right with a warning"
    return verdict


def _compare_urdf(model: Model, text: str) -> None:
    try:
        plain = read_plainly(text)
    except ElementTree.ParseError:  # our parser knows no namespaces and asks for none; the other one insists
        prefixes = sorted(set(re.findall(r"[<\s]([A-Za-z_][\w.-]*):[A-Za-z_]", text)) - {"xmlns", "xml"})
        declared = " ".join(f'xmlns:{prefix}="{prefix}"' for prefix in prefixes)
        plain = read_plainly(text.replace("<robot", f"<robot {declared}", 1))
    assert set(model.body_names) | {"world"} == set(plain.inertias) | {"world"}
    for body in model.bodies:
        inertia = plain.inertias[body.name]
        assert apart(body.inertia.matrix(), inertia) <= rounding(max(1.0, size(inertia)), terms=4 * 3)
        if body.parent is None:
            continue
        joint = plain.joints[body.joint.name]
        assert (joint.parent, joint.child) == (body.parent, body.name)
        assert joint.kind.replace("continuous", "revolute") == body.joint.kind
        assert apart(body.placement.rotation, joint.origin[:3, :3]) <= rounding(terms=3 * 3)
        assert np.array_equal(body.placement.translation, joint.origin[:3, 3])
        axis = getattr(body.joint, "axis", None)
        assert axis is None or apart(axis, joint.axis) <= rounding()


def _compare_toml(model: Model, text: str) -> None:
    tables: list[dict[str, Any]] = tomllib.loads(text)["bodies"]
    assert {table["name"] for table in tables} == set(model.body_names)
    for table in tables:
        body = model.bodies[model.body_index(table["name"])]
        assert body.parent == table.get("parent")
        assert body.inertia.mass == table.get("mass", 0.0)
        assert body.joint.kind == table["joint"]["kind"]
        shift = table.get("placement", {}).get("translation", (0.0, 0.0, 0.0))
        assert np.array_equal(body.placement.translation, shift)


def run(seeds: range, good: Path, folder: Path) -> Counter[str]:
    """Judge one mutant for each seed; a failure names the seed and leaves the file."""
    text = good.read_text(encoding="utf-8")
    found: Counter[str] = Counter()
    for seed in seeds:
        data = mutant(random.Random(seed), text)
        try:
            found[judge(data, folder / f"mutant{good.suffix}")] += 1
        except Exception as error:
            raise AssertionError(f"seed {seed} of {good.name}: {type(error).__name__}: {error}\n{data!r}") from error
    return found


def main() -> None:
    """New mutants until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**12))
    options = parser.parse_args()
    gallery = sorted((Path(__file__).parents[2] / "models").glob("*.toml"))
    texts = [*sorted(DATA.iterdir()), *gallery]
    total: Counter[str] = Counter()
    seed, end = options.seed, time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            for good in texts:
                total += run(range(seed, seed + 20), good, Path(folder))
                seed += 20
    counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(total.items()))
    sys.stdout.write(f"{total.total()} mutants from seed {options.seed}: {counts}\n")


if __name__ == "__main__":
    main()
