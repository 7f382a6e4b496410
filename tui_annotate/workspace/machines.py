"""Services for scores, suggestions and research tools; each is loaded at its first use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.people import Actor
from tui_annotate.settings import Settings
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.log.store import AnnotationStore
from tui_annotate.storage.people.store import PeopleStore

if TYPE_CHECKING:
    from tui_annotate.domain.samples import SampleKey
    from tui_annotate.domain.scores import Score
    from tui_annotate.plugins.protocols import Embedder
    from tui_annotate.services.suggestions import SuggestionService
    from tui_annotate.storage.blind_datasets import BlindDatasets
    from tui_annotate.storage.reply_file import ReplyStore
    from tui_annotate.storage.scores.store import ScoreStore
    from tui_annotate.storage.suggestions import SuggestionStore


class PluginService:
    """A service of the registry as an attribute of `MachineServices`; typed `Any`."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, machines: MachineServices | None, owner: type) -> Any:
        return self if machines is None else machines.service(self._name)


@dataclass(frozen=True)
class MachineServices:
    """The services on the stores of one workspace that machines have a say in.

    Attributes:
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
    _services: dict[str, Any] = field(default_factory=dict, init=False)

    @cached_property
    def scores(self) -> ScoreStore:
        """Runs and their scores."""
        from tui_annotate.storage.scores.store import ScoreStore

        return ScoreStore(self.database, actor=self.actor)

    def service(self, name: str) -> Any:
        """The service of a plug-in of the group `services`, made at its first use.

        Raises:
            InvalidInput: no plug-in of this group has the name, or it is disabled.
            Unavailable: it, or something it needs, is missing or broken.
        """
        if name not in self._services:
            from tui_annotate.plugins import registry

            make = registry.load_hook("services", name)
            with registry.guard_plugin("services", name):
                self._services[name] = make(self)
        return self._services[name]

    def opinions(self, keys: Sequence[SampleKey]) -> dict[SampleKey, tuple[Score, ...]]:
        """What machines say of some samples, for exports; nothing where it may not be seen."""
        return self.scores.of(keys, hidden=True)

    @cached_property
    def suggestions(self) -> SuggestionStore:
        """What machines suggest."""
        from tui_annotate.storage.suggestions import SuggestionStore

        return SuggestionStore(self.database, actor=self.actor)

    @cached_property
    def suggestion_service(self) -> SuggestionService:
        """Suggestions in and out, and how they fare."""
        from tui_annotate.services.suggestions import SuggestionService

        return SuggestionService(self.corpus, self.suggestions, self.scores, self.labels)

    @cached_property
    def blind_datasets(self) -> BlindDatasets:
        """In which datasets people work without what machines say."""
        from tui_annotate.storage.blind_datasets import BlindDatasets

        return BlindDatasets(self.database, actor=self.actor)

    @cached_property
    def replies(self) -> ReplyStore:
        """What language models replied."""
        from tui_annotate.storage.reply_file import ReplyStore

        return ReplyStore(self.database)

    positions = PluginService()
    """Position studies: results of a dataset's questions by the position of their answers."""

    scoring = PluginService()
    """Scores of answers and of sentences: computed, or made elsewhere."""

    ranking = PluginService()
    """Answers right or wrong, by their scores."""

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

    judging = PluginService()
    """Judges that sort contexts, answer questions, and score answers."""

    comparing = PluginService()
    """How well scores and detectors predict people's labels."""

    probing = PluginService()
    """Probes of local models, by the labels of answers."""

    proposing = PluginService()
    """What models propose to annotators."""
