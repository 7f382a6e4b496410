"""Samples: source and summary documents, their segments, and the matches between documents."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, NamedTuple

from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.spans import Span

IMPORTED_COMMENTS: Final = "mercury_comments"
"""Metadata key of a sample for people's comments on annotations in Mercury."""
WORK_COLUMNS: Final = "imported_work_columns"
"""Metadata key of a sample for the names of the columns that were read as people's work."""

_PROGRAM_FIELDS: Final = frozenset(
    {
        "answers",
        "docid",
        "gold_position",
        "ground_truth",
        "query",
        "question",
        "run_id",
        "runs",
        "sentence_idx",
        "sentences",
        "size",
        "task",
        "team_id",
        "topic_id",
        "url",
        "urls",
        IMPORTED_COMMENTS,
    }
)
"""Metadata that screens need to show a sample and its position in a collection."""


def keep_program_fields(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Return metadata without all columns that may hold a machine's verdict on the sample.

    A column of an imported file does not state whether its values are from a machine.
    """
    return {name: value for name, value in meta.items() if name in _PROGRAM_FIELDS}


def keep_own_work(meta: Mapping[str, Any], authors: Collection[str]) -> dict[str, Any]:
    """Return what of a sample's metadata may leave for one person, who has the ids `authors`.

    Other people's comments, and columns that were read as people's work, would reveal their work. A
    value that is not a list of comments may contain them in another form, and is removed. Without
    own comments, the key is absent.
    """
    names = meta.get(WORK_COLUMNS)
    removed = {IMPORTED_COMMENTS, WORK_COLUMNS, *(names if isinstance(names, list) else [])}
    kept = {name: value for name, value in meta.items() if name not in removed}
    listed = meta.get(IMPORTED_COMMENTS)
    rows: list[Any] = listed if isinstance(listed, list) else []
    own = [row for row in rows if isinstance(row, dict) and str(row.get("user_id")) in authors]
    return kept | {IMPORTED_COMMENTS: own} if own else kept


class Side(StrEnum):
    """The two sides of a sample: the trusted source, and the summary that is checked."""

    SOURCE = "source"
    SUMMARY = "summary"

    @property
    def other(self) -> Side:
        return Side.SUMMARY if self is Side.SOURCE else Side.SOURCE


class SampleKey(NamedTuple):
    """Dataset and id of a sample; the id is unique within its dataset."""

    dataset: str
    id: str

    def __str__(self) -> str:
        return f"{self.dataset}/{self.id}"


class SampleKind(StrEnum):
    """What the texts of a sample are, and so how screens and formats present it."""

    PAIR = "pair"
    REPORT = "report"
    DOCUMENT = "document"
    CITATION = "citation"
    QUESTION = "question"


def fingerprint(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8, in lower-case hex, as the identifier of a document.

    Raises:
        InvalidInput: the text has a lone surrogate; the message has its offset in code points.
    """
    try:
        return hashlib.sha256(text.encode("utf-8")).hexdigest()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"the text has a lone surrogate U+{ord(text[error.start]):04X} at offset {error.start}",
            "fix the program that wrote the text, which cut it inside a character",
        ) from error


@dataclass(frozen=True, slots=True)
class Document:
    """One text of a sample, on its source side or its summary side.

    Attributes:
        text: the exact text, never altered; importers, not this class, reject empty texts.
        key: name of the document in the sample; unique if the side has several documents.
        language: "en", "zh", ...: selects the segmentation of this document.
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
    """A sentence of a document: code points `[start, end)`, with the white space after it.

    The segments of a document, in order, join to its text.
    """

    start: int
    end: int

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Request:
    """A user's request that the summary or report of a sample answers; any field may be empty."""

    title: str = ""
    problem: str = ""
    background: str = ""
    question: str = ""


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample: source documents and a summary, which an annotator compares.

    Attributes:
        documents: source documents first, in reading order; at most one on the summary side.
        group: shared by sibling samples: answers to one question, citations of one sentence.
        meta: all other fields of the imported record, unchanged (JSON values).
        imported: data that the format needs to write the sample back verbatim; usually None.
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
        return SampleKey(self.dataset, self.id)

    def side(self, side: Side) -> tuple[Document, ...]:
        """Return the documents on one side in reading order; may be empty."""
        return tuple([document for document in self.documents if document.side is side])

    def document(self, side: Side, index: int = 0) -> Document:
        """Return the document at an index, from 0, on one side of the sample.

        Raises:
            NotFound: the side has fewer documents.
        """
        documents = self.side(side)
        if not 0 <= index < len(documents):
            raise NotFound(
                f"sample {self.id!r} has no {side} document {index}",
                f"use a document index below {len(documents)}, counted from 0",
            )
        return documents[index]

    def index(self, side: Side, key: str = "") -> int:
        """Return the index of the document with a key on one side of the sample.

        If the side has only one document, the key may be empty.

        Raises:
            NotFound: no document has the key.
            InvalidInput: the key is ambiguous.
        """
        documents = self.side(side)
        found = [index for index, document in enumerate(documents) if key in ("", document.key)]
        if len(found) == 1:
            return found[0]
        keys = ", ".join(repr(document.key) for document in documents)
        if not found:
            raise NotFound(
                f"sample {self.id!r} has no {side} document {key!r}",
                f"documents of the {side} side: {keys or 'none'}",
            )
        raise InvalidInput(
            f"sample {self.id!r} has {len(documents)} {side} documents", f"name one: {keys}"
        )


STRENGTHS = (0.08, 0.15, 0.35, 0.6, 0.8)
"""Minimum scores, in [0, 1], of the five display intensities of a match, weakest first.

A segment with a score below the first minimum is no match. The first minimum was chosen by
measurement: docs/decisions/0009.
"""


class Signals(StrEnum):
    """How matches are ranked: by words, by vectors, or by words and vectors combined."""

    FUSED = "fused"
    WORDS = "words"
    VECTORS = "vectors"


@dataclass(frozen=True, slots=True)
class Match:
    """A match: a source sentence with its rank and score as possible evidence for a claim.

    Attributes:
        score: absolute score in [0, 1]; comparable between queries and documents.
        rank: 1 for the best match; ties in reading order.
        signals: value of each ranking method in its own bounded range, by name.
    """

    document: int
    segment: int
    span: Span
    score: float
    rank: int
    signals: Mapping[str, float] = field(default_factory=dict)

    @property
    def strength(self) -> int:
        """The display intensity of the match, from 0 (no match) to 5; depends only on its score."""
        return bisect_right(STRENGTHS, self.score)


@dataclass(frozen=True, slots=True)
class SiblingSample:
    """A sample of the same group, as the list of siblings displays it.

    Attributes:
        state: state of this person's work on it.
        annotations: number of this person's annotations in it.
        text: its summary.
    """

    key: SampleKey
    state: State
    annotations: int
    text: str
