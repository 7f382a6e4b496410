"""Texts of the dialogs."""

from __future__ import annotations

from tui_annotate.editor.screen_message import Plural, ScreenMessage


class KeyName(ScreenMessage):
    """Names of actions on the line of keys of a dialog."""

    CHOOSE = "choose"
    CLOSE = "close"
    CONTINUE = "continue"
    COPY_NOTE = "copy the note; after that, r applies the label"
    GO = "go"
    KEYS = "keys"
    MARKS = "marks"
    MOVE = "move"
    NEXT_HIT = "then n: next hit"
    NEXT_PAGE = "next page"
    OPEN = "open"
    REFRESH = "refresh"
    SAMPLE = "sample"
    SCROLL = "scroll"
    SEND = "send"


class DialogText(ScreenMessage):
    """Titles, states and lines of the dialogs."""

    NO_LABEL = "no label"

    # question to the reviewers
    ASK_TITLE = "Ask the reviewers about this sample"
    ASK_HINT = "your question"

    # practice samples: the annotator's work next to the expected work
    EXPECTED = "Expected annotations: {found} found, {missed} missed; {extra} of yours not expected"
    NOTHING_EXPECTED = "Correct: this sample has nothing to annotate, and you annotated nothing."
    YOURS = "yours"
    RIGHT = "right"
    MISSED = "missed"
    EXTRA = "extra"
    YOURS_RATED = "yours rated {rating}"
    NOT_RATED = "not rated"
    RIGHT_RATED = "right rated {rating}"

    # search, go to a sample
    FIND_HINT = "type words as they appear in the text"
    JUMP_TITLE = "Go to sample"
    JUMP_HINT = "sample id, dataset/id, or the start of an id"

    # help
    KEYS_HERE = "Keys here"
    MARKS = "Marks"
    KEYS_READING = "Keys while reading"
    KEYS_SELECTING = "Keys while words are selected"
    KEYS_SOURCE = "Keys while the source is focused"
    KEYS_OPTION = "Keys while a question is open"
    KEYS_NOTE = "Keys while writing a note"
    KEYS_EDITING = "Keys while editing an annotation"
    KEYS_REVIEWING = "Keys in review"
    KEYS_VIEWING = "Keys while you view a file"

    # list of labels
    LABELS = "Labels"
    LABEL_HINT = "type any part of a label's name or description"
    LABELS_SHOWN = "{shown} of {count}"
    NO_LABEL_FOUND = "no label with this text in its name or description"
    SPLIT_LABEL = "split · {description}"
    RETIRED_LABEL = "retired · {description}"

    # news
    NEWS_TITLE = "New since your last session"

    # order of the queue
    ORDERS_TITLE = "Order of the queue"
    ORDERS_LOADING = "Loading scores ..."
    BY_SOURCE = "by source: keep all summaries of a source together"
    AS_IMPORTED = "as imported"
    BY_CONFLICTS = "samples with the most conflicts first"
    BY_CONTRADICTIONS = "{score}: most disagreement first"
    WORST_FIRST = "{score}: worst first"
    BEST_FIRST = "{score}: best first"
    UNCERTAIN_FIRST = "{score}: most uncertain first"
    WORST_FIRST_NEXT_TO = "{score}: worst first (next to {middle:g})"
    BEST_FIRST_NEXT_TO = "{score}: best first (next to {middle:g})"
    UNCERTAIN_FIRST_NEXT_TO = "{score}: most uncertain first (next to {middle:g})"
    SHUFFLED = "in random order (seed {seed})"

    # past annotations and sibling samples
    PAST_TITLE = "Your similar annotations"
    PAST_LOADING = "Searching your annotations ..."
    NO_PAST = "You have no annotations with similar claims yet"
    COUNT_OF_YOURS = "{count} of yours"
    SIBLINGS_TITLE = "Samples with the same source"
    SIBLINGS_LOADING = "Loading the samples ..."
    NO_SIBLING = "No other sample has the same source or question"
    OPEN_SIBLING = "here"
    ANNOTATIONS = Plural("{count:,} annotation", "{count:,} annotations")

    # review of a sample
    OUTCOME_TITLE = "How this sample was adjudicated"
    OUTCOME_YOURS = "Yours"
    OUTCOME_NONE = "You annotated nothing."
    OUTCOME_ADDED = "Adjudicated annotations that you did not make"
    OUTCOME_NONE_ADDED = "Nothing was added."

    # statistics
    STATISTICS = "Statistics"
    ALL_STATISTICS = "All statistics"
    MY_STATISTICS = "My statistics"
    REFRESHED = "refreshed"
    COUNTING = "Counting ..."
    NO_WORK = "No work yet"
    READINGS_REMAINING = Plural(
        "{count:,} reading remaining, {end}", "{count:,} readings remaining, {end}"
    )
    ENDS = "ends {day}"
    LOCKED = "{end} · {count:,} locked"
    HOURS_BY_WEEK = "Hours by week"
    FLAGGED = "Flagged"
    NO_REASON = "no reason"
    FLAG = "{sample}, {person}: {reason}"
    PACE = "{rate:,.1f}/h"
