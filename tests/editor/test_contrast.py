"""What is in hand held against what is lit: places in both documents, and words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.editor.draft_samples import anchor, draft, key, keys, light, select
from tui_annotate.domain.samples import Match, Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor.contrast import (
    LONGEST,
    NOTHING,
    Marks,
    TextContrast,
    compute_contrast,
    match_pair,
)
from tui_annotate.editor.state import Draft


def compared(made: Draft, marks: Marks = lambda _: None) -> TextContrast:
    """The contrast of what is in hand and in focus."""
    what = match_pair(made)
    assert what
    return compute_contrast(made, what, marks)


def test_places_are_those_of_the_documents() -> None:
    """Spans count from the start of their own text, wherever selection and match lie in it."""
    made = draft()
    select(made, "15 million pounds")
    found = compared(made)
    source, summary = made.text(Side.SOURCE), made.text(Side.SUMMARY)
    assert [span.of(source) for span in found.shared] == ["million"]
    assert [span.of(summary)[:2] for span in found.claims] == ["15"]
    assert [span.of(source)[:2] for span in found.evidence] == ["12"]
    assert found.description.startswith("15 million")
    assert " ≠ 12 million" in found.description


def test_what_stands_elsewhere_is_no_conflict_where_that_is_known() -> None:
    """Marks of both documents say which words the other side has nowhere."""
    made = draft()
    select(made, "15 million pounds")
    places = {
        Side.SUMMARY: [anchor(made, "15 million", Side.SUMMARY).span],
        Side.SOURCE: [anchor(made, "12 million", Side.SOURCE).span],
    }
    assert compared(made, lambda place: places[place[0]]).description
    assert compared(made, lambda place: places[place[0]] if place[0] is Side.SUMMARY else []) == (
        replace(NOTHING, shared=compared(made).shared)
    )


def test_it_follows_the_focus_and_the_side_in_hand() -> None:
    """Another match, the other side, nothing lit."""
    made = draft()
    first = match_pair(made)
    assert first
    assert first.anchor_document == (Side.SUMMARY, 0)
    assert first.match_document == (Side.SOURCE, 0)
    select(made, "film")
    other = match_pair(made)
    assert other
    assert other.has_same_match(first)
    keys(made, "n")
    walked = match_pair(made)
    assert walked
    assert not walked.has_same_match(first)
    assert not walked.has_same_match(None)
    light(made, (1, 0.9), side=Side.SUMMARY)
    key(made, "tab")
    crossed = match_pair(made)
    assert crossed
    assert crossed.match_document == (Side.SUMMARY, 0)
    light(made, side=Side.SUMMARY)
    assert match_pair(made) is None


def test_what_is_endless_is_looked_at_in_part() -> None:
    """A match of a megabyte costs no more than its beginning."""
    made = draft(sources=(f"{'million ' * 50_000}. Two. Three.",))
    made.matches[Side.SOURCE] = (Match(0, 0, Span(0, 400_000), 0.9, 1),)
    made.focused_ranks[Side.SOURCE] = 1
    select(made, "15 million pounds")
    assert max(span.end for span in compared(made).shared) <= LONGEST


KEEPER = "He was born in 1900. He kept the lighthouse for thirty years. Nobody died."
LOGBOOK = "The keeper kept the lighthouse for twenty years. It rained. It snowed."


@pytest.mark.parametrize("words", ["thirty years", "thirty", "for thirty years", KEEPER[21:61]])
def test_selected_words_are_compared_with_their_sentence(words: str) -> None:
    """A number alone has the contradiction that its sentence has, because it counts the same."""
    made = draft(sources=(LOGBOOK,), summary=KEEPER)
    light(made, (0, 0.9))
    select(made, words)
    found = compared(made)
    assert [span.of(KEEPER) for span in found.claims] == ["thirty years"]
    assert [span.of(LOGBOOK) for span in found.evidence] == ["twenty years"]


def test_a_selection_has_no_contradiction_of_other_words() -> None:
    """Words without a number have none, and a sentence has none of its neighbours."""
    made = draft(sources=(LOGBOOK,), summary=KEEPER)
    light(made, (0, 0.9))
    select(made, "kept the lighthouse")
    assert not compared(made).claims
    select(made, KEEPER[:20])
    assert not compared(made).claims


def test_a_number_in_an_endless_sentence_is_compared_alone() -> None:
    """The words around it cost too long there; the number itself is still compared."""
    endless = f"{'very ' * LONGEST}costly, it took 15 million pounds."
    made = draft(sources=("The budget was 12 million. It rained. It snowed.",), summary=endless)
    light(made, (0, 0.9))
    select(made, "15 million pounds")
    assert [span.of(endless)[:2] for span in compared(made).claims] == ["15"]
