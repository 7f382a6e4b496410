"""What is kept on leaving comes back, and a kept place that no longer fits does no harm."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.editor.draft_samples import code, draft, keys, select, store, the_save
from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor import notes, save_results
from tui_annotate.editor.effects import Select
from tui_annotate.editor.messages import MessageCode
from tui_annotate.editor.pending_saves import PendingSave
from tui_annotate.editor.resume_state import dump_state, restore
from tui_annotate.editor.state import Draft, Note, SideCursor


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
    again.pointers[Side.SUMMARY] = SideCursor(0, 30)
    effects = save_results.restore_first_refused(again)
    assert effects[-1] == Select(Side.SUMMARY, first.claim[0].span)
    assert code(again) is MessageCode.NOT_SAVED_TRY_AGAIN
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


def test_kept_annotations_lose_labels_that_are_gone_and_must_fit_the_text() -> None:
    """The person chooses the label again; an anchor outside of the text is left out."""
    made = draft()
    first = the_save([*keys(made, "1")])
    kept = json.loads(json.dumps(dump_state(made)))
    kept["unsaved"][0]["annotation"]["labels"] = [["No such label"]]
    again = draft()
    restore(again, kept)
    assert [save.annotation for save in again.saves] == [replace(first, labels=())]
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
    kept_anchors = [anchor for save in made.saves for anchor in save.annotation.anchors]
    for anchor in kept_anchors:
        assert Span(0, len(made.text(anchor.side))).contains(anchor.span)
    for anchor in made.evidence:
        assert Span(0, len(made.text(Side.SOURCE))).contains(anchor.span)
    dump_state(made)
