"""Show a card wherever the learner is: in a notebook, or in a terminal."""

import codecs
import io
import sys

SIGNS = {"✓": "+", "✗": "x", "○": "o", "−": "-", "…": "..."}  # where an encoding lacks them
PLAINLY = "plainly"


def show(card: object) -> None:
    """Display the card where IPython runs, print it elsewhere."""
    ipython = sys.modules.get("IPython")
    if ipython is not None and ipython.get_ipython() is not None:
        ipython.display.display(card)
        return
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    print(str(card).encode(encoding, PLAINLY).decode(encoding))


def print_plainly() -> None:
    """From here on print substitutes for signs that a terminal lacks, such as one of cp1252."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=PLAINLY)


def _plainly(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(SIGNS.get(sign, "?") for sign in lacking), error.end


codecs.register_error(PLAINLY, _plainly)


YES = ("y", "yes")


def agreed(question: str) -> bool:
    """Tell whether the answer is yes; the end of the input is a no."""
    try:
        return input(f"{question} [y/N] ").strip().lower() in YES
    except EOFError:
        print()
        return False
