"""Options that several commands share, so that each is spelt and explained once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import completion
from tui_annotate.cli.option_groups import GroupedCommand
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import InvalidInput, NotFound, NotReady
from tui_annotate.domain.people import Permission, require_permission
from tui_annotate.plugins.pair_columns import set_pair_columns
from tui_annotate.plugins.protocols import CODEPOINT, UTF16, ImportOptions

if TYPE_CHECKING:
    from tui_annotate.workspace import Workspace


class Offsets(StrEnum):
    """What offsets are counted in."""

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
    """An option that takes a value; `complete` gives a shell's proposals for it."""
    return typer.Option(name, metavar=metavar, help=about, autocompletion=complete, min=minimum)


def dataset_option(about: str) -> Any:
    """The option `--dataset`."""
    return option("--dataset", "NAME", about, complete=completion.datasets)


def sample_option(about: str) -> Any:
    """The option `--sample`."""
    return option("--sample", "ID", about, complete=completion.samples)


def person_option(name: str, about: str, *, metavar: str = "NAME") -> Any:
    """An option that names a person, or several where it takes a list."""
    return option(name, metavar, about, complete=completion.people)


def flag(name: str, about: str) -> Any:
    """An option without a value, and without its opposite."""
    return typer.Option(name, help=about)


def argument(metavar: str, about: str, *, complete: completion.Completer | None = None) -> Any:
    """An argument; one that may be left out shows no default."""
    return typer.Argument(metavar=metavar, help=about, autocompletion=complete, show_default=False)


WorkspaceOption = Annotated[
    Path | None,
    typer.Option(
        "--workspace",
        "-w",
        metavar="DIR",
        help="The workspace; else $TUI_ANNOTATE_WORKSPACE, else the nearest parent that is one.",
    ),
]
JsonOption = Annotated[bool, flag("--json", "Print JSON for programs.")]
NameOption = Annotated[
    str,
    person_option("--as", "Who you are. Remembered once work begins; at first your login name."),
]
StartOption = Annotated[str, sample_option("Begin at this sample: its id, or dataset/id.")]
DryOption = Annotated[bool, flag("--dry-run", "Say what would be; change nothing.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]

FilesArgument = Annotated[
    list[Path], argument("FILE", "In any format that `tui-annotate formats` lists; also .gz, .zst.")
]
FormatOption = Annotated[
    str,
    typer.Option(
        "--from",
        "--format",
        metavar="NAME",
        help="Its format, as `tui-annotate formats` has it; else told by the content.",
        autocompletion=completion.complete_plugins("importers"),
    ),
]
DatasetOption = Annotated[
    str, dataset_option("What the dataset is called; else the file's name up to its first dot.")
]
OffsetsOption = Annotated[
    Offsets | None,
    typer.Option(
        help="What spans of autojudge lines are counted in; else told by what they quote."
    ),
]
EmbedderOption = Annotated[
    str,
    option(
        "--embedder",
        "NAME",
        "auto, static, neural[:FOLDER], remote:MODEL, none; ingest keeps the workspace's own.",
        complete=completion.complete_plugins("embedders", "auto", "none"),
    ),
]
UrlOption = Annotated[
    str,
    option(
        "--base-url",
        "URL",
        "Where remote:MODEL is, as far as /v1; its key stands in $TUI_ANNOTATE_API_KEY.",
    ),
]
WithAnnotationsOption = Annotated[
    bool, flag("--with-annotations", "Drop people's work on these samples as well.")
]
OfDatasetOption = Annotated[str, dataset_option("This dataset alone.")]
OfPersonOption = Annotated[str, person_option("--person", "This person's work alone.")]
OfLabelOption = Annotated[
    str,
    option(
        "--label",
        "LABEL",
        "With this label or one under it, as Unwanted.Intrinsic.",
        complete=completion.labels,
    ),
]
SinceOption = Annotated[
    str, option("--since", "TIME", "Changed then or later, as 2026-01-31 or 2026-01-31T12:00.")
]


@dataclass(frozen=True)
class CommonOptions:
    """Options of nearly every command."""

    as_json: JsonOption = False
    workspace: WorkspaceOption = None


@dataclass(frozen=True)
class ColumnOptions:
    """Which columns of a file hold what."""

    columns: Annotated[
        str,
        option(
            "--columns",
            "NAME",
            "Names of columns as in a known collection: aggrefact, frank, summac or true.",
            complete=completion.complete_words("aggrefact", "frank", "summac", "true"),
        ),
    ] = ""
    source_column: Annotated[
        str, option("--source-column", "NAME", "The column of the source texts.")
    ] = "source"
    summary_column: Annotated[
        str, option("--summary-column", "NAME", "The column of the summaries.")
    ] = "summary"
    id_column: Annotated[
        str, option("--id-column", "NAME", "The column of ids; else they are numbered by row.")
    ] = ""
    group_column: Annotated[
        str, option("--group-column", "NAME", "The column that rival summaries share.")
    ] = ""


@dataclass(frozen=True)
class CollectionOptions:
    """What belongs to a collection of reports."""

    topics: Annotated[Path | None, option("--topics", "FILE", "What reports of runs answer.")] = (
        None
    )
    topic: Annotated[
        list[str] | None, option("--topic", "ID", "This topic alone; may be repeated.")
    ] = None
    documents: Annotated[
        Path | None, option("--documents", "FILE", "Documents that reports cite and do not hold.")
    ] = None


@dataclass(frozen=True)
class TextOptions:
    """Language and encoding of the texts in a file."""

    language: Annotated[
        str,
        option(
            "--language",
            "CODE",
            "Of all texts, as en or zh; else told by the share of Han characters of each.",
        ),
    ] = ""
    encoding: Annotated[str, option("--encoding", "NAME", "Of the files, for example gb18030.")] = (
        "utf-8"
    )


@dataclass(frozen=True)
class EmbedderChoice:
    """What makes vectors."""

    embedder: EmbedderOption = ""
    base_url: UrlOption = ""
    dimensions: Annotated[
        int,
        typer.Option(
            "--dimensions",
            metavar="N",
            min=0,
            help="Of each vector, where remote:MODEL can make fewer.",
            show_default=False,
        ),
    ] = 0


@dataclass(frozen=True)
class FilterOptions:
    """Which work a report or an export holds."""

    dataset: OfDatasetOption = ""
    person: OfPersonOption = ""
    origin: Annotated[
        str,
        option(
            "--origin",
            "ORIGIN",
            "human, adjudicated, rejected, imported, or one in full, as imported:mercury.",
        ),
    ] = ""
    state: Annotated[State | None, typer.Option(help="Work on samples in this state alone.")] = None
    label: OfLabelOption = ""
    since: SinceOption = ""

    def filters(self, *, with_practice: bool) -> dict[str, str]:
        """The fields of a `RecordFilter`."""
        practice = "with" if with_practice else ""
        return asdict(self) | {"state": str(self.state or ""), "practice": practice}


PracticeOption = Annotated[bool, flag("--with-practice", "Also work that was done for practice.")]


def import_options(
    columns: ColumnOptions,
    texts: TextOptions,
    collection: CollectionOptions | None = None,
    **others: Any,
) -> ImportOptions:
    """How files are read; `others` are further fields of `ImportOptions`.

    Raises:
        NotFound: no collection has columns of this name.
    """
    given = asdict(columns) | asdict(texts) | others
    if collection:
        given |= {"topics": collection.topics, "documents": collection.documents}
        given["only"] = tuple(collection.topic or ())
    return set_pair_columns(given.pop("columns"), ImportOptions(**given))


def output_option(about: str, *, metavar: str = "FILE") -> Any:
    """The option `--output`, a file to write; - is standard output."""
    return typer.Option("--output", "-o", metavar=metavar, help=about, callback=parse_target)


def parse_target(target: Path | None) -> Path | None:
    """A file to write; None for `-`, which is standard output, as where none is named."""
    return None if target == Path("-") else target


def examples(*lines: str) -> str:
    """The end of a command's help: lines to copy, kept as they are."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def add_command(
    group: typer.Typer, function: Callable[..., None], *lines: str, name: str | None = None
) -> None:
    """Adds a command to the app or a group.

    Args:
        lines: examples at the end of its help; the program's name is put before those without it.
        name: where it is not the function's.
    """
    commands = (each if "tui-annotate " in each else f"tui-annotate {each}" for each in lines)
    group.command(name, epilog=examples(*commands))(GroupedCommand(function))


def add_group(app: typer.Typer, name: str, about: str) -> typer.Typer:
    """Adds a group of commands, which prints its help where no command is named."""
    group = typer.Typer(help=about, no_args_is_help=True)
    app.add_typer(group, name=name)
    return group


@contextmanager
def open_workspace(
    workspace: Path | None, *, needs: Permission | None = None
) -> Iterator[Workspace]:
    """The workspace that is meant, open for whoever gives the command; closed afterwards.

    The owner of its files may do everything. With accounts, others are who their user name says.

    Args:
        needs: what they must be allowed to do with the workspace; None where it depends.

    Raises:
        NotFound: there is none.
        NotAllowed: there are accounts, and this user has none, or one that may not.
        Unavailable: it can not be opened.
    """
    from tui_annotate import workspace as workspaces
    from tui_annotate.settings import find_workspace

    with workspaces.open(find_workspace(workspace)) as space:
        actor = space.team.members.at_shell()
        if needs is not None:
            require_permission(actor, needs)
        yield space if actor == space.actor else space.acting(actor)


def choose_dataset(space: Workspace, name: str) -> str:
    """The dataset of this name; the only one where the name is empty.

    Raises:
        InvalidInput: there are several.
        NotFound: there is none, or none of the name.
    """
    known = [info.name for info in space.corpus.datasets()]
    if name and name not in known:
        raise NotFound(f"there is no dataset {name!r}", f"there are: {', '.join(known) or 'none'}")
    if not known:
        raise NotReady("the workspace has no samples", "tui-annotate ingest FILE")
    if not name and len(known) > 1:
        raise InvalidInput(
            f"the workspace has {len(known)} datasets", f"name one: --dataset {known[0]}"
        )
    return name or known[0]
