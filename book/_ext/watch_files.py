"""Runs in the kernel of a page: notes which files its cells open, so that they run again for those.

It imports nothing but the standard library, since it is itself no part of the page.
"""

import os
import sys
from pathlib import Path
from typing import Any


def watch(log: str) -> None:
    """Write the path of each file that this process opens from now on into `log`, a line each."""
    lines = Path(log).open("a", buffering=1)  # noqa: SIM115 (open as long as the kernel is)
    lines.write(f"{__file__}\n")

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str):
            lines.write(f"{os.path.abspath(arguments[0])}\n")  # noqa: PTH100 (asks for no file)

    sys.addaudithook(note)
