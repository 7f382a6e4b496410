"""Questions of a position study: which passage answers, where its answer stands, the metric's word.

Pure functions of a sample; of a sample that is no such question they tell nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from tui_annotate.domain.samples import Kind, Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.tui.lines import cut, shown
from tui_annotate.tui.palette import GOLD

_ANSWER: Final = 24  # cells of a gold answer in a title
_MOST: Final = 200
"""Places of answers that are marked in a text; an answer of one sign is everywhere."""


def gold_position(sample: Sample) -> int | None:
    """Where the passage or the pair stands that answers, from 0; None where nobody knows."""
    found = sample.meta.get("gold_position") if sample.kind is Kind.QUESTION else None
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else None


def is_placed(sample: Sample) -> bool:
    """Whether it is known where the answer to a question stands."""
    return gold_position(sample) is not None


def gold_document(sample: Sample) -> int | None:
    """The index of the source document that answers; all pairs are one document."""
    place = gold_position(sample)
    if place is None:
        return None
    documents = len(sample.side(Side.SOURCE))
    if sample.meta.get("task") == "kv":
        return 0 if documents else None
    return place if place < documents else None


def answers(sample: Sample) -> tuple[str, ...]:
    """The gold answers of a question, without blank ones."""
    found = sample.meta.get("answers") if sample.kind is Kind.QUESTION else None
    if not isinstance(found, list):
        return ()
    return tuple(each.strip() for each in found if isinstance(each, str) and each.strip())


def spans(wanted: Sequence[str], text: str) -> tuple[Span, ...]:
    """Where gold answers stand in a text, case and white space aside; the longer one before."""
    if not wanted:
        return ()
    forms = (
        r"\s+".join(map(re.escape, each.split())) for each in sorted(wanted, key=len, reverse=True)
    )
    return tuple(_found("|".join(forms), text))


def _found(pattern: str, text: str) -> Iterator[Span]:
    for number, found in enumerate(re.finditer(pattern, text, re.IGNORECASE)):
        if number == _MOST:
            return
        yield Span(*found.span())


def told(sample: Sample, document: int) -> str:
    """Which passage answers, as the title of another one says it; empty where nobody knows."""
    place, size = gold_position(sample), sample.meta.get("size")
    if place is None:
        return ""
    of = f"/{size}" if isinstance(size, int) else ""
    here = gold_document(sample) == document and sample.meta.get("task") != "kv"
    gold = answers(sample)
    said = f": {cut(shown(gold[0]), _ANSWER)}" if gold else ""
    more = f" (+{len(gold) - 1})" if len(gold) > 1 else ""
    return f"{GOLD} {'here' if here else f'{place + 1}{of}'}{said}{more}"


def question(sample: Sample) -> str:
    """What was asked, as a title; empty for other samples."""
    return sample.request.question if sample.kind is Kind.QUESTION else ""


def metric(sample: Sample) -> str:
    """What the metric says of the answer, in words; empty where it says nothing."""
    if sample.kind is not Kind.QUESTION:
        return ""
    score = sample.meta.get("metric")
    if isinstance(score, bool) or not isinstance(score, int | float):
        error = sample.meta.get("model_error")
        return "no answer" if error else ""
    return "metric: correct" if score >= 1 else "metric: incorrect"


def page(sample: Sample) -> str:
    """All of it as a page to read; empty for other samples."""
    place = gold_position(sample)
    if place is None and not answers(sample):
        return ""
    lines = ["# Question", sample.request.question, "", "# Gold answers", *answers(sample)]
    if told_of := told(sample, -1):
        lines += ["", "# Position", told_of]
    if said := metric(sample):
        lines += ["", "# Metric", said.removeprefix("metric: ")]
    error = sample.meta.get("model_error")
    if isinstance(error, str):
        lines.append(error)
    return "\n".join(lines)
