"""The table of all actions of keys, for annotating, review and the viewer.

Key map, key line, help and command palette are made from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

READING, SELECTING, SOURCE, OPTION, NOTE, EDITING = "R", "S", "V", "L", "N", "E"
"""States of annotating. Reviewers have them too while they edit an annotation."""
REVIEWING: Final = "J"
"""The state of review in which nothing is edited."""
VIEWING: Final = "F"
"""The state of the viewer."""
ANNOTATING: Final = "RSVE"
EVERYWHERE: Final = ANNOTATING + REVIEWING + VIEWING
STATES: Final = "RSVLNE" + REVIEWING + VIEWING
DIGITS: Final = "1234567890"


@dataclass(frozen=True, slots=True)
class Action:
    """An action of a key.

    Attributes:
        id: stable name for key maps, `noun.verb`.
        keys: a printable character as it is typed, or a name such as `down`, `ctrl+d`, `f1`.
        group: its heading in the help.
        states: letters of `STATES` in which it acts.
        short: its usual name on the key line.
        short_at: other names by state; an empty one leaves it out.
        at: other help by state.
        fixed: its keys can not be changed.
        early: changes nothing, so it acts even if it was pressed before the sample was on screen,
            or in a window that is too small to read in.
        small_window: acts in such a window, though it is not `early`.
        after_save: reads or leaves what is stored, so it waits for a running save.
        after_search: walks marks, so it waits for a running search.
        needs_source: only for samples with a source.
        needs_account: only for signed-in users.
        listed: in the command palette.
        yields: newer than the first key maps, so a user's own key takes precedence.
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

    def words(self, state: str) -> str:
        """What it does in a state."""
        return self.at.get(state, self.help)

    @property
    def in_small_window(self) -> bool:
        """Whether it acts in a window that is too small to read in."""
        return self.early or self.small_window

    @property
    def while_pending(self) -> bool:
        """Whether it acts while a question is open."""
        return OPTION in self.states


def _move(action_id: str, keys: tuple[str, ...], words: str, *, at: str, short: str = "") -> Action:
    """A move of the cursor; with a selection, of its free end."""
    by_state = {SELECTING: f"free end {at}"}
    return Action(action_id, keys, words, "Move", EVERYWHERE, short=short, early=True, at=by_state)


ACTIONS: Final[tuple[Action, ...]] = (
    _move("sentence.next", ("down", "j"), "next sentence", at="one sentence on", short="sentence"),
    _move("sentence.previous", ("up", "k"), "previous sentence", at="one sentence back"),
    _move("char.next", ("right", "l"), "next character", at="to the next character"),
    _move("char.previous", ("left", "h"), "previous character", at="to the previous character"),
    _move("word.next", ("w", "ctrl+right"), "next word", at="to the next word"),
    _move("word.previous", ("b", "ctrl+left"), "previous word", at="to the previous word"),
    _move("paragraph.next", ("}",), "next paragraph", at="to the next paragraph"),
    _move("paragraph.previous", ("{",), "previous paragraph", at="to the previous paragraph"),
    _move("half.next", ("ctrl+d",), "half a page down", at="half a page down"),
    _move("half.previous", ("ctrl+u",), "half a page up", at="half a page up"),
    _move("page.next", ("pagedown",), "a page down", at="a page down"),
    _move("page.previous", ("pageup",), "a page up", at="a page up"),
    _move("text.start", ("home",), "start of the text", at="to the start of the text"),
    _move("text.end", ("end",), "end of the text", at="to the end of the text"),
    Action("pane.other", ("tab",), "to the source, on the focused match", "Move", EVERYWHERE,
           short="source", early=True, needs_source=True, short_at={SOURCE: "back"},
           at={SELECTING: "to the source, the selection stays", SOURCE: "back to the summary",
           REVIEWING: "to the other text", VIEWING: "to the other text"}),
    Action("document.next", ("d",), "next document of the source side", "Move", EVERYWHERE,
           short="document", early=True, needs_source=True),
    Action("document.previous", ("D",), "previous document of the source side", "Move", EVERYWHERE,
           early=True),
    Action("word.hint", ("f",), "letters on every word: first, then last word", "Select",
           EVERYWHERE, short="words"),
    Action("select.here", ("v",), "select the word here", "Select", EVERYWHERE,
           at={SELECTING: "drop the selection"}),
    Action("select.grow", (".",), "select the sentence; then one step more", "Select", EVERYWHERE,
           short="select"),
    Action("select.shrink", (",",), "select the sentence; then one step less", "Select",
           EVERYWHERE),
    Action("select.other-end", ("o",), "to the other end of the selection", "Select", "SVEJF"),
    Action("extend.next", ("shift+right",), "select one character more", "Select", EVERYWHERE),
    Action("extend.previous", ("shift+left",), "select one character less", "Select", EVERYWHERE),
    Action("extend.sentence.next", ("shift+down",), "select to the next sentence", "Select",
           EVERYWHERE),
    Action("extend.sentence.previous", ("shift+up",), "select to the sentence before", "Select",
           EVERYWHERE),
    Action("match.next", ("n",), "next match, or search hit", "Evidence", "RSVLEJF", short="match",
           early=True, at={REVIEWING: "next search hit"}),
    Action("match.previous", ("N",), "previous match, or search hit", "Evidence", "RSVLEJF",
           early=True, at={REVIEWING: "previous search hit"}),
    Action("evidence.take", ("space",), "take the focused match, or give it back", "Evidence",
           "RSVLE", short="evidence",
           at={SOURCE: "take the selection, else the sentence, as evidence",
           OPTION: "take the match; saves if only it was missing"}),
    Action("signals.next", ("t",), "match by all, words, vectors; until you leave", "Evidence",
           early=True),
    Action("option.choose", tuple(DIGITS[:9]), "save with this label; a parent opens", "Label",
           "RSVLEJF", short="label", fixed=True, after_save=True, listed=False,
           short_at={READING: ""}, at={OPTION: "choose",
           EDITING: "put this label on, or take it off", REVIEWING: "choose a rival",
           VIEWING: "one person's annotations; again: everybody's"}),
    Action("option.list", ("0",), "all labels, as a list to type in", "Label", "RSVLEJF",
           fixed=True, after_save=True, at={OPTION: "the parent itself; a reason in own words",
           REVIEWING: "further rivals", VIEWING: "everybody's annotations"}),
    Action("label.repeat", ("r",), "the last label again", "Label", after_save=True),
    Action("label.former", ("R",), "labelled like this before: notes to take", "Label",
           after_save=True),
    Action("back", ("backspace", "escape"), "give back the last evidence", "Label", "RSVLEJF",
           short="back", short_at={READING: ""}, at={SELECTING: "drop the selection",
           SOURCE: "back to the summary", OPTION: "cancel, nothing is saved",
           EDITING: "give back evidence; then leave",
           REVIEWING: "drop the selection, or the choice",
           VIEWING: "drop the search, the selection, what is in hand"}),
    Action("annotation.next", ("a",), "next annotation", "Annotations", EVERYWHERE,
           short="annotation", early=True, after_save=True,
           at={REVIEWING: "next place where anything was said"}),
    Action("annotation.previous", ("A",), "previous annotation", "Annotations", EVERYWHERE,
           early=True, after_save=True, at={REVIEWING: "previous place"}),
    Action("note.write", ("m",), "note on the annotation, else on the sample", "Annotations",
           ANNOTATING + REVIEWING, short="note", after_save=True,
           at={SELECTING: "note for this claim", SOURCE: "note for this claim",
           REVIEWING: "settle the comment on the sample"}),
    Action("annotation.edit", ("e",), "edit the annotation; accept a suggestion changed",
           "Annotations", "REJ", short="change", after_save=True,
           at={EDITING: "leave, nothing is saved",
           REVIEWING: "edit the rival, or what was made of it"}),
    Action("annotation.delete", ("x",), "delete the annotation; refuse a suggestion", "Annotations",
           "REJ", short="refuse", after_save=True,
           at={REVIEWING: "refuse the rival, or all; a reason is asked"}),
    Action("undo", ("u",), "undo, in any sample", "Annotations", "RSVLEJ", short="undo", early=True,
           at={OPTION: "cancel, nothing is saved",
           REVIEWING: "undo what you settled, in any sample"}),
    Action("redo", ("U",), "redo", "Annotations", "RSVLEJ", early=True,
           at={OPTION: "cancel, nothing is saved"}),
    Action("sample.done", ("enter",), "done, to the next unfinished", "Sample", "RSVLEJ",
           short="done", after_save=True, short_at={SOURCE: "back", SELECTING: ""},
           at={SOURCE: "back to the summary", OPTION: "the parent itself, or no evidence found",
           EDITING: "save the annotation", REVIEWING: "settle the sample, to the next"}),
    Action("sample.skip", ("s",), "skip the sample", "Sample", after_save=True),
    Action("sample.flag", ("!",), "flag the sample, with a reason", "Sample", after_save=True),
    Action("sample.next", (">",), "next sample, this one stays as it is", "Sample", EVERYWHERE,
           short="sample", early=True, at={REVIEWING: "next sample of review, this one stays",
           VIEWING: "next sample"}),
    Action("sample.previous", ("<",), "previous sample", "Sample", EVERYWHERE, early=True,
           at={REVIEWING: "previous sample of review"}),
    Action("reading.other", (), "second reading, or back to the first", "Sample"),
    Action("sample.go", ("G",), "go to a sample by its id", "Sample", EVERYWHERE, short="go to id",
           after_save=True),
    Action("sample.rivals", (), "rival texts of the sample's group", "Sample", after_save=True),
    Action("queue.order", (), "order of the queue: by source, or by a score", "Sample",
           after_save=True),
    Action("text.find", ("/",), "find in this text", "View", EVERYWHERE, short="find"),
    Action("text.lacking", ("i",), "mark words that the source has nowhere; off", "View", "RSVEF",
           early=True),
    Action("item.next", ("c",), "next open item; with i, the next such word", "View", EVERYWHERE,
           short="citation", early=True, after_save=True, after_search=True, needs_source=True,
           at={REVIEWING: "next conflict", VIEWING: "next word that i marks"}),
    Action("item.previous", ("C",), "previous open item", "View", EVERYWHERE, early=True,
           after_save=True, after_search=True, at={REVIEWING: "previous conflict",
           VIEWING: "previous word that i marks"}),
    Action("request.show", ("g",), "request and guidelines", "View", EVERYWHERE, short="request",
           early=True, at={REVIEWING: "notes of annotators, request, guidelines",
           VIEWING: "all about annotation, people, request, fields"}),
    Action("layout.next", ("z",), "both texts, one, stacked; remembered", "View", EVERYWHERE,
           early=True, at={VIEWING: "both texts, one, stacked"}),
    Action("help.show", ("?", "f1"), "the keys for where you are", "View", EVERYWHERE, early=True,
           at={VIEWING: "the keys, and what the marks mean"}),
    Action("palette.show", (":", "ctrl+p"), "all actions, by name", "View", EVERYWHERE,
           short="all actions", small_window=True, listed=False),
    Action("app.back", ("q",), "to the queue", "View", EVERYWHERE, short="queue", early=True,
           after_save=True, at={REVIEWING: "to the queue of review",
           VIEWING: "to the list of samples; leaves where there is one"}),
    Action("app.quit", ("ctrl+q", "ctrl+c"), "leave; all is saved", "View", "RSVLEJF", fixed=True,
           small_window=True, after_save=True, at={VIEWING: "leave"}),
    Action("work.print", (), "leave, and print my annotations", "You"),
    Action("talk.write", (), "write to the reviewers about the sample", "You",
           ANNOTATING + REVIEWING, at={REVIEWING: "answer what was asked about the sample"}),
    Action("lesson.show", ("L",), "how review settled this sample", "You"),
    Action("figures.show", (), "figures of work: mine, or of all", "You"),
    Action("account.password", (), "change my password", "You", ANNOTATING + REVIEWING,
           needs_account=True),
    Action("account.leave", (), "sign out and leave", "You", ANNOTATING + REVIEWING,
           needs_account=True),
    Action("note.save", ("enter",), "save the note", "Note", NOTE, short="save", fixed=True),
    Action("note.keep", ("escape",), "keep the text for later", "Note", NOTE,
           short="keep for later", fixed=True),
    Action("note.suggest", ("tab",), "take the suggestion", "Note", NOTE, short="suggestion",
           fixed=True),
    Action("note.past", ("up", "down"), "earlier notes", "Note", NOTE, short="earlier notes",
           fixed=True),
    Action("sample.rate", ("*",), "rate the sample: a digit, 0 for not rated", "Sample",
           ANNOTATING + REVIEWING, short="rate", after_save=True, yields=True,
           at={REVIEWING: "settle the rating: a digit, 0 for none"}),
    Action("comment.write", ("M",), "comment on the sample", "Sample", short="comment",
           after_save=True, yields=True),
    Action("incomplete.next", ("J",), "next report, document, sentence to do", "Sample", early=True,
           yields=True),
    Action("collection.show", ("T",), "topics, runs, documents; what is done", "View",
           short="collection", early=True, after_save=True, yields=True),
    Action("gold.show", ("=",), "to the passage that holds the answer", "View", yields=True),
    Action("positions.show", (), "chart: right answers by where they stand", "View", yields=True),
    Action("suggestion.accept", ("y",), "accept the suggestion", "Suggestions", "R", short="accept",
           after_save=True, yields=True),
    Action("suggestion.hide", ("Y",), "hide all suggestions, or show them", "Suggestions",
           short="hide", early=True, yields=True),
    Action("document.order", ("O",), "documents in the judge's order, or as found", "View",
           early=True, yields=True),
    Action("sync.toggle", ("ctrl+o",), "share work: go online, or offline", "You", yields=True),
    Action("proposal.take", ("y",), "take the rival, else what most said", "Review", REVIEWING,
           short="take"),
    Action("rivals.merge", ("M",), "merge: all words, all evidence", "Review", REVIEWING,
           short="merge"),
    Action("own.add", ("+",), "add the selection as your own", "Review", REVIEWING,
           short="your own"),
    Action("names.show", ("W",), "who A, B, C are; hide them again", "Review", REVIEWING,
           short="names"),
    Action("sample.reopen", (), "open a settled sample again", "Review", REVIEWING),
    Action("person.next", ("p",), "next person of the sample alone", "Annotations", VIEWING,
           short="person"),
    Action("person.previous", ("P",), "previous person of the sample", "Annotations", VIEWING),
)  # fmt: skip
"""In the order of the help and of the palette."""

NO_ACTION: Final = Action("", (), "", "", "")
_BY_ID: Final = {action.id: action for action in ACTIONS}


def action_of(action_id: str) -> Action:
    """The action of an id; `NO_ACTION`, which never acts, for an unknown id."""
    return _BY_ID.get(action_id, NO_ACTION)
