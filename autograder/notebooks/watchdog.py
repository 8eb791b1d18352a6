"""A limit to the processor time that trusted code spends on a submission, whatever is in it.

What trusted code does with a submission is meant to be linear in its length. This is for the day
on which something is not. A worker process also ends when its parent does.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SECONDS = 30.0  # of this process; what a submission's own process takes does not count
AGAIN = 1.0  # seconds until it is said again to code that did not listen


class OutOfTime(BaseException):
    """This is a BaseException, so that `except Exception` cannot swallow it."""


@contextmanager
def processor_limit(seconds: float = SECONDS) -> Iterator[None]:
    """Raise OutOfTime once this process has used more than `seconds`.

    That is so in the main thread, and where Python looks up. A call into C that never returns is
    deaf, and in another thread nobody listens: after twice the time the process is killed.
    """
    armed = True

    def ring(*_: Any) -> None:
        if armed:
            raise OutOfTime(f"more than {seconds:g} seconds of processor time")

    listens = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGPROF, ring) if listens else None
    if listens:
        signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN)
    signal.setitimer(signal.ITIMER_VIRTUAL, 2 * seconds)  # nobody handles it, so it kills
    try:
        yield
    finally:
        armed = False
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        if listens:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before or signal.SIG_DFL)


def end_with_parent() -> None:
    """End this process when its parent ends, however that does. To be called in a thread.

    The server that forked this process waits for it, and both would live on.
    """
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
