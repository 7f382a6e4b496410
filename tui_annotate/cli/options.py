"""Options that several commands share, each declared once."""

from __future__ import annotations

import math
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tui_annotate.cli import completion
from tui_annotate.cli.option_groups import GroupedCommand
from tui_annotate.domain.assignments import State
from tui_annotate.domain.did_you_mean import unknown_dataset
from tui_annotate.domain.errors import InvalidInput, NotReady
from tui_annotate.domain.people import Permission, require_permission
from tui_annotate.plugins.pair_columns import set_pair_columns
from tui_annotate.plugins.protocols import CODEPOINT, UTF16, ImportOptions

if TYPE_CHECKING:
    from tui_annotate.workspace import Workspace


class Offsets(StrEnum):
    """The unit of offsets in a file."""

    CODEPOINT = CODEPOINT
    UTF16 = UTF16


def option(
    name: str,
    metavar: str,
    about: str,
    *,
    complete: completion.Completer | None = None,
    minimum: int | None = None,
) -> Any:
    """Declare an option with a value. `complete` returns values for shell completion."""
    return typer.Option(name, metavar=metavar, help=about, autocompletion=complete, min=minimum)


def dataset_option(about: str) -> Any:
    """Declare the option `--dataset`."""
    return option("--dataset", "NAME", about, complete=completion.datasets)


def sample_option(about: str) -> Any:
    """Declare the option `--sample`."""
    return option("--sample", "ID", about, complete=completion.samples)


def person_option(name: str, about: str, *, metavar: str = "NAME") -> Any:
    """Declare an option that names a person, or several people if the parameter is a list."""
    return option(name, metavar, about, complete=completion.people)


def flag(name: str, about: str) -> Any:
    """Declare an option without a value, for example `--json`."""
    return typer.Option(name, help=about)


def argument(metavar: str, about: str, *, complete: completion.Completer | None = None) -> Any:
    """Declare a positional argument, whose default is not shown in the help."""
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
        "--as", "Name under which you work (default: the name used last, else your login name)."
    ),
]
StartOption = Annotated[str, sample_option("Sample to open first: ID or DATASET/ID.")]
DryOption = Annotated[bool, flag("--dry-run", "Show what would change, but change nothing.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]

FilesArgument = Annotated[
    list[Path],
    argument(
        "FILE", "File or folder to read, in any readable format, also compressed (.gz, .zst)."
    ),
]
FormatOption = Annotated[
    str,
    typer.Option(
        "--from",
        "-f",
        metavar="FORMAT",
        help="Format to read, as listed by `tui-annotate formats` (default: detected from the "
        "content).",
        autocompletion=completion.complete_plugins("importers"),
    ),
]
DatasetOption = Annotated[
    str, dataset_option("Name of the dataset (default: the file name up to its first dot).")
]
OffsetsOption = Annotated[
    Offsets | None,
    typer.Option(
        help="Unit of offsets in autojudge files (default: the unit that fits the quoted texts)."
    ),
]
EmbedderOption = Annotated[
    str,
    option(
        "--embedder",
        "NAME",
        "Embedder of texts: auto, static, neural[:FOLDER], remote:MODEL or none (default: the "
        "workspace's embedder).",
        complete=completion.complete_plugins("embedders", "auto", "none"),
    ),
]
UrlOption = Annotated[
    str,
    option(
        "--base-url",
        "URL",
        "URL of the endpoint for remote:MODEL, up to and including /v1. The API key is read from "
        "$TUI_ANNOTATE_API_KEY.",
    ),
]


def refuse_nan(value: float | None) -> float | None:
    """Return the number of an option; NaN passes the bounds of Typer.

    Raises:
        typer.BadParameter: the value is NaN.
    """
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
    """Options of nearly every command."""

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


@dataclass(frozen=True)
class ColumnOptions:
    """Options that name the columns of a table of source-summary pairs."""

    columns: Annotated[
        str,
        option(
            "--columns",
            "NAME",
            "Known collection whose column names are used: aggrefact, frank, summac or true.",
            complete=completion.complete_words("aggrefact", "frank", "summac", "true"),
        ),
    ] = ""
    source_column: Annotated[
        str, option("--source-column", "NAME", "Column of the source texts.")
    ] = "source"
    summary_column: Annotated[
        str, option("--summary-column", "NAME", "Column of the summaries.")
    ] = "summary"
    id_column: Annotated[
        str, option("--id-column", "NAME", "Column of the sample ids (default: the row number).")
    ] = ""
    group_column: Annotated[
        str,
        option(
            "--group-column",
            "NAME",
            "Column with the same value for all summaries of one source (default: none).",
        ),
    ] = ""


@dataclass(frozen=True)
class CollectionOptions:
    """Options for files that accompany a collection of reports."""

    topics: Annotated[
        Path | None, option("--topics", "FILE", "File with the topics that the reports answer.")
    ] = None
    topic: Annotated[
        list[str] | None, option("--topic", "ID", "Only the reports on this topic. Repeatable.")
    ] = None
    documents: Annotated[
        Path | None,
        option("--documents", "FILE", "File with the documents that the reports cite."),
    ] = None


@dataclass(frozen=True)
class TextOptions:
    """Options for the language and encoding of texts in a file."""

    language: Annotated[
        str,
        option(
            "--language",
            "CODE",
            "Language of all texts, for example en or zh (default: detected for each text).",
        ),
    ] = ""
    encoding: Annotated[
        str, option("--encoding", "NAME", "Encoding of the files, for example gb18030.")
    ] = "utf-8"


@dataclass(frozen=True)
class EmbedderChoice:
    """Options for the embedder that computes vectors, and its endpoint."""

    embedder: EmbedderOption = ""
    base_url: UrlOption = ""
    dimensions: Annotated[
        int,
        typer.Option(
            "--dimensions",
            metavar="N",
            min=0,
            help="Number of dimensions of the vectors of remote:MODEL (default: set by the model).",
            show_default=False,
        ),
    ] = 0
    timeout: TimeoutOption = None


@dataclass(frozen=True)
class FilterOptions:
    """Options that select the work in an export or a report."""

    dataset: OfDatasetOption = ""
    person: OfPersonOption = ""
    origin: Annotated[
        str,
        option(
            "--origin",
            "ORIGIN",
            "Only annotations of this origin: human, adjudicated, rejected, imported, or a full "
            "name such as imported:mercury.",
        ),
    ] = ""
    state: Annotated[
        State | None,
        typer.Option(help="Only samples in this state (default: all states)."),
    ] = None
    label: OfLabelOption = ""
    since: SinceOption = ""

    def filters(self, *, include_practice: bool, include_gold: bool) -> dict[str, str]:
        """Return the values of the options as fields of a `RecordFilter`."""
        practice, gold = ("with" if each else "" for each in (include_practice, include_gold))
        state = str(self.state or "")
        return asdict(self) | {"state": state, "practice": practice, "gold": gold}


PracticeOption = Annotated[
    bool, flag("--include-practice", "Include work on practice datasets (default: excluded).")
]
GoldOption = Annotated[
    bool,
    flag(
        "--include-gold",
        "Include work on gold samples, which checks annotators' accuracy (default: excluded).",
    ),
]


def import_options(
    columns: ColumnOptions,
    texts: TextOptions,
    collection: CollectionOptions | None = None,
    **others: Any,
) -> ImportOptions:
    """Build import options from the values of a command's options.

    `others`: values of further fields of `ImportOptions`.

    Raises:
        NotFound: `--columns` names an unknown collection.
    """
    given = asdict(columns) | asdict(texts) | others
    if collection:
        given |= {"topics": collection.topics, "documents": collection.documents}
        given["only"] = tuple(collection.topic or ())
    return set_pair_columns(given.pop("columns"), ImportOptions(**given))


def output_option(about: str, *, metavar: str = "FILE") -> Any:
    """Declare the option `--output` with a file to write. The value `-` is standard output."""
    return typer.Option("--output", "-o", metavar=metavar, help=about, callback=parse_target)


def parse_target(target: Path | None) -> Path | None:
    """Return the file to write, or None for `-` (standard output) and for no file."""
    return None if target == Path("-") else target


def examples(*lines: str) -> str:
    """Format example command lines for the end of a command's help, one example per line."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def add_command(
    group: typer.Typer,
    function: Callable[..., None],
    *lines: str,
    name: str | None = None,
    panel: str | None = None,
) -> None:
    """Add a command to the app or to a group.

    Args:
        lines: examples at the end of the command's help; `tui-annotate` is put before a line that
            does not contain it.
        name: name of the command; default: the function's name.
        panel: panel of `tui-annotate --help` that lists the command, a constant of `help_format`;
            only for commands of the app itself.
    """
    commands = (each if "tui-annotate " in each else f"tui-annotate {each}" for each in lines)
    group.command(name, epilog=examples(*commands), rich_help_panel=panel)(GroupedCommand(function))


def add_group(app: typer.Typer, name: str, about: str, *, panel: str | None = None) -> typer.Typer:
    """Add a group of commands, which prints its help if no command is named.

    Args:
        about: first line of the group's help.
        panel: panel of `tui-annotate --help` that lists the group, a constant of `help_format`;
            only for groups of the app itself.
    """
    group = typer.Typer(help=about, no_args_is_help=True)
    app.add_typer(group, name=name, rich_help_panel=panel)
    return group


_SHARED_WITH_GROUP: Final = stat.S_ISGID | 0o070
"""Mode bits of a workspace folder that a group shares."""


@contextmanager
def open_workspace(
    workspace: Path | None, *, needs: Permission | None = None
) -> Iterator[Workspace]:
    """Open the workspace for the user of the shell, and close the workspace at the end.

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


def choose_dataset(space: Workspace, name: str) -> str:
    """Return the name of an existing dataset, or the only dataset's name if `name` is empty.

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


def require_dataset(space: Workspace, name: str) -> None:
    """Check that the workspace has a dataset with this name.

    Raises:
        NotFound: no dataset has the name; the hint names the most similar one.
    """
    known = [info.name for info in space.corpus.datasets()]
    if name not in known:
        raise unknown_dataset(name, known)
