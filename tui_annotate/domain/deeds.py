"""What each verb of an annotator does to a stream: from the state as it stands to an action.

Refuses what contradicts the state or the rules of the labels; what is merely missing is no error
before `finish`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from tui_annotate.domain.annotations import (
    Annotation,
    LabelPath,
    annotation_from_json,
    annotation_to_json,
)
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import Conflict, InvalidInput, NotFound
from tui_annotate.domain.history import RELABEL, Action, Change, Payload, StreamState
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.samples import Sample
from tui_annotate.domain.suggestions import edited_provenance

_QUOTED = 40


def add(state: StreamState, *new: Annotation) -> Action:
    """New annotations, mostly one; work on what was finished reopens it.

    Raises:
        Conflict: there is one with that id.
    """
    after = _fresh(state, new)
    return _action("add", state, before=dict.fromkeys(after), after=after)


def _fresh(state: StreamState, new: Iterable[Annotation]) -> dict[str, Payload]:
    after: dict[str, Payload] = {one.id: annotation_to_json(one) for one in new}
    for name in after.keys() & state.annotations.keys():
        raise Conflict(f"annotation {name} is there already", "edit it instead")
    return after


def edit(state: StreamState, annotation: Annotation, *new: Annotation, at: str) -> Action:
    """Another content for an annotation, which gets the next version.

    Args:
        annotation: the new content, with `version` (and `updated`, if it has one) as it was read.
        new: annotations that are made with it.
        at: this moment.

    Raises:
        NotFound: there is none with that id.
        Conflict: another version stands there now; or one of the new is there already.
    """
    before = _standing(state, annotation.id, annotation.version)
    if annotation.updated and before["updated"] != annotation.updated:
        raise _stale(annotation.id)
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
    more = _fresh(state, [replace(one, suggested=after.suggested) for one in new])
    return _action(
        "edit",
        state,
        before={annotation.id: before, **dict.fromkeys(more)},
        after={annotation.id: annotation_to_json(after), **more},
    )


def remove(state: StreamState, annotation_id: str, *, version: int) -> Action:
    """One annotation less.

    Raises:
        NotFound: there is none with that id.
        Conflict: another version stands there now.
    """
    before = _standing(state, annotation_id, version)
    return _action("remove", state, before={annotation_id: before}, after={annotation_id: None})


def settle(
    state: StreamState,
    verb: str,
    after: Mapping[str, Payload | None],
    *,
    words: Mapping[str, str] = MappingProxyType({}),
    done: bool = False,
) -> Action:
    """Several annotations at once, by id: as they are afterwards; None for one that goes.

    Args:
        words: what is said of the sample as a whole, `rating` or `comment` or both.
        done: the sample is finished with that; else work on what was finished reopens it.
    """
    before = {name: state.annotations.get(name) for name in after}
    action = _action(verb, state, before=before, after=after)
    finished = {"state": State.DONE.value} if done else {}
    moved = assign(state, verb, {**action.after.assignment, **words, **finished})
    return Action(
        verb,
        Change(before, moved.before.assignment),
        Change(dict(after), moved.after.assignment),
    )


def clear(state: StreamState, *, batch: str, words: bool = False) -> Action:
    """All annotations gone, as a part of one deed over several samples.

    Args:
        words: rating and comment go as well.
    """
    action = _action(
        "clear", state, before=state.annotations, after=dict.fromkeys(state.annotations)
    )
    said = {name: state.assignment[name] for name in ("rating", "comment") if words}
    before = {name: word for name, word in said.items() if word}
    return replace(
        action,
        batch=batch,
        before=Change(action.before.annotations, {**action.before.assignment, **before}),
        after=Change(
            action.after.annotations, {**action.after.assignment, **dict.fromkeys(before, "")}
        ),
    )


def relabel(
    state: StreamState,
    labels: Mapping[str, Iterable[LabelPath]],
    *,
    at: str,
    to: State | None = None,
) -> Action:
    """Other labels for annotations, by id, as the label set changed.

    Args:
        at: this moment.
        to: how far the work is with that; None for as far as it was.
    """
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
    if to is None or to == state.assignment["state"]:
        return Action(RELABEL, Change(before), Change(after))
    moved = assign(state, RELABEL, {"state": to.value})
    return Action(
        RELABEL, Change(before, moved.before.assignment), Change(after, moved.after.assignment)
    )


def reopened(state: StreamState) -> State | None:
    """How far work with annotations is once it must be looked at again; None if it is open anyhow.

    Imports that do not tell how far people were are `new`, and count as finished.
    """
    now = State(state.assignment["state"])
    return State.REOPENED if now.finished or now is State.NEW else None


def restore(state: StreamState, action: Action, event_id: str, *, states: bool) -> Action:
    """Takes back what a change of the labels did, as far as it stands as that left it.

    Args:
        action: what it did, as the event `event_id` of the stream.
        states: whether the state of the work goes back too.
    """
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
    return Action(
        RELABEL,
        Change({name: action.after.annotations[name] for name in kept}, dict(assigned)),
        Change(
            {name: action.before.annotations[name] for name in kept},
            {name: action.before.assignment[name] for name in assigned},
        ),
        undoes=event_id,
    )


def assign(state: StreamState, verb: str, parts: Mapping[str, str]) -> Action:
    """Another state, rating or comment: `parts` are the ones that are meant to change."""
    before = {name: state.assignment[name] for name in parts}
    return Action(verb, Change({}, before), Change({}, dict(parts)))


def opine(state: StreamState, verb: str, parts: Mapping[str, str]) -> Action:
    """As `assign`, for a rating or a comment: giving one begins a sample, and reopens none."""
    new = state.assignment["state"] == State.NEW.value and any(parts.values())
    return assign(state, verb, {**parts, "state": State.DRAFT.value} if new else parts)


def _standing(state: StreamState, annotation_id: str, version: int) -> Payload:
    payload = state.annotations.get(annotation_id)
    if payload is None:
        raise NotFound(
            f"there is no annotation {annotation_id} of yours on this sample", "was it removed?"
        )
    if payload["version"] != version:
        raise _stale(annotation_id)
    return payload


def _stale(annotation_id: str) -> Conflict:
    return Conflict(
        f"it changed since it was read (annotation {annotation_id})",
        "look at it as it is now, and do it again",
    )


def _action(
    verb: str,
    state: StreamState,
    *,
    before: Mapping[str, Payload | None],
    after: Mapping[str, Payload | None],
) -> Action:
    """The change of annotations, with what it does to the state of the assignment."""
    old = State(state.assignment["state"])
    new = State.REOPENED if old.finished else State.DRAFT if old is State.NEW else old
    moved = ({"state": old.value}, {"state": new.value}) if new is not old else ({}, {})
    return Action(verb, Change(before, moved[0]), Change(after, moved[1]))


def finish(state: StreamState, sample: Sample, labels: LabelTree) -> Action:
    """The sample done, also with nothing found.

    Raises:
        Conflict: an annotation lacks something that its label requires; says which and what.
    """
    drafts = [
        (annotation, missing)
        for annotation in map(annotation_from_json, state.annotations.values())
        if (missing := labels.lacks(annotation))
    ]
    if drafts:
        annotation, missing = min(drafts, key=lambda draft: draft[0].anchors)
        more = f"; {len(drafts) - 1} more are incomplete" if len(drafts) > 1 else ""
        raise Conflict(
            f"{_quote(annotation, sample)} lacks {' and '.join(missing)}{more}",
            "complete it (e), or delete it (x)",
        )
    return assign(state, "done", {"state": State.DONE.value})


def _quote(annotation: Annotation, sample: Sample) -> str:
    anchor = annotation.anchors[0]
    quote = anchor.span.of(sample.document(anchor.side, anchor.index).text)
    return repr(quote if len(quote) <= _QUOTED else quote[: _QUOTED - 1] + "…")


def rating(word: str, scale: tuple[str, ...]) -> str:
    """A word of the scale, or the empty one, which takes a rating back; any without a scale.

    Raises:
        InvalidInput: it is not in the scale.
    """
    if word and scale and word not in scale:
        raise InvalidInput(f"{word!r} is not a rating", "ratings: " + ", ".join(scale))
    return word
