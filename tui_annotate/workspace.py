"""A workspace: a folder with settings, labels, a store and vectors; wired here, and only here.

Opening one reads its settings and one row of the store; the rest is made when it is first asked
for. This is the Python API as well:

    import tui_annotate

    with tui_annotate.open("work") as workspace:
        workspace.ingest("pairs.csv")
        for sample in workspace.samples(dataset="pairs"):
            print(sample.key, len(sample.documents))
        workspace.export("annotations.json", format="mercury")
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, TextIO

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.errors import (
    Conflict,
    InvalidInput,
    InvalidLabels,
    NotFound,
    TuiAnnotateError,
    Unavailable,
)
from tui_annotate.domain.findings import Finding
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import Owned, Record, RecordFilter
from tui_annotate.domain.samples import Match, Sample, SampleKey, Side
from tui_annotate.domain.spans import Span
from tui_annotate.services.annotate import Annotate
from tui_annotate.services.examine import Examine, Status
from tui_annotate.settings import (
    WORKSPACE_FILE,
    WORKSPACE_TEMPLATE,
    Settings,
    find_workspace,
    load,
    person_name,
)
from tui_annotate.storage.annotations import AnnotationStore
from tui_annotate.storage.corpus import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.guidance import Guidance, GuidanceStore
from tui_annotate.storage.people import PeopleStore
from tui_annotate.storage.queue import QueueStore
from tui_annotate.storage.vectors import VectorStore

if TYPE_CHECKING:
    from tui_annotate.plugins.protocols import ExportOptions, ImportOptions, Report
    from tui_annotate.services.assist import Assist
    from tui_annotate.services.export import Export
    from tui_annotate.services.ingest import Ingest, IngestReport

STORE: Final = "store.sqlite"
VECTORS: Final = "vectors"
LABELS: Final = "labels.yaml"
GUIDELINES: Final = "guidelines.md"
LOG: Final = "log"
BACKUPS: Final = "backups"


@dataclass(frozen=True, slots=True)
class Matched:
    """What the assist found for a span.

    Attributes:
        text: under the span.
        matches: of the other side, the best first.
        signals: what ranked them, in words.
    """

    sample: Sample
    text: str
    matches: tuple[Match, ...]
    signals: str


class Workspace:
    """An open workspace. Threads may share it; close it, or use it in a `with`.

    Attributes:
        path: its folder.
        settings: those in force.
        corpus, log, people, line, guidance: the stores of SQLite.
    """

    def __init__(self, path: Path, settings: Settings, database: Database) -> None:
        self.path = path
        self.settings = settings
        self._database = database
        self.corpus = CorpusStore(database)
        self.log = AnnotationStore(database)
        self.people = PeopleStore(database)
        self.line = QueueStore(database)
        self.guidance = GuidanceStore(database)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Gives back the store's files."""
        self._database.close()

    # what people do ----------------------------------------------------------------------------

    def person(self, name: str = "") -> Person:
        """Who works here: the name given (and remembered), else the last one, else the login name.

        Raises:
            InvalidInput: it is no name.
        """
        return self.people.local(person_name(name))

    @property
    def labels(self) -> LabelTree:
        """The workspace's label set; a changed `labels.yaml` is taken up as a new version first.

        Raises:
            InvalidLabels: the file can not be read as labels.
            NotFound: there is no file and never was one.
        """
        return self.annotate.labels()

    @property
    def annotate(self) -> Annotate:
        """The deeds of annotators; changed labels and guidelines are taken up first.

        Raises:
            InvalidLabels: `labels.yaml` can not be read as labels.
        """
        self._take_up(Guidance.LABELS, self.path / LABELS)
        self._take_up(Guidance.GUIDELINES, self.path / GUIDELINES)
        return self._annotate

    @cached_property
    def _annotate(self) -> Annotate:
        return Annotate(
            self.corpus,
            self.log,
            self.people,
            self.line,
            self.guidance,
            ratings=self.settings.ratings,
        )

    def _take_up(self, kind: Guidance, file: Path) -> None:
        """A file is a proposal: it becomes a version of the store once it is found to be sound."""
        try:
            text = file.read_bytes().decode("utf-8")
        except FileNotFoundError:
            return
        except UnicodeDecodeError as error:
            raise InvalidLabels(f"{file} is not UTF-8: {error}", "save it as UTF-8") from error
        except OSError as error:
            raise Unavailable(f"{file} can not be read: {error.strerror}", "see doctor") from error
        if self.guidance.hash_of(text) != self.guidance.version(kind):
            if kind is Guidance.LABELS:
                parse_labels(text, name=str(file))
            self.guidance.keep(kind, text)

    def match(
        self, key: SampleKey, *, side: Side, span: Span, document: str = "", top: int = 5
    ) -> Matched:
        """What the screen would light up for a span; vectors are ranked by LanceDB's own search.

        Args:
            side: where the span lies.
            document: key of the document of that side; needed where it has several.

        Raises:
            NotFound: there is no such sample or document.
            InvalidInput: the side has several documents, and none is named.
            InvalidSpan: the span is outside the document.
        """
        stored = self.corpus.sample(key)
        index = _document_index(stored.sample, side, document)
        text = span.of(stored.sample.document(side, index).text)
        anchor = Anchor(side, index, span)
        found = self.assist.match(stored.sample, stored.segments, anchor, top=top)
        return Matched(stored.sample, text, found.matches, found.signals)

    @cached_property
    def assist(self) -> Assist:
        """What finds related segments; without vectors it works with words alone, and says so."""
        from tui_annotate.plugins import registry
        from tui_annotate.services.assist import Assist

        return Assist(
            self.corpus,
            vectors=lambda: self.vectors,
            load=lambda name: registry.load("embedders", name),
        )

    # what comes in and goes out ----------------------------------------------------------------

    def samples(self, **filters: str) -> Iterator[Sample]:
        """Samples by dataset, then as they came, streamed; `filters` as in `RecordFilter`."""
        return (record.sample for record in self.records(**filters))

    def annotations(self, **filters: str) -> Iterator[tuple[SampleKey, Owned]]:
        """Annotations with their sample's key and whose they are, streamed; a sample's together.

        Samples are in the order of `samples`; `filters` as in `RecordFilter`.
        """
        for record in self.records(**filters):
            for owned in record.annotations:
                yield record.sample.key, owned

    def records(self, **filters: str) -> Iterator[Record]:
        """Samples with all that people did on them, in the order of `samples`, streamed."""
        return self.corpus.records(RecordFilter(**filters))

    @cached_property
    def ingesting(self) -> Ingest:
        """The service that takes records in."""
        from tui_annotate.services.ingest import Ingest

        return Ingest(
            self.corpus,
            self.log,
            stores=lambda: self.vectors,
            workers=self.settings.workers,
        )

    @cached_property
    def exporting(self) -> Export:
        """The service that writes records out."""
        from tui_annotate.services.export import Export

        return Export(self.corpus)

    def ingest(
        self,
        *paths: Path | str,
        format: str = "",  # noqa: A002  the word of the command line
        options: ImportOptions | None = None,
        **how: Any,
    ) -> IngestReport:
        """Reads files; what is stored already adds nothing.

        Args:
            format: an importer's name; default: as the content of each file asks for.
            options: columns, dataset, language.
            how: `embedder`, `strict`, `dry_run`, `progress`, `problem`, as `services.ingest` says.

        Raises:
            NotFound, InvalidInput, Unavailable: a file can not be opened or is of no known form.
        """
        from tui_annotate.plugins.protocols import ImportOptions
        from tui_annotate.services.ingest import Files

        chosen = options or ImportOptions(language=self.settings.language)
        how.setdefault("embedder", self.settings.embedder)
        return self.ingesting.run(Files([Path(path) for path in paths], format, chosen), **how)

    def export(
        self,
        target: Path | str | TextIO | None = None,
        *,
        format: str = "native",  # noqa: A002  the word of the command line
        options: ExportOptions | None = None,
        **filters: str,
    ) -> Report:
        """Writes records in a format; same store, same bytes.

        Args:
            target: a file, an open stream, or None for standard output.
            format: an exporter's name.
            filters: as in `RecordFilter`.

        Raises:
            NotFound: there is no such exporter.
            Unavailable: the target can not be written.
        """
        place = Path(target) if isinstance(target, str) else target
        chosen = RecordFilter(**filters)
        return self.exporting.run(format, place, filters=chosen, options=options)

    # how it stands -----------------------------------------------------------------------------

    @cached_property
    def vectors(self) -> VectorStore:
        """The vectors; nothing of them is loaded before they are used."""
        return VectorStore(self.path / VECTORS)

    @cached_property
    def _examine(self) -> Examine:
        return Examine(self.path, self._database, self.corpus, self.log, lambda: self.vectors)

    def status(self) -> Status:
        """Figures of all that is stored."""
        return self._examine.status()

    def check(self) -> list[Finding]:
        """What is wrong with store, log, labels and vectors, and the line that mends each."""
        return [*self._examine.store(), self._labels_found(), self._examine.vectors_found()]

    def _labels_found(self) -> Finding:
        try:
            labels = self.labels
        except TuiAnnotateError as error:
            return Finding("labels", "wrong", error.message, error.hint)
        return Finding("labels", "ok", f"{len(labels.leaves())} labels")


def _document_index(sample: Sample, side: Side, key: str) -> int:
    documents = sample.side(side)
    found = [index for index, document in enumerate(documents) if key in ("", document.key)]
    if len(found) == 1:
        return found[0]
    keys = ", ".join(repr(document.key) for document in documents)
    if not found:
        raise NotFound(
            f"sample {sample.id!r} has no {side} document {key!r}", f"there are: {keys or 'none'}"
        )
    raise InvalidInput(
        f"sample {sample.id!r} has {len(documents)} {side} documents", f"name one: {keys}"
    )


def create(path: Path | str) -> Workspace:
    """Makes a workspace in a folder, which is made if need be; files that are there stay.

    Raises:
        Conflict: it is a workspace already.
        Unavailable: the folder can not be written.
    """
    folder = Path(path).absolute()
    if (folder / WORKSPACE_FILE).exists():
        raise Conflict(
            f"{folder} is a workspace already", f"open it: tui-annotate annotate -w {folder}"
        )
    try:
        for place in (folder, folder / VECTORS, folder / LOG, folder / BACKUPS):
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (folder / LABELS).exists():
            _write(folder / LABELS, default_labels())
    except OSError as error:
        raise Unavailable(f"{folder} can not be written: {error.strerror}", "see doctor") from error
    store = folder / STORE
    database = Database.open(store) if store.exists() else Database.create(store)
    # Last of all: the folder is a workspace once this file is there, so a killed init starts anew.
    _write(folder / WORKSPACE_FILE, WORKSPACE_TEMPLATE)
    return Workspace(folder, load(folder), database)


def _write(file: Path, text: str) -> None:
    file.touch(mode=0o600)
    file.write_text(text, "utf-8")


def default_labels() -> str:
    """The text of the label set that a new workspace begins with."""
    return (files("tui_annotate") / LABELS).read_text("utf-8")


def open(path: Path | str | None = None, **flags: Any) -> Workspace:  # noqa: A001  the word of the API
    """Opens a workspace.

    Args:
        path: its folder; None for what `TUI_ANNOTATE_WORKSPACE` names, else the nearest parent.
        flags: settings that go before those of the workspace's file; None among them are left out.

    Raises:
        NotFound: there is no workspace.
        InvalidInput: its settings are wrong.
        Unavailable: the store can not be used.
    """
    folder = find_workspace(Path(path) if path is not None else None)
    settings = load(folder, flags=flags)
    return Workspace(folder, settings, Database.open(folder / STORE))
