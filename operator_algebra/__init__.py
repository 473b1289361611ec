"""Spatial operator algebra for multibody dynamics: formulas, checked on mechanisms and lowered to O(N) programs.

The public names below are imported when they are first used, so that `import operator_algebra` costs next to nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from time import time_ns
from typing import TYPE_CHECKING

__version__ = "0.1.0"
LOADED = time_ns()
"""When this process began to read the files of the package, in nanoseconds since 1970."""

if TYPE_CHECKING:
    from operator_algebra import course as course
    from operator_algebra import errors as errors
    from operator_algebra import symbols as symbols
    from operator_algebra.applications import constraints as constraints
    from operator_algebra.applications import decomposition as decomposition
    from operator_algebra.applications import diagonalized as diagonalized
    from operator_algebra.applications import dynamics as dynamics
    from operator_algebra.applications import embedding as embedding
    from operator_algebra.applications import estimation as estimation
    from operator_algebra.applications import events as events
    from operator_algebra.applications import geometry as geometry
    from operator_algebra.applications import global_form as global_form
    from operator_algebra.applications import impacts as impacts
    from operator_algebra.applications import lie as lie
    from operator_algebra.applications import sensitivities as sensitivities
    from operator_algebra.applications import simulation as simulation
    from operator_algebra.applications import task_space as task_space
    from operator_algebra.applications.events import Event as Event
    from operator_algebra.applications.film import Film as Film
    from operator_algebra.applications.simulation import simulate as simulate
    from operator_algebra.calls.compiled import Compiled as Compiled
    from operator_algebra.checking.check import Check as Check
    from operator_algebra.checking.check import check as check
    from operator_algebra.compiler import compile as compile
    from operator_algebra.description import describe as describe
    from operator_algebra.evaluation import evaluate as evaluate
    from operator_algebra.expressions.build import define as define
    from operator_algebra.expressions.build import diag as diag
    from operator_algebra.expressions.build import fixpoint as fixpoint
    from operator_algebra.expressions.build import inv as inv
    from operator_algebra.expressions.build import operator as operator
    from operator_algebra.expressions.build import root as root
    from operator_algebra.expressions.build import scalar as scalar
    from operator_algebra.expressions.build import vector as vector
    from operator_algebra.expressions.nodes import Expr as Expr
    from operator_algebra.expressions.nodes import Symbol as Symbol
    from operator_algebra.expressions.normalize import equal as equal
    from operator_algebra.expressions.query import Query as Query
    from operator_algebra.expressions.query import block as block
    from operator_algebra.expressions.query import dense as dense
    from operator_algebra.expressions.query import logdet as logdet
    from operator_algebra.expressions.query import trace as trace
    from operator_algebra.identities.catalogue import catalogue as catalogue
    from operator_algebra.identities.identity import Identity as Identity
    from operator_algebra.identities.identity import Statement as Statement
    from operator_algebra.lowering.lower import lower as lower
    from operator_algebra.models.families import chain as chain
    from operator_algebra.models.families import random_tree as random_tree
    from operator_algebra.models.gallery import available as available
    from operator_algebra.models.gallery import load as load
    from operator_algebra.models.joints.joint import Joint as Joint
    from operator_algebra.models.loops import Loop as Loop
    from operator_algebra.models.mimic import Mimic as Mimic
    from operator_algebra.models.model import Body as Body
    from operator_algebra.models.model import Frame as Frame
    from operator_algebra.models.model import Model as Model
    from operator_algebra.operators.blocks import BlockMatrix as BlockMatrix
    from operator_algebra.operators.spaces import FORCE as FORCE
    from operator_algebra.operators.spaces import MOTION as MOTION
    from operator_algebra.operators.spaces import ONE as ONE
    from operator_algebra.operators.spaces import RATE as RATE
    from operator_algebra.operators.spaces import TORQUE as TORQUE
    from operator_algebra.operators.spaces import WHITE as WHITE
    from operator_algebra.operators.spaces import Space as Space
    from operator_algebra.operators.spaces import Type as Type
    from operator_algebra.operators.spaces import space as space
    from operator_algebra.programs.cost import Cost as Cost
    from operator_algebra.programs.program import Program as Program
    from operator_algebra.proofs.calculation import calc as calc
    from operator_algebra.proofs.calculation import explain as explain
    from operator_algebra.proofs.discover import Discovery as Discovery
    from operator_algebra.proofs.discover import derive as derive
    from operator_algebra.proofs.discover import discover as discover
    from operator_algebra.proofs.general import generalize as generalize
    from operator_algebra.proofs.laws import Laws as Laws
    from operator_algebra.proofs.laws import discover_laws as discover_laws
    from operator_algebra.proofs.proof import Proof as Proof
    from operator_algebra.proofs.prove import prove as prove
    from operator_algebra.rates import differentiate as differentiate
    from operator_algebra.spatial.inertia import Inertia as Inertia
    from operator_algebra.spatial.transforms import Placement as Placement
    from operator_algebra.symbols import parse as parse
    from operator_algebra.views.spy import spy as spy

# Module → the public names that live there.
_NAMES = {
    "applications.events": "Event",
    "applications.film": "Film",
    "applications.simulation": "simulate",
    "checking.check": "Check check",
    "calls.compiled": "Compiled",
    "compiler": "compile",
    "description": "describe",
    "evaluation": "evaluate",
    "expressions.build": "define diag fixpoint inv operator root scalar vector",
    "expressions.nodes": "Expr Symbol",
    "expressions.normalize": "equal",
    "expressions.query": "Query block dense logdet trace",
    "identities.catalogue": "catalogue",
    "identities.identity": "Identity Statement",
    "programs.cost": "Cost",
    "lowering.lower": "lower",
    "programs.program": "Program",
    "models.families": "chain random_tree",
    "models.gallery": "available load",
    "models.joints.joint": "Joint",
    "models.loops": "Loop",
    "models.mimic": "Mimic",
    "models.model": "Body Frame Model",
    "operators.blocks": "BlockMatrix",
    "operators.spaces": "FORCE MOTION ONE RATE Space TORQUE Type WHITE space",
    "proofs.calculation": "calc explain",
    "proofs.discover": "Discovery derive discover",
    "proofs.general": "generalize",
    "proofs.laws": "Laws discover_laws",
    "proofs.proof": "Proof",
    "proofs.prove": "prove",
    "spatial.inertia": "Inertia",
    "spatial.transforms": "Placement",
    "rates": "differentiate",
    "symbols": "parse",
    "views.spy": "spy",
}

# Public names that are modules themselves.
_MODULES = {
    "constraints": "applications.constraints",
    "decomposition": "applications.decomposition",
    "diagonalized": "applications.diagonalized",
    "dynamics": "applications.dynamics",
    "embedding": "applications.embedding",
    "estimation": "applications.estimation",
    "events": "applications.events",
    "geometry": "applications.geometry",
    "global_form": "applications.global_form",
    "impacts": "applications.impacts",
    "lie": "applications.lie",
    "sensitivities": "applications.sensitivities",
    "simulation": "applications.simulation",
    "task_space": "applications.task_space",
    "course": "course",
    "errors": "errors",
    "symbols": "symbols",
}

_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    value: object
    if name in _MODULES:
        value = import_module(f"{__name__}.{_MODULES[name]}")
    elif name in _HOME:
        value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*_HOME, *_MODULES, "__version__", "__doc__"})
