"""What a machine proposes on the samples of `work`, stored before the app opens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from tui_annotate import workspace
from tui_annotate.domain.annotations import Anchor, LabelPath
from tui_annotate.domain.samples import Sample, SampleKey, Side
from tui_annotate.domain.scores import RunKind, ScoreRun
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import Suggestion, with_id

MAKER = "judge:tiny"


@dataclass(frozen=True, slots=True)
class Says:
    """That some words of the first summary are wrong.

    Attributes:
        evidence: words of the source, with the index of their document.
    """

    words: str
    label: LabelPath = ("Unwanted", "Intrinsic")
    evidence: Sequence[tuple[int, str]] = ()
    why: str = ""
    score: float | None = 0.83


SAID = (
    Says(
        "15 million pounds",
        evidence=[(0, "Its budget was 12 million pounds, not counting the music.")],
        why="The source says 12 million.",
    ),
    Says("Nobody was hurt", ("Benign",), why="One actor was.", score=None),
)


def _anchor(sample: Sample, side: Side, at: int, words: str) -> Anchor:
    start = sample.document(side, at).text.index(words)
    return Anchor(side, at, Span(start, start + len(words)))


def suggest(
    folder: Path,
    *said: Says,
    sample: str = "a",
    dataset: str = "films",
    maker: str = MAKER,
    hidden: bool = False,
) -> None:
    """Has a machine say these of a sample; `SAID` where nothing is named.

    Args:
        hidden: the dataset's admin wants people to work without them.
    """
    key = SampleKey(dataset, sample)
    with workspace.open(folder) as space:
        about = ScoreRun(id=str(uuid4()), kind=RunKind.SUGGEST, maker=maker, dataset=dataset)
        known = space.corpus.sample(key).sample
        made = [
            Suggestion(
                id="",
                maker=maker,
                run=about.id,
                claim=(_anchor(known, Side.SUMMARY, 0, one.words),),
                evidence=tuple(_anchor(known, Side.SOURCE, at, text) for at, text in one.evidence),
                labels=(one.label,) if one.label else (),
                note=one.why,
                score=one.score,
            )
            for one in said or SAID
        ]
        space.machines.suggestions.add(about, [(key, with_id(key, one)) for one in made])
        if hidden:
            space.machines.blind_datasets.hide(dataset)
