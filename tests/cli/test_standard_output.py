"""Standard output that is closed, full or no longer read."""

import errno
import io
import os
import subprocess
import sys
from typing import IO

import pytest

from operator_algebra.cli.terminal.standard_output import UNREAD, UNWRITABLE, guarded

COMMANDS = [
    "models",
    "models --json",
    "show phi",
    "--help",
    "check 'factor inverse' --samples 1 --model planar2r --quiet",
]
RUN = f"{sys.executable} -c 'from operator_algebra.cli.main import main; main()'"


def shell(line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_closed_output_is_told(command: str) -> None:
    run = shell(f"{RUN} {command} >&-")
    assert run.returncode == UNWRITABLE
    assert run.stderr == "operator-algebra: standard output is closed.\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_an_output_that_nobody_reads_ends_quietly(command: str) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        run = subprocess.run(
            ["sh", "-c", f"{RUN} {command}"], stdout=write, stderr=subprocess.PIPE, text=True, check=False
        )
    finally:
        os.close(write)
    assert (run.returncode, run.stderr) == (UNREAD, "")


class Full(io.StringIO):
    """A stream on a full disk."""

    def __init__(self, refuses: str, file: IO[str]) -> None:
        super().__init__()
        self.refuses = refuses
        self.file = file

    def write(self, s: str) -> int:
        return self._refuse("write") or super().write(s)

    def flush(self) -> None:
        self._refuse("flush")

    def fileno(self) -> int:
        return self.file.fileno()

    def _refuse(self, what: str) -> int:
        if what == self.refuses:
            raise OSError(errno.ENOSPC, "No space left on device")
        return 0


def guarded_command(code: int | None) -> None:
    with guarded():
        sys.stdout.write("text")
        if code is not None:
            sys.exit(code)


@pytest.mark.parametrize("refuses", ["write", "flush"])
@pytest.mark.parametrize("code", [None, 1], ids=["returns", "exits"])
def test_a_full_disk_is_told(
    refuses: str,
    code: int | None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.mktemp("full") / "output"
    with path.open("w", encoding="utf-8") as file, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", Full(refuses, file))
        with pytest.raises(SystemExit) as left:
            guarded_command(code)
    assert left.value.code == UNWRITABLE
    assert capsys.readouterr().err == "operator-algebra: standard output cannot be written: No space left on device.\n"


def test_a_command_keeps_its_exit_code() -> None:
    assert shell(f"{RUN} models").returncode == 0
    assert shell(f"{RUN} show nothing_known").returncode == 2
