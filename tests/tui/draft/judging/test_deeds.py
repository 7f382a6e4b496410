"""What a reviewer has in hand, without a screen: places, rivals, what keys do, what is said."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.tui.draft.desk import INTRINSIC, LABELS, SOURCE, SUMMARY, draft
from tui_annotate.domain.annotations import ADJUDICATED, REJECTED, Anchor, Annotation, LabelPath
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.domain.samples import Side
from tui_annotate.domain.settlements import How, Reason, Settled
from tui_annotate.domain.spans import Span
from tui_annotate.methods.adjudication import Standing, groups
from tui_annotate.tui.draft import relabelling
from tui_annotate.tui.draft.effects import (
    Blink,
    Effects,
    Finish,
    Merge,
    Open,
    Refuse,
    Remove,
    Save,
    Select,
    Settle,
    Take,
    Undo,
)
from tui_annotate.tui.draft.judging import deeds, editing, places
from tui_annotate.tui.draft.judging.state import Judging
from tui_annotate.tui.draft.judging.words import line, standing
from tui_annotate.tui.draft.relabelling import Relabelling
from tui_annotate.tui.keys.map import default_keys
from tui_annotate.tui.keys.review import LEAVING, REFUSING

BENIGN: LabelPath = ("Benign",)
Said = dict[str, list[Annotation]]


def one(
    name: str, words: str, label: LabelPath = INTRINSIC, *, note: str = "", evidence: str = ""
) -> Annotation:
    """An annotation of words of the summary."""
    at = SUMMARY.index(words)
    claim = (Anchor(Side.SUMMARY, 0, Span(at, at + len(words))),)
    start = SOURCE.index(evidence) if evidence else 0
    found = (Anchor(Side.SOURCE, 0, Span(start, start + len(evidence))),) if evidence else ()
    return Annotation(name, claim, found, (label,), note)


TWO: Said = {
    "A": [one("a1", "was loved", note="no"), one("a2", "15 million", evidence="The budget")],
    "B": [one("b1", "loved"), one("b2", "15 million")],
}
"""Nearly, then agreed."""


def judging(said: Said, *settled: Annotation, barred: str = "") -> Judging:
    """A sample in review."""
    made = draft()
    made_of = {name: getattr(made, name) for name in ("sample", "segments", "tree", "new_id")}
    return Judging(
        **made_of,
        groups=groups(made.sample, said),
        settled=settled,
        annotations=tuple(known for known in settled if known.origin == ADJUDICATED),
        people=tuple(said),
        barred=barred,
    )


def keys(on: Judging, pressed: str) -> Effects:
    """Keys as the key table has them; what the last of them asks for."""
    effects: Effects = []
    for key in pressed.split():
        action = default_keys().action(key, on.state)
        digit = key if action.startswith("option.") else ""
        effects = deeds.press(on, action, digit=digit) if action else []
    return effects


def asked(on: Judging) -> str:
    """Which question waits for its answer; empty for none."""
    return on.pending.kind if on.pending else ""


def at(number: int, said: Said, *settled: Annotation) -> Judging:
    """A sample in review with one of its places in hand."""
    on = judging(said, *settled)
    places.show(on, number)
    return on


def kept(source: str, *more: str, how: How = How.TAKEN) -> Annotation:
    """What was made of rivals."""
    names = tuple(sorted((source, *more)))
    return replace(
        one(f"of {source}", "loved"), origin=ADJUDICATED, settled=Settled("r", how, names)
    )


def refused(source: str, reason: Reason = Reason.SLIP, note: str = "") -> Annotation:
    """The refusal of a rival."""
    why = Settled("r", How.REJECTED, (source,), reason, note)
    return replace(one(f"no {source}", "loved"), origin=REJECTED, settled=why)


def test_it_begins_at_the_first_conflict() -> None:
    """What all agree on is none; where nothing was said, nothing comes into hand."""
    on = judging(TWO)
    places.begin(on)
    assert on.group
    assert on.group.standing is Standing.NEARLY
    agreed = judging({"A": TWO["A"][1:], "B": TWO["B"][1:]})
    places.begin(agreed)
    assert agreed.at == 0
    empty = judging({"A": [], "B": []})
    assert places.begin(empty) == []
    assert line(empty)[0].startswith("nobody marked anything: Enter settles")


@pytest.mark.parametrize(
    ("pressed", "wanted"),
    [
        ("y", Blink()),  # a tie
        ("1 y", Take((("b1",),))),
        ("2 y", Take((("a1",),))),
        ("3", Blink()),
        ("M", Merge((("b1",), ("a1",)), (INTRINSIC,))),
        ("x 1", Refuse((("b1",), ("a1",)), Reason.SLIP)),
        ("1 x 3", Refuse((("b1",),), Reason.AMBIGUOUS)),
        ("x 4", Blink()),
        ("enter 2", Settle(Reason.GUIDELINE)),
        ("u", Undo()),
        ("U", Undo(redo=True)),
        ("q", Open("queue")),
        ("W", Open("names")),
        ("+", Blink()),
    ],
)
def test_keys_on_a_place_of_two_rivals(pressed: str, wanted: object) -> None:
    """Each key asks for one thing, told in values."""
    on = at(0, TWO)
    first = [rival.sources for rival in on.rivals]
    assert sorted(first) == [("a1",), ("b1",)]
    if first[0] != ("b1",):  # in reading order the longer one begins first
        swap = str.maketrans("12", "21") if pressed.split(maxsplit=1)[0] in "12" else {}
        pressed = pressed[0].translate(swap) + pressed[1:]
        if isinstance(wanted, Merge | Refuse) and len(wanted.rivals) > 1:
            wanted = replace(wanted, rivals=wanted.rivals[::-1])
    effects = keys(on, pressed)
    assert effects[-1] == wanted


def test_agreed_places_need_no_key() -> None:
    """Enter settles at once where nothing else is open; y takes them before, where asked."""
    on = at(0, {"A": TWO["A"][1:], "B": TWO["B"][1:]})
    assert keys(on, "y") == [Take((("a2", "b2"),))]
    assert keys(on, "enter") == [Select(Side.SUMMARY, None), Settle()]


def test_what_was_taken_can_be_refused_and_back() -> None:
    """Y on what stands says so; on what was refused it takes it."""
    on = at(0, TWO, kept("a1"))
    assert on.undecided() == ()
    mine = next(number for number, rival in enumerate(on.rivals, 1) if "a1" in rival.sources)
    assert keys(on, f"{mine} y") == [Blink()]
    assert "taken already" in on.message[0]
    on = at(0, TWO, refused("a1"), refused("b1"))
    assert on.undecided() == ()
    assert keys(on, f"{mine} y") == [Take((("a1",),))]


def test_what_is_refused_already_is_not_asked_again() -> None:
    """Neither the place nor a rival of it; one that is not refused yet is."""
    on = at(0, TWO, refused("a1"), refused("b1"))
    for pressed in ("x", "1 x"):
        assert keys(on, pressed) == [Blink()]
        assert on.pending is None
        assert on.message[0].startswith("refused already: annotator's slip")
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
    own = replace(one("own", "died"), origin=ADJUDICATED, settled=Settled("r", How.OWN))
    on = at(2, TWO, own)
    assert on.spot
    assert on.spot.own == own
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
    told = deeds.reasoned(on, [Finish("flag", "so it is")])
    assert told == [Settle(Reason.NONE, "so it is")]
    assert deeds.reasoned(on, [Finish("flag", "")]) == []


def test_who_may_not_settle_it_is_told_at_each_deed() -> None:
    """Nothing is asked of the store; walking goes on."""
    on = judging(TWO, barred="you annotated this sample yourself")
    places.begin(on)
    for key in ("y", "x", "M", "e", "+", "enter"):
        assert keys(on, key) == [Blink()]
        assert on.message[0] == "you annotated this sample yourself"
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
    assert on.rival == 10
    assert [option.digit for option in on.options()] == ["1", "2", "3"]
    assert [on.digit(at) for at in range(12)] == ["0"] * 9 + ["1", "2", "3"]
    keys(on, "0")
    assert on.page == 0
    assert [on.digit(at) for at in range(12)] == [*"123456789", *"000"]


def test_names_stand_for_letters_while_they_are_shown() -> None:
    """In rivals and in titles."""
    on = at(0, {"A": TWO["A"][:1], "B": []})
    assert on.group
    assert standing(on, on.group) == "conflict: B marked nothing"
    on.names = {"A": "ana", "B": "ben"}
    assert on.options()[0].text == "Intrinsic ana"
    assert standing(on, on.group).endswith("ben marked nothing")


def test_the_line_says_what_the_next_key_does() -> None:
    """For every state of a place, in full where there is room."""
    assert line(at(0, TWO))[0] == "no majority: 1-2 choose a rival · M merge · x refuse all"
    assert line(at(1, TWO))[0] == (
        'all agree, taken with the sample: Intrinsic "15 million" + 1 evidence · c next conflict'
    )
    alone = at(0, {"A": [one("a", "loved", note="no")], "B": []})
    assert line(alone)[0] == 'y takes Intrinsic A "loved" · note "no"'
    assert standing(alone, alone.groups[0]) == "conflict: B marked nothing"
    three = {**TWO, "C": [one("c1", "loved")]}
    assert 'y takes Intrinsic B C "loved", 2 of 3' in line(at(0, three))[0]
    twice = [one("1", "loved"), one("2", "loved", BENIGN)]
    two = at(0, {"A": twice, "B": twice, "C": twice[:1]})
    assert line(two)[0] == "y takes 1 Intrinsic A B C, 2 Benign A B"
    assert line(at(0, TWO, kept("a1", how=How.MERGED)))[0].startswith('merged: Intrinsic "loved"')
    both = at(0, TWO, refused("a1", note="odd"), refused("b1"))
    assert line(both)[0].startswith("refused: annotator's slip")
    assert line(both)[0].endswith("Enter settles")


@given(st.integers(0, 1), st.integers(24, 200), st.sampled_from(["", "1", "x", "enter", "a"]))
def test_the_line_fits_from_80_columns_on(number: int, cells: int, pressed: str) -> None:
    """It gives up words, never the first thing that it says."""
    on = at(number, TWO)
    keys(on, pressed)
    full, short = line(on)[0], line(on, cells)[0]
    assert short[:4] == full[:4]
    if cells >= 77:
        assert cell_len(short) <= cells


def test_a_question_outlives_no_answer_of_the_store() -> None:
    """Enter may come before the store has what was taken: what is open then, is asked."""
    said: Said = {"A": [one("a1", "loved"), one("a2", "15 million")], "B": []}
    on = at(0, said)
    keys(on, "enter")
    editing.settled(on, (kept("a1"),), "taken")
    assert asked(on) == LEAVING
    assert line(on)[0].startswith("1 place is open")
    editing.settled(on, (kept("a1"), kept("a2")), "taken")
    assert asked(on) == ""
    assert line(on)[0] == "taken"


def test_a_place_inside_another_stays_in_hand() -> None:
    """The reviewer's own may begin where others marked something; a and x are for it then."""
    own = replace(one("own", "was lov"), origin=ADJUDICATED, settled=Settled("r", How.OWN, ()))
    on = judging(TWO, own)
    for number in range(len(on.spots)):
        places.show(on, number)
        start = min(on.spots[number].claims).span.start
        on.pointers[Side.SUMMARY] = replace(on.pointers[Side.SUMMARY], offset=start)
        places.follow(on)
        assert on.at == number


def test_what_was_edited_belongs_to_its_place_wherever_it_ends() -> None:
    """By what it was made of, not by its words; the reviewer's own to itself."""
    moved = replace(one("of a2", "was loved"), origin=ADJUDICATED, settled=kept("a2").settled)
    on = at(0, TWO, moved)
    assert places.of(on, moved) == 1
    own = replace(one("own", "15 million"), origin=ADJUDICATED, settled=Settled("r", How.OWN, ()))
    on = at(0, TWO, own)
    assert on.spots[places.of(on, own)].own == own


def test_an_edit_has_the_keys_of_annotators() -> None:
    """Digits are labels then, e leaves, x deletes nothing; it is known whose rival is edited."""
    on = at(0, {"A": [one("a", "loved", BENIGN)], "B": []})
    keys(on, "e")
    assert on.state == "E"
    assert list(on.sources.values()) == [("a",)]
    keys(on, "1")
    assert on.labels == [BENIGN, INTRINSIC]
    assert keys(on, "x") == [Blink()]
    keys(on, "e")
    assert (on.state, on.editing) == ("J", None)


def test_labels_that_the_set_has_not_are_left_out_of_an_edit() -> None:
    """They could be neither saved nor taken off; imported work has them."""
    on = at(0, {"A": [one("a", "loved", ("Strange",))], "B": []})
    keys(on, "e")
    assert (on.state, on.labels) == ("E", [])
    assert keys(on, "enter") == [Blink()]
    assert on.message[0].startswith("no label is left")


# labels that change

SPLIT = LABELS.replace(
    "Intrinsic,", "{name: Intrinsic, split: [Unwanted.Number, Unwanted.Name]}, Number, Name,"
)


def test_what_stands_under_a_label_that_was_split_is_open() -> None:
    """Reached by c, not settled by Enter; e and a digit choose a part of it."""
    on = judging(TWO, kept("a1"), kept("a2", "b2"))
    on.settled = (kept("a1"), replace(kept("a2", "b2"), labels=(BENIGN,)))
    on.relabel(parse_labels(SPLIT))
    assert not on.undecided()
    assert keys(on, "enter")
    assert line(on)[0] == "not settled: its label was split · e edits it"
    assert on.at == 0
    keys(on, "c")
    assert on.at == 0
    assert "taken: Intrinsic" in line(on)[0]
    assert "(split)" in line(on)[0]
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
    change = Relabelling(on.tree, tree, {INTRINSIC: ("Unwanted", "Made up")})
    relabelling.take_over(on, change, on.annotations)
    editing.relabel(on, change)
    editing.given_back(on, sent.annotation, "not saved")
    assert on.labels == [("Unwanted", "Made up")]
    assert on.note == "why"
    (again,) = [one for one in keys(on, "enter") if isinstance(one, Save)]
    assert again.annotation.note == "why"
