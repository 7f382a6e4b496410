"""What of a workspace goes into a bundle: texts, vectors, suggestions, labels, guidelines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.records import Record, RecordFilter
from tui_annotate.domain.samples import SampleKey
from tui_annotate.plugins import registry
from tui_annotate.plugins.exchange import bundle_file, suggestion_lines
from tui_annotate.plugins.protocols import ExportOptions
from tui_annotate.storage.guidance.store import Guidance, GuidanceStore

if TYPE_CHECKING:
    from tui_annotate.domain.vector_sets import VectorSet
    from tui_annotate.methods.late_interaction import TokenBank
    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.suggestions import SuggestionStore
    from tui_annotate.storage.vectors.prepared import Prepared
    from tui_annotate.storage.vectors.store import VectorStore

Wanted = Mapping[str, set[SampleKey] | None]
"""By dataset, the samples that are meant; None for all of them."""


@dataclass(frozen=True, slots=True)
class Members:
    """The members of one bundle.

    Attributes:
        corpus: as the person whose bundle it is may see it, so that nobody else's work is in it.
        stores: opens the vector store; called only where the workspace has vectors.
        proposed: what machines suggest, of all datasets.
    """

    corpus: CorpusStore
    guidance_store: GuidanceStore
    stores: Callable[[], VectorStore]
    proposed: SuggestionStore

    def datasets(self) -> list[str]:
        """The names of all datasets."""
        return [each.name for each in self.corpus.datasets()]

    def samples(self, folder: Path, wanted: Wanted) -> tuple[int, dict[str, SampleKey]]:
        """Writes the samples, without any work.

        Returns:
            How many there are; and by hash, their documents with a sample of each.
        """
        native = registry.load("exporters", "native")
        found: dict[str, SampleKey] = {}
        with (folder / bundle_file.SAMPLES).open("w", encoding="utf-8", newline="\n") as file:
            report = native.write(self._bare(wanted, found), file, ExportOptions())
        return report.records, found

    def _bare(self, wanted: Wanted, found: dict[str, SampleKey]) -> Iterator[Record]:
        for dataset in sorted(wanted):
            theirs = wanted[dataset]
            for record in self.corpus.records(RecordFilter(dataset=dataset)):
                sample = record.sample
                if theirs is None or sample.key in theirs:
                    for document in sample.documents:
                        found.setdefault(document.sha256, sample.key)
                    yield Record(replace(sample, imported=None))

    def suggestions(self, folder: Path, wanted: Wanted) -> None:
        """Writes what machines suggest on the samples, but where people shall not see it.

        Nothing is written where there is none: older programs know of no such member.
        """

        def theirs(key: SampleKey) -> bool:
            mine = wanted.get(key.dataset, set())
            return mine is None or key in mine

        target = folder / bundle_file.SUGGESTIONS
        with target.open("w", encoding="utf-8", newline="\n") as file:
            count = suggestion_lines.write(self.proposed.bundled(theirs), file)
        if not count:
            target.unlink()

    def guidance(self, wanted: Wanted) -> bundle_file.Guidance:
        """The workspace's own, and those that the datasets have beside them."""
        return bundle_file.Guidance(
            *(self._texts(kind, wanted) for kind in (Guidance.LABELS, Guidance.GUIDELINES))
        )

    def _texts(self, kind: Guidance, wanted: Wanted) -> dict[str, str]:
        common = self.guidance_store.version(kind)
        versions = {name: self.guidance_store.version(kind, dataset=name) for name in wanted}
        own = {name: version for name, version in versions.items() if version != common}
        return {
            name: self.guidance_store.text(kind, version)
            for name, version in {"": common, **own}.items()
            if version
        }

    def vectors(self, folder: Path, documents: Mapping[str, SampleKey]) -> int:
        """Writes the vectors of documents; how many of them have some.

        Where they can not be read none are written: words find without them.

        Args:
            documents: by hash, with a sample of each.
        """
        kept = self.corpus.vector_set()
        if kept is None or not documents:
            return 0
        from tui_annotate.storage.vectors import prepared

        with suppress(Unavailable):
            found = self._prepared(kept, documents)
            if found.documents:
                prepared.write(folder / bundle_file.VECTORS, found)
            return len(found.documents)
        return 0

    def _prepared(self, kept: VectorSet, documents: Mapping[str, SampleKey]) -> Prepared:
        import numpy as np

        from tui_annotate.storage.vectors.prepared import Made, Prepared

        store, hashes = self.stores(), list(documents)
        vectors = store.fetch(kept.table, hashes)
        tokens = store.fetch_tokens(kept.table, hashes) if kept.token_dimensions else {}
        size = kept.token_dimensions if tokens else 0
        axes = store.fetch_axes(kept.table) if size else np.zeros((kept.dimensions, 0), np.float32)
        made: dict[str, Made] = {}
        for name, matrix in vectors.items():
            stored = self.corpus.sample(documents[name])
            place = [each.sha256 for each in stored.sample.documents].index(name)
            segments = stored.segments[place]
            bank = tokens[name] if name in tokens else _no_tokens(len(segments), size)
            made[name] = Made(segments, matrix.astype(np.float16), bank)
        return Prepared(replace(kept, token_dimensions=size), axes, made)


def _no_tokens(segments: int, size: int) -> TokenBank:
    """Segments of which no token is known."""
    import numpy as np

    from tui_annotate.methods.late_interaction import TokenBank

    none = np.zeros(0, np.int32)
    return TokenBank(np.zeros((0, size), np.int8), np.zeros(segments + 1, np.int64), none, none)
