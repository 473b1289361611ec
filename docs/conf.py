"""Settings of the documentation: built offline, warnings are errors, pages of facts are generated from the package."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import operator_algebra

project = "operator_algebra"
author = "The operator_algebra authors"
copyright = author
version = release = operator_algebra.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
    "extensions.generated",
    "extensions.kernels",
    "extensions.laws",
    "extensions.plain_docstrings",
    "extensions.search",
    "extensions.signatures",
    "extensions.offline",
]
exclude_patterns = ["_build"]

# Pages with code cells run when the docs are built; notebooks are run by the tests and shown as committed.
nb_execution_mode = "off"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
python_maximum_signature_line_length = 160

html_theme = "furo"
html_title = "operator_algebra"
html_static_path = ["_static"]
html_css_files = ["wide.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_search_summary = False  # the search would fetch each page it finds, which browsers refuse from disk
