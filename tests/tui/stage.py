"""A tiny app around one widget or screen, and what it paints as plain text."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from rich.cells import cell_len
from rich.style import Style
from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from tui_annotate.tui.theme import themes

HOSTILE = "\x1b]52;c;aGk=\x07\x9b31m[bold red]x[/]\u202e\x00\r\n\u2028z"
"""The clipboard, a C1 colour, markup, a bidi override, NUL, line ends."""


class Stage(App[object]):
    """Shows a widget, or a screen that is pushed; keeps what was posted and dismissed."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        widget: Widget | None = None,
        *,
        screen: Screen[Any] | None = None,
        theme: str = "dark",
        native: bool = False,
    ) -> None:
        super().__init__(ansi_color=native or None)
        for known in themes(native=native):
            self.register_theme(known)
        self.theme = theme
        self.widget = widget
        self.first_screen = screen
        self.posted: list[Message] = []
        self.results: list[object] = []

    def compose(self) -> ComposeResult:
        """The widget."""
        if self.widget is not None:
            yield self.widget

    def on_mount(self) -> None:
        """The screen."""
        if self.first_screen is not None:
            self.push_screen(self.first_screen, self.results.append)

    def lines(self) -> list[str]:
        """The rows of the topmost screen as plain text."""
        strips = self.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip) for strip in strips]

    def text(self) -> str:
        """All rows, without the blanks at their ends."""
        return "\n".join(line.rstrip() for line in self.lines()).rstrip()

    def of(self, kind: type[Message]) -> list[Any]:
        """The messages of a kind, in order, once each."""
        found = {id(message): message for message in self.posted if isinstance(message, kind)}
        return list(found.values())


@asynccontextmanager
async def run_stage(
    widget: Widget | None = None,
    *,
    screen: Screen[Any] | None = None,
    size: tuple[int, int] = (80, 24),
    theme: str = "dark",
    native: bool = False,
) -> AsyncIterator[tuple[Stage, Pilot[object]]]:
    """Runs a stage; every row it paints must be as wide as the screen when it ends."""
    stage = Stage(widget, screen=screen, theme=theme, native=native)
    async with stage.run_test(size=size, message_hook=stage.posted.append) as pilot:
        await pilot.pause()
        yield stage, pilot
        await pilot.pause()
        assert all(cell_len(line) == stage.size.width for line in stage.lines())
        assert_harmless(stage)


def assert_harmless(stage: Stage) -> None:
    """Nothing that is painted could move a cursor, set a colour or turn a line around."""
    text = "".join(stage.lines())
    assert not [c for c in text if ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0]
    assert not set("\u202e\u2028\u2066\u200b") & set(text)


def cells_of(strips: Sequence[Strip]) -> list[list[tuple[str, Style]]]:
    """Each line cell by cell, with its style; a wide character is followed by an empty one.

    No style and an empty one look alike.
    """
    return [
        [
            (part, segment.style or Style.null())
            for segment in strip
            for sign in segment.text
            for part in (sign, *[""] * (cell_len(sign) - 1))
        ]
        for strip in strips
    ]
