"""The documentation is read from disk: what browsers refuse there is noticed when it is built."""

import pytest

from docs.extensions.offline import obstacles
from tests.house.tree import ROOT, read


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('<script src="https://cdn.example/x.js"></script>', "loads from the network"),
        ('<link rel="stylesheet" href="//fonts.example/a.css">', "loads from the network"),
        ('<script type="module" src="_static/x.js"></script>', "needs a server"),
        ("const DOCUMENTATION_OPTIONS = {\n    SHOW_SEARCH_SUMMARY: true,\n};", "html_show_search_summary = False"),
    ],
)
def test_what_does_not_work_from_disk_is_named(text: str, told: str) -> None:
    (found,) = obstacles({"page.html": text})
    assert found.startswith("page.html ")
    assert told in found


@pytest.mark.parametrize(
    "text",
    [
        '<script src="searchindex.js" defer="defer"></script>',
        '<a href="https://example.org/">a link is followed, not loaded</a>',
        "const DOCUMENTATION_OPTIONS = {\n    SHOW_SEARCH_SUMMARY: false,\n};",
    ],
)
def test_what_works_from_disk_passes(text: str) -> None:
    assert not obstacles({"page.html": text})


def test_the_search_fetches_no_page() -> None:
    assert "\nhtml_show_search_summary = False" in read(ROOT / "docs" / "conf.py")
