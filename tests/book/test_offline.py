"""What was kept of the book is there without a network, and only then."""

import contextlib
import json
import re
import shutil

import offline_reading
import pytest
from serve import serving

READY = """async () => {
  await navigator.serviceWorker.ready;
  while (!navigator.serviceWorker.controller) await new Promise(done => setTimeout(done, 50));
}"""


@pytest.fixture
def reader(browser, book, tmp_path):
    """Has opened the first page; the network is there until it is closed."""
    folder = shutil.copytree(book, tmp_path / "site", ignore=shutil.ignore_patterns("pyodide"))
    with contextlib.ExitStack() as network:
        address = network.enter_context(serving(folder))
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{address}index.html")
        page.evaluate(READY)
        yield page, address, network, folder
        context.close()


def test_another_page_opens_without_a_network(reader):
    page, address, network, _ = reader
    network.close()
    page.goto(f"{address}03_scaling.html")
    assert page.locator("article h1").inner_text().startswith("Scaling")
    assert page.evaluate("document.fonts.load('16px KaTeX_Main').then(found => found.length)") == 1
    assert page.evaluate("getComputedStyle(document.body).fontFamily").startswith("system-ui")
    response = page.goto(f"{address}no_such_page.html")
    assert response.status == 404
    assert page.locator("article h1").inner_text() == "There is no such page"
    page.goto(address)
    assert page.locator("article h1").inner_text().startswith("Attention, measured")


def test_a_page_that_has_changed_is_shown_as_it_is_now(reader):
    page, address, _, folder = reader
    path = folder / "notation.html"
    path.write_text(path.read_text().replace("<h1>Notation", "<h1>New notation"))
    page.goto(f"{address}notation.html")
    assert page.locator("article h1").inner_text().startswith("New notation")


def test_every_page_and_nothing_large_is_kept_under_the_hash_of_its_content(book):
    worker = (book / "service-worker.js").read_text()
    listed = json.loads(re.search(r"const FILES = (\{.+\});", worker)[1])
    assert listed == offline_reading.files(book)
    assert {path.name for path in book.glob("*.html")} <= set(listed)
    assert not [path for path in listed if "pyodide" in path or path.endswith((".zip", ".map"))]
    assert sum((book / path).stat().st_size for path in listed) < 10_000_000
