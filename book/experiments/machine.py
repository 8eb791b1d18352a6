"""Which machine an experiment runs on, and how long its processors have worked."""

import os
import platform
import sys
from pathlib import Path


def this_machine() -> str:
    """Its processor, the kernels that torch picks for it, and how many cores may be used.

    On a GPU, if that is torch's default device, its name.
    """
    import torch

    if torch.get_default_device().type == "cuda":
        return torch.cuda.get_device_name()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    kernels = torch.backends.cpu.get_cpu_capability()
    vectors = "without AVX2" if kernels == "DEFAULT" else f"with {kernels}"
    return f"{_processor()}, kernels {vectors}, {cores} cores"


def use_gpu() -> None:
    """Make tensors on the GPU from now on. Without one the script ends with a sentence."""
    import torch

    if not torch.cuda.is_available():
        sys.exit("This measures a GPU, and torch finds none here. The record of it stays.")
    torch.set_default_device("cuda")


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    for line in info.read_text().splitlines() if info.exists() else ():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def processor() -> float:
    """Seconds that the machine's processors have worked, for whomever: run nothing beside this.

    A sandbox's time cannot be had from its parent, since bubblewrap does not wait for it.
    """
    user, nice, system, _idle, _iowait, irq, softirq, *_ = map(
        int, Path("/proc/stat").read_text().split("\n")[0].split()[1:]
    )
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")
