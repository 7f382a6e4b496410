"""What became of a place, as review goes on."""

from __future__ import annotations

import pytest

from tui_annotate.domain.annotations import ADJUDICATED, REJECTED, Anchor, Annotation
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.domain.settlements import How, Settled
from tui_annotate.domain.spans import Span
from tui_annotate.methods.adjudication import groups
from tui_annotate.methods.decisions import Decision, decision

SAMPLE = Sample("d", "1", (Document(Side.SOURCE, "ab cd"), Document(Side.SUMMARY, "ab cd")))
CLAIM = (Anchor(Side.SUMMARY, 0, Span(0, 2)),)


def said(name: str, label: str) -> Annotation:
    """An annotation of the one place that there is."""
    return Annotation(name, CLAIM, labels=((label,),))


def settled(origin: str, *sources: str) -> Annotation:
    """What review made of annotations, or refused."""
    how = How.TAKEN if origin == ADJUDICATED else How.REJECTED
    return Annotation("-".join(sources), CLAIM, origin=origin, settled=Settled("r", how, sources))


TAKEN, REFUSED = settled(ADJUDICATED, "p1", "q1"), settled(REJECTED, "p1", "q1")
OTHER_REFUSED = settled(REJECTED, "p2", "q2")


@pytest.mark.parametrize(
    ("done", "alike", "apart"),
    [
        ((), Decision.AGREED, Decision.OPEN),
        ((TAKEN,), Decision.KEPT, Decision.KEPT),
        ((REFUSED,), Decision.OPEN, Decision.OPEN),
        ((REFUSED, TAKEN), Decision.KEPT, Decision.KEPT),
        ((REFUSED, OTHER_REFUSED), Decision.REJECTED, Decision.OPEN),
        ((settled(ADJUDICATED),), Decision.AGREED, Decision.OPEN),
    ],
)
def test_what_became_of_a_place(
    done: tuple[Annotation, ...], alike: Decision, apart: Decision
) -> None:
    """Of two labels that both people gave, one refused leaves it open: no end of review takes it.

    Where a third label is one person's alone, that must be refused as well before nothing is left.
    """
    both = {"p": [said("p1", "X"), said("p2", "Y")], "q": [said("q1", "X"), said("q2", "Y")]}
    (group,) = groups(SAMPLE, both)
    assert decision(group, done) is alike
    (group,) = groups(SAMPLE, both | {"p": [*both["p"], said("p3", "Z")]})
    assert decision(group, done) is apart
