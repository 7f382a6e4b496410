"""The screen with a store in PostgreSQL, whose connection can be lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.postgresql_server import DATABASE, USER, PostgresqlServer
from tests.helpers.postgresql_workspaces import move_to_schema
from tests.helpers.socket_proxy import SocketProxy
from tests.tui.screens.annotate_app import make_workspace, open_app
from tui_annotate import workspace
from tui_annotate.domain.errors import UNREACHABLE
from tui_annotate.domain.records import OwnedAnnotation
from tui_annotate.editor.messages import MessageCode
from tui_annotate.tui import store_thread
from tui_annotate.tui.screens.annotate import saving
from tui_annotate.tui.widgets.header_bar import SaveState


@pytest.fixture
def proxy(postgresql: PostgresqlServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[SocketProxy]:
    """A proxy in front of the server; the program is less patient than usual."""
    monkeypatch.setattr(saving, "_SLOW_SECONDS", 0.2)
    monkeypatch.setattr(store_thread, "_RETRY_SECONDS", 0.05)
    with SocketProxy(postgresql.folder) as proxy:
        yield proxy


@pytest.fixture
def folder(tmp_path: Path, postgresql: PostgresqlServer, proxy: SocketProxy) -> Iterator[Path]:
    """A workspace whose store is behind the proxy."""
    schemas: list[str] = []
    made = make_workspace(tmp_path)
    url = f"postgresql://{USER}@/{DATABASE}?host={proxy.folder}"
    move_to_schema(postgresql, made, schemas=schemas, url=url)
    yield made
    for each in schemas:
        postgresql.drop_store(each)


def stored(folder: Path) -> list[OwnedAnnotation]:
    """All annotations that the store has."""
    with workspace.open(folder) as space:
        return [owned for _, owned in space.annotations()]


async def test_a_lost_connection_is_shown_and_the_change_is_stored_later(
    folder: Path, proxy: SocketProxy
) -> None:
    """What is pressed meanwhile is stored as well, in order, once."""
    async with open_app(folder) as person:
        await person.press("1")
        assert f"✓ {SaveState.SAVED.text()}" in person.shown()
        proxy.stop()
        await person.pilot.press("down", "2")
        while SaveState.NOT_SAVED_YET.text() not in person.shown():
            await person.pilot.pause(0.01)
        assert person.said().code is MessageCode.NOT_SAVED_YET_BECAUSE
        assert "cannot be reached" in person.line()
        proxy.restart()
        await person.settled()
        assert f"✓ {SaveState.SAVED.text()}" in person.shown()
        assert person.said().code is MessageCode.SAVED_AT_LAST
        assert len(person.annotations) == 2
    labels = [owned.annotation.labels[0][-1] for owned in stored(folder)]
    assert labels == ["Intrinsic", "Extrinsic"]


@pytest.mark.parametrize("moment", ["cut_before_commit", "cut_after_commit"])
async def test_a_connection_lost_at_a_commit_stores_the_change_once(
    folder: Path, proxy: SocketProxy, moment: str
) -> None:
    """Whether the server got the COMMIT or not."""
    async with open_app(folder) as person:
        await person.press("1")
        setattr(proxy, moment, True)
        await person.press("down 2")
        assert f"✓ {SaveState.SAVED.text()}" in person.shown()
        assert len(person.annotations) == 2
    assert len(stored(folder)) == 2


async def test_what_is_not_saved_at_the_end_is_there_at_the_next_start(
    folder: Path, proxy: SocketProxy
) -> None:
    """The program does not wait for the server, and keeps the last change in a file."""
    async with open_app(folder) as person:
        await person.press("1")
        proxy.stop()
        await person.pilot.press("down", "2")
        person.screen.saver.send_last(person.screen.loader.leaving())
        errors = person.screen.saver.close()
        assert [error.code for error in errors] == [UNREACHABLE]
        proxy.restart()
    assert len(stored(folder)) == 1
    async with open_app(folder, sample="") as person:
        assert person.draft.save_failed
        assert person.said().code is MessageCode.NOT_SAVED_TRY_AGAIN
        assert person.draft.claim
        await person.press("2")
    assert len(stored(folder)) == 2
    async with open_app(folder, sample="") as person:
        assert not person.draft.save_failed
