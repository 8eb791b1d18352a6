"""The browser that Debian packages, for the tests and the audit of the pages."""

import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium() -> str | None:
    """Where a browser is installed, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)
