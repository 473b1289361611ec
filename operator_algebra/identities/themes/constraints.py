"""Constraints A v = 0 with A = C* φ* H*, and impacts into them: projections in the metric of kinetic energy."""

from operator_algebra.expressions.build import operator, scalar, vector
from operator_algebra.identities.identity import Identity, Law, Twin
from operator_algebra.identities.themes.noise import ZERO
from operator_algebra.operators.spaces import FORCE, space
from operator_algebra.symbols import D, H, I, K, M, Omega, T, inv, phi, psi, v

_rows = space("row", attached=False)
_C = operator("C", _rows.dual >> FORCE)
_target = vector("target", _rows)
_e = scalar("restitution")
_A = _C.T @ phi.T @ H.T
_mass = H @ phi @ M @ phi.T @ H.T
_inverse = inv(_mass)
_mobility = _A @ _inverse @ _A.T
_P_perp = _inverse @ _A.T @ inv(_mobility) @ _A
_forces = inv(_mobility) @ (_target - _A @ _inverse @ T)
_after = v - (1 + _e) * _P_perp @ v

LAWS: tuple[Law, ...] = (
    Identity(
        "mobility of constraints",
        _mobility,
        _C.T @ Omega @ _C,
        cites="review (21)",
        idea="Ω = φ* H* ℳ⁻¹ H φ.",
        twins=(
            Twin("sign", _mobility, -(_C.T @ Omega @ _C)),
            Twin("φ for ψ", _mobility, _C.T @ phi.T @ H.T @ inv(D) @ H @ phi @ _C),
        ),
    ),
    Identity(
        "response to constraint forces",
        _inverse @ _A.T,
        (I - H @ psi @ K).T @ inv(D) @ H @ psi @ _C,
        idea="(I − H ψ K) H φ = H ψ.",
        twins=(
            Twin("φ for ψ", _inverse @ _A.T, (I - H @ psi @ K).T @ inv(D) @ H @ phi @ _C),
            Twin("sign", _inverse @ _A.T, (I + H @ psi @ K).T @ inv(D) @ H @ psi @ _C),
        ),
    ),
    Identity(
        "constraints keep their accelerations",
        _A @ _inverse @ (T + _A.T @ _forces),
        _target,
        cites="geometric treatment (20)",
        idea="The multipliers solve for just that.",
        twins=(
            Twin("sign of the multipliers", _A @ _inverse @ (T - _A.T @ _forces), _target),
            Twin("multipliers forgotten", _A @ _inverse @ T, _target),
        ),
    ),
    Identity(
        "constraint projection",
        _P_perp @ _P_perp,
        _P_perp,
        cites="geometric treatment (24)",
        idea="A ℳ⁻¹ A* meets its inverse.",
        twins=(
            Twin("complement", _P_perp @ _P_perp, I - _P_perp),
            Twin("nilpotent", _P_perp @ _P_perp, ZERO),
        ),
    ),
    Identity(
        "constraints of what is projected",
        _A @ (I - _P_perp),
        ZERO,
        cites="geometric treatment (24)",
        misprint="D(q) = A(q) for its kernel",
        idea="A P_⊥ = A.",
        twins=(
            Twin("complement", _A @ _P_perp, ZERO),
            Twin("as printed: A itself", _A @ (I - _P_perp), _A),
        ),
    ),
    Identity(
        "constraint projection is symmetric in the metric",
        _mass @ _P_perp,
        _P_perp.T @ _mass,
        idea="A* (A ℳ⁻¹ A*)⁻¹ A.",
        twins=(Twin("sign", _mass @ _P_perp, -(_P_perp.T @ _mass)),),
    ),
    Identity(
        "constraint forces are not felt along the constraints",
        (I - _P_perp) @ _inverse @ _A.T,
        ZERO,
        cites="geometric treatment (25)",
        misprint="P(Y) for P(F) with F = ℳ⁻¹ Y",
        idea="P_⊥ ℳ⁻¹ A* = ℳ⁻¹ A*.",
        twins=(Twin("complement", _P_perp @ _inverse @ _A.T, ZERO), Twin("not projected", _inverse @ _A.T, ZERO)),
    ),
    Identity(
        "impact law",
        _A @ _after,
        -(_e * _A @ v),
        cites="geometric treatment (31)",
        misprint="the multiplier stands for its vector ℳ⁻¹ A* λ",
        idea="A P_⊥ = A.",
        twins=(
            Twin("plastic for any e", _A @ (v - _P_perp @ v), -(_e * _A @ v)),
            Twin("sign of e", _A @ _after, _e * _A @ v),
        ),
    ),
    Identity(
        "elastic impacts are undone by themselves",
        (I - 2 * _P_perp) @ (I - 2 * _P_perp),
        I,
        cites="geometric treatment (31)",
        idea="P_⊥ P_⊥ = P_⊥.",
        twins=(Twin("plastic", (I - _P_perp) @ (I - _P_perp), I),),
    ),
    Identity(
        "energy that an impact takes",
        v.T @ _mass @ v - _after.T @ _mass @ _after,
        (1 - _e * _e) * v.T @ _mass @ _P_perp @ v,
        idea="P_⊥* ℳ P_⊥ = ℳ P_⊥.",
        twins=(
            Twin(
                "elastic for plastic",
                v.T @ _mass @ v - _after.T @ _mass @ _after,
                _e * _e * v.T @ _mass @ _P_perp @ v,
            ),
            Twin("all of it", v.T @ _mass @ v - _after.T @ _mass @ _after, v.T @ _mass @ _P_perp @ v),
        ),
    ),
)
