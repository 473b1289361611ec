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
from operator_algebra.cli.reporting import write as report
from operator_algebra.cli.reporting.oracle import compare_gallery, sentence
from operator_algebra.cli.reporting.page import page
from operator_algebra.cli.reporting.write import write_report
from operator_algebra.expressions.mathml import mathml
from operator_algebra.identities.catalogue import catalogue, laws_of
from operator_algebra.identities.claims import laws_of as laws_named
from operator_algebra.identities.facts import domain, page_name
from operator_algebra.identities.identity import Identity
from tests.house.tree import ROOT
from tests.rounding import rounding

_PROGRAM = """
import json, sys
from operator_algebra.checking import check, search
from operator_algebra.checking.results import results
from operator_algebra.checking.workers import workers
from operator_algebra.identities.catalogue import laws_of

few = ("forest5.7", "spread2", "free-inside", "tree20", "humanoid", "chain50")
search.suite = lambda: few
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
        assert tag != "script" or not attrs
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href")]
        if tag not in ("br", "meta", "link", "img", "input"):
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
    assert page.scripts == 1
    own = [ROOT / built for built in report.BUILT]
    for address in page.addresses:
        target = (tmp_path / address.partition("#")[0]).resolve()
        assert address.startswith(("#", "data:")) or any(map(target.is_relative_to, own))
    assert not re.search(r"https?://(?!www\.w3\.org/)|\bfetch\(|XMLHttpRequest|\bimport\b", text)
    assert not re.search(r"url\((?!#)", text)
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text
    for name in ("residuals", "factors", "robot", "flow", "scaling"):
        assert (tmp_path / f"{name}.png").stat().st_size > 0
        assert (tmp_path / f"{name}.svg").read_text(encoding="utf-8").count("<svg") == 1
    assert json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["fails"] == 0


def test_laws_stand_worst_first_and_replay_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operator_algebra.checking.search.suite", lambda: ("tree4", "planar2r", "spread2"))
    laws = [*catalogue("*a*").values(), *laws_named("inv(I + H phi K) = I + H psi K")]
    checks = [check for check in check_all(laws, samples=2, seed=3) if check.rows]
    text = page(checks, {}, [], None, samples=2, seed=3, seconds=1.0)
    shown = re.findall(r'<details class="law" id="(.*?)" data-verdict="(.*?)"(.*?)</details>', text, re.DOTALL)
    assert shown[0][1] == "FAILS"
    found = {page_name(check.law): check for check in checks}
    assert len(found) == len(shown) == len(checks)
    order: list[tuple[int, float]] = []
    for anchor, verdict, line in shown:
        check = found[anchor]
        worst = max(check.rows, key=lambda row: (row.fails > 0, row.inconclusive > 0, row.ratio))
        replay = unescape(line.partition("<td>replay</td><td><code>")[2].partition("</code>")[0])
        assert replay.startswith("operator-algebra check ")
        assert f" --model {worst.mechanism} --samples 2 --seed 3" in replay
        assert f"{worst.residual:.0e} / {worst.bound:.0e}" in line
        order.append((["FAILS", "inconclusive", "holds"].index(verdict), -worst.ratio))
    assert order == sorted(order)


def test_laws_are_typeset_explained_and_found_by_the_filter() -> None:
    checks = check_all(list(laws_of("composite")), mechanism("tree4"), samples=1)
    text = page(checks, {}, [], None, samples=1, seed=0, seconds=1.0)
    lines = dict(re.findall(r'<details class="law" id="(.*?)"(.*?)</details>', text, re.DOTALL))
    for law in laws_of("composite"):
        line = unescape(lines[page_name(law)])
        assert (unescape(mathml(law.lhs, law.rhs)) if isinstance(law, Identity) else law.formula()) in line
        assert domain(law) in line
        assert law.idea in line
        words = line.partition('data-text="')[2].partition('"')[0]
        assert all(
            word.lower() in words for word in (law.name, law.formula(), law.formula("ascii"), "composite", "tree4")
        )
    assert '<div class="filter" hidden="hidden">' in text  # only the script, which filters, shows it


def test_a_law_that_was_not_tried_says_so() -> None:
    (law,) = catalogue("costate covariance of a free base").values()
    text = page(check_all([law], mechanism("planar2r"), samples=1), {}, [], None, samples=1, seed=0, seconds=1.0)
    assert '<span class="where">none in its domain</span>' in text
    assert "0e+00" not in text


def test_each_law_links_to_its_page_where_the_pages_were_built() -> None:
    checks = check_all(list(catalogue().values())[:3], mechanism("planar2r"), samples=1)
    built = page(checks, {}, [], None, samples=1, seed=0, seconds=1.0, documentation="../docs/_build/html")
    for check in checks:
        assert f'href="../docs/_build/html/catalogue/{check.law.theme}.html#{page_name(check.law)}"' in built
    assert "sphinx-build" not in built
    alone = page(checks, {}, [], None, samples=1, seed=0, seconds=1.0)
    assert "<a " not in alone
    assert "sphinx-build docs out/docs" in alone


def _no_pictures(*_: object) -> dict[str, tuple[str, str]]:
    return {}


@pytest.mark.parametrize("built", ["out/docs", "docs/_build/html"])
def test_pages_are_linked_where_the_readme_and_the_gate_build_them(
    built: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "sphinx-build docs out/docs" in (ROOT / "README.md").read_text(encoding="utf-8")
    monkeypatch.setattr(report, "_CHECKOUT", tmp_path)
    monkeypatch.setattr(report, "_pictures", _no_pictures)
    checks = check_all(list(laws_of("brackets")), mechanism("tree4"), samples=1)
    (tmp_path / built / "catalogue").mkdir(parents=True)
    (tmp_path / built / "catalogue" / "index.html").touch()
    path = write_report(checks, tmp_path / "out" / "check", None, samples=1, seed=0, seconds=1.0)
    (address, *_) = re.findall(r'href="([^"#]+/catalogue/)', path.read_text(encoding="utf-8"))
    assert (path.parent / address).resolve() == (tmp_path / built / "catalogue").resolve()


def test_laws_have_anchors_of_their_own() -> None:
    names = [page_name(law) for law in catalogue().values()]
    assert len(set(names)) == len(names)


def test_an_independent_engine_agrees() -> None:
    pytest.importorskip("mujoco")
    found = compare_gallery(seed=2)
    assert found is not None
    compared = [one for one in found if not one.note]
    assert len(compared) == 13
    # Relative to the largest entry; the largest mechanism of the gallery is a snake of forty bodies.
    assert max(max(one.mass, one.bias) for one in compared) <= rounding(terms=9 * 40)
    assert "MuJoCo's mass matrix and bias on 13 of 16" in sentence(found)


def test_what_is_said_without_the_engine() -> None:
    assert "not installed" in sentence(None)
