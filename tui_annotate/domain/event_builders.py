"""Builds the event to store for each action of an annotator or reviewer on one sample.

A stream is one person's work on one sample. Actions that contradict the state or the label rules
raise an error; a missing part of an annotation is an error only in `finish`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from tui_annotate.domain.annotations import (
    Annotation,
    LabelPath,
    annotation_from_json,
    annotation_to_json,
)
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import Conflict, InvalidInput, NotFound
from tui_annotate.domain.history import (
    RELABEL,
    RETURN,
    Change,
    Payload,
    PendingEvent,
    StreamState,
)
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.samples import Sample
from tui_annotate.domain.suggestions import (
    AnswerKind,
    Suggestion,
    SuggestionAnswer,
    answer_to_json,
    edited_provenance,
)

_LONGEST_QUOTE = 40


def add(state: StreamState, *new: Annotation) -> PendingEvent:
    """Build the event that adds annotations and reopens a sample; Conflict for a known id."""
    after = _new_payloads(state, new)
    return _build("add", state, before=dict.fromkeys(after), after=after)


def _new_payloads(state: StreamState, new: Iterable[Annotation]) -> dict[str, Payload]:
    after: dict[str, Payload] = {one.id: annotation_to_json(one) for one in new}
    for name in after.keys() & state.annotations.keys():
        raise Conflict(
            f"annotation {name} already exists",
            "edit the existing annotation instead",
            code="annotation-exists",
        )
    return after


def edit(state: StreamState, annotation: Annotation, *new: Annotation, at: str) -> PendingEvent:
    """Build the event that replaces an annotation and adds the annotations of `new`.

    `annotation.version` and `annotation.updated` must be those of the stored annotation.

    Raises:
        NotFound: no annotation has that id.
        Conflict: another version is stored, or an annotation of `new` exists.
    """
    before = _check_version(state, annotation.id, annotation.version)
    if annotation.updated and before["updated"] != annotation.updated:
        raise _stale_error(annotation.id)
    after = replace(
        annotation,
        version=annotation.version + 1,
        number=before["number"],
        origin=before["origin"],
        created=before["created"],
        updated=at,
        imported=None,
        suggested=edited_provenance(annotation_from_json(before), annotation),
    )
    more = _new_payloads(state, [replace(one, suggested=after.suggested) for one in new])
    return _build(
        "edit",
        state,
        before={annotation.id: before, **dict.fromkeys(more)},
        after={annotation.id: annotation_to_json(after), **more},
    )


def remove(state: StreamState, annotation_id: str, *, version: int) -> PendingEvent:
    """Build the event that removes an annotation; NotFound, or Conflict for another version."""
    before = _check_version(state, annotation_id, version)
    return _build("remove", state, before={annotation_id: before}, after={annotation_id: None})


def settle(
    state: StreamState,
    verb: str,
    after: Mapping[str, Payload | None],
    *,
    words: Mapping[str, str] = MappingProxyType({}),
    done: bool = False,
) -> PendingEvent:
    """Build the event with which a reviewer changes or removes annotations of a sample."""
    before = {name: state.annotations.get(name) for name in after}
    finished = {"state": State.DONE.value} if done else {}
    parts = {**_begun_or_reopened(state), **words, **finished}
    return _build(verb, state, before=before, after=dict(after), parts=parts)


def clear(state: StreamState, *, batch: str, words: bool = False) -> PendingEvent:
    """Build the event that removes a person's annotations of a sample and reopens the sample.

    `batch`: id shared by events that undo reverses together. `words`: also empty rating and
    comment.
    """
    emptied = {name: "" for name in ("rating", "comment") if words and state.assignment[name]}
    parts = {**_begun_or_reopened(state), **emptied}
    before = state.annotations
    after = dict.fromkeys(state.annotations)
    return replace(_build("clear", state, before=before, after=after, parts=parts), batch=batch)


def relabel(
    state: StreamState,
    labels: Mapping[str, Iterable[LabelPath]],
    *,
    at: str,
    to: State | None = None,
) -> PendingEvent:
    """Build the event that gives annotations of a sample new labels."""
    before = {name: state.annotations[name] for name in labels}
    after = {
        name: {
            **payload,
            "labels": [list(path) for path in labels[name]],
            "version": payload["version"] + 1,
            "updated": at,
            "imported": None,
        }
        for name, payload in before.items()
    }
    parts = {} if to is None or to == state.assignment["state"] else {"state": to.value}
    return _build(RELABEL, state, before=before, after=after, parts=parts)


def reopened_state(state: StreamState) -> State | None:
    """Return a sample's new state if its annotations need new labels; None keeps the state.

    A finished sample reopens. A sample with annotations is `new`, and also reopens, if they were
    imported without a state.
    """
    now = State(state.assignment["state"])
    return State.REOPENED if now.finished or now is State.NEW else None


def return_work(state: StreamState) -> PendingEvent:
    """Build the event with which a reviewer reopens a person's work on a sample."""
    reopened = State.REOPENED.value
    return assign(
        state, RETURN, {} if state.assignment["state"] == reopened else {"state": reopened}
    )


def undo_relabel(
    state: StreamState, action: PendingEvent, event_id: str, *, states: bool
) -> PendingEvent:
    """Build the event that undoes a label change, for annotations that are unchanged since."""
    kept = [
        name
        for name, payload in action.after.annotations.items()
        if state.matches(Change({name: payload}))
    ]
    assigned = (
        action.after.assignment
        if states and state.matches(Change({}, action.after.assignment))
        else {}
    )
    return PendingEvent(
        RELABEL,
        Change({name: action.after.annotations[name] for name in kept}, dict(assigned)),
        Change(
            {name: action.before.annotations[name] for name in kept},
            {name: action.before.assignment[name] for name in assigned},
        ),
        undoes=event_id,
    )


def assign(state: StreamState, verb: str, parts: Mapping[str, str]) -> PendingEvent:
    """Build the event that changes the state, rating or comment of a sample to new values."""
    before = {name: state.assignment[name] for name in parts}
    return PendingEvent(verb, Change({}, before), Change({}, dict(parts)))


def rate_or_comment(state: StreamState, verb: str, parts: Mapping[str, str]) -> PendingEvent:
    """Build the event that changes a rating or comment; a first value also begins a new sample."""
    new = state.assignment["state"] == State.NEW.value and any(parts.values())
    return assign(state, verb, {**parts, "state": State.DRAFT.value} if new else parts)


def _check_version(state: StreamState, annotation_id: str, version: int) -> Payload:
    payload = state.annotations.get(annotation_id)
    if payload is None:
        raise NotFound(
            f"you have no annotation {annotation_id} on this sample",
            "check whether the annotation was removed",
            code="no-such-annotation",
        )
    if payload["version"] != version:
        raise _stale_error(annotation_id)
    return payload


def _stale_error(annotation_id: str) -> Conflict:
    return Conflict(
        f"the annotation changed since it was read (id {annotation_id})",
        "check the annotation's current content and repeat the action",
        code="annotation-changed",
    )


def _build(
    verb: str,
    state: StreamState,
    *,
    before: Mapping[str, Payload | None],
    after: Mapping[str, Payload | None],
    parts: Mapping[str, str] | None = None,
) -> PendingEvent:
    moved = assign(state, verb, _begun_or_reopened(state) if parts is None else parts)
    return PendingEvent(
        verb, Change(before, moved.before.assignment), Change(after, moved.after.assignment)
    )


def _begun_or_reopened(state: StreamState) -> dict[str, str]:
    old = State(state.assignment["state"])
    if old.finished:
        return {"state": State.REOPENED.value}
    return {"state": State.DRAFT.value} if old is State.NEW else {}


def finish(state: StreamState, sample: Sample, labels: LabelTree) -> PendingEvent:
    """Build the event that completes a sample; Conflict names a lacking part and its label."""
    drafts = [
        (annotation, missing)
        for annotation in map(annotation_from_json, state.annotations.values())
        if (missing := labels.lacks(annotation))
    ]
    if drafts:
        annotation, missing = min(drafts, key=lambda draft: draft[0].anchors)
        quote = _quote(annotation, sample)
        lacks = " and ".join(missing)
        raise Conflict(
            f"annotation {quote} lacks {lacks}; other incomplete annotations: {len(drafts) - 1}"
            if len(drafts) > 1
            else f"annotation {quote} lacks {lacks}",
            "press e to edit the annotation, or x to delete it",
            code="annotation-incomplete",
        )
    return assign(state, "done", {"state": State.DONE.value})


def _quote(annotation: Annotation, sample: Sample) -> str:
    anchor = annotation.anchors[0]
    quote = anchor.span.of(sample.document(anchor.side, anchor.index).text)
    return repr(quote if len(quote) <= _LONGEST_QUOTE else quote[: _LONGEST_QUOTE - 1] + "…")


def check_rating(word: str, scale: tuple[str, ...]) -> str:
    """Return a rating that is in the scale, if any, or empty to remove it; else InvalidInput."""
    if word and scale and word not in scale:
        raise InvalidInput(
            f"{word!r} is not a rating", "ratings: " + ", ".join(scale), code="not-a-rating"
        )
    return word


def check_open(state: StreamState, suggestion: Suggestion) -> Payload | None:
    """Return the earlier answer to a suggestion, or None; Conflict if its annotation exists."""
    old = state.suggestions.get(suggestion.id)
    if old is not None and old["annotation"] in state.annotations:
        raise Conflict(
            "this suggestion is already accepted",
            "press e to edit the annotation, x to delete it, or u to undo",
            code="suggestion-accepted",
        )
    return old


def accept(state: StreamState, suggestion: Suggestion, *new: Annotation) -> PendingEvent:
    """Build the event that accepts a suggestion and reopens a sample; Conflict if accepted."""
    old = check_open(state, suggestion)
    changed = new[0].suggested is not None and new[0].suggested.changed
    given = SuggestionAnswer(
        answer=AnswerKind.CHANGED if changed else AnswerKind.ACCEPTED,
        maker=suggestion.maker,
        annotation=new[0].id,
    )
    action = replace(add(state, *new), verb="accept")
    return _with_answer(action, suggestion.id, old=old, new=answer_to_json(given))


def refuse(state: StreamState, suggestion: Suggestion, *, reason: str) -> PendingEvent:
    """Build the event that refuses a suggestion; Conflict if its annotation exists, or a repeat."""
    old = check_open(state, suggestion)
    new = answer_to_json(
        SuggestionAnswer(answer=AnswerKind.REFUSED, maker=suggestion.maker, reason=reason)
    )
    if old == new:
        raise Conflict(
            "this suggestion is already refused",
            "give a different reason for the refusal, or press u to undo it",
            code="suggestion-refused",
        )
    fresh = state.assignment["state"] == State.NEW.value
    action = assign(state, "refuse", {"state": State.DRAFT.value} if fresh else {})
    return _with_answer(action, suggestion.id, old=old, new=new)


def edit_annotation(state: StreamState, edit: PendingEvent) -> PendingEvent:
    """Add to an annotation's edit event that the accepted suggestion behind it was changed."""
    for name, payload in edit.after.annotations.items():
        origin: dict[str, Any] = (payload or {}).get("suggested") or {}
        old = state.suggestions.get(origin.get("suggestion", ""))
        if (
            origin.get("changed")
            and old is not None
            and (old["answer"], old["annotation"]) == (AnswerKind.ACCEPTED, name)
        ):
            new = {**old, "answer": AnswerKind.CHANGED.value}
            return _with_answer(edit, origin["suggestion"], old=old, new=new)
    return edit


def _with_answer(
    action: PendingEvent, name: str, *, old: Payload | None, new: Payload
) -> PendingEvent:
    return replace(
        action,
        before=replace(action.before, suggestions={name: old}),
        after=replace(action.after, suggestions={name: new}),
    )
