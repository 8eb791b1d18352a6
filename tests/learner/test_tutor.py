"""`attn tutor` as an assistant has it: the official client, over standard input and output."""

import json
import shutil
import subprocess
import sys
from importlib import metadata

import learners
import nbformat
import pytest
from assistant import assistant

from autograder.chapters.solutions import load
from autograder.cli import main
from autograder.common.errors import CourseError
from autograder.common.files import CHECKS, REPOSITORY
from autograder.learner import notebook_hints
from autograder.learner.public_cases import public_checks, try_public
from autograder.learner.replies import KEPT, NOT_KEPT, Replies
from autograder.notebooks.chapter import reference

RIGHT = "def padding_mask(tokens, pad_id):\n    return (tokens != pad_id)[:, None, None, :]\n"
WRONG = RIGHT.replace("!=", "==")
RULE = "Never write an answer for the learner."
ENDLESS = "while True:\n    pass\n"
FORGED = """import contextlib, os
for fd in range(20):
    with contextlib.suppress(OSError):
        os.write(fd, b'{"jsonrpc": "2.0", "id": 1, "result": {}}')
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    return learners.install(tmp_path_factory.mktemp("engine"))


def copied(name, place):
    """A chapter as a learner gets it."""
    folder = REPOSITORY / "exercises" / name
    return shutil.copytree(folder, place / name, ignore=learners.FRESH)


@pytest.fixture
def masks(tmp_path):
    return copied("04_masks", tmp_path)


@pytest.fixture(scope="module")
def shared(engine, sandbox, tmp_path_factory):
    """One server for what leaves its folder as it was."""
    place = tmp_path_factory.mktemp("shared")
    copied("04_masks", place)
    with assistant(engine, place) as found:
        yield found


def write(folder, sources):
    """Save code in the cells of the exercises, as an editor does."""
    path = folder / f"{folder.name}.ipynb"
    learners.save(learners.notebook(nbformat.read(path, as_version=4), sources), path)


def test_a_learner_is_helped_from_the_first_hint_to_a_pass(engine, sandbox, masks):
    (masks / "AGENTS.md").write_text(RULE)
    (masks / "reading.md").write_text(
        "<!-- 04_masks.html -->\n\n# Masks {#masks}\n\n### Padding mask {#padding-mask}\n\nSeen.\n"
    )
    with assistant(engine, masks) as helper:
        assert helper.client.instructions.endswith(RULE)
        assert "○ padding_mask: 2 points, not checked yet" in helper.ask("exercises")
        for level, title in enumerate(("a question", "an observation", "nearly the line"), 1):
            told = helper.ask("hint", exercise="padding_mask", level=level)
            assert told.startswith(f"Hint {level}: {title}\n\n")
        write(masks, {"padding_mask": WRONG})
        told = helper.ask("check", exercise="padding_mask")
        assert "Your mask is True where there is padding." in told and KEPT in told
        assert "✗ padding_mask" in helper.ask("exercises")
        assert "Seen." in helper.ask("section", exercise="padding_mask")
        told = helper.ask("check", exercise="padding_mask", answer=RIGHT)
        assert told.startswith("✓ padding_mask: all 4 cases pass") and NOT_KEPT in told
        assert not json.loads((masks / "progress.json").read_text())["padding_mask"]["passed"]
        write(masks, {"padding_mask": RIGHT})
        assert "confined by bubblewrap" in helper.ask("check", exercise="padding_mask")
        told = helper.ask("exercises")
    assert "✓ padding_mask: 2 points, passes" in told and "Next is `causal_mask`" in told


def test_the_tools_say_what_they_are_for_and_what_they_take(shared):
    tools = shared.portal.call(shared.client.list_tools).tools
    assert [tool.name for tool in tools] == ["exercises", "check", "hint", "section"]
    assert all(len(tool.description) > 50 for tool in tools)
    assert tools[2].input_schema["properties"]["level"]["enum"] == [1, 2, 3]


def test_a_card_says_what_to_solve_first_and_no_other_exercise_is_run(shared):
    calls = "def decoder_mask(tokens, pad_id):\n    return padding_mask(tokens, pad_id)"
    told = shared.ask("check", exercise="decoder_mask", answer=calls)
    assert "Solve first: `padding_mask`, `causal_mask`, `combine_masks`." in told
    assert told.count("cases pass") == 1 and "masked_attention" not in told


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (ENDLESS, "It is too slow, or endless"),
        ("import ctypes\nctypes.string_at(0)", "It crashed the Python process."),
        (f"print('x' * 10**8)\n{WRONG}", "Your mask is True where there is padding."),
        (FORGED, "It interfered with"),
        ("this is no Python", "Python cannot read the cell."),
        ("x" * 10**7, "is longer than 1,000,000 characters."),
        ("a\0b", "null bytes"),
    ],
    ids=["endless", "crash", "print", "forged", "words", "long", "null"],
)
def test_whatever_the_code_does_the_reply_says_it_and_the_server_goes_on(shared, answer, sentence):
    told = shared.ask("check", exercise="padding_mask", answer=answer)
    assert sentence in told and "Traceback" not in told and len(told) < 2000


def test_calls_at_the_same_time_get_each_its_own_reply(shared):
    calls = [("check", {"exercise": "padding_mask", "answer": code}) for code in (RIGHT, WRONG)]
    right, wrong = shared.ask_together(*calls)
    assert right.startswith("✓ padding_mask") and wrong.startswith("✗ padding_mask")


def test_an_exercise_that_is_not_there_is_answered_with_the_nearest(shared):
    for tool, more in (("check", {}), ("hint", {"level": 1}), ("section", {})):
        told = shared.ask(tool, exercise="paddingmask", **more)
        assert told.endswith("paddingmask is no exercise here. Did you mean padding_mask?")


def test_without_bubblewrap_only_the_saved_cell_is_run_and_the_reply_says_so(engine, masks):
    write(masks, {"padding_mask": f"print('{{}}')\n{WRONG}"})
    with assistant(engine, masks, PATH="/nowhere") as helper:
        told = helper.ask("check", exercise="padding_mask")
        refused = helper.ask("check", exercise="padding_mask", answer=RIGHT)
    assert "Your mask is True where" in told and "not confined, since bubblewrap cannot" in told
    assert "only where bubblewrap confines it" in refused and "✓" not in refused


@pytest.mark.parametrize("name", ["01_bottleneck", "02_qkv", "04_masks"])
def test_each_known_mistake_is_named_by_its_own_hint_if_public_cases_can_tell(
    engine, sandbox, tmp_path, name
):
    chapter, folder = load(REPOSITORY, name), copied(name, tmp_path)
    known, told = public_checks(folder / CHECKS), []
    write(folder, reference(chapter))
    with assistant(engine, folder) as helper:
        for exercise in chapter.exercises.values():
            for wrong in exercise.misconceptions:
                if try_public(known[exercise.name], wrong.target).misconception == wrong.name:
                    source = wrong.source_as(exercise.name)
                    said = helper.ask("check", exercise=exercise.name, answer=source)
                    told.append((wrong.name, " ".join(wrong.hint.split()) in said))
    assert len(told) > 50 and [mistake for mistake, named in told if not named] == []


def test_a_hint_that_was_taken_out_of_the_notebook_is_said_to_be_gone(masks):
    path = masks / "04_masks.ipynb"
    path.write_text(path.read_text().replace("Hint 2: an observation", "What I think"))
    assert notebook_hints.hint(path, "padding_mask", 3).startswith("Hint 3")
    with pytest.raises(CourseError, match="Hint 2 of padding_mask is not above its cell in"):
        notebook_hints.hint(path, "padding_mask", 2)


@pytest.mark.whole_course
def test_each_exercise_of_the_course_has_its_three_hints():
    for folder in sorted((REPOSITORY / "exercises").glob("[0-9]*")):
        for exercise in public_checks(folder / CHECKS):
            for level in (1, 2, 3):
                assert notebook_hints.hint(folder / f"{folder.name}.ipynb", exercise, level)


def test_where_there_is_no_linux_a_check_says_what_to_do_instead(masks, monkeypatch):
    monkeypatch.setattr("platform.system", lambda: "Windows")
    with pytest.raises(CourseError, match="restart the kernel in Jupyter and run all cells"):
        Replies(masks).check("padding_mask", "")


def test_the_server_starts_without_torch():
    code = "import sys, autograder.learner.tutor; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, check=False).returncode == 0


def test_without_its_library_or_without_a_chapter_the_command_says_so(
    tmp_path, monkeypatch, capsys
):
    assert main(["tutor", str(tmp_path)]) == 2
    assert "There is no chapter in" in capsys.readouterr().err

    def version(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", version)
    assert main(["tutor", str(tmp_path)]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "mcp is not installed; 2.3 or later is needed. Run" in said and '"mcp>=2.3"' in said
