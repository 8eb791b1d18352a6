"""Which tests come to one process, and in which order, where several processes share them."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from filelock import FileLock
from xdist.scheduler import LoadScopeScheduling

# As measured: what takes longest is begun first, so that no core waits at the end. The first of all
# builds the book, for which most processes would wait later.
SLOWEST = ("test_findable", "test_processors", "test_course", "test_teaching", "test_interruptions",
           "test_watch", "test_cluster", "test_tutor", "test_papers", "test_nbgrader", "test_lab",
           "test_outputs", "test_odd_notebooks", "test_linear", "test_pages", "test_attacks",
           "test_class_report", "test_warm_up_pages", "test_sources", "test_measure")  # fmt: skip
CHAPTER = re.compile(r"\[(\d\d_\w+)\b")
TOGETHER = "test_lab"  # what its chapters share, JupyterLab, takes half a minute to start


class Spread(LoadScopeScheduling):
    """The tests of a file come to one process, which makes what they share once.

    Those about one chapter are apart from those about another, except in the file TOGETHER.
    """

    def _split_scope(self, nodeid: str) -> str:
        file, _, test = nodeid.partition("::")
        about = None if TOGETHER in file else CHAPTER.search(test)
        return f"{file} {about[1]}" if about else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Spread:
    return Spread(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    slow = {f"{name}.py": place for place, name in enumerate(SLOWEST)}
    items.sort(key=lambda item: slow.get(item.path.name, len(slow)))


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], Any]) -> Path:
    """A folder that `make` filled, once for all processes: who asks later waits for the first."""
    own = factory.getbasetemp()
    common = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    place = common / name
    with FileLock(f"{place}.lock"):
        if not place.exists():
            fresh = Path(mkdtemp(dir=common))
            make(fresh)
            fresh.rename(place)
    return place
