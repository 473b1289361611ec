"""Questions about forests against their plain definitions."""

from hypothesis import given
from hypothesis import strategies as st

from operator_algebra.models.topology import cycle, depth_first, heights, levels


@st.composite
def forests(draw: st.DrawFn) -> list[int]:
    """Parents in any order: a random forest, relabelled."""
    n = draw(st.integers(1, 12))
    parents = [draw(st.integers(-1, k - 1)) for k in range(n)]
    label = draw(st.permutations(range(n)))
    result = [-1] * n
    for k, p in enumerate(parents):
        result[label[k]] = label[p] if p >= 0 else -1
    return result


def _path(parents: list[int], k: int) -> list[int]:
    path = [k]
    while parents[path[-1]] >= 0:
        path.append(parents[path[-1]])
    return path


@given(forests())
def test_depth_first(parents: list[int]) -> None:
    order, parent = depth_first(parents)
    assert sorted(order) == list(range(len(parents)))
    for place, k in enumerate(order):
        assert parent[place] < place
        assert (order[parent[place]] if parent[place] >= 0 else -1) == parents[k]
    # A subtree is contiguous, and siblings keep their given order.
    for k in range(len(parents)):
        places = sorted(order.index(j) for j in range(len(parents)) if k in _path(parents, j))
        assert places == list(range(places[0], places[0] + len(places)))
    for a in range(len(parents)):
        for b in range(a + 1, len(parents)):
            if parents[a] == parents[b]:
                assert order.index(a) < order.index(b)


@given(forests())
def test_levels_and_heights(parents: list[int]) -> None:
    _, parent = depth_first(parents)
    assert levels(parent) == [len(_path(parent, k)) - 1 for k in range(len(parent))]
    for k, height in enumerate(heights(parent)):
        outboard = [_path(parent, j).index(k) for j in range(len(parent)) if k in _path(parent, j)]
        assert height == max(outboard)


@given(forests())
def test_forests_have_no_cycle(parents: list[int]) -> None:
    assert cycle(parents) == []


def test_a_cycle_is_listed_child_to_parent() -> None:
    assert cycle([-1, 2, 3, 1, 0]) == [1, 2, 3]
    assert depth_first([-1, 2, 3, 1, 0])[0] == [0, 4]
    assert cycle([0]) == [0]
