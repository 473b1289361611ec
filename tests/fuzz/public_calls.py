"""Every public function and method with arguments that are right: each of them is then replaced by a wrong one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import operator_algebra as oa
from operator_algebra.applications import diagnosis
from operator_algebra.symbols import E_phi, H, I, M, R, T, inv, phi

dyn, task, sym, lie = oa.dynamics, oa.task_space, oa.symbols, oa.lie
Arguments = Mapping[str, Any]


@dataclass(frozen=True)
class Call:
    """A callable, its right arguments by position, and by name."""

    function: Callable[..., Any]
    positional: tuple[Any, ...] = ()
    named: Arguments = field(default_factory=dict[str, Any])

    def places(self) -> list[int | str]:
        """Where an argument can be replaced."""
        return [*range(len(self.positional)), *self.named]

    def run(self, place: int | str | None = None, value: Any = None) -> Any:
        """The call, with the argument at one place replaced."""
        positional, named = list(self.positional), dict(self.named)
        if isinstance(place, int):
            positional[place] = value
        elif place is not None:
            named[place] = value
        return self.function(*positional, **named)


def call(function: Callable[..., Any], *positional: Any, **named: Any) -> Call:
    """A call with its right arguments."""
    return Call(function, positional, named)


@cache
def calls(folder: Path) -> dict[str, Call]:
    """By name, with the object that a method belongs to."""
    arm, robot = oa.chain(2), oa.load("planar2r")
    q, v = arm.neutral(), np.zeros(2)
    x = oa.vector("x", oa.RATE)
    mass = H @ phi @ M @ phi.T @ H.T
    value = oa.evaluate(mass, arm, q=q)
    shift = oa.evaluate(E_phi, arm, q=q)
    program = oa.lower(inv(mass) @ T)
    compiled = oa.compile(inv(mass) @ T, arm)
    applied = oa.compile(mass @ x, arm)
    law = oa.catalogue()["factor inverse"]
    statement = next(law for law in oa.catalogue().values() if isinstance(law, oa.Statement))
    checked = oa.check(law, arm, samples=1)
    film, many = (oa.simulate(arm, q, rates, until=0.01, step=0.01) for rates in (v, np.zeros((2, 2))))
    joint, place, inertia = oa.Joint.revolute(name="hinge"), oa.Placement(), oa.Inertia(1.0)
    matrix = np.zeros(2)
    kinds = {
        name: call(getattr(oa.Joint, name), (0, 0, 1), name="j", armature=0.1, stiffness=1.0, damping=0.1, rest=0.1)
        for name in ("revolute", "prismatic")
    }
    options: dict[str, Any] = {"name": "j", "armature": 0.1, "damping": 0.1, "limits": None}
    return {
        # -- mechanisms
        "load": call(oa.load, "planar2r", base="fixed", merge_fixed=True, mimic=True, strict=True),
        "chain": call(oa.chain, 2, joint="revolute", seed=0),
        "random_tree": call(oa.random_tree, 3, joints=("revolute",), branching=0.5, mass_spread=0.0, seed=0),
        "Body": call(
            _model_of_a_body, name="link", parent=None, joint=joint, placement=place,
            inertia=oa.Inertia(1.0, (0, 0, 0), (1, 1, 1)),
        ),
        "Frame": call(
            _model_with_a_frame, body="link1", placement=place,
        ),
        "Loop": call(
            _model_with_a_loop, name="pin", first="wall", second="tool", locked=("x", "rz"), at="tool",
        ),
        "Mimic": call(oa.Mimic, "joint2", "joint1", multiplier=2.0, offset=0.1),
        "Model": call(
            oa.Model, name="m", bodies=arm.bodies, gravity=(0, 0, -9.81),
            frames={"tool": oa.Frame("link1"), "wall": oa.Frame(None)}, mimic=[oa.Mimic("joint2", "joint1")],
            loops=[oa.Loop("pin", "wall", "tool", ("x",))], strict=True,
        ),
        "Model.body_index": call(arm.body_index, "link1"),
        "Model.joint_index": call(arm.joint_index, "joint1"),
        "Model.random": call(arm.random, 0),
        "Model.integrate": call(arm.integrate, q, v),
        "Model.rate": call(arm.rate, q, v),
        "Model.difference": call(arm.difference, q, q),
        "Model.check_q": call(arm.check_q, q),
        "Model.check_v": call(arm.check_v, v, name="v"),
        "Model.save": call(arm.save, folder / "arm.toml"),
        **{f"Joint.{name}": found for name, found in kinds.items()},
        "Joint.named": call(joint.named, "other"),
        "Joint.cylindrical": call(oa.Joint.cylindrical, (0, 0, 1), **options),
        "Joint.helical": call(oa.Joint.helical, (0, 0, 1), pitch=0.1, **options),
        "Joint.universal": call(oa.Joint.universal, (1, 0, 0), (0, 1, 0), **options),
        "Joint.planar": call(oa.Joint.planar, (0, 0, 1), **options),
        "Joint.spherical": call(oa.Joint.spherical, **options),
        "Joint.translation": call(oa.Joint.translation, **options),
        "Joint.floating": call(oa.Joint.floating, **options),
        "Joint.fixed": call(oa.Joint.fixed, name="j"),
        "Placement": call(oa.Placement, np.eye(3), (0, 0, 0)),
        "Placement.from_rpy": call(oa.Placement.from_rpy, (0, 0, 1), (0, 0, 0)),
        "Placement.from_quaternion": call(oa.Placement.from_quaternion, (1, 0, 0, 0), (0, 0, 0)),
        "Placement.from_axis_angle": call(oa.Placement.from_axis_angle, (0, 0, 1), 0.5, (0, 0, 0)),
        "Placement.from_rotation_vector": call(oa.Placement.from_rotation_vector, (0, 0, 1), (0, 0, 0)),
        "Placement.apply": call(place.apply, (0, 0, 1)),
        "Placement.compose": call(place.compose, place),
        "Placement @": call(place.__matmul__, place),
        "Inertia": call(oa.Inertia, 1.0, (0, 0, 0), (1, 1, 1)),
        "Inertia.box": call(oa.Inertia.box, 1.0, (1, 1, 1), (0, 0, 0)),
        "Inertia.sphere": call(oa.Inertia.sphere, 1.0, 0.5, (0, 0, 0)),
        "Inertia.cylinder": call(oa.Inertia.cylinder, 1.0, 0.5, 1.0, (0, 0, 0), 2),
        "Inertia.moved": call(inertia.moved, place),
        "Inertia +": call(inertia.__add__, inertia),
        # -- language
        "Space": call(oa.Space, "a", "a*", "a", attached=True),
        "space": call(oa.space, "contact", attached=True),
        "Space >>": call(oa.MOTION.__rshift__, oa.FORCE),
        "Type": call(oa.Type, oa.MOTION, oa.FORCE),
        "inv": call(oa.inv, phi),
        "root": call(oa.root, M),
        "diag": call(oa.diag, phi),
        "vector": call(oa.vector, "x", oa.RATE),
        "scalar": call(oa.scalar, "h"),
        "operator": call(oa.operator, "J", oa.RATE >> oa.TORQUE, structure="diagonal"),
        "define": call(oa.define, "mass", mass, cites="me"),
        "fixpoint": call(oa.fixpoint, "X", oa.MOTION >> oa.FORCE, _equation, cites="me"),
        "fixpoint, value": call(_fixed_point, M),
        "equal": call(oa.equal, phi, phi),
        "parse": call(oa.parse, "H phi", {"A": M}),
        "differentiate": call(
            oa.differentiate, phi @ M, wrt=M, along=R, rates={E_phi: phi}, domain=("1-DOF",), frame="body"
        ),
        "block": call(oa.block, phi, 0, 1),
        "trace": call(oa.trace, phi),
        "logdet": call(oa.logdet, phi),
        "dense": call(oa.dense, phi),
        "Query": call(oa.Query, "block", phi, (0, 1)),
        "Query.render": call(oa.trace(phi).render, "unicode"),
        "Expr @": call(M.__matmul__, phi.T),
        "@ Expr": call(phi.T.__rmatmul__, M),
        "Expr +": call(M.__add__, R),
        "+ Expr": call(M.__radd__, R),
        "Expr -": call(M.__sub__, R),
        "- Expr": call(M.__rsub__, R),
        "Expr *": call(M.__mul__, 2),
        "* Expr": call(M.__rmul__, 2),
        "Expr /": call(M.__truediv__, 2),
        "Expr.render": call(mass.render, "unicode"),
        "Expr.substitute": call(mass.substitute, {M: R}),
        "Expr.substitute, value": call(_substituted, R),
        "describe": call(oa.describe, mass, columns=80),
        "cross": call(sym.cross, sym.V),
        "crossbar": call(sym.crossbar, sym.f_ext),
        "innovations": call(sym.innovations, sym.armature),
        "motion": call(sym.motion, sym.v),
        # -- truth
        "Identity": call(
            oa.Identity, "law", phi, inv(I - E_phi), domain=("serial",), cites="", theme="", idea="",
            misprint="", twins=(),
        ),
        "Identity.formula": call(law.formula, "unicode"),
        "Statement": call(
            oa.Statement, "law", statement.kind, statement.rule, statement.lhs, statement.rhs, reads="X", domain=(),
            cites="", theme="", idea="", misprint="", twins=(),
        ),
        "Statement.formula": call(statement.formula, "unicode"),
        "catalogue": call(oa.catalogue, "factor*"),
        "evaluate": call(oa.evaluate, mass @ x, arm, q=q, v=None, frame="body", limit="1 GB", x=v),
        "evaluate, diagonal": call(oa.evaluate, mass + _J, arm, q=q, J=[np.eye(1)] * 2),
        "evaluate, own space": call(oa.evaluate, sym.B.T @ phi.T @ H.T @ x, arm, q=q, x=v, B={"joint1": np.eye(6)}),
        "evaluate, task": call(oa.evaluate, task.stacked.inverse_inertia, arm, q=q, B_stacked=np.ones((12, 1))),
        "check": call(
            oa.check, law, arm, samples=1, seed=0, every=False, executor=None, progress=None
        ),
        "prove": call(oa.prove, law, seconds=5.0, progress=None),
        "explain": call(oa.explain, "left exchange", seconds=5.0),
        "discover": call(oa.discover, mass, unknown="P", frame=["I", H @ phi], seconds=5.0),
        "generalize": call(oa.generalize, law, seconds=5.0),
        "derive": call(oa.derive, inv(mass), goal="lowerable", seconds=5.0),
        "discover_laws": call(
            oa.discover_laws, [H, phi, "E_phi"], length=2, diagonals=True, seconds=0.5, progress=None
        ),
        "Laws.of": call(oa.discover_laws([phi, E_phi], length=2).of, phi),
        "Laws.render": call(oa.discover_laws([phi, E_phi], length=2).render, "unicode"),
        "calc": call(oa.calc, phi, inv(I - E_phi), seconds=5.0),
        "Proof.render": call(oa.prove("propagation").render, "unicode"),
        "Check.count": call(checked.count, "holds"),
        "Check.replay": call(checked.replay, checked.rows[0]),
        # -- values
        "BlockMatrix.dense": call(value.dense, "model"),
        "BlockMatrix.pattern": call(value.pattern, "model"),
        "BlockMatrix []": call(_block_at, 0, 1),
        "BlockMatrix [], pair": call(value.__getitem__, (0, 1)),
        "BlockMatrix @": call(shift.__matmul__, shift),
        "BlockMatrix +": call(value.__add__, value),
        "BlockMatrix -": call(value.__sub__, value),
        "BlockMatrix *": call(value.__mul__, 2.0),
        "* BlockMatrix": call(value.__rmul__, 2.0),
        # -- compilation
        "lower": call(oa.lower, mass @ x, method="auto", zeros=frozenset({"armature"})),
        "lower, by name": call(_lowered_by_name, mass @ x),
        "Program.pseudocode": call(program.pseudocode, "unicode", numbering="model", reasons=True),
        "Program.cost": call(program.cost, arm),
        "Program.parse": call(oa.Program.parse, program.text),
        "simulate": call(
            oa.simulate, arm, q, v, torque=v, until=0.01, step=0.01, method="runge-kutta", tolerance=1e-6,
            constraints=(), events=[oa.events.limit("joint1", upper=1.0)], progress=None,
        ),
        "Event": call(oa.Event, "low", "T* v - 1", direction="falling", stop=False, then=None, inputs={}),
        "events.wall": call(oa.events.wall, "link1", (0, 0, 1), offset=0.1, restitution=0.5, stop=False),
        "events.limit": call(oa.events.limit, "joint1", lower=-1.0, restitution=0.5, stop=False),
        "Film": call(oa.Film, film.t, film.q, film.v, film.T, arm, film.events),
        "Film.motion": call(many.motion, 0),
        "Film.poses": call(film.poses, "link1"),
        "Film.robot": call(film.robot, animate=False),
        "Film.save": call(film.save, folder / "film.npz"),
        "compile": call(oa.compile, mass @ x, arm, backend="auto", frame="body", method="auto", threads=1),
        "Compiled": call(compiled, q=q, T=v, out=matrix, errors="raise"),
        "Compiled.bind": call(_bound_and_called, q=q, T=v, out=matrix),
        "Compiled.operations": call(compiled.operations, q=q, T=v),
        "Compiled.linear_operator": call(applied.linear_operator, q=q),
        "closed form": call(oa.compile("V", arm, backend="sympy"), q=[0, 0], v=[0, 0]),
        # -- applications
        "dynamics.poses": call(dyn.poses, robot, q=q),
        "sensitivities.stiffness": call(oa.sensitivities.stiffness, robot, q=q),
        "decomposition.choose": call(oa.decomposition.choose, robot, ["elbow"]),
        "global_form.held_forces": call(oa.global_form.held_forces, robot, q=q, frame="world"),
        "dynamics.centre_of_mass": call(dyn.centre_of_mass, robot, q=q),
        "dynamics.total_mass": call(dyn.total_mass, robot),
        "dynamics.potential_energy": call(dyn.potential_energy, robot, q=q),
        "embedding.embedded": call(oa.embedding.embedded, mass, T),
        "embedding.matrix": call(oa.embedding.matrix, robot),
        "embedding.coupling": call(oa.embedding.coupling, _geared()),
        "embedding.follow": call(oa.embedding.follow, _geared(), q),
        "embedding.follow_rates": call(oa.embedding.follow_rates, _geared(), v),
        "task_space.of": call(task.of, task.B_stacked, task.B_dot_stacked),
        "task_space.picks": call(task.picks, robot, ["elbow"], linear=True, q=q, frame="body"),
        "task_space.pick_rates": call(task.pick_rates, robot, ["elbow"], q=q, v=v, linear=True, frame="body"),
        "task_space.stack": call(task.stack, robot, {"elbow": np.ones((6, 3))}),
        "task_space.stack, value": call(_stacked, np.ones((6, 3))),
        "geometry.connection_along": call(oa.geometry.connection_along, oa.geometry.w),
        "geometry.covariant": call(oa.geometry.covariant, oa.geometry.w, rates={"w": oa.geometry.w_dot}),
        "geometry.christoffel_symbols": call(oa.geometry.christoffel_symbols, robot, q=q, kind="first"),
        "geometry.riemann_tensor": call(oa.geometry.riemann_tensor, robot, q=q),
        "geometry.sectional_curvature": call(oa.geometry.sectional_curvature, robot, q=q, v=[1, 0], w=[0, 1]),
        "geometry.map_slopes": call(oa.geometry.map_slopes, robot, q=q, v=[1, 0], w=[0, 1]),
        "geometry.geodesic": call(oa.geometry.geodesic, robot, q, v, until=0.01, tolerance=1e-6),
        "lie.matrix": call(lie.matrix, np.eye(4)),
        "lie.placement": call(lie.placement, np.eye(4)),
        "lie.exp": call(lie.exp, np.ones(6)),
        "lie.log": call(lie.log, oa.Placement()),
        "lie.compose": call(lie.compose, np.eye(4), oa.Placement()),
        "lie.inverse": call(lie.inverse, np.eye(4)),
        "lie.hat": call(lie.hat, np.ones(6)),
        "lie.vee": call(lie.vee, np.zeros((4, 4))),
        "lie.Ad": call(lie.Ad, np.eye(4)),
        "lie.ad": call(lie.ad, np.ones(6)),
        "lie.body_velocity": call(lie.body_velocity, np.eye(4), np.zeros((4, 4))),
        "lie.spatial_velocity": call(lie.spatial_velocity, np.eye(4), np.zeros((4, 4))),
        "lie.add_body_velocities": call(lie.add_body_velocities, np.ones(6), np.ones(6), np.eye(4)),
        "lie.add_spatial_velocities": call(lie.add_spatial_velocities, np.ones(6), np.ones(6), np.eye(4)),
        "lie.move_inertia": call(lie.move_inertia, np.eye(6), np.eye(4)),
        "lie.Screw": call(lie.Screw.of_twist, np.ones(6)),
        "lie.Screw, wrench": call(lie.Screw.of_wrench, np.ones(6)),
        "lie.Screw, parts": call(_twist_of_a_screw, [0, 0, 1], [1, 0, 0], 0.5, 2.0),
        "lie.exponentials": call(lie.exponentials, robot, q=q),
        "lie.twists": call(lie.twists, robot),
        "lie.forward_kinematics": call(lie.forward_kinematics, robot, q=q),
        "diagnosis.pivots": call(diagnosis.pivots, robot, q=q),
        "diagnosis.check_pose": call(diagnosis.check_pose, robot, q=[0.1, 0.2]),
    }  # fmt: skip


def _model_of_a_body(**parts: Any) -> oa.Model:
    return oa.Model(bodies=[oa.Body(**parts)])


def _model_with_a_loop(**parts: Any) -> oa.Model:
    frames = {"tool": oa.Frame("link1"), "wall": oa.Frame(None)}
    return oa.Model(bodies=oa.chain(2).bodies, frames=frames, loops=[oa.Loop(**parts)])


def _model_with_a_frame(**parts: Any) -> oa.Model:
    return oa.Model(bodies=oa.chain(2).bodies, frames={"tool": oa.Frame(**parts)})


def _geared() -> oa.Model:
    return oa.Model(bodies=oa.chain(2).bodies, mimic=[oa.Mimic("joint2", "joint1", -1.0, 0.1)])


def _equation(X: oa.Expr) -> oa.Expr:
    return M + E_phi @ X @ E_phi.T


def _fixed_point(value: Any) -> oa.Expr:
    return oa.fixpoint("X", oa.MOTION >> oa.FORCE, lambda _: value)


def _substituted(new: Any) -> oa.Expr:
    return (H @ phi @ M).substitute({M: new})


def _lowered_by_name(e: Any) -> oa.Program:
    return oa.lower({"y": e})


def _bound_and_called(**given: Any) -> None:
    mass = H @ phi @ M @ phi.T @ H.T
    oa.compile(inv(mass) @ T, oa.chain(2)).bind(**given)()


def _block_at(i: Any, j: Any) -> Any:
    return oa.evaluate(M, oa.chain(2), q=[0, 0])[i, j]


def _twist_of_a_screw(*parts: Any) -> Any:
    return lie.Screw(*parts).twist()


def _stacked(block: Any) -> Any:
    return task.stack(oa.load("planar2r"), {"elbow": block})


_J = oa.operator("J", oa.RATE >> oa.TORQUE, structure="diagonal")
