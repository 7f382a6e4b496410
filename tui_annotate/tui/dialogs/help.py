"""Help dialog: lists the keys of a screen, and explains the symbols in texts and lists."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import ClassVar, Final

from textual.binding import Binding, BindingType

from tui_annotate.domain.line_text import line_text, text_width
from tui_annotate.editor import key_state
from tui_annotate.editor.action import Need
from tui_annotate.editor.key_map import HelpGroup, KeyMap
from tui_annotate.editor.screen_message import ScreenMessage, screen_text
from tui_annotate.tui.dialogs.frame import Keys
from tui_annotate.tui.dialogs.legend import ANNOTATE_MARKS, REVIEW_MARKS, VIEW_MARKS, LegendEntry
from tui_annotate.tui.dialogs.message import ScrollDialog, page_words
from tui_annotate.tui.dialogs.texts import DialogText, KeyName
from tui_annotate.tui.line_text import fit
from tui_annotate.tui.row_widgets import Words, wrap_words

_TWO_COLUMNS = 96  # minimum cells for two columns
_GAP = 3
_LONGEST_KEY = 16

_TITLES: Final = {
    key_state.READING: DialogText.KEYS_READING,
    key_state.SELECTING: DialogText.KEYS_SELECTING,
    key_state.SOURCE: DialogText.KEYS_SOURCE,
    key_state.OPTION: DialogText.KEYS_OPTION,
    key_state.NOTE: DialogText.KEYS_NOTE,
    key_state.EDITING: DialogText.KEYS_EDITING,
    key_state.REVIEWING: DialogText.KEYS_REVIEWING,
    key_state.VIEWING: DialogText.KEYS_VIEWING,
}
_MARKS: Final = {key_state.REVIEWING: REVIEW_MARKS, key_state.VIEWING: VIEW_MARKS}


class HelpDialog(ScrollDialog):
    """A dialog with two pages: the keys of a screen, and the legend of its symbols."""

    DEFAULT_CSS = "HelpDialog > Vertical { max-width: 140; max-height: 100%; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,f1,tab,shift+tab,right,left", "other", "the other page", show=False)
    ]

    keys: Keys = (("?", KeyName.MARKS), ("↑↓ PgDn", KeyName.SCROLL), ("q", KeyName.CLOSE))

    def __init__(
        self,
        groups: Sequence[HelpGroup],
        *,
        legend: Sequence[LegendEntry] = ANNOTATE_MARKS,
        title: ScreenMessage = DialogText.KEYS_HERE,
    ) -> None:
        super().__init__(title.text())
        self._groups = tuple(groups)
        self._legend = tuple(legend)
        self._marks = False

    def title_words(self) -> list[Words]:
        return page_words([self.heading, DialogText.MARKS.text()], int(self._marks))

    def action_other(self) -> None:
        """Show the other page."""
        self._marks = not self._marks
        self.show_title()
        other = KeyName.KEYS if self._marks else KeyName.MARKS
        self.show_keys((("?", other), *self.keys[1:]))
        self.refill()

    def lines(self, cells: int) -> list[list[Words]]:
        """Return the lines of the page on screen, in two columns if there is room."""
        columns = 2 if cells >= _TWO_COLUMNS else 1
        column = (cells - 1 - _GAP * (columns - 1)) // columns
        if self._marks:
            blocks = _render_legend(self._legend, column)
        else:
            rows = (row for group in self._groups for row in group.rows)
            widest = max((text_width(line_text(key)) for key, _ in rows), default=0)
            keys = min(widest, _LONGEST_KEY)
            blocks = [_render_group(group, column, keys) for group in self._groups]
        if columns == 1:
            return [line for block in blocks for line in block]
        return _arrange_columns(blocks, column)


def help_dialog(keys: KeyMap, state: key_state.KeyState, found: Need) -> HelpDialog:
    """Create the help for a state of the screen of a sample, which has what is `found`."""
    marks = _MARKS.get(state, ANNOTATE_MARKS)
    return HelpDialog(keys.help(state, found), legend=marks, title=_TITLES[state])


def _render_group(group: HelpGroup, cells: int, keys: int) -> list[list[Words]]:
    lines: list[list[Words]] = [[(line_text(group.title), "title_focused")]]
    for row in group.rows:
        key, words = map(line_text, row)
        lines += wrap_words([(f" {fit(key, keys)}  ", "key")], (words, "text"), cells)
    return [*lines, []]


def _render_legend(legend: Sequence[LegendEntry], cells: int) -> list[list[list[Words]]]:
    widest = max(text_width("".join(text for text, _ in mark.pieces)) for mark in legend)
    heads = [_pad([(" ", "text"), *mark.pieces], widest + 3) for mark in legend]
    return [
        wrap_words(head, (screen_text(mark.meaning), "quiet"), cells)
        for head, mark in zip(heads, legend, strict=True)
    ]


def _arrange_columns(blocks: Sequence[list[list[Words]]], cells: int) -> list[list[Words]]:
    """Arrange blocks of lines in reading order: down the left column, then down the right."""
    half = sum(map(len, blocks)) / 2
    left: list[list[Words]] = []
    right: list[list[Words]] = []
    for block in blocks:
        into = left if not right and len(left) + len(block) / 2 <= half else right
        into += block
    pairs = zip_longest(left, right, fillvalue=list[Words]())
    return [_pad(one, cells + _GAP) + other for one, other in pairs]


def _pad(line: list[Words], cells: int) -> list[Words]:
    used = sum(text_width(text) for text, _ in line)
    return [*line, (" " * max(cells - used, 0), "text")]
