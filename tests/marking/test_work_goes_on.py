"""Work on the page of `attn mark` goes on later: from the browser, a saved file, a newer page."""

import json

from mark_window import mark_all, marks_of, opened
from playwright.sync_api import expect
from small_class import CHAPTER, formgrader_gives


def work_id(path):
    return json.loads(path.read_text())["work_id"]


def test_work_goes_on_after_the_tab_was_closed_and_from_a_saved_file(
    window, page, browser, tmp_path
):
    mark_all(window)
    window.page.reload()
    assert window.text("#said").startswith("You go on where you stopped.")
    assert window.text("#count") == "7 of 7 marked"
    saved = window.save()
    marks, work = marks_of(saved), work_id(saved)
    with opened(browser, page, tmp_path) as another:
        assert another.text("#count") == "0 of 7 marked"
        another.page.set_input_files("#file", saved)
        expect(another.page.locator("#count")).to_have_text("7 of 7 marked")
        again = another.save()
        assert marks_of(again) == marks and work_id(again) == work
        another.press("u")
        assert another.text("#count") == "0 of 7 marked"
        assert work_id(another.save()) != work
        another.press("r")
        foreign = {"damaged": '{"made_by', "another version": '{"made_by": "attn mark"}'}
        for why, text in foreign.items():
            (tmp_path / "foreign.json").write_text(text)
            another.page.set_input_files("#file", tmp_path / "foreign.json")
            expect(another.page.locator("#said")).to_contain_text(why)
        assert another.text("#count") == "7 of 7 marked"


def test_a_mark_that_formgrader_has_changed_is_to_be_done_again_on_a_newer_page(
    window, root, page, attn, marks, browser, tmp_path
):
    mark_all(window)
    saved = window.save()
    assert attn("--apply", saved)[0] == 0
    formgrader_gives(root, "bob", 1)
    assert attn(CHAPTER)[0] == 0
    with opened(browser, page, tmp_path) as another:
        another.page.set_input_files("#file", saved)
        expect(another.page.locator("#count")).to_have_text("4 of 7 marked")
    window.page.reload()
    assert window.text("#count") == "4 of 7 marked"
    assert attn("--apply", window.save())[0] == 0 and marks()["bob"][0] == 1
    window.go_to("high salary")
    assert "has changed since you gave this mark, to 1.5 points; 1 point." in window.text("#note")
    window.press("Enter")
    assert window.text("#count") == "7 of 7 marked"
    assert attn("--apply", window.save())[0] == 0 and marks()["bob"][0] == 1.5


def test_an_item_that_is_changed_on_a_newer_page_leaves_its_marks_done(window, attn, marks):
    mark_all(window)
    attn("--apply", window.save())
    attn(CHAPTER)
    window.page.reload()
    window.press("Shift+Digit1", "Tab")
    window.page.keyboard.type("0.25")
    window.press("Enter")
    assert window.text("#count") == "7 of 7 marked"
    window.page.reload()
    assert window.text("#count") == "7 of 7 marked"
    assert attn("--apply", window.save())[0] == 0 and marks()["ada"][0] == 0.25


def test_where_the_browser_keeps_nothing_it_says_so_and_the_page_works(browser, page, tmp_path):
    with opened(browser, page, tmp_path) as window:
        window.page.add_init_script("Storage.prototype.setItem = () => { throw new Error(); }")
        window.page.reload()
        assert window.text("#unkept").startswith("This browser does not keep your work.")
        mark_all(window)
        assert len(marks_of(window.save())) == 7 and not window.errors
