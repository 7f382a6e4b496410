"""Commands about the vectors of the assist: index list, rebuild, drop."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import output
from tui_annotate.cli.ingest import tell_cost
from tui_annotate.cli.options import (
    DimensionsOption,
    EmbedderOption,
    JsonOption,
    UrlOption,
    WorkspaceOption,
    examples,
    opened,
)
from tui_annotate.domain.people import Verb

if TYPE_CHECKING:
    from tui_annotate.plugins.protocols import Cost
    from tui_annotate.services.ingest import SetInfo

MEGABYTE = 1_000_000


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    index = typer.Typer(help="Vectors: what the assist compares meanings by.", no_args_is_help=True)
    index.command("list", epilog=examples("tui-annotate index list"))(list_sets)
    index.command(
        "rebuild",
        epilog=examples(
            "tui-annotate index rebuild",
            "tui-annotate index rebuild --embedder neural",
            "tui-annotate index rebuild --embedder none",
        ),
    )(rebuild_index)
    index.command("drop", epilog=examples("tui-annotate index drop static"))(drop_set)
    app.add_typer(index, name="index")


def list_sets(*, as_json: JsonOption = False, workspace: WorkspaceOption = None) -> None:
    """List the sets of vectors: one for each embedder that was used.

    By words: documents that words rank all the same, as the model knows too little of them.
    """
    with opened(workspace) as space:
        sets = space.ingesting.sets.infos()
    if as_json:
        output.as_json([_as_json(each) for each in sets])
        return
    titles = ("documents", "by words", "without", "MB")
    output.table(
        [
            output.Column("embedder", flexible=True),
            output.Column("model", flexible=True),
            *(output.Column(title, number=True) for title in titles),
            output.Column(""),
        ],
        [
            (
                each.vectors.embedder,
                each.vectors.label,
                each.documents,
                each.by_words,
                each.waiting,
                f"{each.bytes / MEGABYTE:,.1f}",
                "in use" if each.in_use else "",
            )
            for each in sets
        ],
    )


def _as_json(found: SetInfo) -> dict[str, Any]:
    return {
        "embedder": found.vectors.embedder,
        "model": found.vectors.label,
        "version": found.vectors.version,
        "dimensions": found.vectors.dimensions,
        "token_dimensions": found.vectors.token_dimensions,
        "base_url": found.vectors.base_url,
        "in_use": found.in_use,
        "documents": found.documents,
        "by_words": found.by_words,
        "waiting": found.waiting,
        "bytes": found.bytes,
    }


def rebuild_index(
    *,
    embedder: EmbedderOption = "",
    base_url: UrlOption = "",
    dimensions: DimensionsOption = 0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what it would cost, make nothing.")
    ] = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Make vectors: anew, or with another embedder.

    They are made beside those in use, and taken into use once all are there; stopped at any moment,
    the same command goes on. Those of an embedder that was used before are completed, not made
    anew. Annotations are not touched.
    """
    with (
        opened(workspace, needs=Verb.MANAGE) as space,
        output.progress("documents") as tell,
    ):
        asked = space.asked(embedder, base_url=base_url, dimensions=dimensions)
        if dry_run:
            _tell_price(space.ingesting.price(asked), embedder, as_json=as_json)
            return
        report = space.ingesting.rebuild(embedder=asked, progress=tell)
    if as_json:
        output.as_json({"embedder": report.embedder, "embedded": report.embedded})
        return
    for note in report.notes:
        output.say(note)
    output.line(
        f"{output.many(report.embedded, 'document')} got vectors; in use: {report.embedder}"
    )


def _tell_price(cost: Cost | None, embedder: str, *, as_json: bool) -> None:
    if as_json:
        output.as_json({"cost": asdict(cost) if cost else None})
    elif cost is None:
        output.line("these vectors are made on this machine and cost nothing")
    else:
        tell_cost(cost, embedder or "the embedder in use")


def drop_set(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The embedder, as in index list.")],
    *,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Remove the vectors of an embedder that is not in use.

    They can be made again: `index rebuild`.
    """
    with opened(workspace, needs=Verb.MANAGE) as space:
        dropped, size = space.ingesting.sets.drop(name)
    if as_json:
        output.as_json({"embedder": name, "dropped": dropped, "bytes": size})
        return
    output.line(f"{dropped} dropped, {size / MEGABYTE:,.1f} MB freed")
