"""A longer text to read, on one page or several: the request, the guidelines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tui_annotate.tui.dialogs.frame import CLOSING, Dialog
from tui_annotate.tui.lines import paragraphs, shown, wrapped
from tui_annotate.tui.palette import OPENS_MORE
from tui_annotate.tui.words import Words, WordsList

SCROLLING: list[BindingType] = [
    Binding("down,j", "scroll_by(1)", "down", show=False),
    Binding("up,k", "scroll_by(-1)", "up", show=False),
    Binding("pagedown,space,ctrl+d", "scroll_page(1)", "page down", show=False),
    Binding("pageup,ctrl+u", "scroll_page(-1)", "page up", show=False),
    Binding("home", "scroll_edge(-1)", "top", show=False),
    Binding("end", "scroll_edge(1)", "end", show=False),
]
"""For dialogs with lines to be scrolled; see `Reader`."""


class Reader(Dialog[None]):
    """A dialog of lines that are wrapped to its width and scrolled by keys."""

    DEFAULT_CSS = """
    Reader > Vertical { width: 100%; max-width: 104; height: 100%; max-height: 40; }
    Reader RowList { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*CLOSING, *SCROLLING]

    def lines(self, cells: int) -> list[list[Words]]:
        """The lines to be read, for this many cells."""
        raise NotImplementedError

    def body(self) -> ComposeResult:
        """The lines."""
        yield WordsList(id="lines", classes="gap")

    def on_resize(self) -> None:
        """Wraps anew."""
        self.call_after_refresh(self.refill)

    def refill(self) -> None:
        """Lays the lines out from the top."""
        listed = self.query_one("#lines", WordsList)
        if listed.window.width:
            listed.show(self.lines(listed.window.width))

    def action_scroll_by(self, rows: int) -> None:
        """Up and Down."""
        self.query_one("#lines").scroll_relative(y=rows, animate=False)

    def action_scroll_page(self, pages: int) -> None:
        """One page, with one line of it kept."""
        listed = self.query_one("#lines", WordsList)
        listed.scroll_relative(y=pages * max(listed.window.height - 1, 1), animate=False)

    def action_scroll_edge(self, edge: int) -> None:
        """Home and End."""
        listed = self.query_one("#lines", WordsList)
        listed.scroll_to(y=0 if edge < 0 else listed.max_scroll_y, animate=False)


class MessageDialog(Reader):
    """Pages of text: (title, text). Tab, Left and Right turn them; g too, as it opened them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab,right,l,g", "turn(1)", "next page", show=False),
        Binding("shift+tab,left,h", "turn(-1)", "previous page", show=False),
        Binding("enter", "close", "close", show=False),
    ]

    def __init__(self, pages: Sequence[tuple[str, str]], *, page: int = 0) -> None:
        super().__init__(pages[page][0])
        self._pages = tuple(pages)
        self._page = page

    def lines(self, cells: int) -> list[list[Words]]:
        """The page, wrapped; headings of Markdown stand out."""
        text = self._pages[self._page][1]
        return [
            [(piece, role)]
            for line, role in map(_heading, paragraphs(text))
            for piece in wrapped(line, cells - 1)
        ]

    def keys(self) -> Sequence[tuple[str, str]]:
        """How to turn and scroll."""
        turn = [("Tab", "next page")] if len(self._pages) > 1 else []
        return [*turn, ("↑↓", "scroll"), ("q", "close")]

    def title_words(self) -> list[Words]:
        """All titles, the one of this page lit."""
        return page_words([title for title, _ in self._pages], self._page)

    def action_turn(self, step: int) -> None:
        """Another page, around the end."""
        self._page = (self._page + step) % len(self._pages)
        self.tell_title()
        self.refill()


def _heading(line: str) -> tuple[str, str]:
    """A line as it is read, and its role: a heading of Markdown without its signs."""
    signs, _, title = line.partition(" ")
    return (
        (title, "title_focused") if 0 < len(signs) < 7 and not signs.strip("#") else (line, "text")
    )


def page_words(titles: Sequence[str], page: int) -> list[Words]:
    """The titles of pages, the one that is read lit."""
    words: list[Words] = []
    for place, title in enumerate(titles):
        here = place == page
        mark = f"{OPENS_MORE} " if here and len(titles) > 1 else ""
        words.append((f"{mark}{shown(title)}   ", "title_focused" if here else "quiet"))
    return words
