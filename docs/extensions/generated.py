"""Pages of facts: written from the package each time the documentation is built, so that they cannot drift."""

from __future__ import annotations

import ast
import inspect
import json
import re
import shutil
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from typer.testing import CliRunner

import operator_algebra
from operator_algebra import symbols
from operator_algebra.bench import goals
from operator_algebra.cli.main import app
from operator_algebra.expressions.nodes import Expr, Fixpoint, Symbol
from operator_algebra.identities.catalogue import law_named
from operator_algebra.identities.facts import page_name
from operator_algebra.identities.papers import Result, index
from operator_algebra.operators.spaces import Space
from operator_algebra.programs.instructions import WORDS, Instruction

from .one_arm import one_arm_page

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

_DOCS = Path(__file__).parents[1]
_NOTEBOOKS = _DOCS.parent / "notebooks"

# A public name stands under the first heading that lists a prefix of its module.
_SECTIONS = {
    "Mechanisms": ("models", "spatial"),
    "Language": ("expressions", "operators.spaces", "rates", "symbols"),
    "Truth": ("evaluation", "operators", "identities", "checking", "proofs"),
    "Programs": ("programs", "lowering", "compiler", "calls", "backends"),
    "Motion": ("applications",),
    "Seen": ("views", "description"),
}


def _section(home: str) -> str:
    return next(title for title, prefixes in _SECTIONS.items() if home.startswith(prefixes))


_SIZES = {
    "spatial": "6 numbers for each body",
    "joint": "one number for each degree of freedom of a joint",
    "one": "a single number",
}


def _directive(name: str) -> str:
    value = getattr(operator_algebra, name)
    if isinstance(value, Space):
        text = f"The space *{value.name}*, dual to *{value.dual_name}*: {_SIZES[value.sizes]}."
        return f".. data:: operator_algebra.{name}\n\n   {text}\n"
    kind = "class" if inspect.isclass(value) else "function" if inspect.isfunction(value) else "data"
    members = "   :members:\n   :special-members: __call__\n"
    options = {"class": members, "function": "", "data": "   :no-value:\n"}[kind]
    return f".. auto{kind}:: operator_algebra.{name}\n{options}"


def names_page() -> str:
    """Every public name that is not a module, by subject."""
    titles: dict[str, list[str]] = {title: [] for title in _SECTIONS}
    for name in dir(operator_algebra):
        value = getattr(operator_algebra, name)
        if not name.startswith("_") and not isinstance(value, ModuleType):
            titles[_section(operator_algebra._HOME[name])].append(name)
    parts = ["# Public names\n\nEverything here is reached as `oa.<name>` after `import operator_algebra as oa`.\n"]
    for title, names in titles.items():
        if names:
            directives = "\n".join(map(_directive, names))
            parts.append(f"## {title}\n\n```{{eval-rst}}\n{directives}```\n")
    return "\n".join(parts)


def errors_page() -> str:
    """The exceptions and warnings."""
    return (
        "# Errors\n\n```{eval-rst}\n.. automodule:: operator_algebra.errors\n   :members:\n   :show-inheritance:\n```\n"
    )


def _definition(e: Expr) -> str:
    if isinstance(e, Symbol) and e.definition is not None:
        return f"${e.definition.render('latex')}$"
    return f"solves ${e.render('latex')} = {e.body.render('latex')}$" if isinstance(e, Fixpoint) else ""


def _row(name: str, e: Expr) -> str:
    formula = f"${e.render('latex')}$"
    cells = [f"`{name}`", formula, str(e.type), str(e.structure), _definition(e), getattr(e, "cites", "")]
    return "| " + " | ".join(cells) + " |"


def vocabulary_page() -> str:
    """Every name of `operator_algebra.symbols`, in reading order."""
    head = "| name | printed | type | structure | definition | source |\n|---|---|---|---|---|---|\n"
    rows = "\n".join(_row(name, e) for name, e in symbols.vocabulary().items())
    return f"---\nhide-toc: true\n---\n\n# Vocabulary\n\nThe operators of `operator_algebra.symbols`.\n\n{head}{rows}\n"


def application_page(home: ModuleType, title: str) -> str:
    """The formulas and functions of an application, in the order of the file; then what it hands on from others."""
    parts: list[str] = []
    handed_on: list[str] = []
    for node in ast.parse(inspect.getsource(home)).body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                directive = f".. autodata:: {home.__name__}.{name}\n   :no-value:\n"
            case ast.ClassDef(name=name):
                directive = f".. autoclass:: {home.__name__}.{name}\n"
            case ast.FunctionDef(name=name):
                directive = f".. autofunction:: {home.__name__}.{name}\n"
            case ast.ImportFrom(names=aliases):
                public = getattr(home, "__all__", ())
                handed_on += [_handed_on(home, alias.name) for alias in aliases if alias.name in public]
                continue
            case _:
                continue
        if not name.startswith("_"):
            parts.append(directive)
    directives = "\n".join(parts + handed_on)
    called = home.__name__.rpartition(".")[2]
    return f"# {title}\n\nThe names of `oa.{called}`.\n\n```{{eval-rst}}\n{directives}```\n"


def _handed_on(home: ModuleType, name: str) -> str:
    kind = "autoclass" if inspect.isclass(getattr(home, name)) else "autofunction"
    options = "   :members:\n" if kind == "autoclass" else ""
    if name in operator_algebra._HOME:  # the page of names is where links lead
        options += "   :no-index:\n"
    return f".. {kind}:: {home.__name__}.{name}\n{options}"


def commands_page() -> str:
    """What each command says of itself."""
    runner = CliRunner(env={"COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"})
    parts = ["# Commands\n"]
    for command in ("", *(str(info.name) for info in app.registered_commands)):
        text = runner.invoke(app, [*command.split(), "--help"], prog_name="operator-algebra").output
        lines = "\n".join(line.rstrip() for line in text.strip().splitlines())
        parts.append(f"## {f'operator-algebra {command}'.strip()}\n\n```text\n{lines}\n```\n")
    return "\n".join(parts)


def papers_page() -> str:
    """Every numbered result of the papers, and where it is in the package."""
    parts = [
        "---\nhide-toc: true\n---\n\n# Results of the papers\n",
        "Where each numbered result of {doc}`sources` is: laws, which `check` tries, and names. "
        '`operator-algebra show "review (12)"` prints one.\n',
    ]
    for paper, results in index().items():
        rows = "\n".join(map(_result_row, results))
        parts.append(f"## {paper.capitalize()}\n\n| number | about | here |\n|---|---|---|\n{rows}\n")
    return "\n".join(parts)


def _result_row(one: Result) -> str:
    laws = [f"{{ref}}`{name} <{page_name(law_named(name))}>`" for name in one.laws]
    left = [f"*not here: {one.out}*"] if one.out else []
    misprint = _MARKS.sub(r"\\\g<0>", one.misprint)
    about = f"{one.says}<br>*Printed there*: {misprint}" if misprint else one.says
    number = f"({one.number})" if one.number[0].isdigit() else one.number
    return f"| {number} | {about} | {'; '.join([*laws, *(f'`{name}`' for name in one.names), *left])} |"


_WHERE = {"L": "here", "U": "at the children", "D": "at the parent", "R": "at all bodies"}
_MARKS = re.compile(r"[|*_<]")


def _instruction_row(kind: type[Instruction]) -> str:
    """Its word, its fields in order with where they are read, and what it means."""
    read = {one.name: f" {_WHERE.get(one.where, f'where `{one.where}` comes from')}" for one in kind.readings}
    takes = "<br>".join(f"`{one.name}`{read.get(one.name, '')}" for one in fields(kind))
    parts = " ".join((inspect.getdoc(kind) or "").split()).split("`")
    parts[::2] = [_MARKS.sub(r"\\\g<0>", part) for part in parts[::2]]
    return f"| `{kind.word}` | {takes} | {'`'.join(parts)} |"


def instructions_table() -> str:
    """Every instruction, in the order of the records."""
    rows = "\n".join(map(_instruction_row, WORDS.values()))
    return f"| word | fields, and where they are read | means |\n|---|---|---|\n{rows}\n"


def speed_tables() -> str:
    """The run of `operator-algebra bench` that was kept last."""
    return goals.markdown(json.loads((_DOCS / "_static" / "speed.json").read_text(encoding="utf-8")))


def _write(sphinx: Sphinx) -> None:
    pages = {
        "reference/names.md": names_page(),
        "reference/vocabulary.md": vocabulary_page(),
        "reference/dynamics.md": application_page(operator_algebra.dynamics, "Dynamics"),
        "reference/embedding.md": application_page(operator_algebra.embedding, "Embedding"),
        "reference/diagonalized.md": application_page(operator_algebra.diagonalized, "Diagonalised dynamics"),
        "reference/estimation.md": application_page(operator_algebra.estimation, "Dynamics as estimation"),
        "reference/decomposition.md": application_page(operator_algebra.decomposition, "The mass matrix taken apart"),
        "reference/task_space.md": application_page(operator_algebra.task_space, "Task space"),
        "reference/constraints.md": application_page(operator_algebra.constraints, "Constraints"),
        "reference/impacts.md": application_page(operator_algebra.impacts, "Impacts"),
        "reference/sensitivities.md": application_page(operator_algebra.sensitivities, "Derivatives of dynamics"),
        "reference/geometry.md": application_page(operator_algebra.geometry, "Geometry of the mass matrix"),
        "reference/global_form.md": application_page(operator_algebra.global_form, "All bodies at once"),
        "reference/lie.md": application_page(operator_algebra.lie, "Displacements and screws"),
        "reference/events.md": application_page(operator_algebra.events, "Events of motions"),
        "reference/simulation.md": application_page(operator_algebra.simulation, "Simulation"),
        "reference/papers.md": papers_page(),
        "reference/course.md": application_page(operator_algebra.course, "Course"),
        "reference/commands.md": commands_page(),
        "reference/errors.md": errors_page(),
        "explain/instructions.inc": instructions_table(),
        "explain/speed.inc": speed_tables(),
        "explain/one_arm.md": one_arm_page(),
    }
    for path, text in pages.items():
        target = _DOCS / path
        if not target.is_file() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")
    for notebook in sorted(_NOTEBOOKS.glob("*.ipynb")):
        (_DOCS / "learn").mkdir(exist_ok=True)
        shutil.copyfile(notebook, _DOCS / "learn" / notebook.name)


def setup(sphinx: Sphinx) -> ExtensionMetadata:
    """Called by Sphinx."""
    sphinx.connect("builder-inited", _write)
    return {"parallel_read_safe": True}
