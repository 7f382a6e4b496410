"""The texts of the read-only viewer: messages, status line, and details of annotations."""

from __future__ import annotations

from enum import unique

from tui_annotate.editor.screen_message import ScreenMessage


@unique
class ViewText(ScreenMessage):
    """A code for each text of the read-only viewer; the value is a text with fields in braces."""

    # answers to keys
    NOT_IN_A_FILE = "Not available in a read-only file: {action} · ? shows the keys"
    NO_ANNOTATION_IN_SAMPLE = "No annotations in this sample"
    NO_ANNOTATION_OF_PERSON = (
        "No annotations made by {name} in this sample · 0 shows all annotators"
    )
    NO_PEOPLE = "The open file lists no annotators for this sample"
    NO_WORDS_MARKED = "No words are marked: press i to mark words not found in the source"
    READING_SAMPLE = "Loading the sample ..."
    STILL_READING_SAMPLE = "Loading the sample: splitting it into sentences ..."
    NO_SAMPLE_IN_FILE = "The file has no samples · q quits"

    # the status line
    SELECTED = "{selection} selected"
    SIMILAR = "n next, N previous match"
    DROP_SELECTION = "Backspace drops the selection"
    FOCUSED = "{letter} {labels}"
    EVIDENCE = "{count} evidence"
    NO_EVIDENCE = "no evidence"
    ALL_DETAILS = "g all details"
    SHOWN_OF_PERSON = "Showing {shown} of {annotations}: those made by {name}"
    NEXT_ANNOTATION = "a next annotation"
    ALL_PEOPLE = "0 all annotators"
    ONE_PERSON = "p one annotator"
    READ_BY = "Completed without annotations by {names}"
    NO_ANNOTATIONS = "No annotations here"
    NEXT_SAMPLE = "> next sample"
    LIST = "q list"
    ANNOTATIONS_BY = "{annotations} by {people}"
    REVIEW = "review: {decision}"
    REJECTED = "rejected in review"

    # decisions of review
    DECISION_TAKEN = "accepted unchanged"
    DECISION_MERGED = "merged"
    DECISION_EDITED = "edited"
    DECISION_OWN = "added in review"
    DECISION_REJECTED = "rejected"

    # all details of one annotation
    QUOTED_SENTENCE = "{sentence}, {quote}"
    IN_DOCUMENT = "{anchor} (document {number})"
    MISSING_SOURCES = "{annotations} missing in this file"
    DECISION_REASON = "{decision}: {reason}"
    BY_HAND = "made by hand"
    ADJUDICATED = "adjudicated in review"
    OF_MACHINE = "machine: {name}"
    IMPORTED = "imported from {name}"
    NONE = "none"

    # all pages about the sample
    PAGE_ANNOTATION = "Annotation {letter}"
    PAGE_PEOPLE = "People"
    PAGE_REQUEST = "Request"
    PAGE_SAMPLE = "Sample"
    NO_NAMES = "The open file lists no annotators for this sample."
    NO_REQUEST = "The sample has no request (a question that the summary answers)."
    AS_IMPORTED = "As imported:"
