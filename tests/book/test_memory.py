"""What the book remembers of its reader, in the reader's browser and nowhere else."""

import functools
import http.server
import json
import threading

import axe
import pytest
from book_site import laid_out, watched

FORBIDDEN = """Object.defineProperty(window, "localStorage", {
    get() { throw new DOMException("not here", "SecurityError"); } });"""
READ = """courseMemory.set('read', {'03_scaling': {of: 2, ids: ['a']},
    '04_masks': {of: 1, ids: ['b']}})"""
SCROLL = "id => document.getElementById(id).scrollIntoView()"
# An observer is told what is in view after those that were made before it.
OBSERVED = """() => new Promise((resolve) => {
    new IntersectionObserver(resolve).observe(document.body);
})"""
LATER = 3_600  # seconds
WHOLE = {"the-question", "the-idea-with-three-tokens"}


@pytest.fixture
def context(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 600})
    context.clock.install(time=0)  # which the tests move on, however slow the machine is
    yield context
    context.close()


@pytest.fixture
def opened(context, address):
    """Opens a page of the book in the reader's browser."""

    def opened(name, root=address):
        page = watched(context.new_page())
        page.goto(f"{root}{name}.html")
        return laid_out(page)

    return opened


def read_to(page, *headings):
    """Go from heading to heading, and stay a moment at each."""
    for heading in headings:
        page.evaluate(SCROLL, heading)
        stay(page, 1000)


def stay(page, milliseconds):
    """Look at what is in view, for so long by the page's clock."""
    page.evaluate(OBSERVED)
    page.clock.run_for(milliseconds)


def ids_read(page):
    return set(page.evaluate("courseMemory.sections('03_scaling').ids"))


def menu_mark(page, name):
    return page.locator(f".bd-sidebar-primary a[href='{name}.html'] .memory-mark")


def test_a_section_is_read_when_its_end_was_in_view_after_its_start(opened):
    page = opened("03_scaling")
    read_to(page, "the-question", "the-idea-with-three-tokens")
    assert ids_read(page) == {"the-question"}
    assert page.locator(".page-toc a[href='#the-question'] .memory-mark").text_content() == "✓"
    assert page.locator(".page-toc .memory-mark").count() == 1


def test_a_section_that_is_flown_over_is_not_read(opened):
    page = opened("03_scaling")
    page.clock.pause_at(LATER)
    for heading in ("the-question", "the-idea-with-three-tokens", "the-formula"):
        page.evaluate(SCROLL, heading)
        stay(page, 100)
    read_to(page, "take-away")
    assert not ids_read(page) & {*WHOLE, "the-formula", "where-it-breaks"}


def test_the_landing_page_leads_to_where_the_reader_stopped(opened):
    page = opened("03_scaling")
    read_to(page, "the-question", "the-idea-with-three-tokens")
    landing = opened("index")
    link = landing.locator(".go-on a")
    assert link.inner_text().endswith("Scaling: The idea, with three tokens")
    link.click()
    assert landing.url.endswith("03_scaling.html#the-idea-with-three-tokens")


def test_after_the_last_section_of_a_chapter_comes_the_next_chapter(opened):
    page = opened("03_scaling")
    read_to(page, "take-away")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    stay(page, 1000)
    assert "take-away" in ids_read(page)
    assert opened("index").locator(".go-on a").get_attribute("href") == "04_masks.html"


def test_whoever_comes_for_the_first_time_sees_nothing_of_it(opened):
    page = opened("index")
    assert not page.locator(".go-on").is_visible()
    assert not page.locator(".memory-foot").is_visible()
    assert page.locator(".memory-mark").count() == 0


def test_the_line_to_go_on_moves_nothing(context, opened):
    opened("index").evaluate("courseMemory.set('place', {href: '04_masks.html', text: 'Masks'})")
    context.add_init_script("""window.moved = [];
        new PerformanceObserver((list) => window.moved.push(...list.getEntries()
            .flatMap((entry) => entry.sources)
            .filter(({ node }) => node && document.querySelector("article").contains(node))
            .map(({ node }) => node.outerHTML)))
            .observe({type: "layout-shift", buffered: true});""")
    page = opened("index")
    page.wait_for_load_state("networkidle")
    assert page.locator(".go-on").is_visible()
    assert page.evaluate("moved") == []


def test_the_menu_marks_chapters_that_are_read_and_those_begun(opened):
    page = opened("index")
    page.evaluate(READ)
    page = opened("glossary")
    assert menu_mark(page, "03_scaling").get_attribute("aria-label") == "1 of 2 sections read"
    assert menu_mark(page, "04_masks").get_attribute("aria-label") == "read"
    assert page.locator(".bd-sidebar-primary .memory-mark").count() == 2
    assert axe.faults(page, ".bd-sidebar-primary") == []


def test_one_button_forgets_everything_after_a_question_in_its_place(opened):
    page, other = opened("index"), opened("glossary")
    page.evaluate(READ)
    page.evaluate("courseMemory.set('place', {href: '04_masks.html', text: 'Masks'})")
    page.evaluate("localStorage.setItem('attention-measured /another/ read', '1')")
    page.get_by_role("button", name="Forget everything").click()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # Keep
    assert page.locator(".go-on").is_visible()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")  # Forget everything, then Forget
    assert page.locator(":focus").inner_text() == "All of it is forgotten."
    kept = page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('attention'))")
    assert kept == ["attention-measured /another/ read"]
    assert not page.locator(".go-on").is_visible()
    for one in (page, other):
        one.wait_for_function("!document.querySelector('.memory-mark')")


def test_two_books_on_one_host_do_not_mix(opened, book):
    handler = functools.partial(Both, directory=book)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        host = f"http://127.0.0.1:{server.server_port}"
        opened("index", f"{host}/one/").evaluate(READ)
        assert opened("index", f"{host}/one/").locator(".memory-mark").count() == 2
        assert opened("index", f"{host}/two/").locator(".memory-mark").count() == 0
        server.shutdown()


class Both(http.server.SimpleHTTPRequestHandler):
    """The same book at /one/ and at /two/."""

    def translate_path(self, path):
        return super().translate_path(path.removeprefix("/one").removeprefix("/two"))

    def log_message(self, *words):
        """A request is no news."""


def test_a_draft_and_what_was_solved_outlive_the_tab(opened):
    page = opened("01_bottleneck")
    page.get_by_label("Your code").fill("def blend(): return 'mine'")
    page.evaluate("courseMemory.set('solved blend', true)")
    page.close()
    page = opened("01_bottleneck")
    assert page.get_by_label("Your code").input_value() == "def blend(): return 'mine'"
    assert page.locator("[data-warm-up] .memory-mark").inner_text() == "✓ solved"


def test_nothing_that_is_remembered_leaves_the_browser(opened):
    page = opened("03_scaling")
    page.wait_for_load_state("networkidle")
    page.asked.clear()
    read_to(page, *sorted(WHOLE))
    page.evaluate("courseMemory.forget()")
    assert [url for url in page.asked if "/_static/" not in url] == page.said == []
    assert page.context.cookies() == []


def test_pages_work_where_the_browser_keeps_nothing(context, opened):
    context.add_init_script(FORBIDDEN)
    page = opened("01_bottleneck")
    page.get_by_label("Your code").fill("def blend(): return 1")
    read_to(page, "the-question")
    pages = [page, opened("index"), opened("exercises")]
    assert not pages[1].locator(".go-on").is_visible()
    entry = {"passed": True, "points": 1, "when": "2026"}
    file = {
        "name": "progress.json",
        "mimeType": "",
        "buffer": json.dumps({"align": entry}).encode(),
    }
    pages[2].locator("input[type=file]").set_input_files([file])
    assert pages[2].locator("#exercise-align .memory-mark").text_content() == "✓"
    # the theme's own scripts complain; ours do not
    said = [line for page in pages for line in page.said]
    assert [line for line in said if "not here" not in line and "theme mode" not in line] == []


def test_what_another_page_of_the_host_wrote_is_no_link(context, opened):
    place = json.dumps({"href": "javascript:alert(1)", "text": "here"})
    context.add_init_script(
        f"localStorage.setItem('attention-measured /attention-measured/ place', {place!r})"
    )
    assert not opened("index").locator(".go-on").is_visible()
