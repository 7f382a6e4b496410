"""The review queue, ordered by conflicts or by disagreement of annotators with a score."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui_annotate.domain.assignments import State
from tui_annotate.domain.queue_orders import CONFLICTS, DISAGREE, score_of_order
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.scores import ScoreSummaries
from tui_annotate.editor.glyphs import REVIEW_STATE_NAMES, STATE_GLYPHS, StateName
from tui_annotate.editor.screen_message import Plural, ScreenMessage
from tui_annotate.tui.widgets.queue_rows import QueueEntry, describe_entry

if TYPE_CHECKING:
    from tui_annotate.services.review import QueuedSample, ReviewService
    from tui_annotate.tui.screens.annotate.workspace_screen import WorkspaceScreen
    from tui_annotate.workspace.machines import MachineServices


_WAITING_CELLS = 30  # cells of the description of the work, in the list of samples


class ReviewQueueMessage(ScreenMessage):
    """Title, column name and row texts of the list of samples to review."""

    TITLE = "REVIEW"
    COLUMN = "to review"
    AGAINST_SCORE = "disagreement {score:.2f}"
    NEARLY = "{count} partly agreed"
    OWN_WORK = "your own work"
    REOPENED = "{count} reopened"
    EDITED = "{count} edited later"
    CHANGED = "changed since adjudication"
    OPEN = "{count} undecided"
    QUESTIONS = Plural("{count:,} question", "{count:,} questions")
    INCOMPLETE = "completed by {done} of {all}"
    CONFLICTS = Plural("{count:,} conflict", "{count:,} conflicts")
    PEOPLE = Plural("{count:,} person", "{count:,} people")


@dataclass(frozen=True, slots=True)
class _ReviewRow:
    """A row of the list of samples; `changed`: its work changed after the adjudication."""

    key: SampleKey
    group: str
    state: State
    annotations: int
    summary_start: str
    changed: bool = False


class ReviewQueue:
    """Controller for the list of samples to review, and for the order of the review."""

    def __init__(self, screen: WorkspaceScreen) -> None:
        self._screen = screen
        self._order = CONFLICTS
        self._sorted_by = CONFLICTS

    def open(self) -> None:
        """Show the list: samples with candidates first, then those that are not complete."""
        from tui_annotate.tui.dialogs.legend import REVIEW_STATE_MARKS
        from tui_annotate.tui.screens.queue import (
            FILTERS,
            QueueFilter,
            QueueListing,
            QueueMessage,
            QueueScores,
            QueueScreen,
        )
        from tui_annotate.tui.widgets.queue_rows import GroupColumn

        def page(
            search: str, states: Collection[State], *, offset: int, limit: int
        ) -> tuple[Sequence[_ReviewRow], int]:
            review = session.team().review
            self._apply_order(review)
            who = session.person.id
            rows = [*review.queue(who), *review.incomplete(who)]
            found = [row for row in rows if _matches(row, search.casefold(), states)]
            return [_queue_row(row) for row in found[offset : offset + limit]], len(found)

        at = self._screen.current
        if at is None:
            return
        session = at.session
        current = at.open_sample.sample.key
        scores = QueueScores(
            self._read_scores, None, self._list_orders, lambda: self._order, self._use_order
        )
        states = (
            QueueFilter(REVIEW_STATE_NAMES[state], frozenset({state}), STATE_GLYPHS[state])
            for state in (State.NEW, State.DRAFT, State.DONE, State.REOPENED)
        )
        screen = QueueScreen(
            page,
            find=session.annotate.find,
            current=current,
            leave=QueueMessage.QUIT,
            listing=QueueListing(
                ReviewQueueMessage.TITLE.text(),
                group=GroupColumn(ReviewQueueMessage.COLUMN, _WAITING_CELLS),
                filters=(*FILTERS[:2], *states),
                counted=StateName.ADJUDICATED.text(),
                describe=_describe,
                legend=REVIEW_STATE_MARKS,
            ),
            scores=scores if session.machines else None,
        )

        def chosen(key: SampleKey | None) -> None:
            if key is None:
                self._screen.quit()
            elif key != current:
                self._screen.go_to(key)

        self._screen.open_dialog(screen, chosen)

    def _machines(self) -> MachineServices | None:
        session = self._screen.session
        return session.machines() if session and session.machines else None

    def _use_order(self, order: str) -> None:
        self._order = order

    def _apply_order(self, review: ReviewService) -> None:
        """Sort the review queue by the chosen order, for its list and the next sample."""
        order = self._order
        machines = self._machines()
        if order != self._sorted_by and machines is not None:
            score = score_of_order(order)
            review.sort_against(machines.scores.support(score) if score else None)
            self._sorted_by = order

    def _read_scores(self, keys: Sequence[SampleKey]) -> ScoreSummaries:
        machines = self._machines()
        score = score_of_order(self._order)
        return machines.scores.summarise(keys, first=score) if machines else ScoreSummaries()

    def _list_orders(self) -> Sequence[str]:
        machines = self._machines()
        scores = machines.scores.orderable() if machines else ()
        return (CONFLICTS, *(f"{DISAGREE}{score}" for score in scores))


def _matches(row: QueuedSample, search: str, states: Collection[State]) -> bool:
    """Return whether a row has one of the states (none: any), and contains the search text."""
    if states and _shown_state(row) not in states:
        return False
    texts = (*row.key, row.group, row.summary)
    return any(search in text.casefold() for text in texts)


def _shown_state(row: QueuedSample) -> State:
    """Return the state whose mark the list shows: what changed since is not adjudicated."""
    return State.REOPENED if row.state is State.DONE and row.changed else row.state


def _describe(entry: QueueEntry) -> str:
    # No reviewer reopened a changed sample: only its mark is that of a reopened one.
    changed = isinstance(entry, _ReviewRow) and entry.changed
    return describe_entry(entry, names=None if changed else REVIEW_STATE_NAMES)


def _queue_row(row: QueuedSample) -> _ReviewRow:
    """Build a row of the review queue; its group column shows conflicts and annotators."""
    own = ReviewQueueMessage.OWN_WORK.text() if row.annotated_by_reviewer else ""
    asked = (
        ReviewQueueMessage.QUESTIONS.text(count=row.unanswered_questions)
        if row.unanswered_questions
        else ""
    )
    if not row.ready:
        everyone = row.annotators + row.pending
        code = ReviewQueueMessage.INCOMPLETE
        complete = code.text(done=row.annotators, all=everyone)
        waiting = ", ".join(filter(None, (complete, asked, own)))
        return _ReviewRow(row.key, waiting, row.state, row.annotations, row.summary)
    parts = (
        ReviewQueueMessage.AGAINST_SCORE.text(score=row.against) if row.against is not None else "",
        ReviewQueueMessage.CHANGED.text() if row.changed else "",
        ReviewQueueMessage.OPEN.text(count=row.open_decisions) if row.open_decisions else "",
        asked,
        ReviewQueueMessage.REOPENED.text(count=row.reopened) if row.reopened else "",
        ReviewQueueMessage.EDITED.text(count=row.edited) if row.edited else "",
        ReviewQueueMessage.CONFLICTS.text(count=row.conflicts),
        ReviewQueueMessage.NEARLY.text(count=row.nearly_agreed) if row.nearly_agreed else "",
        ReviewQueueMessage.PEOPLE.text(count=row.annotators),
        own,
    )
    waiting = ", ".join(filter(None, parts))
    state = _shown_state(row)
    changed = row.state is State.DONE and row.changed > 0
    return _ReviewRow(row.key, waiting, state, row.annotations, row.summary, changed)
