"""What is known of the documents that an answer was retrieved from."""

from __future__ import annotations

import pytest

from tests.tui.draft.desk import draft, key, said
from tui_annotate.domain.samples import Document, Sample, SampleKey, Side
from tui_annotate.domain.scores import Score
from tui_annotate.tui.draft.contexts import Contexts, contexts, pages
from tui_annotate.tui.draft.effects import Blink, Open

KEY = SampleKey("rag", "0")


def sample(*keys: str, **meta: str) -> Sample:
    """One with a document for each key."""
    documents = tuple(Document(Side.SOURCE, f"text {name}", key=name) for name in keys)
    return Sample("rag", "0", (*documents, Document(Side.SUMMARY, "It rained.")), meta=meta)


def of_documents(name: str, *parts: float | None, of: str = "documents") -> Score:
    """A score with a part for each document."""
    return Score(key=KEY, name=name, parts=parts, of=of)


def test_places_and_worth_are_told_as_far_as_they_are_known() -> None:
    """Retriever, judge, useful; a context that the judge left out has no place and comes last."""
    made = contexts(
        sample("1", "2", "4"),
        [of_documents("judge_order", 3, None, 1), of_documents("judge_useful", 1, None, 0)],
    )
    assert [made.words(at) for at in range(3)] == [
        "#1 / #3 / useful",
        "#2 / -",
        "#4 / #1 / not useful",
    ]
    assert made.order == (2, 0, 1)


def test_without_a_judge_the_retrievers_places_stand_alone() -> None:
    """Documents that are not named by their places have none, until a judge speaks of them."""
    assert contexts(sample("1", "2"), []).words(1) == "#2"
    assert contexts(sample("a", "b"), []).words(1) == ""
    assert contexts(sample("a", "b"), [of_documents("judge_order", 2, 1)]).words(1) == "#2 / #1"
    assert contexts(sample("1"), []).order == ()
    assert contexts(sample(), []) == Contexts()


def test_evaluation_tells_what_is_useful_where_no_sorting_did() -> None:
    """The parts of its precision are that."""
    made = contexts(sample("1", "2"), [of_documents("context_precision", 0, 1)])
    assert [made.words(at) for at in range(2)] == ["#1 / not useful", "#2 / useful"]


@pytest.mark.parametrize(
    "score", [of_documents("judge_order", 1), of_documents("judge_order", 1, 2, of="segments")]
)
def test_what_does_not_fit_the_documents_is_left_out(score: Score) -> None:
    """Another number of parts, or parts of something else."""
    assert contexts(sample("1", "2"), [score]).judged == ()


def test_the_right_answer_is_the_records_own_before_a_judges() -> None:
    """A page says which; without one there is none, and places have a page where a judge spoke."""
    wrote = Score(key=KEY, name="ground_truth", text="It snowed.")
    own = sample("1", "2", ground_truth="It rained.")
    assert [*pages(own, contexts(own, [wrote]))] == [("Ground truth", "It rained.")]
    bare = sample("1", "2")
    judged = contexts(bare, [wrote, of_documents("judge_order", 2, 1)])
    assert [*pages(bare, judged)] == [
        ("Ground truth", "# Written by a judge\nIt snowed."),
        ("Contexts", "# #2 / #1\ntext 2\n\n# #1 / #2\ntext 1"),
    ]
    assert [*pages(bare, contexts(bare, []))] == []


def test_the_order_changes_only_where_a_judge_sorted() -> None:
    """Else the bar blinks, and the line says why."""
    on = draft(sources=("One. Two.", "Three."))
    assert key(on, "O") == [Blink()]
    assert "no judge has sorted" in said(on)
    on.contexts = Contexts(judged=(2, 1))
    assert key(on, "O") == [Open("contexts")]
