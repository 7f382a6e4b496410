"""Dialog with the summaries of the same source as a sample: their whole texts with scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.style import Style
from textual.binding import Binding, BindingType

from tui_annotate.domain.assignments import State
from tui_annotate.domain.line_text import cut, line_text
from tui_annotate.domain.samples import SampleKey, SiblingSample
from tui_annotate.domain.scores import ScoreSummaries
from tui_annotate.editor.glyphs import FOCUS_BAR, STATE_GLYPHS
from tui_annotate.tui.dialogs.frame import PAGING, Keys
from tui_annotate.tui.dialogs.item_list import ItemDialog
from tui_annotate.tui.dialogs.texts import DialogText, KeyName
from tui_annotate.tui.line_text import Run, align_both_ends, clip, split_paragraphs, wrap_line
from tui_annotate.tui.palette import PaintStyles
from tui_annotate.tui.score_cells import draw_bar, format_score

Found = tuple[Sequence[SiblingSample], ScoreSummaries]
_INDENT = "   "


class SiblingsDialog(ItemDialog[SiblingSample, Found]):
    """A dialog in which the user chooses one of the samples of a source, to open it."""

    DEFAULT_CSS = """
    SiblingsDialog > Vertical { width: 100%; max-width: 124; height: 100%; }
    SiblingsDialog ItemList { height: 1fr; max-height: 100%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *PAGING,
        Binding("tab", "move(1)", "next", show=False),
        Binding("shift+tab", "move(-1)", "previous", show=False),
    ]
    waiting = DialogText.SIBLINGS_LOADING
    keys: Keys = (
        ("↑↓", KeyName.SAMPLE),
        ("PgUp PgDn", KeyName.SCROLL),
        ("Enter", KeyName.OPEN),
        ("q", KeyName.CLOSE),
    )

    def __init__(self, find: Callable[[], Found], *, current: SampleKey) -> None:
        super().__init__(DialogText.SIBLINGS_TITLE.text(), find)
        self._current = current
        self._scores = ScoreSummaries()

    def details(self, item: SiblingSample, cells: int) -> Sequence[str]:
        """Return the lines of the whole summary."""
        return [
            f"{_INDENT}{part}"
            for line in split_paragraphs(item.text)
            for part in wrap_line(line, cells - 4)
        ]

    def detail_style(self, palette: PaintStyles, *, focused: bool) -> Style:
        return palette.text if focused else palette.quiet

    def head(self, item: SiblingSample, cells: int, *, focused: bool) -> Sequence[Run]:
        """Return the first row: state, id, annotations, and the scores at the right."""
        palette = self.rows.palette
        asides = []
        if item.annotations:
            asides.append(DialogText.ANNOTATIONS.text(count=item.annotations))
        if item.key == self._current:
            asides.append(DialogText.OPEN_SIBLING.text())
        left: list[Run] = [
            (FOCUS_BAR if focused else " ", palette.accent),
            (
                f"{STATE_GLYPHS[item.state]} ",
                palette.good if item.state is State.DONE else palette.text,
            ),
            (cut(line_text(item.key.id), cells // 2), palette.strong),
            ("".join(f"  {aside}" for aside in asides), palette.key),
        ]
        right: list[Run] = []
        if summary := self._scores.of.get(item.key):
            for value in summary.values:
                right.append((f" {draw_bar(value)}", palette.accent))
                right.append((format_score(value), palette.quiet))
            if summary.label:
                right.append((f" {summary.label}", palette.disabled))
        return clip(align_both_ends(left, right, cells), cells)

    def show_items(self, found: Found) -> None:
        """Show the samples in the order of the queue; the open one is focused."""
        siblings, self._scores = found
        if not siblings:
            self.rows.show_text(DialogText.NO_SIBLING.text())
            return
        count = DialogText.COUNT_OF_YOURS.text(count=len(siblings))
        self.show_title(" · ".join([count, *found[1].names]))
        keys = [each.key for each in siblings]
        self.rows.show(siblings, focused=keys.index(self._current) if self._current in keys else 0)

    def result_of(self, item: SiblingSample) -> SampleKey:
        return item.key
