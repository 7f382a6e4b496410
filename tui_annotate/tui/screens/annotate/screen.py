"""The annotating screen: keys and mouse go to the draft, and what it wants is done in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.command import Provider
from textual.message import Message

from tui_annotate.domain.people import reader
from tui_annotate.domain.samples import Side
from tui_annotate.tui.draft import lighting, moving
from tui_annotate.tui.draft.deeds import press
from tui_annotate.tui.draft.effects import Blink, Effect, Effects, Open
from tui_annotate.tui.draft.state import Draft, Kind
from tui_annotate.tui.draft.walking import show
from tui_annotate.tui.saving import Job
from tui_annotate.tui.screens.annotate.keys import HARMLESS, WAYS_OUT, AnnotateKeys
from tui_annotate.tui.screens.annotate.palette import ActionProvider
from tui_annotate.tui.widgets.annotation_list import AnnotationList
from tui_annotate.tui.widgets.document_pane import DocumentPane
from tui_annotate.tui.widgets.draft_line import DraftLine
from tui_annotate.tui.widgets.label_bar import LabelBar
from tui_annotate.tui.widgets.match_list import MatchList

if TYPE_CHECKING:
    from tui_annotate.domain.annotations import Annotation
    from tui_annotate.domain.suggestions import Suggestion


class AnnotateScreen(AnnotateKeys):
    """One sample at a time, by keys."""

    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {ActionProvider}

    class Wished(Message):
        """Something that the app does: `print`, `password`, `sync` or `sign out`."""

        def __init__(self, wish: str) -> None:
            super().__init__()
            self.wish = wish

    def __init__(self, leave: Callable[[], None]) -> None:
        """`leave` ends the app, once the place is kept."""
        super().__init__()
        self._leave = leave

    def opening(self, words: str, kind: Kind = "hint") -> None:
        """Words while there is no sample yet."""
        self.query_one(DraftLine).show(words, kind=kind)

    def quit(self) -> None:
        """Keeps place, time and a half-written note, waits for the store, leaves; once."""
        if self.saver.closed:
            return
        self._half()
        self.saver.send_last(self.leaving())
        self._leave()

    # what is to be done

    def do(self, action: str, *, digit: str = "") -> None:
        """An action of the key table, by key, from the palette or by a click."""
        if self.draft and self.desk:
            may = self.may_do(action)
            self.perform(self.pressed(self.draft, action, digit=digit) if may else [Blink()])

    def may_do(self, action: str) -> bool:
        """Whether the window is large enough for what an action changes."""
        return not self.too_small or action in HARMLESS | WAYS_OUT

    def pressed(self, draft: Draft, action: str, *, digit: str) -> Effects:
        """What an action does to the draft."""
        comment = self.desk.assignment.comment if self.desk else ""
        return press(draft, action, digit=digit, comment=comment)

    def perform(self, effects: Sequence[Effect]) -> None:
        """Does what the draft asks for, in order; then the draft is told and shown."""
        for effect in effects:
            if not (self.move_panes(effect) or self.store(effect) or self.ask(effect)):
                self._perform_here(effect)
        if not self.walking:
            self.follow()
            self.show_draft()

    def _perform_here(self, effect: Effect) -> None:
        match effect:
            case Blink():
                self.query_one(LabelBar).blink()
            case Open("layout"):
                self.next_layout()
                self.remember("layout", self.layout_name)
            case Open("lacking"):
                self.mark_lacking()
            case Open("signals"):
                self.next_signals()
            case Open("document", step):
                self.next_document(step)
            case Open("sample", step):
                self._walk(step)
            case Open("palette"):
                self._open_palette()
            case Open("quit"):
                self.quit()
            case Open("print" | "password" | "sign out" | "sync" as wish):
                self.post_message(self.Wished(wish))

    def use_theme(self, name: str) -> None:
        """Another look, which the store remembers for this person."""
        self.app.theme = name
        self.remember("theme", name)

    def remember(self, what: str, value: str) -> None:
        """Something that this person chose for themselves."""
        if session := self.session:
            who = reader(session.person.id)
            keep = partial(session.annotate.keep_preference, who, what, value)
            self.saver.send(Job(keep, lambda _: None, self._refused))

    def _open_palette(self) -> None:
        from textual.command import CommandPalette

        self.app.push_screen(CommandPalette())

    def _walk(self, step: int) -> None:
        session, desk = self.session, self.desk
        if session and desk:
            self.go(
                partial(self.beside, session, desk.sample.key, step),
                "this is the last sample" if step > 0 else "this is the first sample",
                known=self.at_hand(step),
            )

    # mouse

    def on_document_pane_selection_changed(self, message: DocumentPane.SelectionChanged) -> None:
        """The mouse moved a cursor; what keys moved is known already."""
        message.stop()
        draft = self.draft
        side = self.side_of(message.pane)
        if draft is None or side is None or draft.writing or self._going:
            return
        pointer = self.pointer(side)
        if pointer == draft.pointers[side]:
            return
        self.spend()
        moving.pointed(draft, side, pointer, by_hand=True)
        self.pane(side).focus()
        self.follow()
        self.show_draft()

    def on_document_pane_match_clicked(self, message: DocumentPane.MatchClicked) -> None:
        """A lit sentence of the source was clicked: it is taken, or given back."""
        message.stop()
        if message.pane is self.pane(Side.SOURCE):
            self._with_mouse(lambda draft: lighting.take_match(draft, message.rank))

    def on_match_list_picked(self, message: MatchList.Picked) -> None:
        """A match of the list was clicked."""
        message.stop()
        self._with_mouse(lambda draft: lighting.show_match(draft, message.rank))

    def on_annotation_list_picked(self, message: AnnotationList.Picked) -> None:
        """An annotation of the list was clicked."""
        message.stop()
        self._with_mouse(lambda draft: _show_number(draft, message.index))

    def on_label_bar_picked(self, message: LabelBar.Picked) -> None:
        """An option was clicked: as its digit."""
        message.stop()
        if self.draft and not self.draft.writing:
            self.spend()
            self.do("option.choose", digit=message.digit)

    def _with_mouse(self, deed: Callable[[Draft], Effects]) -> None:
        if self.draft and not self.draft.writing and not self._going:
            self.spend()
            self.perform(deed(self.draft))


def _show_number(draft: Draft, index: int) -> Effects:
    listed: list[Annotation | Suggestion] = [*draft.annotations, *draft.offered]
    if draft.editing or not 0 <= index < len(listed):
        return [Blink()]
    return show(draft, listed[index])
