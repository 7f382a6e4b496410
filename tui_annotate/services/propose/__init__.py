"""A model proposes what is unsupported in summaries: suggestions, nobody's work until taken.

Replies are strangers' words: what does not stand in the texts, or in the label set, is refused and
counted. A run that broke goes on where it was, as each reply was kept; the same again adds nothing.
"""

from __future__ import annotations

import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.people import OPERATOR, Actor, Verb, require
from tui_annotate.domain.progress import Progress
from tui_annotate.domain.samples import Sample, SampleKey, Side
from tui_annotate.domain.scores import Run, RunKind, Score
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.methods.ranking import normalised
from tui_annotate.plugins import prompts
from tui_annotate.plugins.asking import Judge, Question
from tui_annotate.plugins.clearly import Clearly, Tally
from tui_annotate.services.propose.reading import Labels, parts, placed

if TYPE_CHECKING:
    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.scores.store import ScoreStore
    from tui_annotate.storage.suggestions import SuggestionStore

__all__ = ["Asked", "Planned", "Propose", "Proposed"]

PROMPT: Final = "annotate"
SPANS: Final = "unsupported_spans"
"""The score that says how many parts of a summary were proposed; fewer is better."""
MOST_CHARACTERS: Final = 24_000
"""Code points of a sample's sources, and of its summary, that are sent."""

_AT_ONCE: Final = 64
"""Samples whose replies are waited for together."""
_TOKENS: Final = 4096
"""Of a reply: a long summary has many parts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is looked at, and how.

    Attributes:
        language: of the prompt; empty: as the summary is written.
        folders: of a user's own prompts.
        most: code points of the sources together, and of the summary, that are sent.
        limit: samples from the first on; 0 for all.
    """

    dataset: str
    language: str = ""
    folders: tuple[Path, ...] = ()
    most: int = MOST_CHARACTERS
    limit: int = 0

    def __post_init__(self) -> None:
        if self.most < 1 or self.limit < 0:
            raise InvalidInput("there is nothing to look at", "one character, one sample at least")


@dataclass(frozen=True, slots=True)
class Planned:
    """What it would take: samples, replies that are known among them, characters for the others."""

    samples: int
    cached: int
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """What came of it.

    Attributes:
        run: its id; empty where nothing was new.
        samples: that were looked at.
        passed: of the dataset, those without a source or a summary.
        cut: those that were too long to be sent whole.
        proposals: that stand in the texts; `new` of them were not there.
        refused: by reason.
        tally: what asking came to.
    """

    run: str
    samples: int
    passed: int
    cut: int
    proposals: int
    new: int
    refused: Mapping[str, int]
    tally: Tally


@dataclass(slots=True)
class _Round:
    """What is met on the way."""

    asked: Asked
    labels: Labels
    versions: dict[str, str] = field(default_factory=dict)
    total: int = 0
    looked: int = 0
    passed: int = 0
    cut: int = 0

    def question(self, sample: Sample) -> Question:
        """What is asked of a sample."""
        summary = sample.document(Side.SUMMARY)
        language = self.asked.language or summary.language
        prompt = prompts.load(PROMPT, language=language, folders=self.asked.folders)
        self.versions[f"{PROMPT}.{prompt.language}"] = prompt.version
        texts = [document.text for document in sample.side(Side.SOURCE)]
        source = "\n\n".join(texts)
        most = self.asked.most
        self.cut += len(source) > most or len(summary.text) > most
        user = prompt.filled(
            labels=self.labels.told(), source=source[:most], summary=summary.text[:most]
        )
        return Question(user=user, max_tokens=_TOKENS)


@dataclass(frozen=True, slots=True)
class Propose:
    """What managers let a model do.

    Attributes:
        labels: the label set of a dataset; `NotFound` where there is none.
    """

    corpus: CorpusStore
    suggestions: SuggestionStore
    scores: ScoreStore
    labels: Callable[[str], LabelTree]
    actor: Actor = OPERATOR

    def plan(self, asked: Asked, judge: Judge) -> Planned:
        """What asking would take; asks nobody.

        Raises:
            NotAllowed, NotFound, InvalidInput: as `run`.
        """
        require(self.actor, Verb.MANAGE)
        round_ = _Round(asked, Labels(self.labels(asked.dataset)))
        samples = cached = characters = 0
        for some in self._pages(round_):
            for question in map(round_.question, some):
                known = judge.cached(question)
                samples += 1
                cached += known
                characters += 0 if known else len(question.user)
        return Planned(samples, cached, characters)

    def run(
        self,
        asked: Asked,
        judge: Judge,
        *,
        progress: Callable[[Progress], None] | None = None,
    ) -> Proposed:
        """Asks of each sample, and stores what stands in the texts.

        Raises:
            NotAllowed: the actor may not manage the workspace.
            NotFound: there is no such dataset, or no sample with both sides.
            InvalidInput: a user's prompt can not be used, or the endpoint takes no question.
            Unavailable: the endpoint can not be reached; what it said is kept.
        """
        require(self.actor, Verb.MANAGE)
        round_, tally = _Round(asked, Labels(self.labels(asked.dataset))), Tally()
        maker = f"judge:{judge.model}"
        found: dict[SampleKey, tuple[Suggestion, ...]] = {}
        refused: Counter[str] = Counter()
        began, clearly = time.monotonic(), _clearly(asked, judge, tally)
        for some in self._pages(round_):
            replies = clearly.all([round_.question(sample) for sample in some], parts)
            for sample, said in zip(some, replies, strict=True):
                if said is not None:
                    each = placed(sample, said, round_.labels, maker=maker)
                    found[sample.key] = each.suggestions
                    refused.update(each.refused)
            if progress:
                share = (round_.looked + round_.passed) / round_.total
                seconds = time.monotonic() - began
                progress(Progress("asking", round_.looked, share=share, seconds=seconds))
        run = _run(asked, judge, round_, kind=RunKind.SUGGEST)
        pairs = ((key, each) for key, several in found.items() for each in several)
        new = self.suggestions.add(run, pairs)
        if (new or tally.asked) and not asked.limit:
            counted = _scores({key: len(several) for key, several in found.items()})
            self.scores.write(_run(asked, judge, round_, kind=RunKind.JUDGE), counted)
        return Proposed(
            run=run.id if new else "",
            samples=round_.looked,
            passed=round_.passed,
            cut=round_.cut,
            proposals=sum(map(len, found.values())),
            new=new,
            refused=dict(sorted(refused.items())),
            tally=tally,
        )

    def _pages(self, round_: _Round) -> Iterator[list[Sample]]:
        """The samples with both sides; no transaction is open while a model thinks."""
        dataset, limit = round_.asked.dataset, round_.asked.limit
        keys = self.corpus.keys(dataset)
        round_.total = len(keys)
        waiting = iter(keys)
        while page := list(islice(waiting, _AT_ONCE)):
            samples = [self.corpus.sample(key).sample for key in page]
            whole = [each for each in samples if all(each.side(side) for side in Side)]
            round_.passed += len(samples) - len(whole)
            kept = whole[: limit - round_.looked] if limit else whole
            round_.looked += len(kept)
            if kept:
                yield kept
            if limit and round_.looked == limit:
                return
        if not round_.looked:
            known = ", ".join(each.name for each in self.corpus.datasets()) or "none"
            raise NotFound(
                f"there is no dataset {dataset!r} with a source and a summary in a sample",
                f"there are: {known}",
            )


def _clearly(asked: Asked, judge: Judge, tally: Tally) -> Clearly:
    language = asked.language or prompts.LANGUAGES[0]
    reminder = prompts.load("again", language=language, folders=asked.folders)
    return Clearly(judge, reminder=reminder.text, tally=tally)


def _run(asked: Asked, judge: Judge, round_: _Round, *, kind: RunKind) -> Run:
    return Run(
        id=str(uuid.uuid4()),
        kind=kind,
        maker=f"judge:{judge.model}",
        dataset=asked.dataset,
        parameters={
            "model": judge.model,
            "host": judge.host,
            "prompts": dict(sorted(round_.versions.items())),
            "max_chars": asked.most,
        },
        low=frozenset({SPANS}),
    )


def _scores(counts: Mapping[SampleKey, int]) -> Iterator[Score]:
    values = normalised([float(count) for count in counts.values()])
    for (key, count), value in zip(counts.items(), values, strict=True):
        yield Score(key=key, name=SPANS, raw=float(count), value=value)
