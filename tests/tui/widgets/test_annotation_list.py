"""The list of annotations."""

from __future__ import annotations

from dataclasses import replace

from tests.tui.stage import HOSTILE, run_stage
from tui_annotate.tui.widgets.annotation_list import (
    AnnotationList,
    AnnotationListText,
    ListedAnnotation,
)

_A = ListedAnnotation(
    letter="A",
    labels="Intrinsic",
    claim="15 million pounds",
    evidence=1,
    note="the source says 12",
    draft_reason="",
    focused=True,
    colour_slot=0,
)
_B = replace(
    _A, letter="B", labels="Extrinsic", claim="裂缝最早", evidence=0, note="", focused=False
)
_C = replace(_B, letter="C", draft_reason="needs evidence", colour_slot=2)


async def test_an_annotation_is_one_line_and_the_focused_one_shows_its_note() -> None:
    """Letter, labels, claim; at the right edge evidence and note, or what is missing."""
    widget = AnnotationList()
    async with run_stage(widget, size=(50, 6)) as (stage, pilot):
        widget.show([_A, _B, _C])
        await pilot.pause()
        assert [line.rstrip() for line in stage.lines()[:4]] == [
            '▌A Intrinsic "15 million pounds"             ⇄1 ✎',
            "   ✎ the source says 12",
            ' B Extrinsic "裂缝最早"',
            ' C Extrinsic "裂缝最早"          ! needs evidence',
        ]


async def test_suggestions_stand_apart_with_their_maker() -> None:
    """A sign in the letter's place, who says so at the right edge, the reason below in focus.

    What was made of one tells its maker behind the note.
    """
    widget = AnnotationList()
    offer = replace(_A, letter="~", note="it says 12", maker="judge:tiny 0.83")
    own = replace(_A, focused=False, maker="judge:tiny 0.83, changed")
    async with run_stage(widget, size=(60, 6)) as (stage, pilot):
        widget.show([own, offer])
        await pilot.pause()
        assert [line.rstrip() for line in stage.lines()[:3]] == [
            ' A Intrinsic "15 million pounds"  ⇄1 ✎ judge:tiny 0.83, ch…',
            '▌~ Intrinsic "15 million pounds"         ⇄1 judge:tiny 0.83',
            "   ~ it says 12",
        ]


async def test_no_annotations_is_said() -> None:
    """An empty list speaks, also after it was full."""
    widget = AnnotationList()
    async with run_stage(widget) as (stage, pilot):
        widget.show([_A])
        widget.show([])
        await pilot.pause()
        assert stage.text() == f"   {AnnotationListText.NOTHING.text()}"


async def test_a_click_gives_the_annotation() -> None:
    """A click on a note counts for its annotation."""
    widget = AnnotationList()
    async with run_stage(widget, size=(50, 6)) as (stage, pilot):
        widget.show([_A, _B, _C])
        await pilot.pause()
        for row in (1, 2, 5):
            await pilot.click(widget, offset=(20, row))
        assert [message.index for message in stage.of(AnnotationList.Picked)] == [0, 1]


async def test_a_narrow_list_keeps_letters_and_reasons() -> None:
    """At 24 cells the claim is cut first."""
    widget = AnnotationList()
    async with run_stage(widget, size=(28, 6)) as (stage, pilot):
        widget.show([_C, replace(_A, labels="Unwanted.Intrinsic.Entity")])
        await pilot.pause()
        assert stage.lines()[0].startswith(" C Extrin… ")
        assert "! needs evidence" in stage.lines()[0]


async def test_hostile_notes_are_harmless() -> None:
    """Labels, claims and notes may hold anything."""
    widget = AnnotationList()
    async with run_stage(widget, size=(140, 10)) as (stage, pilot):
        widget.show([replace(_A, letter=HOSTILE, labels=HOSTILE, claim=HOSTILE, note=HOSTILE)])
        await pilot.pause()
        assert "␛]52;c;aGk=␇" in stage.text()
        widget.show([replace(_A, draft_reason=HOSTILE, note="")])
        await pilot.pause()
        assert "! ␛]52;c;aGk=␇" in stage.text()
