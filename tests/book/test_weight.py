"""How many bytes a page sends to its reader, compressed as a host would."""

import gzip
from urllib.parse import urlsplit

import book_site
import page_scripts
import pytest
from serve import COMPRESSED
from sphinx.errors import ExtensionError

COVER, PAGE = 150_000, 330_000
CHAPTERS = book_site.numbered_pages()


def size(path):
    content = path.read_bytes()
    return len(gzip.compress(content)) if path.suffix in COMPRESSED else len(content)


def sent(window, address, book, name):
    """What the page asks for, read to its end: path below the root -> bytes."""
    page = book_site.watched(window.new_page())
    book_site.at_rest(page, f"{address}{name}.html")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_load_state("networkidle")
    page.close()
    paths = {urlsplit(url).path for url in page.asked if url.startswith(address)}
    below = [path.removeprefix(urlsplit(address).path) for path in paths]
    return {path: size(book / path) for path in below}


@pytest.mark.parametrize(("name", "most"), [("index", COVER), *((one, PAGE) for one in CHAPTERS)])
def test_a_page_is_light(window, address, book, name, most):
    found = sent(window, address, book, name)
    found = {path: n for path, n in found.items() if not path.startswith("_static/opening/")}
    assert 20_000 < sum(found.values()) <= most, found


def test_the_index_of_the_search_is_sent_to_those_who_search(pages):
    for name, page in pages.items():
        loaded = [script["src"].partition("?")[0] for script in page.select("script[src]")]
        assert ("searchindex.js" in loaded) == (name == "search.html"), name


def test_no_script_keeps_the_text_waiting(pages):
    for name, page in pages.items():
        for script in page.select("script[src]"):
            assert script.has_attr("defer"), f"{name}: {script['src']}"


def test_what_bootstrap_would_do_no_page_asks_for(pages):
    """Its script is not loaded: a tooltip is the browser's own."""
    for name, page in pages.items():
        asked = {tag["data-bs-toggle"] for tag in page.select("[data-bs-toggle]")}
        assert asked <= {"tooltip"}, name
        for button in page.select("[data-bs-toggle]"):
            assert button.get("title"), f"{name}: {button}"


def test_a_script_is_left_out_of_a_page_that_has_nothing_for_it(tmp_path):
    tabs = '<script src="design-tabs.js?v=1"></script>'
    (tmp_path / "design-tabs.js").write_text("")
    assert page_scripts.trim(tmp_path, tabs + "<p>text</p>") == "<p>text</p>"
    assert "defer" in page_scripts.trim(tmp_path, tabs + '<div class="sd-tab-set"></div>')


def test_a_theme_that_measures_the_page_in_another_way_is_told_of(tmp_path):
    script = tmp_path / page_scripts.THEME
    script.parent.mkdir(parents=True)
    script.write_text('a(),"complete"===document.readyState?I():window.addEventListener("load",I);')
    for _ in range(2):  # a build upon another finds what the first has left
        page_scripts.mend(tmp_path)
        assert script.read_text() == "a(),0;"
    script.write_text('window.addEventListener("load",()=>I())')
    with pytest.raises(ExtensionError, match=r"pydata-sphinx-theme\.js has changed"):
        page_scripts.mend(tmp_path)
