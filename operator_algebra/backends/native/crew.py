"""Threads that share a batch. They stay for the next one, for which they look a while before they sleep.

To start a thread, or to wake one whose processor was given away, takes as long as thousands of samples. What a thread
is asked for stands in memory (`crew.ll`), so that none waits for Python's lock while it works or looks.
"""

from __future__ import annotations

import atexit
import ctypes
from _thread import allocate_lock, start_new_thread
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from os import getpid
from platform import machine as name_of_machine
from time import sleep
from typing import NamedTuple

from operator_algebra.backends.native.loaded import Loaded
from operator_algebra.backends.native.store import code_of, written

PIECES = 32
"""So many of each thread, so that none waits long for the last."""
TOGETHER = 64
"""Samples of a thread are a multiple of this: no lines of memory are written by two, and no lanes are empty."""
LOOKS = 10_000
"""So often a thread looks for more work before it sleeps, for some tenths of a millisecond."""
_ASLEEP, _AWAKE, _ASKED, _END = 0, 1, 2, 4
_PAUSES = {"x86_64": "@llvm.x86.sse2.pause()", "amd64": "@llvm.x86.sse2.pause()"}
"""By which a processor is told that this is waiting."""
_PATIENCE = 1.0
"""Seconds that the end of the process waits for a thread."""


class Batch(NamedTuple):
    """Samples to be computed by machine code, and a table of addresses for each thread."""

    code: Loaded
    samples: int
    told: int
    """The third number that the kernel is told."""
    tables: Sequence[bytes]
    kept: object
    """What the addresses are of."""

    def computed(self) -> bool:
        """By as many threads as there are tables; whether all results may be trusted.

        Each thread takes the next piece when it is done with one, as others may use its processor, too. Lanes are
        filled as by one thread, so all bits are those of one.
        """
        each = -(-self.samples // (len(self.tables) * PIECES * TOGETHER)) * TOGETHER
        sharing = _sharing() if each < self.samples and len(self.tables) > 1 else None
        if sharing is None:
            return self.samples == 0 or bool(self.code.entry(0, self.samples, self.told, self.tables[0]))
        taken = ctypes.c_int64(0)
        start = self.code.address("kernel"), ctypes.addressof(taken), each, self.samples, self.told
        helpers = _helpers(sharing, min(len(self.tables), -(-self.samples // each)) - 1)
        trusted = [False] * len(helpers)
        try:
            for helper, own in zip(helpers, self.tables[1:], strict=False):
                helper.ask(self, *start, _address(own))
            trusted.append(bool(sharing.share(*start, _address(self.tables[0]))))
        finally:
            for i, helper in enumerate(helpers):
                trusted[i] = helper.answer()
            _idle.extend(helpers)
        return all(trusted)


class _Sharing(NamedTuple):
    """The functions of `crew.ll`."""

    code: Loaded
    share: Callable[..., int]
    attend: Callable[..., int]
    put: Callable[..., int]
    wait: Callable[..., int]


class Helper:
    """A thread that is asked by a sheet of words in memory; raises a RuntimeError where there can be no more."""

    def __init__(self, sharing: _Sharing) -> None:
        self.process = getpid()
        self._sharing = sharing
        self._sheet = (ctypes.c_int64 * 16)(_AWAKE)  # two lines of the cache
        self._at = ctypes.addressof(self._sheet)
        self._kept: object = None
        self._wakes, self._ended = allocate_lock(), allocate_lock()
        self._wakes.acquire()
        self._ended.acquire()
        start_new_thread(self._attend, ())

    def _attend(self) -> None:
        try:
            while not self._sharing.attend(self._at, LOOKS):
                self._wakes.acquire()
        finally:
            self._ended.release()

    def ask(self, kept: object, *words: int) -> None:
        """For help with what the words say; what they are addresses of is kept."""
        self._kept = kept
        self._sheet[1 : 1 + len(words)] = words
        self._sheet[7] = 1
        self._put(_ASKED)

    def answer(self) -> bool:
        """Whether all that it did may be trusted, once it is done."""
        while not self._sharing.wait(self._at, LOOKS):
            sleep(0)  # its processor may be the one that this thread looks with
        self._kept = None
        return bool(self._sheet[7])

    def end(self) -> None:
        """Of the thread: it is out of machine code, whose memory goes with the process."""
        self._put(_END)
        self._ended.acquire(timeout=_PATIENCE)

    def _put(self, where: int) -> None:
        if self._sharing.put(self._at, where) == _ASLEEP:
            self._wakes.release()


_idle: list[Helper] = []
"""Those that no batch has; a process that comes of another by a fork has none of its threads."""


def _helpers(sharing: _Sharing, count: int) -> list[Helper]:
    """So many that are idle or new; fewer where the system has no more threads."""
    found = [helper for helper in _taken(count) if helper.process == getpid()]
    with suppress(RuntimeError):
        while len(found) < count:
            found.append(Helper(sharing))
    return found


def _taken(count: int) -> list[Helper]:
    """So many of those that are idle."""
    found: list[Helper] = []
    with suppress(IndexError):  # others take from the list, too
        while len(found) < count:
            found.append(_idle.pop())
    return found


@atexit.register
def dismiss() -> None:
    """End all threads that no batch has."""
    for helper in _taken(len(_idle)):
        if helper.process == getpid():
            helper.end()


@cache
def _sharing() -> _Sharing | None:
    """The functions of this file's other half; None where LLVM does not do them."""
    text = written("crew.ll")
    pause = _PAUSES.get(name_of_machine().lower())
    if pause is not None:
        text = text.replace("; pause", f"call void {pause}") + f"declare void {pause}\n"
    code = code_of(text)
    if code is None:
        return None
    number, address = ctypes.c_int64, ctypes.c_void_p
    apart, at_once = ctypes.CFUNCTYPE, ctypes.PYFUNCTYPE  # without Python's lock, and with it
    return _Sharing(
        code,
        apart(number, address, address, number, number, number, address)(code.address("share")),
        apart(number, address, number)(code.address("attend")),
        at_once(number, address, number)(code.address("put")),
        apart(number, address, number)(code.address("wait")),
    )


def _address(table: bytes) -> int:
    return ctypes.cast(ctypes.c_char_p(table), ctypes.c_void_p).value or 0
