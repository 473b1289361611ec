"""Walks: what they read, the same over other values, and the shifts that carry nothing left out."""

from __future__ import annotations

import random

import pytest

from operator_algebra import symbols as s
from operator_algebra.programs.instructions import Hop
from operator_algebra.programs.records import Ref
from operator_algebra.programs.walk import Blocks, Grid, Walk

IN = Hop(s.E_phi, star=False, inward=True)


def random_walk(seed: int, theta: bool = True) -> Walk:
    """A walk with some blocks missing."""
    rng = random.Random(seed)
    inward, outward = rng.randint(0, 3), rng.randint(0, 3)
    counter = iter(range(1, 1000))

    def one() -> Ref | None:
        return Ref(next(counter), rng.random() < 0.3) if rng.random() < 0.5 else None

    def row(n: int) -> Blocks:
        return tuple(one() for _ in range(n))

    def grid(n: int, m: int) -> Grid:
        return tuple(row(m) for _ in range(n))

    return Walk(
        (IN,) * inward, (IN.T,) * outward,
        one(), row(inward), row(outward),
        row(inward), grid(inward, inward),
        row(outward), grid(outward, inward), grid(outward, outward),
        grid(outward, inward) if theta else (),
    )  # fmt: skip


SEEDS = range(40)


@pytest.mark.parametrize("seed", SEEDS)
def test_each_block_is_read_once_and_follows_a_change(seed: int) -> None:
    walk = random_walk(seed)
    refs = walk.refs()
    assert len({ref.value for ref in refs}) == len(refs)
    moved = walk.map(lambda ref: Ref(ref.value + 1000, ref.star))
    assert moved.refs() == tuple(Ref(ref.value + 1000, ref.star) for ref in refs)
    assert moved.map(lambda ref: Ref(ref.value - 1000, ref.star)) == walk
    assert walk.map(lambda _: None).refs() == ()


def ways(walk: Walk) -> set[tuple[str, int]]:
    """Ports on a way from the input to the output, by trying all ways."""
    ports = [("s", i) for i in range(len(walk.inward))] + [("d", j) for j in range(len(walk.outward))]

    def block(to: tuple[str, int], source: tuple[str, int]) -> Ref | None:
        if to[0] == "s":
            return walk.s_z[to[1]][source[1]] if source[0] == "s" else None
        return (walk.d_z if source[0] == "s" else walk.d_beta)[to[1]][source[1]]

    def starts(port: tuple[str, int]) -> bool:
        return (walk.s_x if port[0] == "s" else walk.d_x)[port[1]] is not None

    def ends(port: tuple[str, int]) -> bool:
        return (walk.out_z if port[0] == "s" else walk.out_beta)[port[1]] is not None

    found: set[tuple[str, int]] = set()

    def go(way: list[tuple[str, int]]) -> None:
        if ends(way[-1]):
            found.update(way)
        for port in ports:
            if port not in way and block(port, way[-1]) is not None:
                go([*way, port])

    for port in ports:
        if starts(port):
            go([port])
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_needed_are_the_shifts_on_a_way_from_the_input_to_the_output(seed: int) -> None:
    walk = random_walk(seed, theta=False)
    inward, outward = walk.needed()
    named = {("s", i) for i in inward} | {("d", j) for j in outward}
    # A port that is reached and reaches out stands on a way, maybe one that passes a port twice.
    assert ways(walk) <= named
    assert walk.only(inward, outward).needed() == (list(range(len(inward))), list(range(len(outward))))


@pytest.mark.parametrize("seed", SEEDS)
def test_only_some_shifts_keep_their_blocks(seed: int) -> None:
    walk = random_walk(seed, theta=False)
    whole = walk.only(range(len(walk.inward)), range(len(walk.outward)))
    assert whole == walk
    assert walk.only((), ()).refs() == (() if walk.out_x is None else (walk.out_x,))
    if walk.inward:
        first = walk.only((0,), ())
        assert first.s_z == ((walk.s_z[0][0],),)
        assert (first.out_z, first.s_x) == ((walk.out_z[0],), (walk.s_x[0],))
