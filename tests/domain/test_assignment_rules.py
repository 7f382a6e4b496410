"""Rules of handed-out work: what makes sense, and what counts as disagreement."""

from __future__ import annotations

import pytest

from tui_annotate.domain.assignment_rules import DisagreementRule, Escalation, Pool, labels_disagree
from tui_annotate.domain.errors import InvalidInput

NOTHING: list[tuple[tuple[str, ...], ...]] = []
UNWANTED = [(("Unwanted", "Intrinsic"),)]
OTHER = [(("Unwanted", "Extrinsic"),), (("Unwanted", "Intrinsic"),)]
BENIGN = [(("Benign",),)]


@pytest.mark.parametrize("when", list(DisagreementRule))
def test_something_against_nothing_is_disagreement(when: DisagreementRule) -> None:
    """By either rule; all with nothing agree, and so does one alone."""
    assert labels_disagree([NOTHING, UNWANTED], when)
    assert labels_disagree([UNWANTED, NOTHING, UNWANTED], when)
    assert not labels_disagree([NOTHING, NOTHING], when)
    assert not labels_disagree([UNWANTED], when)


def test_labels_are_compared_at_their_top() -> None:
    """Kinds of one label agree; another label does not, by the rule that looks at labels."""
    assert not labels_disagree([UNWANTED, OTHER], DisagreementRule.LABEL)
    assert labels_disagree([UNWANTED, BENIGN], DisagreementRule.LABEL)
    assert not labels_disagree([UNWANTED, BENIGN], DisagreementRule.DIFFER)


def test_a_rule_asks_for_somebody() -> None:
    """Nobody a sample, or nobody more, is no rule."""
    assert (Pool(1, "ingested").overlap, Escalation(DisagreementRule.DIFFER).add) == (1, 1)
    with pytest.raises(InvalidInput):
        Pool(0, "ingested")
    with pytest.raises(InvalidInput):
        Escalation(DisagreementRule.DIFFER, 0)
