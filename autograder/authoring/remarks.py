"""What a chapter says of its exercises in a file of JSON beside them."""

import json
from pathlib import Path
from typing import Any

from autograder.common.errors import CourseError


def remarks(path: Path) -> dict[str, dict[str, Any]] | None:
    """Return the remarks by exercise, None without a file. Raises CourseError if unreadable."""
    if not path.is_file():
        return None
    try:
        return {str(name): dict(said) for name, said in json.loads(path.read_text("utf-8")).items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise CourseError(f"{path} cannot be read: {error}. Correct it.") from error
