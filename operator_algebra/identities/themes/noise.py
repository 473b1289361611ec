"""What the laws with J share: any block-diagonal J beside H P H*, such as rotor inertia or measurement noise."""

from operator_algebra.expressions.build import operator, zero
from operator_algebra.operators.spaces import RATE, TORQUE
from operator_algebra.symbols import innovations

J = operator("J", RATE >> TORQUE, structure="diagonal semidefinite")
with_J = innovations(J)
ZERO = zero()
