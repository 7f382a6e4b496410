"""The sets of vectors of a workspace: made anew, exchanged, listed, dropped; annotations stay."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, count
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.errors import Conflict, NotFound, Unavailable
from tui_annotate.domain.vector_sets import VectorSet
from tui_annotate.methods.segmentation import SEGMENTER
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import Cost, Costly, Embedder
from tui_annotate.services.ingest.asked import AUTO, NONE, Asked, Load, meant, set_of
from tui_annotate.services.ingest.costs import price
from tui_annotate.services.ingest.filling import Filling, Told

if TYPE_CHECKING:
    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.vectors.store import VectorStore

THERE: Final = "its vectors were there already"
WORDS: Final = "words alone"


@dataclass(frozen=True, slots=True)
class SetInfo:
    """A set of vectors and how it stands.

    Attributes:
        documents: that have vectors in it.
        by_words: those of them that words rank alone, as the model knows too little of them.
        waiting: those that lack them.
        bytes: on the disk.
    """

    vectors: VectorSet
    in_use: bool
    documents: int
    by_words: int
    waiting: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild did.

    Attributes:
        name: the embedder in use now; `none` for words alone.
        embedded: documents that got vectors.
        notes: for people, a line each.
    """

    name: str
    embedded: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sets:
    """Works on the sets of a workspace.

    Attributes:
        stores: opens the vector store.
        load: makes an embedder.
    """

    corpus: CorpusStore
    stores: Callable[[], VectorStore]
    load: Load

    def infos(self) -> tuple[SetInfo, ...]:
        """All sets, the oldest first; words alone count as one where they are in use."""
        used = self.corpus.vector_set()
        kept = self.corpus.vector_sets()
        if self._words_alone(used):
            used = VectorSet(
                embedder=NONE, label=WORDS, version="", segmenter="", table="", dimensions=0
            )
            kept = (*kept, used)
        store = self.stores()
        return tuple(
            SetInfo(
                each,
                each == used,
                *self.corpus.embedded(each.table),
                self.corpus.waiting(each.table)[0],
                store.bytes(each.table) if each.table else 0,
            )
            for each in kept
        )

    def rebuild(self, asked: Asked, told: Told) -> Rebuilt:
        """Makes vectors beside those in use, and takes them into use once all are there.

        Without a name those in use are made anew. Those of an embedder that is named are made as
        far as they are not there already. A rebuild that was killed is gone on with.

        Raises:
            InvalidInput, Unavailable: the embedder can not be had, or it or the disk failed on
                the way.
        """
        used = self.corpus.vector_set()
        if asked.name == NONE or (asked.name == AUTO and self._words_alone(used)):
            return self._stopped(used)
        if ready := self._ready(asked, used):
            self.corpus.use_vector_set(ready.table)
            return Rebuilt(ready.embedder, 0, (THERE,))
        anew = used if asked.name == AUTO else None
        name, embedder = self._embedder(used.embedder if anew and used else asked.name, asked, used)
        target = self._target(embedder, Asked(name, *self._how(name, asked, used)), anew)
        keep = self.corpus.keep_vector_set
        filling = Filling(self.corpus, self.stores(), embedder, target, told, keep)
        filling.all()
        keep(filling.target)  # also where nothing lacked vectors
        self.corpus.use_vector_set(target.table)
        self._drop_older(target)
        self._sweep()
        notes = filling.doubts if filling.documents else (THERE,)
        return Rebuilt(name, filling.documents, notes)

    def price(self, asked: Asked) -> Cost | None:
        """What `rebuild` would cost; None where it costs nothing. Nothing is made."""
        used = self.corpus.vector_set()
        anew = used if asked.name == AUTO else None
        name = anew.embedder if anew else asked.name
        if name in {AUTO, NONE} or not registry.has_cost(name):
            return None
        _, embedder = self._embedder(name, asked, used)
        there = self._there(embedder, anew)
        bare = self.corpus.bare(there[-1].table if there else "")
        documents = ((text, segments) for _, text, segments in bare)
        return price(embedder, documents) if isinstance(embedder, Costly) else None

    def drop(self, name: str) -> tuple[int, int]:
        """Removes all sets of an embedder that are not in use.

        Returns:
            How many, and the bytes that they took.

        Raises:
            NotFound: there is none.
            Conflict: it is in use.
        """
        used = self.corpus.vector_set()
        names = {name, registry.settled(name)}
        named = [each for each in self.corpus.vector_sets() if names & {each.embedder, each.table}]
        idle = [each for each in named if each != used]
        command = self.stores().command
        if not named:
            raise NotFound(f"there are no vectors of {name!r}", f"see: {command('index list')}")
        if not idle:
            raise Conflict(
                f"the vectors of {name!r} are in use", f"first: {command()} --embedder none"
            )
        size = sum(self._remove(each.table) for each in idle)
        self._sweep()
        return len(idle), size

    def _words_alone(self, used: VectorSet | None) -> bool:
        """Whether the workspace has decided against vectors."""
        return used is None and self.corpus.vectors_decided()

    def _stopped(self, used: VectorSet | None) -> Rebuilt:
        self.corpus.use_vector_set("")
        if used is None:
            return Rebuilt(NONE, 0)
        name = shlex.quote(used.embedder)
        command = self.stores().command
        again, drop = f"{command()} --embedder {name}", f"{command('index drop')} {name}"
        stay = f"the vectors of {used.embedder!r} stay: {again} takes them up again"
        return Rebuilt(NONE, 0, (f"{stay}; {drop} removes them",))

    def _ready(self, asked: Asked, used: VectorSet | None) -> VectorSet | None:
        """A set that only has to be taken into use, so that nothing is loaded.

        Not one of an instant embedder, which must be there for every selection.
        """
        names = {asked.name, registry.settled(asked.name)}
        for each in reversed(self.corpus.vector_sets()):
            alike = each.embedder in names and each != used and each.segmenter == SEGMENTER
            same = asked.how(each.embedder, each) == (each.base_url, each.asked_dimensions)
            if alike and same and not each.instant and not self.corpus.unembedded(each.table, 1):
                return each if self._whole(each) else None
        return None

    def _embedder(self, name: str, asked: Asked, used: VectorSet | None) -> tuple[str, Embedder]:
        """The first that can be had of those that are meant, with its name."""
        missing: list[Unavailable] = []
        for each in meant(name):
            base_url, dimensions = self._how(each, asked, used)
            try:
                return each, self.load(each, base_url=base_url, dimensions=dimensions)
            except Unavailable as error:
                missing.append(error)
        raise missing[0]

    def _how(self, name: str, asked: Asked, used: VectorSet | None) -> tuple[str, int]:
        """Endpoint and dimensions: as asked for, else as the last time."""
        known = [each for each in self.corpus.vector_sets() if each.embedder == name]
        return asked.how(name, used if used in known else (known[-1] if known else None))

    def _target(self, embedder: Embedder, asked: Asked, anew: VectorSet | None) -> VectorSet:
        """The set that is filled: one that is there, else a new one, remembered when it has any.

        Args:
            anew: the set in whose place another is made; of those there, later ones alone count,
                as such was begun for this.
        """
        from tui_annotate.storage.vectors.store import table_name

        there = self._there(embedder, anew)
        if there:
            table = there[-1].table
            if not self._whole(there[-1]):
                self.corpus.forget_embedded(table)
                self.stores().drop(table)
        else:
            name = table_name(embedder.name, embedder.version, SEGMENTER)
            taken = {each.table for each in self.corpus.vector_sets()}
            numbered = (f"{name}-{number}" for number in count(2))
            table = next(each for each in chain((name,), numbered) if each not in taken)
            self._remove(table)  # what was left of it
        return set_of(embedder, asked, table=table, known=there[-1] if there else None)

    def _there(self, embedder: Embedder, anew: VectorSet | None) -> list[VectorSet]:
        """Sets that only need to be completed, the oldest first; see `_target`."""
        there = self._alike(embedder)
        return there[there.index(anew) + 1 :] if anew in there else there

    def _whole(self, looked_at: VectorSet) -> bool:
        """Whether what a set is said to have is on the disk."""
        table = looked_at.table
        known, _ = self.corpus.embedded(table)
        if not known:
            return True
        try:
            documents, _ = self.stores().size(table)
            if looked_at.token_dimensions:
                documents = min(documents, self.stores().token_documents(table))
        except Unavailable:
            return False
        return documents >= known

    def _alike(self, embedder: Embedder) -> list[VectorSet]:
        """The sets of an embedder of this version, over segments of this version."""
        from tui_annotate.storage.vectors.store import is_of

        whose = {"embedder": embedder.name, "version": embedder.version, "segmenter": SEGMENTER}
        return [each for each in self.corpus.vector_sets() if is_of(each.table, **whose)]

    def _drop_older(self, target: VectorSet) -> None:
        """Removes the other sets of the same embedder, of this version or not."""
        for each in self.corpus.vector_sets():
            if each.embedder == target.embedder and each.table != target.table:
                self._remove(each.table)

    def _remove(self, table: str) -> int:
        """Forgets a set, then removes its tables; the bytes that they took."""
        size = self.stores().bytes(table)
        self.corpus.drop_vector_set(table)
        self.stores().drop(table)
        return size

    def _sweep(self) -> None:
        """What killed processes left: tables of no set, and sets without table or documents."""
        store, used = self.stores(), self.corpus.vector_set()
        with store.writing():
            there, known = store.tables(), self.corpus.vector_sets()
            for each in known:
                if (
                    each.table not in there
                    and each != used
                    and not self.corpus.embedded(each.table)[0]
                ):
                    self.corpus.drop_vector_set(each.table)
            for table in set(there) - {each.table for each in known}:
                store.drop(table)
