"""A Dask cluster on this machine."""

import os
import subprocess
import sys
from contextlib import suppress

from processes import command, descendants, kill
from servers import free_port


class Cluster:
    """A scheduler and workers, as a shell starts them. options: of both."""

    def __init__(self, folder, protocol="tcp", options=()):
        self.folder, self.protocol, self.options = folder, protocol, options
        self.workers = []
        self.address = f"{protocol}://127.0.0.1:{free_port()}"
        self.schedule()

    def schedule(self):
        self.scheduler = self._start("scheduler", "--port", self.address.rpartition(":")[2])

    def add(self, root, *more):
        """A worker whose clone of the course is `root`."""
        options = ["--nthreads", "1", "--no-nanny", "--local-directory", str(self.folder), *more]
        self.workers.append(self._start("worker", self.address, *options, root=root))

    def _start(self, role, *options, root=None):
        shared = ["--host", "127.0.0.1", "--no-dashboard", "--protocol", self.protocol]
        shared += self.options
        return subprocess.Popen([sys.executable, "-m", "dask", role, *shared, *options],
                                env=os.environ | {"ATTN_ROOT": str(root)},
                                stderr=(self.folder / "log").open("a"))  # fmt: skip

    def remove_workers(self):
        end(self.workers)
        self.workers = []

    def start_anew(self):
        """Another scheduler, at the same address; it knows of no task and no worker."""
        end([self.scheduler])
        self.schedule()

    def sandboxes(self):
        below = [pid for worker in self.workers for pid in descendants(worker.pid)]
        return [pid for pid in below if "autograder.confined.worker" in command(pid)]


def end(processes):
    """As when machines fail."""
    for process in processes:
        for pid in (process.pid, *descendants(process.pid)):
            with suppress(ProcessLookupError):
                kill(pid)
        process.wait()
