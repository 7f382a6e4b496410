"""Checks the hash chain and values of events from another workspace before they are merged."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from tui_annotate.domain.annotations import annotation_from_json
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.hash_chain import find_contradiction
from tui_annotate.domain.history import (
    ALLOW,
    ENDS,
    IMPORT,
    READ,
    REDO,
    UNDO,
    UNDOABLE,
    Change,
    Event,
    StreamState,
)
from tui_annotate.domain.stream_merge import StreamCopy
from tui_annotate.domain.suggestions import answer_from_json

_VERBS: Final = UNDOABLE | ENDS | {UNDO, REDO, READ, IMPORT, ALLOW}
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)?", re.ASCII)
_ASSIGNMENT_FIELDS: Final = frozenset({"state", "rating", "comment"})
_TEXT_FIELDS: Final = ("note", "origin", "label_set", "guidelines", "created", "updated")
_UNSTORABLE: Final = re.compile("[\ud800-\udfff]")
_LARGEST: Final = 2**53
_LONGEST_SECONDS: Final = 1e12


def find_chain_problem(copy: StreamCopy) -> str:
    """Return why the first invalid event of another workspace is invalid; empty if none is."""
    state = StreamState()
    prev = ""
    if len({event.id for event in copy.events}) < len(copy.events):
        return "two events have the same id"
    for seq, event in enumerate(copy.events, start=1):
        if event.stream != (copy.person, *copy.key):
            return f"event {seq} belongs to another person or another sample"
        if says := _event_problem(event) or find_contradiction(
            event, seq=seq, prev=prev, state=state
        ):
            return f"event {seq}: {says}"
        state = state.applied(event.action, seconds=event.seconds)
        prev = event.hash
    return ""


def _event_problem(event: Event) -> str:
    if event.action.verb not in _VERBS:
        return f"{event.action.verb!r} is not a known action"
    if not _TIME.fullmatch(event.at) or not _is_valid_time(event.at):
        return f"{event.at!r} is not a valid time"
    if not (math.isfinite(event.seconds) and 0 <= event.seconds < _LONGEST_SECONDS):
        return f"{event.seconds!r} is not a valid working time in seconds"
    return _change_problem(event.action.before) or _change_problem(event.action.after)


def _is_valid_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        return False
    return True


def _change_problem(change: Change) -> str:
    for name, value in change.assignment.items():
        if name not in _ASSIGNMENT_FIELDS or not _is_storable(value):
            return f"the assignment has an invalid field {name!r} with the value {value!r}"
        if name == "state" and value not in list(State):
            return f"{value!r} is not a state of an assignment"
    for name, payload in change.annotations.items():
        if payload is not None and (says := _annotation_problem(name, payload)):
            return f"annotation {name}: {says}"
    for name, answer in change.suggestions.items():
        if answer is not None and (says := _answer_problem(name, answer)):
            return f"suggestion {name}: {says}"
    return ""


def _answer_problem(name: str, answer: Mapping[str, Any]) -> str:
    if not name or not _is_storable(name):
        return "the suggestion has no valid id"
    try:
        given = answer_from_json(answer)
    except InvalidInput as error:
        return error.message
    words = (given.maker, given.reason, given.annotation)
    return "" if all(map(_is_storable, words)) else "the answer contains half a character"


def _annotation_problem(name: str, payload: Mapping[str, Any]) -> str:
    if payload.get("id") != name or not name or not _is_storable(name):
        return "the field 'id' of the annotation is invalid or differs from the id in the event"
    try:
        annotation_from_json(payload)
    except InvalidInput as error:
        return error.message
    if not all(_is_storable(payload.get(word)) for word in _TEXT_FIELDS):
        return f"the fields {', '.join(_TEXT_FIELDS)} of the annotation must be text"
    if not all(_is_count(payload.get(word)) for word in ("number", "version")):
        return "the fields number and version of the annotation must be whole numbers"
    if not _are_paths(payload.get("labels")):
        return "each label of the annotation must be a list of names, from top level to sublabel"
    if not isinstance(payload.get("imported"), dict | None):
        return "the field 'imported' is not a JSON object"
    return ""


def _is_storable(value: Any) -> bool:
    return isinstance(value, str) and not _UNSTORABLE.search(value)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LARGEST


def _are_paths(value: Any) -> bool:
    return isinstance(value, Sequence) and all(
        isinstance(path, list) and path and all(isinstance(each, str) for each in path)
        for path in value
    )
