"""What machines say of samples, and what makes them say it; each service at its first need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.people import Actor
from tui_annotate.settings import Settings
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.work.store import AnnotationStore

if TYPE_CHECKING:
    from tui_annotate.domain.samples import SampleKey
    from tui_annotate.domain.scores import Score
    from tui_annotate.plugins.protocols import Embedder
    from tui_annotate.services.compare import Compare
    from tui_annotate.services.judge import Judging
    from tui_annotate.services.position.stored import Positions
    from tui_annotate.services.probe import TrainProbe
    from tui_annotate.services.propose import Propose
    from tui_annotate.services.rank import Rank
    from tui_annotate.services.score import Score as Scoring
    from tui_annotate.services.suggest import Suggesting
    from tui_annotate.storage.hiding import Hiding
    from tui_annotate.storage.replies import ReplyStore
    from tui_annotate.storage.scores.store import ScoreStore
    from tui_annotate.storage.suggestions import SuggestionStore


@dataclass(frozen=True)
class Machines:
    """The services on the stores of one workspace that machines have a say in.

    Attributes:
        path: the workspace's folder.
        actor: who acts, as in `Workspace`.
        labels: the label set in force in a dataset; a changed `labels.yaml` is taken up first.
    """

    path: Path
    settings: Settings
    database: Database
    corpus: CorpusStore
    log: AnnotationStore
    people: PeopleStore
    actor: Actor
    labels: Callable[[str], LabelTree]

    @cached_property
    def scores(self) -> ScoreStore:
        """Runs and their scores."""
        from tui_annotate.storage.scores.store import ScoreStore

        return ScoreStore(self.database, actor=self.actor)

    def opinions(self, keys: Sequence[SampleKey]) -> dict[SampleKey, tuple[Score, ...]]:
        """What machines say of some samples, for exports; nothing where it may not be seen."""
        return self.scores.of(keys, hidden=True)

    @cached_property
    def suggestions(self) -> SuggestionStore:
        """What machines suggest."""
        from tui_annotate.storage.suggestions import SuggestionStore

        return SuggestionStore(self.database, actor=self.actor)

    @cached_property
    def suggesting(self) -> Suggesting:
        """Suggestions in and out, and how they fare."""
        from tui_annotate.services.suggest import Suggesting

        return Suggesting(self.corpus, self.suggestions, self.scores, self.labels)

    @cached_property
    def hiding(self) -> Hiding:
        """In which datasets people work without what machines say."""
        from tui_annotate.storage.hiding import Hiding

        return Hiding(self.database, actor=self.actor)

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

    @cached_property
    def scoring(self) -> Scoring:
        """Scores of answers and of sentences: computed, or made elsewhere."""
        from tui_annotate.services.score import Score as Scoring
        from tui_annotate.storage.corpus.segments import SegmentStore

        return Scoring(self.corpus, SegmentStore(self.database), self.scores, self.actor)

    @cached_property
    def ranking(self) -> Rank:
        """Answers right or wrong, by their scores."""
        from tui_annotate.services.rank import Rank

        return Rank(self.corpus, self.scores, self.actor)

    def embedder(self, asked: str = "", *, base_url: str = "") -> Embedder:
        """The embedder that is named, else the one whose vectors are in use.

        Raises:
            Unavailable: none is named or in use, or it can not be had.
            InvalidInput: there is none of the name.
        """
        from tui_annotate.plugins import registry

        used = self.corpus.vector_set()
        if asked not in {"", "auto"}:
            return registry.load_embedder(asked, base_url=base_url or self.settings.base_url)
        if used is None:
            raise Unavailable(
                "this workspace has no vectors, so that it has no embedder either",
                "name one: --embedder static, or --embedder neural",
            )
        url = base_url or used.base_url
        return registry.load_embedder(used.embedder, base_url=url, dimensions=used.asked_dimensions)

    @cached_property
    def judging(self) -> Judging:
        """Judges that sort contexts, answer questions, and score answers."""
        from tui_annotate.services.judge import Judging

        return Judging(self.corpus, self.scores, self.replies)

    @cached_property
    def comparing(self) -> Compare:
        """How well scores and detectors tell what people say."""
        from tui_annotate.services.compare import Compare
        from tui_annotate.services.export import Export

        names = Export(self.corpus, self.people, self.log)
        return Compare(self.corpus, self.scores, self.people, names.checked, self.actor)

    @cached_property
    def probing(self) -> TrainProbe:
        """Probes of local models, by the labels of answers."""
        from tui_annotate.services.probe import TrainProbe

        return TrainProbe(self.corpus, self.scores, self.actor)

    @cached_property
    def proposing(self) -> Propose:
        """What models propose to annotators."""
        from tui_annotate.services.propose import Propose

        return Propose(self.corpus, self.suggestions, self.scores, self.labels, self.actor)
