"""What stands below every page: the version of the course, its date, and its licences.

Both are those of CITATION.cff, the date being the release's; a page may show them, too, as
{{ version }} and {{ released }}.
"""

import datetime
from pathlib import Path
from typing import Any

import yaml
from sphinx.application import Sphinx
from sphinx.config import Config

CITATION = Path(__file__).resolve().parents[2] / "CITATION.cff"
FOOTER = """\
<p>Version {version}, {released}. Text and figures:
<a rel="license" href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</a>. Code:
<a rel="license" href="https://opensource.org/license/mit">MIT</a>.</p>"""


def citation() -> dict[str, Any]:
    """What is to be cited."""
    found: dict[str, Any] = yaml.safe_load(CITATION.read_text(encoding="utf-8"))
    return found


def in_words(date: datetime.date) -> str:
    """Whatever the language of the machine."""
    months = "January February March April May June July August September October November December"
    return f"{date.day} {months.split()[date.month - 1]} {date.year}"


def show_version(app: Sphinx, config: Config) -> None:
    """Before the theme and the parser read their options."""
    cited = citation()
    shown = {"version": cited["version"], "released": in_words(cited["date-released"])}
    config.version = config.release = shown["version"]
    config.html_theme_options["extra_footer"] = FOOTER.format(**shown)
    config.myst_substitutions = config.myst_substitutions | shown


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("config-inited", show_version)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
