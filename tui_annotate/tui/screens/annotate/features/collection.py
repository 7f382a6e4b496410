"""Features for samples of a report collection: reports, documents and citations.

They go from citation to citation, and show the report around the sentence of a citation.

The report of the open citation is kept, so that a key to the next citation of the same report
reads only that citation.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.errors import TuiAnnotateError, Unavailable
from tui_annotate.domain.report_collections import RATED_KINDS, report_id
from tui_annotate.domain.samples import SampleKey, SampleKind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor import citations
from tui_annotate.editor.effects import Effect, GoTo, Open, Page, Reveal
from tui_annotate.editor.messages import MessageCode, StatusMessage
from tui_annotate.editor.state import Citation, Draft
from tui_annotate.tui.screens.sample import item_rows
from tui_annotate.tui.screens.sample.feature import Feature, FeatureHost, TextPage
from tui_annotate.tui.screens.sample.item_rows import ParentReport
from tui_annotate.tui.screens.sample.rows import Title

if TYPE_CHECKING:
    from tui_annotate.domain.samples import Sample
    from tui_annotate.services.annotate import AnnotationService
    from tui_annotate.services.assist.sample import SampleAssist
    from tui_annotate.tui.screens.sample.shown_sample import ShownSample
    from tui_annotate.tui.session import AnnotatorSession

_PAUSE: Final = 0.1  # seconds without a change of the claim until the search begins


class OtherDocuments:
    """Search for a document of the same report that contains better evidence for the claim."""

    def __init__(
        self, host: FeatureHost, report_of: Callable[[Draft], ParentReport | None]
    ) -> None:
        self._host = host
        self._report_of = report_of
        self.searching = False  # a search will begin after the pause
        self._note = ""  # describes the better document; empty for none
        self._claim_wanted: tuple[SampleKey, Anchor] | None = None
        self._report_assist: tuple[str, SampleAssist] | None = None

    def search_later(self, draft: Draft) -> None:
        """Search a report's documents, if the claim changed, when the user stops pressing keys."""
        parent = self._report_of(draft)
        anchor = draft.current_anchor(Side.SUMMARY)
        now = None
        if parent and parent.report and anchor:
            now = (draft.sample.key, anchor)
        if now == self._claim_wanted:
            return
        self._claim_wanted = now
        self._note = ""
        if now and not self.searching:
            self.searching = True
            loop = asyncio.get_running_loop()
            loop.call_later(_PAUSE, self._host.app.call_later, self._start_search)

    def _start_search(self) -> None:
        self.searching = False
        host = self._host
        wanted = self._claim_wanted
        draft = host.draft
        session = host.session
        parent = self._report_of(draft) if draft else None
        if draft and wanted and parent and session:
            host.run_in_thread("documents", partial(self._search, session, draft, parent))

    def _search(self, session: AnnotatorSession, draft: Draft, parent: ParentReport) -> None:
        """Search a report's documents in a thread; no key waits for it, so errors are ignored."""
        wanted = self._claim_wanted
        try:
            made = self._prepared_report(session, draft, parent)
        except TuiAnnotateError:
            return
        if wanted is None or wanted[0] != draft.sample.key:
            return
        start = parent.sentences[citations.sentence_index(draft.sample)].start
        anchor = wanted[1]._replace(index=0, span=wanted[1].span.shift(start))
        documents = made.sample.side(Side.SOURCE)
        cited = draft.sample.meta.get("docid")
        matches = made.match(anchor, top=None, by=self._host.panes.by)
        best = max((match.strength for match in draft.matches[Side.SOURCE]), default=0)
        note = citations.describe_better_document(documents, matches, str(cited or ""), lit=best)
        self._host.app.call_from_thread(self._show_result, wanted, note)

    def _prepared_report(
        self, session: AnnotatorSession, draft: Draft, parent: ParentReport
    ) -> SampleAssist:
        """Prepare a report for the evidence search, once per report; called in a thread."""
        if self._report_assist and self._report_assist[0] == parent.id:
            return self._report_assist[1]
        key = SampleKey(draft.sample.dataset, parent.id)
        open_sample = session.annotate.open(session.person.id, key, order=session.order)
        assist = session.assist()
        made = assist.prepare(open_sample.sample, open_sample.segments, vectors=False)
        with suppress(Unavailable):  # lexical only, which the sample's own matches report
            made = assist.prepare(
                open_sample.sample, open_sample.segments, vectors=True, words=made
            )
        self._report_assist = (parent.id, made)
        return made

    def _show_result(self, wanted: tuple[SampleKey, Anchor], note: str) -> None:
        if wanted == self._claim_wanted and note != self._note:
            self._note = note
            self._host.show_draft()

    def title(self, draft: Draft, title: Title) -> Title:
        """Add the note about a better document to a title: first, or last without a source."""
        if not self._note:
            return title
        has_text = bool(draft.sample.side(Side.SOURCE))
        notes = (self._note, *title.notes) if has_text else (*title.notes, self._note)
        return title._replace(notes=notes)


class Collection(Feature):
    """Part of the screen for the items of a collection: reports, documents and citations."""

    preload = ("tui_annotate.tui.screens.collection.screen",)

    def __init__(self, host: FeatureHost, *, walks: bool = True) -> None:
        super().__init__(host)
        self.walks = walks
        self._report: ParentReport | None = None
        self.other_documents = OtherDocuments(host, self._parent_report)

    # samples

    def opened(self, session: AnnotatorSession, open_sample: ShownSample) -> None:
        """Read the report of a citation, unless it is the report that is known already."""
        if not self.ready(open_sample.sample):
            self._report = read_report(session.annotate, session.person.id, open_sample.sample)

    def ready(self, sample: Sample) -> bool:
        """Return whether a sample needs no report, or the known report."""
        known = self._report
        if sample.kind is not SampleKind.CITATION or not self.walks:
            return True
        return known is not None and known.id == report_id(sample.group)

    def loaded(self, draft: Draft) -> None:
        """Count the citations of the sentence, which the summary shows as tabs."""
        if parent := self._parent_report(draft):
            draft.tabs = len(parent.citations(draft.sample.key))

    def upcoming(self, draft: Draft) -> Sequence[SampleKey] | None:
        """Return the citations that a key may open next; None for samples of no collection."""
        if draft.sample.kind not in RATED_KINDS or not self.walks:
            return None
        parent = self._parent_report(draft)
        if parent is None:
            return ()
        here = draft.sample.key
        keys = [walk(here, step) for walk in (parent.step, parent.turn) for step in (1, -1)]
        return tuple(key for key in keys if key)

    def next_sample(self, session: AnnotatorSession, sample: Sample) -> SampleKey | None:
        """Return the next incomplete item of the same kind, in cyclic order; None for none."""
        if sample.kind not in RATED_KINDS:
            return None
        found = session.annotate.next_incomplete(session.person.id, sample.kind, sample.key)
        return found if found != sample.key else None  # other items may be in the pool

    def _parent_report(self, draft: Draft) -> ParentReport | None:
        """Return the known report if it contains the draft's citation; None for other samples."""
        parent = self._report
        sample = draft.sample
        if parent is None or sample.kind is not SampleKind.CITATION or not self.walks:
            return None
        return parent if parent.id == report_id(sample.group) else None

    # keys and mouse

    def handle(self, effect: Effect, session: AnnotatorSession, draft: Draft) -> bool:
        """Go to a citation or incomplete item, or open the collection; return False for others."""
        match effect:
            case Open(Page.CITED_DOCUMENT):
                self._show_citation(draft)
            case Open(Page.TAB, step):
                self._walk_citations(draft, step, tabs=True)
            case Open(Page.CITATION, step):
                self._walk_citations(draft, step, tabs=False)
            case Open(Page.INCOMPLETE):
                self._next_incomplete(session, draft)
            case Open(Page.COLLECTION):
                self._open_collection(session, draft)
            case Open(Page.QUEUE) if self.walks and draft.sample.kind in RATED_KINDS:
                self._open_collection(session, draft)
            case _:
                return False
        return True

    def citation_clicked(self, draft: Draft, offset: int, cell: int) -> bool:
        """Open the clicked citation, or choose it if its report is not known."""
        parent = self._parent_report(draft)
        here = draft.sample.key
        known = self.citations(draft)
        at = citations.citation_at_cell(draft.citations if known is None else known, offset, cell)
        if at is None:
            return False
        if parent is None:
            self.host.perform(citations.choose_citation(draft, at))
        elif (key := parent.citations(here)[at]) != here:
            self.host.go_to(key)
        return True

    def _show_citation(self, draft: Draft) -> None:
        citation = draft.citations[draft.citation]
        pointer = draft.pointers[Side.SUMMARY]
        if not citation.span.start <= pointer.offset < citation.span.end:
            self.host.panes.handle(GoTo(Side.SUMMARY, 0, citation.span.start))
        self.host.follow()
        at = citation.document
        if at is not None and draft.text(Side.SOURCE, at):
            matches = (match for match in draft.matches[Side.SOURCE] if match.document == at)
            best = next(matches, None)
            if best:
                draft.focused_ranks[Side.SOURCE] = best.rank
            self.host.panes.handle(Reveal(Side.SOURCE, at, best.span if best else Span(0, 1)))
        draft.message = citations.describe_citation(draft, item_rows.urls(draft.sample))

    def _walk_citations(self, draft: Draft, step: int, *, tabs: bool) -> None:
        """Go to the next or previous citation: of the sentence for `tabs`, else of the report."""
        parent = self._parent_report(draft)
        here = draft.sample.key
        if parent is None:
            self.host.show_message(MessageCode.NO_PARENT_REPORT)
            return
        walk = parent.turn if tabs else parent.step
        if following := walk(here, step):
            after = partial(walk, step=step)
            self.host.go(lambda: following, "", after=after, prefetched=following)
        elif tabs:
            self.host.show_message(MessageCode.NO_OTHER_DOCUMENT_CITED)
        elif step > 0:
            self.host.show_message(MessageCode.LAST_CITATION)
        else:
            self.host.show_message(MessageCode.FIRST_CITATION)

    def _next_incomplete(self, session: AnnotatorSession, draft: Draft) -> None:
        sample = draft.sample
        if sample.kind not in RATED_KINDS or not self.walks:
            self.host.show_message(MessageCode.NO_COLLECTION_ITEM)
            return
        none = StatusMessage(MessageCode.ALL_OTHERS_ANNOTATED, {"items": f"{sample.kind}s"})

        def after(key: SampleKey) -> SampleKey | None:
            found = self.next_sample(session, replace(sample, dataset=key.dataset, id=key.id))
            return found if found != sample.key else None  # the search is cyclic

        self.host.go(partial(self.next_sample, session, sample), none, after=after)

    def _open_collection(self, session: AnnotatorSession, draft: Draft) -> None:
        if draft.sample.kind not in RATED_KINDS:
            self.host.show_message(MessageCode.NO_COLLECTION)
            return
        from tui_annotate.tui.screens.collection.screen import CollectionScreen

        self.host.keep_place()
        key = draft.sample.key
        screen = CollectionScreen(session.annotate, session.person.id, draft.sample)

        def closed(chosen: SampleKey | str | None) -> None:
            if chosen == "queue":
                self.host.open_queue()
            elif chosen == "quit":
                self.host.quit()
            elif isinstance(chosen, SampleKey) and chosen != key:
                self.host.go_to(chosen)

        self.host.open_dialog(screen, closed)

    # what is shown

    def before_drawing(self, draft: Draft) -> None:
        self.other_documents.search_later(draft)

    def title(self, draft: Draft, side: Side, title: Title) -> Title:
        """Replace a title by that of the item; the source's has a note about a better document."""
        open_sample = self.host.open_sample
        parent = self._parent_report(draft)
        comment = open_sample.assignment.comment if open_sample else ""
        title = item_rows.title(draft, side, title, parent=parent, comment=comment)
        if side is Side.SUMMARY:
            return title
        return self.other_documents.title(draft, title)

    def citations(self, draft: Draft) -> Sequence[Citation] | None:
        """Return the citations of the sentence as tabs; None for samples without a report."""
        parent = self._parent_report(draft)
        return item_rows.tabs(draft.sample, parent) if parent else None

    def surroundings(self, draft: Draft, side: Side) -> tuple[str, str] | None:
        """Return the report's text around the sentence of a citation; None without a report."""
        parent = self._parent_report(draft) if side is Side.SUMMARY else None
        return item_rows.surrounding_texts(draft.sample, parent) if parent else None

    def focused_citation(self, draft: Draft) -> tuple[int, Span] | None:
        """Return the position of the mark of the open or chosen citation."""
        parent = self._parent_report(draft)
        key = draft.sample.key
        if parent is None:
            return citations.focused_mark(draft)
        keys = parent.citations(key)
        tabs = item_rows.tabs(draft.sample, parent)
        return citations.find_mark(tabs, keys.index(key) if key in keys else -1)

    def pages(self, draft: Draft, open_sample: ShownSample) -> list[TextPage]:
        del draft
        return item_rows.item_pages(open_sample)


def read_report(annotate: AnnotationService, person: str, sample: Sample) -> ParentReport:
    """Read the report of a citation, with the citations that the person is to rate."""
    around = annotate.around(person, sample.key)
    topic = str(sample.meta.get("topic_id", ""))
    name = report_id(sample.group)
    run = name.removeprefix(f"r|{topic}|")
    leaves = annotate.leaves(person, sample.dataset, SampleKind.CITATION, topic=topic, run=run)
    return ParentReport(name, around.report, around.sentences, leaves)
