"""The whole book as one PDF, printed by Chromium from the built site.

    python book/site/book_as_pdf.py [FILE]          build/book/attention-measured.pdf

The articles of all pages are put one after the other into one page. A name that stands on several
pages, as `exercises` does, gets its page's name in front, so that every link leads where it should.
"""

import sys
from pathlib import Path
from urllib.parse import urldefrag, urlsplit

import yaml
from browser import chromium
from bs4 import BeautifulSoup, Tag
from playwright.sync_api import Browser, PdfMargins, sync_playwright
from serve import HTML, serving

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "build" / "book" / "attention-measured.pdf"
NAMES = ("id", "for", "aria-labelledby", "aria-describedby", "aria-controls")  # attributes
STYLE = """
article.bd-article h1 { display: block !important; }
article.bd-article { break-before: page; }
article.bd-article:first-of-type { break-before: auto; }
"""
FOOTER = """<div style="font-size: 8px; width: 100%; text-align: center">
<span class="pageNumber"></span></div>"""
# A chart is an image on paper, as before its script came. What is hidden from assistive technology
# gets no place in the PDF's structure, and then neither do the chart's words.
AS_IMAGES = """() => {
  for (const chart of document.querySelectorAll(".chart[role=application]")) {
    chart.setAttribute("role", "img");
    for (const pane of chart.querySelectorAll(".pane")) pane.removeAttribute("aria-hidden");
  }
}"""
MARGIN: PdfMargins = {"top": "16mm", "bottom": "18mm", "left": "14mm", "right": "20mm"}


def pages() -> list[str]:
    """Of _toc.yml, in its order."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text())
    return [toc["root"], *(one["file"] for part in toc["parts"] for one in part["chapters"])]


def page(name: str) -> BeautifulSoup:
    return BeautifulSoup((HTML / f"{name}.html").read_text(), "html.parser")


def only(found: Tag, selector: str) -> Tag:
    """What every page of the site has. Raises LookupError if this one does not."""
    for tag in found.select(selector):
        return tag
    raise LookupError(f"no {selector} in the page")


def article(name: str, names: list[str]) -> Tag:
    """A page's article, with links that lead to other articles of the same document."""
    found = only(page(name), "article")
    for tag in found.find_all(True):
        for attribute in NAMES:
            if attribute in tag.attrs:
                tag[attribute] = f"{name}--{tag[attribute]}"
    for link in found.select("a[href]"):
        link["href"] = target(str(link["href"]), name, names)
        if not link["href"]:
            del link["href"]  # a file of the site, which is not in the PDF
    found["id"] = name
    return found


def target(link: str, name: str, names: list[str]) -> str:
    """Where the link leads within the document; empty where it leads to a file of the site."""
    if urlsplit(link).scheme:
        return link
    path, anchor = urldefrag(link)
    page = path.removesuffix(".html") or name
    if page not in names:
        return ""
    return f"#{page}--{anchor}" if anchor else f"#{page}"


def whole(names: list[str]) -> BeautifulSoup:
    """One page with their articles, in the frame of a page that has formulas."""
    frame = page(names[1])
    only(frame, "title").string = yaml.safe_load((ROOT / "_config.yml").read_text())["title"]
    only(frame, "head").append(frame.new_tag("style", string=STYLE))
    place = only(frame, "article")
    for name in names:
        place.insert_before(article(name, names))
    place.decompose()
    only(frame, "#jb-print-docs-body").decompose()
    return frame


def write(file: Path, names: list[str], running: Browser) -> None:
    """Print these pages. Raises Playwright's error if the browser does not load them."""
    with serving(HTML) as site:
        address = f"{site}whole.html"
        tab = running.new_page()
        text = str(whole(names))
        tab.route(address, lambda route: route.fulfill(body=text, content_type="text/html"))
        tab.goto(address, wait_until="load")  # the network is idle before so long a page is read
        tab.wait_for_load_state("networkidle")
        tab.evaluate("document.fonts.ready.then(() => true)")
        tab.evaluate(AS_IMAGES)
        tab.pdf(
            path=file,
            format="A4",
            scale=0.8,
            margin=MARGIN,
            outline=True,
            tagged=True,
            display_header_footer=True,
            header_template="<span></span>",
            footer_template=FOOTER,
        )
        tab.close()


if __name__ == "__main__":
    found = chromium()
    if found is None:
        sys.exit("The PDF is printed by Chromium; on Debian and Ubuntu: sudo apt install chromium")
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        write(path, pages(), running)
        running.close()
    print(f"== The book as a PDF is {path}")
