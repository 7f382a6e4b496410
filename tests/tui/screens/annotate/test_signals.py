"""Which signals light up: chosen by a key, and told in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tui.screens.annotate_app import (
    SOURCE,
    SUMMARY,
    Person,
    VectorAssist,
    make_workspace,
    open_app,
    sentences,
)
from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.errors import VectorsPending
from tui_annotate.domain.samples import Document, Sample, Side, Signals
from tui_annotate.domain.spans import Span
from tui_annotate.editor.messages import MessageCode, StatusMessage
from tui_annotate.services.assist.sample import SampleAssist
from tui_annotate.tui.screens.sample import panes, signals

WIDE = (140, 40)
BOTH = VectorAssist(*Side)
CHOICES = [signals.describe_choice(by) for by in (Signals.WORDS, Signals.VECTORS)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace of three samples."""
    return make_workspace(tmp_path / "work")


def lit(person: Person) -> list[str]:
    """The lit sentences of the source, best first."""
    text = person.draft.text(Side.SOURCE)
    return [match.span.of(text).strip() for match in person.draft.matches[Side.SOURCE]]


def focused(person: Person) -> str:
    """The sentence that is lit and in focus."""
    match = person.draft.focused_match
    return match.span.of(person.draft.text(Side.SOURCE)) if match else ""


async def test_a_key_switches_what_ranks(folder: Path) -> None:
    """All, words, vectors, all again; the title over the matches says so, and other samples too."""
    async with open_app(folder, size=WIDE, assist=BOTH) as person:
        assert "Critics hated it from the first day." in lit(person)
        assert signals.SignalMessage.CHOSEN_BOTH.value in person.shown()
        assert not any(choice.upper() in person.shown() for choice in CHOICES)
        await person.press("t")
        assert person.said().code is MessageCode.MATCHES_BY_WORDS
        assert "Critics hated it from the first day." not in lit(person)
        assert signals.describe_choice(Signals.WORDS).upper() in person.shown()
        await person.press("t")
        assert lit(person) == ["Critics hated it from the first day."]
        assert person.screen.panes.signals.text in person.shown()
        await person.press("greater_than_sign")
        assert signals.describe_choice(Signals.VECTORS).upper() in person.shown()
        assert lit(person) == [
            "The film opened in the spring.", "It rained during the shooting."
        ]  # fmt: skip
        await person.press("t")
        assert not any(choice.upper() in person.shown() for choice in CHOICES)
    async with open_app(folder, assist=BOTH) as person:
        # Where matches are not listed, the header and the title of the source tell it.
        assert person.screen.panes.by is Signals.FUSED
        assert signals.SignalMessage.CHOSEN_BOTH.value in person.shown()
        assert not any(choice in person.shown().splitlines()[0] for choice in CHOICES)
        await person.press("t t")
        assert signals.describe_choice(Signals.VECTORS) in person.shown().splitlines()[0]
        assert person.screen.panes.signals.text == signals.SignalMessage.CHOSEN_VECTORS.value
        assert person.screen.panes.signals.text in person.shown()
        await person.press("z")
        assert person.draft.tree.source_title.upper() not in person.shown()
        assert signals.describe_choice(Signals.VECTORS) in person.shown().splitlines()[0]


async def test_vectors_that_are_missing_light_up_nothing(folder: Path) -> None:
    """By vectors alone there is nothing, with the reason; by words there is what there was."""
    async with open_app(folder) as person:
        before = lit(person)
        await person.press("t")
        assert lit(person) == before
        await person.press("t")
        assert lit(person) == []
        assert person.said().code is MessageCode.NO_VECTORS
        assert person.said().kind == "warning"
        assert ": this is a test" in person.line()
        assert ": this is a test" in person.shown()


class LateVectors(VectorAssist):
    """An assist whose vectors are computed while the sample is on screen."""

    def __init__(self, *percents: int) -> None:
        super().__init__(*Side)
        self.percents = list(percents)

    def prepare(
        self, sample: Sample, segments: Any, *, vectors: bool, words: SampleAssist | None = None
    ) -> SampleAssist:
        """Raises VectorsPending for each share."""
        if vectors and self.percents:
            raise VectorsPending(self.percents.pop(0), "")
        return super().prepare(sample, segments, vectors=vectors, words=words)


async def test_the_share_of_texts_with_vectors_is_shown(folder: Path) -> None:
    """While vectors are computed, matches are lexical and their title shows the progress."""
    async with open_app(folder, size=WIDE, assist=LateVectors(40)) as person:
        assert "words only: 40 % of vectors so far" in person.shown()
        assert lit(person)
        await person.press("t t")
        assert "no vectors: 40 % of vectors so far" in person.shown()


async def test_vectors_are_used_when_they_are_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The open sample gets its vectors without a key press, as soon as they are computed."""
    monkeypatch.setattr(panes, "VECTORS_INTERVAL", 0.001)
    late = LateVectors(0, 40, 40, 80)
    async with open_app(folder, size=WIDE, assist=late) as person:
        while person.screen.panes.signals.text != signals.SignalMessage.CHOSEN_BOTH.value:
            await person.pilot.pause(0.001)
        assert not late.percents
        assert "Critics hated it from the first day." in lit(person)


async def test_the_focused_match_stays_in_focus(folder: Path) -> None:
    """Where the other signals light it up as well, at whatever rank; else the best comes."""
    async with open_app(folder, sample="b", assist=BOTH) as person:
        await person.press("t t")
        if "opened" not in focused(person):
            await person.press("n")
        assert "opened" in focused(person)
        await person.press("t")
        assert "opened" in focused(person)
        assert person.draft.focused_ranks[Side.SOURCE] == 2
        await person.press("t")
        assert "rained" in focused(person)


PAIR = Sample("films", "a", (Document(Side.SOURCE, SOURCE), Document(Side.SUMMARY, SUMMARY)))


def anchor(side: Side) -> Anchor:
    """Words of a side that the embedder knows."""
    start = PAIR.document(side).text.index("hated" if side is Side.SOURCE else "loved")
    return Anchor(side, 0, Span(start, start + 5))


@pytest.mark.parametrize(
    ("known", "side", "by", "words"),
    [
        (Side, Side.SUMMARY, Signals.FUSED, signals.SignalMessage.CHOSEN_BOTH.value),
        (Side, Side.SUMMARY, Signals.VECTORS, signals.SignalMessage.CHOSEN_VECTORS.value),
        (Side, Side.SUMMARY, Signals.WORDS, "words only"),
        (
            [Side.SUMMARY],
            Side.SUMMARY,
            Signals.FUSED,
            "words only: words unknown to the model",
        ),
        (
            [Side.SUMMARY],
            Side.SUMMARY,
            Signals.VECTORS,
            "no vectors: words unknown to the model",
        ),
        ([Side.SUMMARY], Side.SOURCE, Signals.FUSED, signals.SignalMessage.CHOSEN_BOTH.value),
        ([], Side.SUMMARY, Signals.FUSED, "words only: why"),
        ([], Side.SUMMARY, Signals.VECTORS, "no vectors: why"),
    ],
)
def test_what_ranks_is_told_for_the_side_that_is_asked(
    known: list[Side], side: Side, by: Signals, words: str
) -> None:
    """The model by its label; where it knows a side too little, that, and what is left."""
    cut = [sentences(document.text) for document in PAIR.documents]
    made = VectorAssist(*known).prepare(PAIR, cut, vectors=bool(known))
    state = made.signals if known else "words only: why"
    status = signals.SignalsStatus(words, limited=": " in words)
    assert signals.describe_signals(made, state, by=by, side=side) == status
    if by is Signals.VECTORS:
        assert signals.uses_vectors(made, side) == bool(made.match(anchor(side), by=by))


def test_before_there_is_an_assist_its_state_is_told() -> None:
    """Whatever was chosen."""
    for by in Signals:
        status = signals.describe_signals(None, "no assist: why", by=by, side=Side.SUMMARY)
        assert status == signals.SignalsStatus("no assist: why", limited=True)
    assert signals.describe_signals(None, "", by=by, side=Side.SUMMARY) == signals.SignalsStatus()


def test_that_vectors_are_missing_is_told_in_eighty_columns() -> None:
    """With the reason and the way on, beside the mark of a warning."""
    words = "no vectors: words unknown to all-MiniLM-L6-v2"
    report, kind = signals.describe_change(
        Signals.VECTORS, signals.SignalsStatus(words, limited=True)
    )
    assert isinstance(report, StatusMessage)
    assert (report.code, kind) == (MessageCode.NO_VECTORS, "warning")
    assert words in report.text
    assert " press t " in report.text
    assert len(report.text) <= 77


def test_no_matches_are_not_claimed_before_the_search_is_prepared() -> None:
    """Until then the title names the search, and the list has no line "no match"."""
    state = signals.SignalMessage.SEARCHING.text()
    found = signals.describe_signals(None, state, by=Signals.FUSED, side=Side.SUMMARY)
    assert (found.text, found.searching) == (state, True)
    assert not signals.describe_signals(None, "", by=Signals.FUSED, side=Side.SUMMARY).searching
