"""The search of the pages: excerpts come from a file of texts, and drawings are left alone."""

import re

import operator_algebra as oa
from docs.extensions.search import said, undisturbed
from operator_algebra.symbols import phi
from tests.house.tree import ROOT, read

PAGE = """
<nav>menu</nav><article role="main"><h1>Shifts<a class="headerlink" href="#shifts">#</a></h1>
<p>A shift <em>moves</em> a force<br>to the base: <span class="math notranslate">\\(E_<b>x</b>\\)</span> is one.</p>
<script>let hidden;</script><svg><g><title>not said</title><path d="M0 0"/></g></svg>
<pre><span>oa</span><span>.</span><span>spy</span>(phi)</pre></article>
<footer>made with</footer>
"""


def test_what_a_page_says_is_its_prose_and_its_code() -> None:
    assert said(PAGE) == "Shifts A shift moves a force to the base: is one. oa.spy(phi)"
    assert said("<p>no article</p>") == ""


def test_drawings_of_the_package_are_not_marked() -> None:
    """Marks of found words have no place in the title of a drawing; a class keeps them out."""
    fragment = phi._repr_html_() + oa.load("tree4")._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert "<title>" in fragment
    quiet = undisturbed(fragment)
    assert "<title>" not in quiet
    assert re.sub(' class="nohighlight"', "", quiet) == fragment


def test_excerpts_are_shown_without_fetching() -> None:
    script = read(ROOT / "docs" / "_static" / "excerpts.js")
    assert "PAGE_TEXTS" in script
    assert not re.search(r"fetch\(|XMLHttpRequest|\bimport\b", script)
    assert '"extensions.search"' in read(ROOT / "docs" / "conf.py")
