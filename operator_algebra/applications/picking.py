"""The numbers of task space: what picks frames from bodies, how it turns, and all picks side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from operator_algebra.arguments import choice, entries, flag, items, quoted, shown, word
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError, explain
from operator_algebra.models.model import Model, check_model
from operator_algebra.operators.leaves import local_blocks
from operator_algebra.operators.local import SPIN
from operator_algebra.spatial.arrays import FRAMES
from operator_algebra.spatial.transforms import phi_block
from operator_algebra.spatial.vectors import apply, block_matrix
from operator_algebra.symbols import V, X_abs

Floats = NDArray[np.float64]


def picks(
    model: Model,
    names: Sequence[str],
    *,
    linear: bool = False,
    q: Any = None,
    frame: Literal["body", "world"] = "body",
) -> dict[str, Floats]:
    """The value of B for frames, or for the bodies of joints, by name: six columns each, three with `linear`.

    Without q the columns are forces in the axes of each frame, and B is constant. With q, which may have leading axes,
    they are forces in the axes of the base, which see the frame turn: see `pick_rates`. `frame` is that of the program.
    The task then lists the bodies base to tip, and on one body the names as they were given.

    >>> import operator_algebra as oa
    >>> arm = oa.load("planar2r")
    >>> {name: block.shape for name, block in picks(arm, ["elbow"], linear=True).items()}
    {'elbow': (6, 3)}
    """
    choice(frame, "frame", FRAMES)
    if frame == "world" and q is None:
        raise InputError(f'picks of {check_model(model, "picks").name} in frame="world" depend on the pose. Give q.')
    columns = slice(3 if flag(linear, "linear") else 0, 6)
    turned = None if q is None else compile_program(X_abs, model)(q=q)[..., :3, :3]
    found: dict[str, Floats] = {}
    for name, (k, rotation, offset) in _places(model, names).items():
        if turned is None:
            block = phi_block(rotation, offset, np)
        else:
            block = _in_base_axes(turned[..., k, :, :], offset, frame)
        found[name] = block[..., columns]
    return found


def pick_rates(
    model: Model,
    names: Sequence[str],
    *,
    q: Any,
    v: Any,
    linear: bool = False,
    frame: Literal["body", "world"] = "body",
) -> dict[str, Floats]:
    """The value of B_dot for `picks` with q: Ḃ = −B ω̃, as axes that turn with the body see it.

    >>> import operator_algebra as oa
    >>> arm = oa.load("planar2r")
    >>> pick_rates(arm, ["elbow"], q=[0, 0], v=[1, 0], linear=True)["elbow"].shape
    (6, 3)
    """
    columns = slice(3 if flag(linear, "linear") else 0, 6)
    # The axes of the base: there ω is the same for a body and for all frames on it.
    motion = compile_program(V, model, frame="world")(q=q, v=v)
    spins = local_blocks(SPIN, motion.reshape(*motion.shape[:-1], model.n, 6))
    places = _places(model, names)
    blocks = picks(model, names, q=q, frame=frame)
    return {name: (-block @ spins[..., places[name][0], :, :])[..., columns] for name, block in blocks.items()}


def stack(model: Model, picked: Mapping[str, Any]) -> Floats:
    """The value of B_stacked from that of B, (..., 6n, columns): columns as the mapping lists them.

    >>> import operator_algebra as oa
    >>> arm = oa.load("planar2r")
    >>> stack(arm, picks(arm, ["elbow"], linear=True)).shape
    (12, 3)
    """
    check_model(model, "stack")
    given = entries(picked, f"what is picked of {model.name}", "names to blocks")
    blocks = {name: _numbers(model, name, block) for name, block in given.items()}
    if not blocks:
        raise InputError(f"nothing of {model.name} was picked. Name a joint or a frame.")
    for name, block in blocks.items():
        if block.ndim < 2 or block.shape[-2] != 6:
            what = f'the block at "{name}" has shape {block.shape}'
            raise InputError(explain(what, f"picks of {model.name}", "Give six rows, and a column for each direction."))
    lead = np.broadcast_shapes(*(block.shape[:-2] for block in blocks.values()))
    columns: list[Floats] = []
    for name, (k, _, _) in _places(model, list(blocks)).items():
        column = np.zeros((*lead, 6 * model.n, blocks[name].shape[-1]))
        column[..., 6 * k : 6 * k + 6, :] = blocks[name]
        columns.append(column)
    return np.concatenate(columns, axis=-1)


def _numbers(model: Model, name: object, block: object) -> Floats:
    """A block as floats."""
    where, remedy = f"picks of {model.name}", "Give six rows, and a column for each direction."
    try:
        found = np.asarray(block)
        found = found.astype(np.float64) if found.dtype.kind in "iuf" else None
    except Exception:  # noqa: BLE001  a value of the caller's own may fail in any way
        found = None
    if found is None or not np.isfinite(found).all():
        raise InputError(explain(f"the block at {quoted(name)} is no array of finite numbers", where, remedy))
    return found


def _in_base_axes(rotation: Floats, offset: Floats, frame: str) -> Floats:
    """Shift of a force in base axes from a point of a body to its origin, into the axes of `frame`."""
    same, zero = np.zeros_like(rotation) + np.eye(3), np.zeros_like(rotation)
    if frame == "world":
        return phi_block(same, apply(rotation, offset), np)
    back = np.swapaxes(rotation, -1, -2)
    return phi_block(np.eye(3), offset, np) @ block_matrix(((back, zero), (zero, back)), np)


def _places(model: Model, names: Sequence[str]) -> dict[str, tuple[int, Floats, Floats]]:
    """Body, rotation and offset in it, by name; a joint means the frame of its body."""
    check_model(model, "picks")
    wanted = [word(name, "the name of a joint or frame") for name in items(names, "what is picked", "different names")]
    if len(set(wanted)) < len(wanted):
        given = f"a name is given twice in {shown(wanted)}"
        raise InputError(explain(given, f"picks of {model.name}", "Give a list of different names."))
    return {name: _place(model, name) for name in wanted}


def _place(model: Model, name: str) -> tuple[int, Floats, Floats]:
    if name in model.joint_names:
        return model.joint_index(name), np.eye(3), np.zeros(3)
    frame = model.frames.get(name)
    if frame is None:
        known = ", ".join([*model.joint_names[:6], *list(model.frames)[:6]])
        what = f"there is no joint or frame {shown(name)}"
        raise InputError(explain(what, f"picks of {model.name}", f"There are {known}."))
    if frame.body is None:
        what = f'the frame "{name}" is fixed to the ground'
        raise InputError(explain(what, f"picks of {model.name}", "Name one that moves."))
    placement = frame.placement
    return model.body_index(frame.body), np.asarray(placement.rotation), np.asarray(placement.translation)
