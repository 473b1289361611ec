"""Answers that are not right, exercise by exercise: wrong ones, ones of the wrong kind, and junk."""

from collections.abc import Callable
from typing import Any

import numpy as np

import operator_algebra as oa

WRONG: dict[str, list[tuple[str, ...]]] = {
    "00_first_look": [
        ('("hip_pitch_fl", "knee_fl")', '("trunk", "trunk")'),
        ("13 * 13", "4 * 9 + 13 + 13", "0"),
        ('oa.load("arm7")', 'oa.load("quadruped")'),
    ],
    "01_one_pendulum": [("4.0", "0.01 + 1.0", "-4.01"), ('"A"', '"B"'), ("1.0", "0", "-0.1", "1e-300")],
    "02_two_links": [
        ("[0, 1, 0, 0, 0, 1]", "[0, 1, 0, 0, 0, 0]", "np.zeros(6)"),
        ("np.eye(18)", "np.zeros((18, 18))"),
        ("0.0", "np.pi", "1e300"),
    ],
    "03_phi_is_a_resolvent": [
        ("10", "12", "0", "-1", "10**30"),
        ("lambda x: x", "lambda x: x[::-1]", "lambda x: x @ x"),
        ("I", "I + K @ H @ psi", "I - K @ H @ phi"),
    ],
    "04_mass_matrix_three_ways": [
        ("(2, 2)", "(0, 1)", "(7, 9)", "(-1, 10**30)"),
        ("P", "P + psi_tilde @ P", "psi_tilde @ P @ phi_tilde.T"),
        ('oa.check("factor inverse", dog)', "oa.check(\"H phi M phi' H' = H R H'\", dog)"),
    ],
    "05_inverse_dynamics": [
        ("(1, 1, 1)", "(2, 2, 1)"),
        ("lambda qdd: np.zeros(7)", "lambda qdd: fast + 1", "lambda qdd: 1 / 0"),
        ("0.0", "1.0", "-1.7", "1e300"),
    ],
    "06_the_filter": [
        ('"A"', '"C"'),
        ('"P"', '"K"', '"psi"'),
        (
            "lambda before, variance, new, R: before",
            "lambda before, variance, new, R: before + variance / (variance + R) * new",
            "lambda before, variance, new, R: 1 / 0",
        ),
        ("4.0", "3", "0", "-12.0", "1e300"),
    ],
    "07_the_identity": [
        ('"A"',),
        ("I", "I + K @ H @ psi", "I - K @ H @ phi"),
        (
            '["phi - psi", "psi K H psi", "psi K H phi"]',
            '["phi - psi", "phi K H psi + psi K H phi", "psi K H phi"]',
        ),
    ],
    "08_forward_dynamics": [
        ('"G"', '"P"'),
        ("0.0", "-1.0", "np.exp(1)"),
        ("lambda: [np.eye(len(block)) for block in blocks]",),
    ],
    "09_trees_and_floating_bases": [
        ("(38, 38)", "(37, 38)", "(0, 0)"),
        ('oa.load("humanoid")', 'oa.load("pendulum")'),
        ('"A"', '"C"'),
    ],
    "10_numerical_truth": [
        ('"M = M"', '"phi = I"'),
        ('oa.load("pendulum")', 'oa.load("quadruped")'),
        ('"P"', '"phi"'),
    ],
    "11_task_space": [
        ("B.T @ oa.symbols.Upsilon @ B", "2 * B.T @ oa.symbols.Omega @ B"),
        ("0.0", "-1.0", "1e300"),
        ("np.zeros((6 * dog.n, 3))", "np.ones((6 * dog.n, 3))"),
    ],
    "12_constraints_and_impacts": [
        ("3", "2", "0", "-1", "10**30"),
        ("0.5", "0.25", "0.0", "1.0", "-0.7", "1e300"),
        ("v.T @ mass @ P_perp @ v", "0.5 * v.T @ mass @ v", "0.5 * v.T @ mass @ (v - P_perp @ v)"),
        ("three[:, :1] + three[:, 1:2]", "three[:, :1]", "np.zeros((18, 1))", "np.ones((18, 1))"),
    ],
    "13_energy_in_nu": [
        ('"A"', '"C"'),
        ("7", "0", "-1", "10**30"),
        ("xi.T @ D @ xi", "-0.5 * xi.T @ D @ xi", "0.25 * xi.T @ D @ xi"),
        ("np.log(100)", "1.0", "-2.3", "1e300"),
    ],
    "14_invent_your_own": [
        ('"B"',),
        ("H @ Q @ H.T + h * B", "H @ Q @ H.T + h * B + h * S", "H @ Q @ H.T - h * B - h * h * S"),
        ('["Riccati equation"]', "[]", "[psi_Q, E_Q]", "[phi, psi_Q]", "[phi, psi_Q, E_Q, K]"),
    ],
}

WRONG_KIND: dict[str, list[tuple[str, ...]]] = {
    "00_first_look": [
        ('"trunk"', '("trunk", "nose")', '("trunk", "knee_fl", "knee_fr")'),
        ("61.5", '"61"'),
        ('"arm7"',),
    ],
    "01_one_pendulum": [('"4.01"', "[4.01]", "float('nan')", "True"), ("0", '"D"', '["C"]'), ("(0.1,)", "1j")],
    "02_two_links": [
        ("[0, 1, 0]", "np.zeros((6, 1))", '"010000"'),
        ("first @ second", "phi"),
        ("'90'", "[[1], [2, 3]]"),
    ],
    "03_phi_is_a_resolvent": [
        ("11.0", '"eleven"'),
        ("phi", "3", "dog"),
        ("oa.inv(phi) @ psi", "H", "'H phi'", "7"),
    ],
    "04_mass_matrix_three_ways": [
        ("2", '("a", "b")', "(2.5, 3)"),
        ("psi @ M @ phi.T", "H", "0.5"),
        ("True", "\"H phi M phi' H' = H (R + phi_tilde R) H'\""),
    ],
    "05_inverse_dynamics": [
        ("4", '("1", "2", "1")'),
        ("fast", "np.ndarray", "lambda qdd: qdd[:3]", "lambda qdd: 'zero'"),
        ("measured", '"1.7 kg"'),
    ],
    "06_the_filter": [
        ('"D"', "1.618"),
        ('"gain"', "W"),
        ("before", "lambda before, variance, new, R: new[:3]", "np.ndarray"),
        ('"12 kg"', "[12.0]"),
    ],
    "07_the_identity": [
        ('"C"', "K"),
        ("inv(phi) @ psi", "H", "'H phi'", "7"),
        (
            '"phi - psi"',
            '["phi - psi", "psi K H phi"]',
            '["phi", "psi", "psi K H phi"]',
            '["phi - psi", "H", "psi K H phi"]',
        ),
    ],
    "08_forward_dynamics": [("D", '"D(k)"', '""'), ("blocks", '"log"'), ("blocks", "7")],
    "09_trees_and_floating_bases": [("75", "{38, 37}"), ("parents", "oa.Model"), ("1", '"all"')],
    "10_numerical_truth": [('"phi"', '"phi = "', "3.0"), ("10", '"cruel"'), ("3", '"pivot"')],
    "11_task_space": [
        ("B.T @ inv(oa.symbols.P) @ B", "B", '"B"'),
        ("np.eye(3)", '"heavy"'),
        ("both", "np.zeros(3)"),
    ],
    "12_constraints_and_impacts": [
        ('"one"', "1.5", "[1]"),
        ('"half"', "[0.7]", "1j"),
        ("P_perp @ v", "mass", "0.5", '"v P v"'),
        ("three", "three[:, 0]", '"across"'),
    ],
    "13_energy_in_nu": [
        ('"D"', "1.5"),
        ("1.0", '"one"', "shoulder"),
        ("D @ xi", "oa.dynamics.kinetic_energy", "energy"),
        ('"2.3 per second"', "[2.3]"),
    ],
    "14_invent_your_own": [
        ('"C"', "K"),
        ("inv(Q)", "phi", "'H Q H'", "7"),
        ('"phi"', "[H]", '["no such law"]', "[inverse, 3]"),
    ],
}


class Hostile:
    """A value that fails at whatever is asked of it."""

    def _fail(self, *_: object) -> Any:
        raise RuntimeError("no")

    __repr__ = __eq__ = __bool__ = __len__ = __iter__ = __array__ = __float__ = __index__ = __call__ = __hash__ = _fail


def _says_text(*_: object) -> str:
    return "text"


def junk() -> dict[str, object]:
    """Values of many kinds that answer nothing."""
    fails: Callable[..., object] = Hostile()
    values: list[object] = [
        *("", "no such thing", "phi = ", "A = B", "(((", b"bytes", True, 3.25, -7, 10**400, float("nan"), 1j),
        *([], {}, set[int](), (1, 2, 3), [[1], [2, 3]], object(), int, ValueError("x"), range(3), Ellipsis, fails),
        *(_says_text, np.array(["a"]), np.zeros((2, 2, 2)), oa.symbols.T, oa.symbols.I, oa),
    ]
    return {f"{index}: {type(value).__name__}": value for index, value in enumerate(values)}
