"""Commands about datasets: list, show, replace, remove; none orphans work in silence."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Final

import typer

from tui_annotate.cli import completion, options, output
from tui_annotate.cli.ingest import print_ingest, require_files
from tui_annotate.cli.options import add_command, add_group, argument, open_workspace
from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.people import Permission

NameArgument = Annotated[str, argument("NAME", "The dataset.", complete=completion.datasets)]
DATASET_COUNTS: Final = ("samples", "documents", "segments", "annotations", "done")


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    dataset = add_group(app, "dataset", "Datasets: samples that came together.")
    add_command(dataset, list_datasets, "dataset list --json", name="list")
    add_command(dataset, show_dataset, "dataset show news", name="show")
    add_command(dataset, replace_dataset, "dataset replace news news-2.csv", name="replace")
    add_command(
        dataset,
        remove_dataset,
        "dataset remove news",
        "dataset remove news --delete-annotations --yes",
        name="remove",
    )


def list_datasets(*, common: options.CommonOptions) -> None:
    """List the datasets with their figures."""
    with open_workspace(common.workspace) as space:
        datasets = space.corpus.datasets()
    output.print_table_or_json(
        datasets,
        ["dataset", *map(output.number_column, DATASET_COUNTS)],
        [(each.name, *(getattr(each, name) for name in DATASET_COUNTS)) for each in datasets],
        as_json=common.as_json,
    )


def show_dataset(name: NameArgument, *, common: options.CommonOptions) -> None:
    """Show one dataset: its figures, who worked on it, and its samples."""
    with open_workspace(common.workspace) as space:
        found = [each for each in space.corpus.datasets() if each.name == name]
        if not found:
            raise NotFound(f"there is no dataset {name!r}", "see: tui-annotate datasets list")
        people = [each for each in space.corpus.progress() if each.dataset == name]
        samples = [key.id for key in space.corpus.keys(name)]
    if common.as_json:
        output.print_json({**asdict(found[0]), "people": people, "sample_ids": samples})
        return
    output.print_facts({**asdict(found[0]), "created": output.format_time(found[0].created)})
    for each in people:
        annotations = output.many(each.annotations, "annotation")
        output.print_line(f"{each.name}: {annotations}, {output.many(each.done, 'sample')} done")
    output.print_line("")
    for sample in samples:
        output.print_line(sample)


def replace_dataset(
    name: NameArgument,
    files: options.FilesArgument,
    *,
    format_name: options.FormatOption = "",
    columns: options.ColumnOptions,
    collection: options.CollectionOptions,
    texts: options.TextOptions,
    vectors: options.EmbedderChoice,
    delete_annotations: options.DeleteAnnotationsOption = False,
    common: options.CommonOptions,
) -> None:
    """Replace what is in a dataset by what is in files.

    Work on samples whose texts stay is kept. Refused where people worked on a sample that would
    change or go, unless --delete-annotations.
    """
    from tui_annotate.services.ingest import IngestFiles

    with (
        open_workspace(common.workspace, needs=Permission.MANAGE) as space,
        output.show_progress("records") as progress,
    ):
        require_files(files)
        language = texts.language or space.settings.language
        reading = options.import_options(
            columns, texts, collection, dataset=name, language=language
        )
        report = space.ingest_service.replace(
            IngestFiles(files, format_name, reading),
            dataset=name,
            with_annotations=delete_annotations,
            embedder=space.vector_options(**asdict(vectors)),
            progress=progress,
        )
    print_ingest(report, as_json=common.as_json, workspace=common.workspace)


def remove_dataset(
    name: NameArgument,
    *,
    delete_annotations: options.DeleteAnnotationsOption = False,
    yes: options.YesOption = False,
    common: options.CommonOptions,
) -> None:
    """Take a dataset out of the workspace.

    Refused where people worked on it, unless --delete-annotations.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        output.ask(f"remove dataset {name!r} from {space.path}?", yes=yes)
        removed = space.corpus.remove_dataset(name, with_annotations=delete_annotations)
    line = f"{output.many(removed, 'sample')} removed"
    output.print_lines_or_json({"dataset": name, "removed": removed}, line, as_json=common.as_json)
