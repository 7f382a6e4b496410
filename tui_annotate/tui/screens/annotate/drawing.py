"""What the annotating screen is made of, and how a draft is shown on it; it decides nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual.app import ComposeResult
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.samples import Side, Signals
from tui_annotate.tui.draft.contrasting import NOTHING
from tui_annotate.tui.draft.effects import Effect
from tui_annotate.tui.draft.state import Draft, Kind
from tui_annotate.tui.draft.words import line
from tui_annotate.tui.keys.map import KeyMap
from tui_annotate.tui.quick import Based
from tui_annotate.tui.screens.annotate import offer_rows, rows, signals
from tui_annotate.tui.widgets.annotation_list import AnnotationList, AnnotationRow
from tui_annotate.tui.widgets.document_pane import DocumentPane, Mark
from tui_annotate.tui.widgets.draft_line import GLYPH_CELLS, DraftLine
from tui_annotate.tui.widgets.header_bar import Header, HeaderBar
from tui_annotate.tui.widgets.key_line import KeyLine
from tui_annotate.tui.widgets.label_bar import LabelBar, Option
from tui_annotate.tui.widgets.match_list import MatchList
from tui_annotate.tui.widgets.note_input import NoteInput
from tui_annotate.tui.widgets.pane_title import PaneTitle

if TYPE_CHECKING:
    from tui_annotate.services.annotate import Desk
    from tui_annotate.tui.session import Session

SIDE_BY_SIDE: Final = 100
"""Columns from which the texts stand side by side."""

LISTS: Final = 28
"""Rows from which matches and annotations are listed under the summary."""

BOTH, ONE, STACKED = LAYOUTS = ("both", "one", "stacked")


class AnnotateDrawing(Based, Screen[None]):
    """Header, two texts, lists, draft line, options, keys."""

    ALLOW_SELECT: ClassVar[bool] = False
    AUTO_FOCUS: ClassVar[str | None] = ""

    def __init__(self) -> None:
        super().__init__()
        self.session: Session | None = None
        self.desk: Desk | None = None
        self.draft: Draft | None = None
        self.signals = ""
        self.by = Signals.FUSED
        self.contrast = NOTHING
        self.saved_words = ""
        self.layout_name = BOTH
        self.single = False  # one text alone, whatever layout was chosen
        self._panes: dict[Side, DocumentPane] = {}
        self._shown: dict[str, Any] = {}
        self._listed: dict[str, AnnotationRow] = {}

    def compose(self) -> ComposeResult:
        """All widgets."""
        self._panes = {side: DocumentPane(id=side.value) for side in Side}
        self._classify()
        yield HeaderBar()
        for side in Side if self.has_class("-beside") else reversed(Side):
            yield PaneTitle(id=f"{side.value}-title")
            if not self.has_class("-beside"):
                yield self._panes[side]
        if self.has_class("-beside"):
            yield from self._panes.values()
        yield PaneTitle(id="matches-title")
        yield MatchList()
        yield PaneTitle(id="annotations-title")
        yield AnnotationList()
        yield DraftLine()
        yield NoteInput(id="note")
        yield LabelBar()
        yield KeyLine()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Textual's hook: blank, as widgets cover all but the gap between the texts.

        Each frame asks for all lines; drawing them the usual way costs a tenth of it.
        """
        return [Strip.blank(crop.width, self.base)] * crop.height

    def on_mount(self) -> None:
        """The frame before there is anything in it."""
        self._arrange()
        self.show_draft()

    def on_resize(self) -> None:
        """The layout follows the terminal."""
        self._arrange()

    def look_closer(self, draft: Draft) -> None:
        """What is in hand may be another than before."""

    def perform(self, effects: Sequence[Effect]) -> None:
        """Does what the draft asks for, and shows the draft."""
        raise NotImplementedError

    def pane(self, side: Side) -> DocumentPane:
        """The pane of a side."""
        return self._panes[side]

    def next_layout(self) -> None:
        """Both texts, one, stacked; where both are stacked anyway, both and one."""
        if self.single:
            return
        names = LAYOUTS if self.app.size.width >= SIDE_BY_SIDE else (BOTH, ONE)
        at = names.index(self.layout_name) if self.layout_name in names else 0
        self.use_layout(names[(at + 1) % len(names)])

    def use_layout(self, name: str) -> None:
        """One of `LAYOUTS`; another name changes nothing."""
        if name in LAYOUTS and name != self.layout_name:
            self.layout_name = name
            self._arrange()

    def _classify(self) -> bool:
        """Names the layout for the style sheet, without applying it; says whether it is another."""
        width, height = self.app.size
        side_by_side = self.layout_name == BOTH and width >= SIDE_BY_SIDE and not self.single
        before = self.classes
        self.set_class(side_by_side, "-beside", update=False)
        self.set_class(self.layout_name == ONE or self.single, "-one", update=False)
        self.set_class(side_by_side and height >= LISTS, "-lists", update=False)
        return self.classes != before

    def _arrange(self) -> None:
        before = self.has_class("-beside")
        if self._classify():  # styles of all widgets: once a change, not once a class
            if before != self.has_class("-beside"):
                self._order_cells()
            self.update_node_styles()
        self._shown.clear()
        if self.is_mounted:
            self.show_draft()

    def _order_cells(self) -> None:
        """Cells are filled row by row: both titles first, or the summary before the source."""
        source, title = self.query_one("#source-title"), self.query_one("#summary-title")
        if self.has_class("-beside"):
            self.move_child(title, after=source)
            self.move_child(self.pane(Side.SUMMARY), after=self.pane(Side.SOURCE))
        else:
            self.move_child(title, before=source)
            self.move_child(self.pane(Side.SUMMARY), before=source)

    def show_draft(self) -> None:
        """Brings every widget in line with the draft; what did not change is not painted."""
        self._show_header()
        draft = self.draft
        if draft is None:
            return
        self.look_closer(draft)
        text, kind = self.words_of(draft, self.app.size.width - GLYPH_CELLS)
        self.query_one(DraftLine).show(text, kind=kind)
        self._show_bar(draft)
        if self.session:
            keys, last = self.session.keys, rows.help_pair(self.session.keys, draft)
            self.query_one(KeyLine).show(self.keys_of(draft, keys), last=last)
        alone = self.single and not draft.sample.side(Side.SUMMARY)
        self.set_class(alone or draft.side is Side.SOURCE, "-source")
        self._show_titles(draft)
        if self.has_class("-lists"):
            self._show_lists(draft)
        for side in Side:
            self._show_marks(draft, side)

    def draft_words(self) -> str:
        """What the draft line says."""
        return self.words_of(self.draft, 1000)[0] if self.draft else ""

    # what another screen shows otherwise

    def words_of(self, draft: Draft, cells: int) -> tuple[str, Kind]:
        """(text, kind) of the draft line, for so many cells."""
        return line(draft, cells)

    def keys_of(self, draft: Draft, keys: KeyMap) -> Sequence[tuple[str, str]]:
        """The line of keys."""
        return rows.key_pairs(keys, draft)

    def bar_of(self, draft: Draft) -> tuple[Sequence[Option], str, bool]:
        """(options, title, asleep) of the label bar."""
        return rows.bar(draft)

    def title_of(self, draft: Draft, side: Side) -> rows.Title:
        """What stands over a text."""
        return rows.title(draft, side, signals=self.signals, conflict=self.contrast.told)

    def marks_of(self, draft: Draft, side: Side) -> Sequence[Mark]:
        """What was said, as marks on the document of a side that is on screen."""
        return rows.marks(draft, side)

    def evidence_of(self, draft: Draft) -> Sequence[Anchor]:
        """What is shown as taken."""
        return draft.evidence

    def aside(self) -> str:
        """What the header may not leave out."""
        return "" if self.has_class("-lists") else signals.chosen(self.by)

    # how it is shown

    def _show_header(self) -> None:
        desk, session = self.desk, self.session
        if desk is None:
            return
        header = Header(
            dataset=desk.sample.dataset,
            position=desk.position,
            total=desk.total,
            finished=desk.finished,
            sample=desk.sample.id,
            person=session.person.name if session else "",
            saved=self.saved_words,
            state=desk.assignment.state.value,
            matches=self.aside(),
            reading=rows.reading(session.person if session else None, practice=desk.practice),
        )
        self.query_one(HeaderBar).show(header)

    def _show_bar(self, draft: Draft) -> None:
        """Its height is that of the label set's options, so that nothing jumps with fewer."""
        bar, (options, title, asleep) = self.query_one(LabelBar), self.bar_of(draft)
        bar.show(options, title=title, asleep=asleep)
        size, usual = self.app.size, draft.pending is None and draft.waiting is None
        if usual and self._changed("bar", (len(options), size.width)):
            self.set_class(bar.get_content_height(size, size, size.width) > 1, "-two")

    def _show_titles(self, draft: Draft) -> None:
        for side in Side:
            name, notes, right, extra = self.title_of(draft, side)
            extra = "" if self.has_class("-lists") else extra  # it stands under the matches
            if self.has_class("-one") and not self.single:
                notes = (rows.hidden(draft, side.other), *notes)
            bar = self.query_one(f"#{side.value}-title", PaneTitle)
            bar.show(name, notes, right, extra=extra, focused=draft.side is side)

    def _show_lists(self, draft: Draft) -> None:
        matches = self.query_one("#matches-title", PaneTitle)
        name = f"MATCHES {signals.chosen(self.by)}".strip().upper()
        matches.show(name, [rows.matched(draft)], focused=False)
        found = rows.match_rows(draft)
        focused = draft.lit[rows.lit_side(draft)]
        if self._changed("match list", (found, focused, self.signals)):
            self.query_one(MatchList).show(found, focused=focused, status=self.signals)
        counted = [str(len(draft.annotations) or ""), offer_rows.counted(draft)]
        self.query_one("#annotations-title", PaneTitle).show("ANNOTATIONS", counted, focused=False)
        if self._changed("annotation list", rows.listed(draft)):
            self.query_one(AnnotationList).show(rows.annotation_rows(draft, self._listed))

    def _show_marks(self, draft: Draft, side: Side) -> None:
        """Sets what lies on a text, where it is another than before."""
        pane, at = self._panes[side], draft.pointers[side].document
        matches = tuple(match for match in draft.matches[side] if match.document == at)
        if self._changed(f"matches {side}", (at, matches, draft.lit[side])):
            pane.set_matches(matches, focused=draft.lit[side])
        marks = tuple(self.marks_of(draft, side))
        if self._changed(f"marks {side}", (at, marks)):
            pane.set_marks(marks)
        found = self.evidence_of(draft)
        taken = tuple(one.span for one in found if (one.side, one.index) == (side, at))
        if self._changed(f"evidence {side}", (at, taken)):
            pane.set_evidence(taken)
        former = draft.former.get(at, ()) if side is Side.SOURCE else ()
        if self._changed(f"former {side}", (at, former)):
            pane.set_former(former)
        shared, conflicts = rows.contrasted(draft, (side, at), self.contrast)
        if self._changed(f"contrast {side}", (at, shared, conflicts)):
            pane.set_contrast(shared, conflicts)
        lacking = draft.nowhere if (side, at) == (Side.SUMMARY, 0) else ()
        if self._changed(f"lacking {side}", (at, lacking)):
            pane.set_lacking(lacking)
        hits = draft.hits if draft.searched[1] is side else ()
        if self._changed(f"search {side}", (at, hits, draft.hit)):
            pane.set_search(hits, focused=draft.hit + 1 if hits else 0)
        hints = draft.hints.shown() if draft.hints and draft.hints.side is side else None
        if self._changed(f"hints {side}", hints):
            pane.set_hints(hints)

    def _changed(self, name: str, value: Any) -> bool:
        if name in self._shown and self._shown[name] == value:
            return False
        self._shown[name] = value
        return True

    def forget_shown(self) -> None:
        """After a pane got another text: all marks are to be set anew."""
        self._shown.clear()
        self._listed.clear()
