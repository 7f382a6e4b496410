"""Every action of the annotating screen: its id, keys, help, and the states in which it acts.

This one table feeds the keys, the help, the command palette and the key line, whose choice of them
stands in `line`; `map` reads both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

READING, SELECTING, SOURCE, OPTION, NOTE, EDITING = "R", "S", "V", "L", "N", "E"
STATES: Final = "RSVLNE"
DIGITS: Final = "1234567890"


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a key can do.

    Attributes:
        id: stable name, for key maps: `noun.verb`.
        keys: a printable character as it is typed, or a name such as `down`, `ctrl+d`, `f1`.
        help: what it does, in a few words.
        group: the heading it stands under in the help.
        states: letters of `STATES` in which it acts.
        at: other words for a state in which it means something of its own.
        fixed: its keys can not be changed.
    """

    id: str
    keys: tuple[str, ...]
    help: str
    group: str
    states: str = "RSVE"
    at: Mapping[str, str] = field(default_factory=dict)
    fixed: bool = False

    def words(self, state: str) -> str:
        """What it does in a state."""
        return self.at.get(state, self.help)


def _end(where: str) -> dict[str, str]:
    """What a movement means while something is selected."""
    return {SELECTING: f"free end {where}"}


ACTIONS: Final[tuple[Action, ...]] = (
    Action(
        "sentence.next",
        ("down", "j"),
        "next sentence",
        "Move",
        at=_end("one sentence on"),
    ),
    Action(
        "sentence.previous",
        ("up", "k"),
        "previous sentence",
        "Move",
        at=_end("one sentence back"),
    ),
    Action("char.next", ("right", "l"), "next character", "Move", at=_end("to the next character")),
    Action(
        "char.previous",
        ("left", "h"),
        "previous character",
        "Move",
        at=_end("to the previous character"),
    ),
    Action("word.next", ("w", "ctrl+right"), "next word", "Move", at=_end("to the next word")),
    Action(
        "word.previous",
        ("b", "ctrl+left"),
        "previous word",
        "Move",
        at=_end("to the previous word"),
    ),
    Action("paragraph.next", ("}",), "next paragraph", "Move", at=_end("to the next paragraph")),
    Action(
        "paragraph.previous",
        ("{",),
        "previous paragraph",
        "Move",
        at=_end("to the previous paragraph"),
    ),
    Action("half.next", ("ctrl+d",), "half a page down", "Move", at=_end("half a page down")),
    Action("half.previous", ("ctrl+u",), "half a page up", "Move", at=_end("half a page up")),
    Action("page.next", ("pagedown",), "a page down", "Move", at=_end("a page down")),
    Action("page.previous", ("pageup",), "a page up", "Move", at=_end("a page up")),
    Action(
        "text.start", ("home",), "start of the text", "Move", at=_end("to the start of the text")
    ),
    Action("text.end", ("end",), "end of the text", "Move", at=_end("to the end of the text")),
    Action(
        "pane.other",
        ("tab",),
        "to the source, on the focused match",
        "Move",
        at={SELECTING: "to the source, the selection stays", SOURCE: "back to the summary"},
    ),
    Action("document.next", ("d",), "next document of the source side", "Move"),
    Action("document.previous", ("D",), "previous document of the source side", "Move"),
    Action("word.hint", ("f",), "letters on every word: first, then last word", "Select"),
    Action(
        "select.here",
        ("v",),
        "select the word here",
        "Select",
        at={SELECTING: "drop the selection"},
    ),
    Action("select.grow", (".",), "select the sentence; then one step more", "Select"),
    Action("select.shrink", (",",), "select the sentence; then one step less", "Select"),
    Action("select.other-end", ("o",), "to the other end of the selection", "Select", "SVE"),
    Action("extend.next", ("shift+right",), "select one character more", "Select"),
    Action("extend.previous", ("shift+left",), "select one character less", "Select"),
    Action("extend.sentence.next", ("shift+down",), "select to the next sentence", "Select"),
    Action("extend.sentence.previous", ("shift+up",), "select to the sentence before", "Select"),
    Action("match.next", ("n",), "next match, or search hit", "Evidence", "RSVLE"),
    Action("match.previous", ("N",), "previous match, or search hit", "Evidence", "RSVLE"),
    Action(
        "evidence.take",
        ("space",),
        "take the focused match, or give it back",
        "Evidence",
        "RSVLE",
        at={
            SOURCE: "take the selection, else the sentence, as evidence",
            OPTION: "take the match; saves if only it was missing",
        },
    ),
    Action(
        "signals.next",
        ("t",),
        "match by all, words, vectors; until you leave",
        "Evidence",
    ),
    Action(
        "option.choose",
        tuple(DIGITS[:9]),
        "save with this label; a parent opens",
        "Label",
        "RSVLE",
        at={OPTION: "choose", EDITING: "put this label on, or take it off"},
        fixed=True,
    ),
    Action(
        "option.list",
        ("0",),
        "all labels, as a list to type in",
        "Label",
        "RSVLE",
        at={OPTION: "the parent itself; a reason in own words"},
        fixed=True,
    ),
    Action("label.repeat", ("r",), "the last label again", "Label"),
    Action("label.former", ("R",), "labelled like this before: notes to take", "Label"),
    Action(
        "back",
        ("backspace", "escape"),
        "give back the last evidence",
        "Label",
        "RSVLE",
        at={
            SELECTING: "drop the selection",
            SOURCE: "back to the summary",
            OPTION: "cancel, nothing is saved",
            EDITING: "give back evidence; then leave",
        },
    ),
    Action("annotation.next", ("a",), "next annotation", "Annotations"),
    Action("annotation.previous", ("A",), "previous annotation", "Annotations"),
    Action(
        "note.write",
        ("m",),
        "note on the annotation, else on the sample",
        "Annotations",
        at={SELECTING: "note for this claim", SOURCE: "note for this claim"},
    ),
    Action(
        "annotation.edit",
        ("e",),
        "edit the annotation; accept a suggestion changed",
        "Annotations",
        "RE",
        at={EDITING: "leave, nothing is saved"},
    ),
    Action(
        "annotation.delete",
        ("x",),
        "delete the annotation; refuse a suggestion",
        "Annotations",
        "RE",
    ),
    Action(
        "undo",
        ("u",),
        "undo, in any sample",
        "Annotations",
        "RSVLE",
        at={OPTION: "cancel, nothing is saved"},
    ),
    Action("redo", ("U",), "redo", "Annotations", "RSVLE", at={OPTION: "cancel, nothing is saved"}),
    Action(
        "sample.done",
        ("enter",),
        "done, to the next unfinished",
        "Sample",
        "RSVLE",
        at={
            SOURCE: "back to the summary",
            OPTION: "the parent itself, or no evidence found",
            EDITING: "save the annotation",
        },
    ),
    Action("sample.skip", ("s",), "skip the sample", "Sample"),
    Action("sample.flag", ("!",), "flag the sample, with a reason", "Sample"),
    Action("sample.next", (">",), "next sample, this one stays as it is", "Sample"),
    Action("sample.previous", ("<",), "previous sample", "Sample"),
    Action("reading.other", (), "second reading, or back to the first", "Sample"),
    Action("sample.go", ("G",), "go to a sample by its id", "Sample"),
    Action("sample.rivals", (), "rival texts of the sample's group", "Sample"),
    Action("queue.order", (), "order of the queue: by source, or by a score", "Sample"),
    Action("text.find", ("/",), "find in this text", "View"),
    Action("text.lacking", ("i",), "mark words that the source has nowhere; off", "View"),
    Action("item.next", ("c",), "next open item; with i, the next such word", "View"),
    Action("item.previous", ("C",), "previous open item", "View"),
    Action("request.show", ("g",), "request and guidelines", "View"),
    Action("layout.next", ("z",), "both texts, one, stacked; remembered", "View"),
    Action("help.show", ("?", "f1"), "the keys for where you are", "View"),
    Action("palette.show", (":", "ctrl+p"), "all actions, by name", "View"),
    Action("app.back", ("q",), "to the queue", "View"),
    Action("app.quit", ("ctrl+q", "ctrl+c"), "leave; all is saved", "View", "RSVLE", fixed=True),
    Action("work.print", (), "leave, and print my annotations", "You"),
    Action("talk.write", (), "write to the reviewers about the sample", "You"),
    Action("lesson.show", ("L",), "how review settled this sample", "You"),
    Action("figures.show", (), "figures of work: mine, or of all", "You"),
    Action("account.password", (), "change my password", "You"),
    Action("account.leave", (), "sign out and leave", "You"),
    Action("note.save", ("enter",), "save the note", "Note", NOTE, fixed=True),
    Action("note.keep", ("escape",), "keep the text for later", "Note", NOTE, fixed=True),
    Action("note.suggest", ("tab",), "take the suggestion", "Note", NOTE, fixed=True),
    Action("note.past", ("up", "down"), "earlier notes", "Note", NOTE, fixed=True),
)

WITH_ACCOUNT: Final = frozenset({"account.password", "account.leave"})
"""Actions that are there for whoever signed in."""
