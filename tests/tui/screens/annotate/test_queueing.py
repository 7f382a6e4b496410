"""The queue by a score over the annotating screen, and the rivals of a group."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tui.screens.annotate_app import SOURCE, Person, make_workspace, open_app
from tui_annotate import workspace
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.domain.scores import RunKind, Score, ScoreRun
from tui_annotate.tui.dialogs.orders import OrderDialog
from tui_annotate.tui.screens.queue import QueueScreen


def grouped(name: str, group: str) -> Sample:
    """A sample of a group."""
    documents = (Document(Side.SOURCE, SOURCE), Document(Side.SUMMARY, f"The words of {name}."))
    return replace(Sample("films", name, documents), group=group)


@pytest.fixture
def scored(tmp_path: Path) -> Path:
    """Four samples, three of them rivals; a machine finds the last the worst."""
    folder = make_workspace(
        tmp_path / "w", samples=[grouped(name, group) for name, group in GROUPS]
    )
    say(folder, 1.0, 0.6, 0.4, 0.0)
    return folder


GROUPS = (("a", "g"), ("b", "g"), ("c", ""), ("d", "g"))


def say(folder: Path, *values: float) -> None:
    """A run over all samples."""
    with workspace.open(folder) as space:
        scores = [
            Score(key=key, name="q", value=value)
            for key, value in zip(space.corpus.keys(), values, strict=True)
        ]
        run = ScoreRun(id=str(values), kind=RunKind.SCORE, maker="m", dataset="films")
        space.machines.scores.write(run, scores)


def top(person: Person) -> type:
    """What is over all else."""
    return type(person.app.screen)


async def test_the_order_is_chosen_in_the_queue_and_walked(scored: Path) -> None:
    """The position on screen follows, also where the same sample is gone back to."""
    async with open_app(scored) as person:
        assert "1/4" in person.shown()
        await person.press("q o")
        assert "q: " in person.shown()
        await person.press("down down enter")  # random:1, worst:q
        assert "q: worst first" in person.shown().splitlines()[0]
        await person.press("escape")
        assert person.screen.session is not None
        assert person.screen.session.order == "worst:q"
        assert "4/4" in person.shown()
        await person.press("less_than_sign")
        assert person.draft.sample.id == "b"
        say(scored, 0.0, 1.0, 0.2, 0.9)  # a newer run orders the queue of who is at work
        await person.press("less_than_sign")
        assert person.draft.sample.id == "d"


async def test_the_palette_leads_to_the_orders(scored: Path) -> None:
    """And q leaves them for the queue."""
    async with open_app(scored) as person:
        person.screen.do("queue.order")
        await person.settled()
        assert top(person) is OrderDialog
        await person.press("q")
        assert isinstance(person.app.screen, QueueScreen)


async def test_rivals_of_the_sample_on_screen(scored: Path) -> None:
    """Whole texts with what a machine says; Enter opens one, the same one stays."""
    async with open_app(scored) as person:
        person.screen.do("sample.rivals")
        await person.settled()
        shown = person.shown()
        assert re.search(r"\b3 [\w ]+ · q\b", shown)
        assert all(f"The words of {name}." in shown for name in "abd")
        assert "The words of c." not in shown
        await person.press("enter")
        assert person.draft.sample.id == "a"
        person.screen.do("sample.rivals")
        await person.settled()
        await person.press("down down enter")
        assert person.draft.sample.id == "d"


async def test_what_is_hidden_is_not_on_the_screen(scored: Path) -> None:
    """No bar, no order, no figure beside the rivals."""
    with workspace.open(scored) as space:
        space.machines.blind_datasets.hide("films")
    async with open_app(scored) as person:
        await person.press("q")
        assert "score" not in person.shown().splitlines()[1]
        assert "█" not in person.shown()
        await person.press("o")
        assert "q: " not in person.shown()
        await person.press("q s")
        assert re.search(r"\b3 [\w ]+", person.shown())
        assert not re.search(r"\b3 [\w ]+ · q\b", person.shown())


async def test_the_usual_order_stands_in_for_one_whose_score_is_gone(scored: Path) -> None:
    """The settings name it still: work begins, and one line says why it begins elsewhere."""
    async with open_app(scored, sample="", order="worst:q") as person:
        assert person.draft.sample.id == "d"
    with workspace.open(scored) as space:
        for run in space.machines.scores.runs():
            space.machines.scores.forget(run.id)
    async with open_app(scored, order="worst:q") as person:
        for words in ("'q'", "by-source", "worst:q"):
            assert words in person.line()
        assert person.screen.session is not None
        assert person.screen.session.order == "by-source"
