"""The table of all actions and their keys, for annotating, review and the read-only viewer.

The key map, the key line, the help and the command palette are made from this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

READING, SELECTING, SOURCE, OPTION, NOTE, EDITING = "R", "S", "V", "L", "N", "E"
"""Letters for the states of the annotating screen; the state decides which keys work."""
REVIEWING: Final = "J"
"""Letter for the state of the review screen, except while the reviewer edits an annotation."""
VIEWING: Final = "F"
"""Letter that marks the actions of the viewer, which shows a file read-only."""
ANNOTATING: Final = "RSVE"
EVERYWHERE: Final = ANNOTATING + REVIEWING + VIEWING
STATES: Final = "RSVLNE" + REVIEWING + VIEWING
DIGITS: Final = "1234567890"


@dataclass(frozen=True, slots=True)
class Action:
    """A user action, such as "next sample", and the keys that run it.

    Attributes:
        id: stable name for key maps, `noun.verb`.
        keys: keys that run the action: a printable character as it is typed, or a name such as
            `down`, `ctrl+d`, `f1`.
        states: letters of `STATES` in which the action is available.
        short: name of the action on the key line.
        short_at: other names on the key line by state; an empty name hides the action.
        at: other descriptions by state.
        fixed: whether users cannot change the keys.
        early: whether the action changes no data, so that it works before the sample is on screen,
            or in a window that is too small to show the sample.
        small_window: whether an action that is not `early` works in such a window.
        after_save: whether the action depends on stored data, so that it waits for a running save.
        after_search: whether the action depends on found words, so that it waits for a search.
        changes: letters of the states in which the action changes stored work, or prepares a
            change, so that a read-only workspace refuses the action.
        yields: whether a user's own binding of a key takes precedence; for actions that are newer
            than the first key maps.
    """

    id: str
    keys: tuple[str, ...]
    help: str
    group: str
    states: str = ANNOTATING
    short: str = ""
    short_at: Mapping[str, str] = field(default_factory=dict)
    at: Mapping[str, str] = field(default_factory=dict)
    fixed: bool = False
    early: bool = False
    small_window: bool = False
    after_save: bool = False
    after_search: bool = False
    needs_source: bool = False
    needs_account: bool = False
    listed: bool = True
    yields: bool = False
    changes: str = ""

    def words(self, state: str) -> str:
        """Return what a key's action does in a state of the screen (a letter of `STATES`)."""
        return self.at.get(state, self.help)

    @property
    def in_small_window(self) -> bool:
        return self.early or self.small_window

    @property
    def while_pending(self) -> bool:
        return OPTION in self.states


def _move(action_id: str, keys: tuple[str, ...], words: str, *, at: str, short: str = "") -> Action:
    """Define an action that moves the cursor; `at` is its description while text is selected."""
    return Action(
        action_id, keys, words, "Move", EVERYWHERE, short=short, early=True, at={SELECTING: at}
    )


ACTIONS: Final[tuple[Action, ...]] = (
    _move("sentence.next", ("down", "j"), "next sentence", short="sentence",
          at="move the selection's end one sentence forward"),
    _move("sentence.previous", ("up", "k"), "previous sentence",
          at="move the selection's end one sentence back"),
    _move("char.next", ("right", "l"), "next character",
          at="move the selection's end to the next character"),
    _move("char.previous", ("left", "h"), "previous character",
          at="move the selection's end to the previous character"),
    _move("word.next", ("w", "ctrl+right"), "next word",
          at="move the selection's end to the next word"),
    _move("word.previous", ("b", "ctrl+left"), "previous word",
          at="move the selection's end to the previous word"),
    _move("paragraph.next", ("}",), "next paragraph",
          at="move the selection's end to the next paragraph"),
    _move("paragraph.previous", ("{",), "previous paragraph",
          at="move the selection's end to the previous paragraph"),
    _move("half.next", ("ctrl+d",), "half a page down",
          at="move the selection's end half a page down"),
    _move("half.previous", ("ctrl+u",), "half a page up",
          at="move the selection's end half a page up"),
    _move("page.next", ("pagedown",), "a page down",
          at="move the selection's end a page down"),
    _move("page.previous", ("pageup",), "a page up",
          at="move the selection's end a page up"),
    _move("text.start", ("home",), "go to the start of the text",
          at="move the selection's end to the start of the text"),
    _move("text.end", ("end",), "go to the end of the text",
          at="move the selection's end to the end of the text"),
    Action("pane.other", ("tab",), "go to the source, at the focused match", "Move", EVERYWHERE,
           short="source", early=True, needs_source=True, short_at={SOURCE: "back"},
           at={SELECTING: "go to the source, keep the selection", SOURCE: "back to the summary",
           REVIEWING: "switch between summary and source",
           VIEWING: "switch between summary and source"}),
    Action("document.next", ("d",), "next document of the source", "Move", EVERYWHERE,
           short="document", early=True, needs_source=True),
    Action("document.previous", ("D",), "previous document of the source", "Move", EVERYWHERE,
           early=True),
    Action("word.hint", ("f",), "select words by the letters shown on them", "Select",
           EVERYWHERE, short="words"),
    Action("select.here", ("v",), "select the word at the cursor", "Select", EVERYWHERE,
           at={SELECTING: "drop the selection"}),
    Action("select.grow", (".",), "select the sentence; again: grow the selection", "Select",
           EVERYWHERE, short="select"),
    Action("select.shrink", (",",), "select the sentence; again: shrink the selection", "Select",
           EVERYWHERE),
    Action("select.other-end", ("o",), "go to the other end of the selection", "Select", "SVEJF"),
    Action("extend.next", ("shift+right",), "select one character more", "Select", EVERYWHERE),
    Action("extend.previous", ("shift+left",), "select one character less", "Select", EVERYWHERE),
    Action("extend.sentence.next", ("shift+down",), "extend the selection by a sentence", "Select",
           EVERYWHERE),
    Action("extend.sentence.previous", ("shift+up",), "extend the selection back by a sentence",
           "Select", EVERYWHERE),
    Action("match.next", ("n",), "next match, or search hit", "Evidence", "RSVLEJF", short="match",
           early=True, at={REVIEWING: "next search hit"}),
    Action("match.previous", ("N",), "previous match, or search hit", "Evidence", "RSVLEJF",
           early=True, at={REVIEWING: "previous search hit"}),
    Action("evidence.take", ("space",), "take the match as evidence, or remove it", "Evidence",
           "RSVLE", short="evidence",
           at={SOURCE: "take the selection, else the sentence, as evidence",
           OPTION: "take the match as evidence, and save"}, changes="RSVLE"),
    Action("signals.next", ("t",), "find matches by words, by vectors, or by both", "Evidence",
           early=True),
    Action("option.choose", tuple(DIGITS[:9]), "save with this label, or open its sublabels",
           "Label", "RSVLEJF", short="label", fixed=True, after_save=True, listed=False,
           short_at={READING: ""}, at={OPTION: "choose an answer",
           EDITING: "switch this label on or off", REVIEWING: "choose a candidate",
           VIEWING: "show only one annotator; again: show all"}, changes="RSVLE"),
    Action("option.list", ("0",), "list all labels, with search", "Label", "RSVLEJF",
           fixed=True, after_save=True,
           at={OPTION: "answer: parent label, no rating or a typed reason",
           REVIEWING: "show further candidates", VIEWING: "show all annotators"}, changes="RSVLE"),
    Action("label.repeat", ("r",), "use the last label again", "Label", after_save=True,
           changes=ANNOTATING),
    Action("label.former", ("R",), "show your similar annotations, to reuse notes", "Label",
           after_save=True, changes=ANNOTATING),
    Action("back", ("backspace", "escape"), "remove the evidence taken last", "Label", "RSVLEJF",
           short="back", short_at={READING: ""}, at={SELECTING: "drop the selection",
           SOURCE: "back to the summary", OPTION: "cancel, nothing is saved",
           EDITING: "remove the evidence taken last, or cancel the edit",
           REVIEWING: "drop the selection, or the chosen candidate",
           VIEWING: "end search, drop selection or show all annotators"}),
    Action("annotation.next", ("a",), "next annotation", "Annotations", EVERYWHERE,
           short="annotation", early=True, after_save=True,
           at={REVIEWING: "next group of candidate annotations"}),
    Action("annotation.previous", ("A",), "previous annotation", "Annotations", EVERYWHERE,
           early=True, after_save=True, at={REVIEWING: "previous group of candidate annotations"}),
    Action("note.write", ("m",), "write a note on the annotation or sample", "Annotations",
           ANNOTATING + REVIEWING, short="note", after_save=True,
           at={SELECTING: "write a note for this claim",
           SOURCE: "write a note for this claim",
           REVIEWING: "write the final comment on the sample"}, changes=ANNOTATING + REVIEWING),
    Action("annotation.edit", ("e",), "edit the annotation, or change the suggestion",
           "Annotations", "REJ", short="change", after_save=True,
           at={EDITING: "cancel the edit, nothing is saved",
           REVIEWING: "edit the candidate, or your edited copy of it"}, changes="REJ"),
    Action("annotation.delete", ("x",), "delete the annotation, or reject the suggestion",
           "Annotations", "REJ", short="reject", after_save=True,
           at={REVIEWING: "reject the candidate, or all, with a reason"}, changes="REJ"),
    Action("undo", ("u",), "undo the last action, in any sample", "Annotations", "RSVLEJ",
           short="undo", early=True, at={OPTION: "cancel, nothing is saved",
           REVIEWING: "undo your last decision, in any sample"}, changes="RSVLEJ"),
    Action("redo", ("U",), "redo", "Annotations", "RSVLEJ", early=True,
           at={OPTION: "cancel, nothing is saved"}, changes="RSVLEJ"),
    Action("sample.done", ("enter",), "complete the sample and go to the next", "Sample", "RSVLEJ",
           short="done", after_save=True, short_at={SOURCE: "back", SELECTING: ""},
           at={SOURCE: "back to the summary",
           OPTION: "answer: parent label, no evidence or no reason",
           EDITING: "save the annotation",
           REVIEWING: "adjudicate the sample and go to the next"}, changes="RSLEJ"),
    Action("sample.skip", ("s",), "skip the sample", "Sample", after_save=True, changes=ANNOTATING),
    Action("sample.flag", ("!",), "flag the sample, and give a reason", "Sample", after_save=True,
           changes=ANNOTATING),
    Action("sample.next", (">",), "next sample, without completing this one", "Sample", EVERYWHERE,
           short="sample", early=True, at={VIEWING: "next sample",
           REVIEWING: "next sample in review, not completing this one"}),
    Action("sample.previous", ("<",), "previous sample", "Sample", EVERYWHERE, early=True,
           at={REVIEWING: "previous sample in review"}),
    Action("reading.other", (), "switch between 1st and 2nd annotation of samples", "Sample"),
    Action("sample.go", ("G",), "go to a sample by its id", "Sample", EVERYWHERE, short="go to id",
           after_save=True),
    Action("sample.rivals", (), "show sibling samples (with the same source)", "Sample",
           after_save=True),
    Action("queue.order", (), "choose the order of the queue", "Sample", after_save=True),
    Action("text.find", ("/",), "find words in the focused text", "View", EVERYWHERE, short="find"),
    Action("text.lacking", ("i",), "mark words not in the source, or hide the marks", "View",
           "RSVEF", early=True),
    Action("item.next", ("c",), "next citation, marked word or unfinished item", "View",
           EVERYWHERE, short="citation", early=True, after_save=True, after_search=True,
           needs_source=True,
           at={REVIEWING: "next conflict", VIEWING: "next word marked as not in the source"}),
    Action("item.previous", ("C",), "previous citation, marked word or unfinished item",
           "View", EVERYWHERE, early=True, after_save=True, after_search=True,
           at={REVIEWING: "previous conflict",
           VIEWING: "previous word marked as not in the source"}),
    Action("request.show", ("g",), "show the request and the guidelines", "View",
           EVERYWHERE, short="request", early=True,
           at={REVIEWING: "show notes, the request, the guidelines",
           VIEWING: "show all details of the annotation and the sample"}),
    Action("layout.next", ("z",), "change the layout: side by side, one text, stacked", "View",
           EVERYWHERE, early=True,
           at={VIEWING: "change the layout: side by side, one text, stacked"}),
    Action("help.show", ("?", "f1"), "show the keys that work on this screen", "View", EVERYWHERE,
           early=True, at={VIEWING: "show the keys and the legend of marks"}),
    Action("palette.show", (":", "ctrl+p"), "search all actions by name", "View", EVERYWHERE,
           short="all actions", small_window=True, listed=False),
    Action("app.back", ("q",), "back to the queue", "View", EVERYWHERE, short="queue", early=True,
           after_save=True, at={REVIEWING: "back to the review queue",
           VIEWING: "back to the list of samples, if any, or quit"}),
    Action("app.quit", ("ctrl+q", "ctrl+c"), "quit; all work is saved", "View", "RSVLEJF",
           fixed=True, small_window=True, after_save=True, at={VIEWING: "quit"}),
    Action("work.print", (), "quit, and print my annotations", "You"),
    Action("talk.write", (), "send a question to the reviewers", "You",
           ANNOTATING + REVIEWING, at={REVIEWING: "answer questions about the sample"},
           changes=ANNOTATING + REVIEWING),
    Action("talk.annotation", (), "send a question about the focused annotation", "You",
           changes=ANNOTATING),
    Action("lesson.show", ("L",), "show how this sample was adjudicated", "You"),
    Action("figures.show", (), "show statistics: your work, or everyone's work", "You"),
    Action("account.password", (), "change my password", "You", ANNOTATING + REVIEWING,
           needs_account=True, changes=ANNOTATING + REVIEWING),
    Action("account.leave", (), "sign out and quit", "You", ANNOTATING + REVIEWING,
           needs_account=True),
    Action("note.save", ("enter",), "save the note", "Note", NOTE, short="save", fixed=True),
    Action("note.keep", ("escape",), "close, and keep the note's text for later", "Note", NOTE,
           short="keep for later", fixed=True),
    Action("note.suggest", ("tab",), "take the suggestion", "Note", NOTE, short="suggestion",
           fixed=True),
    Action("note.past", ("up", "down"), "show earlier notes", "Note", NOTE, short="earlier notes",
           fixed=True),
    Action("sample.rate", ("*",), "rate the sample with a digit; 0: no rating", "Sample",
           ANNOTATING + REVIEWING, short="rate", after_save=True, yields=True,
           at={REVIEWING: "adjudicate the rating with a digit; 0: no rating"},
           changes=ANNOTATING + REVIEWING),
    Action("comment.write", ("M",), "comment on the sample", "Sample", short="comment",
           after_save=True, yields=True, changes=ANNOTATING),
    Action("incomplete.next", ("J",), "next unfinished report, document, citation", "Sample",
           early=True, yields=True),
    Action("collection.show", ("T",), "show the report collection and its progress", "View",
           short="collection", early=True, after_save=True, yields=True),
    Action("gold.show", ("=",), "go to the passage with the answer", "View", yields=True),
    Action("positions.show", (), "show a chart of correct answers by position", "View",
           yields=True),
    Action("suggestion.accept", ("y",), "accept the suggestion", "Suggestions", "R", short="accept",
           after_save=True, yields=True, changes="R"),
    Action("suggestion.hide", ("Y",), "hide or show all suggestions", "Suggestions",
           short="hide", early=True, yields=True),
    Action("document.order", ("O",), "sort documents by the judge's or retriever's rank", "View",
           early=True, yields=True),
    Action("sync.toggle", ("ctrl+o",), "share work online, or work offline", "You", yields=True),
    Action("proposal.take", ("y",), "accept the chosen candidate, else the majority's", "Review",
           REVIEWING, short="accept", changes=REVIEWING),
    Action("rivals.merge", ("M",), "merge all candidate annotations of the group", "Review",
           REVIEWING, short="merge", changes=REVIEWING),
    Action("own.add", ("+",), "add the selection as your annotation", "Review", REVIEWING,
           short="your own", changes=REVIEWING),
    Action("names.show", ("W",), "show or hide the annotators' names", "Review", REVIEWING,
           short="names"),
    Action("sample.reopen", (), "reopen the sample, or one annotator's work on it",
           "Review", REVIEWING, changes=REVIEWING),
    Action("person.next", ("p",), "show only the next annotator's annotations",
           "Annotations", VIEWING, short="person"),
    Action("person.previous", ("P",), "show only the previous annotator's annotations",
           "Annotations", VIEWING),
)  # fmt: skip

NO_ACTION: Final = Action("", (), "", "", "")
_BY_ID: Final = {action.id: action for action in ACTIONS}


def action_of(action_id: str) -> Action:
    """Return the action with an id, or `NO_ACTION`, which is never available."""
    return _BY_ID.get(action_id, NO_ACTION)
