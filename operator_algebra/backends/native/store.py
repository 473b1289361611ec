"""Machine code kept in files between processes: found by what it was made of, believed only if it is whole.

A folder that others may write to is not used, and whatever goes wrong with files leaves the code to be made anew.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from operator_algebra.backends.native.loaded import Loaded
from operator_algebra.backends.native.machine import Machine, machine

VARIABLE = "OPERATOR_ALGEBRA_CACHE"
"""Names another folder; if it is empty, nothing is kept."""
LIMIT = 64 * 2**20
"""Bytes of all files together; those that were not used for longest go first."""
_SUFFIX = ".code"
_DIGEST = sha256().digest_size


@dataclass(frozen=True)
class Store:
    """A folder of machine code."""

    folder: Path

    def name(self, text: str, machine: Machine) -> str:
        """The name of the code of a module on a processor."""
        told = "\0".join((machine.made_by, machine.processor, machine.features, text))
        return sha256(told.encode()).hexdigest() + _SUFFIX

    def read(self, name: str) -> bytes | None:
        """The code of a name; None if there is none. What is damaged is thrown away."""
        path = self.folder / name
        try:
            if not _private(self.folder):
                return None
            data = path.read_bytes()
            digest, code = data[:_DIGEST], data[_DIGEST:]
            if sha256(code).digest() != digest:
                path.unlink(missing_ok=True)
                return None
            os.utime(path)
        except OSError:
            return None
        return code

    def write(self, name: str, code: bytes) -> None:
        """Keep code: written beside its place and moved there, so that others read all of it or nothing."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _private(self.folder):
                return
            handle, beside = tempfile.mkstemp(dir=self.folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(sha256(code).digest() + code)
                os.replace(beside, self.folder / name)
            except OSError:
                Path(beside).unlink(missing_ok=True)
                return
            self._shrink()
        except OSError:
            return

    def sizes(self) -> dict[Path, int]:
        """The files with their bytes, those that were not used for longest first."""
        found: list[tuple[float, Path, int]] = []
        for path in self.folder.glob(f"*{_SUFFIX}"):
            try:
                state = path.stat()
            except FileNotFoundError:  # another process has cleared it
                continue
            found.append((state.st_mtime, path, state.st_size))
        return {path: size for _, path, size in sorted(found)}

    def clear(self) -> None:
        """Throw all of it away."""
        for path in self.sizes():
            path.unlink(missing_ok=True)

    def _shrink(self) -> None:
        sizes = self.sizes()
        total = sum(sizes.values())
        for path, size in sizes.items():
            if total <= LIMIT:
                return
            path.unlink(missing_ok=True)
            total -= size


def store() -> Store | None:
    """The folder for this user; None if nothing is to be kept."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        return Store(Path(named)) if named else None
    try:
        home = Path.home()
    except RuntimeError:  # there is none
        return None
    if sys.platform == "win32":
        caches = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        caches = home / "Library" / "Caches"
    else:
        caches = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return Store(caches / "operator-algebra")


def code_of(text: str, outside: Mapping[str, int] | None = None, *, make: bool = True) -> Loaded | None:
    """The code of a module, as it is kept or made; None where LLVM does not do it for this processor.

    It calls others at these addresses. Without `make` it is only looked for among what is kept.
    """
    here = machine()
    if here is None:
        return None
    kept = store()
    name = None if kept is None else kept.name(text, here)
    code = None if kept is None or name is None else kept.read(name)
    if code is None and not make:
        return None
    try:
        made = here.compiled(text) if code is None else code
        loaded = here.loaded(made, outside)
    except RuntimeError:
        return None
    if code is None and kept is not None and name is not None:
        kept.write(name, made)
    return replace(loaded, kept=name)


def kept_code(name: str, outside: Mapping[str, int] | None = None) -> Loaded | None:
    """The code that `Loaded.kept` has named, maybe in another process; None if it is gone, or of another machine."""
    here, kept = machine(), store()
    code = None if kept is None else kept.read(name)
    if here is None or code is None:
        return None
    try:
        return replace(here.loaded(code, outside), kept=name)
    except RuntimeError:
        return None


def _private(folder: Path) -> bool:
    """Whether a folder belongs to this user, and nobody else may write to it."""
    if sys.platform == "win32":
        return True
    state = folder.stat()
    return state.st_uid == os.getuid() and not state.st_mode & 0o022
