"""Build the book into build/book/_build/html, unless it is built from these very sources already.

    python book/build.py

Cells run only where they, or a file that they read, have changed. Exits with 1 and the warnings if
there are any: a page that warns is a page with a mistake. The whole log is build/book/build.log.
"""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from filelock import FileLock

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
from cell_cache import ROOT
from up_to_date import is_built

FOLDER = ROOT / "build" / "book"
LOG = FOLDER / "build.log"
COMMAND: list[str | Path] = [
    *(Path(sys.executable).with_name("jupyter-book"), "build", "book"),
    *("--config", "_config.yml", "--toc", ROOT / "_toc.yml", "--path-output", FOLDER),
    *("--all", "-W", "-n", "--keep-going"),  # less than these lets a broken page pass
]
FONTS = ROOT / "build" / "fonts"  # matplotlib's list of them, of this environment alone
TOLD = ("Executed notebook", "WARNING:", "ERROR:", "Error", "error:")


def build() -> int:
    """Build if needed; tell about each executed page and each warning. Returns the exit code."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with FileLock(FOLDER / ".lock"):  # parallel tests may ask at once
        if is_built():
            print("== The book is up to date")
            return 0
        print("== Building the book", flush=True)
        return run()


def run() -> int:
    """Run jupyter-book, and end with it whatever it started and left behind."""
    environment = os.environ | {"MPLCONFIGDIR": str(FONTS)}
    if not any(FONTS.glob("fontlist*")):  # a cell that had to look for fonts would say so
        list_fonts = [sys.executable, "-c", "import matplotlib.font_manager"]
        subprocess.run(list_fonts, env=environment, check=True, capture_output=True)
    with LOG.open("w") as log, LOG.open() as lines:
        process = subprocess.Popen(
            COMMAND, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
        try:
            while process.poll() is None:
                time.sleep(0.2)
                tell(lines)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        tell(lines)
    ending = f"does not build (exit {process.returncode})" if process.returncode else "is built"
    print(f"== The book {ending}; the log is {LOG.relative_to(ROOT)}")
    return process.returncode


def tell(lines: TextIO) -> None:
    """Print what is worth it of the lines that have come."""
    for line in lines:
        if any(word in line for word in TOLD):
            print("   " + line.strip().replace(f"{ROOT}/", ""), flush=True)


if __name__ == "__main__":
    sys.exit(build())
