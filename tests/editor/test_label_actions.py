"""Digits: what they save, open, toggle and refuse."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.editor.draft_samples import (
    INTRINSIC,
    SOURCE,
    anchor,
    code,
    draft,
    key,
    keys,
    light,
    said,
    select,
    store,
)
from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.samples import SampleKind, Side
from tui_annotate.editor import cursor_actions, label_actions, notes, save_results
from tui_annotate.editor.effects import (
    Blink,
    Effects,
    Finish,
    Focus,
    Open,
    OpenNote,
    Page,
    Save,
    Select,
)
from tui_annotate.editor.key_state import EDITING, OPTION, READING, SELECTING
from tui_annotate.editor.messages import MessageCode
from tui_annotate.editor.state import WHY, Draft, Note, PendingQuestion, SideCursor

# The bar: 1 Intrinsic 2 Extrinsic 3 Benign 4 Sourced 5 Bare 6 Told 7 Alone 8 Unwanted


def test_a_leaf_saves_the_selection_with_what_was_taken() -> None:
    """Claim, evidence in reading order, label and label set are in the annotation."""
    made = draft()
    select(made, "15 million pounds")
    keys(made, "space n space")
    effects = keys(made, "1")
    assert effects == [
        Select(Side.SUMMARY, None),
        Save(
            Annotation(
                id="id-1",
                claim=(anchor(made, "15 million pounds", Side.SUMMARY),),
                evidence=(
                    anchor(made, "Critics hated it.", Side.SOURCE),
                    anchor(made, "The budget was 12 million.", Side.SOURCE),
                ),
                labels=(INTRINSIC,),
                label_set=made.tree.version,
            ),
            new=True,
        ),
    ]
    assert made.evidence == []
    assert made.digits_off


def test_without_a_selection_the_sentence_is_the_claim() -> None:
    """The white space around the sentence is no part of it."""
    made = draft()
    cursor_actions.set_pointer(made, Side.SUMMARY, SideCursor(0, 30))
    saved = store(made, keys(made, "2"))
    assert saved.claim == (anchor(made, "It cost 15 million pounds.", Side.SUMMARY),)
    assert saved.evidence == ()


def test_from_the_source_a_digit_saves_the_claim_and_comes_back() -> None:
    """V: same, for the claim."""
    made = draft()
    select(made, "loved")
    keys(made, "tab")
    effects = keys(made, "3")
    assert Focus(Side.SUMMARY) in effects
    assert made.side is Side.SUMMARY
    assert store(made, effects).claim == (anchor(made, "loved", Side.SUMMARY),)


def test_after_a_save_the_digits_sleep_until_something_moves_or_is_selected() -> None:
    """A second digit saves nothing; a movement or a selection wakes the digits."""
    for enable_digits in ("down", "right", ".", "v"):
        made = draft()
        select(made, "loved")
        store(made, keys(made, "1"))
        assert keys(made, "2") == [Blink()]
        assert code(made) is MessageCode.DIGITS_OFF_AFTER_SAVE
        assert keys(made, "0") == [Blink()]
        assert keys(made, "r") == [Blink()]
        assert keys(made, "space") == [Blink()]
        assert made.evidence == []
        keys(made, enable_digits)
        assert not made.digits_off
        assert isinstance(keys(made, "2")[-1], Save)


def test_a_parent_opens_its_children() -> None:
    """L: the child by digit; Backspace cancels and saves nothing."""
    made = draft()
    assert keys(made, "8") == []
    assert made.state is OPTION
    assert store(made, keys(made, "2")).labels == (("Unwanted", "Extrinsic"),)
    made.enable_digits()
    select(made, "loved")
    assert keys(made, "8 backspace") == []
    assert made.state is SELECTING
    assert keys(made, "8 u") == []
    assert made.pending is None


def test_enter_and_0_choose_the_parent_itself() -> None:
    """L: the parent is a label as well."""
    for name in ("enter", "0"):
        made = draft()
        assert store(made, keys(made, f"8 {name}")).labels == (("Unwanted",),)


def test_space_takes_evidence_while_a_child_is_chosen() -> None:
    """L: Space takes the focused match; the choice stays open."""
    made = draft()
    keys(made, "8 n space")
    assert made.pending
    assert len(made.evidence) == 1
    assert len(store(made, keys(made, "1")).evidence) == 1


def test_a_label_that_wants_evidence_asks_for_it() -> None:
    """Space takes the focused match and saves; nothing was saved before."""
    made = draft()
    assert keys(made, "4") == []
    assert made.pending == PendingQuestion("evidence", ("Sourced",))
    assert made.options() == ()
    assert keys(made, "1") == [Blink()]
    assert keys(made, "0") == [Blink()]
    saved = store(made, keys(made, "n space"))
    assert saved.evidence == (anchor(made, "Critics hated it.", Side.SOURCE),)
    assert made.lacking() == ()
    assert made.state is READING


def test_no_evidence_found_saves_a_draft_that_lacks_it() -> None:
    """Enter in L saves without evidence, and the annotation says what it lacks."""
    made = draft()
    saved = store(made, keys(made, "4 enter"))
    assert saved.evidence == ()
    assert made.lacking() == ((saved, ("evidence",)),)


def test_evidence_taken_before_is_enough() -> None:
    """A label that wants evidence and has it saves at once."""
    made = draft()
    assert isinstance(keys(made, "space 4")[-1], Save)


def test_space_without_a_match_keeps_asking() -> None:
    """L for missing evidence: where nothing is lit, nothing is saved."""
    made = draft()
    light(made)
    assert keys(made, "4 space") == [Blink()]
    assert made.pending == PendingQuestion("evidence", ("Sourced",))


def test_a_label_that_takes_no_evidence_or_note_says_so() -> None:
    """The draft stays as it is."""
    made = draft()
    assert keys(made, "space 5") == [Blink()]
    assert code(made) is MessageCode.TAKES_NO_EVIDENCE
    keys(made, "backspace")
    made.note = "why"
    assert keys(made, "5") == [Blink()]
    assert code(made) is MessageCode.TAKES_NO_NOTE
    assert made.message.fields["label"] == "Bare"
    made.note = ""
    assert isinstance(keys(made, "5")[-1], Save)


def test_the_same_label_on_the_same_claim_is_refused_another_is_not() -> None:
    """A claim may carry two annotations, never twice the same label."""
    made = draft()
    store(made, keys(made, "1"))
    made.enable_digits()
    assert keys(made, "1") == [Blink()]
    assert code(made) is MessageCode.HAS_LABEL_ALREADY
    assert dict(made.message.fields) == {"letter": "A", "label": "Intrinsic", "what": "claim"}
    store(made, keys(made, "2"))
    assert [known.labels[0][1] for known in made.annotations] == ["Intrinsic", "Extrinsic"]


def test_an_exclusive_label_stands_alone_on_its_claim() -> None:
    """Neither order lets another label beside it."""
    made = draft()
    store(made, keys(made, "3"))
    made.enable_digits()
    assert keys(made, "7") == [Blink()]
    assert code(made) is MessageCode.HAS_EXCLUSIVE_LABEL
    assert dict(made.message.fields) == {"letter": "A", "label": "Benign", "what": "claim"}
    select(made, "loved")
    store(made, keys(made, "7"))
    select(made, "loved")
    assert keys(made, "3") == [Blink()]


def test_the_last_label_again() -> None:
    """R saves under the label of the last save; before any there is nothing to repeat."""
    made = draft()
    assert keys(made, "r") == [Blink()]
    assert code(made) is MessageCode.NO_LABEL_TO_REPEAT
    store(made, keys(made, "2"))
    select(made, "Nobody")
    assert store(made, keys(made, "r")).labels == (("Unwanted", "Extrinsic"),)


def test_the_list_of_all_labels_gives_a_label_as_it_is() -> None:
    """0 asks for the list; a parent chosen there means itself; an unknown one blinks."""
    made = draft()
    assert keys(made, "0") == [Open(Page.LABELS)]
    assert label_actions.pick(made, ("Nix",)) == [Blink()]
    assert store(made, label_actions.pick(made, ("Unwanted",))).labels == (("Unwanted",),)


def test_a_digit_without_an_option_blinks() -> None:
    """Nine is no option of this bar."""
    assert keys(draft(), "9") == [Blink()]


def test_an_empty_summary_takes_no_label() -> None:
    """Without words there is no claim."""
    made = draft()
    made.segments = (*made.segments[:-1], ())
    assert made.claim == ()
    assert keys(made, "1") == [Blink()]
    assert code(made) is MessageCode.NO_WORDS_TO_LABEL


def test_more_than_nine_leaves_show_the_roots() -> None:
    """Long sets open by their roots."""
    leaves = ", ".join(f"L{number}" for number in range(12))
    made = draft(f"- Many: [{leaves}]\n- One\n")
    assert [(option.text, option.opens) for option in made.options()] == [
        ("Many", True),
        ("One", False),
    ]
    assert store(made, keys(made, "1 9")).labels == (("Many", "L8"),)


def test_editing_toggles_labels_and_evidence_and_enter_saves_a_version() -> None:
    """E: digits put labels on and off, Space changes evidence, nothing is saved before Enter."""
    made = draft()
    first = store(made, keys(made, "1"))
    assert keys(made, "e") == [Select(Side.SUMMARY, None)]
    assert made.state is EDITING
    assert keys(made, "2 space") == []
    assert [option.digit for option in made.options() if option.chosen] == ["1", "2"]
    assert keys(made, "1") == []
    saved = store(made, keys(made, "enter"))
    assert saved.id == first.id
    assert saved.claim == first.claim
    assert saved.labels == (("Unwanted", "Extrinsic"),)
    assert len(saved.evidence) == 1
    assert made.editing is None
    assert made.digits_off


def test_an_edit_keeps_what_it_does_not_touch() -> None:
    """Another label alone: claim, evidence and note are those that were there."""
    made = draft()
    select(made, "loved")
    keys(made, "space m")
    notes.finish_note(made, "who says")
    first = store(made, keys(made, "1"))
    changed = store(made, keys(made, "e 2 enter"))
    assert (first.note, len(first.evidence)) == ("who says", 1)
    assert changed == replace(first, labels=(INTRINSIC, ("Unwanted", "Extrinsic")))
    assert (made.note, made.evidence, made.labels) == ("", [], [])


def test_a_selection_resets_the_claim_of_an_edit() -> None:
    """E: moving alone changes no claim; a selection does."""
    made = draft()
    first = store(made, keys(made, "1"))
    keys(made, "e")
    cursor_actions.set_pointer(made, Side.SUMMARY, SideCursor(0, 30))
    assert made.claim == first.claim
    select(made, "15 million")
    assert store(made, keys(made, "enter")).claim == (anchor(made, "15 million", Side.SUMMARY),)


def test_an_edit_is_left_without_saving() -> None:
    """e, u, and Backspace after the last evidence leave the annotation as it was."""
    for name in ("e", "u", "backspace"):
        made = draft()
        first = store(made, keys(made, "1"))
        assert keys(made, f"e 2 {name}") == [Select(Side.SUMMARY, None)]
        assert made.editing is None
        assert made.annotations == (first,)
    made = draft()
    keys(made, "space")
    store(made, keys(made, "1"))
    keys(made, "e backspace")
    assert made.editing
    assert made.evidence == []


def test_an_edit_without_change_or_label_saves_nothing() -> None:
    """Enter on an unchanged edit leaves it; without labels it says what to do."""
    made = draft()
    store(made, keys(made, "1"))
    assert keys(made, "e enter") == [Select(Side.SUMMARY, None)]
    assert code(made) is MessageCode.NOTHING_CHANGED
    assert keys(made, "e 1 enter") == [Blink()]
    assert code(made) is MessageCode.NO_LABEL_LEFT


def test_an_exclusive_label_replaces_the_others_while_editing() -> None:
    """One of the two goes, and it is said."""
    made = draft()
    store(made, keys(made, "1"))
    keys(made, "e 7")
    assert made.labels == [("Alone",)]
    assert code(made) is MessageCode.OTHER_LABELS_OFF
    keys(made, "3")
    assert made.labels == [("Benign",)]


def test_a_parent_opens_while_editing_too() -> None:
    """E: the child is toggled."""
    made = draft()
    store(made, keys(made, "3"))
    keys(made, "e 8 2")
    assert made.labels == [("Benign",), ("Unwanted", "Extrinsic")]


def test_no_other_annotation_during_an_edit_and_no_edit_over_taken_evidence() -> None:
    """What is in hand is finished first."""
    made = draft()
    store(made, keys(made, "1"))
    assert keys(made, "e a") == [Blink()]
    assert code(made) is MessageCode.FINISH_EDIT_FIRST
    keys(made, "e down space a")
    assert keys(made, "e") == [Blink()]
    assert code(made) is MessageCode.EVIDENCE_IN_HAND


def test_deleting_the_edited_annotation_ends_the_edit() -> None:
    """X in E removes what was being edited."""
    made = draft()
    store(made, keys(made, "1"))
    keys(made, "e")
    keys(made, "x")
    assert made.editing is None


def test_flags_ask_for_a_reason_by_digit() -> None:
    """A digit flags with its words, Enter without, 0 asks for own words, Backspace cancels."""
    assert keys(draft(), "! 2") == [Finish("flag", WHY["reason"][1].value)]
    assert keys(draft(), "! enter") == [Finish("flag")]
    assert keys(draft(), "! 0") == [OpenNote("")]
    made = draft()
    assert keys(made, "! backspace") == []
    assert made.pending is None
    assert keys(made, "! 9") == [Blink()]
    assert made.pending


def test_pure_questions_hold_where_nothing_is_pending() -> None:
    """Accepting, taking and saving an edit without one do nothing."""
    made = draft()
    assert label_actions.accept(made) == [Blink()]
    assert label_actions.save_edit(made) == [Blink()]
    assert label_actions.save_taken_match(made) == []
    assert key(made, "F") == [Blink()]


LABELS = "- Passage\n- {name: Bare, evidence: none}\n- {name: Sourced, evidence: required}\n"
WORDS = "12 million"


def item(kind: SampleKind = SampleKind.CITATION) -> Draft:
    """A sentence to judge, with what it cites."""
    made = draft(LABELS)
    made.sample = replace(made.sample, kind=kind)
    return made


def passage(made: Draft, words: str = WORDS) -> None:
    """The words of the source are selected; the source has the keys."""
    if made.side is Side.SUMMARY:
        keys(made, "tab")
    select(made, words, Side.SOURCE)


def saved(effects: Effects) -> Annotation:
    """What the store is sent."""
    (save,) = [effect for effect in effects if isinstance(effect, Save)]
    return save.annotation


@pytest.mark.parametrize("kind", [SampleKind.CITATION, SampleKind.REPORT])
def test_a_digit_takes_the_selected_passage_as_evidence_of_the_claim(kind: SampleKind) -> None:
    """As Space would, and the line says so before; the keys are at the sentence then."""
    made = item(kind)
    select(made, "loved")
    passage(made)
    assert all(part in said(made) for part in ("1-3 ", '"loved"', f'"{WORDS}"', "Space", "Tab"))
    effects = keys(made, "1")
    assert saved(effects).claim == (anchor(made, "loved", Side.SUMMARY),)
    assert saved(effects).evidence == (anchor(made, WORDS, Side.SOURCE),)
    assert {Select(Side.SOURCE, None), Focus(Side.SUMMARY)} <= set(effects)
    assert made.side is Side.SUMMARY


def test_a_passage_is_evidence_once_beside_what_was_taken() -> None:
    """In the order of the text, however it was taken."""
    made = item()
    keys(made, "space")
    passage(made, "rained")
    found = saved(keys(made, "1"))
    assert [one.span.of(SOURCE) for one in found.evidence] == [
        "The budget was 12 million.",
        "rained",
    ]
    made = item()
    passage(made)
    keys(made, "space")
    passage(made)
    assert made.evidence == [made.passage]
    assert saved(keys(made, "1")).evidence == (anchor(made, WORDS, Side.SOURCE),)


def test_a_passage_of_a_citation_stands_alone_where_no_claim_was_chosen() -> None:
    """No word of the sentence is marked that nobody selected."""
    made = item()
    passage(made)
    assert made.is_passage_alone
    assert said(made).startswith("Press 1-3 ")
    assert f'"{WORDS}"' in said(made)
    found = saved(keys(made, "1"))
    assert found.claim == ()
    assert found.evidence == (anchor(made, WORDS, Side.SOURCE),)


def test_a_passage_beside_a_report_goes_with_the_sentence() -> None:
    """What is told of a report elsewhere are marks of its own text."""
    made = item(SampleKind.REPORT)
    passage(made)
    assert not made.is_passage_alone
    assert said(made).startswith("Press 1-3 ")
    found = saved(keys(made, "1"))
    assert found.claim == (anchor(made, "The film was loved.", Side.SUMMARY),)
    assert found.evidence == (anchor(made, WORDS, Side.SOURCE),)


@pytest.mark.parametrize("kind", [SampleKind.PAIR, SampleKind.QUESTION])
def test_elsewhere_a_digit_takes_no_selection_of_the_source(kind: SampleKind) -> None:
    """Space does, and the line says that."""
    made = item(kind)
    passage(made)
    assert made.passage is None
    assert said(made).startswith("Space ")
    found = saved(keys(made, "1"))
    assert found.evidence == ()
    assert found.claim


def test_labels_have_their_say_about_a_passage() -> None:
    """One that wants evidence has it; one that takes none refuses, and nothing is dropped."""
    made = item()
    passage(made)
    assert saved(keys(made, "3")).labels == (("Sourced",),)
    made = item()
    passage(made)
    assert key(made, "2") == [Blink()]
    assert code(made) is MessageCode.TAKES_NO_EVIDENCE
    assert made.selection
    assert made.evidence == []


def test_two_passages_get_the_same_label_and_one_gets_it_once() -> None:
    """What stands alone is known by its evidence."""
    made = item()
    passage(made)
    store(made, keys(made, "1"))
    passage(made, "rained")
    store(made, keys(made, "1"))
    passage(made)
    assert key(made, "1") == [Blink()]
    assert code(made) is MessageCode.HAS_LABEL_ALREADY
    assert dict(made.message.fields) == {"letter": "A", "label": "Passage", "what": "passage"}


def test_an_undone_passage_is_selected_again_and_redone_from_there() -> None:
    """For another digit, as a claim is."""
    made = item()
    passage(made)
    found = store(made, keys(made, "1"))
    effects = save_results.replace_annotations(made, (), "undone", gone=found)
    assert effects[-1] == Select(Side.SOURCE, found.evidence[0].span)
    passage(made)
    assert saved([*keys(made, "3")]).evidence == found.evidence
    made = item()
    passage(made)
    found = store(made, keys(made, "1"))
    save_results.replace_annotations(made, (), "undone", gone=found)
    passage(made)
    effects = save_results.replace_annotations(made, (found,), "done again")
    assert Select(Side.SOURCE, None) in effects
    assert made.side is Side.SUMMARY
    assert made.focused == found.id


def test_a_refused_passage_is_not_left_behind() -> None:
    """Neither Tab nor Enter nor > drops it; Backspace does."""
    made = item()
    passage(made)
    found = saved(keys(made, "1"))
    cursor_actions.set_pointer(made, Side.SOURCE, SideCursor())
    save_results.apply_refused_save(made, found, "disk full")
    passage(made)
    for name, wanted in (
        ("tab", MessageCode.PASSAGE_NOT_SAVED),
        ("enter", MessageCode.PASSAGE_NOT_SAVED),
        (">", MessageCode.CLAIM_NOT_SAVED),
    ):
        assert key(made, name) == [Blink()]
        assert code(made) is wanted
    keys(made, "backspace")
    cursor_actions.set_pointer(made, Side.SOURCE, SideCursor())
    assert key(made, ">") == [Open(Page.SAMPLE, 1)]


def test_in_an_edit_a_digit_takes_the_passage_too() -> None:
    """And toggles; what loses its last anchor is not saved."""
    made = item()
    passage(made)
    found = store(made, keys(made, "1"))
    keys(made, "e")
    passage(made, "rained")
    keys(made, "3")
    assert [one.span.of(SOURCE) for one in made.evidence] == [WORDS, "rained"]
    assert made.labels == [("Passage",), ("Sourced",)]
    assert made.side is Side.SUMMARY
    cursor_actions.set_pointer(made, Side.SOURCE, SideCursor())
    keys(made, "backspace backspace")
    assert made.editing == found
    assert key(made, "enter") == [Blink()]
    assert code(made) is MessageCode.NO_ANCHOR_LEFT


def test_a_note_on_the_passage_is_saved_with_it() -> None:
    """As a note on a claim is."""
    made = item()
    passage(made)
    keys(made, "m")
    assert made.writing == Note("draft")
    assert made.is_passage_alone
    notes.finish_note(made, "odd")
    assert made.note == "odd"
    assert saved(keys(made, "1")).note == "odd"
