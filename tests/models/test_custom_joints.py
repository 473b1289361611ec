"""A user's own joint: taken when its methods agree, refused with the reason when they don't."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from operator_algebra.errors import ModelError
from operator_algebra.models import kinematics
from operator_algebra.models.joints.cylindrical import Cylindrical
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.model import Body, Model
from operator_algebra.spatial.arrays import Array, ArrayNamespace, ManifoldNamespace, Vector3
from operator_algebra.spatial.inertia import Inertia
from tests.oracles.by_body import joint_map_rates, joint_maps
from tests.rounding import apart, rounding, size


@dataclass(frozen=True, kw_only=True, repr=False)
class Cam(Joint):
    """Lifts along z by a sine of the angle about z: the map depends on q."""

    kind: ClassVar[str] = "cam"
    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1

    lift: float = 0.1

    def transform(self, q: Array, xp: ArrayNamespace) -> tuple[Array, Array]:
        s, c, zero = xp.sin(q[..., 0]), xp.cos(q[..., 0]), xp.zeros_like(q[..., 0])
        one = zero + 1.0
        rows = ((c, -s, zero), (s, c, zero), (zero, zero, one))
        rotation = xp.stack([xp.stack(row, axis=-1) for row in rows], axis=-2)
        return rotation, xp.stack([zero, zero, self.lift * s], axis=-1)

    def motion_map(self, q: Array, xp: ArrayNamespace) -> Array:
        zero = xp.zeros_like(q[..., 0])
        column = (zero, zero, zero + 1.0, zero, zero, self.lift * xp.cos(q[..., 0]))
        return xp.stack(column, axis=-1)[..., None]

    def motion_map_rate(self, q: Array, v: Array, xp: ArrayNamespace) -> Array:
        zero = xp.zeros_like(q[..., 0])
        column = (zero, zero, zero, zero, zero, -self.lift * xp.sin(q[..., 0]) * v[..., 0])
        return xp.stack(column, axis=-1)[..., None]


class Slider(Joint):
    """The shortest joint there is: no fields, a constant map."""

    kind = "slider"
    nq = 1
    nv = 1

    def transform(self, q: Array, xp: ArrayNamespace) -> tuple[Array, Array]:
        return xp.broadcast_to(np.eye(3), (*q.shape[:-1], 3, 3)), q * np.array([1.0, 0.0, 0.0])

    def motion_map(self, q: Array, xp: ArrayNamespace) -> Array:
        return xp.broadcast_to(np.eye(6)[:, 3:4], (*q.shape[:-1], 6, 1))


def test_good_joints_are_taken() -> None:
    assert not Cam(lift=0.2).has_constant_map
    assert Slider().has_constant_map
    assert Cam(lift=0.2) == Cam(lift=0.2)
    assert Cam(lift=0.2) != Cam(lift=0.3)


def test_models_evaluate_them_like_the_others() -> None:
    ball = Inertia.sphere(1.0, 0.1, com=(0.2, 0, 0))
    model = Model(
        bodies=[
            Body("a", None, Joint.revolute(), inertia=ball),
            Body("b", "a", Cam(lift=0.2), inertia=ball),
            Body("c", "b", Cam(lift=0.3), inertia=ball),
            Body("d", "a", Slider(), inertia=ball),
        ]
    )
    q, v = model.random(3)
    batch = np.stack([q, q[::-1]])
    rotation, position = kinematics.joint_transforms(model, batch, np)
    maps = joint_maps(model, batch)
    rates = joint_map_rates(model, batch, np.stack([v, v]))
    for k, body in enumerate(model.bodies):
        for sample in range(2):
            own = batch[sample, model.q_slices[k]]
            R, p = body.joint.transform(own, np)
            allowed = rounding(1.0 + size(own))
            assert apart(rotation[sample, k], R) <= allowed
            assert apart(position[sample, k], p) <= allowed
            assert apart(maps[k][sample], body.joint.motion_map(own, np)) <= allowed
            assert apart(rates[k][sample], body.joint.motion_map_rate(own, v[model.v_slices[k]], np)) <= allowed


class Turntable(Slider):
    """A joint with an integrate of its own, and a rate that can be wrong."""

    kind = "turntable"
    factor = 1.0

    def integrate(self, q: Array, dv: Array, xp: ManifoldNamespace) -> Array:
        return q + 1.0 * dv

    def rate(self, q: Array, v: Array, xp: ArrayNamespace) -> Array:
        return self.factor * v + 0.0 * q


def test_the_rate_has_to_be_that_of_integrate() -> None:
    class Twice(Turntable):
        kind = "twice"
        factor = 2.0

    Turntable()
    with pytest.raises(ModelError, match="rate disagrees with integrate"):
        Twice()


def test_a_joint_without_rate_is_named_when_it_is_asked_for() -> None:
    class Unrated(Turntable):
        kind = "unrated"
        rate = Joint.rate

    model = Model(bodies=[Body("a", None, Unrated(name="belt"), inertia=Inertia.sphere(1.0, 0.1))])
    assert model.integrate([0.5], [0.25]) == [0.75]
    with pytest.raises(ModelError, match=r'"belt" of kind .unrated.: it has an integrate of its own and no rate'):
        model.rate([0.5], [0.25])


def test_files_cannot_hold_them(tmp_path: object) -> None:
    model = Model(bodies=[Body("a", None, Slider(), inertia=Inertia.sphere(1.0, 0.1))])
    with pytest.raises(ModelError, match="kind 'slider' is not one of the package's"):
        model.save(f"{tmp_path}/x.toml")


class WrongSign(Slider):
    kind = "wrong sign"

    def motion_map(self, q: Array, xp: ArrayNamespace) -> Array:
        return -super().motion_map(q, xp)


class WrongOrder(Slider):
    kind = "linear first"

    def motion_map(self, q: Array, xp: ArrayNamespace) -> Array:
        return xp.broadcast_to(np.eye(6)[:, 0:1], (*q.shape[:-1], 6, 1))


class NoRate(Cam):
    kind = "no rate"
    motion_map_rate = Joint.motion_map_rate


class WrongRate(Cam):
    kind = "wrong rate"

    def motion_map_rate(self, q: Array, v: Array, xp: ArrayNamespace) -> Array:
        return 2.0 * super().motion_map_rate(q, v, xp)


class Stretching(Slider):
    kind = "stretching"

    def transform(self, q: Array, xp: ArrayNamespace) -> tuple[Array, Array]:
        rotation, position = super().transform(q, xp)
        return 2.0 * rotation, position


class NoBatch(Slider):
    kind = "no batch"

    def transform(self, q: Array, xp: ArrayNamespace) -> tuple[Array, Array]:
        return np.eye(3), np.array([q.flat[0], 0.0, 0.0])


class Crashing(Slider):
    kind = "crashing"

    def motion_map(self, q: Array, xp: ArrayNamespace) -> Array:
        return q["x"]


class WrongShape(Slider):
    kind = "wrong shape"

    def motion_map(self, q: Array, xp: ArrayNamespace) -> Array:
        return xp.broadcast_to(np.eye(6)[3], (*q.shape[:-1], 6))


class NoTransform(Joint):
    kind = "no transform"
    nq = nv = 1


class Nameless(Slider):
    kind = ""


class Taken(Slider):
    kind = "revolute"


class NoIntegrate(Slider):
    kind = "no integrate"
    nq = 2

    def transform(self, q: Array, xp: ArrayNamespace) -> tuple[Array, Array]:
        return super().transform(q[..., :1], xp)


class NotANumber(Slider):
    kind = "nan"

    def motion_map(self, q: Array, xp: ArrayNamespace) -> Array:
        return super().motion_map(q, xp) * np.nan


class WrongSeries(Cylindrical):
    kind = "other hand"

    def series(self) -> tuple[tuple[str, Vector3], ...]:
        return (("prismatic", self.axis), ("revolute", self.axis))


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (WrongSeries, "series disagrees with transform"),
        (WrongSign, r"motion_map disagrees with transform at q = .*column 0 is"),
        (WrongOrder, r"Columns are \[angular; linear\]"),
        (NoRate, "there is no motion_map_rate"),
        (WrongRate, "not the derivative of motion_map"),
        (Stretching, "not a rotation"),
        (NoBatch, "leading axes"),
        (Crashing, "fail on NumPy arrays"),
        (WrongShape, r"motion_map has shape \(6,\) where \(6, 1\) is needed"),
        (NoTransform, "it has no transform"),
        (Nameless, "the class has no kind"),
        (Taken, "a kind of the package has this name"),
        (NoIntegrate, "Write integrate"),
        (NotANumber, "disagrees with transform"),
    ],
)
def test_joints_that_contradict_themselves_are_refused(kind: type[Joint], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        kind()


def test_a_joint_made_without_the_base_is_refused_by_the_model() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Half(Slider):
        kind: ClassVar[str] = "half"

        def __post_init__(self) -> None:
            pass

    with pytest.raises(ModelError, match=r"Call super\(\).__post_init__\(\)"):
        Model(bodies=[Body("a", None, Half(), inertia=Inertia.sphere(1.0, 0.1))])
