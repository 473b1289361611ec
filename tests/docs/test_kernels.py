"""Kernels of the pages: they run cells, and say nothing of their channels."""

from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from docs.extensions.kernels import EncryptedKernelManager


def test_a_kernel_of_the_pages_starts_without_a_warning(capfd: pytest.CaptureFixture[str]) -> None:
    v4: Any = nbformat.v4
    page = v4.new_notebook(cells=[v4.new_code_cell("6 * 7")])
    client = NotebookClient(page, timeout=60, kernel_name="python3", kernel_manager_class=EncryptedKernelManager)
    client.execute()
    assert page.cells[0].outputs[-1]["data"]["text/plain"] == "42"
    assert "TCP" not in capfd.readouterr().err
