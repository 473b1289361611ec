"""No test chooses a tolerance: what rounding may leave follows from sizes, lengths and conditions."""

import re

from tests.house.tree import ROOT, files, read, short

_CHOSEN = re.compile(r"\b(?:allclose|isclose)\(|^ *assert\b.*<=? *[\d.]+e-\d", re.MULTILINE)


def test_no_tolerance_is_chosen_by_hand() -> None:
    chosen = [
        f"{short(path)}: {hit[0].strip()}"
        for path in files(".py", below=ROOT / "tests")
        if path.name != "test_tolerances.py"
        for hit in _CHOSEN.finditer(read(path))
    ]
    assert not chosen, "take tests/rounding.py"
