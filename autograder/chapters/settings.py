"""A course says once what holds for all its chapters, and where it is published.

The file `course.toml` lies beside the chapters, and the book's `_config.yml` in the root.
"""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from autograder.common.errors import CourseError

FILE = "course.toml"
DEVICE = "device"


@dataclass(frozen=True)
class Settings:
    """A course without such a file has these.

    device: what an exercise makes has to be on the device of its inputs, unless it says otherwise.
    """

    device: bool = False


def read(solutions: Path) -> Settings:
    """Raise CourseError, with the line, for a file that says something else."""
    path = solutions / FILE
    if not path.is_file():
        return Settings()
    text = path.read_text("utf-8")
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CourseError(f"{path}: {error}. Correct it.") from error
    for key, value in said.items():
        if slip := _slip(key, value):
            raise CourseError(f"{path}, line {_line(text, key)}: {slip}")
    return Settings(**said)


def _slip(key: str, value: Any) -> str:
    if key != DEVICE:
        return f"there is no setting {key!r}. The only one is {DEVICE}."
    return "" if isinstance(value, bool) else f"{DEVICE} is {value!r}. Make it true or false."


def _line(text: str, key: str) -> int:
    found = re.search(rf"^\s*\W?{re.escape(key)}\b", text, re.MULTILINE)
    return text[: found.start()].count("\n") + 1 if found else 1


CONFIG = "_config.yml"
GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(\.git)?/?")
ADDRESS = re.compile(r"https?://[\w.:-]+(/[\w.~%-]+)*/?", re.ASCII)


@dataclass(frozen=True)
class Published:
    """book: the address of its pages, with a slash at the end. hub: of a JupyterHub.

    repository, branch: where anybody finds `exercises/`.
    """

    book: str = ""
    repository: str = ""
    branch: str = "main"
    hub: str = ""

    @property
    def on_github(self) -> str:
        """OWNER/NAME of a repository on GitHub, else ""."""
        found = GITHUB.fullmatch(self.repository)
        return found[1] if found else ""

    def launches(self, chapter: str) -> dict[str, str]:
        """Name -> address of what opens the chapter's notebook without installing anything."""
        path, branch = f"exercises/{chapter}/{chapter}.ipynb", quote(self.branch, safe="")
        found = {}
        if self.on_github:
            place = f"{self.on_github}/blob/{branch}/{path}"
            found["Colab"] = f"https://colab.research.google.com/github/{place}"
            place = f"{self.on_github}/{branch}?{urlencode({'urlpath': f'lab/tree/{path}'})}"
            found["Binder"] = f"https://mybinder.org/v2/gh/{place}"
        if self.hub and self.repository:
            folder = self.repository.rstrip("/").rpartition("/")[2].removesuffix(".git")
            asked = {
                "repo": self.repository,
                "branch": self.branch,
                "urlpath": f"lab/tree/{folder}/{path}",
            }
            found["JupyterHub"] = f"{self.hub}/hub/user-redirect/git-pull?{urlencode(asked)}"
        return found

    def raw(self, path: str) -> str:
        """Return the address of a file in a repository on GitHub."""
        branch = quote(self.branch, safe="")
        return f"https://raw.githubusercontent.com/{self.on_github}/{branch}/{path}"


def published(root: Path) -> Published:
    """Raise CourseError for an address that no link may have."""
    path = root / CONFIG
    if not path.is_file():
        return Published()
    import yaml  # which a learner, who has the engine only, need not have

    config = yaml.safe_load(path.read_text("utf-8")) or {}
    book = _address(path, config, "html", "baseurl")
    return Published(
        book and book + "/",
        _address(path, config, "repository", "url"),
        str(_value(config, "repository", "branch") or "main"),
        _address(path, config, "sphinx", "config", "course_hub"),
    )


def _value(config: Any, *keys: str) -> Any:
    for key in keys:
        config = config.get(key) if isinstance(config, dict) else None
    return config


def _address(path: Path, config: Any, *keys: str) -> str:
    value = str(_value(config, *keys) or "")
    if value and not ADDRESS.fullmatch(value):
        name = ": ".join(keys)
        raise CourseError(f"{path}: {name} is {value!r}. Write an address such as https://a.org/b.")
    return value.rstrip("/")
