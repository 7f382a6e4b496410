"""What a format says of itself: where it is written to, and which traits of work it can carry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class RecordTrait(StrEnum):
    """What a record may have, in the words in which its loss is counted."""

    OVERLAP = "overlapping spans"
    FRAGMENTS = "claims of several spans"
    LINK = "evidence of claims"
    EVIDENCES = "further spans of evidence"
    TREE = "labels under labels"
    NOTE = "notes"
    ANNOTATOR = "annotators"
    TIME = "times"
    EMPTY = "samples read with nothing found"
    ORIGIN = "origins of annotations"
    TEXTS = "sources apart from summaries"
    SEVERAL = "further labels of an annotation"
    BARE = "annotations without a label"
    UNCLAIMED = "evidence without a claim"
    UNREAD = "samples not read"
    STATE = "states of samples"
    OPINION = "ratings and comments of samples"
    VERSION = "versions of annotations, labels and guidelines"
    TRACE = "places of evidence in the assist"
    SETTLED = "how it was settled"
    SUGGESTED = "suggestions that it came from"
    META = "other columns of samples"
    GROUP = "groups"
    REQUEST = "requests"
    KIND = "kinds of samples"
    TITLE = "keys and titles of documents"
    DATASET = "names of further datasets"
    IMPORTED = "records as they were read"


class Loss(StrEnum):
    """What else a format may have no place for, in the words in which it is counted."""

    NO_PAIR = "samples that are no pair"
    ITEM_ANNOTATIONS = "annotations of such samples"
    SEPARATOR = "samples whose texts hold the separator"
    DOT = "labels with a dot in a name"
    JOINER = "labels with a joiner in a name"
    WHITE_SPACE = "labels with white space in a name"
    COVERED_LABELS = "labels above another of their annotation"
    LABELS = "labels"
    NO_VERDICT = "samples without a verdict"
    NO_VERDICT_LABELS = "labels that are no verdict"
    VERDICT_SPANS = "spans behind the verdicts"
    FORMULAS = "cells with a quote before them, as they look like formulas"
    BAD_TIMES = "times that are none"
    SHARED_TOKENS = "spans whose tokens are another's"
    TOKENLESS = "spans without a token"
    CUT_TOKENS = "spans that cut a token, which has their tag whole"
    NUMBERED_IDS = "sample ids, numbered instead"
    RENAMED_IDS = "sample ids, renamed"
    NO_CLAIM = "samples whose annotations have no claim"
    SOURCE_COLUMNS = "columns of a source that differ between its samples"
    ANNOTATOR_IDS = "ids of annotators"
    NO_REPORT = "citations whose report is not there"
    OTHER_KINDS = "samples that are no report, document or citation"
    DOCUMENT_SPANS = "spans in documents of a report"
    DOUBLE_SPANS = "spans that are marked twice"
    SPANS_OVER_SENTENCES = "spans over several sentences"


OWN: Final = "its own"
"""How records as they were read are carried by a format that writes those of its own form alone."""
COLUMNS: Final = tuple(RecordTrait)[:11]
"""The traits in which formats differ most: the columns of their table."""
TITLES: Final = (
    "overlap", "several claims", "link", "several evidence", "label tree", "note", "annotator",
    "time", "read, nothing found", "origin", "two texts",
)  # fmt: skip
"""What the columns are called, in their order."""


class FormatTarget(StrEnum):
    """What a format is written to."""

    STREAM = "file"
    FILES = "files"
    FOLDER = "folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatTraits:
    """Traits of a format.

    Attributes:
        carried: each with `yes`, or a word or two.
        layered: it holds one person's work on a sample.
    """

    title: str
    place: FormatTarget = FormatTarget.STREAM
    files: tuple[str, ...] = ()
    carried: Mapping[RecordTrait, str]
    layered: bool = False

    @property
    def lost(self) -> tuple[RecordTrait, ...]:
        """The traits that it does not carry."""
        return tuple(trait for trait in RecordTrait if trait not in self.carried)


def carry_plainly(*traits: RecordTrait, **how: str) -> dict[RecordTrait, str]:
    """Traits that are carried as they are, and others, by their names in lower case, with how."""
    return dict.fromkeys(traits, "yes") | {
        RecordTrait[name.upper()]: word for name, word in how.items()
    }


def carry_all_but(*lost: RecordTrait) -> dict[RecordTrait, str]:
    """Every trait but these, as it is."""
    return carry_plainly(*(trait for trait in RecordTrait if trait not in lost))


def get_traits(plugin: object) -> FormatTraits | None:
    """What a format says of itself; None where it says nothing."""
    about = getattr(plugin, "about", None)
    return about if isinstance(about, FormatTraits) else None
