"""Import of many files, in any readable formats, as one dataset. This format is only read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.files.inputs import base_folder, is_pattern, list_matches
from tui_annotate.plugins.files.packing import plain_suffixes
from tui_annotate.plugins.files.streams import hint_for_missing
from tui_annotate.plugins.format_detection import DATA_SUFFIXES, detect
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.plugins.reader_guard import (
    choose_columns,
    list_companions,
    make_file_problem,
    read_guarded,
)
from tui_annotate.plugins.record_validation import (
    COLUMNS_AMBIGUOUS,
    NAME_NOT_UTF8,
    choose_dataset_name,
    is_utf8,
)
from tui_annotate.plugins.traits import FormatTraits, RecordTrait, carry_plainly
from tui_annotate.settings import WORKSPACE_FILE

_SHOWN: Final = 5
"""Maximum number of skipped files that a warning lists."""


class FolderFormat:
    """Importer of the files in a folder, or of the files that match a pattern.

    Ids that are row numbers are preceded by the file's name. In a folder, only files whose names
    end like data files are read; subfolders are not.
    """

    name = "folder"
    about = FormatTraits(
        title="a folder of data files, which become one dataset",
        carried=carry_plainly(RecordTrait.TEXTS, RecordTrait.META),
        delegates=True,
    )

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        """Read one file after the other; see `Importer.read`."""
        files = _list_data_files(path)
        if not is_pattern(path):
            yield from _warn_of_skipped({*path.iterdir()} - {*files}, path)
        if not files:
            raise NotFound(f"{path} contains no files in a readable format", "check the path")
        dataset = choose_dataset_name(
            base_folder(path), options.dataset, former=options.former_names
        )
        for file in files:
            if not is_utf8(file.name):
                message = "the file is skipped, because its name is not UTF-8"
                hint = "rename the file"
                yield Problem(str(file), message, hint, code=NAME_NOT_UTF8, whole_file=True)
                continue
            wanted = replace(options, dataset=dataset, row_prefix=f"{file.name}/")
            try:
                yield from read_guarded(detect(file, wanted), wanted, file)
            except (InvalidInput, NotFound) as error:
                yield make_file_problem(file, error)

    def choose_columns(self, path: Path, options: ImportOptions) -> None:
        """Choose the columns of all files; see `TableImporter.choose_columns`."""
        dataset = choose_dataset_name(
            base_folder(path), options.dataset, former=options.former_names
        )
        for file in filter(lambda each: is_utf8(each.name), _list_data_files(path)):
            wanted = replace(options, dataset=dataset, row_prefix=f"{file.name}/")
            try:
                choose_columns(detect(file, wanted), wanted, file)
            except (InvalidInput, NotFound) as error:
                if error.code == COLUMNS_AMBIGUOUS:
                    raise  # other errors are reported when the file is read

    def list_companions(self, path: Path, options: ImportOptions) -> Iterator[Path]:
        """Yield the files that the formats of the files read in addition to them."""
        for file in _list_data_files(path):
            with suppress(InvalidInput, NotFound):  # reported when the file is read
                yield from list_companions(detect(file, options), options, file)


def _list_data_files(path: Path) -> list[Path]:
    if is_pattern(path):
        return list_matches(path)
    if not path.is_dir():
        raise InvalidInput(
            f"{path} is not a folder",
            "pass a folder or a pattern; for one file, omit --from folder",
        )
    files = list_matches(path)
    return [file for file in files if {*plain_suffixes(file)[-1:]} & DATA_SUFFIXES]


def _warn_of_skipped(paths: set[Path], folder: Path) -> Iterator[Problem]:
    others = [path for path in paths if not (path / WORKSPACE_FILE).is_file()]
    shown = sorted(path for path in others if not path.name.startswith("."))
    broken = [path for path in shown if path.is_symlink() and not path.exists()]
    skipped = [path for path in shown if path not in broken]
    if skipped:
        message = f"subfolders and files of other kinds are skipped: {_list_names(skipped)}"
        hint = "to import a skipped file, pass its path"
        yield Problem(str(folder), message, hint, refused=False)
    if broken:
        message = f"broken links are skipped: {_list_names(broken)}"
        yield Problem(str(folder), message, hint_for_missing(broken[0]), refused=False)


def _list_names(paths: Sequence[Path]) -> str:
    names = ", ".join(path.name for path in paths[:_SHOWN])
    return names + (f" and {len(paths) - _SHOWN:,} more" if len(paths) > _SHOWN else "")
