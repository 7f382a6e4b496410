"""Reports, documents and citations on the annotating screen: what is around them, and the way on.

What is read of a report is kept while one is in it: a key to its next citation reads that alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from tui_annotate.domain.items import JUDGED, report_id
from tui_annotate.domain.samples import Kind, SampleKey, Side
from tui_annotate.domain.spans import Span
from tui_annotate.tui.draft import citations, citing
from tui_annotate.tui.draft.citations import Citation
from tui_annotate.tui.draft.effects import Effect, GoTo, Open, Reveal
from tui_annotate.tui.draft.state import Draft
from tui_annotate.tui.screens.annotate import item_rows
from tui_annotate.tui.screens.annotate.ahead import STEPS, AnnotateAhead
from tui_annotate.tui.screens.annotate.neighbours import Neighbours, neighbours
from tui_annotate.tui.screens.annotate.rows import Title
from tui_annotate.tui.widgets.document_pane import DocumentPane

if TYPE_CHECKING:
    from tui_annotate.domain.samples import Sample
    from tui_annotate.services.annotate import Desk
    from tui_annotate.tui.session import Session


class AnnotateItems(AnnotateAhead):
    """What is there for items of a collection alone."""

    def __init__(self) -> None:
        super().__init__()
        self.neighbours: Neighbours | None = None

    # samples

    def _opened(self, key: SampleKey) -> Desk:
        """In the store's thread; also what stands around a citation."""
        desk = super()._opened(key)
        if self.session:
            self._read_around(self.session, desk)
        return desk

    def first(self, session: Session, sample: str) -> Desk | None:
        """In the store's thread; also what stands around a citation."""
        desk = super().first(session, sample)
        if desk:
            self._read_around(session, desk)
        return desk

    def _read_around(self, session: Session, desk: Desk) -> None:
        if not self._knows_around(desk.sample):
            self.neighbours = neighbours(session.annotate, session.person.id, desk.sample)

    def _knows_around(self, sample: Sample) -> bool:
        known = self.neighbours
        if sample.kind is not Kind.CITATION or not self.walks:
            return True
        return known is not None and known.id == report_id(sample.group)

    def at_hand(self, way: SampleKey | int) -> Desk | None:
        """Also: what stands around a citation is known."""
        desk = super().at_hand(way)
        return desk if desk and self._knows_around(desk.sample) else None

    def load_documents(self, draft: Draft) -> None:
        """Also: which documents the sentence cites."""
        super().load_documents(draft)
        if near := self._near(draft):
            draft.tabs = len(near.citations(draft.sample.key))

    def cited(self, draft: Draft) -> Sequence[Citation]:
        """Behind the sentence of a citation stand the documents that it cites, as tabs."""
        near = self._near(draft)
        return item_rows.tabs(draft.sample, near) if near else super().cited(draft)

    def around(self, draft: Draft, side: Side) -> tuple[str, str]:
        """A sentence stands in its report."""
        near = self._near(draft) if side is Side.SUMMARY else None
        return item_rows.around(draft.sample, near) if near else super().around(draft, side)

    def _near(self, draft: Draft) -> Neighbours | None:
        near, sample = self.neighbours, draft.sample
        of_citation = sample.kind is Kind.CITATION and self.walks
        return near if near and of_citation and near.id == report_id(sample.group) else None

    def next_items(self, draft: Draft) -> tuple[SampleKey, ...]:
        """The citations that keys lead to from here."""
        near, here = self._near(draft), draft.sample.key
        ways = (near.step, near.turn) if near else ()
        return tuple(key for way in ways for step in STEPS if (key := way(here, step)))

    # what is asked

    def ask(self, effect: Effect) -> bool:
        """Does what an effect asks for; False where it asks for nothing of this."""
        draft, session = self.draft, self.session
        if draft is None or session is None:
            return False
        match effect:
            case Open("cited"):
                self._show_citation(draft)
            case Open("tab", step):
                self._walk_citations(draft, step, tabs=True)
            case Open("citation", step):
                self._walk_citations(draft, step, tabs=False)
            case Open("incomplete"):
                self._next_incomplete(session, draft)
            case Open("collection"):
                self._open_collection(session, draft)
            case Open("queue") if self.walks and draft.sample.kind in JUDGED:
                self._open_collection(session, draft)
            case _:
                return super().ask(effect)
        return True

    def on_document_pane_tag_clicked(self, message: DocumentPane.TagClicked) -> None:
        """A mark behind a sentence was clicked: its document comes on screen."""
        message.stop()
        draft = self.draft
        if draft is None or message.pane is not self.pane(Side.SUMMARY) or draft.writing:
            return
        at = citations.at_cell(self.cited(draft), message.offset, message.cell)
        if at is None:
            return
        near, here = self._near(draft), draft.sample.key
        if near is None:
            self.perform(citing.chosen(draft, at))
        elif (key := near.citations(here)[at]) != here:
            self._go_to(key)

    def _show_citation(self, draft: Draft) -> None:
        """Its sentence has the cursor; its document is on screen, at what is lit in it."""
        citation = draft.citations[draft.citation]
        pointer = draft.pointers[Side.SUMMARY]
        if not citation.span.start <= pointer.offset < citation.span.end:
            self.move_panes(GoTo(Side.SUMMARY, 0, citation.span.start))
        self.follow()
        at = citation.document
        if at is not None and draft.text(Side.SOURCE, at):
            lit = [match for match in draft.matches[Side.SOURCE] if match.document == at]
            draft.lit[Side.SOURCE] = lit[0].rank if lit else draft.lit[Side.SOURCE]
            self.move_panes(Reveal(Side.SOURCE, at, lit[0].span if lit else Span(0, 1)))
        words, kind = citing.told(draft, item_rows.urls(draft.sample))
        draft.say(words, kind)

    def _walk_citations(self, draft: Draft, step: int, *, tabs: bool) -> None:
        near, here = self._near(draft), draft.sample.key
        if near is None:
            self.tell("the report of this sentence is not here")
            return
        following = near.turn(here, step) if tabs else near.step(here, step)
        if following is None and tabs:
            self.tell("this sentence cites no other document")
        elif following is None:
            end = "last" if step > 0 else "first"
            self.tell(f"this is the {end} citation of the report · J next to do")
        else:
            self.go(lambda: following, "", known=self.at_hand(following))

    def _next_incomplete(self, session: Session, draft: Draft) -> None:
        sample = draft.sample
        if sample.kind not in JUDGED or not self.walks:
            self.tell("this is no report, document or citation: Enter goes to the next unfinished")
            return
        find = partial(session.annotate.next_incomplete, session.person.id, sample.kind, sample.key)

        def other() -> SampleKey | None:
            found = find()
            return found if found != sample.key else None

        self.go(other, f"every other {sample.kind} is annotated")

    def _open_collection(self, session: Session, draft: Draft) -> None:
        if draft.sample.kind not in JUDGED:
            self.tell("this sample is of no collection of reports: q shows the queue")
            return
        from tui_annotate.tui.screens.collection.screen import CollectionScreen

        self.keep_place()
        key = draft.sample.key
        screen = CollectionScreen(
            session.annotate, session.person.id, kind=draft.sample.kind, current=draft.sample
        )

        def closed(chosen: SampleKey | str | None) -> None:
            if chosen == "queue":
                self._open_queue(session)
            elif chosen == "quit":
                self.quit()
            elif isinstance(chosen, SampleKey) and chosen != key:
                self._go_to(chosen)

        self.app.push_screen(screen, closed)

    # what is shown

    def title_of(self, draft: Draft, side: Side) -> Title:
        """Of an item also which it is; of all how they were rated."""
        usual = super().title_of(draft, side)
        comment = self.desk.assignment.comment if self.desk else ""
        return item_rows.title(draft, side, usual, near=self._near(draft), comment=comment)

    def _show_marks(self, draft: Draft, side: Side) -> None:
        """Also the citation that was walked to."""
        super()._show_marks(draft, side)
        mark = self._mark(draft) if side is Side.SUMMARY else None
        if self._changed(f"citation {side}", mark):
            self.pane(side).set_tag(mark)

    def _mark(self, draft: Draft) -> tuple[int, Span] | None:
        near, key = self._near(draft), draft.sample.key
        if near is None:
            return citing.mark(draft)
        keys = near.citations(key)
        return citations.mark(self.cited(draft), keys.index(key) if key in keys else -1)

    def pages_of(self, desk: Desk) -> tuple[list[tuple[str, str]], int]:
        """Also the documents of the item, and one's comment on it."""
        pages, page = super().pages_of(desk)
        return [*pages, *item_rows.pages(desk)], page
