"""What is read of a text: every complaint names the line, and what is accepted is a sound program."""

import random
import re

import pytest

import operator_algebra as oa
from operator_algebra import symbols as s
from operator_algebra.errors import InputError, ParseError
from operator_algebra.expressions.build import inv
from operator_algebra.lowering.lower import lower
from operator_algebra.programs.program import Program
from operator_algebra.programs.read import MOST, read
from operator_algebra.programs.verify import check_program

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T

TEXT = lower(inv(MASS + oa.scalar("h") * s.armature) @ s.T).text
WRONG = {
    "another version": (TEXT.replace("program 1", "program 7"), "line 1"),
    "a word that is no instruction": (TEXT.replace("= invert", "= divide"), "no such instruction"),
    "a missing field": (TEXT.replace("in:E_phi ", "", 1), "shift takes hop, source, closing"),
    "a formula without a line": (TEXT.replace("out:E_phi'", "out:E_psi'", 1), "E_psi has no line"),
    "a hop the wrong way": (TEXT.replace("in:E_phi", "out:E_phi", 1), "does not"),
    "a value of another space": (re.sub(r"motion>force sym  # P$", "force>motion sym  # P", TEXT, flags=re.M), "fit"),
    "the end is missing": (TEXT[: len(TEXT) // 2], "line"),
    "a sign alone": (TEXT.replace("(+%", "(+ +%", 1), "line"),
    "not a program": ("H phi M phi' H'", "line 1"),
    "brackets without end": (TEXT.replace("(+", "(" * 5000 + "(+", 1), "too deep"),
    "a coefficient that is no number": (TEXT.replace("(+%", "(+1/0·%", 1), "line"),
    "nothing": ("", "ends too early"),
    "a sweep sideways": (TEXT.replace("sweep outward", "sweep sideways"), "sideways"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told(name: str) -> None:
    text, words = WRONG[name]
    with pytest.raises(ParseError, match=words):
        Program.parse(text)


@pytest.mark.parametrize("seed", range(60))
def test_a_changed_text_is_refused_or_a_program(seed: int) -> None:
    """Tokens that were dropped, doubled, swapped or replaced end in an error of the package, or in a sound program."""
    rng = random.Random(seed)
    tokens = re.findall(r"\s+|%\d+'?|\w+|.", TEXT)
    for _ in range(25):
        changed = list(tokens)
        for _ in range(rng.randint(1, 3)):
            i, j = rng.randrange(len(changed)), rng.randrange(len(changed))
            match rng.randrange(4):
                case 0:
                    del changed[i]
                case 1:
                    changed.insert(i, changed[j])
                case 2:
                    changed[i], changed[j] = changed[j], changed[i]
                case _:
                    changed[i] = rng.choice(["%99", "%1'", "(", ")", "<force>", '"', "12", "3/0", "·", "\x00", "{walk"])
        try:
            program = Program.parse("".join(changed))
        except ParseError:
            continue
        check_program(program)
        assert Program.parse(program.text) == program


def test_texts_beyond_bounds_are_refused() -> None:
    with pytest.raises(ParseError, match="characters"):
        Program.parse(" " * (MOST + 1))
    with pytest.raises(InputError):
        Program.parse(7)  # pyright: ignore[reportArgumentType]


def test_names_behind_values_are_no_matter() -> None:
    program = read(TEXT)
    bare = read(re.sub(r"  # .*", "", TEXT))
    assert [step.definition for step in bare.computed.values()] == [
        step.definition for step in program.computed.values()
    ]
    assert all(step.name == f"v{step.number}" for step in bare.computed.values())


def test_a_complaint_names_the_line() -> None:
    lines = TEXT.splitlines()
    for at in range(len(lines)):
        broken = [*lines[:at], "  ?" + lines[at], *lines[at + 1 :]]
        with pytest.raises(ParseError, match=rf"line {at + 1} of the program"):
            read("\n".join(broken))
