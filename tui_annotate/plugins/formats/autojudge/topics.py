"""Reads the topics of a collection of reports, and cited documents from a separate file."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.records import Problem
from tui_annotate.plugins.files.json_values import JsonValue, read_json_values
from tui_annotate.plugins.formats.autojudge.reports import (
    ReportDocument,
    RunReport,
    Topic,
    read_page,
    text_of,
)
from tui_annotate.plugins.formats.autojudge.samples import RecentCache
from tui_annotate.plugins.json_records import read_objects
from tui_annotate.plugins.record_validation import NameRegister, parse_identifier

_OTHER_IDS = ("topic_id", "narrative_id")
"""Optional fields of a topic in a file that must be equal to the topic's `request_id`."""


class Topics:
    """Topics of a file, in file order: all topics, or those with ids that the user selected."""

    def __init__(self, path: Path | str | None, wanted: Collection[str], *, encoding: str) -> None:
        self._path = None if path is None else Path(path)
        self._wanted = wanted
        self._encoding = encoding
        self._found: dict[str, Topic] = {}

    def read(self) -> Iterator[Problem]:
        """Read the topics, and yield invalid ones as problems; raise NotFound for a missing one."""
        if self._path is None:
            return
        values = read_json_values(self._path, encoding=self._encoding)
        yield from read_objects(values, self._add, what="topic")
        for key in self._wanted:
            if key not in self._found:
                there = ", ".join(list(self._found)[:20]) or "none"
                raise NotFound(
                    f"there is no topic {key!r} in {self._path}",
                    f"{suggest_word(key, self._found)}topics of the file: {there}",
                )

    def _add(self, fields: dict[str, Any], _: JsonValue) -> tuple[Problem, ...]:
        topic = _read_topic(fields, len(self._found))
        if topic.id in self._found:
            raise InvalidInput(
                f"duplicate topic {topic.id!r}", "keep only one line with this topic id"
            )
        self._found[topic.id] = topic
        return ()

    def find(self, key: str) -> Topic | None:
        """Return a topic, None if it is left out; raise InvalidInput if the file lacks the id."""
        found = self._found.get(key)
        if found is None and self._path is None:
            found = self._found[key] = Topic(len(self._found), key)
        if found is None:
            raise InvalidInput(f"topic {key!r} is not in {self._path}", "add the topic to the file")
        return found if not self._wanted or key in self._wanted else None


def _read_topic(value: Mapping[str, Any], place: int) -> Topic:
    key = parse_identifier(text_of(value, "request_id"), what="request_id")
    for name in _OTHER_IDS:
        if (again := value.get(name)) is not None and str(again) != key:
            raise InvalidInput(f"'request_id' of the topic is {key!r}, but {name!r} is {again!r}")
    others = [name for name in ("problem_statement", "background") if value.get(name) is not None]
    texts = {name: text_of(value, name) for name in ("title", *others)}
    return Topic(
        place, key, texts["title"], texts.get("problem_statement", ""), texts.get("background", "")
    )


class DocumentFile:
    """Documents that reports cite, read from a separate file; many documents are kept on disk."""

    def __init__(self, path: Path | str | None, rows: NameRegister, *, encoding: str) -> None:
        self._path = None if path is None else Path(path)
        self._rows = rows
        self._encoding = encoding
        self._recent: RecentCache[str, ReportDocument] = RecentCache()

    def read(self) -> Iterator[Problem]:
        """Store the documents of the file, if there is one; yield the problems of its lines."""
        if self._path is None:
            return
        values = read_json_values(self._path, encoding=self._encoding)
        yield from read_objects(values, self._store_row, what="document")

    def _store_row(self, value: dict[str, Any], _: JsonValue) -> tuple[Problem, ...]:
        name = "docid" if "docid" in value and "id" not in value else "id"
        key = parse_identifier(text_of(value, name), what="id of a document")
        line = json.dumps(read_page(value))
        if self._rows.remember(key, line) != line:
            raise InvalidInput(f"document {key!r} occurs more than once, with different contents")
        return ()

    def completed(self, report: RunReport) -> RunReport:
        """Return a report with its missing documents, taken from the separate documents file."""
        if self._path is None:
            return report
        missing = (key for key in report.cited_ids() if key not in report.documents)
        found = {key: read_page for key in missing if (read_page := self._find_page(key))}
        return replace(report, documents={**report.documents, **found})

    def _find_page(self, key: str) -> ReportDocument | None:
        found = self._recent.get(key)  # reports on a topic cite the same documents
        if found is None and (line := self._rows.recall(key)) is not None:
            found = self._recent.put(key, ReportDocument(*json.loads(line)), size=len(line))
        return found
