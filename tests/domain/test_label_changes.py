"""Labels that change: what becomes of those of an annotation, and of the log of its owner."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tui_annotate.domain import event_builders
from tui_annotate.domain.annotations import Anchor, Annotation, annotation_to_json
from tui_annotate.domain.history import (
    DISCARD,
    RELABEL,
    UNDO,
    Change,
    Event,
    LoggedAction,
    PendingEvent,
    StreamState,
    find_redo_target,
    find_undo_target,
    last_action_time,
)
from tui_annotate.domain.label_changes import (
    find_broken_rules,
    find_duplicate_pairs,
    is_below,
    is_stricter,
    rename_change,
    rename_labels,
    rename_subtree,
)
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span

CLAIM = (Anchor(Side.SUMMARY, 0, Span(0, 3)),)
EVIDENCE = (Anchor(Side.SOURCE, 0, Span(4, 9)),)
A, B, C = ("A",), ("B",), ("B", "C")
MINE, OTHER = ("ana", "d", "1"), ("ana", "d", "2")


def note(name: str = "1", *labels: tuple[str, ...], text: str = "") -> Annotation:
    """An annotation with evidence."""
    return Annotation(name, CLAIM, EVIDENCE, labels or (A,), text)


def test_what_is_below_moves_along() -> None:
    """By whole names: a label that only begins alike stays."""
    paths = [("B",), ("B", "C"), ("B", "C", "D"), ("Bx",)]
    assert rename_subtree(paths, B, A) == {B: A, C: ("A", "C"), ("B", "C", "D"): ("A", "C", "D")}
    assert (is_below(C, B), is_below(("Bx",), B), is_below(B, C)) == (True, False, False)


def test_a_label_stands_once_where_it_first_stood() -> None:
    """When two become one."""
    assert rename_labels((A, C, B), {A: C, B: ("D",)}) == (C, ("D",))
    assert rename_labels((), {A: B}) == ()


def test_a_change_of_the_log_is_renamed_on_both_sides() -> None:
    """What goes and what comes; an annotation without such a label is the same object."""
    one, other = (annotation_to_json(note(name, path)) for name, path in (("1", A), ("2", C)))
    change = rename_change(Change({"1": one, "2": other, "3": None}, {"state": "done"}), {A: B})
    assert change.annotations["1"] == {**one, "labels": [["B"]]}
    assert change.annotations["2"] is other
    assert (change.annotations["3"], change.assignment) == (None, {"state": "done"})


def test_rules_that_work_breaks_are_named() -> None:
    """Evidence, a note, company; labels outside the set have no rules."""
    labels = parse_labels(
        "- {name: A, evidence: none}\n- {name: B, note: none}\n- {name: X, exclusive: true}\n"
    )
    assert list(find_broken_rules(note("1", A), labels)) == [(A, "evidence")]
    assert list(find_broken_rules(note("1", B, ("X",), text="so"), labels)) == [
        (B, "note"),
        (("X",), "alone"),
    ]
    assert list(find_broken_rules(note("1", ("Gone",)), labels)) == []


def test_alike_is_the_same_label_on_the_same_claim() -> None:
    """One of several labels is enough; another claim is not."""
    one, other = note("1", A, B), note("2", B)
    far = replace(note("3", B), claim=(Anchor(Side.SUMMARY, 0, Span(5, 8)),))
    assert [(a.id, b.id) for a, b in find_duplicate_pairs([one, other, far])] == [("1", "2")]


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("- {name: A, color: red, key: 2, description: x}\n- B: [C]\n- New", False),
        ("- {name: A, retired: true}\n- B: [C]", False),
        ("- {name: A, note: required}\n- B: [C]", True),
        ("- A\n- B", True),
        ("- {name: A, evidence: none}\n- B: [C]", True),
        ("- {name: A, note: none}\n- B: [C]", True),
        ("- {name: A, exclusive: true}\n- B: [C]", True),
        ("- {name: A, split: [B, B.C]}\n- B: [C]", True),
    ],
)
def test_a_set_is_stricter_where_work_could_lose_by_it(text: str, *, is_so: bool) -> None:
    """What is added, or retired for new work, takes nothing from old work."""
    assert is_stricter(parse_labels("- A\n- B: [C]\n"), parse_labels(text)) is is_so


def state(of: str = "done") -> StreamState:
    """Work on a sample."""
    made = {"1": annotation_to_json(note())}
    return StreamState(made, {"state": of, "rating": "", "comment": ""})


def test_other_labels_leave_the_work_finished() -> None:
    """The annotation is a new version, and no longer the record that it came as."""
    action = event_builders.relabel(state(), {"1": [B]}, at="now")
    after = state().applied(action)
    assert (action.verb, after.assignment["state"]) == (RELABEL, "done")
    payload = after.annotations["1"]
    assert (payload["labels"], payload["version"], payload["updated"]) == ([["B"]], 2, "now")
    assert event_builders.undo_relabel(after, action, "e", states=True).after.annotations == {
        "1": state().annotations["1"]
    }


@pytest.mark.parametrize(
    ("of", "then"),
    [("done", "reopened"), ("skipped", "reopened"), ("draft", "draft"), ("new", "reopened")],
)
def test_finished_work_and_imports_are_opened_again(of: str, then: str) -> None:
    """And go back, unless it is said that they must not."""
    action = event_builders.relabel(
        state(of), {}, at="now", to=event_builders.reopened_state(state(of))
    )
    after = state(of).applied(action)
    assert after.assignment["state"] == then
    for states, end in ((True, of), (False, then)):
        back = event_builders.undo_relabel(after, action, "e", states=states)
        assert after.applied(back).assignment["state"] == end


def test_what_was_changed_since_is_not_restored() -> None:
    """Only what stands as the change left it."""
    action = event_builders.relabel(state(), {"1": [B]}, at="now")
    after = state().applied(action)
    edited = replace(note("1", B), version=3)
    later = replace(after, annotations={"1": annotation_to_json(edited)})
    assert event_builders.undo_relabel(later, action, "e", states=True).after.annotations == {}


@pytest.mark.parametrize("end", [DISCARD, RELABEL])
def test_undo_does_not_go_behind_what_ends_a_stream(end: str) -> None:
    """There; what was done on other samples is still taken back, and done again."""
    old, elsewhere = LoggedAction("a", "add", "", MINE), LoggedAction("b", "add", "", OTHER)
    change = LoggedAction("c", end, "", MINE)
    assert find_undo_target([change, old]) is None
    assert find_undo_target([change, old, elsewhere]) == elsewhere
    newer = LoggedAction("d", "edit", "", MINE)
    assert find_undo_target([newer, change, old]) == newer
    undone = LoggedAction("u", UNDO, "b", OTHER)
    assert find_redo_target([change, undone, elsewhere]) == undone
    assert find_redo_target([change, LoggedAction("u", UNDO, "a", MINE), old]) is None


def test_a_change_of_labels_is_nobodys_deed() -> None:
    """The hour of the last deed is that of somebody's."""

    def event(verb: str, at: str) -> Event:
        return Event("x", 1, *MINE, PendingEvent(verb, Change(), Change()), at=at)

    assert last_action_time([]) == ""
    assert last_action_time([event("add", "1"), event(RELABEL, "2")]) == "1"
    assert last_action_time([event("add", "1"), event(RELABEL, "2"), event("done", "3")]) == "3"
    assert last_action_time([event(RELABEL, "2")]) == "2"
