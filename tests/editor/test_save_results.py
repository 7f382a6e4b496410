"""What the open sample becomes when the store has answered, or refuses."""

from __future__ import annotations

from tests.editor.draft_samples import (
    anchor,
    code,
    draft,
    key,
    keys,
    said,
    seen,
    select,
    store,
    the_save,
)
from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.history import UNDOABLE
from tui_annotate.domain.samples import Side
from tui_annotate.editor import cursor_actions, notes, save_results
from tui_annotate.editor.effects import (
    Blink,
    Finish,
    GoTo,
    Open,
    OpenNote,
    Page,
    Remove,
    Save,
    Select,
)
from tui_annotate.editor.key_state import NOTE
from tui_annotate.editor.messages import MessageCode, StatusMessage
from tui_annotate.editor.pending_saves import PendingSave
from tui_annotate.editor.state import Draft, SideCursor

DONE = [Select(Side.SUMMARY, None), Finish("done")]


def test_a_label_that_wants_a_note_opens_the_note_line_after_the_save() -> None:
    """Esc there leaves a draft that blocks Done."""
    made = seen(draft())
    (saved,) = [effect for effect in keys(made, "6") if isinstance(effect, Save)]
    opened = save_results.apply_saved(made, saved.annotation, [saved.annotation])
    assert opened == [OpenNote("")]
    assert made.state is NOTE
    made.writing = None
    made.enable_digits()
    keys(made, "enter")
    assert code(made) is MessageCode.LABEL_LACKS_NOTE
    assert " e " not in said(made)
    assert dict(made.message.fields) == {"letter": "A", "label": "Told", "lacks": "note"}


def test_a_refused_save_comes_back_into_hand() -> None:
    """Claim, evidence and note are as they were; the reason is an error; a digit tries again."""
    made = draft()
    select(made, "loved")
    keys(made, "space")
    made.note = "why"
    annotation = the_save([*keys(made, "1")])
    cursor_actions.set_pointer(made, Side.SUMMARY, SideCursor(0, 18))
    effects = save_results.apply_refused_save(made, annotation, "disk full")
    assert made.message == StatusMessage(MessageCode.NOT_SAVED, {"reason": "disk full"}, "error")
    assert effects[-1] == Select(Side.SUMMARY, annotation.claim[0].span)
    cursor_actions.set_pointer(made, Side.SUMMARY, SideCursor(0, 18, annotation.claim[0].span))
    again = the_save([*keys(made, "1")])
    assert (again.claim, again.evidence, again.note) == (
        annotation.claim,
        annotation.evidence,
        "why",
    )


def test_a_refused_save_waits_while_the_hand_is_full() -> None:
    """What was selected meanwhile stays; the refused one comes back after it."""
    made = seen(draft())
    first = the_save([*keys(made, "1")])
    select(made, "15 million")
    assert save_results.apply_refused_save(made, first, "disk full") == []
    assert code(made) is MessageCode.NOT_SAVED_COMES_BACK
    assert dict(made.message.fields) == {"label": "Intrinsic", "reason": "disk full"}
    assert made.saves.refused == (PendingSave(first, new=True),)
    assert keys(made, "s") == [Blink()]
    assert keys(made, "!") == [Blink()]
    second = the_save([*keys(made, "2")])
    cursor_actions.set_pointer(made, Side.SUMMARY, SideCursor(0, 30))
    effects = save_results.apply_saved(made, second, [second])
    assert effects[-1] == Select(Side.SUMMARY, first.claim[0].span)
    assert not made.saves.refused


def test_enter_brings_back_what_was_refused() -> None:
    """A sample with a refused save is not finished."""
    made = seen(draft())
    first = the_save([*keys(made, "1")])
    select(made, "15 million")
    save_results.apply_refused_save(made, first, "disk full")
    effects = keys(made, "enter")
    assert effects[-1] == Select(Side.SUMMARY, first.claim[0].span)
    assert code(made) is MessageCode.NOT_SAVED_TRY_AGAIN


def test_a_refused_save_waits_behind_taken_evidence_too() -> None:
    """Enter first names the evidence that was taken."""
    made = seen(draft())
    first = the_save([*keys(made, "1")])
    keys(made, "down space")
    save_results.apply_refused_save(made, first, "disk full")
    assert keys(made, "enter") == [Blink()]
    assert code(made) is MessageCode.MORE_NOT_SAVED
    assert made.message.fields["count"] == 1


def test_a_refused_edit_is_an_edit_again() -> None:
    """Its labels and evidence come back as changes of the stored annotation."""
    made = draft()
    store(made, keys(made, "1"))
    changed = the_save([*keys(made, "e 2 space enter")])
    save_results.apply_refused_save(made, changed, "it changed meanwhile")
    assert made.editing == made.annotations[0]
    assert made.labels == list(changed.labels)
    assert made.evidence == list(changed.evidence)


def test_a_refused_edit_has_the_claim_that_it_gave() -> None:
    """Other words were selected for it: they are selected again."""
    made = draft()
    store(made, keys(made, "1"))
    keys(made, "e")
    select(made, "15 million")
    changed = the_save([*keys(made, "enter")])
    cursor_actions.set_pointer(made, Side.SUMMARY, SideCursor(0, 0))
    effects = save_results.apply_refused_save(made, changed, "it changed meanwhile")
    assert effects[-1] == Select(Side.SUMMARY, changed.claim[0].span)


def test_a_label_that_wants_a_note_is_content_with_the_one_in_hand() -> None:
    """What was written before the label is not asked for again."""
    made = draft()
    made.note = "why"
    (saved,) = [effect for effect in keys(made, "6") if isinstance(effect, Save)]
    assert save_results.apply_saved(made, saved.annotation, [saved.annotation]) == []
    assert made.writing is None


def test_an_undone_annotation_comes_back_into_hand() -> None:
    """U and another digit: the claim and its evidence need not be found again."""
    made = draft()
    select(made, "loved")
    keys(made, "space")
    saved = store(made, keys(made, "1"))
    effects = save_results.replace_annotations(made, (), "undone: Intrinsic", gone=saved)
    assert effects[-1] == Select(Side.SUMMARY, saved.claim[0].span)
    assert made.evidence == list(saved.evidence)
    assert said(made) == "undone: Intrinsic"
    assert not made.digits_off
    select(made, "loved")
    again = store(made, keys(made, "2"))
    assert (again.claim, again.evidence) == (saved.claim, saved.evidence)
    assert again.labels == (("Unwanted", "Extrinsic"),)


def test_what_an_undo_brings_back_is_in_focus() -> None:
    """After a deletion was undone, x and e are for that annotation."""
    made = draft()
    first = store(made, keys(made, "1"))
    select(made, "Nobody")
    second = store(made, keys(made, "2"))
    for _ in range(2):
        assert keys(made, "x") == [Remove(second)]
        save_results.replace_annotations(made, (first,), "deleted")
        effects = save_results.replace_annotations(made, (first, second), "undone")
        assert effects == [GoTo(Side.SUMMARY, 0, second.claim[0].span.start)]
        assert made.focused == second.id
    assert store(made, keys(made, "e 3 2 enter")).labels == (("Benign",),)
    assert made.annotations[0] == first


def undone() -> tuple[Draft, Annotation]:
    """A claim with evidence and a note that an undo gave back into hand, and what it was."""
    made = seen(draft())
    select(made, "15 million pounds")
    keys(made, "space m")
    notes.finish_note(made, "why")
    saved = store(made, keys(made, "1"))
    assert (len(saved.evidence), saved.note) == (1, "why")
    save_results.replace_annotations(made, (), "undone", gone=saved)
    select(made, "15 million pounds")
    assert (made.evidence, made.note) == ([*saved.evidence], "why")
    return made, saved


def test_what_is_redone_is_no_longer_in_hand() -> None:
    """Claim, evidence and note, which the undo gave back, are put down again; Enter is done."""
    made, saved = undone()
    effects = save_results.replace_annotations(made, (saved,), "redone")
    assert effects[0] == Select(Side.SUMMARY, None)
    assert (made.evidence, made.note, made.focused) == ([], "", saved.id)
    assert made.message.kind == "saved"
    cursor_actions.set_pointer(made, Side.SUMMARY, SideCursor())
    assert keys(made, "enter") == DONE


def test_what_is_redone_leaves_other_work_in_hand() -> None:
    """Another claim stays selected, with its note."""
    made, saved = undone()
    keys(made, "backspace backspace")
    cursor_actions.set_pointer(made, Side.SUMMARY, SideCursor())
    keys(made, "backspace")
    select(made, "loved")
    keys(made, "m")
    notes.finish_note(made, "odd")
    assert save_results.replace_annotations(made, (saved,), "redone") == []
    assert (made.note, made.claim) == ("odd", (anchor(made, "loved", Side.SUMMARY),))
    assert made.annotations == (saved,)


def test_an_undo_does_not_touch_what_is_in_hand() -> None:
    """With something selected, an undone annotation is removed only; a stored one stays."""
    made = draft()
    saved = store(made, keys(made, "1"))
    select(made, "Nobody")
    assert save_results.replace_annotations(made, (), "undone", gone=saved) == []
    select(made, "loved")
    cursor_actions.set_pointer(made, Side.SUMMARY, SideCursor())
    assert save_results.replace_annotations(made, (saved,), "undone", gone=saved) == []


def test_the_answer_of_a_store_does_not_move_a_focus_that_went_on() -> None:
    """A late answer changes the list, not what the annotator is at."""
    made = draft()
    first = the_save([*keys(made, "1")])
    key(made, "down")
    assert save_results.apply_saved(made, first, [first]) == []
    assert made.focused == ""
    assert not made.digits_off
    assert made.annotations == (first,)


def test_enter_does_not_drop_what_the_store_refused() -> None:
    """A selection alone is dropped by a second Enter; one that was refused is not."""
    made = seen(draft())
    select(made, "loved")
    annotation = the_save([*keys(made, "1")])
    cursor_actions.set_pointer(made, Side.SUMMARY, SideCursor(0, 18))
    save_results.apply_refused_save(made, annotation, "disk full")
    select(made, "loved")
    assert keys(made, "enter") == [Blink()]
    assert code(made) is MessageCode.CLAIM_NOT_SAVED
    keys(made, "backspace")
    cursor_actions.set_pointer(made, Side.SUMMARY, SideCursor(0, 18))
    assert keys(made, "enter") == DONE


def test_enter_drops_a_selection_that_an_undo_restored() -> None:
    """Its user has just decided against it."""
    made = seen(draft())
    select(made, "loved")
    store(made, keys(made, "1"))
    (gone,) = made.annotations
    save_results.replace_annotations(made, (), "undone", gone=gone)
    select(made, "loved")
    assert keys(made, "enter") == DONE


def test_a_sample_is_not_left_with_a_claim_that_the_store_refused() -> None:
    """Neither by > nor by the queue; once it is dropped by hand, it can be left."""
    made = seen(draft())
    select(made, "loved")
    annotation = the_save([*keys(made, "1")])
    cursor_actions.set_pointer(made, Side.SUMMARY, SideCursor(0, 18))
    save_results.apply_refused_save(made, annotation, "disk full")
    select(made, "loved")
    for name in ("<", ">", "q", "G"):
        assert keys(made, name) == [Blink()]
        assert code(made) is MessageCode.CLAIM_NOT_SAVED
    keys(made, "backspace")
    assert keys(made, ">") == [Open(Page.SAMPLE, 1)]


def test_what_was_taken_back_is_told_in_words() -> None:
    """Never by the verb of the log; of an annotation also its labels."""
    report = save_results.describe_undone
    assert report("add", "Intrinsic").text == f'{report("add")} "Intrinsic"'
    assert report("remove", "Benign").text.endswith(' of "Benign"')
    assert report("skip").code is MessageCode.TAKEN_BACK
    assert report("skip", redo=True).code is MessageCode.DONE_AGAIN
    for verb in UNDOABLE - {"take", "merge", "reject", "own"}:
        assert report(verb).fields["what"] not in ("", verb)
