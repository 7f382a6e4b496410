"""Report: one page to read and share, with all that people marked, which needs no network.

The same store gives the same bytes: nothing in it tells when it was made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from tui_annotate.domain.errors import InvalidLabels, NotFound
from tui_annotate.domain.figures import Figures
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.records import Record, RecordFilter
from tui_annotate.plugins.files.targets import output
from tui_annotate.services.report.data import Subject, Values, of_labels
from tui_annotate.services.report.figures import of_agreement, of_work
from tui_annotate.services.report.page import block, page

if TYPE_CHECKING:
    from tui_annotate.storage.corpus.store import CorpusStore

__all__ = ["HEAVY", "Hiding", "Made", "Report", "Subject"]

HEAVY: Final = 30_000_000
"""Bytes of a page; with more a browser takes seconds to open it."""


class Hiding(Protocol):
    """What stands for people where nobody may be named."""

    def name(self, person_id: str) -> str:
        """The word for a person."""
        ...

    def record(self, record: Record) -> Record:
        """A record in which nobody is named, but in what people wrote."""
        ...


@dataclass(slots=True)
class Made:
    """What was written."""

    samples: int = 0
    annotations: int = 0
    bytes: int = 0

    @property
    def heavy(self) -> bool:
        """Whether a browser takes its time to open it."""
        return self.bytes > HEAVY


@dataclass(frozen=True, slots=True)
class Report:
    """Writes a page of what the actor may see.

    Attributes:
        check: what makes filters those of the stores, and refuses what names nothing.
        names: the name of a person, by id; the id where it is nobody's.
        labels: the label set of a dataset; `NotFound` where there is none.
        figures: of all work, as of the last day of it.
        agreement: how far people agree under filters, as values of JSON; the second argument
            gives the word for a person's id, None for their names.
    """

    corpus: CorpusStore
    check: Callable[[RecordFilter], RecordFilter]
    names: Callable[[str], str]
    labels: Callable[[str], LabelTree]
    figures: Callable[[], Figures]
    agreement: Callable[[RecordFilter, Callable[[str], str] | None], dict[str, Any]]

    def run(
        self,
        target: Path | None,
        filters: RecordFilter | None = None,
        *,
        subject: Subject | None = None,
        hiding: Hiding | None = None,
    ) -> Made:
        """Writes the page; a file appears whole or not at all.

        Args:
            target: a file, or None for standard output.
            subject: what it is about; default: a workspace without a title.
            hiding: what stands for people; None for their names.

        Raises:
            InvalidInput: a filter names nothing that is there; the target is a folder.
            Unavailable: the target can not be written, or the store not be read.
        """
        wanted = self.check(filters or RecordFilter())
        about, made = subject or Subject(), Made()
        with output(target) as file:
            for text in self._parts(wanted, about, made, hiding=hiding):
                file.write(text)
                made.bytes += len(text.encode())
        return made

    def _parts(
        self, wanted: RecordFilter, about: Subject, made: Made, *, hiding: Hiding | None
    ) -> Iterator[str]:
        told = _told(wanted, hidden=hiding is not None)
        records = self.corpus.records(wanted)
        values = Values(about, self.names)
        yield page().opening
        yield block("head", self._head(wanted, about.title, told), once=True)
        for record in records if hiding is None else map(hiding.record, records):
            yield from _of_record(record, values)
            made.samples += 1
            made.annotations += len(record.annotations)
        yield block("figures", self._figures(wanted, about, hiding), once=True)
        yield page().closing

    def _head(self, wanted: RecordFilter, title: str, told: list[str]) -> dict[str, Any]:
        there = [each.name for each in self.corpus.datasets()]
        named = [name for name in there if wanted.dataset in ("", name)]
        trees = {name: self._tree(name) for name in named}
        return {"title": title, "filters": told, **of_labels(trees)}

    def _tree(self, dataset: str) -> LabelTree | None:
        with suppress(NotFound, InvalidLabels):
            return self.labels(dataset)
        return None

    def _figures(
        self, wanted: RecordFilter, about: Subject, hiding: Hiding | None
    ) -> dict[str, Any]:
        name = hiding.name if hiding else None
        work = of_work(self.figures(), wanted, about, name=name)
        agreement = of_agreement(lambda filters: self.agreement(filters, name), wanted)
        return {"narrowed": bool(_told(wanted)), **work, "agreement": agreement}


def _of_record(record: Record, values: Values) -> Iterator[str]:
    for text in values.new_texts(record.sample):
        yield block("text", text)
    yield block("sample", values.sample(record))


def _told(filters: RecordFilter, *, hidden: bool = False) -> list[str]:
    """What narrows the report, in words that name nobody where people are hidden."""
    plain = replace(filters, practice="", person="" if hidden else filters.person)
    told = [(each.name, getattr(plain, each.name)) for each in fields(plain)]
    one = ["one person"] if hidden and filters.person else []
    return [*(f"{name} {value}" for name, value in told if value), *one]
