"""A toy in the place of a language model: it reads the beginning and the end of a prompt.

It listens on this machine alone, writes its address into the file that is named, and ends by itself
after a minute without a question. Of passages it reads the first and the last, of a JSON object the
first and the last third, and it answers with the sentence, or the value, that looks most like the
question. So it knows what it read, and is lost in the middle.

    python3 toy_model.py url.txt &
"""

from __future__ import annotations

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

IDLE = 60  # seconds
PASSAGE = re.compile(r"^Document \[\d+\]\(Title: .*?\) (.*)$", re.MULTILINE)
ASKED = re.compile(r'^(?:Question: (.*)|Key: "(.*)")$', re.MULTILINE)


def answer(prompt: str) -> str:
    """What it says to a prompt."""
    question, key = ASKED.findall(prompt)[-1]
    if key:
        pairs = re.findall(r'"([^"]*)": "([^"]*)"', prompt)
        third = len(pairs) // 3
        known: dict[str, str] = dict(pairs[:third] + pairs[-third:])
        return known.get(key, "That key I did not see.")
    passages = PASSAGE.findall(prompt)
    sentences = [
        sentence
        for passage in {*passages[:1], *passages[-1:]}
        for sentence in re.findall(r"[^.。]+[.。]", passage)
    ]
    best = max(sentences, key=lambda each: (alike(each, question), each), default="")
    return best.strip() if alike(best, question) > 2 else "That I do not know."


def alike(sentence: str, question: str) -> int:
    """How many words both have; of Chinese, signs."""
    one, other = (
        set(re.findall(r"[a-z]{3,}|[\u4e00-\u9fff]", each.lower())) for each in (sentence, question)
    )
    return len(one & other)


class Chat(BaseHTTPRequestHandler):
    """Answers requests as a chat endpoint does."""

    def do_POST(self) -> None:
        """One request."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = {"role": "assistant", "content": answer(body["messages"][-1]["content"])}
        choice = {"index": 0, "message": said, "finish_reason": "stop"}
        reply = {"id": "toy", "object": "chat.completion", "created": 0, "model": "toy"}
        data = json.dumps({**reply, "choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Nothing is told."""


class Server(HTTPServer):
    """Ends once nobody asked for a while."""

    timeout = IDLE
    over = False

    def handle_timeout(self) -> None:
        """Nobody asked."""
        self.over = True


if __name__ == "__main__":
    with Server(("127.0.0.1", 0), Chat) as server:
        address = f"http://127.0.0.1:{server.server_address[1]}/v1\n"
        Path(sys.argv[1]).write_text(address, "utf-8")
        while not server.over:
            server.handle_request()
