"""`attn new course`: a course that can be released and graded as it is, with nothing from here."""

import io
import json
import shutil
import subprocess
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from zipfile import ZipFile

import pytest
from learners import notebook, save

from autograder.chapters.solutions import load
from autograder.cli import main
from autograder.common.files import REPOSITORY
from autograder.course.course import Course
from autograder.notebooks.chapter import reference

CHAPTER = "01_means"
WRONG = "def weighted_mean(values, weights):\n    return values.mean(dim=-1)\n"
COMMANDS = (
    "selftest", "release", f"package zip {CHAPTER}", f"grade {CHAPTER} --results results.jsonl",
    f"feedback {CHAPTER}",
)  # fmt: skip


@dataclass
class Taught:
    """A course in a folder of its own; what each command printed there, and its status."""

    root: Path
    printed: dict[str, str] = field(default_factory=dict)
    status: dict[str, int] = field(default_factory=dict)

    def attn(self, words, folder):
        with chdir(folder), redirect_stdout(io.StringIO()) as printed:
            self.status[words] = main(words.split())
        self.printed[words] = printed.getvalue()


@pytest.fixture(scope="module")
def taught(tmp_path_factory, sandbox, nbgrader):
    """One student is right, another wrong; no command is told where the course is."""
    folder = tmp_path_factory.mktemp("own")
    course = Taught(folder / "stats")
    course.attn("new course stats", folder)
    for words in COMMANDS:
        if words.startswith("grade"):
            hand_in(course.root)
        course.attn(words, course.root)
    return course


def hand_in(root):
    released = Course(root).released(CHAPTER)
    right = reference(load(root, CHAPTER))
    for student, answers in {"ada": right, "bob": {"weighted_mean": WRONG}}.items():
        folder = root / "submitted" / student / CHAPTER
        folder.mkdir(parents=True)
        save(notebook(released, answers), folder / f"{CHAPTER}.ipynb")


@pytest.mark.parametrize("words", ["new course stats", *COMMANDS])
def test_every_command_works_without_an_edit(taught, words):
    assert taught.status[words] == 0, taught.printed[words]


def test_its_chapter_is_all_that_it_is_about(taught):
    assert f"{CHAPTER}: everything as it should be" in taught.printed["selftest"]
    assert taught.printed["release"] == f"{CHAPTER}: {taught.root}/exercises/{CHAPTER}\n"


def test_a_right_answer_passes_and_a_wrong_one_is_named(taught):
    rows = map(json.loads, (taught.root / "results.jsonl").read_text().splitlines())
    assert {row["student"]: (row["verdict"], row["misconception"]) for row in rows} == {
        "ada": ("passed", None), "bob": ("wrong", "without_weights"),
    }  # fmt: skip
    page = (taught.root / "feedback" / "bob" / CHAPTER / f"{CHAPTER}.html").read_text()
    assert "You took the plain mean." in page


def test_its_zip_has_the_engine_and_one_line_installs_all(taught):
    path = taught.root / "packages" / f"{CHAPTER}.zip"
    assert taught.printed[f"package zip {CHAPTER}"].startswith(f"{path}\n")
    with ZipFile(path) as archive:
        held = {name.removeprefix(f"{CHAPTER}/"): archive.read(name) for name in archive.namelist()}
    (engine,) = (name for name in held if name.endswith(".whl"))
    assert {*held} == {f"{CHAPTER}.ipynb", "checks.safetensors", "requirements.txt", "README.md",
                       "AGENTS.md", "CLAUDE.md", engine}  # fmt: skip
    source, *needs = held["requirements.txt"].decode().split("\n", 1)
    assert source.startswith("--extra-index-url https://download.pytorch.org/whl/cpu")
    assert needs == [f"./{engine}\njupyterlab\nmatplotlib\n"]
    assert ".venv/bin/pip install -r requirements.txt" in held["README.md"].decode()
    assert "make learn" not in held[f"{CHAPTER}.ipynb"].decode()


def test_git_sees_nothing_that_is_secret_or_a_students(taught, tmp_path):
    root = shutil.copytree(taught.root, tmp_path / "stats")
    assert (root / ".grading_seed").exists() and (root / "gradebook.db").exists()
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    added = subprocess.run(["git", "add", "--all", "--dry-run"], cwd=root, check=True,
                           capture_output=True, text=True)  # fmt: skip
    assert sorted(line.split("'")[1] for line in added.stdout.splitlines()) == [
        ".gitignore", "README.md",
        f"exercises/{CHAPTER}/{CHAPTER}.ipynb",
        f"exercises/{CHAPTER}/AGENTS.md", f"exercises/{CHAPTER}/CLAUDE.md",
        f"exercises/{CHAPTER}/checks.safetensors",
        "nbgrader_config.py",
        f"solutions/{CHAPTER}/{CHAPTER}.md", f"solutions/{CHAPTER}/weighted_mean.py",
    ]  # fmt: skip


def test_its_configuration_is_that_of_this_repository(taught):
    ours = (REPOSITORY / "nbgrader_config.py").read_bytes()
    assert (taught.root / "nbgrader_config.py").read_bytes() == ours


def test_its_gitignore_has_all_that_this_repositorys_says_of_a_course(taught):
    text = (REPOSITORY / ".gitignore").read_text()
    of_a_course = text.partition("# a course's own data")[2].splitlines()[1:]
    assert set(of_a_course) <= {*(taught.root / ".gitignore").read_text().splitlines()}


@pytest.mark.parametrize("taken", ["nbgrader_config.py", "solutions/01_more/01_more.md"])
def test_where_there_is_a_course_none_is_begun(tmp_path, taken, capsys):
    (tmp_path / taken).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / taken).touch()
    assert main(["new", "course", str(tmp_path)]) == 2
    assert "is there already. Choose another folder." in " ".join(capsys.readouterr().err.split())
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / taken]


def test_in_a_repository_its_readme_stays_and_its_gitignore_gets_longer(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "README.md").write_text("Mine.\n")
    (tmp_path / ".gitignore").write_text("mine\n")
    assert main(["new", "course"]) == 0
    assert (tmp_path / "README.md").read_text() == "Mine.\n"
    first, *others = (tmp_path / ".gitignore").read_text().splitlines()
    assert first == "mine" and ".grading_seed" in others
