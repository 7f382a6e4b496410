"""Another label set under what is in hand: what goes along, what is taken off, what is told."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.editor.draft_samples import INTRINSIC, LABELS, code, draft, key, keys, said, store
from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.editor import completion, label_actions, label_set_change, notes, save_results
from tui_annotate.editor.effects import Blink, Finish, Save
from tui_annotate.editor.label_set_change import DraftLabelSetChange
from tui_annotate.editor.messages import MessageCode
from tui_annotate.editor.pending_saves import PendingSave
from tui_annotate.editor.screen_message import ScreenMessage
from tui_annotate.editor.state import Draft

MADE_UP: LabelPath = ("Unwanted", "Made up")
RENAMED = LABELS.replace("Intrinsic", "Made up")
RETIRED = LABELS.replace("- Benign", "- {name: Benign, retired: true}")
FEW = "- {name: Unwanted, children: [Intrinsic]}\n- Benign\n"
SPLIT = LABELS.replace(
    "Intrinsic,",
    "{name: Intrinsic, split: [Unwanted.Number, Unwanted.Name]}, Number, Name,",
)


def change(on: Draft, labels: str, **became: str) -> DraftLabelSetChange:
    """From the labels of a draft to others; old names and new ones below `Unwanted`."""
    paths: dict[LabelPath, LabelPath] = {
        ("Unwanted", old): ("Unwanted", new) for old, new in became.items()
    }
    return DraftLabelSetChange(on.tree, parse_labels(labels), paths)


def relabel(on: Draft, labels: str, **became: str) -> None:
    """The change comes, with the stored annotations under their new labels."""
    made = change(on, labels, **became)
    known = tuple(
        replace(one, labels=tuple(map(made.path, one.labels)), version=one.version + 1)
        for one in on.annotations
    )
    label_set_change.apply_change(on, made, known)


def codes(made: DraftLabelSetChange, *in_hand: LabelPath) -> list[tuple[ScreenMessage, object]]:
    """(code, label) of each change, those of the labels in hand first."""
    return [(one.code, one.fields["label"]) for one in made.changes(in_hand)]


def marked(labels: str = LABELS) -> Draft:
    """The first sentence has the label Intrinsic, and is in focus."""
    on = draft(labels)
    store(on, key(on, "1"))
    return on


@pytest.mark.parametrize(
    ("labels", "became", "told"),
    [
        (RENAMED, {"Intrinsic": "Made up"}, {"Intrinsic": MessageCode.LABEL_RENAMED}),
        (
            LABELS.replace("Intrinsic, ", ""),
            {"Intrinsic": "Extrinsic"},
            {"Intrinsic": MessageCode.LABEL_RENAMED},
        ),
        (LABELS.replace("Intrinsic, ", ""), {}, {"Intrinsic": MessageCode.LABEL_REMOVED}),
        (RETIRED, {}, {"Benign": MessageCode.LABEL_RETIRED_NOW}),
        (SPLIT, {}, {"Intrinsic": MessageCode.LABEL_SPLIT_INTO}),
        (f"{LABELS}- Odd\n", {}, {"Odd": MessageCode.LABEL_NEW}),
        (LABELS.replace("Benign", "{name: Benign, color: red}"), {}, {}),
    ],
)
def test_what_happened_is_told(
    labels: str, became: dict[str, str], told: dict[str, MessageCode]
) -> None:
    """What labels became, what is given no more, what is new."""
    made = change(draft(), labels, **became)
    assert codes(made) == [(code, label) for label, code in told.items()]
    for one in made.changes():
        if one.code is MessageCode.LABEL_RENAMED:
            assert one.fields["name"] == became["Intrinsic"]
        if one.code is MessageCode.LABEL_SPLIT_INTO:
            assert all(part in str(one.fields["parts"]) for part in ("Number", "Name"))


def test_never_more_is_told_than_a_line() -> None:
    """Three changes, and how many more there are."""
    made = change(draft(), "- X\n")
    *named, more = made.describe(()).split(", ")
    assert named == [one.text for one in made.changes()[:3]]
    assert more.startswith(f"{len(made.changes()) - 3} ")


def test_what_is_given_again_is_told() -> None:
    """After a retirement or a split was taken back."""
    again, removed = MessageCode.LABEL_GIVEN_AGAIN, MessageCode.LABEL_REMOVED
    assert codes(change(draft(RETIRED), LABELS)) == [(again, "Benign")]
    assert codes(change(draft(SPLIT), LABELS)) == [
        (again, "Intrinsic"),
        (removed, "Number"),
        (removed, "Name"),
    ]


def test_what_is_in_hand_is_told_first() -> None:
    """The labels that somebody wanted just now stand before the others."""
    found = codes(change(draft(), "- X\n"), ("Alone",))
    assert [label for _, label in found[:2]] == ["Alone", "Unwanted"]
    assert len(set(found)) == len(found)


def test_children_go_along_with_their_parent_in_silence() -> None:
    """Another name of a parent is told once."""
    on = draft()
    became: dict[LabelPath, LabelPath] = {
        ("Unwanted",): ("Bad",),
        **{("Unwanted", name): ("Bad", name) for name in ("Intrinsic", "Extrinsic")},
    }
    made = DraftLabelSetChange(on.tree, parse_labels(LABELS.replace("Unwanted", "Bad")), became)
    assert codes(made) == [(MessageCode.LABEL_RENAMED, "Unwanted")]
    assert made.changes()[0].fields["name"] == "Bad"


def test_a_refused_claim_comes_back_with_all_that_was_typed() -> None:
    """Evidence and note stay; a digit of the new bar saves them."""
    on = draft()
    keys(on, "space")
    on.note = "why"
    (sent,) = [effect for effect in key(on, "1") if isinstance(effect, Save)]
    relabel(on, RENAMED, Intrinsic="Made up")
    save_results.apply_refused_save(on, sent.annotation, "the labels changed")
    assert (len(on.evidence), on.note, on.last_label) == (1, "why", MADE_UP)
    saved = store(on, key(on, "1"))
    assert (saved.labels, saved.note, len(saved.evidence)) == ((MADE_UP,), "why", 1)


def test_a_refused_edit_comes_back_under_the_new_name() -> None:
    """Its base is what the store has now, so that Enter saves what was changed."""
    on = marked()
    keys(on, "e 2")
    on.note = "why"
    (sent,) = [effect for effect in key(on, "enter") if isinstance(effect, Save)]
    relabel(on, RENAMED, Intrinsic="Made up")
    save_results.apply_refused_save(on, sent.annotation, "the labels changed")
    assert on.editing == on.annotations[0]
    saved = store(on, key(on, "enter"))
    assert saved.labels == (MADE_UP, ("Unwanted", "Extrinsic"))
    assert (saved.note, saved.version) == ("why", on.annotations[0].version)


def test_a_refused_note_is_in_hand_as_an_edit() -> None:
    """Of an annotation that is stored; Enter saves it, under the labels of now."""
    on = marked()
    keys(on, "a m")
    (sent,) = [each for each in notes.finish_note(on, "why") if isinstance(each, Save)]
    relabel(on, LABELS.replace("Benign", "Odd"))
    reason = "Benign is now Odd: press Enter"
    save_results.apply_refused_save(on, sent.annotation, reason)
    assert (on.save_failed, on.note) == (True, "why")
    assert (code(on), on.message.kind) == (MessageCode.NOT_SAVED, "error")
    assert reason in said(on)
    assert on.editing == on.annotations[0]
    assert store(on, key(on, "enter")).note == "why"


def test_an_open_edit_goes_along() -> None:
    """While another save is refused: its labels, its base and its pending child."""
    on = marked()
    keys(on, "e 2")
    relabel(on, LABELS.replace("Intrinsic, ", ""), Intrinsic="Extrinsic")
    assert on.labels == [("Unwanted", "Extrinsic")]
    assert on.editing == on.annotations[0]


def test_an_edit_of_what_was_changed_elsewhere_keeps_its_base() -> None:
    """The store then refuses it, and tells."""
    on = marked()
    keys(on, "e")
    before = on.editing
    other = replace(on.annotations[0], note="elsewhere", version=9)
    label_set_change.apply_change(on, change(on, RENAMED, Intrinsic="Made up"), (other,))
    assert on.editing == before
    assert on.labels == [MADE_UP]


def test_labels_that_are_no_longer_given_are_taken_off_unless_the_store_has_them() -> None:
    """An edit may keep what it had, and not gain what is retired."""
    on = marked()
    keys(on, "e 3")
    assert on.labels == [INTRINSIC, ("Benign",)]
    relabel(on, RETIRED)
    assert on.labels == [INTRINSIC]


def test_the_list_of_labels_that_is_open_meanwhile_refuses_what_is_gone() -> None:
    """A picked label that no longer exists is named."""
    on = draft()
    keys(on, "0")
    relabel(on, LABELS.replace("Benign", "Odd"))
    assert label_actions.pick(on, ("Benign",)) == [Blink()]
    assert (code(on), on.message.kind) == (MessageCode.LABEL_GONE, "warning")
    assert "Benign" in said(on)
    assert on.annotations == ()


def test_all_names_of_changed_labels_are_shown() -> None:
    """Of a label that was split also its parts, before anything is done under them."""
    words = change(marked(), SPLIT).describe([INTRINSIC])
    assert all(name in words for name in ("Intrinsic", "Number", "Name"))


def test_a_question_about_a_label_that_is_gone_is_over() -> None:
    """One about a label with another name goes on."""
    on = draft("- {name: A, evidence: required}\n- {name: B, evidence: required}\n")
    keys(on, "1")
    assert on.pending is not None
    became: dict[LabelPath, LabelPath] = {("A",): ("C",)}
    tree = parse_labels("- {name: C, evidence: required}\n")
    label_set_change.apply_change(on, DraftLabelSetChange(on.tree, tree, became), ())
    assert on.pending is not None
    assert on.pending.path == ("C",)
    label_set_change.apply_change(on, DraftLabelSetChange(on.tree, parse_labels("- D\n"), {}), ())
    assert on.pending is None


# labels that are no longer given


def test_a_retired_label_is_shown_and_not_offered() -> None:
    """Not on the bar, not by `r`, not from the list; its annotations say so."""
    on = draft()
    store(on, key(on, "3"))
    relabel(on, RETIRED)
    assert "Benign" not in [option.text for option in on.options()]
    assert on.label_names(on.annotations[0].labels) == "Benign (retired)"
    keys(on, "down")
    assert label_actions.pick(on, ("Benign",)) == [Blink()]
    assert code(on) is MessageCode.LABEL_RETIRED
    assert on.message.fields["label"] == "Benign"
    key(on, "r")
    assert code(on) is MessageCode.NO_LABEL_TO_REPEAT


def test_an_edit_may_keep_a_retired_label_and_take_it_off() -> None:
    """It has a free digit while its annotation is edited."""
    on = draft()
    store(on, key(on, "3"))
    relabel(on, RETIRED)
    key(on, "e")
    (kept,) = [option for option in on.options() if option.text == "Benign (retired)"]
    assert kept.chosen
    keys(on, f"{kept.digit} 1 {kept.digit} {kept.digit}")
    assert on.labels == [INTRINSIC]
    assert store(on, key(on, "enter")).labels == (INTRINSIC,)


# labels that were split


def split() -> Draft:
    """The first sentence has a label that was split since."""
    on = marked()
    relabel(on, SPLIT)
    on.enable_digits()
    return on


def test_c_walks_to_what_is_to_be_labelled_anew_and_a_digit_does_it() -> None:
    """Two keys: the bar has the parts, in the place of what was split, and nothing else moves."""
    on = split()
    key(on, "c")
    assert [option.text for option in on.options()] == ["Number", "Name"]
    assert on.split_label
    assert on.split_label.name == "Intrinsic"
    assert said(on).startswith("A Intrinsic ")
    assert " 1-2 " in said(on)
    on.note, on.evidence = "in hand", list(on.claim)
    saved = store(on, key(on, "2"))
    assert (saved.id, saved.labels) == ("id-1", (("Unwanted", "Name"),))
    assert (on.note, len(on.evidence)) == ("in hand", 1)
    assert on.just_saved == saved.id
    assert "Name" in said(on)
    assert on.lacking() == ()


def test_moving_on_gives_the_usual_bar_back() -> None:
    """The parts are there only while the annotation is in focus."""
    on = split()
    key(on, "c")
    on.enable_digits()
    assert on.options()[0].text != "Number" or len(on.options()) > 2


def test_a_part_takes_the_place_of_what_was_split_in_an_edit_too() -> None:
    """The label that waits goes off by itself; others stay."""
    on = marked(FEW)
    relabel(on, FEW.replace("[Intrinsic]", "[{name: Intrinsic, split: [Benign]}]"))
    keys(on, "e")
    part = next(option for option in on.options() if option.text == "Benign")
    held = next(option for option in on.options() if option.text == "Intrinsic (split)")
    assert held.chosen
    key(on, part.digit)
    assert on.labels == [("Benign",)]


def test_a_sample_with_a_label_that_was_split_is_not_done() -> None:
    """Enter shows which, and the digits choose at once."""
    on = split()
    on.visited = {0, 1, 2}
    key(on, "enter")
    assert (code(on), on.message.kind) == (MessageCode.LABEL_TO_CHOOSE, "warning")
    assert all(words in said(on) for words in ("Intrinsic of annotation A", "1-2"))
    assert dict(on.message.fields) == {"letter": "A", "label": "Intrinsic", "digits": "1-2"}
    assert store(on, key(on, "1")).labels == (("Unwanted", "Number"),)
    on.enable_digits()
    assert Finish("done") in key(on, "enter")


def test_a_part_that_does_not_fit_is_refused_in_words() -> None:
    """Evidence or note that it does not take, another label beside it, the same one elsewhere."""
    on = draft(
        "- {name: A, split: [B, C, D]}\n- {name: B, evidence: none}\n- {name: C, note: none}\n"
        "- {name: D, exclusive: true}\n"
    )
    one = Annotation("x", on.claim, tuple(on.claim), (("A",),), "note")
    on.annotations = (one,)
    key(on, "c")
    for digit, wanted, label in (
        ("1", MessageCode.PART_TAKES_NO_EVIDENCE, "B"),
        ("2", MessageCode.PART_TAKES_NO_NOTE, "C"),
    ):
        assert key(on, digit) == [Blink()]
        assert code(on) is wanted
        assert on.message.fields["label"] == label
    on.annotations = (replace(one, labels=(("A",), ("C",))),)
    assert key(on, "3") == [Blink()]
    assert code(on) is MessageCode.PART_IS_EXCLUSIVE
    assert on.message.fields["label"] == "D"
    on.annotations = (one, replace(one, id="y", labels=(("D",),)))
    assert key(on, "3") == [Blink()]
    assert code(on) is MessageCode.HAS_LABEL_ALREADY
    assert dict(on.message.fields) == {"letter": "B", "label": "D", "what": "claim"}


def test_nothing_open_is_told() -> None:
    """And what `i` would mark."""
    on = draft()
    assert key(on, "c") == [Blink()]
    assert code(on) is MessageCode.NOTHING_OPEN


NAMES = st.sampled_from("ABCDEF")


@given(
    st.lists(NAMES, min_size=1, unique=True),
    st.lists(NAMES, min_size=1, unique=True),
    st.sets(NAMES),
    st.dictionaries(NAMES, NAMES),
    st.lists(NAMES, max_size=3, unique=True),
)
def test_nothing_typed_is_lost_and_each_label_that_is_left_can_be_saved(
    before: list[str], now: list[str], retired: set[str], became: dict[str, str], put: list[str]
) -> None:
    """Claim, evidence and note stay; what is on the edit is in the set, given or held."""
    on = draft("".join(f"- {name}\n" for name in before))
    one = Annotation("x", on.claim, (), ((before[0],),), "", version=1)
    on.annotations = (one,)
    keys(on, "a e")
    on.labels += [(name,) for name in put if name in before and name != before[0]]
    on.note, on.evidence = "typed", list(on.claim)
    on.saves.keep(PendingSave(replace(one, id="y"), new=True))
    report = "".join(
        f"- {{name: {name}, retired: {str(name in retired).lower()}}}\n" for name in now
    )
    paths: dict[LabelPath, LabelPath] = {(old,): (new,) for old, new in became.items()}
    made = DraftLabelSetChange(on.tree, parse_labels(report), paths)
    stored = replace(one, labels=tuple(map(made.path, one.labels)), version=2)
    made.describe(label_set_change.in_hand(on))
    label_set_change.apply_change(on, made, (stored,))
    assert (on.note, on.evidence, len(on.saves.refused)) == ("typed", list(on.claim), 1)
    assert on.editing is not None
    assert on.editing.version == 2
    assert len(set(on.labels)) == len(on.labels)
    for path in on.labels:
        label = on.tree.find(path)
        assert label is not None
        assert label.offered or path in stored.labels


def test_a_reopened_sample_names_what_is_required_now() -> None:
    """Its annotations lack a part that their label requires; a complete one has no reason."""
    on = marked()
    assert not label_set_change.describe_reopened(on)
    relabel(on, LABELS.replace("Intrinsic,", "{name: Intrinsic, note: required},"))
    reason = label_set_change.describe_reopened(on)
    assert reason.code is MessageCode.REOPENED_LACKING
    required = MessageCode.LABEL_REQUIRES.text(label="Intrinsic", parts="note")
    assert reason.fields["changes"] == required


def test_a_reopened_sample_without_a_rating_asks_for_it_once() -> None:
    """`labels apply --reopen-unrated` reopens it; Enter alone would complete it unrated."""
    on = marked()
    on.scale = ("good", "poor")
    reason = label_set_change.describe_reopened(on)
    assert reason.code is MessageCode.REOPENED_UNRATED
    on.asks_rating, on.warned = True, True
    assert not any(isinstance(effect, Finish) for effect in completion.finish_sample(on))
    assert on.message.code is MessageCode.NOT_RATED_YET
    assert Finish("done") in completion.finish_sample(on)  # a rating is not required
    on.asks_rating, on.rating = True, "good"
    assert Finish("done") in completion.finish_sample(on)
    assert not label_set_change.describe_reopened(on)
