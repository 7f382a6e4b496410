"""tui-annotate: mark unsupported spans of a summary, in the terminal and from Python.

`help(tui_annotate.open)` shows how to begin; docs/python.md describes the Python API.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from tui_annotate.domain.version import VERSION

if TYPE_CHECKING:
    from typing import Any, Unpack

    from tui_annotate.domain.agreement_options import AgreementOptions
    from tui_annotate.domain.annotations import Anchor, Annotation
    from tui_annotate.domain.assignment_plan import AssignmentOptions
    from tui_annotate.domain.errors import (
        Conflict,
        InvalidInput,
        NotAllowed,
        NotFound,
        NotReady,
        TuiAnnotateError,
        Unavailable,
    )
    from tui_annotate.domain.people import Person
    from tui_annotate.domain.records import OwnedAnnotation, Record, RecordFilter
    from tui_annotate.domain.samples import Document, Sample, SampleKey, SampleKind, Side
    from tui_annotate.domain.spans import Span
    from tui_annotate.domain.suggestions import Suggestion
    from tui_annotate.lab.judge.api import evaluate, generate, sort
    from tui_annotate.lab.services import ResearchServices
    from tui_annotate.plugins.protocols import ExportOptions, ImportOptions
    from tui_annotate.settings import SettingsFlags
    from tui_annotate.workspace import Workspace

__version__ = VERSION
__all__ = [
    "AgreementOptions",
    "Anchor",
    "Annotation",
    "AssignmentOptions",
    "Conflict",
    "Document",
    "ExportOptions",
    "ImportOptions",
    "InvalidInput",
    "NotAllowed",
    "NotFound",
    "NotReady",
    "OwnedAnnotation",
    "Person",
    "Record",
    "RecordFilter",
    "Sample",
    "SampleKey",
    "SampleKind",
    "Side",
    "Span",
    "Suggestion",
    "TuiAnnotateError",
    "Unavailable",
    "Workspace",
    "create",
    "evaluate",
    "generate",
    "open",
    "research",
    "sort",
]

_MODULES = {
    "domain.agreement_options": "AgreementOptions",
    "domain.annotations": "Anchor Annotation",
    "domain.assignment_plan": "AssignmentOptions",
    "domain.errors": (
        "Conflict InvalidInput NotAllowed NotFound NotReady TuiAnnotateError Unavailable"
    ),
    "domain.people": "Person",
    "domain.records": "OwnedAnnotation Record RecordFilter",
    "domain.samples": "Document Sample SampleKey SampleKind Side",
    "domain.spans": "Span",
    "domain.suggestions": "Suggestion",
    "lab.judge.api": "evaluate generate sort",
    "plugins.protocols": "ExportOptions ImportOptions",
    "workspace": "Workspace",
}
_SOURCES = {name: module for module, names in _MODULES.items() for name in names.split()}
"""The module of each name that is imported at its first use, so that the command starts fast."""


def open(path: Path | str | None = None, **flags: Unpack[SettingsFlags]) -> Workspace:  # noqa: A001  the API's word
    """Open a workspace, the folder that holds samples, annotations and settings.

    Add an annotation, and export all annotations as a table:

        import tui_annotate
        from tui_annotate import Anchor, Annotation, Side

        with tui_annotate.open("work") as workspace:
            ana = workspace.person("ana").id
            sample = next(workspace.samples(dataset="news"))
            claim = Anchor.find(sample, Side.SUMMARY, "15 million pounds")
            labels = workspace.labels.resolve(["Extrinsic"])
            annotation = Annotation("my-id", (claim,), labels=labels, note="not in the source")
            workspace.annotate.add(ana, sample.key, annotation, seconds=0)
            workspace.annotate.finish(ana, sample.key, seconds=0)  # the sample is completed
            workspace.export("annotations.csv", format="csv")

    Methods of the workspace:
        ingest(FILES), export(FILE): import samples, and export samples with annotations.
        samples(), annotations(), records(): read what is stored, with filters such as `dataset`.
        person(NAME): the person with a name, who is added if new; `id` identifies the person.
        match(KEY, side=, span=): the sentences of the other text that are related to a span.
        status(), check(): contents and progress; the state of the stored data.
        close(): close the workspace; a `with` statement does this.

    Services of the workspace; `help(workspace.annotate)` lists the methods of one:
        annotate: the actions of annotators: add, edit, remove, finish, undo.
        labels: the label set; `labels.resolve(["Extrinsic"])` returns label paths.
        people: people; `people.names()` returns the names by id.
        corpus: datasets and samples.
        team.agreement: agreement between annotators: `team.agreement.report()`.
        team.review: adjudication. team.assignments: work of annotators. team.progress: statistics.
        machines.suggestion_service: suggestions of models: add, list_suggestions, report.

    docs/python.md has scripts, and a table of commands and their functions.

    Args:
        path: the workspace's folder; None for the folder that `TUI_ANNOTATE_WORKSPACE` names, else
            the nearest parent folder that is a workspace.
        flags: settings that override those of the workspace's file, such as `embedder="static"`;
            None values are ignored.

    Raises:
        NotFound: the folder is not a workspace.
        InvalidInput: a setting is unknown or invalid.
        Unavailable: the store cannot be used.

    All errors are subclasses of `tui_annotate.TuiAnnotateError`, with `message`, `hint` and `code`.
    """
    from tui_annotate import workspace

    return workspace.open(path, **flags)


def create(
    path: Path | str, *, store: str = "", schema: str = "", existing: bool = False
) -> Workspace:
    """Create a workspace in a new or existing folder, and open it; existing files are kept.

    Import a file of samples, with a text of the source and a summary in each row:

        import tui_annotate
        from tui_annotate import ImportOptions

        with tui_annotate.create("work") as workspace:
            report = workspace.ingest(
                "news.csv", options=ImportOptions(dataset="news", id_column="id")
            )
            print(report.added, "samples added,", report.refused, "refused")

    `help(tui_annotate.open)` describes the methods and services of the workspace.

    Args:
        store: URL of a PostgreSQL database, without a password; empty for a SQLite file.
        schema: schema of the store in the database (default: made of the folder's name).
        existing: whether to use a store that the schema has already.

    Raises:
        Conflict: the folder is already a workspace; or the schema has a store, and `existing` is
            false.
        InvalidInput: the path is a file, or a setting of the person or environment is invalid.
        NotFound: the schema has no store, and `existing` is true.
        Unavailable: the folder cannot be written, the person's settings cannot be read, or the
            database cannot be reached.
    """
    from tui_annotate import workspace

    return workspace.create(path, store=store, schema=schema, existing=existing)


def research(workspace: Workspace) -> ResearchServices:
    """Return the services of the research tools with their types: those of `workspace.machines`.

    The first access to a service raises InvalidInput if its plug-in is disabled, and Unavailable if
    a package that the service needs is missing.
    """
    return cast("ResearchServices", workspace.machines)


def __getattr__(name: str) -> Any:
    """Import a name of the Python API at its first use."""
    if name not in _SOURCES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found = getattr(import_module(f"{__name__}.{_SOURCES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
