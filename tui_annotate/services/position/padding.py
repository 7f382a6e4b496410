"""Questions out of a workspace: the source of each sample among sources of other samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any, Final, NamedTuple

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import RecordFilter
from tui_annotate.domain.samples import Document, Sample, SampleKey, Side
from tui_annotate.methods.position_making import below, drawn, holds_answer
from tui_annotate.services.position.files import Placed
from tui_annotate.storage.corpus.store import CorpusStore

_KEPT: Final = 256
"""Samples that are held, for their texts."""
_GAP: Final = "\n\n"
"""Between the sources of a sample that has several."""


class _Source(NamedTuple):
    """A text that may distract: its hash, its sample, and which document of it."""

    sha256: str
    key: SampleKey
    place: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Padding:
    """How rows are made of samples.

    Attributes:
        documents: passages of a row, at least 2.
        seed: draws the distractors.
        dataset: of the samples; empty for all. Distractors are of the same.
        question: asked of samples that have no question of their own.
    """

    documents: int
    seed: int = 0
    dataset: str = ""
    question: str = ""


def padded(corpus: CorpusStore, wanted: Padding) -> Iterator[Placed]:
    """A row for each sample that has a source and an answer, with its own source marked as gold.

    The right answers are those of the sample's record (`answers`, `ground_truth`), else its
    summary. A distractor is another text, and holds none of them.

    Raises:
        InvalidRecord: a sample has no question, or there are too few distractors.
    """
    pool = _pool(corpus, wanted.dataset)

    @lru_cache(maxsize=_KEPT)
    def sample(key: SampleKey) -> Sample:
        return corpus.sample(key).sample

    def text(source: _Source) -> Document:
        return sample(source.key).document(Side.SOURCE, source.place)

    for record in corpus.records(RecordFilter(dataset=wanted.dataset)):
        row = _row(record.sample, wanted)
        if row is None:
            continue
        own = {document.sha256 for document in record.sample.side(Side.SOURCE)}
        needed = wanted.documents - 1
        order = drawn(wanted.seed, str(record.sample.key))
        for source in _others(pool, own, order):
            if needed == 0:
                break
            document = text(source)
            if holds_answer(document.text, row["answers"]):
                continue
            row["ctxs"].append(_passage(document, source))
            needed -= 1
        yield Placed(str(record.sample.key), row)


def _pool(corpus: CorpusStore, dataset: str) -> list[_Source]:
    """Each text once, in the samples' order."""
    found: dict[str, _Source] = {}
    for record in corpus.records(RecordFilter(dataset=dataset)):
        for index, document in enumerate(record.sample.side(Side.SOURCE)):
            found.setdefault(document.sha256, _Source(document.sha256, record.sample.key, index))
    return list(found.values())


def _others(pool: list[_Source], own: set[str], order: Random) -> Iterator[_Source]:
    """Texts that are not the sample's own, each once, in a drawn order."""
    seen: set[int] = set()
    while len(seen) < len(pool):
        place = below(len(pool), order)
        if place in seen:
            continue
        seen.add(place)
        if pool[place].sha256 not in own:
            yield pool[place]


def _passage(document: Document, source: _Source) -> dict[str, Any]:
    title = document.title or document.key or source.key.id
    return {
        "id": f"{source.key}#{source.place}",
        "title": title,
        "text": document.text,
        "hasanswer": False,
        "isgold": False,
    }


def _row(sample: Sample, wanted: Padding) -> dict[str, Any] | None:
    """The sample with its own source alone; None where it has none, or nothing to be right."""
    sources, right = sample.side(Side.SOURCE), _answers(sample)
    if not sources or not right:
        return None
    request = sample.request
    asked = request.question or request.problem or request.title or wanted.question
    if not asked.strip():
        raise InvalidInput(f"sample {sample.key} has no question", "give one with --question")
    gold = sample.meta.get("gold_position")
    if isinstance(gold, int) and 0 <= gold < len(sources):
        sources = (sources[gold],)
    title = sources[0].title or sources[0].key or sample.id
    text = _GAP.join(each.text for each in sources)
    passage = {"title": title, "text": text, "hasanswer": True, "isgold": True}
    return {"question": asked, "answers": list(right), "ctxs": [passage], "sample": str(sample.key)}


def _answers(sample: Sample) -> tuple[str, ...]:
    said = sample.meta.get("answers")
    if isinstance(said, list) and said and all(isinstance(each, str) for each in said):
        return tuple(said)
    truth = sample.meta.get("ground_truth")
    if isinstance(truth, str) and truth.strip():
        return (truth,)
    return tuple(document.text for document in sample.side(Side.SUMMARY))
