"""The class of an open workspace, with its stores and services, created at their first use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TextIO, Unpack

from tui_annotate.domain.findings import DiagnosticFinding
from tui_annotate.domain.keyword_names import check_keywords, earlier_keywords
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.people import OPERATOR, Actor, Person
from tui_annotate.domain.records import OwnedAnnotation, Record, RecordFilter, RecordFilters
from tui_annotate.domain.samples import Sample, SampleKey, Side, Signals
from tui_annotate.domain.spans import Span
from tui_annotate.domain.workspace_files import VECTORS
from tui_annotate.services.annotate import AnnotationService
from tui_annotate.services.status import Status, StatusReader
from tui_annotate.settings import Settings
from tui_annotate.settings.workspaces import check_stored_embedder
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.items import ItemStore
from tui_annotate.storage.labels.store import GuidanceStore
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.log.label_set_change import LabelChangeStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.queue import QueueStore
from tui_annotate.storage.vectors.store import VectorStore
from tui_annotate.workspace.machines import MachineServices
from tui_annotate.workspace.members import WorkspaceMembers
from tui_annotate.workspace.proposals import GuidanceFiles
from tui_annotate.workspace.team import TeamServices

if TYPE_CHECKING:
    from tui_annotate.domain.progress import TaskProgress
    from tui_annotate.domain.records import Problem
    from tui_annotate.plugins.protocols import Embedder, ExportOptions, ExportReport, ImportOptions
    from tui_annotate.services.assist.past_annotations import PastAnnotationSearch
    from tui_annotate.services.assist.search import AssistService, SpanMatches
    from tui_annotate.services.export import ExportService
    from tui_annotate.services.export.pseudonyms import Pseudonyms
    from tui_annotate.services.ingest import IngestReport, IngestService, VectorOptions


@check_keywords
class Workspace:
    """An open workspace, which threads may share; close it, or use it in a `with` statement.

    `actor` is the current user, who limits what the stores return and accept.
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
        """Close the store; a second call does nothing."""
        self._database.close()

    def acting(self, actor: Actor) -> Workspace:
        """Return this workspace for another user; annotators do not see the work of others."""
        return Workspace(self.path, self.settings, self._database, actor=actor)

    @property
    def read_only(self) -> str:
        """Reason why the workspace cannot be written, for example a full disk; else empty."""
        return self._database.read_only

    def person(self, name: str = "") -> Person:
        """Return the person who works in the workspace; see `WorkspaceMembers.person`.

        Raises:
            InvalidInput: the name is invalid.
            NotAllowed: the workspace has accounts, and a name was given or no user is signed in.
        """
        return self.team.members.person(name)

    @property
    def labels(self) -> LabelTree:
        """The label set of the workspace, with the latest changes of `labels.yaml`.

        If `labels.yaml` has changed, its text is first stored as a new version of the label set.

        Raises:
            InvalidLabels: `labels.yaml` is not a valid label set.
            NotFound: the workspace never had a label set.
        """
        return self.annotate.labels()

    @property
    def annotate(self) -> AnnotationService:
        """The service for the actions of annotators.

        Each access first stores changes to the workspace's files of labels and guidelines.

        Raises:
            InvalidLabels: `labels.yaml` is not a valid label set.
        """
        self._proposals.take_up()
        return self._annotate

    @cached_property
    def _annotate(self) -> AnnotationService:
        return AnnotationService(
            corpus=self.corpus,
            store=self.log,
            people=self.people,
            line=self.queue,
            guidance=self.guidance,
            items=ItemStore(self._database, actor=self.actor),
            ratings=self.settings.ratings,
        )

    @cached_property
    def _proposals(self) -> GuidanceFiles:
        return GuidanceFiles(
            folder=self.path,
            guidance=self.guidance,
            corpus=self.corpus,
            stored=self._annotate.labels,
            work=LabelChangeStore(self._database),
        )

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
        """Return the matches of a span: related sentences of the other text (summary or source).

        Args:
            document: key of the span's document; required if its side has several documents.
            by: what ranks: words and vectors combined, or only one of the two.

        Raises:
            NotFound, InvalidInput, InvalidSpan: as `AssistService.find`.
        """
        return self.assist.find(key, side=side, span=span, document=document, top=top, by=by)

    @cached_property
    def assist(self) -> AssistService:
        """The service that finds the matches of a span (related sentences of the other text)."""
        from tui_annotate.services.assist.search import AssistService

        return AssistService(
            self.corpus, vectors=lambda: self.vectors, load=self._load_stored_embedder
        )

    def _load_stored_embedder(self, name: str) -> Embedder:
        from tui_annotate.plugins import registry

        check_stored_embedder(name, self.path)
        embedder: Embedder = registry.load("embedders", name)
        return embedder

    @cached_property
    def past_annotations(self) -> PastAnnotationSearch:
        """The search for a person's own earlier annotations that are similar to a claim."""
        from tui_annotate.services.assist.past_annotations import PastAnnotationSearch

        return PastAnnotationSearch(
            corpus=self.corpus,
            annotations=self.log,
            vectors=lambda: self.vectors,
            embedder=self.assist.embedder,
        )

    @earlier_keywords(weeks="by_week")
    def assist_report(
        self, *, by_week: bool = False, **filters: Unpack[RecordFilters]
    ) -> dict[str, Any]:
        """Return a report on the use of matches in current annotations, as JSON values.

        docs/json.md describes the values, by week or by month; `filters` as in `RecordFilter`.

        Raises:
            InvalidInput: a filter names an unknown object.
        """
        checked = self.export_service.checked(RecordFilter.of(**filters))
        found: dict[str, Any] = self.machines.service("assist_studies").report(
            checked, weeks=by_week
        )
        return found

    @property
    def assist_tuning(self) -> Any:
        """The service that fits the weights of the assist to the evidence of all people.

        Raises:
            NotAllowed: the actor may not manage the workspace.
        """
        return self.machines.service("assist_studies").tuning

    @cached_property
    def team(self) -> TeamServices:
        """The services that manage people and their work; most of them are only for admins."""
        return TeamServices(
            path=self.path,
            settings=self.settings,
            database=self._database,
            corpus=self.corpus,
            log=self.log,
            people=self.people,
            guidance=self.guidance,
            actor=self.actor,
            proposals=self._proposals,
            members=self._members,
        )

    @cached_property
    def machines(self) -> MachineServices:
        """The services of machine scores, suggestions and research plug-ins."""

        def labels_in_force(dataset: str) -> LabelTree:
            # Not `self.annotate.labels` itself: each access of `annotate` rereads labels.yaml.
            return self.annotate.labels(dataset)

        return MachineServices(
            path=self.path,
            settings=self.settings,
            database=self._database,
            corpus=self.corpus,
            log=self.log,
            people=self.people,
            actor=self.actor,
            assist=lambda: self.assist,
            labels=labels_in_force,
        )

    def samples(self, **filters: Unpack[RecordFilters]) -> Iterator[Sample]:
        """Iterate over the samples of `records`; errors as for `records`."""
        return (record.sample for record in self.records(**filters))

    def annotations(
        self, **filters: Unpack[RecordFilters]
    ) -> Iterator[tuple[SampleKey, OwnedAnnotation]]:
        """Iterate over the annotations of `records`, each with sample key and owner.

        Errors are those of `records`; samples without annotations give nothing.
        """
        records = self.records(**filters)
        return ((each.sample.key, owned) for each in records for owned in each.annotations)

    def records(self, **filters: Unpack[RecordFilters]) -> Iterator[Record]:
        """Iterate over samples with annotations and assignments, by dataset in import order.

        Args:
            filters: as in `RecordFilter`; without filters, all samples except practice samples.

        Raises:
            InvalidInput: a filter is unknown, or names an unknown object; the hint has valid names.
        """
        return self.corpus.records(self.export_service.checked(RecordFilter.of(**filters)))

    @cached_property
    def ingest_service(self) -> IngestService:
        """The service that imports files; `ingest` is the shorter way to call it."""
        from tui_annotate.services.ingest import IngestService

        return IngestService(
            corpus=self.corpus,
            annotations=self.log,
            stores=lambda: self.vectors,
            workers=self.settings.workers,
            labels=self._proposals.labels,
            trust=self.settings.endpoints,
            check_stored=partial(check_stored_embedder, workspace=self.path),
        )

    def vector_options(
        self,
        embedder: str = "",
        *,
        base_url: str = "",
        dimensions: int = 0,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> VectorOptions:
        """Return options of an embedder, with defaults from the store and the settings.

        `dimensions` is the length of a vector, with 0 for the default of the model; `timeout` is in
        seconds. An unknown embedder is an error only where the options are used.
        """
        from tui_annotate.services.ingest import AUTO, VectorOptions

        return VectorOptions(
            embedder or AUTO,
            base_url,
            dimensions,
            first=self.settings.embedder,
            spare_url=self.settings.base_url,
            spare_dimensions=self.settings.dimensions,
            timeout=timeout,
            max_retries=max_retries,
            trust=self.settings.endpoints,
        )

    @cached_property
    def export_service(self) -> ExportService:
        """The service that exports work; `export` is the shorter way to call it."""
        from tui_annotate.services.export import ExportService

        return ExportService(
            corpus=self.corpus,
            people=self.people,
            annotations=self.log,
            labels=self._proposals.label_paths,
            opinions=self.machines.opinions,
            answers=self.machines.suggestions.given_answers,
            questions=self.team.comments.store,
        )

    def ingest(
        self,
        *paths: Path | str,
        format: str = "",  # noqa: A002  the word of the command line
        options: ImportOptions | None = None,
        embedder: str | VectorOptions = "",
        embed: bool = True,
        strict: bool = False,
        dry_run: bool = False,
        progress: Callable[[TaskProgress], None] | None = None,
        problem: Callable[[Problem], None] | None = None,
    ) -> IngestReport:
        """Import files of samples; records that are already stored are skipped.

        Without files, only missing vectors are computed.

        Args:
            format: an importer's name (default: detected from the content of each file).
            options: columns, dataset and its license, language.
            embedder: as for `vector_options`, or its result.
            embed: whether to compute missing vectors; if False, a later import computes them.
            strict: store nothing if one record is refused.
            dry_run: check all records and estimate the cost of the vectors, but store nothing.
            problem: called for each problem; the report keeps only the first problems.

        Raises:
            NotFound, InvalidInput, Unavailable: a file cannot be opened or has an unknown format.
            NotAllowed: only the workspace names the embedder's endpoint, and it is not trusted.
            Conflict: the workspace has another embedder.
        """
        from tui_annotate.plugins.protocols import ImportOptions, SpanUse
        from tui_annotate.services.ingest import IngestFiles

        chosen = options or ImportOptions()
        if not chosen.language:
            chosen = replace(chosen, language=self.settings.language)
        vectors = (
            self.vector_options(embedder)
            if isinstance(embedder, str)
            else replace(embedder, trust=self.settings.endpoints)
        )
        files = IngestFiles(
            [Path(path) if isinstance(path, str) else path for path in paths], format, chosen
        )
        report = self.ingest_service.run(
            files,
            embedder=vectors,
            embed=embed,
            strict=strict,
            dry_run=dry_run,
            progress=progress,
            problem=problem,
        )
        if chosen.spans_as is SpanUse.SUGGESTIONS and not (report.dry_run or report.strict):
            files.options = replace(files.options, spans_as=SpanUse.ANNOTATIONS)

            def note(found: Problem) -> None:
                report.note_problem(found)
                if problem is not None:
                    problem(found)

            report.suggestions = self.machines.suggestion_service.from_records(files, problem=note)
        return report

    def export(
        self,
        target: Path | str | TextIO | None = None,
        *,
        format: str = "native",  # noqa: A002  the word of the command line
        options: ExportOptions | None = None,
        names: Pseudonyms | None = None,
        **filters: Unpack[RecordFilters],
    ) -> ExportReport:
        """Export records of samples and annotations; the same store gives the same bytes.

        Args:
            target: a file, an open stream, or None for standard output.
            names: `team.pseudonyms.names()` to replace names by pseudonyms; counts replacements.
            filters: as in `RecordFilter`.

        Raises:
            NotFound, InvalidInput, Unavailable: as `ExportService.run`.
        """
        place = Path(target) if isinstance(target, str) else target
        chosen = RecordFilter.of(**filters)
        return self.export_service.run(format, place, filters=chosen, options=options, names=names)

    @cached_property
    def vectors(self) -> VectorStore:
        """The store of the vectors of sentences, which loads nothing before its first use."""
        return VectorStore(self.path / VECTORS)

    @cached_property
    def _status_reader(self) -> StatusReader:
        return StatusReader(
            path=self.path,
            database=self._database,
            corpus=self.corpus,
            log=self.log,
            stored_labels=self._proposals.stored,
            proposed_labels=self._proposals.labels,
            refusal=self._proposals.refused,
            stores=lambda: self.vectors,
            ratings=self.settings.ratings,
        )

    def status(self) -> Status:
        """Return the contents and the progress; all numbers are 0 in an empty workspace."""
        return self._status_reader.status()

    def check(self) -> list[DiagnosticFinding]:
        """Check the store, the event log, the labels and the vectors.

        Returns findings with a state each, also of sound parts; a damaged store is a finding, and
        no error.
        """
        return self._status_reader.findings()
