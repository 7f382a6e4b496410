"""The draft line, the key line and the titles of panes."""

from __future__ import annotations

import pytest

from tests.tui.stage import HOSTILE, run_stage
from tui_annotate.editor.messages import Kind
from tui_annotate.tui.widgets.draft_line import DraftLine
from tui_annotate.tui.widgets.key_line import KeyLine, help_pair
from tui_annotate.tui.widgets.pane_title import PaneTitle


@pytest.mark.parametrize(
    ("kind", "glyph"),
    [
        ("hint", "·"),
        ("draft", "▸"),
        ("offer", "~"),
        ("saved", "✓"),
        ("warning", "!"),
        ("error", "✗"),
    ],
)
async def test_each_kind_of_draft_line_has_a_glyph(kind: Kind, glyph: str) -> None:
    """What the line says is never told by colour alone."""
    widget = DraftLine()
    async with run_stage(widget) as (stage, pilot):
        widget.show('1-4 save: "15 million"', kind=kind)
        await pilot.pause()
        assert stage.text() == f' {glyph} 1-4 save: "15 million"'


async def test_a_long_draft_line_is_cut() -> None:
    """What does not fit ends in an ellipsis."""
    widget = DraftLine()
    async with run_stage(widget, size=(20, 2)) as (stage, pilot):
        widget.show("中文" * 20, kind="draft")
        await pilot.pause()
        assert stage.lines()[0] == " ▸ 中文中文中文中文…"


@pytest.mark.parametrize("kind", ["warning", "error"])
async def test_what_went_wrong_is_shown_to_its_end(kind: Kind) -> None:
    """In as many rows as it needs, at most four; and one again for what is said next."""
    widget = DraftLine()
    async with run_stage(widget, size=(20, 8)) as (stage, pilot):
        widget.show("the disk is full · make some room on it", kind=kind)
        await pilot.pause()
        rows = [line.rstrip() for line in stage.lines()[:4]]
        assert [row[3:] for row in rows] == ["the disk is full", "· make some room", "on it", ""]
        assert [row[:3].strip() != "" for row in rows] == [True, False, False, False]
        assert widget.size.height == 3
        await pilot.resize_terminal(60, 8)
        await pilot.pause()
        assert widget.size.height == 1
        await pilot.resize_terminal(20, 8)
        widget.show("中文" * 60, kind=kind)
        await pilot.pause()
        assert widget.size.height == 4
        assert stage.lines()[3].rstrip().endswith("…")
        widget.show("1-4 save", kind="draft")
        await pilot.pause()
        assert widget.size.height == 1


async def test_a_hostile_draft_is_harmless() -> None:
    """A claim may hold anything."""
    widget = DraftLine()
    async with run_stage(widget) as (stage, pilot):
        widget.show(HOSTILE, kind="draft")
        await pilot.pause()
        assert "␛]52;c;aGk=␇" in stage.text()


async def test_the_key_line_always_ends_in_all_keys() -> None:
    """As many pairs as fit, then `? keys` at the right edge."""
    widget = KeyLine()
    async with run_stage(widget, size=(40, 2)) as (stage, pilot):
        pairs = [("↑↓", "sentence"), ("Space", "take"), ("Enter", "done"), ("u", "undo")]
        widget.show(pairs, last=help_pair())
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
    async with run_stage(widget, size=(50, 2)) as (stage, pilot):
        widget.show("SOURCE", ["match 1/9"], "line 3/40", focused=False)
        await pilot.pause()
        assert stage.lines()[0] == "─ SOURCE ─ match 1/9 ───────────────── line 3/40 ─"
        widget.show("SOURCE", ["match 1/9"], "line 3/40", focused=True)
        await pilot.pause()
        assert stage.lines()[0] == "━ SOURCE ━ match 1/9 ━━━━━━━━━━━━━━━━━ line 3/40 ━"


async def test_a_narrow_title_gives_up_its_right_note() -> None:
    """The title stays longest."""
    widget = PaneTitle()
    async with run_stage(widget, size=(24, 2)) as (stage, pilot):
        widget.show("SOURCE", ["match 1/9"], "line 3/40", focused=False)
        await pilot.pause()
        assert stage.lines()[0] == "─ SOURCE ─ match 1/9 ───"


async def test_a_long_title_leaves_room_for_the_notes() -> None:
    """A document's key may be as long as a path: it is cut, and what is lit is still told."""
    widget = PaneTitle()
    async with run_stage(widget, size=(64, 2)) as (stage, pilot):
        widget.show(
            "SOURCE 2/3 " + "文件/" * 90, ["match 1/9", "words"], "line 3/40", focused=False
        )
        await pilot.pause()
        line = stage.lines()[0]
        assert line.startswith("─ SOURCE 2/3 文件/文件/")
        assert "… ─ match 1/9 · words ─" in line
        assert line.endswith("─ line 3/40 ─")


async def test_notes_go_in_the_order_of_their_weight() -> None:
    """What is extra first, then what stands at the right, then the notes from the last.

    A note that fits in part is cut; where too little is left of it, it is not there at all. What is
    extra is never cut.
    """
    widget = PaneTitle()
    notes = ["match 1/9 · .86", "words only: no vectors here"]
    seen = []
    async with run_stage(widget, size=(90, 2)) as (stage, pilot):
        widget.show("SOURCE", notes, "s 3/40", extra="15 million ≠ 12", focused=False)
        for cells in (86, 84, 70, 63, 50, 34, 20):
            await pilot.resize_terminal(cells, 2)
            await pilot.pause()
            seen.append(stage.lines()[0].strip("─ "))
        await pilot.resize_terminal(90, 2)
    assert seen == [
        "SOURCE ─ match 1/9 · .86 · words only: no vectors here · 15 million ≠ 12 ── s 3/40",
        "SOURCE ─ match 1/9 · .86 · words only: no vectors here ────────────────── s 3/40",
        "SOURCE ─ match 1/9 · .86 · words only: no vectors here ──── s 3/40",
        "SOURCE ─ match 1/9 · .86 · words only: no vectors here",
        "SOURCE ─ match 1/9 · .86 · words only: no vect…",
        "SOURCE ─ match 1/9 · .86",
        "SOURCE",
    ]
