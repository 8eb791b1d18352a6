"""Jupyter's servers on this machine."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def formgrader(root: Path) -> Iterator[str]:
    """nbgrader's formgrader on a free port; gives its address."""
    port = free_port()
    extension = "{'nbgrader.server_extensions.formgrader': True}"
    options = ["--no-browser", "--allow-root", f"--port={port}", "--IdentityProvider.token=",
               f"--ServerApp.jpserver_extensions={extension}"]  # fmt: skip
    server = subprocess.Popen([sys.executable, "-m", "jupyter", "server", *options], cwd=root,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              start_new_session=True)  # fmt: skip
    try:
        yield f"http://127.0.0.1:{port}/formgrader"
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait()


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def get(address: str, patience: float = 600) -> str:
    """The answer, from a server that may still be starting."""
    deadline = time.monotonic() + patience
    while True:
        try:
            with urllib.request.urlopen(address, timeout=300) as answer:
                return answer.read().decode()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)


def put(address: str, value: dict[str, float]) -> None:
    """Change something, as a page of the server would."""
    headers = {"Content-Type": "application/json", "Cookie": "_xsrf=1", "X-XSRFToken": "1"}
    body = json.dumps(value).encode()
    request = urllib.request.Request(address, body, headers, method="PUT")
    urllib.request.urlopen(request, timeout=300).close()
