"""Commands about datasets: list, show, replace, remove; none orphans work in silence."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from tui_annotate.cli import completion, output
from tui_annotate.cli.ingest import refuse_absent, tell_report
from tui_annotate.cli.options import (
    ColumnsOption,
    DimensionsOption,
    DocumentsOption,
    EmbedderOption,
    EncodingOption,
    FilesArgument,
    FormatOption,
    GroupOption,
    IdOption,
    JsonOption,
    LanguageOption,
    SourceOption,
    SummaryOption,
    TopicOption,
    TopicsOption,
    UrlOption,
    WithAnnotationsOption,
    WorkspaceOption,
    YesOption,
    collection,
    examples,
    opened,
)
from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.people import Verb
from tui_annotate.plugins.columns import with_columns
from tui_annotate.plugins.protocols import ImportOptions


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    dataset = typer.Typer(help="Datasets: samples that came together.", no_args_is_help=True)
    dataset.command("list", epilog=examples("tui-annotate dataset list --json"))(list_datasets)
    dataset.command("show", epilog=examples("tui-annotate dataset show news"))(show_dataset)
    dataset.command("replace", epilog=examples("tui-annotate dataset replace news news-2.csv"))(
        replace_dataset
    )
    dataset.command(
        "remove",
        epilog=examples(
            "tui-annotate dataset remove news",
            "tui-annotate dataset remove news --with-annotations --yes",
        ),
    )(remove_dataset)
    app.add_typer(dataset, name="dataset")


def list_datasets(*, as_json: JsonOption = False, workspace: WorkspaceOption = None) -> None:
    """List the datasets with their figures."""
    with opened(workspace) as space:
        datasets = space.corpus.datasets()
    if as_json:
        output.as_json([asdict(dataset) for dataset in datasets])
        return
    numbers = ("samples", "documents", "segments", "annotations", "done")
    output.table(
        [output.Column("dataset"), *(output.Column(name, number=True) for name in numbers)],
        [(each.name, *(getattr(each, name) for name in numbers)) for each in datasets],
    )


def show_dataset(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The dataset.", autocompletion=completion.datasets)
    ],
    *,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Show one dataset: its figures, who worked on it, and its samples."""
    with opened(workspace) as space:
        found = [each for each in space.corpus.datasets() if each.name == name]
        if not found:
            raise NotFound(f"there is no dataset {name!r}", "see: tui-annotate dataset list")
        people = [each for each in space.corpus.progress() if each.dataset == name]
        samples = [key.id for key in space.corpus.keys(name)]
    if as_json:
        shown: dict[str, Any] = asdict(found[0])
        shown |= {"people": [asdict(each) for each in people], "sample_ids": samples}
        output.as_json(shown)
        return
    output.facts({**asdict(found[0]), "created": output.seconds(found[0].created)})
    for each in people:
        annotations = output.many(each.annotations, "annotation")
        output.line(f"{each.name}: {annotations}, {output.many(each.done, 'sample')} done")
    output.line("")
    for sample in samples:
        output.line(sample)


def replace_dataset(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The dataset.", autocompletion=completion.datasets)
    ],
    files: FilesArgument,
    *,
    format_name: FormatOption = "",
    columns: ColumnsOption = "",
    source_column: SourceOption = "source",
    summary_column: SummaryOption = "summary",
    id_column: IdOption = "",
    group_column: GroupOption = "",
    topics: TopicsOption = None,
    topic: TopicOption = None,
    documents: DocumentsOption = None,
    language: LanguageOption = "",
    encoding: EncodingOption = "utf-8",
    embedder: EmbedderOption = "",
    base_url: UrlOption = "",
    dimensions: DimensionsOption = 0,
    with_annotations: WithAnnotationsOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Replace what is in a dataset by what is in files.

    Work on samples whose texts stay is kept. Refused where people worked on a sample that would
    change or go, unless --with-annotations.
    """
    from tui_annotate.services.ingest import Files

    with (
        opened(workspace, needs=Verb.MANAGE) as space,
        output.progress("records") as tell,
    ):
        refuse_absent(files)
        options = with_columns(
            columns,
            ImportOptions(
                dataset=name,
                source_column=source_column,
                summary_column=summary_column,
                id_column=id_column,
                group_column=group_column,
                language=language or space.settings.language,
                encoding=encoding,
                **collection(topics, documents, only=topic),
            ),
        )
        report = space.ingesting.replace(
            Files(files, format_name, options),
            dataset=name,
            with_annotations=with_annotations,
            embedder=space.asked(embedder, base_url=base_url, dimensions=dimensions),
            progress=tell,
        )
    tell_report(report, as_json=as_json, workspace=workspace)


def remove_dataset(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The dataset.", autocompletion=completion.datasets)
    ],
    *,
    with_annotations: WithAnnotationsOption = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Take a dataset out of the workspace.

    Refused where people worked on it, unless --with-annotations.
    """
    with opened(workspace, needs=Verb.MANAGE) as space:
        output.ask(f"remove dataset {name!r} from {space.path}?", yes=yes)
        removed = space.corpus.remove_dataset(name, with_annotations=with_annotations)
    if as_json:
        output.as_json({"dataset": name, "removed": removed})
    else:
        output.line(f"{output.many(removed, 'sample')} removed")
