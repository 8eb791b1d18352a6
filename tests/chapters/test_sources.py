"""Source notebooks: built from their text when a command of nbgrader's needs them, and whole."""

import json
import shutil
from pathlib import Path

import nbformat
import pytest
from nbgrader.apps.api import NbGraderAPI

from autograder.chapters import source_notebook
from autograder.chapters.solutions import load
from autograder.common.files import REPOSITORY
from autograder.course.course import Course
from autograder.exercise import wire

MARKED = "    ### BEGIN SOLUTION\n    pass\n    ### END SOLUTION\n"
DRAFT = (
    "---\nrole: setup\n---\nimport torch\n",
    f"---\nexercise: broken\n---\ndef broken():\n{MARKED}",
)
WRITE = """
import sys
from pathlib import Path
from autograder.chapters import source_notebook
from autograder.chapters.solutions import load

root, title = Path(sys.argv[1]), sys.argv[2]
chapter = load(root, "01_toy")
for length in range(1, 15):
    chapter.text.cells[0].source = "# " + title * 1000 * length
    source_notebook.write(chapter, root / "nothing released")
"""


def built(root):
    return {str(path.relative_to(root)) for path in root.glob("solutions/*/*.ipynb")}


@pytest.fixture
def root(toy_root, tmp_path):
    """A course with a draft whose exercise is no Python yet; nothing is built."""
    root = tmp_path / "course"
    for name in ("01_toy", "02_more"):
        folder = toy_root / "solutions" / name
        shutil.copytree(
            folder, root / "solutions" / name, ignore=shutil.ignore_patterns("*.ipynb", "checks.*")
        )
    draft = root / "solutions" / "03_draft"
    draft.mkdir()
    cells = "".join(f"```{{code-cell}} ipython3\n{cell}```\n\n" for cell in DRAFT)
    header = (root / "solutions/01_toy/01_toy.md").read_text().split("# A chapter")[0]
    (draft / "03_draft.md").write_text(header + cells)
    (draft / "broken.py").write_text("exercise =\n")
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)
    return root


def test_a_broken_draft_stops_no_command_but_those_about_it(root, nbgrader):
    nbgrader(root, "generate_assignment", "01_toy")
    listed = nbgrader(root, "db", "assignment", "list")
    assert "01_toy" in listed.stdout
    assert built(root) == {"solutions/01_toy/01_toy.ipynb"}
    stopped = nbgrader(root, "generate_assignment", "03_draft", check=False)
    assert stopped.returncode == 1
    assert f"{root}/solutions/03_draft/broken.py, line 1: SyntaxError" in stopped.stderr
    assert "Traceback" not in stopped.stderr and "nbgrader bug" not in stopped.stderr


def test_a_submission_is_graded_beside_a_broken_draft(root, released, sandbox, nbgrader):
    nbgrader(root, "generate_assignment", "01_toy")
    folder = root / "submitted" / "ada" / "01_toy"
    folder.mkdir(parents=True)
    nbformat.write(released, folder / "01_toy.ipynb")
    nbgrader(root, "autograde", "01_toy")
    assert (root / "autograded" / "ada" / "01_toy" / "01_toy.ipynb").exists()


def test_the_course_that_a_command_names_is_built_wherever_it_is_run(root, tmp_path, nbgrader):
    here = shutil.copytree(root, tmp_path / "another course")
    nbgrader(here, "generate_assignment", "01_toy", "--course-dir", root)
    assert (root / "exercises" / "01_toy" / "checks.safetensors").exists()
    assert built(root) == {"solutions/01_toy/01_toy.ipynb"} and built(here) == set()


def test_to_read_the_configuration_builds_nothing(root, monkeypatch):
    monkeypatch.chdir(root)
    assert Course(root).config.CourseDirectory.source_directory == "solutions"
    assert built(root) == set()


def test_what_was_edited_is_in_the_next_release_that_nbgrader_makes(root, nbgrader):
    course = Course(root)
    api = NbGraderAPI(coursedir=course.directory, config=course.config)
    text = root / "solutions" / "01_toy" / "01_toy.md"
    for title in ("One", "Two"):
        text.write_text(
            text.read_text().replace("A chapter for tests", title).replace("One", title)
        )
        assert api.generate_assignment("01_toy")["success"]
        assert f"# {title}" in (root / "exercises/01_toy/01_toy.ipynb").read_text()


def test_formgraders_log_says_what_is_wrong_with_a_draft(root, nbgrader):
    course = Course(root)
    api = NbGraderAPI(coursedir=course.directory, config=course.config)
    done = api.generate_assignment("03_draft")
    assert not done["success"] and "broken.py, line 1: SyntaxError" in done["log"]


def test_a_source_that_cannot_be_written_leaves_the_old_one_whole(root, monkeypatch):
    chapter = load(root, "01_toy")
    before = [path.read_bytes() for path in source_notebook.write(chapter, root)]
    chapter.text.cells[0].source = "# Another title"

    def full(path, content):
        with path.open("wb") as file:
            file.write(content[: len(content) // 2])
        raise OSError("No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space left"):
        source_notebook.write(chapter, root)
    names = {path.name for path in chapter.folder.iterdir()}
    assert [(chapter.folder / name).read_bytes() for name in ("01_toy.ipynb", "checks.safetensors")
            ] == before  # fmt: skip
    assert not {name for name in names if name.endswith(".part")}


def test_while_two_processes_write_a_source_who_reads_it_finds_it_whole(root, processes):
    chapter = load(root, "01_toy")
    notebook, public = source_notebook.write(chapter, root)
    titles = {"# A", "# a", "# b"}
    writers = [processes("-c", WRITE, root, who) for who in "ab"]
    while any(writer.poll() is None for writer in writers):
        assert json.loads(notebook.read_bytes())["cells"][0]["source"][0][:3] in titles
        assert wire.is_sealed(public.read_bytes())
    assert [writer.returncode for writer in writers] == [0, 0]
