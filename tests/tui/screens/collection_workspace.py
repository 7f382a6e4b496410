"""A small collection of reports, documents and citations, as samples in the form of its format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tui_annotate.domain.report_collections import PASSAGE_LABELS
from tui_annotate.domain.samples import Document, Request, Sample, SampleKind, Side

LABELS = PASSAGE_LABELS
REQUEST = Request("Tide pools", "What lives in tide pools?", "I teach.")
TEXTS: Mapping[str, tuple[str, str]] = {
    "doc-a": ("Pools", "Sea stars eat mussels. Crabs hide under stones at noon."),
    "doc-b": ("Crabs", "A crab sheds its shell. Crabs hide in cracks and under weed."),
    "a-very-long-id": ("", "Anemones sting small fish. They close at low tide."),
}
SENTENCES: Sequence[tuple[str, tuple[str, ...]]] = (
    ("Sea stars eat mussels.", ("doc-a",)),
    ("Crabs hide.", ("doc-a", "doc-b", "lost")),
    ("😀 Anemones sting.", ("a-very-long-id",)),
    ("The end.", ()),
)


@dataclass(frozen=True)
class Collection:
    """What one report says and cites; its samples by ids."""

    texts: Mapping[str, tuple[str, str]] = field(default_factory=lambda: TEXTS)
    sentences: Sequence[tuple[str, tuple[str, ...]]] = SENTENCES
    topic: str = "7"
    run: str = "run1"
    dataset: str = "pools"

    def samples(self) -> Iterator[Sample]:
        """The report, its citations, its documents."""
        yield self.report()
        for at, (text, cited) in enumerate(self.sentences):
            for name in cited or (None,):
                yield self.citation(at, text, name)
        for name in self.texts:
            yield self._sample(
                f"d|{self.topic}|{name}",
                SampleKind.DOCUMENT,
                (self._document(name),),
                {"docid": name, "url": f"https://example.org/{name}", "runs": [self.run]},
            )

    def report(self) -> Sample:
        """All sentences, and what they cite."""
        start, reported = 0, []
        for text, cited in self.sentences:
            reported.append({"start": start, "end": start + len(text), "citations": list(cited)})
            start += len(text) + 1
        text = " ".join(text for text, _ in self.sentences)
        documents = (*map(self._document, self.texts), Document(Side.SUMMARY, text))
        meta = {"sentences": reported, "urls": {"doc-a": "https://example.org/doc-a"}}
        return self._sample(f"r|{self.topic}|{self.run}", SampleKind.REPORT, documents, meta)

    def citation(self, at: int, text: str, name: str | None) -> Sample:
        """A sentence and what it cites; nothing for None."""
        group = f"{self.topic}|{self.run}|{at}"
        source = (self._document(name),) if name and name in self.texts else ()
        return self._sample(
            f"c|{group}|{name}" if name else f"c|{group}",
            SampleKind.CITATION,
            (*source, Document(Side.SUMMARY, text)),
            {"sentence_idx": at, "docid": name},
            group=group,
        )

    def _document(self, name: str) -> Document:
        title, text = self.texts[name]
        whole = f"{title}\n\n{text}" if title else text
        return Document(Side.SOURCE, whole, name, title)

    def _sample(
        self, name: str, kind: SampleKind, documents: tuple[Document, ...], meta: Mapping[str, Any],
        *, group: str = "",
    ) -> Sample:  # fmt: skip
        of = {"topic_id": self.topic, "run_id": self.run, "team_id": "team", **meta}
        return Sample(self.dataset, name, documents, kind, group, REQUEST, of)
