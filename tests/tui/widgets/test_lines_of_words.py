"""The draft line, the key line and the titles of panes."""

from __future__ import annotations

import pytest

from tests.tui.stage import HOSTILE, staged
from tui_annotate.tui.widgets.draft_line import DraftLine, Kind
from tui_annotate.tui.widgets.key_line import KeyLine
from tui_annotate.tui.widgets.pane_title import PaneTitle


@pytest.mark.parametrize(
    ("kind", "glyph"),
    [("hint", "·"), ("draft", "▸"), ("saved", "✓"), ("warning", "!"), ("error", "✗")],
)
async def test_each_kind_of_draft_line_has_a_glyph(kind: Kind, glyph: str) -> None:
    """What the line says is never told by colour alone."""
    widget = DraftLine()
    async with staged(widget) as (stage, pilot):
        widget.show('1-4 save: "15 million"', kind=kind)
        await pilot.pause()
        assert stage.text() == f' {glyph} 1-4 save: "15 million"'


async def test_a_long_draft_line_is_cut() -> None:
    """What does not fit ends in an ellipsis."""
    widget = DraftLine()
    async with staged(widget, size=(20, 2)) as (stage, pilot):
        widget.show("中文" * 20, kind="draft")
        await pilot.pause()
        assert stage.lines()[0] == " ▸ 中文中文中文中文…"


async def test_a_hostile_draft_is_harmless() -> None:
    """A claim may hold anything."""
    widget = DraftLine()
    async with staged(widget) as (stage, pilot):
        widget.show(HOSTILE, kind="draft")
        await pilot.pause()
        assert "␛]52;c;aGk=␇" in stage.text()


async def test_the_key_line_always_ends_in_all_keys() -> None:
    """As many pairs as fit, then `? keys` at the right edge."""
    widget = KeyLine()
    async with staged(widget, size=(40, 2)) as (stage, pilot):
        widget.show([("↑↓", "sentence"), ("Space", "take"), ("Enter", "done"), ("u", "undo")])
        await pilot.pause()
        assert stage.lines()[0] == " ↑↓ sentence  Space take         ? keys "
        await pilot.resize_terminal(80, 2)
        await pilot.pause()
        assert "u undo" in stage.lines()[0]
        assert stage.lines()[0].endswith("? keys ")
        await pilot.resize_terminal(40, 2)


async def test_a_title_is_heavier_where_the_keys_are() -> None:
    """Focus shows in the rule itself."""
    widget = PaneTitle()
    async with staged(widget, size=(50, 2)) as (stage, pilot):
        widget.show("SOURCE", "match 1/9", "line 3/40", focused=False)
        await pilot.pause()
        assert stage.lines()[0] == "─ SOURCE ─ match 1/9 ───────────────── line 3/40 ─"
        widget.show("SOURCE", "match 1/9", "line 3/40", focused=True)
        await pilot.pause()
        assert stage.lines()[0] == "━ SOURCE ━ match 1/9 ━━━━━━━━━━━━━━━━━ line 3/40 ━"


async def test_a_narrow_title_gives_up_its_right_note() -> None:
    """The title stays longest."""
    widget = PaneTitle()
    async with staged(widget, size=(24, 2)) as (stage, pilot):
        widget.show("SOURCE", "match 1/9", "line 3/40", focused=False)
        await pilot.pause()
        assert stage.lines()[0] == "─ SOURCE ─ match 1/9 ───"
