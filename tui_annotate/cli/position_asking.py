"""The commands `position prompts` and `position run`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tui_annotate.cli import output
from tui_annotate.cli.options import (
    DryOption,
    JsonOption,
    WorkspaceOption,
    opened,
    unless_stdout,
)
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Verb
from tui_annotate.domain.progress import Progress
from tui_annotate.methods.position_prompts import Style

if TYPE_CHECKING:
    from tui_annotate.plugins.asking import Judge
    from tui_annotate.services.position.asking import Asked, Manner

DONE_IN_PART = 3
SHOWN = 5
"""Rows without an answer that are told one by one."""

RowsArgument = Annotated[
    list[Path], typer.Argument(metavar="FILE", help="Rows, plain or packed.", show_default=False)
]
StyleOption = Annotated[
    Style,
    typer.Option(
        help="plain; random-note: told that the order is random; query-aware: the question before"
        " the passages too; closed-book: without passages."
    ),
]
TemplateOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Your own wording, with {search_results} and {question}, or {kv} and {key}.",
        show_default=False,
    ),
]

ModelOption = Annotated[str, typer.Option(metavar="NAME", help="As its endpoint calls it.")]
AddressOption = Annotated[
    str,
    typer.Option(
        metavar="URL",
        help="Where it is, as far as /v1; its key stands in $TUI_ANNOTATE_API_KEY.",
    ),
]
PredictionsOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Predictions; packed where it ends in .gz or .zst; else standard output.",
        show_default=False,
    ),
]
TokensOption = Annotated[int, typer.Option(metavar="N", min=1, help="Of an answer, at most.")]
TemperatureOption = Annotated[
    float, typer.Option(metavar="T", min=0.0, max=2.0, help="How freely words are drawn.")
]
TopOption = Annotated[
    float, typer.Option(metavar="P", min=0.0, max=1.0, help="The share that they are drawn from.")
]
LongestOption = Annotated[
    int,
    typer.Option(
        metavar="N", min=0, help="Characters of a prompt that is still sent; 0 for any number."
    ),
]
ConcurrencyOption = Annotated[
    int, typer.Option(metavar="N", min=1, max=64, help="Requests at a time.")
]


def prompts(
    files: RowsArgument,
    *,
    style: StyleOption = Style.PLAIN,
    template: TemplateOption = None,
    target: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="A file, or a new folder; appears whole or not at all; else standard output (-).",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write each row with its prompt, for a model that runs elsewhere.

    Put what it says into model_answer, and `position evaluate` scores it.
    """
    from tui_annotate.plugins.files.targets import output as written
    from tui_annotate.services.position import asking

    manner = asking.Manner(style=style, template=_template(template, style))
    with written(unless_stdout(target)) as opened_file:
        count = asking.prompts(files, opened_file, manner)
    output.say(output.many(count, "prompt"))


def _template(path: Path | None, style: Style) -> str:
    """A template from a file, but for the end of its last line."""
    from tui_annotate.plugins.files.whole import read_text

    if path is None:
        return ""
    if style is not Style.PLAIN:
        raise InvalidInput("a template is a style of its own", "leave out --style")
    return read_text(path).removesuffix("\n")


def run(
    files: RowsArgument,
    *,
    model: ModelOption,
    base_url: AddressOption,
    target: PredictionsOption = None,
    style: StyleOption = Style.PLAIN,
    template: TemplateOption = None,
    max_tokens: TokensOption = 100,
    temperature: TemperatureOption = 0.0,
    top_p: TopOption = 1.0,
    longest: LongestOption = 0,
    concurrency: ConcurrencyOption = 4,
    dry_run: DryOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Put each row to a model, and write its answers beside the rows.

    What was answered is kept in the workspace, so a run that stopped goes on where it was. A prompt
    that is too long, or refused, keeps its row, without an answer, and is told.

    Exit code: 0 each row has an answer, 3 some have none.
    """
    from tui_annotate.plugins import registry
    from tui_annotate.services.position import asking

    manner = asking.Manner(
        style=style,
        template=_template(template, style),
        longest=longest,
        temperature=temperature,
        top_p=top_p,
        max_tokens=max_tokens,
    )
    with opened(workspace, needs=Verb.MANAGE) as space:
        judge = registry.load_judge(
            f"llm:{model}",
            base_url=base_url,
            replies=space.machines.replies,
            concurrency=concurrency,
        )
        count = asking.check(files, manner)
        if dry_run:
            _tell(asking.forecast(files, judge, manner), judge, as_json=as_json, dry=True)
            return
        done = _asked(files, judge, manner, target=target, count=count)
    _tell(done, judge, as_json=as_json and target is not None, dry=False)
    if done.unanswered:
        raise typer.Exit(DONE_IN_PART)


def _asked(
    files: list[Path], judge: Judge, manner: Manner, *, target: Path | None, count: int
) -> Asked:
    from tui_annotate.plugins.files.targets import output as written
    from tui_annotate.services.position import asking

    missed = 0

    def told(where: str, _: int | None, why: str) -> None:
        nonlocal missed
        missed += 1
        if missed <= SHOWN:
            output.say(f"{where}: no answer: {why}")

    with written(unless_stdout(target)) as file, output.progress("rows") as show:
        begun = time.monotonic()

        def step(rows: int) -> None:
            share, seconds = rows / count, time.monotonic() - begun
            show(Progress("asking", rows, share=share, seconds=seconds))

        return asking.run(files, judge, manner, target=file, told=told, step=step)


def _tell(done: Asked, judge: Judge, *, as_json: bool, dry: bool) -> None:
    missed = {str(place): count for place, count in sorted(done.unanswered.items(), key=str)}
    if as_json:
        output.as_json(
            {
                "rows": done.rows,
                "cached": done.cached,
                "unanswered": missed,
                "characters": done.characters,
                "model": judge.model,
                "host": judge.host,
            }
        )
        return
    sent = "would be sent" if dry else "in prompts"
    output.say(
        f"{output.many(done.rows, 'row')}, {done.cached:,} known already,"
        f" {done.characters:,} characters {sent} to {judge.host}"
    )
    if missed:
        places = ", ".join(f"{place}: {count:,}" for place, count in missed.items())
        output.say(f"{sum(missed.values()):,} without an answer, by gold position {places}")
