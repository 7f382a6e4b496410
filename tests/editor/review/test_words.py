"""The draft line in review, in every state of a position."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.editor.draft_samples import SUMMARY
from tests.editor.review.draft_samples import BENIGN, TWO, at, kept, keys, one, refused
from tui_annotate.domain.adjudication import ReviewAction
from tui_annotate.domain.samples import Document, SampleKind, Side
from tui_annotate.editor.review.words import DIFFERENCES, describe_group_status, draft_line
from tui_annotate.methods.adjudication import DifferenceKind


def test_names_stand_for_letters_while_they_are_shown() -> None:
    """In rivals and in titles."""
    on = at(0, {"A": TWO["A"][:1], "B": []})
    assert on.group
    assert " B " in describe_group_status(on, on.group)
    on.names = {"A": "ana", "B": "ben"}
    assert on.options()[0].text == "Intrinsic ana"
    assert " ben " in describe_group_status(on, on.group)


def test_the_line_says_what_the_next_key_does() -> None:
    """For every state of a place, in full where there is room."""
    assert draft_line(at(0, TWO))[0] == (
        "No candidate has a majority: press 1-2 to choose one · M merge · x reject all"
    )
    assert draft_line(at(1, TWO))[0] == (
        'All annotators agree, Enter accepts: Intrinsic, "15 million", 1 evidence span'
        " · c next conflict"
    )
    alone = at(0, {"A": [one("a", "loved", note="no")], "B": []})
    assert draft_line(alone)[0] == 'y accepts A: Intrinsic, "loved" · note "no"'
    assert describe_group_status(alone, alone.groups[0]) == "conflict: B marked nothing here"
    three = {**TWO, "C": [one("c1", "loved")]}
    assert 'y accepts B C: Intrinsic, "loved", which has 2 of 3' in draft_line(at(0, three))[0]
    twice = [one("1", "loved"), one("2", "loved", BENIGN)]
    two = at(0, {"A": twice, "B": twice, "C": twice[:1]})
    assert draft_line(two)[0] == "y accepts 1 Intrinsic A B C, 2 Benign A B"
    assert draft_line(at(0, TWO, kept("a1", how=ReviewAction.MERGED)))[0].startswith(
        'Merged: Intrinsic, "loved"'
    )
    both = at(0, TWO, refused("a1", note="odd"), refused("b1"))
    assert draft_line(both)[0].startswith("Rejected: annotator's slip")
    assert draft_line(both)[0].endswith("Enter adjudicates")


@given(st.integers(0, 1), st.integers(24, 200), st.sampled_from(["", "1", "x", "enter", "a"]))
def test_the_line_fits_from_80_columns_on(number: int, cells: int, pressed: str) -> None:
    """It gives up words, never the first thing that it says."""
    on = at(number, TWO)
    keys(on, pressed)
    full, short = draft_line(on)[0], draft_line(on, cells)[0]
    assert short[:4] == full[:4]
    if cells >= 77:
        assert cell_len(short) <= cells


def test_people_who_marked_a_document_otherwise_differ_in_passages() -> None:
    """A document alone has no evidence for anything; next to a summary it is evidence."""
    on = at(0, TWO)
    group = replace(on.groups[0], differences=(DifferenceKind.EVIDENCE,))
    bare = replace(group, differences=())
    on.groups = (group, bare)
    evidence = DIFFERENCES[DifferenceKind.EVIDENCE].text()
    assert evidence in describe_group_status(on, group)
    on.sample = replace(
        on.sample, kind=SampleKind.DOCUMENT, documents=(Document(Side.SUMMARY, SUMMARY),)
    )
    described, of_bare = describe_group_status(on, group), describe_group_status(on, bare)
    assert described.startswith(of_bare)
    assert described != of_bare
    assert evidence not in described
