"""Counts the samples and annotations of an HTML report before its pages are written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.assignments import State
from tui_annotate.domain.records import Record


def has_work(record: Record) -> bool:
    """Return whether anyone annotated, rated, commented on, completed or began a sample."""
    return bool(record.annotations) or any(
        each.state is not State.NEW or each.rating or each.comment for each in record.assignments
    )


@dataclass(slots=True)
class ReportContents:
    """Counts the samples and annotations on the pages of an HTML report."""

    pages: list[int] = field(default_factory=lambda: [0])
    annotations: int = 0
    bytes: int = 0
    not_finite: int = 0
    _names: dict[str, str] = field(default_factory=dict)
    _adjudicators: dict[str, None] = field(default_factory=dict)
    _labels: Counter[tuple[LabelPath, str]] = field(default_factory=Counter)

    @property
    def samples(self) -> int:
        return sum(self.pages)

    def add(self, page: int, text: str, record: Record) -> None:
        """Add a sample and its annotations to the counts of an HTML page; the first page is 0."""
        self.pages += [0] * (page + 1 - len(self.pages))
        self.pages[page] += 1
        self.annotations += len(record.annotations)
        self.bytes += len(text.encode())
        self._names.update((person.id, person.name) for person in record.people)
        for owned in record.annotations:
            if settled := owned.annotation.settled:
                self._adjudicators[settled.by] = None
            for path in dict.fromkeys(owned.annotation.labels or ((),)):
                self._labels[path, owned.person] += 1

    def head_data(self, name: Callable[[str], str]) -> dict[str, Any]:
        """Return the JSON with totals, people and labels that is part of every page of a report."""
        names = {each: name(each) for each in self._adjudicators} | self._names
        used = dict.fromkeys(path for path, _ in self._labels if path)
        return {
            "samples": self.samples,
            "annotations": self.annotations,
            "people": [list(each) for each in names.items()],
            "used": [list(path) for path in used],
        }

    def figures_data(self) -> dict[str, Any]:
        """Return the numbers of annotations by label and by person, as JSON."""
        counts = ([list(path), person, count] for (path, person), count in self._labels.items())
        return {"labels": list(counts)}
