"""Practice and the second reading on the screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.screens.work import Person, at_work, make
from tui_annotate import workspace
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.people import PersonKind
from tui_annotate.domain.samples import Document, Sample, SampleKey, Segment, Side
from tui_annotate.domain.sharing import Sorting, Wish
from tui_annotate.domain.spans import Span
from tui_annotate.storage.corpus.store import NewSample
from tui_annotate.tui.dialogs.feedback import FeedbackDialog
from tui_annotate.tui.dialogs.question import QuestionDialog


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace."""
    return make(tmp_path / "work")


def practice(folder: Path) -> None:
    """Two samples for practice; in one of them kim marked the budget."""
    texts = ("It cost 15 million pounds. It was loved.", "It rained. Nobody came.")
    with workspace.open(folder) as space:
        batch = [
            NewSample(
                Sample(
                    "training",
                    f"p{at}",
                    (Document(Side.SOURCE, "It cost 12."), Document(Side.SUMMARY, text)),
                ),
                ((Segment(0, 11),), (Segment(0, len(text)),)),
            )
            for at, text in enumerate(texts)
        ]
        space.corpus.add(batch, segmenter="test")
        kim = space.person("kim")
        right = Annotation(
            "k", (Anchor(Side.SUMMARY, 0, Span(8, 25)),), (), (("Benign",),), "it was 12"
        )
        space.annotate.add(kim.id, SampleKey("training", "p0"), right, seconds=0)
        space.annotate.rate(kim.id, SampleKey("training", "p0"), "bad", seconds=0)
        space.person("ana")
        space.team.share.practice("training", ["ana"], gold="kim")


async def test_practice_comes_first_and_tells_what_is_right(folder: Path) -> None:
    """A hit beside the right one, then a sample without anything; then real work begins."""
    practice(folder)
    async with at_work(folder, sample="") as person:
        desk = person.screen.desk
        assert desk is not None
        assert (desk.sample.dataset, desk.position, desk.total) == ("training", 1, 2)
        assert "practice" in person.shown()
        await person.words("cost", "million")
        await person.press("3 enter")
        assert isinstance(person.app.screen, FeedbackDialog)
        told = person.shown()
        assert "1 found, 0 missed, 0 that nobody expected" in told
        assert '"15 million pounds" Benign · it was 12' in told
        assert "not rated" in told
        assert "right rated bad" in told
        await person.press("enter")
        await person.press("enter")
        assert "nothing to mark here" in person.shown()
        await person.press("enter")
        desk = person.screen.desk
        assert desk is not None
        assert (desk.sample.key, desk.position, desk.total) == (SampleKey("films", "a"), 3, 5)
        assert "practice" not in person.shown()


async def test_what_is_missed_and_what_is_extra_is_told(folder: Path) -> None:
    """And a skipped sample tells nothing."""
    practice(folder)
    async with at_work(folder, sample="") as person:
        await person.words("loved")
        await person.press("1 enter")
        told = person.shown()
        assert '✗ missed "15 million pounds"' in told
        assert '+ extra "loved" Intrinsic' in told
        await person.press("q s")
        assert not isinstance(person.app.screen, FeedbackDialog)


def kind(person: Person) -> PersonKind:
    """Of whoever the screen works for."""
    assert person.screen.session is not None
    return person.screen.session.person.kind


def second(folder: Path, *names: str) -> None:
    """Ana has finished everything but these; two of her samples come again."""
    with workspace.open(folder) as space:
        ana = space.person("ana")
        space.team.share.give("films", ["ana"], Wish(sorting=Sorting.INGESTED))
        everything = space.corpus.keys()
        for key in everything:
            if key.id not in names:
                space.annotate.skip(ana.id, key, seconds=0)
        space.team.share.repeat("films", ["ana"], Wish("2", sorting=Sorting.RANDOM))


async def test_the_second_reading_is_offered_when_all_is_done(folder: Path) -> None:
    """Enter begins it; nothing of the first is seen, undo works within it; a word leads back."""
    second(folder, "a")
    async with at_work(folder) as person:
        first = person.screen.session
        await person.words("loved")
        await person.press("1")
        await person.press("enter")
        assert isinstance(person.app.screen, QuestionDialog)
        assert "2 samples come a second time" in person.shown()
        await person.press("enter")
        assert kind(person) is PersonKind.AGAIN
        assert "2nd reading" in person.shown()
        assert len(person.draft.annotations) == 0
        assert person.screen.desk is not None
        assert person.screen.desk.total == 2
        await person.press("L")
        assert person.line().startswith("the 2nd reading is done without knowing")
        await begin_and_undo(person)
        person.screen.do("reading.other")
        await person.settled()
        assert person.screen.session == first
        assert "2nd reading" not in person.shown()


async def begin_and_undo(person: Person) -> None:
    """Marks something, finishes, and takes both back."""
    assert person.screen.desk is not None
    key = person.screen.desk.sample.key
    await person.press(". 1")
    assert len(person.annotations) == 1
    await person.press("enter u")
    assert person.screen.desk.sample.key == key
    await person.press("u")
    assert len(person.draft.annotations) == 0
    await person.press("u")
    assert person.line().startswith("nothing to undo")


async def test_it_is_offered_again_when_one_comes_back(folder: Path) -> None:
    """And refused by q; the palette has it as well."""
    second(folder)
    async with at_work(folder) as person:
        assert isinstance(person.app.screen, QuestionDialog)
        await person.press("q")
        assert kind(person) is PersonKind.LOCAL
        person.screen.do("reading.other")
        await person.settled()
        assert kind(person) is PersonKind.AGAIN


async def test_without_anything_to_read_again_that_is_told(folder: Path) -> None:
    """One stays where one is."""
    async with at_work(folder) as person:
        person.screen.do("reading.other")
        await person.settled()
        assert "second time" in person.line()
        assert kind(person) is PersonKind.LOCAL


async def test_nothing_handed_out_is_told(folder: Path) -> None:
    """All is ben's: ana is told how samples come, and q leaves."""
    with workspace.open(folder) as space:
        space.team.share.give("films", ["ben"], Wish())
    from tests.tui.screens.work import LOOK
    from tui_annotate.tui.app import AnnotateApp

    app = AnnotateApp(lambda: workspace.open(folder), person="ana", look=LOOK)
    async with app.run_test() as pilot:
        while app.desktop.saver.waiting:
            await pilot.pause(0.001)
        await pilot.pause()
        strips = app.screen._compositor.render_strips()
        text = "".join(segment.text for strip in strips for segment in strip)
        assert "no sample is here for you yet" in text
        await pilot.press("q")
        await pilot.pause()
    assert app.return_code == 0
