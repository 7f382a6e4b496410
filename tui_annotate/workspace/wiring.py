"""An open workspace: its stores, and the services on them, made when they are first asked for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TextIO

from tui_annotate.domain.findings import Finding
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.people import OPERATOR, Actor, Person
from tui_annotate.domain.records import Owned, Record, RecordFilter
from tui_annotate.domain.samples import Sample, SampleKey, Side, Signals
from tui_annotate.domain.spans import Span
from tui_annotate.services.annotate import Annotate
from tui_annotate.services.examine import Examine, Status
from tui_annotate.settings import Settings
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.guidance.store import GuidanceStore
from tui_annotate.storage.items import ItemStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.queue import QueueStore
from tui_annotate.storage.vectors.store import VectorStore
from tui_annotate.storage.work.store import AnnotationStore
from tui_annotate.workspace.folder import VECTORS
from tui_annotate.workspace.machines import Machines
from tui_annotate.workspace.members import Members
from tui_annotate.workspace.proposals import Proposals, beside
from tui_annotate.workspace.team import Team

if TYPE_CHECKING:
    from tui_annotate.plugins.protocols import ExportOptions, ImportOptions, Report
    from tui_annotate.services.assist import Assist, Matched
    from tui_annotate.services.assist.former import Formers
    from tui_annotate.services.export import Export
    from tui_annotate.services.export.pseudonyms import Pseudonyms
    from tui_annotate.services.ingest import Asked, Ingest, IngestReport


class Workspace:
    """An open workspace. Threads may share it; close it, or use it in a `with`.

    Attributes:
        path: its folder.
        settings: those in force.
        actor: who acts; the stores give and take what this one may.
        corpus, log, people, line, guidance: the stores of SQLite.
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
        self._members = Members(path, settings, database, self.people, actor)
        self.log = AnnotationStore(database, actor=actor, disabled=self._members.disabled)
        self.line = QueueStore(database, actor=actor)
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
    def annotate(self) -> Annotate:
        """The deeds of annotators; changed labels and guidelines are taken up first.

        Raises:
            InvalidLabels: `labels.yaml` can not be read as labels.
        """
        self._proposals.take_up()
        return self._annotate

    @cached_property
    def _annotate(self) -> Annotate:
        items = ItemStore(self._database, actor=self.actor)
        stores = (self.corpus, self.log, self.people, self.line, self.guidance, items)
        return Annotate(*stores, self.settings.ratings)

    @cached_property
    def _proposals(self) -> Proposals:
        return beside(self.path, self._database, stored=self._annotate.labels, corpus=self.corpus)

    def match(
        self,
        key: SampleKey,
        *,
        side: Side,
        span: Span,
        document: str = "",
        top: int = 5,
        by: Signals = Signals.FUSED,
    ) -> Matched:
        """What the screen would light up for a span; vectors are ranked by LanceDB's own search.

        Args:
            document: key of the document of that side; needed where it has several.
            by: what ranks: all signals, or one kind alone.

        Raises:
            NotFound, InvalidInput, InvalidSpan: as `Assist.find`.
        """
        return self.assist.find(key, side=side, span=span, document=document, top=top, by=by)

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

    @cached_property
    def formers(self) -> Formers:
        """What finds a person's own former annotations that are nearest to a claim."""
        from tui_annotate.services.assist.former import Formers

        return Formers(self.corpus, self.log, lambda: self.vectors, self.assist.embedder)

    def assist_report(self, *, weeks: bool = False, **filters: str) -> dict[str, Any]:
        """How the assist fared in the work that stands: values of JSON, as docs/json.md says.

        It is counted by week, or else by month; `filters` as in `RecordFilter`.

        Raises:
            InvalidInput: a filter names nothing that is there.
        """
        from tui_annotate.services.assist.report import Period, report

        people = {person.id: person for person in self.people.all()}
        stands = self.log.standing(self.exporting.checked(RecordFilter(**filters)), people)
        return report(stands, people, period=Period.WEEK if weeks else Period.MONTH)

    @cached_property
    def team(self) -> Team:
        """Accounts, shares, review, figures: what several people need of a workspace."""
        stores = (self._database, self.corpus, self.log, self.people, self.guidance)
        return Team(self.path, self.settings, *stores, self.actor, self._proposals, self._members)

    @cached_property
    def machines(self) -> Machines:
        """What machines say of samples, and what makes them say it."""
        stores = (self._database, self.corpus, self.log, self.people, self.actor)
        in_force = lambda name: self.annotate.labels(name)  # noqa: E731, PLW0108  takes up each time
        return Machines(self.path, self.settings, *stores, in_force)

    def samples(self, **filters: str) -> Iterator[Sample]:
        """Samples by dataset, then as they came, streamed; `filters` as in `RecordFilter`."""
        return (record.sample for record in self.records(**filters))

    def annotations(self, **filters: str) -> Iterator[tuple[SampleKey, Owned]]:
        """Annotations with their sample's key and whose they are, in the order of `samples`."""
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

        labels, workers = self._proposals.labels, self.settings.workers
        return Ingest(self.corpus, self.log, lambda: self.vectors, workers=workers, labels=labels)

    def asked(self, embedder: str = "", *, base_url: str = "", dimensions: int = 0) -> Asked:
        """An embedder as the services want it; what is left open, store and settings know.

        Args:
            embedder: a name, with a model behind a colon where it needs one; `auto`, `none`.
            base_url, dimensions: of a remote one.
        """
        from tui_annotate.services.ingest import AUTO, Asked

        return Asked(
            embedder or AUTO,
            base_url,
            dimensions,
            first=self.settings.embedder,
            spare_url=self.settings.base_url,
            spare_dimensions=self.settings.dimensions,
        )

    @cached_property
    def exporting(self) -> Export:
        """The service that writes records out."""
        from tui_annotate.services.export import Export

        paths, opinions = self._proposals.label_paths, self.machines.opinions
        return Export(self.corpus, self.people, self.log, paths, opinions)

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
            how: `embedder` (a name, or what `asked` gives), `strict`, `dry_run`, `progress`,
                `problem`, as `services.ingest` says.

        Raises:
            NotFound, InvalidInput, Unavailable: a file can not be opened or is of no known form.
        """
        from tui_annotate.plugins.protocols import ImportOptions
        from tui_annotate.services.ingest import Asked, Files

        chosen = options or ImportOptions(language=self.settings.language)
        asked = how.get("embedder")
        how["embedder"] = asked if isinstance(asked, Asked) else self.asked(asked or "")
        return self.ingesting.run(Files([Path(path) for path in paths], format, chosen), **how)

    def export(
        self,
        target: Path | str | TextIO | None = None,
        *,
        format: str = "native",  # noqa: A002  the word of the command line
        options: ExportOptions | None = None,
        names: Pseudonyms | None = None,
        **filters: str,
    ) -> Report:
        """Writes records in a format; same store, same bytes.

        Args:
            target: a file, an open stream, or None for standard output.
            format: an exporter's name.
            names: `team.naming.names()` for pseudonyms; it is told what was done.
            filters: as in `RecordFilter`.

        Raises:
            NotFound, InvalidInput, Unavailable: as `Export.run`.
        """
        place = Path(target) if isinstance(target, str) else target
        chosen = RecordFilter(**filters)
        return self.exporting.run(format, place, filters=chosen, options=options, names=names)

    @cached_property
    def vectors(self) -> VectorStore:
        """The vectors; nothing of them is loaded before they are used."""
        return VectorStore(self.path / VECTORS)

    @cached_property
    def _examine(self) -> Examine:
        sets = self._proposals
        return Examine(self.path, self._database, self.corpus, self.log, sets, lambda: self.vectors)

    def status(self) -> Status:
        """Figures of all that is stored."""
        return self._examine.status()

    def check(self) -> list[Finding]:
        """What is wrong with store, log, labels and vectors, and the line that mends each."""
        return self._examine.findings()
