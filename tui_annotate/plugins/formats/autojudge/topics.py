"""The topics of a collection, and the documents that stand in a file of their own."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.nearest import meant
from tui_annotate.domain.records import Problem
from tui_annotate.plugins.admission import Seen, described, identifier, problem
from tui_annotate.plugins.files.json_values import json_values
from tui_annotate.plugins.formats.autojudge.fields import unfit
from tui_annotate.plugins.formats.autojudge.names import Topic
from tui_annotate.plugins.formats.autojudge.near import Near
from tui_annotate.plugins.formats.autojudge.reports import Page, RunReport, page

_AGAIN = ("topic_id", "narrative_id")
"""What may repeat a topic's id."""


class Topics:
    """The topics of a file by id, in its order; without a file, as they are asked for.

    Args:
        wanted: ids of those that are kept; none for all.
    """

    def __init__(self, path: Path | None, wanted: Collection[str], *, encoding: str) -> None:
        self._path = path
        self._wanted = wanted
        self._encoding = encoding
        self._found: dict[str, Topic] = {}

    def read(self) -> Iterator[Problem]:
        """Reads them; what is wrong with one is given.

        Raises:
            NotFound: one that is asked for is not there.
            NotFound, InvalidInput, Unavailable: the file can not be opened.
        """
        if self._path is None:
            return
        for value in json_values(self._path, encoding=self._encoding):
            if isinstance(value, Problem):
                yield value
                continue
            try:
                topic = _topic(value.value, len(self._found))
                if topic.id in self._found:
                    raise InvalidInput(f"topic {topic.id!r} was given before", "each has one line")
                self._found[topic.id] = topic
            except InvalidInput as error:
                yield problem(value.where, error)
        for asked in self._wanted:
            if asked not in self._found:
                there = ", ".join(list(self._found)[:20]) or "none"
                raise NotFound(
                    f"there is no topic {asked!r} in {self._path}",
                    f"{meant(asked, self._found)}there are: {there}",
                )

    def find(self, key: str) -> Topic | None:
        """A topic by its id; None where it is not one of those that are kept.

        Raises:
            InvalidInput: the file has none of that id.
        """
        found = self._found.get(key)
        if found is None and self._path is None:
            found = self._found[key] = Topic(len(self._found), key)
        if found is None:
            raise InvalidInput(f"topic {key!r} is not in {self._path}", "add it there")
        return found if not self._wanted or key in self._wanted else None


def _topic(value: Any, place: int) -> Topic:
    if not isinstance(value, dict):
        raise InvalidInput(f"the topic is {described(value)}, not an object")
    key = value.get("request_id")
    if not isinstance(key, str):
        raise unfit(value, "request_id")
    identifier(key, what="request_id")
    for name in _AGAIN:
        if (again := value.get(name)) is not None and str(again) != key:
            raise InvalidInput(f"'request_id' is {key!r} and {name!r} is {again!r}")
    if not isinstance(title := value.get("title"), str):
        raise unfit(value, "title")
    return Topic(place, key, title, _text(value, "problem_statement"), _text(value, "background"))


def _text(value: Mapping[str, Any], name: str) -> str:
    told = value.get(name)
    if told is not None and not isinstance(told, str):
        raise unfit(value, name)
    return told or ""


class Library:
    """Documents by id out of a file of their own; on disk once they are many.

    Args:
        path: None for none.
        rows: where they are kept.
    """

    def __init__(self, path: Path | None, rows: Seen, *, encoding: str) -> None:
        self._path = path
        self._rows = rows
        self._encoding = encoding
        self._near: Near[str, Page] = Near()

    def read(self) -> Iterator[Problem]:
        """Reads them; what is wrong with one is given.

        Raises:
            NotFound, InvalidInput, Unavailable: the file can not be opened.
        """
        if self._path is None:
            return
        for value in json_values(self._path, encoding=self._encoding):
            if isinstance(value, Problem):
                yield value
                continue
            try:
                self._take(value.value)
            except InvalidInput as error:
                yield problem(value.where, error)

    def _take(self, value: Any) -> None:
        if not isinstance(value, dict):
            raise InvalidInput(f"the document is {described(value)}, not an object")
        told = value.get("id", value.get("docid"))
        if not isinstance(told, str):
            raise unfit(value, "docid" if "docid" in value and "id" not in value else "id")
        key = identifier(told, what="id of a document")
        line = json.dumps(page(value))
        if self._rows.first(key, line) != line:
            raise InvalidInput(f"document {key!r} was given before, with something else")

    def completed(self, report: RunReport) -> RunReport:
        """The report with those of its cited documents that it does not hold itself."""
        if self._path is None:
            return report
        missing = (key for key in report.cited() if key not in report.documents)
        found = {key: page for key in missing if (page := self._find(key))}
        return replace(report, documents={**report.documents, **found})

    def _find(self, key: str) -> Page | None:
        found = self._near.get(key)  # the reports of a topic cite the same ones
        if found is None and (line := self._rows.word(key)) is not None:
            found = self._near.keep(key, Page(*json.loads(line)), size=len(line))
        return found
