"""The arrays of a running program have the axes that their annotations say."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Annotated, Any, cast, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from numpy.typing import NDArray

import operator_algebra.backends.numpy as backend
from operator_algebra.backends.numpy.arrays import Block, Blocks
from operator_algebra.backends.numpy.storage import Stored
from operator_algebra.compiler import compile
from operator_algebra.models.families import random_tree
from operator_algebra.models.model import Model

MODULES = [import_module(f"{backend.__name__}.{found.name}") for found in iter_modules(backend.__path__)]


def axes_of(hint: Any) -> str | None:
    """The axes in an annotation, of its part that is an array."""
    if get_origin(hint) is Annotated:
        return hint.__metadata__[0]
    return next((axes for part in get_args(hint) if (axes := axes_of(part))), None) if is_union(hint) else None


def is_union(hint: Any) -> bool:
    return type(None) in get_args(hint) or str(get_origin(hint)).endswith(("Union", "UnionType'>"))


def fits(array: NDArray[Any], axes: str, batch: int) -> bool:
    """Whether an array has these axes, of which `*batch` stands for `batch`.

    Without an axis of bodies there may be fewer, where a value is the same for all samples, or m of them in front.
    """
    names = axes.split()
    fixed = sum(not name.startswith("*") for name in names)
    if names[0] == "m":
        return array.ndim == fixed + batch
    return fixed <= array.ndim <= fixed + batch + 1


class Watch:
    """Compares what functions take and give with their annotations."""

    def __init__(self, batch: int) -> None:
        self.batch = batch
        self.seen: set[str] = set()

    def check(self, where: str, hint: Any, value: object) -> None:
        axes = axes_of(hint)
        if axes is not None and isinstance(value, np.ndarray):
            array = cast("NDArray[Any]", value)
            assert fits(array, axes, self.batch), f"{where}: {array.shape} is not ({axes})"
            self.seen.add(axes)

    def function(self, f: Callable[..., Any], hints: dict[str, Any]) -> Callable[..., Any]:
        signature = inspect.signature(f)

        @wraps(f)
        def watched(*args: Any, **kwargs: Any) -> Any:
            for name, value in signature.bind(*args, **kwargs).arguments.items():
                self.check(f"{f.__qualname__}({name})", hints.get(name), value)
            result = f(*args, **kwargs)
            self.check(f.__qualname__, hints.get("return"), result)
            return result

        return watched

    def everything(self, patch: pytest.MonkeyPatch) -> None:
        """Every function, method and record of the backend."""
        for module in MODULES:
            for name, f in functions(module):
                patch.setattr(module, name, self.function(f, get_type_hints(f, include_extras=True)))
            for cls in vars(module).values():
                if inspect.isclass(cls) and cls.__module__ == module.__name__:
                    for name, f in [(name, f) for name, f in vars(cls).items() if inspect.isfunction(f)]:
                        hints = cls if name == "__init__" and "__dataclass_fields__" in vars(cls) else f
                        patch.setattr(cls, name, self.function(f, get_type_hints(hints, include_extras=True)))


def functions(module: ModuleType) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The functions that a module calls by name, its own and those of its neighbours."""
    for name, f in list(vars(module).items()):
        if inspect.isfunction(f) and f.__module__.startswith(backend.__name__):
            yield name, f


@pytest.mark.parametrize("batch", [(), (3,), (2, 3)], ids=["one", "batch", "two axes"])
@pytest.mark.parametrize("method", ["auto", "orthogonal"])
@pytest.mark.parametrize("formula", ["inv(H phi M phi.T H.T) T", "H phi M phi.T H.T", "inv(H phi M phi.T H.T)"])
def test_arrays_have_the_axes_of_their_annotations(
    formula: str, method: Any, batch: tuple[int, ...], tree: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = compile(formula, tree, method=method)
    rng = np.random.default_rng(1)
    q = tree.integrate(np.broadcast_to(tree.neutral(), (*batch, tree.nq)), rng.uniform(-1.0, 1.0, (*batch, tree.nv)))
    T = rng.uniform(-1.0, 1.0, (*batch, tree.nv))
    watch = Watch(len(batch))
    watch.everything(monkeypatch)
    if "T" in program.inputs:
        program(q=q, T=T)
    else:
        program(q=q)
    assert {"m *batch r c", "*batch r c"} <= watch.seen


@pytest.fixture(scope="module")
def tree() -> Model:
    return random_tree(6, seed=3)


def test_a_wrong_order_of_axes_is_told(tree: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    program = compile("inv(H phi M phi.T H.T) T", tree)
    watch = Watch(2)
    watch.everything(monkeypatch)
    with pytest.raises(AssertionError, match=r"is not \(m \*batch r c\)"):
        program(q=tree.neutral(), T=np.ones(tree.nv))


def test_what_fits() -> None:
    assert axes_of(Blocks) == "m *batch r c"
    assert axes_of(Block | None) == "*batch r c"
    assert axes_of(Stored) is None
    assert fits(np.zeros((5, 2, 6, 6)), "m *batch r c", 1)
    assert not fits(np.zeros((5, 6, 6)), "m *batch r c", 1)
    assert not fits(np.zeros(6), "*batch r c", 1)
