"""The commands as a person types them: output, exit codes, JSON, interruption."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from operator_algebra.identities.catalogue import laws_of
from operator_algebra.models.gallery import load

COMMAND = [sys.executable, "-c", "from operator_algebra.cli.main import main; main()"]


def run(*words: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *words],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=cwd,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **env},
    )


def test_a_claim_that_holds() -> None:
    found = run("check", "inv(I + H phi K) = I - H psi K", "--model", "tree4", "-q")
    assert found.returncode == 0
    assert found.stdout.startswith("holds        claim: (I + H φ K)⁻¹ = I − H ψ K")
    assert found.stderr == ""


@pytest.mark.parametrize(
    ("words", "where"),
    [(("riccati",), None), (("riccati", "--no-report"), None), (("riccati", "--report"), "out/check"),
     (("riccati", "--out", "here"), "here"), (("M = M", "--out", "here"), "here")],
)  # fmt: skip
def test_a_report_that_is_asked_for_is_written(words: tuple[str, ...], where: str | None, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    found = run("check", *words, "--model", "planar2r", "--samples", "1", "-q", cwd=tmp_path)
    assert found.returncode == 0
    assert [path.name for path in tmp_path.rglob("report.html")] == ["report.html"] * (where is not None)
    if where is not None:
        assert (tmp_path / where / "report.html").is_file()
        assert f"report {Path(where) / 'report.html'}" in found.stdout


def test_a_claim_that_fails_exits_with_1() -> None:
    found = run("check", "inv(I + H phi K) = I + H psi K", "--model", "tree4", "-q")
    assert found.returncode == 1
    assert "smallest counter-example: 2 bodies" in found.stdout


def test_unicode_is_read() -> None:
    assert run("check", "(I + H φ K)⁻¹ = I − H ψ K", "--model", "planar2r", "-q").returncode == 0


def test_progress_is_lines_when_nobody_watches() -> None:
    found = run("check", "left exchange", "--model", "planar2r")
    assert found.stderr.startswith("checking  0/8")
    assert "8/8" in found.stderr


def test_wrong_use_exits_with_2_and_underlines() -> None:
    found = run("check", "inv(I + H phi K = I")
    assert found.returncode == 2
    assert "ParseError" in found.stderr
    assert "^" in found.stderr
    assert "Traceback" not in found.stderr
    unknown = run("check", "inv(I + H phee K) = I")
    assert unknown.returncode == 2
    assert "phee" in unknown.stderr
    assert run("check", "no such law at all").returncode == 2
    assert run("check", "factor inverse", "--model", "no_such_robot").returncode == 2
    assert run("check", "--samples", "0").returncode == 2


def test_json_and_ascii() -> None:
    found = run("check", "factor inverse", "--model", "planar2r", "-q", "--json", "--samples", "2")
    data = json.loads(found.stdout)
    assert data["holds"] == 2
    assert data["laws"][0]["verdict"] == "holds"
    plain = run("check", "factor inverse", "--model", "planar2r", "-q", "--ascii")
    assert plain.stdout.isascii()
    assert "(I + H phi K)^-1 = I - H psi K" in plain.stdout


def test_a_stream_without_unicode_gets_ascii() -> None:
    found = run("check", "factor inverse", "--model", "planar2r", "-q", PYTHONIOENCODING="ascii")
    assert found.returncode == 0
    assert found.stdout.isascii()


def test_a_theme_prints_a_table() -> None:
    found = run("check", "brackets", "--model", "tree4", "-q", "--samples", "4")
    assert found.returncode == 0
    lines = found.stdout.splitlines()
    count = len(laws_of("brackets"))
    assert f"{count} laws × tree4 × 4 samples" in lines[0]
    assert "worst / bound" in found.stdout
    assert f"{4 * count} hold, 0 inconclusive, 0 fail" in found.stdout


def test_what_is_outside_of_a_domain_is_said() -> None:
    found = run("check", "costate", "--model", "tree4", "-q", "--samples", "2")
    laws = laws_of("costate")
    outside = sum("serial" in law.domain or "free base" in law.domain for law in laws)
    assert outside > 0
    assert f"{2 * (len(laws) - outside)} hold, 0 inconclusive, 0 fail" in found.stdout
    assert (
        f"left out of {len(laws)} pairs of law and mechanism: {outside} outside the domain of the law" in found.stdout
    )
    assert "left out" not in run("check", "brackets", "--model", "tree4", "-q", "--samples", "1").stdout


def test_strict_turns_inconclusive_into_3() -> None:
    words = ("check", "inv(H E_phi M E_phi' H') = inv(D)", "--model", "planar3r", "-q")
    loose, strict = run(*words), run(*words, "--strict")
    assert loose.returncode == 0
    assert loose.stdout.startswith("inconclusive")
    assert strict.returncode == 3


def test_the_other_commands() -> None:
    models = run("models")
    assert models.returncode == 0
    assert "Model quadruped" in models.stdout
    assert run("models", "tree4").stdout.splitlines().count(repr(load("tree4"))) == 1
    assert len(json.loads(run("models", "--json", "--suite").stdout)) >= 90
    shown = run("show", "phi")
    assert "force → force" in shown.stdout
    assert "law        factor inverse" in run("show", "factor inverse").stdout
    assert "blocks" in run("show", "H phi", "--model", "tree4").stdout
    lowered = run("lower", "inv(H phi M phi' H') T", "--numbering", "paper")
    assert lowered.returncode == 0
    assert "for k = 1" in lowered.stdout
    assert "gain equation" not in lowered.stdout
    assert "flops per body" in run("lower", "dynamics.inverse_dynamics", "--model", "arm7").stdout
    assert "numpy" in run("doctor").stdout
    assert "machine code kept" in run("doctor", "--forget").stdout
    assert run("show", "dynamics.no_such").returncode == 2
    assert run("lower", "inv(phi - I)").returncode == 2


def test_reasons_stand_beside_the_lines_on_request() -> None:
    words = ("lower", "inv(H phi M phi' H') T", "--reasons")
    shown = run(*words)
    assert shown.returncode == 0
    assert (
        "G(k)  = P(k) H(k)* D(k)⁻¹                gain: force handed inward per joint force [gain equation]"
        in shown.stdout
    )
    plain = run(*words, "--ascii", "--numbering", "paper").stdout
    assert plain.isascii()
    assert "[gain equation]" in plain
    assert "[gain equation]" in json.loads(run(*words, "--json").stdout)["pseudocode"]
    assert r"&& \text{gain: " in run(*words, "--style", "latex").stdout


def test_a_picture_on_request(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "phi.svg"
    assert run("show", "phi", "--model", "tree4", "--plot", str(path)).returncode == 0
    assert path.read_text(encoding="utf-8").startswith("<?xml")


# Whoever starts the tests in the background makes them deaf to Ctrl-C, and their children with them.
INTERRUPTED = """
import os, signal
from itertools import count
from multiprocessing.popen_spawn_posix import Popen
from operator_algebra.checking import search

signal.signal(signal.SIGINT, signal.default_int_handler)

def interrupted():
    os.{sent}, signal.SIGINT)

def start(*arguments, start=Popen._launch, left=count({others}, -1)):
    start(*arguments)
    if not next(left):
        interrupted()  # before anybody has heard of the process

def done(jobs, done=search.as_completed):
    for job in done(jobs):
        interrupted()
        yield job

Popen._launch, search.as_completed = start, done
"""


@pytest.mark.parametrize(
    ("sent", "others"),
    [("kill(os.getpid()", 0), ("kill(os.getpid()", 1), ("killpg(0", 0), ("killpg(0", 2)],
    ids=["as the first starts", "as the second starts", "of a terminal as the first starts", "of a terminal at work"],
)
def test_an_interrupt_ends_a_check(sent: str, others: int, tmp_path: Path) -> None:
    code = INTERRUPTED.format(sent=sent, others=others) + COMMAND[-1]
    # What is left of its processes would hold the pipes open, and this would not return.
    found = subprocess.run(
        [*COMMAND[:-1], code, "check", "--jobs", "2", "--samples", "1"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
    )
    assert found.returncode == 130
    assert "stopped" in found.stderr
    assert "Traceback" not in found.stderr
    assert not (tmp_path / "out").exists()


def test_probing_from_the_command_line() -> None:
    found = run("check", "left exchange", "--probe", "300", "-q")
    assert found.returncode == 0
    assert found.stdout.count("holds") == 2


def test_citations_are_shown() -> None:
    shown = run("show", "diagonalized", "dynamics", "(6.5)").stdout
    assert "misprint   ψ π̇ ψ without the star" in shown
    assert "law        rate of articulated inertia through a turning joint" in shown
    found = json.loads(run("show", "diagonalized dynamics (4.1c)", "--json").stdout)
    assert found["laws"] == ["factor inverse"]
    wrong = run("show", "review (30)")
    assert wrong.returncode == 2
    assert "Near it are review (3)" in wrong.stderr
