"""`describe`: the long form of any value, in plain text. It may look up laws and lower; reprs may not."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from operator_algebra.errors import InputError, NotLowerable, OperatorAlgebraError
from operator_algebra.expressions.build import inv, vector
from operator_algebra.expressions.nodes import Expr, Fixpoint, Product, Scale, Symbol, Transpose
from operator_algebra.expressions.query import Query
from operator_algebra.expressions.render import brief
from operator_algebra.expressions.summary import definition_of, described
from operator_algebra.expressions.traverse import postorder
from operator_algebra.identities.catalogue import catalogue, sides
from operator_algebra.identities.facts import facts
from operator_algebra.identities.identity import Identity, Law, Statement
from operator_algebra.markup import table, width
from operator_algebra.operators.spaces import Space, Type

_FORMULA = 44
_LINES = 40
_LAWS = 6
_BESIDE = 76
_ORDERS = "spatial blocks are [angular; linear], bodies stand base to tip, quaternions are w x y z"


def describe(x: object) -> str:
    """The long form of any public value; a text is the name of a law, or a formula.

    >>> from operator_algebra.symbols import H, phi
    >>> print(describe(H @ phi).splitlines()[1])
    ├─ H                  force → torque   block-diagonal
    """
    if isinstance(x, str):
        return describe(_named(x))
    if isinstance(x, Expr):
        return _expression(x)
    if isinstance(x, Query):
        return f"{x!r}\n{_facts([('asks', f'the {x.kind} of')])}\n{_expression(x.body)}"
    if isinstance(x, Identity | Statement):
        return _law(x)
    if isinstance(x, Type):
        return _facts([("type", repr(x)), ("takes", x.domain.name), ("delivers", x.codomain.name), ("star", repr(x.T))])
    if isinstance(x, Space):
        place = "a block for each body" if x.attached else "one block, of no body"
        return _facts([("space", x.name), ("dual", x.dual_name), ("blocks", f"{place}, sizes {x.sizes}")])
    return _other(x)


def _named(text: str) -> Expr | Law:
    from operator_algebra.symbols import parse

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
    raise InputError(f"describe knows the values of this package; {x!r} is a {kind.__name__}. Print it as it is.")


def _facts(rows: Sequence[tuple[str, str]]) -> str:
    return "\n".join(f"{label:<9}{text}" for label, text in rows if text)


def _expression(e: Expr) -> str:
    cites = e.cites if isinstance(e, Symbol | Fixpoint) else ""
    facts = _facts([("cites", cites), ("laws", _laws_of(e)), *_uses(e), ("orders", _ORDERS)])
    return f"{_tree(e)}\n{facts}"


def _tree(e: Expr) -> str:
    """One line for each part: formula, spaces, structure; a long tree is cut."""
    rows: list[tuple[str, str, str]] = []
    seen: set[Expr] = set()
    stack: list[tuple[Expr, str, str]] = [(e, "", "")]
    while stack and len(rows) < _LINES:
        node, mark, indent = stack.pop()
        rows.append(_line(node, mark, seen))
        seen.add(node)
        below = _parts(node, root=node is e and not mark)
        last = len(below) - 1
        for index in range(last, -1, -1):
            twig, cont = ("└─ ", "   ") if index == last else ("├─ ", "│  ")
            stack.append((below[index], indent + twig, indent + cont))
    more = [f"… {len(stack)} branches more"] if stack else []
    return "\n".join([table(rows), *more])


def _parts(node: Expr, *, root: bool) -> tuple[Expr, ...]:
    meaning = definition_of(node)
    if meaning is not None:
        return _parts(meaning, root=False) or (meaning,) if root else ()
    if isinstance(node, Transpose) or (isinstance(node, Scale) and isinstance(node.body, Symbol | Fixpoint)):
        return ()
    return node.children


def _line(node: Expr, mark: str, seen: set[Expr]) -> tuple[str, str, str]:
    meaning = definition_of(node)
    formula = brief(node, _FORMULA)
    if meaning is not None:
        formula += f"  = {brief(meaning, _FORMULA)}"
    notes = [_why(node)]
    if isinstance(node, Transpose):
        notes.append(f"(adjoint of {brief(node.body, 24)}{' above' if node.body in seen else ''})")
    structure = " ".join([described(node.structure), *filter(None, notes)])
    return mark + formula, repr(node.type) if node.typed else "any space", structure


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


def _uses(e: Expr) -> list[tuple[str, str]]:
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
    if width(apply) + width(invert) < _BESIDE:
        return [("apply", f"{apply}          invert  {invert}")]
    return [("apply", apply), ("invert", invert)]


def _lowered(make: Callable[[], Expr], text: str) -> str:
    from operator_algebra.lowering.lower import lower
    from operator_algebra.lowering.pseudocode import order

    try:
        program = lower(make())
    except NotLowerable as error:
        return str(error).split("\n")[0]
    except OperatorAlgebraError as error:
        return f"not lowered: {str(error).split(chr(10))[0]}"
    count = len(program.sweeps)
    return f"{text} to {count} sweep{'' if count == 1 else 's'}, {order(program)}"


def _law(law: Law) -> str:
    rows = [
        ("law", law.name),
        ("formula", law.formula()),
        *facts(law),
        ("twins", "; ".join(_twin(twin) for twin in law.twins)),
        ("check", f'oa.check("{law.name}")' if law.theme else "oa.check(law)"),
    ]
    return "\n".join(f"{label:<11}{text}" for label, text in rows if text)


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
