"""What a page needs where no script runs: a theme, and none of the buttons that would do nothing.

The theme's colours hang on an attribute that a script sets. Its rules are written once more for the
attribute's first value, and follow what the system prefers. Only a browser without scripts asks for
this sheet.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import scripted
import tinycss2
from sphinx.application import Sphinx

OWN = scripted.BOOK / "without_scripts.css"
SHEET = "_static/without_scripts.css"
LINK = f'<noscript><link rel="stylesheet" href="{SHEET}"/></noscript>\n'
CHANGES = {  # in every page
    r"<noscript>\s*<style>(?s:.*?)</noscript>\s*": "",
    r'(?=<button class="sidebar-toggle primary-toggle)': (
        '<noscript><a class="to-the-menu" href="#pst-primary-sidebar">All pages</a></noscript>'
    ),
}
PREFERS = {"light": "not (prefers-color-scheme: dark)", "dark": "(prefers-color-scheme: dark)"}
SHEETS = re.compile(r'<link[^>]*href="(_static/[^"?]*\.css)[^"]*"[^>]*rel="stylesheet"'
                    r'|<link[^>]*rel="stylesheet"[^>]*href="(_static/[^"?]*\.css)')  # fmt: skip


def linked(page: str) -> str:
    """The page, whose other sheets are joined by now, with this one."""
    return page.replace("</head>", f"{LINK}</head>", 1)


def themed(css: str, theme: str) -> str:
    """The rules that the theme alone has, for a page whose theme nobody has set."""
    rules = tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True)
    return "".join(_of_theme(rules, re.compile(rf"\[data-theme=[\"']?{theme}[\"']?\]")))


def _of_theme(rules: Iterable[tinycss2.ast.Node], named: re.Pattern[str]) -> Iterator[str]:
    for rule in rules:
        if rule.type == "qualified-rule":
            selector, found = named.subn("[data-theme=auto]", tinycss2.serialize(rule.prelude))
            if found:
                yield f"{selector.strip()}{{{tinycss2.serialize(rule.content).strip()}}}\n"
        elif rule.type == "at-rule" and rule.at_keyword == "media":
            held = "".join(_of_theme(tinycss2.parse_rule_list(rule.content), named))
            if held:
                yield f"@media{tinycss2.serialize(rule.prelude)}{{\n{held}}}\n"


def write_sheet(app: Sphinx, exception: Exception | None) -> None:
    """After the build, from the sheets that the finished pages name."""
    if exception or not scripted.runs_scripts(app):
        return
    site = Path(app.outdir)
    named = dict.fromkeys(
        one or other
        for page in sorted(site.glob("*.html"))
        for one, other in SHEETS.findall(page.read_text(encoding="utf-8"))
    )
    css = "\n".join((site / name).read_text(encoding="utf-8") for name in named if name != SHEET)
    themes = [f"@media {when}{{\n{themed(css, theme)}}}\n" for theme, when in PREFERS.items()]
    (site / SHEET).write_text("".join(themes) + OWN.read_text(encoding="utf-8"), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", write_sheet, priority=850)  # the others are as they are served
    return {"parallel_read_safe": True, "parallel_write_safe": True}
