"""Samples whose stored texts another program changed, in review."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.screens.annotate.test_damaged_samples import damage, named
from tests.tui.screens.review_app import CHINESE, FIRST, SECOND, make, open_review
from tui_annotate import workspace


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The work of three people on three samples."""
    return make(tmp_path / "space")


async def test_review_goes_past_a_damaged_sample(folder: Path) -> None:
    """Next and previous open the samples around one that was changed during the session."""
    async with open_review(folder) as person:
        order = [person.sample]
        for _ in range(2):
            await person.press(">")
            order.append(person.sample)
        damage(folder, order[1], side="summary")
        await person.press("<")
        assert (person.sample, named(person)) == (order[0], order[1])
        await person.press(">")
        assert (person.sample, named(person)) == (order[2], order[1])


async def test_review_starts_and_ends_past_damaged_samples(folder: Path) -> None:
    """A damaged sample that was asked for is named, and so are those that are left at the end."""
    damage(folder, "ab", side="summary")
    async with open_review(folder, sample="a") as person:
        assert (person.sample, named(person)) == ("c", "a")
        await person.press("enter 1")
        assert (person.sample, person.progress, named(person)) == ("c", "done", "a, b")


def test_a_damaged_sample_keeps_its_row_in_the_review_queue(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether samples are read one by one or at once, all other rows have their counts."""
    damage(folder, "b", side="summary")
    with workspace.open(folder) as space:
        space.person("rev")
    for few in (20, 0):
        monkeypatch.setattr("tui_annotate.services.review.queries._FEW_SAMPLES", few)
        with workspace.open(folder) as space:
            rows = {row.key: row for row in space.team.review.queue(space.person("rev").id)}
        assert set(rows) == {FIRST, SECOND, CHINESE}
        assert rows[FIRST].conflicts
