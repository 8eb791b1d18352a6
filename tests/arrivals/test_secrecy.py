"""Until when secret cases stay quiet."""

from datetime import UTC, datetime, timedelta

from autograder.arrivals.secrecy import Phases, Secrecy
from autograder.course.course import Course

CHAPTER = "01_toy"


def test_one_members_extension_keeps_the_secret_cases_from_the_whole_group(root):
    with Course(root).gradebook() as book:
        an_hour_ago = datetime.now(UTC).replace(tzinfo=None) - timedelta(hours=1)
        book.update_or_create_assignment(CHAPTER, duedate=an_hour_ago)
        for student in ("ada", "bob", "cleo"):
            book.update_or_create_student(student)
            book.update_or_create_submission(CHAPTER, student)
        book.grant_extension(CHAPTER, "bob", days=3)
    secrecy = Secrecy(Course(root), CHAPTER, final=False)
    phases = Phases(secrecy, [["ada", "bob"]])
    assert [phases.is_over(one) for one in ("ada", "bob", "cleo")] == [False, False, True]
    assert Phases(secrecy, []).is_over("ada")
