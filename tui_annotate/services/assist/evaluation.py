"""Evaluates how highly the search for matches ranks the evidence that annotators chose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Document, Sample, Segment, Side
from tui_annotate.domain.spans import Span
from tui_annotate.methods import bootstrap
from tui_annotate.methods.evaluation import (
    KINDS,
    MEASURES,
    classify_query,
    figures_by_query,
    is_hit,
)
from tui_annotate.methods.matching import find_touched_segments
from tui_annotate.methods.segmentation import SEGMENTER, segment
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import Embedder, ImportOptions
from tui_annotate.services.assist.sample import (
    DocumentVectors,
    SampleAssist,
    embed_documents,
    join_documents,
    prepare_sample,
    side_segments,
)
from tui_annotate.services.assist.weights import (
    DIRECTIONS,
    AssistWeights,
    choose_weights,
    use_weights,
)

_Segments = tuple[tuple[Segment, ...], ...]


@dataclass(frozen=True, slots=True)
class EvidenceChoice:
    """Query to evaluate the search for matches: a selected span, and the span to be found."""

    sample: Sample
    segments: _Segments
    selected: Anchor
    chosen: Anchor

    @property
    def text(self) -> str:
        return self.selected.span.of(_document(self.sample, self.selected).text)

    @property
    def texts(self) -> tuple[str, ...]:
        """Hashes of the sample's documents, to recognise queries about the same texts."""
        return tuple(document.sha256 for document in self.sample.documents)

    @property
    def source(self) -> str:
        """Hashes of the sample's sources; queries with equal sources are not independent."""
        return " ".join(document.sha256 for document in self.sample.side(Side.SOURCE))

    def shown(self, side: Side) -> int:
        cuts = side_segments(self.sample, self.segments, side)
        return sum(
            bool(document.text[own.start : own.end].strip())
            for document, cut in zip(self.sample.side(side), cuts, strict=True)
            for own in cut
        )

    @property
    def kinds(self) -> tuple[str, ...]:
        """Categories of an evaluation query, such as `short_span`; the last one is its language."""
        cut = side_segments(self.sample, self.segments, self.chosen.side)[self.chosen.index]
        at = find_touched_segments(cut, self.chosen.span)
        whole = _document(self.sample, self.chosen).text[cut[at[0]].start : cut[at[-1]].end]
        language = _document(self.sample, self.selected).language
        return classify_query(self.text, whole, segments=self.shown(Side.SOURCE), language=language)

    def rank(self, found: Iterable[tuple[int, Span]]) -> int | None:
        """Return the rank (from 1) of the first match that hits the evidence; None if missed."""
        hits = (
            document == self.chosen.index and is_hit(span, self.chosen.span)
            for document, span in found
        )
        return next((rank for rank, hit in enumerate(hits, 1) if hit), None)


def collect_choices(
    records: Iterable[Record], *, least: int = 1
) -> dict[str, list[EvidenceChoice]]:
    """Make a query of each pair of claim and evidence; `least`: minimum number of segments."""
    distinct: dict[tuple[tuple[str, ...], Anchor, Anchor], EvidenceChoice] = {}
    cut = cache(segment)
    for record in records:
        pairs = list(_anchor_pairs(record))
        if not pairs:
            continue
        sample = replace(record.sample, meta={}, imported=None)
        segments = tuple(cut(each.text, each.language) for each in sample.documents)
        for claim, evidence in pairs:
            choice = EvidenceChoice(sample, segments, claim, evidence)
            distinct.setdefault((choice.texts, claim, evidence), choice)
    ordered = [distinct[name] for name in sorted(distinct)]
    both = {
        Side.SUMMARY: ordered,
        Side.SOURCE: [
            replace(each, selected=each.chosen, chosen=each.selected) for each in ordered
        ],
    }
    return {
        direction: [each for each in both[side] if each.shown(side.other) >= least]
        for direction, side in DIRECTIONS.items()
    }


def _anchor_pairs(record: Record) -> Iterator[tuple[Anchor, Anchor]]:
    for owned in record.annotations:
        claims = _trim_anchors(record.sample, owned.annotation.claim)
        evidence = _trim_anchors(record.sample, owned.annotation.evidence)
        yield from ((claim, found) for claim in claims for found in evidence)


def _trim_anchors(sample: Sample, anchors: Sequence[Anchor]) -> list[Anchor]:
    trimmed = [(anchor, anchor.span.trim(_document(sample, anchor).text)) for anchor in anchors]
    return [anchor._replace(span=span) for anchor, span in trimmed if span is not None]


def _document(sample: Sample, anchor: Anchor) -> Document:
    return sample.document(anchor.side, anchor.index)


_BATCH_SEGMENTS = 512
"""Approximate number of sentences for which vectors are computed at once."""
_LANGUAGES = ("en", "zh")

_Name = tuple[str, str]
ProgressCallback = Callable[[str, int, float], None]
"""Function called with a model's name, and the number and fraction of texts embedded so far."""
_Ranks = Mapping[str, Sequence[int | None]]


def evaluate(
    files: Sequence[Path],
    *,
    min_segments: int = 1,
    embedder: str = "auto",
    compare: Sequence[str] = (),
    weights: Sequence[AssistWeights] = (),
    progress: ProgressCallback = lambda *_: None,
) -> dict[str, Any]:
    """Evaluate how well embedders find the evidence in files of annotations (Mercury format).

    `embedder`: a name, or `name:model`; "none": lexical (words only); "auto": the best available.
    `weights`: stored weights, oldest first; the last ones for an embedder rank its matches.

    Raises:
        NotFound, Unavailable: a file or a named embedder cannot be opened.
        InvalidInput: a record is invalid; the message gives its position.
    """
    chosen = [_load_embedder(name) for name in dict.fromkeys([embedder, *compare])]
    asked = collect_choices(_read_records(files), least=min_segments)
    ranks = [_rank_queries(asked, each, progress, weights=weights) for each in chosen]
    parts = {
        direction: _group_queries(own, [found[direction] for found in ranks])
        for direction, own in asked.items()
    }
    first, *others = [
        _embedder_report(parts, at, each) | {"weights": choose_weights(weights, each).version}
        for at, each in enumerate(chosen)
    ]
    return first | {
        "segmenter": SEGMENTER,
        "min_segments": min_segments,
        "sources": {direction: own[""].sources for direction, own in parts.items()},
        "bootstrap": {"level": bootstrap.LEVEL, "draws": bootstrap.DRAWS, "seed": bootstrap.SEED},
        "compared": others,
        "differences": [
            {"embedder": other["embedder"], "against": first["embedder"]} | _differences(parts, at)
            for at, other in enumerate(others, 1)
        ],
    }


@dataclass(frozen=True, slots=True)
class QueryGroup:
    """Search results of several embedders or weights for the same queries.

    `gains`: array (queries, embedders, measures), the measures in the order of `MEASURES`;
    `means`: (bootstrap resamples, embedders, measures).
    """

    sources: int
    gains: NDArray[np.float64]
    means: NDArray[np.float64] | None

    @classmethod
    def of(cls, sources: Sequence[str], found: NDArray[np.float64]) -> Self:
        return cls(len(set(sources)), found, bootstrap.resample(found, sources))

    def figures(self, at: int) -> dict[str, Any]:
        count = len(self.gains)
        means = self.gains[:, at].sum(axis=0) / max(count, 1)
        return {"queries": count, **dict(zip(MEASURES, map(float, means), strict=False))}

    def intervals(self, at: int) -> dict[str, list[float]] | None:
        if self.means is None:
            return None
        columns = zip(MEASURES, self.means[:, at].T, strict=False)
        return {name: [*bootstrap.percentile_interval(column)] for name, column in columns}

    def difference(self, at: int) -> dict[str, Any]:
        figures: dict[str, Any] = {"queries": len(self.gains), "sources": self.sources}
        own, first = self.figures(at), self.figures(0)
        for place, name in enumerate(MEASURES[: self.gains.shape[2]]):
            between = None
            if self.means is not None:
                between = bootstrap.percentile_interval(
                    self.means[:, at, place] - self.means[:, 0, place]
                )
            figures[name] = {
                "difference": own[name] - first[name],
                "interval": [*between] if between else None,
                "excludes_zero": bool(between and between.excludes_zero),
            }
        return figures


def _group_queries(
    asked: Sequence[EvidenceChoice], ranks: Sequence[Sequence[int | None]]
) -> dict[str, QueryGroup]:
    found = np.stack([figures_by_query(own) for own in ranks], axis=1)
    sources = [each.source for each in asked]
    kinds = [each.kinds for each in asked]
    languages = sorted({own[-1] for own in kinds} - {*_LANGUAGES})
    parts = {"": QueryGroup.of(sources, found)}
    for name in (*chain.from_iterable(KINDS), *_LANGUAGES, *languages):
        at = [place for place, own in enumerate(kinds) if name in own]
        parts[name] = QueryGroup.of([sources[place] for place in at], found[at])
    return parts


def _embedder_report(
    parts: Mapping[str, Mapping[str, QueryGroup]], at: int, embedder: Embedder | None
) -> dict[str, Any]:
    return {
        **{direction: own[""].figures(at) for direction, own in parts.items()},
        "embedder": f"{embedder.name} {embedder.version}" if embedder else "none",
        "model": embedder.label if embedder else "",
        "intervals": {direction: own[""].intervals(at) for direction, own in parts.items()},
        "slices": {
            direction: {
                name: part.figures(at) | {"sources": part.sources, "intervals": part.intervals(at)}
                for name, part in own.items()
                if name
            }
            for direction, own in parts.items()
        },
    }


def _differences(parts: Mapping[str, Mapping[str, QueryGroup]], at: int) -> dict[str, Any]:
    whole = {direction: own[""].difference(at) for direction, own in parts.items()}
    slices = {
        direction: {name: part.difference(at) for name, part in own.items() if name}
        for direction, own in parts.items()
    }
    return {**whole, "slices": slices}


def _rank_queries(
    asked: Mapping[str, Sequence[EvidenceChoice]],
    embedder: Embedder | None,
    report_progress: ProgressCallback,
    *,
    weights: Sequence[AssistWeights],
) -> _Ranks:
    ranks: dict[str, list[int | None]] = {name: [None] * len(own) for name, own in asked.items()}
    samples: dict[tuple[str, ...], list[tuple[str, int]]] = {}
    for direction, own in asked.items():
        for at, choice in enumerate(own):
            samples.setdefault(choice.texts, []).append((direction, at))
    # Sort by hashes, sources first, so that summaries of one source are adjacent.
    groups = [samples[texts] for texts in sorted(samples)]
    opened = _prepare_samples(
        [asked[direction][at] for (direction, at), *_ in groups], embedder, report_progress
    )
    for places, made in zip(groups, opened, strict=True):
        ready = use_weights(made, choose_weights(weights, embedder))
        for direction, at in places:
            choice = asked[direction][at]
            found = ready.match(choice.selected, top=None)
            ranks[direction][at] = choice.rank((match.document, match.span) for match in found)
    return ranks


def _prepare_samples(
    some: Sequence[EvidenceChoice], embedder: Embedder | None, report_progress: ProgressCallback
) -> Iterator[SampleAssist]:
    if embedder is None:
        yield from (prepare_sample(each.sample, each.segments) for each in some)
        return
    waiting = Counter(name for each in some for name, _ in _named_documents(each))
    made: dict[_Name, DocumentVectors] = {}
    done = 0
    report_progress(embedder.label, done, 0.0)
    for at, each in enumerate(some):
        names = [name for name, _ in _named_documents(each)]
        if not made.keys() >= {*names}:
            new = _next_batch(some[at:], made)
            vectors = embed_documents([*new.values()], embedder)
            made.update(zip(new, vectors, strict=True))
            done += len(new)
            report_progress(embedder.label, done, done / len(waiting))
        own = join_documents(each.sample, [made[name] for name in names], embedder)
        yield prepare_sample(each.sample, each.segments, own)
        waiting.subtract(names)
        for name in names:
            if not waiting[name]:
                made.pop(name, None)


def _next_batch(
    some: Sequence[EvidenceChoice], made: Mapping[_Name, DocumentVectors]
) -> dict[_Name, Sequence[str]]:
    new: dict[_Name, Sequence[str]] = {}
    size = 0
    for each in some:
        for name, (document, cut) in _named_documents(each):
            if name not in made and name not in new:
                new[name] = [document.text[own.start : own.end] for own in cut]
                size += len(cut)
        if size >= _BATCH_SEGMENTS:
            break
    return new


def _named_documents(
    choice: EvidenceChoice,
) -> Iterator[tuple[_Name, tuple[Document, Sequence[Segment]]]]:
    for document, cut in zip(choice.sample.documents, choice.segments, strict=True):
        yield (document.sha256, document.language), (document, cut)


def _load_embedder(name: str) -> Embedder | None:
    if name == "none":
        return None
    if name != "auto":
        kind = name.partition(":")[0]
        if kind in registry.plugin_names("embedders") and registry.has_cost(kind):
            raise InvalidInput(
                f"the embedder {name!r} calls an endpoint; an evaluation never calls endpoints",
                "use one of the embedders static, neural, neural:FOLDER or none",
            )
        return registry.load_embedder(name)
    for each in dict.fromkeys([registry.best_embedder(), "static"]):
        try:
            return registry.load_embedder(each)
        except Unavailable:
            continue
    return None


def _read_records(files: Sequence[Path]) -> Iterator[Record]:
    importer = registry.load("importers", "mercury")
    for file in files:
        for item in importer.read(file, ImportOptions()):
            if isinstance(item, Record):
                yield item
            elif item.refused:
                raise InvalidInput(str(item), item.hint or "fix the file, or remove the record")
