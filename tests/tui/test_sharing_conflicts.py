"""What both sides did while the app runs: told when nobody types, or after the app has ended."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plugins.exchange.table_server import FakeTable, refusal
from tests.stores import claim
from tests.tui.screens.work import Person, at_work, make
from tests.tui.test_sharing import A, fake, shared, until
from tui_annotate import workspace
from tui_annotate.storage.work.merging import Merged
from tui_annotate.tui.dialogs.message import MessageDialog
from tui_annotate.tui.syncing import Sync, Synced
from tui_annotate.workspace import carrying

__all__ = ["fake", "shared"]


def apart(home: Path, other: Path) -> Merged:
    """Ana's work on a film, done otherwise on two machines; what a merge at home says."""
    with workspace.open(home) as here, workspace.open(other) as there:
        ana = here.people.local("ana")
        there.people.keep(ana)
        here.annotate.add(ana.id, A, claim("x", 0, 8, label="Benign"), seconds=1)
        there.annotate.rate(ana.id, A, "Bad", seconds=1)
        done = Merged(ana)
        for taken in carrying.merging(here).take(ana, carrying.merging(there).copies(ana.id)):
            done.take(taken)
    assert done.forks
    return done


@pytest.fixture
def merged(tmp_path: Path) -> Merged:
    """A conflict."""
    return apart(make(tmp_path / "one"), make(tmp_path / "two"))


def heard(person: Person, merged: Merged) -> None:
    """As the thread that shares tells of a pull."""
    person.app.sharing._heard(Synced(Sync.SYNCING, merged=merged))


@pytest.mark.usefixtures("shared")
async def test_a_conflict_waits_for_what_is_being_typed(tmp_path: Path, merged: Merged) -> None:
    """No key of a note goes to a dialog; once the note is there, the conflict is."""
    async with at_work(make(tmp_path / "work"), size=(140, 40)) as ana:
        await until(ana, "● synced")
        await ana.press("m")
        heard(ana, merged)
        await ana.settled()
        await ana.press("l o n g")
        assert not isinstance(ana.app.screen, MessageDialog)
        await ana.press("enter")
        while not isinstance(ana.app.screen, MessageDialog):
            await ana.pilot.pause(0.01)
        await ana.settled()
        assert "films/a" in ana.shown()
        await ana.pilot.press("q")
        await ana.settled()
        assert ana.screen.desk is not None
        assert ana.screen.desk.assignment.comment == "long"
        ana.app.sharing.end()


@pytest.mark.usefixtures("shared")
async def test_a_conflict_that_was_not_shown_is_told_behind_the_screen(
    tmp_path: Path, merged: Merged, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that came while the app was leaving, once; one that was shown is not told again."""
    async with at_work(make(tmp_path / "work"), size=(140, 40)) as ana:
        await until(ana, "● synced")
        ana.app.sharing.end()
        heard(ana, merged)
        await ana.settled()
        assert not isinstance(ana.app.screen, MessageDialog)
    ana.app.sharing.farewell()
    told = capsys.readouterr().err
    assert "changed on both sides" in told
    assert "films/a" in told
    assert "in the log: " in told


async def test_work_that_could_not_be_sent_is_told_behind_the_screen(
    tmp_path: Path, fake: FakeTable, capsys: pytest.CaptureFixture[str]
) -> None:
    """With why, where that is known; nothing is said where all is there."""
    async with at_work(make(tmp_path / "work"), size=(140, 40)) as ana:
        await until(ana, "● synced")
        ana.app.sharing.farewell()
        assert not capsys.readouterr().err
        fake.script.extend([refusal(400, "no such thing")] * 50)
        await ana.press(". 3")
        await until(ana, "✗ sync error")
        ana.app.sharing.end()
    ana.app.sharing.farewell()
    assert "not all work is shared yet; it goes the next time: " in capsys.readouterr().err
