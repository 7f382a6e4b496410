"""A workspace of three samples, the app on it, and a person who presses keys and counts them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from textual import _wait
from textual.pilot import Pilot
from textual.worker import WorkerCancelled

from tests.editor.draft_samples import typed_codes
from tests.helpers.folder_cache import build_once
from tui_annotate import workspace
from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.samples import Document, Sample, Segment, Side
from tui_annotate.domain.vector_sets import VectorSet
from tui_annotate.editor.messages import StatusMessage
from tui_annotate.editor.state import Draft
from tui_annotate.plugins.protocols import Embedder
from tui_annotate.services.assist.sample import SampleAssist, SampleVectors, prepare_sample
from tui_annotate.storage.corpus.store import NewSample
from tui_annotate.tui.app import AnnotateApp
from tui_annotate.tui.screens.annotate.features.collection import Collection
from tui_annotate.tui.screens.annotate.workspace_screen import WorkspaceScreen
from tui_annotate.tui.theme import TerminalLook
from tui_annotate.workspace import Workspace

SOURCE = (
    "The film opened in the spring. Critics hated it from the first day. "
    "Its budget was 12 million pounds, not counting the music. It rained during the shooting. "
    "One actor was hurt on the set. The town had hoped for visitors. They stayed away. "
    "The director left for another country. The end was quiet."
)
SUMMARY = (
    "The film was loved by families. It cost 15 million pounds to make. "
    "Nobody was hurt on the set. The director thanked the town."
)
CHINESE_SOURCE = (
    "大桥于周六重新开放。维修工程耗时两年，共花费一千二百万元。市长剪彩。许多市民到场。"
)
CHINESE = "大桥已经开放。维修共花费一千五百万元，市民都很高兴。市长没有到场。"
LABELS = """
- {name: Unwanted, children: [Intrinsic, Extrinsic]}
- Benign
- {name: Sourced, evidence: required}
- {name: Told, note: required}
"""
# The bar: 1 Intrinsic 2 Extrinsic 3 Benign 4 Sourced 5 Told 6 Unwanted


def sentences(text: str) -> tuple[Segment, ...]:
    """A segment up to and with each full stop and the blank behind it."""
    starts = [0]
    for at, character in enumerate(text[:-1]):
        if character == "。":
            starts.append(at + 1)
        elif character == "." and text[at + 1] == " ":
            starts.append(at + 2)
    return tuple(
        Segment(start, end)
        for start, end in zip(starts, [*starts[1:], len(text)], strict=True)
        if start < end
    )


LOOK = TerminalLook("dark", "256", native=False)


@contextmanager
def _at_once() -> Iterator[None]:
    """Textual looks twice, for 20 ms, whether a key is done; what is behind it waits as well."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_wait, "SLEEP_GRANULARITY", 0.004)
        patch.setattr(_wait, "SLEEP_IDLE", 0.0002)
        yield


class Words:
    """The assist by words alone; vectors are not to be had, for a reason."""

    def prepare(
        self, sample: Sample, segments: Any, *, vectors: bool, words: SampleAssist | None = None
    ) -> SampleAssist:
        """Ranks by words."""
        if vectors:
            raise Unavailable("this is a test")
        return words or prepare_sample(sample, segments)

    def embedder(self, used: VectorSet) -> Embedder | None:
        """There is none."""
        del used
        return None


WORDS = Words()


class ToyEmbedder:
    """An embedder that knows love from weather, in English alone."""

    name = label = "feelings"
    version = "1"
    dimensions = 2
    instant = True
    known = (("loved", "hated"), ("rained", "spring"))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A unit row for what it knows, zeros for all else."""
        rows = [[any(word in text for word in kind) for kind in self.known] for text in texts]
        found = np.array(rows, np.float32).reshape(-1, self.dimensions)
        return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1))


class VectorAssist(Words):
    """The assist with these vectors; sides of which too little is known have none."""

    def __init__(self, *known: Side) -> None:
        self.known = known

    def prepare(
        self, sample: Sample, segments: Any, *, vectors: bool, words: SampleAssist | None = None
    ) -> SampleAssist:
        """Ranks by words, then by vectors too."""
        del words
        embedder = ToyEmbedder()
        texts = {
            side: [
                span.of(document.text)
                for document, own in zip(sample.documents, segments, strict=True)
                if document.side is side
                for span in (segment.span for segment in own)
            ]
            for side in self.known
        }
        rows = {side: embedder.embed(own) + np.float32(1e-6) for side, own in texts.items()}
        made = SampleVectors(embedder.label, rows, embedder) if vectors else None
        return prepare_sample(sample, segments, made)


def make_workspace(folder: Path, *, labels: str = LABELS, samples: Sequence[Sample] = ()) -> Path:
    """A workspace with two English samples and a Chinese one, in order a, b, c."""
    key = ("screens", labels, repr(samples))
    built = build_once(folder, key, lambda folder: _build(folder, labels, samples))
    choose_store(built)
    return built


def choose_store(folder: Path) -> None:
    """Leave the store of a new workspace in SQLite; a fixture replaces this function."""


def _build(folder: Path, labels: str, samples: Sequence[Sample]) -> None:
    space = workspace.create(folder)
    (folder / "labels.yaml").write_text(labels, "utf-8")
    english = (Document(Side.SOURCE, SOURCE), Document(Side.SUMMARY, SUMMARY))
    chinese = (
        Document(Side.SOURCE, CHINESE_SOURCE, language="zh"),
        Document(Side.SUMMARY, CHINESE, language="zh"),
    )
    other = (Document(Side.SOURCE, SOURCE), Document(Side.SUMMARY, "It rained. Nobody came."))
    made = samples or (
        Sample("films", "a", english),
        Sample("films", "b", other),
        Sample("films", "c", chinese),
    )
    batch = []
    seen: set[str] = set()
    for sample in made:
        fresh = [document.sha256 not in seen for document in sample.documents]
        seen |= {document.sha256 for document in sample.documents}
        cut = tuple(
            sentences(document.text) if new else ()
            for document, new in zip(sample.documents, fresh, strict=True)
        )
        batch.append(NewSample(sample, cut))
    space.corpus.add(batch, segmenter="test")
    space.close()


@dataclass
class Person:
    """Somebody at the keyboard of the app."""

    app: AnnotateApp
    pilot: Pilot[None]
    count: int = field(default=0)

    @property
    def screen(self) -> WorkspaceScreen:
        """The annotating screen."""
        return self.app.sample_screen

    @property
    def draft(self) -> Draft:
        """What is in hand."""
        assert self.screen.draft is not None
        return self.screen.draft

    @property
    def annotations(self) -> tuple[Annotation, ...]:
        """Those that the screen shows."""
        return self.draft.annotations

    async def settled(self) -> None:
        """Everything given to the store has been answered, and the screen is idle."""
        await self.pilot.pause()
        await self._answered()
        while self._searching():
            await self.pilot.pause(0.001)
        while any(not worker.is_finished for worker in self.app.workers):
            with suppress(WorkerCancelled):  # a newer one took its place
                await self.app.workers.wait_for_complete()
        while self.screen.comparison.comparing or getattr(self.app.screen, "reading", False):
            await self.pilot.pause(0.001)
        await self.pilot.pause()

    def _searching(self) -> bool:
        found = (each for each in self.screen.features if isinstance(each, Collection))
        return any(each.other_documents.searching for each in found)

    async def press(self, keys: str) -> None:
        """Keys, parted by blanks, one after the other; each is counted."""
        for key in keys.split():
            self.count += 1
            with _at_once():
                await self.pilot.press(key)
            await self._answered()  # nobody presses a key for a sample that is not there yet
        await self.settled()

    async def _answered(self) -> None:
        while self.screen.saver.waiting or not self.screen.listening_since:
            await self.pilot.pause(0.001)

    async def words(self, first: str, last: str = "") -> None:
        """Selects from one word to another by the letters that stand on them."""
        await self.press("f")
        for word in (first, last or first):
            assert self.draft.hints is not None
            text = self.draft.text(self.draft.side)
            near = typed_codes(self.draft.hints).items()
            code = next(code for span, code in near if span.of(text) == word)
            await self.press(" ".join(code))

    def line(self) -> str:
        """What the draft line says."""
        draft = self.screen.draft
        return self.screen.line(draft, 1000)[0] if draft else ""

    def said(self) -> StatusMessage:
        """The message of the draft line."""
        return self.draft.message

    def shown(self) -> str:
        """The whole screen as plain text."""
        strips = self.app.screen._compositor.render_strips()
        rows = ("".join(segment.text for segment in strip).rstrip() for strip in strips)
        return "\n".join(rows)


@asynccontextmanager
async def open_app(
    folder: Path,
    *,
    size: tuple[int, int] = (80, 24),
    sample: str = "a",
    assist: Words = WORDS,
    glance: float = 0,
    order: str = "ingested",
    name: str = "ana",
) -> AsyncIterator[Person]:
    """The app on a workspace, until everything is open.

    Args:
        glance: seconds in which no first key ends a sample.
    """

    def opened() -> Workspace:
        space = workspace.open(folder)
        space.__dict__["assist"] = assist
        return space

    app = AnnotateApp(opened, person=name, sample=sample, order=order, look=LOOK)
    async with app.run_test(size=size) as pilot:
        person = Person(app, pilot)
        app.sample_screen.glance = glance
        while app.sample_screen.draft is None:
            await pilot.pause(0.001)
        await person.settled()
        yield person
        app.sample_screen.saver.close()
        if app.sign_in_flow.session_guard:
            app.sign_in_flow.session_guard.leave()
