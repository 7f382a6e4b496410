"""Makes rows of a position study from a workspace: a sample's source among other sources."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from random import Random
from typing import Any, Final, NamedTuple

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import RecordFilter
from tui_annotate.domain.samples import Document, Sample, SampleKey, Side
from tui_annotate.lab.position.row_files import LocatedRow
from tui_annotate.lab.position.row_generation import holds_answer, random_below, row_random
from tui_annotate.storage.corpus.store import CorpusStore

_CACHED_SAMPLES: Final = 256
_GAP: Final = "\n\n"


class _Source(NamedTuple):
    sha256: str
    key: SampleKey
    place: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceRowOptions:
    """Options for making the rows of a position study from samples of a workspace.

    Attributes:
        seed: random seed of the choice of distractors.
    """

    documents: int
    seed: int = 0
    dataset: str = ""
    question: str = ""


def build_workspace_rows(corpus: CorpusStore, options: WorkspaceRowOptions) -> Iterator[LocatedRow]:
    """Yield a row for each sample; the passage with the answer is the sample's source.

    The right answers are `answers` or `ground_truth` of the record, else the summary. Distractors
    are sources of other samples that do not contain a right answer.

    Raises:
        InvalidRecord: a sample has no question, or there are too few distractors.
    """
    pool = _collect_sources(corpus, options.dataset)

    @lru_cache(maxsize=_CACHED_SAMPLES)
    def sample(key: SampleKey) -> Sample:
        return corpus.sample(key).sample

    def text(source: _Source) -> Document:
        return sample(source.key).document(Side.SOURCE, source.place)

    for record in corpus.records(RecordFilter(dataset=options.dataset)):
        row = _gold_row(record.sample, options)
        if row is None:
            continue
        own = {document.sha256 for document in record.sample.side(Side.SOURCE)}
        order = row_random(options.seed, str(record.sample.key))
        found = ((text(source), source) for source in _random_sources(pool, own, order))
        distractors = (
            _distractor(document, source)
            for document, source in found
            if not holds_answer(document.text, row["answers"])
        )
        row["ctxs"] += islice(distractors, options.documents - 1)
        yield LocatedRow(str(record.sample.key), row)


def _collect_sources(corpus: CorpusStore, dataset: str) -> list[_Source]:
    found: dict[str, _Source] = {}
    for record in corpus.records(RecordFilter(dataset=dataset)):
        for index, document in enumerate(record.sample.side(Side.SOURCE)):
            found.setdefault(document.sha256, _Source(document.sha256, record.sample.key, index))
    return list(found.values())


def _random_sources(pool: list[_Source], own: set[str], order: Random) -> Iterator[_Source]:
    seen: set[int] = set()
    while len(seen) < len(pool):
        place = random_below(len(pool), order)
        if place in seen:
            continue
        seen.add(place)
        if pool[place].sha256 not in own:
            yield pool[place]


def _distractor(document: Document, source: _Source) -> dict[str, Any]:
    title = document.title or document.key or source.key.id
    return {
        "id": f"{source.key}#{source.place}",
        "title": title,
        "text": document.text,
        "hasanswer": False,
        "isgold": False,
    }


def _gold_row(sample: Sample, options: WorkspaceRowOptions) -> dict[str, Any] | None:
    """Return a sample as a position study's row; None without source or right answer."""
    sources = sample.side(Side.SOURCE)
    right = _gold_answers(sample)
    if not sources or not right:
        return None
    request = sample.request
    asked = request.question or request.problem or request.title or options.question
    if not asked.strip():
        raise InvalidInput(
            f"sample {sample.key} has no question", "pass a question with --question"
        )
    gold = sample.meta.get("gold_position")
    if isinstance(gold, int) and 0 <= gold < len(sources):
        sources = (sources[gold],)
    title = sources[0].title or sources[0].key or sample.id
    text = _GAP.join(each.text for each in sources)
    passage = {"title": title, "text": text, "hasanswer": True, "isgold": True}
    return {"question": asked, "answers": list(right), "ctxs": [passage], "sample": str(sample.key)}


def _gold_answers(sample: Sample) -> tuple[str, ...]:
    stored = sample.meta.get("answers")
    if isinstance(stored, list) and stored and all(isinstance(each, str) for each in stored):
        return tuple(stored)
    truth = sample.meta.get("ground_truth")
    if isinstance(truth, str) and truth.strip():
        return (truth,)
    return tuple(document.text for document in sample.side(Side.SUMMARY))
