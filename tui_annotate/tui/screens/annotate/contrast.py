"""What the two texts share and where they differ, found in threads behind the keys, then kept.

The focused match is compared with what is in hand once the keys rest; words that the sources have
nowhere are looked for when a sample opens, or where that takes long, when they are asked for.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from tui_annotate.domain.samples import Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.tui.draft.contrasting import NOTHING, Contrast, Place, Seen, contrast, seen
from tui_annotate.tui.draft.state import Draft
from tui_annotate.tui.screens.annotate.panes import AnnotatePanes
from tui_annotate.tui.screens.annotate.signals import LOADING, is_quick

if TYPE_CHECKING:
    from tui_annotate.services.assist import SampleAssist

_PAUSE = 0.06  # seconds without another match in focus until it is looked at closely
_KEPT = 8  # samples whose marks are kept
_SUMMARY: Place = (Side.SUMMARY, 0)

_Texts = tuple[tuple[Side, str], ...]


class AnnotateContrast(AnnotatePanes):
    """The words that the texts share, those that one lacks, and what may contradict.

    Attributes:
        looking: something is compared, or will be once the keys rest.
        seeking: words that the sources lack are asked for, and not found yet.
        marking: words that the sources lack are marked.
    """

    def __init__(self) -> None:
        super().__init__()
        self.looking = self.marking = self.seeking = False
        self._reading: Draft | None = None
        self._seen: Seen | None = None
        self._since = 0.0
        self._pausing = False
        self._marks: dict[_Texts, dict[Place, tuple[Span, ...]]] = {}

    def load_documents(self, draft: Draft) -> None:
        """Also: what was found in another sample is no more; what is kept of this one is shown."""
        super().load_documents(draft)
        self._seen, self.contrast = None, NOTHING
        self.looking = self.seeking = False
        self._show_lacking(draft)

    def prepared(self, number: int, made: SampleAssist, state: str) -> None:
        """Also: once nothing more quickly wanted is to be made ready, the texts are read."""
        super().prepared(number, made, state)
        if state != LOADING:
            self.look_for_marks()

    # the focused match

    def look_closer(self, draft: Draft) -> None:
        """Another match or selection is compared once the keys rest."""
        now = seen(draft)
        if now == self._seen:
            return
        if now is None or not now.beside(self._seen):
            self.contrast = NOTHING
        self._seen, self.looking, self._since = now, now is not None, time.monotonic()
        if now and not self._pausing:  # one pause for all keys of a run
            self._pausing = True
            self._rest(_PAUSE)

    def _rest(self, seconds: float) -> None:
        """Calls `_rested` then; Textual's timers lose a beat that comes late on a busy machine."""
        asyncio.get_running_loop().call_later(seconds, self.call_later, self._rested)

    def _rested(self) -> None:
        """The pause is over, unless a key came in the meantime."""
        left = self._since + _PAUSE - time.monotonic()
        self._pausing = left > 0
        if self._pausing:
            self._rest(left)
        elif self.draft and self._seen:
            self._in_thread("contrast", partial(self._compare, self.draft, self._seen))

    def _compare(self, draft: Draft, what: Seen) -> None:
        """In a thread; whatever becomes of it, nobody waits for it any more."""
        found = NOTHING
        try:
            found = contrast(draft, what, partial(self._marked, draft.sample))
        finally:
            self.app.call_from_thread(self._compared, what, found)

    def _compared(self, what: Seen, found: Contrast) -> None:
        if what == self._seen:
            self.contrast, self.looking = found, False
            self.show_draft()

    # what a document has that the other side has not

    def _marked(self, sample: Sample, place: Place) -> tuple[Span, ...] | None:
        return self._marks.get(_texts(sample), {}).get(place)

    def look_for_marks(self) -> None:
        """Reads the texts of the sample, where that is quick or asked for."""
        draft = self.draft
        if draft is None or draft is self._reading:
            return
        if not all(draft.sample.side(side) for side in Side):
            return
        quick = is_quick(draft.sample)
        if self.marking or quick:
            call = partial(self._read, draft, _places(draft.sample) if quick else [_SUMMARY])
            self._reading = draft
            self._in_thread("marks", call)

    def _read(self, draft: Draft, places: Sequence[Place]) -> None:
        """In a thread."""
        from tui_annotate.methods.contrast import unsupported

        found = {}
        try:
            for place in places:
                if self._marked(draft.sample, place) is None:
                    others = [document.text for document in draft.sample.side(place[0].other)]
                    found[place] = tuple(unsupported(draft.text(*place), others))
        finally:
            self.app.call_from_thread(self._known, draft, found)

    def _known(self, draft: Draft, found: Mapping[Place, tuple[Span, ...]]) -> None:
        """The marks of a sample are there: what is lit is compared anew, by them."""
        if self._reading is draft:
            self._reading = None
        kept = self._marks.pop(_texts(draft.sample), {})
        while len(self._marks) >= _KEPT:
            del self._marks[next(iter(self._marks))]
        self._marks[_texts(draft.sample)] = {**kept, **found}
        if draft is not self.draft:
            return
        self._show_lacking(draft)
        if self.seeking:
            self._tell_lacking(draft)
        self._seen = None
        self.show_draft()
        self.go_on()

    def go_on(self) -> None:
        """Something that keys may have waited for has come."""

    # the layer

    def mark_lacking(self) -> None:
        """Words of the summary that the sources have nowhere: marked, or not any more."""
        draft = self.draft
        if draft is None:
            return
        self.marking = not self.marking
        if not self.marking:
            self.seeking = False
            draft.say("words that the source lacks are not marked any more")
        elif not all(draft.sample.side(side) for side in Side):
            draft.say("there are no two texts here to compare; in other samples words are marked")
        elif self._marked(draft.sample, _SUMMARY) is None:
            draft.say("looking for words that the source lacks ...")
            self.seeking = True
            self.look_for_marks()
        self._show_lacking(draft)
        if draft.nowhere or self._marked(draft.sample, _SUMMARY) == ():
            self._tell_lacking(draft)

    def _show_lacking(self, draft: Draft) -> None:
        draft.nowhere = (self._marked(draft.sample, _SUMMARY) or ()) if self.marking else ()

    def _tell_lacking(self, draft: Draft) -> None:
        self.seeking = False
        if self.marking and draft.nowhere:
            many = f"{len(draft.nowhere)} marked: words that the source has nowhere"
            draft.say(f"{many} · c C walk them · i off")
        elif self.marking:
            draft.say("all numbers, names and words stand somewhere in the source · i off")


def _texts(sample: Sample) -> _Texts:
    """What marks are kept by: all texts of a sample."""
    return tuple((document.side, document.sha256) for document in sample.documents)


def _places(sample: Sample) -> list[Place]:
    """Every document that others stand opposite to, the summary first."""
    sides = [side for side in (Side.SUMMARY, Side.SOURCE) if sample.side(side.other)]
    return [(side, at) for side in sides for at in range(len(sample.side(side)))]
