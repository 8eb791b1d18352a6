"""What each page costs its reader, and what keeps one out: a table of the built book.

    make audit

For each page: requests and kilobytes as sent compressed, milliseconds until the text and its
formulas are set, faults that axe finds in the light and the dark theme, and Lighthouse's scores
(desktop). Served from this machine; the times are those of this machine.
"""

import json
import os
import subprocess
import sys
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import axe
from browser import chromium
from playwright.sync_api import Browser, sync_playwright
from rich.console import Console
from rich.progress import track
from rich.table import Table
from serve import HTML, serving

NODE_MODULES = HTML.parents[2] / "npm" / "node_modules"
LIGHTHOUSE = NODE_MODULES / "lighthouse" / "cli" / "index.js"
CATEGORIES = ("performance", "accessibility", "best-practices")
COLUMNS = ("page", "requests", "kB", "typeset, ms", "axe", *CATEGORIES)
TYPESET = "document.fonts.ready.then(() => performance.now())"  # with the formulas' fonts


@dataclass(frozen=True)
class Row:
    page: str
    requests: int
    kilobytes: float
    typeset: float
    faults: int
    scores: list[int]


def measure(browser: Browser, address: str, name: str) -> Row:
    url = f"{address}{name}.html"
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    sizes: list[float] = []
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    network.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    page.goto(url)
    page.wait_for_load_state("load")
    typeset = page.evaluate(TYPESET)
    page.wait_for_load_state("networkidle")
    network.detach()  # what axe fetches is no cost of the page
    faults = len(axe.faults(page))
    context.close()
    return Row(name, len(sizes), sum(sizes) / 1000, typeset, faults, lighthouse(url))


def lighthouse(url: str) -> list[int]:
    """Scores from 0 to 100, in the order of CATEGORIES."""
    node = Path(sys.executable).with_name("node")
    flags = "--headless=new --no-sandbox"
    options = ["--preset=desktop", "--quiet", "--output=json", f"--chrome-flags={flags}",
               f"--only-categories={','.join(CATEGORIES)}"]  # fmt: skip
    environment = os.environ | {"CHROME_PATH": chromium() or ""}
    command: list[str | Path] = [node, LIGHTHOUSE, url, *options]
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)["categories"]
    return [round(100 * found[category]["score"]) for category in CATEGORIES]


def main(names: list[str]) -> int:
    path = chromium()
    if path is None or not LIGHTHOUSE.is_file():
        print("The audit needs Chromium and Lighthouse: `make audit` says how to install them.")
        return 2
    names = names or sorted(path.stem for path in HTML.glob("*.html"))
    with serving() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        rows = [measure(browser, address, name) for name in track(names, "Pages")]
    show(rows)
    return 0


def show(rows: list[Row]) -> None:
    table = Table(*COLUMNS, title="The pages of the book")
    for row in rows:
        page, requests, kilobytes, typeset, faults, scores = astuple(row)
        cells = [page, requests, f"{kilobytes:.0f}", f"{typeset:.0f}", faults, *scores]
        table.add_row(*map(str, cells))
    Console(width=100).print(table)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
