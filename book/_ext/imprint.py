"""What stands below every page: the version of the course, and its licences.

The version is that of pyproject.toml; a page may show it, too, as {{ version }}.
"""

import tomllib
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"
FOOTER = """\
<p>Version {version}. Text and figures:
<a rel="license" href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</a>. Code:
<a rel="license" href="https://opensource.org/license/mit">MIT</a>.</p>"""


def show_version(app: Sphinx, config: Config) -> None:
    """Before the theme and the parser read their options."""
    version = tomllib.loads(PROJECT.read_text())["project"]["version"]
    config.version = config.release = version
    config.html_theme_options["extra_footer"] = FOOTER.format(version=version)
    config.myst_substitutions = config.myst_substitutions | {"version": version}


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("config-inited", show_version)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
