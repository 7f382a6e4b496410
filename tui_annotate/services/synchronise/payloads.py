"""Work on one sample as the payload of a row, and what a payload means on the sample here.

Reports, documents and citations travel as the lines of autojudge, all else in the native form.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, Final

from tui_annotate.domain.annotations import (
    Anchor,
    Annotation,
    annotation_from_json,
    annotation_to_json,
)
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import InvalidInput, InvalidSpan
from tui_annotate.domain.history import Payload, StreamState, canonical
from tui_annotate.domain.items import JUDGED, NOT_RATED, PASSAGE, cut, sentences
from tui_annotate.domain.offsets import utf16_map
from tui_annotate.domain.records import Problem, Record
from tui_annotate.domain.samples import Kind, Sample, SampleKey, Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import given_from_json, given_to_json
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import UTF16, ExportOptions, ImportOptions
from tui_annotate.services.synchronise import deeds, origins
from tui_annotate.storage.codec import plain
from tui_annotate.storage.corpus.store import text_digest
from tui_annotate.storage.work.plans import Stream

_NAMESPACE: Final = uuid.UUID("a1d2b0c5-2f0e-5b53-9b0f-4f2d9a6c7e11")
_HINT: Final = "it is left as it is in the table"
_ANSWERS: Final = "suggestions"

_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")

Place = tuple[Side, Span]


def payload(
    record: Record,
    look_up: Callable[[SampleKey], Sample | None],
    *,
    at: str,
    answers: Mapping[str, Payload] = MappingProxyType({}),
) -> dict[str, Any]:
    """What one person did on a sample, as it is sent.

    Args:
        look_up: gives other samples, as a citation is told with its whole report.
        at: when they last did something; empty where nothing stands.
        answers: to suggestions, as the log has them; told beside the form, where there are any.

    Raises:
        InvalidInput: it can not be told as one, or a table can not hold it.
    """
    name = "autojudge" if record.sample.kind in JUDGED else "native"
    options = ExportOptions(offsets=UTF16, unrated=True, sample=look_up)
    file = io.StringIO()
    registry.load("exporters", name).write([record], file, options)
    line = file.getvalue().partition("\n")[0]
    if not line:
        raise InvalidInput(
            "there is no line for it: its report is not here, or it does not say what it is of",
            "ingest the reports that it belongs to",
        )
    found: dict[str, Any] = json.loads(line, parse_constant=lambda _: None)  # jsonb has no NaN
    found[deeds.KEY] = deeds.told_beside(record, at)
    if answers:
        found[_ANSWERS] = dict(answers)
    if record.sample.kind in JUDGED and (made := origins.told(record)):
        found[origins.KEY] = made
    if any(_UNSTORABLE.search(text) for text in _texts(found)):
        raise InvalidInput(
            "it holds NUL or half a character, which no table can hold", "share it by a bundle"
        )
    return found


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, each in value.items():
            yield name
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


def digest(value: Mapping[str, Any]) -> str:
    """What tells one payload from another; times aside."""
    plain = dict(value)
    if deeds.KEY in plain:
        plain[deeds.KEY] = {**plain[deeds.KEY], "at": ""}
    if "assignments" in plain:
        timeless = [{**each, "seconds": 0, "updated": ""} for each in plain["assignments"]]
        plain["assignments"] = timeless
    return hashlib.sha256(canonical(plain).encode()).hexdigest()


def state(value: Mapping[str, Any], sample: Sample, stream: Stream, *, at: str) -> StreamState:
    """What a payload makes of somebody's work on a sample; its annotations may have any number.

    Args:
        at: when it was done.

    Raises:
        InvalidInput: it is no such payload, or of other texts.
    """
    judged = sample.kind in JUDGED
    beside = {_ANSWERS} if judged else {_ANSWERS, deeds.KEY}
    plain_value = {name: each for name, each in value.items() if name not in beside}
    found = (_judged if judged else _native)(plain_value, sample, stream, at=at)
    # Other programs that write lines of reports know of no answers: theirs stay.
    absent = stream.state.suggestions if judged else {}
    return replace(found, suggestions=_answers(value.get(_ANSWERS, absent)))


def _answers(value: Any) -> dict[str, Payload]:
    if not isinstance(value, Mapping) or "" in value:
        raise InvalidInput("its answers to suggestions are no object", _HINT)
    return {name: given_to_json(given_from_json(each)) for name, each in value.items()}


def _native(value: Mapping[str, Any], sample: Sample, stream: Stream, *, at: str) -> StreamState:
    del at
    with TemporaryDirectory(prefix="tui-annotate-") as place:
        file = Path(place) / "row.jsonl"
        file.write_text(json.dumps(value) + "\n", "utf-8")
        items = list(registry.load("importers", "native").read(file, ImportOptions()))
    record = next((each for each in items if isinstance(each, Record)), None)
    if record is None:
        told = next((each.message for each in items if isinstance(each, Problem)), "it is empty")
        raise InvalidInput(f"its payload is no record: {told}", _HINT)
    if text_digest(record.sample) != text_digest(sample):
        raise InvalidInput("its payload is of other texts than the sample here", _HINT)
    if len({each.id for each in record.people}) > 1:
        raise InvalidInput("its payload holds work of several people", _HINT)
    payloads = {
        owned.annotation.id: annotation_to_json(owned.annotation) for owned in record.annotations
    }
    assignment = dict(stream.state.assignment)
    for one in record.assignments:
        assignment = {"state": one.state.value, "rating": one.rating, "comment": one.comment}
    return StreamState(payloads, assignment)


def _judged(value: Mapping[str, Any], sample: Sample, stream: Stream, *, at: str) -> StreamState:
    wanted = set(_places(value, sample))
    kept, covered, bare = dict[str, Any](), set[Place](), set[str]()
    made = origins.read(value.get(origins.KEY, []), sample, stream.state, at=at)
    for name, payload_ in {**made, **stream.state.annotations, **made}.items():
        own = _told(annotation_from_json(payload_), sample)
        if name in made:
            # What an earlier row made of the same passages knew less of where they are from.
            bare |= {_made_id(stream, *place) for place in own}
        if own <= wanted and (name in made or name not in bare):
            kept[name] = payload_
            covered |= own
    for side, span in sorted(wanted - covered):
        new = _annotation(stream, side, span, at=at)
        kept[new.id] = annotation_to_json(new)
    rating, comment = value.get("rating", ""), value.get("comment", "")
    if not isinstance(rating, str) or not isinstance(comment, str):
        raise InvalidInput("its rating or comment is no text", _HINT)
    rated, comment = "" if rating == NOT_RATED else plain(rating), plain(comment.strip())
    _, now = deeds.read_beside(value.get(deeds.KEY))
    now = now or stream.state.assignment["state"]
    if now == State.NEW.value and (kept or rated or comment):
        now = State.DONE.value  # other programs tell of work alone, not how far it is
    return StreamState(kept, {"state": now, "rating": rated, "comment": comment})


def _annotation(stream: Stream, side: Side, span: Span, *, at: str) -> Annotation:
    anchors = (Anchor(side, 0, span),)
    claim, evidence = (anchors, ()) if side is Side.SUMMARY else ((), anchors)
    made = _made_id(stream, side, span)
    return Annotation(made, claim, evidence, (PASSAGE,), created=at, updated=at)


def _made_id(stream: Stream, side: Side, span: Span) -> str:
    name = "\0".join((stream.person, *stream.key, side, str(span.start), str(span.end)))
    return str(uuid.uuid5(_NAMESPACE, name))


def _told(annotation: Annotation, sample: Sample) -> set[Place]:
    """Where the line of a sample tells of an annotation; elsewhere it says nothing of it."""
    sides = (Side.SUMMARY,) if sample.kind is Kind.REPORT else tuple(Side)
    return {
        (anchor.side, part)
        for anchor in annotation.anchors
        if anchor.side in sides and anchor.index == 0
        for part in _parts(anchor.span, sample, anchor.side)
    }


def _parts(span: Span, sample: Sample, side: Side) -> tuple[Span, ...]:
    within = sentences(sample) if sample.kind is Kind.REPORT else ()
    return cut(span, within, sample.document(side).text)


def _places(value: Mapping[str, Any], sample: Sample) -> Iterator[Place]:
    first = Side.SUMMARY if sample.kind is Kind.REPORT else Side.SOURCE
    for name, side in (("spans", first), ("report_spans", Side.SUMMARY)):
        told = value.get(name, [])
        if not isinstance(told, list) or not all(isinstance(each, dict) for each in told):
            raise InvalidInput(f"its {name} are no list of spans", _HINT)
        if told and not sample.side(side):
            raise InvalidInput(f"its {name} lie in a text that is not here", _HINT)
        for each in told:
            text = sample.document(side).text
            for part in _parts(_span(each, text), sample, side):
                yield side, part


def _span(value: Mapping[str, Any], text: str) -> Span:
    """A span of a line, counted as its quote shows: in UTF-16, or in code points."""
    start, end, quote = (value.get(name) for name in ("start", "end", "text"))
    if type(start) is not int or type(end) is not int or not isinstance(quote, str):
        raise InvalidInput("a span of it lacks start, end or text", _HINT)
    units = utf16_map(text)
    for to_code_points in (units.to_code_points, lambda offset: offset):
        try:
            span = Span(to_code_points(start), to_code_points(end)).trim(text)
        except InvalidSpan:
            continue
        if span is not None and span.end <= len(text) and span.of(text) == quote.strip():
            return span
    raise InvalidInput("a span of it quotes what does not stand there", _HINT)
