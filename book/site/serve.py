"""Serve the built book on this machine as a web host would: compressed, below a path.

    python book/site/serve.py [PORT]

On a GitHub page, say, a site lies below its repository's name; so does this one, and a link that
starts at the host's root is broken here too.
"""

import functools
import gzip
import http.server
import io
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

HTML = Path(__file__).resolve().parents[2] / "build" / "book" / "_build" / "html"
SITE = "/attention-measured"
COMPRESSED = (".html", ".css", ".js", ".mjs", ".json", ".svg", ".txt", ".wasm")


class Handler(http.server.SimpleHTTPRequestHandler):
    """The folder's files below SITE, text compressed; nothing is logged."""

    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def translate_path(self, path: str) -> str:
        return super().translate_path(path.removeprefix(SITE))

    def send_head(self) -> BinaryIO | None:
        if not self.path.startswith(f"{SITE}/"):
            self.send_error(http.HTTPStatus.NOT_FOUND, f"the site is at {SITE}/")
            return None
        path = Path(self.translate_path(self.path))
        if not path.exists():
            return self._missing()
        accepted = "gzip" in self.headers.get("Accept-Encoding", "")
        if not accepted or path.suffix not in COMPRESSED or not path.is_file():
            return super().send_head()
        body = _compressed(path, path.stat().st_mtime_ns)
        self.send_response(http.HTTPStatus.OK)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return io.BytesIO(body)

    def _missing(self) -> BinaryIO:
        """The site's page for that, at the address that was asked for."""
        page = Path(self.directory) / "404.html"
        body = page.read_bytes() if page.is_file() else b""
        self.send_response(http.HTTPStatus.NOT_FOUND)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return io.BytesIO(body)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "max-age=600")  # as GitHub's pages
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """A request is no news."""


@functools.lru_cache(maxsize=500)
def _compressed(path: Path, changed: int) -> bytes:
    return gzip.compress(path.read_bytes())


@contextmanager
def serving(html: Path = HTML, port: int = 0) -> Iterator[str]:
    """The address of the site's root, while it is served; port 0 is any that is free."""
    handler = functools.partial(Handler, directory=html)
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}{SITE}/"
        running.shutdown()


if __name__ == "__main__":
    with serving(port=int(sys.argv[1]) if sys.argv[1:] else 8000) as address:
        print(f"The book is at {address} until Ctrl-C.", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print()
