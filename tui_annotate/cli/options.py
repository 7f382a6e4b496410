"""Options that several commands share, so that each is spelt and explained once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import completion
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.people import Verb, require
from tui_annotate.plugins.protocols import CODEPOINT, UTF16

if TYPE_CHECKING:
    from tui_annotate.workspace import Workspace


class Offsets(StrEnum):
    """What offsets are counted in."""

    CODEPOINT = CODEPOINT
    UTF16 = UTF16


def _text(
    name: str, metavar: str, told: str, *, proposed: completion.Proposing | None = None
) -> Any:
    """An option that takes a word, and may be left out."""
    return typer.Option(name, metavar=metavar, help=told, autocompletion=proposed)


WorkspaceOption = Annotated[
    Path | None,
    typer.Option(
        "--workspace",
        "-w",
        metavar="DIR",
        help="The workspace; else $TUI_ANNOTATE_WORKSPACE, else the nearest parent that is one.",
        show_default=False,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
NameOption = Annotated[
    str,
    typer.Option(
        "--as",
        metavar="NAME",
        help="Who you are. Remembered once work begins; at first your login name.",
        autocompletion=completion.people,
        show_default=False,
    ),
]
DryOption = Annotated[bool, typer.Option("--dry-run", help="Say what would be; change nothing.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]

FilesArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE", help="In any format that `tui-annotate formats` lists; also .gz, .zst."
    ),
]
FormatOption = Annotated[
    str,
    typer.Option(
        "--from",
        "--format",
        metavar="NAME",
        help="Its format, as `tui-annotate formats` has it; else told by the content.",
        autocompletion=completion.plugged("importers"),
    ),
]
DatasetOption = Annotated[
    str,
    _text(
        "--dataset",
        "NAME",
        "What the dataset is called; else the file's name up to its first dot.",
        proposed=completion.datasets,
    ),
]
SourceOption = Annotated[str, _text("--source-column", "NAME", "The column of the source texts.")]
SummaryOption = Annotated[str, _text("--summary-column", "NAME", "The column of the summaries.")]
ColumnsOption = Annotated[
    str,
    _text(
        "--columns",
        "NAME",
        "Names of columns as in a known collection: aggrefact, frank, summac or true.",
        proposed=completion.one_of("aggrefact", "frank", "summac", "true"),
    ),
]
IdOption = Annotated[
    str, _text("--id-column", "NAME", "The column of ids; else they are numbered by row.")
]
GroupOption = Annotated[
    str, _text("--group-column", "NAME", "The column that rival summaries share.")
]
LanguageOption = Annotated[
    str,
    _text(
        "--language",
        "CODE",
        "Of all texts, as en or zh; else told by the share of Han characters of each.",
    ),
]
TopicsOption = Annotated[
    Path | None,
    typer.Option(
        "--topics", metavar="FILE", help="What reports of runs answer.", show_default=False
    ),
]
TopicOption = Annotated[
    list[str] | None,
    typer.Option(
        "--topic", metavar="ID", help="This topic alone; may be repeated.", show_default=False
    ),
]
DocumentsOption = Annotated[
    Path | None,
    typer.Option(
        "--documents",
        metavar="FILE",
        help="Documents that reports cite and do not hold.",
        show_default=False,
    ),
]
OffsetsOption = Annotated[
    Offsets | None,
    typer.Option(
        help="What spans of autojudge lines are counted in; else told by what they quote.",
        show_default=False,
    ),
]


def collection(
    topics: Path | None,
    documents: Path | None,
    *,
    only: list[str] | None,
    offsets: Offsets | None = None,
) -> dict[str, Any]:
    """What `ImportOptions` is told of a collection of reports, by the options above."""
    counted = offsets.value if offsets else ""
    return {
        "topics": topics,
        "documents": documents,
        "only": tuple(only or ()),
        "offsets": counted,
    }


EncodingOption = Annotated[str, _text("--encoding", "NAME", "Of the files, for example gb18030.")]
EmbedderOption = Annotated[
    str,
    _text(
        "--embedder",
        "NAME",
        "auto, static, neural[:FOLDER], remote:MODEL, none; ingest keeps the workspace's own.",
        proposed=completion.plugged("embedders", "auto", "none"),
    ),
]
UrlOption = Annotated[
    str,
    _text(
        "--base-url",
        "URL",
        "Where remote:MODEL is, as far as /v1; its key stands in $TUI_ANNOTATE_API_KEY.",
    ),
]
DimensionsOption = Annotated[
    int,
    typer.Option(
        "--dimensions",
        metavar="N",
        min=0,
        help="Of each vector, where remote:MODEL can make fewer.",
        show_default=False,
    ),
]
WithAnnotationsOption = Annotated[
    bool,
    typer.Option("--with-annotations", help="Drop people's work on these samples as well."),
]

# What a report or an export counts.
OfDatasetOption = Annotated[
    str, _text("--dataset", "NAME", "This dataset alone.", proposed=completion.datasets)
]
OfPersonOption = Annotated[
    str, _text("--person", "NAME", "This person's work alone.", proposed=completion.people)
]
OfLabelOption = Annotated[
    str,
    _text(
        "--label",
        "LABEL",
        "With this label or one under it, as Unwanted.Intrinsic.",
        proposed=completion.labels,
    ),
]
SinceOption = Annotated[
    str, _text("--since", "TIME", "Changed then or later, as 2026-01-31 or 2026-01-31T12:00.")
]


def unless_stdout(target: Path | None) -> Path | None:
    """A file to write; None for `-`, which is standard output, as where none is named."""
    return None if target == Path("-") else target


def examples(*lines: str) -> str:
    """The end of a command's help: lines to copy, kept as they are."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def find(workspace: Path | None) -> Path:
    """The workspace that is meant: the flag, the environment, the nearest parent folder.

    Raises:
        NotFound: there is none.
    """
    from tui_annotate.settings import find_workspace

    return find_workspace(workspace)


@contextmanager
def opened(
    workspace: Path | None, *, needs: Verb | None = None, **flags: str
) -> Iterator[Workspace]:
    """The workspace that is meant, open for whoever gives the command; closed afterwards.

    The owner of its files may do everything. With accounts, others are who their user name says.

    Args:
        needs: what they must be allowed to do with the workspace; None where it depends.
        flags: settings that were given on the command line; the empty ones were not.

    Raises:
        NotFound: there is none.
        NotAllowed: there are accounts, and this user has none, or one that may not.
        Unavailable: it can not be opened.
    """
    from tui_annotate import workspace as workspaces

    given = {name: value for name, value in flags.items() if value}
    with workspaces.open(find(workspace), **given) as space:
        actor = space.team.members.at_shell()
        if needs is not None:
            require(actor, needs)
        yield space if actor == space.actor else space.acting(actor)


def meant_dataset(space: Workspace, asked: str) -> str:
    """The dataset that is asked for; the only one where none is.

    Raises:
        InvalidInput: there are several.
        NotFound: there is none, or none of the name.
    """
    there = [info.name for info in space.corpus.datasets()]
    if asked:
        if asked not in there:
            raise NotFound(
                f"there is no dataset {asked!r}", f"there are: {', '.join(there) or 'none'}"
            )
        return asked
    if not there:
        raise NotFound("the workspace has no samples", "tui-annotate ingest FILE")
    if len(there) > 1:
        raise InvalidInput(
            f"the workspace has {len(there)} datasets", f"name one: --dataset {there[0]}"
        )
    return there[0]
