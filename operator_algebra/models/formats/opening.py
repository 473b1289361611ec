"""Opening files of mechanisms: what is not there, empty, too big or not text is said in words."""

from __future__ import annotations

from importlib.resources.abc import Traversable
from pathlib import Path

from operator_algebra.errors import ModelError, explain

# TOML of this size is read in two seconds; a body takes about 300 bytes of it.
LARGEST = 4_000_000
_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", b"\x1f\x8b": "a gzip archive", b"PK": "a zip archive"}


def read_bytes(source: Traversable | Path, largest: int = LARGEST) -> bytes:
    """The content of a file that is neither empty nor too big."""
    try:
        if isinstance(source, Path) and not source.is_file():
            raise ModelError(explain("the file does not exist or is no regular file", str(source), "Check the path."))
        with source.open("rb") as stream:
            data = stream.read(largest + 1)
    except OSError as error:
        raise ModelError(explain(f"the file cannot be read ({error.strerror})", str(source))) from None
    if len(data) > largest:
        what = f"the file has more than {largest // 1_000_000} MB"
        raise ModelError(explain(what, str(source), "Build mechanisms of this size in Python, as chain() does."))
    if not data.strip():
        raise ModelError(explain("the file is empty", str(source), "Was it truncated?"))
    return data


def read_text(source: Traversable | Path) -> str:
    """The content of a UTF-8 file."""
    return decoded(read_bytes(source), str(source))


def decoded(data: bytes, source: str, encoding: str = "UTF-8") -> str:
    """The text that the bytes of a file mean in an encoding."""
    encoding = "UTF-8" if encoding.lower() in ("utf-8", "utf8") else encoding
    for mark, kind in _MARKS.items():
        if data.startswith(mark):
            raise ModelError(explain(f"the file is {kind}, not {encoding} text", source, "Save it as UTF-8."))
    try:
        return data.decode("utf-8-sig" if encoding == "UTF-8" else encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        what = f"byte 0x{data[error.start]:02x} is not {encoding}"
        raise ModelError(explain(what, f"{source}, line {line}", "Save the file as UTF-8.")) from None
    except (LookupError, UnicodeError):
        what = f"the file declares the encoding {encoding!r}, which is not known"
        raise ModelError(explain(what, source, "Save the file as UTF-8.")) from None


def write_text(target: Path, text: str) -> None:
    """Write a UTF-8 file, if it can be read again."""
    if len(text.encode()) > LARGEST:
        what = f"the file would have more than {LARGEST // 1_000_000} MB"
        raise ModelError(explain(what, str(target), "Pickle the model, or build it in Python."))
    try:
        target.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ModelError(explain(f"the file cannot be written ({error.strerror})", str(target))) from None
