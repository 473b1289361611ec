"""Bad TOML files: each is a good one with one thing changed, and says what, in which line, and what to do."""

import random
import re
import time
import warnings
from pathlib import Path

import pytest

from operator_algebra.errors import ModelError, OperatorAlgebraWarning
from operator_algebra.models.gallery import load
from operator_algebra.models.model import Model

GOOD = """\
version = 1
name = "arm"
gravity = [0, 0, -9.81]

[[bodies]]
name = "upper"
joint = { kind = "revolute", axis = [0, 1, 0], armature = 0.1, limits = { lower = [-1], upper = [1] } }
mass = 2.0
com = [0.2, 0, 0]
inertia = [0.01, 0.05, 0.05]

[[bodies]]
name = "lower"
parent = "upper"
joint = { kind = "prismatic", axis = [1, 0, 0] }
placement = { translation = [0.4, 0, 0], rpy = [0, 0.5, 0] }
mass = 1.0
com = [0.2, 0, 0]
inertia = [[0.01, 0.001, 0], [0.001, 0.05, 0], [0, 0, 0.05]]

[frames.tool]
body = "lower"
placement = { translation = [0.4, 0, 0] }
"""

LOOP = """\
[[loops]]
name = "pin"
first = "wall"
second = "tool"
locked = ["x"]

[frames.wall]

[frames.tool]
"""

CHANGES = [
    # numbers
    (
        "mass = 2.0",
        'mass = "2.0"',
        r'line 8, body "upper": mass holds the text .2.0. where a number belongs.*no|without',
    ),
    ("mass = 2.0", 'mass = "1,5"', r'line 8, body "upper": mass holds the text .1,5.'),
    ("mass = 2.0", "mass = 1,5", r"line 8: not valid TOML"),
    ("mass = 2.0", "mass = nan", r'line 8, body "upper": mass is not finite: nan'),
    ("mass = 2.0", "mass = -inf", r'line 8, body "upper": mass is not finite: -inf'),
    ("mass = 2.0", "mass = 1e999", r'line 8, body "upper": mass is not finite: inf'),
    ("mass = 2.0", "mass = 1" + 400 * "0", r'line 8, body "upper": the mass is not a finite number'),
    ("mass = 2.0", "mass = 1" + 3000 * "0", r'line 8, body "upper": the mass is not a finite number'),
    ("mass = 2.0", "mass = true", r'line 8, body "upper": mass holds True'),
    ("mass = 2.0", "mass = 2024-01-01", r'line 8, body "upper": mass holds datetime'),
    ("mass = 2.0", "mass = [2.0]", r'line 8, body "upper": the mass is not a finite number: \[2.0\]'),
    ("mass = 2.0", "mass = -2.0", r'line 5, body "upper": the mass is negative: -2'),
    ("mass = 2.0\n", "mass = 2.0\nmass = 2.0\n", r"line 9: not valid TOML: Cannot overwrite a value"),
    ("gravity = [0, 0, -9.81]", "gravity = [0, 0]", r"line 3: gravity needs 3 numbers"),
    ("gravity = [0, 0, -9.81]", 'gravity = "down"', r"line 3: gravity holds the text .down."),
    ("gravity = [0, 0, -9.81]", "gravity = [0, 0, inf]", r"line 3: gravity is not finite"),
    ("com = [0.2, 0, 0]\ninertia = [0.01", "com = [0.2, 0]\ninertia = [0.01", r'body "upper": the mass centre needs 3'),
    ("com = [0.2, 0, 0]\ninertia = [0.01", "com = 0.2\ninertia = [0.01", r'body "upper": the mass centre needs 3'),
    (
        "inertia = [0.01, 0.05, 0.05]",
        "inertia = [0.5, 0.05, 0.05]",
        r"line 5.*triangle inequality .*0.5 > 0.05 \+ 0.05",
    ),
    ("inertia = [0.01, 0.05, 0.05]", "inertia = [-0.01, 0.05, 0.05]", r"line 5.*a principal moment is -0.01"),
    ("inertia = [0.01, 0.05, 0.05]", "inertia = [0.01, 0.05]", r'body "upper": the rotational inertia needs 3 rows'),
    ("inertia = [0.01, 0.05, 0.05]", "inertia = 0.01", "the rotational inertia is 0.01. Give a list of 3 moments"),
    ("[0.001, 0.05, 0]", "[0.002, 0.05, 0]", r'body "lower": the rotational inertia is not symmetric'),
    ("[0.001, 0.05, 0]", "[0.001, 0.05]", r'body "lower": the rotational inertia, row 2, needs 3 numbers'),
    (
        "mass = 1.0\ncom = [0.2, 0, 0]\ninertia = [[",
        "inertia = [[0,0,0],[0,0,0],[0,0,0]]\nx = [[",
        "carries has mass, so D",
    ),
    # joints
    ('kind = "revolute"', 'kind = "hinge"', r'line 7, body "upper": unknown kind of joint .hinge.'),
    ('kind = "revolute"', "kind = 3", r'line 7, body "upper": kind is 3, not a text'),
    ('kind = "revolute", ', "", r'line 7, body "upper": the joint has no kind'),
    ("axis = [0, 1, 0]", "axis = [0, 0, 0]", r'line 7, body "upper": .*the axis has no direction'),
    ("axis = [0, 1, 0]", "axis = [0, 1]", r'line 7, body "upper": .*the axis needs 3 numbers'),
    ("axis = [0, 1, 0]", 'axis = "y"', r'line 7, body "upper": axis holds the text .y.'),
    ("axis = [0, 1, 0]", "axes = [0, 1, 0]", r'line 7, body "upper": unknown key "axes". Did you mean "axis"'),
    ("armature = 0.1", "armature = -0.1", r'line 7, body "upper": .*armature is negative'),
    ("armature = 0.1", "armature = [0.1, 0.1]", r'line 7, body "upper": .*armature needs 1 finite numbers'),
    ("armature = 0.1", "armature = 0.1, pitch = 0.2", r'line 7, body "upper": unknown key "pitch"'),
    ("lower = [-1]", "lower = [2]", r'line 7, body "upper": .*the lower limit .* is above the upper'),
    ("lower = [-1]", "lower = [-1, -1]", r"line 7, body \"upper\": .*the limit 'lower' needs 1"),
    ("lower = [-1]", "lower = [nan]", r'line 7, body "upper": lower is not finite'),
    ("limits = { lower = [-1], upper = [1] }", "limits = [-1, 1]", r'line 7, body "upper": limits is .* not a table'),
    ('joint = { kind = "prismatic", axis = [1, 0, 0] }\n', "", r'line 12, body "lower": the body has no joint'),
    ('joint = { kind = "prismatic", axis = [1, 0, 0] }', 'joint = "prismatic"', r"line 15, .* not a table"),
    # placements
    ("rpy = [0, 0.5, 0]", "rpy = [0, 0.5]", r'line 16, body "lower": roll, pitch, yaw needs 3 numbers'),
    ("rpy = [0, 0.5, 0]", "quaternion = [0, 0, 0, 0]", r'line 16, body "lower": the quaternion is zero'),
    ("rpy = [0, 0.5, 0]", "quaternion = [1, 0, 0]", r'line 16, body "lower": the quaternion needs 4 numbers'),
    ("rpy = [0, 0.5, 0]", "rotation = [[1,0,0],[0,1,0],[0,0,1.01]]", r'line 16, body "lower": .* not orthogonal'),
    ("rpy = [0, 0.5, 0]", "rotation = [[1,0,0],[0,1,0],[0,0,-1]]", r'line 16, body "lower": .* a reflection'),
    (
        "rpy = [0, 0.5, 0]",
        "rpy = [0, 0.5, 0], quaternion = [1,0,0,0]",
        r"line 16, .* is given twice, by quaternion and rpy",
    ),
    ("rpy = [0, 0.5, 0]", "euler = [0, 0.5, 0]", r'line 16, body "lower": unknown key "euler"'),
    # names and the tree
    ('name = "lower"', 'name = "upper"', r'line 12, body "upper": two bodies are called "upper"'),
    ('name = "lower"', 'name = ""', r'line 12, body "": the name is empty'),
    ('name = "lower"', "name = 7", r'line 13, body "7": name is 7, not a text'),
    ('name = "lower"\n', "", r'line 12, body "1": the body has no name'),
    (
        'parent = "upper"',
        'parent = "uper"',
        r'line 12, body "lower": the parent "uper" is not a body. Did you mean "upper"',
    ),
    ('parent = "upper"', 'parent = "lower"', r'line 12, body "lower": the parents form a cycle: lower → lower'),
    ('parent = "upper"', 'parent = ["upper", "x"]', r'line 14, body "lower": parent is .*, not a text'),
    ('parent = "upper"\n', 'parent = "upper"\nparent = "base"\n', r"line 15: not valid TOML: Cannot overwrite"),
    ('body = "lower"', 'body = "hand"', r'line 22, frame "tool": the body "hand" does not exist'),
    ("[frames.tool]", "[frames]\nx = 3\n[frames.tool]", r"x is 3, not a table"),
    # the file
    ("version = 1\n", "", "there is no version. Write version = 1"),
    ("version = 1\n", "version = 2\n", "line 1: the version is 2; this package reads up to 1"),
    ("version = 1\n", 'version = "1"\n', "line 1: the version is '1'"),
    ('name = "arm"', "name = 5", "line 2: name is 5, not a text"),
    ('name = "arm"', 'nmae = "arm"', r'line 2: unknown key "nmae". Did you mean "name"'),
    ('name = "arm"', 'name = "arm', r"line 2: not valid TOML: .*"),
    ('name = "arm"', 'name = "arm"\nsprings = []', 'line 3: the key "springs" is reserved'),
    ('name = "arm"', "loops = 1", "line 2: loops is 1, not a list of tables"),
    ("[frames.tool]", LOOP.replace('"x"', '"yaw"'), r"line 25, loop \"pin\": 'yaw' is no direction. There are rx"),
    ("[frames.tool]", LOOP.replace('["x"]', '"x"'), r'line 25, loop "pin": locked is .*, not a list of texts'),
    ("[frames.tool]", LOOP.replace('locked = ["x"]\n', ""), r'line 21, loop "pin": nothing is locked'),
    (
        "[frames.tool]",
        LOOP.replace('"wall"\n', '"walk"\n'),
        r"line 23, loop \"pin\": first is 'walk', which is no frame",
    ),
    ("[frames.tool]", LOOP.replace('name = "pin"\n', ""), r'line 21, loop "0": there is no name'),
    ("[frames.tool]", LOOP.replace("second", "third"), r'line 24, loop "pin": unknown key "third"'),
    ("[frames.tool]", LOOP.replace('second = "tool"', 'second = "wall"'), r"both frames are on the ground"),
    ("[[bodies]]", "[bodies]", r"not valid TOML|not a list of tables"),
    ("[[bodies]]", "[[body]]", r'unknown key "body". Did you mean "bodies"'),
]


def _load(folder: Path, text: str | bytes, *, strict: bool = True) -> Model:
    path = folder / "arm.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load(path, strict=strict)


def test_the_file_that_is_changed_is_good(tmp_path: Path) -> None:
    assert _load(tmp_path, GOOD).nv == 2


@pytest.mark.parametrize(("old", "new", "message"), CHANGES, ids=range(len(CHANGES)))
def test_each_change_is_named(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert old in GOOD
    with pytest.raises(ModelError) as caught:
        _load(tmp_path, GOOD.replace(old, new))
    assert re.search(message, str(caught.value)), str(caught.value)
    assert str(caught.value).startswith("arm.toml")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty"),
        (b" \n\t\n", "the file is empty"),
        (GOOD.encode("utf-16"), "the file is UTF-16"),
        (GOOD.replace("upper", "öber").encode("latin-1"), "line 6: byte 0xf6 is not UTF-8"),
        (b"\x1f\x8b\x08\x00", "a gzip archive"),
        (b"PK\x03\x04", "a zip archive"),
        (GOOD[:300].encode(), "not valid TOML"),
        (GOOD[: GOOD.index("[[bodies]]")].encode(), "there are no bodies"),
        (b"<robot name='x'/>", "line 1: not valid TOML"),
        (b"\x00\x01\x02", "not valid TOML"),
        (b"a = " + b"[" * 3000, "nested too deep|not valid TOML"),
        (b"a = " + b"[\n" * 100_000, "nested too deep"),
        (b"a = " + b"{b = " * 700, "nested too deep|not valid TOML"),
        (b".".join([b"a"] * 3000) + b" = 1", "the line has 6003 characters"),
        (b"#\n" * 3_000_000, "more than 4 MB"),
        (b"version = 1\n" + b"[[bodies]]\n" * 300_000, "the body has no name"),
        (b"version = 1\n" + b"".join(b"k%d = 1\n" % k for k in range(300_000)), 'unknown key "k0"'),
        (b"version = 1\n[[bodies]]\nname = 'a'\n" + b"mass = 1\n" * 100_000, "Cannot overwrite"),
    ],
    ids=range(18),
)
def test_broken_and_huge_files_end_soon(data: bytes, message: str, tmp_path: Path) -> None:
    start = time.process_time()
    with pytest.raises(ModelError, match=message):
        _load(tmp_path, data)
    assert time.process_time() - start < 20.0  # two seconds on a fast machine; quadratic work would take hours


def test_a_byte_order_mark_is_harmless(tmp_path: Path) -> None:
    assert _load(tmp_path, b"\xef\xbb\xbf" + GOOD.encode()).nv == 2


def test_all_errors_of_a_file_come_at_once(tmp_path: Path) -> None:
    bad = (
        GOOD.replace("mass = 2.0", 'mass = "2"')
        .replace("[1, 0, 0]", "[0, 0, 0]")
        .replace('parent = "upper"', 'parent = "x"')
    )
    with pytest.raises(ModelError) as caught:
        _load(tmp_path, bad.replace('body = "lower"', 'body = "x"'))
    lines = str(caught.value).splitlines()
    assert len(lines) == 4
    for line, cause in zip(lines, ("mass holds", "no direction", 'frame "tool"', 'parent "x"'), strict=True):
        assert cause in line


def test_what_can_be_loaded_is_loaded_with_warnings(tmp_path: Path) -> None:
    bad = GOOD.replace("mass = 2.0", "mass = -2.0").replace('name = "arm"', 'name = "arm"\ndampers = []')
    with pytest.warns(OperatorAlgebraWarning) as warned:
        model = _load(tmp_path, bad, strict=False)
    assert model.bodies[0].inertia.mass == -2.0
    assert len(warned) == 2
    with pytest.raises(ModelError, match="where a number belongs"):
        _load(tmp_path, GOOD.replace("mass = 2.0", 'mass = "2"'), strict=False)


def _mutant(rng: random.Random) -> bytes:
    """GOOD with a few bytes, words or lines changed, doubled, moved or lost."""
    text = bytearray(GOOD.encode())
    for _ in range(rng.randint(1, 4)):
        kind, at = rng.randrange(6), rng.randrange(len(text))
        if kind == 0:
            text[at] = rng.randrange(256)
        elif kind == 1:
            del text[at : at + rng.randint(1, 40)]
        elif kind == 2:
            text[at:at] = rng.choice(GOOD.split()).encode()
        elif kind == 3:
            lines = bytes(text).splitlines(keepends=True)
            rng.shuffle(lines)
            text = bytearray(b"".join(lines))
        elif kind == 4:
            digits = [i for i, byte in enumerate(text) if 48 <= byte < 58]
            text[rng.choice(digits or [0])] = rng.choice(b"0123456789-e.,n\"'[")
        else:
            words = (b"nan", b"inf", b"-1", b"1e308", b"true", b'""', b"[]", b"{}", b"9" * 400, b"0")
            start = bytes(text).find(b"= ", at) + 2
            stop = bytes(text).find(b"\n", start)
            text[start:stop] = rng.choice(words)
        text = text or bytearray(b" ")
    return bytes(text)


@pytest.mark.parametrize("seed", range(10))
def test_mutants_are_right_or_refused(seed: int, tmp_path: Path) -> None:
    """No crash, no hang, nothing untyped; what is loaded computes with finite numbers."""
    rng = random.Random(seed)
    for _ in range(50):
        data = _mutant(rng)
        for strict in (True, False):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", OperatorAlgebraWarning)
                try:
                    model = _load(tmp_path, data, strict=strict)
                except ModelError:
                    continue
            model.check_q(model.integrate(model.neutral(), model.random(0)[1]))
            model.save(tmp_path / "again.toml")
            assert len(str(model)) > 0
