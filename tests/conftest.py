"""Settings of every test run: the same random examples each time, pictures without a screen, pages of one width."""

import os

from hypothesis import HealthCheck, settings

os.environ.setdefault("MPLBACKEND", "Agg")
for side in ("COLUMNS", "LINES"):  # whoever runs the tests may have a window, and pytest-xdist says that it has one
    os.environ.pop(side, None)

# A random mechanism costs milliseconds to seconds, so no example has a deadline.
_patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("gate", _patient, derandomize=True, database=None)
settings.register_profile("explore", _patient, max_examples=1000)  # --hypothesis-profile=explore looks afresh
settings.load_profile("gate")
