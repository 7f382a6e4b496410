"""Validates a stream of another workspace before it is merged: a sound chain, on the same texts."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from tui_annotate.domain.annotations import annotation_from_json
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.hash_chain import find_contradiction
from tui_annotate.domain.history import (
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
from tui_annotate.domain.samples import Sample, Side
from tui_annotate.domain.stream_merge import StreamCopy
from tui_annotate.domain.suggestions import answer_from_json

_VERBS: Final = UNDOABLE | ENDS | {UNDO, REDO, READ, IMPORT}
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)?", re.ASCII)
_ASSIGNMENT_FIELDS: Final = frozenset({"state", "rating", "comment"})
_TEXT_FIELDS: Final = ("note", "origin", "label_set", "guidelines", "created", "updated")
_UNSTORABLE: Final = re.compile("[\ud800-\udfff]")
_LARGEST: Final = 2**53
_LONGEST_SECONDS: Final = 1e12


def find_chain_problem(copy: StreamCopy) -> str:
    """Why a copy can not be what it says, whatever it is about; empty where it can.

    The chain is followed from its first event.
    """
    state, prev = StreamState(), ""
    if len({event.id for event in copy.events}) < len(copy.events):
        return "two of its events have one name"
    for seq, event in enumerate(copy.events, start=1):
        if event.stream != (copy.person, *copy.key):
            return f"number {seq} is of another stream"
        if says := _event_problem(event) or find_contradiction(
            event, seq=seq, prev=prev, state=state
        ):
            return f"number {seq}: {says}"
        state = state.applied(event.action, seconds=event.seconds)
        prev = event.hash
    return ""


def find_anchor_problem(copy: StreamCopy, sample: Sample) -> str:
    """Why the annotations of a sound copy can not stand on a sample; empty where they can."""
    for event in copy.events:
        for payload in event.action.after.annotations.values():
            if payload is not None and (says := _anchor_problem(payload, sample)):
                return f"number {event.seq}: {says}"
    return ""


def _anchor_problem(payload: Mapping[str, Any], sample: Sample) -> str:
    annotation = annotation_from_json(payload)
    sides = [Side.SUMMARY] * len(annotation.claim) + [Side.SOURCE] * len(annotation.evidence)
    for anchor, side in zip(annotation.anchors, sides, strict=True):
        if anchor.side is not side:
            return f"annotation {annotation.id} has a span on the wrong side"
        try:
            text = sample.document(anchor.side, anchor.index).text
        except NotFound as error:
            return error.message
        if anchor.span.end > len(text):
            return f"annotation {annotation.id} ends at {anchor.span.end}, the text at {len(text)}"
    return ""


def _event_problem(event: Event) -> str:
    if event.action.verb not in _VERBS:
        return f"{event.action.verb!r} is nothing that anybody does"
    if not _TIME.fullmatch(event.at) or not _is_valid_time(event.at):
        return f"{event.at!r} is no time"
    if not (math.isfinite(event.seconds) and 0 <= event.seconds < _LONGEST_SECONDS):
        return f"{event.seconds!r} is no time of work"
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
            return f"{name!r} of the work can not be {value!r}"
        if name == "state" and value not in list(State):
            return f"{value!r} is no state"
    for name, payload in change.annotations.items():
        if payload is not None and (says := _annotation_problem(name, payload)):
            return f"annotation {name}: {says}"
    for name, answer in change.suggestions.items():
        if answer is not None and (says := _answer_problem(name, answer)):
            return f"suggestion {name}: {says}"
    return ""


def _answer_problem(name: str, answer: Mapping[str, Any]) -> str:
    if not name or not _is_storable(name):
        return "it has no name"
    try:
        given = answer_from_json(answer)
    except InvalidInput as error:
        return error.message
    words = (given.maker, given.reason, given.annotation)
    return "" if all(map(_is_storable, words)) else "it holds half a character"


def _annotation_problem(name: str, payload: Mapping[str, Any]) -> str:
    if payload.get("id") != name or not name or not _is_storable(name):
        return "it has another id inside"
    try:
        annotation_from_json(payload)
    except InvalidInput as error:
        return error.message
    if not all(_is_storable(payload.get(word)) for word in _TEXT_FIELDS):
        return f"{', '.join(_TEXT_FIELDS)} must be text"
    if not all(_is_count(payload.get(word)) for word in ("number", "version")):
        return "number and version must be whole numbers"
    if not _are_paths(payload.get("labels")):
        return "its labels are no paths"
    return "" if isinstance(payload.get("imported"), dict | None) else "'imported' is no object"


def _is_storable(value: Any) -> bool:
    return isinstance(value, str) and not _UNSTORABLE.search(value)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LARGEST


def _are_paths(value: Any) -> bool:
    return isinstance(value, Sequence) and all(
        isinstance(path, list) and path and all(isinstance(each, str) for each in path)
        for path in value
    )
