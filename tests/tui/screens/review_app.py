"""A workspace with the work of three people, and a reviewer at the keyboard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.helpers.folder_cache import build_once
from tests.tui.screens import annotate_app
from tui_annotate import workspace
from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.people import SETTLED
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.scores import RunKind, Score, ScoreRun
from tui_annotate.domain.spans import Span
from tui_annotate.editor.messages import StatusMessage
from tui_annotate.editor.review.messages import ReviewText
from tui_annotate.editor.review.state import ReviewDraft
from tui_annotate.editor.screen_message import ScreenMessage
from tui_annotate.methods.adjudication import CandidateGroup
from tui_annotate.tui.app import AnnotateApp
from tui_annotate.tui.screens.review.screen import ReviewScreen
from tui_annotate.workspace import Workspace

FIRST, SECOND, CHINESE = (SampleKey("films", name) for name in "abc")
INTRINSIC: LabelPath = ("Unwanted", "Intrinsic")
EXTRINSIC: LabelPath = ("Unwanted", "Extrinsic")
BENIGN: LabelPath = ("Benign",)
HATED, BUDGET, HURT = (
    "Critics hated it from the first day.",
    "Its budget was 12 million pounds, not counting the music.",
    "One actor was hurt on the set.",
)


def place(text: str, words: str) -> Span:
    """Where words stand in a text."""
    at = text.index(words)
    return Span(at, at + len(words))


def said(
    name: str,
    words: str,
    label: LabelPath,
    evidence: str = "",
    note: str = "",
    *,
    chinese: bool = False,
) -> Annotation:
    """An annotation of words of a summary."""
    text = annotate_app.CHINESE if chinese else annotate_app.SUMMARY
    claim = (Anchor(Side.SUMMARY, 0, place(text, words)),)
    found = (Anchor(Side.SOURCE, 0, place(annotate_app.SOURCE, evidence)),) if evidence else ()
    return Annotation(name, claim, found, (label,), note)


WORK: dict[str, tuple[Annotation, ...]] = {
    "ana": (
        said("ana-1", "loved by families", EXTRINSIC, note="hated"),
        said("ana-2", "15 million pounds", INTRINSIC, BUDGET, "12, not 15"),
        said("ana-3", "Nobody was hurt on the set.", INTRINSIC, HURT),
    ),
    "ben": (
        said("ben-1", "The film was loved by families.", INTRINSIC, HATED, "they hated it"),
        said("ben-2", "15 million pounds", INTRINSIC, BUDGET, "wrong"),
        said("ben-3", "Nobody was hurt", INTRINSIC, HURT),
    ),
    "li": (
        said("li-1", "loved by families", INTRINSIC, HATED),
        said("li-2", "15 million pounds", INTRINSIC),
        said("li-4", "thanked the town", EXTRINSIC, note="nowhere"),
    ),
}
"""Place 1 is a conflict of three rivals, 2 agreed, 3 marked by two in two extents, 4 by one."""


def make(folder: Path) -> Path:
    """Three people are done with the first sample, two with the others; one is in Chinese."""
    return build_once(folder, "candidate annotations", _build)


def _build(folder: Path) -> None:
    annotate_app.make_workspace(folder)
    with workspace.open(folder) as space:
        for name, annotations in WORK.items():
            person = space.person(name).id
            for annotation in annotations:
                space.annotate.add(person, FIRST, annotation, seconds=1)
            if name == "ben":
                space.annotate.comment(person, FIRST, "the set is a film's", seconds=1)
            space.annotate.finish(person, FIRST, seconds=1)
            if name != "li":
                space.annotate.finish(person, SECOND, seconds=1)
        for name, words in (("ana", "一千五百万元"), ("ben", "花费一千五百万元")):
            person = space.person(name).id
            one = said(f"{name}-zh", words, INTRINSIC, chinese=True)
            space.annotate.add(person, CHINESE, one, seconds=1)
            space.annotate.finish(person, CHINESE, seconds=1)


def say(folder: Path, *values: float) -> None:
    """A machine says how well supported it finds the three samples, under the name q."""
    with workspace.open(folder) as space:
        scores = [
            Score(key=key, name="q", value=value)
            for key, value in zip((FIRST, SECOND, CHINESE), values, strict=True)
        ]
        run = ScoreRun(id=str(values), kind=RunKind.SCORE, maker="m", dataset="films")
        space.machines.scores.write(run, scores)


def settled(folder: Path, key: SampleKey = FIRST) -> tuple[Annotation, ...]:
    """What stands in the store of what review did."""
    with workspace.open(folder) as space:
        return space.log.stream(SETTLED, key).annotations


@dataclass
class Reviewer(annotate_app.Person):
    """Somebody at the keyboard of the app in review."""

    @property
    def review_draft(self) -> ReviewDraft:
        """What is in hand."""
        draft = self.screen.draft
        assert isinstance(draft, ReviewDraft)
        return draft

    def says(self, code: ScreenMessage) -> bool:
        """Whether this is what the draft line says."""
        return self.message.code is code

    @property
    def message(self) -> StatusMessage:
        """What the draft line says after a key."""
        return self.review_draft.message

    @property
    def saved(self) -> tuple[object, object]:
        """The action that was just saved, and the labels of what it made."""
        assert self.message.code is ReviewText.REVIEW_ACTION_SAVED
        return self.message.fields["action"], self.message.fields["labels"]

    @property
    def undone(self) -> object:
        """The action that was just taken back."""
        assert self.message.code is ReviewText.REVIEW_UNDONE
        return self.message.fields["action"]

    @property
    def group(self) -> CandidateGroup:
        """The rivals of the place in focus."""
        position = self.review_draft.position
        assert position
        assert position.group
        return position.group

    @property
    def question(self) -> str:
        """What is asked; empty where nothing is."""
        return self.review_draft.pending.kind if self.review_draft.pending else ""

    @property
    def progress(self) -> str:
        """How far review is with the sample, in a word."""
        return self.review_draft.progress.value

    @property
    def sample(self) -> str:
        """The id of the sample on screen."""
        return self.review_draft.sample.id


@asynccontextmanager
async def open_review(
    folder: Path, *, size: tuple[int, int] = (80, 24), sample: str = "", person: str = "rev"
) -> AsyncIterator[Reviewer]:
    """The app in review on a workspace, until everything is open."""

    def opened() -> Workspace:
        space = workspace.open(folder)
        space.__dict__["assist"] = annotate_app.WORDS
        return space

    app = AnnotateApp(opened, person=person, sample=sample, look=annotate_app.LOOK, reviewing=True)
    async with app.run_test(size=size) as pilot:
        reviewer = Reviewer(app, pilot)
        while app.sample_screen.draft is None:
            await pilot.pause(0.001)
        assert isinstance(app.sample_screen, ReviewScreen)
        await reviewer.settled()
        yield reviewer
        app.sample_screen.saver.close()
        if app.sign_in_flow.session_guard:
            app.sign_in_flow.session_guard.leave()
