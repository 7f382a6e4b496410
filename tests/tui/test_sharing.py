"""The app with a shared folder: its mark, its key, what comes in, what goes out."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from tests.plugins.exchange.table_server import KEY, FakeTable, serving_table
from tests.stores import claim
from tests.tui.screens.work import Person, at_work, make
from tui_annotate import workspace
from tui_annotate.domain.samples import SampleKey
from tui_annotate.plugins.exchange.folder import FolderTarget
from tui_annotate.services.synchronise.folders import FolderSync
from tui_annotate.tui import syncing
from tui_annotate.tui.dialogs.message import MessageDialog
from tui_annotate.tui.syncing import Sync, Synced
from tui_annotate.tui.widgets.header_bar import HeaderBar
from tui_annotate.workspace import carrying

A = SampleKey("films", "a")


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is shared, and no waiting for quiet."""
    folder = tmp_path / "shared"
    folder.mkdir()
    monkeypatch.setenv("TUI_ANNOTATE_SYNC_DIR", str(folder))
    monkeypatch.setattr(syncing.Syncer.__init__, "__kwdefaults__", _QUICK)
    return folder


_SOON = 60.0
_QUICK = {**(syncing.Syncer.__init__.__kwdefaults__ or {}), "quiet": 0.0}


async def until(person: Person, words: str) -> None:
    """The screen shows some words, soon."""
    async with asyncio.timeout(_SOON):
        while words not in person.shown():
            await person.pilot.pause(0.001)
    await person.settled()


def copies(shared: Path, home: Path) -> int:
    """How many events of Ana lie in the folder."""
    with workspace.open(home) as space:
        person = space.people.local("ana")
    file = FolderTarget(shared).file(person)
    return file.read_text("utf-8").count('"verb"') if file.exists() else 0


async def test_what_is_saved_is_sent_and_shown(tmp_path: Path, shared: Path) -> None:
    """A save goes to the shared folder without a key for it."""
    home = make(tmp_path / "work")
    async with at_work(home, size=(140, 40)) as ana:
        await until(ana, "● synced")
        await ana.press(". 3")
        assert len(ana.annotations) == 1
        while copies(shared, home) < 1:
            await ana.pilot.pause(0.001)
        await until(ana, "● synced")
        ana.app.sharing.end()


async def test_the_key_goes_offline_and_is_remembered(tmp_path: Path, shared: Path) -> None:
    """Offline nothing is sent, also the next time; online all of it is."""
    home = make(tmp_path / "work")
    async with at_work(home, size=(140, 40)) as ana:
        await until(ana, "● synced")
        await ana.press("ctrl+o")
        await until(ana, "○ offline")
        assert "offline: work stays here" in ana.line()
        await ana.press(". 3")
        ana.app.sharing.end()
    assert copies(shared, home) == 0
    async with at_work(home, size=(140, 40)) as ana:
        await until(ana, "○ offline")
        await ana.press("ctrl+o")
        await until(ana, "● synced")
        ana.app.sharing.end()
    assert copies(shared, home) >= 1


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeTable]:
    """A table that is shared, and no waiting for quiet."""
    with serving_table() as running:
        monkeypatch.setenv("TUI_ANNOTATE_SYNC_URL", running.url)
        monkeypatch.setenv("TUI_ANNOTATE_SYNC_KEY", KEY)
        monkeypatch.setattr(syncing.Syncer.__init__, "__kwdefaults__", _QUICK)
        yield running


async def test_a_row_is_sent_while_one_goes_on(
    tmp_path: Path, fake: FakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pending, on its way, sent; a key that is pressed meanwhile is not held up."""
    states = told_states(monkeypatch)
    arrived, go_on = Event(), Event()

    def held(method: str) -> None:
        if method == "POST":
            arrived.set()
            assert go_on.wait(_SOON)

    fake.before = held
    async with at_work(make(tmp_path / "work"), size=(140, 40)) as ana:
        await until(ana, "● synced")
        states.clear()
        try:
            await ana.press(". 3")
            async with asyncio.timeout(_SOON):
                while not arrived.is_set():
                    await ana.pilot.pause(0.001)
            await until(ana, "⇅ syncing")
            await ana.press("j")
            assert not fake.rows
        finally:
            go_on.set()
        await until(ana, "● synced")
        ana.app.sharing.end()
    assert [name[0] for name in fake.rows] == ["films"]
    assert states[:2] == [Sync.PENDING, Sync.SYNCING]
    assert states[-1] is Sync.SUCCESS


async def test_a_refused_key_is_told_once_and_work_goes_on(
    tmp_path: Path, fake: FakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """401 is a mark and one line without the key; what is saved meanwhile is saved."""
    monkeypatch.setenv("TUI_ANNOTATE_SYNC_KEY", "wrong-key-9Zt")
    async with at_work(make(tmp_path / "work"), size=(140, 40)) as ana:
        await until(ana, "not shared yet")
        assert "refuses the key (401)" in ana.shown()
        assert "✗ sync error" in ana.shown()
        assert "wrong-key-9Zt" not in ana.shown()
        await ana.press(". 3")
        assert len(ana.annotations) == 1
        ana.app.sharing.show(
            Synced(Sync.ERROR, problem=ana.app.sharing._problem)  # as the next try tells it
        )
        assert "not shared yet" not in ana.line()
        ana.app.sharing.end()
    assert not fake.rows


def told_states(monkeypatch: pytest.MonkeyPatch) -> list[Sync]:
    """What the header is told, in order."""
    states: list[Sync] = []
    show = HeaderBar.show_sync

    def showing(header: HeaderBar, state: Sync) -> None:
        states.append(state)
        show(header, state)

    monkeypatch.setattr(HeaderBar, "show_sync", showing)
    return states


async def test_where_nothing_is_shared_the_key_says_so(tmp_path: Path) -> None:
    """No mark, and where to read on."""
    async with at_work(make(tmp_path / "work"), size=(140, 40)) as ana:
        await ana.press("ctrl+o")
        assert "nothing is shared" in ana.line()
        assert "sync" not in ana.shown().splitlines()[0]


async def test_a_conflict_is_shown_with_both_versions(tmp_path: Path, shared: Path) -> None:
    """What another machine did comes in at the start, and what stands is on the screen."""
    home, other = make(tmp_path / "work"), make(tmp_path / "other")
    with workspace.open(home) as here, workspace.open(other) as there:
        ana = here.people.local("ana")
        there.people.keep(ana)
        here.annotate.add(ana.id, A, claim("x", 0, 8, label="Benign"), seconds=1)
        there.annotate.rate(ana.id, A, "Bad", seconds=1)
        FolderSync(carrying.merging(there), FolderTarget(shared)).push(ana)
    async with at_work(home, size=(140, 40)) as person:
        while not isinstance(person.app.screen, MessageDialog):
            await person.pilot.pause(0.001)
        await person.settled()
        shown = person.shown()
        assert "films/a" in shown
        assert "0 annotations, rated Bad (elsewhere, " in shown
        assert "in the log: draft, 1 annotation (Benign) (here, " in shown
        await person.pilot.press("q")
        await until(person, "● synced")
        assert person.annotations == ()
        person.app.sharing.end()


async def test_a_folder_that_is_gone_is_told_and_nothing_waits(
    tmp_path: Path, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error is a mark and a line; work goes on."""
    monkeypatch.setenv("TUI_ANNOTATE_SYNC_DIR", str(shared / "gone"))
    async with at_work(make(tmp_path / "work"), size=(140, 40)) as ana:
        await until(ana, "✗ sync error")
        await ana.press(". 3")
        assert len(ana.annotations) == 1
        ana.app.sharing.end()


@pytest.mark.usefixtures("shared")
async def test_leaving_says_what_it_waits_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The screen goes on painting while the last push is on its way, and ends when that does."""
    async with at_work(make(tmp_path / "work"), size=(140, 40)) as ana:
        await until(ana, "● synced")
        may_end = Event()
        monkeypatch.setattr(ana.app.sharing, "end", may_end.wait)
        await ana.pilot.press("ctrl+q")
        while "leaving: sending what is left" not in ana.shown():
            await ana.pilot.pause(0.001)
        assert ana.app.is_running
        may_end.set()
        while not ana.app._exit:
            await ana.pilot.pause(0.001)
