"""Energies along a motion: what is drawn is what the film has, and the drift is said in words."""

import numpy as np
import pytest

import operator_algebra as oa
from operator_algebra.errors import InputError
from operator_algebra.views.energy import energy
from tests.rounding import apart
from tests.views.figures import words_of

ARM = oa.load("planar2r")
FILM = oa.simulate(ARM, [0.5, 0.0], [0.0, 0.0], until=0.2)


def test_the_lines_are_the_energies_of_the_film() -> None:
    upper, lower = energy(FILM).axes
    found = FILM.energy()
    drawn = {str(line.get_label()): np.asarray(line.get_ydata()) for line in upper.lines}
    for name, values in (("kinetic", found.kinetic), ("potential", found.potential), ("sum", found.total)):
        assert apart(drawn[name], values) == 0.0
    assert [line.get_label() for line in lower.lines] == ["of the energy, J"]


def test_the_drift_is_said() -> None:
    assert f"the sum strays by up to {FILM.energy().drift:.1e} J" in words_of(energy(FILM))
    assert "energy of planar2r" in words_of(energy(FILM))


def test_impacts_are_jumps_and_no_drift() -> None:
    stop = oa.events.limit("shoulder", upper=0.6, restitution=0.5)
    film = oa.simulate(ARM, [0.5, 0.0], [0.0, 0.0], until=0.2, events=[stop])
    found, figure = film.energy(), energy(film)
    upper, lower = figure.axes
    lost = float(found.total[0] - found.total[-1])
    assert lost > 1e6 * found.drift
    assert f"strays by up to {found.drift:.1e} J, and falls by {lost:.3g} J in one instant" in " ".join(
        words_of(figure)
    )
    assert upper.lines[-1].get_xdata() == [film.events[0].t] * 2
    assert float(np.asarray(lower.lines[0].get_ydata()).max()) == found.drift
    whole = oa.simulate(ARM, [0.5, 0.0], [0.0, 0.0], until=0.2, events=[oa.events.limit("shoulder", upper=0.6)])
    assert "and jumps by nothing more in one instant" in " ".join(words_of(energy(whole)))


def test_momentum_is_drawn_of_what_is_free_alone() -> None:
    stone = oa.Body("stone", None, oa.Joint.floating(), inertia=oa.Inertia(1.0, (0, 0, 0), (0.1, 0.2, 0.25)))
    held = oa.Body("stone", None, oa.Joint.floating(damping=1.0), inertia=stone.inertia)
    for body, gravity, drawn in ((stone, 0.0, 2), (stone, -9.81, 1), (held, 0.0, 1)):
        model = oa.Model(bodies=[body], gravity=(0, 0, gravity))
        film = oa.simulate(model, model.neutral(), np.ones(6), until=0.1)
        assert len(energy(film).axes[1].lines) == drawn


def test_axes_of_the_caller_show_energies_alone() -> None:
    from matplotlib.figure import Figure

    figure = Figure()
    assert energy(FILM, ax=figure.subplots()) is figure
    assert len(figure.axes) == 1


def test_what_is_no_film_of_one_motion_is_told() -> None:
    with pytest.raises(InputError, match="Give what simulate returns"):
        energy(ARM)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match=r"film\.motion\(0\)"):
        energy(oa.simulate(ARM, np.zeros((2, 2)), [0.0, 0.0], until=0.1, step=0.1))
