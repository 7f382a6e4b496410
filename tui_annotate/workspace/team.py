"""What a team needs of a workspace: accounts, shares, review, figures; made at the first need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui_annotate.domain.labels import JOINER
from tui_annotate.domain.people import Actor, Person, Verb, may, require
from tui_annotate.domain.records import RecordFilter
from tui_annotate.settings import WORKSPACE_FILE, Settings
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.guidance.label_sets import LabelSets
from tui_annotate.storage.guidance.store import GuidanceStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.work.relabelling import RelabelStore
from tui_annotate.storage.work.store import AnnotationStore
from tui_annotate.workspace.folder import FROZEN, GUIDELINES, LABELS, STORE, VECTORS, propose
from tui_annotate.workspace.members import Members
from tui_annotate.workspace.proposals import Proposals, beside

if TYPE_CHECKING:
    from tui_annotate.services.agree import Agree
    from tui_annotate.services.audit import Audit
    from tui_annotate.services.authenticate import Authenticate
    from tui_annotate.services.authenticate.managing import Accounts
    from tui_annotate.services.backup import Backup
    from tui_annotate.services.bind import Bind
    from tui_annotate.services.freeze import Freeze, Moment
    from tui_annotate.services.guide import Guide
    from tui_annotate.services.measure import Measure
    from tui_annotate.services.news import News
    from tui_annotate.services.relabel import Relabel
    from tui_annotate.services.remark import Remarks
    from tui_annotate.services.report import Report
    from tui_annotate.services.review import Review
    from tui_annotate.services.share import Share
    from tui_annotate.storage.people.presence import PresenceStore
    from tui_annotate.workspace.naming import Naming


@dataclass(frozen=True)
class Team:
    """The services on the stores of one workspace; each is imported when it is first used.

    Attributes:
        actor: who acts, as in `Workspace`.
        proposals: the files beside the store, and the label sets that would be with them.
        members: who has an account, and who acts.
    """

    path: Path
    settings: Settings
    database: Database
    corpus: CorpusStore
    log: AnnotationStore
    people: PeopleStore
    guidance: GuidanceStore
    actor: Actor
    proposals: Proposals
    members: Members

    @property
    def authenticate(self) -> Authenticate:
        """Signing in, on the workspace's own accounts or on those of the people store it names."""
        return self.members.authenticate

    @property
    def accounts(self) -> Accounts:
        """What admins do with accounts."""
        return self.members.accounts

    @cached_property
    def bind(self) -> Bind:
        """SSH keys of people with accounts."""
        from tui_annotate.services.bind import Bind
        from tui_annotate.storage.people.keys import KeyStore

        keys = KeyStore(self.members.home())
        return Bind(keys, lambda who: self.accounts.find(who).person, self.actor)

    @cached_property
    def audit(self) -> Audit:
        """Whether the log is what it was."""
        from tui_annotate.services.audit import Audit
        from tui_annotate.storage.work.audit import AuditStore

        require(self.actor, Verb.REPORT)
        return Audit(AuditStore(self.database))

    @cached_property
    def presence(self) -> PresenceStore:
        """Which process each person works in."""
        from tui_annotate.storage.people.presence import PresenceStore

        return PresenceStore(self.database)

    @cached_property
    def backup(self) -> Backup:
        """Copies of the workspace: the store, what lies beside it, and vectors if asked for."""
        from tui_annotate.services.backup import Backup
        from tui_annotate.storage.vectors.store import VectorStore

        require(self.actor, Verb.MANAGE)
        beside = (WORKSPACE_FILE, LABELS, GUIDELINES, FROZEN)
        vectors = self.path / VECTORS
        return Backup(self.path, self.database, STORE, beside, lambda: VectorStore(vectors))

    @cached_property
    def naming(self) -> Naming:
        """What stands for people where nobody may be named."""
        from tui_annotate.workspace.naming import Naming

        return Naming(self.corpus, self.members)

    @cached_property
    def agreement(self) -> Agree:
        """How far people agree, with one another and with their own former readings."""
        from tui_annotate.services.agree import Agree
        from tui_annotate.services.export import Export
        from tui_annotate.storage.corpus.segments import SegmentStore

        stores = (self.corpus, self.people, self.guidance, SegmentStore(self.database))
        names = Export(self.corpus, self.people, self.log, self.proposals.label_paths)
        ratings = self.settings.ratings
        return Agree(*stores, self.proposals.labels, names.checked, self.actor, ratings)

    @cached_property
    def share(self) -> Share:
        """Who annotates what."""
        from tui_annotate.services.share import Share
        from tui_annotate.storage.shares.store import ShareStore

        store = ShareStore(self.database)
        return Share(store, self.people, self._member, self.actor, self.members.disabled)

    def _member(self, who: str) -> Person | None:
        """Whose account is meant; None where people need no accounts."""
        return self.accounts.find(who).person if self.authenticate.required() else None

    @cached_property
    def guide(self) -> Guide:
        """Guidelines: every version, and the next one."""
        from tui_annotate.services.guide import Guide

        return Guide(self.guidance, self._names, self.actor)

    def put_in_force(self, text: str, *, dataset: str = "") -> str:
        """Makes a text the guidelines of a dataset, or of the workspace and its `guidelines.md`.

        Returns:
            The version's hash.

        Raises:
            NotAllowed, InvalidInput, NotFound: as `Guide.apply`.
            Unavailable: the file can not be written.
        """
        version = self.guide.apply(text, dataset=dataset)
        if not dataset:
            propose(self.path / GUIDELINES, text)
        return version

    @cached_property
    def relabel(self) -> Relabel:
        """Labels as they change, with the work under them."""
        from tui_annotate.services.relabel import Relabel

        require(self.actor, Verb.MANAGE)
        work = RelabelStore(self.database, actor=self.actor, disabled=self.members.disabled)
        return Relabel(work, self.guidance, self.proposals, self._names, self.actor)

    @cached_property
    def remarks(self) -> Remarks:
        """Talks with the reviewers, and notices to all."""
        from tui_annotate.services.remark import Remarks
        from tui_annotate.storage.work.remarks import RemarkStore

        return Remarks(RemarkStore(self.database, actor=self.actor), self._names, self.actor)

    @cached_property
    def news(self) -> News:
        """What changed since somebody was last here."""
        from tui_annotate.services.news import News
        from tui_annotate.storage.work.remarks import RemarkStore

        remarks = RemarkStore(self.database, actor=self.actor)
        return News(self.guidance, remarks, self.people, self._names)

    @property
    def review(self) -> Review:
        """Settling what several people said; changed labels and guidelines are taken up first."""
        self.proposals.take_up()
        return self._review

    @cached_property
    def _review(self) -> Review:
        from tui_annotate.services.review import Review

        stores = (self.corpus, self.log, self.people, self.guidance)
        settings = self.settings
        return Review(*stores, self.actor, settings.reviewers_settle_own, settings.ratings)

    @cached_property
    def measure(self) -> Measure:
        """Who is how far, how fast, and until when."""
        from tui_annotate.services.measure import Measure
        from tui_annotate.storage.figures import FigureStore

        store = FigureStore(self.database, actor=self.actor)
        return Measure(store, self._names, everybody=may(self.actor, Verb.REPORT))

    @cached_property
    def report(self) -> Report:
        """A page to read and share, of what the actor may see; as of the last day of work in it."""
        from tui_annotate.services.report import Report

        check, names = self.agreement.check, self._names
        return Report(
            self.corpus,
            check,
            lambda person: names().get(person, person),
            self.proposals.labels,
            lambda: replace(self.measure, today=self.measure.last_day).figures(),
            self._agreed,
        )

    def _agreed(
        self, filters: RecordFilter, word: Callable[[str], str] | None = None
    ) -> dict[str, Any]:
        """How far people agree, as values of JSON, with words for people where there are some."""
        from tui_annotate.services.agree import Asked
        from tui_annotate.services.agree.shapes import as_json

        found = self.agreement.report(
            Asked(
                dataset=filters.dataset,
                people=(filters.person,) if filters.person else (),
                origin=filters.origin,
                state=filters.state,
                label=filters.label,
                since=filters.since,
            )
        )
        if word is not None:
            found = replace(found, names={person: word(person) for person in found.names})
        return as_json(found)

    @cached_property
    def freeze(self) -> Freeze:
        """Dated states for papers, and the log replayed against them."""
        from tui_annotate.services.freeze import Freeze

        require(self.actor, Verb.MANAGE)
        self.proposals.take_up()
        return Freeze(self.path / FROZEN, self.database, lambda copy: moment(self._on(copy)))

    def _on(self, database: Database) -> Team:
        """The same services on another store, as on a copy of this one."""
        corpus, guidance = CorpusStore(database), GuidanceStore(database)
        proposals = beside(self.path, database, stored=self.proposals.stored, corpus=corpus)
        log, people = AnnotationStore(database), PeopleStore(database)
        stores = (corpus, log, people, guidance)
        members = Members(self.path, self.settings, database, people, self.actor)
        return Team(self.path, self.settings, database, *stores, self.actor, proposals, members)

    def _names(self) -> dict[str, str]:
        """Names of people, by id."""
        return {person.id: person.name for person in self.people.all()}


def moment(team: Team) -> Moment:
    """What a state that is kept tells of the store of a team's services."""
    from tui_annotate.services.agree.shapes import as_json as agreement
    from tui_annotate.services.export import Export
    from tui_annotate.services.freeze import Moment
    from tui_annotate.services.measure import as_json as figures
    from tui_annotate.storage.figures import FigureStore

    sets = LabelSets(team.guidance)
    export = Export(team.corpus, team.people, team.log)
    used = team.corpus.vector_set()
    return Moment(
        FigureStore(team.database),
        team.guidance,
        export=lambda target: export.run("native", target),
        agreement=lambda: agreement(team.agreement.report()),
        figures=lambda: figures(team.measure.figures()),
        head=team.audit.head,
        heads=team.audit.heads,
        labels=lambda dataset: [
            JOINER.join(label.path) for label in sets.in_force(dataset).leaves()
        ],
        embedder=lambda: (used.label or used.embedder) if used else "",
    )
