"""Documents that an answer was retrieved from: the retriever's order, a judge's, and the answer.

Of documents without a judge's order, only the retriever's ranks are known, or nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.samples import Document, Sample, SampleKind, Side
from tui_annotate.domain.scores import Score
from tui_annotate.lab.judge.rows import GROUND_TRUTH, ORDER, USEFUL
from tui_annotate.tui.draft.effects import Blink, Effect, Effects, Open
from tui_annotate.tui.draft.messages import MessageCode
from tui_annotate.tui.draft.state import Draft
from tui_annotate.tui.line_text import cut, line_text
from tui_annotate.tui.screens.sample.feature import Feature, FeatureHost, TextPage
from tui_annotate.tui.screens.sample.rows import Title

if TYPE_CHECKING:
    from tui_annotate.domain.samples import SampleKey
    from tui_annotate.services.annotate import OpenSample
    from tui_annotate.tui.session import AnnotatorSession

PRECISION: Final = "context_precision"

_UNRANKED: Final = "-"
_PREVIEW_CELLS: Final = 160  # cells of a context on the page that lists them


@dataclass(frozen=True, slots=True)
class RankedContexts:
    """The ranks (from 1) and usefulness of the source documents; empty where unknown.

    Attributes:
        judged: None for an omitted document.
        truth: the right answer.
        written: whether a judge wrote the right answer.
    """

    retrieved: tuple[int, ...] = ()
    judged: tuple[int | None, ...] = ()
    useful: tuple[bool | None, ...] = ()
    truth: str = ""
    written: bool = False

    @property
    def order(self) -> tuple[int, ...]:
        """Return document indices in the judge's order, unranked ones last; empty without ranks."""
        last = len(self.judged) + 1
        return tuple(sorted(range(len(self.judged)), key=lambda at: self.judged[at] or last))

    def describe(self, at: int) -> str:
        """Return `#2 / #1 / useful`: the retriever's place, the judge's, the worth."""
        parts = [f"#{self.retrieved[at]}"] if self.retrieved else []
        if self.judged:
            place = self.judged[at]
            parts.append(f"#{place}" if place else _UNRANKED)
        worth = self.useful[at] if self.useful else None
        parts += [] if worth is None else ["useful" if worth else "not useful"]
        return " / ".join(parts)


def rank_contexts(sample: Sample, scores: Sequence[Score]) -> RankedContexts:
    """Return the ranks of a sample's documents; scores of other documents are ignored."""
    documents = sample.side(Side.SOURCE)
    by_name = {score.name: score for score in scores}
    judged = tuple(
        int(each) if each and each >= 1 else None
        for each in _document_parts(by_name.get(ORDER), documents)
    )
    found = _document_parts(by_name.get(USEFUL), documents) or _document_parts(
        by_name.get(PRECISION), documents
    )
    useful = tuple(None if each is None else each > 0 for each in found)
    own, written = sample.meta.get(GROUND_TRUTH), by_name.get(GROUND_TRUTH)
    truth = own if isinstance(own, str) else ""
    made = written.text if written and not truth else ""
    return RankedContexts(
        _retrieval_ranks(documents, known=bool(judged or useful)),
        judged,
        useful,
        truth or made,
        written=bool(made),
    )


def _retrieval_ranks(documents: Sequence[Document], *, known: bool) -> tuple[int, ...]:
    """Return the ranks in the document keys; with a judge's ranks alone, the positions."""
    if documents and all(each.key.isascii() and each.key.isdigit() for each in documents):
        return tuple(int(each.key) for each in documents)
    return tuple(range(1, len(documents) + 1)) if known else ()


def _document_parts(score: Score | None, documents: Sequence[Document]) -> tuple[float | None, ...]:
    if score is None or score.of != "documents" or len(score.parts) != len(documents):
        return ()
    return score.parts


def context_pages(sample: Sample, known: RankedContexts) -> Iterable[tuple[str, str]]:
    """Yield (title, text) of pages: the right answer, then the list of all documents."""
    if known.truth:
        head = "# Written by a judge\n" if known.written else ""
        yield "Ground truth", f"{head}{known.truth}"
    if known.judged or known.useful:
        documents = sample.side(Side.SOURCE)
        lines = [
            f"# {known.describe(at)}\n{cut(line_text(documents[at].text), _PREVIEW_CELLS)}"
            for at in known.order or range(len(documents))
        ]
        yield "Contexts", "\n\n".join(lines)


_KINDS: Final = frozenset({SampleKind.PAIR, SampleKind.QUESTION})


class ContextOrder(Feature):
    """The retrieved documents of an answer: their order, and their usefulness to a judge."""

    def __init__(self, host: FeatureHost) -> None:
        super().__init__(host)
        self.judged = False
        self.contexts = RankedContexts()
        self.key_handlers = {"document.order": self._request_order}
        self._read: tuple[SampleKey | None, RankedContexts] = (None, RankedContexts())

    def opened(self, session: AnnotatorSession, open_sample: OpenSample) -> None:
        """Read scores only where there is something to sort, or a question that has an answer."""
        sample = open_sample.sample
        asked = len(sample.side(Side.SOURCE)) > 1 or GROUND_TRUTH in sample.meta
        if sample.kind in _KINDS and asked and session.machines:
            scores = session.machines().scores.of([sample.key]).get(sample.key, ())
            self._read = (sample.key, rank_contexts(sample, scores))

    def drafted(self, draft: Draft, open_sample: OpenSample) -> None:
        """Keep what is known of the documents."""
        del draft
        key, known = self._read
        self.contexts = (
            known if key == open_sample.sample.key else rank_contexts(open_sample.sample, ())
        )

    def handle(self, effect: Effect, session: AnnotatorSession, draft: Draft) -> bool:
        """Walk documents in the order that was chosen, or choose the other order."""
        del session
        match effect:
            case Open("contexts"):
                self._change_order(draft)
            case Open("document", step):
                order = self._walking_order(draft)
                at = order.index(draft.pointers[Side.SOURCE].document)
                following = order[(at + step) % len(order)]
                self.host.panes.show_document(Side.SOURCE, following)
            case _:
                return False
        return True

    def _request_order(self, draft: Draft) -> Effects:
        if not self.contexts.judged:
            draft.say(MessageCode.NO_JUDGED_ORDER)
            return [Blink()]
        return [Open("contexts")]

    def _change_order(self, draft: Draft) -> None:
        self.judged = not self.judged
        self.host.panes.show_document(Side.SOURCE, self._walking_order(draft)[0])
        draft.say(MessageCode.JUDGED_ORDER if self.judged else MessageCode.RETRIEVED_ORDER)

    def _walking_order(self, draft: Draft) -> tuple[int, ...]:
        usual = tuple(range(len(draft.sample.side(Side.SOURCE))))
        return (self.contexts.order if self.judged else ()) or usual

    def title(self, draft: Draft, side: Side, title: Title) -> Title:
        """Add the ranks of the document on screen."""
        if side is Side.SUMMARY or not draft.sample.side(side):
            return title
        at = draft.pointers[side].document
        if not (words := self.contexts.describe(at)):
            return title
        name = title.name.removesuffix(f" {at + 1}")  # a key that is a rank is in the words
        return title._replace(name=name, notes=(words, *title.notes))

    def pages(self, draft: Draft, open_sample: OpenSample) -> list[TextPage]:
        """Return what is right, and the documents with their ranks."""
        del draft
        return [TextPage(*page) for page in context_pages(open_sample.sample, self.contexts)]
