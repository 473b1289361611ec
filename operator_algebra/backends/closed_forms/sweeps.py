"""Rational functions as numbers of the interpreter, and what is said where a closed form does not exist."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from operator_algebra.backends.closed_forms.ratios import Ratio, RationalFunctions, TooLarge
from operator_algebra.backends.closed_forms.symbolic import Objects
from operator_algebra.backends.sizes import mechanism_of
from operator_algebra.errors import InputError, SingularError
from operator_algebra.models.model import Model
from operator_algebra.operators.layout import Layout
from operator_algebra.programs.instructions import Answer, Invert, Relate, Resolve, RootOf, Surround, Total
from operator_algebra.programs.interpret import Interpreter
from operator_algebra.programs.matrices import Matrix, Numbers
from operator_algebra.programs.mechanism import Mechanism
from operator_algebra.programs.program import Program, Step


def numbers_of(functions: RationalFunctions) -> Numbers:
    """Ratios: pivots are the shortest, and every product is reduced."""

    def logarithm(factors: Sequence[Ratio]) -> Ratio:
        whole = functions.one
        for factor in factors:
            whole = functions.reduced(whole * factor)
        return functions.logarithm(whole)

    return Numbers(
        functions.number,
        functions.square_root,
        logarithm,
        weight=lambda x: -len(x.numerator),
        settled=functions.reduced,
        rounded=False,
    )


class Sweeps(Interpreter):
    """One run; `given` holds the blocks of leaves and inputs by name, arrays of ratios."""

    def __init__(
        self,
        program: Program,
        model: Model,
        functions: RationalFunctions,
        given: Mapping[str, Sequence[Objects]],
        layouts: Mapping[str, Layout],
    ) -> None:
        self.joints = model.joint_names
        rows = {name: [block.tolist() for block in blocks] for name, blocks in given.items()}
        super().__init__(program, mechanism_of(model, layouts), rows, numbers_of(functions))

    def computed(self, step: Step, k: int) -> Matrix:
        """The block of a step at a body."""
        joint = self.joints[k]
        try:
            return self.block(step, k)
        except TooLarge as error:
            raise InputError(
                f'the closed form of {step.name} at "{joint}" grows too large ({error}). '
                "Give numbers for some coordinates, inputs or parameters, or use a numeric backend."
            ) from None
        except ZeroDivisionError:
            raise self._singular(step, joint) from None

    def block(self, step: Step, k: int) -> Matrix:
        """The block of a step at body k; relations have none."""
        if isinstance(step.definition, Relate | Resolve | Surround | Answer):
            raise InputError(
                f'closed forms are found by pivots; {step.name} of this program is a step of method="orthogonal". '
                'Compile it with the default method, or use backend="numpy".'
            )
        return super().block(step, k)

    def _singular(self, step: Step, joint: str) -> SingularError:
        if isinstance(step.definition, Total):
            words = "the determinant is zero for every value of the symbols: its logarithm does not exist."
            return SingularError(words)
        if isinstance(step.definition, RootOf):
            return SingularError(f'the root in {step.name} is singular at joint "{joint}".', joints=[joint])
        assert isinstance(step.definition, Invert)
        pivot = self.program.steps[step.definition.source.value].name
        where = f' at joint "{joint}"' if step.value.attached else ""
        return SingularError(
            f"{pivot} is singular{where}: its determinant is zero for every value of the symbols. "
            "Give the bodies outboard inertia, or choose independent coordinates.",
            joints=[joint] if step.value.attached else [],
        )


def late_variables(program: Program, mechanism: Mechanism) -> int:
    """How many roots and logarithms the steps of a program make."""
    count = 0
    for step in program.steps.values():
        if isinstance(step.definition, RootOf):
            count += mechanism.whole(step.type.codomain)
        elif isinstance(step.definition, Total):
            count += 1
    return count
