"""How large the blocks of a value are at a body, and a model as programs see it."""

from __future__ import annotations

from collections.abc import Mapping

from operator_algebra.errors import InputError
from operator_algebra.models.model import Model
from operator_algebra.operators.layout import Layout
from operator_algebra.operators.spaces import Space
from operator_algebra.programs.mechanism import Mechanism


def block_size(model: Model, layouts: Mapping[str, Layout], space: Space, k: int) -> int:
    """The block size of a space at a body: of a direct sum, of columns, or of a space with a layout."""
    if space.parts:
        return sum(block_size(model, layouts, part, k) for part in space.parts)
    if space.counted is not None:
        layout, place = layouts[space.counted.family], space.counted.place
        return layout.size if place is None else int(layout.sizes[place_of(model, place)])
    layout = layouts[space.sizes]
    return int(layout.sizes[k]) if layout.attached else layout.size


def place_of(model: Model, name: int | str) -> int:
    """The body that an index or a joint name means."""
    if isinstance(name, str):
        return model.joint_index(name)
    if not -model.n <= name < model.n:
        raise InputError(f"there is no body {name}: {model.name} has bodies 0 to {model.n - 1}.")
    return name % model.n


def mechanism_of(model: Model, layouts: Mapping[str, Layout]) -> Mechanism:
    """The tree of a model, with the block sizes of its spaces."""
    sizes = {family: layout.sizes.tolist() for family, layout in layouts.items()}
    return Mechanism(tuple(model.parent), sizes, model.joint_names)
