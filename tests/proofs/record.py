"""The record of what is proved: `python -m tests.proofs.record` proves every law and writes it.

Each certificate was accepted by the kernel in a process of its own. A test makes the record anew and compares.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from operator_algebra.identities import evidence
from operator_algebra.identities.catalogue import catalogue
from operator_algebra.proofs import kernel
from operator_algebra.proofs.proof import Proof
from tests.proofs.reading import proved

PATH = Path(evidence.__file__).with_name(evidence.RECORD)


def accepted(proofs: Mapping[str, Proof], folder: Path) -> list[dict[str, object]]:
    """What the kernel says of all certificates; it sees nothing but the file."""
    written = [proof.certificate() for proof in proofs.values()]
    path = folder / "proofs.json"
    path.write_text(json.dumps({**written[0], "proofs": [part for one in written for part in one["proofs"]]}), "utf-8")
    command = [sys.executable, "-I", kernel.__file__, str(path)]
    said = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True).stdout
    return [json.loads(line.removeprefix("PROVED  ")) for line in said.splitlines()]


def gather() -> dict[str, evidence.Certified]:
    """Every law that has a proof which the kernel accepts."""
    proofs = {name: proof for name in catalogue() if (proof := proved(name))}
    with TemporaryDirectory() as folder:
        told = accepted(proofs, Path(folder))
    count = {name: sum(reading.certificate is not None for reading in proof.readings) for name, proof in proofs.items()}
    assert len(told) == sum(count.values())
    return {
        name: evidence.Certified(proof.claim.formula("ascii"), proof.claim.domain, count[name], proof.assumptions)
        for name, proof in proofs.items()
    }


if __name__ == "__main__":
    listed = {name: asdict(one) for name, one in gather().items()}
    PATH.write_text(json.dumps(listed, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    sys.stdout.write(f"wrote {PATH.name}: {len(listed)} of {len(catalogue())} laws\n")
