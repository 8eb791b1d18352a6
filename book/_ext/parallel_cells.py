"""Pages whose cells are to be run are run side by side, before Sphinx reads one after the other.

Sphinx then finds their outputs in the cache. A page that fails is left out of it, so that it fails
again where myst-nb reports it.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from cell_cache import decided, sources, still_holds, watching
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn, JupyterCacheAbstract
from jupyter_cache.executors.utils import single_nb_execution
from myst_nb.core.read import create_nb_reader
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


def run_cells(app: Sphinx, env: Any, names: list[str]) -> None:
    """Run the pages that are new, or were run with other sources than those of now.

    env: Sphinx's BuildEnvironment, with what myst-nb puts there.
    """
    now = sources()
    cache = get_cache(env.mystnb_config.execution_cache_path)
    for record in cache.list_cache_records():
        if not still_holds(record.data, now):
            cache.remove_cache(record.pk)
    paths = [Path(env.doc2path(name)) for name in names]
    read = {path: notebook for path in paths if (notebook := _notebook(env, path))}
    stale = {path: notebook for path, notebook in read.items() if not _is_known(cache, notebook)}

    def run(path: Path) -> dict[str, Any] | None:
        return _run(stale[path], path.parent, app.config.nb_execution_timeout, now)

    with ThreadPoolExecutor(os.cpu_count()) as pool:  # a kernel each, which is a process
        for path, data in zip(stale, pool.map(run, stale), strict=True):
            if data:
                bundle = CacheBundleIn(stale[path], str(path), data=data)
                cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
                seconds = data["execution_seconds"]
                logger.info(f"{path.name}: Executed notebook in {seconds:.1f} seconds")


def _run(
    notebook: NotebookNode, folder: Path, timeout: int, now: dict[str, str]
) -> dict[str, Any] | None:
    """Put the outputs into the notebook; returns what to keep with them, None where it failed."""
    with NamedTemporaryFile("r") as log:
        result = single_nb_execution(
            notebook, str(folder), timeout, allow_errors=False, extra_arguments=[watching(log.name)]
        )
        opened = log.read().splitlines()
    if result.err is not None:
        return None
    return {"execution_seconds": result.time, **decided(now, opened)}


def _notebook(env: Any, path: Path) -> NotebookNode | None:
    text = path.read_text(encoding="utf-8")
    reader = create_nb_reader(str(path), env.myst_config, env.mystnb_config, text)
    return reader.read(text) if reader else None


def _is_known(cache: JupyterCacheAbstract, notebook: NotebookNode) -> bool:
    try:
        cache.match_cache_notebook(notebook)
    except KeyError:
        return False
    return True


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("env-before-read-docs", run_cells)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
