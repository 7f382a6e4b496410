"""What answers to suggestions do to a stream."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tui_annotate.domain import deeds, taking
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.errors import Conflict
from tui_annotate.domain.history import Action, Change, StreamState
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import Answer, Suggestion, given_from_json, taken

CLAIM = (Anchor(Side.SUMMARY, 0, Span(3, 9)),)
ONE = Suggestion(id="s", maker="m", run="r", claim=CLAIM)
FRESH = StreamState()


def _taken() -> StreamState:
    return FRESH.applied(taking.accept(FRESH, ONE, taken("ana", ONE, None)))


def _answer(state: StreamState) -> Answer:
    return given_from_json(state.suggestions["s"]).answer


def test_taking_is_a_deed_that_can_be_taken_back() -> None:
    """An annotation and an answer, both gone with the inverse."""
    action = taking.accept(FRESH, ONE, taken("ana", ONE, None))
    state = FRESH.applied(action)
    assert (action.verb, _answer(state)) == ("accept", Answer.ACCEPTED)
    assert state.suggestions["s"]["annotation"] in state.annotations
    assert state.applied(action.inverse("e")).same(FRESH)


def test_refusing_leaves_a_finished_sample_finished() -> None:
    """It begins what is new, and reopens nothing."""
    done = FRESH.applied(deeds.assign(FRESH, "done", {"state": "done"}))
    assert done.applied(taking.refuse(done, ONE, reason="")).assignment["state"] == "done"
    assert FRESH.applied(taking.refuse(FRESH, ONE, reason="")).assignment["state"] == "draft"


def test_what_stands_is_not_answered_anew() -> None:
    """Neither taken twice, nor refused; nor refused twice for the same reason."""
    state = _taken()
    with pytest.raises(Conflict):
        taking.accept(state, ONE, taken("ana", ONE, None))
    with pytest.raises(Conflict):
        taking.refuse(state, ONE, reason="")
    refused = FRESH.applied(taking.refuse(FRESH, ONE, reason="no"))
    with pytest.raises(Conflict):
        taking.refuse(refused, ONE, reason="no")
    assert _answer(refused.applied(taking.refuse(refused, ONE, reason="yes"))) is Answer.REFUSED


def test_an_edit_of_the_content_changes_the_answer_once() -> None:
    """A note does not; what was changed already stays so; other annotations are nobody's answer."""
    state = _taken()
    (name,) = state.annotations
    made = taken("ana", ONE, None)
    noted = deeds.edit(state, replace(made, note="so"), at="t")
    assert taking.edited(state, noted) == noted
    other = deeds.edit(state, replace(made, labels=(("L",),)), at="t")
    changed = state.applied(taking.edited(state, other))
    assert _answer(changed) is Answer.CHANGED
    assert changed.annotations[name]["suggested"]["changed"]
    again = deeds.edit(changed, replace(made, version=2), at="t")
    assert taking.edited(changed, again) == again
    plain = deeds.edit(
        FRESH.applied(deeds.add(FRESH, Annotation("a", CLAIM))), Annotation("a", CLAIM), at="t"
    )
    assert taking.edited(state, plain) == plain


def test_an_edit_of_a_copy_is_no_answer() -> None:
    """What an import made of the same suggestion under another id leaves the answer as it is."""
    state = _taken()
    copy = replace(taken("ana", ONE, None), id="copy")
    both = state.applied(deeds.add(state, copy))
    edit = deeds.edit(both, replace(copy, labels=(("L",),)), at="t")
    assert taking.edited(both, edit) == edit


def test_changes_without_answers_are_told_as_before() -> None:
    """So events from before there were suggestions keep their hashes."""
    assert Change().as_json() == {"annotations": {}, "assignment": {}}
    told = Change({}, {}, {"s": None}).as_json()
    assert told["suggestions"] == {"s": None}
    assert Change.from_json(told) == Change({}, {}, {"s": None})
    assert Change.from_json(Change().as_json()) == Change()


def test_a_stale_answer_is_refused() -> None:
    """As any other action on what stands no longer so."""
    stale = Action("refuse", Change({}, {}, {"s": None}), Change({}, {}, {"s": {"x": 1}}))
    with pytest.raises(Conflict):
        _taken().applied(stale)
