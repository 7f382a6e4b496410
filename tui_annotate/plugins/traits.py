"""Descriptions of formats: the kind of output target, and the data that the format keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class RecordTrait(StrEnum):
    """Kinds of data that a format may be unable to write; each value names a kind in reports."""

    OVERLAP = "overlapping spans"
    FRAGMENTS = "claims with several spans"
    LINK = "links between claims and their evidence"
    EVIDENCES = "second and further evidence spans"
    TREE = "nested labels"
    NOTE = "notes"
    ANNOTATOR = "annotators"
    TIME = "times"
    EMPTY = "samples completed without annotations"
    ORIGIN = "origins of annotations"
    TEXTS = "separate source texts"
    SEVERAL = "second and further labels of an annotation"
    BARE = "annotations without a label"
    UNCLAIMED = "evidence without a claim"
    UNREAD = "samples not read"
    STATE = "states of assignments"
    OPINION = "ratings and sample comments"
    VERSION = "versions of annotations, label sets and guidelines"
    TRACE = "assist snapshots of annotations"
    SETTLED = "adjudication details"
    SUGGESTED = "suggestions that annotations came from"
    META = "metadata columns of samples"
    GROUP = "groups"
    REQUEST = "requests"
    KIND = "kinds of samples"
    TITLE = "keys and titles of documents"
    DATASET = "names of the second and further datasets"
    IMPORTED = "original imported records"


class Loss(StrEnum):
    """Kinds of loss in an export apart from record traits; each value names a loss in reports."""

    NO_PAIR = "samples that are not a source-summary pair"
    ITEM_ANNOTATIONS = "annotations of skipped samples"
    SEPARATOR = "samples whose texts contain the separator"
    DOT = "labels with a dot in a name"
    JOINER = "labels whose name contains a joining character"
    WHITE_SPACE = "labels with white space in a name"
    COVERED_LABELS = "labels whose child label is on the same annotation"
    LABELS = "labels"
    NO_VERDICT = "samples without a verdict"
    NO_VERDICT_LABELS = "labels that are not verdicts"
    VERDICT_SPANS = "annotated spans (the table has only verdicts)"
    FORMULAS = "formula-like cells that got a leading quote"
    BAD_TIMES = "invalid times"
    SHARED_TOKENS = "spans that share tokens with an earlier span"
    TOKENLESS = "spans that cover no token"
    CUT_TOKENS = "spans that were extended to whole tokens"
    NUMBERED_IDS = "sample ids that were replaced by numbers"
    RENAMED_IDS = "sample ids that were renamed"
    NO_CLAIM = "samples whose annotations have no claim"
    SOURCE_COLUMNS = "source columns that differ between the samples of a source"
    ANNOTATOR_IDS = "ids of annotators"
    NO_REPORT = "citations without their report"
    OTHER_KINDS = "samples that are not a report, document or citation"
    DOCUMENT_SPANS = "spans in the documents of a report"
    DOUBLE_SPANS = "spans that are marked more than once"
    SPANS_OVER_SENTENCES = "spans over several sentences"
    NOT_FINITE = "numbers that are NaN or infinite (written as null)"


OWN: Final = "its own"
"""Value of the trait `IMPORTED` for formats that keep only records imported from themselves."""
COLUMNS: Final = tuple(RecordTrait)[:11]
"""Traits in which formats differ most: the columns of the table that compares all formats."""
TITLES: Final = (
    "overlap", "several claims", "link", "several evidence", "label tree", "note", "annotator",
    "time", "read, nothing found", "origin", "two texts",
)  # fmt: skip
"""Headings of the table that compares formats, in the order of `COLUMNS`."""


class FormatTarget(StrEnum):
    """Kind of target that a format is written to."""

    STREAM = "file"
    FILES = "files"
    FOLDER = "folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatTraits:
    """Description of a format.

    Attributes:
        title: short description of the format.
        `place`: kind of output target.
        files: names of the output files; empty for a single file.
        carried: traits that the format can write; the value is `yes`, or states in a word or two
            how the format writes the trait.
        layered: whether the format holds the work of only one annotator on a sample.
    """

    title: str
    place: FormatTarget = FormatTarget.STREAM
    files: tuple[str, ...] = ()
    carried: Mapping[RecordTrait, str]
    layered: bool = False

    @property
    def lost(self) -> tuple[RecordTrait, ...]:
        """Kinds of data that the format cannot write."""
        return tuple(trait for trait in RecordTrait if trait not in self.carried)


def carry_plainly(*traits: RecordTrait, **how: str) -> dict[RecordTrait, str]:
    """Return which traits a format keeps: unchanged or in a described way.

    Args:
        traits: traits that the format writes unchanged.
        how: other traits, by lower-case member name, with how the format writes each trait.
    """
    return dict.fromkeys(traits, "yes") | {
        RecordTrait[name.upper()]: word for name, word in how.items()
    }


def carry_all_but(*lost: RecordTrait) -> dict[RecordTrait, str]:
    """Return which traits a format keeps, if it writes all traits except `lost` unchanged."""
    return carry_plainly(*(trait for trait in RecordTrait if trait not in lost))


def get_traits(plugin: object) -> FormatTraits | None:
    """Return the description of a format plug-in; None if the plug-in has none."""
    about = getattr(plugin, "about", None)
    return about if isinstance(about, FormatTraits) else None
