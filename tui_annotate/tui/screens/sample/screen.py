"""The base screen of one sample: widgets, layout, and the handling of keys.

A key is mapped to an action. The action changes the draft (the sample with its unsaved work) and
returns effects. Each effect goes to the handlers in order, until one of them handles it. This
module does not use a store.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual.app import ComposeResult
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.worker import Worker

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.samples import SampleKey, SampleKind, Side
from tui_annotate.editor import cursor_actions, highlights, key_lines
from tui_annotate.editor.action import NO_NEED, Need, find_needs
from tui_annotate.editor.effects import Blink, Effect, Effects, Open, Page
from tui_annotate.editor.key_map import KeyMap
from tui_annotate.editor.messages import AnyMessage, Kind
from tui_annotate.editor.press import Handlers, press
from tui_annotate.editor.state import Citation, Draft
from tui_annotate.editor.words import HINT, WARNING, draft_line
from tui_annotate.tui.screens.sample import rows, signals
from tui_annotate.tui.screens.sample.comparison import TextComparison
from tui_annotate.tui.screens.sample.panes import PaneController, TextSearch
from tui_annotate.tui.screens.sample.rows import SampleMessage
from tui_annotate.tui.text.layout import rows_needed, upper_rows
from tui_annotate.tui.widgets.annotation_list import AnnotationList, ListedAnnotation
from tui_annotate.tui.widgets.document_pane import AnnotationMark, DocumentPane
from tui_annotate.tui.widgets.document_view import FRAME_LINES, text_columns
from tui_annotate.tui.widgets.draft_line import GLYPH_CELLS, DraftLine
from tui_annotate.tui.widgets.header_bar import Header, HeaderBar
from tui_annotate.tui.widgets.key_line import KeyLine
from tui_annotate.tui.widgets.label_bar import LabelBar, Option
from tui_annotate.tui.widgets.match_list import MatchList
from tui_annotate.tui.widgets.note_input import NoteInput
from tui_annotate.tui.widgets.pane_title import PaneTitle

if TYPE_CHECKING:
    from rich.style import Style

    from tui_annotate.tui.screens.sample.feature import Feature

_log = logging.getLogger(__name__)

SIDE_BY_SIDE: Final = 100
"""Minimum number of terminal columns to show the texts side by side."""

LISTS: Final = 28
"""Minimum number of terminal rows at which the screen lists matches and annotations."""

BOTH, ONE, STACKED = LAYOUTS = ("both", "one", "stacked")

_LINES = 5  # header, two titles, status line, keys

# The least size of a window in which each text shows a line above two rows of options.
_COLUMNS: Final = 30
_STACKED: Final = 9  # rows, where one text is above the other
_ONE: Final = 7  # rows, where they are side by side, or one is hidden


class SampleScreen(Screen[None]):
    """Screen of one sample: header, two texts, lists, status line, options and keys.

    Attributes:
        handlers: handlers of effects; the first that returns True has handled an effect.
        awaiting_sample: whether another sample is being opened, so that painting is postponed.
        single: whether only one text is shown, whatever layout was chosen.
    """

    ALLOW_SELECT: ClassVar[bool] = False
    AUTO_FOCUS: ClassVar[str | None] = ""
    theme_help: ClassVar[SampleMessage] = SampleMessage.THEME_OF_ACCOUNT

    def __init__(self) -> None:
        super().__init__()
        self.panes = PaneController(self)
        self.comparison = TextComparison(self)
        self.features: tuple[Feature, ...] = ()
        self.handlers: tuple[Callable[[Effect], bool], ...] = (self.panes.handle, self.handle)
        self.awaiting_sample = False
        self.layout_name = BOTH
        self.single = False
        self._search = TextSearch(self)
        self.feature_keys: Handlers = {}
        self._suggestion_marks = rows.SuggestionMarks()
        self._shown: dict[str, Any] = {}
        self._listed: dict[str, ListedAnnotation] = {}
        self._base_style: Style | None = None
        self._heights_for: tuple[SampleKey, int, int, int] | None = None

    # methods that subclasses override

    @property
    def draft(self) -> Draft | None:
        """The open sample with all unsaved work; None before the first sample."""
        raise NotImplementedError

    @property
    def key_map(self) -> KeyMap | None:
        """The keys of the user; None before the first sample."""
        raise NotImplementedError

    @property
    def busy(self) -> bool:
        """Whether a job is running for which key presses must wait, such as opening a sample."""
        raise NotImplementedError

    @property
    def shows_matches(self) -> bool:
        """Whether a selection is matched with the text on the other side."""
        return True

    @property
    def found_needs(self) -> Need:
        """What the sample and the workspace have, for which some actions exist."""
        return find_needs(self.draft) if self.draft else NO_NEED

    def may_do(self, action: str) -> bool:  # noqa: ARG002  what it may depend on
        """Return whether the window is large enough for an action."""
        return True

    def header(self) -> Header | None:
        """Return the content of the header; None to keep the header unchanged."""
        raise NotImplementedError

    def quit(self) -> None:
        """End the work on the screen: store what is unsaved, and close the app."""
        raise NotImplementedError

    def spend(self) -> None:
        """Add the time for a key press or mouse click to the working time."""

    def remember(self, what: str, value: str) -> None:
        """Store a view setting, such as the layout, for the user; by default, do nothing."""

    def free_keys(self) -> None:
        """Deliver the waiting key presses, if the job for which they waited has ended."""

    # actions and effects

    def do(self, action: str, *, digit: str = "") -> None:
        """Run an action of the key table, for a key, a command of the palette or a click."""
        if draft := self.draft:
            may = self.may_do(action)
            self.perform(self.press(draft, action, digit=digit) if may else [Blink()])

    def press(self, draft: Draft, action: str, *, digit: str) -> Effects:
        """Change the draft by an action, and return the effects for the screen."""
        return press(draft, action, digit=digit, more=self.feature_keys)

    def perform(self, effects: Sequence[Effect]) -> None:
        """Apply the effects of a user action, such as cursor moves, then update the screen.

        An effect that no handler applies is logged, by its class only: it may contain texts.
        """
        for effect in effects:
            if not any(handle(effect) for handle in self.handlers):
                _log.warning("no handler for the effect %s", type(effect).__name__)
        if not self.awaiting_sample:
            self.follow()
            self.show_draft()

    def handle(self, effect: Effect) -> bool:
        """Apply the effect of a user action to the screen; return False for unknown effects."""
        match effect:
            case Blink():
                self.query_one(LabelBar).blink()
            case Open(Page.LAYOUT):
                self.next_layout()
                self.remember("layout", self.layout_name)
            case Open(Page.MISSING_WORDS):
                self.comparison.toggle_lacking()
            case Open(Page.DOCUMENT, step):
                self.panes.next_document(step)
            case Open(Page.FIND) if draft := self.draft:
                self._search.ask(draft)
            case Open(Page.PALETTE):
                from textual.command import CommandPalette

                self.app.push_screen(CommandPalette(placeholder=SampleMessage.FIND_ACTION.text()))
            case Open(Page.QUIT):
                self.quit()
            case _:
                return False
        return True

    def follow(self) -> None:
        """Record the cursor positions in summary and source, and update the matches."""
        self.panes.follow()

    def load_documents(self, draft: Draft) -> None:
        """Show the texts of a newly opened sample, and start to compare them."""
        self.panes.reset()
        sample = draft.sample
        single = sample.kind is SampleKind.DOCUMENT and not all(map(sample.side, Side))
        if single != self.single:
            self.single = single
            self._arrange()
        self.panes.load(draft)
        self.comparison.begin(draft)
        for feature in self.features:
            feature.loaded(draft)

    def show_message(self, message: AnyMessage, kind: Kind = HINT, **fields: object) -> None:
        """Show a message in the status line; `fields` are the values of its fields."""
        if draft := self.draft:
            draft.say(message, kind, **fields)
        self.show_draft()

    def use_theme(self, name: str) -> None:
        """Change the colours, and store the choice for the user."""
        self.app.theme = name
        self.remember("theme", name)

    def open_dialog(self, dialog: Screen[Any], closed: Callable[[Any], None] | None = None) -> None:
        """Show a dialog on top of the screen; `closed` gets its result."""
        self.app.push_screen(dialog, closed)

    def run_in_thread(self, group: str, call: Callable[[], None]) -> None:
        """Call a function in a thread, and cancel the earlier call with the same group name.

        The worker has a description, because Textual would otherwise format the call's arguments,
        which takes 10 ms for texts of a megabyte.
        """
        self.run_worker(
            call, thread=True, group=group, description=group, exclusive=True, exit_on_error=False
        )

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        self.panes.worker_changed(event)

    # the mouse

    def on_document_pane_selection_changed(self, message: DocumentPane.SelectionChanged) -> None:
        """Make the text under the mouse the one at work, and update the matches."""
        message.stop()
        draft = self.draft
        side = self.panes.side_of(message.pane)
        if draft is None or side is None or draft.writing or self.busy:
            return
        pointer = self.panes.pointer(side)
        if pointer == draft.pointers[side]:
            return
        self.spend()
        cursor_actions.set_pointer(draft, side, pointer, by_hand=True)
        self.pane(side).focus()
        self.follow()
        self.show_draft()

    def on_document_pane_match_clicked(self, message: DocumentPane.MatchClicked) -> None:
        message.stop()
        if message.pane is self.pane(Side.SOURCE):
            self._click(lambda draft: self.match_clicked(draft, message.rank))

    def on_document_pane_tag_clicked(self, message: DocumentPane.TagClicked) -> None:
        """Let the first feature that knows the clicked citation mark handle the click."""
        message.stop()
        draft = self.draft
        if draft and message.pane is self.pane(Side.SUMMARY) and not draft.writing:
            for feature in self.features:
                if feature.citation_clicked(draft, message.offset, message.cell):
                    break

    def on_match_list_picked(self, message: MatchList.Picked) -> None:
        message.stop()
        self._click(lambda draft: highlights.show_match(draft, message.rank))

    def on_annotation_list_picked(self, message: AnnotationList.Picked) -> None:
        message.stop()
        self._click(lambda draft: self.annotation_clicked(draft, message.index))

    def on_label_bar_picked(self, message: LabelBar.Picked) -> None:
        message.stop()
        if self.draft and not self.draft.writing:
            self.spend()
            self.option_clicked(message.digit)

    def match_clicked(self, draft: Draft, rank: int) -> Effects:
        """Return the effects of a click on a match, by its rank."""
        return highlights.show_match(draft, rank)

    def annotation_clicked(self, draft: Draft, index: int) -> Effects:
        """Return the effects of a click on a row of the list, counted from 0."""
        raise NotImplementedError

    def option_clicked(self, digit: str) -> None:
        """Run the action of a clicked option, named by its digit."""
        self.do("option.choose", digit=digit)

    def _click(self, action: Callable[[Draft], Effects]) -> None:
        draft = self.draft
        if draft and not draft.writing and not self.busy:
            self.spend()
            self.perform(action(draft))

    # layout

    def compose(self) -> ComposeResult:
        """Yield the widgets in the order in which the grid of the screen is filled."""
        self.panes.build()
        self._update_classes()
        yield HeaderBar()
        if self.has_class("-beside"):
            yield from (PaneTitle(id=f"{side.value}-title") for side in Side)
            yield from map(self.pane, Side)
        else:
            for side in reversed(Side):
                yield PaneTitle(id=f"{side.value}-title")
                yield self.pane(side)
        yield PaneTitle(id="matches-title")
        yield MatchList()
        yield PaneTitle(id="annotations-title")
        yield AnnotationList()
        yield DraftLine()
        yield NoteInput(id="note")
        yield LabelBar()
        yield KeyLine()

    @property
    def base(self) -> Style:
        """Style of the background, computed once per theme."""
        if self._base_style is None:
            self._base_style = self.rich_style
        return self._base_style

    def notify_style_update(self) -> None:
        """Override Textual's hook: compute the style of the background again."""
        self._base_style = None
        super().notify_style_update()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Override Textual's hook: return the background of the screen as blank lines.

        Each frame asks for all lines. Drawing them the usual way takes a tenth of a frame's time.
        """
        return [Strip.blank(crop.width, self.base)] * crop.height

    def on_mount(self) -> None:
        self._arrange()
        self.show_draft()

    def on_resize(self) -> None:
        self._arrange()

    def pane(self, side: Side) -> DocumentPane:
        return self.panes[side]

    def next_layout(self) -> None:
        """Switch to the next layout: both texts side by side, one, stacked.

        A narrow window always stacks both texts, so only `both` and `one` alternate there.
        """
        if self.single:
            return
        names = LAYOUTS if self.app.size.width >= SIDE_BY_SIDE else (BOTH, ONE)
        at = names.index(self.layout_name) if self.layout_name in names else 0
        self.use_layout(names[(at + 1) % len(names)])

    def use_layout(self, name: str) -> None:
        """Use a layout of `LAYOUTS`; other names and the current one are ignored."""
        if name in LAYOUTS and name != self.layout_name:
            self.layout_name = name
            self._arrange()

    def _update_classes(self) -> bool:
        """Set the screen's style classes without a repaint; return whether they changed."""
        width, height = self.app.size
        side_by_side = self.layout_name == BOTH and width >= SIDE_BY_SIDE and not self.single
        before = self.classes
        self.set_class(side_by_side, "-beside", update=False)
        self.set_class(self.layout_name == ONE or self.single, "-one", update=False)
        self.set_class(side_by_side and height >= LISTS, "-lists", update=False)
        return self.classes != before

    def _arrange(self) -> None:
        before = self.has_class("-beside")
        if self._update_classes():  # all styles are updated once per change, not once per class
            if before != self.has_class("-beside"):
                self._order_cells()
            self.update_node_styles()
        self._shown.clear()
        if self.is_mounted:
            self.show_draft()

    def _order_cells(self) -> None:
        """Order the widgets in the grid of the screen, which is filled row by row."""
        source = self.query_one("#source-title")
        title = self.query_one("#summary-title")
        if self.has_class("-beside"):
            self.move_child(title, after=source)
            self.move_child(self.pane(Side.SUMMARY), after=self.pane(Side.SOURCE))
        else:
            self.move_child(title, before=source)
            self.move_child(self.pane(Side.SUMMARY), before=source)

    @property
    def minimum_size(self) -> tuple[int, int]:
        """Minimum columns and rows of a readable window in the current layout."""
        return _COLUMNS, _ONE if self._fills_height else _STACKED

    @property
    def too_small(self) -> bool:
        """Whether the window is too small for reading, so that nothing may be saved."""
        width, height = self.app.size
        columns, rows = self.minimum_size
        return width < columns or height < rows

    @property
    def _fills_height(self) -> bool:
        return self.has_class("-beside") or self.has_class("-one")

    def _share_rows(self, draft: Draft) -> None:
        """Set the heights of the texts once per sample and window size, to avoid jumping texts."""
        if self.too_small:
            columns, rows = self.minimum_size
            self.query_one(LabelBar).show((), title="", digits_off=True)
            message = SampleMessage.TOO_SMALL.text(columns=columns, rows=rows)
            self.query_one(DraftLine).show(message, kind=WARNING)
        if self._fills_height:
            if self._heights_for:  # setting an unchanged value would lay the screen out again
                self._heights_for = self.styles.grid_rows = None
            return
        bar = 1
        if self.has_class("-three"):
            bar = 3
        elif self.has_class("-two"):
            bar = 2
        where = (draft.sample.key, *self.app.size, bar)
        if where != self._heights_for:
            self._heights_for = where
            rows = max(self.app.size.height - _LINES - bar, 0)
            upper = self._upper_rows(draft, rows)
            lower = max(rows - upper, 1)
            self.styles.grid_rows = f"1 1 {max(upper, 1)}fr 1 {lower}fr auto {bar} 1"

    def _upper_rows(self, draft: Draft, rows: int) -> int:
        """Return the rows of the upper text, so that both texts fit if they can."""
        width = text_columns(self.app.size.width)
        texts = ([one.text for one in draft.sample.side(side)] for side in reversed(Side))
        upper, lower = (
            max((rows_needed(text, width, most=rows) for text in side), default=1) for side in texts
        )
        framed = 2 * FRAME_LINES if draft.tabs else 0
        return upper_rows(rows, upper=upper + framed, lower=lower)

    # what is shown

    def show_draft(self) -> None:
        """Update every widget from the open sample; unchanged widgets are not painted again."""
        if header := self.header():
            self.query_one(HeaderBar).show(header)
        draft = self.draft
        if draft is None:
            return
        self.comparison.compare_focus(draft)
        for feature in self.features:
            feature.before_drawing(draft)
        text, kind = self.line(draft, self.app.size.width - GLYPH_CELLS)
        self.query_one(DraftLine).show(text, kind=kind)
        self._show_bar(draft)
        if keys := self.key_map:
            last = None if draft.hints else keys.help_key(draft.state)
            self.query_one(KeyLine).show(self.key_pairs(draft, keys), last=last)
        alone = self.single and not draft.sample.side(Side.SUMMARY)
        self.set_class(alone or draft.side is Side.SOURCE, "-source")
        self._show_titles(draft)
        if self.has_class("-lists"):
            self._show_lists(draft)
        for side in Side:
            self._show_marks(draft, side)
        self._share_rows(draft)

    def line(self, draft: Draft, cells: int) -> tuple[str, Kind]:
        """Return the status line's text, cut to `cells` cells, and the message kind."""
        for feature in self.features:
            if found := feature.line(draft, cells):
                return found
        return draft_line(draft, cells)

    def key_pairs(self, draft: Draft, keys: KeyMap) -> Sequence[tuple[str, str]]:
        """Return (key, name) of the actions on the key line, as the first feature names them."""
        found = (feature.key_line(draft) for feature in self.features)
        usual = next(filter(None, found), key_lines.READING_LINE)
        return rows.key_pairs(keys, draft, usual)

    def bar(self, draft: Draft) -> tuple[Sequence[Option], str, bool]:
        """Return the label bar's content: options, title, and whether digit keys do nothing."""
        return rows.bar(draft)

    def title_of(self, draft: Draft, side: Side) -> rows.Title:
        """Return the title of the summary or source, as all features change it in order."""
        conflict = self.comparison.contrast.description
        title = rows.title(draft, side, signals=self.panes.signals, conflict=conflict)
        for feature in self.features:
            title = feature.title(draft, side, title)
        return title

    def marks_of(self, draft: Draft, side: Side) -> Sequence[AnnotationMark]:
        """Return the highlights of annotations, then of suggestions, then of features."""
        marks = (*rows.marks(draft, side), *self._suggestion_marks.find(draft, side))
        for feature in self.features:
            if more := feature.marks(draft, side):
                marks = (*marks, *more)
        return marks

    def evidence_of(self, draft: Draft) -> Sequence[Anchor]:
        """Return the evidence to highlight: that of the draft."""
        return draft.evidence

    def citations(self, draft: Draft) -> Sequence[Citation]:
        """Return the citations to show after the sentences of the summary."""
        for feature in self.features:
            if (found := feature.citations(draft)) is not None:
                return found
        return draft.citations

    def surroundings(self, draft: Draft, side: Side) -> tuple[str, str]:
        """Return the text before and after an excerpt on screen; both empty for a whole text."""
        for feature in self.features:
            if found := feature.surroundings(draft, side):
                return found
        return "", ""

    # updates of the widgets

    def _show_bar(self, draft: Draft) -> None:
        """Show the label bar; its height always fits all labels, to avoid jumping texts."""
        bar = self.query_one(LabelBar)
        options, title, digits_off = self.bar(draft)
        bar.show(options, title=title, digits_off=digits_off)
        size = self.app.size
        usual = draft.pending is None and draft.split_label is None
        if usual and self.changed("bar", (len(options), size.width)):
            self.set_class(bar.get_content_height(size, size, size.width) > 1, "-two")

    def _show_titles(self, draft: Draft) -> None:
        for side in Side:
            name, notes, right, extra = self.title_of(draft, side)
            if self.has_class("-lists"):
                extra = ""  # it is shown under the matches
            if self.has_class("-one") and not self.single:
                notes = (rows.describe_hidden_side(draft, side.other), *notes)
            bar = self.query_one(f"#{side.value}-title", PaneTitle)
            bar.show(name, notes, right, extra=extra, focused=draft.side is side)

    def _show_lists(self, draft: Draft) -> None:
        matches = self.query_one("#matches-title", PaneTitle)
        heading = SampleMessage.MATCHES_TITLE.text()
        choice = signals.describe_choice(self.panes.by)
        name = " · ".join(filter(None, (heading, choice))).upper()
        matches.show(name, [rows.describe_match_source(draft)], focused=False)
        found = rows.match_rows(draft)
        focused = draft.focused_ranks[draft.side.other]
        status = self.panes.signals
        if self.changed("matches", (found, focused, status)):
            self.query_one(MatchList).show(
                found, focused=focused, status=status.text, searching=status.searching
            )
        counted = [str(len(draft.annotations) or ""), rows.describe_open_suggestions(draft)]
        heading = SampleMessage.ANNOTATIONS_TITLE.text()
        self.query_one("#annotations-title", PaneTitle).show(heading, counted, focused=False)
        shown = draft.tree.version, draft.annotations, draft.offered, draft.focused, draft.editing
        if self.changed("annotations", shown):
            self.query_one(AnnotationList).show(rows.annotation_rows(draft, self._listed))

    def _show_marks(self, draft: Draft, side: Side) -> None:
        """Update the highlights of a text that have changed since they were last shown."""
        pane = self.pane(side)
        at = draft.pointers[side].document

        def mark(show: Callable[..., None], *values: object, **named: object) -> None:
            if self.changed(f"{show.__name__} {side}", (at, values, named)):
                show(*values, **named)

        matches = tuple(match for match in draft.matches[side] if match.document == at)
        mark(pane.set_matches, matches, focused=draft.focused_ranks[side])
        mark(pane.set_marks, tuple(self.marks_of(draft, side)))
        found = self.evidence_of(draft)
        taken = tuple(one.span for one in found if (one.side, one.index) == (side, at))
        mark(pane.set_evidence, taken)
        mark(pane.set_former, draft.former_evidence.get(at, ()) if side is Side.SOURCE else ())
        mark(pane.set_contrast, *rows.contrasted(draft, (side, at), self.comparison.contrast))
        mark(pane.set_lacking, draft.missing_words if (side, at) == (Side.SUMMARY, 0) else ())
        if side is Side.SUMMARY:
            tags = (feature.focused_citation(draft) for feature in self.features)
            mark(pane.set_tag, next(filter(None, tags), None))
        hits = draft.search.hits_on(side)
        mark(pane.set_search, hits, focused=draft.search.current + 1 if hits else 0)
        hints = draft.hints
        mark(pane.set_hints, hints.shown() if hints and hints.side is side else None)

    def changed(self, name: str, value: Any) -> bool:
        """Return whether a value on screen differs from the one shown last, and remember it."""
        if name in self._shown and self._shown[name] == value:
            return False
        self._shown[name] = value
        return True

    def forget_shown(self) -> None:
        """Forget what the widgets show, so that the next update sets all highlights again."""
        self._shown.clear()
        self._listed.clear()
