"""The command group `lab scores`: names, order and examples of its commands."""

from __future__ import annotations

import typer

from tui_annotate.cli.help_format import RESEARCH
from tui_annotate.cli.options import add_command, add_group
from tui_annotate.lab.score.commands import compute, delete, import_scores, list_runs, train_probe
from tui_annotate.lab.score.comparison_command import compare
from tui_annotate.lab.score.rank_command import rank


def register(app: typer.Typer) -> None:
    scores = add_group(
        app, "scores", "Compute, import and compare scores of samples.", panel=RESEARCH
    )
    add_command(
        scores,
        compute,
        "lab scores compute --scorer unigram --scorer similarity",
        "lab scores compute --dataset answers --scorer unigram --language zh --top-k 5",
        "lab scores compute --dataset news --scorer similarity --embedder static --dry-run",
        "annotate --order worst:source_overlap",
    )
    add_command(
        scores,
        import_scores,
        "lab scores import probe.jsonl --score probe_score --dataset answers",
        "lab scores import minicheck.csv --score minicheck --score-column p --lower-is-better",
        "lab scores import --sample-columns all --dataset answers",
        name="import",
    )
    add_command(scores, list_runs, "lab scores list --dataset answers", name="list")
    add_command(scores, delete, "lab scores delete RUN --yes")
    add_command(
        scores,
        rank,
        "lab scores rank --dataset answers --upper-percentile 70 --lower-percentile 30",
        "lab scores rank --ranker length --short-diff 80",
        "lab scores rank --dataset news --score source_overlap --score source_similarity",
        "export --to preferences --dataset answers -o ranked.jsonl",
    )
    add_command(
        scores,
        compare,
        "lab scores compare --dataset news",
        "lab scores compare --dataset batch --column hhemv1 --column trueteacher",
        "lab scores compare --dataset news --score faithfulness --threshold .5",
        "lab scores compare --dataset news --against adjudicated --chart auc --json",
    )
    add_command(
        scores,
        train_probe,
        "lab scores train-probe ranked.jsonl --model-folder FOLDER -o probe.json",
        "lab scores train-probe --label-source human --dataset answers --model-folder FOLDER"
        " -o probe.json",
        "lab scores compute --dataset answers --scorer probe:probe.json",
        name="train-probe",
    )
