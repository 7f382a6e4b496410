"""Files of an import, as one stream of samples and problems."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import Problem, Record
from tui_annotate.domain.samples import Sample, SampleKey
from tui_annotate.methods.segmentation import list_languages
from tui_annotate.plugins.files.inputs import input_size
from tui_annotate.plugins.format_detection import detect
from tui_annotate.plugins.protocols import ImportOptions, ReadMeter
from tui_annotate.plugins.reader_guard import (
    choose_columns,
    make_file_problem,
    read_guarded,
    reads_jointly,
    refuses_one_file,
)
from tui_annotate.plugins.record_validation import is_utf8
from tui_annotate.services.ingest.former_names import needs_former_name


@dataclass(slots=True)
class IngestFiles:
    """The files of an ingest as one stream of samples and problems.

    Attributes:
        format: name of the format of all files; empty to detect the format of each file.
        stored: returns the stored sample of a key, or None; None if no samples are stored.
    """

    paths: Sequence[Path]
    format: str = ""
    options: ImportOptions = field(default_factory=ImportOptions)
    stored: Callable[[SampleKey], Sample | None] | None = None
    _meter: ReadMeter = field(default_factory=ReadMeter, init=False)

    def __iter__(self) -> Iterator[Record | Problem]:
        """Yield the samples and problems of input files, in the order of the files.

        A file that cannot be read, or whose format is unclear, is a problem if there are others.

        Raises:
            NotFound: a file does not exist.
            InvalidInput: no file can be read, the columns of a table are ambiguous, or the language
                is unknown. Raised before the first record.
            Unavailable: a package is missing.
        """
        _require_known_language(self.options.language)
        # A caller who chooses columns has looked at all tables.
        is_new_choice = self.options.choose_columns is None
        options = replace(self.options, chosen_columns={}) if is_new_choice else self.options
        options = replace(options, stored=self.stored)
        formats: list[tuple[Path, str]] = []
        errors: list[InvalidInput] = []
        refused: list[Problem] = []
        for path in self.paths:
            try:
                name = self.format or detect(path, options)
                if is_new_choice and not path.is_fifo():  # a pipe can be read only once
                    choose_columns(name, options, path)
            except InvalidInput as error:
                if not refuses_one_file(error, self.paths):
                    raise
                errors.append(error)
                refused.append(make_file_problem(path, error))
            else:
                formats.append((path, name))
        if errors and not formats:
            raise errors[0]
        yield from refused
        self._meter = ReadMeter(sum(map(input_size, self.paths)))
        yield from self._read_files(formats, replace(options, meter=self._meter))

    def _read_files(
        self, formats: Sequence[tuple[Path, str]], options: ImportOptions
    ) -> Iterator[Record | Problem]:
        prefixed = len(self.paths) > 1 and bool(options.dataset)  # else row numbers would repeat
        files = [
            (name, needs_former_name(path, name, options) or options.former_names, path)
            for path, name in formats
        ]
        for (name, former, _), group in groupby(files, _group_key):
            paths = [path for _, _, path in group]
            reading = replace(options, former_names=former)
            try:
                yield from read_guarded(name, reading, *paths, prefixed=prefixed)
            except InvalidInput as error:
                if len(paths) > 1 or not refuses_one_file(error, self.paths):
                    raise
                yield make_file_problem(paths[0], error)

    def share(self) -> float:
        """Return the fraction of the input files' bytes that were read so far, in [0, 1]."""
        return min(self._meter.done / self._meter.total, 1.0) if self._meter.total else 1.0

    def command_arguments(self, where: str) -> str:
        """Return the arguments that name a record's file and its format in a command.

        Args:
            where: position of the record: the path of its file, or of the folder that the user
                gave, with an optional `:LINE` or `/FILE` after it.

        Returns:
            The file after the options to read it, quoted for a shell; `FILE` if no file that the
            user gave contains the record, as for a copy of standard input.
        """
        found = [
            path
            for path in self.paths
            if where == str(path) or where.startswith((f"{path}:", f"{path}{os.sep}"))
        ]
        if not found and len(self.paths) == 1:
            found = [*self.paths]
        if not found or not Path(str(found[0])).exists():
            return "FILE"
        words = ["--from", self.format] if self.format else []
        if self.options.encoding != "utf-8":
            words += ["--encoding", self.options.encoding]
        # Of a folder and a file in it, the file contains the record.
        return shlex.join([*words, str(max(found, key=lambda path: len(str(path))))])


def _require_known_language(language: str) -> None:
    if language and language not in list_languages():
        raise InvalidInput(
            f"unknown language {language!r}",
            f"use one of the languages: {', '.join(list_languages())}",
        )


def _group_key(file: tuple[str, bool, Path]) -> tuple[str, bool, str]:
    """Return what files have in common that are read together.

    A file is read alone, so that it is refused without the others, unless its format is read from
    several files. One whose name is not UTF-8 is always read alone.
    """
    name, former, path = file
    is_joint = reads_jointly(name) and is_utf8(path.name)
    return name, former, "" if is_joint else str(path)
