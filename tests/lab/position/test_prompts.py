"""Prompts: the parts in the original's order, values that stay JSON, and templates."""

from __future__ import annotations

import hashlib
import json
from difflib import SequenceMatcher
from typing import Any

import pytest

from tests.helpers.errors import has_code
from tests.helpers.position_rows import golden, lookup, placed
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.lab.position.prompts import (
    PromptStyle,
    build_key_value_prompt,
    build_prompt,
    build_question_prompt,
    format_documents,
    format_pairs,
)

STYLES = {
    "qa": PromptStyle.PLAIN,
    "qa_random": PromptStyle.RANDOM_NOTE,
    "qa_query_aware": PromptStyle.QUERY_AWARE,
    "closedbook": PromptStyle.CLOSED_BOOK,
    "kv": PromptStyle.PLAIN,
    "kv_query_aware": PromptStyle.QUERY_AWARE,
}


@pytest.mark.parametrize("name", STYLES)
def test_parts_stand_in_the_order_of_the_original(name: str) -> None:
    """L14: line by line, but for the wording of what is asked; nothing follows."""
    found = golden("prompts.json")
    pairs = [(key, value) for key, value in found["kv"]]
    if name.startswith("kv"):
        made = build_key_value_prompt(pairs, found["key"], style=STYLES[name])
    else:
        made = build_question_prompt(found["question"], found["documents"], style=STYLES[name])
    slots = {
        "<search_results>": found["search_results_block"],
        "<kv_block>": format_pairs(pairs),
        "Question: <q>": f"Question: {found['question']}",
        'Key: "<key>"': f'Key: "{found["key"]}"',
    }
    parts = [slots.get(part, part) for part in found["order_of_parts"][name]]
    ask = made.partition("\n")[0]
    parts = [ask if part.startswith("instruction") else part for part in parts]
    assert made == "\n".join(parts)
    assert len(made.splitlines()) == found["prompts"][name]["lines"]


def test_without_passages_the_prompt_is_the_originals() -> None:
    """Nothing is worded there, so it is the same to the byte."""
    report = golden("prompts.json")["prompts"]["closedbook"]
    made = build_question_prompt("what?", (), style=PromptStyle.CLOSED_BOOK)
    assert (len(made), hashlib.sha256(made.encode()).hexdigest()) == (
        report["chars"],
        report["sha256"],
    )


def test_blocks_of_the_original() -> None:
    """L14: passages as they are; pairs as JSON that can be read."""
    found = golden("prompts.json")
    assert format_documents(found["documents"]) == found["search_results_block"]
    made = format_pairs([(key, value) for key, value in found["kv"]])
    assert made == found["kv_block"].replace('v"2', 'v\\"2')
    assert list(json.loads(made).items()) == [tuple(pair) for pair in found["kv"]]


def test_a_random_order_is_told() -> None:
    """One sentence more, and nothing else."""
    plain, noted = (
        build_question_prompt("q?", [{"text": "t"}], style=each)
        for each in (PromptStyle.PLAIN, PromptStyle.RANDOM_NOTE)
    )
    changes = SequenceMatcher(None, plain, noted, autojunk=False).get_opcodes()
    assert [tag for tag, *_ in changes if tag != "equal"] == ["insert"]


def test_a_template_replaces_the_wording() -> None:
    """Its placeholders are filled once: what looks like one in a text stays."""
    row = placed(0, name="{kv}?")
    closed = PromptStyle.CLOSED_BOOK
    made = build_prompt(row, style=closed, template="Q {question} {{other}}\n")
    assert made == "Q {kv}? {other}\n"
    assert build_prompt(row, template="{search_results}{question}").startswith(
        "Document [1](Title: Gold) The sea"
    )
    assert build_prompt(lookup(0), template="{key}|{formatted_kv_records}") == build_prompt(
        lookup(0), template="{key}|{kv}"
    )
    assert build_prompt(lookup(0), template="{key}|{kv}").startswith(
        'key|{"key": "Value-1",\n "k1"'
    )


@pytest.mark.parametrize(
    ("row", "how"),
    [
        (placed(0), {"template": "{key}"}),
        (placed(0), {"template": "{question}"}),
        (placed(0), {"template": "{search_results}"}),
        (placed(0), {"template": "{question} {search_results} {kv}"}),
        (placed(0), {"template": "{question} {search_results} {questoin}"}),
        (placed(0), {"template": "{question} {x}", "style": PromptStyle.CLOSED_BOOK}),
        (lookup(0), {"template": "{question}"}),
        (lookup(0), {"template": "{key}"}),
        (lookup(0), {"template": "{formatted_kv_records}"}),
        (lookup(0), {"style": PromptStyle.CLOSED_BOOK}),
        (lookup(0) | {"key": "absent"}, {}),
        (lookup(0, count=1), {}),
        ({"ordered_kv_records": [["a", "1"], ["a", "2"]], "key": "a"}, {}),
        ({"ordered_kv_records": "a", "key": "a"}, {}),
        ({"ordered_kv_records": [["a", 1]], "key": "a"}, {}),
        ({"question": "", "ctxs": []}, {}),
        ({"question": "q", "ctxs": []}, {}),
        ({"question": "q", "ctxs": [{"title": "t"}]}, {}),
        ({"question": "q"}, {}),
        ([], {}),
    ],
)
def test_a_prompt_that_can_not_be_made_is_refused(row: Any, how: dict[str, Any]) -> None:
    """Invalid pairs, a missing question or passages, and a template that cannot be filled."""
    with pytest.raises(InvalidInput):
        build_prompt(row, **how)


def test_an_empty_question_is_refused() -> None:
    """Also where it comes from a script."""
    with pytest.raises(InvalidInput, check=has_code("question-empty")):
        build_question_prompt("", [{"text": "t"}])
