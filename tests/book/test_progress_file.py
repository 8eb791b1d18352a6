"""`progress.json` of the notebooks, dropped into the book: marks in the tables of exercises."""

import json

import axe
import book_site
import pytest
from book_site import at_rest, watched

from autograder.chapters.solutions import load
from autograder.judging.verdict import Kind, Verdict
from autograder.learner import progress

DROP = """([name, text]) => {
    const carried = new DataTransfer();
    carried.items.add(new File([text], name));
    document.body.dispatchEvent(
        new DragEvent("drop", { dataTransfer: carried, bubbles: true, cancelable: true }));
}"""


@pytest.fixture
def page(browser, address):
    context = browser.new_context()
    page = watched(context.new_page())
    at_rest(page, f"{address}exercises.html")
    page.asked.clear()
    yield page
    # nothing is sent; axe asks for the styles again
    assert [url for url in page.asked if "/_static/" not in url] == page.said == []
    context.close()


def entry(passed=True, when="2026-01-01T00:00:00+00:00", **more):
    return {"passed": passed, "points": 1, "when": when, **more}


def choose(page, *contents):
    files = [{"name": "progress.json", "mimeType": "application/json",
              "buffer": one if isinstance(one, bytes) else json.dumps(one).encode()}
             for one in contents]  # fmt: skip
    page.locator("input[type=file]").set_input_files(files)
    status = page.locator("[data-exercise-progress] [role=status]")
    page.wait_for_function("node => node.textContent", arg=status.element_handle())
    return status.inner_text()


def solved(page):
    return page.locator("tr:has(.memory-mark)").evaluate_all("rows => rows.map((row) => row.id)")


def test_the_file_that_check_writes_is_understood(page, tmp_path):
    for name, kind in (("align", Kind.PASSED), ("KVCache", Kind.WRONG)):
        progress.note(tmp_path, Verdict(name, kind, 2, 2, ""))
    said = choose(page, (tmp_path / "progress.json").read_bytes())
    assert said == "progress.json: 1 of its 2 exercises are solved."
    assert solved(page) == ["exercise-align"]
    assert page.locator("#exercise-align .memory-mark").get_attribute("aria-label") == "solved"


@pytest.mark.whole_course
def test_a_chapter_counts_its_exercises_and_their_points(page):
    exercises = load(book_site.ROOT, "03_scaling").exercises
    points = {name: exercise.points for name, exercise in exercises.items()}
    earned = sum(points[name] for name in ("find_scale", "softmax_jacobian"))
    choose(page, {"find_scale": entry(), "softmax_jacobian": entry()})
    counts = page.locator(".exercise-count").all_inner_texts()
    said = f"2 of {len(points)} exercises solved, {earned} of their {sum(points.values())} points."
    assert counts == [said]
    assert axe.faults(page, "article") == []


def test_the_files_of_several_chapters_add_up_and_outlive_the_page(page):
    choose(page, {"find_scale": entry()}, {"align": entry()})
    at_rest(page, page.url.replace("exercises", "03_scaling"))
    assert solved(page) == ["exercise-find_scale"]
    at_rest(page, page.url.replace("03_scaling", "exercises"))
    assert solved(page) == ["exercise-find_scale", "exercise-align"]
    page.asked.clear()


def test_the_later_check_of_an_exercise_counts(page):
    choose(page, {"align": entry(when="2026-02-02")}, {"align": entry(False, when="2026-01-01")})
    assert solved(page) == ["exercise-align"]
    choose(page, {"align": entry(False, when="2026-03-03")})
    assert solved(page) == []


def test_a_file_can_be_dropped_anywhere_on_the_page(page):
    page.evaluate(DROP, ["progress.json", json.dumps({"align": entry()})])
    page.wait_for_function("document.querySelector('#exercise-align .memory-mark')")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\x89PNG", "is not what a notebook's check writes"),
        ({}, "has no exercise in it"),
        ([entry()], "has no exercise in it"),
        (
            {"align": {"state": "passed"}},
            "is in a form that this edition of the book does not read",
        ),
        ({"__proto__": entry(), "another": entry()}, "names no exercise of this book"),
        (b" " * 2_000_000, "is too large"),
    ],
)
def test_a_wrong_file_gets_one_sentence_on_what_to_do(page, content, sentence):
    said = choose(page, content)
    assert said.startswith(f"progress.json {sentence}")
    assert said.endswith("Choose the progress.json that lies beside your notebook.")
    assert solved(page) == []


def test_without_scripts_there_is_no_place_for_a_file(browser, address):
    page = browser.new_page(java_script_enabled=False)
    page.goto(f"{address}exercises.html")
    assert not page.locator("[data-exercise-progress]").is_visible()
    page.close()
