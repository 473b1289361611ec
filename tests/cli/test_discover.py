"""`operator-algebra discover`: the laws of some operators, and those that no record says."""

import json

from tests.cli.test_commands import run

JOINT = ("H", "P", "G", "tau", "D", "--length", "2")


def test_laws_are_listed() -> None:
    found = run("discover", *JOINT)
    assert found.returncode == 0
    assert found.stdout.splitlines()[0] == "6 laws, all proved   words of up to 2 of H, P, G, τ, D"
    assert "  τ P = P τ*" in found.stdout.splitlines()
    assert found.stderr == ""


def test_those_that_no_record_says_alone() -> None:
    assert run("discover", *JOINT, "--new", "-q", "--ascii").stdout == "  tau G = G\n"


def test_as_data() -> None:
    told = json.loads(run("discover", "E_phi", "phi", "--length", "2", "--json").stdout)
    assert "φ E_φ = φ − I" in told["laws"]
    assert told["conjectures"] == []


def test_wrong_use() -> None:
    found = run("discover", "phi", "Phi")
    assert found.returncode == 2
    assert "unknown name 'Phi'" in found.stderr
    assert run("discover").returncode == 2
