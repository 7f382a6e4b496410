"""Options that several commands share, each declared once."""

from __future__ import annotations

import math
import os
import shlex
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import typer

from tui_annotate.cli import completion, output
from tui_annotate.cli.option_groups import GroupedCommand, OptionGroup
from tui_annotate.domain.assignments import State
from tui_annotate.domain.did_you_mean import unknown_dataset
from tui_annotate.domain.errors import InvalidInput, NotAllowed, NotFound, NotReady
from tui_annotate.domain.people import Permission, require_permission
from tui_annotate.domain.records import DatasetDescription, RecordFilter
from tui_annotate.plugins.pair_columns import COLLECTIONS, set_pair_columns
from tui_annotate.plugins.protocols import (
    CODEPOINT,
    GRAPHEME,
    UTF16,
    ColumnChoice,
    EmbedderOptions,
    ImportOptions,
    PairColumns,
    SpanUse,
)
from tui_annotate.plugins.record_validation import COLUMNS_AMBIGUOUS

if TYPE_CHECKING:
    from tui_annotate.domain.people import Person
    from tui_annotate.services.ingest import VectorOptions
    from tui_annotate.workspace import Workspace


class Offsets(StrEnum):
    """Units in which an export can count offsets."""

    CODEPOINT = CODEPOINT
    UTF16 = UTF16


class ReadOffsets(StrEnum):
    """Units in which a file that is read can count offsets."""

    CODEPOINT = CODEPOINT
    UTF16 = UTF16
    GRAPHEME = GRAPHEME


def option(
    name: str,
    metavar: str,
    about: str,
    *,
    complete: completion.Completer | None = None,
    minimum: int | None = None,
) -> Any:
    """Declare an option with a value; `minimum` limits a number."""
    return typer.Option(name, metavar=metavar, help=about, autocompletion=complete, min=minimum)


def dataset_option(about: str) -> Any:
    """Declare an option for the name of a dataset, which the shell completes."""
    return option("--dataset", "NAME", about, complete=completion.datasets)


def sample_option(about: str) -> Any:
    """Declare an option for the id of a sample, which the shell completes."""
    return option("--sample", "ID", about, complete=completion.samples)


def person_option(name: str, about: str, *, metavar: str = "NAME") -> Any:
    """Declare an option for the name of a person, which the shell completes."""
    return option(name, metavar, about, complete=completion.people)


def flag(name: str, about: str) -> Any:
    """Declare an option without a value."""
    return typer.Option(name, help=about)


def argument(metavar: str, about: str, *, complete: completion.Completer | None = None) -> Any:
    """Declare an argument, which has no name, only a position."""
    return typer.Argument(metavar=metavar, help=about, autocompletion=complete, show_default=False)


WorkspaceOption = Annotated[
    Path | None,
    typer.Option(
        "--workspace",
        "-w",
        metavar="DIR",
        help="Workspace folder (default: $TUI_ANNOTATE_WORKSPACE, else the nearest parent folder "
        "that is a workspace).",
    ),
]
JsonOption = Annotated[bool, flag("--json", "Print JSON.")]
NameOption = Annotated[
    str,
    person_option(
        "--as",
        "Your name in the workspace (default: the name used last in this workspace, else your"
        " login name).",
    ),
]
StartOption = Annotated[str, sample_option("Sample to open first: ID or DATASET/ID.")]
DryOption = Annotated[bool, flag("--dry-run", "Show what would change, but change nothing.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]

FilesArgument = Annotated[
    list[Path],
    argument(
        "FILE",
        "File or folder to read, in any readable format, also compressed, or - for "
        "standard input. A pattern in quotes ('rows/*.csv') makes one dataset of all its files.",
    ),
]
FormatOption = Annotated[
    str,
    typer.Option(
        "--from",
        "-f",
        metavar="FORMAT",
        help="Format to read, as listed by `tui-annotate datasets formats` (default: detected"
        " from the content).",
        autocompletion=completion.complete_plugins("importers"),
    ),
]
DatasetOption = Annotated[
    str, dataset_option("Name of the dataset (default: the file name without its ending).")
]
OffsetsOption = Annotated[
    ReadOffsets | None,
    typer.Option(
        help="Unit of the offsets in the files (default: the unit that fits the quoted texts)."
    ),
]


def refuse_nan(value: float | None) -> float | None:
    """Return an option's number; raise BadParameter for NaN, which Typer accepts."""
    if value is not None and math.isnan(value):
        raise typer.BadParameter(f"{value} is not a number")
    return value


TimeoutOption = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        metavar="SECONDS",
        min=0.1,
        max=86_400,
        callback=refuse_nan,
        help="Time limit of each request to an endpoint in seconds (default: 300 for a chat model,"
        " 120 for an embedder).",
        show_default=False,
    ),
]
DeleteAnnotationsOption = Annotated[
    bool,
    flag(
        "--delete-annotations",
        "Also delete the annotations and progress of deleted or changed samples.",
    ),
]
OfDatasetOption = Annotated[str, dataset_option("Only this dataset (default: all datasets).")]
EveryoneReadOption = Annotated[
    bool,
    flag(
        "--everyone-read",
        "Assume that each annotator of a file or dataset read all of its samples: samples in which "
        "an annotator marked nothing count as completed.",
    ),
]
WithoutSuggestedWorkOption = Annotated[
    bool,
    flag(
        "--without-suggested-work",
        "Exclude the work of people who answered a machine's suggestion on the sample.",
    ),
]
OfPersonOption = Annotated[
    str, person_option("--person", "Only the work of this person (default: all people).")
]
OfLabelOption = Annotated[
    str,
    option(
        "--label",
        "LABEL",
        "Only annotations with this label or a label below it, for example Unwanted.Intrinsic.",
        complete=completion.labels,
    ),
]
SinceOption = Annotated[
    str,
    option(
        "--since",
        "TIME",
        "Only work changed at this time (UTC) or later, for example 2026-01-31T12:00.",
    ),
]


@dataclass(frozen=True)
class CommonOptions:
    """Options that every command of a workspace has."""

    as_json: JsonOption = False
    workspace: WorkspaceOption = None


@dataclass(frozen=True)
class DescriptionOptions:
    """Options that describe a dataset; None if an option is not given."""

    license: Annotated[
        str | None, option("--license", "TEXT", "License of the dataset, such as CC-BY-4.0.")
    ] = None
    origin: Annotated[
        str | None, option("--origin", "TEXT", "Origin of the dataset, such as a URL.")
    ] = None
    citation: Annotated[
        str | None, option("--citation", "TEXT", "Publication to cite for the dataset.")
    ] = None

    @property
    def description(self) -> DatasetDescription:
        """The description that the options give; empty texts for missing options."""
        return DatasetDescription(self.license or "", self.origin or "", self.citation or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions(ImportOptions):
    """Options of an import, as a user gives them; `import_options` checks them.

    `columns`: known collection whose columns are used; empty if the user names none.
    """

    columns: str = ""


COLUMN_OPTIONS: Final[Mapping[str, Any]] = {
    "columns": option(
        "--columns",
        "NAME",
        "Known collection whose column names are used: aggrefact, cliff, frank, halueval, "
        "ragtruth, summac, true or uhgeval (default: recognized by the columns).",
        complete=completion.complete_words(*COLLECTIONS),
    ),
    "source_column": option(
        "--source-column", "NAME", "Column of the source texts (default: detected)."
    ),
    "summary_column": option(
        "--summary-column", "NAME", "Column of the summaries (default: detected)."
    ),
    "second_source_column": option(
        "--second-source-column", "NAME", "Column of a second source (default: none)."
    ),
    "id_column": option(
        "--id-column",
        "NAME",
        "Column of the sample ids (default: the row number, from 1; for annotate, a column id of "
        "different values).",
    ),
    "group_column": option(
        "--group-column",
        "NAME",
        "Column with the same value for all summaries of one source (default: none, except in "
        "known collections).",
    ),
    "delimiter": option(
        "--delimiter",
        "CHARACTER",
        "Character between the cells of a CSV file, or tab (default: detected by the header).",
    ),
    "sheet": option("--sheet", "NAME", "Only this sheet of an Excel workbook (default: all)."),
    "span_column": option(
        "--span-column",
        "NAME",
        "Column of spans: quotes, offsets, or lists of them (default: none).",
    ),
    "span_label_column": option(
        "--span-label-column", "NAME", "Column of the spans' labels (default: no labels)."
    ),
    "span_side": typer.Option("--span-side", help="Text that contains the spans of --span-column."),
    "start_column": option(
        "--start-column", "NAME", "Column of the first offset of a span (default: none)."
    ),
    "end_column": option(
        "--end-column", "NAME", "Column of the last offset of a span (default: none)."
    ),
    "offset_base": typer.Option(
        "--offset-base",
        metavar="N",
        min=0,
        max=1,
        help="Number of a text's first character in the offsets of spans: 0 or 1.",
    ),
    "end_inclusive": typer.Option(
        "--end-inclusive/--end-exclusive",
        help="The last offset of a span is its last character, or the one after it (default: as"
        " the quotes of --span-column show, else the one after it).",
        show_default=False,
    ),
    "person_column": option(
        "--person-column",
        "NAME",
        "Column of the annotators of the spans; rows of one summary become one sample "
        "(default: none).",
    ),
    "empty_marker": option(
        "--empty-marker",
        "TEXT",
        "Text of a cell without a span, in addition to NULL, None, NaN and NA.",
    ),
    "merge_rows": flag(
        "--merge-rows", "Make one sample of all rows with the same source and summary."
    ),
}
"""Options that name the columns of a table, or the collection that it belongs to."""
COLLECTION_OPTIONS: Final[Mapping[str, Any]] = {
    "topics": Annotated[
        Path | None, option("--topics", "FILE", "File with the topics that the reports answer.")
    ],
    "topic": Annotated[
        list[str] | None, option("--topic", "ID", "Only the reports on this topic. Repeatable.")
    ],
    "documents": Annotated[
        Path | None, option("--documents", "FILE", "File with the documents that the reports cite.")
    ],
}
"""Options for files of reports: their topics, and the documents that they cite."""
TEXT_OPTIONS: Final[Mapping[str, Any]] = {
    "language": option(
        "--language",
        "CODE",
        "Language of all texts, for example en or zh (default: detected for each text).",
    ),
    "encoding": option("--encoding", "NAME", "Encoding of the files, for example gb18030."),
}
"""Options for how texts are read: their language and encoding."""
TableOptions = Annotated[
    ReadOptions, OptionGroup(**COLUMN_OPTIONS, **TEXT_OPTIONS, offsets=OffsetsOption)
]
"""Options for files that cite no other files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderChoice(EmbedderOptions):
    """The embedder that a user chose, with the endpoint of a remote one.

    `embedder`: name of the embedder, with its model; empty for the workspace's embedder.
    """

    embedder: str = ""

    def vector_options(self, space: Workspace) -> VectorOptions:
        """Return complete options, with defaults from the workspace."""
        return space.vector_options(
            self.embedder,
            base_url=self.base_url,
            dimensions=self.dimensions,
            timeout=self.timeout,
            max_retries=self.max_retries,
        )


_EMBEDDER_OPTIONS: Final[Mapping[str, Any]] = {
    "embedder": option(
        "--embedder",
        "NAME",
        "Embedder of texts: auto, static, neural[:FOLDER], remote:MODEL or none (default: the "
        "workspace's embedder).",
        complete=completion.complete_plugins("embedders", "auto", "none"),
    ),
    "base_url": option(
        "--base-url",
        "URL",
        "URL of the endpoint for remote:MODEL, up to and including /v1. The API key is read from "
        "$TUI_ANNOTATE_API_KEY.",
    ),
}
ChosenEmbedder = Annotated[
    EmbedderChoice,
    OptionGroup(
        **_EMBEDDER_OPTIONS,
        dimensions=typer.Option(
            "--dimensions",
            metavar="N",
            min=0,
            help="Number of dimensions of the vectors of remote:MODEL (default: set by the model).",
            show_default=False,
        ),
        timeout=TimeoutOption,
    ),
]
"""Options that choose the embedder whose vectors are stored."""
ChosenQueryEmbedder = Annotated[EmbedderChoice, OptionGroup(**_EMBEDDER_OPTIONS)]
"""Options that choose an embedder whose vectors are not stored."""


class StateChoice(StrEnum):
    """States of work that an option accepts, and `all` for all of them."""

    NEW = State.NEW.value
    DRAFT = State.DRAFT.value
    DONE = State.DONE.value
    SKIPPED = State.SKIPPED.value
    FLAGGED = State.FLAGGED.value
    REOPENED = State.REOPENED.value
    ALL = "all"


_STATES_BY_NAME: Final = {each.display_name: each.value for each in State} | {
    each.display_name.replace(" ", "-"): each.value for each in State
}
"""Stored values of states by the names that `status` displays."""
_Choice = TypeVar("_Choice", bound=StrEnum)


def state_option(choices: type[_Choice], about: str) -> Any:
    """Return the option `--state`; it takes the stored values of states and displayed names.

    `choices`: the enumeration of states that the option accepts.
    """

    def parse(text: str) -> _Choice:
        try:
            return choices(_STATES_BY_NAME.get(text, text))
        except ValueError as error:
            known = ", ".join(each.value for each in choices)
            raise typer.BadParameter(f"unknown state {text!r}; the states are: {known}") from error

    def complete(incomplete: str) -> list[str]:
        return [each.value for each in choices if each.value.startswith(incomplete)]

    values = "|".join(each.value for each in choices)
    return typer.Option(
        "--state", metavar=f"<{values}>", help=about, parser=parse, autocompletion=complete
    )


FilterOptions = Annotated[
    RecordFilter,
    OptionGroup(
        dataset=OfDatasetOption,
        person=OfPersonOption,
        origin=option(
            "--origin",
            "ORIGIN",
            "Only annotations of this origin: human, adjudicated, rejected, imported, or a full "
            "name such as imported:mercury.",
        ),
        state=Annotated[
            StateChoice | None,
            state_option(
                StateChoice,
                "Only samples in this state, also by the name that status displays: done or "
                "completed, draft or in-progress (default: all states; exports to formats for "
                "training write completed work only, unless a state or `all` is named).",
            ),
        ],
        label=OfLabelOption,
        since=SinceOption,
    ),
]
"""Options that select samples and annotations; an empty value excludes nothing."""
PracticeOption = Annotated[
    bool, flag("--include-practice", "Include work on practice datasets (default: excluded).")
]
GoldOption = Annotated[
    bool,
    flag(
        "--include-gold",
        "Include work on gold samples, whose answers are known (default: excluded).",
    ),
]


def include_excluded(work: RecordFilter, *, practice: bool, gold: bool) -> RecordFilter:
    """Return a filter that includes work on practice datasets or gold samples, if wanted."""
    return replace(work, practice="with" if practice else "", gold="with" if gold else "")


def import_options(
    given: ReadOptions, *, files: Sequence[Path] = (), format_name: str = "", **others: Any
) -> ImportOptions:
    """Build the options of an import from those that the user gave to a command.

    Args:
        files: files to import. The columns of tables are chosen now, before a command shows its
            progress or stores anything.
        others: values of further fields of `ImportOptions`, which replace those of `given`.

    Raises:
        NotFound: `--columns` names an unknown collection.
        InvalidInput: `--delimiter` is not one character, or the columns of a table are ambiguous,
            or an option for spans is given without `--span-column`.
        NotFound, InvalidInput, Unavailable: a file cannot be opened.
    """
    values = {each.name: getattr(given, each.name) for each in fields(ImportOptions)}
    values["delimiter"] = _check_delimiter(given.delimiter)
    values["choose_columns"] = _ColumnPrompt()
    reading = set_pair_columns(given.columns, ImportOptions(**values | others))
    _check_span_options(reading)
    choose_columns(files, format_name, reading)
    return reading


def earlier_imports(space: Workspace) -> dict[str, Any]:
    """Return the options of an import that depend on earlier imports into the workspace."""
    return {
        "used_columns": space.corpus.used_columns(),
        "first_rows": space.corpus.first_rows(),
        "stored": space.corpus.sample_or_none,
    }


def choose_columns(files: Sequence[Path], format_name: str, reading: ImportOptions) -> None:
    """Print or ask for the columns of all tables in files, before the files are imported."""
    from tui_annotate.plugins import reader_guard
    from tui_annotate.plugins.format_detection import detect

    for file in files:
        if file.is_fifo():  # it can be read only once
            continue
        try:
            reader_guard.choose_columns(format_name or detect(file, reading), reading, file)
        except InvalidInput as error:
            # The import names such a file, and reads the others.
            if not reader_guard.refuses_one_file(error, files):
                raise


class _ColumnPrompt:
    """Prints each choice of columns once, and asks about an ambiguous choice on a terminal.

    The answer holds for all tables with the same possible columns.
    """

    def __init__(self) -> None:
        self._printed: set[PairColumns] = set()
        self._answers: dict[frozenset[PairColumns], PairColumns] = {}

    def __call__(self, choice: ColumnChoice) -> PairColumns:
        if choice.is_certain:
            if choice.columns not in self._printed:
                self._print(choice)
            return choice.columns
        candidates = frozenset(choice.candidates)
        if candidates not in self._answers:
            self._answers[candidates] = self._ask(choice)
        return self._answers[candidates]

    def _print(self, choice: ColumnChoice) -> None:
        self._printed.add(choice.columns)
        output.print_note(str(choice))
        if choice.spans:
            named = zip(("--span-column", "--span-label-column"), choice.spans, strict=False)
            command = output.repeat_command([word for pair in named for word in pair])
            output.print_note(f"to import the spans in column {choice.spans[0]!r}: {command}")

    def _ask(self, choice: ColumnChoice) -> PairColumns:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            hint = f"name the columns, for example: {choice.columns.options}"
            raise InvalidInput(choice.question, hint, code=COLUMNS_AMBIGUOUS)
        question = f"Which columns of {choice.table} hold the source and the summary?"
        chosen = choice.candidates[output.choose(question, [*map(str, choice.candidates)])]
        self._print(replace(choice, candidates=(chosen,), reason="your choice"))
        return chosen


def _check_delimiter(text: str) -> str:
    sign = {"tab": "\t", "\\t": "\t"}.get(text, text)
    if len(sign) > 1 or sign in {'"', "\n", "\r", "\0"}:
        raise InvalidInput(
            f"--delimiter is {text!r}, which cannot separate cells",
            "pass one character, for example ';', or the word tab",
        )
    return sign


def _check_span_options(reading: ImportOptions) -> None:
    needs_spans = reading.span_label_column or reading.spans_as is SpanUse.SUGGESTIONS
    if needs_spans and not reading.has_spans:
        given = "--span-label-column" if reading.span_label_column else "--spans-as suggestions"
        raise InvalidInput(
            f"{given} needs a column of spans",
            "name the column of the spans with --span-column",
            code="span-column-missing",
        )
    if bool(reading.start_column) != bool(reading.end_column):
        raise InvalidInput(
            "--start-column and --end-column need each other", "name both columns of offsets"
        )


def output_option(about: str, *, metavar: str = "FILE") -> Any:
    """Declare the option `-o`; `-` means standard output."""
    return typer.Option("--output", "-o", metavar=metavar, help=about, callback=parse_target)


def parse_target(target: Path | None) -> Path | None:
    """Return the file to write, or None for `-`, which means standard output."""
    return None if target == Path("-") else target


def examples(*lines: str) -> str:
    """Return the part of a command's help that lists examples, in lines that are not wrapped."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def add_command(
    group: typer.Typer,
    function: Callable[..., None],
    *lines: str,
    name: str | None = None,
    panel: str | None = None,
) -> None:
    """Add a command to the app or to a group of commands.

    Args:
        lines: examples at the end of the command's help, with or without `tui-annotate`.
        panel: section of `tui-annotate --help`; only for commands of the app itself.
    """
    commands = (each if "tui-annotate " in each else f"tui-annotate {each}" for each in lines)
    group.command(name, epilog=examples(*commands), rich_help_panel=panel)(GroupedCommand(function))


def add_group(
    app: typer.Typer, name: str, about: str, *, panel: str | None = None, hidden: bool = False
) -> typer.Typer:
    """Add a group of commands, which prints its help if no command is given, and return it."""
    group = typer.Typer(help=about, no_args_is_help=True)
    app.add_typer(group, name=name, rich_help_panel=panel, hidden=hidden)
    return group


_SHARED_WITH_GROUP: Final = stat.S_ISGID | 0o070
"""Mode bits of a workspace folder that a group shares."""


@contextmanager
def open_workspace(
    workspace: Path | None, *, needs: Permission | None = None
) -> Iterator[Workspace]:
    """Open the workspace for the user of the shell; close it at the end.

    The owner of the workspace's files may do everything. In a workspace with accounts, other users
    have the account with their login name.

    Args:
        needs: the permission that the command requires; None if the command checks permissions.

    Raises:
        NotFound: no folder is a workspace.
        NotAllowed: the workspace has accounts, and the user's account is missing or lacks `needs`.
        Unavailable: the workspace cannot be opened.
    """
    from tui_annotate import workspace as workspaces
    from tui_annotate.settings import find_workspace

    folder = find_workspace(workspace)
    if folder.stat().st_mode & _SHARED_WITH_GROUP == _SHARED_WITH_GROUP:
        os.umask(0o007)  # the group must be able to use new files, such as vectors
    with workspaces.open(folder) as space:
        actor = space.team.members.at_shell()
        if needs is not None:
            require_permission(actor, needs)
        yield space if actor == space.actor else space.acting(actor)


def find_settings_folder(workspace: Path | None) -> Path | None:
    """Return the workspace whose settings a command with a file uses; None without a workspace.

    The command does not open the workspace's store. The settings of another user's workspace that
    the user did not name are not used, with a warning.

    Raises:
        NotFound: the folder that the option or the environment names is not a workspace.
    """
    from tui_annotate.settings import NO_WORKSPACE, find_workspace
    from tui_annotate.settings.workspaces import UNTRUSTED

    try:
        return find_workspace(workspace)
    except NotFound as error:
        if error.code != NO_WORKSPACE:
            raise
    except NotAllowed as error:
        if error.code != UNTRUSTED:
            raise
        output.print_problem(f"warning: its settings are not used: {error.message}", error.hint)
    return None


def working_person(space: Workspace, name: str) -> Person:
    """Return the person who works (see `Workspace.person`), with a message if the person is new.

    A new person whose name is that of an imported person, apart from its case, or the start of the
    imported person's id, gets a warning: the screen asks then whether both are the same.
    """
    new = space.team.members.new_name(name)
    person = space.person(name)
    if not new:
        return person
    output.print_message(f"new annotator in this workspace: {new!r}")
    for imported in space.people.find_namesakes(new):
        merge = shlex.join(["tui-annotate", "users", "merge", imported.id, new])
        output.print_problem(
            f"warning: {new!r} is not the imported person {imported.name!r} (id {imported.id})",
            f"if both are the same person: {merge}",
        )
    return person


def reading_person(space: Workspace, name: str) -> Person:
    """Return the person whose view a reading command shows; unlike `working_person`, store none.

    A person without work here has an empty id.

    Raises:
        InvalidInput: the name is not valid, is the id of a person, or looks like another name.
    """
    if space.actor.person or space.team.members.required():
        return space.person(name)
    from tui_annotate.domain.people import Person
    from tui_annotate.settings import person_name

    own = person_name(space.path, name)
    return space.people.find_local(own) or Person("", space.people.check_new_local(own))


def deciding_person(space: Workspace, name: str) -> str:
    """Return the id of the person who decides as an admin or reviewer of the workspace.

    Empty for an owner of the files who has no work here: a decision alone makes no one an
    annotator. A person who is named is added, with a message.
    """
    if space.actor.person:
        return space.actor.person
    if name:
        return working_person(space, name).id
    return "" if space.team.members.required() else reading_person(space, name).id


def choose_dataset(space: Workspace, name: str) -> str:
    """Return the name of a dataset that exists, or of the only dataset if `name` is empty.

    Raises:
        InvalidInput: the name is empty and the workspace has several datasets.
        NotFound: the workspace has no dataset with this name.
        NotReady: the workspace has no samples.
    """
    known = [info.name for info in space.corpus.datasets()]
    if name and name not in known:
        raise unknown_dataset(name, known)
    if not known:
        raise NotReady(
            "the workspace has no samples", "import samples with: tui-annotate ingest FILE"
        )
    if not name and len(known) > 1:
        raise InvalidInput(
            f"the workspace has {len(known)} datasets", f"name one dataset: --dataset {known[0]}"
        )
    return name or known[0]
