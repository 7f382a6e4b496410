"""The messages of the draft line: a code for each, and its sentence with named fields.

Handlers of keys name a code and its fields; the sentence is made where it is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, unique
from types import MappingProxyType
from typing import Literal

Kind = Literal["hint", "draft", "offer", "saved", "warning", "error"]


@unique
class MessageCode(Enum):
    """Each message; the value is its English sentence, with fields in braces."""

    NONE = ""
    TEXT = "{text}"  # words that another layer made, such as those of an error

    # moving, matches and search
    NO_MATCH_LIT = "nothing is lit"
    AT_HIT = "{number} of {count}: {what} · n N walk · Backspace ends it"
    AT_MISSING_WORD = "{number} of {count} that the source has nowhere · c C walk them · i off"
    NO_HIT = "{what}: none here"
    NO_MATCH_TO_TAKE = "no match is lit: Tab goes to the source, Space takes a sentence there"
    NO_CLAIM_FOR_EVIDENCE = (
        "e adds evidence to what is in focus; for a new one move or select first"
    )
    NO_WORDS_ON_SCREEN = "no words on screen"
    NO_SOURCE = "this sample has no source text"
    ONE_DOCUMENT_ONLY = "the source side has one document only"
    PASSAGE_NOT_SAVED = "this passage is not saved yet: a digit tries again, Backspace drops it"
    NO_WORDS_TO_LOOK_FOR = "no words here to look for"
    NO_ANNOTATION_TO_EDIT = "a walks to an annotation, e edits it then"
    NO_ANNOTATION_TO_DELETE = "a walks to an annotation, x deletes it then"
    NO_ANNOTATIONS = "no annotations on this sample yet"
    NO_CITATIONS = "this report cites nothing"
    NOTHING_OPEN = "nothing is open here · i marks the words that the source has nowhere"
    NOTHING_OPEN_BUT_HIDDEN = "nothing is open here · Y shows suggestions"
    CITATION = "citation {number}/{count} [{id}] · Tab reads it{about}"
    CITATION_WITHOUT_TEXT = (
        "citation {number}/{count} [{id}] · its text is not available · c C walk"
    )
    FINISH_EDIT_FIRST = "Enter saves this one first, e leaves it"

    # labels and ratings
    LABEL_GONE = "{label} is no label any more"
    UNKNOWN_LABEL = "no such label"
    NO_LABEL_TO_REPEAT = "no label to repeat yet"
    NO_CLAIM_TO_REPEAT_ON = "move or select first, then r repeats the label"
    DIGITS_OFF_ON_SUGGESTION = "e first: then digits are labels of the suggestion"
    DIGITS_OFF_AFTER_SAVE = "digits sleep after a save: move or select first"
    NO_WORDS_TO_LABEL = "no words here to label"
    TAKES_NO_EVIDENCE = "{label} takes no evidence: Backspace gives it back"
    TAKES_NO_NOTE = "{label} takes no note: Backspace drops it"
    LABEL_RETIRED = "{label} is retired: choose another label"
    LABEL_SPLIT = "{label} was split: choose {parts}"
    LABEL_SPLIT_INTO_NOTHING = "{label} was split: choose another label"
    HAS_LABEL_ALREADY = "{letter} says {label} of this {what} already: a then e edits it"
    HAS_EXCLUSIVE_LABEL = "{letter} says {label} of this {what}, one must stand alone"
    PART_IS_EXCLUSIVE = "{label} must stand alone: e edits the labels"
    PART_TAKES_NO_EVIDENCE = "{label} takes no evidence: e edits it"
    PART_TAKES_NO_NOTE = "{label} takes no note: e edits it"
    OTHER_LABELS_OFF = "one of the two must stand alone: the other is off"
    NO_LABEL_LEFT = "no label is left: a digit puts one on, e leaves, x deletes"
    NO_ANCHOR_LEFT = "nothing is left of it: select a claim, or e leaves, x deletes"
    NOTHING_CHANGED = "nothing was changed"
    NO_SCALE = "samples of this kind are not rated here: ratings = [...] in the settings"
    ALREADY_RATED = "it is {rating} already"
    ALREADY_NOT_RATED = "it is not rated"

    # labels that another label set changed
    LABEL_REMOVED = "{label} is gone"
    LABEL_RENAMED = "{label} is {name} now"
    LABEL_GIVEN_AGAIN = "{label} is given again"
    LABEL_SPLIT_INTO = "{label} was split into {parts}"
    LABEL_RETIRED_NOW = "{label} is retired"
    LABEL_NEW = "{label} is new"
    REOPENED = "reopened: {changes} · c next"

    # notes
    NO_NOTE_ON_SUGGESTION = "e takes the suggestion for changes, m writes its note then"
    NO_NOTE_UNDER_LABEL = "{label} takes no note"
    FORMER_HAS_NO_NOTE_FOR_THIS = "that one has no note · e changes the labels of this one"
    FORMER_HAS_NO_NOTE = "that one has no note{then}"
    NOTE_IN_HAND_ALREADY = "a note is in hand already, Backspace drops it{then}"
    NOTE_TAKEN = "the note is taken{then}"
    REPEAT_TOGGLES = " · r puts {label} on, or takes it off"
    REPEAT_SAVES = " · r saves as {label}"
    ANNOTATION_OF_NOTE_GONE = "the annotation of this note is gone; the text is kept"
    NOTE_KEPT = "the note is kept, not saved: m opens it again"
    COMMENT_KEPT = "the comment is kept, not saved: M opens it again"

    # finishing, leaving, and what the store refused
    NOT_SAVED_TRY_AGAIN = "this one is not saved yet: a digit tries again"
    LABEL_TO_CHOOSE = "not done: {letter} {label} was split · {digits} choose · e edit"
    LABEL_LACKS = "not done: {letter} {label} wants {lacks} · e edit · m note"
    NOT_ALL_SEEN = "{unseen} · Enter again: done"
    FINISH_EDIT_BEFORE_LEAVING = "Enter saves the edit first, e leaves it"
    MORE_NOT_SAVED = "{count} more not saved yet: finish this one, it comes back next"
    CLAIM_NOT_SAVED = "this claim is not saved yet: a digit tries again, Backspace drops it"
    EVIDENCE_IN_HAND = "evidence is taken: a digit saves it, Backspace gives it back"
    NOTE_IN_HAND = "a note waits for its label: a digit saves it, Backspace drops it"
    NOTE_KEPT_ON = "a note is kept on {letter} {label}, not saved: m opens it"
    COMMENT_KEPT_ON = "a comment is kept on the {item}, not saved: M opens it"
    NOTE_KEPT_FOR_CLAIM = "a note is kept for a claim, not saved: v then m opens it"
    NOT_SAVED = "not saved: {reason}"
    TAKEN_BACK = "taken back: {what}"
    DONE_AGAIN = "done again: {what}"
    RATED = "rated {rating} · u undo"
    NOT_RATED_ANY_MORE = "not rated any more · u undo"
    NOT_SAVED_COMES_BACK = "not saved: {label}, it comes back next: {reason}"

    # suggestions
    SUGGESTIONS_HIDDEN_NOW = "suggestions are hidden, in every sample: Y shows them"
    SUGGESTIONS_SHOWN_NOW = "suggestions are shown"
    SUGGESTIONS_OPEN = "{suggestions} to look at: {key} walks them, y accepts · Y hides"
    NO_SUGGESTION_IN_FOCUS = "{key} walks to a suggestion"
    SUGGESTIONS_HIDDEN = "suggestions are hidden: Y shows them"
    NO_SUGGESTIONS = "no suggestion waits on this sample"
    SUGGESTION_ON_OTHER_SIDE = "Tab goes back to the suggestion"
    SELECTION_IN_HAND = "something is selected: Backspace drops it"
    NO_LABEL_PROPOSED = "no label is proposed: e, then a digit"
    UNKNOWN_LABEL_PROPOSED = "no label here is called {label}: e, then a digit"
    PROPOSED_TAKES_NO_EVIDENCE = "{label} takes no evidence: e, then Backspace gives it back"
    SUGGESTION_REFUSED = "refused {what} of {maker} · u undo"
    SUGGESTION_REFUSED_MORE_OPEN = "refused {what} of {maker} · u undo · {key} next"

    # review
    EDIT_IS_OPEN = "Enter saves the edit, e leaves it"
    NO_COMMENT_IN_EDIT = "a comment is settled outside of an edit · m notes what is edited"
    REVIEW_NOT_ALLOWED = "{reason}"
    NO_CANDIDATE = "there is no rival here · c walks to the next conflict"
    NO_CANDIDATE_TO_REFUSE = "there is no rival here to refuse · c walks to the next conflict"
    NO_MAJORITY = "no majority: a digit chooses a rival, y takes it then"
    ALREADY_TAKEN = "it is taken already · e edits it · x refuses it"
    ALREADY_REFUSED = "refused already: {reason} · a digit, then y takes one after all"
    NO_CANDIDATES_TO_MERGE = "there are no two rivals here to merge"
    LABEL_TO_MERGE_UNCLEAR = "whose label? a digit chooses a rival, M merges under its label then"
    REFUSAL_NEEDS_WORDS = "without words nothing is refused"
    NOT_SETTLED_LABEL_SPLIT = "not settled: its label was split · e edits it"
    NOTHING_TO_REVIEW = "nobody marked anything here"
    NO_CONFLICT_LEFT = "no conflict is left · Enter settles the sample"
    NOTHING_TO_EDIT = "there is nothing here to edit · + adds a selection as your own"
    CANDIDATE_TO_EDIT_UNCLEAR = "which one? a digit chooses a rival, e edits it then"
    NO_SELECTION_TO_ADD = "select words of the summary first (f, v or .), + adds them then"

    # files that are looked at
    NOT_IN_A_FILE = "not here: {action} · a file is looked at, nothing in it is changed · ? keys"
    NO_ANNOTATION_IN_SAMPLE = "nobody marked anything in this sample"
    NO_ANNOTATION_OF_PERSON = "nothing here is {name}'s · 0 shows everybody's"
    NO_PEOPLE = "the file names nobody who did anything in this sample"
    NO_WORDS_MARKED = "nothing is marked: i marks the words that the source has nowhere"

    # the annotating screen
    WITH_MORE = "{first} · {more}"  # a message and another one
    FIRST_SAMPLE = "this is the first sample"
    LAST_SAMPLE = "this is the last sample"
    TOO_SOON = "this sample has only just come: once more when it is read"
    INPUT_METHOD_ON = "an input method is on: switch it off, letters are commands here"
    LABEL_SET_CHANGED = "the labels changed"
    LABELS_CHANGED = "the labels changed: {changes}"
    CHANGED_LOOK_AGAIN = "{changed} · look, and do it again"
    CHANGED_DIGIT_SAVES = "{changed} · a digit saves it now"
    CHANGED_ENTER_SAVES = "{changed} · Enter saves it now"
    ANNOTATION_DELETED = "deleted {labels} · u undo"
    COMMENT_SAVED = "the comment on the {item} is saved · u undo"
    SAMPLE_ENDED = "sample {sample} is {state} · u undo"
    LAST_SAMPLE_ENDED = "sample {sample} is {state} · q queue · u undo"
    ALL_FINISHED = "all samples are finished · q queue · u undo"
    NOTHING_TO_UNDO = "nothing to undo"
    NOTHING_TO_REDO = "nothing to do again"
    UNDONE_ELSEWHERE = "{undone}, in {sample}"
    UNDONE = "{undone} · U redo"
    REDONE = "{undone} · u undo"
    SECOND_READING_BEGUN = "2nd reading: what you did the first time is not shown"
    FIRST_READING_AGAIN = "back at the first reading"
    NO_SECOND_READING = "nothing of yours is to be read a second time"
    NO_LESSON_IN_SECOND_READING = (
        "the 2nd reading is done without knowing how the first was settled"
    )
    NO_LESSON_YET = "review has not settled this sample, or you did nothing on it"
    SENT_TO_REVIEWERS = "the reviewers have it; their answer is told when you next begin"
    NO_PARENT_REPORT = "the report of this sentence is not here"
    NO_OTHER_DOCUMENT_CITED = "this sentence cites no other document"
    FIRST_CITATION = "this is the first citation of the report · J next to do"
    LAST_CITATION = "this is the last citation of the report · J next to do"
    NO_COLLECTION_ITEM = (
        "this is no report, document or citation: Enter goes to the next unfinished"
    )
    ALL_OTHERS_ANNOTATED = "every other {item} is annotated"
    NO_COLLECTION = "this sample is of no collection of reports: q shows the queue"

    # matches, and words that the source lacks
    MATCHES_BY_ALL = "matches by words and vectors together · t words alone"
    MATCHES_BY_WORDS = "matches by words alone · t vectors alone"
    MATCHES_BY_VECTORS = "matches by vectors alone · t words and vectors together"
    NO_VECTORS = "{reason} · t words and vectors together"
    LACKING_HIDDEN = "words that the source lacks are not marked any more"
    LACKING_NO_TWO_TEXTS = (
        "there are no two texts here to compare; in other samples words are marked"
    )
    LACKING_SEARCH = "looking for words that the source lacks ..."
    LACKING_MARKED = "{count} marked: words that the source has nowhere · c C walk them · i off"
    LACKING_NONE = "all numbers, names and words stand somewhere in the source · i off"

    # positions of the answer, and contexts in a judge's order
    NO_GOLD_KNOWN = "nobody knows which passage answers this sample"
    NO_POSITION_STUDY = "this sample is of no position study: nobody knows where its answer stands"
    FIRST_FAILING = "this is the first of those that fail · q the chart"
    LAST_FAILING = "this is the last of those that fail · q the chart"
    NO_JUDGED_ORDER = "no judge has sorted the documents of this sample"
    JUDGED_ORDER = "documents in the judge's order · d D walk them"
    RETRIEVED_ORDER = "documents in the retriever's order · d D walk them"

    # review and the viewer
    NOBODY_ASKED = "nobody asked anything about this sample"
    ANSWER_SENT = "answered: whoever asked is told when they next begin"
    NAMES_SHOWN = "W hides the names: {names}"
    REVIEW_ACTION_SAVED = "{done}"
    SAMPLE_SETTLED = "{sample} is settled · u undo"
    ALL_SETTLED = "nothing more waits for review · {sample} is settled · u undo · q queue"
    REVIEW_UNDONE = "taken back: {done} · U redo"
    REVIEW_REDONE = "done again: {done} · u undo"
    REVIEW_UNDONE_ELSEWHERE = "taken back: {done}, in {sample}"
    REVIEW_REDONE_ELSEWHERE = "done again: {done}, in {sample}"
    READING_SAMPLE = "reading the sample ..."
    STILL_READING_SAMPLE = "reading the sample: its sentences are looked for ..."
    NO_SAMPLE_IN_FILE = "there is no sample to look at · q leaves"

    # sharing
    NOTHING_SHARED = "nothing is shared: TUI_ANNOTATE_SYNC_URL or _DIR says where · docs/sync.md"
    ONLINE = "online: work is shared"
    OFFLINE = "offline: work stays here until you go online"
    NOT_SHARED_YET = "not shared yet: {problem}"
    LEFT_OUT_OF_PULL = "left out of a pull: {sample}: {reason}"
    SENDING_LAST = (
        "leaving: sending what is left to the others; seconds at most, the rest goes next time"
    )


@dataclass(frozen=True, slots=True)
class StatusMessage:
    """A message of the draft line, shown until the next key.

    Attributes:
        fields: by the names in the sentence of the code; one may be a message of its own.
    """

    code: MessageCode = MessageCode.NONE
    fields: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    kind: Kind = "hint"

    def __bool__(self) -> bool:
        return self.code is not MessageCode.NONE

    @property
    def text(self) -> str:
        """The sentence with its fields."""
        return self.code.value.format(**self.fields)

    def __str__(self) -> str:
        return self.text


AnyMessage = MessageCode | StatusMessage | str
"""A code, whose fields are given with it; a whole message; or words of another layer."""

NO_MESSAGE = StatusMessage()


def make_message(message: AnyMessage, kind: Kind = "hint", **fields: object) -> StatusMessage:
    """A message of the given kind; a string is words of another layer.

    Args:
        fields: by the names in the sentence of the code.
    """
    if isinstance(message, StatusMessage):
        return replace(message, kind=kind)
    if isinstance(message, str):
        return StatusMessage(MessageCode.TEXT, {"text": message}, kind)
    return StatusMessage(message, fields, kind)
