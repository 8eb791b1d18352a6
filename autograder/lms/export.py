"""What nbgrader makes for browsers and spreadsheets, so that nothing a student wrote runs there.

nbgrader's feedback and formgrader show a student's HTML as it is;
nbgrader_config.py puts these in their place.
"""

import re
from html import escape
from typing import Any

from bleach.css_sanitizer import CSSSanitizer  # type: ignore[import-untyped]
from bleach.sanitizer import Cleaner  # type: ignore[import-untyped]
from jinja2 import pass_context
from jinja2.runtime import Context
from mistune import HTMLRenderer
from mistune.plugins import import_plugin
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode
from pygments import highlight  # type: ignore[import-untyped]
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
from pygments.lexers import PythonLexer, TextLexer  # type: ignore[import-untyped]
from traitlets import Bool

from autograder.showing.wording import printable, visible

# mistune and Pygments take time that grows with the square of hostile text, and a page can repeat a
# short reference to a long address. What has more characters than these is shown as it was written.
MARKDOWN_LIMIT, HTML_LIMIT, CODE_LIMIT = 10_000, 300_000, 5_000
PYTHON = {"python", "python3", "py", "ipython", "ipython3"}  # others of Pygments take for ever
ATTACHMENT = "attachment:"
NAMES = ("student", "first_name", "last_name", "notebook_path")
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
FORMULA = re.compile(r"(^|[;,|])(\s*)(?=[=+\-@＝＋－＠])")


class ShowAsText(Preprocessor):
    """Names and code as text: formgrader puts names into its page as they are."""

    enabled = Bool(True)

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        for name in NAMES:
            if isinstance(resources.get(name), str):
                resources[name] = escape(visible(resources[name]))
        for cell in nb.cells:
            if cell.cell_type == "code":  # what turns text around can hide what the code does
                cell.source = visible(cell.source, keep="\n\t")
        return nb, resources


@pass_context
def markdown_to_html(context: Context, source: str) -> str:
    """The Jinja filter `markdown2html`, without anything that runs, loads or covers the page.

    Text that is too long, or breaks the renderer, is shown as it was written.
    """
    try:
        html = _rendered(source, context.get("cell", {}).get("attachments", {}))
    except Exception:
        return f"<pre>{escape(source)}</pre>"
    cleaner = Cleaner(
        tags=TAGS,
        attributes=_allowed,
        protocols={"http", "https", "mailto", "data"},
        css_sanitizer=CSSSanitizer(allowed_css_properties=["text-align"]),
    )
    return cleaner.clean(html)


def _rendered(source: str, attachments: dict[str, Any]) -> str:
    """HTML that may do anything. Raises ValueError where there is too much of it."""
    if len(source) > MARKDOWN_LIMIT:
        raise ValueError("too long to render")
    renderer = _Renderer(escape=False, attachments=attachments, exclude_anchor_links=True)
    html = MarkdownWithMath(renderer=renderer, plugins=PLUGINS).render(source)
    if len(html) > HTML_LIMIT:
        raise ValueError("too long to clean")
    return html


def code_to_html(source: str, metadata: Any = None) -> str:
    """The Jinja filter `highlight_code`: Python in colours if it is not too long for that."""
    lexer = PythonLexer() if len(source) <= CODE_LIMIT else TextLexer()
    return str(highlight(source, lexer, HtmlFormatter()))


class _Renderer(IPythonRenderer):
    """Stock nbconvert makes no page at all where a picture is missing, and reads all languages."""

    def block_code(self, code: str, info: str | None = None) -> str:
        words = (info or "").split()
        if words and words[0] in PYTHON:
            return code_to_html(code)
        return HTMLRenderer.block_code(self, code)

    def image(self, text: str, url: str, title: str | None = None) -> str:
        name = url.removeprefix(ATTACHMENT)
        if url.startswith(ATTACHMENT) and name not in self.attachments:
            return f"<em>[{escape(name)}: a picture that was not collected]</em>"
        return super().image(text, url, title)


def _allowed(tag: str, name: str, value: str) -> bool:
    pattern = ATTRIBUTES.get(tag, {}).get(name)
    return pattern is not None and re.fullmatch(pattern, value, re.DOTALL) is not None


def harmless(value: Any) -> Any:
    """A field of a table, which no spreadsheet takes for a formula."""
    return FORMULA.sub(r"\1'\2", printable(value)) if isinstance(value, str) else value
