"""Refits the weights of the assist's signals on the evidence that people accepted in a workspace.

The new weights are compared with the built-in weights on sources that the fit did not see.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tui_annotate.domain.annotations import ADJUDICATED, HUMAN
from tui_annotate.domain.errors import Conflict, Damaged, NotReady
from tui_annotate.domain.keyword_names import check_keywords
from tui_annotate.domain.people import Actor
from tui_annotate.domain.progress import TaskProgress, time_phase
from tui_annotate.domain.records import Record, RecordFilter
from tui_annotate.domain.sample_clusters import join_clusters
from tui_annotate.lab.assist.evaluation import EvidenceChoice, QueryGroup, collect_choices
from tui_annotate.methods.evaluation import BRIER, MEASURES, is_hit
from tui_annotate.services.assist.weights import (
    DIRECTIONS,
    SETTING,
    AssistWeights,
    describe_embedder,
    parse_entries,
    weights_in_use,
)
from tui_annotate.storage.clock import utc_now

if TYPE_CHECKING:
    from tui_annotate.methods.tuning import Curve, Numbers, SearchedText, TuningQuery
    from tui_annotate.services.assist.sample import SampleAssist
    from tui_annotate.services.assist.search import AssistService
    from tui_annotate.storage.corpus.store import CorpusStore

LEAST_SOURCES: Final = 10
LEAST_QUERIES: Final = 50
"""Minimum number of queries for a fit; docs/ranking.md describes the experiment that chose it."""
BOTH: Final = "both"


@check_keywords
@dataclass(frozen=True, slots=True)
class TuningService:
    """Fits, stores and removes the weights of the assist's signals in a workspace."""

    corpus: CorpusStore
    assist: AssistService
    actor: Actor

    def run(
        self,
        *,
        seed: int = 0,
        without_suggested_work: bool = False,
        progress: Callable[[TaskProgress], None] | None = None,
    ) -> dict[str, Any]:
        """Fit weights to the evidence that people accepted, and measure them; store nothing.

        docs/json.md describes the values. `seed`: random seed of the folds of sources.
        `without_suggested_work`: whether to exclude pairs that only suggestions proposed.

        Raises:
            NotReady: there are too few queries or sources.
        """
        from tui_annotate.methods.tuning import FOLDS, cross_validate, fit_all

        records = self.corpus.records(RecordFilter(), worked=True)
        asked = collect_choices(map(_keep_people, records))
        suggested = {name: sum(each.suggested for each in own) for name, own in asked.items()}
        if without_suggested_work:
            asked = {
                name: [each for each in own if not each.suggested] for name, own in asked.items()
            }
        queries = self._read_queries(asked, seed, progress)
        curves = _find_curves(queries)
        measures = compare(queries, cross_validate(queries, curves))
        better, worse = judge(measures)
        embedder = describe_embedder(self.corpus.vector_set())
        fitted = fit_all(queries, curves)
        new = [{"direction": way, **asdict(fitted[way][signals])} for way, signals in curves]
        return {
            "embedder": embedder,
            "weights": AssistWeights(embedder=embedder, curves=new).version,
            "weights_in_use": weights_in_use(self.corpus).version,
            "seed": seed,
            "folds": FOLDS,
            "clusters": len({query.source for query in queries}),
            "suggested": suggested,
            "without_suggested_work": without_suggested_work,
            "from_match": {
                name: sum(each.from_match for each in own) for name, own in asked.items()
            },
            "curves": new,
            "measures": measures,
            "improved": better,
            "worse": worse,
        }

    def apply(self, fitted: Mapping[str, Any], *, force: bool = False) -> str:
        """Store weights as `run` returned them, which then rank; return their version.

        Raises:
            Conflict: the weights are not better on left-out sources, and `force` is False.
        """
        if not (fitted["improved"] or force):
            raise Conflict(
                "the new weights were not stored, because on left-out sources they are not better"
                " than the built-in weights beyond the 95 % interval, or worse in a measure",
                "annotate more sources; to store the new weights nevertheless, add --force",
                code="no-gain",
            )
        made = AssistWeights(embedder=fitted["embedder"], curves=fitted["curves"])
        self._store(made)
        return made.version

    def undo(self) -> str:
        """Restore the built-in weights; return the old version, empty for damaged weights.

        Raises:
            Conflict: the built-in weights are in use.
        """
        try:
            used = weights_in_use(self.corpus)
        except Damaged:
            self.corpus.set_setting(SETTING, "[]")
            return ""
        if not used.version:
            raise Conflict(
                "nothing to undo: the assist uses its built-in weights",
                "fit weights to this workspace with: tui-annotate lab assist tune",
            )
        self._store(AssistWeights(embedder=used.embedder))
        return used.version

    def _store(self, weights: AssistWeights) -> None:
        new = asdict(replace(weights, at=utc_now(), by=self.actor.person))
        self.corpus.change_setting(SETTING, lambda old: json.dumps([*parse_entries(old), new]))

    def _read_queries(
        self,
        asked: Mapping[str, Sequence[EvidenceChoice]],
        seed: int,
        progress: Callable[[TaskProgress], None] | None,
    ) -> list[TuningQuery]:
        from tui_annotate.methods.tuning import TuningQuery, assign_folds

        pairs = [(direction, each) for direction, own in asked.items() for each in own]
        sources = sorted({each.sources for _, each in pairs})
        groups = dict(zip(sources, join_clusters(sources), strict=True))
        folds = assign_folds({*groups.values()}, seed)

        def position(pair: tuple[str, EvidenceChoice]) -> tuple[int, str, tuple[str, ...]]:
            group = groups[pair[1].sources]
            return folds[group], group, pair[1].texts

        report = time_phase(progress, "ranking", total=len(pairs))
        queries: list[TuningQuery] = []
        ready: SampleAssist | None = None
        other: SampleAssist | None = None
        last = (-1, "")
        for (fold, group, _), own in groupby(sorted(pairs, key=position), key=position):
            if (fold, group) != last:
                # The unrelated text is from the same fold, so that no fold learns from another.
                other = ready if fold == last[0] else None
                last = (fold, group)
            for direction, each in own:
                if ready is None or ready.sample is not each.sample:
                    ready, _ = self.assist.prepare_available(
                        each.sample, each.segments, vectors=True
                    )
                if texts := _search(ready, other, each):
                    queries.append(TuningQuery(direction, group, fold, texts))
            report(len(queries))
        return queries


def _keep_people(record: Record) -> Record:
    """Return a record with only the annotations that people made, accepted or adjudicated."""
    kinds = {HUMAN, ADJUDICATED, "imported"}
    own = [one for one in record.annotations if one.annotation.origin.partition(":")[0] in kinds]
    return replace(record, annotations=tuple(own))


def _search(
    ready: SampleAssist, other: SampleAssist | None, choice: EvidenceChoice
) -> tuple[SearchedText, ...]:
    """Search the text with the evidence, then another; return nothing for a text without words."""
    from tui_annotate.methods.tuning import UNRELATED, SearchedText

    asked = ready.query(choice.selected)
    if asked is None:
        return ()
    meaning = ready.selection_vectors(asked, choice.selected)
    index = ready.sides[choice.chosen.side]
    hits = [
        document == choice.chosen.index and is_hit(segment.span, choice.chosen.span)
        for document, _, segment in index.places
    ]
    signals = index.compute_signals(asked, meaning)
    texts = [SearchedText(signals, index.known, np.array(hits), 1.0)]
    if other and (unrelated := other.sides.get(choice.chosen.side)):
        found = unrelated.compute_signals(asked, meaning)
        if found.keys() == signals.keys():
            none = np.zeros(len(unrelated), np.bool_)
            texts.append(SearchedText(found, unrelated.known, none, UNRELATED))
    return tuple(texts)


def _find_curves(queries: Sequence[TuningQuery]) -> list[Curve]:
    """Return directions and signals with enough queries and sources; NotReady without any."""
    counts: dict[Curve, tuple[int, int]] = {}
    for curve in {query.curve for query in queries}:
        own = [query.source for query in queries if query.curve == curve]
        counts[curve] = (len(own), len(set(own)))
    enough = [
        curve
        for curve, (count, sources) in counts.items()
        if count >= LEAST_QUERIES and sources >= LEAST_SOURCES
    ]
    if not enough:
        count, sources = max(counts.values(), default=(0, 0))
        raise NotReady(
            f"{count} queries from {sources} sources are too few: a fit needs at least"
            f" {LEAST_QUERIES} queries (a claim with evidence) from {LEAST_SOURCES} sources",
            "annotate more sources; in an experiment, weights from fewer queries or sources passed"
            " the comparison by chance, and gave worse scores on other sources",
            code="too-few-queries",
        )
    return sorted(enough, key=lambda curve: (curve[0], sorted(curve[1])))


def compare(queries: Sequence[TuningQuery], found: Numbers) -> dict[str, dict[str, Any]]:
    """Return the measures of both weights and their differences, for both directions and each."""
    measures: dict[str, dict[str, Any]] = {}
    for scope in (BOTH, *DIRECTIONS):
        at = [at for at, query in enumerate(queries) if scope in {BOTH, query.direction}]
        clusters = [queries[each].source for each in at]
        group = QueryGroup.of(clusters, clusters, found=found[at])
        measures[scope] = {"old": group.figures(0), "new": group.figures(1)}
        measures[scope] |= group.difference(1)
    return measures


def judge(measures: Mapping[str, Mapping[str, Any]]) -> tuple[bool, list[str]]:
    """Return whether the new weights are better, and the measures in which they are worse."""
    gains = {
        f"{scope}.{name}": -own[name]["difference"] if name == BRIER else own[name]["difference"]
        for scope, own in measures.items()
        for name in MEASURES
        if own[name]["excludes_zero"]
    }
    worse = [name for name, gain in gains.items() if gain < 0]
    decisive = [gains.get(f"{BOTH}.{name}", 0) for name in ("mrr", BRIER)]
    return not worse and max(decisive) > 0, worse
