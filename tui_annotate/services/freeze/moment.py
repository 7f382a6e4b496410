"""One moment of a workspace, as a state that is kept tells of it: files, figures, a paragraph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tui_annotate.domain.chains import Head, LogHead
from tui_annotate.domain.nouns import many
from tui_annotate.domain.people import SETTLED, reader
from tui_annotate.storage.figures import FigureStore
from tui_annotate.storage.guidance.store import Guidance, GuidanceStore

SHORT = 12
"""Characters of a hash in the paragraph."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A copied store, and what can be told of it.

    Attributes:
        export: writes all of it in the native form, to a file.
        agreement, figures: values of JSON.
        head, heads: of the log.
        labels: the paths of the label set in force in a dataset, as words.
        embedder: what ranks related sentences beside words; empty for words alone.
    """

    store: FigureStore
    guidance: GuidanceStore
    export: Callable[[Path], object]
    agreement: Callable[[], Mapping[str, Any]]
    figures: Callable[[], Mapping[str, Any]]
    head: Callable[[], LogHead]
    heads: Callable[[], Sequence[Head]]
    labels: Callable[[str], Sequence[str]]
    embedder: Callable[[], str]

    def versions(self) -> dict[str, dict[str, str]]:
        """Texts of all label sets and guidelines that were ever in force: by kind, then hash."""
        return {
            kind.value: {
                version: self.guidance.text(kind, version)
                for version in self.guidance.versions(kind)
            }
            for kind in Guidance
        }

    def method(self, *, at: str, app: str) -> str:
        """What was done, how, and with what, for the section on methods of a paper."""
        parts = [
            self._material(at),
            self._people(),
            *self._guidance(),
            self._tools(app),
            self._evidence(),
        ]
        return "\n\n".join(parts) + "\n"

    def _material(self, at: str) -> str:
        rooms = self.store.rooms()
        named = ", ".join(f"{room.dataset} ({room.samples:,})" for room in rooms)
        samples = sum(room.samples for room in rooms)
        return (
            f"State of {at[:19]} UTC. The material is {many(samples, 'sample')} in "
            f"{many(len(rooms), 'dataset')}: {named or 'none'}."
        )

    def _people(self) -> str:
        work = [each for each in self.store.progress() if each.person != SETTLED]
        finished = [each for each in work if each.done + each.skipped + each.flagged]
        readings = sum(each.done for each in work)
        annotators = {reader(each.person) for each in finished}
        again = sum(each.done for each in work if reader(each.person) != each.person)
        hours = sum(day.seconds for day in self.store.days()) / 3600
        overlap = Counter(self.store.readings())
        told = ", ".join(f"{count:,} by {people}" for people, count in sorted(overlap.items()))
        return (
            f"Readings of samples that were finished: {readings:,}, by "
            f"{many(len(annotators), 'person', 'people')}"
            f"{f', {again:,} of them a second time by the same person' if again else ''}. "
            f"Samples by how many people were done with them: {told or 'none'}. "
            f"They were at work for {hours:,.1f} hours; of each gap between two actions at most a "
            f"minute counts. "
            f"Readings that were skipped: {sum(each.skipped for each in work):,}, "
            f"that were flagged: {sum(each.flagged for each in work):,}."
        )

    def _guidance(self) -> list[str]:
        told = []
        for dataset in ["", *(room.dataset for room in self.store.rooms())]:
            own = {kind: self.guidance.version(kind, dataset=dataset) for kind in Guidance}
            if dataset and own == {kind: self.guidance.version(kind) for kind in Guidance}:
                continue
            where = f"For {dataset}" if dataset else "For all datasets without their own"
            labels = ", ".join(self.labels(dataset)) if own[Guidance.LABELS] else "none"
            told.append(
                f"{where}, the labels are: {labels} (version {_short(own[Guidance.LABELS])}); the "
                f"guidelines have version {_short(own[Guidance.GUIDELINES])}."
            )
        return told

    def _tools(self, app: str) -> str:
        cut = ", ".join(
            f"{name} ({count:,})" for name, count in sorted(self.store.segmenters().items())
        )
        meaning = self.embedder()
        ranked = f"word statistics and vectors ({meaning})" if meaning else "word statistics alone"
        return (
            f"Annotation was done in the terminal with tui-annotate {app}. Documents were cut into "
            f"sentences by {cut or 'nothing'}. For what an annotator selected, related sentences "
            f"of the other text were lit up, ranked by {ranked}; nothing was attached that the "
            "annotator did not take. The screen shows annotators the work of nobody else."
        )

    def _evidence(self) -> str:
        head = self.head()
        return (
            "How far people agreed stands in agreement.json, with 95 % intervals; figures of their "
            "work in figures.json; each version of labels and guidelines in labels/ and "
            f"guidelines/. The log behind this state holds {many(head.events, 'event')} in "
            f"{many(head.streams, 'stream')}, and its head is {head.token}."
        )


def _short(version: str) -> str:
    return version[:SHORT] or "none"
