"""The command `lab match`, which ranks the sentences related to a span."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final, TypedDict

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.help_format import MODELS
from tui_annotate.cli.options import add_command, open_workspace, option
from tui_annotate.cli.report_parts import (
    Column,
    MessagePart,
    NotePart,
    Part,
    Table,
    flexible_column,
    number_column,
)
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import Side, Signals
from tui_annotate.domain.spans import Span

if TYPE_CHECKING:
    from tui_annotate.domain.samples import Match, Sample

_SPAN = re.compile(r"(\d+):(\d+)")


class PrintedMatch(TypedDict):
    """A sentence related to a span.

    Attributes:
        strength: highlight on the screen, 1 to 5; 0 for none.
        start, end: position of the sentence in its document, in code points.
        signals: score by each signal.
    """

    rank: int
    score: float
    strength: int
    side: str
    document: str
    segment: int
    start: int
    end: int
    signals: dict[str, float]
    text: str


class MatchesOfSpan(TypedDict):
    """The sentences related to a span, the best first.

    Attributes:
        span: start and end in code points.
        signals: signals that ranked the sentences, in words.
    """

    sample: str
    side: str
    document: str
    span: tuple[int, int]
    text: str
    signals: str
    matches: list[PrintedMatch]


class RankedBy(StrEnum):
    """Signals by which `assist` ranks sentences: both together, the lexical one, or the vectors."""

    FUSED = "fused"
    LEXICAL = "lexical"
    VECTORS = "vectors"


_SIGNALS: Final = {
    RankedBy.FUSED: Signals.FUSED,
    RankedBy.LEXICAL: Signals.WORDS,
    RankedBy.VECTORS: Signals.VECTORS,
}

_MEANINGS: Final = {
    "vectors": "similar meaning",
    "tokens": "similar meaning of parts of words",
    "words": "shared words",
}
_TITLES: Final = {"vectors": "vectors", "tokens": "word parts", "words": "words"}
"""Titles of the columns of signals."""


def register(lab: typer.Typer) -> None:
    add_command(
        lab,
        match,
        "lab match --sample news/17 --side summary --span 90:107",
        "lab match --sample news/17 --side source --span 0:60 --top 3 --json",
        panel=MODELS,
    )


def match(
    *,
    sample: Annotated[
        str, options.sample_option("Sample that contains the span: ID or DATASET/ID.")
    ],
    side: Annotated[Side, typer.Option(help="Text that contains the span: source or summary.")],
    span: Annotated[
        str,
        option(
            "--span",
            "START:END",
            "Span as offsets in code points, from 0. The end is not part of the span.",
        ),
    ],
    document: Annotated[
        str,
        option(
            "--document",
            "KEY",
            "Key of the document that contains the span, if the sample has several documents.",
        ),
    ] = "",
    top: Annotated[
        int, option("--top", "N", "Maximum number of sentences to print.", minimum=1)
    ] = 5,
    by: Annotated[
        RankedBy,
        typer.Option(
            help="Signals that rank the sentences: fused (all), lexical (words only) or vectors."
        ),
    ] = RankedBy.FUSED,
    common: options.CommonOptions,
) -> None:
    """Rank the sentences related to a span.

    For a span of the summary, sentences of the source are printed with their scores, the best
    first; for a span of the source, sentences of the summary. The score is an estimate of how
    likely the sentence is evidence; the columns after the strength are the similarities from which
    it is computed. The screen highlights sentences with a strength of 1 to 5.
    """
    found = _SPAN.fullmatch(span.strip())
    if not found:
        raise InvalidInput(f"invalid span {span!r}", "write START:END, for example 90:107")
    chosen = Span(int(found[1]), int(found[2]))
    with open_workspace(common.workspace) as space:
        key = space.corpus.find(sample)
        result = space.match(
            key, side=side, span=chosen, document=document, top=top, by=_SIGNALS[by]
        )
    rows = [match_as_json(each, result.sample, side.other) for each in result.matches]

    def text() -> Iterator[Part]:
        yield MessagePart(f"{key}, {side} {chosen}: {result.text!r}; {result.signals}")
        if rows:
            yield matches_table(rows)
            yield from _explain_columns(rows)
        else:
            yield MessagePart(f"no sentence of the {side.other} is related to the span")

    value: MatchesOfSpan = {
        "sample": str(key),
        "side": side.value,
        "document": document,
        "span": (chosen.start, chosen.end),
        "text": result.text,
        "signals": result.signals,
        "matches": rows,
    }
    output.show(value, text(), as_json=common.as_json)


def _explain_columns(rows: Sequence[Mapping[str, Any]]) -> Iterator[Part]:
    signals = [name for name in _MEANINGS if any(name in row["signals"] for row in rows)]
    meanings = "; ".join(f"{_TITLES[name]}: {_MEANINGS[name]}" for name in signals)
    yield NotePart(f"score: how likely the sentence is evidence, 0 to 1; {meanings}")


def match_as_json(match: Match, sample: Sample, side: Side) -> PrintedMatch:
    """Return a match in a text of `side` as JSON; scores have 4 decimals, offsets code points."""
    document = sample.document(side, match.document)
    return {
        "rank": match.rank,
        "score": round(match.score, 4),
        "strength": match.strength,
        "side": side.value,
        "document": document.key,
        "segment": match.segment,
        "start": match.span.start,
        "end": match.span.end,
        "signals": {name: round(value, 4) for name, value in match.signals.items()},
        "text": match.span.of(document.text),
    }


def matches_table(rows: Sequence[Mapping[str, Any]]) -> Table[Mapping[str, Any]]:
    """Return a table of matches (as JSON values): rank, scores, position and text."""
    signals = sorted({name for row in rows for name in row["signals"]})

    def signal_column(name: str) -> Column[Mapping[str, Any]]:
        return number_column(_TITLES.get(name, name), partial(signal, name=name))

    def signal(row: Mapping[str, Any], *, name: str) -> float:
        return float(row["signals"].get(name, 0))

    return Table(
        rows,
        [
            number_column("rank", lambda row: row["rank"]),
            number_column("score", lambda row: float(row["score"])),
            number_column("strength", lambda row: row["strength"]),
            *map(signal_column, signals),
            Column("document", lambda row: row["document"], rare=True),
            number_column("position", lambda row: f"{row['start']}:{row['end']}"),
            flexible_column("text", lambda row: row["text"].strip()),
        ],
    )
