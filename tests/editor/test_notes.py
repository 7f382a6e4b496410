"""Notes: what they are on, and what becomes of them."""

from __future__ import annotations

from tests.editor.draft_samples import INTRINSIC, code, draft, drop, keys, select, store
from tui_annotate.domain.annotations import LabelPath, PastAnnotation
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.editor import notes
from tui_annotate.editor.effects import Blink, Comment, Finish, GoTo, Open, OpenNote, Page, Save
from tui_annotate.editor.key_state import NOTE, READING
from tui_annotate.editor.messages import MessageCode, StatusMessage
from tui_annotate.editor.press import press
from tui_annotate.editor.state import Note


def test_right_after_a_save_the_note_is_on_what_was_saved() -> None:
    """m, text, Enter: a new version of the annotation with the note."""
    made = draft()
    saved = store(made, keys(made, "1"))
    assert keys(made, "m") == [OpenNote("")]
    assert made.state is NOTE
    effects = notes.finish_note(made, "  12, not 15  ")
    (save,) = [effect for effect in effects if isinstance(effect, Save)]
    assert save.annotation.note == "12, not 15"
    assert not save.new
    assert save.annotation.id == saved.id
    assert made.state is READING
    store(made, effects)
    assert made.just_saved == saved.id
    assert keys(made, "m") == [OpenNote("12, not 15")]
    assert notes.finish_note(made, "12, not 15") == []


def test_m_before_the_store_has_answered_is_on_the_same_annotation() -> None:
    """The note line opens at once."""
    made = draft()
    keys(made, "1")
    assert keys(made, "m") == [OpenNote("")]


def test_without_an_annotation_in_focus_the_note_is_on_the_sample() -> None:
    """The stored comment stands in the line."""
    made = draft()
    made.comment = "odd"
    assert press(made, "note.write") == [OpenNote("odd")]
    assert notes.finish_note(made, "very odd ") == [Comment("very odd")]


def test_a_claim_in_hand_gets_its_note_before_its_label() -> None:
    """The next save takes the note along."""
    made = draft()
    select(made, "loved")
    assert keys(made, "m") == [OpenNote("")]
    assert notes.finish_note(made, "who says") == []
    assert made.note == "who says"
    assert store(made, keys(made, "1")).note == "who says"
    assert made.note == ""


def test_an_edit_has_its_note_at_hand() -> None:
    """M in E changes the note of the edit; Enter saves it with the rest."""
    made = draft()
    store(made, keys(made, "1"))
    keys(made, "e")
    assert keys(made, "m") == [OpenNote("")]
    notes.finish_note(made, "why")
    assert store(made, keys(made, "enter")).note == "why"


def test_escape_keeps_the_text_for_the_next_time() -> None:
    """The kept text blocks Done, and comes back with m."""
    made = draft()
    made.visited.update(range(3))
    saved = store(made, keys(made, "1"))
    keys(made, "m")
    assert notes.keep_note_text(made, "half a th") == []
    assert code(made) is MessageCode.NOTE_KEPT
    assert made.kept_notes == {Note("annotation", saved.id): "half a th"}
    made.enable_digits()
    assert keys(made, "enter") == [GoTo(Side.SUMMARY, 0, 0)]
    assert code(made) is MessageCode.NOTE_KEPT_ON
    assert dict(made.message.fields) == {"letter": "A", "label": "Intrinsic"}
    assert keys(made, "m") == [OpenNote("half a th")]
    notes.keep_note_text(made, "")
    assert made.kept_notes == {}


def test_escape_on_an_unchanged_note_keeps_nothing() -> None:
    """What the store has already stands in nobody's way."""
    made = draft()
    saved = store(made, keys(made, "1"))
    keys(made, "m")
    store(made, notes.finish_note(made, "why"))
    keys(made, "m")
    notes.keep_note_text(made, " why ")
    assert made.kept_notes == {}
    assert made.focused == saved.id


def test_a_comment_that_was_only_read_is_not_kept() -> None:
    """Esc leaves the sample's comment as it is stored; Done waits for nothing then."""
    made = draft()
    made.comment = "too short"
    notes.write_comment(made)
    assert notes.keep_note_text(made, "too short ") == []
    assert made.kept_notes == {}
    notes.write_comment(made)
    notes.keep_note_text(made, "too short, too old")
    assert made.kept_notes == {Note("sample"): "too short, too old"}


def test_done_leads_to_the_note_that_is_kept() -> None:
    """Whatever was in focus: the next m opens the kept note of that annotation, claim or sample."""
    made = draft()
    made.visited.update(range(3))
    first = store(made, keys(made, "1"))
    keys(made, "m")
    notes.keep_note_text(made, "half")
    made.enable_digits()
    store(made, keys(made, "2"))
    keys(made, "enter")
    assert made.focused == first.id
    assert keys(made, "m") == [OpenNote("half")]
    notes.keep_note_text(made, "")
    made.enable_digits()
    keys(made, "m")
    notes.keep_note_text(made, "odd")
    assert code(made) is MessageCode.COMMENT_KEPT
    keys(made, "a enter")
    assert code(made) is MessageCode.COMMENT_KEPT_ON
    assert keys(made, "m") == [OpenNote("odd")]
    notes.keep_note_text(made, "")
    select(made, "loved")
    keys(made, "m")
    notes.keep_note_text(made, "who")
    keys(made, "backspace")
    assert keys(made, "enter") == [Blink()]
    assert code(made) is MessageCode.NOTE_KEPT_FOR_CLAIM


def test_a_note_kept_on_a_deleted_annotation_is_in_nobodys_way() -> None:
    """Done goes on; the text comes back with its annotation."""
    made = draft()
    made.visited.update(range(3))
    store(made, keys(made, "1"))
    keys(made, "m")
    notes.keep_note_text(made, "half")
    drop(made, keys(made, "x"))
    assert Finish("done") in keys(made, "enter")
    assert list(made.kept_notes.values()) == ["half"]


def test_a_note_on_a_vanished_annotation_keeps_its_text() -> None:
    """Nothing that was typed is lost."""
    made = draft()
    store(made, keys(made, "1"))
    keys(made, "m")
    made.annotations = ()
    assert notes.finish_note(made, "text") == []
    assert code(made) is MessageCode.ANNOTATION_OF_NOTE_GONE
    assert list(made.kept_notes.values()) == ["text"]


def test_a_label_without_notes_opens_none() -> None:
    """The label set's rule is said."""
    made = draft()
    store(made, keys(made, "5"))
    assert keys(made, "m") == []
    assert code(made) is MessageCode.NO_NOTE_UNDER_LABEL
    assert made.message.fields["label"] == "Bare"


def test_a_reason_in_own_words_flags() -> None:
    """0 after !, a text, Enter; Esc flags nothing."""
    made = draft()
    keys(made, "! 0")
    assert notes.finish_note(made, "two texts in one") == [Finish("flag", "two texts in one")]
    keys(made, "! 0")
    assert notes.keep_note_text(made, "two") == []
    assert made.kept_notes == {}


def test_closing_a_note_that_is_not_open_does_nothing() -> None:
    """A late message of the line changes nothing."""
    made = draft()
    assert notes.finish_note(made, "x") == []
    assert notes.keep_note_text(made, "x") == []


def test_a_deleted_annotation_leaves_the_note_on_the_sample() -> None:
    """After x the focus is gone, and m is on the sample again."""
    made = draft()
    store(made, keys(made, "1"))
    drop(made, keys(made, "x"))
    assert keys(made, "m") == [OpenNote("")]


SAVES_AS_INTRINSIC = StatusMessage(MessageCode.REPEAT_SAVES, {"label": "Intrinsic"})


def former(note: str, *labels: LabelPath) -> PastAnnotation:
    """A former annotation."""
    return PastAnnotation(SampleKey("d", "old"), "old", "words", labels, note, 0.9)


def test_a_former_note_comes_into_hand_and_its_label_is_offered() -> None:
    """Nothing is saved before r, or a digit for another label."""
    made = draft()
    select(made, "15 million pounds")
    assert keys(made, "R") == [Open(Page.PAST_ANNOTATIONS)]
    assert notes.take(made, former("12, not 15", INTRINSIC)) == []
    assert made.message.fields["first"] == StatusMessage(MessageCode.NOTE_TAKEN)
    assert made.message.fields["more"] == SAVES_AS_INTRINSIC
    saved = store(made, keys(made, "r"))
    assert (saved.note, saved.labels) == ("12, not 15", (INTRINSIC,))


def test_a_note_in_hand_is_not_written_over() -> None:
    """The label is offered all the same; a label that the set has no more is not."""
    made = draft()
    made.note = "mine"
    notes.take(made, former("theirs", INTRINSIC))
    assert made.note == "mine"
    assert made.message.fields["first"] == StatusMessage(MessageCode.NOTE_IN_HAND_ALREADY)
    assert made.message.fields["more"] == SAVES_AS_INTRINSIC
    made.note = ""
    notes.take(made, former("", ("Gone",)))
    assert code(made) is MessageCode.FORMER_HAS_NO_NOTE
    assert made.last_label == INTRINSIC


def test_a_former_note_on_an_annotation_is_read_before_it_is_saved() -> None:
    """In focus: the note line opens with it. While editing it is in hand, r toggles the label."""
    made = draft()
    saved = store(made, keys(made, "2"))
    assert notes.claim_to_search(made) == (saved.claim[0], saved.id)
    assert notes.take(made, former("so it is", INTRINSIC)) == [OpenNote("so it is")]
    assert made.writing == Note("annotation", saved.id)
    notes.keep_note_text(made, "")
    assert notes.take(made, former("", INTRINSIC)) == []
    assert made.state is READING
    keys(made, "e")
    notes.take(made, former("so it is", INTRINSIC))
    assert made.message.fields["first"] == StatusMessage(MessageCode.NOTE_TAKEN)
    assert made.message.fields["more"] == StatusMessage(
        MessageCode.REPEAT_TOGGLES, {"label": "Intrinsic"}
    )
    keys(made, "r")
    assert made.labels == [*saved.labels, INTRINSIC]
    assert notes.claim_to_search(made) == (saved.claim[0], saved.id)


def test_without_words_there_is_nothing_to_look_for() -> None:
    """An empty summary blinks."""
    made = draft()
    made.segments = (*made.segments[:-1], ())
    assert keys(made, "R") == [Blink()]
    assert code(made) is MessageCode.NO_WORDS_TO_LOOK_FOR
