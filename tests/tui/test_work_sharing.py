"""The app with a shared folder: its mark, its key, what comes in, what goes out."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from tests.helpers.stores import claim
from tests.plugins.sync.table_server import KEY, FakeTable, refusal, serving_table
from tests.tui.screens.annotate_app import Person, make_workspace, open_app
from tui_annotate import workspace
from tui_annotate.domain.samples import SampleKey
from tui_annotate.editor.messages import MessageCode
from tui_annotate.services.sync.shared_folder import SharedFolder
from tui_annotate.storage.log.stream_merge import StreamMergeReport
from tui_annotate.tui import work_sharing
from tui_annotate.tui.dialogs.message import MessageDialog
from tui_annotate.tui.widgets.header_bar import _SYNC, HeaderBar
from tui_annotate.tui.work_sharing import BackgroundSync, SyncState, SyncUpdate
from tui_annotate.workspace import bundles

A = SampleKey("films", "a")


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is shared, and no waiting for quiet."""
    folder = tmp_path / "shared"
    folder.mkdir()
    monkeypatch.setenv("TUI_ANNOTATE_SYNC_DIR", str(folder))
    monkeypatch.setattr(BackgroundSync.__init__, "__kwdefaults__", _QUICK)
    return folder


_SOON = 60.0
_QUICK = {**(BackgroundSync.__init__.__kwdefaults__ or {}), "quiet": 0.0}


def _header(person: Person) -> str:
    return (person.shown().splitlines() or [""])[0]


async def until(person: Person, state: SyncState) -> None:
    """The header shows a state of what is shared, soon."""
    glyph, words, _ = _SYNC[state]
    async with asyncio.timeout(_SOON):
        while f"{glyph} {words.text()}" not in _header(person):
            await person.pilot.pause(0.001)
    await person.settled()


def copies(shared: Path, home: Path) -> int:
    """How many events of Ana lie in the folder."""
    with workspace.open(home) as space:
        file = SharedFolder(bundles.open_merge_store(space), shared).file(space.people.local("ana"))
    return file.read_text("utf-8").count('"verb"') if file.exists() else 0


async def test_what_is_saved_is_sent_and_shown(tmp_path: Path, shared: Path) -> None:
    """A save goes to the shared folder without a key for it."""
    home = make_workspace(tmp_path / "work")
    async with open_app(home, size=(140, 40)) as ana:
        await until(ana, SyncState.SUCCESS)
        await ana.press(". 3")
        assert len(ana.annotations) == 1
        while copies(shared, home) < 1:
            await ana.pilot.pause(0.001)
        await until(ana, SyncState.SUCCESS)
        ana.app.sharing.end()


def _is_sent(shared: Path, text: str) -> bool:
    """Whether a file of the folder has a message."""
    return any(f'"{text}"' in file.read_text("utf-8") for file in shared.iterdir())


async def test_a_question_is_sent_as_work_is(tmp_path: Path, shared: Path) -> None:
    """Without a further change; the thread about the sample is all that there is."""
    home = make_workspace(tmp_path / "work")
    async with open_app(home, size=(140, 40)) as ana:
        await until(ana, SyncState.SUCCESS)
        ana.screen.do("talk.write")
        await ana.settled()
        await ana.press("W h y enter")
        async with asyncio.timeout(_SOON):
            while not _is_sent(shared, "Why"):
                await ana.pilot.pause(0.001)
        await until(ana, SyncState.SUCCESS)
        ana.app.sharing.end()


async def test_the_key_goes_offline_and_is_remembered(tmp_path: Path, shared: Path) -> None:
    """Offline nothing is sent, also the next time; online all of it is."""
    home = make_workspace(tmp_path / "work")
    async with open_app(home, size=(140, 40)) as ana:
        await until(ana, SyncState.SUCCESS)
        await ana.press("ctrl+o")
        await until(ana, SyncState.OFFLINE)
        assert ana.draft.message.code is MessageCode.OFFLINE
        await ana.press(". 3")
        ana.app.sharing.end()
    assert copies(shared, home) == 0
    async with open_app(home, size=(140, 40)) as ana:
        await until(ana, SyncState.OFFLINE)
        await ana.press("ctrl+o")
        await until(ana, SyncState.SUCCESS)
        ana.app.sharing.end()
    assert copies(shared, home) >= 1


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeTable]:
    """A table that is shared, and no waiting for quiet."""
    with serving_table() as running:
        monkeypatch.setenv("TUI_ANNOTATE_SYNC_URL", running.url)
        monkeypatch.setenv("TUI_ANNOTATE_SYNC_KEY", KEY)
        monkeypatch.setattr(BackgroundSync.__init__, "__kwdefaults__", _QUICK)
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
    async with open_app(make_workspace(tmp_path / "work"), size=(140, 40)) as ana:
        await until(ana, SyncState.SUCCESS)
        states.clear()
        try:
            await ana.press(". 3")
            async with asyncio.timeout(_SOON):
                while not arrived.is_set():
                    await ana.pilot.pause(0.001)
            await until(ana, SyncState.SYNCING)
            await ana.press("j")
            assert not fake.rows
        finally:
            go_on.set()
        await until(ana, SyncState.SUCCESS)
        ana.app.sharing.end()
    assert [name[0] for name in fake.rows] == ["films"]
    assert states[:2] == [SyncState.PENDING, SyncState.SYNCING]
    assert states[-1] is SyncState.SUCCESS


async def test_a_server_that_does_not_answer_is_announced(
    tmp_path: Path, fake: FakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long before its time-out, once until it answers; and never where it answers at once."""
    monkeypatch.setattr(work_sharing, "SLOW", 0.02)
    go_on, held = Event(), {"GET"}

    def hold(method: str) -> None:
        if method in held:
            assert go_on.wait(_SOON)

    fake.before = hold
    async with open_app(make_workspace(tmp_path / "work"), size=(140, 40)) as ana:
        try:
            async with asyncio.timeout(_SOON):
                while ana.draft.message.code is not MessageCode.SYNC_SLOW:
                    await ana.pilot.pause(0.001)
            assert "ctrl+o" in ana.line()
            sharing = ana.app.sharing
            assert sharing._timer is None or sharing._slow
            await ana.press("j")
            sharing.show(SyncUpdate(SyncState.SYNCING))
            assert sharing._timer is None
        finally:
            go_on.set()
        await until(ana, SyncState.SUCCESS)
        assert sharing._timer is None
        assert not sharing._slow
        ana.app.sharing.end()


async def test_a_refused_key_is_told_once_and_work_goes_on(
    tmp_path: Path, fake: FakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """401 is a mark and one line without the key; what is saved meanwhile is saved."""
    monkeypatch.setenv("TUI_ANNOTATE_SYNC_KEY", "wrong-key-9Zt")
    async with open_app(make_workspace(tmp_path / "work"), size=(140, 40)) as ana:
        await until(ana, SyncState.ERROR)
        code = ana.draft.message.code
        assert code is MessageCode.SYNC_FAILED
        assert "401" in ana.line()
        assert "ctrl+o" in ana.line()
        assert "wrong-key-9Zt" not in ana.shown()
        await ana.press(". 3")
        assert len(ana.annotations) == 1
        ana.app.sharing.show(
            SyncUpdate(
                SyncState.ERROR, problem=ana.app.sharing._problem
            )  # as the next try tells it
        )
        assert ana.draft.message.code is not MessageCode.SYNC_FAILED
        ana.app.sharing.end()
    assert not fake.rows


def told_states(monkeypatch: pytest.MonkeyPatch) -> list[SyncState]:
    """What the header is told, in order."""
    states: list[SyncState] = []
    show = HeaderBar.show_sync

    def showing(header: HeaderBar, state: SyncState) -> None:
        states.append(state)
        show(header, state)

    monkeypatch.setattr(HeaderBar, "show_sync", showing)
    return states


async def test_where_nothing_is_shared_the_key_says_so(tmp_path: Path) -> None:
    """No mark, and where to read on."""
    async with open_app(make_workspace(tmp_path / "work"), size=(140, 40)) as ana:
        await ana.press("ctrl+o")
        assert ana.draft.message.code is MessageCode.NOTHING_SHARED
        assert "docs/sync.md" in ana.line()
        assert not any(words.text() in _header(ana) for _, words, _ in _SYNC.values())


async def test_a_conflict_is_shown_with_both_versions(tmp_path: Path, shared: Path) -> None:
    """What another machine did comes in at the start, and what stands is on the screen."""
    home, other = make_workspace(tmp_path / "work"), make_workspace(tmp_path / "other")
    with workspace.open(home) as here, workspace.open(other) as there:
        ana = here.people.local("ana")
        there.people.keep(ana)
        here.annotate.add(ana.id, A, claim("x", 0, 8, label="Benign"), seconds=1)
        there.annotate.rate(ana.id, A, "Bad", seconds=1)
        SharedFolder(bundles.open_merge_store(there), shared).push(ana)
    async with open_app(home, size=(140, 40)) as person:
        while not isinstance(person.app.screen, MessageDialog):
            await person.pilot.pause(0.001)
        await person.settled()
        shown = person.shown()
        assert "films/a" in shown
        stands, in_log = shown.partition("films/a")[2].split("Bad", 1)
        assert "Benign" not in stands
        assert "(Benign)" in in_log
        await person.pilot.press("q")
        await until(person, SyncState.SUCCESS)
        assert person.annotations == ()
        person.app.sharing.end()


async def test_a_folder_that_is_gone_is_told_and_nothing_waits(
    tmp_path: Path, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error is a mark and a line; work goes on."""
    monkeypatch.setenv("TUI_ANNOTATE_SYNC_DIR", str(shared / "gone"))
    async with open_app(make_workspace(tmp_path / "work"), size=(140, 40)) as ana:
        await until(ana, SyncState.ERROR)
        await ana.press(". 3")
        assert len(ana.annotations) == 1
        ana.app.sharing.end()


@pytest.mark.usefixtures("shared")
async def test_leaving_says_what_it_waits_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The screen goes on painting while the last push is on its way, and ends when that does."""
    async with open_app(make_workspace(tmp_path / "work"), size=(140, 40)) as ana:
        await until(ana, SyncState.SUCCESS)
        may_end = Event()
        monkeypatch.setattr(ana.app.sharing, "end", may_end.wait)
        await ana.pilot.press("ctrl+q")
        while ana.draft.message.code is not MessageCode.SENDING_LAST:
            await ana.pilot.pause(0.001)
        assert ana.app.is_running
        may_end.set()
        while not ana.app._exit:
            await ana.pilot.pause(0.001)


__all__ = ["fake", "shared"]


def apart(home: Path, other: Path) -> StreamMergeReport:
    """Ana's work on a film, done otherwise on two machines; what a merge at home says."""
    with workspace.open(home) as here, workspace.open(other) as there:
        ana = here.people.local("ana")
        there.people.keep(ana)
        here.annotate.add(ana.id, A, claim("x", 0, 8, label="Benign"), seconds=1)
        there.annotate.rate(ana.id, A, "Bad", seconds=1)
        done = StreamMergeReport(ana)
        for taken in bundles.open_merge_store(here).take(
            ana, bundles.open_merge_store(there).copies(ana.id)
        ):
            done.take(taken)
    assert done.forks
    return done


@pytest.fixture
def merged(tmp_path: Path) -> StreamMergeReport:
    """A conflict."""
    return apart(make_workspace(tmp_path / "one"), make_workspace(tmp_path / "two"))


def heard(person: Person, merged: StreamMergeReport) -> None:
    """As the thread that shares tells of a pull."""
    person.app.sharing._receive(SyncUpdate(SyncState.SYNCING, merged=merged))


@pytest.mark.usefixtures("shared")
async def test_a_conflict_waits_for_what_is_being_typed(
    tmp_path: Path, merged: StreamMergeReport
) -> None:
    """No key of a note goes to a dialog; once the note is there, the conflict is."""
    async with open_app(make_workspace(tmp_path / "work"), size=(140, 40)) as ana:
        await until(ana, SyncState.SUCCESS)
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
        assert ana.screen.open_sample is not None
        assert ana.screen.open_sample.assignment.comment == "long"
        ana.app.sharing.end()


@pytest.mark.usefixtures("shared")
async def test_a_conflict_that_was_not_shown_is_told_behind_the_screen(
    tmp_path: Path, merged: StreamMergeReport, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that came while the app was leaving, once; one that was shown is not told again."""
    async with open_app(make_workspace(tmp_path / "work"), size=(140, 40)) as ana:
        await until(ana, SyncState.SUCCESS)
        ana.app.sharing.end()
        heard(ana, merged)
        await ana.settled()
        assert not isinstance(ana.app.screen, MessageDialog)
    ana.app.sharing.print_unsent()
    report = capsys.readouterr().err
    _, sample, stands, in_log = report.splitlines()
    assert sample == "films/a"
    assert "Benign" not in stands
    assert "(Benign)" in in_log


async def test_work_that_could_not_be_sent_is_told_behind_the_screen(
    tmp_path: Path, fake: FakeTable, capsys: pytest.CaptureFixture[str]
) -> None:
    """With why, where that is known; nothing is said where all is there."""
    async with open_app(make_workspace(tmp_path / "work"), size=(140, 40)) as ana:
        await until(ana, SyncState.SUCCESS)
        ana.app.sharing.print_unsent()
        assert not capsys.readouterr().err
        fake.script.extend([refusal(400, "no such thing")] * 50)
        await ana.press(". 3")
        await until(ana, SyncState.ERROR)
        ana.app.sharing.end()
    ana.app.sharing.print_unsent()
    assert "no such thing" in capsys.readouterr().err


async def test_refused_work_is_listed_behind_the_screen(
    tmp_path: Path, shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each stream that a pull refused or could not read is listed with its reason."""
    home, two = make_workspace(tmp_path / "work"), make_workspace(tmp_path / "two")
    with workspace.open(home) as here, workspace.open(two) as there:
        ana = here.people.local("ana")
        there.people.keep(ana)
        (two / "labels.yaml").write_text("- Nowhere\n", "utf-8")
        there.annotate.add(ana.id, A, claim("x", 0, 8, label="Nowhere"), seconds=1)
        folder = SharedFolder(bundles.open_merge_store(there), shared)
        folder.push(ana)
        file = folder.file(ana)
    file.write_text(f"{file.read_text('utf-8')}nonsense\n", "utf-8")
    async with open_app(home, size=(140, 40)) as ana_at_work:
        await until(ana_at_work, SyncState.ERROR)  # a push does not overwrite the damaged file
        ana_at_work.app.sharing.end()
    ana_at_work.app.sharing.print_unsent()
    stream, damaged, *_ = capsys.readouterr().err.splitlines()
    assert all(each in stream for each in ("films/a", "'Nowhere'"))
    assert f"{file.name}:3" in damaged
