"""Items: where reports are cut, what is annotated and complete, and how it is counted."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.collection_samples import (
    CITED,
    TEXTS,
    citations,
    collection,
    document,
    key,
    report,
)
from tui_annotate.domain import report_collections
from tui_annotate.domain.report_collections import Item, Sentence, TreeBranch, TreeLeaf
from tui_annotate.domain.samples import Sample, SampleKind, Side
from tui_annotate.domain.spans import Span

TEXT = " ".join(TEXTS)
SENTENCES = report_collections.report_sentences(report())


def item(sample: Sample, *, done: bool = False) -> Item:
    """A sample as the store gives it."""
    return report_collections.make_item(
        sample.key, group=sample.group, start=TEXT[:9], meta=sample.meta, done=done
    )


# sentences ---------------------------------------------------------------------------------------


def test_a_report_tells_its_sentences() -> None:
    """With their extents and what they cite; joined by one space they are its text."""
    assert [TEXT[start:end] for start, end, _ in SENTENCES] == list(TEXTS)
    assert [each.citations for each in SENTENCES] == list(CITED)


@pytest.mark.parametrize(
    "told", [None, 7, "text", [1], [{}], [{"start": "x", "end": 2}], [{"start": None, "end": 1}]]
)
def test_a_third_party_field_of_that_name_tells_of_no_sentence(told: object) -> None:
    """What a record of another origin calls so is left alone."""
    assert report_collections.report_sentences(replace(report(), meta={"sentences": told})) == ()


@pytest.mark.parametrize(
    ("start", "end", "parts"),
    [
        (4, 27, [(4, 22), (23, 27)]),
        (22, 23, []),
        (10, 52, [(10, 22), (23, 34), (35, 52)]),
        (3, 9, [(4, 9)]),
        (4, 23, [(4, 22)]),
    ],
)
def test_a_passage_is_cut_at_sentences(start: int, end: int, parts: list[tuple[int, int]]) -> None:
    """Each part lies in one sentence, and begins and ends with no white space."""
    found = report_collections.split_at_sentences(Span(start, end), SENTENCES, TEXT)
    assert [(span.start, span.end) for span in found] == parts


def test_without_sentences_a_passage_stays_one() -> None:
    """It is trimmed all the same; white space alone is nothing."""
    assert report_collections.split_at_sentences(Span(3, 27), (), TEXT) == (Span(4, 27),)
    assert report_collections.split_at_sentences(Span(22, 23), (), TEXT) == ()


@given(st.lists(st.text(" ab😀", max_size=5), min_size=1, max_size=5), st.data())
def test_parts_hold_all_words_of_a_passage_and_nothing_else(
    texts: list[str], data: st.DataObject
) -> None:
    """Every letter that was selected is in one part; every part is in one sentence."""
    of = report(texts=texts, cited=[()] * len(texts))
    text = of.document(Side.SUMMARY).text
    if not text:
        return
    start = data.draw(st.integers(0, len(text) - 1))
    span = Span(start, data.draw(st.integers(start + 1, len(text))))
    within = report_collections.report_sentences(of)
    parts = report_collections.split_at_sentences(span, within, text)
    letters = [at for at in range(span.start, span.end) if not text[at].isspace()]
    assert [at for part in parts for at in letters if part.contains(Span(at, at + 1))] == letters
    assert all(one.end < other.start for one, other in pairwise(parts))
    for part in parts:
        place = report_collections.find_sentence(part, within)
        assert place is not None
        assert within[place].start <= part.start < part.end <= within[place].end


def test_a_span_is_of_the_first_sentence_that_it_meets() -> None:
    """The space between two belongs to none, nor does anything to a blank sentence."""
    within = (Sentence(0, 3), Sentence(4, 4), Sentence(5, 9))
    assert report_collections.find_sentence(Span(2, 7), within) == 0
    assert report_collections.find_sentence(Span(4, 6), within) == 2
    assert report_collections.find_sentence(Span(3, 4), within) is None


# what is annotated -------------------------------------------------------------------------------


def test_a_sentence_is_complete_with_its_last_citation() -> None:
    """One of two is not enough; a sentence that cites nothing has one citation, of nothing."""
    first, second, *rest = [item(one) for one in citations(report())]
    some = report_collections.list_leaves(
        SampleKind.CITATION, [replace(first, annotated=True), second, *rest]
    )
    assert [leaf.done for leaf in some] == [False, False, False]
    every = [replace(one, annotated=one.sentence != 1) for one in (first, second, *rest)]
    assert [leaf.done for leaf in report_collections.list_leaves(SampleKind.CITATION, every)] == [
        True,
        False,
        True,
    ]
    assert report_collections.count_done_by_topic(SampleKind.CITATION, every) == {"1": (2, 3)}


def test_leaves_of_a_run_are_its_sentences_in_order() -> None:
    """Each with its citations in theirs, whatever order they came in."""
    both = [item(one) for run in ("run1", "run2") for one in citations(report(run=run))]
    found = report_collections.list_leaves(SampleKind.CITATION, reversed(both), "run2")
    assert [leaf.name for leaf in found] == ["s0", "s1", "s2"]
    assert found[1] == TreeLeaf("s1", TEXT[:9], (key("c|1|run2|1|db"),), (False,))


def test_documents_stand_under_each_run_that_cites_them() -> None:
    """By their ids; a topic has each once."""
    both = [item(document(name="db", runs=["run2"])), item(document(runs=["run1", "run2"]))]
    assert [
        leaf.name for leaf in report_collections.list_leaves(SampleKind.DOCUMENT, both, "run2")
    ] == [
        "da",
        "db",
    ]
    assert [
        leaf.name for leaf in report_collections.list_leaves(SampleKind.DOCUMENT, both, "run1")
    ] == ["da"]
    assert report_collections.count_done_by_topic(SampleKind.DOCUMENT, both) == {"1": (0, 2)}


# counting ----------------------------------------------------------------------------------------


def test_runs_are_counted_by_what_they_hold() -> None:
    """Reports are themselves; runs without such items are not there."""
    reports = [item(report(run=run), done=run == "run2") for run in ("run1", "run2")]
    assert report_collections.list_branches(SampleKind.REPORT, reports, reports) == (
        TreeBranch("run1", "team of run1", 0, 1, key("r|1|run1")),
        TreeBranch("run2", "team of run2", 1, 1, key("r|1|run2")),
    )
    mine = [item(one, done=True) for one in citations(report(run="run2"))]
    assert report_collections.list_branches(SampleKind.CITATION, mine, reports) == (
        TreeBranch("run2", "team of run2", 3, 3),
    )


def test_runs_are_counted_by_the_sentences_that_are_complete() -> None:
    """Of their reports, without looking at citations; a report of blank ones has none."""
    reports = [item(report(run="run1")), item(report(run="run2", texts=[" "], cited=[()]))]
    complete = [f"1|run1|{place}" for place in (0, 2)]
    assert report_collections.list_sentence_branches(reports, complete) == (
        TreeBranch("run1", "team of run1", 2, 3),
    )


def test_topics_are_counted_apart() -> None:
    """Reports by themselves, and sentences of all runs of a topic together."""
    made = [one for one in collection() if one.kind is SampleKind.CITATION]
    assert report_collections.count_done_by_topic(SampleKind.CITATION, map(item, made)) == {
        "1": (0, 6),
        "2": (0, 1),
    }
    reports = [one for one in collection() if one.kind is SampleKind.REPORT]
    assert report_collections.count_done_by_topic(SampleKind.REPORT, map(item, reports)) == {
        "1": (0, 2),
        "2": (0, 1),
    }


# ids ---------------------------------------------------------------------------------------------


def test_a_name_may_hold_the_mark_between_names() -> None:
    """Topic and run are told by the record, not by cutting the id."""
    of = report("a|b", "team/run|1")
    assert item(of).run == "team/run|1"
    assert {item(one).run for one in citations(of)} == {"team/run|1"}
    assert report_collections.report_id(next(citations(of)).group) == of.id


def test_a_record_of_another_origin_is_an_item_without_a_place() -> None:
    """Nothing of what it lacks is guessed."""
    assert report_collections.make_item(key("x"), group="", start="", meta={"runs": 7}) == Item(
        key("x"), ""
    )


@pytest.mark.parametrize(
    ("ratings", "apart"),
    [((), False), (("", ""), False), (("Bad", "Bad"), False), (("Bad", ""), True)],
)
def test_who_rated_nothing_rated_otherwise(ratings: tuple[str, ...], *, apart: bool) -> None:
    """Where anybody rated at all."""
    assert report_collections.has_rating_conflict(ratings) is apart


def test_the_workspaces_own_words_go_before_the_scale() -> None:
    """They are for all kinds; without them pairs are not rated by hand."""
    assert report_collections.rating_scale(SampleKind.REPORT) == (
        "Perfect",
        "Mostly Good",
        "So-so",
        "Bad",
    )
    assert report_collections.rating_scale(SampleKind.PAIR) == ()
    assert report_collections.rating_scale(SampleKind.PAIR, ["good", "poor"]) == ("good", "poor")
