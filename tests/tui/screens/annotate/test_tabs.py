"""The documents that a sentence cites, as tabs behind it."""

from __future__ import annotations

from pathlib import Path

from tests.tui.screens.annotate.test_items import FIRST, SENTENCE, folder, here
from tests.tui.screens.annotate_app import Person, open_app
from tui_annotate.domain.samples import Side
from tui_annotate.tui.text.painter import GUTTER

__all__ = ["folder"]

TABS = "Crabs hide. [doc-a] [doc-b] [lost]"


def in_focus(person: Person) -> str:
    """The tab that stands out."""
    scene = person.screen.pane(Side.SUMMARY).scene
    if scene.focused_tag is None:
        return ""
    offset, part = scene.focused_tag
    return scene.tags[offset][part.start : part.end]


async def test_the_documents_of_a_sentence_follow_it(folder: Path) -> None:
    """All of them at each of its citations, the one on screen marked; they are no text."""
    async with open_app(folder, sample=SENTENCE[0]) as person:
        for size in ((80, 24), (140, 40)):
            await person.pilot.resize_terminal(*size)
            await person.settled()
            for name in ("[doc-a]", "[doc-b]", "[lost]"):
                assert TABS in person.shown(), size
                assert in_focus(person) == name, size
                assert "[" not in person.draft.sample.document(Side.SUMMARY).text
                await person.press("d")


async def test_a_tab_is_clicked(folder: Path) -> None:
    """Its document comes; that of the one on screen changes nothing, nor does what is behind."""
    async with open_app(folder, sample=SENTENCE[0]) as person:
        pane = person.screen.pane(Side.SUMMARY)
        row = pane.row_of(0)
        start = GUTTER + len("Crabs hide.")
        for at, found in (
            (len(" [doc-a] [do"), SENTENCE[1]),
            (len(" [doc-a] [do"), SENTENCE[1]),
            (len(" [doc-a] [doc-b] [l"), SENTENCE[2]),
            (2, SENTENCE[0]),
        ):
            await person.pilot.click(pane, offset=(start + at, row))
            await person.settled()
            assert here(person) == found


async def test_a_sentence_with_one_document_has_no_tabs(folder: Path) -> None:
    """There is nothing to choose from."""
    async with open_app(folder, sample=FIRST) as person:
        assert in_focus(person) == ""
        assert "[doc-a]" not in person.shown()
