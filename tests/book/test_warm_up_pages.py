"""The warm-ups in the pages, as a reader uses them. Python is loaded once for most of the tests."""

import importlib
import re

import axe
import pytest
from book_site import at_rest, laid_out
from bs4 import BeautifulSoup
from judge import judge

PAGES = {
    "blend": "01_bottleneck",
    "score_row": "02_qkv",
    "scaled_row": "03_scaling",
    "masked_row": "04_masks",
    "attend_by_head": "05_multi_head",
    "ask_memory": "06_cross_attention",
    "normalise": "07_block",
    "turned_score": "08_positions",
    "add_key": "09_pieces",
    "nucleus": "10_next_token",
    "prefix_gaps": "11_find_the_bug",
    "merge_pair": "12_language_model",
    "delta_write": "13_fixed_state",
}
RIGHT = "return sum(e * v for e, v in zip(exp_scores, values)) / sum(exp_scores)"


@pytest.fixture(scope="module")
def page(browser, address):
    """The first chapter; Python is loaded once for all tests. `before`: requests before that."""
    context = browser.new_context(service_workers="block")  # they ask for everything
    context.set_default_timeout(120_000)  # a slow machine loads Python slowly
    page = context.new_page()
    page.asked, page.said = [], []
    context.on("request", lambda request: page.asked.append(request.url))
    page.on("pageerror", lambda error: page.said.append(str(error)))
    page.on("console", lambda m: page.said.append(m.text) if m.type == "error" else None)
    at_rest(page, f"{address}01_bottleneck.html")
    page.before = list(page.asked)
    yield page
    context.close()


def code_of(page):
    return page.get_by_label("Your code")


def result(page):
    """What the judge says, once it has something to say."""
    page.wait_for_function("document.querySelector('.warm-up-run:not([aria-disabled])')")
    return page.locator(".warm-up-result").inner_text()


def run(page, body):
    code_of(page).fill(f"def blend(exp_scores, values):\n    {body}\n")
    page.get_by_role("button", name="Run").click()
    return result(page)


def test_nothing_of_python_is_asked_for_before_the_reader_begins(page):
    assert not [url for url in page.before if re.search(r"pyodide|\.py$|\.mjs$", url)]
    page.get_by_role("button", name="Run").click()
    assert "not written yet" in result(page)
    assert [url for url in page.asked if url.endswith("pyodide.asm.wasm")]


def test_the_page_says_what_the_judge_says(page):
    answer = run(page, "return sum(e * v for e, v in zip(exp_scores, values))")
    assert "0 of 4 cases pass" in answer
    assert "By what were 1, 6 and 1 divided?" in answer
    assert "The result is 18.5, and should be 18." in run(page, "return 18.5")
    assert "all 4 cases pass" in run(page, RIGHT)


def test_an_error_leads_to_its_line(page):
    answer = run(page, "total = sum(exp_scores\n    return total")
    assert "'(' was never closed" in answer
    page.get_by_role("button", name="Show line 2").click()
    selected = "node => node.value.slice(node.selectionStart, node.selectionEnd)"
    assert code_of(page).evaluate(selected) == "    total = sum(exp_scores"


def test_what_is_printed_is_text_and_nothing_else(page):
    answer = run(page, "print('<b id=bold>bold</b>')\n    return 1")
    assert "<b id=bold>bold</b>" in answer
    assert page.locator("#bold").count() == 0


def test_a_loop_that_never_ends_is_stopped_and_python_is_there_again(page):
    assert "still running after 5 seconds" in run(page, "while True: print('again')")
    assert "all 4 cases pass" in run(page, RIGHT)


def test_a_warm_up_is_solved_with_the_keyboard_alone(page):
    focused = "document.activeElement.tagName + document.activeElement.innerText"
    keys = page.keyboard
    code_of(page).focus()
    keys.press("Control+A")
    keys.type("def blend(exp_scores, values):")
    keys.press("Enter")  # goes on four spaces further in
    keys.type("return 1")
    keys.press("Tab")
    assert code_of(page).input_value() == "def blend(exp_scores, values):\n    return 1    "
    keys.press("Shift+Tab")
    assert code_of(page).input_value() == "def blend(exp_scores, values):\nreturn 1    "
    keys.press("Control+Z")
    keys.press("Control+Enter")
    assert "The result is 1, and should be 18." in result(page)
    keys.press("Escape")
    keys.press("Tab")
    assert page.evaluate(focused) == "BUTTONRun"
    keys.press("Tab")
    keys.press("Enter")
    assert "raise NotImplementedError" in code_of(page).input_value()


def test_a_warm_up_fits_a_phone_with_its_longest_answer(page):
    page.set_viewport_size({"width": 390, "height": 800})
    run(page, f"print('a' * 500)\n    return [{'0.123456789, ' * 40}]")
    place = page.locator("[data-warm-up]")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert place.evaluate("node => node.scrollWidth <= node.clientWidth")
    for button in place.get_by_role("button").all():
        assert button.bounding_box()["height"] >= 24  # WCAG 2.2, target size (minimum)
    page.set_viewport_size({"width": 1280, "height": 800})


def test_axe_finds_nothing_in_a_warm_up_and_its_answer(page):
    run(page, "print('seen')\n    return values[9]")
    assert axe.faults(page, "[data-warm-up]") == []


def test_nothing_came_from_another_site_and_the_console_is_silent(page, address):
    assert [url for url in page.asked if not url.startswith((address, "data:", "blob:"))] == []
    assert page.said == []


@pytest.mark.parametrize("name", PAGES)
def test_each_chapter_has_its_warm_up_and_its_stub_is_not_written_yet(book, name):
    pages = {path.stem for path in book.glob("*.html") if f'"{name}"' in path.read_text()}
    assert pages == {PAGES[name]}
    page = BeautifulSoup((book / f"{PAGES[name]}.html").read_text(), "html.parser")
    place = page.select_one("[data-warm-up]")
    verdict = judge(importlib.import_module(name).warm_up, place.select_one("pre").text)
    assert verdict["headline"] == "not written yet"
    assert (book / "_static" / "warm_ups" / f"{name}.py").is_file()


def test_only_chapters_load_the_editor(book):
    using = {path.stem for path in book.glob("*.html") if "warm_up.js" in path.read_text()}
    assert using == set(PAGES.values())


def opened(browser, url, before="", **options):
    """The warm-up of a fresh page, and the sentence that stands in for its editor."""
    page = browser.new_context(**options).new_page()
    page.add_init_script(before)
    page.goto(url, wait_until="domcontentloaded")
    return laid_out(page), page.locator(".warm-up-static > p")


def test_from_a_file_the_page_says_why_it_runs_nothing(browser, book):
    page, sentence = opened(browser, (book / "01_bottleneck.html").as_uri())
    assert "a browser starts no Python there" in sentence.inner_text()
    assert page.locator(".warm-up-static pre").is_visible()
    assert page.locator(".warm-up textarea").count() == 0
    page.context.close()


def test_without_webassembly_the_page_says_so(browser, address):
    url = f"{address}01_bottleneck.html"
    page, sentence = opened(browser, url, "delete window.WebAssembly")
    assert "it has no WebAssembly" in sentence.inner_text()
    page.context.close()


def test_without_scripts_the_code_stands_there_to_be_copied(browser, address):
    url = f"{address}01_bottleneck.html"
    page, sentence = opened(browser, url, java_script_enabled=False)
    assert "Where scripts run, this is an editor" in sentence.inner_text()
    assert "def blend" in page.locator(".warm-up-static pre").inner_text()
    page.context.close()


def test_where_python_does_not_load_the_page_says_so_and_the_code_stays(browser, address):
    page, _ = opened(browser, f"{address}01_bottleneck.html")
    page.context.route("**/pyodide/*", lambda route: route.abort())
    assert "Python could not be loaded from this site" in run(page, "return 18")
    page.reload()
    assert "return 18" in code_of(page).input_value()
    page.context.close()
