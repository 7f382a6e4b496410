"""The texts of the review screen: messages, and the parts of the status line."""

from __future__ import annotations

from enum import unique

from tui_annotate.editor.screen_message import Plural, ScreenMessage


@unique
class ReviewText(ScreenMessage):
    """A code for each text of the review screen; the value is a text with fields in braces."""

    # answers to keys
    EDIT_IS_OPEN = "Finish the edit first: Enter saves it, e cancels it"
    NO_COMMENT_IN_EDIT = "Finish the edit before you write the sample comment · m adds a note"
    REVIEW_NOT_ALLOWED = "{reason}"
    NO_CANDIDATE = "No candidate annotation here · press c for the next conflict"
    NO_CANDIDATE_TO_REFUSE = (
        "No candidate annotation here to reject · press c for the next conflict"
    )
    NO_MAJORITY = "No candidate has a majority: press a candidate's digit, then y to accept it"
    ALREADY_TAKEN = "This candidate is already accepted · e edits it, x rejects it"
    SOURCES_LOST = "Already accepted, though it has no candidate now · e edits, x removes it"
    ALREADY_REFUSED = "Already rejected: {reason} · to accept a candidate, press its digit, then y"
    NO_CANDIDATES_TO_MERGE = "Nothing to merge: fewer than two candidate annotations in this group"
    LABEL_TO_MERGE_UNCLEAR = (
        "The candidates have different labels: choose one by its digit, then M merges"
    )
    REFUSAL_NEEDS_WORDS = "A rejection needs a reason"
    REOPENING_NEEDS_WORDS = "Reopening needs a reason, which the annotator sees"
    NOT_ADJUDICATED = "Not adjudicated: annotators can change their work"
    ANSWER_OR_CANCEL = "Choose an answer by its digit, or press Backspace first"
    NOT_SETTLED_LABEL_SPLIT = "Not adjudicated: a label was split · e edits the annotation"
    NOT_SETTLED_LACKING = "Not adjudicated: the label requires {parts} · e edits the annotation"
    NOTHING_TO_REVIEW = "No annotations on this sample"
    NO_CONFLICT_LEFT = "No conflict is left · Enter adjudicates the sample"
    NOTHING_TO_EDIT = "Nothing to edit here · + adds the selection as your own annotation"
    CANDIDATE_TO_EDIT_UNCLEAR = "Several candidates: choose one by its digit, then e edits it"
    NO_SELECTION_TO_ADD = "First select words of the summary (f, v or .), then + adds an annotation"

    # answers of the store
    NOBODY_ASKED = "No questions about this sample"
    ANSWER_SENT = "Answer sent: the annotator will see it in their next session"
    NAMES_SHOWN = "W hides the annotators' names: {names}"
    REVIEW_ACTION_SAVED = "{done}"
    SAMPLE_SETTLED = "Sample {sample} adjudicated · u undo"
    ALL_SETTLED = "All samples are adjudicated · q shows the queue, q q quits · u undo"
    REVIEW_UNDONE = "Undid: {done} · U redo"
    REVIEW_REDONE = "Redid: {done} · u undo"
    REVIEW_UNDONE_ELSEWHERE = "Undid: {done}, in sample {sample}"
    REVIEW_REDONE_ELSEWHERE = "Redid: {done}, in sample {sample}"

    # what the last action did
    ACTION_DONE = "{done} · u undo · {next}"
    ACCEPTED_LABELS = "Accepted {labels}"
    MERGED_LABELS = "Merged {labels}"
    SAVED_LABELS = "Saved {labels}"
    ADDED_LABELS = "Added {labels}"
    REMOVED = "Removed"
    REJECTED = "Rejected"
    REOPENED = "Reopened"
    RATED = "Rated {rating}"
    NO_RATING = "No rating accepted"
    COMMENT_DONE = "Comment adjudicated"

    REOPENED_ALL = "Reopened the sample and the work of all its annotators"
    REOPENED_ONE = "Reopened the work of one annotator, who sees the reason"

    # actions that were undone or redone
    UNDO_TAKE = "acceptance"
    UNDO_MERGE = "merge"
    UNDO_EDIT = "edit"
    UNDO_OWN = "your own annotation"
    UNDO_REMOVE = "removal"
    UNDO_REJECT = "rejection"
    UNDO_DONE = "adjudication"
    UNDO_REOPEN = "reopening"
    UNDO_RATE = "rating"
    UNDO_COMMENT = "sample comment"

    # the status line: questions
    REJECTED_BECAUSE = "Rejected because:"
    REOPENED_BECAUSE = "Reopened because:"
    WHOSE_WORK = "Whose work do you reopen?"
    WHY_NO_RATING = "No rating is accepted ({ratings}): why not?"
    CHOOSE_RATING = "* chooses one"
    WHY_ONE_OPEN = "Conflict ({candidates}): why do you reject it?"
    WHY_ALL_OPEN = "Undecided ({candidates}): reject all? Choose why"
    WHY_OPEN = "{count} undecided ({candidates}): reject all? Choose why"
    DECIDE_INSTEAD = "y x M e decide"
    CHANGED = "Changed since the decision: {changed}"
    DECIDE_AGAIN = "y, x or * decides again"
    COMMENTED = "No final comment yet, but a sample comment of {people}"
    WRITE_COMMENT = "m writes the final comment"
    ASKED_ONE = "1 question is unanswered"
    ASKED = "{count} questions are unanswered"
    ANSWER_FIRST = "press : to answer"
    CHANGED_RATING = "rating {rating} ({ratings})"
    WHY_REJECT = "Why do you reject {candidate}?"
    WHY_REJECT_ALL = "Why do you reject all candidates of this group?"

    # the status line: the current group of candidates
    ADD_SELECTION = "+ adds {selection} as your own annotation"
    DESELECT = "Backspace deselects"
    COMPLETE = "Enter adjudicates"
    NEXT_CONFLICT = "c next conflict"
    NEXT_SAMPLE = "> next sample"
    GO_TO = "press c for the next conflict, a for the next annotation"
    NOTHING_ELSE = "No other annotations: Enter adjudicates the sample"
    NOTHING = "No annotations: Enter adjudicates the sample"
    SELECT_AND_ADD = "select words and press + to add your own annotation"
    OWN = "Your own: {annotation}"
    SOURCE_LOST = "Accepted, no candidate now: {annotation}"
    EDIT_KEY = "e edit"
    REMOVE_KEY = "x remove"
    MERGE_KEY = "M merge"
    REJECT_ALL_KEY = "x reject all"
    REJECTED_REASON = "Rejected: {reason}"
    DIGIT_AND_ACCEPT = "press {digits} to choose a candidate, then y to accept it"
    AGREED = "All annotators agree, Enter accepts: {annotation}"
    AGREED_SO_FAR = "All who have completed it agree: {annotation}"
    AGREED_LACKING = "All annotators agree, but the label requires {parts}: {annotation}"
    ACCEPT = "y accepts {candidate}"
    ACCEPT_VOTES = "y accepts {candidate}, which has {votes} of {people} votes"
    ACCEPT_AFTER_ALL = "y accepts the rejected candidate"
    CHOOSE = "No candidate has a majority: press {digits} to choose one"
    NOTE = "note {note}"
    DECIDED = "{decision}: {annotation}"
    DECIDED_REJECTED = "Rejected, {reason}: {candidate}"
    CANDIDATE = "{people}: {labels}, {anchors}"
    ADJUDICATED = "{labels}, {anchors}"
    DECIDED_BEFORE = "Candidates changed since your decision: {annotation}"
    REJECTED_BEFORE = "Candidates changed since you rejected them"
    ACCEPT_AGAIN = "y accepts the present candidate"
    CHOOSE_AGAIN = "press {digits}, then y accepts it"
    NUMBERED = "{digit} {candidate}"
    EVIDENCE_ONLY = "evidence only"
    WITH_EVIDENCE = Plural("{claim}, {count:,} evidence span", "{claim}, {count:,} evidence spans")
    NO_REASON = "no reason"

    # decisions on a candidate
    DECISION_ACCEPTED = "Accepted"
    DECISION_MERGED = "Merged"
    DECISION_EDITED = "Edited"
    DECISION_OWN = "Your own"
    DECISION_REJECTED = "Rejected by you"

    # the title over the summary
    STATUS_DECIDED = "adjudicated"
    STATUS_REJECTED = "rejected"
    STATUS_CHANGED = "changed since the decision"
    STATUS_AGREED = "agreed"
    STATUS_AGREED_BUT = "agreed, but {differences}"
    STATUS_NEARLY = "partly agreed: {differences}"
    STATUS_CONFLICT = "conflict: {differences}"
    SILENT = "{people} marked nothing here"

    # what differs between candidates
    DIFFERENT = "different {parts}"
    DIFFERENT_LABEL = "labels"
    DIFFERENT_EXTENT = "spans"
    DIFFERENT_EVIDENCE = "evidence"
    DIFFERENT_NOTE = "notes"
    DIFFERENT_PASSAGES = "passages"
