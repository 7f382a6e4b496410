"""Questions with retrieved contexts on the annotating screen."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from tests.tui.screens.work import Person, at_work, make
from tui_annotate import workspace
from tui_annotate.domain.samples import Document, Kind, Request, Sample, SampleKey, Side
from tui_annotate.domain.scores import Run, RunKind, Score

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
    bare = Sample("rag", "b", sources, kind=Kind.QUESTION, request=request)
    return make(tmp_path / "work", samples=[answered, bare])


def judge(folder: Path) -> None:
    """A judge puts the third first, leaves the second out, and finds the third useful."""
    with workspace.open(folder) as space:
        run = Run(id=str(uuid4()), kind=RunKind.JUDGE, maker="sort:tiny", dataset="rag")
        parts = {"judge_order": (2.0, None, 1.0), "judge_useful": (0.0, None, 1.0)}
        scores = [
            Score(key=KEY, name=name, parts=each, of="documents") for name, each in parts.items()
        ]
        space.machines.scores.write(run, scores)


def title(person: Person) -> str:
    """The row over the source."""
    return next(row for row in person.shown().splitlines() if "SOURCE" in row or "Source" in row)


async def test_contexts_are_walked_as_retrieved_without_a_judge(folder: Path) -> None:
    """Each tells its place; the right answer is a key away; no other order is to be had."""
    async with at_work(folder, size=WIDE) as person:
        assert "SOURCE 3/3 ─ #3" in title(person)  # a match brought it there
        await person.press("d")
        assert "SOURCE 1/3 ─ #1" in title(person)
        await person.press("O")
        assert "no judge has sorted" in person.line()
        await person.press("g right right")
        assert "Mussels." in person.shown()


async def test_a_judges_order_is_walked_and_told(folder: Path) -> None:
    """`O` turns to it, its first document on screen, and back; it holds in the next sample."""
    judge(folder)
    async with at_work(folder, size=WIDE) as person:
        await person.press("O")
        assert person.line() == "documents in the judge's order · d D walk them"
        assert "3/3" in title(person)
        assert "#3 / #1 / useful" in title(person)
        await person.press("d")
        assert "#1 / #2 / not useful" in title(person)
        await person.press("d")
        assert "#2 / -" in title(person)
        await person.press("O d")
        assert "#2 / -" in title(person)
        await person.press("g right right right")
        assert "#3 / #1 / useful" in person.shown()


async def test_a_question_without_an_answer_is_read_all_the_same(folder: Path) -> None:
    """Nothing stands where the answer would; contexts are walked; Enter finishes."""
    async with at_work(folder, sample="b") as person:
        await person.press("d O y c g escape")
        assert "#2" in person.shown()
        await person.press("enter")
        assert person.screen.desk is not None
        assert person.screen.desk.sample.id == "a"


async def test_where_machines_are_hidden_the_judge_is_too(folder: Path) -> None:
    """The retriever's places and the record's own answer are no machine's opinion."""
    judge(folder)
    with workspace.open(folder) as space:
        space.machines.hiding.hide("rag")
    async with at_work(folder, size=WIDE) as person:
        await person.press("O")
        assert "no judge has sorted" in person.line()
        assert "useful" not in person.shown()
