"""What lasts as long as one looks at a file: a workspace of it, or a list to walk through it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tui_annotate import workspace
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.plugins.detection import detect

if TYPE_CHECKING:
    from tui_annotate.plugins.protocols import ImportOptions
    from tui_annotate.services.browse import Browse, Gather, Taken
    from tui_annotate.services.ingest import IngestReport


@contextmanager
def passing(
    source: Path,
    *,
    format: str = "",  # noqa: A002  the word of the command line
    options: ImportOptions | None = None,
    **watch: Any,
) -> Iterator[tuple[workspace.Workspace, IngestReport]]:
    """Everything in a readable file, as a workspace of its own that is gone afterwards.

    It has no vectors, and lies in the system's folder for temporary files, for its owner alone.

    Args:
        source: a file or folder of any format that is read.
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
            raise InvalidInput(f"{source} holds no sample that can be shown", "see above")
        yield made, report


@contextmanager
def browsing(source: Path, gather: Gather) -> Iterator[tuple[Browse, Taken]]:
    """Everything in a readable file, to be walked and sought through; nothing of it can be changed.

    It takes a fifth of the time of `passing`, and leaves nothing however the process ends, as there
    is neither a store nor a folder.

    Args:
        source: a file or folder of any format that is read.
        gather: how it is read, and who is told.

    Raises:
        NotFound, InvalidInput, Unavailable: as `passing`.
    """
    from tui_annotate.domain.label_files import parse_labels
    from tui_annotate.services.browse import Browse, Gathered

    with closing(Gathered()) as gathered:
        taken = gather.run(source, gathered)
        if not taken.taken:
            raise InvalidInput(f"{source} holds no sample that can be shown", "see above")
        yield Browse(gathered, parse_labels(workspace.default_labels())), taken
