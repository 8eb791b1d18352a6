"""A mark explained to its student: one page that can be sent, with no secret in it."""

from markupsafe import Markup

from autograder.classes.page import page
from autograder.grading.explain import Explanation
from autograder.showing.wording import mark

VERSIONS = ("python", "torch")  # of all that a mark was made with; the machine is nobody's business


def explained_page(explanation: Explanation, name: str, answer: str) -> str:
    """What was handed in, what was found, and how the mark came about.

    name: of the student. answer: the code that was graded. Nothing is in it of a secret case but
    that there is one, and nothing of the seed.
    """
    row = explanation.row
    return page(
        "explained.html",
        explanation=explanation,
        row=row,
        mark=mark(row["points"], row["max_points"]),
        name=name,
        answer=answer,
        card=Markup(explanation.page_card),  # our own HTML, in which the submission's is escaped
        versions={part.name: part.then for part in explanation.parts if part.name in VERSIONS},
    )
