"""What nbgrader's exchange puts beside a notebook, and needs again to return its feedback."""

import re
from pathlib import Path

from autograder.notebooks.hand_in import NotebookError, content

# When it was handed in, and the secret that the feedback's address is made of.
RECEIPT = {"timestamp.txt": r"[\w :.+-]{1,64}\s*", "submission_secret.txt": r"[0-9a-f]{128}"}


def receipt(path: Path) -> str | None:
    """The text of such a file; None if `path` is anything else, a link, or longer than it can be.

    A student can hand in any file of that name: what does not look like a receipt goes nowhere.
    """
    if path.name not in RECEIPT:
        return None
    try:
        text = content(path).decode()
    except (NotebookError, UnicodeDecodeError):
        return None
    return text if re.fullmatch(RECEIPT[path.name], text, re.ASCII) else None


def keep_receipts(submitted: Path, autograded: Path) -> None:
    """Copy them from a student's folder to the one that nbgrader makes feedback from."""
    for name in RECEIPT:
        text = receipt(submitted / name)
        target = autograded / name
        target.unlink(missing_ok=True)  # nbgrader leaves read-only files
        if text is not None:
            target.write_text(text)
