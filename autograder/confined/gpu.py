"""One GPU for all that grade on a machine: who may use it when, and how much of its memory.

A place is a file lock, so that it is free again however its owner ends, and so that a pool of
processes and the workers of a cluster on one machine share the same places.
"""

import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import TextIO

import torch

from autograder.common.errors import SandboxUnavailable

SHARE = 2 * 2**30  # bytes of GPU memory for a submission, with what CUDA takes for itself:
CUDA = 2**29  # its context and its kernels
WAIT_SECONDS = 0.05
NO_GPU = (
    "Grading with --device cuda needs an NVIDIA GPU that torch can use, and torch finds none here."
)


def require() -> None:
    """Raise SandboxUnavailable where torch finds no GPU."""
    if not torch.cuda.is_available():
        raise SandboxUnavailable(NO_GPU)


def open_gpu() -> None:
    """In a submission's process, before any code of a learner's: start CUDA with its share.

    A submission can undo the limit, and take what others need: see `place(alone=True)`.
    """
    torch.cuda.init()  # type: ignore[no-untyped-call]
    torch.cuda.set_per_process_memory_fraction(min((SHARE - CUDA) / memory(), 1.0))
    first = torch.ones(1, 1, device="cuda", requires_grad=True)
    torch.autograd.backward(first @ first)  # starts its threads, and loads what products need


@cache
def memory() -> int:
    """Bytes of the GPU's memory."""
    return int(torch.cuda.get_device_properties(0).total_memory)


@contextmanager
def place(places: int, alone: bool = False) -> Iterator[None]:
    """Wait for one of `places` places on this machine's GPU; alone: for all of them.

    Those who want all take them in one order, and whoever has one waits for no other: nobody waits
    for ever.
    """
    folder = Path(tempfile.gettempdir()) / f"attn-gpu-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    with ExitStack() as stack:
        files = [stack.enter_context((folder / str(n)).open("a")) for n in range(places)]
        if alone:
            for file in files:
                fcntl.flock(file, fcntl.LOCK_EX)
        else:
            while not any(map(_taken, files)):
                time.sleep(WAIT_SECONDS)
        yield


def places() -> int:
    """Return how many submissions fit on the GPU at a time."""
    return max(1, memory() // SHARE)


def _taken(file: TextIO) -> bool:
    """Try to take the lock, and tell whether it is now ours."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
