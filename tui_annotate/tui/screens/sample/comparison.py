"""Comparison of summary and source: shared words, missing words and possible contradictions.

Threads compute the results, which are then kept. The focused match is compared with the selection
when no key was pressed for a short time. Words that are missing from the sources are searched when
a sample opens; for long texts, only when the annotator asks for them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

from tui_annotate.domain.samples import Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor.contrast import (
    NOTHING,
    MatchPair,
    Place,
    TextContrast,
    compute_contrast,
    match_pair,
)
from tui_annotate.editor.messages import MessageCode
from tui_annotate.editor.state import Draft
from tui_annotate.tui.screens.sample.signals import is_quick

if TYPE_CHECKING:
    from textual.app import App

_PAUSE = 0.06  # seconds without a change of the focused match until it is compared
_MOST_SAMPLES = 8  # maximum number of samples whose marks are kept
_SUMMARY: Place = (Side.SUMMARY, 0)

_Texts = tuple[tuple[Side, str], ...]


class ComparisonHost(Protocol):
    """What the comparison needs of the screen of a sample."""

    @property
    def app(self) -> App[object]: ...
    @property
    def draft(self) -> Draft | None: ...

    def show_draft(self) -> None: ...
    def free_keys(self) -> None: ...
    def call_later(self, callback: Callable[[], None]) -> bool: ...
    def run_in_thread(self, group: str, call: Callable[[], None]) -> None: ...


class TextComparison:
    """Comparison of a sample's texts: shared words, missing words and possible contradictions."""

    def __init__(self, screen: ComparisonHost) -> None:
        self._screen = screen
        self.contrast = NOTHING
        self.comparing = False
        self.lacking_shown = False
        self.searching = False
        self._draft_read: Draft | None = None
        self._last_pair: MatchPair | None = None
        self._changed_at = 0.0
        self._pausing = False
        self._marks: dict[_Texts, dict[Place, tuple[Span, ...]]] = {}

    def begin(self, draft: Draft) -> None:
        """Drop the comparison of the previous sample's texts, and prepare for the new sample."""
        self._last_pair = None
        self.contrast = NOTHING
        self.comparing = self.searching = False
        self._show_lacking(draft)

    # the focused match

    def compare_focus(self, draft: Draft) -> None:
        """Compare the focused match with the selection after a pause, if either changed."""
        now = match_pair(draft)
        if now == self._last_pair:
            return
        if now is None or not now.has_same_match(self._last_pair):
            self.contrast = NOTHING
        self._last_pair = now
        self.comparing = now is not None
        self._changed_at = time.monotonic()
        if now and not self._pausing:  # one pause for a series of keys
            self._pausing = True
            self._wait(_PAUSE)

    def _wait(self, seconds: float) -> None:
        """Call `_on_pause_end` after some seconds; Textual's timers are late on a busy machine."""
        asyncio.get_running_loop().call_later(seconds, self._screen.call_later, self._on_pause_end)

    def _on_pause_end(self) -> None:
        left = self._changed_at + _PAUSE - time.monotonic()
        self._pausing = left > 0
        if self._pausing:
            self._wait(left)
        elif (draft := self._screen.draft) and self._last_pair:
            self._screen.run_in_thread("contrast", partial(self._compare, draft, self._last_pair))

    def _compare(self, draft: Draft, what: MatchPair) -> None:
        """Compare the focused match with the selection; called in a thread.

        An empty result is shown after an error, so that no key waits for the result.
        """
        found = NOTHING
        try:
            found = compute_contrast(draft, what, partial(self._known_marks, draft.sample))
        finally:
            self._screen.app.call_from_thread(self._show_contrast, what, found)

    def _show_contrast(self, what: MatchPair, found: TextContrast) -> None:
        if what == self._last_pair:
            self.contrast = found
            self.comparing = False
            self._screen.show_draft()

    # words of a document that the other side lacks

    def _known_marks(self, sample: Sample, place: Place) -> tuple[Span, ...] | None:
        return self._marks.get(_texts(sample), {}).get(place)

    def find_marks(self) -> None:
        """Search for missing words in a thread, if the texts are short or the user asked."""
        draft = self._screen.draft
        if draft is None or draft is self._draft_read or not all(map(draft.sample.side, Side)):
            return
        quick = is_quick(draft.sample)
        if self.lacking_shown or quick:
            places = _places(draft.sample) if quick else [_SUMMARY]
            self._draft_read = draft
            self._screen.run_in_thread("marks", partial(self._read_marks, draft, places))

    def _read_marks(self, draft: Draft, places: Sequence[Place]) -> None:
        """Find words of the summary that the source lacks, or the reverse; called in a thread."""
        from tui_annotate.methods.unsupported_words import find_unsupported_words

        found = {}
        try:
            for place in places:
                if self._known_marks(draft.sample, place) is None:
                    others = [document.text for document in draft.sample.side(place[0].other)]
                    found[place] = tuple(find_unsupported_words(draft.text(*place), others))
        finally:
            self._screen.app.call_from_thread(self._keep_marks, draft, found)

    def _keep_marks(self, draft: Draft, found: Mapping[Place, tuple[Span, ...]]) -> None:
        """Keep the marks of a sample, drop those of the oldest one, and show them."""
        if self._draft_read is draft:
            self._draft_read = None
        kept = self._marks.pop(_texts(draft.sample), {})
        while len(self._marks) >= _MOST_SAMPLES:
            del self._marks[next(iter(self._marks))]
        self._marks[_texts(draft.sample)] = {**kept, **found}
        if draft is not self._screen.draft:
            return
        self._show_lacking(draft)
        if self.searching:
            self._report_lacking(draft)
        self._last_pair = None
        self._screen.show_draft()
        self._screen.free_keys()

    # the marks on screen

    def toggle_lacking(self) -> None:
        """Show or hide the words that the sources lack; search for them if necessary."""
        draft = self._screen.draft
        if draft is None:
            return
        self.lacking_shown = not self.lacking_shown
        if not self.lacking_shown:
            self.searching = False
            draft.say(MessageCode.LACKING_HIDDEN)
        elif not all(map(draft.sample.side, Side)):
            draft.say(MessageCode.LACKING_NO_TWO_TEXTS)
        elif self._known_marks(draft.sample, _SUMMARY) is None:
            draft.say(MessageCode.LACKING_SEARCH)
            self.searching = True
            self.find_marks()
        self._show_lacking(draft)
        if draft.missing_words or self._known_marks(draft.sample, _SUMMARY) == ():
            self._report_lacking(draft)

    def _show_lacking(self, draft: Draft) -> None:
        known = self._known_marks(draft.sample, _SUMMARY) if self.lacking_shown else ()
        draft.missing_words = known or ()

    def _report_lacking(self, draft: Draft) -> None:
        self.searching = False
        if self.lacking_shown and draft.missing_words:
            draft.say(MessageCode.LACKING_MARKED, count=len(draft.missing_words))
        elif self.lacking_shown:
            draft.say(MessageCode.LACKING_NONE)


def _texts(sample: Sample) -> _Texts:
    """Return a cache key of a sample: the side and hash of each of its texts."""
    return tuple((document.side, document.sha256) for document in sample.documents)


def _places(sample: Sample) -> list[Place]:
    """Return a sample's documents to compare, first the summary; empty without a source."""
    sides = [side for side in (Side.SUMMARY, Side.SOURCE) if sample.side(side.other)]
    return [(side, at) for side in sides for at in range(len(sample.side(side)))]
