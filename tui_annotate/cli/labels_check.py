"""The command that checks a label set, and shows it as the screen does."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tui_annotate.cli import output
from tui_annotate.cli.options import JsonOption, WorkspaceOption, find
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.domain.labels import JOINER, Label, Need
from tui_annotate.plugins.files.whole import read_text


def check(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", help="Else the workspace's labels.yaml.", show_default=False
        ),
    ] = None,
    *,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Check a label set, and print it as the screen shows it.

    The digit is where the label stands on the bar; key and color are what it asks for.
    """
    path = file or find(workspace) / "labels.yaml"
    tree = parse_labels(read_text(path), name=str(path))
    digits = {label.path: digit for digit, label in tree.bar()}
    if as_json:
        output.as_json(
            [
                {
                    "path": list(label.path),
                    "digit": digits.get(label.path, ""),
                    "key": label.key,
                    "color": label.color,
                    "description": label.description,
                    "evidence": label.evidence.value,
                    "note": label.note.value,
                    "exclusive": label.exclusive,
                    "retired": label.retired,
                    "split": [list(path) for path in label.split],
                }
                for label in tree.walk()
            ]
        )
        return
    names = ("digit", "label", "key", "color", "rules", "description")
    output.table(
        [output.Column(name, flexible=name == "description") for name in names],
        [
            (
                digits.get(label.path, ""),
                "  " * (len(label.path) - 1) + label.path[-1],
                label.key,
                label.color,
                _rules(label),
                label.description,
            )
            for label in tree.walk()
        ],
    )


def _rules(label: Label) -> str:
    """What a label asks for beyond what every label allows."""
    needs = {"evidence": label.evidence, "note": label.note}
    told = [f"{what} {need}" for what, need in needs.items() if need is not Need.OPTIONAL]
    if label.exclusive:
        told.append("exclusive")
    if label.retired:
        told.append("retired")
    if label.split:
        told.append("split into " + " and ".join(JOINER.join(path) for path in label.split))
    return ", ".join(told)
