"""The server that forks worker processes: it loads once what all of them need."""

import multiprocessing
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext


def fork_server(module: str) -> ForkServerContext:
    """Return its context for multiprocessing; it is started now, if it was not, and loads `module`.

    That takes seconds, which pass while whoever asks early does something else.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([module])
    forkserver.ensure_running()
    return context
