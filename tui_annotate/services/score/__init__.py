"""Scores of a dataset: computed by a scorer, or taken from a file; each run stored whole."""

from __future__ import annotations

import time
import uuid
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.people import Actor, Verb, require
from tui_annotate.domain.progress import Progress
from tui_annotate.domain.scores import Run, RunKind
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import Cost
from tui_annotate.plugins.scoring import (
    CostlyScorer,
    Opinion,
    Scorer,
    SentenceScorer,
)
from tui_annotate.services.score.asked import AUTO, LANGUAGES, Asked, Scored, Told
from tui_annotate.services.score.importing import Columns, of_columns, of_file
from tui_annotate.services.score.reading import Parted, Question, Reader
from tui_annotate.services.score.values import Raw, Values

if TYPE_CHECKING:
    from tui_annotate.storage.corpus.segments import SegmentStore
    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.scores.store import ScoreStore

__all__ = ["AUTO", "LANGUAGES", "Asked", "Columns", "Score", "Scored"]

_Item = TypeVar("_Item", Question, Parted)


@dataclass(frozen=True, slots=True)
class Score:
    """What managers do with scores."""

    corpus: CorpusStore
    segments: SegmentStore
    store: ScoreStore
    actor: Actor

    def run(self, asked: Asked, *, progress: Told | None = None) -> Scored:
        """Scores a dataset, and stores the run; nothing of it is there before it ends.

        Raises:
            NotAllowed: the actor may not manage the workspace.
            NotFound: there is no such dataset, or nothing in it to score.
            InvalidInput: the scorer is unknown, or can not score what is there.
            Unavailable: something that the scorer needs is missing.
        """
        require(self.actor, Verb.MANAGE)
        samples = self._samples(asked.dataset)
        scorer = self._scorer(asked)
        reader = self._reader(asked)
        told = _telling(progress, samples)
        with closing(Values()) as values:
            name = asked.scorer.partition(":")[0]
            with registry.guarded("scorers", name):
                values.add(_scored(scorer, reader, told))
            if not values.samples:
                raise NotFound(
                    f"dataset {asked.dataset!r} has nothing that {name} can score",
                    "a sample needs a source and a summary",
                )
            run = _run(
                asked.dataset,
                str(getattr(scorer, "maker", "") or name),
                parameters={**scorer.parameters, "language": asked.language},
                low=scorer.low,
            )
            run = replace(run, embedder=str(getattr(scorer, "embedder", "")))
            return self._stored(run, values, passed=reader.passed)

    def cost(self, asked: Asked) -> tuple[int, Cost | None]:
        """How many samples a run would score, and what that costs; asks nobody.

        The cost is None for a scorer that works here and costs time alone.

        Raises:
            As `run`.
        """
        samples = self._samples(asked.dataset)
        scorer = self._scorer(asked)
        reader = self._reader(asked)
        if not isinstance(scorer, CostlyScorer) or not reader.has_answers():
            return samples, None
        questions = (each.answers for each in reader.questions(lambda _: None))
        with registry.guarded("scorers", asked.scorer.partition(":")[0]):
            return samples, scorer.cost(questions)

    def from_file(self, path: Path, *, name: str, dataset: str, options: Columns) -> Scored:
        """Takes scores that were made elsewhere, one a line or row, by the id of their sample.

        Raises:
            NotAllowed: the actor may not manage the workspace.
            NotFound: there is no such dataset or file.
            InvalidInput, InvalidRecord: a row names no sample of the dataset, or one that was
                scored before, or holds no number; nothing is stored then.
        """
        require(self.actor, Verb.MANAGE)
        self._samples(dataset)
        if not name.strip():
            raise InvalidInput("the score has no name", "--name faithfulness, for example")
        keys = [key.id for key in self.corpus.keys(dataset)]
        with closing(Values()) as values:
            values.add(of_file(path, keys, name=name, dataset=dataset, options=options))
            low = frozenset({name} if options.low else ())
            parameters = {"file": path.name}
            run = _run(dataset, f"import:{name}", parameters=parameters, low=low)
            missing = len(keys) - values.samples
            return self._stored(run, values, passed=missing)

    def from_columns(self, dataset: str, *, names: Iterable[str] = ()) -> Scored:
        """Takes scores that came in with the samples, as columns of their own.

        Args:
            names: of the columns; empty for all that are known as scores of answers.

        Raises:
            NotAllowed: the actor may not manage the workspace.
            NotFound: there is no such dataset, or no sample has such a column.
            InvalidInput: a column holds something else than numbers.
        """
        require(self.actor, Verb.MANAGE)
        self._samples(dataset)
        reader = Reader(self.corpus, self.segments, dataset)
        with closing(Values()) as values:
            columns = of_columns(reader, tuple(names))
            values.add(columns.scores())
            if not values.samples:
                wanted = ", ".join(names) or "scores of generated answers"
                raise NotFound(f"no sample of {dataset!r} has a column of {wanted}")
            parameters = {"columns": sorted(columns.found), "normalised_before": columns.before}
            run = _run(dataset, columns.maker, parameters=parameters, low=columns.low)
            return self._stored(run, values, before=columns.before)

    def _stored(
        self, run: Run, values: Values, *, passed: int = 0, before: Collection[str] = ()
    ) -> Scored:
        stored = self.store.write(run, values.scores(run.dataset, before=before))
        return Scored(
            run=next(each for each in self.store.runs(run.dataset) if each.id == run.id),
            samples=values.samples,
            scores=stored,
            passed=passed,
            notes=tuple(values.notes()),
        )

    def _samples(self, dataset: str) -> int:
        """How many samples a dataset has.

        Raises:
            NotFound: there is none of the name, or it is empty.
        """
        there = {info.name: info.samples for info in self.corpus.datasets()}
        if not there.get(dataset):
            known = ", ".join(there) or "none"
            raise NotFound(f"there is no dataset {dataset!r} with samples", f"there are: {known}")
        return there[dataset]

    def _reader(self, asked: Asked) -> Reader:
        if asked.language not in LANGUAGES:
            raise InvalidInput(f"no language {asked.language!r}", f"one of {', '.join(LANGUAGES)}")
        return Reader(self.corpus, self.segments, asked.dataset, asked.language)

    def _scorer(self, asked: Asked) -> Scorer:
        return registry.load_scorer(asked.scorer, asked.options)


def _telling(progress: Told | None, samples: int) -> Callable[[int], None]:
    """What is told how many samples were read."""
    began = time.monotonic()

    def told(read: int) -> None:
        if progress is not None:
            share = min(read / samples, 1.0)
            seconds = time.monotonic() - began
            progress(Progress("scoring", read, share=share, seconds=seconds))

    return told


def _run(dataset: str, maker: str, *, parameters: Mapping[str, Any], low: frozenset[str]) -> Run:
    return Run(
        id=str(uuid.uuid4()),
        kind=RunKind.SCORE,
        maker=maker,
        dataset=dataset,
        parameters=parameters,
        low=low,
    )


def _scored(scorer: Scorer, reader: Reader, told: Callable[[int], None]) -> Iterator[Raw]:
    """What a scorer says of a dataset: of its answers, or of the sentences of its summaries."""
    if reader.has_answers():
        waiting: deque[Question] = deque()
        asked = (each.answers for each in _kept(reader.questions(told), waiting))
        for opinions in scorer.of_answers(asked):
            yield from _of_question(waiting.popleft(), opinions)
    elif isinstance(scorer, SentenceScorer):
        parted: deque[Parted] = deque()
        sentences = (each.sentences for each in _kept(reader.parted(told), parted))
        for opinions in scorer.of_sentences(sentences):
            key = parted.popleft().key
            yield from (_of_sentences(key.id, opinion) for opinion in opinions)
    else:
        raise InvalidInput(
            f"{scorer.name} scores answers to questions, and there are none in {reader.dataset!r}",
            "tui-annotate ingest --format generations FILE",
        )


def _kept(items: Iterator[_Item], waiting: deque[_Item]) -> Iterator[_Item]:
    """The items as they are asked for; each waits until its opinion comes."""
    for item in items:
        waiting.append(item)
        yield item


def _of_question(question: Question, opinions: Iterable[Opinion]) -> Iterator[Raw]:
    """The scores of its answers, then those of its extras, which stand with the first sample."""
    told = tuple(opinions)
    count = len(question.keys)
    for place in (
        *range(count),
        *range(count, max((len(each.values) for each in told), default=0)),
    ):
        key, extra = (
            (question.keys[place], 0) if place < count else (question.keys[0], place + 1 - count)
        )
        for each in told:
            if place < len(each.values):
                text = each.words[place] if each.words else ""
                yield Raw(key.id, each.name, each.values[place], text, (), extra)


def _of_sentences(key: str, opinion: Opinion) -> Raw:
    """A sample by its sentences: the worst one speaks for all."""
    known = [value for value in opinion.values if value is not None]
    worst = min(known, default=None)
    return Raw(key, opinion.name, worst, "", opinion.values)
