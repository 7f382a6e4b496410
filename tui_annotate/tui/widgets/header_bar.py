"""The header bar: dataset, position, progress, sample, annotator and save state.

A narrow header drops the least important parts first, but never the reason of a failed save.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tui_annotate.domain.line_text import cut, line_text
from tui_annotate.editor.glyphs import STATE_GLYPHS
from tui_annotate.editor.screen_message import ScreenMessage
from tui_annotate.tui.line_text import Run, align_both_ends, runs_width
from tui_annotate.tui.palette import PaintStyles
from tui_annotate.tui.row_widgets import FixedRows


class HeaderText(ScreenMessage):
    """Texts of the header bar."""

    NUMBERED_SAMPLE = "sample {id}"


class _Plan(NamedTuple):
    """A layout of the header bar: maximum width of each part (0 hides it), and shown parts."""

    bar: int
    person: int
    dataset: int
    sample: int
    percent: bool = True
    words: bool = True
    state: bool = True


_PLANS = (
    _Plan(bar=24, person=24, dataset=32, sample=48),
    _Plan(bar=16, person=20, dataset=24, sample=32),
    _Plan(bar=10, person=16, dataset=20, sample=24),
    _Plan(bar=8, person=10, dataset=12, sample=24),
    _Plan(bar=0, person=10, dataset=12, sample=20),
    _Plan(bar=0, person=0, dataset=12, sample=20),
    _Plan(bar=0, person=0, dataset=0, sample=20),
    _Plan(bar=0, person=0, dataset=0, sample=16, percent=False),
    _Plan(bar=0, person=0, dataset=0, sample=10, percent=False, words=False),
    _Plan(bar=0, person=0, dataset=0, sample=0, percent=False, words=False),
    _Plan(bar=0, person=0, dataset=0, sample=0, percent=False, state=False),
)


class Header(NamedTuple):
    """The contents of the header bar.

    Attributes:
        finished: number of completed samples.
        locked: number of samples that can no longer be completed; progress leaves them out.
        aside: the numbers of skipped, flagged and locked samples, such as `2 skipped`; empty for
            none.
        position: position of the sample, from 1; 0 for no open sample.
        state: stored name of the state of the work; `state_name` is its name on screen.
        saved: "saved", "saving", or "not saved: " with the reason; empty for no save.
        matches: name of the ranking of matches, if not the default.
        reading: `read-only`, `practice` or `2nd reading`; empty for the first reading.
    """

    dataset: str = ""
    position: int = 0
    total: int = 0
    finished: int = 0
    sample: str = ""
    person: str = ""
    saved: SaveState | None = None
    state: str = ""
    state_name: str = ""
    matches: str = ""
    reading: str = ""
    aside: str = ""
    locked: int = 0

    @property
    def percent(self) -> int:
        """The completed share of the samples that can be completed; 100 if there are none."""
        possible = self.total - self.locked
        return 100 * self.finished // possible if possible > 0 else 100


class SaveState(ScreenMessage):
    """States of the saves that were sent to the store."""

    SAVED = "saved"
    SAVING = "saving"
    NOT_SAVED = "not saved"  # the status line shows the reason
    NOT_SAVED_YET = "not saved yet"  # the store has not answered for some seconds


class SyncText(ScreenMessage):
    """States of the synchronization."""

    IDLE = "sync idle"
    PENDING = "sync pending"
    SYNCING = "syncing"
    SYNCED = "synced"
    ERROR = "sync error"
    OFFLINE = "offline"


_SYNC = {
    "idle": ("◌", SyncText.IDLE, "quiet"),
    "pending": ("◔", SyncText.PENDING, "warning"),
    "syncing": ("⇅", SyncText.SYNCING, "accent"),
    "success": ("●", SyncText.SYNCED, "good"),
    "error": ("✗", SyncText.ERROR, "error"),
    "offline": ("○", SyncText.OFFLINE, "quiet"),
}
"""(glyph, text, colour role) of each state of the synchronization, a value of `SyncState`."""


class HeaderBar(FixedRows):
    """Bar with the contents of a `Header`, and the state of the synchronization."""

    DEFAULT_CSS = "HeaderBar { background: $panel; }"

    _header = Header()
    _sync = ""

    def show_sync(self, state: str) -> None:
        """Show a state of the synchronization, a value of `SyncState`."""
        if state != self._sync:
            self._sync = state
            self.repaint()

    def show(self, header: Header) -> None:
        """Replace the contents; texts are cleaned for the terminal here."""
        parts = header._asdict().items()
        texts: dict[str, Any] = {at: line_text(to) for at, to in parts if isinstance(to, str)}
        new = header._replace(**texts)
        if new != self._header:
            self._header = new
            self.repaint()

    def paint(self, cells: int) -> list[list[Run]]:
        """Paint the first of `_PLANS` that fits; if none does, only the state of the last save."""
        for plan in _PLANS:
            left, right = self._render_parts(plan)
            if runs_width(left) + runs_width(right) + 1 <= cells:
                break
        saved = _render_saved(self._header.saved, self.palette)
        if runs_width(left) + runs_width(right) + 1 > cells and saved:
            return [saved]
        return [align_both_ends(left, right, cells)]

    def _render_parts(self, plan: _Plan) -> tuple[list[Run], list[Run]]:
        palette = self.palette
        header = self._header
        parts: list[list[Run]] = []
        if plan.dataset and header.dataset:
            parts.append([(cut(header.dataset, plan.dataset), palette.quiet)])
        if header.total:
            parts.append(self._render_progress(plan))
        if plan.sample and header.sample:
            parts.append([(_name_sample(cut(header.sample, plan.sample)), palette.strong)])
        if plan.state and header.state:
            glyph = STATE_GLYPHS.get(header.state, "")
            state = f"{glyph} {header.state_name}".strip() if plan.words or not glyph else glyph
            parts.append([(state, palette.accent)])
        if header.reading:
            parts.append([(header.reading, palette.warning)])
        if header.matches:
            parts.append([(header.matches, palette.warning)])
        right: list[list[Run]] = []
        if plan.person and header.person:
            right.append([(cut(header.person, plan.person), palette.quiet)])
        if self._sync:
            glyph, words, role = _SYNC[self._sync]
            shown_words = f"{glyph} {words.text()}" if plan.words else glyph
            right.append([(shown_words, getattr(palette, role))])
        if header.saved:
            right.append(_render_saved(header.saved, palette))
        return _join_parts(parts, palette), _join_parts(right, palette)

    def _render_progress(self, plan: _Plan) -> list[Run]:
        palette = self.palette
        header = self._header
        runs = [(f"{header.position}/{header.total}", palette.strong)]
        if plan.bar:
            full = _filled_cells(header.finished, header.total - header.locked, plan.bar)
            runs.append((" ", palette.text))
            runs.append(("━" * full, palette.accent))
            runs.append(("─" * (plan.bar - full), palette.rule))
        if plan.percent:
            runs.append((f" {header.percent}%", palette.quiet))
        if plan.words and header.aside:
            runs.append((f" · {header.aside}", palette.warning))
        return runs


def _name_sample(sample_id: str) -> str:
    """Return the id of a sample; a mere number, which could be a count, with its noun."""
    if any(character.isalpha() for character in sample_id):
        return sample_id
    return HeaderText.NUMBERED_SAMPLE.text(id=sample_id)


def _filled_cells(finished: int, total: int, cells: int) -> int:
    """Return how many cells of the progress bar are filled: all only if all work is finished."""
    if finished >= total:
        return cells
    if not finished:
        return 0
    return min(max(round(cells * finished / total), 1), cells - 1)


def _render_saved(saved: SaveState | None, palette: PaintStyles) -> list[Run]:
    match saved:
        case None:
            return []
        case SaveState.NOT_SAVED | SaveState.NOT_SAVED_YET:
            return [(f"✗ {saved.text()}", palette.error)]
        case SaveState.SAVED:
            return [(f"✓ {saved.text()}", palette.good)]
        case SaveState.SAVING:
            return [(saved.text(), palette.quiet)]


def _join_parts(parts: list[list[Run]], palette: PaintStyles) -> list[Run]:
    runs: list[Run] = [(" ", palette.text)]
    for part in parts:
        runs += [*part, ("  ", palette.text)]
    return [*runs[:-1], (" ", palette.text)]
