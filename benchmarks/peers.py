"""Other engines at the same states: Pinocchio where it is installed and has the joints of a mechanism."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import operator_algebra as oa
from tests.oracles.pinocchio_models import KINDS, Twin, twin

# Its data hold tensors of nv³ numbers: a thousand degrees of freedom would need tens of gigabytes.
MOST_FREEDOMS = 200


def pinocchio(model: oa.Model) -> Twin | None:
    """The mechanism in Pinocchio; None if it cannot be."""
    known = all(body.joint.kind in KINDS for body in model.bodies)
    if find_spec("pinocchio") is None or not known or model.nv > MOST_FREEDOMS:
        return None
    return twin(import_module("pinocchio"), model)
