"""What is kept on leaving comes back, and a kept place that no longer fits does no harm."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.editor.draft_samples import anchor, code, draft, keys, said, select, store, the_save
from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.samples import SampleKind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.editor import notes, save_results, suggestion_actions
from tui_annotate.editor.effects import Blink, Effects, Open, Page, Select
from tui_annotate.editor.messages import MessageCode, StatusMessage
from tui_annotate.editor.pending_saves import PendingSave
from tui_annotate.editor.resume_state import dump_state, omit_stored, restore
from tui_annotate.editor.state import Draft, Note, SideCursor
from tui_annotate.editor.suggestion_answers import to_annotation


def test_what_was_in_hand_comes_back() -> None:
    """Cursors, selection, evidence, notes and sentences that were read survive JSON."""
    made = draft()
    made.visited.update([0, 1])
    keys(made, "m")
    notes.keep_note_text(made, "on the sample")
    select(made, "15 million")
    keys(made, "space m")
    notes.finish_note(made, "why")
    again = draft()
    restore(again, json.loads(json.dumps(dump_state(made))))
    assert again.pointers[Side.SUMMARY] == made.pointers[Side.SUMMARY]
    assert again.evidence == made.evidence
    assert again.note == "why"
    assert again.kept_notes == {Note("sample"): "on the sample"}
    assert again.visited == {0, 1}


def test_an_edit_that_was_not_saved_is_no_part_of_it() -> None:
    """The annotation is in the store; its half-made change is not kept."""
    made = draft()
    store(made, keys(made, "1"))
    keys(made, "e space")
    kept = dump_state(made)
    assert kept["evidence"] == []
    assert kept["claim"] is None
    assert kept["note"] == ""


def apply_selections(on: Draft, effects: Effects) -> None:
    """Select what effects select, as the panes do."""
    for effect in effects:
        if isinstance(effect, Select):
            pointer = on.pointers[effect.side]
            on.pointers[effect.side] = SideCursor(pointer.document, pointer.offset, effect.span)


def reopened(made: Draft, *, stored: Sequence[Annotation] = ()) -> Draft:
    """The same sample, opened by another process after the work of `made` was kept as JSON."""
    again = draft()
    again.annotations = tuple(stored)
    restore(again, json.loads(json.dumps(dump_state(made))))
    return again


def test_a_refused_annotation_that_waits_for_other_work_is_kept() -> None:
    """The other work comes back in the draft, and the refused annotation after it."""
    made = draft()
    first = the_save([*keys(made, "1")])
    select(made, "15 million")
    save_results.apply_refused_save(made, first, "it changed meanwhile")
    again = reopened(made)
    assert again.saves.refused == (PendingSave(first, new=True),)
    assert again.claim == made.claim
    assert save_results.restore_first_refused(again) == []
    assert code(again) is MessageCode.MORE_NOT_SAVED
    again.pointers[Side.SUMMARY] = SideCursor(0, 30)
    again.message = StatusMessage(MessageCode.RATED, {"rating": "Good"})
    effects = save_results.restore_first_refused(again)
    assert effects[-1] == Select(Side.SUMMARY, first.claim[0].span)
    assert "Good" in said(again)
    assert MessageCode.NOT_SAVED_TRY_AGAIN.text() in said(again)
    assert not again.saves.refused


def test_an_annotation_on_its_way_to_the_store_is_kept_until_it_is_stored() -> None:
    """A process may end before the store has it, or before the answer of the store."""
    made = draft()
    sent = the_save([*keys(made, "1")])
    assert reopened(made).saves.refused == (PendingSave(sent, new=True),)
    stored = replace(sent, number=1, label_set="x")
    assert not reopened(made, stored=[stored]).saves.refused


@pytest.mark.parametrize("is_restored", [False, True])
def test_a_refused_edit_is_kept(is_restored: bool) -> None:
    """Both while it waits and when it is in the draft again; not after its version is stored."""
    made = draft()
    store(made, keys(made, "1"))
    stored = made.annotations
    changed = the_save([*keys(made, "e 2 space enter")])
    if not is_restored:
        select(made, "15 million")
    save_results.apply_refused_save(made, changed, "it changed meanwhile")
    assert bool(made.editing) is is_restored
    again = reopened(made, stored=stored)
    assert again.saves.refused == (PendingSave(changed, new=False),)
    save_results.restore_refused(again, again.saves.refused[0])
    assert (again.editing, again.labels) == (stored[0], list(changed.labels))
    assert again.evidence == list(changed.evidence)
    assert not reopened(made, stored=[replace(changed, version=2)]).saves.refused
    elsewhere = replace(stored[0], evidence=changed.evidence, note="other", version=2)
    assert reopened(made, stored=[elsewhere]).saves.refused == (PendingSave(changed, new=False),)


def test_a_refused_annotation_in_the_draft_is_still_refused_after_a_restart() -> None:
    """It comes back with its message, and the sample is not left without a warning."""
    made = draft()
    select(made, "15 million")
    keys(made, "space")
    effects = keys(made, "1")
    first = the_save([*effects])
    apply_selections(made, effects)
    apply_selections(made, save_results.apply_refused_save(made, first, "disk full"))
    again = reopened(made)
    (save,) = again.saves.refused
    assert (save.annotation.claim, save.annotation.evidence) == (first.claim, first.evidence)
    apply_selections(again, save_results.restore_first_refused(again))
    assert (again.claim, again.save_failed) == (first.claim, True)
    assert again.evidence == list(first.evidence)
    assert keys(again, "s") == [Blink()]
    assert [one.annotation.claim for one in reopened(again).saves.refused] == [first.claim]


def test_a_refused_passage_of_a_citation_is_kept() -> None:
    """Its selection is in the source, which the position alone does not have."""
    made = draft()
    made.sample = replace(made.sample, kind=SampleKind.CITATION)
    made.side = Side.SOURCE
    made.pointers[Side.SOURCE] = SideCursor(0, 4, Span(4, 10))
    sent = the_save([*keys(made, "1")])
    assert (sent.claim, len(sent.evidence)) == ((), 1)
    apply_selections(made, save_results.apply_refused_save(made, sent, "disk full"))
    kept = json.loads(json.dumps(dump_state(made)))
    again = draft()
    again.sample = made.sample
    restore(again, kept)
    assert [save.annotation.evidence for save in again.saves] == [sent.evidence]
    assert [save.annotation.claim for save in again.saves] == [()]


def test_a_changed_suggestion_that_was_not_stored_comes_back_as_an_annotation() -> None:
    """While its acceptance is on its way and after the refusal; not if the answer was stored."""
    made = draft()
    claim = anchor(made, "15 million", Side.SUMMARY)
    one = Suggestion(id="s1", claim=(claim,), labels=(("Intrinsic",),), maker="m", run="r")
    made.suggestions = (one,)
    changed = replace(to_annotation(made, one), note="mine")
    made.answering["s1"] = changed
    for _ in range(2):
        kept = json.loads(json.dumps(dump_state(made)))
        again = draft()
        again.suggestions = (one,)
        restore(again, kept)
        assert [save.annotation.note for save in again.saves.refused] == ["mine"]
        if made.answering:
            answered = draft()
            restore(answered, kept)
            assert not answered.saves.refused
            suggestion_actions.reopen_suggestion(made, one, "disk full")


def test_what_the_store_has_saved_is_not_kept() -> None:
    """Also if the position is written before the screen knows of the save."""
    made = draft()
    sent = the_save([*keys(made, "1")])
    kept = dump_state(made)
    assert len(omit_stored(kept, made.saves)["unsaved"]) == 1
    made.saves.confirm(sent, new=True)
    assert omit_stored(kept, made.saves)["unsaved"] == []
    edit = replace(sent, note="changed")
    made.saves.send(edit, new=False)
    assert len(omit_stored(dump_state(made), made.saves)["unsaved"]) == 1


def test_locked_work_keeps_what_was_refused_for_later() -> None:
    """Nothing can be saved, so it neither enters the draft nor prevents leaving the sample."""
    made = draft()
    first = the_save([*keys(made, "1")])
    kept = json.loads(json.dumps(dump_state(made)))
    locked = draft()
    restore(locked, kept, locked=True)
    assert save_results.restore_first_refused(locked) == []
    assert keys(locked, ">") == [Open(Page.SAMPLE, 1)]
    again = draft()
    restore(again, json.loads(json.dumps(dump_state(locked))))
    assert again.saves.refused == (PendingSave(first, new=True),)


def test_labels_of_a_kept_edit_can_be_saved() -> None:
    """Removed and retired ones are left out; without any, the stored ones come back."""
    made = draft()
    store(made, keys(made, "1"))
    stored = made.annotations
    changed = the_save([*keys(made, "e 2 enter")])
    save_results.apply_refused_save(made, changed, "it changed meanwhile")
    kept = json.loads(json.dumps(dump_state(made)))
    for labels, wanted in (
        ([["No such label"]], stored[0].labels),
        ([["No such label"], ["Benign"]], (("Benign",),)),
    ):
        kept["unsaved"][0]["annotation"]["labels"] = labels
        again = draft()
        again.annotations = stored
        restore(again, kept)
        assert [save.annotation.labels for save in again.saves] == [wanted]


def test_kept_annotations_must_fit_the_text() -> None:
    """An annotation with an anchor outside of the text is left out."""
    made = draft()
    keys(made, "1")
    kept = json.loads(json.dumps(dump_state(made)))
    kept["unsaved"][0]["annotation"]["claim"][0][3] = 99999
    again = draft()
    restore(again, kept)
    assert not again.saves.refused


@pytest.mark.parametrize(
    "kept",
    [
        {},
        {"unsaved": [3, {}, {"annotation": 3}, {"annotation": {"id": 1, "claim": "x"}}]},
        {"unsaved": [{"annotation": {"id": "x", "claim": [["summary", 9, 0, 3]]}, "new": 1}]},
        {"unsaved": [{"annotation": {"id": "x", "claim": [["summary", 0, 0, 3]], "imported": 3}}]},
        {"cursors": 3, "claim": "x", "evidence": 7, "kept": {}, "visited": "no", "note": None},
        {"cursors": {"summary": [5, 0], "source": [0, "x"]}, "claim": [9, 2]},
        {"cursors": {"summary": [1, 3], "source": [1, 3]}},
        {"cursors": {"summary": [0, 99999]}, "claim": [0, 99999], "evidence": [[7, 0, 3]]},
        {"evidence": [["a", 0, 3], [0, -1, 3], [0, 1], [-1, 0, 2]], "visited": [99, -1]},
    ],
)
def test_a_place_that_does_not_fit_is_left_out(kept: dict[str, Any]) -> None:
    """Whatever stands there, the draft is sound: offsets inside, nothing taken that is not."""
    made = draft()
    restore(made, kept)
    assert made.evidence == []
    assert not made.saves.refused
    assert made.pointers[Side.SUMMARY].selection is None
    assert 0 <= made.pointers[Side.SUMMARY].offset <= len(made.text(Side.SUMMARY))
    assert made.pointers[Side.SUMMARY].document == 0
    assert made.pointers[Side.SOURCE] == SideCursor()
    assert made.claim


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 100) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


_ANCHORS = st.lists(
    st.tuples(st.sampled_from(["summary", "source", "x"]), *[st.integers(-2, 90)] * 3)
)
_UNSAVED = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "new": _JSON,
            "annotation": st.fixed_dictionaries(
                {"id": _JSON, "claim": _ANCHORS, "evidence": _ANCHORS},
                optional={"note": _JSON, "labels": st.lists(st.lists(st.text()))},
            ),
        },
    )
)
_KEYS = ("cursors", "claim", "evidence", "note", "kept", "visited", "unsaved")


@given(
    st.fixed_dictionaries(
        {},
        optional={**dict.fromkeys(_KEYS, _JSON), "unsaved": _UNSAVED | _JSON},
    )
)
def test_any_json_at_all_leaves_a_sound_draft(kept: dict[str, Any]) -> None:
    """A place is advice, never trusted."""
    made = draft()
    restore(made, kept)
    kept_anchors = [each for save in made.saves for each in save.annotation.anchors]
    for each in kept_anchors:
        assert Span(0, len(made.text(each.side))).contains(each.span)
    for each in made.evidence:
        assert Span(0, len(made.text(Side.SOURCE))).contains(each.span)
    dump_state(made)
