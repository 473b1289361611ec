"""Bad URDF files: each says what is wrong, in which line and element, and what to do."""

import time
import tomllib
import warnings
from pathlib import Path

import pytest

from operator_algebra.errors import ModelError, OperatorAlgebraWarning
from operator_algebra.models.gallery import load

BAD = Path(__file__).parents[3] / "data" / "bad"
GOOD = (Path(__file__).parents[3] / "data" / "good" / "arm.urdf").read_text(encoding="utf-8")
DECLARED = GOOD.replace("upper", "öber").replace("utf-8", "latin-1")
EXPECTED: dict[str, list[str]] = tomllib.loads((BAD / "expected.toml").read_text(encoding="utf-8"))

# What a person may want to load all the same.
LOADABLE = {
    *(
        "attribute_misspelt",
        "attribute_unknown",
        "damping_negative",
        "damping_text",
        "effort_negative",
        "inertia_missing",
        "inertia_negative",
    ),
    *("inertia_product_too_large", "inertia_triangle", "inertial_twice", "limit_nan", "limit_text", "limits_swapped"),
    *("mass_negative", "mass_twice", "mimic_chain", "mimic_fixed", "mimic_itself", "mimic_missing"),
    *("mimic_multiplier", "robot_without_name", "tag_misspelt", "tip_on_its_axis", "tip_without_mass", "two_roots"),
}


def _load(folder: Path, data: str | bytes, *, strict: bool = True) -> object:
    path = folder / "arm.urdf"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return load(path, strict=strict)


def test_every_bad_file_has_its_expectation() -> None:
    assert sorted(EXPECTED) == sorted(path.name for path in BAD.glob("*.urdf"))
    assert len(EXPECTED) >= 60


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_the_message_names_file_line_element_cause_and_remedy(name: str) -> None:
    with pytest.raises(ModelError) as caught:
        load(BAD / name)
    message = str(caught.value)
    assert all(line.startswith(f"{name}, line ") for line in message.splitlines()), message
    for part in EXPECTED[name]:
        assert part in message, message


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_what_can_be_loaded_is_loaded_with_a_warning(name: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            load(BAD / name, strict=False)
        except ModelError:
            assert name.removesuffix(".urdf") not in LOADABLE
            return
    assert name.removesuffix(".urdf") in LOADABLE
    texts = [str(warning.message) for warning in caught if warning.category is OperatorAlgebraWarning]
    expected = [part.removesuffix(" strict=False loads it with a warning.") for part in EXPECTED[name]]
    assert all(any(part in text for text in texts) for part in expected)


def test_all_errors_of_a_file_come_at_once() -> None:
    with pytest.raises(ModelError) as caught:
        load(BAD / "everything_at_once.urdf")
    assert len(str(caught.value).splitlines()) == 5


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty"),
        (b" \n\t\n", "the file is empty"),
        (GOOD.encode("utf-16"), "the file is UTF-16"),
        (GOOD.replace("upper", "öber").encode("latin-1"), "line 4: byte 0xf6 is not UTF-8"),
        (DECLARED.encode("latin-1").replace(b"latin-1", b"klingon"), "the encoding 'klingon', which is not known"),
        (DECLARED.encode("latin-1").replace(b"latin-1", b"rot13"), "the encoding 'rot13', which is not known"),
        (DECLARED.encode("latin-1").replace(b"latin-1", b"us-ascii"), "line 4: byte 0xf6 is not us-ascii"),
        (DECLARED.encode("latin-1").replace(b"latin-1", b"utf-8"), "line 4: byte 0xf6 is not UTF-8"),
        (b"\x1f\x8b\x08\x00", "a gzip archive"),
        (b"PK\x03\x04", "a zip archive"),
        (b"\x00\x01\x02", "not valid XML"),
        (GOOD.encode() + b"\0", "not valid XML"),
        (b"<!-- -->" * 600_000, "more than 4 MB"),
        (b"<robot name='r'>" + b"<a>" * 500_000, "more than 400000 elements"),
        (b"<robot name='r'>" + b"<link name='l'/>" * 200_000, "more than 50000 elements"),
        (b"<robot name='r'>" + b"<link name='l'/>" * 49_000 + b"</robot>", "two links have this name"),
        (b"<robot name='r'><link name='" + b"l" * 3_000_000 + b"'/><x/></robot", "unclosed token"),
        (b"<robot name='r'><link name='l'><inertial><mass value='" + b"1" * 3_000_000 + b"'/>", "no element found"),
        (
            b"<robot name='r'><link name='l'><inertial><mass value='"
            + b"1" * 3_000_000
            + b"'/></inertial></link></robot>",
            "not a number",
        ),
        (
            b"<robot name='r'>"
            + b"".join(b"<link name='l%d'/>" % k for k in range(9000))
            + b"".join(
                b"<joint name='j%d' type='fixed'><parent link='x%d'/><child link='y%d'/></joint>" % (k, k, k)
                for k in range(9000)
            )
            + b"</robot>",
            "does not exist",
        ),
        (
            b"<robot name='r'>"
            + b"".join(b"<link name='l%d'/>" % k for k in range(9000))
            + b"".join(
                b"<joint name='j%d' type='fixed'><parent link='l%d'/><child link='l%d'/></joint>" % (k, k ^ 1, k)
                for k in range(9000)
            )
            + b"</robot>",
            "form a cycle",
        ),
    ],
    ids=range(21),
)
def test_broken_and_huge_files_end_soon(data: bytes, message: str, tmp_path: Path) -> None:
    start = time.process_time()
    with pytest.raises(ModelError, match=message):
        _load(tmp_path, data)
    assert time.process_time() - start < 20.0  # under a second on a fast machine; quadratic work would take minutes


@pytest.mark.parametrize("encoding", ["latin-1", "iso-8859-1", "cp1252", "utf-8", "cp437", "mac-roman"])
def test_the_declared_encoding_is_read(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_bytes(DECLARED.replace("latin-1", encoding).encode(encoding))
    assert any("öber" in name for name in load(path).body_names)


def test_a_byte_order_mark_is_harmless(tmp_path: Path) -> None:
    _load(tmp_path, b"\xef\xbb\xbf" + GOOD.encode())


def test_a_plain_document_type_is_harmless(tmp_path: Path) -> None:
    _load(tmp_path, GOOD.replace("<robot", "<!DOCTYPE robot>\n<robot", 1))


def test_merging_does_not_hide_a_bad_inertia(tmp_path: Path) -> None:
    bad = "<inertial><mass value='0.01'/><inertia ixx='1e-6' iyy='1e-6' izz='9e-6'/></inertial>"
    with pytest.raises(ModelError, match='line 27, link "tool": the rotational inertia violates'):
        _load(tmp_path, GOOD.replace('<link name="tool"/>', f'<link name="tool">{bad}</link>'))


def test_masses_that_cancel_are_refused(tmp_path: Path) -> None:
    bad = "<inertial><mass value='-1.5'/><inertia ixx='1e-6' iyy='1e-6' izz='1e-6'/></inertial>"
    text = GOOD.replace('<link name="tool"/>', f'<link name="tool">{bad}</link>')
    with pytest.raises(
        ModelError, match=r'line 27, link "tool": its mass and that of the link "lower".*add up to zero'
    ):
        _load(tmp_path, text, strict=False)


def test_merged_bodies_are_named_where_the_pivot_is_singular(tmp_path: Path) -> None:
    text = GOOD.replace('izz="1e-4"', 'izz="1e-4"').replace('<mass value="0.1"/>', '<mass value="0"/>')
    with pytest.raises(ModelError, match='line 22, link "finger": the body has no inertia about an axis'):
        _load(tmp_path, text)
