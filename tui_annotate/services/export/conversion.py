"""Converts a file of samples to another format, without a workspace; counts what is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins import registry
from tui_annotate.plugins.files.inputs import has_input, refuse_source_as_target
from tui_annotate.plugins.files.packing import plain_suffixes
from tui_annotate.plugins.format_detection import detect
from tui_annotate.plugins.protocols import ExportOptions, ExportReport, ImportOptions
from tui_annotate.plugins.reader_guard import list_companions, read_guarded
from tui_annotate.plugins.traits import OWN, FormatTraits, RecordTrait, get_traits
from tui_annotate.services.export.pseudonyms import Pseudonyms
from tui_annotate.services.export.writer import ExportRun


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format by name: whether it is read or written, and what it cannot carry."""

    name: str
    reads: bool
    writes: bool
    about: FormatTraits | None

    @property
    def target(self) -> str:
        """Kind of target of an export, for example `file`; empty if the format is only read."""
        if not self.writes:
            return ""
        if self.about is None:
            return "file"
        return " + ".join(self.about.files) or self.about.place.value

    @property
    def layered(self) -> bool:
        """Whether the format can store at most one person's annotations of each sample."""
        return bool(self.about and self.about.layered and self.writes)

    @property
    def losses(self) -> tuple[str, ...]:
        """Traits of a record that the format cannot carry; empty if the format is only read."""
        if not self.writes:
            return ()
        if self.about is None:
            return ("not described",)
        own = self.about.carried.get(RecordTrait.IMPORTED) == OWN
        others = (f"{RecordTrait.IMPORTED}, in a different form",) if own else ()
        return (*self.about.lost, *others) or ("nothing",)


def list_formats() -> Iterator[ExportFormat]:
    """Yield all file formats whose plug-ins can be loaded, the readable formats first."""
    readers = dict(registry.load_all("importers"))
    writers = dict(registry.load_all("exporters"))
    for name in dict.fromkeys([*readers, *writers]):
        reading = get_traits(readers.get(name))
        writing = get_traits(writers.get(name))
        about = writing or reading
        if reading and writing and reading.title != writing.title:
            about = replace(writing, title=f"reads {reading.title}; writes {writing.title}")
        yield ExportFormat(name, name in readers, name in writers, about)


_FORMAT_BY_SUFFIX = {".csv": "csv", ".xlsx": "xlsx"}


@dataclass(slots=True)
class ConversionReport:
    """Result of a conversion.

    Attributes:
        read, written: names of the formats.
        report: what was written, and what the target format lost.
        refused: number of records that were not read.
        files_refused: number of whole files that were not read; their records are not counted.
        spans_refused: number of annotations and other fields that records were read without.
        warnings: number of warnings about records that were read.
    """

    read: str
    written: str
    report: ExportReport = field(default_factory=ExportReport)
    refused: int = 0
    files_refused: int = 0
    spans_refused: int = 0
    warnings: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FileConversion:
    """Converts a file from one format to another without a workspace.

    Attributes:
        source_format, target_format: names of the formats; empty: detected from the content of the
            source, and chosen by the suffix of the target.
        reading, writing: options of the import and of the export.
        on_problem: called with each problem of the source, in file order.
        names: pseudonyms that replace the names of people; None keeps the names.
    """

    source_format: str = ""
    target_format: str = ""
    reading: ImportOptions = field(default_factory=ImportOptions)
    writing: ExportOptions = field(default_factory=ExportOptions)
    on_problem: Callable[[Problem], None] | None = None
    names: Pseudonyms | None = None

    def run(self, source: Path | str, target: Path | str | None) -> ConversionReport:
        """Convert a file of samples to another format; a failure leaves no partial file.

        Args:
            target: file or new folder, as the target format requires; None for standard output.

        Raises:
            NotFound, InvalidInput, Unavailable: a file cannot be opened, the format of the source
                or of the target is unknown, the source has no valid record, or the target is a file
                that the conversion reads. An existing target stays unchanged.
        """
        source = Path(source)
        target = Path(target) if target is not None else None
        name = self.source_format or detect(source, self.reading)
        done = ConversionReport(name, self.target_format or detect_export_format(target))
        export = ExportRun(done.written, self.writing, names=self.names)
        if target is not None:
            refuse_input_as_target(source, target, source_format=name, reading=self.reading)
        found = self._read_records(source, done)
        first = next(found, None)
        if first is None:
            raise InvalidInput(
                f"the file {source} has no valid record", "fix the file; nothing was written"
            )
        done.report = export.run(chain([first], found), target)
        return done

    def _read_records(self, source: Path, done: ConversionReport) -> Iterator[Record]:
        for item in read_guarded(done.read, self.reading, source):
            if isinstance(item, Record):
                yield item
                continue
            if item.whole_file:
                done.files_refused += 1
            elif item.refused:
                done.refused += 1
            else:
                done.warnings += 1
            if item.refuses_part:
                done.spans_refused += 1
            if self.on_problem is not None:
                self.on_problem(item)


def refuse_input_as_target(
    source: Path, target: Path, *, source_format: str, reading: ImportOptions
) -> None:
    """Raise InvalidInput if a file that an import reads would be written over.

    Args:
        source_format: name of the source's format; empty: detected from its content.
    """
    if target.exists() and has_input(source):
        name = source_format or detect(source, reading)
        refuse_source_as_target(source, target, read_too=list_companions(name, reading, source))


def detect_export_format(target: Path | None) -> str:
    """Return the export format that fits the suffix of a file's name; InvalidInput if none does."""
    suffixes = plain_suffixes(target) if target else []
    if suffixes and suffixes[-1] in _FORMAT_BY_SUFFIX:
        return _FORMAT_BY_SUFFIX[suffixes[-1]]
    shown = target or "standard output"
    there = ", ".join(registry.plugin_names("exporters"))
    raise InvalidInput(
        f"unknown target format for {shown}", f"name the format with --to, one of: {there}"
    )
