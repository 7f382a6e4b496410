"""An open workspace: its stores, and the services on them, each created at its first use."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TextIO

from tui_annotate.domain.findings import DiagnosticFinding
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.people import OPERATOR, Actor, Person
from tui_annotate.domain.records import OwnedAnnotation, Record, RecordFilter
from tui_annotate.domain.samples import Sample, SampleKey, Side, Signals
from tui_annotate.domain.spans import Span
from tui_annotate.services.annotate import AnnotationService
from tui_annotate.services.status import Status, StatusReader
from tui_annotate.settings import Settings
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.items import ItemStore
from tui_annotate.storage.labels.store import GuidanceStore
from tui_annotate.storage.log.label_set_change import LabelChangeStore
from tui_annotate.storage.log.store import AnnotationStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.queue import QueueStore
from tui_annotate.storage.vectors.store import VectorStore
from tui_annotate.workspace.folder import VECTORS
from tui_annotate.workspace.machines import MachineServices
from tui_annotate.workspace.members import WorkspaceMembers
from tui_annotate.workspace.proposals import GuidanceFiles
from tui_annotate.workspace.team import TeamServices

if TYPE_CHECKING:
    from tui_annotate.plugins.protocols import ExportOptions, ExportReport, ImportOptions
    from tui_annotate.services.assist.past_annotations import PastAnnotationSearch
    from tui_annotate.services.assist.search import AssistService, SpanMatches
    from tui_annotate.services.export import ExportService
    from tui_annotate.services.export.pseudonyms import Pseudonyms
    from tui_annotate.services.ingest import IngestReport, IngestService, VectorOptions


class Workspace:
    """An open workspace. Threads may share it; close it, or use it in a `with`.

    Attributes:
        actor: who acts; the stores give and take what this one may.
        corpus, log, people, queue, guidance: the stores of SQLite.
    """

    def __init__(
        self, path: Path, settings: Settings, database: Database, *, actor: Actor = OPERATOR
    ) -> None:
        self.path = path
        self.settings = settings
        self.actor = actor
        self._database = database
        self.corpus = CorpusStore(database, actor=actor)
        self.people = PeopleStore(database, actor=actor)
        self._members = WorkspaceMembers(path, settings, database, self.people, actor)
        self.log = AnnotationStore(database, actor=actor, disabled=self._members.disabled)
        self.queue = QueueStore(database, actor=actor)
        self.guidance = GuidanceStore(database)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives back the store's files."""
        self._database.close()

    def acting(self, actor: Actor) -> Workspace:
        """The same files for somebody: to an annotator, the work of others is not there."""
        return Workspace(self.path, self.settings, self._database, actor=actor)

    def person(self, name: str = "") -> Person:
        """Who works here: who acts; without accounts, by the name given, else remembered.

        Raises:
            InvalidInput, NotAllowed: it is no name; there are accounts, and nobody is signed in.
        """
        return self.team.members.person(name)

    @property
    def labels(self) -> LabelTree:
        """The workspace's label set; a changed `labels.yaml` is taken up as a new version first.

        Raises:
            InvalidLabels: the file can not be read as labels.
            NotFound: there is no file and never was one.
        """
        return self.annotate.labels()

    @property
    def annotate(self) -> AnnotationService:
        """The actions of annotators; changed labels and guidelines are taken up first.

        Raises:
            InvalidLabels: `labels.yaml` can not be read as labels.
        """
        self._proposals.take_up()
        return self._annotate

    @cached_property
    def _annotate(self) -> AnnotationService:
        items = ItemStore(self._database, actor=self.actor)
        stores = (self.corpus, self.log, self.people, self.queue, self.guidance, items)
        return AnnotationService(*stores, self.settings.ratings)

    @cached_property
    def _proposals(self) -> GuidanceFiles:
        work = LabelChangeStore(self._database)
        return GuidanceFiles(self.path, self.guidance, self.corpus, self._annotate.labels, work)

    def match(
        self,
        key: SampleKey,
        *,
        side: Side,
        span: Span,
        document: str = "",
        top: int = 5,
        by: Signals = Signals.FUSED,
    ) -> SpanMatches:
        """What the screen would light up for a span; vectors are ranked by LanceDB's own search.

        Args:
            document: key of the document of that side; needed where it has several.
            by: what ranks: all signals, or one kind alone.

        Raises:
            NotFound, InvalidInput, InvalidSpan: as `AssistService.find`.
        """
        return self.assist.find(key, side=side, span=span, document=document, top=top, by=by)

    @cached_property
    def assist(self) -> AssistService:
        """What finds related segments; without vectors it works with words alone, and says so."""
        from tui_annotate.plugins import registry
        from tui_annotate.services.assist.search import AssistService

        return AssistService(
            self.corpus,
            vectors=lambda: self.vectors,
            load=lambda name: registry.load("embedders", name),
        )

    @cached_property
    def past_annotations(self) -> PastAnnotationSearch:
        """What finds a person's own former annotations that are nearest to a claim."""
        from tui_annotate.services.assist.past_annotations import PastAnnotationSearch

        return PastAnnotationSearch(
            self.corpus, self.log, lambda: self.vectors, self.assist.embedder
        )

    def assist_report(self, *, weeks: bool = False, **filters: str) -> dict[str, Any]:
        """How the assist fared in the work that stands: values of JSON, as docs/json.md says.

        It is counted by week, or else by month; `filters` as in `RecordFilter`.

        Raises:
            InvalidInput: a filter names nothing that is there.
        """
        from tui_annotate.services.assist.report import Period, report

        people = {person.id: person for person in self.people.all()}
        stands = self.log.standing(self.export_service.checked(RecordFilter(**filters)), people)
        return report(stands, people, period=Period.WEEK if weeks else Period.MONTH)

    @cached_property
    def team(self) -> TeamServices:
        """Accounts, shares, review, figures: what several people need of a workspace."""
        stores = (self._database, self.corpus, self.log, self.people, self.guidance)
        return TeamServices(
            self.path, self.settings, *stores, self.actor, self._proposals, self._members
        )

    @cached_property
    def machines(self) -> MachineServices:
        """What machines say of samples, and what makes them say it."""
        stores = (self._database, self.corpus, self.log, self.people, self.actor)
        in_force = lambda name: self.annotate.labels(name)  # noqa: E731, PLW0108  takes up each time
        return MachineServices(self.path, self.settings, *stores, in_force)

    def samples(self, **filters: str) -> Iterator[Sample]:
        """Samples by dataset, then as they came, streamed; `filters` as in `RecordFilter`."""
        return (record.sample for record in self.records(**filters))

    def annotations(self, **filters: str) -> Iterator[tuple[SampleKey, OwnedAnnotation]]:
        """Annotations with their sample's key and whose they are, in the order of `samples`."""
        for record in self.records(**filters):
            for owned in record.annotations:
                yield record.sample.key, owned

    def records(self, **filters: str) -> Iterator[Record]:
        """Samples with all that people did on them, in the order of `samples`, streamed."""
        return self.corpus.records(RecordFilter(**filters))

    @cached_property
    def ingest_service(self) -> IngestService:
        """The service that takes records in."""
        from tui_annotate.services.ingest import IngestService

        labels, workers = self._proposals.labels, self.settings.workers
        return IngestService(
            self.corpus, self.log, lambda: self.vectors, workers=workers, labels=labels
        )

    def vector_options(
        self, embedder: str = "", *, base_url: str = "", dimensions: int = 0
    ) -> VectorOptions:
        """An embedder as the services want it; what is left open, store and settings know.

        Args:
            embedder: a name, with a model behind a colon where it needs one; `auto`, `none`.
        """
        from tui_annotate.services.ingest import AUTO, VectorOptions

        return VectorOptions(
            embedder or AUTO,
            base_url,
            dimensions,
            first=self.settings.embedder,
            spare_url=self.settings.base_url,
            spare_dimensions=self.settings.dimensions,
        )

    @cached_property
    def export_service(self) -> ExportService:
        """The service that writes records out."""
        from tui_annotate.services.export import ExportService

        paths, opinions = self._proposals.label_paths, self.machines.opinions
        return ExportService(self.corpus, self.people, self.log, paths, opinions)

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
            how: `embedder` (a name, or `vector_options`), `strict`, `dry_run`, `progress`,
                `problem`, as `services.ingest` says.

        Raises:
            NotFound, InvalidInput, Unavailable: a file can not be opened or is of no known form.
        """
        from tui_annotate.plugins.protocols import ImportOptions
        from tui_annotate.services.ingest import IngestFiles, VectorOptions

        chosen = options or ImportOptions(language=self.settings.language)
        asked = how.get("embedder")
        how["embedder"] = (
            asked if isinstance(asked, VectorOptions) else self.vector_options(asked or "")
        )
        return self.ingest_service.run(
            IngestFiles([Path(path) for path in paths], format, chosen), **how
        )

    def export(
        self,
        target: Path | str | TextIO | None = None,
        *,
        format: str = "native",  # noqa: A002  the word of the command line
        options: ExportOptions | None = None,
        names: Pseudonyms | None = None,
        **filters: str,
    ) -> ExportReport:
        """Writes records in a format; same store, same bytes.

        Args:
            target: a file, an open stream, or None for standard output.
            format: an exporter's name.
            names: `team.pseudonyms.names()` for pseudonyms; it counts what was done.
            filters: as in `RecordFilter`.

        Raises:
            NotFound, InvalidInput, Unavailable: as `ExportService.run`.
        """
        place = Path(target) if isinstance(target, str) else target
        chosen = RecordFilter(**filters)
        return self.export_service.run(format, place, filters=chosen, options=options, names=names)

    @cached_property
    def vectors(self) -> VectorStore:
        """The vectors; nothing of them is loaded before they are used."""
        return VectorStore(self.path / VECTORS)

    @cached_property
    def _status_reader(self) -> StatusReader:
        files = self._proposals
        stores = (self._database, self.corpus, self.log)
        labels = (files.stored, files.labels, files.refused)
        return StatusReader(self.path, *stores, *labels, lambda: self.vectors)

    def status(self) -> Status:
        """Figures of all that is stored."""
        return self._status_reader.status()

    def check(self) -> list[DiagnosticFinding]:
        """What is wrong with store, log, labels and vectors, and the line that mends each."""
        return self._status_reader.findings()
