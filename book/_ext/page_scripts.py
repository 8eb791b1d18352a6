"""A page loads the scripts that it needs, after its text; the theme loads all of them before it."""

import re
from pathlib import Path

from site_style import digest
from sphinx.errors import ExtensionError

ALWAYS_UNUSED = {
    "bootstrap.js",  # tooltips: the browser shows a title itself
    "fontawesome.js",  # draws the icons that the style sheet draws
}
# what a page must have for a script to do anything there
NEEDS = {
    "clipboard.min.js": r'class="[^"]*\bhighlight\b',
    "copybutton.js": r'class="[^"]*\bhighlight\b',
    "design-tabs.js": r'class="[^"]*\bsd-tab-set\b',
    "language_data.js": r'id="search-results"',
    "searchindex.js": r'id="search-results"',
    "searchtools.js": r'id="search-results"',
    "togglebutton.js": r'class="(?:[^"]* )?(?:toggle|dropdown)[" ]',
}
# what follows a script, to change what it does
FOLLOWED_BY = {"searchtools.js": "_static/search/excerpts.js"}
THEME = "_static/scripts/pydata-sphinx-theme.js"
# It measures one place after the other, and writes between: the page is laid out for each of them,
# and again after every change. scroll_regions.js does it once, and gives each place a name.
TAB_STOPS = re.compile(
    r'"complete"===document\.readyState\?(\w+)\(\):window\.addEventListener\("load",\1\)'
)
# It names the wrong section of the page: contents.js says why.
CONTENTS = 'document.querySelector("#pst-page-toc-nav")'
OPTIONS = "documentation_options.js"  # as large as a request for it, and inline scripts add to it
TOGGLES = re.compile(r"\s*<script>(?:let|var) toggle\w+ = [^<]*</script>")
PRELOADED = re.compile(r'\s*<link rel="preload" as="script"[^>]*>')
LOADED = re.compile(r'(\s*)<script([^>]*) src="([^"?:]+)[^"]*"([^>]*)></script>')


def mend(root: Path) -> None:
    """Take out of the theme's script what ours does. Raises ExtensionError if it is not there."""
    path = root / THEME
    script = path.read_text(encoding="utf-8")
    mended = TAB_STOPS.sub("0", script).replace(CONTENTS, "null")
    if 'addEventListener("load"' in mended or "pst-page-toc-nav" in mended:
        raise ExtensionError(
            f"{path.name} has changed: see TAB_STOPS, CONTENTS in page_scripts.py."
        )
    path.write_text(mended, encoding="utf-8")


def trim(root: Path, page: str) -> str:
    """The page with the scripts that it needs, each of which waits for the text."""

    def changed(found: re.Match[str]) -> str:
        indent, before, path, after = found.groups()
        name = Path(path).name
        if name == OPTIONS:
            return f"{indent}<script>{(root / path).read_text(encoding='utf-8')}</script>"
        if not needed(name, page):
            return ""
        wait = "" if "defer" in before + after else " defer"
        script = f'{indent}<script{before}{wait} src="{stamped(root, path)}"{after}></script>'
        if name in FOLLOWED_BY:
            script += f'\n  <script defer src="{stamped(root, FOLLOWED_BY[name])}"></script>'
        return script

    page = PRELOADED.sub("", LOADED.sub(changed, page))
    return page if "togglebutton.js" in page else TOGGLES.sub("", page)


def stamped(root: Path, path: str) -> str:
    """With a checksum: a browser that kept what it was asks again."""
    return f"{path}?v={digest((root / path).read_bytes())}"


def needed(name: str, page: str) -> bool:
    return name not in ALWAYS_UNUSED and bool(re.search(NEEDS.get(name, ""), page))
