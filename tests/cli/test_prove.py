"""`operator-algebra prove`: the chain, the certificate, exit codes."""

import json
import subprocess
import sys
from pathlib import Path

from operator_algebra.identities.catalogue import catalogue
from operator_algebra.proofs import kernel
from tests.cli.test_commands import run
from tests.proofs.reading import proved


def test_a_claim_that_follows() -> None:
    found = run("prove", "phi E_phi = phi - I")
    assert found.returncode == 0
    assert found.stdout.startswith("PROVED         claim: φ E_φ = φ − I")
    assert "= φ − I   definition of φ" in found.stdout
    assert found.stderr == ""


def test_a_claim_that_does_not() -> None:
    found = run("prove", "phi E_phi = phi")
    assert found.returncode == 1
    assert found.stdout.startswith("REFUTED        claim: φ E_φ = φ")
    assert "counter-example: 1 body" in found.stdout


def test_the_compiler_is_a_second_witness() -> None:
    words = "one value of both sides: proved by value numbering"
    assert words in run("prove", "inv(I + H phi K) = I - H psi K").stdout
    assert words not in run("prove", "innovations factorization").stdout
    assert words not in run("prove", "phi = psi").stdout


def test_several_laws() -> None:
    found = run("prove", "propagation*", "-q")
    assert found.returncode == 0
    assert found.stdout.splitlines()[-1].endswith("proved")
    assert found.stdout.count("PROVED") == len(found.stdout.splitlines()) - 1


def test_statements() -> None:
    found = run("prove", "semigroup")
    assert found.returncode == 0
    assert "by the schema: paths" in found.stdout
    found = run("prove", "costate covariance of a free base")
    assert found.returncode == 0
    assert "by the schema: roots" in found.stdout


def test_the_certificate_is_one_for_the_kernel(tmp_path: Path) -> None:
    path = tmp_path / "kept" / "proof.json"
    assert run("prove", "innovations factorization", "--certificate", str(path), "-q").returncode == 0
    command = [sys.executable, "-I", kernel.__file__, str(path)]
    checked = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert (checked.returncode, checked.stdout.count("PROVED")) == (0, 2)


def test_without_a_proof_no_certificate_is_written(tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    assert run("prove", "P = R", "--certificate", str(path)).returncode == 1
    assert not path.exists()


def test_other_forms() -> None:
    assert run("prove", "phi E_phi = phi - I", "--style", "latex").stdout.startswith(r"\begin{aligned}")
    assert run("prove", "phi E_phi = phi - I", "--style", "lean").stdout.startswith("import Mathlib\n")
    found = run("prove", "phi E_phi = phi - I", "--ascii").stdout
    assert found.isascii()
    (told,) = json.loads(run("prove", "phi E_phi = phi - I", "--json").stdout)
    assert (told["verdict"], told["axioms"]) == ("PROVED", ["definition of φ"])


def test_check_says_what_is_proved() -> None:
    found = run("check", "brackets", "--model", "planar2r", "-q", "--samples", "1", "--prove")
    assert found.returncode == 0
    head, *lines = found.stdout.splitlines()[2:]
    assert head.endswith("worst / bound  proof")
    laws = [law for law in catalogue("brackets") if any(line.startswith(f" {law} ") for line in lines)]
    assert len(laws) == len(catalogue("brackets"))
    assert sum(line.endswith("  proved") for line in lines) == sum(map(bool, map(proved, laws)))
    told = json.loads(run("check", "semigroup", "--model", "planar2r", "--samples", "1", "--prove", "--json").stdout)
    assert [law["proof"] for law in told["laws"]] == ["PROVED"]
    assert "PROVED" not in run("check", "P = R", "--model", "planar2r", "--prove", "-q").stdout
