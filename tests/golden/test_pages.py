"""Programs read as they were reviewed: names, order, loops, reasons, in every style and numbering."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from operator_algebra.expressions.nodes import Expr
from operator_algebra.lowering.lower import lower
from tests.golden.pages import APPLICATIONS, FOLDER, pages, text
from tests.house.tree import PACKAGE, read

PAGES = pages()
NAMES = [path.relative_to(FOLDER).as_posix() for path in PAGES]
WITHOUT_FORMULAS = {
    "__init__",
    "cited",
    "closing",
    "colliding",
    "crossings",
    "diagnosis",
    "displacements",
    "events",
    "film",
    "happening",
    "holding",
    "keeping",
    "legend",
    "picking",
    "readout",
    "running",
    "screws",
    "stepping",
}


@pytest.mark.parametrize("name", NAMES)
def test_pages_are_as_reviewed(name: str) -> None:
    path = FOLDER / name
    assert text(PAGES[path]) == read(path)


def test_every_page_is_in_use() -> None:
    assert sorted(FOLDER.rglob("*.txt")) == sorted(PAGES)


def test_every_application_has_its_pages() -> None:
    modules = {path.stem for path in (PACKAGE / "applications").glob("*.py")}
    assert modules - WITHOUT_FORMULAS == set(APPLICATIONS)


def section(path: Path, style: str, numbering: str) -> list[str]:
    """One style and numbering of a page."""
    sections = re.split(
        r"^==== (\w+), (\w+) numbering ====\n", read(path).partition("==== unicode, with")[0], flags=re.M
    )[1:]
    found = {(sections[i], sections[i + 1]): sections[i + 2] for i in range(0, len(sections), 3)}
    return found[style, numbering].strip().splitlines()


@pytest.mark.parametrize("style", ["unicode", "ascii", "latex"])
@pytest.mark.parametrize("name", NAMES)
def test_numbering_changes_the_loop_lines_only(name: str, style: str) -> None:
    model, paper = section(FOLDER / name, style, "model"), section(FOLDER / name, style, "paper")
    assert len(model) == len(paper)
    differing = [(a, b) for a, b in zip(model, paper, strict=True) if a != b]
    assert all("for" in a and "for" in b for a, b in differing)
    assert all(re.search(r"k = (N|1)", b) for _, b in differing)


@pytest.mark.parametrize("name", NAMES)
def test_ascii_pages_are_ascii(name: str) -> None:
    for numbering in ("model", "paper"):
        assert "\n".join(section(FOLDER / name, "ascii", numbering)).isascii()


@pytest.mark.parametrize("name", NAMES)
def test_every_name_that_is_read_is_given_or_computed(name: str) -> None:
    lines = section(FOLDER / name, "ascii", "model")
    body = [line for line in lines[1:] if re.match(r"    \S", line)]
    head = lines[0]
    computed = {match[1] for line in body if (match := re.match(r" +(\w+)(?:\([kij](?:,[kij])?\))? +=", line))}
    given = set(re.findall(r"\w+", head.partition(" result ")[0])) | {"I", "inv", "root", "cross", "crossbar", "w"}
    for line in body:
        if "=" not in line:
            continue
        formula = line.partition("=")[2].split("    ")[0]
        read_names = set(re.findall(r"([A-Za-z_]\w*)\(", formula)) - {"sum", "tr", "det"}
        assert read_names <= computed | given, line


@pytest.mark.parametrize("name", NAMES)
def test_latex_is_balanced(name: str) -> None:
    page = "\n".join(section(FOLDER / name, "latex", "model"))
    assert page.count("{") == page.count("}")
    assert page.count(r"\left") == page.count(r"\right")
    assert page.startswith(r"\begin{aligned}")
    assert page.endswith(r"\end{aligned}")
    assert all(line.endswith(r"\\") for line in page.splitlines()[1:-2])


@pytest.mark.parametrize("name", NAMES)
def test_every_style_has_the_same_assignments(name: str) -> None:
    # Each assignment is one line with one "=" that follows its name.
    counts = {
        style: sum(
            1 for line in section(FOLDER / name, style, "model")[1:] if re.match(r"(    \S|& \\quad ).* = ", line)
        )
        for style in ("unicode", "ascii", "latex")
    }
    assert len(set(counts.values())) == 1, counts


def test_the_inverse_reads_like_the_articulated_body_algorithm() -> None:
    e = PAGES[FOLDER / "mass_matrix" / "inverse_times_force.txt"]
    assert isinstance(e, Expr)
    lines = [
        " ".join(line.split("    over")[0].split("    p is")[0].split()) for line in lower(e).pseudocode().splitlines()
    ]
    assert lines[2:15] == [
        "for k from the tips to the base",
        "P(k) = M(k) + Σ φ(k,c) P⁺(c) φ(k,c)*",
        "D(k) = H(k) P(k) H(k)*",
        "G(k) = P(k) H(k)* D(k)⁻¹",
        "P⁺(k) = P(k) − G(k) H(k) P(k)",
        "z(k) = Σ φ(k,c) z⁺(c)",
        "ε(k) = T(k) − H(k) z(k)",
        "z⁺(k) = z(k) + G(k) ε(k)",
        "ν(k) = D(k)⁻¹ ε(k)",
        "for k from the base to the tips",
        "α⁺(k) = φ(p,k)* α(p)",
        "x(k) = ν(k) − G(k)* α⁺(k)",
        "α(k) = α⁺(k) + H(k)* x(k)",
    ]
