"""`make learn`: JupyterLab where the exercises are."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from servers import free_port, get

from autograder.common.files import REPOSITORY


def test_make_learn_opens_jupyterlab_on_the_exercises(kernel):
    port = free_port()
    options = f"--no-browser --port={port} --IdentityProvider.token="
    command = [
        "make",
        "learn",
        "-o",
        "setup",
        f"BIN={Path(sys.executable).parent}",
        f"LAB={options}",
    ]
    server = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, start_new_session=True)  # fmt: skip
    try:
        listed = json.loads(get(f"http://127.0.0.1:{port}/api/contents/exercises"))["content"]
        chapters = {path.name for path in (REPOSITORY / "exercises").iterdir() if path.is_dir()}
        assert chapters and chapters <= {item["name"] for item in listed}
        assert "JupyterLab" in get(f"http://127.0.0.1:{port}/lab/tree/exercises")
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait()
