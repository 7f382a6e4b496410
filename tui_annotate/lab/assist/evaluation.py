"""Evaluates how highly the search for matches ranks the evidence that annotators chose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.domain.records import Record
from tui_annotate.domain.sample_clusters import join_clusters
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
from tui_annotate.plugins.format_detection import detect
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

ORIGINS: Final = (("suggested_work", "other_work"), ("from_match", "not_from_match"))
"""Opposite kinds of queries, by whether a machine proposed what people chose."""
SHOWN: Final = 5
"""Maximum number of matches that the screen displays, each of at least the lowest strength."""

_Segments = tuple[tuple[Segment, ...], ...]


@dataclass(frozen=True, slots=True)
class EvidenceChoice:
    """Query to evaluate the search for matches: a selected span, and the span to be found.

    Attributes:
        suggested: whether each person who chose the pair accepted it from a suggestion.
        from_match: whether each person took the evidence from a match that the assist displayed.
    """

    sample: Sample
    segments: _Segments
    selected: Anchor
    chosen: Anchor
    suggested: bool = False
    from_match: bool = False

    @property
    def text(self) -> str:
        """The selected text, which is the query."""
        return self.selected.span.of(_document(self.sample, self.selected).text)

    @property
    def texts(self) -> tuple[str, ...]:
        """Hashes of the sample's documents, to recognise queries about the same texts."""
        return tuple(document.sha256 for document in self.sample.documents)

    @property
    def sources(self) -> tuple[str, ...]:
        """Hashes of the sample's sources; queries that share a source are not independent."""
        return tuple(document.sha256 for document in self.sample.side(Side.SOURCE))

    def shown(self, side: Side) -> int:
        """Return the number of a side's segments that contain more than white space."""
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
        kinds = classify_query(
            self.text, whole, segments=self.shown(Side.SOURCE), language=language
        )
        flags = (self.suggested, self.from_match)
        return (
            *(pair[0] if flag else pair[1] for pair, flag in zip(ORIGINS, flags, strict=True)),
            *kinds,
        )

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
        for annotation, claim, evidence in pairs:
            choice = EvidenceChoice(
                sample,
                segments,
                claim,
                evidence,
                suggested=annotation.suggested is not None,
                from_match=annotation.trace is not None
                and any(place.rank for place in annotation.trace.places),
            )
            name = choice.texts, claim, evidence
            # A pair is independent of a machine if one person chose it without the machine.
            if before := distinct.get(name):
                choice = replace(
                    before,
                    suggested=before.suggested and choice.suggested,
                    from_match=before.from_match and choice.from_match,
                )
            distinct[name] = choice
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


def _anchor_pairs(record: Record) -> Iterator[tuple[Annotation, Anchor, Anchor]]:
    for owned in record.annotations:
        claims = _trim_anchors(record.sample, owned.annotation.claim)
        evidence = _trim_anchors(record.sample, owned.annotation.evidence)
        yield from ((owned.annotation, claim, found) for claim in claims for found in evidence)


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


class _RankedQueries(NamedTuple):
    """Ranks of the first hit of each query: among all sentences, and among displayed matches.

    `blank`: for how many queries the screen displays no match.
    """

    all: list[int | None]
    screen: list[int | None]
    blank: int


def evaluate(
    files: Sequence[Path | str],
    *,
    min_segments: int = 1,
    embedder: str = "auto",
    compare: Sequence[str] = (),
    weights: Sequence[AssistWeights] = (),
    without_suggested_work: bool = False,
    progress: ProgressCallback = lambda *_: None,
) -> dict[str, Any]:
    """Evaluate how well embedders find the evidence in files of annotations.

    The files have the format Mercury or native; only native files record suggestions and displayed
    matches. `embedder`: a name, or `name:model`; "none": lexical (words only); "auto": the best
    available. `weights`: stored weights, oldest first; the last ones for an embedder rank its
    matches. `without_suggested_work`: whether to exclude pairs that only suggestions proposed.

    Raises:
        NotFound, Unavailable: a file or a named embedder cannot be opened.
        InvalidInput: a record is invalid; the message gives its position.
    """
    chosen = [_load_embedder(name) for name in dict.fromkeys([embedder, *compare])]
    asked = collect_choices(_read_records([*map(Path, files)]), least=min_segments)
    suggested = {name: sum(each.suggested for each in own) for name, own in asked.items()}
    if without_suggested_work:
        asked = {name: [each for each in own if not each.suggested] for name, own in asked.items()}
    ranks = [_rank_queries(asked, each, progress, weights=weights) for each in chosen]
    parts = {
        direction: _group_queries(own, [found[direction].all for found in ranks])
        for direction, own in asked.items()
    }
    screens = {
        direction: _group_all(own, [found[direction].screen for found in ranks])
        for direction, own in asked.items()
    }
    first, *others = [
        _embedder_report(parts, at, each)
        | {
            "screen": {
                direction: screen.figures(at)
                | {"blank": ranks[at][direction].blank, "intervals": screen.intervals(at)}
                for direction, screen in screens.items()
            },
            "weights": choose_weights(weights, each).version,
        }
        for at, each in enumerate(chosen)
    ]
    return first | {
        "segmenter": SEGMENTER,
        "min_segments": min_segments,
        "suggested": suggested,
        "without_suggested_work": without_suggested_work,
        "from_match": {
            direction: sum(each.from_match for each in own) for direction, own in asked.items()
        },
        "sources": {direction: own[""].sources for direction, own in parts.items()},
        "clusters": {direction: own[""].clusters for direction, own in parts.items()},
        "bootstrap": bootstrap.PARAMETERS,
        "compared": others,
        "differences": [
            {"embedder": other["embedder"], "against": first["embedder"]} | _differences(parts, at)
            for at, other in enumerate(others, 1)
        ],
    }


@dataclass(frozen=True, slots=True)
class QueryGroup:
    """Search results of several embedders or weights for the same queries.

    `sources`, `clusters`: numbers of different sources, and of clusters of sources that share a
    document; `gains`: array (queries, embedders, measures), the measures in the order of
    `MEASURES`; `means`: (bootstrap resamples, embedders, measures).
    """

    sources: int
    clusters: int
    gains: NDArray[np.float64]
    means: NDArray[np.float64] | None

    @classmethod
    def of(
        cls, sources: Sequence[Hashable], clusters: Sequence[str], *, found: NDArray[np.float64]
    ) -> Self:
        """Resample the results `found`, an array (queries, embedders, measures), by clusters."""
        return cls(
            len(set(sources)),
            bootstrap.count_clusters(clusters),
            found,
            bootstrap.resample(found, clusters),
        )

    def figures(self, at: int) -> dict[str, Any]:
        """Return the number of queries and the measures of one embedder; None without queries."""
        count = len(self.gains)
        names = MEASURES[: self.gains.shape[2]]
        if not count:
            return {"queries": 0, **dict.fromkeys(names)}
        means = self.gains[:, at].mean(axis=0)
        return {"queries": count, **dict(zip(names, map(float, means), strict=True))}

    def intervals(self, at: int) -> dict[str, list[float]] | None:
        """Return an embedder's 95 % interval [low, high] by measure; None without resamples."""
        if self.means is None:
            return None
        columns = zip(MEASURES, self.means[:, at].T, strict=False)
        return {name: [*bootstrap.percentile_interval(column)] for name, column in columns}

    def difference(self, at: int) -> dict[str, Any]:
        """Return by how much an embedder's measures exceed the first one's, with intervals."""
        figures: dict[str, Any] = {
            "queries": len(self.gains),
            "sources": self.sources,
            "clusters": self.clusters,
        }
        own, first = self.figures(at), self.figures(0)
        for place, name in enumerate(MEASURES[: self.gains.shape[2]]):
            between = None
            if self.means is not None:
                between = bootstrap.percentile_interval(
                    self.means[:, at, place] - self.means[:, 0, place]
                )
            figures[name] = {
                "difference": own[name] - first[name] if len(self.gains) else None,
                "interval": [*between] if between else None,
                "excludes_zero": bool(between and between.excludes_zero),
            }
        return figures


def _group_all(
    asked: Sequence[EvidenceChoice], ranks: Sequence[Sequence[int | None]]
) -> QueryGroup:
    sources = [each.sources for each in asked]
    found = np.stack([figures_by_query(own) for own in ranks], axis=1)
    return QueryGroup.of(sources, join_clusters(sources), found=found)


def _group_queries(
    asked: Sequence[EvidenceChoice], ranks: Sequence[Sequence[int | None]]
) -> dict[str, QueryGroup]:
    found = np.stack([figures_by_query(own) for own in ranks], axis=1)
    sources = [each.sources for each in asked]
    clusters = join_clusters(sources)
    kinds = [each.kinds for each in asked]
    languages = sorted({own[-1] for own in kinds} - {*_LANGUAGES})
    parts = {"": QueryGroup.of(sources, clusters, found=found)}
    for name in (*chain.from_iterable((*KINDS, *ORIGINS)), *_LANGUAGES, *languages):
        at = [place for place, own in enumerate(kinds) if name in own]
        parts[name] = QueryGroup.of(
            [sources[place] for place in at], [clusters[place] for place in at], found=found[at]
        )
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
                name: part.figures(at)
                | {
                    "sources": part.sources,
                    "clusters": part.clusters,
                    "intervals": part.intervals(at),
                }
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
) -> dict[str, _RankedQueries]:
    ranks: dict[str, list[int | None]] = {name: [None] * len(own) for name, own in asked.items()}
    screens = {name: list(own) for name, own in ranks.items()}
    blank = Counter[str]()
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
            shown = [match for match in found[:SHOWN] if match.strength]
            ranks[direction][at] = choice.rank((match.document, match.span) for match in found)
            screens[direction][at] = choice.rank((match.document, match.span) for match in shown)
            blank[direction] += not shown
    return {name: _RankedQueries(ranks[name], screens[name], blank[name]) for name in asked}


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
    for file in files:
        importer = registry.load("importers", _file_format(file))
        for item in importer.read(file, ImportOptions()):
            if isinstance(item, Record):
                yield item
            elif item.refused:
                raise InvalidInput(str(item), item.hint or "fix the file, or remove the record")


def _file_format(file: Path) -> str:
    """Return `native` for a native file, else `mercury`, whose reader reports what it refuses."""
    try:
        return "native" if detect(file) == "native" else "mercury"
    except InvalidInput:
        return "mercury"
