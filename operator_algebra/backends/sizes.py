"""How large the blocks of a value are at a body."""

from __future__ import annotations

from collections.abc import Mapping

from operator_algebra.errors import InputError
from operator_algebra.lowering.directsum import summands
from operator_algebra.models.model import Model
from operator_algebra.operators.layout import Layout
from operator_algebra.operators.spaces import Space, counted_by


def block_size(model: Model, layouts: Mapping[str, Layout], space: Space, k: int) -> int:
    """The block size of a space at a body: of a direct sum, of columns, or of a space with a layout."""
    counted = counted_by(space)
    if counted is not None:
        sizes, place = counted
        layout = layouts[sizes]
        return layout.size if place is None else int(layout.sizes[place_of(model, place)])
    parts = [layouts[part.sizes] for part in summands(space)]
    return sum(int(layout.sizes[k]) if layout.attached else layout.size for layout in parts)


def place_of(model: Model, name: int | str) -> int:
    """The body that an index or a joint name means."""
    if isinstance(name, str):
        return model.joint_index(name)
    if not -model.n <= name < model.n:
        raise InputError(f"there is no body {name}: {model.name} has bodies 0 to {model.n - 1}.")
    return name % model.n
