"""Another label set under what is in hand: what goes along, what is taken off, what is told."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.draft.desk import INTRINSIC, LABELS, draft, key, keys, said, store
from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.tui.draft import choosing, finishing, relabelling
from tui_annotate.tui.draft.effects import Blink, Save
from tui_annotate.tui.draft.relabelling import Relabelling
from tui_annotate.tui.draft.state import Draft

MADE_UP: LabelPath = ("Unwanted", "Made up")
RENAMED = LABELS.replace("Intrinsic", "Made up")
RETIRED = LABELS.replace("- Benign", "- {name: Benign, retired: true}")
FEW = "- {name: Unwanted, children: [Intrinsic]}\n- Benign\n"
SPLIT = LABELS.replace(
    "Intrinsic,",
    "{name: Intrinsic, split: [Unwanted.Number, Unwanted.Name]}, Number, Name,",
)


def change(on: Draft, labels: str, **became: str) -> Relabelling:
    """From the labels of a draft to others; old names and new ones below `Unwanted`."""
    paths: dict[LabelPath, LabelPath] = {
        ("Unwanted", old): ("Unwanted", new) for old, new in became.items()
    }
    return Relabelling(on.tree, parse_labels(labels), paths)


def relabel(on: Draft, labels: str, **became: str) -> None:
    """The change comes, with the stored annotations under their new labels."""
    made = change(on, labels, **became)
    known = tuple(
        replace(one, labels=tuple(map(made.path, one.labels)), version=one.version + 1)
        for one in on.annotations
    )
    relabelling.take_over(on, made, known)


def marked(labels: str = LABELS) -> Draft:
    """The first sentence has the label Intrinsic, and is in focus."""
    on = draft(labels)
    store(on, key(on, "1"))
    return on


@pytest.mark.parametrize(
    ("labels", "became", "told"),
    [
        (RENAMED, {"Intrinsic": "Made up"}, "Intrinsic is Made up now"),
        (
            LABELS.replace("Intrinsic, ", ""),
            {"Intrinsic": "Extrinsic"},
            "Intrinsic is Extrinsic now",
        ),
        (LABELS.replace("Intrinsic, ", ""), {}, "Intrinsic is gone"),
        (RETIRED, {}, "Benign is retired"),
        (SPLIT, {}, "Intrinsic was split into Number and Name"),
        (f"{LABELS}- Odd\n", {}, "Odd is new"),
        (LABELS.replace("Benign", "{name: Benign, color: red}"), {}, ""),
        ("- X\n", {}, "Unwanted is gone, Intrinsic is gone, Extrinsic is gone, 6 more"),
    ],
)
def test_what_happened_is_told(labels: str, became: dict[str, str], told: str) -> None:
    """What labels became, what is given no more, what is new; never more than a line."""
    assert change(draft(), labels, **became).told(()) == told


def test_what_is_given_again_is_told() -> None:
    """After a retirement or a split was taken back."""
    assert change(draft(RETIRED), LABELS).told(()) == "Benign is given again"
    assert change(draft(SPLIT), LABELS).told(()) == (
        "Intrinsic is given again, Number is gone, Name is gone"
    )


def test_what_is_in_hand_is_told_first() -> None:
    """The labels that somebody wanted just now stand before the others."""
    told = change(draft(), "- X\n").told([("Alone",)])
    assert told.startswith("Alone is gone, Unwanted is gone")


def test_children_go_along_with_their_parent_in_silence() -> None:
    """Another name of a parent is told once."""
    on = draft()
    became: dict[LabelPath, LabelPath] = {
        ("Unwanted",): ("Bad",),
        **{("Unwanted", name): ("Bad", name) for name in ("Intrinsic", "Extrinsic")},
    }
    made = Relabelling(on.tree, parse_labels(LABELS.replace("Unwanted", "Bad")), became)
    assert made.told(()) == "Unwanted is Bad now"


def test_a_refused_claim_comes_back_with_all_that_was_typed() -> None:
    """Evidence and note stay; a digit of the new bar saves them."""
    on = draft()
    keys(on, "space")
    on.note = "why"
    (sent,) = [effect for effect in key(on, "1") if isinstance(effect, Save)]
    relabel(on, RENAMED, Intrinsic="Made up")
    finishing.refused(on, sent.annotation, "the labels changed")
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
    finishing.refused(on, sent.annotation, "the labels changed")
    assert on.editing == on.annotations[0]
    saved = store(on, key(on, "enter"))
    assert saved.labels == (MADE_UP, ("Unwanted", "Extrinsic"))
    assert (saved.note, saved.version) == ("why", on.annotations[0].version)


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
    relabelling.take_over(on, change(on, RENAMED, Intrinsic="Made up"), (other,))
    assert on.editing == before
    assert on.labels == [MADE_UP]


def test_labels_that_are_no_longer_given_are_taken_off_unless_the_store_has_them() -> None:
    """An edit may keep what it had, and not gain what is retired."""
    on = marked()
    keys(on, "e 3")
    assert on.labels == [INTRINSIC, ("Benign",)]
    relabel(on, RETIRED)
    assert on.labels == [INTRINSIC]


def test_a_question_about_a_label_that_is_gone_is_over() -> None:
    """One about a label with another name goes on."""
    on = draft("- {name: A, evidence: required}\n- {name: B, evidence: required}\n")
    keys(on, "1")
    assert on.pending is not None
    became: dict[LabelPath, LabelPath] = {("A",): ("C",)}
    tree = parse_labels("- {name: C, evidence: required}\n")
    relabelling.take_over(on, Relabelling(on.tree, tree, became), ())
    assert on.pending is not None
    assert on.pending.path == ("C",)
    relabelling.take_over(on, Relabelling(on.tree, parse_labels("- D\n"), {}), ())
    assert on.pending is None


def test_colours_follow_the_labels() -> None:
    """Slots are those of the set in force."""
    on = draft("- A\n- B\n")
    assert on.slot(("B",)) == 1
    relabelling.take_over(on, Relabelling(on.tree, parse_labels("- B\n- A\n"), {}), ())
    assert on.slot(("B",)) == 0


# labels that are no longer given


def test_a_retired_label_is_shown_and_not_offered() -> None:
    """Not on the bar, not by `r`, not from the list; its annotations say so."""
    on = draft()
    store(on, key(on, "3"))
    relabel(on, RETIRED)
    assert "Benign" not in [option.text for option in on.options()]
    assert on.label_names(on.annotations[0].labels) == "Benign (retired)"
    keys(on, "down")
    assert choosing.pick(on, ("Benign",)) == [Blink()]
    assert said(on) == "Benign is retired: choose another label"
    key(on, "r")
    assert said(on) == "no label to repeat yet"


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
    on.wake()
    return on


def test_c_walks_to_what_is_to_be_labelled_anew_and_a_digit_does_it() -> None:
    """Two keys: the bar has the parts, in the place of what was split, and nothing else moves."""
    on = split()
    key(on, "c")
    assert [option.text for option in on.options()] == ["Number", "Name"]
    assert said(on).startswith("A Intrinsic was split: 1-2 choose")
    on.note, on.evidence = "in hand", list(on.claim)
    saved = store(on, key(on, "2"))
    assert (saved.id, saved.labels) == ("id-1", (("Unwanted", "Name"),))
    assert (on.note, len(on.evidence)) == ("in hand", 1)
    assert said(on).startswith("saved Name")
    assert on.lacking() == ()


def test_moving_on_gives_the_usual_bar_back() -> None:
    """The parts are there only while the annotation is in focus."""
    on = split()
    key(on, "c")
    on.wake()
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
    assert said(on) == "not done: A Intrinsic was split · 1-2 choose · e edit"
    assert store(on, key(on, "1")).labels == (("Unwanted", "Number"),)


def test_a_part_that_does_not_fit_is_refused_in_words() -> None:
    """Evidence or note that it does not take, another label beside it, the same one elsewhere."""
    on = draft(
        "- {name: A, split: [B, C, D]}\n- {name: B, evidence: none}\n- {name: C, note: none}\n"
        "- {name: D, exclusive: true}\n"
    )
    one = Annotation("x", on.claim, tuple(on.claim), (("A",),), "note")
    on.annotations = (one,)
    key(on, "c")
    for digit, told in (("1", "B takes no evidence"), ("2", "C takes no note")):
        assert key(on, digit) == [Blink()]
        assert said(on).startswith(told)
    on.annotations = (replace(one, labels=(("A",), ("C",))),)
    assert key(on, "3") == [Blink()]
    assert said(on) == "D must stand alone: e edits the labels"
    on.annotations = (one, replace(one, id="y", labels=(("D",),)))
    assert key(on, "3") == [Blink()]
    assert said(on).startswith("B says D of this claim already")


def test_nothing_open_is_told() -> None:
    """And what `i` would mark."""
    on = draft()
    assert key(on, "c") == [Blink()]
    assert said(on).startswith("nothing is open here")


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
    on.unsaved = [(replace(one, id="y"), True)]
    told = "".join(f"- {{name: {name}, retired: {str(name in retired).lower()}}}\n" for name in now)
    paths: dict[LabelPath, LabelPath] = {(old,): (new,) for old, new in became.items()}
    made = Relabelling(on.tree, parse_labels(told), paths)
    stored = replace(one, labels=tuple(map(made.path, one.labels)), version=2)
    made.told(relabelling.in_hand(on))
    relabelling.take_over(on, made, (stored,))
    assert (on.note, on.evidence, len(on.unsaved)) == ("typed", list(on.claim), 1)
    assert on.editing is not None
    assert on.editing.version == 2
    assert len(set(on.labels)) == len(on.labels)
    for path in on.labels:
        label = on.tree.find(path)
        assert label is not None
        assert label.offered or path in stored.labels
