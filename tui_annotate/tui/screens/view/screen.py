"""The viewer's screen: shows the samples of a file like the annotating screen, but read-only.

The screen has no access to a store, so that no key can change data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.command import Provider

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.labels import MOST_OPTIONS
from tui_annotate.domain.samples import SampleKey, Side, Signals
from tui_annotate.editor import cursor_actions, single_document
from tui_annotate.editor.citations import list_citations
from tui_annotate.editor.effects import Effect, Effects, Open, Page
from tui_annotate.editor.key_map import KeyMap, key_label, table_key
from tui_annotate.editor.key_state import EDITING, READING, REVIEWING, SOURCE, VIEWING
from tui_annotate.editor.messages import AnyMessage, Kind, MessageCode, make_message
from tui_annotate.editor.screen_message import describe_error, screen_text
from tui_annotate.editor.state import Draft
from tui_annotate.editor.view import key_handlers
from tui_annotate.editor.view.messages import ViewText
from tui_annotate.editor.view.press import press
from tui_annotate.editor.view.state import ViewDraft
from tui_annotate.editor.view.words import build_pages, draft_line
from tui_annotate.editor.words import ERROR, HINT
from tui_annotate.tui.dialogs.help import help_dialog
from tui_annotate.tui.dialogs.jump import JumpDialog
from tui_annotate.tui.dialogs.message import MessageDialog
from tui_annotate.tui.row_widgets import WordsList
from tui_annotate.tui.screens.sample import item_rows
from tui_annotate.tui.screens.sample.palette import ActionProvider
from tui_annotate.tui.screens.sample.rows import SampleMessage, Title, key_pairs
from tui_annotate.tui.screens.sample.screen import SampleScreen
from tui_annotate.tui.screens.view import rows
from tui_annotate.tui.widgets.annotation_list import AnnotationList
from tui_annotate.tui.widgets.document_pane import AnnotationMark
from tui_annotate.tui.widgets.draft_line import DraftLine
from tui_annotate.tui.widgets.header_bar import Header
from tui_annotate.tui.widgets.label_bar import Option
from tui_annotate.tui.widgets.match_list import MatchList
from tui_annotate.tui.widgets.note_input import NoteInput
from tui_annotate.tui.widgets.pane_title import PaneTitle

if TYPE_CHECKING:
    from tui_annotate.services.file_browser import BrowsedSample, FileBrowser

_PATIENCE = 0.4  # seconds until a message shows that a sample is still being read
_ID = 8  # characters of an id that distinguish people with the same name
_WRITING_STATES = READING | SOURCE | EDITING | REVIEWING
"""States of other screens; the viewer reports that their actions are unavailable."""


class ViewScreen(SampleScreen):
    """Screen with one sample of a file at a time, read-only, controlled by keys.

    Args:
        sample: the first sample: an id, or dataset/id; empty for the first of the file.
    """

    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {ActionProvider}
    theme_help = SampleMessage.THEME_UNTIL_QUIT

    def __init__(
        self,
        browser: FileBrowser,
        leave: Callable[[], None],
        *,
        keys: KeyMap,
        sample: str = "",
        words: str = "",
    ) -> None:
        super().__init__()
        self.browser = browser
        self.opened: BrowsedSample | None = None
        self._busy = False
        self.panes.by = Signals.WORDS
        self._draft: ViewDraft | None = None
        self._leave = leave
        self._sample = sample
        self._words = words
        self._keys = keys

    @property
    def draft(self) -> ViewDraft | None:
        return self._draft

    @property
    def key_map(self) -> KeyMap:
        return self._keys

    @property
    def busy(self) -> bool:
        """Whether a sample is being read; keys that are pressed meanwhile are dropped."""
        return self._busy

    def compose(self) -> ComposeResult:
        """Yield the widgets of a sample without matches and note line, but with details."""
        for widget in super().compose():
            if isinstance(widget, MatchList | NoteInput) or widget.id == "matches-title":
                continue
            yield widget
            if isinstance(widget, AnnotationList):
                yield PaneTitle(id="about-title")
                yield WordsList(id="about")

    def on_mount(self) -> None:
        """Read the first sample in a thread, after the first frame."""
        self.show_message(ViewText.READING_SAMPLE)
        none = ViewText.NO_SAMPLE_IN_FILE
        self.call_after_refresh(self.go, lambda: self.browser.first(self._sample), none)

    def quit(self) -> None:
        """Call the function that closes the app; nothing needs to be stored."""
        self._leave()

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Names of the file's annotators by id; an ambiguous name is followed by the id."""
        people = self.browser.people
        shared = Counter(person.name for person in people)
        names = {}
        for person in people:
            name = person.name or person.id
            if shared[person.name] > 1:
                name = f"{person.name} ({person.id[:_ID]})"
            names[person.id] = name
        return names

    @cached_property
    def _file_people(self) -> tuple[str, ...] | None:
        """The ids of the file's annotators; None if they are too many for the bar."""
        return tuple(self.names) if len(self.names) <= MOST_OPTIONS else None

    # from sample to sample

    def go(self, find: Callable[[], SampleKey | None], none: MessageCode) -> None:
        """Show the sample that `find` returns in a thread, or the message `none` for no sample."""
        if not self._busy:
            self._busy = True
            self.run_in_thread("sample", partial(self._open, find, none))
            self.set_timer(_PATIENCE, self._show_slow)

    def _show_slow(self) -> None:
        if self._busy:
            self.show_message(ViewText.STILL_READING_SAMPLE)

    def _open(self, find: Callable[[], SampleKey | None], none: MessageCode) -> None:
        done = partial(self._show_failure, none, HINT)
        try:
            if key := find():
                done = partial(self.begin, self.browser.open(key))
        except TuiAnnotateError as error:
            done = partial(self._show_failure, describe_error(error), ERROR)
        finally:
            self.app.call_from_thread(done)

    def _show_failure(self, message: MessageCode | str, kind: Kind) -> None:
        self._busy = False
        self.show_message(message, kind)

    def begin(self, opened: BrowsedSample) -> None:
        """Show a sample; if one annotator was chosen for the sample before, keep that choice."""
        words = self._words
        self._words = ""
        before = self.draft
        self._busy = False
        self.opened = opened
        sample = single_document.to_screen_sample(opened.sample)
        exchange = partial(single_document.exchange_sides, opened.sample)
        draft = ViewDraft(
            sample,
            opened.segments,
            self.browser.labels,
            all_annotations=tuple(
                replace(owned, annotation=exchange(owned.annotation))
                for owned in opened.annotations
            ),
            assignments=opened.assignments,
            names=self.names,
            citations=list_citations(sample),
            file_people=self._file_people,
            chosen=before.chosen if before else "",
        )
        self._draft = draft
        self.load_documents(draft)
        self.follow()
        if words:
            draft.say(words)
        self.show_draft()
        self.call_after_refresh(self._count_words, draft)

    def _count_words(self, draft: Draft) -> None:
        if draft is self.draft:
            self.panes.count_words(draft.sample, draft.segments)

    def show_message(self, message: AnyMessage, kind: Kind = HINT, **fields: object) -> None:
        """Show a message in the status line, also before the first sample."""
        if self.draft is None:
            text = make_message(message, kind, **fields).text
            self.query_one(DraftLine).show(text, kind=kind)
        else:
            super().show_message(message, kind, **fields)

    # keys

    def on_key(self, event: events.Key) -> None:
        """Run the action of a key; for a key that changes work, show that this is not possible."""
        event.stop()
        event.prevent_default()
        draft = self.draft
        if draft is None:
            if event.key == "q":
                self.quit()
            return
        if self._busy:
            return
        key, method = table_key(event.key, event.character)
        if method:
            self.show_message(MessageCode.INPUT_METHOD_ON)
        elif draft.hints:
            self.perform(cursor_actions.press_hint_key(draft, key))
        elif action := self._keys.action(key, VIEWING):
            self.do(action, digit=key if action.startswith("option.") else "")
        else:
            actions = (self._keys.action(key, state) for state in _WRITING_STATES)
            if name := next(filter(None, actions), ""):
                self.perform(key_handlers.refuse(draft, screen_text(self._keys.get(name).help)))
            else:
                self.perform(draft.refuse_key(MessageCode.KEY_WITHOUT_EFFECT, key=key_label(key)))

    def handle(self, effect: Effect) -> bool:
        """Open a dialog, the list or another sample; return False for unknown effects."""
        draft = self.draft
        opened = self.opened
        if draft is None or opened is None:
            return False
        match effect:
            case Open(Page.JUMP):
                self.open_dialog(JumpDialog(self.browser.index.find), self._go_to)
            case Open(Page.QUEUE):
                self._open_list(draft)
            case Open(Page.REQUEST):
                self.open_dialog(MessageDialog(build_pages(draft)))
            case Open(Page.HELP):
                self.open_dialog(help_dialog(self._keys, VIEWING, self.found_needs))
            case Open(Page.SAMPLE, step):
                none = MessageCode.LAST_SAMPLE if step > 0 else MessageCode.FIRST_SAMPLE
                self.go(lambda: self.browser.index.key(opened.position + step), none)
            case _:
                return super().handle(effect)
        return True

    def follow(self) -> None:
        """Focus the annotation at the cursor, and show it on both sides."""
        draft = self.draft
        if draft is None:
            return
        for side in Side:
            cursor_actions.set_pointer(draft, side, self.panes.pointer(side))
        effects = key_handlers.follow(draft)
        super().follow()
        for effect in effects:
            self.panes.handle(effect)
        for side in Side:  # another document may be on screen now
            cursor_actions.set_pointer(draft, side, self.panes.pointer(side))

    # other samples

    def _go_to(self, key: SampleKey | None) -> None:
        if key is not None:
            self.go(lambda: key, MessageCode.NONE)

    def _open_list(self, draft: ViewDraft) -> None:
        opened = self.opened
        if opened is None or opened.total == 1:
            self.quit()
            return
        from tui_annotate.tui.screens.view.listing import create_list_screen

        name = draft.names.get(draft.chosen, draft.chosen)
        current = opened.sample.key
        screen = create_list_screen(
            self.browser, position=opened.position, current=current, person=draft.chosen, name=name
        )

        def chosen(key: SampleKey | None) -> None:
            if key is None:
                self.quit()
            elif key != current:
                self._go_to(key)

        self.open_dialog(screen, chosen)

    # what is shown

    def header(self) -> Header | None:
        """Return the content of the header; None before the first sample."""
        opened = self.opened
        draft = self.draft
        if opened is None or draft is None:
            return None
        return Header(
            dataset=opened.sample.dataset,
            position=opened.position,
            total=opened.total,
            finished=opened.position,
            sample=opened.sample.id,
            person=draft.names.get(draft.chosen, draft.chosen),
            reading=SampleMessage.READ_ONLY.text(),
        )

    def press(self, draft: Draft, action: str, *, digit: str) -> Effects:
        """Change the draft by an action, in the viewer's way if there is one."""
        if isinstance(draft, ViewDraft):
            return press(draft, action, digit=digit, more=self.feature_keys)
        return super().press(draft, action, digit=digit)

    def line(self, draft: Draft, cells: int) -> tuple[str, Kind]:
        if isinstance(draft, ViewDraft):
            return draft_line(draft, cells)
        return super().line(draft, cells)

    def key_pairs(self, draft: Draft, keys: KeyMap) -> Sequence[tuple[str, str]]:
        """Return (key, name) of the viewer's actions; a file with one sample has no list."""
        if draft.hints:
            return key_pairs(keys, draft)
        pairs = keys.line(VIEWING)
        if self.opened is None or self.opened.total != 1:
            return pairs
        return [(key, "quit" if name == "list" else name) for key, name in pairs]

    def bar(self, draft: Draft) -> tuple[Sequence[Option], str, bool]:
        if not isinstance(draft, ViewDraft):
            return super().bar(draft)
        return rows.bar(draft, self.app.size.width)

    def title_of(self, draft: Draft, side: Side) -> Title:
        if not isinstance(draft, ViewDraft):
            return super().title_of(draft, side)
        conflict = self.comparison.contrast.description
        usual = rows.titles(draft, side, signals=self.panes.signals, conflict=conflict)
        return item_rows.title(draft, side, usual)

    def marks_of(self, draft: Draft, side: Side) -> Sequence[AnnotationMark]:
        return rows.marks(draft, side) if isinstance(draft, ViewDraft) else ()

    def evidence_of(self, draft: Draft) -> Sequence[Anchor]:
        """Return the evidence of the focused annotation; empty if none is focused."""
        return draft.shown_evidence if isinstance(draft, ViewDraft) else ()

    def _show_lists(self, draft: Draft) -> None:
        if not isinstance(draft, ViewDraft):
            return
        count = len(draft.annotations)
        about = self.query_one("#about", WordsList)
        title = self.query_one("#annotations-title", PaneTitle)
        name = rows.ViewMessage.ANNOTATIONS_TITLE.text()
        title.show(name, [str(count or "")], focused=False)
        if self.changed("annotations", (draft.annotations, draft.focused)):
            self.query_one(AnnotationList).show(rows.annotation_rows(draft))
        title = self.query_one("#about-title", PaneTitle)
        name = rows.ViewMessage.ABOUT_TITLE.text()
        title.show(name, [draft.letter(draft.focused)], focused=False)
        lines = rows.about_lines(draft, max(about.window.width, 20))
        if self.changed("about", lines):
            about.show(lines)

    # the mouse

    def annotation_clicked(self, draft: Draft, index: int) -> Effects:
        return key_handlers.show(draft, index) if isinstance(draft, ViewDraft) else []

    def option_clicked(self, digit: str) -> None:
        """Show the annotations of the clicked person; digit 0 shows those of all people."""
        self.do("option.list" if digit == "0" else "option.choose", digit=digit)
