"""Export: what is stored, out in any format, streamed; it holds no lock and changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.records import RecordFilter
from tui_annotate.domain.samples import Sample, SampleKey
from tui_annotate.plugins.protocols import ExportOptions, Report
from tui_annotate.services.export.filters import Names
from tui_annotate.services.export.pseudonyms import Pseudonyms
from tui_annotate.services.export.writing import Writing

if TYPE_CHECKING:
    from tui_annotate.domain.scores import Score
    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.people.store import PeopleStore
    from tui_annotate.storage.work.store import AnnotationStore


@dataclass(frozen=True, slots=True)
class Export:
    """Writes records of a workspace.

    Attributes:
        labels: the paths of its label sets, which a filter may name beside those in use.
        opinions: gives what machines say of some samples.
    """

    corpus: CorpusStore
    people: PeopleStore
    annotations: AnnotationStore
    labels: Callable[[], Collection[LabelPath]] = tuple
    opinions: Callable[[Sequence[SampleKey]], Mapping[SampleKey, tuple[Score, ...]]] | None = None

    def checked(self, filters: RecordFilter) -> RecordFilter:
        """The filters as the stores take them.

        Raises:
            InvalidInput: one names nothing that is there.
        """
        return Names(self.corpus, self.people, self.annotations, self.labels).checked(filters)

    def run(
        self,
        exporter: str,
        target: Path | TextIO | None,
        *,
        filters: RecordFilter | None = None,
        options: ExportOptions | None = None,
        names: Pseudonyms | None = None,
    ) -> Report:
        """Writes the records under a filter, all of one moment, by dataset, then as they came.

        Args:
            exporter: an exporter's name.
            names: what stands for people, and is told what was done; None for their names.
            target: a file or folder that appears whole or not at all, an open stream, or None
                for standard output.

        Raises:
            InvalidInput: there is no such exporter; a filter names nothing that is there; the
                target is a folder, or its folder is not there; the format holds one layer of
                work, and `options` name none.
            Unavailable: the target can not be written, or the store not be read.
        """
        known = replace(options or ExportOptions(), sample=self._sample, opinions=self.opinions)
        writing = Writing(exporter, known, names=names)
        return writing.run(self.corpus.records(self.checked(filters or RecordFilter())), target)

    def _sample(self, key: SampleKey) -> Sample | None:
        """A sample whatever the filters are: some lines hold another sample than theirs as well."""
        with suppress(NotFound):
            return self.corpus.sample(key).sample
        return None
