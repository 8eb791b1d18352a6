"""Work of the grader's own, which is charged to no submission."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from autograder.common.one_thread import one_thread

# Those of the limit to what trusted code spends on a submission; Windows has none.
TIMERS = (signal.ITIMER_PROF, signal.ITIMER_VIRTUAL) if hasattr(signal, "setitimer") else ()


@contextmanager
def own_work() -> Iterator[None]:
    """While it lasts, the timers of this process stand still, and torch has one thread."""
    left = [signal.setitimer(timer, 0) for timer in TIMERS]
    try:
        with one_thread():
            yield
    finally:
        for timer, (seconds, again) in zip(TIMERS, left, strict=True):
            signal.setitimer(timer, seconds, again)
