"""What the assist showed goes into the store with each save, as it was on the screen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.tui.screens.annotate_app import Person, VectorAssist, make_workspace, open_app
from tui_annotate.domain.assist_traces import AssistTrace
from tui_annotate.domain.samples import Side, Signals
from tui_annotate.services.assist.sample import SampleAssist


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The three samples."""
    return make_workspace(tmp_path / "work")


def trace(person: Person) -> AssistTrace:
    """That of the first annotation."""
    found = person.annotations[0].trace
    assert found is not None
    return found


async def test_a_save_tells_rank_and_score_of_its_evidence(folder: Path) -> None:
    """Of what was lit on the screen, by words alone here; the best was looked at, and taken."""
    async with open_app(folder) as person:
        await person.words("15", "pounds")
        best = person.draft.matches[Side.SOURCE][0]
        await person.press("space 1")
        report = trace(person)
        assert report.places[0] == (1, round(best.score, 4), True)
        assert (report.by, report.embedder, report.version) == (Signals.FUSED, "", "")
        assert report.offered == len(person.draft.matches[Side.SOURCE])
        assert report.looked == (1,)
        assert report.weights == ""
        assert not report.refused_best


class Weighted(VectorAssist):
    """An assist that ranks with stored weights."""

    def prepare(self, *arguments: Any, **how: Any) -> SampleAssist:
        """As usual, with the version of the weights."""
        return replace(super().prepare(*arguments, **how), weights="123abc")


async def test_the_model_and_the_weights_are_named_where_they_rank(folder: Path) -> None:
    """And what ranked, where somebody switched it; words alone name no model, but the weights."""
    async with open_app(folder, assist=Weighted(Side.SOURCE, Side.SUMMARY)) as person:
        await person.words("loved")
        await person.press("n 1")
        found = trace(person)
        assert (found.embedder, found.weights, found.by) == ("feelings", "123abc", Signals.FUSED)
        assert found.refused_best
        await person.press("x t")
        await person.words("families")
        await person.press("1")
        found = trace(person)
        assert (found.embedder, found.weights, found.by) == ("", "123abc", Signals.WORDS)


async def test_an_edit_of_the_evidence_tells_again(folder: Path) -> None:
    """Evidence that is exact words of a match lies in it, but is not it."""
    async with open_app(folder) as person:
        await person.words("15", "pounds")
        await person.press("3")
        assert trace(person).places == ()
        await person.press("e tab")
        await person.words("12", "pounds")
        await person.press("space enter")
        (place,) = trace(person).places
        assert (place.rank, place.whole) == (1, False)
        assert trace(person).looked_at_best
