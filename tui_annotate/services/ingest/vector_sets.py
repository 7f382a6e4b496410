"""The sets of vectors of a workspace: rebuild, exchange, list and drop them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain, count
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.errors import Conflict, NotFound, Unavailable
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Segment
from tui_annotate.domain.vector_sets import VectorSet
from tui_annotate.methods.segmentation import SEGMENTER
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import Cost, Costly, Embedder
from tui_annotate.plugins.record_validation import NameRegister
from tui_annotate.services.ingest.embed_job import SLOW_ROWS, EmbedJob, Told
from tui_annotate.services.ingest.options import (
    AUTO,
    NONE,
    EmbedderLoader,
    VectorOptions,
    candidate_names,
    set_of,
)
from tui_annotate.services.ingest.run import IngestReport
from tui_annotate.services.ingest.sentences import SegmentationPool

if TYPE_CHECKING:
    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.vectors.store import VectorStore


Segmented = tuple[str, Sequence[Segment]]
_ALREADY_THERE: Final = "its vectors were there already"
_WORDS_ALONE: Final = "words alone"


@dataclass(frozen=True, slots=True)
class SetInfo:
    """A set of vectors; `by_words` are documents that words alone rank, `waiting` lack vectors."""

    vectors: VectorSet
    in_use: bool
    documents: int
    by_words: int
    waiting: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Sets:
    """Works on the sets of a workspace. `stores`: opens the vector store."""

    corpus: CorpusStore
    stores: Callable[[], VectorStore]
    load: EmbedderLoader

    def infos(self) -> tuple[SetInfo, ...]:
        """All sets, the oldest first; words alone count as one where they are in use."""
        used = self.corpus.vector_set()
        kept = self.corpus.vector_sets()
        if self._without_vectors(used):
            used = VectorSet(
                embedder=NONE, label=_WORDS_ALONE, version="", segmenter="", table="", dimensions=0
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

    def rebuild(self, asked: VectorOptions, told: Told) -> IngestReport:
        """Create other vectors, and use them once all exist; continues a killed rebuild.

        Without a name those in use are created anew.

        Raises:
            InvalidInput, Unavailable: the embedder can not be had, or it or the disk failed.
        """
        used = self.corpus.vector_set()
        if asked.name == NONE or (asked.name == AUTO and self._without_vectors(used)):
            return self._stop_using(used)
        if ready := self._find_complete_set(asked, used):
            self.corpus.use_vector_set(ready.table)
            return IngestReport(embedder=ready.embedder, notes=[_ALREADY_THERE])
        anew = used if asked.name == AUTO else None
        name, embedder = self._load_embedder(
            used.embedder if anew and used else asked.name, asked, used
        )
        target = self._target_set(
            embedder, VectorOptions(name, *self._endpoint(name, asked, used)), anew
        )
        keep = self.corpus.keep_vector_set
        filling = EmbedJob(self.corpus, self.stores(), embedder, target, told, keep)
        filling.all()
        keep(filling.target)  # also where nothing lacked vectors
        self.corpus.use_vector_set(target.table)
        for each in self.corpus.vector_sets():
            if each.embedder == target.embedder and each.table != target.table:
                self._remove_set(each.table)
        self._remove_leftovers()
        notes = filling.doubts if filling.documents else (_ALREADY_THERE,)
        return IngestReport(embedded=filling.documents, embedder=name, notes=[*notes])

    def price(self, asked: VectorOptions) -> Cost | None:
        """What `rebuild` would cost; None where it costs nothing. Nothing is made."""
        used = self.corpus.vector_set()
        anew = used if asked.name == AUTO else None
        name = anew.embedder if anew else asked.name
        if name in {AUTO, NONE} or not registry.has_cost(name):
            return None
        _, embedder = self._load_embedder(name, asked, used)
        there = self._completable_sets(embedder, anew)
        bare = self.corpus.bare(there[-1].table if there else "")
        documents = ((text, segments) for _, text, segments in bare)
        return price(embedder, documents) if isinstance(embedder, Costly) else None

    def drop(self, name: str) -> tuple[int, int]:
        """Remove all unused sets of an embedder; return how many, and their bytes.

        Raises:
            NotFound: there is none.
            Conflict: it is in use.
        """
        used = self.corpus.vector_set()
        names = {name, registry.resolve_embedder_name(name)}
        named = [each for each in self.corpus.vector_sets() if names & {each.embedder, each.table}]
        idle = [each for each in named if each != used]
        command = self.stores().command
        if not named:
            raise NotFound(f"there are no vectors of {name!r}", f"see: {command('index list')}")
        if not idle:
            raise Conflict(
                f"the vectors of {name!r} are in use", f"first: {command()} --embedder none"
            )
        size = sum(self._remove_set(each.table) for each in idle)
        self._remove_leftovers()
        return len(idle), size

    def _without_vectors(self, used: VectorSet | None) -> bool:
        return used is None and self.corpus.vectors_decided()

    def _stop_using(self, used: VectorSet | None) -> IngestReport:
        self.corpus.use_vector_set("")
        if used is None:
            return IngestReport(embedder=NONE)
        name = shlex.quote(used.embedder)
        command = self.stores().command
        again, drop = f"{command()} --embedder {name}", f"{command('index drop')} {name}"
        stay = f"the vectors of {used.embedder!r} stay: {again} takes them up again"
        return IngestReport(embedder=NONE, notes=[f"{stay}; {drop} removes them"])

    def _find_complete_set(self, asked: VectorOptions, used: VectorSet | None) -> VectorSet | None:
        """A set that only has to be taken into use, so that nothing is loaded.

        Not one of an instant embedder, which must be there for every selection.
        """
        names = {asked.name, registry.resolve_embedder_name(asked.name)}
        for each in reversed(self.corpus.vector_sets()):
            alike = each.embedder in names and each != used and each.segmenter == SEGMENTER
            same = asked.how(each.embedder, each) == (each.base_url, each.asked_dimensions)
            if alike and same and not each.instant and not self.corpus.unembedded(each.table, 1):
                return each if self._is_complete(each) else None
        return None

    def _load_embedder(
        self, name: str, asked: VectorOptions, used: VectorSet | None
    ) -> tuple[str, Embedder]:
        missing: list[Unavailable] = []
        for each in candidate_names(name):
            base_url, dimensions = self._endpoint(each, asked, used)
            try:
                return each, self.load(each, base_url=base_url, dimensions=dimensions)
            except Unavailable as error:
                missing.append(error)
        raise missing[0]

    def _endpoint(self, name: str, asked: VectorOptions, used: VectorSet | None) -> tuple[str, int]:
        known = [each for each in self.corpus.vector_sets() if each.embedder == name]
        return asked.how(name, used if used in known else (known[-1] if known else None))

    def _target_set(
        self, embedder: Embedder, asked: VectorOptions, anew: VectorSet | None
    ) -> VectorSet:
        """Return an existing set to fill, else a new one; with `anew`, one begun after it."""
        from tui_annotate.storage.vectors.store import table_name

        there = self._completable_sets(embedder, anew)
        if there:
            table = there[-1].table
            if not self._is_complete(there[-1]):
                self.corpus.forget_embedded(table)
                self.stores().drop(table)
        else:
            name = table_name(embedder.name, embedder.version, SEGMENTER)
            taken = {each.table for each in self.corpus.vector_sets()}
            numbered = (f"{name}-{number}" for number in count(2))
            table = next(each for each in chain((name,), numbered) if each not in taken)
            self._remove_set(table)  # what was left of it
        return set_of(embedder, asked, table=table, known=there[-1] if there else None)

    def _completable_sets(self, embedder: Embedder, anew: VectorSet | None) -> list[VectorSet]:
        there = self._sets_of_embedder(embedder)
        return there[there.index(anew) + 1 :] if anew in there else there

    def _is_complete(self, vector_set: VectorSet) -> bool:
        table = vector_set.table
        known, _ = self.corpus.embedded(table)
        if not known:
            return True
        try:
            documents, _ = self.stores().size(table)
            if vector_set.token_dimensions:
                documents = min(documents, self.stores().token_documents(table))
        except Unavailable:
            return False
        return documents >= known

    def _sets_of_embedder(self, embedder: Embedder) -> list[VectorSet]:
        from tui_annotate.storage.vectors.store import is_table_of

        whose = {"embedder": embedder.name, "version": embedder.version, "segmenter": SEGMENTER}
        return [each for each in self.corpus.vector_sets() if is_table_of(each.table, **whose)]

    def _remove_set(self, table: str) -> int:
        size = self.stores().bytes(table)
        self.corpus.drop_vector_set(table)
        self.stores().drop(table)
        return size

    def _remove_leftovers(self) -> None:
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


"""A text and its segments."""


def price(costly: Costly, documents: Iterable[Segmented]) -> Cost:
    """What the vectors of all segments cost, asked for as many at a time as an ingest does."""
    total, texts = Cost(), list[str]()
    for text, segments in documents:
        texts += [text[start:end] for start, end in segments]
        if len(texts) >= SLOW_ROWS:
            total += costly.cost(texts)
            texts = []
    return total + costly.cost(texts)


def fresh(
    corpus: CorpusStore, records: Iterable[Record], sentences: SegmentationPool
) -> Iterator[Segmented]:
    """The documents of records that are not stored yet, once each."""
    with closing(NameRegister()) as seen:
        for number, record in enumerate(records):
            documents = {document.sha256: document for document in record.sample.documents}
            stored = corpus.known_documents([*documents], SEGMENTER)
            new = [
                document
                for name, document in documents.items()
                if name not in stored and seen.first(name, str(number)) == str(number)
            ]
            tasks = sentences.submit([(document.text, document.language) for document in new])
            yield from zip(
                (document.text for document in new), sentences.result(tasks), strict=True
            )
