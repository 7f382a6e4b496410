"""A line of judgements: what somebody said of a report, a document or a citation, and all of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.items import NOT_RATED
from tui_annotate.domain.samples import Kind, Sample
from tui_annotate.plugins.admission import described, identifier
from tui_annotate.plugins.formats.autojudge.fields import unfit
from tui_annotate.plugins.formats.autojudge.names import FORMAT
from tui_annotate.plugins.formats.autojudge.reports import Page, RunReport, page, written_report

_OF_LINES: Final = ("rating", "comment", "spans")
"""What every line of judgements has, and no report."""
_OF_REPORTS: Final = frozenset({"metadata", "responses", "answer"})


def is_line(value: Any) -> bool:
    """Whether a value is a line of judgements, not a report; also one that lacks something."""
    if not isinstance(value, dict):
        return False
    there = [name in value for name in _OF_LINES]
    return all(there) or (any(there) and not is_report(value))


def is_report(value: Any) -> bool:
    """Whether a value that is no line of judgements is a report; also one that lacks something."""
    return isinstance(value, dict) and not _OF_REPORTS.isdisjoint(value)


@dataclass(frozen=True, slots=True)
class Judged:
    """What somebody said of an item.

    Attributes:
        item: as `item_of` has it.
        person: the id of who said it.
        rating, comment: empty where there is none.
        spans: (start, end, text) as the file counts them, on each side: `report` and `document`.
        report, pages: what the item is made of.
        doubts: what is wrong with spans that are left out.
    """

    dataset: str
    topic: str
    item: str
    person: str
    rating: str
    comment: str
    spans: Mapping[str, list[Any]]
    report: RunReport | None = None
    pages: Mapping[str, Page] = field(default_factory=dict)
    doubts: Sequence[str] = ()


def item_of(sample: Sample) -> str:
    """What tells an item from all others on its topic, whatever its run is called."""
    told = [sample.meta.get(name) for name in ("team_id", "run_id", "sentence_idx", "docid")]
    return json.dumps([sample.kind.value, *told])


def judged(line: Mapping[str, Any]) -> Judged:
    """A line of judgements.

    Raises:
        InvalidInput: something is missing, of the wrong kind, or does not fit the rest.
    """
    for name in _OF_LINES:
        if name not in line:
            raise unfit(line, name)
    if "citation" in line or "report_spans" in line:
        return _of_citation(line)
    if "docid" in line or "document" in line:
        key = _text(line, "docid")
        sides = {"document": "spans"}
        return _made(line, (Kind.DOCUMENT, None, None, None, key), sides, pages={key: _page(line)})
    report = written_report(line)
    run, team = report.run
    return _made(line, (Kind.REPORT, team, run, None, None), {"report": "spans"}, report=report)


def _of_citation(line: Mapping[str, Any]) -> Judged:
    cited = line.get("citation")
    if not isinstance(cited, dict):
        raise unfit(line, "citation", "an object")
    report, place, key = written_report(cited, of="citation"), cited.get("sentence_idx"), None
    if isinstance(place, bool) or not isinstance(place, int):
        raise unfit(cited, "sentence_idx", "a whole number", of="citation")
    if not 0 <= place < len(report.sentences):
        raise InvalidInput(f"'sentence_idx' is {place}, of {len(report.sentences)} sentences")
    sentence = report.sentences[place]
    if cited.get("docid") is not None:
        key = _text(cited, "docid")
    if key not in (sentence.citations or (None,)):
        raise InvalidInput(f"sentence {place} does not cite {key!r}", "see its 'citations'")
    if not sentence.text.strip():
        raise InvalidInput(f"sentence {place} is blank: its citations can not be judged")
    run, team = report.run
    sides = {"document": "spans", "report": "report_spans"}
    return _made(line, (Kind.CITATION, team, run, place, key), sides, report=report)


def _made(
    line: Mapping[str, Any],
    item: tuple[Any, ...],
    sides: Mapping[str, str],
    **of: Any,
) -> Judged:
    """A line of an item.

    Args:
        sides: under what name the spans of each side stand.
        of: what the item is made of.
    """
    report: RunReport | None = of.get("report")
    topic = _text(line, "topic_id")
    if report is not None and report.topic != topic:
        raise InvalidInput(f"'topic_id' is {topic!r}, that of its report {report.topic!r}")
    name, rating = _optional(line, "username"), _optional(line, "rating")
    doubts: list[str] = []
    spans = {side: _spans(line, told, doubts) for side, told in sides.items()}
    return Judged(
        identifier(_text(line, "dataset"), what="dataset"),
        identifier(topic, what="topic_id"),
        json.dumps([item[0].value, *item[1:]]),
        identifier(name, what="username") if name else FORMAT,
        "" if rating == NOT_RATED else rating,
        _optional(line, "comment").strip(),
        spans,
        doubts=doubts,
        **of,
    )


def _page(line: Mapping[str, Any]) -> Page:
    if not isinstance(line.get("document"), dict):
        raise unfit(line, "document", "an object")
    try:
        return page(line["document"])
    except InvalidInput as error:
        raise InvalidInput(f"'document': {error.message}") from error


def _text(line: Mapping[str, Any], name: str) -> str:
    value = line.get(name)
    if not isinstance(value, str):
        raise unfit(line, name)
    return value


def _optional(line: Mapping[str, Any], name: str) -> str:
    return "" if line.get(name) is None else _text(line, name)


def _spans(line: Mapping[str, Any], name: str, doubts: list[str]) -> list[Any]:
    """(start, end, text) of each span; text is None where it is not told.

    Args:
        doubts: gets what is wrong with each that is left out.
    """
    if not isinstance(line.get(name), list):
        raise unfit(line, name, "a list of spans")
    found = []
    for place, each in enumerate(line[name]):
        try:
            found.append(_span(each))
        except InvalidInput as error:
            doubts.append(f"span {place} of {name!r} is left out: {error.message}")
    return found


def _span(value: Any) -> list[Any]:
    if not isinstance(value, dict):
        raise InvalidInput(f"it is {described(value)}, not an object")
    start, end = (_offset(value, name) for name in ("start", "end"))
    if not isinstance(text := value.get("text"), str | None):
        raise unfit(value, "text")
    if not 0 <= start < end < 2**53:
        raise InvalidInput(f"{start}:{end} holds nothing")
    return [start, end, text]


def _offset(span: Mapping[str, Any], name: str) -> int:
    value = span.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise unfit(span, name, "a whole number")
    return value
