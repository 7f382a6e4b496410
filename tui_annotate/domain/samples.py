"""Samples: two sides of documents that are compared, and what a machine says of their segments."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.spans import Span


class Side(StrEnum):
    """The two sides of a sample: what is trusted, and what is checked against it."""

    SOURCE = "source"
    SUMMARY = "summary"

    @property
    def other(self) -> Side:
        """The side opposite."""
        return Side.SUMMARY if self is Side.SOURCE else Side.SOURCE


class SampleKey(NamedTuple):
    """What names a sample: its dataset, and its id there."""

    dataset: str
    id: str

    def __str__(self) -> str:
        return f"{self.dataset}/{self.id}"


class SampleKind(StrEnum):
    """What a sample is: decides which screens offer it, never how it is stored."""

    PAIR = "pair"
    REPORT = "report"
    DOCUMENT = "document"
    CITATION = "citation"
    QUESTION = "question"


def fingerprint(text: str) -> str:
    """SHA-256 of the text as UTF-8, in lower-case hex: the identity of a document.

    Raises:
        InvalidInput: the text holds a lone surrogate; the message gives its offset in code points.
    """
    try:
        return hashlib.sha256(text.encode("utf-8")).hexdigest()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"lone surrogate U+{ord(text[error.start]):04X} at offset {error.start}",
            "the text was cut inside a character; mend it where it was written",
        ) from error


@dataclass(frozen=True, slots=True)
class Document:
    """An exact text on one side of a sample.

    Attributes:
        text: never altered, never empty of code points by rule of the importers, not of this class.
        key: its name inside the sample; unique on its side where there are several.
        language: "en", "zh", ...: decides segmentation, and goes with the document, not the sample.
    """

    side: Side
    text: str
    key: str = ""
    title: str = ""
    language: str = "en"
    sha256: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sha256", fingerprint(self.text))


class Segment(NamedTuple):
    """A sentence as a view `[start, end)` of its document, white space included.

    The segments of a document, in order, join to its text.
    """

    start: int
    end: int

    @property
    def span(self) -> Span:
        """The same extent as a span."""
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked of whoever wrote the summary side; any part may be empty."""

    title: str = ""
    problem: str = ""
    background: str = ""
    question: str = ""


@dataclass(frozen=True, slots=True)
class Sample:
    """What one person judges at a time. Its key is (dataset, id).

    Attributes:
        documents: source documents first, in reading order; at most one on the summary side.
        group: shared by sibling samples, as answers to one question or citations of one sentence.
        meta: every other field of the record, as it came (JSON values).
        imported: what the format needs to write the sample back word for word; None for most.
    """

    dataset: str
    id: str
    documents: tuple[Document, ...]
    kind: SampleKind = SampleKind.PAIR
    group: str = ""
    request: Request = Request()
    meta: Mapping[str, Any] = field(default_factory=dict)
    imported: Mapping[str, Any] | None = None

    @property
    def key(self) -> SampleKey:
        """(dataset, id)."""
        return SampleKey(self.dataset, self.id)

    def side(self, side: Side) -> tuple[Document, ...]:
        """The documents of one side, in order."""
        return tuple([document for document in self.documents if document.side is side])

    def document(self, side: Side, index: int = 0) -> Document:
        """The document number `index` of a side, from 0.

        Raises:
            NotFound: the side has fewer documents.
        """
        documents = self.side(side)
        if not 0 <= index < len(documents):
            raise NotFound(
                f"sample {self.id!r} has no {side} document {index}",
                f"it has {len(documents)} on that side, counted from 0",
            )
        return documents[index]

    def index(self, side: Side, key: str = "") -> int:
        """Return the index of the document of a side with a key; the key is empty for the only one.

        Raises:
            NotFound, InvalidInput: none has the key; several could be meant.
        """
        documents = self.side(side)
        found = [index for index, document in enumerate(documents) if key in ("", document.key)]
        if len(found) == 1:
            return found[0]
        keys = ", ".join(repr(document.key) for document in documents)
        if not found:
            raise NotFound(
                f"sample {self.id!r} has no {side} document {key!r}", f"there are: {keys or 'none'}"
            )
        raise InvalidInput(
            f"sample {self.id!r} has {len(documents)} {side} documents", f"name one: {keys}"
        )


STRENGTHS = (0.08, 0.15, 0.35, 0.6, 0.8)
"""The least score of each strength, 1 to 5; under the first, nothing is found.

What that first step lets through, and what it keeps out, was measured: docs/decisions/0009.
"""


class Signals(StrEnum):
    """What ranks the segments: all that there is, or one kind alone, for whoever distrusts one."""

    FUSED = "fused"
    WORDS = "words"
    VECTORS = "vectors"


@dataclass(frozen=True, slots=True)
class Match:
    """What the assist says of one segment.

    Attributes:
        document, segment: the document's index on its side, the segment's in its document.
        score: absolute, in [0, 1]; comparable over queries and documents.
        rank: 1 for the best; ties in reading order.
        signals: each signal's own bounded value, by name.
    """

    document: int
    segment: int
    span: Span
    score: float
    rank: int
    signals: Mapping[str, float] = field(default_factory=dict)

    @property
    def strength(self) -> int:
        """How strongly the match is shown: 0 (nothing found) to 5, by the score alone."""
        return bisect_right(STRENGTHS, self.score)


@dataclass(frozen=True, slots=True)
class SiblingSample:
    """One of them; `text` is its summary side, `state` and `annotations` are this person's own."""

    key: SampleKey
    state: State
    annotations: int
    text: str
