"""`python -m benchmarks [NAME…]`, the same as `operator-algebra bench`."""

import sys

from operator_algebra.cli.main import main

if __name__ == "__main__":
    sys.argv[1:1] = ["bench"]
    main()
