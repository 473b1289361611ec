"""The blocks of the local functions, entry by entry."""

from __future__ import annotations

from collections.abc import Mapping

Entries = tuple[tuple[int, ...], ...]
"""What stands where: i for x_i, −i for −x_i, counted from one, 0 for zero."""

_ZERO = (0, 0, 0)
_TURN = ((0, -3, 2), (3, 0, -1), (-2, 1, 0))
_SHIFT = ((0, -6, 5), (6, 0, -4), (-5, 4, 0))
_BELOW = tuple((*shift, *turn) for shift, turn in zip(_SHIFT, _TURN, strict=True))

LOCAL_ENTRIES: Mapping[str, Entries] = {
    "cross": (*((*turn, *_ZERO) for turn in _TURN), *_BELOW),
    "spin": (*((*turn, *_ZERO) for turn in _TURN), *((*_ZERO, *turn) for turn in _TURN)),
}
"""Of x = [ω; v]: cross is [[ω̃, 0], [ṽ, ω̃]], spin [[ω̃, 0], [0, ω̃]]."""
