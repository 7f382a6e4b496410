"""A line of judgements: what somebody said of a report, a document or a citation, and all of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.items import NOT_RATED
from tui_annotate.domain.samples import Kind, Sample
from tui_annotate.plugins.admission import described, identifier
from tui_annotate.plugins.formats.autojudge.names import FORMAT
from tui_annotate.plugins.formats.autojudge.reports import Page, RunReport, page, written_report

_OF_LINES: Final = frozenset({"rating", "comment", "spans"})
"""What every line of judgements has, and no report."""


def is_line(value: Any) -> bool:
    """Whether a value is a line of judgements, not a report."""
    return isinstance(value, dict) and value.keys() >= _OF_LINES


@dataclass(frozen=True, slots=True)
class Judged:
    """What somebody said of an item.

    Attributes:
        item: as `item_of` has it.
        person: the id of who said it.
        rating, comment: empty where there is none.
        spans: (start, end, text) as the file counts them, on each side: `report` and `document`.
        report, pages: what the item is made of.
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


def item_of(sample: Sample) -> str:
    """What tells an item from all others on its topic, whatever its run is called."""
    told = [sample.meta.get(name) for name in ("team_id", "run_id", "sentence_idx", "docid")]
    return json.dumps([sample.kind.value, *told])


def judged(line: Mapping[str, Any]) -> Judged:
    """A line of judgements.

    Raises:
        InvalidInput: something is missing, of the wrong kind, or does not fit the rest.
    """
    if "citation" in line:
        return _of_citation(line)
    if "docid" in line:
        key = _text(line, "docid")
        spans = {"document": _spans(line, "spans")}
        return _made(line, (Kind.DOCUMENT, None, None, None, key), spans, pages={key: _page(line)})
    report = written_report(line.get("report"))
    spans = {"report": _spans(line, "spans")}
    run, team = report.run
    return _made(line, (Kind.REPORT, team, run, None, None), spans, report=report)


def _of_citation(line: Mapping[str, Any]) -> Judged:
    cited = line["citation"]
    if not isinstance(cited, dict):
        raise InvalidInput(f"'citation' is {described(cited)}, not an object")
    report, place, key = written_report(cited.get("report")), cited.get("sentence_idx"), None
    if isinstance(place, bool) or not isinstance(place, int):
        raise InvalidInput(f"'sentence_idx' is {described(place)}, not a whole number")
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
    spans = {"document": _spans(line, "spans"), "report": _spans(line, "report_spans")}
    return _made(line, (Kind.CITATION, team, run, place, key), spans, report=report)


def _made(
    line: Mapping[str, Any],
    item: tuple[Any, ...],
    spans: Mapping[str, list[Any]],
    **of: Any,
) -> Judged:
    report: RunReport | None = of.get("report")
    topic = _text(line, "topic_id")
    if report is not None and report.topic != topic:
        raise InvalidInput(f"'topic_id' is {topic!r}, that of its report {report.topic!r}")
    name, rating = _optional(line, "username"), _optional(line, "rating")
    return Judged(
        identifier(_text(line, "dataset"), what="dataset"),
        identifier(topic, what="topic_id"),
        json.dumps([item[0].value, *item[1:]]),
        identifier(name, what="username") if name else FORMAT,
        "" if rating == NOT_RATED else rating,
        _optional(line, "comment").strip(),
        spans,
        **of,
    )


def _page(line: Mapping[str, Any]) -> Page:
    try:
        return page(line.get("document"))
    except InvalidInput as error:
        raise InvalidInput(f"'document': {error.message}") from error


def _text(line: Mapping[str, Any], name: str) -> str:
    value = line.get(name)
    if not isinstance(value, str):
        raise InvalidInput(f"{name!r} is {described(value)}, not text")
    return value


def _optional(line: Mapping[str, Any], name: str) -> str:
    return "" if line.get(name) is None else _text(line, name)


def _spans(line: Mapping[str, Any], name: str) -> list[Any]:
    """(start, end, text) of each span; text is None where it is not told."""
    value = line.get(name)
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise InvalidInput(f"{name!r} is no list of spans")
    found = [[each.get("start"), each.get("end"), each.get("text")] for each in value]
    for start, end, text in found:
        whole = (isinstance(at, int) and not isinstance(at, bool) for at in (start, end))
        if not all(whole) or not isinstance(text, str | None):
            raise InvalidInput(f"{name!r} has a span {start!r}:{end!r} that is none")
        if not 0 <= start < end < 2**53:
            raise InvalidInput(f"{name!r} has a span {start}:{end}", "it starts before it ends")
    return found
