"""Pages whose cells are to be run are run side by side, before Sphinx reads one after the other.

Sphinx then finds their outputs in the cache. A page that fails is left out of it, so that it fails
again where myst-nb reports it.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn, JupyterCacheAbstract
from jupyter_cache.executors.utils import ExecutionResult, single_nb_execution
from myst_nb.core.read import create_nb_reader
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

logger = logging.getLogger(__name__)


def run_cells(app: Sphinx, env: BuildEnvironment, names: list[str]) -> None:
    cache = get_cache(app.config.nb_execution_cache_path)
    paths = [Path(env.doc2path(name)) for name in names]
    notebooks = {path: _notebook(env, path) for path in paths}
    stale = {path: nb for path, nb in notebooks.items() if nb and not _is_known(cache, nb)}

    def run(path: Path) -> ExecutionResult:
        timeout = app.config.nb_execution_timeout
        return single_nb_execution(stale[path], str(path.parent), timeout, allow_errors=False)

    with ThreadPoolExecutor(os.cpu_count()) as pool:  # a kernel each, which is a process
        for path, result in zip(stale, pool.map(run, stale), strict=True):
            if result.err is None:
                keep(cache, path, result)


def keep(cache: JupyterCacheAbstract, path: Path, result: ExecutionResult) -> None:
    bundle = CacheBundleIn(result.nb, str(path), data={"execution_seconds": result.time})
    cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
    logger.info(f"{path.name}: Executed notebook in {result.time:.1f} seconds")


def _notebook(env: Any, path: Path) -> NotebookNode | None:
    """`env` also holds what myst-nb puts there."""
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
