"""The keys for where one is, and what the marks mean: two pages, in two columns if they fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, NamedTuple

from textual.binding import Binding, BindingType

from tui_annotate.tui.dialogs.message import Reader, page_words
from tui_annotate.tui.lines import fit, shown, width, wrapped
from tui_annotate.tui.palette import (
    CHOSEN,
    CONFLICT,
    CURRENT,
    FOCUS_BAR,
    FORMER,
    FOUND,
    GOLD,
    LACKING,
    NOTED,
    OPENS_MORE,
    PLACES,
    SEVERAL,
    STATE_GLYPHS,
    STRENGTH_GLYPHS,
    SUGGESTED,
)
from tui_annotate.tui.words import Words

_TWO_COLUMNS = 96  # cells from which two columns can be read
_GAP = 3
_LONGEST_KEY = 16
_LONGEST_ACTION = 20


class HelpGroup(NamedTuple):
    """Keys that belong together: (key, action, help) each; help may be empty."""

    title: str
    rows: Sequence[tuple[str, str, str]]


class Mark(NamedTuple):
    """A mark as it is drawn, in pieces with roles, and what it means."""

    pieces: tuple[Words, ...]
    meaning: str


_STRENGTHS = (
    "a match: about one in ten of these holds the evidence",
    "one in four",
    "every other one",
    "two in three",
    "four in five",
)

STATES: Final = tuple(
    Mark(((glyph, "accent"),), f"a sample: {state}") for state, glyph in STATE_GLYPHS.items()
)
CURSOR: Final = (
    Mark(((CURRENT, "text"),), "the sentence the cursor is in"),
    Mark(((f"{FOCUS_BAR} ", "text"), ("text", "selection")), "selected, or focused"),
    Mark(((f"{FOUND} ", "text"), ("text", "search")), "found by a search"),
    Mark((("␛ ▫", "quiet"),), "a character of the text that can not be shown"),
)
LISTED: Final = (
    Mark(((f"{PLACES}2", "quiet"),), "an annotation with two places as evidence"),
    Mark(((NOTED, "quiet"),), "an annotation with a note"),
)
CLOSED: Final = Mark((("(…)", "quiet"),), "behind a label: retired, or split and to be chosen anew")
LEGEND: tuple[Mark, ...] = (
    *(
        Mark(
            ((f"{STRENGTH_GLYPHS[strength]} ", f"glyph {strength}"), ("text", f"match {strength}")),
            meaning,
        )
        for strength, meaning in enumerate(_STRENGTHS, 1)
    ),
    Mark((("2", "text"),), "a digit is a rank: match 2 starts here; n and N walk them"),
    Mark(((f"{CHOSEN} ", "text"), ("text", "evidence")), "taken as evidence of the draft"),
    Mark(((f"{CHOSEN}2", "text"),), "match 2, taken"),
    Mark(((FORMER, "quiet"),), "your evidence before, beside another summary of this text"),
    Mark((("text", "underlined"),), "in the focused match: a word that the selection has too"),
    Mark(((f"{CONFLICT} ", "text"), ("12", "conflict")), "a number, date or name that may differ"),
    Mark(((f"{LACKING} ", "text"), ("text", "lacking")), "after i: words the source has nowhere"),
    Mark((("A ", "label 0"), ("text", "underlined")), "an annotation; a small letter: a draft"),
    Mark((("[id]", "quiet"),), "behind a sentence of a report: what it cites; c walks through it"),
    Mark((("[id]", "underlined"),), "the citation that was walked to"),
    Mark(
        ((f"{SUGGESTED} ", "text"), ("text", "suggested")),
        "suggested by a machine; c walks, where [id] stands a",
    ),
    Mark((("text", "overlap"),), "several annotations on the same words"),
    Mark(((SEVERAL, "label 1"),), "several of these on one line; a and c walk through them"),
    *LISTED,
    Mark(((GOLD, "label 0"),), "a right answer; over a passage: which one holds it"),
    CLOSED,
    Mark(((OPENS_MORE, "quiet"),), "behind a label: it has labels of its own"),
    *CURSOR,
    *STATES,
)
"""The marks of documents and of the queue."""


class HelpDialog(Reader):
    """All keys for where one is, in groups; the key that opened it turns to the marks."""

    DEFAULT_CSS = "HelpDialog > Vertical { max-width: 140; max-height: 100%; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,f1,tab,shift+tab,right,left", "other", "the other page", show=False)
    ]

    def __init__(
        self,
        groups: Sequence[HelpGroup],
        *,
        legend: Sequence[Mark] = LEGEND,
        title: str = "Keys here",
    ) -> None:
        super().__init__(title)
        self._groups = tuple(groups)
        self._legend = tuple(legend)
        self._marks = False

    def title_words(self) -> list[Words]:
        """Both pages."""
        return page_words([self.heading, "Marks"], int(self._marks))

    def keys(self) -> Sequence[tuple[str, str]]:
        """How to turn, scroll and close."""
        other = "keys" if self._marks else "marks"
        return [("?", other), ("↑↓ PgDn", "scroll"), ("q", "close")]

    def action_other(self) -> None:
        """The other page."""
        self._marks = not self._marks
        self.tell_title()
        self.tell_keys()
        self.refill()

    def lines(self, cells: int) -> list[list[Words]]:
        """One column, or two of about the same height."""
        columns = 2 if cells >= _TWO_COLUMNS else 1
        room = (cells - 1 - _GAP * (columns - 1)) // columns
        if self._marks:
            blocks = _legend(self._legend, room)
        else:
            columns_of = _columns([row for group in self._groups for row in group.rows])
            blocks = [_group(group, room, columns_of) for group in self._groups]
        if columns == 1:
            return [line for block in blocks for line in block]
        return _side_by_side(blocks, room)


def _columns(rows: Sequence[tuple[str, str, str]]) -> tuple[int, int]:
    """Cells for keys and for actions that have a help, the same in all groups."""
    keys = max((width(shown(key)) for key, _, _ in rows), default=0)
    actions = max((width(shown(action)) for _, action, text in rows if text), default=0)
    return min(keys, _LONGEST_KEY), min(actions, _LONGEST_ACTION)


def _group(group: HelpGroup, cells: int, columns: tuple[int, int]) -> list[list[Words]]:
    lines: list[list[Words]] = [[(shown(group.title), "title_focused")]]
    for row in group.rows:
        lines += _row(row, cells, columns)
    return [*lines, []]


def _row(row: tuple[str, str, str], cells: int, columns: tuple[int, int]) -> list[list[Words]]:
    """Key, action, help; an action without help has the room of both."""
    key, action, text = map(shown, row)
    keys, actions = columns
    first: list[Words] = [(f" {fit(key, keys)}  ", "key")]
    indent = keys + 3
    role = "text"
    if text:
        first.append((f"{fit(action, actions)}  ", "text"))
        indent += actions + 2
        role = "quiet"
    pieces = wrapped(text or action, cells - indent)
    first.append((pieces[0], role))
    return [first, *([(" " * indent + piece, role)] for piece in pieces[1:])]


def _legend(legend: Sequence[Mark], cells: int) -> list[list[list[Words]]]:
    """A block of lines for each mark."""
    room = max(width("".join(text for text, _ in mark.pieces)) for mark in legend)
    blocks = []
    for mark in legend:
        first, *rest = wrapped(mark.meaning, cells - room - 3)
        lines = [[*_padded([(" ", "text"), *mark.pieces], room + 3), (first, "quiet")]]
        lines += [[(" " * (room + 3) + piece, "quiet")] for piece in rest]
        blocks.append(lines)
    return blocks


def _side_by_side(blocks: Sequence[list[list[Words]]], cells: int) -> list[list[Words]]:
    """Blocks in reading order: down the left column, then down the right."""
    half = sum(map(len, blocks)) / 2
    left: list[list[Words]] = []
    right: list[list[Words]] = []
    for block in blocks:
        into = left if not right and len(left) + len(block) / 2 <= half else right
        into += block
    height = max(len(left), len(right))
    left += [[]] * (height - len(left))
    right += [[]] * (height - len(right))
    return [_padded(one, cells + _GAP) + other for one, other in zip(left, right, strict=True)]


def _padded(line: list[Words], cells: int) -> list[Words]:
    used = sum(width(text) for text, _ in line)
    return [*line, (" " * max(cells - used, 0), "text")]
