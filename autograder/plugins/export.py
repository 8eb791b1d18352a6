"""What nbgrader makes for browsers and spreadsheets, so that nothing a student wrote runs there.

nbgrader's feedback and formgrader show a student's HTML as it is;
nbgrader_config.py puts these in their place.
"""

import re
from html import escape
from typing import Any

from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode
from traitlets import Bool

from autograder.showing.wording import printable, visible

NAMES = ("student", "first_name", "last_name", "notebook_path")
FORMULA = re.compile(r"(^|[;,|])(\s*)(?=[=+\-@＝＋－＠])")


class ShowAsText(Preprocessor):
    """Names and code as text: formgrader puts names into its page as they are."""

    enabled = Bool(True)

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        for name in NAMES:
            if isinstance(resources.get(name), str):
                resources[name] = escape(visible(resources[name]))
        for cell in nb.cells:
            if cell.cell_type == "code":  # what turns text around can hide what the code does
                cell.source = visible(cell.source, keep="\n\t")
        return nb, resources


def harmless(value: Any) -> Any:
    """A field of a table, which no spreadsheet takes for a formula."""
    return FORMULA.sub(r"\1'\2", printable(value)) if isinstance(value, str) else value
