"""`make learn`: JupyterLab where the exercises are."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_make_learn_opens_jupyterlab_on_the_exercises():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = f"--no-browser --port={port} --IdentityProvider.token="
    command = [
        "make",
        "learn",
        "-o",
        "setup",
        f"BIN={Path(sys.executable).parent}",
        f"LAB={options}",
    ]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, start_new_session=True)  # fmt: skip
    try:
        listed = json.loads(get(f"http://127.0.0.1:{port}/api/contents"))["content"]
        chapters = {path.name for path in (ROOT / "exercises").iterdir() if path.is_dir()}
        assert chapters and chapters <= {item["name"] for item in listed}
        assert "JupyterLab" in get(f"http://127.0.0.1:{port}/lab")
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait()


def get(address, patience=120):
    """The answer, from a server that may still be starting."""
    deadline = time.monotonic() + patience
    while True:
        try:
            with urllib.request.urlopen(address, timeout=30) as answer:
                return answer.read().decode()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)
