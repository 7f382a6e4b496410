"""Commands of position studies: rows made, put to a model, scored, shown by position."""

from __future__ import annotations

import typer

from tui_annotate.cli import position_asking, position_evaluating, position_making
from tui_annotate.cli.options import examples


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    position = typer.Typer(
        help="Does a model use a fact wherever it stands in a prompt?", no_args_is_help=True
    )
    position.command(
        "make-qa",
        epilog=examples(
            "tui-annotate position make-qa nq.jsonl.gz --documents 20 --gold-at even:5 -o qa/",
            "tui-annotate position make-qa nq.jsonl.gz --documents 10 --gold-at 0,4,9 -o qa.jsonl",
            "tui-annotate position make-qa nq.jsonl.gz --oracle -o oracle.jsonl.gz",
            "tui-annotate position make-qa --from-workspace --documents 5 --gold-at all -o own/",
        ),
    )(position_making.make_qa)
    position.command(
        "make-kv",
        epilog=examples(
            "tui-annotate position make-kv --keys 75 --examples 500 --seed 0 -o kv.jsonl.gz",
            "tui-annotate position make-kv --keys 140 --examples 500 --gold-at even:5 -o kv/",
            "tui-annotate position make-kv kv.jsonl.gz --gold-at 0,37,74 -o moved/",
        ),
    )(position_making.make_kv)
    position.command(
        "prompts",
        epilog=examples(
            "tui-annotate position prompts qa.jsonl -o prompts.jsonl",
            "tui-annotate position prompts qa.jsonl --style query-aware",
            "tui-annotate position prompts qa.jsonl --template mine.txt -o prompts.jsonl.gz",
        ),
    )(position_asking.prompts)
    position.command(
        "run",
        epilog=examples(
            "tui-annotate position run qa.jsonl --model llama3 --base-url"
            " http://localhost:11434/v1 -o predictions.jsonl.gz",
            "tui-annotate position run qa/*.jsonl.gz --model llama3 --base-url"
            " http://localhost:11434/v1 -o predictions.jsonl.gz --dry-run",
        ),
    )(position_asking.run)
    position.command(
        "evaluate",
        epilog=examples(
            "tui-annotate position evaluate predictions.jsonl.gz",
            "tui-annotate position evaluate a.jsonl b.jsonl --by model,gold-position --shared",
            "tui-annotate position evaluate predictions.jsonl.gz --whole-words -o scored.jsonl.gz",
            "tui-annotate position evaluate --dataset study --json",
        ),
    )(position_evaluating.evaluate)
    position.command(
        "show",
        epilog=examples("tui-annotate position show", "tui-annotate position show study"),
    )(position_evaluating.show)
    app.add_typer(position, name="position")
