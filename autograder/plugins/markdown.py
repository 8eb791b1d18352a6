"""Text and code that somebody wrote as HTML, so that nothing of it runs, loads or covers the page.

nbgrader's feedback and formgrader show a student's HTML as it is; nbgrader_config.py puts these
filters in their place.
"""

import re
import secrets
from collections.abc import Iterator
from functools import lru_cache
from html import escape, unescape
from typing import Any
from urllib.parse import unquote

from bleach.css_sanitizer import CSSSanitizer  # type: ignore[import-untyped]
from bleach.sanitizer import Cleaner  # type: ignore[import-untyped]
from jinja2 import pass_context
from jinja2.runtime import Context
from mistune import HTMLRenderer
from mistune.plugins import import_plugin
from mistune.util import striptags
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments import highlight  # type: ignore[import-untyped]
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
from pygments.lexers import PythonLexer, TextLexer  # type: ignore[import-untyped]

from autograder.notebooks.pictures import KEPT, PREFIX, Attachments
from autograder.showing.mathml import mathml

# mistune and Pygments take time that grows with the square of hostile text, and a page can repeat a
# short reference to a long address. What has more characters than these is shown as it was written.
MARKDOWN_LIMIT, HTML_LIMIT, CODE_LIMIT = 10_000, 300_000, 5_000
PYTHON = {"python", "python3", "py", "ipython", "ipython3"}  # others of Pygments take for ever
PLUGINS = [import_plugin(name) for name in ("strikethrough", "table", "url", "def_list")]
MARKDOWN = (
    "a blockquote br code dd del div dl dt em h1 h2 h3 h4 h5 h6 hr img li ol p pre span strong ul"
)
TABLES, HTML = "table tbody td th thead tr", "b details i kbd s sub summary sup"
TAGS = {*MARKDOWN.split(), *TABLES.split(), *HTML.split()}
# Which values an attribute may have, by tag. A link leads away from the teacher's own server and
# folders, and a picture is part of the page: one that is fetched would tell who reads it, and when.
ATTRIBUTES = {
    "a": {"href": r"(https?://|mailto:|#).*", "title": ".*"},
    "img": {"src": r"data:image/(png|jpeg|gif|webp);base64,.*", "alt": ".*", "title": ".*"},
    "details": {"open": ".*"},
    "ol": {"start": r"\d{1,9}"},
    "td": {"style": ".*"},
    "th": {"style": ".*"},
    "div": {"class": "highlight"},
    "span": {"class": r"[a-z]\w?\w?"},  # Pygments' colours, and none of the page's own classes
}
DATA = "data:"
# Jupyter writes a tag where a picture was given another size.
TAG = re.compile(r"<img\b[^<>]*>", re.IGNORECASE)
SOURCE = re.compile(r"""\ssrc\s*=\s*["']?([^"'\s<>]+)""", re.IGNORECASE)
ELSEWHERE = "a picture that is not attached to the answer, so it was not collected"
BEGIN, END = "\ue000", "\ue001"  # around what stands for a formula or a picture until all is clean


@pass_context
def markdown_to_html(context: Context, source: str, attachments: Attachments | None = None) -> str:
    """Convert for the Jinja filter `markdown2html`: set formulas, and show attached pictures.

    They are the cell's where a block of a template has one. Text that is too long, or breaks the
    renderer, is shown as it was written.
    """
    return html_of(source, attachments or context.get("cell", {}).get("attachments"))


def html_of(source: str, attachments: Attachments | None = None) -> str:
    """HTML of somebody's Markdown, with the pictures that were kept of what is attached to it."""
    return _clean(source, attachments) if attachments else _clean_text(source)


@lru_cache(maxsize=128)  # most texts of a chapter are the same for all students
def _clean_text(source: str) -> str:
    return _clean(source, {})


def _clean(source: str, attachments: Attachments) -> str:
    placeholders = Placeholders(attachments)
    try:
        html = _rendered(source, placeholders)
    except Exception:
        return "".join((f"<pre>{escape(source)}</pre>", *placeholders.all_pictures()))
    cleaner = Cleaner(
        tags=TAGS,
        attributes=_allowed,
        protocols={"http", "https", "mailto", "data"},
        css_sanitizer=CSSSanitizer(allowed_css_properties=["text-align"]),
    )
    return placeholders.filled_in(cleaner.clean(html))


def _rendered(source: str, placeholders: "Placeholders") -> str:
    """HTML that may do anything. Raises ValueError where there is too much of it."""
    if len(source) > MARKDOWN_LIMIT:
        raise ValueError("too long to render")
    html = MarkdownWithMath(renderer=_Renderer(placeholders), plugins=PLUGINS).render(source)
    if len(html) > HTML_LIMIT:
        raise ValueError("too long to clean")
    return html


def code_to_html(source: str, metadata: Any = None) -> str:
    """Convert for the Jinja filter `highlight_code`: colour Python that is not too long for it."""
    return _coloured(source)


@lru_cache(maxsize=128)
def _coloured(source: str) -> str:
    lexer = PythonLexer() if len(source) <= CODE_LIMIT else TextLexer()
    return str(highlight(source, lexer, HtmlFormatter()))


class Placeholders:
    """Formulas and pictures of a text, whose HTML is ours and is put in when the rest is clean.

    A picture is shown once: a text could repeat it until the page is too large to open.
    """

    def __init__(self, attachments: Attachments):
        self.pictures = attachments
        self._begin = f"{BEGIN}{secrets.token_hex(8)}-"  # so that no text can ask for one
        self._place = re.compile(rf"{self._begin}(\d+){END}")
        self._written: list[str] = []  # what stands at a place where there can be no HTML
        self._html: dict[int, str] = {}
        self._formulas: dict[int, tuple[str, bool]] = {}
        self._shown: set[str] = set()

    def formula(self, tex: str, written: str, block: bool) -> str:
        """Return a placeholder for a formula; `written` is shown where it cannot be set."""
        self._formulas[len(self._written)] = tex, block
        return self._hold(written)

    def picture(self, name: str, alt: str) -> str:
        """Return a placeholder for an attached picture, or a sentence where it is not there."""
        if name not in self.pictures:
            return f"<em>[{escape(name)}: an attached picture that was not kept. {KEPT}]</em>"
        if name in self._shown:
            return f"<em>[{escape(name)}: the picture that is shown above]</em>"
        self._html[len(self._written)] = self._image(name, alt)
        return self._hold("")

    def all_pictures(self) -> Iterator[str]:
        """Below a text that is shown as it was written."""
        return (f"<p>{self._image(name, name)}</p>" for name in self.pictures)

    def as_written(self, text: str) -> str:
        """Return a text that goes into an attribute."""
        return self._place.sub(lambda found: self._written[int(found[1])], text)

    def filled_in(self, html: str) -> str:
        """Clean HTML, with all that was held."""
        for place, formula in zip(self._formulas, mathml((*self._formulas.values(),)), strict=True):
            self._html[place] = formula or escape(self._written[place])
        return self._place.sub(lambda found: self._html[int(found[1])], html)

    def _image(self, name: str, alt: str) -> str:
        self._shown.add(name)
        ((kind, data),) = self.pictures[name].items()
        return f'<img src="data:{escape(kind)};base64,{escape(data)}" alt="{escape(alt)}">'

    def _hold(self, written: str) -> str:
        self._written.append(written)
        return f"{self._begin}{len(self._written) - 1}{END}"


class _Renderer(IPythonRenderer):
    """Stock nbconvert makes no page at all where a picture is missing, and reads all languages."""

    def __init__(self, placeholders: Placeholders):
        super().__init__(escape=False, exclude_anchor_links=True)
        self.placeholders = placeholders

    def block_code(self, code: str, info: str | None = None) -> str:
        words = (info or "").split()
        if words and words[0] in PYTHON:
            return code_to_html(code)
        return HTMLRenderer.block_code(self, code)

    def inline_math(self, body: str) -> str:
        return self.placeholders.formula(body, f"${body}$", block=False)

    def block_math(self, body: str) -> str:
        return self.placeholders.formula(body, f"$${body}$$", block=True)

    def latex_environment(self, name: str, body: str) -> str:
        whole = f"\\begin{{{name}}}{body}\\end{{{name}}}"
        return self.placeholders.formula(whole, whole, block=True)

    def inline_html(self, html: str) -> str:
        return HTMLRenderer.inline_html(self, TAG.sub(self._of_tag, html))

    def block_html(self, html: str) -> str:
        return HTMLRenderer.block_html(self, TAG.sub(self._of_tag, html))

    def image(self, text: str, url: str, title: str | None = None) -> str:
        alt = self.placeholders.as_written(text)
        if url.startswith(PREFIX):
            name = unquote(url.removeprefix(PREFIX))
            return self.placeholders.picture(name, unescape(striptags(alt)))
        if url.startswith(DATA):
            return HTMLRenderer.image(self, alt, url, title)
        return f"<em>[{escape(url)}: {ELSEWHERE}]</em>"

    def _of_tag(self, tag: re.Match[str]) -> str:
        source = SOURCE.search(tag[0])
        if source is None or source[1].startswith(DATA):
            return tag[0]
        return self.image(source[1], source[1])


def _allowed(tag: str, name: str, value: str) -> bool:
    pattern = ATTRIBUTES.get(tag, {}).get(name)
    allowed = pattern is not None and re.fullmatch(pattern, value, re.DOTALL) is not None
    return allowed and BEGIN not in value
