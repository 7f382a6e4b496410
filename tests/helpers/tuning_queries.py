"""Queries whose evidence is known: drawn from a curve of two signals, or written as texts."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Final

import numpy as np

from tui_annotate.methods.matching import VECTORS, WORDS, Calibration
from tui_annotate.methods.tuning import UNRELATED, SearchedText, TuningQuery, assign_folds

DIRECTIONS: Final = ("summary_to_source", "source_to_summary")
SENTENCES = 20


def draw_queries(
    curve: Calibration, *, sources: int, seed: int, each: int = 4, fold_seed: int = 0
) -> list[TuningQuery]:
    """Draw queries of each direction and source; a sentence is evidence with the curve's score."""
    chance = np.random.default_rng(seed)
    names = [f"source {at}" for at in range(sources)]
    folds = assign_folds(names, fold_seed)
    queries: list[TuningQuery] = []
    for name in names:
        for number in range(2 * each):
            text = _draw(curve, chance)
            low = {
                name: np.asarray(values / 4, np.float32)
                for name, values in _draw(curve, chance).signals.items()
            }
            other = SearchedText(low, text.known, np.zeros(SENTENCES, np.bool_), UNRELATED)
            direction = DIRECTIONS[number % 2]
            queries.append(TuningQuery(direction, name, folds[name], (text, other)))
    return queries


def _draw(curve: Calibration, chance: np.random.Generator) -> SearchedText:
    signals = {
        WORDS: chance.beta(0.5, 4, SENTENCES).astype(np.float32),
        VECTORS: chance.beta(2, 4, SENTENCES).astype(np.float32),
    }
    hits = chance.random(SENTENCES) < curve.scores(signals)
    return SearchedText(signals, np.ones(SENTENCES, np.bool_), hits, 1.0)


def write_dump(path: Path, *, sources: int, claims: int = 5) -> Path:
    """Write pairs whose claims share one of five words with their evidence, and none elsewhere."""
    chance = random.Random(1)
    words = iter(["".join(chance.sample("abdeghiklmnoprstuvwz", 7)) for _ in range(20_000)])

    def sentence(*shared: str) -> str:
        return " ".join([*shared, *(next(words) for _ in range(5 - len(shared)))]).capitalize()

    samples = []
    for number in range(sources):
        shared = [next(words) for _ in range(claims)]
        parts = [[sentence(word) for word in shared] for _ in range(2)]
        texts = [". ".join([*own, *(sentence() for _ in range(5))]) + "." for own in parts]
        annotations = [
            {
                "annot_id": f"{number}-{at}",
                "annotator": "a1",
                "annotator_name": "Ana",
                "label": [],
                "note": "",
                "source_start": texts[0].index(own),
                "source_end": texts[0].index(own) + len(own),
                "summary_start": texts[1].index(claim),
                "summary_end": texts[1].index(claim) + len(claim),
            }
            for at, (own, claim) in enumerate(zip(*parts, strict=True))
        ]
        samples.append(
            {
                "sample_id": number,
                "source": texts[0],
                "summary": texts[1],
                "annotations": annotations,
            }
        )
    path.write_text(json.dumps(samples), "utf-8")
    return path
