"""Vectors of what an ingest brings: the set in use is filled; a workspace's first one is chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tui_annotate.domain.errors import Conflict, InvalidInput, Unavailable
from tui_annotate.domain.nouns import many
from tui_annotate.domain.vector_sets import VectorSet
from tui_annotate.methods.segmentation import SEGMENTER
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import Costly, Embedder
from tui_annotate.services.ingest.asked import AUTO, NONE, Asked, Load, meant, set_of
from tui_annotate.services.ingest.filling import Filling, Told, tidy, worth_a_write
from tui_annotate.services.ingest.ready_made import take

if TYPE_CHECKING:
    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.vectors.store import VectorStore


class _Outrun(Exception):
    """Another process chose the embedder of a workspace that had none."""


class Vectors:
    """Brings a workspace's vectors up to its documents.

    Args:
        stores: opens the vector store; called at the first need, as it loads LanceDB.
        load: makes an embedder.

    Raises:
        Conflict: the workspace has another embedder.
        InvalidInput, Unavailable: the embedder that is asked for by name can not be had.

    Attributes:
        name: the embedder in use, as it was asked for; `auto` until one is needed.
        embedded: documents that got vectors.
        notes: why vectors are missing, for people.
    """

    def __init__(
        self,
        corpus: CorpusStore,
        *,
        stores: Callable[[], VectorStore],
        load: Load,
        asked: Asked,
    ) -> None:
        self._corpus = corpus
        self._stores = stores
        self._load = load
        self._asked = asked
        self._kept = corpus.vector_set()
        self._embedder: Embedder | None = None
        self._filling: Filling | None = None
        self.name = self._agreed()
        self._new = not corpus.vectors_decided()
        self._taken = 0
        self.embedded = 0
        self.notes: list[str] = []
        if self._new and self.name not in {AUTO, NONE}:
            self._embedder = self._made(self.name)

    def _agreed(self) -> str:
        """The name of the workspace's embedder, which nobody changes in passing."""
        asked = self._asked
        if not self._corpus.vectors_decided():
            return asked.first if asked.name == AUTO else asked.name
        name = self._kept.embedder if self._kept else NONE
        if asked.name not in {AUTO, name}:
            raise Conflict(
                f"the workspace's embedder is {name!r}, not {asked.name!r}",
                f"to change it: {self._change(asked.name)}",
            )
        return name

    def _change(self, name: str) -> str:
        """The command that takes another embedder into use."""
        return f"{self._stores().command()} {self._asked.options(name)}"

    @property
    def better(self) -> str:
        """How better vectors are had, in one line; empty where nobody would want to hear it."""
        if not self._open or not (self.embedded or self._new):
            return ""
        return registry.better_embedder(self.name)

    @property
    def _open(self) -> bool:
        """Whether nobody named an embedder, so that another one does as well."""
        return self._asked.name == self._asked.first == AUTO

    def due(self, segments: int) -> bool:
        """Whether that many new segments are worth a write."""
        return worth_a_write(segments) and not self._takes_prepared()

    @property
    def table(self) -> str:
        """Of the set in use; empty before there is one."""
        return self._kept.table if self._kept else ""

    def costly(self) -> Costly | None:
        """What tells the price of the vectors that are missing; None where they cost nothing.

        Raises:
            InvalidInput, Unavailable: the embedder can not be had.
        """
        if self.name in {AUTO, NONE} or not registry.has_cost(self.name):
            return None
        embedder = self._embedder or self._made(self.name)
        return embedder if isinstance(embedder, Costly) else None

    def catch_up(self, told: Told, *, documents: int = 0) -> None:
        """Embeds what has no vectors.

        Args:
            told: see `Told`.
            documents: how many at most; 0 for all, then the tables are put in order as well.

        Raises:
            Unavailable: the embedder that a new workspace was to have gave nothing.
        """
        try:
            self._fill(told, documents)
        except _Outrun:
            self._follow()
            self._fill(told, documents)
        except Unavailable as error:  # the texts are safe, and SQL knows what is missing
            if self._kept is None and not self._open:
                raise self._never_answered(error) from error
            self._note(f"vectors are missing: {error.message}; the next ingest goes on with them")
        finally:
            self.embedded = self._taken + (self._filling.documents if self._filling else 0)

    def _fill(self, told: Told, documents: int) -> None:
        if not documents:
            self._take_prepared()
        filling = self._ready(told)
        if filling is None:
            return
        filling.told = told
        if documents:
            filling.some(documents)
            return
        filling.all()
        for doubt in filling.doubts:
            self._note(doubt)

    def _follow(self) -> None:
        """Goes on with what another process chose, and says so."""
        mine, self._kept = self.name, self._corpus.vector_set()
        self._embedder = self._filling = None
        self.name = self._kept.embedder if self._kept else NONE
        self._note(
            f"another ingest chose {self.name!r} for this workspace meanwhile, so these vectors are"
            f" not those of {mine!r}; to change it: {self._change(mine)}"
        )

    def _never_answered(self, error: Unavailable) -> Unavailable:
        """Of a new workspace's first embedder, which is not remembered."""
        kind, _, model = self.name.partition(":")
        name = f"{kind}:MODEL" if model and registry.has_cost(self.name) else self.name
        return Unavailable(
            f"no vectors, and {self.name!r} is not remembered: {error.message}",
            f"{error.hint}; the texts are stored, so then: {self._change(name)}",
        )

    def _takes_prepared(self) -> bool:
        """Whether a file goes before all embedders; in a new workspace for `auto` alone."""
        new = self._kept is None and self.name == AUTO
        return self._asked.prepared is not None and (new or self._kept is not None)

    def _take_prepared(self) -> None:
        if self._asked.prepared is None or not self._takes_prepared() or self._filling:
            return
        try:
            taken = take(self._corpus, self._stores(), self._asked.prepared, kept=self._kept)
        except InvalidInput as error:
            self._note(f"prepared vectors are left aside: {error.message}")
        else:
            if taken is not None:
                self._kept, self._taken = taken
                self.name = self._kept.embedder

    def _ready(self, told: Told) -> Filling | None:
        """What fills the set in use; None, and a note, where there is nothing to do it with."""
        if self._filling is None and self._needed():
            embedder = self._embedder or self._had()
            if embedder is not None:
                self._filling = self._begun(embedder, told)
        return self._filling

    def _needed(self) -> bool:
        if self.name == NONE:
            self._decide_for_words()
            return False
        kept = self._kept
        if self._corpus.unembedded(self.table, 1):
            return True
        if kept and self._corpus.is_loose(kept.table):  # a killed run came as far as that
            tidy(self._corpus, self._stores(), kept.table)
        return False

    def _had(self) -> Embedder | None:
        """The first embedder that can be had, of those that are meant; the others are told."""
        for name in meant(self.name):
            try:
                embedder = self._made(name)
            except Unavailable as error:
                self._note(self._missing(name, error))
            else:
                self.name = name
                return embedder
        if self._kept is None:
            self.name = NONE
            self._decide_for_words()
        return None

    def _missing(self, name: str, error: Unavailable) -> str:
        if self._kept is None:
            return f"no {name} vectors: {error.message}" + (error.hint and f" ({error.hint})")
        waiting, _ = self._corpus.waiting(self._kept.table)
        return (
            f"{many(waiting, 'document has', 'documents have')} no vectors, words find there: "
            f"{error.message}; the next ingest that can makes them ({error.hint})"
        )

    def _made(self, name: str) -> Embedder:
        """An embedder, asked for as it was the first time where nothing else is said now."""
        base_url, dimensions = self._asked.how(name, self._kept)
        return self._load(name, base_url=base_url, dimensions=dimensions)

    def _begun(self, embedder: Embedder, told: Told) -> Filling | None:
        from tui_annotate.storage.vectors.store import is_of, table_name

        kept, version = self._kept, embedder.version
        name = table_name(embedder.name, version, SEGMENTER)
        if kept and not is_of(
            kept.table, embedder=embedder.name, version=version, segmenter=SEGMENTER
        ):
            self._note(
                "new documents have no vectors yet, as embedder or segmenter are of another "
                f"version: {self._stores().command()}"
            )
            return None
        whose = kept.embedder if kept else self.name
        asked = Asked(whose, *self._asked.how(whose, kept))
        target = set_of(embedder, asked, table=kept.table if kept else name, known=kept)
        if kept is None:
            self._forget_left(name)
        elif target != kept:
            self._corpus.keep_vector_set(target)
            self._kept = target
        return Filling(self._corpus, self._stores(), embedder, target, told, self._take_up)

    def _take_up(self, target: VectorSet) -> None:
        """Remembers the set; a workspace's first one is taken into use with its first vectors.

        Raises:
            _Outrun: another process chose for this workspace meanwhile.
        """
        self._corpus.keep_vector_set(target)
        if self._kept is None and not self._corpus.decide_vectors(target.table):
            self._corpus.drop_vector_set(target.table)
            raise _Outrun
        self._kept = target

    def _forget_left(self, table: str) -> None:
        """What a set of this name had, where it was dropped while another process filled it."""
        if all(each.table != table for each in self._corpus.vector_sets()):
            self._corpus.forget_embedded(table)

    def _decide_for_words(self) -> None:
        if not self._corpus.decide_vectors(""):
            raise _Outrun

    def _note(self, note: str) -> None:
        self.notes = [*dict.fromkeys([*self.notes, note])]
