"""What is kept on leaving comes back, and a kept place that no longer fits does no harm."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.editor.draft_samples import draft, keys, select, store
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor import notes
from tui_annotate.editor.resume_state import dump_state, restore
from tui_annotate.editor.state import Note, SideCursor


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


@pytest.mark.parametrize(
    "kept",
    [
        {},
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


@given(
    st.fixed_dictionaries(
        {},
        optional=dict.fromkeys(("cursors", "claim", "evidence", "note", "kept", "visited"), _JSON),
    )
)
def test_any_json_at_all_leaves_a_sound_draft(kept: dict[str, Any]) -> None:
    """A place is advice, never trusted."""
    made = draft()
    restore(made, kept)
    for anchor in made.evidence:
        assert Span(0, len(made.text(Side.SOURCE))).contains(anchor.span)
    dump_state(made)
