"""Suggestions for tests: a machine's opinion of the pairs of `tests.helpers.stores`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import uuid4

from tests.helpers.stores import claim
from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.scores import RunKind, ScoreRun
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import Suggestion, with_id
from tui_annotate.storage.database import Database
from tui_annotate.storage.suggestions import SuggestionStore

MAKER = "judge:tiny"
EVIDENCE = Anchor(Side.SOURCE, 0, Span(30, 52))


def run(*, maker: str = MAKER, dataset: str = "d", **parts: Any) -> ScoreRun:
    """A run that suggests."""
    return ScoreRun(id=str(uuid4()), kind=RunKind.SUGGEST, maker=maker, dataset=dataset, **parts)


def suggestion(
    key: SampleKey, start: int = 16, end: int = 33, *, label: str = "Fine", **parts: Any
) -> Suggestion:
    """A suggestion that a part of the summary is wrong, with its id."""
    mark = claim("x", start, end).claim
    labels = ((label,),) if label else ()
    made = Suggestion(id="", maker=MAKER, run="r", claim=mark, labels=labels)
    return with_id(key, replace(made, **parts))


def suggest(
    database: Database,
    *keys: SampleKey,
    spans: Sequence[tuple[int, int]] = (),
    **parts: Any,
) -> list[Suggestion]:
    """Stores one suggestion for each of some samples of one dataset.

    Args:
        spans: one each; all the same where empty.
    """
    places = spans or [(16, 33)] * len(keys)
    made = [
        (key, suggestion(key, *place, **parts)) for key, place in zip(keys, places, strict=True)
    ]
    about = run(maker=made[0][1].maker, dataset=keys[0].dataset)
    SuggestionStore(database).add(about, made)
    return [each for _, each in made]
