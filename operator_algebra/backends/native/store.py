"""Machine code kept in files between processes: found by what it was made of, believed only if it is whole.

A folder that others may write to is not used, and whatever goes wrong with files leaves the code to be made anew.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from operator_algebra.backends.native.facts import EFFORT, facts
from operator_algebra.backends.native.image import Image, stand
from operator_algebra.backends.native.loaded import Loaded

if TYPE_CHECKING:
    from operator_algebra.backends.native.machine import Machine

VARIABLE = "OPERATOR_ALGEBRA_CACHE"
"""Names another folder; if it is empty, nothing is kept."""
LIMIT = 64 * 2**20
"""Bytes of all files together; those that were not used for longest go first."""
_SUFFIX = ".code"
_DIGEST = sha256().digest_size
_OPTIONS = f"effort {EFFORT}, near"
_FOR_LLVM = b"\x7fobject code 1"
"""What object code is marked with that LLVM has to load, which believes whatever it is given."""
_NOTHING: Mapping[str, int] = MappingProxyType({})


class Store(NamedTuple):
    """A folder of machine code."""

    folder: Path

    def name(self, text: str) -> str | None:
        """The name of the code of a module on this machine; None where there is no LLVM."""
        here = _here()
        return here and f"{here}{sha256(text.encode()).hexdigest()}{_SUFFIX}"

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

    def write(self, name: str, code: bytes) -> bool:
        """Keep code: written beside its place and moved there, so that others read all of it or nothing.

        Whether it is kept.
        """
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _private(self.folder):
                return False
            beside = self.folder / os.urandom(8).hex()
            try:
                beside.touch(0o600, exist_ok=False)
                beside.write_bytes(sha256(code).digest() + code)
                beside.replace(self.folder / name)
            except OSError:
                beside.unlink(missing_ok=True)
                return False
            self._shrink()
        except OSError:
            return False
        return True

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


def written(name: str) -> str:
    """The text of a module that is a file of its own."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def code_of(text: str, outside: Mapping[str, int] = _NOTHING, *, make: bool = True) -> Loaded | None:
    """The code of a module, as it is kept or made; None where LLVM does not do it for this processor.

    It calls others at these addresses. Without `make` it is only looked for among what is kept.
    """
    kept = store()
    name = None if kept is None else kept.name(text)
    code = None if kept is None or name is None else kept.read(name)
    found = None if code is None else _loaded(code, outside, name)
    if found is not None or not make:
        return found
    here = machine()
    if here is None:
        return None
    try:
        made = here.compiled(text)
    except RuntimeError:
        return None
    image = here.image_of(made)
    code = _FOR_LLVM + made if image is None else bytes(image)
    found = _loaded(code, outside)
    if found is not None and kept is not None and name is not None and kept.write(name, code) and image is not None:
        return replace(found, kept=name)
    return found


def kept_code(name: str, outside: Mapping[str, int] = _NOTHING) -> Loaded | None:
    """The code that `Loaded.kept` has named, maybe in another process; None if it is gone, or of another machine.

    LLVM is not imported for it.
    """
    kept, here = store(), _here() or ""
    own = name.removeprefix(here).removesuffix(_SUFFIX)
    if kept is None or not here or name != f"{here}{own}{_SUFFIX}" or not own.isalnum():
        return None
    code = kept.read(name)
    image = None if code is None else Image.read(code)
    loaded = None if image is None else stand(image, outside)
    return None if loaded is None else replace(loaded, kept=name)


def machine() -> Machine | None:
    """LLVM for this processor, which is not imported for code that is kept."""
    from operator_algebra.backends.native import machine as llvm

    return llvm.machine()


def _loaded(code: bytes, outside: Mapping[str, int], name: str | None = None) -> Loaded | None:
    """What was kept: an image, or object code that LLVM has to load."""
    image = Image.read(code)
    if image is not None:
        found = stand(image, outside)
        return None if found is None else replace(found, kept=name)
    here = machine() if code.startswith(_FOR_LLVM) else None
    try:
        return None if here is None else here.loaded(code[len(_FOR_LLVM) :], outside)
    except RuntimeError:
        return None


@cache
def _here() -> str | None:
    """What names begin with on this machine, of which a file of another one is told."""
    told = facts()
    if told is None:
        here = machine()
        told = here and here.facts
    return told and sha256(f"{told}\n{_OPTIONS}".encode()).hexdigest()[:16] + "-"


def _private(folder: Path) -> bool:
    """Whether a folder belongs to this user, and nobody else may write to it."""
    if sys.platform == "win32":
        return True
    state = folder.stat()
    return state.st_uid == os.getuid() and not state.st_mode & 0o022
