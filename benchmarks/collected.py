"""A collection of reports for benchmarks: invented text of a wanted size, the same each time."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.workspaces import WORDS
from tui_annotate.plugins.protocols import ImportOptions

_TEAM = 4
"""Runs of a team."""


@dataclass(frozen=True, slots=True)
class Size:
    """How large a collection is: 180,000 citations unless told otherwise.

    Attributes:
        documents: of a topic, which all its reports share.
        length: of a document, in characters, about.
    """

    topics: int = 50
    runs: int = 40
    sentences: int = 30
    citations: int = 3
    documents: int = 100
    length: int = 1500

    @property
    def citation_samples(self) -> int:
        """One for each document that each sentence cites."""
        return self.topics * self.runs * self.sentences * self.citations

    @property
    def samples(self) -> int:
        """Reports, citations and documents together."""
        reports = self.topics * self.runs
        return reports + self.citation_samples + self.topics * self.documents


def written(folder: Path, size: Size | None = None) -> tuple[Path, ImportOptions]:
    """Writes topics, documents, and a file a run, line by line; what is read, and how.

    Each document of a topic is cited at least once where the size has citations enough.
    """
    size, chance = size or Size(), random.Random(7)
    runs, options = reading(folder)
    runs.mkdir(parents=True)
    assert options.topics is not None
    assert options.documents is not None
    _lines(Path(options.topics), (_topic(number, chance) for number in range(size.topics)))
    _lines(Path(options.documents), _documents(size, chance))
    for run in range(size.runs):
        reports = (_report(topic, run, size, chance=chance) for topic in range(size.topics))
        _lines(runs / f"run{run:02}.jsonl", reports)
    return runs, options


def reading(folder: Path) -> tuple[Path, ImportOptions]:
    """What of a folder is read, and how."""
    topics, documents = folder / "topics.jsonl", folder / "documents.jsonl"
    options = ImportOptions(dataset="collection", topics=topics, documents=documents, language="en")
    return folder / "runs", options


def _lines(file: Path, rows: Iterator[dict[str, Any]]) -> None:
    with file.open("w", encoding="utf-8") as target:
        for row in rows:
            target.write(json.dumps(row) + "\n")


def _topic(number: int, chance: random.Random) -> dict[str, Any]:
    report = _sentence(chance)
    return {"request_id": f"{number}", "title": f"Topic {number}", "problem_statement": report}


def _documents(size: Size, chance: random.Random) -> Iterator[dict[str, Any]]:
    for topic in range(size.topics):
        for number in range(size.documents):
            parts: list[str] = []
            written = 0
            while written < size.length:
                parts.append(_sentence(chance))
                written += len(parts[-1]) + 1
            key = _key(topic, number)
            yield {"id": key, "title": f"Document {key}", "text": " ".join(parts)}


def _report(topic: int, run: int, size: Size, *, chance: random.Random) -> dict[str, Any]:
    sentences = []
    for place in range(size.sentences):
        first = (run * size.sentences + place) * size.citations  # so that each is cited
        numbers = [(first + each) % size.documents for each in range(size.citations)]
        chance.shuffle(numbers)
        cited = [_key(topic, number) for number in numbers]
        sentences.append({"text": _sentence(chance), "citations": cited})
    about = {"team_id": f"team{run // _TEAM}", "run_id": f"run{run:02}", "topic_id": f"{topic}"}
    return {"metadata": about, "responses": sentences}


def _key(topic: int, number: int) -> str:
    return f"doc-{topic:03}-{number:05}"


def _sentence(chance: random.Random) -> str:
    words = chance.choices(WORDS, k=chance.randint(8, 20))
    return f"{' '.join(words).capitalize()} {chance.randrange(10**6)}."
