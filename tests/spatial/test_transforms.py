"""Placements and rotations, against matrix exponentials and against each other."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_algebra.errors import ModelError
from operator_algebra.spatial import rotations
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement, phi_block, unit_vector
from operator_algebra.spatial.vectors import apply, skew
from tests.rounding import apart, condition, rounding, size
from tests.strategies import placements
from tests.wrong_numbers import not_numbers

ANGLES = [0.0, 1e-12, 1e-6, 1e-3, 0.05, 0.0999, 0.1, 0.1001, 1.0, 3.0, math.pi]
# Twenty terms of the series and a few squarings.
SERIES = rounding(terms=20)


def expm(matrix: np.ndarray) -> np.ndarray:
    """Matrix exponential by its series, after halving often enough for 20 terms to suffice."""
    halvings = max(0, math.ceil(math.log2(max(np.abs(matrix).max(), 1e-300))) + 2)
    term = total = np.eye(len(matrix))
    for k in range(1, 21):
        term = term @ matrix / (2.0**halvings * k)
        total = total + term
    for _ in range(halvings):
        total = total @ total
    return total


def _turn(angle: float) -> np.ndarray:
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    return angle * axis


@pytest.mark.parametrize("angle", ANGLES)
def test_rotation_about_an_axis_is_the_exponential(angle: float) -> None:
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    found = rotations.rotation_about(axis, np.array([angle]), np)
    assert apart(found, expm(skew(angle * axis, np))) <= SERIES


@pytest.mark.parametrize("angle", ANGLES)
def test_quaternion_exponential_and_logarithm(angle: float) -> None:
    turn = _turn(angle)
    quaternion = rotations.quaternion_exp(turn, np)
    assert apart(np.linalg.norm(quaternion), 1.0) <= rounding()
    assert apart(rotations.quaternion_matrix(quaternion, np), expm(skew(turn, np))) <= SERIES
    assert apart(rotations.quaternion_log(quaternion, np), turn) <= rounding(angle)
    assert apart(rotations.quaternion_log(-quaternion, np), turn) <= rounding(angle) or angle > 3.1


@pytest.mark.parametrize("angle", [*ANGLES, 6.0])
def test_left_jacobian_is_the_mean_rotation(angle: float) -> None:
    turn = _turn(angle)
    twist = np.zeros((4, 4))
    twist[:3, :3] = skew(turn, np)
    shift = np.array([0.3, -0.7, 0.2])
    twist[:3, 3] = shift
    assert apart(rotations.left_jacobian(turn, np) @ shift, expm(twist)[:3, 3]) <= SERIES


@pytest.mark.parametrize("angle", [*ANGLES, 6.0])
def test_left_jacobian_inverse(angle: float) -> None:
    jacobian, inverse = rotations.left_jacobian(_turn(angle), np), rotations.left_jacobian_inverse(_turn(angle), np)
    # The inverse grows like 1 / (2π − θ).
    assert apart(jacobian @ inverse, np.eye(3)) <= rounding(terms=3, condition=condition(jacobian))


def test_quaternion_product_composes_rotations() -> None:
    p, q = np.random.default_rng(0).standard_normal((2, 4))
    together = rotations.quaternion_matrix(rotations.quaternion_product(p, q, np), np)
    one_by_one = rotations.quaternion_matrix(p, np) @ rotations.quaternion_matrix(q, np)
    assert apart(together, one_by_one) <= rounding(terms=4)


def test_roll_pitch_yaw_turns_about_fixed_axes() -> None:
    roll, pitch, yaw = 0.3, -1.1, 2.0
    eye = np.eye(3)
    wanted = expm(skew(yaw * eye[2], np)) @ expm(skew(pitch * eye[1], np)) @ expm(skew(roll * eye[0], np))
    assert apart(Placement.from_rpy((roll, pitch, yaw)).rotation, wanted) <= 3 * SERIES


@pytest.mark.parametrize("turns", [-4, -3, -2, -1, 1, 2, 3, 4])
@pytest.mark.parametrize("k", range(3))
def test_the_float_nearest_to_a_quarter_turn_is_one(turns: int, k: int) -> None:
    """Its cosine is 6e-17, which would make every block of a mechanism full of what is nothing."""
    angle, axis = turns * math.pi / 2, np.eye(3)[k]
    half = angle / 2
    square = Placement.from_rpy((angle * axis).tolist())
    assert set(np.abs(square.rotation).ravel()) == {0.0, 1.0}
    assert apart(square.rotation, expm(skew(angle * axis, np))) <= 3 * SERIES * abs(turns)
    assert Placement.from_axis_angle(axis.tolist(), angle) == square
    if abs(turns) % 2:
        assert Placement.from_quaternion([math.cos(half), *(math.sin(half) * axis)]) == square


@given(st.floats(1e-300, 1e-3), st.sampled_from([-1, 0, 1]))
def test_small_turns_beside_quarter_turns_stay(small: float, turns: int) -> None:
    angle = turns * math.pi / 2 + small
    entries = np.array(Placement.from_rpy((0, 0, angle)).rotation)
    if angle != turns * math.pi / 2:
        assert (entries[:2, :2] != 0.0).all()


@given(placements())
def test_constructors_agree(place: Placement) -> None:
    rotation = np.array(place.rotation)
    angle = math.acos(max(-1.0, min(1.0, (np.trace(rotation) - 1.0) / 2.0)))
    if angle < 1e-3 or math.pi - angle < 1e-3:
        return  # the axis is ill-defined there
    axis = [rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]]
    for other in (
        Placement.from_axis_angle(axis, angle),
        Placement.from_rotation_vector((angle * np.array(axis) / np.linalg.norm(axis)).tolist()),
    ):
        # acos loses digits near its ends, as its slope 1 / sin(angle) says; the axis is divided by it, too.
        assert apart(other.rotation, rotation) <= rounding(terms=3, condition=2 / math.sin(angle))


@given(placements(), placements())
def test_composition_and_inverse(a: Placement, b: Placement) -> None:
    point = (0.3, -0.2, 0.9)
    allowed = rounding(size(point) + size(a.translation) + size(b.translation), terms=3)
    assert apart((a @ b).apply(point), a.apply(b.apply(point))) <= allowed
    assert apart(a.inverse().apply(a.apply(point)), point) <= allowed


@given(placements(), placements())
def test_phi_blocks_compose_like_placements(a: Placement, b: Placement) -> None:
    def phi(place: Placement) -> np.ndarray:
        return phi_block(np.array(place.rotation), np.array(place.translation), np)

    assert apart(phi(a) @ phi(b), phi(a @ b)) <= rounding(size(phi(a)) * size(phi(b)), terms=6)


def test_phi_moves_a_force_to_the_parent_origin() -> None:
    place = Placement.from_rpy((0, 0, math.pi / 2), (1.0, 0.0, 0.0))
    phi = phi_block(np.array(place.rotation), np.array(place.translation), np)
    # A push along the child's x is one along the parent's y, one metre from its origin.
    assert apart(phi @ [0, 0, 0, 1, 0, 0], [0, 0, 1, 0, 1, 0]) <= rounding()
    # Power is the same on both sides: φ* takes the parent's twist to the child's.
    twist = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    child = phi.T @ twist
    turn, move = twist[:3], twist[3:] + np.cross(twist[:3], place.translation)
    expected = np.concatenate([apply(np.array(place.rotation).T, part) for part in (turn, move)])
    assert apart(child, expected) <= rounding(terms=6)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Placement([[1, 0, 0], [0, 1, 0], [0, 0, 1.001]]), "not orthogonal"),
        (lambda: Placement([[1, 0, 0], [0, 1, 0], [0, 0, -1]]), "reflection"),
        (lambda: Placement([[1, 0, 0], [0, 1, 0]]), "3 rows"),
        (lambda: Placement(translation=(0, 0)), "needs 3 numbers"),
        (lambda: Placement(translation=(0, math.nan, 0)), "not finite"),
        (lambda: Placement(translation=(0, math.inf, 0)), "not finite"),
        (lambda: Placement(translation=(0, 10**400, 0)), "needs 3 numbers"),
        (lambda: Placement(translation="123"), "not the text"),  # pyright: ignore[reportArgumentType]
        (lambda: Placement(translation=("1", 2, 3)), "needs 3 numbers"),  # pyright: ignore[reportArgumentType]
        (lambda: Placement.from_quaternion((0, 0, 0, 0)), "quaternion is zero"),
        (lambda: Placement.from_quaternion((True, 0, 0, 0)), "needs 4 numbers"),
        (lambda: Placement.from_rotation_vector((1.7e308, 1.7e308, 0)), "rotation vector is too large"),
        (lambda: Placement.from_axis_angle((0, 0, 1), math.inf), "the angle is not a finite number"),
        (lambda: Placement.from_axis_angle((0, 0, 0), 1.0), "no direction"),
        (lambda: Placement.from_axis_angle((0, 0, 1), math.nan), "the angle is not a finite number"),
    ],
)
def test_bad_placements_are_refused(make: st.DataObject, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()  # pyright: ignore[reportCallIssue]


@given(st.lists(st.integers(-9, 9), min_size=3, max_size=3).filter(any), st.integers(-1074, 1020))
def test_directions_of_every_length(direction: list[int], exponent: int) -> None:
    tiny = [math.ldexp(x, exponent) for x in direction]
    norm = math.hypot(*direction)
    assert apart(unit_vector(tiny, "it"), np.array(direction) / norm) <= rounding()
    turned = Placement.from_quaternion((0.0, *tiny)).rotation
    axis = np.array(direction) / norm
    assert apart(turned, 2.0 * np.outer(axis, axis) - np.eye(3)) <= rounding(terms=3)


@pytest.mark.parametrize("name", not_numbers((3,)))
def test_translations_and_axes_are_real_numbers(name: str) -> None:
    given = not_numbers((3,))[name]
    for make in (
        lambda: Placement(translation=given),
        lambda: Inertia(1.0, com=given),
        lambda: unit_vector(given, "it"),
    ):
        with pytest.raises(ModelError, match="needs 3 numbers"):
            make()


def test_a_placement_is_a_value() -> None:
    a, b = (Placement(np.eye(3).tolist(), [1, 2, 3]) for _ in range(2))
    assert a == b
    assert hash(a) == hash(b)
    assert a.translation == (1.0, 2.0, 3.0)
