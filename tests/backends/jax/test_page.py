"""The page on JAX is true: its example prints what it says."""

import contextlib
import io
import re
from typing import Any

import pytest

from tests.house.tree import ROOT, read

jax: Any = pytest.importorskip("jax")
PAGE = read(ROOT / "docs" / "how-to" / "jax.md")
((SOURCE, OUTPUT),) = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_example_prints_what_it_says() -> None:
    printed = io.StringIO()
    sets = 'jax.config.update("jax_enable_x64", True)'
    assert sets in SOURCE
    with jax.enable_x64(True), contextlib.redirect_stdout(printed):  # for other tests it stays as it was
        exec(compile(SOURCE.replace(sets, ""), "jax.md", "exec"), {})
    assert printed.getvalue() == OUTPUT
