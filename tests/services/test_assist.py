"""The assist over stores: what it says where something is missing, one ranking both ways."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.errors import NotFound, Unavailable
from tui_annotate.domain.samples import Document, Match, Sample, Segment, Side
from tui_annotate.domain.spans import Span
from tui_annotate.methods.segmentation import SEGMENTER, segment
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import Embedder
from tui_annotate.services.assist import Assist
from tui_annotate.storage.corpus import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.vectors import VectorStore

SAMPLES = Path(__file__).parents[2] / "sample_data" / "pairs.jsonl"
SOURCE = "The bridge reopened on Saturday. The work cost 12 million pounds. Nobody came."
LATER = "The mayor spoke. The works were paid for by the county."
SUMMARY = "The bridge cost 15 million pounds. It was loved."
Segments = tuple[tuple[Segment, ...], ...]


class Letters:
    """An embedder of 26 dimensions: how often each letter stands in a text."""

    name = "letters"
    version = "1"
    dimensions = 26

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit rows; zeros for a text without letters."""
        rows = np.array(
            [[text.lower().count(chr(97 + at)) for at in range(26)] for text in texts], np.float32
        ).reshape(-1, 26)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.maximum(lengths, 1e-9), np.float32)


def sample(*sources: str, summary: str = SUMMARY) -> Sample:
    """A sample with some sources and a summary; none where it is empty."""
    documents = [Document(Side.SOURCE, text, key=str(at)) for at, text in enumerate(sources)]
    return Sample("set", "1", (*documents, *([Document(Side.SUMMARY, summary)] * bool(summary))))


def cut(some: Sample) -> Segments:
    """The segments of a sample's documents."""
    return tuple(segment(document.text, document.language) for document in some.documents)


class Stores:
    """Real stores with the vectors of some samples."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self.corpus = CorpusStore(Database.create(folder / "store.sqlite"))
        self.vectors = VectorStore(folder / "vectors")
        self.embedder = embedder
        self.table = self.vectors.table_name(embedder.name, embedder.version, SEGMENTER)
        self.loaded: list[str] = []

    def keep(self, *samples: Sample) -> None:
        """Writes the vectors of all segments, and which table holds them."""
        documents = {
            document.sha256: (document.text, segments)
            for some in samples
            for document, segments in zip(some.documents, cut(some), strict=True)
        }
        rows = [
            (name, index, own.start, own.end, vector)
            for name, (text, segments) in documents.items()
            for index, (own, vector) in enumerate(
                zip(
                    segments,
                    self.embedder.embed([text[start:end] for start, end in segments]),
                    strict=True,
                )
            )
        ]
        self.vectors.add(self.table, rows)
        self.corpus.set_setting("embedder", self.embedder.name)
        self.corpus.set_setting("vectors", self.table)

    def load(self, name: str) -> Embedder:
        """The embedder; keeps a list of what was asked for."""
        self.loaded.append(name)
        return self.embedder

    @property
    def assist(self) -> Assist:
        """A new service over these stores."""
        return Assist(self.corpus, vectors=lambda: self.vectors, load=self.load)


@pytest.fixture
def stores(tmp_path: Path) -> Stores:
    """Stores without any vectors yet."""
    return Stores(tmp_path, Letters())


def texts(some: Sample, side: Side, matches: Sequence[Match]) -> list[str]:
    """What the matches cover."""
    return [match.span.of(some.document(side, match.document).text).strip() for match in matches]


def claim(part: str = "15 million pounds") -> Anchor:
    """An anchor in the summary."""
    start = SUMMARY.index(part)
    return Anchor(Side.SUMMARY, 0, Span(start, start + len(part)))


# words ------------------------------------------------------------------------------------------


def test_words_need_no_store(stores: Stores) -> None:
    """Without vectors nothing is read or loaded, and the signals say so."""
    some = sample(SOURCE)
    ready = stores.assist.prepare(some, cut(some), vectors=False)
    found = ready.match(claim())
    assert texts(some, Side.SOURCE, found)[0] == "The work cost 12 million pounds."
    assert ready.signals == "words only"
    assert stores.loaded == []


def test_all_documents_of_the_other_side_are_searched(stores: Stores) -> None:
    """Matches say in which document they lie; ties are in reading order of the documents."""
    some = sample(LATER, SOURCE)
    ready = stores.assist.prepare(some, cut(some), vectors=False)
    found = ready.match(claim(), top=None)
    assert found[0].document == 1
    assert len(found) == 5
    assert sorted((match.document, match.segment) for match in found) == [
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
        (1, 2),
    ]


def test_evidence_finds_its_claim(stores: Stores) -> None:
    """The search works from either side."""
    some = sample(LATER, SOURCE)
    ready = stores.assist.prepare(some, cut(some), vectors=False)
    start = SOURCE.index("12 million")
    found = ready.match(Anchor(Side.SOURCE, 1, Span(start, start + 17)))
    assert texts(some, Side.SUMMARY, found) == ["The bridge cost 15 million pounds."]


def test_nothing_is_found_for_nothing(stores: Stores) -> None:
    """A selection of white space, and a sample without the other side, have no matches."""
    some = sample(summary=SUMMARY)
    assert stores.assist.prepare(some, cut(some), vectors=False).match(claim()) == ()
    full = sample(SOURCE)
    ready = stores.assist.prepare(full, cut(full), vectors=False)
    assert ready.match(Anchor(Side.SOURCE, 0, Span(32, 33))) == ()
    assert stores.assist.match(full, cut(full), Anchor(Side.SOURCE, 0, Span(32, 33))).matches == ()


def test_an_unknown_document_is_told(stores: Stores) -> None:
    """An anchor into a document that is not there finds no silence."""
    some = sample(SOURCE)
    with pytest.raises(NotFound):
        stores.assist.prepare(some, cut(some), vectors=False).match(
            Anchor(Side.SUMMARY, 1, Span(0, 3))
        )


# vectors ----------------------------------------------------------------------------------------


def test_vectors_take_part(stores: Stores) -> None:
    """Each match tells both signals; the embedder is loaded once for many samples."""
    some, other = sample(SOURCE), sample(LATER)
    stores.keep(some, other)
    assist = stores.assist
    ready = assist.prepare(some, cut(some), vectors=True)
    assert ready.signals == "words + letters vectors"
    assert set(ready.match(claim())[0].signals) == {"words", "vectors"}
    assist.prepare(other, cut(other), vectors=True)
    assert stores.loaded == ["letters"]


def test_a_side_that_the_embedder_does_not_know_is_ranked_by_words(stores: Stores) -> None:
    """The other side still has its vectors."""
    some = sample("桥梁重新开放。花费很多。", SOURCE)
    unknown = sample("桥梁重新开放。花费很多。")
    stores.keep(some, unknown)
    ready = stores.assist.prepare(unknown, cut(unknown), vectors=True)
    assert ready.blind == {Side.SOURCE}
    assert set(ready.match(claim(), top=None)[0].signals) == {"words"}
    found = stores.assist.match(unknown, cut(unknown), claim(), top=None)
    assert found.matches == ready.match(claim(), top=None)


def test_a_query_that_the_embedder_does_not_know_is_ranked_by_words(stores: Stores) -> None:
    """A number has no letters, so it has no vector here."""
    some = sample(SOURCE, summary="2 000 000. It was loved.")
    stores.keep(some)
    ready = stores.assist.prepare(some, cut(some), vectors=True)
    number = Anchor(Side.SUMMARY, 0, Span(0, 9))
    assert set(ready.match(number, top=None)[0].signals) == {"words"}


def test_samples_of_unknown_scripts_say_why(stores: Stores) -> None:
    """Where both sides are unknown there is nothing to wait for."""
    some = sample("桥梁重新开放。", summary="桥梁开放。")
    stores.keep(some)
    with pytest.raises(Unavailable, match="lack these words"):
        stores.assist.prepare(some, cut(some), vectors=True)


def test_a_workspace_without_vectors_says_so(stores: Stores) -> None:
    """The hint makes them."""
    some = sample(SOURCE)
    with pytest.raises(Unavailable, match="no vectors") as told:
        stores.assist.prepare(some, cut(some), vectors=True)
    assert "index rebuild" in told.value.hint


def test_vectors_of_another_version_are_refused(stores: Stores) -> None:
    """A query of one embedder means nothing among vectors of another."""
    some = sample(SOURCE)
    stores.keep(some)
    stores.corpus.set_setting("vectors", "letters-of-last-year")
    with pytest.raises(Unavailable, match="another version"):
        stores.assist.prepare(some, cut(some), vectors=True)


def test_a_sample_without_vectors_says_so(stores: Stores) -> None:
    """Ingest may not have come to it yet."""
    some = sample(LATER)
    stores.keep(sample(SOURCE))
    with pytest.raises(Unavailable, match="this sample has no vectors"):
        stores.assist.prepare(some, cut(some), vectors=True)


def test_the_command_goes_on_with_words(stores: Stores) -> None:
    """Where vectors are missing, the signals give the reason."""
    some = sample(SOURCE)
    found = stores.assist.match(some, cut(some), claim())
    assert texts(some, Side.SOURCE, found.matches)[0] == "The work cost 12 million pounds."
    assert found.signals == "words only: this workspace has no vectors"


# one ranking ------------------------------------------------------------------------------------


def same(one: Sequence[Match], other: Sequence[Match]) -> None:
    """Both name the same segments in the same order with the same scores."""
    assert [(each.document, each.segment) for each in one] == [
        (each.document, each.segment) for each in other
    ]
    assert [each.score for each in one] == pytest.approx([each.score for each in other], abs=2e-3)


def test_lancedb_ranks_as_memory_does(stores: Stores) -> None:
    """The filtered search and the product in memory are one ranking, twins of a text included."""
    some = sample(SOURCE, LATER, SOURCE)
    stores.keep(some, sample("Another source that is not searched. Nor is this."))
    assist = stores.assist
    for anchor in (claim(), claim("It was loved"), Anchor(Side.SOURCE, 1, Span(0, 10))):
        ready = assist.prepare(some, cut(some), vectors=True)
        found = assist.match(some, cut(some), anchor, top=None)
        same(found.matches, ready.match(anchor, top=None))
        assert found.signals == "words + letters vectors"


@pytest.mark.skipif(find_spec("wordllama") is None, reason="wordllama has no wheel here")
def test_lancedb_ranks_the_samples_as_memory_does(tmp_path: Path) -> None:
    """Also with the real embedder, over real prose, from both sides."""
    rows = [json.loads(line) for line in SAMPLES.read_text("utf-8").splitlines()][:6]
    kept = Stores(tmp_path, registry.load("embedders", "static"))
    samples = [sample(row["source"], summary=row["summary"]) for row in rows]
    kept.keep(*samples)
    for some in samples:
        ready = kept.assist.prepare(some, cut(some), vectors=True)
        for side, segments in zip((Side.SOURCE, Side.SUMMARY), cut(some), strict=True):
            anchor = Anchor(side, 0, segments[1].span)
            same(
                kept.assist.match(some, cut(some), anchor, top=None).matches,
                ready.match(anchor, top=None),
            )
