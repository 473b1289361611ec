"""The cross product of motions: skew, Jacobi, and its behaviour under rigid shifts."""

from operator_algebra.expressions.build import vector
from operator_algebra.identities.identity import Identity, Law, Twin
from operator_algebra.identities.themes.noise import ZERO
from operator_algebra.operators.spaces import FORCE, MOTION
from operator_algebra.symbols import E_phi, cross, crossbar

X, Y, Z, F = vector("X", MOTION), vector("Y", MOTION), vector("Z", MOTION), vector("F", FORCE)

LAWS: tuple[Law, ...] = (
    Identity(
        "cross product is skew",
        cross(X) @ Y,
        -(cross(Y) @ X),
        cites="diagonalized dynamics (5.5)",
        idea="ω₁ × ω₂ = −ω₂ × ω₁, also for the linear part. Its adjoint is X* Ỹ* = −Y* X̃* (proof of identity 6.2).",
        twins=(Twin("sign", cross(X) @ Y, cross(Y) @ X),),
    ),
    Identity(
        "a motion does not move itself",
        cross(X) @ X,
        ZERO,
        cites="diagonalized dynamics (7.4)",
        idea="The cross product is skew.",
        twins=(Twin("another motion", cross(X) @ Y, ZERO), Twin("as a force", cross(X).T @ F, ZERO)),
    ),
    Identity(
        "Jacobi identity",
        cross(X) @ cross(Z) @ Y,
        cross(cross(X) @ Z) @ Y + cross(Z) @ cross(X) @ Y,
        cites="diagonalized dynamics (5.5)",
        misprint="X × (Z × Y) = −Z × (X × Y)",
        idea="Motions are a Lie algebra: the bracket is a derivation of itself.",
        twins=(
            Twin("as printed", cross(X) @ cross(Z) @ Y, -(cross(Z) @ cross(X) @ Y)),
            Twin("sign", cross(X) @ cross(Z) @ Y, -(cross(cross(X) @ Z) @ Y) + cross(Z) @ cross(X) @ Y),
        ),
    ),
    Identity(
        "shifted bracket",
        cross(E_phi.T @ X) @ E_phi.T,
        E_phi.T @ cross(X),
        cites="diagonalized dynamics (6.10)",
        misprint="(6.9): φ(l) = [[I, l], [0, I]] without the cross product of l",
        idea="A rigid shift keeps brackets.",
        twins=(
            Twin("sign", cross(E_phi.T @ X) @ E_phi.T, -(E_phi.T @ cross(X))),
            Twin("shift on one side", cross(E_phi.T @ X) @ E_phi.T, cross(X) @ E_phi.T),
        ),
    ),
    Identity(
        "cross product with a known force",
        cross(X).T @ F,
        crossbar(F) @ X,
        idea="n × ω = −ω × n, row by row.",
        twins=(
            Twin("sign", cross(X).T @ F, -(crossbar(F) @ X)),
            Twin("star", cross(X).T @ F, crossbar(F).T @ X),
        ),
    ),
)
