"""The line in which a note is written."""

from __future__ import annotations

from textual import events

from tests.tui.stage import HOSTILE, run_stage
from tui_annotate.tui.line_input import LineInput, clean_line
from tui_annotate.tui.widgets.note_input import NoteInput

_PAST = ["wrong number", "not in the source"]


def _suggest(value: str) -> str | None:
    return next((note for note in _PAST if note.startswith(value)), None) if value else None


async def test_enter_submits_what_was_typed() -> None:
    """Chinese and spaces too."""
    note = NoteInput()
    async with run_stage(note) as (stage, pilot):
        note.focus()
        await pilot.press("a", "space", "中", "文", "enter")
        assert [message.text for message in stage.of(NoteInput.Submitted)] == ["a 中文"]


async def test_escape_keeps_a_draft() -> None:
    """What was typed so far comes back as a draft."""
    note = NoteInput()
    async with run_stage(note) as (stage, pilot):
        note.begin("so")
        note.focus()
        await pilot.press("x", "escape")
        assert [message.text for message in stage.of(NoteInput.Closed)] == ["sox"]
        assert stage.of(NoteInput.Submitted) == []


async def test_a_ghost_is_shown_and_tab_takes_it() -> None:
    """Tab takes the suggestion for what is typed, and does nothing without one."""
    note = NoteInput()
    async with run_stage(note) as (stage, pilot):
        note.begin(suggestions=_suggest)
        note.focus()
        await pilot.press("tab", "n", "o")
        await pilot.pause()
        assert stage.text().startswith("not in the source")
        assert note.value == "no"
        await pilot.press("tab")
        assert note.value == "not in the source"
        await pilot.press("tab", "!", "enter")
        assert [message.text for message in stage.of(NoteInput.Submitted)] == ["not in the source!"]


async def test_up_and_down_walk_former_notes() -> None:
    """Up brings the likeliest first; Down comes back to what was typed."""
    note = NoteInput()
    async with run_stage(note) as (_, pilot):
        note.begin(past=_PAST)
        note.focus()
        await pilot.press("z", "up")
        assert note.value == "wrong number"
        await pilot.press("up", "up")
        assert note.value == "not in the source"
        await pilot.press("down", "down", "down")
        assert note.value == "z"


async def test_a_paste_of_lines_is_one_line() -> None:
    """Line ends and tabs become blanks, controls pictures; nothing is lost."""
    note = NoteInput()
    async with run_stage(note) as (_, pilot):
        note.begin("ab")
        note.focus()
        note.post_message(events.Paste("one\r\ntwo\n三\t\x1b[31m"))
        await pilot.pause()
        assert note.value == "abone two 三 ␛[31m"


async def test_a_note_that_was_not_changed_stays_exact() -> None:
    """A hostile note of others is shown harmless, and submitted as it was unless it is changed."""
    note = NoteInput()
    async with run_stage(note) as (stage, pilot):
        note.begin(HOSTILE, placeholder=HOSTILE)
        note.focus()
        await pilot.pause()
        assert "␛]52" in stage.text()
        await pilot.press("enter")
        note.begin(HOSTILE)
        await pilot.press("!", "enter")
        first, second = (message.text for message in stage.of(NoteInput.Submitted))
        assert first == HOSTILE
        assert second == clean_line(HOSTILE) + "!"


async def test_nothing_blinks() -> None:
    """A blinking cursor would write to the terminal for ever."""
    note = NoteInput()
    async with run_stage(note):
        assert not note.cursor_blink
        assert not LineInput().cursor_blink
