"""results.json: the same bytes for any number of processes and BLAS threads, and a report that stands alone."""

import json
import os
import re
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from operator_algebra.checking.check import check_all
from operator_algebra.checking.results import results
from operator_algebra.checking.suite import mechanism
from operator_algebra.cli.oracle import compare_gallery, sentence
from operator_algebra.cli.page import page
from operator_algebra.cli.report import write_report
from operator_algebra.identities.catalogue import catalogue, laws_of

_PROGRAM = """
import json, sys
from operator_algebra.checking import check
from operator_algebra.checking.results import results
from operator_algebra.checking.workers import workers
from operator_algebra.identities.catalogue import laws_of

few = ("forest5.7", "spread2", "free-inside", "tree20", "humanoid", "chain50")
check.suite = lambda: few
laws = [*laws_of("riccati"), *laws_of("costate")]
if __name__ == "__main__":
    with workers(int(sys.argv[1])) as pool:
        found = check.check_all(laws, samples=2, seed=5, executor=pool)
    print(json.dumps(results(found, samples=2, seed=5), sort_keys=True))
"""


def _bytes(folder: Path, jobs: int, threads: int) -> str:
    program = folder / "run.py"
    program.write_text(_PROGRAM, encoding="utf-8")
    env = os.environ | {"OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    run = subprocess.run([sys.executable, str(program), str(jobs)], capture_output=True, text=True, env=env, check=True)
    return run.stdout


def test_results_do_not_depend_on_processes_or_threads(tmp_path: Path) -> None:
    one = _bytes(tmp_path, 1, 1)
    assert json.loads(one)["fails"] == 0
    assert json.loads(one)["laws"][0]["mechanisms"][-1]["mechanism"] == "chain50"
    assert _bytes(tmp_path, 2, 2) == one


def test_results_hold_no_time_and_no_machine() -> None:
    checks = check_all(list(laws_of("brackets")), mechanism("tree4"), samples=2)
    data = results(checks, samples=2, seed=0)
    assert set(data) == {"format", "version", "seed", "samples", "holds", "inconclusive", "fails", "laws"}
    assert json.loads(json.dumps(data)) == data


class _Page(HTMLParser):
    """Collects tags and addresses, and whether tags are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href")]
        if tag not in ("br", "meta", "link", "img"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_report_is_one_file_that_loads_nothing(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    checks = check_all(list(catalogue("composite").values()), mechanism("tree4"), samples=2)
    path = write_report(checks, tmp_path, compare_gallery(0), samples=2, seed=0, seconds=1.0)
    page = _Page()
    text = path.read_text(encoding="utf-8")
    page.feed(text)
    assert page.open == []
    assert page.scripts == 0
    assert all(address.startswith(("#", "data:")) for address in page.addresses)
    assert not re.search(r"url\((?!#)", text)
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text
    for name in ("residuals", "factors", "robot", "flow", "scaling"):
        assert (tmp_path / f"{name}.png").stat().st_size > 0
        assert (tmp_path / f"{name}.svg").read_text(encoding="utf-8").count("<svg") == 1
    assert json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["fails"] == 0


def test_the_nearest_rows_are_of_different_laws_and_replay_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operator_algebra.checking.check.suite", lambda: ("tree4", "planar2r", "spread2"))
    checks = check_all(list(catalogue("*a*").values()), samples=2, seed=3)
    text = page(checks, {}, [], None, samples=2, seed=3, seconds=1.0)
    table = text.partition("Nearest to their bounds")[2].partition("</table>")[0]
    rows = [re.findall(r"<td[^>]*>(?:<code>)?(.*?)(?:</code>)?</td>", row) for row in table.split("</tr>")[1:-1]]
    assert len({law for law, *_ in rows}) == len(rows) == 12
    for law, mechanism_name, *_, replay in rows:
        assert unescape(replay).startswith("operator-algebra check ")
        assert f" --model {mechanism_name} --samples 2 --seed 3" in replay
        (check,) = (check for check in checks if check.law.name == unescape(law))
        assert max(check.rows, key=lambda row: row.ratio).mechanism == mechanism_name


def test_an_independent_engine_agrees() -> None:
    pytest.importorskip("mujoco")
    found = compare_gallery(seed=2)
    assert found is not None
    compared = [one for one in found if not one.note]
    assert len(compared) >= 11
    assert max(max(one.mass, one.bias) for one in compared) < 1e-12
    assert "MuJoCo's mass matrix and bias on 11 of 12" in sentence(found)


def test_what_is_said_without_the_engine() -> None:
    assert "not installed" in sentence(None)
