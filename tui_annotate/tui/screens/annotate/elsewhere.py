"""Where else in its report a sentence is borne out: the other documents, searched behind the keys.

A citation has one document beside its sentence. Whether another one of the report holds better
evidence for what is in hand is looked for in a thread once the keys rest, and told in a title.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.errors import TuiAnnotateError, Unavailable
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.tui.draft import citing
from tui_annotate.tui.draft.state import Draft
from tui_annotate.tui.screens.annotate.neighbours import Neighbours
from tui_annotate.tui.screens.annotate.questions import AnnotateQuestions
from tui_annotate.tui.screens.annotate.rows import Title

if TYPE_CHECKING:
    from tui_annotate.services.assist import SampleAssist
    from tui_annotate.tui.session import Session

_PAUSE: Final = 0.1  # seconds without another claim in hand until it is looked for elsewhere


class AnnotateElsewhere(AnnotateQuestions):
    """Tells which other document of the report holds better evidence.

    Attributes:
        elsewhere: that, in words; empty for none.
        searching: it will be looked for once the keys rest.
    """

    def __init__(self) -> None:
        super().__init__()
        self.elsewhere = ""
        self._looked_for: tuple[SampleKey, Anchor] | None = None
        self._report_assist: tuple[str, SampleAssist] | None = None
        self.searching = False

    def look_closer(self, draft: Draft) -> None:
        """Also: another claim in hand is looked for in the other documents once the keys rest."""
        super().look_closer(draft)
        near, anchor = self._near(draft), draft.here(Side.SUMMARY)
        known = near and near.report and anchor
        now = (draft.sample.key, anchor) if known and anchor else None
        if now == self._looked_for:
            return
        self._looked_for, self.elsewhere = now, ""
        if now and not self.searching:
            self.searching = True
            asyncio.get_running_loop().call_later(_PAUSE, self.call_later, self._look_elsewhere)

    def _look_elsewhere(self) -> None:
        self.searching = False
        draft, wanted, session = self.draft, self._looked_for, self.session
        near = self._near(draft) if draft else None
        if draft and wanted and near and session:
            self._in_thread("elsewhere", partial(self._search, session, draft, near))

    def _search(self, session: Session, draft: Draft, near: Neighbours) -> None:
        """In a thread; whatever becomes of it, nobody waits for it."""
        wanted = self._looked_for
        try:
            made = self._prepared_report(session, draft, near)
        except TuiAnnotateError:
            return
        if wanted is None or wanted[0] != draft.sample.key:
            return
        start = near.sentences[citing.sentence(draft.sample)].start
        anchor = wanted[1]._replace(index=0, span=wanted[1].span.shift(start))
        documents, cited = made.sample.side(Side.SOURCE), draft.sample.meta.get("docid")
        matches = made.match(anchor, top=None, by=self.by)
        lit = max((match.strength for match in draft.matches[Side.SOURCE]), default=0)
        told = citing.better(documents, matches, str(cited or ""), lit=lit)
        self.app.call_from_thread(self._found_elsewhere, wanted, told)

    def _prepared_report(self, session: Session, draft: Draft, near: Neighbours) -> SampleAssist:
        """In a thread: the report made ready to be searched, once while one is in it."""
        if self._report_assist and self._report_assist[0] == near.id:
            return self._report_assist[1]
        key = SampleKey(draft.sample.dataset, near.id)
        desk = session.annotate.open(session.person.id, key, order=session.order)
        assist = session.assist()
        made = assist.prepare(desk.sample, desk.segments, vectors=False)
        with suppress(Unavailable):  # words alone then, as for the sample itself, which says so
            made = assist.prepare(desk.sample, desk.segments, vectors=True, words=made)
        self._report_assist = (near.id, made)
        return made

    def _found_elsewhere(self, wanted: tuple[SampleKey, Anchor], told: str) -> None:
        if wanted == self._looked_for and told != self.elsewhere:
            self.elsewhere = told
            self.show_draft()

    def title_of(self, draft: Draft, side: Side) -> Title:
        """Also what another document holds, over the one that is cited."""
        usual = super().title_of(draft, side)
        if side is Side.SUMMARY or not self.elsewhere:
            return usual
        if not draft.sample.side(side):
            return usual._replace(notes=(*usual.notes, self.elsewhere))
        return usual._replace(notes=(self.elsewhere, *usual.notes))
