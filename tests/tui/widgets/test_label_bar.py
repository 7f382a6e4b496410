"""The bar of options."""

from __future__ import annotations

import asyncio

from tests.tui.stage import HOSTILE, run_stage
from tui_annotate.editor.state import DECLINING
from tui_annotate.tui.palette import make_palette
from tui_annotate.tui.widgets.label_bar import LabelBar, Option

_FOUR: list[Option] = [
    ("1", "Intrinsic", False, True, 0),
    ("2", "Extrinsic", False, False, 1),
    ("3", "Benign", False, False, 2),
    ("4", "Unwanted", True, False, 3),
]


async def test_options_stand_with_their_digits() -> None:
    """A chosen one has a tick, a parent an arrow."""
    widget = LabelBar()
    async with run_stage(widget) as (stage, pilot):
        widget.show(_FOUR)
        await pilot.pause()
        assert stage.text() == "  1  ✓ Intrinsic    2  Extrinsic    3  Benign    4  Unwanted ▸"
        assert widget.size.height == 1


async def test_a_second_row_is_used_before_anything_is_cut() -> None:
    """The bar grows to two rows, and shrinks again."""
    widget = LabelBar()
    async with run_stage(widget, size=(40, 5)) as (stage, pilot):
        widget.show(_FOUR, title="Which?")
        await pilot.pause()
        assert widget.size.height == 2
        assert stage.text().splitlines() == [
            " Which?   1  ✓ Intrinsic    2  Extrinsic",
            "  3  Benign    4  Unwanted ▸",
        ]
        widget.show(_FOUR[:1])
        await pilot.pause()
        assert widget.size.height == 1


async def test_what_does_not_fit_is_said() -> None:
    """`0 more` ends a bar that is cut; an option 0 of its own keeps its place."""
    widget = LabelBar()
    async with run_stage(widget, size=(30, 5)) as (stage, pilot):
        widget.show([(str(digit), f"Label {digit}", False, False, 0) for digit in range(1, 10)])
        await pilot.pause()
        lines = [line.rstrip() for line in stage.lines()[:3]]
        assert lines == ["  1  Label 1    2  Label 2", "  3  Label 3    0  more", ""]
        widget.show([*_FOUR, *_FOUR, ("0", "list", False, False, -1)])
        await pilot.pause()
        assert stage.lines()[1].rstrip().endswith("0  list")


async def test_a_tick_hides_no_option() -> None:
    """In a row that is full they stand closer; only where that does not do one is left out."""
    widget = LabelBar()
    widget.styles.height = 1
    names = ("Intrinsic", "Extrinsic", "Benign", "Questionable", "Unwanted")
    async with run_stage(widget) as (stage, pilot):
        for chosen in range(6):
            widget.show(
                [(str(at), name, at == 5, at == chosen, 0) for at, name in enumerate(names, 1)]
            )
            await pilot.pause()
            assert "5  " in stage.text()
            assert "more" not in stage.text()
            assert ("    2 " in stage.text()) == (chosen == 0)


async def test_eighty_columns_show_every_reason_of_a_refusal() -> None:
    """No reason is left out: who would refuse for it could not know that it is there."""
    widget = LabelBar()
    widget.styles.height = 1
    async with run_stage(widget) as (stage, pilot):
        reasons = [(str(at), name.text(), False, False, -1) for at, name in enumerate(DECLINING, 1)]
        widget.show([*reasons, ("0", "own words", False, False, -1)])
        await pilot.pause()
        shown = [*(each.text() for each in DECLINING), "own words"]
        assert all(name in stage.text() for name in shown)


async def test_one_row_is_enough_where_the_screen_has_no_more() -> None:
    """A bar squeezed to one row cuts in one row."""
    widget = LabelBar()
    widget.styles.max_height = 1
    async with run_stage(widget, size=(40, 5)) as (stage, pilot):
        widget.show(_FOUR)
        await pilot.pause()
        assert stage.text() == "  1  ✓ Intrinsic    0  more"


async def test_a_click_picks_an_option() -> None:
    """The digit and the text both count; between options nothing does."""
    widget = LabelBar()
    async with run_stage(widget, size=(40, 5)) as (stage, pilot):
        widget.show(_FOUR)
        await pilot.pause()
        await pilot.click(widget, offset=(2, 0))
        await pilot.click(widget, offset=(25, 0))
        await pilot.click(widget, offset=(17, 0))
        await pilot.click(widget, offset=(8, 1))
        await pilot.pause()
        assert [message.digit for message in stage.of(LabelBar.Picked)] == ["1", "2", "3"]


async def test_a_blink_ends_by_itself() -> None:
    """The bar is reversed once; no timer is left."""
    widget = LabelBar()
    async with run_stage(widget) as (_, pilot):
        widget.show(_FOUR)
        await pilot.pause()
        before = widget.render_line(0)
        widget.blink()
        widget.blink()
        blinking = widget.render_line(0)
        assert blinking.text == before.text
        assert blinking != before
        async with asyncio.timeout(60):
            while widget.render_line(0) != before:
                await pilot.pause(0.001)


async def test_a_sleeping_bar_has_no_caps() -> None:
    """Asleep differs from awake without colour: the digits lose their ground."""
    widget = LabelBar()
    async with run_stage(widget, theme="mono", native=True) as (_, pilot):
        widget.show(_FOUR)
        await pilot.pause()
        assert any(segment.style and segment.style.reverse for segment in widget.render_line(0))
        widget.show(_FOUR, digits_off=True)
        await pilot.pause()
        assert not any(segment.style and segment.style.reverse for segment in widget.render_line(0))


async def test_each_label_has_its_colour() -> None:
    """The digit stands on the ground of the label's slot."""
    widget = LabelBar()
    async with run_stage(widget) as (_, pilot):
        widget.show(_FOUR)
        await pilot.pause()
        caps = [s.style.color for s in widget.render_line(0) if s.style and s.style.reverse]
        assert caps == [make_palette("dark").label(slot).color for slot in range(4)]


async def test_hostile_labels_are_harmless() -> None:
    """A label's name is cut and shown, never obeyed."""
    widget = LabelBar()
    async with run_stage(widget) as (stage, pilot):
        widget.show([("1", HOSTILE, False, False, 0)], title=HOSTILE)
        await pilot.pause()
        assert "␛]52;c;aGk=␇" in stage.text()


async def test_a_title_that_is_very_long_leaves_room_for_the_options() -> None:
    """Names of labels have up to a hundred characters."""
    widget = LabelBar()
    async with run_stage(widget, size=(60, 5)) as (stage, pilot):
        widget.show(_FOUR[:2], title="a very long name of a label " * 4)
        await pilot.pause()
        assert stage.lines()[0].startswith(" a very long name of a label…")
        assert "Extrinsic" in stage.text()
