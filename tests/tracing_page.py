"""The page that sends a text through a network, as a reader opens it: from file://."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import measurements
from book_site import laid_out, watched

PAGE = "12_path.html"
SERIES = measurements.load("stories_trace")["series"]
NETWORK, FIRST = SERIES["network"], SERIES["first"]
EXAMPLES = {one["name"]: one["text"] for one in SERIES["examples"]}
READY = ".trace-ready"  # all scripts have come


@contextmanager
def opened(browser: Any, html: Path) -> Iterator[Callable[..., Any]]:
    """Opens it in a context of its own; no error may be reported."""
    pages = []

    def open_page(wait: str = READY, **how: Any) -> Any:
        page = watched(browser.new_context(**how).new_page())
        pages.append(page)
        page.goto((html / PAGE).as_uri())
        page.locator(wait).first.wait_for()
        return page

    yield open_page
    for page in pages:
        page.context.close()
        assert page.said == [], page.said


def fresh(page: Any) -> Any:
    """Once more from the beginning."""
    page.reload()
    page.locator(READY).wait_for()
    return laid_out(page)


def field(page: Any) -> Any:
    return page.get_by_label("Write a story")


def says(page: Any) -> str:
    return page.locator(".trace-says").inner_text()


def told(page: Any, place: str) -> str:
    return page.locator(f"[data-trace={place}] .trace-told").inner_text()


def example(page: Any, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()
