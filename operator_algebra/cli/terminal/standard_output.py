"""Standard output that is closed, full or no longer read: one line says so, with an exit code that no command has."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, NoReturn, TextIO, cast

UNWRITABLE = 74
"""What standard output refused (EX_IOERR of sysexits.h)."""
UNREAD = 141
"""The reader has gone, as `head` does: what a shell reports of a program that SIGPIPE ends."""


class Unwritable(Exception):
    """The output could not be written; its cause is the error of the system."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(cause.strerror or str(cause))
        self.unread = cause.errno == errno.EPIPE


class Guarded:
    """A stream whose failures are `Unwritable`, which nothing on the way takes for an end of the command."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text."""
        try:
            return self._stream.write(text)
        except OSError as error:
            raise Unwritable(error) from None

    def flush(self) -> None:
        """Write what is held back."""
        try:
            self._stream.flush()
        except OSError as error:
            raise Unwritable(error) from None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def guarded() -> Generator[None, None, None]:
    """Run a command with standard output guarded, and end it where that cannot be written."""
    stream = cast("TextIO | None", sys.stdout)
    if stream is None:
        _leave("standard output is closed", UNWRITABLE)
    sys.stdout = cast("TextIO", Guarded(stream))
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except Unwritable as lost:
        # What is still held back goes nowhere, or Python would complain of it at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        if lost.unread:
            _leave("", UNREAD)
        _leave(f"standard output cannot be written: {lost}", UNWRITABLE)
    finally:
        sys.stdout = stream


def _leave(message: str, code: int) -> NoReturn:
    if message and cast("TextIO | None", sys.stderr) is not None:
        sys.stderr.write(f"operator-algebra: {message}.\n")
    raise SystemExit(code)
