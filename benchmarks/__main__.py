"""`python -m benchmarks [NAME…]`: tables of ratios, each measured in this one process; all without a name."""

import sys
from importlib import import_module

from benchmarks.measure import machine, text

TABLES = ("forward_dynamics", "chains")


def main() -> None:
    """Print the tables asked for."""
    names = sys.argv[1:] or TABLES
    unknown = sorted(set(names) - set(TABLES))
    if unknown:
        sys.exit(f"no benchmark is called {', '.join(unknown)}. There are {', '.join(TABLES)}.")
    print(*machine(), sep="\n")
    for name in names:
        table = import_module(f"benchmarks.{name}")
        print(f"\n{text(table.TITLE, table.rows())}")


if __name__ == "__main__":
    main()
