"""What is read ahead: it opens without the store being asked, and never where anything is newer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.screens.annotate_app import Person, make_workspace, open_app
from tests.tui.screens.collection_workspace import LABELS, Collection
from tui_annotate import workspace
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import State
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.spans import Span
from tui_annotate.services.annotate import AnnotationService, OpenSample

FIRST, NEXT = "c|7|run1|1|doc-a", "c|7|run1|1|doc-b"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace with one small report."""
    return make_workspace(tmp_path / "space", labels=LABELS, samples=list(Collection().samples()))


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of samples that were read, in order."""
    found: list[str] = []
    usual = AnnotationService.open

    def open_counted(
        self: AnnotationService, person: str, key: SampleKey, *, order: str
    ) -> OpenSample:
        found.append(key.id)
        return usual(self, person, key, order=order)

    monkeypatch.setattr(AnnotationService, "open", open_counted)
    return found


async def rested(person: Person) -> None:
    """The keys rest until something was read ahead of the sample on screen."""
    screen = person.screen
    while not (
        screen.loader.prefetched and screen.loader.prefetched.here == person.draft.sample.key
    ):
        await person.pilot.pause(0.001)


@pytest.mark.parametrize("key", ["c", "d", ">"])
async def test_what_was_read_ahead_opens_without_the_store(
    folder: Path, opened: list[str], key: str
) -> None:
    """The next citation, document and sample are read once, before the key."""
    async with open_app(folder, sample=FIRST) as person:
        await rested(person)
        assert NEXT in opened
        del opened[:]
        await person.press(key)
        assert person.draft.sample.id == NEXT
        assert NEXT not in opened


async def test_what_another_session_wrote_meanwhile_is_shown(folder: Path) -> None:
    """A store that is newer by one commit makes all that was read ahead an old thing."""
    async with open_app(folder, sample=FIRST) as person:
        await rested(person)
        claim, found = (Anchor(side, 0, Span(0, 5)) for side in (Side.SUMMARY, Side.SOURCE))
        mark = Annotation("elsewhere", (claim,), (found,), (("Passage",),))
        with workspace.open(folder) as space:
            who = space.person("ana").id
            space.annotate.add(who, SampleKey("pools", NEXT), mark, seconds=1)
        await person.press("c")
        assert [one.id for one in person.annotations] == ["elsewhere"]


async def test_a_save_of_ones_own_makes_it_be_read_again(folder: Path, opened: list[str]) -> None:
    """Once the keys rest: what is shown next was read after the save."""
    async with open_app(folder, sample=FIRST) as person:
        await rested(person)
        before = person.screen.loader.prefetched
        await person.press("* 1")
        while person.screen.loader.prefetched is before:
            await person.pilot.pause(0.001)
        assert opened.count(NEXT) >= 2


async def test_reading_ahead_is_no_visit(folder: Path) -> None:
    """Nothing is written: no event, no place, no time; the sample is as new as before."""
    async with open_app(folder, sample=FIRST) as person:
        with workspace.open(folder) as space:
            before = space.annotate.store.moment()
            await rested(person)
            assert space.annotate.store.moment() == before
            open_sample = space.annotate.open(space.person("ana").id, SampleKey("pools", NEXT))
            assert (open_sample.assignment.state, open_sample.assignment.seconds) == (State.NEW, 0)
            assert open_sample.place == {}


async def test_of_pairs_nothing_is_read_ahead(tmp_path: Path, opened: list[str]) -> None:
    """They may be large, and nobody walks through them in one breath."""
    async with open_app(make_workspace(tmp_path / "space")) as person:
        await person.press("right left")
        await person.pilot.pause(0.15)
        assert person.screen.loader.prefetched is None
        assert set(opened) == {"a"}
