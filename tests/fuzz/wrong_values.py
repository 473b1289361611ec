"""Values that a user may give by mistake, by name; each is made afresh, since some can be used up."""

import datetime
import decimal
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np

import operator_algebra as oa
from operator_algebra.symbols import H, I, M, phi


class Hostile:
    """An object that fails whatever is asked of it."""

    def _fail(self, *_: object, **__: object) -> NoReturn:
        raise RuntimeError("hostile")

    __repr__ = __str__ = __len__ = __iter__ = __array__ = __float__ = __index__ = __bool__ = __eq__ = _fail
    __getitem__ = __contains__ = __add__ = __mul__ = __neg__ = __call__ = __fspath__ = __format__ = _fail
    __hash__ = None  # pyright: ignore[reportAssignmentType]


class Text(str):
    """A text of a class of its own."""


_numpy: Any = np


def _nothing(*_: object, **__: object) -> None:
    """A function of anything."""


def _nested(depth: int) -> list[Any]:
    inner: list[Any] = []
    for _ in range(depth):
        inner = [inner]
    return inner


ARM = oa.chain(2)

WRONG: dict[str, Callable[[], Any]] = {
    # -- numbers
    "none": lambda: None,
    "true": lambda: True,
    "zero": lambda: 0,
    "three": lambda: 3,
    "negative": lambda: -1,
    "huge": lambda: 10**400,
    "immense": lambda: 10**5000,
    "half": lambda: 0.5,
    "nan": lambda: math.nan,
    "infinity": lambda: -math.inf,
    "large float": lambda: 1e308,
    "complex": lambda: 1 + 2j,
    "fraction": lambda: Fraction(1, 3),
    "decimal": lambda: decimal.Decimal("0.1"),
    "decimal nan": lambda: decimal.Decimal("sNaN"),
    "numpy int": lambda: np.int64(2),
    "numpy float": lambda: np.float64(0.5),
    "numpy bool": lambda: np.bool_(True),
    "date": lambda: datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC),
    # -- texts
    "empty text": lambda: "",
    "text": lambda: "nonsense (",
    "surrogate": lambda: "\ud800",
    "null": lambda: "a\0b",
    "long text": lambda: "x" * 100_000,
    "formula": lambda: "H phi",
    "own text": lambda: Text("H"),
    "bytes": lambda: b"H phi",
    "path": lambda: Path("nowhere"),
    # -- collections
    "list": list,
    "ragged": lambda: [[1.0, 2.0], [3.0]],
    "deep list": lambda: _nested(500),
    "list of none": lambda: [None, None],
    "list of text": lambda: ["1", "2"],
    "tuple": lambda: (1.0, 2.0),
    "dict": dict,
    "dict of objects": lambda: {"joint1": object()},
    "dict of numbers": lambda: {1: 2},
    "set": lambda: {1, 2},
    "range": lambda: range(2),
    "generator": lambda: (x for x in (1.0, 2.0)),
    # -- arrays
    "array": lambda: np.ones(2),
    "scalar array": lambda: np.array(2),
    "empty array": lambda: np.zeros((0,)),
    "tensor": lambda: np.ones((2, 3, 4)),
    "nan array": lambda: np.full(2, np.nan),
    "infinite array": lambda: np.array([1.0, np.inf]),
    "large array": lambda: np.full(2, 1e308),
    "complex array": lambda: np.array([1.0, 2j]),
    "object array": lambda: np.array([object(), None]),
    "text array": lambda: np.array(["1", "2"]),
    "date array": lambda: np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]"),
    "bool array": lambda: np.array([True, False]),
    "masked array": lambda: _numpy.ma.array([1.0, 2.0], mask=[True, False]),
    "record array": lambda: np.zeros(2, dtype=[("a", float), ("b", int)]),
    "long array": lambda: np.array([1, 2], dtype=np.longdouble),
    "read-only": lambda: np.broadcast_to(np.float64(1.0), (2,)),
    # -- what is callable, and what is not
    "function": lambda: _nothing,
    "class": lambda: int,
    "exception": lambda: ValueError("x"),
    "module": lambda: math,
    "object": object,
    "namespace": lambda: SimpleNamespace(n=2, type=None, shape=(2,)),
    "hostile": Hostile,
    # -- values of the package
    "expression": lambda: H @ phi,
    "diagonal": lambda: M,
    "untyped": lambda: I,
    "vector": lambda: oa.vector("x", oa.RATE),
    "scalar": lambda: oa.scalar("h"),
    "query": lambda: oa.trace(phi),
    "space": lambda: oa.MOTION,
    "type": lambda: oa.MOTION >> oa.FORCE,
    "model": lambda: ARM,
    "body": lambda: ARM.bodies[0],
    "joint": oa.Joint.revolute,
    "placement": oa.Placement,
    "inertia": oa.Inertia,
    "matrix": lambda: oa.evaluate(M, ARM, q=[0, 0]),
    "program": lambda: oa.lower(H @ phi @ oa.vector("f", oa.FORCE)),
    "compiled": lambda: oa.compile(M, ARM),
    "law": lambda: next(iter(oa.catalogue().values())),
    "node class": lambda: oa.Expr,
}
