"""From sample to sample of a file: each is read in a thread when one comes to it, and not kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.labels import MOST_OPTIONS
from tui_annotate.domain.samples import SampleKey, Signals
from tui_annotate.tui.draft import alone
from tui_annotate.tui.draft.citations import citations
from tui_annotate.tui.draft.state import Draft, Kind
from tui_annotate.tui.draft.viewing.state import Viewing
from tui_annotate.tui.draft.words import ERROR, HINT
from tui_annotate.tui.screens.annotate.finding import AnnotateFinding
from tui_annotate.tui.widgets.draft_line import DraftLine

if TYPE_CHECKING:
    from tui_annotate.services.browse import Browse, Looked

_PATIENCE = 0.4  # seconds until it is told that a sample takes its time
_ID = 8  # characters of an id that tell people of one name apart


class ViewSamples(AnnotateFinding):
    """One sample at a time.

    Args:
        browse: what is looked at.

    Attributes:
        looked: the sample on screen as the file has it.
    """

    def __init__(self, browse: Browse) -> None:
        super().__init__()
        self.browse = browse
        self.looked: Looked | None = None
        self.by = Signals.WORDS
        self.going = False

    @property
    def viewing(self) -> Viewing | None:
        """What is in hand."""
        return self.draft if isinstance(self.draft, Viewing) else None

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The people of the file by id; who share a name are told apart by their ids."""
        people = [person for person, _ in self.browse.people]
        shared = Counter(person.name for person in people)
        return {
            person.id: f"{person.name} ({person.id[:_ID]})"
            if shared[person.name] > 1
            else person.name or person.id
            for person in people
        }

    @cached_property
    def _crew(self) -> tuple[str, ...] | None:
        return tuple(self.names) if len(self.names) <= MOST_OPTIONS else None

    # going

    def go(self, find: Callable[[], SampleKey | None], none: str) -> None:
        """To the sample that `find` gives in a thread.

        Args:
            none: what is said where it gives none.
        """
        if not self.going:
            self.going = True
            self._in_thread("sample", partial(self._open, find, none))
            self.set_timer(_PATIENCE, self._tell_slow)

    def _tell_slow(self) -> None:
        if self.going:
            self.tell("reading the sample: its sentences are looked for ...")

    def _open(self, find: Callable[[], SampleKey | None], none: str) -> None:
        """In a thread."""
        done = partial(self._stayed, none, HINT)
        try:
            key = find()
            if key:
                done = partial(self.begin, self.browse.open(key))
        except TuiAnnotateError as error:
            words = " · ".join(filter(None, (error.message, error.hint)))
            done = partial(self._stayed, words, ERROR)
        finally:
            self.app.call_from_thread(done)

    def _stayed(self, words: str, kind: Kind) -> None:
        self.going = False
        self.tell(words, kind)

    def tell(self, words: str, kind: Kind = HINT) -> None:
        """Words in the draft line until the next key."""
        if self.draft is None:
            self.query_one(DraftLine).show(words, kind=kind)
            return
        self.draft.say(words, kind)
        self.show_draft()

    def begin(self, looked: Looked, *, words: str = "") -> None:
        """Shows a sample from its start, with whose annotations were shown before."""
        before = self.viewing
        self.going, self.looked = False, looked
        sample = alone.on_screen(looked.sample)
        draft = Viewing(
            sample,
            looked.segments,
            self.browse.labels,
            everybody=tuple(
                replace(owned, annotation=alone.exchanged(looked.sample, owned.annotation))
                for owned in looked.annotations
            ),
            assignments=looked.assignments,
            names=self.names,
            citations=citations(sample),
            crew=self._crew,
            chosen=before.chosen if before else "",
        )
        self.draft = draft
        self.load_documents(draft)
        self.follow()
        if words:
            draft.say(words)
        self.show_draft()
        self.call_after_refresh(self._ready_to_match, draft)

    def load_documents(self, draft: Draft) -> None:
        """Also: all that ranks are the words."""
        super().load_documents(draft)
        self.signals = ""

    # what is like what is in hand

    def _ready_to_match(self, draft: Draft) -> None:
        """The first frame of a sample is painted: its words are counted."""
        if draft is self.draft:
            self._in_thread("assist", partial(self._count_words, draft, self._number))

    def _count_words(self, draft: Draft, number: int) -> None:
        """In a thread; for texts of a megabyte it takes a second."""
        from tui_annotate.services.assist.sample import prepared

        made = prepared(draft.sample, draft.segments)
        self.app.call_from_thread(self.prepared, number, made, "words")
