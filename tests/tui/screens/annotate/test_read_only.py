"""The annotating screen on a workspace that can not be written: it shows all, and saves nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.screens.annotate_app import Person, make_workspace, open_app
from tui_annotate import workspace
from tui_annotate.domain.annotations import Anchor, Annotation, annotation_to_json
from tui_annotate.domain.errors import ReadOnly
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor.actions import ACTIONS
from tui_annotate.editor.messages import MessageCode
from tui_annotate.storage.sqlite_database import SqliteDatabase
from tui_annotate.tui.screens.sample.rows import SampleMessage
from tui_annotate.workspace import Workspace

REASON = "the disk is on the moon"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace that is read-only wherever it is opened."""
    folder = make_workspace(tmp_path / "work")
    with workspace.open(folder) as space:
        space.annotate.start(space.person("ana").id)
    real_open = workspace.open

    def opened(folder: Path) -> Workspace:
        space = real_open(folder)
        space._database.stop_writing(ReadOnly("full", reason=REASON))
        return space

    monkeypatch.setattr(workspace, "open", opened)
    return folder


def says_read_only(person: Person) -> bool:
    """Whether the message of the draft line is that nothing is saved, and why."""
    said = person.said()
    return said.code is MessageCode.READ_ONLY and said.fields == {"reason": REASON}


async def test_a_read_only_workspace_is_announced(folder: Path) -> None:
    """The first message and the header show it, and no hint offers that a digit saves.

    Position, layout and theme are not stored, and nobody is told about it.
    """
    async with open_app(folder) as person:
        assert says_read_only(person)
        header = person.screen.header()
        assert header is not None
        assert header.reading == SampleMessage.READ_ONLY.text()
        await person.press("down")
        assert REASON in person.line()
        await person.press("z")
        assert not person.said()
        await person.press("tab")
        assert person.draft.side is Side.SOURCE
        assert not person.said()


async def test_no_action_changes_work(folder: Path) -> None:
    """Each action that would change work says why it does not, and leaves nothing to save."""
    async with open_app(folder) as person:
        for action in ACTIONS:
            if person.draft.state not in action.changes:
                continue
            person.screen.do(action.id, digit="1")
            assert says_read_only(person), action.id
            draft = person.draft
            assert not any((draft.evidence, draft.pending, draft.writing, draft.saves.sent))
        await person.settled()
        assert says_read_only(person)
        await person.press(">")
        assert person.draft.sample.id == "b"


async def test_a_click_on_a_match_shows_it(folder: Path) -> None:
    """The match is not taken as evidence."""
    async with open_app(folder) as person:
        await person.words("hurt")
        assert person.draft.matches
        person.screen.perform(person.screen.match_clicked(person.draft, 1))
        assert not person.draft.evidence


async def test_two_may_read_as_the_same_person(folder: Path) -> None:
    """A reader takes nobody's session over."""
    async with open_app(folder), open_app(folder) as person:
        assert says_read_only(person)
        await person.press("down")
        assert not person.said()


async def test_unsaved_work_does_not_prevent_leaving_a_sample(tmp_path: Path, folder: Path) -> None:
    """Nothing can be saved or dropped, and the stored unsaved work stays as it is."""
    del folder  # makes all workspaces read-only
    other = make_workspace(tmp_path / "other")
    anchor = Anchor(Side.SUMMARY, 0, Span(0, 4))
    unsaved = [{"annotation": annotation_to_json(Annotation("x", (anchor,))), "new": True}]
    with workspace.open(other) as space:
        assert isinstance(space._database, SqliteDatabase)
        space._database.read_only = ""
        who, key = space.person("ana").id, SampleKey("films", "a")
        space.annotate.people.keep_place(who, key, {"unsaved": unsaved})
    async with open_app(other) as person:
        await person.press(">")
        assert person.draft.sample.id == "b"
    with workspace.open(other) as space:
        assert space.annotate.people.place(who, key)["unsaved"] == unsaved
