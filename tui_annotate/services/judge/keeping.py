"""Judges at work on a dataset: its samples as rows, and what is said of them as runs."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from typing import Any, Final

from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.records import RecordFilter
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.scores import Run, RunKind, Score
from tui_annotate.methods.ranking import normalised
from tui_annotate.plugins.asking import Replies
from tui_annotate.services.judge.evaluate import Evaluated, EvaluateOptions
from tui_annotate.services.judge.generate import Generated, GenerateOptions
from tui_annotate.services.judge.rows import GROUND_TRUTH, Row, checked, row_of
from tui_annotate.services.judge.sitting import Sitting
from tui_annotate.services.judge.sort import Sorted, SortOptions
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.scores.store import ScoreStore

ORDER: Final = "judge_order"
USEFUL: Final = "judge_useful"
SPEARMAN: Final = "judge_spearman"
OVERLAP: Final = "judge_overlap"


class Judging:
    """Judges at work on the datasets of a workspace.

    Args:
        replies: the workspace's cache.
    """

    def __init__(self, corpus: CorpusStore, scores: ScoreStore, replies: Replies) -> None:
        self._corpus = corpus
        self._scores = scores
        self.replies = replies

    def rows(self, dataset: str) -> list[Row]:
        """The samples of a dataset as rows, in their order.

        A sample without a ground truth has the one that a judge wrote last.

        Raises:
            NotFound: there is no such dataset.
            InvalidInput: a sample has no question, or there are none.
        """
        if all(each.name != dataset for each in self._corpus.datasets()):
            raise NotFound(f"there is no dataset {dataset!r}", "see: tui-annotate status")
        written = {
            key: score.text
            for key, scores in self._scores.scores(dataset, names=(GROUND_TRUTH,))
            for score in scores
        }
        records = self._corpus.records(RecordFilter(dataset=dataset))
        return checked(
            [
                row_of(record.sample, ground_truth=written.get(record.sample.key, ""))
                for record in records
            ]
        )

    def keep_sorted(self, found: Sequence[Sorted], sitting: Sitting, options: SortOptions) -> Run:
        """Stores orders as a run: places, usefulness, and both figures."""
        parameters = {
            "k": options.k,
            "bottom": options.bottom,
            "screen": options.screen,
            "swap": options.swap,
        }
        scores = [score for each in found for score in _orders(each)]
        scores += _figures(found, SPEARMAN, [each.spearman for each in found])
        scores += _figures(found, OVERLAP, [each.sim for each in found])
        return self._kept("judge-sort", found, sitting, parameters=parameters, scores=scores)

    def keep_generated(
        self, found: Sequence[Generated], sitting: Sitting, options: GenerateOptions
    ) -> Run:
        """Stores ground truths as a run; one that is missing with 0 and an empty text."""
        parameters = {
            "group_size": options.group_size,
            "seed": options.seed,
            "slow": options.slow,
        }
        scores = [
            Score(
                key=_key(each.row),
                name=GROUND_TRUTH,
                raw=float(each.ground_truth is not None),
                text=each.ground_truth or "",
            )
            for each in found
        ]
        return self._kept("judge-generate", found, sitting, parameters=parameters, scores=scores)

    def keep_evaluated(
        self,
        found: Sequence[Evaluated],
        sitting: Sitting,
        options: EvaluateOptions,
        *,
        backend: str,
        embedder: str,
    ) -> Run:
        """Stores scores as a run; where one is missing, its text says why."""
        parameters = {
            "backend": backend,
            "metrics": list(options.metrics),
            "top_k": options.top_k,
            "max_chars": options.max_chars,
        }
        maker = "judge-evaluate" if backend == "builtin" else backend
        scores = [score for name in options.metrics for score in _of_evaluated(found, name)]
        return self._kept(
            maker, found, sitting, parameters=parameters, scores=scores, embedder=embedder
        )

    def _kept(
        self,
        deed: str,
        found: Sequence[Sorted | Generated | Evaluated],
        sitting: Sitting,
        *,
        parameters: dict[str, Any],
        scores: Iterable[Score],
        embedder: str = "",
    ) -> Run:
        run = Run(
            id=str(uuid.uuid4()),
            kind=RunKind.JUDGE,
            maker=f"{deed}:{sitting.judge.model}",
            dataset=_key(found[0].row).dataset,
            parameters=parameters | sitting.parameters(),
            embedder=embedder,
        )
        self._scores.write(run, scores)
        return run


def _key(row: Row) -> SampleKey:
    assert row.key is not None  # noqa: S101  rows of a dataset have one
    return row.key


def _orders(each: Sorted) -> list[Score]:
    """The judge's places from 1, and what it finds useful."""
    key, count = _key(each.row), len(each.row.contexts)
    place = {context: float(number) for number, context in enumerate(each.sorted, 1)}
    scores = [
        Score(
            key=key,
            name=ORDER,
            parts=tuple(place.get(at) for at in range(count)),
            of="documents",
        ),
    ]
    if each.good is not None:
        good = set(each.good)
        useful = tuple(float(at in good) for at in range(count))
        scores.append(Score(key=key, name=USEFUL, parts=useful, of="documents"))
    return scores


def _figures(found: Sequence[Sorted], name: str, raws: Sequence[float | None]) -> list[Score]:
    """One figure of all samples; where it is missing, the text says why."""
    return [
        Score(
            key=_key(each.row),
            name=name,
            raw=raw,
            value=value,
            text=each.reason if raw is None else "",
        )
        for each, raw, value in zip(found, raws, normalised(raws), strict=True)
    ]


def _of_evaluated(found: Sequence[Evaluated], name: str) -> list[Score]:
    """One metric of all samples, with the values that it has within this run."""
    raws = [each.scores[name] for each in found]
    scores = []
    for each, raw, value in zip(found, raws, normalised(raws), strict=True):
        parts = tuple(map(float, each.useful)) if name == "context_precision" else ()
        scores.append(
            Score(
                key=_key(each.row),
                name=name,
                raw=raw,
                value=value,
                text=each.reasons.get(name, ""),
                parts=parts,
                of="documents" if parts else "",
            )
        )
    return scores
