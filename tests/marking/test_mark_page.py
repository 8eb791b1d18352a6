"""`attn mark`: a class is marked on the page by keys, and its marks come into the gradebook."""

import json

import pytest
import standalone
import written_class
from mark_window import mark_all, marks_of, opened
from servers import formgrader, get, put
from small_class import CHAPTER, QUESTION, TEXTS

from autograder.chapters.course_root import link_class
from autograder.cli import main
from autograder.common.files import REPOSITORY
from autograder.marking.written_answers import questions


def test_a_class_is_marked_by_keys_applied_and_goes_on_in_formgrader(window, root, attn, marks):
    assert window.text("#count") == "0 of 7 marked"
    mark_all(window)
    assert window.text("#count") == "7 of 7 marked"
    assert window.text("#said") == "0.5 of 2 points. All answers are marked. Save the file now."
    saved = window.save()
    assert saved.name == f"{CHAPTER}.marks.json"

    status, said = attn("--apply", saved)
    assert status == 0 and f"{CHAPTER}: 7 marks written, 0 as before." in said
    expected = dict.fromkeys(("ada", "bob", "cleo"), (1.5, False, None)) | {
        "dora": (0, False, None), "gus": (0, False, None), "emil": (2, False, None),
        "fay": (0.5, False, "Look at *one* salary."),
    }  # fmt: skip
    assert marks() == expected
    assert f"{CHAPTER}: 0 marks written, 7 as before." in attn("--apply", saved)[1]

    texts = {student: {QUESTION: text} for student, text in TEXTS.items()}
    written_class.write(root, CHAPTER, texts)  # the same is graded again
    assert marks() == expected

    with formgrader(root) as address:
        (first, *_) = json.loads(get(f"{address}/api/submitted_notebooks/{CHAPTER}/{CHAPTER}"))
        assert first["needs_manual_grade"] is False
        grades = json.loads(get(f"{address}/api/grades?submission_id={first['id']}"))
        (why,) = (grade for grade in grades if grade["name"] == QUESTION)
        put(f"{address}/api/grade/{why['id']}", {"manual_score": 1.0})
    assert marks()[first["student"]][0] == 1.0
    status, said = attn("--apply", saved)
    assert status == 1 and "the gradebook has 1 point" in said
    assert marks()[first["student"]][0] == 1.0


def test_what_is_undone_is_as_before_and_a_changed_item_changes_all_that_have_it(window):
    window.press("j", "1", "Enter", "1", "Enter")
    assert window.text("#count") == "4 of 7 marked"
    window.press("u", "u")
    assert window.text("#count") == "3 of 7 marked"
    assert "not marked" in window.current() and "1.5" not in window.text("#score")
    window.press("r", "r", "Shift+Digit1", "Tab")
    assert window.text("#count") == "4 of 7 marked"
    window.page.keyboard.type("0.25")
    window.press("Enter")
    saved = marks_of(window.save())
    assert {points for points, _ in saved.values()} == {0.25} and len(saved) == 4


def test_points_never_leave_their_range_and_can_be_set_where_no_item_fits(window):
    window.press("j")
    window.press("s")
    window.page.keyboard.type("3")
    window.press("Enter")
    assert window.text("#said") == "Points are a number from 0 to 2."
    window.press("s")
    window.page.keyboard.type("1.25")
    window.press("Enter")
    assert window.text("#score") == "1.25 of 2 points"
    window.press("1")
    assert window.text("#score") == "1.5 of 2 points"
    window.comment("Far too short.", "-9")
    assert window.text("#score") == "0 of 2 points"
    window.press("0")
    assert [
        item.split()[0] for item in window.page.locator(".is-current .given li").all_inner_texts()
    ] == ["\u22129"]


def test_points_that_are_typed_are_kept_by_a_save_and_put_back_by_escape(window):
    window.press("j", "0", "s", "1", "Escape")
    assert window.text("#score") == "0 of 2 points" and window.page.input_value("#points") == "0"
    window.press("s", "-", "-", "Enter")
    assert window.text("#said") == "Points are a number from 0 to 2."
    window.press("s", "9", "Control+s")
    assert window.text("#said") == "Points are a number from 0 to 2."
    window.press("Escape", "s", "1")
    window.save()
    assert window.text("#score") == "1 of 2 points"


def test_nothing_is_marked_by_enter_alone(window):
    window.press("Enter", "j", "Enter")
    assert window.text("#said").startswith("Nothing is chosen yet.")
    assert window.text("#count") == "0 of 7 marked"


def test_one_of_several_answers_can_be_marked_apart_from_the_others(window):
    window.press("j", "1", "Enter", "k", "x", "Enter")
    assert window.text("#count") == "2 of 7 marked"
    assert "because one high salary" in window.current().casefold()
    window.press("2", "Enter")
    saved = marks_of(window.save())
    assert sorted(points for points, _ in saved.values()) == [1.5, 1.5, 2]


def test_a_comment_of_the_gradebook_is_an_item_and_stays_with_another_mark(
    root, attn, marks, browser, tmp_path
):
    with written_class.Course(root).gradebook() as book:
        place = QUESTION, CHAPTER, CHAPTER, "emil"
        grade = book.find_grade(*place)
        grade.manual_score, grade.needs_manual_grade = 1, False
        book.find_comment(*place).manual_comment = "Why?"
        book.db.commit()
    attn(CHAPTER)
    with opened(browser, root / "marking" / f"{CHAPTER}.html", tmp_path) as window:
        window.go_to("Since")
        assert window.text("#score") == "1 of 2 points" and "0 Why?" in window.current()
        window.press("1", "Enter")
        saved = window.save()
    assert attn("--apply", saved)[0] == 0
    assert marks()["emil"] == (1.5, False, "Why?")


def test_several_questions_are_marked_one_after_the_other(browser, tmp_path, nbgrader, capsys):
    chapter, root = "01_bottleneck", tmp_path / "course"
    root.mkdir()
    link_class(REPOSITORY, root)
    course = written_class.Course(root)
    first, second = questions(course, chapter)
    written_class.write(root, chapter, {"ada": {first: "One.", second: "Two."}})
    assert main(["mark", chapter, "--root", str(root)]) == 0
    with opened(browser, root / "marking" / f"{chapter}.html", tmp_path) as window:
        window.press("n")
        assert window.text(".sheet:not([hidden]) h2").startswith(second)
        window.press("p", "0", "Enter")
        assert window.text(".sheet:not([hidden]) h2").startswith(second)
        assert "Two." in window.current()
        window.press("0", "Enter")
        assert "All answers are marked." in window.text("#said")
        assert len(json.loads(window.save().read_text())["marks"]) == 2


def test_work_that_is_not_saved_is_not_left_without_a_warning(window):
    asked = []
    window.page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    window.press("0")
    window.page.close(run_before_unload=True)
    window.page.wait_for_timeout(300)
    assert asked == ["beforeunload"]


def test_names_are_hidden_until_they_are_asked_for(window):
    assert "Ada" not in window.text("main")
    window.press("h")
    assert "Ada Lovelace (ada)" in window.text("main")


def test_formulas_are_set_and_what_a_student_wrote_does_not_run(window):
    assert window.page.locator(".written math").count() == 1
    assert window.page.locator(".written script, .written [onerror]").count() == 0
    assert window.page.locator(".written h4").inner_text() == "No idea"
    slip = "document.body.append(Object.assign(document.createElement('script'), {text: 'x = 1'}))"
    assert window.page.evaluate(f"() => {{ {slip}; return typeof x }}") == "undefined"
    assert "Content Security Policy" in window.errors.pop()


def test_each_key_is_listed(window):
    window.press("?")
    listed = set(window.text("#key-list").split())
    assert {*"jkscxurnph0?", "Enter", "1", "9", "Ctrl", "Shift"} <= listed


def test_keys_of_one_character_can_be_switched_off(window):
    window.press("?")
    window.page.get_by_label("Keys of one character work").uncheck()
    window.press("Escape")
    window.press("1")
    assert window.page.locator("#items [aria-pressed=true]").count() == 0
    window.page.locator("#items button").first.click()
    assert window.page.locator("#items [aria-pressed=true]").count() == 1


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 320)])
def test_everybody_can_use_the_page(browser, page, scheme, width):
    assert standalone.faults(browser, page, scheme, width) == []
