"""Adds keys, titles and highlights to the screen for samples of position studies.

The feature highlights gold answers, extends the titles of the texts, opens the chart of the study,
and moves through samples with wrong answers. The samples with wrong answers that were listed from a
bar of the chart replace the queue until the annotator opens another sample.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.line_text import cut, line_text
from tui_annotate.domain.samples import Sample, SampleKey, SampleKind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor.effects import Effect, Open, Page, Reveal, open_page
from tui_annotate.editor.glyphs import GOLD
from tui_annotate.editor.key_handlers import leave_for
from tui_annotate.editor.key_lines import QUESTION_LINE, Names
from tui_annotate.editor.messages import MessageCode
from tui_annotate.editor.screen_message import ScreenMessage, describe_error
from tui_annotate.editor.state import Draft
from tui_annotate.tui.screens.sample.feature import Feature, FeatureHost, KeyHandler, TextPage
from tui_annotate.tui.screens.sample.rows import Title
from tui_annotate.tui.widgets.document_pane import AnnotationMark

if TYPE_CHECKING:
    from tui_annotate.tui.screens.sample.shown_sample import ShownSample
    from tui_annotate.tui.session import AnnotatorSession

_ANSWER_CELLS: Final = 24  # width of a gold answer in a title, in cells
_MAX_MATCHES: Final = 200
"""Maximum number of right answers to highlight in a text."""


def gold_position(sample: Sample) -> int | None:
    """Return the index, from 0, of the passage or pair with the answer; None if unknown."""
    found = sample.meta.get("gold_position") if sample.kind is SampleKind.QUESTION else None
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else None


def gold_document(sample: Sample) -> int | None:
    """Return the index of the source document that contains the answer; None if unknown."""
    place = gold_position(sample)
    if place is None:
        return None
    documents = len(sample.side(Side.SOURCE))
    if sample.meta.get("task") == "kv":
        return 0 if documents else None
    return place if place < documents else None


def gold_answers(sample: Sample) -> tuple[str, ...]:
    """Return the right answers of a question without blank ones; empty for other samples."""
    found = sample.meta.get("answers") if sample.kind is SampleKind.QUESTION else None
    if not isinstance(found, list):
        return ()
    return tuple(each.strip() for each in found if isinstance(each, str) and each.strip())


def find_answers(wanted: Sequence[str], text: str) -> tuple[Span, ...]:
    """Find right answers, ignoring case and white space; at one offset, the longest is found."""
    if not wanted:
        return ()
    forms = (
        r"\s+".join(map(re.escape, each.split())) for each in sorted(wanted, key=len, reverse=True)
    )
    matches = re.finditer("|".join(forms), text, re.IGNORECASE)
    return tuple(Span(*found.span()) for found in islice(matches, _MAX_MATCHES))


class StudyText(ScreenMessage):
    """Texts about a question of a position study."""

    PAGE = "Question"
    QUESTION = "# Question"
    GOLD_ANSWERS = "# Gold answers"
    POSITION = "# Position"
    METRIC = "# Metric"
    NO_ANSWER = "no answer"
    CORRECT = "correct"
    INCORRECT = "incorrect"
    METRIC_CORRECT = "metric: correct"
    METRIC_INCORRECT = "metric: incorrect"
    HERE = "here"


def describe_gold(sample: Sample, document: int) -> str:
    """Describe the right answer and its position for a document's title; "" if unknown."""
    place = gold_position(sample)
    size = sample.meta.get("size")
    if place is None:
        return ""
    of = f"/{size}" if isinstance(size, int) else ""
    here = gold_document(sample) == document and sample.meta.get("task") != "kv"
    gold = gold_answers(sample)
    first = f": {cut(line_text(gold[0]), _ANSWER_CELLS)}" if gold else ""
    more = f" (+{len(gold) - 1})" if len(gold) > 1 else ""
    return f"{GOLD} {StudyText.HERE.text() if here else f'{place + 1}{of}'}{first}{more}"


def _verdict(sample: Sample) -> StudyText | None:
    """Return the metric's verdict on a model's answer; None for a sample without a verdict."""
    if sample.kind is not SampleKind.QUESTION:
        return None
    score = sample.meta.get("metric")
    if isinstance(score, bool) or not isinstance(score, int | float):
        return StudyText.NO_ANSWER if sample.meta.get("model_error") else None
    return StudyText.CORRECT if score >= 1 else StudyText.INCORRECT


_NAMED_VERDICTS: Final = {
    StudyText.NO_ANSWER: StudyText.NO_ANSWER,
    StudyText.CORRECT: StudyText.METRIC_CORRECT,
    StudyText.INCORRECT: StudyText.METRIC_INCORRECT,
}


def describe_metric(sample: Sample) -> str:
    """Return the metric's verdict on a model's answer as text; "" without a verdict."""
    verdict = _verdict(sample)
    return _NAMED_VERDICTS[verdict].text() if verdict else ""


def question_page(sample: Sample) -> str:
    """Return a text with a sample's question, right answers and metric; may be empty."""
    place = gold_position(sample)
    if place is None and not gold_answers(sample):
        return ""
    lines = [StudyText.QUESTION.text(), sample.request.question, ""]
    lines += [StudyText.GOLD_ANSWERS.text(), *gold_answers(sample)]
    if gold := describe_gold(sample, -1):
        lines += ["", StudyText.POSITION.text(), gold]
    if verdict := _verdict(sample):
        lines += ["", StudyText.METRIC.text(), verdict.text()]
    error = sample.meta.get("model_error")
    if isinstance(error, str):
        lines.append(error)
    return "\n".join(lines)


_NAME_CELLS: Final = 16  # width of a side's name before the question, in cells


class PositionStudy(Feature):
    """Highlights right answers on the screen, and opens a chart of a position study's results.

    A bar of the chart opens a list of the samples with wrong answers. After a sample of this list
    is opened, the list replaces the queue: the keys for the next and previous sample follow it.
    """

    key_handlers: Mapping[str, KeyHandler] = MappingProxyType(
        {
            "gold.show": partial(open_page, Page.GOLD_PASSAGE),
            "positions.show": partial(leave_for, Page.POSITIONS, 0),
        }
    )
    preload = ("tui_annotate.lab.position.screen",)

    def __init__(self, host: FeatureHost) -> None:
        super().__init__(host)
        self.failing: tuple[SampleKey, ...] = ()
        self._bar: Any = None

    # display

    def title(self, draft: Draft, side: Side, title: Title) -> Title:
        if draft.sample.kind is not SampleKind.QUESTION:
            return title
        if side is Side.SUMMARY:
            name = f"{cut(line_text(title.name), _NAME_CELLS)}: {draft.sample.request.question}"
            return title._replace(name=name, notes=(describe_metric(draft.sample), *title.notes))
        gold = describe_gold(draft.sample, draft.pointers[side].document)
        return title._replace(notes=(gold, *title.notes))

    def marks(self, draft: Draft, side: Side) -> Sequence[AnnotationMark]:
        if draft.sample.kind is not SampleKind.QUESTION:
            return ()
        return _find_marks(gold_answers(draft.sample), draft.text(side))

    def pages(self, draft: Draft, open_sample: ShownSample) -> Sequence[TextPage]:
        del draft
        text = question_page(open_sample.sample)
        return [TextPage(StudyText.PAGE.text(), text, first=True)] if text else ()

    def key_line(self, draft: Draft) -> Names | None:
        """Return the key hints for a question whose answer has a known position; else None."""
        return None if gold_position(draft.sample) is None else QUESTION_LINE

    # keys and effects

    def handle(self, effect: Effect, session: AnnotatorSession, draft: Draft) -> bool:
        match effect:
            case Open(Page.GOLD_PASSAGE):
                self._show_gold(draft)
            case Open(Page.POSITIONS):
                self._open_positions(session, draft)
            case Open(Page.QUEUE) if draft.sample.key in self.failing:
                self._open_positions(session, draft)
            case Open(Page.SAMPLE, step) if draft.sample.key in self.failing:
                self._walk_failing(draft.sample.key, step)
            case _:
                return False
        return True

    def _show_gold(self, draft: Draft) -> None:
        document = gold_document(draft.sample)
        if document is None:
            self.host.show_message(MessageCode.NO_GOLD_KNOWN)
            return
        found = find_answers(gold_answers(draft.sample), draft.text(Side.SOURCE, document))
        if found:
            self.host.panes.handle(Reveal(Side.SOURCE, document, found[0]))
        else:
            self.host.panes.show_document(Side.SOURCE, document)
        self.host.follow()

    # chart and failing samples

    def _open_positions(self, session: AnnotatorSession, draft: Draft) -> None:
        if gold_position(draft.sample) is None or session.machines is None:
            self.host.show_message(MessageCode.NO_POSITION_STUDY)
            return
        from tui_annotate.lab.position.screen import PositionsScreen

        self.host.keep_place()
        dataset = draft.sample.dataset
        who = session.person.id
        try:
            positions = session.machines().positions
        except TuiAnnotateError as error:
            self.host.show_message(describe_error(error))
            return
        screen = PositionsScreen(positions, who, dataset=dataset, where=self._bar)

        def closed(chosen: Any) -> None:
            self._bar = screen.where
            if chosen == "quit":
                self.host.quit()
            elif chosen == "queue":
                self.failing = ()
                self.host.open_queue()
            elif chosen is not None:
                self.failing = chosen.keys
                if chosen.key != draft.sample.key:
                    self.host.go_to(chosen.key)

        self.host.open_dialog(screen, closed)

    def _walk_failing(self, key: SampleKey, step: int) -> None:
        at = self.failing.index(key) + step

        def after(damaged: SampleKey) -> SampleKey | None:
            at = self.failing.index(damaged) + step
            return self.failing[at] if 0 <= at < len(self.failing) else None

        if 0 <= at < len(self.failing):
            self.host.go(partial(self.failing.__getitem__, at), "", after=after)
        else:
            end = MessageCode.LAST_FAILING if step > 0 else MessageCode.FIRST_FAILING
            self.host.show_message(end)

    def next_sample(self, session: AnnotatorSession, sample: Sample) -> SampleKey | None:
        """Return the next incomplete sample of the list of wrong answers, or None."""
        if sample.key in self.failing and session.machines is not None:
            after = self.failing[self.failing.index(sample.key) + 1 :]
            positions = session.machines().positions
            found: SampleKey | None = positions.next_open(session.person.id, after)
            return found
        return None


@lru_cache(maxsize=8)
def _find_marks(wanted: tuple[str, ...], text: str) -> tuple[AnnotationMark, ...]:
    return tuple(AnnotationMark(span, GOLD) for span in find_answers(wanted, text))
