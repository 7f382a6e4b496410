"""Prompts of position studies: the wording is new, the order of parts is a published study's.

Parts are separated by an empty line, without a trailing line feed. A template replaces the prompt,
and must have all placeholders of its task: `{search_results}` and `{question}`, only `{question}`
for the style closed-book, or `{kv}` and `{key}`.

Source of the order: N. F. Liu et al., "Lost in the Middle" (2023), and its programs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.lab.chat.placeholders import check_placeholders, fill_placeholders
from tui_annotate.lab.position.study_rows import (
    Row,
    StudyTask,
    list_pairs,
    list_passages,
    parse_task,
    parse_text,
)

QUESTION_PLACEHOLDERS = ("question", "search_results")
PAIR_PLACEHOLDERS = ("key", "kv")
"""Placeholders of a prompt template for key-value pairs and for questions."""


class PromptStyle(StrEnum):
    """Style of a prompt: plain, with a note on order, with a repeated question, or closed-book."""

    PLAIN = "plain"
    RANDOM_NOTE = "random-note"
    QUERY_AWARE = "query-aware"
    CLOSED_BOOK = "closed-book"


_ASK = (
    "Answer the question below as well as you can. Rely on nothing but the search results that are"
    " given; not every one of them need have to do with it."
)
_ASK_RANDOM = f"{_ASK} They are listed in random order."
_ASK_KEY = "Find the key that is named below in the JSON object, and give the value that it has."


def build_prompt(row: Row, *, style: PromptStyle = PromptStyle.PLAIN, template: str = "") -> str:
    """Build the prompt of a position study's row; a `template` replaces the wording.

    Raises:
        InvalidInput: the row lacks a field, the style does not fit the row's task, or the template
            has an unknown placeholder or lacks one.
    """
    if parse_task(row) is StudyTask.KV:
        return build_key_value_prompt(
            list_pairs(row, shown=False), parse_text(row, "key"), style=style, template=template
        )
    found = () if style is PromptStyle.CLOSED_BOOK else list_passages(row, shown=False)
    return build_question_prompt(parse_text(row, "question"), found, style=style, template=template)


def build_question_prompt(
    question: str,
    passages: Sequence[Row],
    *,
    style: PromptStyle = PromptStyle.PLAIN,
    template: str = "",
) -> str:
    """Build the prompt of a question with text passages.

    Raises:
        InvalidInput: the question is empty, passages are missing although the style needs them, or
            the template has an unknown placeholder or lacks one.
    """
    if not question:
        raise InvalidInput("the question is empty", code="question-empty")
    needed = style is not PromptStyle.CLOSED_BOOK
    if needed and not passages:
        raise InvalidInput(
            "the row has no passages", "use the style closed-book for questions without passages"
        )
    block = format_documents(passages) if needed else ""
    if template:
        values = {"question": question} | ({"search_results": block} if needed else {})
        return _fill_template(template, values)
    end = f"Question: {question}\nAnswer:"
    if style is PromptStyle.CLOSED_BOOK:
        return end
    before = [f"Question: {question}"] if style is PromptStyle.QUERY_AWARE else []
    ask = _ASK_RANDOM if style is PromptStyle.RANDOM_NOTE else _ASK
    return "\n\n".join([ask, *before, block, end])


def build_key_value_prompt(
    pairs: Sequence[tuple[str, str]],
    key: str,
    *,
    style: PromptStyle = PromptStyle.PLAIN,
    template: str = "",
) -> str:
    """Build the prompt that asks for the value of a key among key-value pairs.

    Raises:
        InvalidInput: there are fewer than two pairs, a key is repeated, the requested key is
            missing, the style is for questions only, or the template has an unknown placeholder or
            lacks one.
    """
    if style not in (PromptStyle.PLAIN, PromptStyle.QUERY_AWARE):
        raise InvalidInput(
            f"style {style} is for questions about passages, not for key-value pairs",
            "use the style plain or query-aware for key-value pairs",
        )
    keys = [each for each, _ in pairs]
    if len(keys) < 2:
        raise InvalidInput(f"only {len(keys)} key-value pairs", "give the prompt at least 2 pairs")
    if len(set(keys)) < len(keys):
        twice = next(each for place, each in enumerate(keys) if each in keys[:place])
        raise InvalidInput(f"key {twice!r} is repeated", "use each key in only one pair")
    if key not in keys:
        raise InvalidInput(f"no key-value pair has the requested key {key!r}")
    if template:
        return _fill_template(template, {"kv": format_pairs(pairs), "key": key})
    line = f"Key: {_quote(key)}"
    before = [line] if style is PromptStyle.QUERY_AWARE else []
    data = f"JSON data:\n{format_pairs(pairs)}"
    return "\n\n".join([_ASK_KEY, *before, data, f"{line}\nCorresponding value:"])


def format_documents(passages: Iterable[Row]) -> str:
    """Format text passages with numbers from 1 and titles, one passage per line."""
    return "\n".join(
        f"Document [{number}](Title: {each.get('title') or ''}) {parse_text(each, 'text')}"
        for number, each in enumerate(passages, 1)
    )


def format_pairs(pairs: Iterable[tuple[str, str]]) -> str:
    """Format key-value pairs as one JSON object, one pair per line."""
    return "{" + ",\n ".join(f"{_quote(key)}: {_quote(value)}" for key, value in pairs) + "}"


def _fill_template(template: str, values: Mapping[str, str]) -> str:
    hint = "write each placeholder into the template, where the model must read its value"
    if "search_results" in values:
        hint += "; for a prompt without passages, also pass --style closed-book"
    check_placeholders(template, allowed=sorted(values), hint=hint)
    return fill_placeholders(template, values)


def _quote(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
