"""The processes below one, as /proc tells: who they are, and how to end them."""

import os
import signal
import time
from pathlib import Path


def descendants(pid: int) -> list[int]:
    """Every process below `pid`, parents before their children."""
    try:
        tasks = [*Path(f"/proc/{pid}/task").iterdir()]
        children = [int(c) for task in tasks for c in (task / "children").read_text().split()]
    except OSError:
        return []
    return [found for child in children for found in (child, *descendants(child))]


def command(pid: int) -> str:
    """The command line; "" where the process has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def alive(pids: list[int], patience: float = 60.0) -> list[int]:
    """Those that still run after at most `patience` seconds; one that has ended does not count."""
    deadline = time.monotonic() + patience
    while (left := [pid for pid in pids if command(pid)]) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


def kill(pid: int) -> None:
    """As `kill -9` does."""
    os.kill(pid, signal.SIGKILL)
