"""What six students have answered to the one question of the small course, and a mark for one."""

from nbgrader.api import Gradebook

CHAPTER, QUESTION = "01_toy", "why"
TEXTS = {
    "ada": "Because one high salary moves the mean.",
    "bob": "because  one high\nsalary moves the mean.",
    "cleo": "Because one high salary moves the mean.",
    "dora": "",
    "emil": "Since $w_i < 1$, one salary moves it.",
    "fay": "# No idea\n\n<img src=x onerror=alert(1)><script>alert(2)</script>",
}


def formgrader_gives(root, student, points):
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
        grade = book.find_grade(QUESTION, CHAPTER, CHAPTER, student)
        grade.manual_score, grade.needs_manual_grade = points, False
        book.db.commit()
