"""`describe`: the long form of any value, in plain text. It may look up laws and lower; reprs may not."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from operator_algebra.applications.cited import meant
from operator_algebra.applications.legend import legend, meaning
from operator_algebra.arguments import shown, whole
from operator_algebra.errors import InputError, NotLowerable, OperatorAlgebraError
from operator_algebra.expressions.build import inv, vector
from operator_algebra.expressions.nodes import Expr, Fixpoint, Product, Scale, Symbol, Transpose
from operator_algebra.expressions.query import Query
from operator_algebra.expressions.render import brief
from operator_algebra.expressions.summary import definition_of, described
from operator_algebra.expressions.traverse import postorder
from operator_algebra.identities.catalogue import catalogue, law_named, sides
from operator_algebra.identities.facts import facts
from operator_algebra.identities.identity import Identity, Law, Statement
from operator_algebra.identities.papers import Result, is_citation, result
from operator_algebra.markup import pad, table, width, wrapped
from operator_algebra.operators.spaces import Space, Type

COLUMNS = 100
_NARROWEST = 20
_LONGEST = 480
_LINES = 40
_LAWS = 6
_BESIDE, _BETWEEN = 76, 27
_ORDERS = "spatial blocks are [angular; linear], bodies stand base to tip, quaternions are w x y z"


def describe(x: object, *, columns: int = COLUMNS) -> str:
    """The long form of any public value; a text is the name of a law, a citation, or a formula.

    Lines of formulas and laws are at most `columns` wide where words and spaces allow it.

    >>> from operator_algebra.symbols import H, phi
    >>> print(describe(H @ phi).splitlines()[1])
    ├─ H                  force → torque   block-diagonal
    """
    whole(columns, "describe: columns", least=_NARROWEST)
    if isinstance(x, str):
        return describe(_named(x), columns=columns)
    if isinstance(x, Expr):
        return _expression(x, columns)
    if isinstance(x, Query):
        return f"{x!r}\n{_facts([('asks', f'the {x.kind} of')])}\n{_expression(x.body, columns)}"
    if isinstance(x, Identity | Statement):
        return _law(x, columns)
    if isinstance(x, Result):
        return _result(x, columns)
    if isinstance(x, Type):
        return _facts([("type", repr(x)), ("takes", x.domain.name), ("delivers", x.codomain.name), ("star", repr(x.T))])
    if isinstance(x, Space):
        place = "a block for each body" if x.attached else "one block, of no body"
        return _facts([("space", x.name), ("dual", x.dual_name), ("blocks", f"{place}, sizes {x.sizes}")])
    return _other(x)


def _named(text: str) -> Expr | Query | Law | Result:
    from operator_algebra.symbols import parse

    if is_citation(text):
        return result(text)
    found = catalogue(text)
    return found[text] if text in found else parse(text)


def _other(x: object) -> str:
    kind = type(x)
    page = _PAGES.get(kind.__name__)
    if page is not None and kind.__module__.startswith("operator_algebra."):
        return page(x)
    if isinstance(x, type) and x.__module__.startswith("operator_algebra"):
        return f"{x.__name__}\n\n{inspect.getdoc(x) or ''}".rstrip()
    if isinstance(x, ModuleType) and x.__name__.startswith("operator_algebra"):
        return inspect.getdoc(x) or x.__name__
    if inspect.isroutine(x) and (x.__module__ or "").startswith("operator_algebra"):
        signature = str(inspect.signature(x)).replace("'", "")
        return f"{x.__name__}{signature}\n\n{inspect.getdoc(x) or ''}".rstrip()
    if kind.__module__.startswith("operator_algebra"):
        return str(x)
    raise InputError(f"describe knows the values of this package; {shown(x)} is a {kind.__name__}. Print it as it is.")


def _facts(rows: Sequence[tuple[str, str]], columns: int = COLUMNS, label: int = 9) -> str:
    return "\n".join(wrapped(f"{name:<{label}}{text}", columns, label) for name, text in rows if text)


def _expression(e: Expr, columns: int) -> str:
    cites = e.cites if isinstance(e, Symbol | Fixpoint) else ""
    tree, complete = _tree(e, columns)
    written = "" if complete else brief(_meant(e), _LONGEST)
    facts = [("means", meaning(e)), ("formula", written), ("cites", cites), ("laws", _laws_of(e)), *_uses(e, columns)]
    parts = [tree, _facts(facts, columns), _where(e, columns), _facts([("orders", _ORDERS)], columns)]
    return "\n".join(part for part in parts if part)


def _meant(e: Expr) -> Expr:
    """The definition of a name; any other formula itself."""
    meant = definition_of(e)
    return e if meant is None else meant


def _where(e: Expr, columns: int) -> str:
    """A line for each name in the formula: what it is equal to, and what that means."""
    entries = legend(e)
    names = max((width(entry.name) for entry in entries), default=0)
    lines: list[str] = []
    for entry in entries:
        definition = [f"= {brief(entry.definition, _LONGEST)}"] if entry.definition is not None else []
        told = "   ".join([*definition, entry.meaning])
        label = "" if lines else "where"
        lines.append(wrapped(f"{label:<9}{pad(entry.name, names)}  {told}".rstrip(), columns, 11 + names))
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Detail:
    """How much the lines of a tree say: columns of a formula, whether definitions and notes stand beside it."""

    formula: int
    definitions: bool = True
    notes: bool = True
    structures: bool = True


_DETAILS = (
    _Detail(44),
    _Detail(28),
    _Detail(44, definitions=False),
    _Detail(44, definitions=False, notes=False),
    _Detail(24, definitions=False, notes=False),
    _Detail(24, definitions=False, notes=False, structures=False),
    _Detail(12, definitions=False, notes=False, structures=False),
)


def _tree(e: Expr, columns: int) -> tuple[str, bool]:
    """One line for each part, as much of it as fits: formula, spaces, structure; and whether all of e is written."""
    detail, text = _DETAILS[-1], ""
    for detail in _DETAILS:
        text = "\n".join(_lines(e, detail))
        if max(map(width, text.splitlines())) <= columns:
            break
    meant = definition_of(e)
    complete = width(e.render()) <= detail.formula if meant is None else detail.definitions
    return text, complete and width(_meant(e).render()) <= detail.formula


def _lines(e: Expr, detail: _Detail) -> list[str]:
    """The tree line by line; a long one is cut."""
    rows: list[tuple[str, ...]] = []
    seen: set[Expr] = set()
    stack: list[tuple[Expr, str, str]] = [(e, "", "")]
    while stack and len(rows) < _LINES:
        node, mark, indent = stack.pop()
        rows.append(_line(node, mark, seen, detail))
        seen.add(node)
        below = _parts(node, root=node is e and not mark)
        last = len(below) - 1
        for index in range(last, -1, -1):
            twig, cont = ("└─ ", "   ") if index == last else ("├─ ", "│  ")
            stack.append((below[index], indent + twig, indent + cont))
    more = [f"… {len(stack)} branches more"] if stack else []
    return [table(rows), *more]


def _parts(node: Expr, *, root: bool) -> tuple[Expr, ...]:
    meaning = definition_of(node)
    if meaning is not None:
        return _parts(meaning, root=False) or (meaning,) if root else ()
    if isinstance(node, Transpose) or (isinstance(node, Scale) and isinstance(node.body, Symbol | Fixpoint)):
        return ()
    return node.children


def _line(node: Expr, mark: str, seen: set[Expr], detail: _Detail) -> tuple[str, ...]:
    meaning = definition_of(node)
    formula = brief(node, detail.formula)
    if meaning is not None and detail.definitions:
        formula += f"  = {brief(meaning, detail.formula)}"
    notes = [_why(node)] if detail.notes else []
    if isinstance(node, Transpose) and detail.notes:
        notes.append(f"(adjoint of {brief(node.body, 24)}{' above' if node.body in seen else ''})")
    structure = " ".join([described(node.structure), *filter(None, notes)])
    spaces = repr(node.type) if node.typed else "any space"
    return (mark + formula, spaces, structure) if detail.structures else (mark + formula, spaces)


def _why(node: Expr) -> str:
    """The reason why A S A* is definite."""
    if not (isinstance(node, Product) and node.structure.definite and len(node.children) % 2):
        return ""
    half = len(node.children) // 2
    left = " ".join(brief(factor, 24) for factor in node.children[:half])
    return f"({brief(node.children[half], 24)} definite, {left} of full row rank)"


def _laws_of(e: Expr) -> str:
    """The laws that hold e, those about e itself first; names of laws contain commas."""
    found = [law for law in catalogue().values() if any(_holds(side, e) for side in sides(law))]
    found.sort(key=lambda law: all(side is not e for side in sides(law)))
    more = [f"{len(found) - _LAWS} more"] if len(found) > _LAWS else []
    return "; ".join([*(law.name for law in found[:_LAWS]), *more])


def _holds(side: Expr, e: Expr) -> bool:
    """Whether e stands in a side of a law, as a part or as neighbouring factors of a product."""
    factors = e.children if isinstance(e, Product) else ()
    for node in postorder(side):
        if node is e:
            return True
        if factors and isinstance(node, Product):
            others, width = node.children, len(factors)
            if any(others[i : i + width] == factors for i in range(len(others) - width + 1)):
                return True
    return False


def _uses(e: Expr, columns: int) -> list[tuple[str, str]]:
    """What lowering says of applying and of inverting e."""
    if not e.typed or (isinstance(e, Symbol) and e.origin == "input"):
        return []
    if e.type.domain.sizes == "one":
        return [("value", _lowered(lambda: e, "lowers"))]
    x = vector("x", e.type.domain)
    apply = _lowered(lambda: e @ x, "e @ x lowers")
    if not e.type.same_sizes or e.structure.strict:
        return [("apply", apply)]
    y = vector("y", e.type.codomain)
    invert = _lowered(lambda: inv(e) @ y, "inv(e) @ y lowers")
    if width(apply) + width(invert) < min(_BESIDE, columns - _BETWEEN):
        return [("apply", f"{apply}          invert  {invert}")]
    return [("apply", apply), ("invert", invert)]


def _lowered(make: Callable[[], Expr], text: str) -> str:
    from operator_algebra.lowering.lower import lower
    from operator_algebra.pages.pseudocode import order

    try:
        program = lower(make())
    except NotLowerable as error:
        return str(error).split("\n")[0]
    except OperatorAlgebraError as error:
        return f"not lowered: {str(error).split(chr(10))[0]}"
    count = len(program.sweeps)
    return f"{text} to {count} sweep{'' if count == 1 else 's'}, {order(program)}"


def _law(law: Law, columns: int) -> str:
    rows = [
        ("law", law.name),
        ("formula", law.formula()),
        *facts(law),
        ("twins", "; ".join(_twin(twin) for twin in law.twins)),
        ("check", f'oa.check("{law.name}")' if law.theme else "oa.check(law)"),
    ]
    return _facts(rows, columns, 11)


def _result(one: Result, columns: int) -> str:
    """What a paper has under a number: a line for each name, and the laws in full, or the only name."""
    rows = [
        ("citation", one.citation),
        ("about", one.says),
        ("misprint", one.misprint),
        ("not here", one.out),
        *((label, _line_of(name)) for label, name in zip(("here", *[""] * len(one.names)), one.names, strict=False)),
    ]
    found = [_law(law_named(name), columns) for name in one.laws]
    if not found and len(one.names) == 1:
        found = [describe(meant(one.names[0]), columns=columns)]
    return "\n\n".join([_facts(rows, columns, 11), *found])


def _line_of(name: str) -> str:
    """A name of the index and what it is: a formula, or the first line about it."""
    value = meant(name)
    if isinstance(value, Expr):
        text = brief(_meant(value), _LONGEST)
        return f"{name} = {text}" if text != value.render() or "." in name else f"{name}   {meaning(value)}"
    return f"oa.{name}   {(inspect.getdoc(value) or '').partition(chr(10))[0]}"


def _twin(twin: Any) -> str:
    return f"{getattr(twin, 'slip', None) or twin.name} (false)"


def _block_matrix(matrix: Any) -> str:
    """Storage, extreme values and, while it is small, the condition number."""
    import numpy as np

    entries = np.abs(np.asarray(matrix.sparse().data, dtype=float))
    stored = entries[entries > 0]
    span = f"{stored.min():.3g} to {stored.max():.3g} in magnitude" if stored.size else "all zero"
    rows, cols = matrix.shape
    condition = ""
    if rows == cols and 0 < rows <= 400:
        condition = f"{np.linalg.cond(matrix.dense()):.2g}"
    storage = f"{matrix.nnz} blocks, {entries.size} numbers, {entries.nbytes / 1e6:.3g} MB"
    facts = [("storage", storage), ("entries", span), ("condition", condition), ("orders", _ORDERS)]
    return f"{matrix!r}\n" + "\n".join(f"{label:<11}{text}" for label, text in facts if text)


def _two_forms(value: object) -> str:
    """The line and the page, if they differ."""
    line, page = repr(value), str(value)
    return page if page.startswith(line) or line == page else f"{line}\n\n{page}"


_PAGES: dict[str, Callable[[Any], str]] = {
    "BlockMatrix": _block_matrix,
    "Program": _two_forms,
    "Compiled": _two_forms,
    "Check": _two_forms,
    "Model": lambda model: f"{_two_forms(model)}\n{_facts([('orders', _ORDERS)])}",
}

__all__ = ["describe"]
