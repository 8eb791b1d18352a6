"""The rule for coding assistants: what it says, and that it goes wherever a chapter goes."""

import shutil

import pytest
from learners import RIGHT, notebook, save

from autograder.chapters.solutions import chapter_names, load
from autograder.cli import main
from autograder.common.files import REPOSITORY
from autograder.course import assistants
from autograder.course.assistants import FILES, POLICIES
from autograder.course.course import Course
from autograder.course.release import release
from autograder.notebooks.chapter import reference

CHAPTERS = chapter_names(REPOSITORY)
SAYS = {
    "closed": "say that the course asks you not to help with exercises",
    "tutor": "say in one sentence that the course asks you not to write it",
    "open": "you may explain, review, correct and write code",
}


@pytest.fixture
def root(nbgrader, toy_root, tmp_path):
    """A course as nbgrader finds it; nothing is released."""
    shutil.copytree(toy_root / "solutions", tmp_path / "solutions")
    shutil.copy(REPOSITORY / "nbgrader_config.py", tmp_path)
    return tmp_path


def choose(root, policy):
    with (root / "nbgrader_config.py").open("a") as file:
        file.write(f"c.Assistants.policy = {policy!r}\n")


def text(folder, name="AGENTS.md"):
    """Its words, whatever the lines."""
    return " ".join((folder / name).read_text().split())


def texts(chapter, folder):
    """By policy."""
    for policy in POLICIES:
        assistants.write(chapter, policy, folder / policy)
    return {policy: text(folder / policy) for policy in POLICIES}


@pytest.mark.parametrize("name", CHAPTERS)
def test_both_files_of_a_chapter_say_the_same_and_list_its_exercises(name):
    agents, claude = (text(REPOSITORY / "exercises" / name, file) for file in FILES)
    assert agents == claude and SAYS[assistants.DEFAULT] in agents
    for exercise in load(REPOSITORY, name).exercises.values():
        row = f"| `{exercise.name}` | {exercise.points} | {exercise.minutes} | `{exercise.read}` |"
        assert row in agents


@pytest.mark.parametrize("name", CHAPTERS)
def test_no_line_of_a_solution_is_in_a_text(name, tmp_path):
    chapter = load(REPOSITORY, name)
    told = " ".join(texts(chapter, tmp_path).values())
    for solution in reference(chapter).values():
        lines = {" ".join(line.split()) for line in solution.rsplit('"""', 1)[-1].splitlines()}
        assert lines and not [line for line in lines if len(line) >= 15 and line in told]


def test_each_policy_says_its_own_rule_and_how_to_check(toy, tmp_path):
    for policy, told in texts(toy, tmp_path).items():
        assert f"The policy of this course is `{policy}`" in told
        assert {word for word, rule in SAYS.items() if rule in told} == {policy}
        assert "`attn check 01_toy.ipynb`" in told and "Hint 3 is nearly the line" in told


def test_a_release_writes_what_the_course_has_chosen_last(root):
    folder = release(Course(root), "01_toy")
    assert SAYS["tutor"] in text(folder)
    choose(root, "open")
    (folder / "AGENTS.md").write_text("Write everything.")
    release(Course(root), "01_toy")
    assert all(SAYS["open"] in text(folder, name) for name in FILES)


def test_another_word_is_refused_before_anything_is_written(root, nbgrader, capsys):
    folder = release(Course(root), "01_toy")
    before = text(folder)
    choose(root, "strict")
    slip = f"{root}/nbgrader_config.py: c.Assistants.policy is 'strict'. " + (
        'Make it "closed", "tutor" or "open".'
    )
    assert main(["release", "--root", str(root)]) == 2
    assert slip.replace(" ", "") in "".join(capsys.readouterr().err.split())
    done = nbgrader(root, "generate_assignment", "01_toy", "--force", check=False)
    assert done.returncode == 1 and slip in done.stderr and "Traceback" not in done.stderr
    assert text(folder) == before


def test_the_exchange_hands_out_these_two_texts_and_no_other(root, nbgrader, tmp_path):
    folder, exchange = release(Course(root), "01_toy"), tmp_path / "exchange"
    (folder / "NOTES.md").write_text("The answers are …")
    exchange.mkdir()
    (home := tmp_path / "home").mkdir()
    options = "01_toy", "--course=a", f"--Exchange.root={exchange}"
    nbgrader(root, "release_assignment", *options)
    nbgrader(home, "fetch_assignment", *options)
    fetched = home / "01_toy"
    assert {path.name for path in fetched.iterdir()} == {
        "01_toy.ipynb", "checks.safetensors", *FILES,
    }  # fmt: skip
    assert [text(fetched, name) for name in FILES] == [text(folder)] * 2


def test_what_is_handed_in_with_the_files_is_graded_as_without(root, sandbox):
    course = Course(root)
    folder = release(course, "01_toy")
    for student, beside in {"ada": FILES, "bob": ()}.items():
        home = root / "submitted" / student / "01_toy"
        home.mkdir(parents=True)
        save(notebook(course.released("01_toy"), RIGHT), home / "01_toy.ipynb")
        for name in beside:
            shutil.copy(folder / name, home)
    assert main(["grade", "01_toy", "--root", str(root)]) == 0
    with course.gradebook() as book:
        scores = {row.student.id: row.score for row in book.assignment_submissions("01_toy")}
    assert scores["ada"] == scores["bob"] > 0


def test_a_chapter_that_was_released_without_the_files_is_packaged_without_them(root):
    folder = release(Course(root), "01_toy")
    for name in FILES:
        (folder / name).unlink()
    assert main(["package", "github", "01_toy", "--root", str(root)]) == 0
    made = {path.name for path in (root / "packages" / "01_toy-github").iterdir()}
    assert "01_toy.ipynb" in made and not made & {*FILES}
