"""The documents that a question was answered from: as they were retrieved, and as a judge has them.

What nobody judged is told as far as it is known: the retriever's places alone, or nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.domain.scores import Score
from tui_annotate.tui.lines import cut, shown

ORDER: Final = "judge_order"
USEFUL: Final = "judge_useful"
PRECISION: Final = "context_precision"
TRUTH: Final = "ground_truth"
"""Names of scores, and of what a record's own fields hold."""

_UNRANKED: Final = "-"
_START: Final = 160  # cells of a context on the page that lists them


@dataclass(frozen=True, slots=True)
class Contexts:
    """What is known of the documents of the source side.

    Attributes:
        retrieved: the retriever's place of each, from 1; empty where nobody tells.
        judged: the judge's place of each, None for one it left out; empty where none judged.
        useful: whether the judge finds each useful; empty where it said nothing.
        truth: the answer that is right; empty where it is not known.
        written: a judge wrote that answer.
    """

    retrieved: tuple[int, ...] = ()
    judged: tuple[int | None, ...] = ()
    useful: tuple[bool | None, ...] = ()
    truth: str = ""
    written: bool = False

    @property
    def order(self) -> tuple[int, ...]:
        """Indices of the documents in the judge's order, those it left out last; empty for none."""
        last = len(self.judged) + 1
        return tuple(sorted(range(len(self.judged)), key=lambda at: self.judged[at] or last))

    def words(self, at: int) -> str:
        """`#2 / #1 / useful` of a document: the retriever's place, the judge's, its worth."""
        parts = [f"#{self.retrieved[at]}"] if self.retrieved else []
        if self.judged:
            place = self.judged[at]
            parts.append(f"#{place}" if place else _UNRANKED)
        worth = self.useful[at] if self.useful else None
        parts += [] if worth is None else ["useful" if worth else "not useful"]
        return " / ".join(parts)


def contexts(sample: Sample, scores: Sequence[Score]) -> Contexts:
    """What is known of a sample's documents.

    Args:
        scores: of the sample; what does not fit its documents is left out.
    """
    documents = sample.side(Side.SOURCE)
    said = {score.name: score for score in scores}
    judged = tuple(_place(each) for each in _parts(said.get(ORDER), documents))
    found = _parts(said.get(USEFUL), documents) or _parts(said.get(PRECISION), documents)
    useful = tuple(None if each is None else each > 0 for each in found)
    own, written = sample.meta.get(TRUTH), said.get(TRUTH)
    truth = own if isinstance(own, str) else ""
    made = written.text if written and not truth else ""
    return Contexts(
        _retrieved(documents, known=bool(judged or useful)),
        judged,
        useful,
        truth or made,
        written=bool(made),
    )


def _retrieved(documents: Sequence[Document], *, known: bool) -> tuple[int, ...]:
    """Places that the documents are named by; those in the list, where a judge speaks of them."""
    if documents and all(each.key.isascii() and each.key.isdigit() for each in documents):
        return tuple(int(each.key) for each in documents)
    return tuple(range(1, len(documents) + 1)) if known else ()


def _parts(score: Score | None, documents: Sequence[Document]) -> tuple[float | None, ...]:
    """One a document; none where the score is of something else."""
    if score is None or score.of != "documents" or len(score.parts) != len(documents):
        return ()
    return score.parts


def _place(part: float | None) -> int | None:
    return None if part is None or part < 1 else int(part)


def pages(sample: Sample, known: Contexts) -> Iterable[tuple[str, str]]:
    """(title, text) of what can be read: the right answer, then all of them in a list."""
    if known.truth:
        head = "# Written by a judge\n" if known.written else ""
        yield "Ground truth", f"{head}{known.truth}"
    if known.judged or known.useful:
        documents = sample.side(Side.SOURCE)
        lines = [
            f"# {known.words(at)}\n{cut(shown(documents[at].text), _START)}"
            for at in known.order or range(len(documents))
        ]
        yield "Contexts", "\n\n".join(lines)
