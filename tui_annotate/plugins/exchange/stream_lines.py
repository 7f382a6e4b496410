"""Streams of one person as JSON lines: who it is, then a line a stream with all its events."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TextIO

from tui_annotate.domain.admitting import unsound
from tui_annotate.domain.errors import InvalidInput, InvalidRecord
from tui_annotate.domain.history import Action, Change, Event
from tui_annotate.domain.merging import StreamCopy
from tui_annotate.domain.people import Person, PersonKind, reader
from tui_annotate.domain.records import Problem
from tui_annotate.domain.samples import SampleKey
from tui_annotate.plugins.admission import described, identifier
from tui_annotate.plugins.files.json_limits import check_text
from tui_annotate.plugins.files.json_values import Value, json_values

FORMAT: Final = "tui-annotate-streams/1"

_WORDS: Final = ("id", "at", "app", "prev", "hash")


def write(person: Person, copies: Iterable[StreamCopy], target: TextIO) -> int:
    """Writes the streams of a person in the order given; how many there were.

    Raises:
        InvalidInput: one holds half a character, which nobody could read again.
    """
    _line(target, {"format": FORMAT, "person": {"id": person.id, "name": person.name}})
    count = 0
    for count, copy in enumerate(copies, start=1):  # noqa: B007  the last one counts
        events = [_event_to_json(event) for event in copy.events]
        about = {"person": copy.person, "dataset": copy.key.dataset, "sample": copy.key.id}
        try:
            _line(target, {**about, "texts": copy.texts, "events": events})
        except InvalidInput as error:
            raise InvalidInput(f"{copy.key}: {error.message}", error.hint) from error
    return count


def read(path: Path) -> tuple[Person, Iterator[StreamCopy | Problem]]:
    """Whose streams a file holds, and the sound ones; what is wrong with another is a Problem.

    Raises:
        InvalidRecord: it is no such file.
        NotFound, InvalidInput, Unavailable: it can not be opened.
    """
    values = json_values(path)
    first = next(values, None)
    if not isinstance(first, Value) or not isinstance(first.value, dict):
        raise InvalidRecord("this is no file of streams", _HINT, where=f"{path}:1")
    if first.value.get("format") != FORMAT:
        told = f"the format is {first.value.get('format')!r}, not {FORMAT!r}"
        raise InvalidRecord(told, _HINT, where=first.where)
    try:
        person = _person(first.value.get("person"))
    except InvalidInput as error:
        raise InvalidRecord(error.message, _HINT, where=first.where) from error
    return person, _copies(values, person)


_HINT: Final = "take one that sync push or bundle make wrote"


def _line(target: TextIO, value: Mapping[str, Any]) -> None:
    raw = json.dumps(value, separators=(",", ":"), sort_keys=True)
    check_text(value, raw)  # what could not be read again is told by whom it can be mended
    target.write(raw)
    target.write("\n")


def _copies(values: Iterator[Value | Problem], person: Person) -> Iterator[StreamCopy | Problem]:
    seen: set[tuple[str, SampleKey]] = set()
    for value in values:
        if isinstance(value, Problem):
            yield value
            continue
        try:
            copy = _copy(value.value)
            if reader(copy.person) != person.id:
                raise InvalidInput(f"{copy.key} is work of somebody else than {person.name}")
            if (copy.person, copy.key) in seen:
                raise InvalidInput(f"{copy.key} is there twice")
            if says := unsound(copy):
                raise InvalidInput(f"{copy.key}: {says}")
        except InvalidInput as error:
            yield Problem(value.where, error.message, error.hint or "ask for the file anew")
            continue
        seen.add((copy.person, copy.key))
        yield copy


def _person(value: Any) -> Person:
    if not isinstance(value, dict):
        raise InvalidInput(f"the person is {described(value)}, not an object")
    name = _word(value, "name")
    key = identifier(value.get("id"), what="id of a person")
    return Person(key, name or key, PersonKind.IMPORTED)


def _copy(value: Any) -> StreamCopy:
    if not isinstance(value, dict):
        raise InvalidInput(f"the stream is {described(value)}, not an object")
    person = identifier(value.get("person"), what="id of a person")
    key = SampleKey(
        identifier(value.get("dataset"), what="dataset"), identifier(value.get("sample"), what="id")
    )
    told = value.get("events")
    if not isinstance(told, list) or not told:
        raise InvalidInput(f"{key} has no events")
    events = tuple(
        _event(each, person=person, key=key, seq=seq) for seq, each in enumerate(told, start=1)
    )
    return StreamCopy(person, key, _word(value, "texts"), events)


def _event_to_json(event: Event) -> dict[str, Any]:
    action = event.action
    return {
        **{name: getattr(event, name) for name in _WORDS},
        "verb": action.verb,
        "before": action.before.as_json(),
        "after": action.after.as_json(),
        "undoes": action.undoes,
        "batch": action.batch,
        "seconds": event.seconds,
        "versions": dict(event.versions),
    }


def _event(value: Any, *, person: str, key: SampleKey, seq: int) -> Event:
    if not isinstance(value, dict):
        raise InvalidInput(f"an event of {key} is {described(value)}, not an object")
    seconds = value.get("seconds")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise InvalidInput(f"'seconds' is {described(seconds)}, not a number")
    versions = _mapping(value, "versions")
    if not all(isinstance(each, str) for each in versions.values()):
        raise InvalidInput("'versions' holds something that is no text")
    action = Action(
        _word(value, "verb"),
        _change(value, "before"),
        _change(value, "after"),
        _word(value, "undoes"),
        _word(value, "batch"),
    )
    words = {name: _word(value, name) for name in _WORDS}
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


def _change(value: Mapping[str, Any], name: str) -> Change:
    told = _mapping(value, name)
    annotations, assignment = _mapping(told, "annotations"), _mapping(told, "assignment")
    if not all(isinstance(each, dict | None) for each in annotations.values()):
        raise InvalidInput(f"{name!r} holds an annotation that is no object")
    if not all(isinstance(each, str) for each in assignment.values()):
        raise InvalidInput(f"{name!r} holds something of the work that is no text")
    answers = _mapping(told, "suggestions") if "suggestions" in told else {}
    if not all(isinstance(each, dict | None) for each in answers.values()):
        raise InvalidInput(f"{name!r} holds an answer that is no object")
    return Change(annotations, assignment, answers)


def _mapping(value: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = value.get(name)
    if not isinstance(found, dict):
        raise InvalidInput(f"{name!r} is {described(found)}, not an object")
    return found


def _word(value: Mapping[str, Any], name: str) -> str:
    found = value.get(name)
    if not isinstance(found, str):
        raise InvalidInput(f"{name!r} is {described(found)}, not text")
    return found
