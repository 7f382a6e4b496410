"""Questions of a position study on the annotating screen: marks, titles, the chart, what fails.

Samples that were opened from a bar of the chart are walked among themselves, until one goes
elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.samples import Kind, Sample, SampleKey, Side
from tui_annotate.tui.draft import answers
from tui_annotate.tui.draft.effects import Effect, Open, Reveal
from tui_annotate.tui.draft.state import Draft
from tui_annotate.tui.lines import cut, shown
from tui_annotate.tui.palette import GOLD
from tui_annotate.tui.screens.annotate.items import AnnotateItems
from tui_annotate.tui.screens.annotate.rows import Title
from tui_annotate.tui.widgets.document_pane import Mark

if TYPE_CHECKING:
    from tui_annotate.services.annotate import Desk
    from tui_annotate.services.position.evaluating import Place
    from tui_annotate.tui.session import Session

_NAME: Final = 16  # cells of a side's name where a question follows it


class AnnotateQuestions(AnnotateItems):
    """What is there for questions alone.

    Attributes:
        failing: samples that are walked among themselves, as they came; empty for the queue.
    """

    def __init__(self) -> None:
        super().__init__()
        self.failing: tuple[SampleKey, ...] = ()
        self._bar: Place | None = None

    # what is shown

    def title_of(self, draft: Draft, side: Side) -> Title:
        """Also which passage answers, and what the metric says of the answer."""
        usual = super().title_of(draft, side)
        if draft.sample.kind is not Kind.QUESTION:
            return usual
        if side is Side.SUMMARY:
            name = f"{cut(shown(usual.name), _NAME)}: {answers.question(draft.sample)}"
            return usual._replace(name=name, notes=(answers.metric(draft.sample), *usual.notes))
        gold = answers.told(draft.sample, draft.pointers[side].document)
        return usual._replace(notes=(gold, *usual.notes))

    def marks_of(self, draft: Draft, side: Side) -> Sequence[Mark]:
        """Also the gold answers in a text."""
        usual = super().marks_of(draft, side)
        if draft.sample.kind is not Kind.QUESTION:
            return usual
        return (*usual, *_marks(answers.answers(draft.sample), draft.text(side)))

    def pages_of(self, desk: Desk) -> tuple[list[tuple[str, str]], int]:
        """Also the question with its answers."""
        pages, page = super().pages_of(desk)
        told = answers.page(desk.sample)
        if not told:
            return pages, page
        at = 1 if pages[0][0] == "Suggestion" else 0
        return [*pages[:at], ("Question", told), *pages[at:]], 0

    # what is asked

    def ask(self, effect: Effect) -> bool:
        """Does what an effect asks for; False where it asks for nothing of this."""
        draft, session = self.draft, self.session
        if draft is None or session is None:
            return False
        match effect:
            case Open("gold"):
                self._show_gold(draft)
            case Open("positions"):
                self._open_positions(session, draft)
            case Open("queue") if draft.sample.key in self.failing:
                self._open_positions(session, draft)
            case Open("sample", step) if draft.sample.key in self.failing:
                self._walk_failing(draft.sample.key, step)
            case _:
                return super().ask(effect)
        return True

    def _show_gold(self, draft: Draft) -> None:
        document = answers.gold_document(draft.sample)
        if document is None:
            self.tell("nobody knows which passage answers this sample")
            return
        found = answers.spans(answers.answers(draft.sample), draft.text(Side.SOURCE, document))
        if found:
            self.move_panes(Reveal(Side.SOURCE, document, found[0]))
        else:
            self.show_document(Side.SOURCE, document)
        self.follow()

    # the chart, and what fails

    def _open_positions(self, session: Session, draft: Draft) -> None:
        if answers.gold_position(draft.sample) is None or session.machines is None:
            self.tell("this sample is of no position study: nobody knows where its answer stands")
            return
        from tui_annotate.tui.screens.positions.screen import Chosen, PositionsScreen

        self.keep_place()
        dataset, who = draft.sample.dataset, session.person.id
        positions = session.machines().positions
        screen = PositionsScreen(positions, who, dataset=dataset, where=self._bar)

        def closed(chosen: Chosen | str | None) -> None:
            self._bar = screen.where
            if chosen == "quit":
                self.quit()
            elif chosen == "queue":
                self.failing = ()
                self._open_queue(session)
            elif isinstance(chosen, Chosen):
                self.failing = chosen.keys
                if chosen.key != draft.sample.key:
                    self._go_to(chosen.key)

        self.app.push_screen(screen, closed)

    def _walk_failing(self, key: SampleKey, step: int) -> None:
        at = self.failing.index(key) + step
        if 0 <= at < len(self.failing):
            self.go(partial(self.failing.__getitem__, at), "")
        else:
            end = "last" if step > 0 else "first"
            self.tell(f"this is the {end} of those that fail · q the chart")

    def _next(self, session: Session, sample: Sample) -> SampleKey | None:
        """In the store's thread; of those that fail the next one that is not finished."""
        if sample.key in self.failing and session.machines is not None:
            after = self.failing[self.failing.index(sample.key) + 1 :]
            if found := session.machines().positions.next_open(session.person.id, after):
                return found
        return super()._next(session, sample)


@lru_cache(maxsize=8)
def _marks(wanted: tuple[str, ...], text: str) -> tuple[Mark, ...]:
    """Looked for once a text: marks are asked for at each key, and a text may have a megabyte."""
    return tuple(Mark(span, GOLD) for span in answers.spans(wanted, text))
