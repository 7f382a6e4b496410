"""Two annotators, a reviewer and samples, for tests of work on adjudicated samples."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from tests.helpers.folder_cache import build_once
from tests.helpers.stores import annotate, claim, fill, new_database
from tui_annotate.domain.adjudication import RejectionReason
from tui_annotate.domain.people import OPERATOR, Actor, second_reader
from tui_annotate.domain.samples import SampleKey
from tui_annotate.services.annotate import AnnotationService
from tui_annotate.services.review import ReviewResult, ReviewService
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.labels.store import GuidanceStore
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.sqlite_database import SqliteDatabase


@dataclass
class AdjudicatedTeam:
    """Ana and Ben, who annotate; Rea, who reviews; three samples, each with a disagreement."""

    database: SqliteDatabase
    annotating: AnnotationService
    keys: list[SampleKey]
    ana: str
    ben: str
    rea: str

    @classmethod
    def create(cls, folder: Path, *, empty: bool = False) -> Self:
        """Ana and Ben have completed every sample, or none; nothing is adjudicated."""

        def build(folder: Path) -> None:
            folder.mkdir(exist_ok=True)
            with closing(new_database(folder)) as database:
                annotating = annotate(database)
                fill(annotating.corpus, "1", "2", "3")
                team = cls._of(database)
                annotating.people.keep(second_reader(annotating.people.person(team.ana)))
                for key in () if empty else team.keys:
                    team.completes(team.ana, key, claim(f"ana-{key.id}", 0, 10))
                    team.completes(team.ben, key, claim(f"ben-{key.id}", 22, 33, label="Alone"))

        build_once(folder, ("adjudicated team", empty), build)
        return cls._of(SqliteDatabase.open(folder / "store.sqlite"))

    @classmethod
    def _of(cls, database: SqliteDatabase) -> Self:
        annotating = annotate(database, labels="", ratings=("good", "poor"))
        ids = [annotating.people.local(name).id for name in ("ana", "ben", "rea")]
        return cls(database, annotating, list(annotating.corpus.keys()), *ids)

    def completes(self, who: str, key: SampleKey, *annotations: object) -> None:
        for each in annotations:
            self.annotating.add(who, key, each, seconds=1)  # type: ignore[arg-type]
        self.annotating.finish(who, key, seconds=1)

    def review(self, actor: Actor = OPERATOR) -> ReviewService:
        database = self.database
        stores = (
            CorpusStore(database, actor=actor),
            AnnotationStore(database, actor=actor),
            PeopleStore(database, actor=actor),
            GuidanceStore(database),
        )
        return ReviewService(*stores, actor)

    def adjudicate(self, key: SampleKey) -> ReviewResult:
        """Rea rejects what is open and completes the adjudication."""
        review = self.review()
        seen = review.open(self.rea, key).seen
        return review.finish(
            self.rea,
            key,
            rest=RejectionReason.SLIP,
            unrated=RejectionReason.SLIP,
            leave=["changed", "comments"],
            seen=seen,
            seconds=1,
        )

    def reopen(self, key: SampleKey, person: str = "", *, reason: str = "see rule 4") -> None:
        self.review().reopen_work(self.rea, key, person=person, reason=reason)

    def allow_edits(self, *, allowed: bool = True) -> None:
        """Set what the dataset allows after the adjudication."""
        self.annotating.corpus.allow_edits_after_adjudication("d", allowed=allowed)
