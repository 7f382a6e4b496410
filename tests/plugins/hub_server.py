"""A hub on loopback, of the tests' own: what the real one answers, for a handful of files."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

NAME = "owner/model"
COMMIT = "1f2e" * 10


@dataclass
class Hub:
    """The address of a hub, and the paths that it was asked for."""

    address: str
    asked: list[str]


@contextmanager
def hub(files: Mapping[str, bytes], *, cut: str = "") -> Iterator[Hub]:
    """Serves one model at one commit, which is also its branch main.

    Args:
        cut: the name of a file whose line breaks half-way.
    """
    asked: list[str] = []
    handler = partial(_Handler, files, asked, cut)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    found = Hub(f"http://127.0.0.1:{server.server_port}", asked)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    """Answers for one model."""

    def __init__(self, files: Mapping[str, bytes], asked: list[str], cut: str, *rest: Any) -> None:
        self._files, self._asked, self._cut = files, asked, cut
        super().__init__(*rest)

    def do_HEAD(self) -> None:
        """What a file is, without it."""
        self._answer(body=False)

    def do_GET(self) -> None:
        """A file, or what the hub knows of the model."""
        self._answer(body=True)

    def log_message(self, *_: object) -> None:
        """Nothing is told."""

    def _answer(self, *, body: bool) -> None:
        path = urlsplit(self.path).path
        self._asked.append(path)
        content, headers = self._content(path)
        self.send_response(200 if content is not None else 404)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        if body and content:
            broken = bool(self._cut) and path.endswith(f"/{self._cut}")
            self.wfile.write(content[: len(content) // 2] if broken else content)

    def _content(self, path: str) -> tuple[bytes | None, dict[str, str]]:
        api, name = f"/api/models/{NAME}", path.removeprefix(f"/{NAME}/resolve/{COMMIT}/")
        if path in {f"{api}/revision/main", f"{api}/revision/{COMMIT}"}:
            return json.dumps({"id": NAME, "sha": COMMIT}).encode(), {}
        if path == f"{api}/tree/{COMMIT}":
            listed = [
                {"type": "file", "path": name, "size": len(content), "oid": oid(content)}
                for name, content in self._files.items()
            ]
            return json.dumps(listed).encode(), {}
        if name in self._files:
            return self._files[name], {
                "X-Repo-Commit": COMMIT,
                "ETag": f'"{oid(self._files[name])}"',
            }
        known = path.startswith((f"{api}/", f"/{NAME}/"))
        return None, {"X-Error-Code": "RevisionNotFound" if known else "RepoNotFound"}


def oid(content: bytes) -> str:
    """The name that git gives a content."""
    blob = b"blob %d\0" % len(content) + content
    return hashlib.sha1(blob, usedforsecurity=False).hexdigest()
