"""Files are short, package inits empty, and nothing points outside the repository."""

import ast
import re
import tomllib

import operator_algebra
from tests.house.tree import PACKAGE, ROOT, TEXTS, files, read, short

# Built from parts, so that this file passes its own test.
_OUTSIDE = re.compile(
    "|".join(
        [
            "/" + r"(?:work|root|opt|home)/\w",
            r"\bshared" + "/",
            r"py" + r"pi\.org",
            r"python" + r"hosted",
            r"registry\." + r"npm",
            "Open" + r"AI|Chat" + "GPT",
        ]
    )
)


def test_no_file_is_longer_than_400_lines() -> None:
    long = {short(path): count for path in files(".py") if (count := len(read(path).splitlines())) > 400}
    assert not long


def test_inits_below_the_top_level_are_empty() -> None:
    inits = [path for path in files(".py", below=PACKAGE) if path.name == "__init__.py" and path.parent != PACKAGE]
    assert not [short(path) for path in inits if read(path)]


def test_every_package_folder_has_an_init() -> None:
    folders = {path.parent for path in files(".py", below=PACKAGE)}
    assert not [short(folder) for folder in folders if not (folder / "__init__.py").is_file()]


def test_nothing_points_outside_the_repository() -> None:
    found = [
        f"{short(path)}:{number}: {hit[0]}"
        for path in [*files(*TEXTS), ROOT / ".ci" / "run"]
        for number, line in enumerate(read(path).splitlines(), 1)
        if (hit := _OUTSIDE.search(line))
    ]
    assert not found


def test_versions_agree() -> None:
    assert f"\nversion: {operator_algebra.__version__}\n" in read(ROOT / "CITATION.cff")
    assert f"\n## {operator_algebra.__version__}" in read(ROOT / "CHANGELOG.md")


def test_the_all_extra_names_every_other() -> None:
    project = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]
    extras = project["optional-dependencies"]
    (everything,) = extras.pop("all")
    assert set(re.findall(r"\w+", everything.partition("[")[2])) == set(extras)


def test_the_kernel_of_proofs_is_short_enough_to_be_read() -> None:
    """At most 200 lines of code, docstrings and blank lines aside."""
    text = read(PACKAGE / "proofs" / "kernel.py")
    told: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            told.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = enumerate(text.splitlines(), start=1)
    assert sum(bool(line.split("#")[0].strip()) and i not in told for i, line in lines) <= 200
