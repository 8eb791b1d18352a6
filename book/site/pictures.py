"""Draw a sheet of every figure and widget of the built book, for a person to look through.

    make pictures
    python book/site/pictures.py [--html FOLDER] [PAGE…]

Each picture is taken in both themes, at the widths of a desk and of a phone, as a reader finds it
who has just come. They come into build/pictures with index.html, which sets them side by side.
"""

import argparse
import sys
from html import escape
from pathlib import Path
from typing import Any

from browser import chromium
from playwright.sync_api import Browser, Locator, sync_playwright
from rich.progress import track
from serve import HTML

OUT = HTML.parents[2] / "pictures"
WIDTHS, THEMES = (1280, 390), ("light", "dark")
PICTURES = ".bd-article :is(figure:has(.chart), .widget, .opening, .machine, .trace)"
REMEMBER = "theme => { localStorage.mode = localStorage.theme = theme; }"
NO_GUESS = "() => document.querySelectorAll('.predict-skip').forEach(one => one.click())"
ABOVE = ".bd-header, .bd-header-article, #pst-skip-link"
STYLE = """body { font: 14px sans-serif; margin: 1rem; } figure { margin: 0 0 2rem; }
div { display: flex; flex-wrap: wrap; gap: 8px; align-items: flex-start; }
img { max-width: 760px; height: auto; border: 1px solid #ccc; }"""


def take(browser: Browser, page: Path, width: int, theme: str) -> list[str]:
    """Take the pictures of a page; returns their names, in the order of the page."""
    context = browser.new_context(viewport={"width": width, "height": 900})
    context.add_init_script(f"({REMEMBER})('{theme}')")
    tab = context.new_page()
    tab.goto(page.as_uri(), wait_until="load")
    tab.add_style_tag(content=f"{ABOVE} {{ display: none !important }}")
    tab.evaluate(NO_GUESS)
    found = [place for place in tab.locator(PICTURES).all() if place.is_visible()]
    names = [f"{page.stem}-{at:02}-{_name(place)}" for at, place in enumerate(found)]
    for name, place in zip(names, found, strict=True):
        # the answer to a guess fades in
        place.screenshot(path=OUT / f"{name}-{width}-{theme}.png", animations="disabled")
    context.close()
    return names


def _name(place: Locator) -> str:
    """What the picture is called on its page."""
    ask = "place => place.id || place.dataset.widget || place.className.split(' ')[0]"
    return str(place.evaluate(ask))


def write_sheet(names: list[str]) -> None:
    """One row a picture: on a desk, then on a phone, each in the light and in the dark."""
    rows = ""
    for name in names:
        kinds = [f"{name}-{width}-{theme}.png" for width in WIDTHS for theme in THEMES]
        shown = "".join(f'<img src="{kind}" alt="" loading="lazy">' for kind in kinds)
        rows += f"<figure><figcaption>{escape(name)}</figcaption><div>{shown}</div></figure>\n"
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><style>{STYLE}</style>'
    (OUT / "index.html").write_text(f"{head}<title>Pictures</title>\n{rows}", encoding="utf-8")


def main(html: Path, names: list[str]) -> int:
    path = chromium()
    if path is None:
        print("The pictures need Chromium: `make pictures` says how to install it.")
        return 2
    pages = [html / f"{name}.html" for name in names] or sorted(html.glob("*.html"))
    if missing := [page.stem for page in pages if not page.is_file()]:
        print(f"There is no page {missing[0]} in {html}. Names are those of the files in book/.")
        return 2
    OUT.mkdir(parents=True, exist_ok=True)
    found: dict[str, Any] = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for page in track(pages, "Pages"):
            for width in WIDTHS:
                for theme in THEMES:
                    found |= dict.fromkeys(take(browser, page, width, theme))
    write_sheet(list(found))
    print(f"== {len(found)} pictures: {OUT / 'index.html'}")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Draw a sheet of all figures and widgets.")
    parser.add_argument("--html", type=Path, default=HTML, help="the folder of the built pages")
    parser.add_argument("pages", nargs="*", help="names of pages; all where none is given")
    given = parser.parse_args()
    sys.exit(main(given.html.resolve(), given.pages))
