"""How review came to an annotation: kept whole, and absent where review had no hand in it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from tests.domain.strategies import settlements
from tests.helpers.errors import has_code
from tui_annotate.domain.adjudication import (
    Adjudication,
    adjudication_from_json,
    adjudication_to_json,
)
from tui_annotate.domain.annotations import (
    Anchor,
    Annotation,
    annotation_from_json,
    annotation_to_json,
)
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span

CLAIM = (Anchor(Side.SUMMARY, 0, Span(0, 7)),)


@given(settlements())
def test_a_settlement_comes_back_from_json(settled: Adjudication) -> None:
    """As it was, also with the annotation that has it."""
    assert adjudication_from_json(json.loads(json.dumps(adjudication_to_json(settled)))) == settled
    annotation = Annotation("a", CLAIM, settled=settled)
    assert annotation_from_json(annotation_to_json(annotation)) == annotation


def test_work_without_one_is_written_as_before() -> None:
    """To the byte: the key is not there."""
    assert "settled" not in annotation_to_json(Annotation("a", CLAIM))


@pytest.mark.parametrize(
    "value",
    [
        "taken",
        {"by": "x"},
        {"by": "x", "how": "guessed"},
        {"by": 1, "how": "taken"},
        {"how": "taken", "sources": "abc"},
        {"how": "taken", "sources": [1]},
        {"how": "rejected", "reason": "because"},
    ],
)
def test_what_is_none_is_refused(value: Any) -> None:
    """A file that tells it wrongly is not read as if it had told nothing."""
    with pytest.raises(InvalidInput, check=has_code("annotation-json")):
        annotation_from_json(annotation_to_json(Annotation("a", CLAIM)) | {"settled": value})
