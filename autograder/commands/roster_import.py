"""`attn roster`, as a teacher reads it."""

from collections.abc import Iterable

from autograder.course.enrol import Enrolled
from autograder.course.roster import Roster
from autograder.course.roster_file import RosterFile
from autograder.showing.wording import printable


def tell(file: RosterFile, done: Enrolled, known: Roster) -> None:
    """Print what the import did, whom it left alone, and what was guessed of the file."""
    print(
        f"{printable(file.path.name)}: {len(done.added)} added, {len(done.changed)} changed, "
        f"{len(done.same)} as before."
    )
    for student, columns in done.changed.items():
        print(f"Changed: {printable(known.named(student))}, {', '.join(columns)}.")
    if done.left:
        print(
            f"In the gradebook and not in the file, left as they are: {_names(done.left, known)}."
        )
    if file.ids.casefold() != "id":
        print(f"The ids, which name the students' folders, are from the column {file.ids!r}.")
    if file.encoding:
        odd = [line.id for line in file.students if not known.named(line.id).isascii()]
        print(
            f"The file is not in UTF-8 and was read as {file.encoding}; see whether names are "
            f"right, as {_names(odd[:3], known)}."
        )


def _names(students: Iterable[str], known: Roster) -> str:
    return ", ".join(printable(known.named(student)) for student in students)
