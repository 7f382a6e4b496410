"""Practice and the second reading on the screen."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tui.screens.annotate_app import LOOK, Person, make_workspace, open_app
from tui_annotate import workspace
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignment_plan import AssignmentOptions, AssignmentOrder
from tui_annotate.domain.assignment_rules import Gold, Pool, Practice
from tui_annotate.domain.people import PersonKind
from tui_annotate.domain.samples import Document, Sample, SampleKey, Segment, Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor.messages import MessageCode
from tui_annotate.storage.corpus.store import NewSample
from tui_annotate.tui.app import AnnotateApp
from tui_annotate.tui.dialogs.feedback import FeedbackDialog
from tui_annotate.tui.dialogs.question import QuestionDialog
from tui_annotate.tui.screens.annotate.screen import AnnotateScreen
from tui_annotate.tui.screens.sample import rows
from tui_annotate.tui.screens.sample.feature import Feature, FinishedSample


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace."""
    return make_workspace(tmp_path / "work")


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
        space.team.assignments.practice("training", ["ana"], gold="kim")


async def test_practice_comes_first_and_tells_what_is_right(folder: Path) -> None:
    """A hit beside the right one, then a sample without anything; then real work begins."""
    practice(folder)
    async with open_app(folder, sample="") as person:
        open_sample = person.screen.open_sample
        assert open_sample is not None
        assert (open_sample.sample.dataset, open_sample.position, open_sample.total) == (
            "training",
            1,
            2,
        )
        assert rows.describe_reading(None, practice=True) in person.shown()
        await person.words("cost", "million")
        await person.press("3 enter")
        dialog = person.app.screen
        assert isinstance(dialog, FeedbackDialog)
        feedback, report = dialog._feedback, person.shown()
        assert (len(feedback.hits), feedback.missed, feedback.extra) == (1, (), ())
        assert '"15 million pounds" Benign · it was 12' in report
        assert (feedback.rated, feedback.rating) == ("", "bad")
        assert feedback.rating in report
        await person.press("enter")
        await person.press("enter")
        dialog = person.app.screen
        assert isinstance(dialog, FeedbackDialog)
        feedback = dialog._feedback
        assert (feedback.hits, feedback.missed, feedback.extra) == ((), (), ())
        assert dialog.lines(80)[0][0][0] in person.shown()
        await person.press("enter")
        open_sample = person.screen.open_sample
        assert open_sample is not None
        assert (open_sample.sample.key, open_sample.position, open_sample.total) == (
            SampleKey("films", "a"),
            3,
            5,
        )
        assert rows.describe_reading(None, practice=True) not in person.shown()


async def test_practice_that_is_not_passed_begins_again(folder: Path) -> None:
    """After the last dialog, with the score and what is needed; then real work begins."""
    practice(folder)
    with workspace.open(folder) as space:
        criteria = Practice(pass_score=60)
        space.team.assignments.practice("training", ["ana"], gold="kim", criteria=criteria)
    async with open_app(folder, sample="") as person:
        for code, passed in (
            (MessageCode.PRACTICE_AGAIN, False),
            (MessageCode.PRACTICE_PASSED, True),
        ):
            if passed:
                await person.words("cost", "million")
                await person.press("3")
            await person.press("enter")
            await person.press("enter")
            await person.press("enter")
            assert isinstance(person.app.screen, FeedbackDialog)
            await person.press("enter")
            assert person.said().code is code
            open_sample = person.screen.open_sample
            assert open_sample is not None
            assert open_sample.practice is not passed
            assert not open_sample.annotations


async def test_what_is_missed_and_what_is_extra_is_told(folder: Path) -> None:
    """And a skipped sample tells nothing."""
    practice(folder)
    async with open_app(folder, sample="") as person:
        await person.words("loved")
        await person.press("1 enter")
        report = person.shown()
        assert re.search(r'✗ \w+ "15 million pounds"', report)
        assert re.search(r'\+ \w+ "loved" Intrinsic', report)
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
        space.team.assignments.give(
            "films", ["ana"], AssignmentOptions(order=AssignmentOrder.INGESTED)
        )
        everything = space.corpus.keys()
        for key in everything:
            if key.id not in names:
                space.annotate.finish(ana.id, key, seconds=0)
        space.team.assignments.repeat(
            "films", ["ana"], AssignmentOptions("2", order=AssignmentOrder.RANDOM)
        )


async def test_the_second_reading_is_offered_when_all_is_done(folder: Path) -> None:
    """Enter begins it; nothing of the first is seen, undo works within it; a word leads back."""
    second(folder, "a")
    async with open_app(folder) as person:
        first = person.screen.session
        await person.words("loved")
        await person.press("1")
        await person.press("enter")
        assert isinstance(person.app.screen, QuestionDialog)
        assert person.app.screen._text.startswith("2 ")
        assert person.app.screen._text in person.shown()
        await person.press("enter")
        assert kind(person) is PersonKind.AGAIN
        assert person.screen.session is not None
        report = rows.describe_reading(person.screen.session.person, practice=False)
        assert report
        assert report in person.shown()
        assert len(person.draft.annotations) == 0
        assert person.screen.open_sample is not None
        assert person.screen.open_sample.total == 2
        await person.press("L")
        assert person.said().code is MessageCode.NO_LESSON_IN_SECOND_READING
        await begin_and_undo(person)
        person.screen.do("reading.other")
        await person.settled()
        assert person.screen.session == first
        assert person.said().code is MessageCode.FIRST_READING_AGAIN


async def begin_and_undo(person: Person) -> None:
    """Marks something, finishes, and takes both back."""
    assert person.screen.open_sample is not None
    key = person.screen.open_sample.sample.key
    await person.press(". 1")
    assert len(person.annotations) == 1
    await person.press("enter u")
    assert person.screen.open_sample.sample.key == key
    await person.press("u")
    assert len(person.draft.annotations) == 0
    await person.press("u")
    assert person.said().code is MessageCode.NOTHING_TO_UNDO


async def test_it_is_offered_again_when_one_comes_back(folder: Path) -> None:
    """And refused by q; the palette has it as well."""
    second(folder)
    async with open_app(folder) as person:
        assert isinstance(person.app.screen, QuestionDialog)
        await person.press("q")
        assert kind(person) is PersonKind.LOCAL
        person.screen.do("reading.other")
        await person.settled()
        assert kind(person) is PersonKind.AGAIN


async def test_without_anything_to_read_again_that_is_told(folder: Path) -> None:
    """One stays where one is."""
    async with open_app(folder) as person:
        person.screen.do("reading.other")
        await person.settled()
        assert person.said().code is MessageCode.NO_SECOND_READING
        assert kind(person) is PersonKind.LOCAL


async def test_nothing_handed_out_is_told(folder: Path) -> None:
    """All is ben's: ana is told how samples come, and q leaves."""
    with workspace.open(folder) as space:
        space.team.assignments.give("films", ["ben"], AssignmentOptions())
    from tests.tui.screens.annotate_app import LOOK
    from tui_annotate.tui.app import AnnotateApp

    app = AnnotateApp(lambda: workspace.open(folder), person="ana", look=LOOK)
    async with app.run_test() as pilot:
        while app.sample_screen.saver.waiting:
            await pilot.pause(0.001)
        await pilot.pause()
        strips = app.screen._compositor.render_strips()
        text = "".join(segment.text for strip in strips for segment in strip)
        assert app.sample_screen.open_sample is None
        assert AnnotateScreen.no_sample.text().partition(":")[0] in text
        await pilot.press("q")
        await pilot.pause()
    assert app.return_code == 0


async def test_paused_work_says_so_and_whom_to_ask(folder: Path) -> None:
    """After the sample that ends a block, and at the next start; the finished sample is kept."""
    names = [f"c{at}" for at in range(12)]
    with workspace.open(folder) as space:
        batch = [
            NewSample(
                Sample(
                    "checks",
                    name,
                    (Document(Side.SOURCE, "It cost 12."), Document(Side.SUMMARY, f"{name} rose.")),
                ),
                ((Segment(0, 11),), (Segment(0, len(name) + 6),)),
            )
            for name in names
        ]
        space.corpus.add(batch, segmenter="test")
        kim, ana = space.person("kim").id, space.person("ana").id
        for name in names[::3]:
            right = Annotation(
                f"k{name}", (Anchor(Side.SUMMARY, 0, Span(0, 2)),), (), (("Benign",),)
            )
            space.annotate.add(kim, SampleKey("checks", name), right, seconds=0)
            space.annotate.finish(kim, SampleKey("checks", name), seconds=0)
        space.team.assignments.pool("checks", Pool(1, "random:1"))
        space.team.assignments.gold("checks", Gold((), every=2, pause=True), answers="kim")
        for _ in range(5):
            key = space.annotate.next_unfinished(ana, None)
            assert key is not None
            space.annotate.finish(ana, key, seconds=0)
    async with open_app(folder, sample="") as person:
        open_sample = person.screen.open_sample
        assert open_sample is not None
        await person.press("enter")
        assert "your work is paused" in person.shown()
        assert "ask an admin" in person.shown()
        with workspace.open(folder) as space:
            state = space.log.stream(ana, open_sample.sample.key).assignment.state
            assert state.finished
    app = AnnotateApp(lambda: workspace.open(folder), person="ana", sample="", look=LOOK)
    async with app.run_test() as pilot:
        person = Person(app, pilot)
        for _ in range(5000):
            if "your work is paused" in person.shown():
                break
            await pilot.pause(0.001)
        assert "your work is paused" in person.shown()
        assert app.sample_screen.open_sample is None


class SampleCounter(Feature):
    """A feature that counts finished samples, and shows no dialog."""

    count = 0

    def finished(self, result: FinishedSample, go_on: Callable[[], None]) -> bool:
        self.count += 1
        return super().finished(result, go_on)


async def test_a_sample_without_feedback_is_finished_for_all_features(folder: Path) -> None:
    """Only a feature that shows a dialog keeps a finished sample from the features behind it."""
    async with open_app(folder, sample="") as person:
        counter = SampleCounter(person.screen.features[0].host)
        person.screen.features = (*person.screen.features, counter)
        before = person.screen.open_sample
        await person.press("enter")
        await person.settled()
        assert counter.count == 1
        assert person.screen.open_sample is not before


async def test_first_readings_are_hidden_until_the_second_ones_are_complete(folder: Path) -> None:
    """The queue leaves them out; where all are hidden, the next start continues the second ones."""
    second(folder)
    with workspace.open(folder) as space:
        space.team.assignments.repeat("films", ["ana"], AssignmentOptions("1"))
    async with open_app(folder, sample="") as person:
        await person.press("q")
        person.screen.do("reading.other")
        await person.settled()
        assert kind(person) is PersonKind.AGAIN
        person.screen.do("reading.other")
        await person.settled()
        assert kind(person) is PersonKind.AGAIN
        assert person.said().code is MessageCode.FIRST_READING_HIDDEN
    async with open_app(folder, sample="") as person:
        assert kind(person) is PersonKind.AGAIN
        for _ in range(3):
            await person.press("enter")
        person.screen.do("reading.other")
        await person.settled()
        assert kind(person) is PersonKind.LOCAL
