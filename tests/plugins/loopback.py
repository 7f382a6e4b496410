"""A server of the tests' own on this machine's loopback: replies as they are told, then an end."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """What is sent in place of an answer.

    Attributes:
        promised: bytes that the header tells of; as many as there are by default.
        late: is sent only when the server closes.
    """

    status: int = 200
    body: bytes | str | Mapping[str, Any] = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    promised: int | None = None
    late: bool = False

    @property
    def content(self) -> bytes:
        """The body in bytes."""
        if isinstance(self.body, bytes):
            return self.body
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode()


class Answering(BaseHTTPRequestHandler):
    """Sends replies; what is asked is for its heirs to read."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or each answer waits 40 ms

    def send(self, reply: Reply, *, closing: threading.Event) -> None:
        """Sends a reply, a late one once the server closes."""
        if reply.late:
            closing.wait()
        promised = len(reply.content) if reply.promised is None else reply.promised
        try:
            self.send_response(reply.status)
            self.send_header("Content-Length", str(promised))
            for name, value in reply.headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(reply.content)
        except OSError:  # whoever asked has left
            self.close_connection = True
        if promised != len(reply.content):
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  its name there
        """Nothing is written to the terminal."""


@contextmanager
def listening(handler: type[Answering], closing: threading.Event) -> Iterator[str]:
    """The address of a server that lives as long as the block; `closing` is set at its end."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        closing.set()
        server.shutdown()
        server.server_close()
        thread.join()
