"""The annotating screen, and its queue with orders, scores and samples of the same source."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from tui_annotate.domain.assignments import State
from tui_annotate.domain.queue_orders import BY_SOURCE, INGESTED, ByScore, ScoreDirection, by_score
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.scores import ScoreSummaries
from tui_annotate.editor.effects import Effect, Open, Page
from tui_annotate.editor.screen_message import ScreenMessage
from tui_annotate.tui.screens.annotate.features import ANNOTATE_FEATURES
from tui_annotate.tui.screens.annotate.features.suggestions import Suggestions
from tui_annotate.tui.screens.annotate.loader import SampleSource
from tui_annotate.tui.screens.annotate.saving import AnnotationSaves
from tui_annotate.tui.screens.annotate.workspace_screen import WorkspaceScreen
from tui_annotate.tui.workspace_texts import WorkspaceText, no_workspace_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui_annotate.services.annotate import QueueRow
    from tui_annotate.tui.dialogs.siblings import Found
    from tui_annotate.tui.session import AnnotatorSession

_SCORE_DIRECTIONS = (ScoreDirection.WORST, ScoreDirection.UNCERTAIN, ScoreDirection.BEST)


class SampleQueue:
    """Controller for the annotator's queue, and for the list of samples with the same source."""

    def __init__(self, screen: WorkspaceScreen) -> None:
        self._screen = screen

    @property
    def _session(self) -> AnnotatorSession:
        if self._screen.session is None:
            raise no_workspace_error()
        return self._screen.session

    def open(self, *, ordering: bool = False) -> None:
        """Show the list of samples; with `ordering`, ask for an order of the samples first."""
        from tui_annotate.tui.screens.queue import QUEUE, QueueMessage, QueueScores, QueueScreen

        at = self._screen.current
        if at is None:
            return
        self._screen.keep_place()
        session = at.session
        open_sample = at.open_sample
        current = open_sample.sample.key
        order = session.order
        scores = QueueScores(
            self._read_scores,
            self._read_siblings,
            self._list_orders,
            self._current_order,
            self._use_order,
        )
        screen = QueueScreen(
            self._read_page,
            find=session.annotate.find,
            position=open_sample.position,
            current=current,
            leave=QueueMessage.QUIT,
            listing=replace(QUEUE, locked=open_sample.locked),
            scores=scores if session.machines else None,
        )

        def chosen(key: SampleKey | None) -> None:
            if key is None:
                self._screen.quit()
            elif key != current or order != self._current_order():  # another order moves it
                self._screen.go_to(key)

        self._screen.open_dialog(screen, chosen)
        if ordering:
            screen.call_later(screen.action_order)

    def _read_page(
        self, search: str, states: Collection[State], *, offset: int, limit: int
    ) -> tuple[Sequence[QueueRow], int]:
        session = self._session
        found = session.annotate.queue(
            session.person.id,
            order=session.order,
            search=search,
            states=states,
            offset=offset,
            limit=limit,
        )
        return found.rows, found.total

    def _current_order(self) -> str:
        return self._session.order

    def _use_order(self, order: str) -> None:
        if current := self._screen.current:
            session = replace(current.session, order=order)
            self._screen.current = replace(current, session=session)

    def _read_scores(self, keys: Sequence[SampleKey]) -> ScoreSummaries:
        session = self._session
        if session.machines is None:
            return ScoreSummaries()
        scored = by_score(session.order)
        return session.machines().scores.summarise(keys, first=scored.score if scored else "")

    def _list_orders(self) -> Sequence[str]:
        machines = self._session.machines
        scores = machines().scores.orderable() if machines else ()
        scored = [str(ByScore(sense, score)) for sense in _SCORE_DIRECTIONS for score in scores]
        return (BY_SOURCE, INGESTED, "random:1", *scored)

    def _read_siblings(self, key: SampleKey) -> Found:
        session = self._session
        found = session.annotate.siblings(session.person.id, key, order=session.order)
        return found, self._read_scores([each.key for each in found])

    def ask_siblings(self) -> None:
        """Show the list of samples with the same source, and open the chosen one."""
        from tui_annotate.tui.dialogs.siblings import SiblingsDialog

        if open_sample := self._screen.open_sample:
            current = open_sample.sample.key

            def chosen(key: SampleKey | None) -> None:
                if key != current:
                    self._screen.go_to(key)

            dialog = SiblingsDialog(partial(self._read_siblings, current), current=current)
            self._screen.open_dialog(dialog, chosen)


class AnnotateScreen(WorkspaceScreen):
    """Screen on which an annotator annotates the samples of a queue, one at a time."""

    no_sample: ClassVar[ScreenMessage] = WorkspaceText.NO_SAMPLE

    def __init__(self, close: Callable[[], None]) -> None:
        super().__init__(close, SampleSource())
        self.queue = SampleQueue(self)
        self.open_queue = self.queue.open
        self.use_features(ANNOTATE_FEATURES, AnnotationSaves(self, self.saves).handle)

    def hide_suggestions(self, *, hiding: bool) -> None:
        for feature in self.features:
            if isinstance(feature, Suggestions):
                feature.hide(hiding=hiding)

    def handle(self, effect: Effect) -> bool:
        """Open the siblings or the orders of the queue; leave other effects to the base class."""
        match effect:
            case Open(Page.SIBLINGS):
                self.queue.ask_siblings()
            case Open(Page.QUEUE_ORDER):
                self.queue.open(ordering=True)
            case _:
                return super().handle(effect)
        return True
