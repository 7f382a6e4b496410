"""Suggestions, and what people answer: values that survive JSON, and refuse what is none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.domain.strategies import anchors, made_annotations, provenances
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.provenance import provenance_from_json, provenance_to_json
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import (
    AnswerKind,
    Suggestion,
    SuggestionAnswer,
    SuggestionStatus,
    accepted_annotation_id,
    answer_from_json,
    answer_to_json,
    edited_provenance,
    suggestion_from_json,
    suggestion_to_json,
    take_suggestion,
    with_id,
)

KEY = SampleKey("d", "1")
CLAIM = (Anchor(Side.SUMMARY, 0, Span(3, 9)),)
PLAIN = Suggestion(id="s", maker="m", run="r", claim=CLAIM)
_WORDS = st.text(max_size=5)


@st.composite
def suggestions(draw: st.DrawFn) -> Suggestion:
    """Suggestions with any text in any field."""
    names = st.text(min_size=1, max_size=5)
    paths = st.lists(st.lists(names, min_size=1, max_size=2).map(tuple), max_size=2)
    claim, evidence = draw(anchors(Side.SUMMARY)), draw(anchors(Side.SOURCE))
    return Suggestion(
        id=draw(_WORDS),
        maker=draw(_WORDS),
        run=draw(_WORDS),
        claim=claim or CLAIM,
        evidence=evidence,
        labels=tuple(draw(paths)),
        note=draw(_WORDS),
        score=draw(st.none() | st.floats(0, 1)),
    )


@given(suggestions())
def test_suggestions_survive_json(suggestion: Suggestion) -> None:
    """To the last bit."""
    assert suggestion_from_json(suggestion_to_json(suggestion)) == suggestion


@given(suggestions(), suggestions())
def test_the_same_again_is_the_same(one: Suggestion, other: Suggestion) -> None:
    """The id is made of sample, maker and content: not of run, reason, score, or any order."""
    made = with_id(KEY, one)
    again = replace(one, claim=one.claim[::-1] * 2, run="x", note="y", score=None, id="z")
    assert with_id(KEY, again).id == made.id
    assert with_id(KEY, made) == made
    assert with_id(SampleKey("d", "2"), one).id != made.id
    assert with_id(KEY, replace(one, maker=one.maker + "x")).id != made.id
    content = (other.claim, other.evidence, other.labels, other.maker)
    same = [set(a) == set(b) for a, b in zip(content, _content(one), strict=True)]
    if not all(same[:3]):
        assert with_id(KEY, other).id != made.id


def _content(one: Suggestion) -> tuple[Any, ...]:
    return one.claim, one.evidence, one.labels, one.maker


@pytest.mark.parametrize(
    "values", [{"claim": ()}, {"score": 1.5}, {"score": -0.1}, {"score": float("nan")}]
)
def test_what_can_be_no_suggestion_is_refused(values: dict[str, Any]) -> None:
    """It marks something, and its score is a share."""
    with pytest.raises(InvalidInput):
        replace(PLAIN, **values)


@pytest.mark.parametrize(
    "values",
    [
        {"id": 1}, {"note": None}, {"labels": [[]]}, {"labels": [[1]]}, {"labels": 3},
        {"claim": [["summary", 0, 3]]}, {"claim": [["summary", 0, 3, 3]]}, {"claim": None},
        {"claim": [["left", 0, 3, 4]]}, {"score": "1"}, {"score": True}, {"score": 2},
        {"labels": ["Wrong"]}, {"labels": "ab"}, {"labels": {}}, {"labels": {"Wrong": 1}},
        {"claim": [["summary", False, 3, 9]]}, {"claim": [["summary", 0, True, 9]]},
        {"evidence": {}}, {"evidence": ""},
    ],
)  # fmt: skip
def test_json_of_no_suggestion_is_refused(values: dict[str, Any]) -> None:
    """With one error, whatever is wrong."""
    with pytest.raises(InvalidInput):
        suggestion_from_json(suggestion_to_json(PLAIN) | values)


@pytest.mark.parametrize("value", [None, 5, "text", []])
def test_json_of_another_type_is_no_suggestion(value: object) -> None:
    """The error is that of other wrong values."""
    with pytest.raises(InvalidInput, match="must be a JSON object"):
        suggestion_from_json(value)


def test_a_field_that_is_missing_is_refused() -> None:
    """Each of them."""
    for name in suggestion_to_json(PLAIN):
        report = suggestion_to_json(PLAIN)
        del report[name]
        with pytest.raises(InvalidInput, match=f"lacks the field '{name}'"):
            suggestion_from_json(report)


def test_answers_survive_json() -> None:
    """What was taken has an annotation, what was refused a reason."""
    for given_ in (
        SuggestionAnswer(answer=AnswerKind.ACCEPTED, maker="m", annotation="a"),
        SuggestionAnswer(answer=AnswerKind.CHANGED, maker="m", annotation="a"),
        SuggestionAnswer(answer=AnswerKind.REFUSED, maker="m", reason="no"),
    ):
        assert answer_from_json(answer_to_json(given_)) == given_


@pytest.mark.parametrize(
    "value",
    [
        None,
        {},
        {"answer": "maybe", "maker": "m", "reason": "", "annotation": ""},
        {"answer": "refused", "maker": "m", "reason": 1, "annotation": ""},
        {"answer": "refused", "maker": "m", "reason": "", "annotation": "a"},
        {"answer": "accepted", "maker": "m", "reason": "", "annotation": ""},
    ],
)
def test_what_is_no_answer_is_refused(value: Any) -> None:
    """An annotation comes of what was taken, and of that alone."""
    with pytest.raises(InvalidInput):
        answer_from_json(value)


@pytest.mark.parametrize(
    ("given_", "exists", "waits"),
    [
        (None, False, True),
        (SuggestionAnswer(answer=AnswerKind.REFUSED, maker="m"), False, False),
        (SuggestionAnswer(answer=AnswerKind.ACCEPTED, maker="m", annotation="a"), True, False),
        (SuggestionAnswer(answer=AnswerKind.CHANGED, maker="m", annotation="a"), False, True),
    ],
)
def test_it_waits_for_an_answer_that_stands(
    given_: SuggestionAnswer | None, exists: bool, waits: bool
) -> None:
    """Also where what was made of it was removed since."""
    assert SuggestionStatus.of(PLAIN, given_, annotation_exists=exists).open is waits


def test_what_is_taken_says_where_it_comes_from() -> None:
    """Under an id of its own for each person, with no note of the machine's."""
    whole = take_suggestion("ana", replace(PLAIN, note="why", score=0.5), None)
    assert (whole.id, whole.note) == (accepted_annotation_id("ana", "s"), "")
    assert whole.suggested
    assert (whole.suggested.suggestion, whole.suggested.maker) == ("s", "m")
    assert (whole.suggested.score, whole.suggested.changed) == (0.5, False)
    assert take_suggestion("ben", PLAIN, None).id != whole.id
    other = take_suggestion("ana", PLAIN, Annotation("mine", CLAIM, (), (("L",),), "so"))
    assert (other.id, other.note) == (whole.id, "so")
    assert other.suggested
    assert other.suggested.changed


@given(made_annotations(), made_annotations())
def test_an_edit_of_what_was_taken_is_a_change(one: Annotation, other: Annotation) -> None:
    """Of words or labels; once changed it stays so, and what came of nothing comes of nothing."""
    found = edited_provenance(one, other)
    if one.suggested is None:
        assert found is None
    else:
        same = (set(one.claim), set(one.evidence), set(one.labels)) == (
            set(other.claim),
            set(other.evidence),
            set(other.labels),
        )
        changed = one.suggested.changed or not same
        assert found == replace(one.suggested, changed=changed)


@given(provenances())
def test_provenances_survive_json(one: Any) -> None:
    """To the last bit."""
    assert provenance_from_json(provenance_to_json(one)) == one


@pytest.mark.parametrize(
    "values",
    [
        {"suggestion": ""}, {"suggestion": None}, {"maker": ""}, {"maker": 1}, {"changed": None},
        {"changed": 1}, {"score": "x"}, {"score": 1.1}, {"score": False},
    ],
)  # fmt: skip
def test_what_is_no_provenance_is_refused(values: dict[str, Any]) -> None:
    """With a ValueError, as an annotation's reader wants it."""
    report = {"suggestion": "s", "maker": "m", "score": None, "changed": False}
    assert provenance_from_json(report).maker == "m"
    with pytest.raises(ValueError, match=r"suggested|score"):
        provenance_from_json(report | values)
    with pytest.raises(ValueError, match="suggested"):
        provenance_from_json([])
