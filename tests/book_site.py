"""The built book as the tests see it."""

import functools
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import yaml
from bs4 import BeautifulSoup

ROOT = Path(__file__).resolve().parents[1]
BOOK = ROOT / "book"
HTML = ROOT / "build" / "book" / "_build" / "html"
LAY_OUT = """() => document.querySelectorAll('.bd-article section section > :not(section)')
  .forEach(one => one.classList.add('is-laid-out'))"""  # as book/scripts/lay_out.js


def watched(page: Any) -> Any:
    """The page, which keeps what it asks for, what of it fails, and its errors."""
    page.asked, page.failed, page.said = [], [], []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("requestfailed", lambda request: page.failed.append(request.url))
    page.on("pageerror", lambda error: page.said.append(str(error)))
    page.on("console", lambda m: page.said.append(m.text) if m.type == "error" else None)
    return page


def at_rest(page: Any, url: str) -> Any:
    """The page at the address, with nothing left to run or to fetch.

    To wait for "networkidle" alone is not enough: where drawing takes half a second, no request
    comes in it, and the scripts have not run.
    """
    page.goto(url, wait_until="load")
    page.wait_for_load_state("networkidle")
    return laid_out(page)


def laid_out(page: Any) -> Any:
    """The page as after reading it to its end: what is not laid out has no text to show."""
    page.evaluate(LAY_OUT)
    return page


@functools.cache
def build() -> str:
    """Build the pages where the sources have changed. Return what was said if that fails, or ""."""
    command = [sys.executable, BOOK / "build.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def listed_pages() -> list[str]:
    """The pages of _toc.yml, and those that are added, without their suffix."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text())
    chapters = [entry["file"] for part in toc["parts"] for entry in part["chapters"]]
    return [toc["root"], *chapters, "search", "genindex", "404"]


def numbered_pages() -> list[str]:
    """Those of the chapters, of which a chapter may have several."""
    return [name for name in listed_pages() if re.match(r"\d\d_", name)]


def chapters() -> list[str]:
    """Of those, the pages that have a notebook."""
    return [name for name in listed_pages() if (ROOT / "solutions" / name).is_dir()]


def pages(html: Path) -> dict[str, BeautifulSoup]:
    """Each page by its path below the site's root."""
    return {
        path.relative_to(html).as_posix(): BeautifulSoup(path.read_text(), "html.parser")
        for path in sorted(html.rglob("*.html"))
        if "_static" not in path.parts  # templates of the theme
    }


def anchors(found: dict[str, BeautifulSoup]) -> dict[str, set[str]]:
    """Where a link can lead within each page."""
    return {name: {tag["id"] for tag in page.select("[id]")} for name, page in found.items()}


def broken_links(html: Path, found: dict[str, BeautifulSoup]) -> list[str]:
    """`page -> link` for each link within the site whose file or anchor does not exist."""
    broken, ends = [], anchors(found)
    for name, page in found.items():
        for tag in page.find_all(["a", "link", "script", "img"]):
            link = tag.get("href") or tag.get("src")
            if link and not urlsplit(link).scheme and not resolves(html, ends, name, link):
                broken.append(f"{name} -> {link}")
    return broken


def resolves(html: Path, ends: dict[str, set[str]], name: str, link: str) -> bool:
    target, anchor = urldefrag(unquote(urljoin(f"/{name}", link)))
    path = urlsplit(target).path.lstrip("/") or "index.html"
    if not (html / path).is_file():
        return False
    return not anchor or path not in ends or anchor in ends[path]
