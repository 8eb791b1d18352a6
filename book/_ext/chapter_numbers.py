"""The numbers of the chapters, in the menu, above the titles, and on the way from page to page.

A page's number is that of its file. The first page of a number is the chapter; others continue it.
Sphinx's own numbers would number every section, and change what references say.
"""

import re
from collections.abc import Iterable

MENU = re.compile(r'<li class="(toctree-l1[^"]*)"><a class="([^"]*)" href="([^"#]*)(?:\.html|#)">')
WAY = re.compile(r'(href="(\d\d_\w+)\.html"\s+title="[a-z]+ page">.*?prev-next-title">)', re.DOTALL)
TITLE = re.compile(r"(?=<h1>)")


def chapters(pages: Iterable[str]) -> dict[str, bool]:
    """The numbered ones of the book's pages, in their order: does a page begin its chapter?"""
    numbered = [page for page in pages if re.match(r"\d\d_", page)]
    first = {page[:2]: page for page in reversed(numbered)}
    return {page: first[page[:2]] == page for page in numbered}


def number(page: str) -> str:
    return f'<span class="chapter-number">{int(page[:2])}</span> '


def numbered(html: str, own: str, begins: dict[str, bool]) -> str:
    """The page `own` with its numbers; `begins` is what `chapters` gives."""

    def menu(found: re.Match[str]) -> str:
        page = found[3] or own
        if page not in begins:
            return found[0]
        role = "is-chapter" if begins[page] else "is-part-of-chapter"
        entry = found[0].replace(found[1], f"{found[1]} {role}", 1)
        return entry + number(page) if begins[page] else entry

    html = MENU.sub(menu, html)
    html = WAY.sub(lambda found: found[1] + number(found[2]), html)
    if own not in begins:
        return html
    above = f"Chapter {int(own[:2])}" + ("" if begins[own] else ", continued")
    article = html.index("<article")
    return html[:article] + TITLE.sub(
        f'<p class="chapter-of-page">{above}</p>\n', html[article:], 1
    )
