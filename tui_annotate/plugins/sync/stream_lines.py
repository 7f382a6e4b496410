"""Reads and writes annotators' events as JSON lines: a header, then one line per sample."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TextIO

from tui_annotate.domain.comments import PersonComment, comment_from_json, comment_to_json
from tui_annotate.domain.errors import InvalidInput, InvalidRecord
from tui_annotate.domain.history import Change, Event, PendingEvent
from tui_annotate.domain.people import Person, base_person
from tui_annotate.domain.records import Problem
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.stream_merge import StreamCopy, StreamName
from tui_annotate.domain.stream_validation import find_chain_problem
from tui_annotate.plugins.files.json_values import JsonValue, check_text, read_json_values
from tui_annotate.plugins.json_records import check_object, object_field, text_field
from tui_annotate.plugins.record_validation import describe_value, imported_person, parse_identifier

FORMAT: Final = "tui-annotate-streams/1"
_HINT: Final = "use a file that the command sync push or bundles create wrote"

_TEXT_FIELDS: Final = ("id", "at", "app", "prev", "hash")


def write(
    person: Person,
    copies: Iterable[StreamCopy],
    target: TextIO,
    *,
    questions: Sequence[PersonComment] = (),
) -> int:
    """Write an annotator's events, sample by sample; return the number of samples.

    `questions` and replies are a field of the header, which earlier versions skip.

    Raises:
        InvalidInput: a stream contains a lone surrogate, which could not be read again.
    """
    header: dict[str, Any] = {"format": FORMAT, "person": {"id": person.id, "name": person.name}}
    if questions:
        header["questions"] = [comment_to_json(each) for each in questions]
    target.write(_format_line(header))
    count = 0
    for copy in copies:
        target.write(_format_copy(copy))
        count += 1
    return count


def check_writable(copy: StreamCopy) -> None:
    """Check that a person's events on a sample can be written; InvalidInput as for `write`."""
    _format_copy(copy)


def read(path: Path) -> tuple[Person, Iterator[StreamCopy | Problem]]:
    """Read an annotator's events from a file; return the annotator, and the events by sample.

    The iterator yields a Problem in place of each invalid line.

    Raises:
        InvalidRecord: the file is not a file of streams.
        NotFound, InvalidInput, Unavailable: the file cannot be opened.
    """
    values = read_json_values(path)
    first = _read_header(values, path)
    try:
        person = _read_person(first.value.get("person"))
    except InvalidInput as error:
        raise InvalidRecord(error.message, _HINT, where=first.where) from error
    return person, _read_copies(values, person)


def read_questions(path: Path) -> list[PersonComment | Problem]:
    """Read the questions and replies in a file of an annotator's events; errors as for `read`."""
    header = _read_header(read_json_values(path), path)
    items = header.value.get("questions", [])
    if not isinstance(items, list):
        message = "the field 'questions' is not a list"
        return [Problem(header.where, message, "ask the sender for a new file")]
    found: list[PersonComment | Problem] = []
    for item in items:
        try:
            found.append(comment_from_json(item))
        except InvalidInput as error:
            found.append(Problem(header.where, error.message, "ask the sender for a new file"))
    return found


def _read_header(values: Iterator[JsonValue | Problem], path: Path) -> JsonValue:
    first = next(values, None)
    if not isinstance(first, JsonValue) or not isinstance(first.value, dict):
        raise InvalidRecord("the file does not begin with a JSON object", _HINT, where=f"{path}:1")
    if first.value.get("format") != FORMAT:
        message = f"the field 'format' is {first.value.get('format')!r}, not {FORMAT!r}"
        raise InvalidRecord(message, _HINT, where=first.where)
    return first


def _format_copy(copy: StreamCopy) -> str:
    events = [_event_to_json(event) for event in copy.events]
    about = {"person": copy.person, "dataset": copy.key.dataset, "sample": copy.key.id}
    try:
        return _format_line({**about, "texts": copy.texts, "events": events})
    except InvalidInput as error:
        raise InvalidInput(f"{copy.key}: {error.message}", error.hint) from error


def _format_line(value: Mapping[str, Any]) -> str:
    raw = json.dumps(value, separators=(",", ":"), sort_keys=True)
    check_text(value, raw)  # rejected here, where the text can still be repaired
    return f"{raw}\n"


def _read_copies(
    values: Iterator[JsonValue | Problem], person: Person
) -> Iterator[StreamCopy | Problem]:
    seen: set[StreamName] = set()
    for value in values:
        if isinstance(value, Problem):
            yield value
            continue
        try:
            copy = _read_copy(value.value)
            if base_person(copy.person) != person.id:
                raise InvalidInput(
                    f"the work on {copy.key} belongs to an annotator other than {person.name}"
                )
            if copy.name in seen:
                raise InvalidInput(f"{copy.key} occurs twice")
            if says := find_chain_problem(copy):
                raise InvalidInput(f"{copy.key}: {says}")
        except InvalidInput as error:
            yield Problem(value.where, error.message, error.hint or "ask the sender for a new file")
            continue
        seen.add(copy.name)
        yield copy


def _read_person(value: Any) -> Person:
    check_object(value, what="person")
    name = text_field(value, "name", None)
    return imported_person(parse_identifier(value.get("id"), what="id of a person"), name)


def _read_copy(value: Any) -> StreamCopy:
    check_object(value, what="stream")
    person = parse_identifier(value.get("person"), what="id of a person")
    key = SampleKey(
        parse_identifier(value.get("dataset"), what="dataset"),
        parse_identifier(value.get("sample"), what="id"),
    )
    rows = value.get("events")
    if not isinstance(rows, list) or not rows:
        raise InvalidInput(f"{key} has no events")
    events = tuple(
        _read_event(row, person=person, key=key, seq=seq) for seq, row in enumerate(rows, start=1)
    )
    return StreamCopy(person, key, text_field(value, "texts", None), events)


def _event_to_json(event: Event) -> dict[str, Any]:
    action = event.action
    return {
        **{name: getattr(event, name) for name in _TEXT_FIELDS},
        "verb": action.verb,
        "before": action.before.as_json(),
        "after": action.after.as_json(),
        "undoes": action.undoes,
        "batch": action.batch,
        "seconds": event.seconds,
        "versions": dict(event.versions),
    }


def _read_event(value: Any, *, person: str, key: SampleKey, seq: int) -> Event:
    if not isinstance(value, dict):
        raise InvalidInput(f"an event of {key} is {describe_value(value)}, not a JSON object")
    seconds = value.get("seconds")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise InvalidInput(f"'seconds' is {describe_value(seconds)}, not a number")
    versions = object_field(value, "versions")
    if not all(isinstance(each, str) for each in versions.values()):
        raise InvalidInput("'versions' contains a value that is not text")
    action = PendingEvent(
        text_field(value, "verb", None),
        _read_change(value, "before"),
        _read_change(value, "after"),
        text_field(value, "undoes", None),
        text_field(value, "batch", None),
    )
    words = {name: text_field(value, name, None) for name in _TEXT_FIELDS}
    return Event(
        seq=seq,
        person=person,
        dataset=key.dataset,
        sample=key.id,
        action=action,
        seconds=float(seconds),
        versions=versions,
        **words,
    )


def _read_change(value: Mapping[str, Any], name: str) -> Change:
    change = object_field(value, name)
    annotations = object_field(change, "annotations")
    assignment = object_field(change, "assignment")
    if not all(isinstance(each, dict | None) for each in annotations.values()):
        raise InvalidInput(f"{name!r} contains an annotation that is not a JSON object")
    if not all(isinstance(each, str) for each in assignment.values()):
        raise InvalidInput(f"{name!r} contains an assignment field that is not text")
    answers = object_field(change, "suggestions") if "suggestions" in change else {}
    if not all(isinstance(each, dict | None) for each in answers.values()):
        raise InvalidInput(f"{name!r} contains a suggestion that is not a JSON object")
    return Change(annotations, assignment, answers)
