"""Commands about models: fetch, the only one that may reach a hub."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tui_annotate.cli import output
from tui_annotate.cli.options import JsonOption, examples


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    models = typer.Typer(help="Models that make neural vectors.", no_args_is_help=True)
    models.callback()(_models)
    models.command(
        "fetch",
        epilog=examples(
            "tui-annotate models fetch intfloat/e5-small-v2 --revision main --to models/e5-small",
            "tui-annotate ingest --embedder neural:models/e5-small news.csv",
        ),
    )(fetch)
    app.add_typer(models, name="models")


def _models() -> None:
    """Models that make neural vectors."""


def fetch(
    name: Annotated[str, typer.Argument(metavar="NAME", help="As on the hub: owner/name.")],
    *,
    revision: Annotated[
        str, typer.Option(metavar="REVISION", help="A commit, best; or a tag or branch.")
    ],
    target: Annotated[
        Path, typer.Option("--to", metavar="DIR", help="The folder to fetch it into.")
    ],
    as_json: JsonOption = False,
) -> None:
    """Fetch a model's weights from the hub, once.

    Nothing else ever asks for anything there.
    """
    from tui_annotate.plugins.models.hub import fetch as fetched

    found = fetched(name, revision=revision, target=target)
    if as_json:
        files = [asdict(file) for file in found.files]
        output.as_json({"folder": str(found.folder), "commit": found.commit, "files": files})
        return
    output.table(
        [output.Column("file"), output.Column("bytes", number=True), output.Column("sha256")],
        [(file.name, file.size, file.sha256) for file in found.files],
    )
    output.line(f"commit {found.commit}")
    embedder = shlex.quote(f"neural:{found.folder}")
    output.say(f"to use it: tui-annotate ingest --embedder {embedder} FILE")
