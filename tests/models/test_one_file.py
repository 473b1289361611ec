"""A new kind of joint is one file in `models/joints/`: here one that the package does not have, beside its own."""

import subprocess
import sys
from pathlib import Path

_FILE = '''
"""The elbow joint: two turns about axes at a right angle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from operator_algebra.models.joints.joint import Mark
from operator_algebra.models.joints.universal import Universal


@dataclass(frozen=True, kw_only=True, repr=False)
class Elbow(Universal):
    """A universal joint by another name."""

    kind: ClassVar[str] = "elbow"
    mark: ClassVar[Mark] = Mark("L", "o")
'''

_USE = """
import sys
from operator_algebra.models import joints

joints.__path__.append(sys.argv[1])

import operator_algebra as oa
from operator_algebra.checking.suite import MOVING, coverage, mechanism, suite
from operator_algebra.models.joints.joint import JOINT_KINDS
from operator_algebra.views.content.joints import letters_of

assert JOINT_KINDS[-1] == "elbow" == MOVING[-1]
model = oa.chain(3, joint=["elbow", "revolute"])
assert letters_of(model) == {"elbow": "L", "revolute": "R"}
for ending in ("toml", "urdf"):
    model.save(f"{sys.argv[1]}/robot.{ending}")
assert oa.load(f"{sys.argv[1]}/robot.toml").bodies == model.bodies
assert oa.load(f"{sys.argv[1]}/robot.urdf").nv == model.nv
assert {"elbow-alone", "elbow-root", "elbow-outboard"} < set(suite())
assert mechanism("elbow-outboard").joint_names
assert ("kinds of joints", "1 of 11") in coverage(["elbow-alone"])

tree = oa.random_tree(5, joints=["elbow", "spherical"], seed=0)
assert oa.compile(oa.dynamics.mass_matrix, tree)(q=tree.random(1)[0]).shape == (tree.nv, tree.nv)
assert oa.check("left exchange", tree)
"""


def test_a_kind_is_one_file(tmp_path: Path) -> None:
    (tmp_path / "elbow.py").write_text(_FILE, encoding="utf-8")
    subprocess.run([sys.executable, "-c", _USE, str(tmp_path)], check=True)
