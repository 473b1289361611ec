"""Random numbers in the order of many small calls of a generator, found at once: what a seed means stays what it is.

NumPy makes a uniform number of one word of 64 random bits and a normal number of another, by a ziggurat: eight bits of
the word choose a layer, one is the sign, and 52 times the layer's width are the number. One normal number of a hundred
ends outside its layer and takes more words; it is left to NumPy. The widths are read off NumPy: all bits are its own.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Words = NDArray[np.uint64]
Halves = NDArray[np.uint32]

_FEW = 1000  # numbers that are drawn sooner by calls
_SPARE = 64  # words beyond those that are expected
_LAYERS = 256
_LAYER, _SIGN, _SIZE, _UNIFORM = np.uint64(_LAYERS - 1), np.uint64(8), np.uint64(9), np.uint64(11)
_BITS = np.uint64((1 << 52) - 1)
# Nearly all of what ends inside a layer, as far as ratios of rounded widths tell.
_INSIDE = 1.0 - 2.0**-40


def drawn(rng: np.random.Generator, normal: Flags) -> Floats:
    """Numbers drawn one after another, normally distributed ones where flags are set and uniform ones elsewhere.

    >>> rng, other = np.random.default_rng(7), np.random.default_rng(7)
    >>> drawn(rng, np.array([True, True, False])).tolist() == [*other.standard_normal(2), other.random()]
    True
    """
    found = _at_once(rng, normal) if len(normal) >= _FEW else None
    return _by_calls(rng, normal) if found is None else found


def _by_calls(rng: np.random.Generator, normal: Flags) -> Floats:
    found = np.empty(len(normal))
    changes = [0, *(np.flatnonzero(normal[1:] != normal[:-1]) + 1).tolist(), len(normal)]
    for start, stop in pairwise(changes):
        if stop > start:
            (rng.standard_normal if normal[start] else rng.random)(out=found[start:stop])
    return found


def _at_once(rng: np.random.Generator, normal: Flags) -> Floats | None:
    """None where it cannot be done: for other generators, or if NumPy should change its way."""
    own, layers = rng.bit_generator, _layers()
    if layers is None or type(own) is not np.random.PCG64:
        return None
    widths, inside = layers
    words = _beside(own).random_raw(len(normal) + len(normal) // 32 + _SPARE)
    layer = words & _LAYER
    sizes = (words >> _SIZE) & _BITS
    slow = _slow_ones(own, words, np.flatnonzero(sizes >= inside[layer]).tolist(), normal)
    if slow is None:
        return None
    places, values, taken = slow
    moved = np.zeros(len(normal) + 1, dtype=np.intp)
    moved[np.array(places, dtype=np.intp) + 1] = np.array(taken, dtype=np.intp) - 1
    where = np.arange(len(normal)) + np.cumsum(moved)[:-1]
    found: Floats = (words[where] >> _UNIFORM) * np.float64(2.0**-53)
    where = where[normal]
    signs = 1.0 - 2.0 * ((words[where] >> _SIGN) & np.uint64(1))
    found[normal] = signs * (sizes[where] * widths[layer[where]])
    found[places] = values
    own.random_raw(len(normal) + int(moved.sum()), output=False)
    return found


def _slow_ones(
    own: np.random.PCG64, words: Words, doubtful: list[int], normal: Flags
) -> tuple[list[int], list[float], list[int]] | None:
    """The normal numbers that may take more than one word: which they are, their values, how many words they take."""
    beside = _beside(own)
    rng = np.random.Generator(beside)
    places: list[int] = []
    values: list[float] = []
    taken: list[int] = []
    at = late = free = (
        0  # where that generator stands; words that were taken beyond one each; the next that is not taken
    )
    for word in doubtful:
        place = word - late
        if place >= len(normal):
            break
        if word < free or not normal.item(place):
            continue
        beside.advance(word - at)
        values.append(float(rng.standard_normal()))
        following, free = beside.random_raw(), word + 1
        while free < len(words) and words.item(free) != following:
            free += 1
        if free == len(words):
            return None
        at, late = free + 1, late + free - word - 1
        places.append(place)
        taken.append(free - word)
    return (places, values, taken) if len(normal) + late <= len(words) else None


def _beside(own: np.random.PCG64) -> np.random.PCG64:
    """Another generator that draws what this one would."""
    other = np.random.PCG64(0)
    other.state = own.state
    return other


@cache
def _layers() -> tuple[Floats, Words] | None:
    """The width of each layer as a share of 2⁵², and below which size a number is certain to end inside.

    Read off NumPy: words are put into a generator whose state is the words that it gives next. None if the numbers that
    it makes of them are others than these.
    """
    widths, inside = np.zeros(_LAYERS), np.zeros(_LAYERS, dtype=np.uint64)
    layers = np.array([k for k in range(_LAYERS) if k != 1], dtype=np.uint64)  # none ends inside the innermost layer
    half = np.uint64(1 << 51)
    widths[layers] = _normal_of(layers | (half << _SIZE)) / float(half)
    if not (widths[layers] > 0.0).all():
        return None
    below = np.roll(widths, 1)  # the base reaches to the outermost layer's width, the innermost layers to none
    ends = np.floor(2.0**52 * _INSIDE * below[layers] / widths[layers]).astype(np.uint64)
    ends[layers == 2] = half
    largest = layers | ((ends - np.uint64(1)) << _SIZE) | np.uint64(1 << 8)
    if not np.array_equal(_normal_of(largest), -(widths[layers] * (ends - np.uint64(1)))):
        return None
    inside[layers] = ends
    return widths, inside


def _normal_of(words: Words) -> Floats:
    """The normal numbers that NumPy makes of these words, at most 312."""
    halves = np.stack([words >> np.uint64(32), words & np.uint64(0xFFFFFFFF)], axis=1).reshape(-1).astype(np.uint32)
    key = np.zeros(624, dtype=np.uint32)
    key[: len(halves)] = _untempered(halves)
    twister = np.random.MT19937(0)
    twister.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": 0}}
    return np.random.Generator(twister).standard_normal(len(words))


def _untempered(given: Halves) -> Halves:
    """The state of a Mersenne Twister that gives these numbers next."""
    y: Halves = given ^ (given >> np.uint32(18))
    y ^= (y << np.uint32(15)) & np.uint32(0xEFC60000)
    z: Halves = y
    for _ in range(4):  # seven bits more each time
        z = y ^ ((z << np.uint32(7)) & np.uint32(0x9D2C5680))
    found: Halves = z
    for _ in range(2):  # eleven bits more each time
        found = z ^ (found >> np.uint32(11))
    return found
