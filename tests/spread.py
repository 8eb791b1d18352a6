"""Which tests come to one process, and in which order, where several processes share them."""

import os
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Protocol

import pytest
from filelock import FileLock

# As measured: what takes longest is begun first, so that no core waits at the end.
SLOWEST = ("test_processors", "test_teaching", "test_course", "test_interruptions", "test_cluster",
           "test_nbgrader", "test_lab", "test_outputs", "test_odd_notebooks", "test_linear",
           "test_attacks", "test_class_report", "test_pages")  # fmt: skip
WIDER = ("class", "module", "package")


class Make(Protocol):
    def __call__(self, folder: Path, /) -> Any: ...


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The slowest first; those that share what a module's fixture made stay together."""
    slow = {f"{name}.py": place for place, name in enumerate(SLOWEST)}
    items.sort(key=lambda item: slow.get(item.path.name, len(slow)))
    for item in items:
        shared = _wide(item)
        if shared is not None and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(" ".join([item.path.name, *shared])))


def _wide(item: pytest.Item) -> list[str] | None:
    """The parameters of the test's fixtures of a module's scope; None where it has no such."""
    known = item._fixtureinfo.name2fixturedefs
    wide = [name for name, found in known.items() if found[-1].scope in WIDER]
    given = item.callspec.params if hasattr(item, "callspec") else {}
    return [str(given[name]) for name in wide if name in given] if wide else None


def once(factory: pytest.TempPathFactory, name: str, make: Make) -> Path:
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
