"""Legends: whoever meets a sign on the screen finds it there, one key away."""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tui_annotate import tui
from tui_annotate.editor import glyphs
from tui_annotate.lab.position import screen as bars
from tui_annotate.lab.position.screen import LEGEND as POSITIONS
from tui_annotate.tui.dialogs.legend import ANNOTATE_MARKS, REVIEW_MARKS, VIEW_MARKS, LegendEntry
from tui_annotate.tui.score_cells import BARS
from tui_annotate.tui.screens.collection.rows import OPEN, UNFOLDED
from tui_annotate.tui.screens.collection.screen import LEGEND as COLLECTION
from tui_annotate.tui.screens.queue import QUEUE, SCORE_LEGEND, VERDICT_LEGEND
from tui_annotate.tui.screens.view import listing as view_list

STATES = set(glyphs.STATE_GLYPHS.values())
STRENGTHS = set(glyphs.STRENGTH_GLYPHS.strip())
CURSOR = {glyphs.CURRENT, glyphs.FOCUS_BAR, glyphs.FOUND, glyphs.SEVERAL}
LISTS = {glyphs.PLACES, glyphs.NOTED}
ANNOTATE = {
    value
    for name, value in vars(glyphs).items()
    if name.isupper() and isinstance(value, str) and len(value) == 1
} - {*glyphs.REVIEW_GLYPHS}
"""Every sign that the glyphs name by itself; a new one is explained, or this fails."""

ELSEWHERE = set("·…›⚑✗✎✓≈▸") | set("↑↓←→") | set("━─") | set("•–") | set("◌◔⇅●")
"""Signs with words beside them, of keys, of rules, of a hidden password, of shared work."""


def signs(legend: Sequence[LegendEntry]) -> set[str]:
    """The signs that a legend shows."""
    return {sign for mark in legend for text, role in mark.pieces for sign in text if role}


@pytest.mark.parametrize(
    ("legend", "drawn"),
    [
        (ANNOTATE_MARKS, ANNOTATE | STRENGTHS | STATES),
        (
            REVIEW_MARKS,
            CURSOR
            | LISTS
            | (STATES - {glyphs.STATE_GLYPHS["skipped"], glyphs.STATE_GLYPHS["flagged"]})
            | {glyphs.CHOSEN, glyphs.CONFLICT, glyphs.OPENS_MORE}
            | {*glyphs.REVIEW_GLYPHS},
        ),
        (
            VIEW_MARKS,
            CURSOR | LISTS | STRENGTHS | {glyphs.CHOSEN, glyphs.CONFLICT, glyphs.LACKING},
        ),
        (QUEUE.legend, STATES),
        ([SCORE_LEGEND], set(BARS)),
        (COLLECTION, {glyphs.CHOSEN, glyphs.OPENS_MORE, OPEN, UNFOLDED}),
        (POSITIONS, {bars.SURE, bars.LIKELY, bars.UNLIKELY}),
        (view_list._LEGEND, {glyphs.CHOSEN, glyphs.STATE_GLYPHS["new"]}),
    ],
    ids=[
        "annotate",
        "review",
        "view",
        "queue",
        "queue with scores",
        "collection",
        "positions",
        "list of a file",
    ],
)
def test_every_sign_of_a_screen_stands_in_its_legend(
    legend: Sequence[LegendEntry], drawn: set[str]
) -> None:
    """Beside texts, in lists and in the bar."""
    assert drawn <= signs(legend)


def literals(path: Path) -> Iterator[str]:
    """The strings of a module that are no docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    report = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in report
        ):
            yield node.value


def test_no_other_sign_is_drawn() -> None:
    """A symbol in the code of the screen stands in a legend, or has words beside it."""
    known = (
        signs(
            (*ANNOTATE_MARKS, *REVIEW_MARKS, *COLLECTION, *POSITIONS, SCORE_LEGEND, VERDICT_LEGEND)
        )
        | ELSEWHERE
    )
    folder = Path(tui.__file__).parent
    found = {
        (path.name, sign)
        for path in sorted(folder.rglob("*.py"))
        if path.parent.name != "text"  # that knows the signs of documents
        for string in literals(path)
        for sign in string
        if not sign.isascii() and unicodedata.category(sign) in {"So", "Sm", "Po"}
    }
    drawn = {each for each in found if unicodedata.east_asian_width(each[1]) not in {"W", "F"}}
    assert {each for each in drawn if each[1] not in known} == set()
