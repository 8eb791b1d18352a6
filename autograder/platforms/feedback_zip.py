"""A class's feedback as a learning platform takes it back: one zip, each page named for a student.

Moodle: *Upload multiple feedback files in a zip*. Its importer looks in each folder's name for
NAME_NUMBER_assignsubmission_file, and knows the student by the number. Where groups hand in, the
number in a download is the group's, and could be another student's: no page is named by it.
https://github.com/moodle/moodle/blob/main/public/mod/assign/feedback/file/importziplib.php

Canvas: *Upload Submissions*. It takes the first two numbers between underscores of a file's name
for those of the student and of the file that was handed in, or the two words behind `anon`
(`infer_comment_context_from_filename`), and calls the page as it called that file. What is for one
member of a group that is graded as one is a comment for all of them (`group_students`).
https://github.com/instructure/canvas-lms/blob/master/app/models/abstract_assignment.rb
"""

import sys
from collections.abc import Collection
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from autograder.common.errors import CourseError
from autograder.course.course import Course
from autograder.course.group_list import Groups, groups_of
from autograder.course.roster import roster
from autograder.platforms.canvas_collect import Canvas
from autograder.platforms.moodle_collect import Moodle
from autograder.platforms.newest import Download, Downloads
from autograder.showing.wording import printable

ADVICE = {
    "Moodle": "In Moodle: the assignment > Submissions > Upload multiple feedback files in a zip.",
    "Canvas": "In Canvas: the assignment > Upload Submissions. Canvas gives each page the name of "
    "the file that was handed in; to read it, save it with .html at the end.",
}

OF_GROUP = {
    "Moodle": "not in the zip, in which Moodle looks for participants' numbers; its downloads have "
    "only the group's. Give them their pages in another way.",
    "Canvas": "Canvas shows them the page of the member in whose name it has the group's work.",
}


def zip_and_tell(
    course: Course, chapter: str, platform: str, students: Collection[str] | None = None
) -> None:
    """Write the zip, and print where it is and whose page is not in it.

    students: of these alone, if given. Raises CourseError where nothing of the chapter was
    collected from the platform.
    """
    path, without = write(course, chapter, platform, students)
    known, groups = roster(course), groups_of(course, chapter)
    together = _of_groups(course, chapter, platform, groups)
    alone = [student for student in without if groups.of(student) not in together]
    if alone:
        names = ", ".join(printable(known.named(student)) for student in alone)
        print(
            f"Not in {path.name}, since their work was not collected from {platform}: {names}.",
            file=sys.stderr,
        )
    for group in sorted({groups.of(student) for student in without} & together):
        others = (student for student in without if groups.of(student) == group)
        names = ", ".join(printable(known.named(student)) for student in others)
        print(f"Group {printable(group)} ({names}): {OF_GROUP[platform]}", file=sys.stderr)
    print(f"{path}: the pages for {platform}. {ADVICE[platform]}")


def _of_groups(course: Course, chapter: str, platform: str, groups: Groups) -> set[str]:
    """Return the groups whose work came from the platform for the group as a whole."""
    downloads = Downloads(course, chapter)
    found = (downloads.of(one) for members in groups.members.values() for one in members)
    return {one.group for one in found if one and one.group and one.platform == platform}


def write(
    course: Course, chapter: str, platform: str, students: Collection[str] | None = None
) -> tuple[Path, list[str]]:
    """Write the zip of all pages of feedback there are; return who has no page in it.

    students: of these alone, if given.
    """
    base = course.root / course.directory.feedback_directory
    found = {path.parts[-3]: path for path in sorted(base.glob(f"*/{chapter}/{chapter}.html"))}
    pages = {one: path for one, path in found.items() if students is None or one in students}
    known = Downloads(course, chapter)
    names = {student: name_of(known.of(student), platform, chapter) for student in pages}
    if not any(names.values()):
        raise CourseError(
            f"No feedback on {chapter} is for work that one student handed in on {platform}, so it "
            f"cannot be named for {platform}. Collect such work with: nbgrader zip_collect "
            f"{chapter} --collector autograder.nbgrader_plugins.{platform}"
        )
    target = base / f"{chapter}-{platform.lower()}.zip"
    half = target.with_suffix(".part")
    with ZipFile(half, "w", ZIP_DEFLATED) as archive:
        for student, name in names.items():
            if name:
                archive.write(pages[student], name)
    half.replace(target)
    return target, [student for student, name in names.items() if not name]


def name_of(download: Download | None, platform: str, chapter: str) -> str:
    """Return the path of a student's page that the platform must find; "" if it is not known."""
    if download is None or download.platform != platform:
        return ""
    if download.group and platform == "Moodle":
        return ""
    readings = (Moodle if platform == "Moodle" else Canvas).readings(download.name)
    entry = next((one for one in readings if one.person == download.person), None)
    if entry is None or not entry.person:
        return ""
    if platform == "Moodle":
        end = "_" if download.name.endswith("_") else ""  # as older Moodles name the folder
        return f"{entry.called}_{entry.person}_assignsubmission_file{end}/{chapter}.html"
    # a number in the name itself would be taken for the student's
    called = entry.called.replace("_", "") if entry.called else "anon"
    return f"{called}_{entry.person}_{entry.attachment}_{chapter}.html"
