"""What a person's answer to a suggestion does to their stream: from its state to an action."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tui_annotate.domain import deeds
from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import Conflict
from tui_annotate.domain.history import Action, Payload, StreamState
from tui_annotate.domain.suggestions import Answer, Given, Suggestion, given_to_json


def check_open(state: StreamState, suggestion: Suggestion) -> Payload | None:
    """Refuses an answer to what stands; gives the answer that another one may take the place of.

    Raises:
        Conflict: what was made of it stands.
    """
    old = state.suggestions.get(suggestion.id)
    if old is not None and old["annotation"] in state.annotations:
        raise Conflict(
            "this suggestion is taken already",
            "edit its annotation (e), delete it (x), or undo (u)",
        )
    return old


def accept(state: StreamState, suggestion: Suggestion, *new: Annotation) -> Action:
    """A suggestion becomes work of the person; work on what was finished reopens it.

    What was refused, or taken and removed since, may be taken after all.

    Args:
        new: what is made of it, the first as `suggestions.taken` gives it.

    Raises:
        Conflict: what was made of it stands.
    """
    old = check_open(state, suggestion)
    changed = new[0].suggested is not None and new[0].suggested.changed
    given = Given(
        answer=Answer.CHANGED if changed else Answer.ACCEPTED,
        maker=suggestion.maker,
        annotation=new[0].id,
    )
    action = replace(deeds.add(state, *new), verb="accept")
    return _answering(action, suggestion.id, old=old, new=given_to_json(given))


def refuse(state: StreamState, suggestion: Suggestion, *, reason: str) -> Action:
    """A suggestion is wrong, for a reason that may be empty; begins a sample, and reopens none.

    Raises:
        Conflict: what was made of it stands, or it was refused for that reason already.
    """
    old = check_open(state, suggestion)
    new = given_to_json(Given(answer=Answer.REFUSED, maker=suggestion.maker, reason=reason))
    if old == new:
        raise Conflict("this suggestion is refused already", "give another reason, or undo (u)")
    fresh = state.assignment["state"] == State.NEW.value
    action = deeds.assign(state, "refuse", {"state": State.DRAFT.value} if fresh else {})
    return _answering(action, suggestion.id, old=old, new=new)


def edited(state: StreamState, edit: Action) -> Action:
    """An edit, which says also of a suggestion that was taken as it was that it is so no longer."""
    for name, payload in edit.after.annotations.items():
        origin: dict[str, Any] = (payload or {}).get("suggested") or {}
        old = state.suggestions.get(origin.get("suggestion", ""))
        if (
            origin.get("changed")
            and old is not None
            and (old["answer"], old["annotation"]) == (Answer.ACCEPTED, name)
        ):
            new = {**old, "answer": Answer.CHANGED.value}
            return _answering(edit, origin["suggestion"], old=old, new=new)
    return edit


def _answering(action: Action, name: str, *, old: Payload | None, new: Payload) -> Action:
    """An action with which the answer to a suggestion changes."""
    return replace(
        action,
        before=replace(action.before, suggestions={name: old}),
        after=replace(action.after, suggestions={name: new}),
    )
