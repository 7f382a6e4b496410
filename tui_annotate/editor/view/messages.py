"""The texts of the read-only viewer: messages, status line, and details of annotations."""

from __future__ import annotations

from enum import unique

from tui_annotate.editor.screen_message import Plural, ScreenMessage


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
    DESELECT = "Backspace deselects"
    FOCUSED = "{letter} {labels}"
    EVIDENCE = "{count} evidence"
    NO_EVIDENCE = "no evidence"
    ALL_DETAILS = "g all details"
    SHOWN_OF_PERSON = Plural(
        "Showing {shown} of {count:,} annotation: those made by {name}",
        "Showing {shown} of {count:,} annotations: those made by {name}",
    )
    NEXT_ANNOTATION = "a next annotation"
    ALL_PEOPLE = "0 all annotators"
    ONE_PERSON = "p one annotator"
    READ_BY = "Completed without annotations by {names}"
    NO_ANNOTATIONS = "No annotations here"
    NEXT_SAMPLE = "> next sample"
    LIST = "q list"
    ANNOTATIONS_BY = Plural("{count:,} annotation by {people}", "{count:,} annotations by {people}")
    PEOPLE_COUNT = Plural("{count:,} person", "{count:,} people")
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
    MISSING_SOURCES = Plural(
        "{count:,} annotation missing in this file", "{count:,} annotations missing in this file"
    )
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

    # names of details
    FACT_LABELS = Plural("label", "labels")
    FACT_BY = "by"
    FACT_NOTE = "note"
    FACT_CLAIM = "claim"
    FACT_EVIDENCE = "evidence"
    FACT_ORIGIN = "origin"
    FACT_MADE = "made"
    FACT_CHANGED = "changed"
    FACT_VERSION = "version"
    FACT_LABEL_SET = "label set"
    FACT_GUIDELINES = "guidelines"
    FACT_ADJUDICATED = "adjudicated"
    FACT_BASED_ON = "based on"
    FACT_ADJUDICATED_BY = "adjudicated by"
    FACT_DATASET = "dataset"
    FACT_ID = "id"
    FACT_KIND = "kind"
    FACT_GROUP = "group"
    FACT_DOCUMENT = "document"
    FACT = "{name}: {value}"
    ANNOTATIONS_OF = Plural("{name}: {count:,} annotation", "{name}: {count:,} annotations")
    TIME = "{time} UTC"
    PERSON_ID = "id: {id}"
    PERSON_STATE = "state: {state}"
    PERSON_RATING = "rating: {rating}"
    PERSON_NOTE = "note: {note}"
    PERSON_TIME = "time: {seconds:.0f} s"
    PERSON_CHANGED = "changed: {time}"
