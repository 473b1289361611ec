"""Processes that check mechanisms side by side, each with one BLAS thread, so that no bit depends on their number."""

from __future__ import annotations

import atexit
import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Generator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event

_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
# Memory that glibc gives back is filled with zeros, page by page, when it is wanted again: a worker keeps a gigabyte.
_MEMORY = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_")
# Values go when nothing refers to them: what is found by a search of all objects is little, and may wait.
_GARBAGE = 100_000
_WORKER = {**dict.fromkeys(_THREADS, "1"), **dict.fromkeys(_MEMORY, str(10**9))}


def processes(wanted: int) -> int:
    """As many as are wanted; of 0 as many as there are cores."""
    return wanted or os.cpu_count() or 1


@contextmanager
def workers(count: int) -> Generator[Executor, None, None]:
    """An executor of that many processes; they end at once if the block is left by an exception."""
    saved = {name: os.environ.get(name) for name in _WORKER}
    os.environ.update(_WORKER)  # read by a worker when it loads its libraries
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    all_there = context.Event()
    pool = ProcessPoolExecutor(count, context, initializer=_begin, initargs=(all_there,))
    try:
        with _uninterrupted():
            for _ in range(count):  # each starts a process, as none is idle before all are there
                pool.submit(int)
            all_there.set()
        yield pool
    except BaseException:
        tasks: Queue[object] = vars(pool)["_call_queue"]
        answers: object = vars(pool)["_result_queue"]
        pool.shutdown(wait=False, cancel_futures=True)
        started = set(multiprocessing.active_children()) - others
        for process in started:
            process.terminate()
        for process in started:
            process.join()
        # What was not yet written to workers that are gone is not waited for, nor the rest of what they were writing.
        tasks.cancel_join_thread()
        vars(answers)["_writer"].close()
        raise
    else:
        pool.shutdown()
    finally:
        for name, value in saved.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _uninterrupted() -> Generator[None, None, None]:
    """Ctrl-C waits for the end of the block: who is started half-way is known to nobody who could end it.

    What is started inside is deaf to Ctrl-C where processes inherit that.
    """
    listens = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is not None
    if not listens:
        yield
        return
    waiting: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: waiting.append(number))
    try:
        with _masked():
            yield
    finally:
        signal.signal(signal.SIGINT, before)
    if waiting:
        signal.raise_signal(signal.SIGINT)


@contextmanager
def _masked() -> Generator[None, None, None]:
    """No Ctrl-C for this thread, nor for the processes that it starts."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _begin(all_there: Event) -> None:
    """Ctrl-C is for the process that shows progress; it ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    all_there.wait()
    import_module("operator_algebra.checking.search").prepare()  # while the first process makes ready what to do
    gc.freeze()
    gc.set_threshold(_GARBAGE)
    atexit.register(os._exit, 0)  # all answers are sent by then: nothing has to be taken apart
