"""Whether weights that are fitted to a workspace rank better, and from how many sources on.

Sources are drawn at random from the real claims, and from the project's own gold pairs. Weights are
fitted to the drawn sources and compared there as `lab assist tune` does; then both weights are
measured on the sources that were not drawn. Real Mercury exports are looked for as in
`bench_assist`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import tui_annotate
from benchmarks.bench_assist import SAMPLES, SHARED
from benchmarks.report import Row
from tui_annotate.domain.records import RecordFilter
from tui_annotate.lab.assist.evaluation import collect_choices
from tui_annotate.lab.assist.tuning import compare, judge
from tui_annotate.methods.evaluation import BRIER, MEASURES
from tui_annotate.methods.matching import BUILT_IN
from tui_annotate.methods.tuning import TuningQuery, assign_folds, cross_validate, fit_all, measure

SIZES = (5, 8, 10, 15)
"""Numbers of drawn sources."""
MOST = (3, 100)
"""Largest number of queries of a source, in each direction."""
DRAWS = 40
_BRIER = MEASURES.index(BRIER)


def rows() -> list[Row]:
    """Gains on left-out sources; how often chance or harm passes the comparison, by size."""
    real = sorted((SHARED / "data" / "faithbench").glob("batch_*_annotation.json"))
    found: list[Row] = []
    for what, files in (("own pairs", [SAMPLES / "gold.json"]), ("real claims", real)):
        if not files:
            continue
        with TemporaryDirectory() as folder, tui_annotate.create(Path(folder) / "w") as space:
            space.ingest(*files, format="mercury", embedder="static")
            asked = collect_choices(space.corpus.records(RecordFilter(), worked=True))
            queries = space.assist_tuning._read_queries(asked, 0, None)  # noqa: SLF001  measured
            found += _gains(what, space.assist_tuning.run())
        found += _experiment(what, queries)
    return found


def _gains(what: str, report: dict[str, Any]) -> Iterator[Row]:
    for scope, own in report["measures"].items():
        for name in ("mrr", BRIER):
            low, high = own[name]["interval"]
            place = f"{what}, {scope.replace('_', ' ')}: {name} gained"
            gained = 100 * own[name]["difference"]
            yield Row(f"{place} [{100 * low:+.2f}, {100 * high:+.2f}]", gained, unit="points")


def _experiment(what: str, queries: Sequence[TuningQuery]) -> Iterator[Row]:
    names = sorted({query.source for query in queries})
    chance = np.random.default_rng(1)
    for size in SIZES:
        for most in MOST:
            passed: list[float] = []
            gains: list[float] = []
            for _ in range(DRAWS):
                drawn = {str(name) for name in chance.choice(names, size, replace=False)}
                better, gain = _draw(queries, drawn, most=most)
                gains.append(gain)
                passed += [gain] * better
            place = f"{what}, {size} sources, at most {most} queries of each"
            mean, worst = (100 * float(each) for each in (np.mean(gains), np.quantile(gains, 0.95)))
            worse = sum(gain > 0 for gain in passed)
            yield Row(f"{place}: change of the Brier score", mean, unit="points")
            yield Row(f"{place}: change in the worst of twenty draws", worst, unit="points")
            yield Row(f"{place}: comparisons passed", 100 * len(passed) / DRAWS, unit="%")
            yield Row(f"{place}: passed, and worse on others", 100 * worse / DRAWS, unit="%")


def _draw(queries: Sequence[TuningQuery], drawn: set[str], *, most: int) -> tuple[bool, float]:
    """Whether the comparison on the drawn sources passed, and the Brier score gained on others."""
    folds = assign_folds(drawn, 0)
    counts: dict[tuple[str, str], int] = {}
    own: list[TuningQuery] = []
    for query in queries:
        key = query.source, query.direction
        if query.source in drawn and counts.get(key, 0) < most:
            counts[key] = counts.get(key, 0) + 1
            own.append(replace(query, fold=folds[query.source]))
    curves = sorted({query.curve for query in own}, key=repr)
    better, _ = judge(compare(own, cross_validate(own, curves)))
    fitted = fit_all(own, curves)
    others = [query for query in queries if query.source not in drawn]
    gains = [
        measure(query, fitted.get(query.direction, BUILT_IN)) - measure(query, BUILT_IN)
        for query in others
    ]
    return better, float(np.mean(gains, axis=0)[_BRIER])
