"""Converts work on a sample to the content (payload) of a row of a shared table, and back.

Reports, documents and citations use the line format of autojudge, all other samples the native
format.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, Final

from tui_annotate.domain.annotations import (
    Anchor,
    Annotation,
    anchor_to_json,
    annotation_from_json,
    annotation_to_json,
    normalize_annotation,
)
from tui_annotate.domain.assignments import State
from tui_annotate.domain.comments import (
    PersonComment,
    comment_from_json,
    comment_to_json,
    hide_reviewer,
)
from tui_annotate.domain.errors import InvalidInput, InvalidSpan
from tui_annotate.domain.event_streams import EventStream
from tui_annotate.domain.history import IMPORT, Event, Payload, StreamState, canonical_json
from tui_annotate.domain.offsets import utf16_map
from tui_annotate.domain.provenance import provenance_to_json
from tui_annotate.domain.records import DatasetDescription, Problem, Record
from tui_annotate.domain.report_collections import (
    NOT_RATED,
    PASSAGE,
    RATED_KINDS,
    report_sentences,
    split_at_sentences,
)
from tui_annotate.domain.samples import Sample, SampleKey, SampleKind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.stream_merge import IDLE
from tui_annotate.domain.suggestions import answer_from_json, answer_to_json
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import UTF16, ExportOptions, ImportOptions
from tui_annotate.plugins.record_validation import parse_identifier
from tui_annotate.storage.codec import replace_unstorable
from tui_annotate.storage.corpus.store import hash_texts

_NAMESPACE: Final = uuid.UUID("a1d2b0c5-2f0e-5b53-9b0f-4f2d9a6c7e11")
_HINT: Final = "the row stays unchanged in the table"
_ANSWERS_KEY: Final = "suggestions"
_ACTIONS_KEY: Final = "actions"
_QUESTIONS_KEY: Final = "questions"
_SHORT_HASH: Final = 16

_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")

Place = tuple[Side, Span]


def build_payload(
    record: Record,
    look_up: Callable[[SampleKey], Sample | None],
    *,
    at: str,
    answers: Mapping[str, Payload] = MappingProxyType({}),
    actions: Sequence[str] = (),
    questions: Sequence[PersonComment] = (),
) -> dict[str, Any]:
    """Return an annotator's work on a sample as JSON for a row of a shared table.

    `look_up` loads other samples, as the payload of a citation includes its report. `at`: time
    of the last action; may be empty. `actions`: names of all actions, as of `action_names`.
    `questions`: the annotator's questions about the sample, with the replies.

    Raises:
        InvalidInput: the work cannot be written as a payload, or a table cannot store it.
    """
    name = "autojudge" if record.sample.kind in RATED_KINDS else "native"
    options = ExportOptions(offsets=UTF16, include_unrated=True, sample=look_up)
    file = io.StringIO()
    work = replace(record, about=DatasetDescription())
    registry.load("exporters", name).write([work], file, options)
    line = file.getvalue().partition("\n")[0]
    if not line:
        raise InvalidInput(
            "the sample cannot be sent: its report is unknown or is not in this workspace",
            "ingest the report of this sample",
        )
    found: dict[str, Any] = json.loads(line, parse_constant=lambda _: None)  # jsonb has no NaN
    states = [one.state.value for one in record.assignments]
    found[WORK_KEY] = {"at": at, "state": states[0] if states else State.NEW.value}
    if actions:
        found[WORK_KEY][_ACTIONS_KEY] = list(actions)
    if questions:
        found[_QUESTIONS_KEY] = [comment_to_json(hide_reviewer(each)) for each in questions]
    if answers:
        found[_ANSWERS_KEY] = dict(answers)
    if record.sample.kind in RATED_KINDS and (made := collect_origins(record)):
        found[ORIGINS_KEY] = made
    if any(_UNSTORABLE.search(text) for text in _walk_texts(found)):
        raise InvalidInput(
            "the work contains NUL or an unpaired surrogate, which a table cannot store",
            "send the work in a bundle file instead",
        )
    return found


def _walk_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, each in value.items():
            yield name
            yield from _walk_texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _walk_texts(each)


def hash_payload(value: Mapping[str, Any]) -> str:
    """Return a hash of the work in a row of a shared table; times do not change the hash."""
    plain = dict(value)
    if WORK_KEY in plain:
        plain[WORK_KEY] = {**plain[WORK_KEY], "at": ""}
        plain[WORK_KEY].pop(_ACTIONS_KEY, None)
    if "assignments" in plain:
        timeless = [{**each, "seconds": 0, "updated": ""} for each in plain["assignments"]]
        plain["assignments"] = timeless
    return hashlib.sha256(canonical_json(plain).encode()).hexdigest()


def parse_payload(
    value: Mapping[str, Any], sample: Sample, stream: EventStream, *, at: str
) -> StreamState:
    """Return the work in a table row, with arbitrary annotation numbers; or InvalidInput."""
    judged = sample.kind in RATED_KINDS
    beside = {_ANSWERS_KEY, _QUESTIONS_KEY} | (set() if judged else {WORK_KEY})
    plain_value = {name: each for name, each in value.items() if name not in beside}
    if judged:
        found = _parse_judged(plain_value, sample, stream, at=at)
    else:
        found = _parse_native(plain_value, sample, stream)
    # Other programs do not write answers to suggestions: keep the local answers.
    absent = stream.state.suggestions if judged else {}
    given = value.get(_ANSWERS_KEY, absent)
    if not isinstance(given, Mapping) or "" in given:
        raise InvalidInput("the row's answers to suggestions are not a JSON object", _HINT)
    answers = {name: answer_to_json(answer_from_json(each)) for name, each in given.items()}
    return replace(found, suggestions=answers)


def read_questions(value: Mapping[str, Any], key: SampleKey) -> list[PersonComment]:
    """Return the questions and replies in a table row about its sample; or InvalidInput."""
    items = value.get(_QUESTIONS_KEY, [])
    if not isinstance(items, list):
        raise InvalidInput("the field 'questions' of the row is not a list", _HINT)
    found = [comment_from_json(each) for each in items]
    return [each for each in found if each.sample == key]


def _parse_native(value: Mapping[str, Any], sample: Sample, stream: EventStream) -> StreamState:
    with TemporaryDirectory(prefix="tui-annotate-") as place:
        file = Path(place) / "row.jsonl"
        file.write_text(json.dumps(value) + "\n", "utf-8")
        items = list(registry.load("importers", "native").read(file, ImportOptions()))
    record = next((each for each in items if isinstance(each, Record)), None)
    if record is None:
        problem = next(
            (each.message for each in items if isinstance(each, Problem)), "the payload is empty"
        )
        raise InvalidInput(f"the row's payload is not a valid record: {problem}", _HINT)
    if hash_texts(record.sample) != hash_texts(sample):
        raise InvalidInput("the row's payload has different texts than the stored sample", _HINT)
    if len({each.id for each in record.people}) > 1:
        raise InvalidInput("the row's payload has work of several annotators", _HINT)
    payloads = {
        owned.annotation.id: annotation_to_json(owned.annotation) for owned in record.annotations
    }
    assignment = dict(stream.state.assignment)
    for one in record.assignments:
        assignment = {"state": one.state.value, "rating": one.rating, "comment": one.comment}
    return StreamState(payloads, assignment)


def _parse_judged(
    value: Mapping[str, Any], sample: Sample, stream: EventStream, *, at: str
) -> StreamState:
    wanted = set(_parse_places(value, sample))
    kept: dict[str, Any] = {}
    covered: set[Place] = set()
    bare: set[str] = set()
    made = read_origins(value.get(ORIGINS_KEY, []), sample, stream.state, at=at)
    for name, payload_ in {**made, **stream.state.annotations, **made}.items():
        own = _marked_places(annotation_from_json(payload_), sample)
        if name in made:
            # Annotations from an earlier row on the same spans lack the origin: replace them.
            bare |= {_annotation_id(stream, *place) for place in own}
        if own <= wanted and (name in made or name not in bare):
            kept[name] = payload_
            covered |= own
    for side, span in sorted(wanted - covered):
        new = _make_annotation(stream, side, span, at=at)
        kept[new.id] = annotation_to_json(new)
    rating = value.get("rating", "")
    comment = value.get("comment", "")
    if not isinstance(rating, str) or not isinstance(comment, str):
        raise InvalidInput("the row's rating or comment is not a text", _HINT)
    rated = "" if rating == NOT_RATED else replace_unstorable(rating)
    comment = replace_unstorable(comment.strip())
    _, now = read_work(value.get(WORK_KEY))
    now = now or stream.state.assignment["state"]
    if now == State.NEW.value and (kept or rated or comment):
        now = State.DONE.value  # other programs send work without a state
    return StreamState(kept, {"state": now, "rating": rated, "comment": comment})


def _make_annotation(stream: EventStream, side: Side, span: Span, *, at: str) -> Annotation:
    anchors = (Anchor(side, 0, span),)
    return Annotation(
        id=_annotation_id(stream, side, span),
        claim=anchors if side is Side.SUMMARY else (),
        evidence=anchors if side is Side.SOURCE else (),
        labels=(PASSAGE,),
        created=at,
        updated=at,
    )


def _annotation_id(stream: EventStream, side: Side, span: Span) -> str:
    name = "\0".join((stream.person, *stream.key, side, str(span.start), str(span.end)))
    return str(uuid.uuid5(_NAMESPACE, name))


def _marked_places(annotation: Annotation, sample: Sample) -> set[Place]:
    sides = (Side.SUMMARY,) if sample.kind is SampleKind.REPORT else tuple(Side)
    return {
        (anchor.side, part)
        for anchor in annotation.anchors
        if anchor.side in sides and anchor.index == 0
        for part in _cut_span(anchor.span, sample, anchor.side)
    }


def _cut_span(span: Span, sample: Sample, side: Side) -> tuple[Span, ...]:
    within = report_sentences(sample) if sample.kind is SampleKind.REPORT else ()
    return split_at_sentences(span, within, sample.document(side).text)


def _parse_places(value: Mapping[str, Any], sample: Sample) -> Iterator[Place]:
    first = Side.SUMMARY if sample.kind is SampleKind.REPORT else Side.SOURCE
    for name, side in (("spans", first), ("report_spans", Side.SUMMARY)):
        spans = value.get(name, [])
        if not isinstance(spans, list) or not all(isinstance(each, dict) for each in spans):
            raise InvalidInput(f"the field {name!r} of the row is not a list of spans", _HINT)
        if spans and not sample.side(side):
            raise InvalidInput(
                f"the field {name!r} of the row has spans of a text that is not in this workspace",
                _HINT,
            )
        for each in spans:
            text = sample.document(side).text
            for part in _cut_span(_parse_span(each, text), sample, side):
                yield side, part


def _parse_span(value: Mapping[str, Any], text: str) -> Span:
    """Return a span whose offsets count UTF-16 units or code points, whichever fit its text."""
    start = value.get("start")
    end = value.get("end")
    quote = value.get("text")
    if type(start) is not int or type(end) is not int or not isinstance(quote, str):
        raise InvalidInput("a span of the row lacks start, end or text", _HINT)
    units = utf16_map(text)
    for to_code_points in (units.to_code_points, lambda offset: offset):
        try:
            span = Span(to_code_points(start), to_code_points(end)).trim(text)
        except InvalidSpan:
            continue
        if span is not None and span.end <= len(text) and span.of(text) == quote.strip():
            return span
    raise InvalidInput(
        "the quote of a span in the row differs from the sample's text at that position", _HINT
    )


WORK_KEY: Final = "worked"
"""Name of the field of a shared table's row that has the time and state of the work."""


def has_judgements(record: Record) -> bool:
    """Return whether an annotator finished, annotated, rated or commented on a sample."""
    return bool(record.annotations) or any(
        one.rating or one.comment.strip() or one.state.finished for one in record.assignments
    )


def has_work(stream: EventStream) -> bool:
    """Return whether an annotator did more on a sample than read it."""
    assignment: Any = stream.state.assignment
    given = assignment["rating"] or assignment["comment"] or assignment["state"] != "new"
    return bool(stream.state.annotations or stream.state.suggestions or given)


def last_action_time(events: Iterable[Event], *, since: str = "") -> str:
    """Return the time of the last action on a sample after an event (`since`); empty if none."""
    last = ""
    for event in events:
        if event.action.verb not in IDLE:
            last = max(last, event.at)
        if event.hash == since:
            last = ""
    return last


def action_names(events: Iterable[Event]) -> list[str]:
    """Return short names of a person's actions on a sample, in order, the same in each copy."""
    return [event.hash[:_SHORT_HASH] for event in events if event.action.verb not in IDLE]


def read_actions(value: Any) -> list[str]:
    """Return the actions that a table row contains, in order; empty if another program wrote it."""
    found = value.get(_ACTIONS_KEY) if isinstance(value, Mapping) else None
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        return []
    return found


def is_only_imported(events: Iterable[Event]) -> bool:
    """Return whether a person did nothing on a sample since work of another program came in."""
    return all(event.action.verb in IDLE | {IMPORT} for event in events)


def read_work(value: Any) -> tuple[str, str]:
    """Return time and state of the work in a table row, empty if missing; or InvalidInput."""
    if value is None:
        return "", ""
    if not isinstance(value, Mapping) or value.get("state") not in set(State):
        raise InvalidInput(
            f"the field {WORK_KEY!r} of the row has no valid state, such as 'draft' or 'done'",
            "check which program wrote this row of the shared table",
        )
    at = value.get("at")
    return parse_row_time(at) if isinstance(at, str) and at else "", str(value["state"])


def parse_row_time(text: str) -> str:
    """Convert a time in a table row to UTC with microseconds; InvalidInput if it is no time."""
    try:
        at = datetime.fromisoformat(text)
        at = (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidInput(
            f"{text[:40]!r} is not a time", "check which program wrote the table row"
        ) from error
    return at.isoformat(timespec="microseconds")


ORIGINS_KEY: Final = "suggested"


def collect_origins(record: Record) -> list[dict[str, Any]]:
    """Return the annotations that were made from suggestions, with their origins, as JSON."""
    made = (owned.annotation for owned in record.annotations)
    found = [(one, one.suggested) for one in made if one.suggested is not None]
    return [
        {
            "id": one.id,
            "claim": [anchor_to_json(anchor) for anchor in one.claim],
            "evidence": [anchor_to_json(anchor) for anchor in one.evidence],
            "suggested": provenance_to_json(suggested),
        }
        for one, suggested in sorted(found, key=lambda each: each[0].id)
    ]


def read_origins(value: Any, sample: Sample, state: StreamState, *, at: str) -> dict[str, Payload]:
    """Return a row's annotations from suggestions; InvalidInput, InvalidSpan or NotFound."""
    if not isinstance(value, list):
        raise InvalidInput(f"the row's field {ORIGINS_KEY!r} is not a list", _HINT)
    found = {}
    for one in (_origin_annotation(each, sample, at=at) for each in value):
        payload_ = annotation_to_json(one)
        here = state.annotations.get(one.id)
        same = here and all(here.get(name) == payload_[name] for name in _COMPARED_FIELDS)
        found[one.id] = here if here and same else payload_
    return found


def _origin_annotation(value: Any, sample: Sample, *, at: str) -> Annotation:
    if not isinstance(value, Mapping):
        raise InvalidInput(
            f"the row's field {ORIGINS_KEY!r} contains a value that is not an annotation", _HINT
        )
    plain = {name: value.get(name) or () for name in ("claim", "evidence")}
    plain["id"] = parse_identifier(value.get("id"), what="id of an annotation")
    own = {ORIGINS_KEY: value.get(ORIGINS_KEY), "labels": [PASSAGE], "created": at, "updated": at}
    annotation = normalize_annotation(annotation_from_json({**plain, **own}), sample)
    if annotation.suggested is None:
        raise InvalidInput(
            f"the row's annotation {annotation.id!r} does not name the suggestion that it is from",
            _HINT,
        )
    return annotation


_COMPARED_FIELDS: Final = ("claim", "evidence", "suggested")
