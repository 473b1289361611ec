"""Certificates with one thing changed: a coefficient, a letter, a star, a reference, a rule, a declaration."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any, cast

Certificate = dict[str, Any]
Change = Callable[[Any, random.Random, list[str]], Any]


def _places(told: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every part of a certificate, with the way to it."""
    yield path, told
    below: list[tuple[Any, Any]] = []
    if isinstance(told, dict):
        below = list(cast("dict[Any, Any]", told).items())
    elif isinstance(told, list):
        below = list(enumerate(cast("list[Any]", told)))
    for key, part in below:
        yield from _places(part, (*path, key))


def _put(told: Any, path: tuple[Any, ...], value: Any) -> None:
    for key in path[:-1]:
        told = told[key]
    told[path[-1]] = value


def _word(text: str, rng: random.Random, letters: list[str]) -> str:
    """Another word: a letter more, less, other, starred, or two swapped."""
    words = text.split()
    place = rng.randrange(len(words) + 1)
    kind = rng.randrange(5)
    if kind == 0 or not words:
        return " ".join([*words[:place], rng.choice(letters), *words[place:]])
    place %= len(words)
    if kind == 1:
        return " ".join([*words[:place], *words[place + 1 :]])
    if kind == 2:
        return " ".join([*words[:place], rng.choice(letters), *words[place + 1 :]])
    if kind == 3:
        own = words[place]
        return " ".join([*words[:place], own[:-1] if own.endswith("'") else own + "'", *words[place + 1 :]])
    words[place], words[place - 1] = words[place - 1], words[place]
    return " ".join(words)


def _number(text: str, rng: random.Random) -> str:
    return rng.choice([f"-{text}".replace("--", ""), "2", "-3", "1/2", "0"])


_RULES = ("left", "right", "equation", "skew", "rigid", "alone", "cross", "spin", "crossbar", "'")


def _rule(ref: Any, rng: random.Random) -> Any:
    """Another reason of the same names."""
    if isinstance(ref, list):
        named = cast("list[Any]", ref)
        return [rng.choice([rule for rule in _RULES if rule != named[0]]), *named[1:]]
    return rng.choice([other for other in ("itself", "apart", 0) if other != ref])


def _line(told: Any, rng: random.Random, letters: list[str], count: int) -> Any:
    if isinstance(told, int):
        return rng.choice([told + 1, told - 1, count, -1])
    if isinstance(told, str) and told.lstrip("-").replace("/", "").isdigit():
        return _number(told, rng)
    return _word(told, rng, letters)


def tampered(certificate: Certificate, seed: int) -> Certificate:
    """The certificate with one change in its lines; the claim and the declarations stay."""
    rng = random.Random(seed)
    made = copy.deepcopy(certificate)
    letters = [name + star for name, *_ in made["declare"] for star in ("", "'")]
    lines = made["lines"]
    kind = rng.randrange(6)
    if kind == 0 and len(lines) > 1:
        del lines[rng.randrange(len(lines))]
    elif kind == 1:
        stated = rng.choice([line[0] for line in lines if line[0]])
        word = rng.choice(list(stated))
        c = stated.pop(word)
        if rng.random() < 0.5:
            stated[word] = _number(c, rng)
        elif rng.random() < 0.5:
            stated[_word(word, rng, letters)] = c
    elif kind == 2:
        term = rng.choice([term for line in lines for term in line[1:]])
        term[2] = _rule(term[2], rng)
    elif kind == 3 and any(len(line) > 2 for line in lines):
        line = rng.choice([line for line in lines if len(line) > 2])
        del line[rng.randrange(1, len(line))]
    else:
        parts = [
            (path, part)
            for place, line in enumerate(lines)
            for path, part in _places(line[1:], (place,))
            if isinstance(part, str | int)
        ]
        (place, offset, *rest), part = rng.choice(parts)
        _put(lines, (place, offset + 1, *rest), _line(part, rng, letters, len(lines)))
    return made


_BLOCKS = ("diagonal", "inward", "outward", "full", "inward hop", "outward hop", "diagonal unit", "inward strict")
_KINDS = ("leaf", "rigid", "joint", "unknown", "number", "inverse", "diag", "root", "define", "cross")


def declared_otherwise(certificate: Certificate, seed: int) -> Certificate:
    """The certificate with one change in what is declared: a kind, a space, blocks, a star, a formula."""
    rng = random.Random(seed)
    made = copy.deepcopy(certificate)
    declared = rng.choice(made["declare"])
    letters = [name + star for name, *_ in made["declare"] for star in ("", "'")]
    kind = rng.randrange(4)
    if kind == 0:
        declared[1] = rng.choice([other for other in _KINDS if other != declared[1]])
    elif declared[1] in ("leaf", "rigid", "joint", "unknown"):
        if kind == 1:
            declared[rng.choice((2, 3))] = rng.choice([*made["spaces"]])
        elif kind == 2:
            declared[4] = rng.choice(_BLOCKS)
        else:
            declared[5:] = [] if len(declared) > 5 else ["symmetric"]
    else:
        parts = [(path, part) for path, part in _places(declared[2:]) if path and not isinstance(part, list)]
        (offset, *rest), part = rng.choice(parts)
        if isinstance(part, dict):
            formula = cast("dict[str, str]", part)
            word = rng.choice([*formula])
            formula[_word(word, rng, letters)] = formula.pop(word)
        else:
            _put(declared, (offset + 2, *rest), _line(part, rng, letters, 0))
    return made
