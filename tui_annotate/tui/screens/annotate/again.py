"""Reading a sample anew, after a conflict or work elsewhere; nothing that was typed is lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.errors import Conflict, TuiAnnotateError
from tui_annotate.tui.draft import alone, finishing, relabelling
from tui_annotate.tui.draft.relabelling import Relabelling
from tui_annotate.tui.draft.state import Draft
from tui_annotate.tui.draft.words import WARNING
from tui_annotate.tui.saving import Job, told
from tui_annotate.tui.screens.annotate.samples import NOT_SAVED, AnnotateSamples

if TYPE_CHECKING:
    from tui_annotate.services.annotate import Desk

_Found = tuple["Desk", Mapping[LabelPath, LabelPath]]


class AnnotateAgain(AnnotateSamples):
    """What stands in the store comes under what is in hand, labels as well as annotations."""

    def read_again(
        self,
        draft: Draft,
        then: Callable[[str], None],
        *,
        failed: Callable[[TuiAnnotateError], None] | None = None,
    ) -> None:
        """Reads the draft's sample, then goes on.

        Args:
            then: gets how the labels changed, in words; empty where they did not.
            failed: told where it can not be read; None to go on all the same.
        """
        session = self.session
        if session is None:
            return
        annotate, key, since = session.annotate, draft.sample.key, draft.tree.version

        def call() -> _Found:
            now = self._opened(key)
            other = now.labels.version != since
            return now, annotate.became(key.dataset, since) if other else {}

        def done(found: _Found) -> None:
            now, became = found
            change = Relabelling(draft.tree, now.labels, became)
            words = change.told(relabelling.in_hand(draft))
            changed = draft.tree.version != now.labels.version
            self.take_over(draft, now, change)
            then(f"the labels changed: {words}" if words else "the labels changed" * changed)

        self.saver.send(Job(call, done, failed or (lambda _: then("")), writes=True))

    def take_over(self, draft: Draft, now: Desk, change: Relabelling) -> None:
        """What stands in the store now, under what is in hand."""
        stored = alone.all_exchanged(now.sample, now.annotations)
        relabelling.take_over(draft, change, stored)
        draft.rating = now.assignment.rating
        if draft is self.draft:
            self.desk, self.last_label = now, draft.last_label
            self.forget_shown()

    def look_again(self) -> None:
        """What stands in the store now.

        Not under what is in hand: saving that finds out, and then tells, what it is based on.
        """
        draft = self.draft
        if draft is None or draft.owed or draft.editing:
            return

        def then(changed: str) -> None:
            if draft is not self.draft:
                return
            if changed:
                draft.say(changed, WARNING)
            self.perform([])

        self.read_again(draft, then, failed=self._refused)

    def refused_deed(self, error: TuiAnnotateError) -> None:
        """A deed was refused that leaves nothing in hand; after a conflict it is told with why."""
        self._refused(error)
        if (draft := self.draft) and isinstance(error, Conflict):
            self.read_again(draft, lambda changed: self._tell_conflict(draft, error, changed))

    def _tell_conflict(self, draft: Draft, error: Conflict, changed: str) -> None:
        if draft is self.draft:
            draft.say(f"{changed} · look, and do it again" if changed else told(error), WARNING)
            self.perform([])

    def refused_save(self, draft: Draft, annotation: Annotation, error: TuiAnnotateError) -> None:
        """The store has it not: it is given back, after a conflict beside what stands there."""
        self.forget_keys()
        self.saved_words = NOT_SAVED
        if not isinstance(error, Conflict):
            self._give_back(draft, annotation, told(error))
            return

        def then(changed: str) -> None:
            new = draft.saving.get(annotation.id, (annotation, True))[1]
            words = f"{changed} · {'a digit' if new else 'Enter'} saves it now"
            self._give_back(draft, annotation, words if changed else told(error))

        self.read_again(draft, then)

    def _give_back(self, draft: Draft, annotation: Annotation, words: str) -> None:
        self.forget_keys()  # also those that came while the sample was read again
        self._going = False
        self.saved_words = NOT_SAVED
        effects = finishing.refused(draft, annotation, words)
        if draft is self.draft:
            self.perform(effects)
