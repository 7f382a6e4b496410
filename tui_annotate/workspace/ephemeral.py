"""Opens one file of samples as a temporary workspace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tui_annotate import workspace
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.plugins.format_detection import detect

if TYPE_CHECKING:
    from tui_annotate.domain.progress import TaskProgress
    from tui_annotate.domain.records import Problem
    from tui_annotate.plugins.protocols import ImportOptions
    from tui_annotate.services.ingest import IngestReport


@contextmanager
def open_ephemeral(
    source: Path | str,
    *,
    format: str = "",  # noqa: A002  the word of the command line
    options: ImportOptions | None = None,
    progress: Callable[[TaskProgress], None] | None = None,
    problem: Callable[[Problem], None] | None = None,
) -> Iterator[tuple[workspace.Workspace, IngestReport]]:
    """Import a file into a temporary workspace, which is deleted afterwards.

    The workspace has no vectors. Its folder is in the system's temporary folder and readable only
    by its owner.

    Args:
        format: an importer's name (default: detected from the content).
        progress, problem: as in `Workspace.ingest`.

    Raises:
        NotFound, InvalidInput, Unavailable: the file cannot be opened, has an unknown format, or
            has no valid record.
    """
    source = Path(source)
    form = format or detect(source, options)
    with (
        TemporaryDirectory(prefix="tui-annotate-") as place,
        workspace.create(Path(place) / "passing") as made,
    ):
        report = made.ingest(
            source,
            format=form,
            options=options,
            embedder="none",
            progress=progress,
            problem=problem,
        )
        if not report.added:
            raise InvalidInput(
                f"{source} contains no valid sample",
                "fix the problems that are listed above",
                code="no-sample",
            )
        yield made, report
