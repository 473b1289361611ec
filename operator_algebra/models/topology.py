"""Questions about a forest given as a list of parents (−1 is the ground), in linear time and without recursion."""

from __future__ import annotations

from collections.abc import Sequence
from operator import eq


def depth_first(parents: Sequence[int]) -> tuple[list[int], list[int]]:
    """Order in which children follow their parent before its next sibling, and the parents in that order.

    Bodies that hang on a cycle are in neither list.

    >>> depth_first([-1, 0, 0, 1])
    ([0, 1, 3, 2], [-1, 0, 1, 0])
    """
    count = len(parents)
    if all(map(eq, parents, range(-1, count - 1))):  # a chain is in order
        return list(range(count)), list(range(-1, count - 1))
    children: list[list[int]] = [[] for _ in parents]
    stack: list[int] = []
    for k in reversed(range(len(parents))):
        (stack if parents[k] < 0 else children[parents[k]]).append(k)
    order: list[int] = []
    place = [-1] * (len(parents) + 1)  # the last entry answers for the ground
    parent: list[int] = []
    while stack:
        k = stack.pop()
        place[k] = len(order)
        order.append(k)
        parent.append(place[parents[k]])
        stack.extend(children[k])
    return order, parent


def levels(parent: Sequence[int]) -> list[int]:
    """Distance of each body from its root, for parent[i] < i."""
    result: list[int] = []
    for p in parent:
        result.append(result[p] + 1 if p >= 0 else 0)
    return result


def heights(parent: Sequence[int]) -> list[int]:
    """Distance of each body from its farthest tip, for parent[i] < i."""
    result = [0] * len(parent)
    for k in range(len(parent) - 1, -1, -1):
        p = parent[k]
        if p >= 0 and result[p] <= result[k]:
            result[p] = result[k] + 1
    return result


def cycle(parents: Sequence[int]) -> list[int]:
    """Bodies of one cycle, each followed by its parent; empty where there is none."""
    state = [0] * len(parents)
    for start in range(len(parents)):
        path: list[int] = []
        k = start
        while k >= 0 and state[k] == 0:
            state[k] = 1
            path.append(k)
            k = parents[k]
        if k >= 0 and state[k] == 1:
            return path[path.index(k) :]
        for seen in path:
            state[seen] = 2
    return []


def way_to(parent: Sequence[int], body: int) -> list[int]:
    """The bodies from the ground to a body, which is the last.

    >>> way_to((-1, 0, 1, 0), 2)
    [0, 1, 2]
    """
    way = [body]
    while parent[way[-1]] >= 0:
        way.append(parent[way[-1]])
    return way[::-1]


def leaving(parent: Sequence[int], way: Sequence[int]) -> tuple[int, int] | None:
    """A body off a way, and where its own way meets it; None if all bodies stand on the way or on other trees.

    >>> leaving((-1, 0, 1, 0), [0, 1, 2])
    (3, 0)
    """
    on = set(way)
    for body in range(len(parent) - 1, -1, -1):
        meet = body
        while meet >= 0 and meet not in on:
            meet = parent[meet]
        if body not in on and meet >= 0:
            return body, meet
    return None
