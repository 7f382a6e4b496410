"""Dialog for longer texts on one or more pages, such as the guidelines."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tui_annotate.domain.line_text import line_text
from tui_annotate.editor.glyphs import CURRENT_CHOICE
from tui_annotate.tui.dialogs.frame import CLOSING, PAGING, Dialog, Keys
from tui_annotate.tui.dialogs.markdown import render_markdown
from tui_annotate.tui.dialogs.texts import KeyName
from tui_annotate.tui.line_text import split_paragraphs, wrap_line
from tui_annotate.tui.row_widgets import Words, WordsList


class ScrollDialog(Dialog[None]):
    """A dialog with lines of text that scroll; a subclass wraps them to the width."""

    DEFAULT_CSS = """
    ScrollDialog > Vertical { width: 100%; max-width: 104; height: 100%; max-height: 40; }
    ScrollDialog RowList { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *CLOSING,
        *PAGING,
        Binding("down,j", "scroll_by(1)", "down", show=False),
        Binding("up,k", "scroll_by(-1)", "up", show=False),
    ]
    keys: Keys = (("↑↓", KeyName.SCROLL), ("q", KeyName.CLOSE))

    def lines(self, cells: int) -> list[list[Words]]:
        """Return the lines, wrapped to `cells` cells, as pieces of text with style names."""
        raise NotImplementedError

    def body(self) -> ComposeResult:
        yield WordsList(id="lines", classes="gap")

    def on_resize(self) -> None:
        """Wrap the text again, once the new width is known."""
        self.call_after_refresh(self.refill)

    def refill(self) -> None:
        """Replace the lines on screen; do nothing before the width is known."""
        listed = self.query_one("#lines", WordsList)
        if listed.window.width:
            listed.show(self.lines(listed.window.width))


class MessageDialog(ScrollDialog):
    """A dialog with pages of (title, text); Tab, Left, Right and g turn the pages.

    Args:
        page: index of the page to show first.
        markdown: indices of the pages that are Markdown; of others, only headings are styled.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab,right,l,g", "turn(1)", "next page", show=False),
        Binding("shift+tab,left,h", "turn(-1)", "previous page", show=False),
        Binding("enter", "close", "close", show=False),
    ]

    def __init__(
        self,
        pages: Sequence[tuple[str, str]],
        *,
        page: int = 0,
        markdown: Collection[int] = (),
    ) -> None:
        super().__init__(pages[page][0])
        self._pages = tuple(pages)
        self._page = page
        self._markdown = frozenset(markdown)
        if len(pages) > 1:
            self.keys = (("Tab", KeyName.NEXT_PAGE), *self.keys)

    def lines(self, cells: int) -> list[list[Words]]:
        """Return the page on screen; a Markdown heading is shown as a title."""
        text = self._pages[self._page][1]
        if self._page in self._markdown:
            return render_markdown(text, cells - 1)
        return [
            [(piece, role)]
            for line, role in map(_parse_heading, split_paragraphs(text))
            for piece in wrap_line(line, cells - 1)
        ]

    def title_words(self) -> list[Words]:
        """Return the titles of all pages; the page on screen is marked."""
        return page_words([title for title, _ in self._pages], self._page)

    def action_turn(self, step: int) -> None:
        """Show the next (1) or previous (-1) page; the first follows the last."""
        self._page = (self._page + step) % len(self._pages)
        self.show_title()
        self.refill()


def _parse_heading(line: str) -> tuple[str, str]:
    """Return (text, style name) of a line; a Markdown heading loses its `#` characters."""
    signs, _, title = line.partition(" ")
    if 0 < len(signs) < 7 and not signs.strip("#"):
        return title, "title_focused"
    return line, "text"


def page_words(titles: Sequence[str], page: int) -> list[Words]:
    """Return the titles of pages as pieces of a title; the current `page` is marked."""
    words: list[Words] = [(f"{line_text(title)}   ", "quiet") for title in titles]
    mark = f"{CURRENT_CHOICE} " if len(titles) > 1 else ""
    words[page] = (f"{mark}{words[page][0]}", "title_focused")
    return words
