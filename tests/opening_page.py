"""The landing page as a reader opens it who has just come: from file://, where no server helps."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from book_site import watched

READY = ".opening-ready"  # all scripts have come
ARCS = """nodes => nodes.filter(node => !node.classList.contains('is-faint'))
  .map(node => [node.getAttribute('d'), node.style.getPropertyValue('--w')])"""


@contextmanager
def opened(browser: Any, html: Path) -> Iterator[Callable[..., Any]]:
    """Opens it in a context of its own, without motion unless asked; no error may be reported."""
    pages = []

    def open_page(wait: str = READY, **how: Any) -> Any:
        page = watched(browser.new_context(**{"reduced_motion": "reduce"} | how).new_page())
        pages.append(page)
        page.goto((html / "index.html").as_uri())
        page.locator(wait).wait_for()
        return page

    yield open_page
    for page in pages:
        page.context.close()
        assert page.said == [], page.said


def fresh(page: Any) -> Any:
    """Once more from the beginning."""
    page.reload()
    page.locator(READY).wait_for()
    return page
