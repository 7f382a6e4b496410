"""Options of the commands of judges."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tui_annotate.cli import completion
from tui_annotate.cli.options import unless_stdout

FileArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE",
        help="Lines of question and contexts; any format that holds questions.",
        show_default=False,
    ),
]
SetOption = Annotated[
    str,
    typer.Option(
        "--dataset",
        metavar="NAME",
        help="The samples of this dataset, in place of a file; what is said is stored with them.",
        autocompletion=completion.datasets,
    ),
]
ModelOption = Annotated[
    str, typer.Option(metavar="NAME", help="The chat model that judges; else the settings'.")
]
JudgeUrlOption = Annotated[
    str,
    typer.Option(
        "--base-url",
        metavar="URL",
        help="Where it is, as far as /v1; its key stands in $TUI_ANNOTATE_API_KEY.",
    ),
]
SpokenOption = Annotated[
    str,
    typer.Option(
        "--language",
        metavar="CODE",
        help="Of the prompts: en or zh; else as each question is written.",
        autocompletion=completion.one_of("en", "zh"),
    ),
]
PromptsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Prompts of your own, as `judge prompts` writes them; else prompts/ of the workspace.",
        show_default=False,
    ),
]
AtOnceOption = Annotated[int, typer.Option(min=1, max=64, metavar="N", help="Requests at a time.")]
CacheOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Keeps the replies; else a file beside the output, or the workspace with --dataset.",
        show_default=False,
    ),
]
TargetOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Appears whole or not at all.",
        callback=unless_stdout,
        show_default=False,
    ),
]
PlanOption = Annotated[
    bool, typer.Option("--dry-run", help="Tell calls and characters; ask nobody, write nothing.")
]
KOption = Annotated[
    int, typer.Option("-k", "--k", min=1, metavar="N", help="How many of both are compared.")
]
BottomOption = Annotated[bool, typer.Option("--bottom", help="Compare the last k.")]
NoScreenOption = Annotated[
    bool, typer.Option("--no-screen", help="Keep also what does not help to answer.")
]
SwapOption = Annotated[
    bool, typer.Option("--swap", help="Ask each pair both ways, against a bias of position.")
]
GroupSizeOption = Annotated[
    int, typer.Option(min=2, metavar="N", help="Contexts, then answers, of one call.")
]
SeedOption = Annotated[
    int, typer.Option(metavar="N", help="Of the order in which contexts are grouped.")
]
SlowOption = Annotated[
    bool, typer.Option("--slow", help="Read each context by itself, part after part.")
]
TruthsOption = Annotated[
    Path | None,
    typer.Option(
        "--gt-dir",
        metavar="DIR",
        help="Also a file for each answer, as RagSGE has them.",
        show_default=False,
    ),
]
MetricOption = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        metavar="NAME",
        help="faithfulness, answer_relevancy, context_precision or context_recall; may be given "
        "again. All without it.",
        show_default=False,
    ),
]
TopOption = Annotated[
    int, typer.Option(min=1, metavar="N", help="The first contexts that are looked at.")
]
MostOption = Annotated[
    int, typer.Option(min=2, metavar="N", help="Under which these are kept together.")
]
VectorsOption = Annotated[
    str,
    typer.Option(
        "--embedder",
        metavar="NAME",
        help="Of answer relevancy, as at ingest; else the workspace's own, else the best.",
    ),
]
BackendOption = Annotated[
    str, typer.Option(metavar="NAME", help="builtin, or ragas where it is installed.")
]
