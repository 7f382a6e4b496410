"""The commands `datasets`: list, show, edit, replace and delete datasets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final, TypedDict

import typer

from tui_annotate.cli import completion, options, output
from tui_annotate.cli.endpoint_trust import require_trust
from tui_annotate.cli.help_format import DATA
from tui_annotate.cli.ingest import open_inputs, print_ingest
from tui_annotate.cli.option_groups import OptionGroup
from tui_annotate.cli.options import (
    add_command,
    add_group,
    argument,
    open_workspace,
)
from tui_annotate.cli.problems import ProblemsOption, write_problems
from tui_annotate.cli.report_parts import (
    Column,
    Columns,
    Facts,
    Part,
    ResultPart,
    Table,
    number_column,
)
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Permission
from tui_annotate.domain.records import DatasetDescription

if TYPE_CHECKING:
    from tui_annotate.storage.corpus.store import DatasetInfo, DatasetProgress


class DatasetRules(TypedDict):
    """Stored description and rules of a dataset."""

    dataset: str
    license: str
    origin: str
    citation: str
    edits_after_adjudication: bool


class DeletedDataset(TypedDict):
    """Number of deleted samples of a dataset."""

    dataset: str
    deleted: int


NameArgument = Annotated[
    str, argument("DATASET", "Name of the dataset.", complete=completion.datasets)
]
DATASET_COUNTS: Final[Columns[Any]] = (
    number_column("samples"),
    number_column("texts", "documents"),
    number_column("sentences", "segments"),
    number_column("annotations"),
    number_column("completed readings", "completed"),
)
"""Columns of a dataset's counts; a reading is the work of one annotator on one sample.

Texts are the different sources, summaries and reports.
"""


def register(app: typer.Typer) -> typer.Typer:
    """Add the group `datasets`, and return it for commands of other modules."""
    datasets = add_group(
        app, "datasets", "List, show, edit, replace, clear and delete datasets.", panel=DATA
    )
    add_command(datasets, list_datasets, "datasets list --json", name="list")
    add_command(datasets, show_dataset, "datasets show news", name="show")
    add_command(
        datasets,
        edit_dataset,
        "datasets edit news --license CC-BY-4.0",
        "datasets edit news --edits-after-adjudication allow",
        name="edit",
    )
    add_command(datasets, replace_dataset, "datasets replace news news-2.csv", name="replace")
    add_command(
        datasets,
        delete_dataset,
        "datasets delete news",
        "datasets delete news --delete-annotations --yes",
        name="delete",
    )
    return datasets


def list_datasets(*, common: options.CommonOptions) -> None:
    """List datasets with their numbers of samples and annotations."""
    with open_workspace(common.workspace) as space:
        datasets = space.corpus.datasets()
    columns = (Column("dataset", "name"), *DATASET_COUNTS)
    output.show(datasets, [Table(datasets, columns)], as_json=common.as_json)


def show_dataset(name: NameArgument, *, common: options.CommonOptions) -> None:
    """Show a dataset: contents, annotators, samples."""
    with open_workspace(common.workspace) as space:
        space.guidance.require_dataset(name)
        found = next(each for each in space.corpus.datasets() if each.name == name)
        people = [each for each in space.corpus.progress() if each.dataset == name]
        samples = [key.id for key in space.corpus.keys(name)]
    output.show(
        {**asdict(found), "people": people, "sample_ids": samples},
        _describe_dataset(found, people, samples),
        as_json=common.as_json,
    )


def _describe_dataset(
    found: DatasetInfo, people: Sequence[DatasetProgress], samples: Sequence[str]
) -> Iterator[Part]:
    yield Facts(
        {
            "name": found.name,
            **{each.title: each.cell(found) for each in DATASET_COUNTS},
            "created": output.format_time(found.created),
            "license": found.license,
            "origin": found.origin,
            "citation": found.citation,
            "edits after adjudication": _name_rule(allowed=found.edits_after_adjudication),
        }
    )
    for each in people:
        annotations = output.many(each.annotations, "annotation")
        completed = output.many(each.completed, "sample")
        yield f"{each.name}: {annotations}, {completed} completed"
    yield ""
    yield from samples


_ReadOptions = Annotated[
    options.ReadOptions,
    OptionGroup(
        **options.COLUMN_OPTIONS,
        **options.COLLECTION_OPTIONS,
        **options.TEXT_OPTIONS,
        offsets=options.OffsetsOption,
    ),
]


def replace_dataset(
    name: NameArgument,
    files: options.FilesArgument,
    *,
    format_name: options.FormatOption = "",
    given: _ReadOptions,
    vectors: options.ChosenEmbedder,
    delete_annotations: options.DeleteAnnotationsOption = False,
    problems: ProblemsOption = None,
    common: options.CommonOptions,
) -> None:
    """Replace the contents of a dataset with the contents of files.

    Annotations on samples with unchanged texts are kept. The command is refused if a sample with
    annotations or progress would change or disappear, unless --delete-annotations is given.
    """
    from tui_annotate.services.ingest import IngestFiles

    with (
        open_workspace(common.workspace, needs=Permission.MANAGE) as space,
        open_inputs(files) as paths,
        write_problems(problems, *files) as log,
    ):
        space.guidance.require_dataset(name)
        reading = options.import_options(
            given,
            files=paths,
            format_name=format_name,
            dataset=name,
            language=given.language or space.settings.language,
            **options.earlier_imports(space),
        )
        chosen = vectors.vector_options(space)
        require_trust(chosen.trust, space.ingest_service.sets.unnamed_url(chosen))
        with output.show_progress("records") as progress:
            report = space.ingest_service.replace(
                IngestFiles(paths, format_name, reading),
                dataset=name,
                delete_annotations=delete_annotations,
                embedder=chosen,
                progress=progress,
                problem=log,
            )
    print_ingest(report, as_json=common.as_json, base_url=vectors.base_url)


class LaterEdits(StrEnum):
    """Whether annotators may change their work on adjudicated samples."""

    ALLOW = "allow"
    REFUSE = "refuse"


def edit_dataset(
    name: NameArgument,
    *,
    about: options.DescriptionOptions,
    later_edits: Annotated[
        LaterEdits | None,
        typer.Option(
            "--edits-after-adjudication",
            help="Whether annotators may change their work on adjudicated samples (default of a "
            "dataset: refuse). Review, exports and agreement mark such edits.",
        ),
    ] = None,
    common: options.CommonOptions,
) -> None:
    """Change the license, origin, citation or rules of a dataset.

    An option that is not given changes nothing; an empty text deletes the stored text.
    """
    given = {field: text for field, text in asdict(about).items() if text is not None}
    if not given and later_edits is None:
        hint = "give at least one of --license, --origin, --citation, --edits-after-adjudication"
        raise InvalidInput("no new license, origin, citation or rule is given", hint)
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        space.guidance.require_dataset(name)
        stored = space.corpus.descriptions().get(name, DatasetDescription())
        if given:
            space.corpus.describe_dataset(name, replace(stored, **given))
        if later_edits is not None:
            allowed = later_edits is LaterEdits.ALLOW
            space.corpus.allow_edits_after_adjudication(name, allowed=allowed)
        found = next(each for each in space.corpus.datasets() if each.name == name)
    facts = {field: getattr(found, field) for field in asdict(stored)}
    allowed = found.edits_after_adjudication
    shown = {"dataset": name, **facts, "edits after adjudication": _name_rule(allowed=allowed)}
    value: DatasetRules = {
        "dataset": name,
        "license": found.license,
        "origin": found.origin,
        "citation": found.citation,
        "edits_after_adjudication": allowed,
    }
    output.show(value, [Facts(shown)], as_json=common.as_json)


def _name_rule(*, allowed: bool) -> str:
    return (LaterEdits.ALLOW if allowed else LaterEdits.REFUSE).value


def delete_dataset(
    name: NameArgument,
    *,
    delete_annotations: options.DeleteAnnotationsOption = False,
    yes: options.YesOption = False,
    common: options.CommonOptions,
) -> None:
    """Delete a dataset.

    The command is refused if samples of the dataset have annotations or progress, unless
    --delete-annotations is given.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        if delete_annotations:
            space.guidance.require_dataset(name)
        else:
            space.corpus.require_unannotated(name)
        output.ask(f"delete dataset {name!r} from {space.path}?", yes=yes)
        removed = space.corpus.remove_dataset(name, delete_annotations=delete_annotations)
    line = ResultPart(f"{output.many(removed, 'sample')} deleted")
    output.show(DeletedDataset(dataset=name, deleted=removed), [line], as_json=common.as_json)
