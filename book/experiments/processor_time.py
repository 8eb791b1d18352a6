"""How long the processors of this machine have worked."""

import os
from pathlib import Path


def processor() -> float:
    """Seconds that the machine's processors have worked, for whomever: run nothing beside this.

    A sandbox's time cannot be had from its parent, since bubblewrap does not wait for it.
    """
    user, nice, system, _idle, _iowait, irq, softirq, *_ = map(
        int, Path("/proc/stat").read_text().split("\n")[0].split()[1:]
    )
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")
