"""What machines say of samples, and what makes them say it; each service at its first need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tui_annotate.domain.people import Actor
from tui_annotate.settings import Settings
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.work.store import AnnotationStore

if TYPE_CHECKING:
    from tui_annotate.domain.samples import SampleKey
    from tui_annotate.domain.scores import Score
    from tui_annotate.services.position.stored import Positions
    from tui_annotate.storage.replies import ReplyStore
    from tui_annotate.storage.scores.store import ScoreStore


@dataclass(frozen=True)
class Machines:
    """The services on the stores of one workspace that machines have a say in.

    Attributes:
        path: the workspace's folder.
        actor: who acts, as in `Workspace`.
    """

    path: Path
    settings: Settings
    database: Database
    corpus: CorpusStore
    log: AnnotationStore
    people: PeopleStore
    actor: Actor

    @cached_property
    def scores(self) -> ScoreStore:
        """Runs and their scores."""
        from tui_annotate.storage.scores.store import ScoreStore

        return ScoreStore(self.database, actor=self.actor)

    def opinions(self, keys: Sequence[SampleKey]) -> dict[SampleKey, tuple[Score, ...]]:
        """What machines say of some samples, for exports; nothing where it may not be seen."""
        return self.scores.of(keys)

    @cached_property
    def replies(self) -> ReplyStore:
        """What language models replied."""
        from tui_annotate.storage.replies import ReplyStore

        return ReplyStore(self.database)

    @cached_property
    def positions(self) -> Positions:
        """Position studies: what the questions of a dataset tell by where their answers stand."""
        from tui_annotate.services.position.stored import Positions
        from tui_annotate.storage.questions import QuestionStore

        return Positions(QuestionStore(self.database, actor=self.actor))
