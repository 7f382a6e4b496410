"""What vectors would cost, told before anybody is asked for them; a guess, and said to be one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Segment
from tui_annotate.methods.segmentation import SEGMENTER
from tui_annotate.plugins.admission import Seen
from tui_annotate.plugins.protocols import Cost, Costly
from tui_annotate.services.ingest.filling import SLOW_ROWS
from tui_annotate.services.ingest.sentences import Sentences

if TYPE_CHECKING:
    from tui_annotate.storage.corpus.store import CorpusStore

Segmented = tuple[str, Sequence[Segment]]
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
    corpus: CorpusStore, records: Iterable[Record], sentences: Sentences
) -> Iterator[Segmented]:
    """The documents of records that are not stored yet, once each."""
    with closing(Seen()) as seen:
        for number, record in enumerate(records):
            documents = {document.sha256: document for document in record.sample.documents}
            stored = corpus.known_documents([*documents], SEGMENTER)
            new = [
                document
                for name, document in documents.items()
                if name not in stored and seen.first(name, str(number)) == str(number)
            ]
            ticket = sentences.submit([(document.text, document.language) for document in new])
            yield from zip(
                (document.text for document in new), sentences.result(ticket), strict=True
            )
