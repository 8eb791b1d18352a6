"""The page for marking in a browser, as a grader uses it."""

import json
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class MarkWindow:
    """An open page; whatever its script complains of is in `errors`."""

    def __init__(self, page: Any, folder: Path):
        self.page, self.folder, self.errors = page, folder, []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda line: self.errors.append(line.text))

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def text(self, selector: str) -> str:
        return " ".join(self.page.inner_text(selector).split())

    def current(self) -> str:
        return self.text(".is-current")

    def comment(self, text: str, points: str) -> None:
        """A new comment, by keys alone."""
        self.press("c")
        self.page.keyboard.type(text)
        self.press("Tab")
        self.page.keyboard.type(points)
        self.press("Enter")

    def save(self) -> Path:
        """Save as a grader does; the downloaded file."""
        with self.page.expect_download() as download:
            self.press("Control+s")
        path = self.folder / download.value.suggested_filename
        download.value.save_as(path)
        return path

    def go_to(self, text: str) -> None:
        """Move to the answer with this text."""
        for _ in range(20):
            if text in self.current():
                return
            self.press("j")
        raise AssertionError(f"no answer has {text!r}")


def mark_all(window):
    """Empty answers get 0; three that say the same get the first item, the next one both."""
    window.press("0", "Enter")
    window.press("1", "Enter")
    window.press("1", "2", "Enter")
    window.comment("Look at *one* salary.", "0.5")
    window.press("Enter")


@contextmanager
def opened(browser: Any, path: Path, folder: Path, **how: Any) -> Any:
    context = browser.new_context(offline=True, accept_downloads=True, **how)
    window = MarkWindow(context.new_page(), folder)
    window.page.goto(path.as_uri())
    yield window
    context.close()


def marks_of(path: Path) -> dict[str, tuple[float, str]]:
    """Points and comment by student, as a saved file has them."""
    return {mark["student"]: (mark["points"], mark["comment"])
            for mark in json.loads(path.read_text())["marks"]}  # fmt: skip
