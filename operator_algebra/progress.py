"""Progress of long calls: `progress=None` is silent, `True` draws a bar, a callable is told (done, total, text).

`rich()`, `tqdm()` and `lines()` make callables that draw; nothing is drawn unless it is asked for.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib import import_module
from typing import IO, Any, Protocol

from operator_algebra.arguments import shown
from operator_algebra.errors import InputError
from operator_algebra.installing import missing

Callback = Callable[[int, int | None, str], None]
"""Called with what is done, the total if it is known, and the name of the current item."""
Progress = bool | Callback | None

PATIENCE = 0.5
"""Seconds after which a call that was not told whether to show its progress shows it where somebody watches."""

_PAUSE = 0.1
_LINE_SECONDS = 30.0
_LINE_SHARE = 0.1
_ESTIMATE_FROM = 0.03


class Display(Protocol):
    """A callable that draws, and can be finished."""

    def __call__(self, done: int, total: int | None, text: str) -> None:
        """Draw what is done."""

    def close(self) -> None:
        """Draw for the last time."""


@contextmanager
def reporting(progress: Progress, title: str = "", *, patience: float | None = None) -> Generator[Callback, None, None]:
    """The callback that a long call reports to; a display that was made for it is closed at the end.

    With `patience`, None draws in a terminal once so many seconds are over; only False is silent.

    >>> seen = []
    >>> with reporting(lambda done, total, text: seen.append((done, total))) as report:
    ...     report(0, 2, "start")
    ...     report(2, 2, "end")
    >>> seen
    [(0, 2), (2, 2)]
    """
    if progress is None and patience is not None and sys.stderr.isatty():
        late = _Late(title, patience)
        try:
            yield late
        finally:
            late.close()
    elif progress is None or progress is False:
        yield _silent
    elif progress is True:
        display = _default(title)
        try:
            yield display
        finally:
            display.close()
    elif callable(progress):
        yield progress
    else:
        raise InputError(
            f"progress={shown(progress)} is not understood. Give None, True or a callable(done, total, text)."
        )


def _silent(done: int, total: int | None, text: str) -> None:
    del done, total, text


def _in_notebook() -> bool:
    """Whether this code runs in a kernel; whoever starts kernels has their package loaded too."""
    shell: Callable[[], object] | None = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return "ipykernel" in sys.modules and shell is not None and shell() is not None


def _default(title: str) -> Display:
    if _in_notebook() or sys.stderr.isatty():
        return rich(title)
    return lines(title)


def remaining(done: int, total: int | None, seconds: float) -> float | None:
    """Estimated seconds left; None before 3 % or without a total.

    >>> remaining(1, 4, 2.0), remaining(1, 100, 2.0)
    (6.0, None)
    """
    if not total or done < _ESTIMATE_FROM * total:
        return None
    return seconds * (total - done) / done if done else None


def clock(seconds: float) -> str:
    """A duration as h:mm:ss, short ones with a decimal.

    >>> clock(3725), clock(2.25)
    ('1:02:05', '2.2 s')
    """
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"


class _Late:
    """Nothing at first; a display once a call takes long."""

    def __init__(self, title: str, patience: float, now: Callable[[], float] = time.monotonic) -> None:
        self._title, self._patience, self._now = title, patience, now
        self._start = now()
        self._display: Display | None = None

    def __call__(self, done: int, total: int | None, text: str) -> None:
        if self._display is None and self._now() - self._start >= self._patience:
            self._display = _default(self._title)
        if self._display is not None:
            self._display(done, total, text)

    def close(self) -> None:
        """End the display if there is one."""
        if self._display is not None:
            self._display.close()


class _Lines:
    """One line at the start, every 10 % or 30 s, and at the end: for files and pipes."""

    def __init__(self, title: str, stream: IO[str], now: Callable[[], float]) -> None:
        self._title, self._stream, self._now = title, stream, now
        self._start = now()
        self._said = (-1.0, self._start)
        self._last: tuple[int, int | None] = (0, None)
        self._closed = False

    def __call__(self, done: int, total: int | None, text: str) -> None:
        self._last = (done, total)
        now, share = self._now(), done / total if total else 0.0
        before, then = self._said
        if before >= 0 and share - before < _LINE_SHARE - 1e-9 and now - then < _LINE_SECONDS:
            return
        self._said = (share, now)
        left = remaining(done, total, now - self._start)
        count = f"{done}/{total}  {share:4.0%}" if total else str(done)
        more = f"   {clock(left)} left" if left else ""
        self._write(f"{count}{more}   {text}")

    def close(self) -> None:
        """Say how long it took."""
        if not self._closed and self._said[0] >= 0:
            self._closed = True
            done, total = self._last
            self._write(f"{done}{f'/{total}' if total else ''} in {clock(self._now() - self._start)}")

    def _write(self, text: str) -> None:
        self._stream.write(f"{self._title}  {text}".strip() + "\n")
        self._stream.flush()


def lines(title: str = "", stream: IO[str] | None = None, *, now: Callable[[], float] = time.monotonic) -> Display:
    """Progress as lines of text on standard error, few of them."""
    return _Lines(title, stream or sys.stderr, now)


class _Rich:
    """A bar of the rich package; redrawn at most ten times a second."""

    def __init__(self, title: str, console: Any) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, TaskProgressColumn, TextColumn
        from rich.progress import Progress as Bars

        console = console or _console()
        columns = [
            TextColumn("  {task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[left]}"),
            TextColumn("{task.fields[item]}", markup=False),
        ]
        self._bars = Bars(*columns, console=console, auto_refresh=False, transient=False)
        self._task = self._bars.add_task(title or "working", total=None, left="", item="")
        self._start = self._drawn = time.monotonic()
        self._bars.start()
        self._bars.refresh()

    def __call__(self, done: int, total: int | None, text: str) -> None:
        now = time.monotonic()
        last = total is not None and done >= total
        if now - self._drawn < _PAUSE and not last and done:
            return
        self._drawn = now
        left = remaining(done, total, now - self._start)
        shown = f"{clock(left)} left" if left else ""
        self._bars.update(self._task, completed=done, total=total, left=shown, item=text)
        self._bars.refresh()

    def close(self) -> None:
        """Leave the bar with its duration."""
        took = clock(time.monotonic() - self._start)
        self._bars.update(self._task, left=took, item="")
        self._bars.refresh()
        self._bars.stop()


def _console() -> Any:
    from rich.console import Console

    return Console(stderr=not _in_notebook())


def rich(title: str = "", console: Any = None) -> Display:
    """A bar in terminals and notebooks, drawn by rich, which obeys NO_COLOR."""
    return _Rich(title, console)


class _Tqdm:
    """A bar of the tqdm package."""

    def __init__(self, title: str, options: dict[str, Any]) -> None:
        try:
            bar = import_module("tqdm.auto").tqdm
        except ImportError:
            raise missing("progress.tqdm", "tqdm") from None
        self._bar: Any = bar(desc=title or None, mininterval=_PAUSE, **options)

    def __call__(self, done: int, total: int | None, text: str) -> None:
        self._bar.total = total
        self._bar.set_postfix_str(text, refresh=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Leave the bar as it is."""
        self._bar.close()


def tqdm(title: str = "", **options: Any) -> Display:
    """A bar drawn by tqdm, if it is installed; `options` go to it."""
    return _Tqdm(title, options)
