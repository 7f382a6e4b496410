"""What is known of contexts, and their order on the annotating screen."""

from __future__ import annotations

import re
from pathlib import Path
from typing import cast
from uuid import uuid4

import pytest

from tests.editor.draft_samples import draft
from tests.tui.screens.annotate_app import Person, make_workspace, open_app
from tui_annotate import workspace
from tui_annotate.domain.samples import Document, Request, Sample, SampleKey, SampleKind, Side
from tui_annotate.domain.scores import RunKind, Score, ScoreRun
from tui_annotate.editor.effects import Blink, Open, Page
from tui_annotate.editor.messages import MessageCode
from tui_annotate.editor.press import press
from tui_annotate.editor.screen_message import ScreenMessage
from tui_annotate.lab.judge.feature import (
    ContextOrder,
    RankedContexts,
    context_pages,
    rank_contexts,
)
from tui_annotate.tui.screens.sample.feature import FeatureHost

RANKED_KEY = SampleKey("rag", "0")


def sample(*keys: str, **meta: str) -> Sample:
    """One with a document for each key."""
    documents = tuple(Document(Side.SOURCE, f"text {name}", key=name) for name in keys)
    return Sample("rag", "0", (*documents, Document(Side.SUMMARY, "It rained.")), meta=meta)


def of_documents(name: str, *parts: float | None, of: str = "documents") -> Score:
    """A score with a part for each document."""
    return Score(key=RANKED_KEY, name=name, parts=parts, of=of)


def test_places_and_worth_are_told_as_far_as_they_are_known() -> None:
    """Retriever, judge, useful; a context that the judge left out has no place and comes last."""
    made = rank_contexts(
        sample("1", "2", "4"),
        [of_documents("judge_order", 3, None, 1), of_documents("judge_useful", 1, None, 0)],
    )
    assert [made.describe(at) for at in range(3)] == [
        "#1 / #3 / useful",
        "#2 / -",
        "#4 / #1 / not useful",
    ]
    assert made.order == (2, 0, 1)


def test_an_order_without_any_rank_is_no_order() -> None:
    """A judge whose replies contradict each other ranks no document."""
    scores = [of_documents("judge_order", None, None), of_documents("judge_useful", 1, 0)]
    made = rank_contexts(sample("1", "2"), scores)
    assert (made.judged, made.order) == ((), ())
    assert [made.describe(at) for at in range(2)] == ["#1 / useful", "#2 / not useful"]
    on = draft(sources=("One. Two.", "Three."))
    feature = ContextOrder(cast("FeatureHost", None))
    feature.contexts = made
    assert press(on, "document.order", more=feature.key_handlers) == [Blink()]
    assert on.message.code is MessageCode.NO_JUDGED_ORDER


def test_without_a_judge_the_retrievers_places_stand_alone() -> None:
    """Documents that are not named by their places have none, until a judge speaks of them."""
    assert rank_contexts(sample("1", "2"), []).describe(1) == "#2"
    assert rank_contexts(sample("a", "b"), []).describe(1) == ""
    judged = rank_contexts(sample("a", "b"), [of_documents("judge_order", 2, 1)])
    assert judged.describe(1) == "#2 / #1"
    assert rank_contexts(sample("1"), []).order == ()
    assert rank_contexts(sample(), []) == RankedContexts()


def test_evaluation_tells_what_is_useful_where_no_sorting_did() -> None:
    """The parts of its precision are that."""
    made = rank_contexts(sample("1", "2"), [of_documents("context_precision", 0, 1)])
    assert made.useful == (False, True)
    bad, good = (made.describe(at) for at in range(2))
    assert (bad[:5], good[:5]) == ("#1 / ", "#2 / ")
    assert bad[5:] != good[5:]


@pytest.mark.parametrize(
    "score", [of_documents("judge_order", 1), of_documents("judge_order", 1, 2, of="segments")]
)
def test_what_does_not_fit_the_documents_is_left_out(score: Score) -> None:
    """Another number of parts, or parts of something else."""
    assert rank_contexts(sample("1", "2"), [score]).judged == ()


def test_the_right_answer_is_the_records_own_before_a_judges() -> None:
    """A page says which; without one there is none, and places have a page where a judge spoke."""
    wrote = Score(key=RANKED_KEY, name="ground_truth", text="It snowed.")
    own = sample("1", "2", ground_truth="It rained.")
    assert [text for _, text in context_pages(own, rank_contexts(own, [wrote]))] == ["It rained."]
    bare = sample("1", "2")
    judged = rank_contexts(bare, [wrote, of_documents("judge_order", 2, 1)])
    truth, contexts = context_pages(bare, judged)
    assert judged.written
    assert re.fullmatch(r"# .+\nIt snowed\.", truth[1])
    assert contexts[1] == "# #2 / #1\ntext 2\n\n# #1 / #2\ntext 1"
    assert [*context_pages(bare, rank_contexts(bare, []))] == []


def test_the_order_changes_only_where_a_judge_sorted() -> None:
    """Else the bar blinks, and the line says why."""
    on = draft(sources=("One. Two.", "Three."))
    feature = ContextOrder(cast("FeatureHost", None))
    assert press(on, "document.order", more=feature.key_handlers) == [Blink()]
    assert on.message.code is MessageCode.NO_JUDGED_ORDER
    feature.contexts = RankedContexts(judged=(2, 1))
    assert press(on, "document.order", more=feature.key_handlers) == [Open(Page.DOCUMENT_ORDER)]


WIDE = (140, 40)
KEY = SampleKey("rag", "a")
CONTEXTS = ("Crabs hide.", "The tide is low at noon.", "Sea stars eat mussels.")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A question with three contexts and an answer, and one without an answer."""
    sources = tuple(Document(Side.SOURCE, text, key=str(at)) for at, text in enumerate(CONTEXTS, 1))
    request = Request(question="What do sea stars eat?")
    answered = Sample(
        "rag",
        "a",
        (*sources, Document(Side.SUMMARY, "They eat mussels. They like noon.")),
        request=request,
        meta={"ground_truth": "Mussels."},
    )
    bare = Sample("rag", "b", sources, kind=SampleKind.QUESTION, request=request)
    return make_workspace(tmp_path / "work", samples=[answered, bare])


def judge(folder: Path) -> None:
    """A judge puts the third first, leaves the second out, and finds the third useful."""
    with workspace.open(folder) as space:
        run = ScoreRun(id=str(uuid4()), kind=RunKind.JUDGE, maker="sort:tiny", dataset="rag")
        parts = {"judge_order": (2.0, None, 1.0), "judge_useful": (0.0, None, 1.0)}
        scores = [
            Score(key=KEY, name=name, parts=each, of="documents") for name, each in parts.items()
        ]
        space.machines.scores.write(run, scores)


def title(person: Person) -> str:
    """The row over the source."""
    return next(row for row in person.shown().splitlines() if "SOURCE" in row or "Source" in row)


def code(person: Person) -> ScreenMessage:
    """That of the message in the draft line."""
    return person.draft.message.code


async def test_contexts_are_walked_as_retrieved_without_a_judge(folder: Path) -> None:
    """Each tells its place; the right answer is a key away; no other order is to be had."""
    async with open_app(folder, size=WIDE) as person:
        assert "SOURCE 3/3 ─ #3" in title(person)  # a match brought it there
        await person.press("d")
        assert "SOURCE 1/3 ─ #1" in title(person)
        await person.press("O")
        assert person.said().code is MessageCode.NO_JUDGED_ORDER
        await person.press("g right right")
        assert "Mussels." in person.shown()


async def test_a_judges_order_is_walked_and_told(folder: Path) -> None:
    """`O` turns to it, its first document on screen, and back; it holds in the next sample."""
    judge(folder)
    async with open_app(folder, size=WIDE) as person:
        await person.press("O")
        assert person.said().code is MessageCode.JUDGED_ORDER
        assert "3/3" in title(person)
        assert "#3 / #1 / " in title(person)
        await person.press("d")
        assert "#1 / #2 / " in title(person)
        await person.press("d")
        assert "#2 / -" in title(person)
        await person.press("O")
        assert person.said().code is MessageCode.RETRIEVED_ORDER
        await person.press("d")
        assert "#2 / -" in title(person)
        await person.press("g right right right")
        assert "#3 / #1 / " in person.shown()


async def test_a_question_without_an_answer_is_read_all_the_same(folder: Path) -> None:
    """Nothing stands where the answer would; contexts are walked; Enter finishes."""
    async with open_app(folder, sample="b") as person:
        await person.press("d O y c g escape")
        assert "#2" in person.shown()
        await person.press("enter")
        assert person.screen.open_sample is not None
        assert person.screen.open_sample.sample.id == "a"


async def test_where_machines_are_hidden_the_judge_is_too(folder: Path) -> None:
    """The retriever's places and the record's own answer are no machine's opinion."""
    judge(folder)
    with workspace.open(folder) as space:
        space.machines.blind_datasets.hide("rag")
    async with open_app(folder, size=WIDE) as person:
        await person.press("O")
        assert person.said().code is MessageCode.NO_JUDGED_ORDER
        assert "#3" in title(person)
        assert "#3 / " not in title(person)
