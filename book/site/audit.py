"""What each page costs its reader, and what keeps one out: two tables of a built book.

    make audit
    python book/site/audit.py [--html FOLDER] [PAGE…]

The first table: requests and kilobytes as sent compressed; at the widths of a desk, a tablet and
two phones, pixels that scroll sideways; faults that axe finds at these widths in the light theme,
and in the dark one and in forced colours. The second is Lighthouse's, of a phone: its scores, and
with a slow 4G line and a processor four times as slow, milliseconds until there is something to
read, until the largest part is there, and those in which nothing answers; and how far the layout
shifts. Served from this machine; the times are simulated from those of this machine.
"""

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import axe
from browser import chromium
from playwright.sync_api import Browser, Page, sync_playwright
from rich.console import Console
from rich.progress import track
from rich.table import Table
from serve import HTML, serving

LIGHTHOUSE = axe.NODE_MODULES / "lighthouse" / "cli" / "index.js"
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
TIMES = ("first-contentful-paint", "largest-contentful-paint", "total-blocking-time")
SHIFT = "cumulative-layout-shift"
WIDTHS = (1280, 768, 390, 320)
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
LAYOUT = ("page", "requests", "kB", *(f"over {width}" for width in WIDTHS), "axe")
PHONE = ("page", *CATEGORIES, "first, ms", "largest, ms", "blocked, ms", "shift")


@dataclass(frozen=True)
class Row:
    """Of a page: the cells of both tables, behind its name."""

    page: str
    layout: list[str]
    phone: list[str]


def measure(browser: Browser, address: str, name: str) -> Row:
    url = f"{address}{name}.html"
    context = browser.new_context(viewport={"width": WIDTHS[0], "height": 800})
    page = context.new_page()
    sizes: list[float] = []
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    network.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    page.goto(url, wait_until="networkidle")
    network.detach()  # what axe fetches is no cost of the page
    cells = [str(len(sizes)), f"{sum(sizes) / 1000:.0f}", *looks(page)]
    context.close()
    return Row(name, cells, lighthouse(url))


def looks(page: Page) -> list[str]:
    """Pixels too wide at each width, and the number of faults at all of them and in all colours."""
    over, faults = [], len(axe.faults(page))
    axe.show(page, "light")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        over.append(str(page.evaluate(OVERFLOW)))
        faults += 0 if width == WIDTHS[0] else len(axe.violations(page))
    page.emulate_media(forced_colors="active")
    return [*over, str(faults + len(axe.violations(page, options=axe.COLORS)))]


def lighthouse(url: str) -> list[str]:
    """Scores from 0 to 100 in the order of CATEGORIES, TIMES in milliseconds, and SHIFT."""
    node = Path(sys.executable).with_name("node")
    flags = "--headless=new --no-sandbox"
    options = ["--quiet", "--output=json", f"--chrome-flags={flags}",
               f"--only-categories={','.join(CATEGORIES)}"]  # fmt: skip
    environment = os.environ | {"CHROME_PATH": chromium() or ""}
    command: list[str | Path] = [node, LIGHTHOUSE, url, *options]
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    scores = [f"{100 * (found['categories'][one]['score'] or 0):.0f}" for one in CATEGORIES]
    times = [f"{found['audits'][one]['numericValue']:.0f}" for one in TIMES]
    return [*scores, *times, f"{found['audits'][SHIFT]['numericValue']:.3f}"]


def show(title: str, columns: tuple[str, ...], rows: list[list[str]]) -> None:
    table = Table(*columns, title=title)
    for row in rows:
        table.add_row(*row)
    Console(width=120).print(table)


def main(html: Path, names: list[str]) -> int:
    path = chromium()
    if path is None or not LIGHTHOUSE.is_file():
        print("The audit needs Chromium and Lighthouse: `make audit` says how to install them.")
        return 2
    names = names or sorted(path.stem for path in html.glob("*.html"))
    with serving(html) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        rows = [measure(browser, address, name) for name in track(names, "Pages")]
    show("The pages of the book", LAYOUT, [[row.page, *row.layout] for row in rows])
    show("On a phone", PHONE, [[row.page, *row.phone] for row in rows])
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measure the pages of a built book.")
    parser.add_argument("--html", type=Path, default=HTML, help="the folder of the built pages")
    parser.add_argument("pages", nargs="*", help="names of pages; all where none is given")
    given = parser.parse_args()
    sys.exit(main(given.html.resolve(), given.pages))
