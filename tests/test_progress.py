"""Progress: silent unless asked, soon when asked, closed at the end."""

import io
import itertools
import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from operator_algebra import progress
from operator_algebra.errors import BackendUnavailable, InputError
from operator_algebra.progress import clock, lines, remaining, reporting


def ticks(step: float) -> Iterator[float]:
    return itertools.count(0.0, step)


def test_none_is_silent(capfd: pytest.CaptureFixture[str]) -> None:
    for quiet in (None, False):
        with reporting(quiet, "checking") as report:
            report(0, 10, "start")
            report(10, 10, "end")
    assert capfd.readouterr() == ("", "")


def test_a_callable_hears_everything_and_its_errors_pass() -> None:
    heard: list[tuple[int, int | None, str]] = []

    def hear(done: int, total: int | None, text: str) -> None:
        heard.append((done, total, text))

    with reporting(hear) as report:
        for k in range(4):
            report(k, 3, f"item {k}")
    assert heard == [(k, 3, f"item {k}") for k in range(4)]

    def stop(done: int, total: int | None, text: str) -> None:
        raise KeyboardInterrupt(done, total, text)

    with pytest.raises(KeyboardInterrupt), reporting(stop) as report:
        report(1, 2, "")


def test_anything_else_is_refused() -> None:
    with pytest.raises(InputError, match=r"None, True or a callable\(done, total, text\)"), reporting(3):  # pyright: ignore[reportArgumentType]
        pass


def test_lines_come_at_once_then_every_tenth_then_at_the_end() -> None:
    stream = io.StringIO()
    clockwork = ticks(0.01)
    display = lines("checking", stream, now=lambda: next(clockwork))
    for k in range(1001):
        display(k, 1000, f"law {k}")
    display.close()
    display.close()
    written = stream.getvalue().splitlines()
    assert written[0] == "checking  0/1000    0%   law 0"
    assert [line.split()[1] for line in written[1:-1]] == [f"{k}/1000" for k in range(100, 1001, 100)]
    assert "10.0 s" not in written[1]
    assert "0:00:" in written[1] or " s left" in written[1]
    assert written[-1].startswith("checking  1000/1000 in ")


def test_lines_come_every_half_minute_when_nothing_moves() -> None:
    stream = io.StringIO()
    clockwork = ticks(20.0)
    display = lines("", stream, now=lambda: next(clockwork))
    for _ in range(4):
        display(5, None, "expressions")
    display.close()
    assert stream.getvalue().splitlines() == ["5   expressions", "5   expressions", "5 in 0:01:40"]


def test_nothing_is_written_about_what_never_started() -> None:
    stream = io.StringIO()
    lines("x", stream).close()
    assert stream.getvalue() == ""


def test_estimates_start_at_three_percent() -> None:
    assert remaining(2, 100, 1.0) is None
    assert remaining(3, 100, 3.0) == 97.0
    assert remaining(5, None, 3.0) is None
    assert remaining(0, 0, 3.0) is None
    assert remaining(100, 100, 3.0) == 0.0


@pytest.mark.parametrize(("seconds", "text"), [(0.04, "0.0 s"), (9.94, "9.9 s"), (61, "0:01:01"), (36000, "10:00:00")])
def test_durations(seconds: float, text: str) -> None:
    assert clock(seconds) == text


def test_rich_draws_a_bar_with_the_item_and_the_duration() -> None:
    console = pytest.importorskip("rich.console")
    stream = io.StringIO()
    display = progress.rich("checking", console.Console(file=stream, force_terminal=True, width=100))
    assert "checking" in stream.getvalue()
    display(0, 4, "law [0]")
    display(4, 4, "law 4")
    display.close()
    text = stream.getvalue()
    assert "law [0]" in text
    assert "4/4" in text
    assert "100%" in text


def test_a_display_is_closed_when_the_call_fails(capfd: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        with reporting(True, "checking") as report:
            report(1, 4, "first")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    out, err = capfd.readouterr()
    assert out == ""
    assert "1/4" in err


def test_tqdm_that_is_missing_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(BackendUnavailable, match=r'install "tqdm"'):
        progress.tqdm("checking")


class Bar:
    """What the adapter asks of a bar of tqdm."""

    def __init__(self, **options: object) -> None:
        self.options, self.n, self.total, self.items, self.closed = options, 0, None, list[str](), False
        BARS.append(self)

    def set_postfix_str(self, text: str, *, refresh: bool) -> None:
        self.items.append(text if not refresh else "")

    def update(self, steps: int) -> None:
        self.n += steps

    def close(self) -> None:
        self.closed = True


BARS: list[Bar] = []


def test_a_bar_of_tqdm_is_moved_by_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "tqdm.auto", SimpleNamespace(tqdm=Bar))
    display = progress.tqdm("checking", leave=False)
    for done in (0, 1, 4):
        display(done, 4, f"law {done}")
    display.close()
    bar = BARS.pop()
    assert (bar.n, bar.total, bar.items, bar.closed) == (4, 4, ["law 0", "law 1", "law 4"], True)
    assert bar.options["desc"] == "checking"
    assert bar.options["leave"] is False


def test_importing_loads_no_drawing_package() -> None:
    program = "import sys, operator_algebra.progress; print('rich' in sys.modules, 'tqdm' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "False"]
