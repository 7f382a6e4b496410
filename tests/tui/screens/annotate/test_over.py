"""The annotating screen beyond its keys: the mouse, several documents, dialogs, time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from textual.widget import Widget

from tests.tui.screens.annotate_app import SOURCE, SUMMARY, Person, Words, make_workspace, open_app
from tui_annotate.domain.samples import Document, Request, Sample, Side
from tui_annotate.editor.key_map import HelpGroup
from tui_annotate.editor.key_state import KeyState
from tui_annotate.tui.dialogs.help import HelpDialog
from tui_annotate.tui.screens.sample.panes import find_hits
from tui_annotate.tui.screens.sample.signals import SignalMessage
from tui_annotate.tui.widgets.annotation_list import AnnotationList
from tui_annotate.tui.widgets.document_pane import DocumentPane
from tui_annotate.tui.widgets.label_bar import LabelBar
from tui_annotate.tui.widgets.match_list import MatchList

WIDE = (140, 40)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace."""
    return make_workspace(tmp_path / "work")


async def click(person: Person, target: Widget | type[Widget], at: tuple[int, int]) -> None:
    """A click at a place of a widget."""
    await person.pilot.click(target, offset=at)
    await person.settled()


def point(person: Person, side: Side, words: str) -> tuple[int, int]:
    """Where the words begin on screen, in cells of their pane."""
    pane = person.screen.pane(side)
    rows = [
        "".join(segment.text for segment in pane.render_line(y)) for y in range(pane.size.height)
    ]
    y = next(y for y, row in enumerate(rows) if words in row)
    return rows[y].index(words), y


async def test_clicks_on_the_texts_do_what_keys_do(folder: Path) -> None:
    """One moves the cursor, or takes a lit sentence; two select a word for the next digit."""
    async with open_app(folder, size=WIDE) as person:
        summary, source = person.screen.pane(Side.SUMMARY), person.screen.pane(Side.SOURCE)
        await click(person, source, point(person, Side.SOURCE, "hurt"))
        assert person.draft.state == KeyState.SOURCE
        assert person.draft.matches[Side.SUMMARY][0].segment == 2
        await click(person, summary, point(person, Side.SUMMARY, "cost"))
        assert person.draft.state.name == "READING"
        assert person.draft.segment(Side.SUMMARY) == 1
        await click(person, source, point(person, Side.SOURCE, "12 million"))
        assert len(person.draft.evidence) == 1
        assert person.draft.state.name == "READING"
        person.screen.on_document_pane_match_clicked(DocumentPane.MatchClicked(summary, 1))
        assert len(person.draft.evidence) == 1
        await person.pilot.click(summary, offset=point(person, Side.SUMMARY, "loved"), times=2)
        await person.settled()
        assert '"loved"' in person.line()
        await click(person, LabelBar, (2, 0))
        (known,) = person.annotations
        assert known.labels[0][-1] == "Intrinsic"
        assert known.claim[0].span.of(SUMMARY) == "loved"


async def test_lists_are_clicked_into_focus(folder: Path) -> None:
    """A match comes into focus without being taken; an annotation as by a."""
    async with open_app(folder, size=WIDE) as person:
        await person.press("1 down down down")
        await click(person, MatchList, (4, 1))
        assert person.draft.focused_ranks[Side.SOURCE] == 2
        assert person.draft.evidence == []
        await click(person, AnnotationList, (4, 0))
        assert person.draft.focused == person.annotations[0].id
        await person.press("e")
        await click(person, AnnotationList, (4, 0))
        assert person.draft.state is KeyState.EDITING


async def test_the_mouse_waits_while_a_note_is_open(folder: Path) -> None:
    """A click outside the note line changes nothing of the draft."""
    async with open_app(folder, size=WIDE) as person:
        await person.press("m")
        before = person.draft.pointers[Side.SUMMARY]
        at = point(person, Side.SUMMARY, "cost")
        await click(person, person.screen.pane(Side.SUMMARY), at)
        assert person.draft.pointers[Side.SUMMARY] == before
        assert person.draft.state is KeyState.NOTE


def many() -> list[Sample]:
    """A sample with three source documents and a request, and one without a source."""
    documents = (
        Document(Side.SOURCE, "A first text. It says little.", key="one"),
        Document(Side.SOURCE, SOURCE, key="two", title="The film"),
        Document(Side.SOURCE, "A last text. It rained there too.", key="three"),
        Document(Side.SUMMARY, SUMMARY),
    )
    request = Request(title="Films", question="What did it cost?")
    return [
        Sample("many", "a", documents, request=request),
        Sample("many", "b", (Document(Side.SUMMARY, "Nothing stands behind this."),)),
    ]


async def test_a_match_in_another_document_brings_it_on_screen(tmp_path: Path) -> None:
    """The best match, n, and evidence reach over documents; d and D walk them."""
    async with open_app(make_workspace(tmp_path / "work", samples=many()), size=WIDE) as person:
        await person.press("down")
        match = person.draft.matches[Side.SOURCE][0]
        assert match.document == 1
        assert " 2/3 The film" in person.shown()
        await person.press("space 1")
        assert person.annotations[0].evidence[0].index == 1
        await person.press("d")
        assert person.draft.pointers[Side.SOURCE].document == 2
        await person.press("D D")
        assert person.draft.pointers[Side.SOURCE].document == 0
        assert " 1/3 one" in person.shown()
        await person.press("a")
        assert person.draft.pointers[Side.SOURCE].document == 1
        await person.press("home down tab")
        here = person.draft.segment(Side.SOURCE)
        await person.press("down")
        assert person.draft.segment(Side.SOURCE) == here + 1
        await person.press("d D")  # away and back: the same sentence
        assert person.draft.pointers[Side.SOURCE].document == 1
        assert person.draft.segment(Side.SOURCE) == here + 1


async def test_a_sample_without_a_source_can_be_annotated(tmp_path: Path) -> None:
    """There is nothing to light up, and that is said where it is asked for."""
    async with open_app(make_workspace(tmp_path / "work", samples=many()), sample="b") as person:
        await person.press("tab")
        assert person.draft.side is Side.SUMMARY
        assert person.said()
        await person.press("1")
        assert len(person.annotations) == 1


async def test_request_and_guidelines_are_two_pages(tmp_path: Path) -> None:
    """G shows what was asked; Tab turns to the guidelines."""
    folder = make_workspace(tmp_path / "work", samples=many())
    (folder / "guidelines.md").write_text("Mark only what you are sure of.\n", "utf-8")
    async with open_app(folder) as person:
        await person.press("g")
        assert "What did it cost?" in person.shown()
        await person.press("tab")
        assert "Mark only what you are sure of." in person.shown()
        await person.press("q greater_than_sign g")
        assert "Mark only" in person.shown()


async def test_help_tells_the_keys_of_the_state(folder: Path) -> None:
    """In the source, Space means the sentence there."""
    async with open_app(folder, size=(120, 50)) as person:
        await person.press("tab question_mark")
        dialog, keys = person.app.screen, person.screen.key_map
        assert isinstance(dialog, HelpDialog)
        assert keys is not None
        assert dialog.heading in person.shown()
        here, there = (
            _space(keys.help(state, person.screen.found_needs))
            for state in (KeyState.SOURCE, KeyState.READING)
        )
        assert here != there
        assert here[:15] in person.shown()


def _space(groups: Sequence[HelpGroup]) -> str:
    """What the help says of Space."""
    return next(report for group in groups for keys, report in group.rows if keys == "Space")


async def test_closing_a_search_takes_its_hits_away(folder: Path) -> None:
    """Hits show while one types, and go with Esc."""
    async with open_app(folder) as person:
        await person.press("slash w a s")
        assert "2 found" in person.shown()
        assert len(person.draft.search.hits) == 2
        await person.press("escape")
        assert not person.draft.search.hits


def test_hits_keep_offsets_whatever_the_case() -> None:
    """A letter that grows in lower case shifts nothing; special signs are plain."""
    assert [hit.start for hit in find_hits("İstanbul (a) ISTANBUL", "(a)")] == [9]
    assert [str(hit) for hit in find_hits("İx X", "x")] == ["1:2", "3:4"]
    assert find_hits("text", "") == ()


async def test_a_half_written_note_is_kept_in_the_store(folder: Path) -> None:
    """What was typed is there after the app was killed; further keys do not put it off."""
    async with open_app(folder) as person:
        await person.press("m h a l")
        timer = person.screen.notes.timer
        assert timer is not None
        await person.press("f")
        assert person.screen.notes.timer is timer
        person.screen.notes.keep_unfinished()
        await person.settled()
        session = person.screen.session
        assert session is not None
        assert person.screen.open_sample is not None
        key = person.screen.open_sample.sample.key
        place = session.annotate.open(session.person.id, key, order="ingested").place
        assert place["kept"] == [["sample", "", "half"]]


async def test_an_app_that_was_killed_begins_at_the_sample_that_was_on_screen(folder: Path) -> None:
    """Where one went is kept on arrival, not only on leaving."""
    async with open_app(folder) as person:
        first = person.screen.open_sample
        await person.press(">")
        session, open_sample = person.screen.session, person.screen.open_sample
        assert first is not None
        assert session is not None
        assert open_sample is not None
        assert open_sample.sample.key != first.sample.key
        assert session.annotate.start(session.person.id, order="ingested") == open_sample.sample.key


async def test_a_terminal_that_changes_its_size_keeps_everything(folder: Path) -> None:
    """Narrow, wide, narrow: draft, cursor and evidence stay."""
    async with open_app(folder) as person:
        await person.press("down space")
        before = person.line()
        for size in ((140, 40), (100, 24), (80, 24)):
            await person.pilot.resize_terminal(*size)
            await person.settled()
            assert person.line() == before
            assert bool(person.screen.query_one(MatchList).region) == (size == (140, 40))


async def test_without_vectors_the_assist_works_and_says_so(folder: Path) -> None:
    """The reason stands over the source where matches are not listed."""
    async with open_app(folder) as person:
        assert ": this is a test" in person.shown()
        assert SignalMessage.LOADING_VECTORS.text() not in person.shown()


async def test_a_former_note_is_taken_in_few_keys(folder: Path) -> None:
    """R, Enter, r: note and label of what was said of the like in another sample."""
    async with open_app(folder, sample="b") as person:
        await person.press("down 3 m")
        await person.pilot.press(*"nobody")
        await person.press("enter less_than_sign down down")
        assert "Nobody was hurt" in person.draft.claim[0].span.of(SUMMARY)
        await person.press("R")
        assert "✎ nobody" in person.shown()
        await person.press("enter")
        assert person.draft.note == "nobody"
        assert "Benign" in person.line()
        assert " r " in person.line()
        await person.press("r")
        (saved,) = person.annotations
        assert (saved.note, saved.labels) == ("nobody", (("Benign",),))
        await person.press("R")
        assert "b " in next(row for row in person.shown().splitlines() if "Nobody came" in row)


class Broken(Words):
    """An assist that fails in a way that nobody expected."""

    def prepare(self, *_: object, **__: object) -> None:  # type: ignore[override]
        """Fails."""
        raise ZeroDivisionError


async def test_a_broken_assist_is_told_and_annotating_goes_on(folder: Path) -> None:
    """Nothing is lit, the reason is there, digits save."""
    async with open_app(folder, assist=Broken()) as person:
        assert "ZeroDivisionError" in person.shown()
        await person.press("1")
        assert len(person.annotations) == 1


async def test_time_is_sent_before_the_store_would_cut_it(folder: Path) -> None:
    """Three minutes of reading without an action are three minutes of work."""
    async with open_app(folder) as person:
        now = [0.0]
        person.screen.saves.stopwatch.clock = lambda: now[0]
        person.screen.saves.stopwatch.take()
        for _ in range(9):
            now[0] += 20
            await person.press("down")
        await person.press("greater_than_sign less_than_sign")
        assert person.screen.open_sample is not None
        assert person.screen.open_sample.assignment.seconds == pytest.approx(180, abs=1)
