"""The reviewing screen: what several people said of one sample, place by place, without names.

It is the annotating screen with other things in hand: the same texts, lines and keys. While
something is edited it is that screen altogether, with the assist.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from textual.app import ComposeResult

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.samples import Match, Side
from tui_annotate.tui.draft.effects import Effect, Effects, Open
from tui_annotate.tui.draft.judging import deeds, places
from tui_annotate.tui.draft.judging.state import Judging
from tui_annotate.tui.draft.judging.words import line
from tui_annotate.tui.draft.state import RATING, Draft, Kind
from tui_annotate.tui.keys.map import KeyMap
from tui_annotate.tui.keys.review import REVIEWING
from tui_annotate.tui.saving import Job
from tui_annotate.tui.screens.annotate.rows import Title
from tui_annotate.tui.screens.review import rows
from tui_annotate.tui.screens.review.queueing import ReviewQueueing
from tui_annotate.tui.widgets.annotation_list import AnnotationList
from tui_annotate.tui.widgets.document_pane import Mark
from tui_annotate.tui.widgets.label_bar import LONGEST, MOST_ROWS, LabelBar, Option
from tui_annotate.tui.widgets.pane_title import PaneTitle
from tui_annotate.tui.words import WordsList

_TALL = 20  # rows of a window that can spare one for the options

if TYPE_CHECKING:
    from tui_annotate.services.annotate import Desk
    from tui_annotate.services.review import ReviewDesk
    from tui_annotate.tui.session import Session


class ReviewScreen(ReviewQueueing):
    """One sample at a time, by keys."""

    nothing = "nothing waits for review: first, two people are to be done with a sample · q leaves"

    def __init__(self, leave: Callable[[], None]) -> None:
        super().__init__(leave)
        self._lit = False
        self._bar_rows: tuple[object, int] = (None, 1)  # where, and how many it needed there

    def compose(self) -> ComposeResult:
        """Also a list of rivals, in the place of matches and annotations."""
        for widget in super().compose():
            yield widget
            if isinstance(widget, AnnotationList):
                yield PaneTitle(id="rivals-title")
                yield WordsList(id="rivals")

    # keys

    def pressed(self, draft: Draft, action: str, *, digit: str) -> Effects:
        """What an action does to what is judged."""
        if isinstance(draft, Judging):
            return deeds.press(draft, action, digit=digit, comment=self._comment())
        return super().pressed(draft, action, digit=digit)

    def perform(self, effects: Sequence[Effect]) -> None:
        """Also: a reason in own words is for what was asked."""
        draft = self.judging
        super().perform(deeds.reasoned(draft, effects) if draft else effects)

    def follow(self) -> None:
        """Also: the place under the cursor comes into hand; the assist is for editing alone."""
        draft = self.judging
        if draft and bool(draft.editing) != self._lit:
            self._lit = bool(draft.editing)
            self._asked.clear()
        super().follow()
        if draft:
            places.follow(draft)

    def _found(self, anchor: Anchor | None) -> tuple[Match, ...]:
        draft = self.judging
        return super()._found(anchor) if draft and draft.editing else ()

    # what is shown

    def show_draft(self) -> None:
        """Also: rivals are listed unless something is edited."""
        draft = self.judging
        self.set_class(draft is not None and not draft.editing, "-judging")
        super().show_draft()

    def words_of(self, draft: Draft, cells: int) -> tuple[str, Kind]:
        """What the next key would do with the place in hand."""
        return line(draft, cells) if isinstance(draft, Judging) else super().words_of(draft, cells)

    def keys_of(self, draft: Draft, keys: KeyMap) -> Sequence[tuple[str, str]]:
        """Those of review; of editing while something is edited."""
        if draft.hints:
            return super().keys_of(draft, keys)
        count = len(draft.options())
        question = draft.pending.kind if draft.pending else ""
        if draft.state == REVIEWING:
            pairs = keys.line(REVIEWING, digits=f"1-{count}" if count > 1 else "1")
            two = all(map(draft.sample.side, Side))
            means = {"rival": count > 0, "rating": bool(draft.scale), "other text": two}
            return [pair for pair in pairs if means.get(pair[1], True)]
        if question in ("", "child", "evidence"):
            return super().keys_of(draft, keys)
        return keys.line(draft.state, question=question, digits=f"1-{count}")

    def bar_of(self, draft: Draft) -> tuple[Sequence[Option], str, bool]:
        """Rivals, reasons or labels."""
        if isinstance(draft, Judging) and draft.state == REVIEWING:
            return rows.bar(draft, self.size.width, rows=self._most_rows)
        asked = draft.pending.kind if draft.pending else ""
        if isinstance(draft, Judging) and asked not in ("", RATING) and not draft.editing:
            options = [(one.digit, one.text, False, False, -1) for one in draft.options()]
            return [*options, ("0", "own words", False, False, -1)], "", False
        return super().bar_of(draft)

    def title_of(self, draft: Draft, side: Side) -> Title:
        """The place in hand, and how it stands."""
        if isinstance(draft, Judging) and not draft.editing:
            desk = cast("ReviewDesk", self.desk)
            said = bool(desk.assignment.comment)
            return rows.titles(draft, side, ratings=desk.ratings, said=said)
        return super().title_of(draft, side)

    def marks_of(self, draft: Draft, side: Side) -> Sequence[Mark]:
        """Every place, and of the one in hand each rival."""
        if not isinstance(draft, Judging):
            return super().marks_of(draft, side)
        if draft.editing:
            return [*super().marks_of(draft, side), *rows.edited(draft, side)]
        return rows.marks(draft, side)

    def evidence_of(self, draft: Draft) -> Sequence[Anchor]:
        """That of the rival in hand."""
        return draft.shown_evidence() if isinstance(draft, Judging) else super().evidence_of(draft)

    def aside(self) -> str:
        """Who is still at work on the sample."""
        pending = getattr(self.desk, "pending", 0)
        return f"{pending} not done yet" if pending else ""

    def _show_lists(self, draft: Draft) -> None:
        if not isinstance(draft, Judging) or draft.editing:
            super()._show_lists(draft)
            return
        self.query_one("#rivals-title", PaneTitle).show(
            "RIVALS", [draft.people_words(draft.people)], focused=False
        )
        listed = self.query_one("#rivals", WordsList)
        lines, focused = rows.rivals(draft, max(listed.window.width, 20))
        if self._changed("rivals", (lines, focused)):
            listed.show(lines, focused=focused)

    # what is asked and told over it

    def ask(self, effect: Effect) -> bool:
        """Opens what an effect asks for; False where it asks for nothing of this."""
        match effect:
            case Open("names"):
                self._show_names()
            case Open("reopen"):
                self._judge("reopen")
            case _:
                return super().ask(effect)
        return True

    def _show_bar(self, draft: Draft) -> None:
        """It never shrinks on one sample, so that nothing jumps from place to place."""
        bar, size = self.query_one(LabelBar), self.app.size
        reviewing = draft.state == REVIEWING
        bar.longest = rows.LONGEST if reviewing else LONGEST
        bar.most_rows = self._most_rows if reviewing else MOST_ROWS
        super()._show_bar(draft)
        needed = bar.get_content_height(size, size, size.width)
        here, before = (draft.sample.key, *size), self._bar_rows
        self._bar_rows = (here, max(needed, before[1] if before[0] == here else 1))
        self.set_class(self._bar_rows[1] > 1, "-two")
        self.set_class(self._bar_rows[1] > 2, "-three")

    @property
    def _most_rows(self) -> int:
        """Of the bar: a third is taken from the texts only where they have plenty."""
        return MOST_ROWS + (self.app.size.height >= _TALL)

    def _tell_keys(self, session: Session, draft: Draft) -> None:
        if draft.state != REVIEWING:
            super()._tell_keys(session, draft)
            return
        from tui_annotate.tui.dialogs.help import HelpDialog
        from tui_annotate.tui.screens.review.legend import LEGEND, groups

        shown = groups(session.keys)
        self.app.push_screen(HelpDialog(shown, legend=LEGEND, title="Keys in review"))

    def pages_of(self, desk: Desk) -> tuple[list[tuple[str, str]], int]:
        """Also what annotators noted on the sample; first of all, where there is anything."""
        pages, page = super().pages_of(desk)
        layers, draft = cast("ReviewDesk", desk).layers, self.judging
        noted = [(layer.letter, layer.comment) for layer in layers if layer.comment]
        if not noted or draft is None:
            return pages, page
        text = "\n\n".join(f"{draft.people_words([letter])}: {said}" for letter, said in noted)
        return [*pages, ("Notes", text)], len(pages)

    def _comment(self) -> str:
        """What is settled; else what annotators said, where all who did said the same."""
        desk = cast("ReviewDesk | None", self.desk)
        said = {layer.comment for layer in desk.layers if layer.comment} if desk else set()
        settled = desk.assignment.comment if desk else ""
        return settled or ("".join(said) if len(said) == 1 else "")

    def _show_names(self) -> None:
        session, desk, draft = self.session, self.desk, self.judging
        if session is None or desk is None or draft is None:
            return
        if draft.names:
            draft.names = {}
            return

        def done(names: dict[str, str]) -> None:
            draft.names = names
            if draft is self.draft:
                told = ", ".join(f"{letter} {name}" for letter, name in names.items())
                self.tell(f"W hides the names: {told}")

        who, key = session.person.id, desk.sample.key
        self.saver.send(Job(lambda: self._review().names(who, key), done, self._refused))

    def _walk(self, step: int) -> None:
        if self.session and self.desk:
            key, who = self.desk.sample.key, self.session.person.id
            self.go(
                lambda: self._review().neighbour(who, key, step),
                "this is the last sample" if step > 0 else "this is the first sample",
            )
