"""Services for teams: accounts, assignments, review, progress; each is loaded at its first use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tui_annotate.domain.keyword_names import check_keywords
from tui_annotate.domain.labels import JOINER
from tui_annotate.domain.people import Actor, Permission, Person, is_allowed, require_permission
from tui_annotate.domain.records import RecordFilter
from tui_annotate.domain.workspace_files import FROZEN, GUIDELINES, LABELS, STORE, VECTORS
from tui_annotate.settings import WORKSPACE_FILE, Settings
from tui_annotate.storage.assignments.store import AssignmentStore
from tui_annotate.storage.corpus.store import CorpusStore, SegmentStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.labels.store import GuidanceStore, LabelSets
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.log.audit import AuditStore
from tui_annotate.storage.log.label_set_change import LabelChangeStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.vectors.store import VectorStore
from tui_annotate.workspace.folder import write_if_changed
from tui_annotate.workspace.members import PseudonymKeeper, WorkspaceMembers
from tui_annotate.workspace.proposals import GuidanceFiles
from tui_annotate.workspace.stores import StoreMove, move_store, use_file_store

if TYPE_CHECKING:
    from tui_annotate.services.agreement import AgreementService
    from tui_annotate.services.agreement.output import PrintedAgreement
    from tui_annotate.services.assignments import AssignmentService
    from tui_annotate.services.audit import AuditService
    from tui_annotate.services.authentication import AuthenticationService
    from tui_annotate.services.authentication.account_management import AccountService
    from tui_annotate.services.backup import BackupService
    from tui_annotate.services.comments import CommentService, News
    from tui_annotate.services.freeze import FreezeService, Snapshot
    from tui_annotate.services.guidelines import GuidelinesService
    from tui_annotate.services.progress import ProgressReader
    from tui_annotate.services.relabel import LabelChangeService
    from tui_annotate.services.report import ReportWriter
    from tui_annotate.services.review import ReviewService
    from tui_annotate.services.ssh_keys import SshKeyService
    from tui_annotate.storage.log.person_merge import PersonMergeStore
    from tui_annotate.storage.people.presence import PresenceStore


@check_keywords
@dataclass(frozen=True)
class TeamServices:
    """The team services of a workspace: accounts, assignments, review, and more."""

    path: Path
    settings: Settings
    database: Database
    corpus: CorpusStore
    log: AnnotationStore
    people: PeopleStore
    guidance: GuidanceStore
    actor: Actor
    proposals: GuidanceFiles
    members: WorkspaceMembers

    @property
    def authenticate(self) -> AuthenticationService:
        """The sign-in service, for the workspace's own accounts or those of a shared store."""
        return self.members.authenticate

    @property
    def accounts(self) -> AccountService:
        """The service that manages accounts, of the workspace or of a shared store."""
        return self.members.accounts

    @cached_property
    def ssh_keys(self) -> SshKeyService:
        """The service that manages the public keys with which people sign in."""
        from tui_annotate.services.ssh_keys import SshKeyService
        from tui_annotate.storage.people.accounts import SshKeyStore

        keys = SshKeyStore(self.members.account_database())
        return SshKeyService(keys, lambda who: self.accounts.find(who).person, self.actor)

    @cached_property
    def audit(self) -> AuditService:
        """The service that checks that stored events of the workspace were not changed later."""
        from tui_annotate.services.audit import AuditService

        require_permission(self.actor, Permission.REPORT)
        return AuditService(AuditStore(self.database))

    @cached_property
    def presence(self) -> PresenceStore:
        """The store of the process in which a person works; only one at a time may."""
        from tui_annotate.storage.people.presence import PresenceStore

        return PresenceStore(self.database)

    @cached_property
    def backup(self) -> BackupService:
        """The service that copies a workspace while it is in use; NotAllowed if not an admin."""
        from tui_annotate.services.backup import BackupService

        require_permission(self.actor, Permission.MANAGE)
        return BackupService(
            path=self.path,
            database=self.database,
            store=STORE,
            extra_names=(WORKSPACE_FILE, LABELS, GUIDELINES, FROZEN),
            stores=lambda: VectorStore(self.path / VECTORS),
            use_file_store=use_file_store,
        )

    def move_store(self, url: str, schema: str = "") -> StoreMove:
        """Move the store to PostgreSQL, or with an empty URL to a SQLite file.

        The workspace must be closed afterwards, and opened again.

        Raises:
            NotAllowed: the current actor may not manage the workspace; other errors as
                `stores.move_store`.
        """
        require_permission(self.actor, Permission.MANAGE)
        self.proposals.take_up()  # other machines get the stored label set
        return move_store(self.path, self.database, url=url, schema=schema)

    @cached_property
    def pseudonyms(self) -> PseudonymKeeper:
        """The keeper of the key that makes pseudonyms of people for exports."""
        return PseudonymKeeper(self.corpus, self.members)

    @cached_property
    def agreement(self) -> AgreementService:
        """The service that measures agreement between annotators."""
        from tui_annotate.services.agreement import AgreementService
        from tui_annotate.services.export import ExportService
        from tui_annotate.storage.suggestions import SuggestionStore

        export = ExportService(
            corpus=self.corpus,
            people=self.people,
            annotations=self.log,
            labels=self.proposals.label_paths,
        )
        return AgreementService(
            corpus=self.corpus,
            people=self.people,
            guidance=self.guidance,
            segments=SegmentStore(self.database),
            log=self.log,
            labels=self.proposals.labels,
            check=export.checked,
            actor=self.actor,
            ratings=self.settings.ratings,
            answers=SuggestionStore(self.database, actor=self.actor).answers,
        )

    @cached_property
    def person_merges(self) -> PersonMergeStore:
        """The store that merges people who are the same human."""
        from tui_annotate.storage.log.person_merge import PersonMergeStore

        return PersonMergeStore(self.database, actor=self.actor, disabled=self.members.disabled)

    @cached_property
    def assignments(self) -> AssignmentService:
        """The service that assigns samples to annotators, by hand or by rules."""
        from tui_annotate.services.assignments import AssignmentService

        return AssignmentService(
            store=AssignmentStore(self.database),
            people=self.people,
            member=self._find_member,
            actor=self.actor,
            disabled=self.members.disabled,
        )

    def _find_member(self, who: str) -> Person | None:
        return self.accounts.find(who).person if self.authenticate.required() else None

    @cached_property
    def guidelines(self) -> GuidelinesService:
        """The service that changes guidelines and lists their versions."""
        from tui_annotate.services.guidelines import GuidelinesService

        return GuidelinesService(self.guidance, self._names, self.actor)

    def apply_guidelines(self, text: str, *, dataset: str = "") -> str:
        """Set the guidelines of a dataset or of the workspace, and return their hash.

        Guidelines of the workspace are also written to its `guidelines.md`.

        Raises:
            NotAllowed, InvalidInput, NotFound: as `guidelines.apply`.
            Unavailable: the file cannot be written.
        """
        version = self.guidelines.apply(text, dataset=dataset)
        if not dataset:
            write_if_changed(self.path / GUIDELINES, text)
        return version

    @cached_property
    def relabel(self) -> LabelChangeService:
        """The service that changes the label set together with existing annotations."""
        from tui_annotate.services.relabel import LabelChangeService

        require_permission(self.actor, Permission.MANAGE)
        work = LabelChangeStore(self.database, actor=self.actor, disabled=self.members.disabled)
        return LabelChangeService(
            store=work,
            guidance=self.guidance,
            file=self.proposals,
            names=self._names,
            actor=self.actor,
            ratings=self.settings.ratings,
        )

    @cached_property
    def comments(self) -> CommentService:
        """The service of questions about samples and the answers to them."""
        from tui_annotate.services.comments import CommentService
        from tui_annotate.storage.log.comments import CommentStore

        return CommentService(
            CommentStore(self.database, actor=self.actor), self._names, self.actor
        )

    @cached_property
    def news(self) -> News:
        """The service that lists what changed for a person since their last session."""
        from tui_annotate.services.comments import News
        from tui_annotate.storage.log.comments import CommentStore

        return News(
            guidance=self.guidance,
            remarks=CommentStore(self.database, actor=self.actor),
            people=self.people,
            names=self._names,
        )

    @property
    def review(self) -> ReviewService:
        """The service for adjudication; each access first applies edits of `labels.yaml`."""
        self.proposals.take_up()
        return self._review

    @cached_property
    def _review(self) -> ReviewService:
        from tui_annotate.services.review import ReviewService

        return ReviewService(
            corpus=self.corpus,
            store=self.log,
            people=self.people,
            guidance=self.guidance,
            actor=self.actor,
            own_allowed=self.settings.reviewers_settle_own,
            ratings=self.settings.ratings,
        )

    @cached_property
    def progress(self) -> ProgressReader:
        """The service for work statistics: progress, pace, and projected end."""
        from tui_annotate.services.progress import ProgressReader
        from tui_annotate.storage.work_statistics import WorkStatisticsStore

        store = WorkStatisticsStore(self.database, actor=self.actor)
        return ProgressReader(
            store, self._names, everybody=is_allowed(self.actor, Permission.REPORT)
        )

    @cached_property
    def report(self) -> ReportWriter:
        """The writer of the HTML report on a workspace, with only data that the user may see."""
        from tui_annotate.services.report import ReportWriter

        return ReportWriter(
            corpus=self.corpus,
            check=self.agreement.check,
            names=lambda person: self._names().get(person, person),
            labels=self.proposals.labels,
            figures=lambda: replace(self.progress, today=self.progress.last_day).figures(),
            agreement=self._agreement_to_json,
        )

    def _agreement_to_json(
        self, filters: RecordFilter, word: Callable[[str], str] | None = None
    ) -> PrintedAgreement:
        from tui_annotate.services.agreement import AgreementOptions
        from tui_annotate.services.agreement.output import as_json

        found = self.agreement.report(
            AgreementOptions(
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
    def freeze(self) -> FreezeService:
        """The service that creates dated snapshots of a workspace, and verifies snapshots."""
        from tui_annotate.services.freeze import FreezeService

        require_permission(self.actor, Permission.MANAGE)
        self.proposals.take_up()
        return FreezeService(
            self.path / FROZEN, self.database, lambda copy: make_snapshot(self._for_database(copy))
        )

    def _for_database(self, database: Database) -> TeamServices:
        corpus = CorpusStore(database)
        guidance = GuidanceStore(database)
        people = PeopleStore(database)
        proposals = GuidanceFiles(
            folder=self.path,
            guidance=guidance,
            corpus=corpus,
            stored=self.proposals.stored,
            work=LabelChangeStore(database),
        )
        members = WorkspaceMembers(
            path=self.path,
            settings=self.settings,
            database=database,
            people=people,
            actor=self.actor,
        )
        return TeamServices(
            path=self.path,
            settings=self.settings,
            database=database,
            corpus=corpus,
            log=AnnotationStore(database),
            people=people,
            guidance=guidance,
            actor=self.actor,
            proposals=proposals,
            members=members,
        )

    def _names(self) -> dict[str, str]:
        return {person.id: person.name for person in self.people.all()}


def make_snapshot(team: TeamServices) -> Snapshot:
    """Return the functions that provide the data of a snapshot of the workspace."""
    from tui_annotate.services.agreement.output import as_json as agreement
    from tui_annotate.services.export import ExportService
    from tui_annotate.services.freeze import Snapshot
    from tui_annotate.services.progress import as_json as figures
    from tui_annotate.storage.study_conduct import StudyConductStore
    from tui_annotate.storage.study_work import StudyWorkStore
    from tui_annotate.storage.work_statistics import WorkStatisticsStore

    sets = LabelSets(team.guidance)
    export = ExportService(team.corpus, team.people, team.log)
    used = team.corpus.vector_set()
    return Snapshot(
        WorkStatisticsStore(team.database),
        team.guidance,
        export=lambda target: export.run("native", target),
        agreement=lambda: agreement(team.agreement.report()),
        figures=lambda: figures(team.progress.figures()),
        head=team.audit.head,
        heads=team.audit.heads,
        labels=lambda dataset: [JOINER.join(label.path) for label in sets.in_use(dataset).leaves()],
        embedder=lambda: (used.label or used.embedder) if used else "",
        descriptions=team.corpus.descriptions,
        conduct=StudyConductStore(team.database, actor=team.actor),
        work=StudyWorkStore(team.database, actor=team.actor).count,
        later_work=team.review.count_later_work,
        shared_accounts=bool(team.settings.people_store),
        questions=lambda: [
            each for thread in team.comments.list_threads() for each in thread.remarks
        ],
    )
