"""What the texts share, what one lacks, what may contradict: found behind the keys, then shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.worker import Worker

from tests.tui.screens.annotate_app import (
    CHINESE,
    SOURCE,
    SUMMARY,
    Person,
    make_workspace,
    open_app,
)
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.editor.contrast import NOTHING
from tui_annotate.editor.messages import MessageCode
from tui_annotate.tui.screens.annotate.screen import AnnotateScreen
from tui_annotate.tui.screens.sample import signals

WIDE = (140, 40)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace of three samples."""
    return make_workspace(tmp_path / "work")


def marked(person: Person, layer: str, side: Side) -> list[str]:
    """The words of a layer on a side."""
    text = person.draft.text(side)
    return [span.of(text) for span, _ in getattr(person.screen.pane(side).scene, layer)]


async def test_the_focused_match_tells_what_it_shares_and_contradicts(folder: Path) -> None:
    """Shared words in the match, the numbers that differ on both sides, and in words above it.

    Marks go with the focus, also to the other side; where nothing is shared there are none.
    """
    async with open_app(folder) as person:
        await person.words("15", "pounds")
        assert "million pounds" in " ".join(marked(person, "shared", Side.SOURCE))
        assert any("12" in words for words in marked(person, "conflicts", Side.SOURCE))
        assert any("15" in words for words in marked(person, "conflicts", Side.SUMMARY))
        shown = person.shown()
        assert "15 million pounds ≠ 12 million pounds" in shown
        assert "≠Its budget" in shown or "≠budget" in shown
        await person.words("director", "town")
        first = marked(person, "shared", Side.SOURCE)
        await person.press("n")
        assert sorted([*first, *marked(person, "shared", Side.SOURCE)]) == ["director", "town"]
        await person.words("families")
        assert marked(person, "shared", Side.SOURCE) == []
        assert person.screen.comparison.contrast == NOTHING
        await person.press("escape home tab")
        await person.words("12", "pounds")
        assert "million pounds" in " ".join(marked(person, "shared", Side.SUMMARY))
        assert any("15" in words for words in marked(person, "conflicts", Side.SUMMARY))
        assert marked(person, "shared", Side.SOURCE) == []


async def test_no_thread_is_described_by_a_text(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What works behind the keys has a name; to write out what it works on would take long."""
    started: list[str] = []
    begin = AnnotateScreen.run_worker

    def run_worker(self: AnnotateScreen, *work: Any, **how: Any) -> Worker[Any]:
        worker: Worker[Any] = begin(self, *work, **how)
        started.append(worker.description)
        return worker

    monkeypatch.setattr(AnnotateScreen, "run_worker", run_worker)
    async with open_app(folder) as person:
        await person.words("15", "pounds")
        await person.press("i")
    assert {"assist", "contrast", "marks"} <= set(started)
    assert not any("film" in description for description in started)


async def test_a_key_marks_what_the_source_has_nowhere_and_others_walk_it(folder: Path) -> None:
    """Before anything is selected; the same key takes the marks off; the cursor stays.

    One key goes to the next mark from the cursor, one back, round and round, from either side.
    """
    async with open_app(folder) as person:
        before = person.draft.pointers
        await person.press("c")
        assert person.draft.pointers == before
        assert person.said()
        await person.press("i")
        words = marked(person, "lacking", Side.SUMMARY)
        assert {"15", "loved", "families"} <= set(" ".join(words).split())
        assert not {"film", "Nobody", "director"} & set(" ".join(words).split())
        assert marked(person, "lacking", Side.SOURCE) == []
        assert person.said().code is MessageCode.LACKING_MARKED
        assert person.said().fields["count"] == len(words)
        assert person.shown().splitlines()[2].startswith("?")
        assert person.draft.pointers == before
        spans = person.draft.missing_words
        await person.press("c")
        assert person.draft.pointer.offset == spans[0].start
        await person.press("C")
        assert person.draft.pointer.offset == spans[-1].start
        assert person.line().count(str(len(spans))) == 2
        await person.press("tab c")
        assert person.draft.side is Side.SUMMARY
        assert person.draft.pointer.offset == spans[0].start
        await person.press("i")
        assert marked(person, "lacking", Side.SUMMARY) == []


async def test_the_layer_goes_along_to_other_samples(folder: Path) -> None:
    """It stays on until it is taken off, in Chinese too, and is off when the app starts anew."""
    async with open_app(folder) as person:
        await person.press("i greater_than_sign")
        assert marked(person, "lacking", Side.SUMMARY) == []
        await person.press("greater_than_sign")
        assert person.draft.sample.id == "c"
        assert "五百" in "".join(span.of(CHINESE) for span in person.draft.missing_words)
        await person.press("less_than_sign less_than_sign")
        assert "loved" in " ".join(marked(person, "lacking", Side.SUMMARY))
    async with open_app(folder) as person:
        assert person.draft.missing_words == ()


async def test_a_long_sample_is_read_when_it_is_asked_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until then nothing of it is read; conflicts are told all the same."""
    monkeypatch.setattr(signals, "QUICK_CHARACTERS", 10)
    async with open_app(folder) as person:
        await person.words("15", "pounds")
        assert any("12" in words for words in marked(person, "conflicts", Side.SOURCE))
        assert person.screen.comparison._marks == {}
        await person.press("i")
        assert "loved" in " ".join(marked(person, "lacking", Side.SUMMARY))
        assert person.said().fields["count"] == len(person.draft.missing_words)
        assert [list(kept) for kept in person.screen.comparison._marks.values()] == [
            [(Side.SUMMARY, 0)]
        ]


async def test_where_no_word_is_marked_the_line_gives_the_reason(tmp_path: Path) -> None:
    """Without a source everything would be marked; or the source contains all facts."""
    alone = Sample("films", "a", (Document(Side.SUMMARY, SUMMARY),))
    documents = (Document(Side.SOURCE, SOURCE), Document(Side.SUMMARY, "It rained. They stayed."))
    same = Sample("films", "b", documents)
    async with open_app(make_workspace(tmp_path / "work", samples=[alone, same])) as person:
        await person.press("i")
        assert person.draft.missing_words == ()
        assert person.said().code is MessageCode.LACKING_NO_TWO_TEXTS
        await person.press("i greater_than_sign i")
        assert person.draft.sample.id == "b"
        assert person.said().code is MessageCode.LACKING_NONE
