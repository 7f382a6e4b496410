"""Suggestions of machines, for those who run a workspace: in, from scores, out, and how they fare.

Refuses what does not stand in the texts or in the label set; what annotators do with suggestions is
no business of this room.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.nouns import many
from tui_annotate.domain.records import Problem
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.scores import Run, RunKind
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.services.suggest.reading import Reading
from tui_annotate.services.suggest.report import report
from tui_annotate.services.suggest.unsupported import Threshold, unsupported
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.suggestion_lists import Listed
from tui_annotate.storage.suggestions import SuggestionStore

if TYPE_CHECKING:
    from tui_annotate.storage.scores.store import ScoreStore

__all__ = ["Counts", "Suggesting", "Threshold"]

_TOLD: Final = 20
"""Problems of a file that are told one by one."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What became of suggestions that came in.

    Attributes:
        added: new ones.
        known: were there already.
    """

    added: int
    known: int


@dataclass(frozen=True, slots=True)
class Suggesting:
    """What admins do with suggestions.

    Attributes:
        labels: the label set in force in a dataset.
    """

    corpus: CorpusStore
    store: SuggestionStore
    scores: ScoreStore
    labels: Callable[[str], LabelTree]

    def listed(
        self, *, dataset: str = "", maker: str = "", waiting: Callable[[Listed], bool] | None = None
    ) -> Iterator[tuple[Listed, str]]:
        """Suggestions with what people made of them, each with the words that it marks first.

        Args:
            dataset, maker: those of these alone; all where empty.
            waiting: those alone of which it is true.

        Raises:
            NotAllowed: the actor may not report on others.
        """
        for each in self.store.listed(dataset=dataset, maker=maker):
            if waiting is None or waiting(each):
                anchor = (each.suggestion.claim or each.suggestion.evidence)[0]
                sample = self.corpus.sample(each.key).sample
                yield each, anchor.span.of(sample.document(anchor.side, anchor.index).text)

    def report(self, *, dataset: str = "", maker: str = "") -> dict[str, Any]:
        """How suggestions fared with people, by maker and by label, as docs/json.md says.

        Raises:
            NotAllowed: the actor may not report on others.
        """
        return report(self.store.listed(dataset=dataset, maker=maker))

    def read(
        self,
        path: Path,
        *,
        dataset: str = "",
        maker: str = "",
        problem: Callable[[Problem], None] = lambda _: None,
    ) -> Counts:
        """Takes suggestions out of a file of JSON, all of them or none.

        Args:
            dataset: of lines that name none; empty where the sample's id alone says it.
            maker: of lines that name none; empty for `import:` and the file's name.
            problem: is told of each line that can not be taken, up to 20.

        Raises:
            NotAllowed: the actor may not manage the workspace.
            NotFound, InvalidInput, Unavailable: the file can not be opened; or something in it is
                no suggestion, and then nothing of it is taken.
        """
        reading = Reading(self.corpus, self.labels, dataset, maker or f"import:{path.stem}")
        found: list[tuple[SampleKey, Suggestion]] = []
        wrong = 0
        for each in reading.read(path):
            if not isinstance(each, Problem):
                found.append(each)
                continue
            wrong += 1
            if wrong <= _TOLD:
                problem(each)
        if wrong:
            raise InvalidInput(
                f"{many(wrong, 'suggestion')} of {path} can not be taken; nothing was",
                "mend these lines, or take them out",
            )
        return self._stored(found, {"file": path.name})

    def from_scores(self, dataset: str, score: str, *, threshold: Threshold, label: str) -> Counts:
        """Suggests the segments of summaries that a score holds for unsupported.

        Args:
            score: its name; the newest run that says it of segments speaks.
            label: of the suggestions, as `A.B`; empty for none.

        Raises:
            NotAllowed: the actor may not manage the workspace.
            NotFound: no run says such a score of segments, or there is no such dataset.
            InvalidInput: the label is not in the label set of the dataset.
        """
        labels = Reading(self.corpus, self.labels, dataset, "").labelled(dataset, label)
        run, found = unsupported(
            self.scores, self.corpus, dataset, score=score, threshold=threshold, labels=labels
        )
        told = {"score": score, "run": run.id, **threshold.as_json()}
        return self._stored(found, told)

    def _stored(
        self, found: Sequence[tuple[SampleKey, Suggestion]], parameters: Mapping[str, Any]
    ) -> Counts:
        """A run for each dataset and maker."""
        added = 0
        for (dataset, maker), mine in _grouped(found).items():
            run = Run(
                id=str(uuid.uuid4()),
                kind=RunKind.SUGGEST,
                maker=maker,
                dataset=dataset,
                parameters=parameters,
            )
            added += self.store.add(run, mine)
        return Counts(added, len(found) - added)


def _grouped(
    found: Iterable[tuple[SampleKey, Suggestion]],
) -> dict[tuple[str, str], list[tuple[SampleKey, Suggestion]]]:
    groups: defaultdict[tuple[str, str], list[tuple[SampleKey, Suggestion]]] = defaultdict(list)
    for key, suggestion in found:
        groups[key.dataset, suggestion.maker].append((key, suggestion))
    return dict(groups)
