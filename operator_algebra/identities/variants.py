"""Wider readings of a law: the same words with D = H P H* + J, and with an arbitrary gain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

from operator_algebra.expressions.build import add, define, inv, matmul, operator
from operator_algebra.expressions.nodes import Expr, Product
from operator_algebra.expressions.query import Combination, Query
from operator_algebra.expressions.traverse import fold, rebuild
from operator_algebra.identities.identity import Law, Side, Statement
from operator_algebra.identities.themes.noise import J
from operator_algebra.operators.spaces import FORCE, TORQUE
from operator_algebra.symbols import E_phi, H, I, Innovations, M, innovations, phi

READINGS = ("J = 0", "any J", "any G")
"""Words of a domain that speak of the formula and not of the mechanism."""

SHARED = ", without what both sides share"
"""What the name of a reading without the terms of both sides ends in."""

ANY_GAIN = ", for any G"
"""What the name of a reading for an arbitrary gain ends in."""

_MASS = (H, phi, M, phi.T, H.T)


def _names(plain: Innovations) -> dict[str, Expr]:
    return {field.name: getattr(plain, field.name) for field in fields(plain)}


def noisy_names(J: Expr) -> dict[str, Expr]:
    """J itself, and what `innovations(J)` calls P_J, D_J, …, by these names."""
    return {"J": J, **{f"{name}_J": e for name, e in _names(innovations(J)).items()}}


def _rewrite(e: Expr, mapping: Mapping[Expr, Expr], J: Expr | None) -> Expr:
    def below(node: Expr) -> tuple[Expr, ...]:
        return () if node in mapping else node.children

    def combine(node: Expr, parts: tuple[Expr, ...]) -> Expr:
        if node in mapping:
            return mapping[node]
        made = rebuild(node, parts)
        return made if J is None or not isinstance(made, Product) else _with_mass(made, J)

    return fold(e, combine, below)


def _with_mass(product: Product, J: Expr) -> Expr:
    """Every H φ M φ* H* in a product becomes H φ M φ* H* + J."""
    rest = product.children
    done: list[Expr] = []
    while rest:
        if rest[: len(_MASS)] == _MASS:
            done.append(add(matmul(*_MASS), J))
            rest = rest[len(_MASS) :]
        else:
            done.append(rest[0])
            rest = rest[1:]
    return matmul(*done)


def _side(side: Side, mapping: Mapping[Expr, Expr], J: Expr | None) -> Side:
    if isinstance(side, Combination):
        asked = [(c, replace(query, body=_rewrite(query.body, mapping, J))) for c, query in side.terms]
        return replace(side, terms=tuple(asked))
    if isinstance(side, Query):
        return replace(side, body=_rewrite(side.body, mapping, J))
    return _rewrite(side, mapping, J)


def with_noise(law: Law, J: Expr) -> Law:
    """The law in `innovations(J)`: P, D, G, … become those of D = H P H* + J, and H φ M φ* H* gains J."""
    noisy = _names(innovations(J))
    mapping = {e: noisy[name] for name, e in _names(innovations(0)).items()}
    return _changed(law, f"{law.name}, with J", mapping, J)


def wider(law: Law) -> tuple[Law, ...]:
    """The law as it stands, and with any J and for any gain where its domain says so."""
    found: list[Law] = [law]
    if "any J" in law.domain:
        found.append(with_noise(law, J))
    if "any G" in law.domain:
        found.append(with_any_gain(law))
    return tuple(found)


def with_any_gain(law: Law) -> Law:
    """The law for an arbitrary block-diagonal gain in place of the Kalman gain."""
    gain = operator("G_any", TORQUE >> FORCE, structure="diagonal")
    K = define("K_any", E_phi @ gain)
    tau = define("tau_any", gain @ H)
    E_psi = define("E_psi_any", E_phi @ (I - gain @ H))
    psi = define("psi_any", inv(I - E_psi))
    plain = innovations(0)
    mapping: dict[Expr, Expr] = {
        plain.G: gain,
        plain.K: K,
        plain.tau: tau,
        plain.tau_bar: define("tau_bar_any", I - gain @ H),
        plain.E_psi: E_psi,
        plain.psi: psi,
        plain.psi_tilde: define("psi_tilde_any", psi - I),
        plain.U: define("U_any", I + H @ phi @ K),
        plain.W: define("W_any", I - H @ psi @ K),
    }
    return _changed(law, law.name + ANY_GAIN, mapping, None)


def _changed(law: Law, name: str, mapping: Mapping[Expr, Expr], J: Expr | None) -> Law:
    lhs, rhs = _side(law.lhs, mapping, J), _side(law.rhs, mapping, J)
    domain = tuple(trait for trait in law.domain if trait not in READINGS)
    if isinstance(law, Statement):
        return replace(law, name=name, lhs=lhs, rhs=rhs, domain=domain, twins=())
    assert isinstance(lhs, Expr) and isinstance(rhs, Expr)
    return replace(law, name=name, lhs=lhs, rhs=rhs, domain=domain, twins=())
