"""The assist over stores: what it says where something is missing, one ranking both ways."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.helpers.printed_numbers import printed_numbers
from tests.helpers.sample_vectors import embed_sample
from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.errors import NotFound, Unavailable, VectorsPending
from tui_annotate.domain.samples import Document, Match, Sample, Segment, Side, Signals
from tui_annotate.domain.spans import Span
from tui_annotate.domain.vector_sets import VectorSet
from tui_annotate.methods.late_interaction import TokenBank
from tui_annotate.methods.lexical import find_words
from tui_annotate.methods.segmentation import SEGMENTER, segment
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import Embedder, TokenEmbedder
from tui_annotate.services.assist.sample import NO_VECTORS, WORDS_ONLY, prepare_sample
from tui_annotate.services.assist.search import AssistService
from tui_annotate.storage.corpus.store import CorpusStore, NewSample
from tui_annotate.storage.sqlite_database import SqliteDatabase
from tui_annotate.storage.vectors.store import VectorStore

SAMPLES = Path(__file__).parents[2] / "sample_data" / "pairs.jsonl"
SOURCE = "The bridge reopened on Saturday. The work cost 12 million pounds. Nobody came."
LATER = "The mayor spoke. The works were paid for by the county."
SUMMARY = "The bridge cost 15 million pounds. It was loved."
Segments = tuple[tuple[Segment, ...], ...]


class Letters:
    """An embedder of 26 dimensions: how often each letter stands in a text."""

    name = "letters"
    label = "letters of 1"
    instant = True
    version = "1"
    dimensions = 26

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit rows; zeros for a text without letters."""
        rows = np.array(
            [[text.lower().count(chr(97 + at)) for at in range(26)] for text in texts], np.float32
        ).reshape(-1, 26)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.maximum(lengths, 1e-9), np.float32)


class Signs(Letters):
    """Letters whose tokens are the words, each a sum of its letters; not instant."""

    name = "signs"
    instant = False
    token_dimensions = 13

    @cached_property
    def axes(self) -> NDArray[np.float32]:
        """The vowels and some more."""
        return np.eye(26, dtype=np.float32)[:, ::2]

    def embed_tokens(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], TokenBank]:
        """A token a word."""
        found = [list(find_words(text)) for text in texts]
        flat = [word for own in found for word in own]
        rows = self.embed([word.text for word in flat]) @ self.axes
        return self.embed(texts), TokenBank(
            np.rint(rows * 127).astype(np.int8),
            np.cumsum([0, *map(len, found)]),
            np.array([word.start for word in flat], np.int32),
            np.array([word.end for word in flat], np.int32),
        )


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
        self.corpus = CorpusStore(SqliteDatabase.create(folder / "store.sqlite"))
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
        tokens = isinstance(self.embedder, TokenEmbedder) and self.embedder
        if tokens:
            banks = [
                (name, tokens.embed_tokens([text[start:end] for start, end in segments])[1])
                for name, (text, segments) in documents.items()
            ]
            self.vectors.add_tokens(self.table, banks, axes=tokens.axes)
        self.corpus.keep_vector_set(self.set())
        self.corpus.use_vector_set(self.table)

    def set(self, *, segmenter: str = SEGMENTER, version: str = "") -> VectorSet:
        """The set that these vectors are."""
        tokens = isinstance(self.embedder, TokenEmbedder) and self.embedder
        return VectorSet(
            embedder=self.embedder.name,
            label=self.embedder.label,
            version=version or self.embedder.version,
            segmenter=segmenter,
            table=self.table,
            dimensions=self.embedder.dimensions,
            token_dimensions=tokens.token_dimensions if tokens else 0,
            instant=self.embedder.instant,
        )

    def load(self, name: str) -> Embedder:
        """The embedder; keeps a list of what was asked for."""
        self.loaded.append(name)
        return self.embedder

    @property
    def assist(self) -> AssistService:
        """A new service over these stores."""
        return AssistService(self.corpus, vectors=lambda: self.vectors, load=self.load)


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
    assert ready.signals == WORDS_ONLY
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
    assert "letters of 1" in ready.signals
    assert set(ready.match(claim())[0].signals) == {"words", "vectors"}
    assist.prepare(other, cut(other), vectors=True)
    assert stores.loaded == ["letters"]


def test_a_document_that_the_embedder_does_not_know_is_ranked_by_words(stores: Stores) -> None:
    """The others have their vectors, and the signals say that one has none."""
    some = sample("桥梁重新开放。花费很多。AB。", SOURCE)
    stores.keep(some)
    ready = stores.assist.prepare(some, cut(some), vectors=True)
    assert ready.blind == frozenset()
    assert printed_numbers(ready.signals) == [["1", "1", "3"]]  # the embedder; which texts
    found = ready.match(claim(), top=None)
    report = {match.document: set(match.signals) for match in found}
    assert report == {0: {"words"}, 1: {"words", "vectors"}}
    assert {match.document for match in ready.match(claim(), by=Signals.VECTORS)} == {1}
    same(found, stores.assist.match(some, cut(some), claim(), top=None).matches)
    chinese = Anchor(Side.SOURCE, 0, Span(0, 4))
    assert {name for match in ready.match(chinese, top=None) for name in match.signals} == {"words"}


def test_a_query_that_the_embedder_does_not_know_is_ranked_by_words(stores: Stores) -> None:
    """A number has no letters, so its sentence has no vector here."""
    some = sample(SOURCE, summary="2 0. It was loved by all who came to see it, and that was many.")
    stores.keep(some)
    ready = stores.assist.prepare(some, cut(some), vectors=True)
    number = Anchor(Side.SUMMARY, 0, Span(0, 3))
    assert set(ready.match(number, top=None)[0].signals) == {"words"}


def test_words_that_were_counted_are_not_counted_again(stores: Stores) -> None:
    """What was made ready without vectors gets them, and ranks as if made in one go."""
    some = sample(SOURCE)
    stores.keep(some)
    assist = stores.assist
    counted = assist.prepare(some, cut(some), vectors=False)
    full = assist.prepare(some, cut(some), vectors=True, words=counted)
    assert full.sides[Side.SOURCE].lexicon is counted.sides[Side.SOURCE].lexicon
    again = assist.prepare(some, cut(some), vectors=True)
    assert full.match(claim(), top=None) == again.match(claim(), top=None)
    assert counted.signals == WORDS_ONLY


def test_samples_of_unknown_scripts_say_why(stores: Stores) -> None:
    """Where a whole side is unknown there is nothing to wait for."""
    for some in (
        sample("桥梁重新开放。", summary="桥梁开放。"),
        sample("桥梁重新开放。花费很多。"),
    ):
        stores.keep(some)
        with pytest.raises(Unavailable):
            stores.assist.prepare(some, cut(some), vectors=True)
        found = stores.assist.match(some, cut(some), Anchor(Side.SUMMARY, 0, Span(0, 3)))
        assert found.signals.startswith(f"{WORDS_ONLY}: the model letters of 1 ")


def test_a_workspace_without_vectors_says_so(stores: Stores) -> None:
    """The hint makes them."""
    some = sample(SOURCE)
    stores.corpus.use_vector_set("")
    with pytest.raises(Unavailable) as report:
        stores.assist.prepare(some, cut(some), vectors=True)
    assert "lab vectors rebuild" in report.value.hint


def test_vectors_of_another_version_are_refused(stores: Stores) -> None:
    """A query of one embedder means nothing among vectors of another, nor other segments'."""
    some = sample(SOURCE)
    stores.keep(some)
    for other in (stores.set(version="of last year"), stores.set(segmenter="of last year")):
        stores.corpus.keep_vector_set(other)
        stores.corpus.use_vector_set(other.table)
        with pytest.raises(Unavailable):
            stores.assist.prepare(some, cut(some), vectors=True)


def test_vectors_of_an_older_store_are_known_by_their_table(stores: Stores) -> None:
    """It does not say which version and segmenter made them, but the name of their table does."""
    some = sample(SOURCE)
    stores.keep(some)
    unsaid = replace(stores.set(), version="", segmenter="")
    stores.corpus.keep_vector_set(unsaid)
    stores.corpus.use_vector_set(unsaid.table)
    assert stores.assist.prepare(some, cut(some), vectors=True).selection_vectors is not None
    stores.corpus.keep_vector_set(replace(unsaid, table="letters-of-last-year"))
    stores.corpus.use_vector_set("letters-of-last-year")
    with pytest.raises(Unavailable):
        stores.assist.prepare(some, cut(some), vectors=True)


def test_pending_vectors_are_reported_with_their_share(stores: Stores) -> None:
    """Until all texts have vectors, the error states the share of texts that have some."""
    some = sample(SOURCE, LATER)
    stores.corpus.add([NewSample(some, cut(some))], segmenter=SEGMENTER)
    with pytest.raises(VectorsPending) as undecided:
        stores.assist.prepare(some, cut(some), vectors=True)
    assert undecided.value.percent == 0
    stores.corpus.keep_vector_set(stores.set())
    stores.corpus.use_vector_set(stores.table)
    with pytest.raises(VectorsPending):  # the set is in use, but its table is not yet written
        stores.assist.prepare(some, cut(some), vectors=True)
    first = sample(SOURCE, summary="")
    stores.keep(first)
    stores.corpus.mark_embedded(stores.table, [first.documents[0].sha256])
    with pytest.raises(VectorsPending) as begun:
        stores.assist.prepare(some, cut(some), vectors=True)
    assert begun.value.percent == 33
    found = stores.assist.match(some, cut(some), Anchor(Side.SUMMARY, 0, Span(0, 10)))
    assert found.matches
    assert "33 %" in found.signals


def test_a_sample_without_vectors_says_so(stores: Stores) -> None:
    """Ingest may not have come to it yet."""
    some = sample(LATER)
    stores.keep(sample(SOURCE))
    with pytest.raises(Unavailable):
        stores.assist.prepare(some, cut(some), vectors=True)


def test_the_command_goes_on_with_words(stores: Stores) -> None:
    """Where vectors are missing, the signals give the reason."""
    some = sample(SOURCE)
    found = stores.assist.match(some, cut(some), claim())
    assert texts(some, Side.SOURCE, found.matches)[0] == "The work cost 12 million pounds."
    assert found.signals.startswith(f"{WORDS_ONLY}: ")


# stored meaning ---------------------------------------------------------------------------------


def test_stored_tokens_stand_in_for_the_embedder() -> None:
    """A selection means its tokens; nothing is embedded when it is asked for."""
    some = sample(LATER, SOURCE)
    made = embed_sample(some, cut(some), Signs())
    assert made.embedder is None
    ready = prepare_sample(some, cut(some), made)
    found = ready.match(claim(), top=None)
    assert texts(some, Side.SOURCE, found)[0] == "The work cost 12 million pounds."
    assert set(found[0].signals) == {"words", "vectors", "tokens"}
    assert found[0].signals["tokens"] > found[1].signals["tokens"]
    assert set(ready.match(claim(), by=Signals.VECTORS)[0].signals) == {"vectors", "tokens"}
    later = LATER.index("The works")
    back = ready.match(Anchor(Side.SOURCE, 0, Span(later, later + 30)))
    assert {match.document for match in back} == {0}


def test_a_selection_over_sentences_means_all_their_tokens() -> None:
    """Of the later documents of a side as well."""
    some = sample(LATER, SOURCE)
    ready = prepare_sample(some, cut(some), embed_sample(some, cut(some), Signs()))
    anchor = Anchor(Side.SOURCE, 1, Span(SOURCE.index("Saturday"), SOURCE.index("work") + 4))
    asked = ready.query(anchor)
    assert asked is not None
    meaning = ready.selection_vectors(asked, anchor)
    assert meaning is not None
    assert meaning.tokens is not None
    report = zip(meaning.tokens.words, meaning.tokens.emphasis.tolist(), strict=True)
    assert [word for word, weight in report if weight == 1] == ["saturday", "the", "work"]


def test_stored_sentences_stand_in_where_there_are_no_tokens() -> None:
    """The vectors of the sentences that are touched; of an unknown side nothing is known."""

    class Far(Letters):
        instant = False

    some = sample(SOURCE)
    ready = prepare_sample(some, cut(some), embed_sample(some, cut(some), Far()))
    anchor = claim("loved")
    asked = ready.query(anchor)
    assert asked is not None
    meaning = ready.selection_vectors(asked, anchor)
    assert meaning is not None
    assert meaning.vector.tolist() == pytest.approx(Far().embed(["It was loved."])[0].tolist())
    assert set(ready.match(anchor, top=None)[0].signals) == {"words", "sentences"}
    mixed = sample("桥梁重新开放。花费很多。")
    blind = prepare_sample(mixed, cut(mixed), embed_sample(mixed, cut(mixed), Far()))
    assert blind.blind == {Side.SOURCE}
    for asking in (claim(), Anchor(Side.SOURCE, 0, Span(0, 4))):
        assert set(blind.match(asking, top=None)[0].signals) == {"words"}


# one kind of signal ------------------------------------------------------------------------------


def test_each_kind_of_signal_ranks_alone(stores: Stores) -> None:
    """In memory and through the store, and the texts say what ranked."""
    some = sample(SOURCE)
    stores.keep(some)
    assist = stores.assist
    ready = assist.prepare(some, cut(some), vectors=True)
    for by, said in ((Signals.WORDS, WORDS_ONLY), (Signals.VECTORS, "letters of 1")):
        found = assist.match(some, cut(some), claim(), by=by, top=None)
        assert found.signals == ready.describe_signals(by)
        assert found.signals.startswith(said)
        assert {name for match in found.matches for name in match.signals} == {by.value}
        same(found.matches, ready.match(claim(), by=by, top=None))


def test_words_alone_need_no_vectors(stores: Stores) -> None:
    """No reason is told where nothing is missing, and no embedder is loaded."""
    some = sample(SOURCE)
    found = stores.assist.match(some, cut(some), claim(), by=Signals.WORDS)
    assert found.signals == WORDS_ONLY
    assert found.matches
    assert stores.loaded == []


def test_vectors_alone_find_nothing_where_there_are_none(stores: Stores) -> None:
    """They do not fall back to words, and say why."""
    some = sample(SOURCE)
    ready = stores.assist.prepare(some, cut(some), vectors=False)
    assert ready.match(claim(), by=Signals.VECTORS, top=None) == ()
    assert ready.describe_signals(Signals.VECTORS) == NO_VECTORS
    found = stores.assist.match(some, cut(some), claim(), by=Signals.VECTORS)
    assert found.matches == ()
    assert found.signals.startswith(f"{NO_VECTORS}: ")


# one ranking ------------------------------------------------------------------------------------


def same(one: Sequence[Match], other: Sequence[Match]) -> None:
    """Both name the same segments in the same order with the same scores."""
    assert [(each.document, each.segment) for each in one] == [
        (each.document, each.segment) for each in other
    ]
    assert [each.score for each in one] == [each.score for each in other]


def test_lancedb_ranks_as_memory_does(stores: Stores) -> None:
    """The filtered search and the product in memory are one ranking, twins of a text included."""
    some = sample(SOURCE, LATER, SOURCE)
    stores.keep(some, sample("Another source that is not searched. Nor is this."))
    assist = stores.assist
    for anchor in (claim(), claim("It was loved"), Anchor(Side.SOURCE, 1, Span(0, 10))):
        ready = assist.prepare(some, cut(some), vectors=True)
        found = assist.match(some, cut(some), anchor, top=None)
        same(found.matches, ready.match(anchor, top=None))
        assert "letters of 1" in found.signals
        assert WORDS_ONLY not in found.signals


def test_lancedb_ranks_as_memory_does_with_tokens(tmp_path: Path) -> None:
    """The vector of a selection is lifted to where LanceDB keeps those of sentences."""
    kept = Stores(tmp_path, Signs())
    some = sample(SOURCE, LATER, SOURCE)
    kept.keep(some, sample("Another source that is not searched. Nor is this."))
    assist = kept.assist
    for by in Signals:
        for anchor in (claim(), claim("It was loved"), Anchor(Side.SOURCE, 1, Span(0, 10))):
            ready = assist.prepare(some, cut(some), vectors=True)
            found = assist.match(some, cut(some), anchor, top=None, by=by)
            same(found.matches, ready.match(anchor, top=None, by=by))
            in_memory = prepare_sample(some, cut(some), embed_sample(some, cut(some), Signs()))
            same(found.matches, in_memory.match(anchor, top=None, by=by))
    assert kept.loaded == []


def test_a_sample_whose_tokens_are_missing_says_so(tmp_path: Path) -> None:
    """As one without vectors does."""
    kept = Stores(tmp_path, Signs())
    some = sample(SOURCE)
    kept.keep(some)
    kept.vectors.discard(kept.table, [document.sha256 for document in some.documents])
    with pytest.raises(Unavailable):
        kept.assist.prepare(some, cut(some), vectors=True)


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
