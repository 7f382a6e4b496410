"""The screen of a file that is looked at: it has the annotating screen's texts, and nothing writes.

It is made of the floors of that screen that know neither a store nor what saves: what a key could
write does not exist here, whatever the key.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.command import CommandPalette, Provider

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.samples import Side
from tui_annotate.tui.draft import lighting, moving
from tui_annotate.tui.draft.effects import Blink, Effect, Effects, Open
from tui_annotate.tui.draft.state import Draft, Kind
from tui_annotate.tui.draft.viewing import deeds
from tui_annotate.tui.draft.viewing.state import Viewing
from tui_annotate.tui.draft.viewing.words import line
from tui_annotate.tui.keys.map import KeyMap, typed
from tui_annotate.tui.keys.review import REVIEWING
from tui_annotate.tui.keys.view import VIEWING
from tui_annotate.tui.screens.annotate import item_rows
from tui_annotate.tui.screens.annotate.rows import Title, help_pair, key_pairs
from tui_annotate.tui.screens.view import rows
from tui_annotate.tui.screens.view.asking import ViewAsking
from tui_annotate.tui.screens.view.palette import ViewProvider
from tui_annotate.tui.widgets.annotation_list import AnnotationList
from tui_annotate.tui.widgets.document_pane import DocumentPane, Mark
from tui_annotate.tui.widgets.header_bar import Header, HeaderBar
from tui_annotate.tui.widgets.key_line import KeyLine
from tui_annotate.tui.widgets.label_bar import LabelBar, Option
from tui_annotate.tui.widgets.match_list import MatchList
from tui_annotate.tui.widgets.note_input import NoteInput
from tui_annotate.tui.widgets.pane_title import PaneTitle
from tui_annotate.tui.words import WordsList

if TYPE_CHECKING:
    from tui_annotate.services.browse import Browse, Looked

_ELSEWHERE = "RVE" + REVIEWING
"""States in which a key may do what it does not here."""


class ViewScreen(ViewAsking):
    """One sample at a time, by keys.

    Args:
        leave: ends the app.
        sample: where to begin: an id, or dataset/id; empty for the first.
        words: what is told first; empty for nothing.
    """

    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {ViewProvider}

    def __init__(
        self,
        browse: Browse,
        leave: Callable[[], None],
        *,
        keys: KeyMap,
        sample: str = "",
        words: str = "",
    ) -> None:
        super().__init__(browse)
        self._leave, self._sample, self._words = leave, sample, words
        self.keys = keys

    def compose(self) -> ComposeResult:
        """Without what writes; also a list of all about the annotation in hand."""
        for widget in super().compose():
            if isinstance(widget, MatchList | NoteInput) or widget.id == "matches-title":
                continue
            yield widget
            if isinstance(widget, AnnotationList):
                yield PaneTitle(id="about-title")
                yield WordsList(id="about")

    def on_mount(self) -> None:
        """The frame first, then the first sample."""
        super().on_mount()
        self.tell("reading the sample ...")
        self.call_after_refresh(self._first)

    def _first(self) -> None:
        self.go(lambda: self.browse.first(self._sample), "there is no sample to look at · q leaves")

    def begin(self, looked: Looked, *, words: str = "") -> None:
        """Also: what is to be told first is told with the first sample."""
        first, self._words = self._words, ""
        super().begin(looked, words=words or first)

    def quit(self) -> None:
        """Leaves; there is nothing to be kept."""
        self._leave()

    # keys

    def on_key(self, event: events.Key) -> None:
        """Every key."""
        event.stop()
        event.prevent_default()
        draft = self.viewing
        if draft is None:
            if event.key == "q":
                self.quit()
            return
        if self.going:
            return
        key, method = typed(event.key, event.character)
        if method:
            self.tell("an input method is on: switch it off, letters are commands here")
        elif draft.hints:
            self.perform(moving.hint_key(draft, key))
        elif action := self.keys.action(key, VIEWING):
            self.do(action, digit=key if action.startswith("option.") else "")
        elif what := self._elsewhere(key):
            self.perform(deeds.refuse(draft, what))

    def _elsewhere(self, key: str) -> str:
        """What a key does to annotators and reviewers, in words; empty for nothing."""
        found = (self.keys.action(key, state) for state in _ELSEWHERE)
        return next((self.keys.get(name).help for name in found if name), "")

    def do(self, action: str, *, digit: str = "") -> None:
        """An action of the key table, by key or from the palette."""
        if draft := self.viewing:
            self.perform(deeds.press(draft, action, digit=digit))

    def perform(self, effects: Sequence[Effect]) -> None:
        """Does what the draft asks for, in order; then the draft is told and shown."""
        for effect in effects:
            if not (self.move_panes(effect) or self.ask(effect)):
                self._perform_here(effect)
        self.follow()
        self.show_draft()

    def _perform_here(self, effect: Effect) -> None:
        match effect:
            case Blink():
                self.query_one(LabelBar).blink()
            case Open("layout"):
                self.next_layout()
            case Open("lacking"):
                self.mark_lacking()
            case Open("document", step):
                self.next_document(step)
            case Open("sample", step) if self.looked:
                position = self.looked.position
                none = "this is the last sample" if step > 0 else "this is the first sample"
                self.go(lambda: self.browse.neighbour(position, step), none)
            case Open("palette"):
                self.app.push_screen(CommandPalette())
            case Open("quit"):
                self.quit()

    def follow(self) -> None:
        """Also: the annotation under the cursor comes into hand before anything is lit for it."""
        draft = self.viewing
        if draft is None:
            return
        for side in Side:
            moving.pointed(draft, side, self.pointer(side))
        effects = deeds.follow(draft)
        super().follow()
        for effect in effects:
            self.move_panes(effect)
        for side in Side:  # another document may have come on screen
            moving.pointed(draft, side, self.pointer(side))

    def use_theme(self, name: str) -> None:
        """Another look, until one leaves."""
        self.app.theme = name

    # what is shown

    def show_draft(self) -> None:
        """Also: the keys, and how far one is."""
        super().show_draft()
        if draft := self.viewing:
            last = help_pair(self.keys, draft)
            self.query_one(KeyLine).show(self.keys_of(draft, self.keys), last=last)

    def _show_header(self) -> None:
        looked, draft = self.looked, self.viewing
        if looked is None or draft is None:
            return
        header = Header(
            dataset=looked.sample.dataset,
            position=looked.position,
            total=looked.total,
            finished=looked.position,
            sample=looked.sample.id,
            person=draft.names.get(draft.chosen, draft.chosen),
            reading="read-only",
        )
        self.query_one(HeaderBar).show(header)

    def words_of(self, draft: Draft, cells: int) -> tuple[str, Kind]:
        """What is in hand."""
        return line(draft, cells) if isinstance(draft, Viewing) else super().words_of(draft, cells)

    def keys_of(self, draft: Draft, keys: KeyMap) -> Sequence[tuple[str, str]]:
        """Those of looking."""
        if draft.hints:
            return key_pairs(keys, draft)
        leaves = self.looked is not None and self.looked.total == 1
        return [(key, "leave" if leaves and name == "list" else name)
                for key, name in keys.line(VIEWING)]  # fmt: skip

    def bar_of(self, draft: Draft) -> tuple[Sequence[Option], str, bool]:
        """The people."""
        if not isinstance(draft, Viewing):
            return super().bar_of(draft)
        return rows.bar(draft, self.app.size.width)

    def title_of(self, draft: Draft, side: Side) -> Title:
        """Whose annotations are shown, and how many."""
        if not isinstance(draft, Viewing):
            return super().title_of(draft, side)
        told = self.contrast.told
        usual = rows.titles(draft, side, signals=self.signals, conflict=told)
        return item_rows.title(draft, side, usual)

    def marks_of(self, draft: Draft, side: Side) -> Sequence[Mark]:
        """The annotations that are shown."""
        return rows.marks(draft, side) if isinstance(draft, Viewing) else ()

    def evidence_of(self, draft: Draft) -> Sequence[Anchor]:
        """That of the annotation in hand."""
        return draft.shown_evidence if isinstance(draft, Viewing) else ()

    def aside(self) -> str:
        """Nothing: words alone are what there is to match by."""
        return ""

    def _show_lists(self, draft: Draft) -> None:
        if not isinstance(draft, Viewing):
            return
        count, about = len(draft.annotations), self.query_one("#about", WordsList)
        title = self.query_one("#annotations-title", PaneTitle)
        title.show("ANNOTATIONS", [str(count or "")], focused=False)
        if self._changed("annotation list", (draft.annotations, draft.focused)):
            self.query_one(AnnotationList).show(rows.annotation_rows(draft))
        title = self.query_one("#about-title", PaneTitle)
        title.show("ABOUT", [draft.letter(draft.focused)], focused=False)
        lines = rows.about_lines(draft, max(about.window.width, 20))
        if self._changed("about", lines):
            about.show(lines)

    # mouse

    def on_document_pane_selection_changed(self, message: DocumentPane.SelectionChanged) -> None:
        """The mouse moved a cursor; what keys moved is known already."""
        message.stop()
        draft = self.viewing
        side = self.side_of(message.pane)
        if draft is None or side is None or self.going:
            return
        pointer = self.pointer(side)
        if pointer != draft.pointers[side]:
            moving.pointed(draft, side, pointer, by_hand=True)
            self.pane(side).focus()
            self.perform([])

    def on_document_pane_match_clicked(self, message: DocumentPane.MatchClicked) -> None:
        """A lit sentence was clicked: it comes into focus."""
        message.stop()
        if message.pane is not self.pane(Side.SOURCE):
            return
        self._with_mouse(lambda draft: lighting.show_match(draft, message.rank))

    def on_annotation_list_picked(self, message: AnnotationList.Picked) -> None:
        """An annotation of the list was clicked."""
        message.stop()
        self._with_mouse(lambda draft: deeds.show(draft, message.index))

    def on_label_bar_picked(self, message: LabelBar.Picked) -> None:
        """A person was clicked: as their digit."""
        message.stop()
        self.do("option.list" if message.digit == "0" else "option.choose", digit=message.digit)

    def _with_mouse(self, deed: Callable[[Viewing], Effects]) -> None:
        if self.viewing and not self.going:
            self.perform(deed(self.viewing))
