"""The hints of an exercise, as they stand folded above its cell in the learner's notebook."""

import re
from pathlib import Path

from autograder.common.errors import CourseError
from autograder.learner.own_notebook import submission_of

HINT = re.compile(r"<details>\s*<summary>\s*(Hint (\d)\b[^<]*)</summary>(.*?)</details>", re.DOTALL)


def hint(path: Path, exercise: str, level: int) -> str:
    """Return the hint of a level with its title. Raises CourseError if it is not there."""
    for title, number, text in HINT.findall(_above(path, exercise)):
        if int(number) == level:
            return f"{title.strip()}\n\n{text.strip()}"
    raise CourseError(
        f"Hint {level} of {exercise} is not above its cell in {path.name} any more. The notebook "
        "as it was downloaded has it."
    )


def _above(path: Path, exercise: str) -> str:
    """Return the text above the cell of an exercise, up to the check of the one before.

    A learner may have tried something in a cell between them.
    """
    text = list[str]()
    for cell in submission_of(path).cells:
        if cell.kind == "code" and cell.grade_id == exercise:
            return "\n".join(text)
        if cell.kind == "code":
            text = [] if cell.grade_id else text
        else:
            text.append(cell.source)
    return ""
