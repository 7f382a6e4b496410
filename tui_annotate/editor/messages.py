"""Texts of the annotating screen: messages, and parts of the line about the current annotation.

Key handlers name a code and its fields; the sentence is built when it is displayed. The texts of
the review screen and of the viewer are in `review.messages` and `view.messages`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import unique
from types import MappingProxyType
from typing import Final, Literal

from tui_annotate.editor.screen_message import Plural, ScreenMessage

Kind = Literal["hint", "draft", "offer", "saved", "warning", "error"]


@unique
class MessageCode(ScreenMessage):
    """A code for each message of the annotating screen; its value is a text with fields."""

    NONE = ""
    TEXT = "{text}"  # a complete text, such as the message of an error

    # moving, matches and search
    NO_MATCH_LIT = "No match"
    AT_HIT = "Hit {number} of {count}: {what} · n next, N previous · Backspace ends the search"
    AT_MISSING_WORD = (
        "Word {number} of the {count} not in the source · c next, C previous · i hides the marks"
    )
    NO_HIT = "The search found no {what} in this text"
    NO_MATCH_TO_TAKE = (
        "No match to take as evidence: Tab goes to the source, Space takes a sentence"
    )
    NO_CLAIM_FOR_EVIDENCE = (
        "To add evidence, press e, then Space; for a new annotation, select words"
    )
    NO_WORDS_ON_SCREEN = "No words on screen to select"
    NO_SOURCE = "This sample has no source text"
    ONE_DOCUMENT_ONLY = "The source side has only one document"
    PASSAGE_NOT_SAVED = "This passage is not saved: a label's digit saves it, Backspace removes it"
    NO_WORDS_TO_LOOK_FOR = "No words at the cursor to search for"
    NO_ANNOTATION_TO_EDIT = "Press a to focus an annotation, then e to edit it"
    NO_ANNOTATION_TO_DELETE = "Press a to focus an annotation, then x to delete it"
    NO_ANNOTATION_TO_ASK_ABOUT = "Press a to focus an annotation, then ask about it"
    NO_ANNOTATIONS = "No annotations on this sample yet"
    NO_CITATIONS = "This report has no citations"
    NOTHING_OPEN = "Nothing to finish in this sample · press i to mark words not in the source"
    NOTHING_OPEN_BUT_HIDDEN = (
        "Nothing to finish in this sample · press Y to show hidden suggestions"
    )
    CITATION = "Citation {number}/{count} [{id}] · Tab goes to the document"
    CITATION_ABOUT = "Citation {number}/{count} [{id}] · Tab goes to the document · {about}"
    CITATION_WITHOUT_TEXT = (
        "Citation {number}/{count} [{id}] · its text is not available · c next, C previous"
    )
    KEY_WITHOUT_EFFECT = "The key {key} has no effect here · ? shows the keys"
    FINISH_EDIT_FIRST = "Finish the edit first: Enter saves it, e cancels it"

    # labels and ratings
    LABEL_GONE = "{label} is no longer in the label set"
    UNKNOWN_LABEL = "Unknown label"
    NO_LABEL_OF_DIGIT = "No label has the key {digit}: press {first} to {last}, or 0 for the list"
    ONLY_LABEL_DIGIT = "No label has the key {digit}: press {only}, or 0 for the list"
    NO_LABEL_TO_REPEAT = "No label to repeat yet"
    NO_CLAIM_TO_REPEAT_ON = "Move the cursor or select text first, then r repeats the label"
    DIGITS_OFF_ON_SUGGESTION = "To choose a label for the suggestion, press e, then a digit"
    DIGITS_OFF_AFTER_SAVE = "To add another annotation, first move the cursor or select words"
    NO_WORDS_TO_LABEL = "There are no words at the cursor"
    TAKES_NO_EVIDENCE = "Label {label} allows no evidence: press Backspace to remove the evidence"
    TAKES_NO_NOTE = "Label {label} allows no note: press Backspace to remove the note"
    LABEL_RETIRED = "{label} is retired: choose a different label"
    LABEL_SPLIT = "{label} was split: choose {parts}"
    LABEL_SPLIT_INTO_NOTHING = "{label} was split: choose a different label"
    HAS_LABEL_ALREADY = (
        "Annotation {letter} of this {what} has label {label}: press a, then e to edit it"
    )
    HAS_EXCLUSIVE_LABEL = (
        "Annotation {letter} of this {what} has label {label}, which excludes the new label"
    )
    PART_IS_EXCLUSIVE = "Label {label} allows no second label: press e to edit the labels"
    PART_TAKES_NO_EVIDENCE = "Label {label} allows no evidence: press e to edit the annotation"
    PART_TAKES_NO_NOTE = "Label {label} allows no note: press e to edit the annotation"
    OTHER_LABELS_OFF = "An exclusive label allows no second label: the other label is switched off"
    NO_LABEL_LEFT = "No label left: a digit adds one, e cancels the edit, x deletes the annotation"
    NO_ANCHOR_LEFT = "No claim or evidence left: select words, or press e to cancel, x to delete"
    NOTHING_CHANGED = "Nothing changed"
    NO_SCALE = "No rating scale for these samples: set ratings = [...] in the settings"
    ALREADY_RATED = "Already rated {rating}"
    ALREADY_NOT_RATED = "Already not rated"

    # labels that another version of the label set changed
    LABEL_REMOVED = "{label} was removed"
    LABEL_RENAMED = "{label} was renamed to {name}"
    LABEL_GIVEN_AGAIN = "{label} can be used again"
    LABEL_SPLIT_INTO = "{label} was split into {parts}"
    LABEL_RETIRED_NOW = "{label} was retired"
    LABEL_NEW = "{label} is new"
    REOPENED = "Reopened: {changes} · c next"
    REOPENED_LACKING = "Reopened: {changes} · a next annotation, e edit"
    REOPENED_UNRATED = "Reopened: rate the {item} (*)"
    LABEL_REQUIRES = "{label} requires {parts} now"

    # notes
    NO_NOTE_ON_SUGGESTION = "Press e to change the suggestion, then m to write its note"
    NO_NOTE_UNDER_LABEL = "Label {label} allows no note"
    FORMER_HAS_NO_NOTE_FOR_THIS = (
        "The past annotation you chose has no note · e edits the focused annotation"
    )
    FORMER_HAS_NO_NOTE = "The past annotation you chose has no note to copy"
    NOTE_IN_HAND_ALREADY = "The unsaved annotation already has a note: Backspace removes the note"
    NOTE_TAKEN = "Note copied to the unsaved annotation"
    REPEAT_TOGGLES = "r adds or removes the label {label}"
    REPEAT_SAVES = "r saves as {label}"
    ANNOTATION_OF_NOTE_GONE = "The annotation was deleted; your unsaved note on it is kept"
    NOTE_KEPT = "Note kept, but not saved: press m to open it again"
    COMMENT_KEPT = "Comment kept, but not saved: press M to open it again"

    # completing and closing a sample, and saves that the store refused
    NOT_SAVED_TRY_AGAIN = "This annotation was not saved: check it, then save it again"
    LABEL_TO_CHOOSE = (
        "Not completed: {label} of annotation {letter} was split · press {digits} to relabel"
    )
    LABEL_LACKS = "Not completed: annotation {letter} ({label}) needs {lacks} · e edit"
    LABEL_LACKS_NOTE = "Not completed: annotation {letter} ({label}) needs {lacks} · m note"
    LABEL_LACKS_BOTH = (
        "Not completed: annotation {letter} ({label}) needs {lacks} · e edit · m note"
    )
    NOT_RATED_YET = "The {item} is not rated · * rate · Enter again completes the sample"
    NOT_ALL_SEEN = "{unseen} · Enter again completes the sample"
    SELECTION_NOT_SAVED = (
        "The selection is not saved: a digit saves it · Enter again completes the sample"
    )
    SELECTION_NOT_SAVED_NOT_ALL_SEEN = (
        "The selection is not saved: a digit saves it · {unseen} · Enter again completes the sample"
    )
    FINISH_EDIT_BEFORE_LEAVING = "Finish the edit before you go on: Enter saves it, e cancels it"
    MORE_NOT_SAVED = "More unsaved annotations: {count} · save or remove this one to open the next"
    CLAIM_NOT_SAVED = "This claim is not saved: a label's digit saves it, Backspace removes it"
    EVIDENCE_IN_HAND = "Unsaved evidence: a label's digit saves it, Backspace removes it"
    NOTE_IN_HAND = "Unsaved note without a label: a label's digit saves it, Backspace removes it"
    NOTE_KEPT_ON = "Unsaved note on annotation {letter} ({label}): press m to open it"
    COMMENT_KEPT_ON = "Unsaved comment on the {item}: press M to open it"
    NOTE_KEPT_FOR_CLAIM = "Unsaved note: press v to select words, then m to open the note again"
    NOT_SAVED = "Not saved: {reason}"
    NOT_SAVED_YET_BECAUSE = "Your last change is not saved yet, and is tried again: {reason}"
    SAVED_AT_LAST = "The store answers again: all changes are saved"
    NOT_SAVED_YET = "Your last change is not saved yet: the store does not answer · trying again"
    TAKEN_BACK = "Undid: {what}"
    DONE_AGAIN = "Redid: {what}"
    RATED = "Rated {rating} · u undo"
    NOT_RATED_ANY_MORE = "Rating removed · u undo"
    NOT_SAVED_COMES_BACK = (
        "Annotation {label} was not saved: {reason} · retry after the current annotation"
    )

    # suggestions
    SUGGESTIONS_HIDDEN_NOW = "Suggestions are hidden in all samples: press Y to show them"
    SUGGESTIONS_SHOWN_NOW = "Suggestions shown"
    SUGGESTIONS_OPEN = Plural(
        "{count:,} suggestion to answer: {key} next, y accept, x reject, Y hide them all",
        "{count:,} suggestions to answer: {key} next, y accept, x reject, Y hide them all",
    )
    NO_SUGGESTION_IN_FOCUS = "Press {key} to go to a suggestion"
    SUGGESTIONS_HIDDEN = "Suggestions are hidden: press Y to show them"
    NO_SUGGESTIONS = "This sample has no unanswered suggestions"
    SUGGESTION_ON_OTHER_SIDE = "The suggestion is in the other text: press Tab to go back to it"
    SELECTION_IN_HAND = "Words are selected: Backspace deselects them"
    NO_LABEL_PROPOSED = "This suggestion has no label: press e, then a label's digit"
    UNKNOWN_LABEL_PROPOSED = (
        "The label set has no label {label}: press e, then a different label's digit"
    )
    PROPOSED_TAKES_NO_EVIDENCE = (
        "Label {label} allows no evidence: press e, then Backspace to remove it"
    )
    SUGGESTION_REFUSED = "Rejected {what}, suggested by {maker} · u undo"
    SUGGESTION_REFUSED_MORE_OPEN = "Rejected {what}, suggested by {maker} · u undo · {key} next"

    # the annotating screen
    READ_ONLY = "Read-only: nothing is saved, because {reason}"
    LOCKED = "Adjudicated: your work is locked · ask a reviewer to reopen it · Enter next"
    LOCKED_AND_LAST = "Adjudicated: your work is locked · no sample is left · q shows the queue"
    LOCKED_BY_REVIEW = "Locked by a review · ask a reviewer to reopen your work · Enter next"
    LOCKED_BY_REVIEW_AND_LAST = "Locked by a review · no sample is left · q shows the queue"
    REOPENED_FOR = "A reviewer reopened your work: {reason}"
    NEW_NAME = "New annotator {name} · not you? Quit, then --as NAME"
    WITH_MORE = "{first} · {more}"  # a message and another one
    NOW_SAMPLE = "Now sample {sample}: {state}"
    DAMAGED = "Cannot open sample {samples}: damaged in the workspace · run tui-annotate doctor"
    SEVERAL_DAMAGED = (
        "Cannot open samples {samples}: damaged in the workspace · run tui-annotate doctor"
    )
    FIRST_SAMPLE = "This is the first sample"
    LAST_SAMPLE = "This is the last sample"
    TOO_SOON = "Just opened. Press the key again when you have read the sample."
    INPUT_METHOD_ON = "An input method is on: switch it off, because letter keys are commands"
    LABEL_SET_CHANGED = "The label set changed"
    LABELS_CHANGED = "The labels changed: {changes}"
    CHANGED_LOOK_AGAIN = "{changed} · check the labels, then repeat the action"
    CHANGED_DIGIT_SAVES = "{changed} · press a label's digit to save"
    CHANGED_ENTER_SAVES = "{changed} · press Enter to save the annotation"
    ANNOTATION_DELETED = "Deleted {labels} · u undo"
    COMMENT_SAVED = "Comment on the {item} saved · u undo"
    SAMPLE_ENDED = "Sample {sample} {state} · u undo"
    LAST_SAMPLE_ENDED = (
        "Sample {sample} {state}; this was the last sample · q shows the queue · u undo"
    )
    BACK_TO_SKIPPED = "Sample {sample} {state} · only skipped samples are left · u undo"
    SET_ASIDE_LEFT = "Sample {sample} {state} · left: {count} · q shows the queue · u undo"
    ALL_BUT_LOCKED = (
        "All samples are completed, except {count} locked · q queue, q q quits · u undo"
    )
    ALL_FINISHED = "All samples are completed · q shows the queue, q q quits · u undo"
    PRACTICE_PASSED = "Practice passed: {score} correct · your own samples begin"
    PRACTICE_AGAIN = "Practice not passed: {score} of {needed} correct · it begins again"
    PRACTICE_FAILED = "Practice not passed: {score} of {needed} correct · your own samples begin"
    NOTHING_TO_UNDO = "Nothing to undo"
    NOTHING_TO_REDO = "Nothing to redo"
    UNDONE_ELSEWHERE = "{undone}, in sample {sample}"
    LOCKED_STAYS = "Locked sample {sample} stays"
    LOCKED_STAY = "{count} newer locked samples stay, for example {sample}"
    UNDONE = "{undone} · U redo"
    REDONE = "{undone} · u undo"
    SECOND_READING_BEGUN = "Second pass (2nd reading): annotations of your 1st reading are hidden"
    FIRST_READING_AGAIN = "First pass (1st reading): annotations of your 2nd reading are hidden"
    NO_SECOND_READING = "No sample is assigned to you to annotate a second time (2nd reading)"
    FIRST_READING_HIDDEN = (
        "Your first annotations are hidden until the 2nd reading of these samples is complete"
    )
    NO_LESSON_IN_SECOND_READING = (
        "The adjudication of the first reading is hidden during the 2nd reading"
    )
    NO_LESSON_YET = "Shown after your last reading and the adjudication, if the dataset allows"
    SENT_TO_REVIEWERS = "Sent to the reviewers: you will see their reply in your next session"
    NO_PARENT_REPORT = "The report of this sentence is not in the workspace"
    NO_OTHER_DOCUMENT_CITED = "This sentence cites no other document"
    FIRST_CITATION = "First citation of the report · J goes to the next unfinished citation"
    LAST_CITATION = "Last citation of the report · J goes to the next unfinished citation"
    NO_COLLECTION_ITEM = "J works only on reports, documents and citations, not on this sample"
    ALL_OTHERS_ANNOTATED = "All other {items} are annotated"
    NO_COLLECTION = "This sample is not part of a report collection · q shows the queue"

    # matches, and words that the source lacks
    MATCHES_BY_ALL = "Matches: words and meaning (vectors) · press t for words only"
    MATCHES_BY_WORDS = "Matches: words only · press t for meaning only"
    MATCHES_BY_VECTORS = "Matches: meaning only (vectors) · press t for words and meaning"
    NO_VECTORS = "{reason} · press t for words and meaning"
    LACKING_HIDDEN = "Words not found in the source are no longer marked"
    LACKING_NO_TWO_TEXTS = "Nothing to compare: this sample has no source or no summary"
    LACKING_SEARCH = "Searching for words not found in the source ..."
    LACKING_MARKED = "Marked words not in the source: {count} · c next, C previous · i unmarks them"
    LACKING_NONE = "All words are in the source; frequent ones (one, two, ...) were not checked"

    # positions of the answer, and contexts in a judge's order
    NO_GOLD_KNOWN = "No passage of this source is marked as the answer"
    NO_POSITION_STUDY = "This sample is not part of a position study"
    FIRST_FAILING = "This is the first sample with a wrong answer · q returns to the chart"
    LAST_FAILING = "This is the last sample with a wrong answer · q returns to the chart"
    NO_JUDGED_ORDER = "No judge has ranked the documents of this sample"
    JUDGED_ORDER = "Documents sorted by the judge's rank · d next, D previous"
    RETRIEVED_ORDER = "Documents sorted by the retriever's rank · d next, D previous"

    # synchronization
    NOTHING_SHARED = "Not shared: set TUI_ANNOTATE_SYNC_URL or TUI_ANNOTATE_SYNC_DIR · docs/sync.md"
    ONLINE = "Online: work is shared"
    OFFLINE = "Offline: work stays on this machine until you go online"
    NOT_SHARED_YET = "Not shared yet: {problem}"
    SYNC_FAILED = "Not shared yet ({key}: work offline): {problem}"
    SYNC_SLOW = (
        "The sync got no answer for {seconds} s: all work is saved on this machine"
        " · {key}: work offline"
    )
    LEFT_OUT_OF_PULL = "Synchronization skipped sample {sample}: {reason}"
    SENDING_LAST = "Quitting: sending the last changes; unsent changes are sent next time"


@unique
class LineText(ScreenMessage):
    """Texts of the status line that are no message, and the names of things in messages."""

    # what the next digit saves
    NO_WORDS = "There are no words at the cursor · Enter completes the sample · s skips it"
    SAVES = "Press {digits} to label {what}"
    SAVES_SHORT = "{digits} to label {what}"
    MOVE_FIRST = "To label {claim}, first move the cursor or select words, then press {digits}"
    WITH_EVIDENCE = "{what}, evidence: {spans}"
    WITHOUT_EVIDENCE = "{what}, no evidence"
    WITH_NOTE = "{what}, with a note"
    MATCH_NAME = "match {rank}"
    GUIDELINES_KEY = "g shows the guidelines"
    SAVING = "Saving ..."
    EDITING = "Editing {letter}: {labels} · {what} · Enter saves"
    EDITING_NEW = "Editing a new annotation: {labels} · {what} · Enter saves"

    # what was saved, and the annotation in focus
    SAVED = "Saved: {labels}"
    FOCUSED = "{letter} {labels}"
    SPLIT = "{letter} {label} was split: press {digits} to choose a new label"
    FROM = "from {origin}"
    CHANGED = "{maker}, changed"

    # actions that an undo names, and parts of the sample that were never on screen
    ANNOTATION = "annotation"
    EDIT = "change"
    DELETION = "deletion"
    RATING = "rating"
    SAMPLE_COMMENT = "sample comment"
    ACCEPTANCE = "acceptance"
    REJECTION = "rejection"
    COMPLETION = "completion"
    SKIP = "skipping"
    FLAGGING = "flagging"
    REOPENING = "reopening"
    DELETION_OF_ALL = "deletion of all annotations"
    ADDED_ANNOTATION = '{action} "{labels}"'
    ACTION_OF = '{action} of "{labels}"'
    NEVER_SHOWN = Plural(
        "Sentence {numbers} was never on screen", "Sentences {numbers} were never on screen"
    )
    UNSEEN = Plural("{count:,} suggestion never focused", "{count:,} suggestions never focused")

    # letters on words
    FIRST_WORD = "Type the highlighted letters of the selection's first word"
    FIRST_WORD_SHORT = "Type the letters of the first word"
    LAST_WORD = "Type the letters of the last word, or press Enter to select one word"
    LAST_WORD_SHORT = "Type the letters of the last word · Enter: one word"
    SECOND_OF_PAIR = "type the last letter as a capital to select the next word"
    SECOND_OF_PAIR_SHORT = "capital: next word"

    # questions
    RATE = "Rate the {item}: press {digits} · 0 not rated"
    FLAG = "Why flag it? Press {digits} for a reason · 0 other reason · Enter no reason"
    CHILD = "{label}: choose a sublabel ({digits}) · Enter chooses {label}"
    CHILD_SHORT = "{label}: choose a sublabel ({digits}) · Enter: no sublabel"
    EVIDENCE_OF_MATCH = "{label} needs evidence: Space takes match {rank} and saves"
    EVIDENCE_BY_HAND = "{label} needs evidence: press Backspace, then Tab to select it"
    EVIDENCE_OF_MATCH_SHORT = "{label} needs evidence: Space takes match {rank}"
    EVIDENCE_BY_HAND_SHORT = "{label} needs evidence: Backspace, then Tab"
    WITHOUT = "Enter saves without evidence: add it before you complete the sample"
    WITHOUT_SHORT = "Enter: add it later, to complete"
    REJECT = "Why reject it? Press {digits} for a reason · 0 other reason · Enter no reason"

    # the source
    TAKES = "Space takes {what} as evidence"
    TAKES_FOR = "Space takes {what} as evidence for {claim}"
    RELEASES = "Space removes {what} from the evidence"
    RELEASES_FOR = "Space removes {what} from the evidence for {claim}"
    PASSAGE_TAKES = "Space takes the selection as evidence"
    PASSAGE_TAKES_FOR = "Space takes the selection as evidence for {claim}"
    PASSAGE_RELEASES = "Space removes the selection from the evidence"
    THIS_SENTENCE = "this sentence"

    # what the open note is on
    FLAGGED_BECAUSE = "Flagged because:"
    REJECTED_BECAUSE = "Rejected because:"
    COMMENT = "Comment on the {item}:"
    NOTE_FOR_PASSAGE = "Note for this passage:"
    NOTE_FOR_CLAIM = "Note for {claim}:"
    NOTE_ON = "Note on {letter} {label}:"
    NOTE = "Note:"

    # suggestions
    SUGGESTION = "y accepts {what} · {maker}"
    SUGGESTION_WITHOUT_LABEL = "To save {what}: press e, a digit, Enter · suggested by {maker}"
    SUGGESTED_LABELS = "{labels}: {claim}"
    UNNAMED_EVIDENCE = "{what}, evidence"
    REASON = "{what}: {reason}"

    SUGGESTION_PAGE = "Suggestion"
    MADE_FROM = "# {labels}\nMade from a suggestion of {origin}"
    REASON_PAGE = "# Reason\n{reason}"
    CLAIM_PAGE = "# Claim\n{texts}"
    EVIDENCE_PAGE = "# Evidence\n{texts}"

    # keys
    NEXT_KEY = "{key} next"
    UNDO_KEY = "u undo"
    NOTE_KEY = "m note"
    EDIT_KEY = "e edit"
    DELETE_KEY = "x delete"
    CHANGE_KEY = "e change"
    REJECT_KEY = "x reject"
    BACK_KEY = "Tab back"
    CANCEL_KEY = "Backspace cancels"
    CANCEL_EDIT_KEY = "e cancels"
    KEEP_RATING_KEY = "Enter keeps the rating"

    # names
    SENTENCE = "sentence {number}"
    CLAIM_NAME = "claim"
    PASSAGE_NAME = "passage"
    REPORT_NAME = "report"
    DOCUMENT_NAME = "document"
    CITATION_NAME = "citation"
    SAMPLE_NAME = "sample"
    NO_CLAIM = "no claim"
    NO_LABEL = "no label"
    AND_MORE = "{what} and {count:,} more"
    MORE = "{count:,} more"


def join_parts(*parts: str) -> str:
    """Join the parts of a line by ` · `, without empty parts."""
    return " · ".join(filter(None, parts))


@dataclass(frozen=True, slots=True)
class StatusMessage:
    """A message about the last key press; a value of `fields` may be another message."""

    code: ScreenMessage = MessageCode.NONE
    fields: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    kind: Kind = "hint"

    def __bool__(self) -> bool:
        return self.code is not MessageCode.NONE

    @property
    def text(self) -> str:
        """The message in the language of the screen."""
        return self.code.text(**self.fields)

    def __str__(self) -> str:
        return self.text


AnyMessage = ScreenMessage | StatusMessage | str
"""What can be shown as a message: a code with separate fields, a complete message, or a text."""

NO_MESSAGE = StatusMessage()


def make_message(message: AnyMessage, kind: Kind = "hint", **fields: object) -> StatusMessage:
    """Return a message for the status line, made from a code, another message or a plain text."""
    if isinstance(message, StatusMessage):
        return replace(message, kind=kind)
    if isinstance(message, str):
        return StatusMessage(MessageCode.TEXT, {"text": message}, kind)
    return StatusMessage(message, fields, kind)


def add_state(event: AnyMessage, state: AnyMessage, *, sample: str, kind: Kind) -> StatusMessage:
    """Return the message about an event with one about the state of the sample that is now open.

    The second part names the sample, because the event was often on another one. Both may be empty.
    """
    before = make_message(event, kind)
    now = make_message(state, kind)
    if before.text and now.text and not _is_of_open_sample(before):
        now = StatusMessage(MessageCode.NOW_SAMPLE, {"sample": sample, "state": now}, kind)
    return combine_messages(before, now, kind)


_ABOUT_NO_OTHER_SAMPLE: Final = frozenset({
    MessageCode.READ_ONLY,
    MessageCode.NEW_NAME,
    MessageCode.LOCKED,
    MessageCode.LOCKED_BY_REVIEW,
    MessageCode.REOPENED_FOR,
    MessageCode.REOPENED,
    MessageCode.REOPENED_LACKING,
    MessageCode.REOPENED_UNRATED,
    MessageCode.NOW_SAMPLE,
})  # fmt: skip


def _is_of_open_sample(message: StatusMessage) -> bool:
    """Return whether what follows a message can only be understood of the open sample."""
    parts = [each for each in message.fields.values() if isinstance(each, StatusMessage)]
    return message.code in _ABOUT_NO_OTHER_SAMPLE or any(map(_is_of_open_sample, parts))


def combine_messages(first: AnyMessage, more: AnyMessage, kind: Kind) -> StatusMessage:
    """Return a message that consists of two, each of which may be empty."""
    both = [each for each in (make_message(first, kind), make_message(more, kind)) if each.text]
    if len(both) < 2:
        return both[0] if both else NO_MESSAGE
    return StatusMessage(MessageCode.WITH_MORE, {"first": both[0], "more": both[1]}, kind)
