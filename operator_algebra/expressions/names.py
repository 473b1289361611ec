"""How the ASCII names of the code are written in Unicode and LaTeX: one table, and one rule for what it does not list.

Different ASCII names have different Unicode forms, so that `parse` can read them back.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Literal

Style = Literal["unicode", "ascii", "latex"]

GREEK: dict[str, str] = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ",
    "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ",
    "tau": "τ", "upsilon": "υ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ",
    "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Upsilon": "Υ", "Phi": "Φ", "Psi": "Ψ",
    "Omega": "Ω",
}  # fmt: skip

# Unicode and LaTeX of names that the rule below would write otherwise.
SPECIAL: dict[str, tuple[str, str]] = {
    "E_phi": ("E_φ", r"\mathcal{E}_\phi"),
    "E_psi": ("E_ψ", r"\mathcal{E}_\psi"),
    "E_ring_psi": ("E\u030a_ψ", r"\mathring{\mathcal{E}}_\psi"),
    "qdd": ("q̈", r"\ddot{q}"),
    "xdd": ("ẍ", r"\ddot{x}"),
    "ell": ("ℓ", r"\ell"),
    "epsilon": ("ε", r"\varepsilon"),
    "mass_matrix": ("ℳ", r"\mathcal{M}"),
    "mass_matrix_ring": ("ℳ\u030a", r"\mathring{\mathcal{M}}"),
    "mass_matrix_along_w": ("ℳ_along_w", r"\mathcal{M}_{\mathrm{along},w}"),
    "rotation": ("Ω̃", r"\tilde{\Omega}"),
    "rotation_delta": ("Ω̃_δ", r"\tilde{\Omega}_\delta"),
    "P_perp": ("P_⊥", r"P_\perp"),
}

# A suffix behind a letter: what follows the letter in Unicode, what surrounds it in LaTeX.
MARKS: dict[str, tuple[str, str]] = {
    "bar": ("\u0304", r"\bar"),
    "tilde": ("\u0303", r"\tilde"),
    "dot": ("\u0307", r"\dot"),
    "hat": ("\u0302", r"\hat"),
    "ring": ("\u030a", r"\mathring"),
    "plus": ("⁺", ""),
}


def _split(name: str) -> tuple[str, list[str], list[str]]:
    """A name as letter, marks and subscripts; a name of another shape is all letter."""
    letter, *rest = name.split("_")
    if not (letter in GREEK or (len(letter) == 1 and letter.isalpha())) or not all(rest):
        return name, [], []
    marks: list[str] = []
    while rest and rest[0] in MARKS and "plus" not in marks and rest[0] not in marks:
        marks.append(rest.pop(0))
    return letter, marks, rest


def marked(name: str, mark: str) -> str:
    """A name with one mark more, which stands before ⁺ and subscripts.

    >>> [marked(name, "ring") for name in ("P", "tau_bar", "P_plus_J", "E_psi", "mass_matrix")]
    ['P_ring', 'tau_bar_ring', 'P_ring_plus_J', 'E_ring_psi', 'mass_matrix_ring']
    """
    letter, marks, subscripts = _split(name)
    above = [one for one in marks if one != "plus"]
    return "_".join([letter, *above, mark, *marks[len(above) :], *subscripts])


def _by_rule(name: str) -> str:
    letter, marks, subscripts = _split(name)
    text = GREEK.get(letter, letter) + "".join(MARKS[mark][0] for mark in marks)
    return unicodedata.normalize("NFC", "_".join([text, *(GREEK.get(word, word) for word in subscripts)]))


_TAKEN = {unicodedata.normalize("NFC", text): name for name, (text, _) in SPECIAL.items()}


@lru_cache(maxsize=4096)
def unicode_name(name: str) -> str:
    """The Unicode form of a name, composed (NFC).

    >>> [unicode_name(name) for name in ("tau_bar", "E_phi", "P_plus_J", "a_ground")]
    ['τ̄', 'E_φ', 'P⁺_J', 'a_ground']
    """
    if name in SPECIAL:
        return unicodedata.normalize("NFC", SPECIAL[name][0])
    text = _by_rule(name)
    return name if text in _TAKEN else text


def _latex_letter(word: str) -> str:
    if word in GREEK:
        return "\\" + word
    return word if len(word) == 1 or word.isdigit() else rf"\mathrm{{{word}}}"


@lru_cache(maxsize=4096)
def latex_name(name: str) -> str:
    r"""The LaTeX form of a name.

    >>> latex_name("tau_bar_J"), latex_name("f_ext")
    ('\\bar{\\tau}_{J}', 'f_{\\mathrm{ext}}')
    """
    if name in SPECIAL:
        return SPECIAL[name][1]
    letter, marks, subscripts = _split(name)
    if not marks and not subscripts and letter not in GREEK:
        return _latex_letter(name.replace("_", r"\_"))
    text = _latex_letter(letter)
    for mark in marks:
        text = f"{MARKS[mark][1]}{{{text}}}" if mark != "plus" else f"{text}^{{+}}"
    return text + (f"_{{{','.join(_latex_letter(word) for word in subscripts)}}}" if subscripts else "")


def written(name: str, style: Style) -> str:
    """A name in a style."""
    if style == "ascii":
        return name
    return unicode_name(name) if style == "unicode" else latex_name(name)


# Letters that stand for others wherever they appear, and letters that compatibility forms must not swallow.
_ALIKE = str.maketrans({"ϕ": "φ", "ϵ": "ε", "ϑ": "θ", "ϱ": "ρ", "ϖ": "π", "ϰ": "κ", "ς": "σ", "ϒ": "Υ", "µ": "μ"})
_KEPT = frozenset("ℓℳ⁺⊥")


def canonical(name: str) -> str:
    """A name as typed by a person, in the form that names are compared in: composed, look-alikes unified.

    >>> canonical("ϕ") == canonical("𝜑") == "φ"
    True
    """
    if name.isascii():
        return name
    letters = (c if c in _KEPT else unicodedata.normalize("NFKC", c.translate(_ALIKE)) for c in name)
    return unicodedata.normalize("NFC", "".join(letters).translate(_ALIKE))
