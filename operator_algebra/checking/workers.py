"""Processes that check mechanisms side by side, each with one BLAS thread, so that no bit depends on their number."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Generator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager

_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


@contextmanager
def workers(count: int) -> Generator[Executor, None, None]:
    """An executor of that many processes; they end at once if the block is left by an exception."""
    saved = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))  # read by a worker when it loads its libraries
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), initializer=_ignore_interrupts)
    try:
        yield pool
    except BaseException:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        # What was not yet written to workers that are gone is not waited for: nobody will read it.
        vars(pool)["_call_queue"].cancel_join_thread()
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    else:
        pool.shutdown()
    finally:
        for name, value in saved.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _ignore_interrupts() -> None:
    """Ctrl-C is for the process that shows progress; it ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
