"""The app with a shared folder: its mark, its key, what comes in, what goes out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stores import claim
from tests.tui.screens.work import Person, at_work, make
from tui_annotate import workspace
from tui_annotate.domain.samples import SampleKey
from tui_annotate.plugins.exchange.folder import FolderTarget
from tui_annotate.services.synchronise.folders import FolderSync
from tui_annotate.tui import syncing
from tui_annotate.tui.dialogs.message import MessageDialog
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


_QUICK = {**(syncing.Syncer.__init__.__kwdefaults__ or {}), "quiet": 0.0}


async def until(person: Person, words: str) -> None:
    """The screen shows some words."""
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
        assert "in the log: draft, 1 annotation (here, " in shown
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
