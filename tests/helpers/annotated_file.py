"""A small file that three people annotated and review settled, to be looked at."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tui_annotate.domain.label_files import parse_labels
from tui_annotate.services.file_browser import FileBrowser, FileLoader
from tui_annotate.workspace import default_labels

SOURCE: Final = "The bridge opened in 1932. It cost 12 million pounds. Nobody was hurt."
SUMMARY: Final = "The bridge cost 15 million pounds. It was loved. A mayor came."


def _place(text: str, words: str) -> list[int]:
    at = text.index(words)
    return [at, at + len(words)]


def said(name: str, person: str, words: str, **more: Any) -> dict[str, Any]:
    """An annotation of words of the summary."""
    evidence = more.pop("evidence", "")
    return {
        "id": name,
        "person": person,
        "claim": [["summary", 0, *_place(SUMMARY, words)]],
        "evidence": [["source", 0, *_place(SOURCE, evidence)]] if evidence else [],
        "labels": more.pop("labels", [["Unwanted", "Intrinsic"]]),
        "origin": "human",
        **more,
    }


def sample(name: str, **more: Any) -> dict[str, Any]:
    """A record of the native form."""
    documents = [{"side": "source", "text": SOURCE}, {"side": "summary", "text": SUMMARY}]
    return {
        "format": "tui-annotate/1", "dataset": "d", "id": name, "documents": documents, **more,
    }  # fmt: skip


PEOPLE: Final = [
    {"id": "p1", "name": "ana"},
    {"id": "p2", "name": "ben"},
    {"id": "p3", "name": "li"},
    {"id": "adjudicated", "name": "settled", "kind": "settled"},
]
SETTLED: Final = {"by": "p3", "how": "rejected", "sources": ["b1"], "reason": "slip", "note": "no"}
RECORDS: Final = (
    sample(
        "first",
        group="g",
        meta={"model": "m"},
        request={"title": "Why", "problem": "", "background": "", "question": "What of it?"},
        people=PEOPLE,
        annotations=[
            said(
                "a1", "p1", "15 million", evidence="12 million", note="12, not 15",
                created="2026-01-02T03:04:05.000000Z",
            ),
            said("a2", "p1", "It was loved.", labels=[["Odd"]]),
            said("b1", "p2", "The bridge cost 15 million pounds.", evidence="It cost 12 million"),
            said("s1", "adjudicated", "It was loved.", origin="rejected", settled=SETTLED),
        ],
        assignments=[
            {"person": "p1", "state": "done", "comment": "odd text", "seconds": 12.0},
            {"person": "p3", "state": "done"},
        ],
    ),
    sample("second", people=PEOPLE, assignments=[{"person": "p3", "state": "done"}]),
    sample("third", group="g"),
)  # fmt: skip


def write(folder: Path, *records: dict[str, Any]) -> Path:
    """The file."""
    path = folder / "work.jsonl"
    lines = [json.dumps(record) for record in records or RECORDS]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@contextmanager
def browsed(folder: Path, *records: dict[str, Any]) -> Iterator[FileBrowser]:
    """The file, read."""
    known = parse_labels(default_labels())
    with FileLoader().browse(write(folder, *records), known) as (browser, _):
        yield browser
