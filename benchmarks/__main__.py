"""`python -m benchmarks [NAME…]`: tables of ratios, each measured in this one process; all without a name."""

import sys
from importlib import import_module

from benchmarks.measure import machine

TABLES = ("forward_dynamics", "tasks", "batches", "chains", "growth", "claims")


def main() -> None:
    """Print the tables asked for."""
    names = sys.argv[1:] or TABLES
    unknown = sorted(set(names) - set(TABLES))
    if unknown:
        sys.exit(f"no benchmark is called {', '.join(unknown)}. There are {', '.join(TABLES)}.")
    print(*machine(), sep="\n")
    for name in names:
        print(f"\n{import_module(f'benchmarks.{name}').report()}", flush=True)


if __name__ == "__main__":
    main()
