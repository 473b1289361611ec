"""The mechanisms, axes and orders that a law is tried on, and the traits that domains speak of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from types import MappingProxyType

import numpy as np

from operator_algebra.checking.scene import Sample
from operator_algebra.checking.trial import Trial
from operator_algebra.errors import InputError
from operator_algebra.expressions.query import Combination, Place, Query
from operator_algebra.identities.identity import Law
from operator_algebra.identities.variants import READINGS
from operator_algebra.models.changes import with_armature
from operator_algebra.models.families import chain, forest, random_tree
from operator_algebra.models.gallery import available, load
from operator_algebra.models.joints.joint import JOINT_KINDS
from operator_algebra.models.model import Model
from operator_algebra.models.shapes import forest_shapes
from operator_algebra.operators.inputs import model_layouts
from operator_algebra.spatial.arrays import Axes

MOVING = tuple(kind for kind in JOINT_KINDS if kind != "fixed")
_SPREAD = 6.0

# -- mechanisms ----------------------------------------------------------------------------------------------------


def _rng(*numbers: int) -> np.random.Generator:
    return np.random.default_rng(numbers)


def _shape(size: int, place: int) -> Model:
    """One of the shapes of forests; kinds of joints in turn, so that all kinds meet all shapes."""
    parents = forest_shapes(size)[place]
    kinds = [MOVING[(3 * place + 2 * size + 5 * i) % len(MOVING)] for i in range(size)]
    return forest(f"forest{size}.{place + 1}", parents, kinds, _rng(1, size, place))


def _alone(kind: str) -> Model:
    return forest(f"{kind}-alone", [-1], [kind], _rng(2, *kind.encode()))


def _outboard(kind: str) -> Model:
    """The joint at depth 3, with bodies before and behind it, one of them on a side branch."""
    parents, kinds = [-1, 0, 1, 2, 3, 1], ["revolute", "prismatic", "revolute", kind, "revolute", "helical"]
    return forest(f"{kind}-outboard", parents, kinds, _rng(3, *kind.encode()))


def _root(kind: str) -> Model:
    return forest(f"{kind}-root", [-1, 0, 0, 1], [kind, "revolute", "spherical", "prismatic"], _rng(4, *kind.encode()))


def _free(place: int) -> Model:
    above = ([-1, 0, 0, 2], [-1, 0, 1, 1, -1, 4], [-1, 0, 0, 0, 1, 2, 3])[place]
    kinds = ["floating" if p < 0 else ("revolute", "universal", "cylindrical")[i % 3] for i, p in enumerate(above)]
    return forest(f"free{place + 1}", above, kinds, _rng(5, place))


def _inner_free() -> Model:
    """A free joint inside a tree of uneven masses, where the plain recursion loses digits."""
    kinds = ["revolute", "floating", "revolute", "floating", "spherical"]
    return forest("free-inside", [-1, 0, 1, 1, 3], kinds, _rng(6), _SPREAD)


def _spread(place: int) -> Model:
    parents = ([-1, 0, 1, 2], [-1, 0, 0, 1, 1], [-1, 0, 1, 0, 3, -1])[place]
    kinds = (["revolute"] * 4, ["prismatic", "spherical", "revolute", "universal", "planar"], ["revolute"] * 6)[place]
    return forest(f"spread{place + 1}", parents, kinds, _rng(7, place), _SPREAD)


def _geared(place: int) -> Model:
    kinds = ["revolute", "spherical", "prismatic", "revolute"][: 3 + place]
    plain = forest("geared", ([-1, 0, 1], [-1, 0, 0, 2])[place], kinds, _rng(8, place))
    return with_armature(plain, _rng(9, place), f"geared{place + 1}")


_CHAINS: Mapping[str, Callable[[], Model]] = {
    "chain6": lambda: chain(6),
    "chain12": lambda: chain(12, joint=MOVING, seed=12),
    "chain50": lambda: chain(50, joint=["revolute", "universal", "spherical"], seed=50),
    "chain200": lambda: chain(200, joint=["revolute", "revolute", "spherical", "prismatic"], seed=200),
    "tree20": lambda: random_tree(20, joints=MOVING, seed=20),
    "tree200": lambda: random_tree(200, joints=("revolute", "spherical", "universal", "prismatic"), seed=200),
}


LOOPED = ("four_bar", "knife_edge", "rolling_disk", "slider_crank")
"""Of the gallery those with loops: laws are of trees, and theirs are small ones that are in the suite already."""


def _gallery() -> list[str]:
    return [name for name in available() if name not in LOOPED]


@cache
def _builders() -> Mapping[str, Callable[[], Model]]:
    built: dict[str, Callable[[], Model]] = {}
    for size in range(1, 6):
        for place in range(len(forest_shapes(size))):
            built[f"forest{size}.{place + 1}"] = partial(_shape, size, place)
    for where, make in (("alone", _alone), ("outboard", _outboard), ("root", _root)):
        built |= {f"{kind}-{where}": partial(make, kind) for kind in JOINT_KINDS}
    built |= {f"free{k + 1}": partial(_free, k) for k in range(3)}
    built |= {"free-inside": _inner_free}
    built |= {f"spread{k + 1}": partial(_spread, k) for k in range(3)}
    built |= {f"geared{k + 1}": partial(_geared, k) for k in range(2)}
    built |= {name: partial(load, name) for name in _gallery()}
    return MappingProxyType({**built, **_CHAINS})


def suite() -> tuple[str, ...]:
    """The names of the mechanisms that every law is tried on: shapes of forests, joints, free bases, robots, chains."""
    return tuple(_builders())


def groups() -> dict[str, list[str]]:
    """The mechanisms of the suite by what they are there for."""
    rows: dict[str, list[str]] = {
        "all shapes of forests to 5 bodies": [name for name in suite() if name.startswith("forest")],
        "each kind of joint alone": [f"{kind}-alone" for kind in JOINT_KINDS],
        "each kind of joint inside a tree": [f"{kind}-outboard" for kind in JOINT_KINDS],
        "each kind of joint as root": [f"{kind}-root" for kind in JOINT_KINDS],
        "free bases, free joints inside": ["free1", "free2", "free3", "free-inside"],
        "masses over twelve powers of ten": ["spread1", "spread2", "spread3", "free-inside"],
        "armature": ["geared1", "geared2"],
        "gallery": _gallery(),
        "chains and trees to 200 bodies": list(_CHAINS),
    }
    return rows


def smallest_first(names: Sequence[str]) -> Iterator[str]:
    """Names of the suite by the number of bodies; mechanisms beyond the smallest are built when their turn comes."""
    first = [name for name in names if not (name in _gallery() or name in _CHAINS)]
    yield from sorted(first, key=lambda name: mechanism(name).n)
    yield from sorted((name for name in names if name not in first), key=lambda name: mechanism(name).n)


@cache
def mechanism(name: str) -> Model:
    """A mechanism by name: of the suite, of the gallery, a file, or a plain chain such as "chain46"."""
    builders = _builders()
    if name in builders:
        return builders[name]()
    return chain(int(name.removeprefix("chain"))) if is_chain(name) else load(name)


def is_chain(name: str) -> bool:
    """Whether a name is that of a plain chain, with its number of bodies."""
    return re.fullmatch("chain[1-9][0-9]{0,3}", name) is not None and name not in _CHAINS


# -- samples -------------------------------------------------------------------------------------------------------
_FRAMES: tuple[Axes, Axes] = ("body", "world")


def trials(model: Model, samples: int, seed: int) -> Iterator[tuple[Trial, list[int]]]:
    """The samples of a mechanism, in both axes and both orders of siblings in turn, batched; and their numbers."""
    turn = sum(map(ord, model.name)) % 4  # one sample alone still covers all four ways, over the suite
    drawn = [Sample.draw(model, _seed(seed, k), _FRAMES[(k + turn) % 2]) for k in range(samples)]
    siblings = "serial" not in traits_of(model)
    for mirrored in (False, True):
        chosen = [k for k in range(samples) if ((k + turn) // 2 % 2 == 1 and siblings) == mirrored]
        if chosen:
            trial = Trial(model, tuple(drawn[k] for k in chosen))
            yield (trial.mirrored if mirrored else trial), chosen


@lru_cache(maxsize=128)
def known_trials(name: str, samples: int, seed: int) -> tuple[tuple[Trial, list[int]], ...]:
    """The same of a mechanism by its name, whose leaves and recursions are computed for the first law alone."""
    return tuple(trials(mechanism(name), samples, seed))


def sample_of(model: Model, number: int, seed: int) -> Sample:
    """One of the samples by its number, in body axes and the stored order."""
    return Sample.draw(model, _seed(seed, number), "body")


def _seed(seed: int, sample: int) -> int:
    return seed * 1009 + sample


# -- traits --------------------------------------------------------------------------------------------------------


def _dofs(model: Model) -> list[int]:
    return model_layouts(model)["joint"].sizes.tolist()


TRAITS: Mapping[str, Callable[[Model], bool]] = MappingProxyType(
    {
        "serial": lambda model: max(np.bincount(np.array(model.parent) + 1, minlength=2)[1:], default=0) <= 1,
        "1-DOF": lambda model: set(_dofs(model)) <= {1},
        "revolute": lambda model: {group.joint.kind for group in model.joint_groups if group.joint.nv} <= {"revolute"},
        "constant joint maps": lambda model: all(group.joint.has_constant_map for group in model.joint_groups),
        # Where a constant map moves a joint over all its poses, brackets stay among its motions.
        "closed joints": lambda model: all(g.joint.nv < 2 or g.joint.has_constant_map for g in model.joint_groups),
        "free base": lambda model: set(np.array(_dofs(model))[np.array(model.parent) < 0].tolist()) == {6},
    }
)


@cache
def traits_of(model: Model) -> frozenset[str]:
    """The traits of a mechanism."""
    return frozenset(word for word, holds in TRAITS.items() if holds(model))


def traits(law: Law) -> list[str]:
    """The words of a domain that speak of the mechanism; one that is not a trait is refused."""
    words = [word for word in law.domain if word not in READINGS]
    unknown = [word for word in words if word not in TRAITS]
    if unknown:
        known = ", ".join((*TRAITS, *READINGS))
        raise InputError(f'the domain of "{law.name}" has the unknown trait {unknown[0]!r}. There are {known}.')
    return words


def in_domain(law: Law, model: Model) -> bool:
    """Whether a mechanism is in the domain of a law, and has the bodies that the law names."""
    named = all(body_of(model, place) >= 0 for place in places(law))
    return named and (not traits(law) or traits_of(model).issuperset(traits(law)))


def places(law: Law) -> list[Place]:
    """The bodies of which a law asks for blocks."""
    found = [side.terms if isinstance(side, Combination) else ((1, side),) for side in (law.lhs, law.rhs)]
    return [place for terms in found for _, query in terms if isinstance(query, Query) for place in query.places]


def body_of(model: Model, place: Place) -> int:
    """The body that an index or a joint means; −1 if the mechanism has none."""
    if isinstance(place, str):
        return model.joint_names.index(place) if place in model.joint_names else -1
    return place % model.n if -model.n <= place < model.n else -1


def coverage(names: Sequence[str]) -> list[tuple[str, str]]:
    """What a set of mechanisms covers, as rows for a table."""
    models = [mechanism(name) for name in names]
    kinds = {group.kind_class.kind for model in models for group in model.joint_groups}
    rows = [(what, f"{len(set(found).intersection(names))} mechanisms") for what, found in groups().items()]
    rows.append(("kinds of joints", f"{len(kinds)} of {len(JOINT_KINDS)}"))
    rows.append(("bodies", f"{min(model.n for model in models)} to {max(model.n for model in models)}"))
    rows.append(("degrees of freedom", f"{min(model.nv for model in models)} to {max(model.nv for model in models)}"))
    rows.append(("depth", f"1 to {max(model.depth for model in models)}"))
    rows.append(("axes of the blocks", "body, world"))
    rows.append(("order of siblings", "as stored, mirrored"))
    return [row for row in rows if row[1] != "0 mechanisms"]
