"""Worker processes that stay from one batch to the next: to start them takes seconds."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from typing import Any

START_SECONDS = 0.1  # of work for a process that is to be started


class Warm:
    """Keeps an executor open. Use it as a context manager; call it for the executor.

    Where its processes were killed, or `outdated` was called, the next call opens another.
    """

    def __init__(self, open_executor: Callable[[], AbstractContextManager[Executor]]):
        self._open_executor = open_executor
        self._opened = ExitStack()
        self._executor: Executor | None = None

    def __enter__(self) -> "Warm":
        return self

    def __exit__(self, *error: Any) -> None:
        self._opened.__exit__(*error)

    @contextmanager
    def __call__(self) -> Iterator[Executor]:
        """Give the executor, which stays open afterwards."""
        yield self._executor if self._executor and self._is_alive() else self._renewed()

    def _renewed(self) -> Executor:
        self.outdated()
        self._executor = self._opened.enter_context(self._open_executor())
        return self._executor

    def begin(self, workers: int) -> None:
        """Start the processes, and do not wait for it."""
        with self() as executor:
            for _ in range(workers):
                executor.submit(time.sleep, START_SECONDS)  # each to another process

    def outdated(self) -> None:
        """End the processes, which have read files that changed, or were killed."""
        self._executor = None
        self._opened.close()

    def _is_alive(self) -> bool:
        with suppress(BrokenExecutor):
            return self._executor is not None and bool(self._executor.submit(int))
        return False
