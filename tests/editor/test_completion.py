"""Completing, skipping and flagging a sample."""

from __future__ import annotations

from tests.editor.draft_samples import (
    code,
    draft,
    keys,
    said,
    seen,
    select,
    store,
)
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.samples import Side
from tui_annotate.editor import completion
from tui_annotate.editor.effects import (
    Blink,
    Finish,
    GoTo,
    Select,
)
from tui_annotate.editor.messages import MessageCode
from tui_annotate.editor.state import SideCursor
from tui_annotate.editor.words import draft_line

DONE = [Select(Side.SUMMARY, None), Finish("done")]


def test_enter_finishes_a_sample_that_was_read() -> None:
    """Also with nothing found."""
    assert keys(seen(draft()), "enter") == DONE


def test_sentences_never_on_screen_are_said_once() -> None:
    """The first Enter names them, the second finishes."""
    made = draft()
    made.visited.update([0])
    assert keys(made, "enter") == [Blink()]
    assert code(made) is MessageCode.NOT_ALL_SEEN
    assert made.message.fields["sentences"] == [2, 3]
    assert "2, 3 " in said(made)
    assert keys(made, "enter") == DONE
    moved = draft()
    moved.visited.update([0, 1])
    keys(moved, "enter")
    assert moved.message.fields["sentences"] == [3]
    assert " 3 " in said(moved)


def test_enter_never_finishes_over_an_open_draft() -> None:
    """Taken evidence, a waiting note, a kept note: each says what to do first."""
    made = seen(draft())
    assert keys(made, "space enter") == [Blink()]
    assert code(made) is MessageCode.EVIDENCE_IN_HAND
    keys(made, "backspace")
    made.note = "why"
    assert keys(made, "enter") == [Blink()]
    assert code(made) is MessageCode.NOTE_IN_HAND
    keys(made, "backspace")
    assert made.note == ""
    assert keys(made, "enter") == DONE


def test_enter_in_the_source_is_never_done() -> None:
    """V: back to the summary."""
    made = seen(draft())
    keys(made, "tab enter")
    assert made.side is Side.SUMMARY


def test_what_a_label_wants_blocks_done_and_is_shown() -> None:
    """The first annotation that lacks something comes into focus, with the reason."""
    made = seen(draft())
    saved = store(made, keys(made, "4 enter"))
    made.enable_digits()
    effects = keys(made, "enter")
    assert effects == [GoTo(Side.SUMMARY, 0, 0)]
    assert made.focused == saved.id
    assert (code(made), made.message.kind) == (MessageCode.LABEL_LACKS, "warning")
    assert all(words in said(made) for words in ("A (Sourced)", " e "))
    assert " m " not in said(made)
    assert dict(made.message.fields) == {"letter": "A", "label": "Sourced", "lacks": "evidence"}
    store(made, keys(made, "e space enter"))
    made.enable_digits()
    assert keys(made, "enter") == DONE


def test_skip_is_at_once() -> None:
    """S skips, with nothing asked."""
    assert keys(draft(), "s") == [Finish("skip")]


def test_a_saved_annotation_is_told_with_what_can_follow() -> None:
    """The line changes from saving to saved only when the store has answered."""
    made = draft()
    effects = keys(made, "1")
    (saving,) = made.saves.sent
    assert draft_line(made)[1] == "hint"
    store(made, effects)
    assert made.just_saved == saving
    words, kind = draft_line(made)
    assert kind == "saved"
    assert all(part in words for part in ("Intrinsic", "u ", "m ", "e "))
    assert made.saves.sent == {}


def test_a_new_sample_begins_where_nothing_is_marked() -> None:
    """At its first such sentence; where all are marked, at the start."""
    made = draft()
    marks = [
        Annotation(str(at), (Anchor(Side.SUMMARY, 0, segment.span),))
        for at, segment in enumerate(made.sentences(Side.SUMMARY, 0))
    ]
    for count, offset in ((0, 0), (1, 20), (3, 0)):
        made.pointers[Side.SUMMARY] = SideCursor()
        made.annotations = tuple(marks[:count])
        completion.move_to_first_unmarked(made)
        assert made.pointers[Side.SUMMARY].offset == offset


def test_enter_asks_once_before_it_drops_a_selection() -> None:
    """Words that were selected were about to be saved; other words are asked about again."""
    made = seen(draft())
    for words in ("loved", "million"):
        select(made, words)
        assert keys(made, "enter") == [Blink()]
        assert code(made) is MessageCode.SELECTION_NOT_SAVED
    assert keys(made, "enter") == DONE


def test_enter_asks_once_for_a_selection_and_unseen_sentences() -> None:
    """Both are named; other words are asked about again, the sentences are not."""
    made = draft()
    made.visited.update([0])
    select(made, "loved")
    assert keys(made, "enter") == [Blink()]
    assert code(made) is MessageCode.SELECTION_NOT_SAVED_NOT_ALL_SEEN
    assert made.message.fields["sentences"] == [2, 3]
    assert "2, 3 " in said(made)
    assert keys(made, "enter") == DONE
    select(made, "million")
    assert keys(made, "enter") == [Blink()]
    assert code(made) is MessageCode.SELECTION_NOT_SAVED
    assert keys(made, "enter") == DONE
