"""Labelled like this before: one's own work alone, the nearest first, by LanceDB or by words."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.helpers.stores import annotate
from tests.services.ingest_stores import Stores
from tui_annotate.domain.annotations import Anchor, Annotation, PastAnnotation
from tui_annotate.domain.errors import NotFound, Unavailable
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.vector_sets import VectorSet
from tui_annotate.plugins.protocols import Embedder, ImportOptions
from tui_annotate.services.assist import past_annotations as module
from tui_annotate.services.assist.past_annotations import PastAnnotationSearch
from tui_annotate.services.ingest import IngestFiles

TOPICS = (("cost", "price", "paid", "pounds"), ("rain", "snow", "wet"), ("mayor", "town"))
SUMMARIES = {
    "a": "The bridge cost 15 million. It rained all day.",
    "b": "Its price was a fortune. The mayor spoke of snow.",
    "c": "Somebody paid in coins. The town was proud.",
    "d": "All of it was wet. Who knows?",
}


class Topics:
    """An embedder that knows three topics."""

    name = "topics"
    label = "topics"
    version = "1"
    dimensions = len(TOPICS)

    def __init__(self, *, instant: bool) -> None:
        self.instant = instant

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A unit row a text; zeros where none of the topics is in it."""
        rows = [[sum(word in text for word in topic) for topic in TOPICS] for text in texts]
        made = np.array(rows, np.float32).reshape(-1, self.dimensions)
        return np.asarray(made / np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1e-9))


class Desk:
    """Four samples in a workspace, with vectors or without, and people who annotate them."""

    def __init__(self, folder: Path, embedder: Embedder | None) -> None:
        self.stores = Stores(folder)
        if embedder:
            self.stores.others["neural:topics"] = embedder
        self.embedder = embedder
        self.annotating = annotate(self.stores.database)
        self.people = {name: self.annotating.people.local(name).id for name in ("ana", "bo")}
        self.keep(SUMMARIES)
        self.past_annotations = PastAnnotationSearch(
            self.stores.corpus, self.annotating.store, self.stores.vectors, self._instant
        )

    def keep(self, summaries: dict[str, str]) -> None:
        """Ingests some samples."""
        file = self.stores.folder / f"{uuid4()}.jsonl"
        rows = [
            {"id": name, "source": "A source.", "summary": text} for name, text in summaries.items()
        ]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")

        options = ImportOptions(dataset="d", id_column="id")
        wanted = "neural:topics" if self.embedder else "none"
        self.stores.ingest.run(IngestFiles([file], "pairs", options), embedder=wanted)

    def _instant(self, used: VectorSet) -> Embedder | None:
        assert used.label == "topics"
        return self.embedder if used.instant else None

    def anchor(self, name: str, words: str) -> Anchor:
        """Some words of a summary."""
        text = self.stores.corpus.sample(SampleKey("d", name)).sample.document(Side.SUMMARY).text
        start = text.index(words)
        return Anchor(Side.SUMMARY, 0, Span(start, start + len(words)))

    def say(self, name: str, words: str, *, who: str = "ana", note: str = "") -> str:
        """An annotation, and its id."""
        one = Annotation(str(uuid4()), (self.anchor(name, words),), labels=(("Fine",),), note=note)
        self.annotating.add(self.people[who], SampleKey("d", name), one, seconds=1)
        return one.id

    def nearest(
        self, name: str, words: str, *, who: str = "ana", without: str = ""
    ) -> tuple[PastAnnotation, ...]:
        """What was said before of something like some words."""
        return self.past_annotations.nearest(
            self.people[who], SampleKey("d", name), self.anchor(name, words), without=without
        )


def told(found: Sequence[PastAnnotation]) -> list[str]:
    """The words of former claims."""
    return [each.text for each in found]


@pytest.fixture(params=[True, False], ids=["instant", "stored"])
def open_sample(tmp_path: Path, request: pytest.FixtureRequest) -> Desk:
    """With vectors, made at once or at ingest alone."""
    return Desk(tmp_path, Topics(instant=request.param))


@pytest.fixture
def words_only(tmp_path: Path) -> Desk:
    """Without any vectors."""
    return Desk(tmp_path, None)


def test_the_nearest_are_those_of_the_same_meaning(open_sample: Desk) -> None:
    """Though they share no word, and whatever was said last; with labels and notes."""
    open_sample.say("c", "paid in coins", note="no coins")
    open_sample.say("b", "price was a fortune", note="no price")
    open_sample.say("c", "town was proud")
    found = open_sample.nearest("a", "bridge cost 15 million")
    assert told(found) == ["price was a fortune", "paid in coins"]
    assert found[0].sample == SampleKey("d", "b")
    assert (found[0].labels, found[0].note) == ((("Fine",),), "no price")
    assert found[0].score == pytest.approx(1, abs=1e-3)
    assert told(open_sample.nearest("d", "it was wet")) == []


def test_nobody_sees_the_work_of_another(open_sample: Desk) -> None:
    """Not even the same claim."""
    open_sample.say("b", "price was a fortune", who="bo")
    assert open_sample.nearest("a", "bridge cost 15 million") == ()
    assert told(open_sample.nearest("a", "bridge cost 15 million", who="bo")) == [
        "price was a fortune"
    ]


def test_the_annotation_in_hand_is_no_former_one(open_sample: Desk) -> None:
    """Nor one that was removed; another of the same sample is."""
    mine = open_sample.say("a", "bridge cost 15 million")
    gone = open_sample.say("b", "price was a fortune")
    open_sample.say("a", "cost 15")
    open_sample.annotating.remove(
        open_sample.people["ana"], SampleKey("d", "b"), gone, version=1, seconds=1
    )
    assert told(open_sample.nearest("a", "bridge cost 15 million", without=mine)) == ["cost 15"]


def test_ten_are_enough_and_none_is_told_twice(open_sample: Desk) -> None:
    """The same words with the same labels and note are one; another note is another."""
    open_sample.keep({f"x{at}": f"Number {at} paid a price." for at in range(12)})
    for at in range(12):
        open_sample.say(f"x{at}", f"{at} paid a price")
    assert len(open_sample.nearest("a", "bridge cost 15 million")) == 10
    open_sample.keep({f"y{at}": "It snows today." for at in range(4)})
    for at, note in enumerate(("", "", "", "other")):
        open_sample.say(f"y{at}", "snows", note=note)
    found = open_sample.nearest("a", "rained all day")
    assert [(each.text, each.note) for each in found] == [("snows", "other"), ("snows", "")]


def test_the_search_goes_on_until_it_has_seen_enough(
    open_sample: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nearer sentences without a claim do not hide those that have one."""
    monkeypatch.setattr(module, "_FIRST_SEARCH_SIZE", 1)
    open_sample.keep(
        {"e": "They paid. They paid. They paid. They paid. The price was in the town."}
    )
    open_sample.say("e", "price was in the town")
    assert told(open_sample.nearest("a", "bridge cost 15 million")) == ["price was in the town"]


def test_within_a_sentence_words_decide(tmp_path: Path) -> None:
    """Stored vectors are those of sentences: claims of one have the same."""
    open_sample = Desk(tmp_path, Topics(instant=False))
    open_sample.keep({"e": "They paid for the bridge and the cost was high and the price fell."})
    for words in ("price fell", "the bridge", "cost was high"):
        open_sample.say("e", words)
    found = open_sample.nearest("a", "bridge cost 15 million")
    assert len({each.score for each in found}) == 1
    assert told(found)[-1] == "price fell"


def test_several_spans_are_told_together(words_only: Desk) -> None:
    """In their order."""
    open_sample = words_only
    spans = (open_sample.anchor("a", "The bridge"), open_sample.anchor("a", "all day"))
    one = Annotation("one", spans, labels=(("Fine",),))
    open_sample.annotating.add(open_sample.people["ana"], SampleKey("d", "a"), one, seconds=1)
    assert told(open_sample.nearest("b", "The mayor")) == ["The bridge … all day"]


def test_without_vectors_words_find(words_only: Desk) -> None:
    """Only what shares some."""
    open_sample = words_only
    open_sample.say("b", "price was a fortune")
    open_sample.say("c", "town was proud")
    assert told(open_sample.nearest("d", "of it was wet")) == [
        "town was proud",
        "price was a fortune",
    ]
    assert open_sample.nearest("a", "bridge cost 15 million") == ()
    assert all(0 < each.score <= 1 for each in open_sample.nearest("d", "of it was wet"))


def test_where_vectors_can_not_be_had_words_find(tmp_path: Path) -> None:
    """Of nothing that the model knows, of no embedder on this machine, or lost."""
    open_sample = Desk(tmp_path, Topics(instant=True))
    open_sample.say("b", "mayor spoke of snow")
    open_sample.say("d", "Who knows")
    assert told(open_sample.nearest("a", "rained all day")) == ["mayor spoke of snow"]
    assert told(open_sample.nearest("d", "Who knows")) == ["Who knows"]

    def missing(used: VectorSet) -> Embedder | None:
        raise Unavailable(f"{used.label} can not be had")

    had = open_sample.past_annotations
    open_sample.past_annotations = PastAnnotationSearch(
        open_sample.stores.corpus, open_sample.annotating.store, open_sample.stores.vectors, missing
    )
    assert open_sample.nearest("a", "rained all day") == ()
    assert told(open_sample.nearest("b", "The mayor")) == ["mayor spoke of snow"]
    open_sample.past_annotations = had
    shutil.rmtree(tmp_path / "vectors")
    assert open_sample.nearest("a", "rained all day") == ()
    assert told(open_sample.nearest("b", "The mayor")) == ["mayor spoke of snow"]


def test_what_is_not_there_is_told(open_sample: Desk) -> None:
    """A sample or a document; a claim without a word finds nothing."""
    with pytest.raises(NotFound):
        open_sample.past_annotations.nearest(
            "x", SampleKey("d", "z"), open_sample.anchor("a", "The")
        )
    with pytest.raises(NotFound):
        open_sample.past_annotations.nearest(
            "x", SampleKey("d", "a"), Anchor(Side.SUMMARY, 1, Span(0, 1))
        )
    assert open_sample.nearest("a", "The bridge") == ()
    open_sample.keep({"e": "... !"})
    open_sample.say("b", "price")
    assert open_sample.nearest("e", "...") == ()
