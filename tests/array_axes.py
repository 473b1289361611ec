"""Compares the arrays of a run with the axes that annotations say, spelled as jaxtyping does.

An axis is a number, a name, which is one size within a call or a record, or `_name`, of any size. `*name` are leading
axes, the same within a call, `*#name` those that broadcast, `...` any. `*batch` are as many as q has; others have one
more at most, of the bodies. Each array of a list has sizes of its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from functools import cached_property, wraps
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType, UnionType
from typing import Annotated, Any, Union, cast, get_args, get_origin, get_type_hints

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import ArrayLike

import operator_algebra.backends.numpy as backend
import operator_algebra.meaning as meaning
import operator_algebra.operators as operators
from operator_algebra.models.families import forest
from operator_algebra.models.model import Model
from tests.strategies import ALL_JOINTS

PACKAGES = (operators, meaning, backend)
MODULES = [import_module(f"{room.__name__}.{one.name}") for room in PACKAGES for one in iter_modules(room.__path__)]
_SPARSE = {"Sparse": sp.csr_array}
"""The alias is a string, which a union with classes does not take."""


def one_of_each_joint(copies: int = 1) -> Model:
    """Joints of every kind, on one root for each copy."""
    kinds = [*ALL_JOINTS] * copies
    parents = [-1] * copies + [k // 2 for k in range(len(kinds) - copies)]
    return forest("every kind of joint", parents, kinds, np.random.default_rng(4))


class Sizes:
    """What the names of axes stand for within one call or one record."""

    def __init__(self, batch: int) -> None:
        self.batch = batch
        self.axes: dict[str, int] = {}
        self.leads: dict[str, tuple[int, ...]] = {}

    def fit(self, shape: tuple[int, ...], axes: str) -> bool:
        """Whether a shape has these axes; if so, their sizes are known from now on."""
        names = axes.split()
        at = next((i for i, name in enumerate(names) if name == "..." or name.startswith("*")), None)
        if at is None:
            return len(shape) == len(names) and all(map(self._axis, names, shape))
        before, after = names[:at], names[at + 1 :]
        stop = len(shape) - len(after)
        return (
            stop >= at
            and all(map(self._axis, before, shape[:at]))
            and all(map(self._axis, after, shape[stop:]))
            and self._lead(names[at], shape[at:stop])
        )

    def _axis(self, name: str, size: int) -> bool:
        if name.startswith("_"):
            return True
        return size == (int(name) if name.isdigit() else self.axes.setdefault(name, size))

    def _lead(self, name: str, lead: tuple[int, ...]) -> bool:
        if name == "...":
            return True
        if len(lead) > self.batch + (not name.endswith("batch")) or (name == "*batch" and len(lead) < self.batch):
            return False
        if name.startswith("*#"):
            try:
                self.leads[name] = np.broadcast_shapes(lead, self.leads.get(name, ()))
            except ValueError:
                return False
            return True
        return lead == self.leads.setdefault(name, lead)


def arrays_in(hint: Any) -> Iterator[Any]:
    """The parts of an annotation that are arrays, with their axes where it says them."""
    if get_origin(hint) is Annotated or get_origin(hint) is np.ndarray:
        yield hint
    else:
        for part in get_args(hint):
            for inner in cast("list[Any]", part) if isinstance(part, list) else [part]:
                yield from arrays_in(inner)


def hints_of(annotated: Any) -> dict[str, Any]:
    """The annotations of a function or a record."""
    return get_type_hints(annotated, localns=_SPARSE, include_extras=True)


@dataclass
class Watch:
    """Compares what functions take and give, and what records hold, with their annotations."""

    batch: int = 0
    seen: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """What was compared, with its axes."""

    def check(self, where: str, hint: Any, value: Any, sizes: Sizes) -> None:
        """Compare a value, or those in a container, with an annotation."""
        origin, parts = get_origin(hint), get_args(hint)
        if origin is Annotated and isinstance(value, np.ndarray | np.generic):
            shape = np.shape(cast("ArrayLike", value))
            assert sizes.fit(shape, parts[1]), f"{where}: {shape} is not ({parts[1]})"
            self.seen.add((where, parts[1]))
        elif origin in (Union, UnionType):
            for part in parts:
                self.check(where, part, value, sizes)
        elif origin is tuple and isinstance(value, tuple):
            inside = cast("tuple[Any, ...]", value)
            for part, inner in zip(parts[:1] * len(inside) if ... in parts else parts, inside, strict=True):
                self.check(where, part, inner, sizes)
        elif origin in (list, Sequence) and isinstance(value, list | tuple):
            for inner in cast("Sequence[Any]", value):
                self.check(where, parts[0], inner, Sizes(self.batch))
        elif origin in (dict, Mapping) and isinstance(value, Mapping):
            for inner in cast("Mapping[Any, Any]", value).values():
                self.check(where, parts[1], inner, Sizes(self.batch))

    def checked(self, where: str, hint: Any, value: Any, sizes: Sizes) -> Any:
        """A result, compared; of a generator or a function when it gives something."""
        origin, parts = get_origin(hint), get_args(hint)
        if origin is Generator:
            return self._generator(where, parts, value, sizes)
        if origin is Iterator:
            return (self.checked(where, parts[0], one, Sizes(self.batch)) for one in value)
        if origin is Callable and callable(value):
            return self._function(where, parts, value)
        self.check(where, hint, value, sizes)
        return value

    def _generator(self, where: str, parts: tuple[Any, ...], value: Generator[Any, Any, Any], sizes: Sizes) -> Any:
        result: Any = yield from value
        self.check(where, parts[2], result, sizes)
        return result

    def _function(self, where: str, parts: tuple[Any, ...], value: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*args: Any) -> Any:
            sizes = Sizes(self.batch)
            for part, arg in zip(parts[0], args, strict=True):
                self.check(f"{where}'s argument", part, arg, sizes)
            return self.checked(f"{where}'s result", parts[1], value(*args), sizes)

        return watched

    def function(self, f: Callable[..., Any], where: str, hints: dict[str, Any]) -> Callable[..., Any]:
        """A function that compares its arguments and its result."""
        if not any(True for hint in hints.values() for _ in arrays_in(hint)):
            return f
        signature = inspect.signature(f)

        @wraps(f)
        def watched(*args: Any, **kwargs: Any) -> Any:
            sizes = Sizes(self.batch)
            for name, value in signature.bind(*args, **kwargs).arguments.items():
                self.check(f"{where}({name})", hints.get(name), value, sizes)
            return self.checked(f"{where}(return)", hints.get("return"), f(*args, **kwargs), sizes)

        return watched

    def record(self, cls: type, make: Callable[..., Any], *, new: bool = False) -> Callable[..., Any]:
        """What makes an object of a class, whose declared fields are compared then."""
        hints, where = hints_of(cls), f"{cls.__module__}:{cls.__qualname__}"
        if not any(True for hint in hints.values() for _ in arrays_in(hint)):
            return make

        @wraps(make)
        def made(*args: Any, **kwargs: Any) -> Any:
            result, sizes = make(*args, **kwargs), Sizes(self.batch)
            for name, hint in hints.items():
                self.check(f"{where}({name})", hint, getattr(result if new else args[0], name, None), sizes)
            return result

        return made

    def everything(self, patch: pytest.MonkeyPatch) -> None:
        """Watch every function, method, property and record of the packages."""
        for module in MODULES:
            for name, f in functions(module):
                patch.setattr(module, name, self.function(f, f"{f.__module__}:{name}", hints_of(f)))
            for cls in classes(module):
                for name, member in list(vars(cls).items()):
                    watched = self._member(cls, name, member)
                    if watched is not member:
                        patch.setattr(cls, name, watched)

    def _member(self, cls: type, name: str, member: Any) -> Any:
        where = f"{cls.__module__}:{cls.__qualname__}.{name}"
        match member:
            case property(fget=get) if get is not None:
                return property(self.function(get, where, hints_of(get)))
            case cached_property(func=get):
                found = cached_property(self.function(get, where, hints_of(get)))
                found.__set_name__(cls, name)
                return found
            case staticmethod(__func__=f) if name == "__new__":
                return staticmethod(self.record(cls, f, new=True))
            case classmethod() | staticmethod():
                f = _body(member)
                watched = self.function(f, where, hints_of(f))
                return classmethod(watched) if isinstance(member, classmethod) else staticmethod(watched)
            case _ if inspect.isfunction(member):
                if name != "__init__":
                    return self.function(member, where, hints_of(member))
                made = self.record(cls, member)
                return made if is_dataclass(cls) else self.function(made, where, hints_of(member))
            case _:
                return member


def places() -> Iterator[tuple[str, Any]]:
    """The place and the annotation of each argument, result and field."""
    for module in MODULES:
        own: list[tuple[str, Any]] = [(name, f) for name, f in functions(module) if f.__module__ == module.__name__]
        for cls in classes(module):
            members = [(f"{cls.__qualname__}.{name}", _body(member)) for name, member in vars(cls).items()]
            own += [(cls.__qualname__, cls)]
            own += [
                (name, f) for name, f in members if inspect.isfunction(f) and not name.endswith(("__init__", "__new__"))
            ]
        for name, annotated in own:
            for part, hint in hints_of(annotated).items():
                yield f"{module.__name__}:{name}({part})", hint


def _body(member: Any) -> Any:
    """The function in a property, a class method, or whatever a class holds."""
    match member:
        case property(fget=f) | cached_property(func=f):
            return f
        case classmethod() | staticmethod():
            return cast("Any", member).__func__
        case _:
            return member


def functions(module: ModuleType) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The functions that a module calls by name, its own and those of its neighbours."""
    rooms = tuple(room.__name__ for room in PACKAGES)
    for name, f in list(vars(module).items()):
        if callable(f) and inspect.isfunction(inspect.unwrap(f)) and f.__module__.startswith(rooms):
            yield name, f  # some keep what they found


def classes(module: ModuleType) -> Iterator[type]:
    """The classes of a module that are more than a protocol."""
    for cls in list(vars(module).values()):
        if inspect.isclass(cls) and cls.__module__ == module.__name__ and not getattr(cls, "_is_protocol", False):
            yield cls
