"""A class's feedback as a learning platform takes it back: one zip, each page named for a student.

Moodle: *Upload multiple feedback files in a zip*. Its importer looks in each folder's name for
NAME_NUMBER_assignsubmission_file, and knows the student by the number.
https://github.com/moodle/moodle/blob/main/public/mod/assign/feedback/file/importziplib.php

Canvas: *Upload Submissions*. It takes the first two numbers between underscores of a file's name
for those of the student and of the file that was handed in, or the two words behind `anon`
(`infer_comment_context_from_filename`), and calls the page as it called that file.
https://github.com/instructure/canvas-lms/blob/master/app/models/abstract_assignment.rb
"""

import sys
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from autograder.common.errors import CourseError
from autograder.course.course import Course
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


def zip_and_tell(course: Course, chapter: str, platform: str) -> None:
    """Write the zip, and print where it is and whose page is not in it.

    Raises CourseError where nothing of the chapter was collected from the platform.
    """
    path, without = write(course, chapter, platform)
    if without:
        known = roster(course)
        names = ", ".join(printable(known.named(student)) for student in without)
        print(
            f"Not in {path.name}, since their work was not collected from {platform}: {names}.",
            file=sys.stderr,
        )
    print(f"{path}: the pages for {platform}. {ADVICE[platform]}")


def write(course: Course, chapter: str, platform: str) -> tuple[Path, list[str]]:
    """Write the zip of all pages of feedback there are; return who has no page in it."""
    base = course.root / course.directory.feedback_directory
    pages = {path.parts[-3]: path for path in sorted(base.glob(f"*/{chapter}/{chapter}.html"))}
    known = Downloads(course, chapter)
    names = {student: name_of(known.of(student), platform, chapter) for student in pages}
    if not any(names.values()):
        raise CourseError(
            f"No feedback on {chapter} is for work collected from {platform}, so it cannot be "
            f"named for {platform}. Collect with: nbgrader zip_collect {chapter} --collector "
            f"autograder.nbgrader_plugins.{platform}"
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
