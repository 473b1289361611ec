"""What was compiled is kept between processes: found by formula, mechanism and options, before anything is lowered.

What is kept of a program is what a call has to know of it, and of each form of arguments where its machine code is.
Everything else of it is lowered, traced and interpreted as ever, once somebody asks for it.
"""

from __future__ import annotations

import io
import os
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from operator_algebra import LOADED
from operator_algebra.backends.backend import Executable
from operator_algebra.backends.code import Code
from operator_algebra.backends.generated import Generated
from operator_algebra.backends.laid import Laid
from operator_algebra.backends.native.loaded import Loaded
from operator_algebra.backends.native.run import Computed, NativeKernel
from operator_algebra.backends.native.store import Store, kept_code, store
from operator_algebra.backends.ready import Ready
from operator_algebra.backends.scalar.precision import PRECISIONS, Name
from operator_algebra.backends.scalar.signature import Key, Signature
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
from operator_algebra.operators.inputs import Bound
from operator_algebra.programs.interface import Interface

if TYPE_CHECKING:
    from operator_algebra.backends.floats import Floats

_OURS = ("operator_algebra", "builtins", "fractions")
"""Where the classes and functions are from that may occur in what is asked for."""
_FORMS = 16
"""Of arguments, so many are kept of a program."""
_ELSEWHERE = frozenset(
    ("__pycache__", "applications", "bench", "checking", "cli", "interop", "meaning", "proofs", "views")
)
"""Folders of the package that no program and no code comes from."""


class Form(NamedTuple):
    """Machine code for one form of arguments."""

    given: tuple[int, ...]
    results: tuple[Laid, ...]
    length: int
    code: str
    """The name of its file."""


class Record(NamedTuple):
    """What is kept of a program for one mechanism."""

    interface: Interface
    forms: Mapping[Key, Form]


class Drawer(NamedTuple):
    """The place of a program and a mechanism among what is kept."""

    store: Store
    name: str

    def read(self) -> Record | None:
        """What is kept there; None where there is nothing, or nothing that can be read."""
        data = self.store.read(self.name)
        if data is None:
            return None
        with suppress(
            pickle.UnpicklingError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError, EOFError
        ):
            found: object = pickle.loads(data)
            return found if isinstance(found, Record) else None
        return None

    def keep(self, interface: Interface, key: Key, code: Ready) -> None:
        """Keep where the machine code for a form of arguments is."""
        if code.kept is None or _state()[1] != _package():
            return
        there = self.read() or Record(interface, {})
        form = Form(code.given, tuple(code.results), code.length, code.kept)
        last = list(there.forms.items())[1 - _FORMS :]
        self.store.write(self.name, pickle.dumps(there._replace(forms={**dict(last), key: form})))


def drawer(asked: object, model: Model) -> Drawer | None:
    """The place of what is asked for, with all options, for a mechanism.

    None where nothing is kept, or where something of a user's own takes part, whose code may change.
    """
    kept, package = store(), _package()
    ours = all(group.stacked and _ours(group.kind_class) for group in model.joint_groups)
    if kept is None or package is None or not ours:
        return None
    told = io.BytesIO()
    try:
        _Told(told, protocol=pickle.HIGHEST_PROTOCOL).dump(asked)
    except (_Foreign, pickle.PicklingError, AttributeError, TypeError):
        return None
    name = kept.name(f"compiled\0{package}\0{model.digest}\0{sha256(told.getvalue()).hexdigest()}")
    return None if name is None else Drawer(kept, name)


class KeptProgram(Generated):
    """A program whose machine code was kept; `later` makes it anew for everything that is not."""

    def __init__(self, record: Record, model: Model, precision: Name, later: Callable[[], Floats]) -> None:
        self.precision = PRECISIONS[precision]
        self._record = record
        self._model = model
        self._later = later
        self._found: dict[Key, KeptCode | None] = {}

    @cached_property
    def made(self) -> Floats:
        """The same with nothing that was kept."""
        return self._later()

    @property
    def interpreted(self) -> Executable:
        """The same without generated code."""
        return self.made.interpreted

    @property
    def source(self) -> str:
        """The functions for the forms of arguments that were met."""
        for code in filter(None, self._found.values()):
            self.made.code(code.signature)
        return self.made.source

    def operations(self, inputs: Bound) -> dict[str, int] | None:
        """How many scalar operations of each kind the results take for such arguments, if that is a list."""
        return self.made.operations(inputs)

    def code(self, signature: Signature) -> Code | None:
        """The code for arguments of this form, if there is any."""
        if signature.key not in self._found:
            self._found[signature.key] = self._taken_out(signature)
        return self._found[signature.key] or self.made.code(signature)

    def _taken_out(self, signature: Signature) -> KeptCode | None:
        form = self._record.forms.get(signature.key)
        code = None if form is None else kept_code(form.code)
        return None if form is None or code is None else KeptCode(self, signature, form, code, self._model.n)


class KeptCode(Ready):
    """Machine code that was kept, for one form of arguments."""

    def __init__(self, program: KeptProgram, signature: Signature, form: Form, code: Loaded, bodies: int) -> None:
        super().__init__(form.given, form.results, program.precision, bodies=bodies, length=form.length)
        self.signature = signature
        self._program = program
        self._native = NativeKernel(code, self.given, self._sizes, program.precision)

    def batch(self, given: Sequence[Numbers], count: int, threads: int = 1) -> Computed:
        """The results of some samples."""
        return self._by_machine(self._native, given, count, threads)

    @cached_property
    def _made(self) -> Code:
        found = self._program.made.code(self.signature)
        assert found is not None, "what was kept was made before"
        return found

    @property
    def source(self) -> str:
        """The Python function for one configuration."""
        return self._made.source

    @property
    def operations(self) -> Mapping[str, int]:
        """How many operations of each kind the results take."""
        return self._made.operations


class _Foreign(Exception):
    """Something of a user's own."""


class _Told(pickle.Pickler):
    """Writes what is asked for, if it is made of what belongs to the package."""

    def persistent_id(self, obj: object) -> None:
        if not _ours(obj if isinstance(obj, type | FunctionType) else type(obj)):
            raise _Foreign


def _ours(kind: type | FunctionType) -> bool:
    return kind.__module__.partition(".")[0] in _OURS


@cache
def _package() -> str | None:
    """What tells one state of the package from another; None where files have changed since this process read some."""
    try:
        newest, state = _state()
    except OSError:  # it is no folder of files
        return None
    return None if newest > LOADED else state


def _state() -> tuple[int, str]:
    """When the files that code comes from were last changed, and their sizes and times."""
    found = sorted(_files(str(Path(__file__).parents[1])))
    told = [sys.version, np.__version__, *map(str, found)]
    return max(changed for _, _, changed in found), sha256("\0".join(told).encode()).hexdigest()


def _files(folder: str) -> Iterator[tuple[str, int, int]]:
    """Paths, sizes and times of files."""
    for entry in os.scandir(folder):
        if entry.name in _ELSEWHERE:
            continue
        if entry.is_dir():
            yield from _files(entry.path)
        else:
            state = entry.stat()
            yield entry.path, state.st_size, state.st_mtime_ns
