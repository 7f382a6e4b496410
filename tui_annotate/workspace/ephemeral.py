"""A temporary workspace of one file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tui_annotate import workspace
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.plugins.format_detection import detect

if TYPE_CHECKING:
    from tui_annotate.plugins.protocols import ImportOptions
    from tui_annotate.services.ingest import IngestReport


@contextmanager
def open_ephemeral(
    source: Path,
    *,
    format: str = "",  # noqa: A002  the word of the command line
    options: ImportOptions | None = None,
    **watch: Any,
) -> Iterator[tuple[workspace.Workspace, IngestReport]]:
    """Everything in a readable file, as a workspace of its own that is gone afterwards.

    It has no vectors, and lies in the system's folder for temporary files, for its owner alone.

    Args:
        format: an importer's name; default: as the content asks for.
        watch: `progress` and `problem`, as `services.ingest` says.

    Raises:
        NotFound, InvalidInput, Unavailable: the file can not be opened, is of no known form, or
            holds no record that can be taken.
    """
    form = format or detect(source, options, option="--from")
    with (
        TemporaryDirectory(prefix="tui-annotate-") as place,
        workspace.create(Path(place) / "passing") as made,
    ):
        report = made.ingest(source, format=form, options=options, embedder="none", **watch)
        if not report.added:
            raise InvalidInput(
                f"{source} holds no sample that can be shown", "see above", code="no-sample"
            )
        yield made, report
