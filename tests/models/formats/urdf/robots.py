"""The robots of the package example-robot-data, where it is installed."""

from __future__ import annotations

import warnings
import xml.etree.ElementTree as ET
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from operator_algebra.errors import OperatorAlgebraWarning
from operator_algebra.models.gallery import Base, load
from operator_algebra.models.model import Model

Floats = NDArray[np.float64]


def robot_files() -> dict[str, Path]:
    """The files by the part of the path that tells them apart; skips the module where there are none."""
    try:
        listed = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        pytest.skip("example-robot-data is not installed", allow_module_level=True)
    paths = [Path(str(file.locate())) for file in listed if file.suffix == ".urdf"]
    return {f"{path.parts[-3]}/{path.stem}": path for path in paths}


def is_named(path: Path) -> bool:
    """Whether the robot has a name, which the format asks for."""
    return bool(ET.parse(path).getroot().get("name"))


def link_names(path: Path) -> list[str]:
    """The links in the order of the file."""
    return [link.attrib["name"] for link in ET.parse(path).getroot().findall("link")]


def load_quietly(path: Path, *, base: Base = "fixed", merge_fixed: bool = True) -> Model:
    """The model, whatever there is to warn about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OperatorAlgebraWarning)
        return load(path, base=base, merge_fixed=merge_fixed, strict=False)
