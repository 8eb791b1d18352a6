"""What a published site has so that it is found: a page for what is missing, a map for crawlers.

Where `html: baseurl:` of _config.yml says where the book is published, 404.html links absolutely,
since a host shows it at whatever address was asked for, and there are sitemap.xml and robots.txt.
Without it, the links of 404.html are right beside the other pages, and there is no map: one has to
name addresses. The theme writes each page's canonical address.
"""

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

MISSING = "404"
TITLE = "There is no such page"
BODY = """\
<h1>{title}</h1>
<p>The address may have changed, or a letter of it is wrong. {contents} lists all chapters, and
{search} finds a word.</p>"""
LINK = re.compile(r'\b(href|src|action)="(?![a-z]+:|[#/])([^"]*)"')


def missing_page(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """In the frame of the others."""
    if app.builder.name != "html":
        return
    links = {"contents": ("index.html", "The first page"), "search": ("search.html", "the search")}
    shown = {name: f'<a href="{to}">{text}</a>' for name, (to, text) in links.items()}
    body = BODY.format(title=TITLE, **shown)
    yield MISSING, {"title": TITLE, "body": body, "metatags": ""}, "page.html"


def keep_out(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Of what search engines show."""
    if page in {MISSING, "search", "genindex"}:
        context["metatags"] = (
            context.get("metatags", "") + '<meta name="robots" content="noindex" />'
        )
    if page == app.config.root_doc:
        context["theme_logo"] = {**context.get("theme_logo", {}), "text": context["docstitle"]}
        context["docstitle"] = ""  # its title is that of the book, once


def absolute(page: str, base: str) -> str:
    """With links that hold at any address."""
    return LINK.sub(lambda found: f'{found[1]}="{base}/{found[2]}"', page)


def sitemap(base: str, pages: list[str]) -> str:
    places = "".join(f"<url><loc>{html.escape(f'{base}/{page}')}</loc></url>\n" for page in pages)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{places}</urlset>\n'
    )


def write(app: Sphinx, exception: Exception | None) -> None:
    """After the pages are as they will be."""
    base, root = app.config.html_baseurl.rstrip("/"), Path(app.outdir)
    if exception or app.builder.name != "html":
        return
    for name in ("sitemap.xml", "robots.txt"):  # of an earlier build
        (root / name).unlink(missing_ok=True)
    if base:
        missing = root / f"{MISSING}.html"
        missing.write_text(absolute(missing.read_text(encoding="utf-8"), base), encoding="utf-8")
        pages = [app.builder.get_target_uri(name) for name in sorted(app.env.found_docs)]
        (root / "sitemap.xml").write_text(sitemap(base, pages), encoding="utf-8")
        robots = f"User-agent: *\nAllow: /\nSitemap: {base}/sitemap.xml\n"
        (root / "robots.txt").write_text(robots, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-collect-pages", missing_page)
    app.connect("html-page-context", keep_out, priority=600)  # social_card.py writes the others
    app.connect("build-finished", write, priority=850)  # after built_pages.py
    return {"parallel_read_safe": True, "parallel_write_safe": True}
