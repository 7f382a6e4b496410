"""Import of many files, in any readable formats, as one dataset. This format is only read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.files.inputs import is_pattern, list_matches
from tui_annotate.plugins.files.packing import plain_suffixes
from tui_annotate.plugins.format_detection import DATA_SUFFIXES, detect
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.plugins.reader_guard import read_guarded
from tui_annotate.plugins.record_validation import choose_dataset_name, make_problem
from tui_annotate.plugins.traits import FormatTraits, RecordTrait, carry_plainly

_SHOWN: Final = 5
"""Maximum number of skipped files that a warning lists."""


class FolderFormat:
    """Importer of the files in a folder, or of the files that match a pattern.

    Ids that are row numbers are preceded by the file's name. In a folder, only files whose names
    end like data files are read; subfolders are not.
    """

    name = "folder"
    about = FormatTraits(
        title="a folder of files in readable formats, as one dataset",
        carried=carry_plainly(RecordTrait.TEXTS, RecordTrait.META),
    )

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        """Read one file after the other; see `Importer.read`."""
        folder = path
        while is_pattern(folder):
            folder = folder.parent
        files = list_matches(path)
        if folder == path:
            files = [file for file in files if {*plain_suffixes(file)[-1:]} & DATA_SUFFIXES]
            yield from _warn_of_skipped({*path.iterdir()} - {*files}, path)
        if not files:
            raise NotFound(f"{path} contains no files in a readable format", "check the path")
        dataset = choose_dataset_name(folder, options.dataset)
        for file in files:
            wanted = replace(options, dataset=dataset, row_prefix=f"{file.name}/")
            try:
                yield from read_guarded(detect(file, wanted), wanted, file)
            except (InvalidInput, NotFound) as error:
                yield make_problem(str(file), error)


def _warn_of_skipped(paths: set[Path], folder: Path) -> Iterator[Problem]:
    names = sorted(path.name for path in paths if not path.name.startswith("."))
    if names:
        more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
        message = f"subfolders and files of other kinds are skipped: {', '.join(names[:_SHOWN])}"
        hint = "to import a skipped file, pass its path"
        yield Problem(str(folder), message + more, hint, refused=False)
