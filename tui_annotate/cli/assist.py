"""Commands about the assist: what it finds for a span, and how well it finds what people chose."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import assist_report, completion, output
from tui_annotate.cli.assist_telling import show_evaluation
from tui_annotate.cli.options import JsonOption, WorkspaceOption, examples, opened
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import Side, Signals
from tui_annotate.domain.spans import Span

if TYPE_CHECKING:
    from tui_annotate.domain.samples import Match, Sample
    from tui_annotate.services.ingest.report import Progress

_SPAN = re.compile(r"(\d+):(\d+)")


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    app.command(
        epilog=examples(
            "tui-annotate match --sample news/17 --side summary --span 90:107",
            "tui-annotate match --sample news/17 --side source --span 0:60 --top 3 --json",
        )
    )(match)
    assist = typer.Typer(help="How well the assist finds what people choose.")
    assist.callback()(_group)
    assist.command(
        epilog=examples(
            "tui-annotate assist evaluate annotations.json",
            "tui-annotate assist evaluate batch_1.json batch_2.json --min-segments 8 --json",
            "tui-annotate assist evaluate gold.json --embedder static --compare none,neural",
        )
    )(evaluate)
    assist.command(epilog=assist_report.EXAMPLES)(assist_report.report)
    app.add_typer(assist, name="assist", no_args_is_help=True)


def _group() -> None:
    """Keeps a group a group, also while it holds one command."""


def match(
    *,
    sample: Annotated[
        str,
        typer.Option(
            metavar="ID",
            help="The sample: its id, or dataset/id.",
            autocompletion=completion.samples,
        ),
    ],
    side: Annotated[Side, typer.Option(help="The side on which the span lies.")],
    span: Annotated[
        str, typer.Option(metavar="START:END", help="In code points from 0; the end is not in it.")
    ],
    document: Annotated[
        str, typer.Option(metavar="KEY", help="The document of that side, where it has several.")
    ] = "",
    top: Annotated[int, typer.Option(metavar="N", min=1, help="How many to print at most.")] = 5,
    by: Annotated[
        Signals, typer.Option(help="What ranks: all signals, or one kind alone.")
    ] = Signals.FUSED,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Print what the screen lights up for a span.

    Ranked segments of the other side, with scores; the best first.
    """
    chosen = parsed_span(span)
    with opened(workspace) as space:
        key = space.corpus.find(sample)
        found = space.match(key, side=side, span=chosen, document=document, top=top, by=by)
    rows = [match_as_json(each, found.sample, side.other) for each in found.matches]
    if as_json:
        where = {"sample": str(key), "side": side.value, "document": document}
        what = {"span": [chosen.start, chosen.end], "text": found.text, "signals": found.signals}
        output.as_json({**where, **what, "matches": rows})
        return
    output.say(f"{key}, {side} {chosen}: {found.text!r}; {found.signals}")
    show_matches(rows)
    if not rows:
        output.say("nothing on the other side is related")


def parsed_span(text: str) -> Span:
    """A span as it is given on a command line.

    Raises:
        InvalidInput: it is not START:END.
        InvalidSpan: it is empty.
    """
    found = _SPAN.fullmatch(text.strip())
    if not found:
        raise InvalidInput(f"{text!r} is no span", "write START:END, for example 90:107")
    return Span(int(found.group(1)), int(found.group(2)))


def match_as_json(match: Match, sample: Sample, side: Side) -> dict[str, Any]:
    """A match as the commands print it; `side` is where it lies."""
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


def show_matches(rows: Sequence[Mapping[str, Any]]) -> None:
    """Matches, as `match_as_json` gives them, as a table: rank, scores, position, text.

    The screen lights up what has a strength of 1 to 5.
    """
    signals = sorted({name for row in rows for name in row["signals"]})
    several = any(row["document"] for row in rows)
    columns = [output.Column(name, number=True) for name in ("rank", "score", "strength")]
    columns += [output.Column(name, number=True) for name in signals]
    columns += [output.Column("document")] if several else []
    columns += [output.Column("position", number=True), output.Column("text", flexible=True)]
    output.table(
        columns,
        [
            [
                row["rank"],
                float(row["score"]),
                row["strength"],
                *(float(row["signals"].get(name, 0)) for name in signals),
                *([row["document"]] if several else []),
                f"{row['start']}:{row['end']}",
                row["text"].strip(),
            ]
            for row in rows
        ],
    )


def evaluate(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="Mercury dumps, taken together.")
    ],
    *,
    min_segments: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="Count only searched texts with at least N segments."
        ),
    ] = 1,
    embedder: Annotated[
        str,
        typer.Option(
            "--embedder", metavar="NAME", help="auto, static, neural, neural:FOLDER or none."
        ),
    ] = "auto",
    compare: Annotated[
        list[str] | None,
        typer.Option(
            "--compare",
            metavar="NAMES",
            help="Others on the same queries, parted by commas; may be given again.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure the assist against what people chose.

    For both directions; needs no workspace. A query is a distinct (texts, claim, evidence); every
    segment of the other side is ranked; a hit is a segment that shares at least 3 code points
    with the span, or all of it. Beside each figure stands its 95 % interval: sources are drawn
    anew, each with all its queries. Each of --compare is held against --embedder.
    """
    from tui_annotate.services.assist import evaluate as evaluated

    others = [name.strip() for part in compare or () for name in part.split(",") if name.strip()]
    with output.progress("texts") as tell:
        found = evaluated(
            files,
            min_segments=min_segments,
            embedder=embedder,
            compare=others,
            told=_told(tell),
        )
    if as_json:
        output.as_json(found)
    else:
        show_evaluation(found)


def _told(tell: Callable[[Progress], None]) -> Callable[[str, int, float], None]:
    """What shows how far each model is with its vectors."""
    from tui_annotate.services.ingest.report import Progress

    began: dict[str, float] = {}

    def told(model: str, texts: int, share: float) -> None:
        seconds = time.monotonic() - began.setdefault(model, time.monotonic())
        tell(Progress(model, texts, share=share, seconds=seconds))

    return told
