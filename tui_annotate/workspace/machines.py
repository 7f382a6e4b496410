"""Services for scores, suggestions and research tools of a workspace, loaded at first use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.keyword_names import check_keywords
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.people import Actor
from tui_annotate.settings import Settings
from tui_annotate.settings.workspaces import check_stored_embedder
from tui_annotate.storage.blind_datasets import BlindDatasets
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.suggestions import SuggestionStore

if TYPE_CHECKING:
    from tui_annotate.domain.samples import SampleKey
    from tui_annotate.domain.scores import Score
    from tui_annotate.plugins.protocols import Embedder
    from tui_annotate.services.assist.search import AssistService
    from tui_annotate.services.suggestions import SuggestionService
    from tui_annotate.storage.reply_file import ReplyStore
    from tui_annotate.storage.scores.store import ScoreStore


@check_keywords
@dataclass(frozen=True)
class MachineServices:
    """The services of a workspace for scores and suggestions, and those of plug-ins.

    Each plug-in of the registry's group `services` is an attribute with the name of the plug-in.
    `tui_annotate.research` has the types of those of the research tools.
    """

    path: Path
    settings: Settings
    database: Database
    corpus: CorpusStore
    log: AnnotationStore
    people: PeopleStore
    actor: Actor
    assist: Callable[[], AssistService]
    labels: Callable[[str], LabelTree]
    _services: dict[str, Any] = field(default_factory=dict, init=False)

    @cached_property
    def scores(self) -> ScoreStore:
        """The store of scores and their runs; annotators of blind datasets see none."""
        from tui_annotate.storage.scores.store import ScoreStore

        return ScoreStore(self.database, actor=self.actor)

    def __getattr__(self, name: str) -> Any:
        """Return the service of a plug-in; errors as for `service`."""
        from tui_annotate.plugins import registry

        # A disabled plug-in of ours is no unknown attribute: `service` raises InvalidInput.
        if name not in registry.plugin_names("services") and not registry.is_built_in(
            "services", name
        ):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self.service(name)

    def service(self, name: str) -> Any:
        """Return the service of a plug-in by the plug-in's name, created at the first use.

        Raises:
            InvalidInput: no plug-in of this group has the name, or the plug-in is disabled.
            Unavailable: the plug-in, or a package that the plug-in needs, is missing or broken.
        """
        if name not in self._services:
            from tui_annotate.plugins import registry

            make = registry.load_hook("services", name)
            with registry.guard_plugin("services", name):
                self._services[name] = make(self)
        return self._services[name]

    def opinions(self, keys: Sequence[SampleKey]) -> dict[SampleKey, tuple[Score, ...]]:
        """Return machine scores of samples for an export; none if hidden from the user."""
        return self.scores.of(keys, hidden=True)

    @cached_property
    def suggestions(self) -> SuggestionStore:
        """The store of machines' suggestions and of the answers to them."""
        return SuggestionStore(self.database, actor=self.actor)

    @cached_property
    def suggestion_service(self) -> SuggestionService:
        """The service that imports suggestions, deletes them and counts the answers."""
        from tui_annotate.services.suggestions import SuggestionService

        return SuggestionService(self.corpus, self.suggestions, self.scores, self.labels)

    @cached_property
    def blind_datasets(self) -> BlindDatasets:
        """The store of blind datasets, whose annotators see no machine scores or suggestions."""
        return BlindDatasets(self.database, actor=self.actor)

    @cached_property
    def replies(self) -> ReplyStore:
        """The store of chat models' replies, which saves repeated requests."""
        from tui_annotate.storage.reply_file import ReplyStore

        return ReplyStore(self.database)

    def embedder(
        self,
        asked: str = "",
        *,
        base_url: str = "",
        timeout: float | None = None,
        max_retries: int | None = None,
        is_named: bool = True,
    ) -> Embedder:
        """Return the embedder of texts with a given name, else that of the workspace's vectors.

        The vectors are for a computation, and are not stored.

        Args:
            is_named: whether the user named `base_url`; then it may receive texts.

        Raises:
            Unavailable: no embedder is named or in use, or the embedder cannot be loaded.
            InvalidInput: no embedder has the name.
            NotAllowed: the store of another user names a model outside the workspace.
        """
        from tui_annotate.plugins import registry

        name, url, dimensions = self._choose_embedder(asked, base_url)
        trust = self.settings.endpoints
        return registry.load_embedder(
            name,
            base_url=url,
            dimensions=dimensions,
            timeout=timeout,
            max_retries=max_retries,
            keeps_vectors=False,
            trust=trust.naming(base_url) if is_named else trust,
        )

    def embedder_url(self, asked: str = "") -> str:
        """Return the URL in the settings or the store to which an embedder would send texts.

        Empty if no texts would leave this machine.
        """
        from tui_annotate.plugins import registry

        try:
            name, url, _ = self._choose_embedder(asked, "")
        except Unavailable:
            return ""
        local = registry.is_built_in("embedders", name.partition(":")[0])
        return "" if local and not registry.has_cost(name) else url

    def _choose_embedder(self, asked: str, base_url: str) -> tuple[str, str, int]:
        """Return name, URL and number of dimensions of an embedder, as `embedder` describes."""
        used = self.corpus.vector_set()
        if asked not in {"", "auto"}:
            return asked, base_url or self.settings.base_url, 0
        if used is None:
            raise Unavailable(
                "this workspace has no vectors and therefore no embedder",
                "name an embedder: --embedder static, or --embedder neural",
            )
        check_stored_embedder(used.embedder, self.path)
        return used.embedder, base_url or used.base_url, used.asked_dimensions
