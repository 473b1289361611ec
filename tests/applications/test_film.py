"""Films: cut by times, kept in files, refused where they do not fit, and what is read off them is that of dynamics."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import operator_algebra as oa
from operator_algebra.applications.simulation import Film, simulate
from operator_algebra.errors import InputError
from tests.rounding import apart, rounding, size

ARM = oa.chain(2)


@pytest.fixture(scope="module")
def film() -> Film:
    arm = oa.load("arm7")
    q, v = arm.random(0)
    return simulate(arm, q, v, until=0.2)


def test_a_film_is_cut_by_times(film: Film) -> None:
    part = film[0.05:0.1]
    assert part.model is film.model
    assert part.t.min() >= 0.05
    assert part.t.max() <= 0.1
    assert len(film[:0.1]) + len(film[0.1:]) - int((film.t == 0.1).sum()) == len(film)
    for wrong in (3, "a", slice(0, 1, 2), slice("a", None)):
        with pytest.raises(InputError, match="cut by times"):
            film[wrong]  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match=r"no frame lies between 3 s and inf s: the film runs from 0 s to 0.2 s"):
        film[3.0:]


def test_a_film_comes_back_from_its_file(film: Film, tmp_path: Path) -> None:
    film.save(tmp_path / "arm.npz")
    again = Film(model=film.model, **np.load(tmp_path / "arm.npz"))
    for name in "tqvT":
        assert (getattr(again, name) == getattr(film, name)).all()
    with pytest.raises(InputError, match=r"saved as .npz"):
        film.save(tmp_path / "arm.csv")


def test_a_film_does_not_change(film: Film) -> None:
    with pytest.raises(ValueError, match="read-only"):
        film.q[0, 0] = 1.0
    kept = np.array([0.0, 1.0])
    Film(kept, np.zeros((2, 2)), np.zeros((2, 2)), np.zeros((2, 2)), ARM)
    kept[0] = -1.0


def test_what_is_no_film_is_told(film: Film) -> None:
    for change, message in (
        ({"t": film.t[::-1]}, "Give times that increase"),
        ({"t": "now"}, "Give times that increase"),
        ({"q": film.q[1:]}, "the shapes of a film do not fit"),
        ({"v": film.v[:, None]}, "the shapes of a film do not fit"),
        ({"T": film.T[:, 1:]}, "T has shape"),
        ({"model": None}, "Film takes a model"),
    ):
        with pytest.raises(InputError, match=message):
            replace(film, **change)


def test_energy_is_that_of_dynamics(film: Film) -> None:
    energy = film.energy()
    mass = oa.evaluate(oa.dynamics.mass_matrix, film.model, q=film.q[3]).dense()
    assert apart(energy.kinetic[3], 0.5 * film.v[3] @ mass @ film.v[3]) <= rounding(size(energy.kinetic), terms=49)
    assert apart(energy.potential[3], oa.dynamics.potential_energy(film.model, q=film.q[3])) == 0.0
    assert energy.drift == size(energy.total - energy.total[0])
    assert repr(energy).startswith("Energy   kinetic ")


def test_poses_are_those_of_dynamics(film: Film) -> None:
    rotation, position = film.poses("tool")
    R, p = oa.dynamics.poses(film.model, q=film.q[4])["tool"]
    assert apart(rotation[4], R) <= rounding()
    assert apart(position[4], p) <= rounding(2.0)
    with pytest.raises(InputError, match='no body or frame "hand"'):
        film.poses("hand")


def test_a_film_says_what_it_is(film: Film) -> None:
    assert repr(film).startswith(f"Film of arm7   from 0 s to 0.2 s   {len(film)} frames   steps of ")
    assert repr(film) in film._repr_html_()  # pyright: ignore[reportPrivateUsage]
    many = simulate(ARM, np.zeros((2, 3, 2)), [0, 0], until=0.1, step=0.1)
    assert repr(many) == "Film of chain2   from 0 s to 0.1 s   2 frames   2 × 3 motions   steps of 0.1 s to 0.1 s"


def test_one_of_several_motions_is_a_film_of_its_own() -> None:
    q = np.linspace([0.0, 0.0], [1.0, 2.0], 6).reshape(2, 3, 2)
    many = simulate(ARM, q, [0.0, 0.0], until=0.1, step=0.1)
    one = many.motion(1, 2)
    assert (one.q[0] == q[1, 2]).all()
    assert (one.q == many.q[:, 1, 2]).all()
    assert (one.v == many.v[:, 1, 2]).all()
    assert one.T.shape == one.v.shape
    for wrong in ((1,), (1, 3), (-1, 0), (0, 1, 2), ("a", 0)):
        with pytest.raises(InputError):
            many.motion(*wrong)  # pyright: ignore[reportArgumentType]
    assert one.motion().q.shape == one.q.shape


def test_a_film_shows_where_it_ends(film: Film) -> None:
    assert "arm7" in {text.get_text() for text in film.robot().axes[0].texts}
