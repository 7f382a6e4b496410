"""Samples whose stored texts another program changed, in review."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.tui.screens.annotate.test_damaged_samples import damage, named
from tests.tui.screens.review_app import CHINESE, FIRST, SECOND, make, open_review
from tui_annotate import workspace
from tui_annotate.domain.samples import SampleKey
from tui_annotate.services.review.queries import ReviewQueries
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.tui.screens.review.saving import ReviewSource


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


def test_damaged_texts_are_read_once_until_the_store_changes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many damaged samples do not slow down the queue, and a repaired one gets its counts."""
    store = folder / "store.sqlite"
    with closing(sqlite3.connect(store)) as connection:
        texts = connection.execute("SELECT text, id FROM documents").fetchall()
    damage(folder, "a", side="summary")
    with workspace.open(folder) as space:
        space.person("rev")
    read: list[SampleKey] = []
    sample = CorpusStore.sample

    def count(self: CorpusStore, key: SampleKey) -> Any:
        read.append(key)
        return sample(self, key)

    monkeypatch.setattr(CorpusStore, "sample", count)
    with workspace.open(folder) as space:
        review, who = space.team.review, space.person("rev").id
        review.queue(who)
        assert FIRST in read
        read.clear()
        rows = {row.key: row for row in review.queue(who)}
        assert (read, rows[FIRST].conflicts) == ([], 0)
        with closing(sqlite3.connect(store)) as connection:
            connection.executemany("UPDATE documents SET text = ? WHERE id = ?", texts)
            connection.commit()
        rows = {row.key: row for row in review.queue(who)}
        assert (read, rows[FIRST].conflicts > 0) == ([FIRST], True)


def test_the_queue_is_not_read_for_each_damaged_sample(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The order is read once for the samples to adjudicate, and once for all others."""
    damage(folder, "abc", side="summary")
    queues = []
    queue = ReviewQueries.queue

    def count(self: ReviewQueries, reviewer: str, **options: Any) -> Any:
        queues.append(reviewer)
        return queue(self, reviewer, **options)

    monkeypatch.setattr(ReviewQueries, "queue", count)
    with workspace.open(folder) as space:
        session = SimpleNamespace(
            person=space.person("rev"), annotate=space.annotate, team=lambda: space.team
        )
        found = ReviewSource().first(cast("Any", session), "")
        assert (found.open_sample, set(found.damaged)) == (None, {FIRST, SECOND, CHINESE})
        assert len(queues) == 2
        queues.clear()
        review, who = space.team.review, session.person.id
        keys = [row.key for row in queue(review, who)]
        for at in range(len(keys) - 1):
            assert review.neighbour(who, keys[at], 1) == keys[at + 1]
            assert review.neighbour(who, keys[at + 1], -1) == keys[at]
        assert len(queues) == 1
        space.annotate.skip(space.person("ana").id, keys[0], seconds=1)
        review.neighbour(who, keys[0], 1)
        assert len(queues) == 2
