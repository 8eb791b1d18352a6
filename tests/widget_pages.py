"""The pages that have widgets, as a reader opens them: from file://, where no server helps."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from book_site import at_rest, laid_out, watched
from bs4 import BeautifulSoup

PAGES = {
    "soft_lookup": "01_bottleneck",
    "three_tokens": "02_qkv",
    "saturation": "03_scaling",
    "mask_paint": "04_masks",
    "heads": "05_what_heads_do",
    "alignment": "06_cross_attention",
    "collapse": "07_block",
    "clock_hands": "08_positions",
    "tiles": "09_pieces",
    "cache_bars": "10_next_token",
    "find_curve": "11_find_the_bug",
    "sampling": "12_language_model",
    "state_matrix": "13_fixed_state",
}
WIDGETS = sorted(PAGES)


@contextmanager
def opened(browser: Any, html: Path) -> Iterator[Callable[..., Any]]:
    """Gives the page of a widget, with scripts or without, at a width; each is loaded once."""
    contexts = {run: browser.new_context(java_script_enabled=run) for run in (True, False)}
    loaded = {}

    def page_of(name: str, width: int = 1280, scripts: bool = True) -> Any:
        key, size = (name, scripts), {"width": width, "height": 800}
        if key in loaded:
            loaded[key].used = True
        else:
            loaded[key] = _load(contexts[scripts], html / f"{PAGES[name]}.html")
        if loaded[key].viewport_size != size:
            loaded[key].set_viewport_size(size)
        return loaded[key]

    yield page_of
    for context in contexts.values():
        context.close()
    for page in loaded.values():
        assert page.said == []  # no error, whatever was done


def _load(context: Any, path: Path) -> Any:
    page = watched(context.new_page())
    page.used = False
    at_rest(page, path.as_uri())
    return page


def fresh(page_of: Callable[..., Any], name: str, **how: Any) -> Any:
    """The widget on its page, as a reader finds it who has just come."""
    page = page_of(name, **how)
    if page.used:
        page.reload(wait_until="domcontentloaded")
        laid_out(page)
    return on(page, name)


def on(page: Any, name: str) -> Any:
    return page.locator(f"[data-widget={name}]")


def says(place: Any) -> str:
    """The sentence in words of what the widget shows."""
    return place.locator(".widget-says").inner_text()


def widget_data(html: Path, name: str) -> Any:
    """What lies in the built page for the widget; the model is the largest."""
    page = BeautifulSoup((html / f"{PAGES[name]}.html").read_text(), "html.parser")
    data = page.select_one(f"[data-widget={name}] script").string
    assert len(data) < 70_000
    return json.loads(data)
