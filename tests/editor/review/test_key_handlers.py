"""What a reviewer has in hand, without a screen: places, rivals, what keys do, what is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.editor.draft_samples import INTRINSIC, LABELS, SUMMARY, code
from tests.editor.review.draft_samples import (
    BENIGN,
    TWO,
    Said,
    at,
    judging,
    kept,
    keys,
    one,
    refused,
)
from tui_annotate.domain.adjudication import (
    Adjudication,
    OpenKind,
    OpenParts,
    RejectionReason,
    ReviewAction,
)
from tui_annotate.domain.annotations import ADJUDICATED
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.domain.samples import Side
from tui_annotate.editor import label_set_change
from tui_annotate.editor.effects import (
    Blink,
    CompleteReview,
    MergeCandidates,
    Open,
    OpenNote,
    Page,
    RejectCandidates,
    Remove,
    Save,
    Select,
    TakeCandidates,
    Undo,
)
from tui_annotate.editor.key_map import default_keys
from tui_annotate.editor.key_state import EDITING, REVIEWING
from tui_annotate.editor.label_set_change import DraftLabelSetChange
from tui_annotate.editor.messages import MessageCode
from tui_annotate.editor.review import key_handlers
from tui_annotate.editor.review.messages import ReviewText
from tui_annotate.editor.review.press import finish_note
from tui_annotate.editor.review.questions import CONFIRMING, LEAVING, REFUSING, WHY
from tui_annotate.editor.review.state import ReviewDraft
from tui_annotate.editor.review.words import draft_line
from tui_annotate.methods.adjudication import GroupStatus


def asked(on: ReviewDraft) -> str:
    """Which question waits for its answer; empty for none."""
    return on.pending.kind if on.pending else ""


def test_it_begins_at_the_first_conflict() -> None:
    """What all agree on is none; where nothing was said, nothing comes into hand."""
    on = judging(TWO)
    key_handlers.show_first_conflict(on)
    assert on.group
    assert on.group.status is GroupStatus.NEARLY
    agreed = judging({"A": TWO["A"][1:], "B": TWO["B"][1:]})
    key_handlers.show_first_conflict(agreed)
    assert agreed.at == 0
    empty = judging({"A": [], "B": []})
    assert key_handlers.show_first_conflict(empty) == []
    assert empty.position is None
    assert "Enter" in draft_line(empty)[0]


@pytest.mark.parametrize(
    ("pressed", "wanted"),
    [
        ("y", Blink()),  # a tie
        ("1 y", TakeCandidates((("b1",),))),
        ("2 y", TakeCandidates((("a1",),))),
        ("3", Blink()),
        ("M", MergeCandidates((("b1",), ("a1",)), (INTRINSIC,))),
        ("x 1", RejectCandidates((("b1",), ("a1",)), RejectionReason.SLIP)),
        ("1 x 3", RejectCandidates((("b1",),), RejectionReason.AMBIGUOUS)),
        ("x 4", Blink()),
        ("enter 2", CompleteReview(RejectionReason.GUIDELINE)),
        ("u", Undo()),
        ("U", Undo(redo=True)),
        ("q", Open(Page.QUEUE)),
        ("W", Open(Page.PEOPLE_NAMES)),
        ("+", Blink()),
    ],
)
def test_keys_on_a_place_of_two_rivals(pressed: str, wanted: object) -> None:
    """Each key asks for one thing, told in values."""
    on = at(0, TWO)
    first = [candidate.sources for candidate in on.candidates]
    assert sorted(first) == [("a1",), ("b1",)]
    if first[0] != ("b1",):  # in reading order the longer one begins first
        swap = str.maketrans("12", "21") if pressed.split(maxsplit=1)[0] in "12" else {}
        pressed = pressed[0].translate(swap) + pressed[1:]
        if isinstance(wanted, MergeCandidates | RejectCandidates) and len(wanted.candidates) > 1:
            wanted = replace(wanted, candidates=wanted.candidates[::-1])
    effects = keys(on, pressed)
    assert effects[-1] == wanted


def test_keys_walk_places_and_conflicts_round_and_round() -> None:
    """`a` all places, `c` the conflicts; what all agree on is none."""
    on = at(
        0,
        {
            "A": [one("a1", "was loved"), one("a2", "15 million"), one("a4", "Nobody died.")],
            "B": [one("b1", "loved", BENIGN), one("b2", "15 million"), one("b4", "Nobody")],
            "C": [one("c2", "15 million"), one("c3", "pounds")],
        },
    )
    for key, visited in (("c", [2, 3, 0, 2]), ("C", [0, 3]), ("a", [0, 1, 2, 3]), ("A", [2, 1])):
        walked = []
        for _ in visited:
            keys(on, key)
            walked.append(on.at)
        assert walked == visited, key
    assert on.group
    assert on.group.status is GroupStatus.AGREED
    assert "Intrinsic" in draft_line(on)[0]


def test_a_rival_that_is_alone_needs_no_digit() -> None:
    """`y` takes it."""
    on = at(0, {"A": [one("a1", "loved")], "B": []})
    assert keys(on, "y") == [TakeCandidates((("a1",),))]


def test_a_tie_takes_nothing() -> None:
    """`y` names the first choice; a digit without a second candidate chooses none."""
    on = at(0, TWO)
    assert keys(on, "y") == [Blink()]
    assert code(on) is ReviewText.NO_MAJORITY
    assert on.chosen is None
    assert keys(on, "9") == [Blink()]
    assert on.chosen is None


def test_rivals_under_several_labels_are_merged_under_a_chosen_one() -> None:
    """Where it is not clear which, nothing is merged, and a digit names the reason."""
    on = at(0, {"A": [one("a1", "was loved")], "B": [one("b1", "loved", BENIGN)]})
    assert keys(on, "M") == [Blink()]
    assert code(on) is ReviewText.LABEL_TO_MERGE_UNCLEAR
    chosen = next(digit for digit, each in enumerate(on.candidates, 1) if each.labels == (BENIGN,))
    (merged,) = keys(on, f"{chosen} M")
    assert isinstance(merged, MergeCandidates)
    assert merged.labels == (BENIGN,)
    assert sorted(merged.candidates) == [("a1",), ("b1",)]
    alone = at(0, {"A": [one("a1", "loved")], "B": []})
    assert keys(alone, "M") == [Blink()]
    assert code(alone) is ReviewText.NO_CANDIDATES_TO_MERGE


def test_agreement_without_the_reopened_work_is_no_agreement_of_all() -> None:
    """Nor does Enter accept it, because the sample waits for the reopened work."""
    on = at(0, {"A": TWO["A"][1:], "B": TWO["B"][1:]})
    assert draft_line(on)[0].startswith("All annotators agree, Enter accepts")
    on.reopened = 1
    assert draft_line(on)[0].startswith("All who have completed it agree: ")


def test_agreed_places_need_no_key() -> None:
    """Enter settles at once where nothing else is open; y takes them before, where asked."""
    on = at(0, {"A": TWO["A"][1:], "B": TWO["B"][1:]})
    assert keys(on, "y") == [TakeCandidates((("a2", "b2"),))]
    assert keys(on, "enter") == [Select(Side.SUMMARY, None), CompleteReview()]


def test_what_was_taken_can_be_refused_and_back() -> None:
    """Y on what stands says so; on what was refused it takes it."""
    on = at(0, TWO, kept("a1"))
    assert on.undecided() == ()
    mine = next(
        number for number, candidate in enumerate(on.candidates, 1) if "a1" in candidate.sources
    )
    assert keys(on, f"{mine} y") == [Blink()]
    assert code(on) is ReviewText.ALREADY_TAKEN
    on = at(0, TWO, refused("a1"), refused("b1"))
    assert on.undecided() == ()
    assert keys(on, f"{mine} y") == [TakeCandidates((("a1",),))]


def test_what_is_refused_already_is_not_asked_again() -> None:
    """Neither the place nor a rival of it; one that is not refused yet is."""
    on = at(0, TWO, refused("a1"), refused("b1"))
    for pressed in ("x", "1 x"):
        assert keys(on, pressed) == [Blink()]
        assert on.pending is None
        assert code(on) is ReviewText.ALREADY_REFUSED
        assert on.message.fields["reason"] == WHY[RejectionReason.SLIP].text()
    half = at(0, TWO, refused("a1"))
    keys(half, "1 x")
    assert half.pending is None
    keys(half, "2 x")
    assert asked(half) == REFUSING


def test_one_refused_rival_leaves_the_place_open() -> None:
    """The other one is still to be settled."""
    assert len(judging(TWO, refused("a1")).undecided()) == 1


def test_own_annotations_are_places() -> None:
    """X takes one away, without a reason."""
    own = replace(
        one("own", "died"), origin=ADJUDICATED, settled=Adjudication("r", ReviewAction.OWN)
    )
    on = at(2, TWO, own)
    assert on.position
    assert on.position.own == own
    assert keys(on, "x") == [Remove(own)]


def test_a_question_takes_its_answer_alone() -> None:
    """Letters do nothing, Backspace cancels; own words go where the question was."""
    on = at(0, TWO)
    keys(on, "x")
    assert asked(on) == REFUSING
    assert keys(on, "enter") == [Blink()]
    assert keys(on, "backspace") == []
    assert asked(on) == ""
    keys(on, "enter")
    assert asked(on) == LEAVING
    keys(on, "0")
    assert on.writing
    report = finish_note(on, "so it is")
    assert report[-1] == CompleteReview(RejectionReason.NONE, "so it is")
    keys(on, "x 0")
    assert finish_note(on, "") == []
    assert on.message.code is ReviewText.REFUSAL_NEEDS_WORDS
    assert on.message.kind == "warning"
    keys(on, "x 0")
    (refusal,) = finish_note(on, "vague")
    assert isinstance(refusal, RejectCandidates)
    assert (refusal.reason, refusal.note) == (RejectionReason.NONE, "vague")
    assert sorted(refusal.candidates) == [("a1",), ("b1",)]


def test_each_kind_of_open_work_is_asked_for_by_itself() -> None:
    """In order; a reason for the conflict is none for the rating; Backspace asks all again."""
    on = at(0, TWO)
    on.ratings = (("good", ("A",)), ("bad", ("B",)))
    on.open_parts = OpenParts(rating=True, comments=("A",), questions=2)
    for _ in range(2):
        kinds, lines, effects = [], [], keys(on, "enter")
        while asked(on):
            kinds.append(on.asked_kind)
            lines.append(draft_line(on)[0])
            if on.asked_kind is OpenKind.QUESTIONS and len(kinds) < 4:
                break
            effects = keys(on, "1")
        assert kinds == [
            OpenKind.CONFLICTS,
            OpenKind.RATING,
            OpenKind.COMMENTS,
            OpenKind.QUESTIONS,
        ]
        for words, line in zip(
            ("Undecided (", "A good, B bad", "comment of A", "2 questions"),
            lines,
            strict=True,
        ):
            assert words in line
    slip = RejectionReason.SLIP
    assert effects[-1] == CompleteReview(slip, "", slip.value, ("comments", "questions"))
    keys(on, "enter 1")
    assert on.asked_kind == OpenKind.RATING.value
    keys(on, "backspace enter")
    assert on.asked_kind == OpenKind.CONFLICTS.value


def test_what_changed_since_a_decision_is_open_again() -> None:
    """The cursor goes there; y accepts the present candidate, and 1 keeps the decision."""
    said: Said = {"A": [one("a1", "loved"), one("a2", "15 million")], "B": []}
    on = at(0, said, kept("a1"), kept("a2"))
    assert on.open_kinds() == ()
    on.open_parts = OpenParts(changed=("A",), stale=frozenset({"a2"}))
    assert on.count_open() == 1
    stale = next(at for at, each in enumerate(on.positions) if on.is_changed(each))
    key_handlers.show_position(on, 1 - stale)
    assert keys(on, "y") == [Blink()]
    keys(on, "enter")
    assert (on.at, asked(on), on.asked_kind) == (stale, CONFIRMING, OpenKind.CHANGED)
    assert keys(on, "1")[-1] == CompleteReview(leave=("changed",))
    assert keys(on, "y") == [TakeCandidates((("a2",),))]


@pytest.mark.parametrize(
    ("pressed", "wanted"),
    [
        ("enter y", TakeCandidates((("a1",),))),
        ("enter x 1", RejectCandidates((("a1",),), RejectionReason.SLIP)),
        ("enter c x 1", RejectCandidates((("a1",),), RejectionReason.SLIP)),
        ("enter m", OpenNote("")),
        ("enter :", Open(Page.PALETTE)),
        ("enter 0", OpenNote("")),
    ],
)
def test_keys_that_decide_act_in_the_question_about_open_work(pressed: str, wanted: object) -> None:
    """They close it; no letter of theirs is the reason of a rejection."""
    on = at(0, {"A": [one("a1", "loved")], "B": []})
    assert keys(on, pressed)[-1] == wanted
    assert on.pending is None
    assert (on.writing is not None) is isinstance(wanted, OpenNote)


def test_keys_that_decide_act_in_each_question_of_enter() -> None:
    """Also where the answer is a confirmation; other letters name Backspace and keep it open."""
    on = at(0, {"A": [one("a1", "loved")], "B": []}, kept("a1"))
    on.open_parts = OpenParts(changed=("A",), stale=frozenset({"a1"}))
    assert keys(on, "enter y") == [TakeCandidates((("a1",),))]
    on.open_parts = OpenParts(comments=("A",), questions=1)
    assert keys(on, "enter m") == [OpenNote("")]
    on.writing = None
    assert keys(on, "enter 1 :") == [Open(Page.PALETTE)]
    for key in ("c", "a", "j", "W", "+"):
        keys(on, "enter")
        assert keys(on, key) == [Blink()]
        assert (asked(on), code(on)) == (CONFIRMING, ReviewText.ANSWER_OR_CANCEL)
        assert not on.begins_reason(default_keys().action(key, REVIEWING))
        keys(on, "backspace")


def test_the_question_about_one_conflict_counts_its_candidates() -> None:
    """Two candidates are not "it"; the keys that decide fit a window of 80 cells."""
    on = at(0, TWO)
    keys(on, "enter")
    line = draft_line(on, 78)[0]
    assert "reject all?" in line
    assert "Intrinsic A, Intrinsic B" in line or "Intrinsic B, Intrinsic A" in line
    one_sided = at(0, {"A": [one("a1", "loved")], "B": []})
    keys(one_sided, "enter")
    line = draft_line(one_sided, 78)[0]
    assert "why do you reject it?" in line
    assert line.endswith("y x M e decide")
    changed = at(0, {"A": [one("a1", "loved")], "B": []}, kept("a1"))
    changed.open_parts = OpenParts(changed=("A",), stale=frozenset({"a1"}))
    keys(changed, "enter")
    assert draft_line(changed, 78)[0].endswith("y, x or * decides again")


def test_an_accepted_annotation_without_a_candidate_stays_a_place() -> None:
    """No key does nothing on it: y says why, x removes it, e edits it."""
    gone = replace(kept("b9"), claim=one("b9", "15 million").claim)
    on = judging({"A": [one("a1", "loved")], "B": []}, gone)
    assert len(on.positions) == 2
    lost = next(at for at, each in enumerate(on.positions) if each.own)
    key_handlers.show_position(on, lost)
    assert keys(on, "y") == [Blink()]
    assert code(on) is ReviewText.SOURCES_LOST
    assert keys(on, "x") == [Remove(gone)]
    keys(on, "e")
    assert on.editing == gone


def test_a_part_that_the_labels_require_since_is_asked_for() -> None:
    """Of what was accepted, and of what all agree on, before any other question."""
    strict = LABELS.replace("- Benign", "- {name: Benign, note: required}")
    assert strict != LABELS
    said: Said = {"A": [one("a1", "loved", BENIGN)], "B": [one("b1", "loved", BENIGN)]}
    for settled in ((), (replace(kept("a1"), labels=(BENIGN,)),)):
        on = at(0, said, *settled)
        assert "Enter" in draft_line(on)[0]
        on.tree = parse_labels(strict)
        line = draft_line(on)[0]
        assert "Enter" not in line
        assert settled or "requires note" in line
        keys(on, "enter")
        assert code(on) is ReviewText.NOT_SETTLED_LACKING
        assert on.pending is None


def test_who_may_not_settle_it_is_told_at_each_deed() -> None:
    """Nothing is asked of the store; walking goes on."""
    on = judging(TWO, blocked_reason="you annotated this sample yourself")
    key_handlers.show_first_conflict(on)
    for key in ("y", "x", "M", "e", "+", "enter"):
        assert keys(on, key) == [Blink()]
        assert code(on) is ReviewText.REVIEW_NOT_ALLOWED
        assert on.message.fields["reason"] == on.blocked_reason
        assert on.pending is None
    keys(on, "a")
    assert on.at == 1


def test_more_than_nine_rivals_are_paged() -> None:
    """0 shows the next nine, and digits mean these."""
    ends = [end for end in range(1, 30) if SUMMARY[end - 1] != " "][:12]
    said = {chr(ord("A") + at): [one(f"n{at}", SUMMARY[:end])] for at, end in enumerate(ends)}
    on = at(0, said)
    assert len(on.options()) == 9
    keys(on, "0 2")
    assert on.candidate == 10
    assert [option.digit for option in on.options()] == ["1", "2", "3"]
    assert [on.digit(at) for at in range(12)] == ["0"] * 9 + ["1", "2", "3"]
    keys(on, "0")
    assert on.page == 0
    assert [on.digit(at) for at in range(12)] == [*"123456789", *"000"]


def test_a_question_outlives_no_answer_of_the_store() -> None:
    """Enter may come before the store has what was taken: what is open then, is asked."""
    said: Said = {"A": [one("a1", "loved"), one("a2", "15 million")], "B": []}
    on = at(0, said)
    keys(on, "enter")
    key_handlers.apply_stored_result(on, (kept("a1"),), "taken")
    assert asked(on) == LEAVING
    assert "1" not in draft_line(on)[0].partition("(")[0]
    key_handlers.apply_stored_result(on, (kept("a1"), kept("a2")), "taken")
    assert asked(on) == ""
    assert draft_line(on)[0] == "taken"


def test_a_place_inside_another_stays_in_hand() -> None:
    """The reviewer's own may begin where others marked something; a and x are for it then."""
    own = replace(
        one("own", "was lov"), origin=ADJUDICATED, settled=Adjudication("r", ReviewAction.OWN, ())
    )
    on = judging(TWO, own)
    for number in range(len(on.positions)):
        key_handlers.show_position(on, number)
        start = min(on.positions[number].claims).span.start
        on.pointers[Side.SUMMARY] = replace(on.pointers[Side.SUMMARY], offset=start)
        key_handlers.follow_cursor(on)
        assert on.at == number


def test_what_was_edited_belongs_to_its_place_wherever_it_ends() -> None:
    """By what it was made of, not by its words; the reviewer's own to itself."""
    moved = replace(one("of a2", "was loved"), origin=ADJUDICATED, settled=kept("a2").settled)
    on = at(0, TWO, moved)
    assert key_handlers.position_of(on, moved) == 1
    own = replace(
        one("own", "15 million"),
        origin=ADJUDICATED,
        settled=Adjudication("r", ReviewAction.OWN, ()),
    )
    on = at(0, TWO, own)
    assert on.positions[key_handlers.position_of(on, own)].own == own


def test_an_edit_has_the_keys_of_annotators() -> None:
    """Digits are labels then, e leaves, x deletes nothing; it is known whose rival is edited."""
    on = at(0, {"A": [one("a", "loved", BENIGN)], "B": []})
    keys(on, "e")
    assert on.state is EDITING
    assert list(on.sources.values()) == [("a",)]
    keys(on, "1")
    assert on.labels == [BENIGN, INTRINSIC]
    assert keys(on, "x") == [Blink()]
    keys(on, "e")
    assert (on.state, on.editing) == (REVIEWING, None)


def test_labels_that_the_set_has_not_are_left_out_of_an_edit() -> None:
    """They could be neither saved nor taken off; imported work has them."""
    on = at(0, {"A": [one("a", "loved", ("Strange",))], "B": []})
    keys(on, "e")
    assert (on.state, on.labels) == (EDITING, [])
    assert keys(on, "enter") == [Blink()]
    assert code(on) is MessageCode.NO_LABEL_LEFT


# labels that change

SPLIT = LABELS.replace(
    "Intrinsic,", "{name: Intrinsic, split: [Unwanted.Number, Unwanted.Name]}, Number, Name,"
)


def test_what_stands_under_a_label_that_was_split_is_open() -> None:
    """Reached by c, not settled by Enter; e and a digit choose a part of it."""
    on = judging(TWO, kept("a1"), kept("a2", "b2"))
    on.settled = (kept("a1"), replace(kept("a2", "b2"), labels=(BENIGN,)))
    on.tree = parse_labels(SPLIT)
    assert not on.undecided()
    assert keys(on, "enter")
    assert code(on) is ReviewText.NOT_SETTLED_LABEL_SPLIT
    assert on.at == 0
    keys(on, "c")
    assert on.at == 0
    assert "Intrinsic" in draft_line(on)[0]
    assert "(split)" in draft_line(on)[0]
    keys(on, "e")
    part = next(option.digit for option in on.options() if option.text == "Number")
    (sent,) = [one for one in keys(on, f"{part} enter") if isinstance(one, Save)]
    assert sent.annotation.labels == (("Unwanted", "Number"),)


def test_an_edit_that_other_labels_overtook_is_in_hand_again() -> None:
    """Under the names of now, with the note that was typed; what is gone is off."""
    on = judging(TWO, kept("a1"))
    keys(on, "c a e 3")
    on.note = "why"
    (sent,) = [one for one in keys(on, "enter") if isinstance(one, Save)]
    tree = parse_labels(LABELS.replace("Intrinsic", "Made up").replace("- Benign\n", ""))
    change = DraftLabelSetChange(on.tree, tree, {INTRINSIC: ("Unwanted", "Made up")})
    label_set_change.apply_change(on, change, on.annotations)
    key_handlers.apply_relabelling(on, change)
    key_handlers.restore_refused_edit(on, sent.annotation, "not saved")
    assert on.labels == [("Unwanted", "Made up")]
    assert on.note == "why"
    (again,) = [one for one in keys(on, "enter") if isinstance(one, Save)]
    assert again.annotation.note == "why"
