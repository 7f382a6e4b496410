"""Neural vectors: the rates of the engines and of ingest, and what savings cost.

Needs torch and the weights of all-MiniLM-L6-v2; gives no rows without them. Real Mercury exports
are looked for as bench_assist does; without them the project's own data is embedded. The variables
`OMP_NUM_THREADS` and `OPENBLAS_NUM_THREADS` limit the threads of the engines.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench_assist import LEAST, SAMPLES, SHARED
from benchmarks.report import Row
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Document, Segment
from tui_annotate.lab.assist.evaluation import EvidenceChoice, collect_choices
from tui_annotate.methods.evaluation import figures_by_query
from tui_annotate.methods.matching import find_touched_segments
from tui_annotate.methods.segmentation import segment
from tui_annotate.plugins import registry
from tui_annotate.plugins.embedders import minilm
from tui_annotate.plugins.embedders.encoder import LONG, Encoder, EncoderInput
from tui_annotate.plugins.embedders.minilm import MiniLmEncoder
from tui_annotate.plugins.embedders.neural import NeuralEmbedder
from tui_annotate.plugins.model_weights import find_weights
from tui_annotate.plugins.protocols import ImportOptions, TokenEmbedder
from tui_annotate.services.assist.sample import side_segments
from tui_annotate.services.ingest import IngestService
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.sqlite_database import SqliteDatabase
from tui_annotate.storage.vectors.store import VectorStore

BATCH = 32
TURNS = 2
COMPARED = 512
"""Sentences that every engine embeds."""
TORCH = "PyTorch"


def rows() -> list[Row]:
    """The rates and their ratio, bytes a segment, and what half precision costs in ranking."""
    if registry.best_embedder() != "neural" or find_spec("sentence_transformers") is None:
        return []
    records = real_records()
    embedder = registry.load("embedders", "neural")
    assert isinstance(embedder, TokenEmbedder)
    texts = list_segments(records)
    embedder.embed_tokens(texts[:BATCH])  # what is made once, and libraries' first steps
    # In turn, the better of each: a busy machine slows both.
    turns = [(_alone(texts), _ingested(records, embedder, len(texts))) for _ in range(TURNS)]
    alone = min(seconds for seconds, _ in turns)
    seconds, size = min(ours for _, ours in turns)
    return [
        Row(f"segments embedded ({len(texts):,})", len(texts)),
        Row("sentence-transformers alone, sorted batches", len(texts) / alone, unit="a second"),
        Row("ingest with token vectors, from segments", len(texts) / seconds, unit="a second"),
        Row("ingest against sentence-transformers alone", alone / seconds, 0.85, kind="at least"),
        Row("vectors on disk, a segment", size / len(texts), unit="bytes"),
        *compare_engines(texts[:: max(len(texts) // COMPARED, 1)]),
        *_losses(records, embedder),
    ]


def compare_engines(texts: Sequence[str]) -> Iterator[Row]:
    """Sentences a second of processor time in turns of one run, and differences of vectors."""
    engines = _load_engines()
    vectors = {name: _encode(embedder, texts) for name, embedder in engines.items()}
    spent = dict.fromkeys(engines, float("inf"))
    for _ in range(TURNS):
        for name, embedder in engines.items():
            began = time.process_time()
            embedder.embed_tokens(texts)
            spent[name] = min(spent[name], time.process_time() - began)
    for name in engines:
        yield Row(f"{name}: sentences with tokens", len(texts) / spent[name], unit="a CPU second")
    for name in [name for name in engines if name != TORCH]:
        least = 1 if name == "onnxruntime" else None
        ratio = spent[TORCH] / spent[name]
        yield Row(f"{name} against PyTorch", ratio, least, unit="times", kind="at least")
        largest = max(map(_difference, vectors[name], vectors[TORCH]))
        yield Row(f"{name} against PyTorch: 1 - cosine, millionths", 1e6 * largest, 1)


def _load_engines() -> dict[str, NeuralEmbedder]:
    """The embedder on PyTorch, on NumPy, and on onnxruntime if it is installed."""
    found = find_weights("")
    on_numpy = MiniLmEncoder(found)
    tensors = minilm.map_tensors(found.folder / "model.safetensors")
    on_numpy._compute_states, on_numpy._threads = minilm.start_numpy(tensors), 1
    engines: dict[str, Encoder | MiniLmEncoder] = {TORCH: Encoder(found), "NumPy": on_numpy}
    if find_spec("onnxruntime"):
        engines["onnxruntime"] = MiniLmEncoder(found)
    embedders = {name: NeuralEmbedder() for name in engines}
    for name, embedder in embedders.items():
        embedder._encoder = engines[name]
        embedder.embed_tokens(["What is made once is made before."])
    return embedders


def _encode(embedder: NeuralEmbedder, texts: Sequence[str]) -> list[NDArray[np.float32]]:
    """The vectors of sentences, and those of word pieces before they are rounded to bytes."""
    cut = [own.ids for own in embedder._encoder.cutter.cut(texts) if 0 < len(own.ids) <= LONG]
    rows = [EncoderInput(ids, 0, range(len(ids))) for ids in cut]
    made = [
        embedder._encoder.encode(rows[at : at + BATCH], None) for at in range(0, len(rows), BATCH)
    ]
    return [np.concatenate(each) for each in zip(*made, strict=True)]


def _difference(left: NDArray[np.float32], right: NDArray[np.float32]) -> float:
    """The largest 1 - cosine of two arrays of vectors."""
    one, two = left.astype(np.float64), right.astype(np.float64)
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(two, axis=1)
    return float((1 - (one * two).sum(axis=1) / lengths).max())


def real_records() -> list[Record]:
    """What real people annotated, where it is there; else the project's own."""
    files = sorted((SHARED / "data" / "faithbench").glob("batch_*_annotation.json"))
    importer = registry.load("importers", "mercury")
    return [
        each
        for file in files or [SAMPLES / "gold.json"]
        for each in importer.read(file, ImportOptions())
        if isinstance(each, Record)
    ]


def list_segments(records: Sequence[Record]) -> list[str]:
    """The segments of all distinct documents."""
    documents = {each.sha256: each for record in records for each in record.sample.documents}
    return [
        document.text[own.start : own.end]
        for document in documents.values()
        for own in segment(document.text, document.language)
    ]


def _alone(texts: Sequence[str]) -> float:
    """Seconds of the library's own encode, with the same weights, threads and batch size."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(find_weights("").folder), local_files_only=True)
    model.encode(list(texts[:BATCH]), show_progress_bar=False)
    ordered = sorted(texts, key=len)
    began = time.perf_counter()
    model.encode(ordered, batch_size=BATCH, show_progress_bar=False)
    return time.perf_counter() - began


def _ingested(records: list[Record], embedder: TokenEmbedder, segments: int) -> tuple[float, int]:
    """Seconds from stored segments to stored vectors, and the bytes that these take."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        database = SqliteDatabase.create(folder / "store.sqlite")
        ingest = IngestService(
            CorpusStore(database),
            AnnotationStore(database),
            lambda: VectorStore(folder / "vectors"),
            load=giving(embedder),
        )
        ingest.run(records, embedder="none")
        began = time.perf_counter()
        ingest.sets.rebuild(embedder="neural")
        seconds = time.perf_counter() - began
        size = sum(path.stat().st_size for path in (folder / "vectors").rglob("*.lance"))
        assert size > segments * embedder.dimensions
    return seconds, size


def giving(embedder: TokenEmbedder) -> Callable[..., TokenEmbedder]:
    """Gives an embedder that is loaded, whatever is asked for."""

    def load(_: str, **__: Any) -> TokenEmbedder:
        return embedder

    return load


def _losses(records: list[Record], embedder: TokenEmbedder) -> Iterator[Row]:
    """How far half precision falls behind single, where the vectors of segments rank alone.

    In the app both ways to a cosine are of half precision, so that they agree to the last digit.
    """
    documents = {each.sha256: each for record in records for each in record.sample.documents}
    vectors = {
        name: embedder.embed([each.text[own.start : own.end] for own in _cut(each)])
        for name, each in documents.items()
    }
    for direction, least in LEAST.items():
        asked = collect_choices(records, least=least)[direction]
        single, half = (
            float(figures_by_query([_rank(choice, vectors, kind) for choice in asked])[:, 3].mean())
            for kind in (np.float32, np.float16)
        )
        way = direction.replace("_", " ")
        lost = 100 * (single - half)
        yield Row(f"vectors of sentences alone, {way}: mrr", single)
        yield Row(
            f"vectors of sentences alone, {way}: mrr lost by half precision", lost, 0.1, "points"
        )


def _cut(document: Document) -> Sequence[Segment]:
    return segment(document.text, document.language)


def searched_segments(choice: EvidenceChoice) -> Iterator[tuple[int, int, Segment]]:
    """The segments that are searched: index of the document, index in it, the segment."""
    for document, cut in enumerate(
        side_segments(choice.sample, choice.segments, choice.chosen.side)
    ):
        for index, own in enumerate(cut):
            yield document, index, own


def _rank(
    choice: EvidenceChoice, vectors: Mapping[str, NDArray[np.float32]], kind: type[np.floating[Any]]
) -> int | None:
    """The place of what people chose, by the cosine with the sentences that were selected."""
    names = {each.sha256 for each in choice.sample.documents}
    rounded = {name: vectors[name].astype(kind).astype(np.float32) for name in names}
    document = choice.sample.document(choice.selected.side, choice.selected.index)
    home = find_touched_segments(_cut(document), choice.selected.span)
    asked = rounded[document.sha256][home.start : home.stop].mean(axis=0)
    searched = [rounded[each.sha256] for each in choice.sample.side(choice.chosen.side)]
    places = [*searched_segments(choice)]
    order = np.argsort(-(np.concatenate(searched) @ asked), kind="stable")
    return choice.rank((places[at][0], places[at][2].span) for at in order)
