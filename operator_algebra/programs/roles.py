"""The equations that give values their roles: what the compiler, the bounds, the names and the pages know them by.

Jain, *Robot and Multibody Dynamics* (Springer, 2011), chapters 7 and 9; `programs.schemes` says how they are written.
"""

from __future__ import annotations

from operator_algebra.programs.schemes import system

UPDATE = system(
    "X = P − P [A] inv(D) [A]* P",
    "D = [A]* P [A] + …",
)
"""What Joseph's form is another form of."""

ELIMINATION = system("X = P − P [A] inv(D) [B] P")
"""What hands rounding on."""

COMPOSITE = system("R = M + in(E_phi, R)")

RICCATI = system(
    "P_plus = P − P H* inv(D) H P",
    "P = M + in(E_phi, P_plus)",
    "D = H P H* + …",
)
"""The articulated body inertias; further terms of D are noise: armature, springs and dampers of an implicit step."""

GAIN = system("G = P H* inv(D)")
COMPLEMENT = system("tau_bar = 1 − P H* inv(D) H")

COSTATE = system(
    "Upsilon = ± H* inv(D) H + tau_bar* Upsilon_plus tau_bar",
    "Upsilon_plus = out(E_phi, Upsilon)",
)
"""Read with P and D of a Riccati equation, and its complement; by the lower sign −Υ."""

DIAGONAL = system("diagonal = inv(D) ± inv(D) H P Upsilon_plus P H* inv(D)")
"""D⁻¹ + G* Υ⁺ G."""

INNOVATION = system(
    "epsilon = ± H z + …",
    "z_plus = z ∓ P H* inv(D) epsilon",
)
"""ε = T − H z and z⁺ = z + G ε."""

NAMED_PIVOT = system("X = inv(D)")
NAMED_GAIN = system("G = [A] inv(D)")
NAMED_FACTOR = system("F = inv(D) [A]")
NAMED_COMPLEMENT = system("tau_bar = 1 − G B", "G = [A] inv(D)")
NAMED_INNOVATION = system("nu = c inv(D) epsilon")
"""Of any mechanism of any formula, whatever the leaves: names of values."""

PASSING = system("X = 1 − … inv(D) …")
HANDING = system("X = c [A] inv(D)")
"""What elimination leaves of any formula: what crosses a body, what is handed on."""
