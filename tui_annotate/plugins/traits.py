"""Descriptions of formats: the kind of output target, and the data that the format keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class RecordTrait(StrEnum):
    """Names of the kinds of data that some export formats cannot write."""

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
    STATE = "states of readings"
    OPINION = "ratings and sample comments"
    VERSION = "versions of annotations, label sets and guidelines"
    TRACE = "lists of matches shown at a save"
    SETTLED = "adjudication details"
    SUGGESTED = "suggestions that annotations came from"
    META = "values of metadata"
    GROUP = "groups"
    REQUEST = "requests"
    KIND = "kinds of samples"
    TITLE = "keys and titles of documents"
    DATASET = "names of the second and further datasets"
    IMPORTED = "original imported records"
    ABOUT = "licenses, origins and citations of datasets"


class Loss(StrEnum):
    """Data that some exports cannot write, in addition to data that a format can never write."""

    ANNOTATIONS = "annotations"
    NO_PAIR = "samples that are not a source-summary pair"
    ITEM_ANNOTATIONS = "annotations of excluded samples"
    SEPARATOR = "samples whose texts contain the separator of source and summary"
    SEPARATOR_OR_MARK = (
        "samples whose texts contain the separator of source and summary or begin with a byte"
        " order mark"
    )
    NO_SUMMARY = "samples without a summary"
    PAGE_BREAKS = "samples with </script or <!-- in a text, which break the page"
    REPEATED_RUN = "samples whose topic and run another sample already has"
    DOT = "labels with a dot in a name"
    JOINER = "labels whose name contains a separator (. or |)"
    WHITE_SPACE = "labels with white space in a name"
    COVERED_LABELS = "parent labels, if the same annotation also has the child label"
    LABELS = "labels"
    NO_VERDICT = "samples without a FaithBench verdict"
    NO_VERDICT_LABELS = "labels that are not FaithBench verdicts"
    VERDICT_SPANS = "annotated spans (the table has only verdicts)"
    FORMULAS = "formula-like cells that got a leading quote"
    BAD_TIMES = "invalid times"
    SHARED_TOKENS = "spans that share tokens with an earlier span"
    COVERED_SPANS = "spans whose tokens all belong to an earlier span"
    NOTE_LINES = "line breaks in notes"
    ONLY_LINE_BREAKS = "annotations that contain only line breaks"
    EDGE_LINE_BREAKS = "line breaks at the start or end of spans"
    JOINED_SPANS = "claim spans that became one span, because only line breaks separate them"
    TOKENLESS = "spans that cover no token"
    CUT_TOKENS = "spans that were extended to whole tokens"
    NUMBERED_IDS = "sample ids that were replaced by numbers"
    RENAMED_IDS = "sample ids that were renamed"
    NO_CLAIM = "samples whose annotations have no claim"
    RESERVED_COLUMNS = "metadata columns whose name RAGTruth reserves"
    SOURCE_COLUMNS = "columns whose values differ between samples with the same source"
    ANNOTATOR_IDS = "ids of annotators"
    NO_REPORT = "citations whose report is not available"
    OTHER_KINDS = "samples that are not a report, document or citation"
    DOCUMENT_SPANS = "spans in the documents of a report"
    DOUBLE_SPANS = "spans that are marked more than once"
    SPANS_OVER_SENTENCES = "spans that were split or shortened at sentence boundaries"
    LATER_EDITS = "marks of work that was edited after its adjudication"
    QUESTIONS = "questions to the reviewers, and replies"
    DELETED_SUGGESTIONS = "answers to suggestions that were deleted"
    NOT_FINITE = "numbers that are NaN or infinite (written as null)"


OWN: Final = "its own"
"""Marks a format that keeps the original text of only those records that have this format."""
COLUMNS: Final = tuple(RecordTrait)[:11]
"""Kinds of data that are columns of the table that compares all formats."""
TITLES: Final = (
    "overlap", "several claims", "link", "several evidence", "label tree", "note", "annotator",
    "time", "read, nothing found", "origin", "two texts",
)  # fmt: skip


class FormatTarget(StrEnum):
    """What a format is written to: one file, several files, or a folder."""

    STREAM = "file"
    FILES = "files"
    FOLDER = "folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatTraits:
    """Description of a file format.

    Attributes:
        files: names of the output files; empty for a single file.
        carried: kinds of data that the format can write; the value is `yes`, or states in a word
            or two how the format writes such data.
        layered: whether the format holds the work of only one annotator on a sample.
        marks_later_edits: whether the format marks work that was edited after its adjudication.
        carries_questions: whether the format keeps annotators' questions and their replies.
        delegates: whether the importer reads each file by `reader_guard.read_guarded`.
        trains: whether the format is for training, and has no states: text without a mark would
            look as if it was read, so an export writes completed work unless states are chosen.
    """

    title: str
    place: FormatTarget = FormatTarget.STREAM
    files: tuple[str, ...] = ()
    carried: Mapping[RecordTrait, str]
    layered: bool = False
    delegates: bool = False
    marks_later_edits: bool = False
    carries_questions: bool = False
    trains: bool = False

    @property
    def lost(self) -> tuple[RecordTrait, ...]:
        """Kinds of data that the format does not keep."""
        return tuple(trait for trait in RecordTrait if trait not in self.carried)


def carry_plainly(*traits: RecordTrait, **how: str) -> dict[RecordTrait, str]:
    """Return a dict from each kind of data that a format can write to `yes` or a description.

    `traits` are written unchanged; `how` describes other kinds by lower-case member name.
    """
    return dict.fromkeys(traits, "yes") | {
        RecordTrait[name.upper()]: word for name, word in how.items()
    }


def carry_all_but(*lost: RecordTrait) -> dict[RecordTrait, str]:
    """Describe a format that keeps all kinds of data but these, without a condition."""
    return carry_plainly(*(trait for trait in RecordTrait if trait not in lost))


def get_traits(plugin: object) -> FormatTraits | None:
    """Return the description of a format plug-in; None if the plug-in has none."""
    about = getattr(plugin, "about", None)
    return about if isinstance(about, FormatTraits) else None
