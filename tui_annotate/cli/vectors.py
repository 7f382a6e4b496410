"""Commands about vectors of the assist: index list, rebuild, drop, and models fetch.

Only `models fetch` may reach a model hub.
"""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.ingest import print_cost
from tui_annotate.cli.options import add_command, add_group, argument, flag, open_workspace, option
from tui_annotate.domain.people import Permission

if TYPE_CHECKING:
    from tui_annotate.services.ingest import VectorSetInfo


MEGABYTE = 1_000_000


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    index = add_group(app, "index", "Vectors: what the assist compares meanings by.")
    add_command(index, list_sets, "index list", name="list")
    add_command(
        index,
        rebuild_index,
        "index rebuild",
        "index rebuild --embedder neural",
        "index rebuild --embedder none",
        name="rebuild",
    )
    add_command(index, drop_set, "index drop static", name="drop")
    models = add_group(app, "models", "Models that make neural vectors.")
    add_command(
        models,
        fetch,
        "models fetch intfloat/e5-small-v2 --revision main --to models/e5-small",
        "ingest --embedder neural:models/e5-small news.csv",
    )


def list_sets(*, common: options.CommonOptions) -> None:
    """List the sets of vectors: one for each embedder that was used.

    By words: documents that words rank all the same, as the model knows too little of them.
    """
    with open_workspace(common.workspace) as space:
        sets = space.ingest_service.sets.infos()
    titles = ("documents", "by words", "without", "MB")
    output.print_table_or_json(
        [_set_as_json(each) for each in sets],
        [
            output.flexible_column("embedder"),
            output.flexible_column("model"),
            *map(output.number_column, titles),
            "",
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
        as_json=common.as_json,
    )


def _set_as_json(found: VectorSetInfo) -> dict[str, Any]:
    made_by = ("version", "dimensions", "token_dimensions", "base_url")
    counts = ("in_use", "documents", "by_words", "waiting", "bytes")
    return {
        "embedder": found.vectors.embedder,
        "model": found.vectors.label,
        **{name: getattr(found.vectors, name) for name in made_by},
        **{name: getattr(found, name) for name in counts},
    }


def rebuild_index(
    *,
    vectors: options.EmbedderChoice,
    dry_run: Annotated[bool, flag("--dry-run", "Tell what it would cost, make nothing.")] = False,
    common: options.CommonOptions,
) -> None:
    """Make vectors: anew, or with another embedder.

    They are made beside those in use, and taken into use once all are there; stopped at any moment,
    the same command goes on. Those of an embedder that was used before are completed, not made
    anew. Annotations are not touched.
    """
    with (
        open_workspace(common.workspace, needs=Permission.MANAGE) as space,
        output.show_progress("documents") as progress,
    ):
        chosen = space.vector_options(**asdict(vectors))
        if dry_run:
            cost = space.ingest_service.sets.price(chosen)
            if common.as_json:
                output.print_json({"cost": cost})
            elif cost is None:
                output.print_line("these vectors are made on this machine and cost nothing")
            else:
                print_cost(cost, vectors.embedder or "the embedder in use")
            return
        report = space.ingest_service.sets.rebuild(embedder=chosen, progress=progress)
    for note in [] if common.as_json else report.notes:
        output.print_message(note)
    output.print_lines_or_json(
        {"embedder": report.embedder, "embedded": report.embedded},
        f"{output.many(report.embedded, 'document')} got vectors; in use: {report.embedder}",
        as_json=common.as_json,
    )


def drop_set(
    name: Annotated[str, argument("NAME", "The embedder, as in index list.")],
    *,
    common: options.CommonOptions,
) -> None:
    """Remove the vectors of an embedder that is not in use.

    They can be made again: `index rebuild`.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        dropped, size = space.ingest_service.sets.drop(name)
    output.print_lines_or_json(
        {"embedder": name, "dropped": dropped, "bytes": size},
        f"{dropped} dropped, {size / MEGABYTE:,.1f} MB freed",
        as_json=common.as_json,
    )


def fetch(
    name: Annotated[str, argument("NAME", "As on the hub: owner/name.")],
    *,
    revision: Annotated[
        str, option("--revision", "REVISION", "A commit, best; or a tag or branch.")
    ],
    target: Annotated[Path, option("--to", "DIR", "The folder to fetch it into.")],
    as_json: options.JsonOption = False,
) -> None:
    """Fetch a model's weights from the hub, once.

    Nothing else ever asks for anything there.
    """
    from tui_annotate.plugins.model_hub import fetch_model

    found = fetch_model(name, revision=revision, target=target)
    if as_json:
        output.print_json({name: getattr(found, name) for name in ("folder", "commit", "files")})
        return
    output.print_table(
        ["file", output.number_column("bytes"), "sha256"],
        [(file.name, file.size, file.sha256) for file in found.files],
    )
    output.print_line(f"commit {found.commit}")
    embedder = shlex.quote(f"neural:{found.folder}")
    output.print_message(f"to use it: tui-annotate ingest --embedder {embedder} FILE")
