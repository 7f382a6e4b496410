"""Judges what the columns of a table hold: texts, questions, texts with tags, spans or people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.plural import format_count
from tui_annotate.plugins.record_validation import describe_value, shorten_quote
from tui_annotate.plugins.span_columns import is_cut_span_list, parse_literal
from tui_annotate.plugins.text_lists import parse_text_list

Rows = Sequence[Mapping[str, Any]]

_FEWEST_WORDS: Final = 3
_TEXT_SHARE: Final = 0.5
"""Minimum fraction of a column's values that must be texts, if its name promises texts."""
_SHORTEST_QUOTE: Final = 4
"""Minimum length of a value that is a quote of its source, in scripts with spaces."""
_EMPTY: Final[tuple[Any, ...]] = (None, "", [])
_LONGEST: Final = 20_000
"""Maximum number of code points of a value to inspect."""
_LONGEST_QUESTION: Final = 30
"""Maximum number of words of a question; a longer text may be a source with a question after it."""
_LINK: Final = re.compile(r"(?:\w+://|www\.)\S+")
_SENTENCE_ENDS: Final = tuple(".!?…。！？；")
_TAGS: Final = re.compile(
    r"<(?!(?:a|b|br|code|div|em|h\d|i|li|ol|p|pre|span|strong|sub|sup|t[drh]|table|u|ul)\b)"
    r"([A-Za-z]\w*)>.*?</\1>|\[([A-Z]\w*)\].*?\[/\2\]",
    re.DOTALL,
)
"""Text between two tags of an annotation; tags of the format of a page are none."""
_REQUESTS: Final = frozenset(
    {
        "question", "query", "prompt", "instruction", "input", "user_input", "model_input",
        "user_query", "问题",
    }
)  # fmt: skip
"""Usual names of columns with requests to a model, which are neither source nor summary."""
_PEOPLE: Final = frozenset(
    {
        "annotator", "annotator_id", "worker", "worker_id", "user_id", "person", "rater", "coder",
        "labeler",
    }
)  # fmt: skip
_RESULTS: Final = re.compile(r"\s*(?:\[\s*\]|(?:\[\s*)?\{\s*['\"])")
"""Start of a cell with results of Label Studio, which are JSON objects."""
_LABEL_STUDIO: Final = frozenset({"annotation_id", "annotator", "lead_time"})
"""Columns of every table that Label Studio exports."""


def join_texts(value: Any) -> str:
    """Return a cell's text; the texts of a list are joined, and other values are empty."""
    with suppress(InvalidInput):
        if (items := parse_text_list(value)) is not None:
            return "\n".join(item for item in items if isinstance(item, str))
    return value if isinstance(value, str) else ""


def is_empty(name: str, rows: Rows) -> bool:
    """Return whether all cells of a column are empty; False without rows."""
    return bool(rows) and all(row.get(name) in _EMPTY for row in rows)


def explain_no_texts(
    name: str, rows: Rows, *, is_summary: bool, sources: Sequence[str] = ()
) -> str:
    """Return why a column with the name of a column of texts has no such texts; empty if it has.

    `sources`: for a column of summaries, the columns that may be its sources. Short values that
    are quotes of their source, as answers to questions often are, are texts.
    """
    if is_empty(name, rows):
        return f"column {name!r} is empty in the first {format_count(len(rows), 'row')}"
    values = [row.get(name) for row in rows if row.get(name) not in _EMPTY]
    texts = [text for text in map(join_texts, values) if _is_text(text)]
    if len(texts) < _TEXT_SHARE * len(values) and not _are_quotes(name, rows, sources=sources):
        wrong = next(value for value in values if not _is_text(join_texts(value)))
        if isinstance(wrong, str) and not (_LINK.fullmatch(wrong.strip()) or _is_number(wrong)):
            share = "mostly" if texts else "only"
            what = f"{share} short values (fewer than {_FEWEST_WORDS} words)"
        else:
            what = "no texts"
        shown = shorten_quote(wrong) if isinstance(wrong, str) else describe_value(wrong)
        return f"column {name!r} has {what}, for example {shown}"
    if texts and _are_questions(texts):
        return f"column {name!r} has questions, for example {shorten_quote(texts[0])}"
    if is_summary and (tag := _find_tag(texts)):
        return f"column {name!r} has annotations inside its texts, for example {tag}"
    return ""


def _are_quotes(name: str, rows: Rows, *, sources: Sequence[str]) -> bool:
    """Return whether a good share of a column's values are whole words of a source in their row.

    Values as short as `no`, which any text may contain, are no quotes.
    """
    from tui_annotate.methods.lexical import is_unspaced_script

    values = [(row.get(name), row) for row in rows if row.get(name) not in _EMPTY]
    quotes = 0
    for value, row in values:
        if not isinstance(value, str):
            continue
        quote = re.escape(value.strip())
        if is_unspaced_script(value.strip()):
            pattern = re.compile(quote)
        elif len(value.strip()) >= _SHORTEST_QUOTE:
            pattern = re.compile(rf"(?<!\w){quote}(?!\w)")
        else:
            continue
        texts = (join_texts(row.get(source)) for source in sources if source != name)
        quotes += any(_is_text(text) and pattern.search(text) for text in texts)
    return quotes >= _TEXT_SHARE * len(values)


def has_tags(name: str, rows: Rows) -> bool:
    """Return whether a column's texts contain annotations as tags."""
    texts = [join_texts(row.get(name)) for row in rows]
    return bool(_find_tag([text for text in texts if text]))


def is_request(name: str) -> bool:
    """Return whether the name of a column is usual for questions or prompts."""
    return simplify_name(name) in _REQUESTS


def has_questions(name: str, rows: Rows) -> bool:
    """Return whether most texts of a column are questions."""
    texts = [text for text in (join_texts(row.get(name)) for row in rows) if text.strip()]
    return bool(texts) and _are_questions(texts)


def simplify_name(name: str) -> str:
    """Return a column's name in snake case: `News Beginning` and `newsBeginning` are the same."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)
    return re.sub(r"[\W_]+", "_", spaced).strip("_").casefold()


def _is_text(text: str) -> bool:
    text = text.strip()[:_LONGEST]
    if not text or _LINK.fullmatch(text) or _is_number(text):
        return False
    return text.endswith(_SENTENCE_ENDS) or has_several_words(text)


def has_several_words(text: str) -> bool:
    """Return whether a text has at least three words; two characters of Han are about one word."""
    from tui_annotate.methods.lexical import find_words, is_unspaced_script

    words = [word.text for word in find_words(text)]
    characters = sum(len(word) == 1 for word in words if is_unspaced_script(word))
    spaced = sum(not is_unspaced_script(word) for word in words)
    return spaced + characters / 2 >= _FEWEST_WORDS


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _are_questions(texts: Sequence[str]) -> bool:
    questions = sum(
        text.rstrip().endswith(("?", "？")) and len(text.split()) <= _LONGEST_QUESTION
        for text in texts
    )
    return 2 * questions > len(texts)


def _find_tag(texts: Sequence[str]) -> str:
    found = [tag.group() for text in texts if (tag := _TAGS.search(text[:_LONGEST]))]
    return shorten_quote(found[0]) if 2 * len(found) > len(texts) else ""


def find_span_columns(names: Iterable[str], rows: Rows) -> list[str]:
    """Return the columns in which each cell is a list of spans with offsets; one is not empty.

    A list may be cut, as a spreadsheet program cuts long cells.
    """
    return [name for name in names if _holds_spans([row.get(name) for row in rows])]


def _holds_spans(values: Sequence[Any]) -> bool:
    has_cut = any(map(is_cut_span_list, values))
    whole = (value for value in values if value not in (None, "") and not is_cut_span_list(value))
    lists = [parse_literal(value) for value in whole]
    items = [item for each in lists if isinstance(each, list) for item in each]
    return (
        all(isinstance(each, list) for each in lists)
        and (has_cut or bool(items))
        and all(map(_is_span, items))
    )


def _is_span(item: Any) -> bool:
    if isinstance(item, list):
        return len(item) in (2, 3) and all(type(offset) is int for offset in item[:2])
    return isinstance(item, dict) and bool(
        item.keys() >= {"start", "end"} or item.keys() >= {"start_offset", "end_offset"}
    )


def guess_span_options(rows: Rows, *, summary: str) -> dict[str, str]:
    """Return options for columns of one quote, or of two offsets, in each row; empty if none.

    The columns are found by names such as `span`, `span_start` and `span_end`, and by cells that
    fit the column of the summaries.
    """
    names = list(dict.fromkeys(name for row in rows for name in row if name != summary))
    guessed: dict[str, str] = {}
    for start in names:
        end = start.removesuffix("start") + "end"
        if (
            start.endswith("start")
            and end in names
            and _has_offsets(start, end, rows, summary=summary)
        ):
            guessed = {"--start-column": start, "--end-column": end}
            break
    quotes = (name for name in names if "span" in name.casefold() or "quote" in name.casefold())
    if quote := next((name for name in quotes if _has_quotes(name, rows, summary)), ""):
        guessed["--span-column"] = quote
    return guessed


def _has_offsets(start: str, end: str, rows: Rows, *, summary: str) -> bool:
    """Return whether a row has two offsets of its summary, in cells of numbers or of texts."""
    for row in rows:
        with suppress(KeyError, TypeError, ValueError):
            if 0 <= float(row[start]) < float(row[end]) <= len(join_texts(row[summary])) + 1:
                return True
    return False


def _has_quotes(name: str, rows: Rows, summary: str) -> bool:
    """Return whether a cell is a part of its row's summary, or a list of such parts."""
    for row in rows:
        value = parse_literal(row.get(name))
        quotes = value if isinstance(value, list) else [value]
        text = join_texts(row.get(summary))
        if any(isinstance(quote, str) and quote and quote in text for quote in quotes):
            return True
    return False


def find_person_column(names: Iterable[str]) -> str:
    """Return the column that seems to name the annotators; empty if there is none."""
    return next((name for name in names if name.casefold().strip("_") in _PEOPLE), "")


def is_label_studio_table(names: Iterable[str]) -> bool:
    """Return whether a table has the columns of Label Studio's export as CSV, TSV or JSON-MIN."""
    return {*names} >= _LABEL_STUDIO


def has_no_task_text(name: str, rows: Rows) -> bool:
    """Return whether a column of a table of Label Studio has results, or an empty cell.

    Each row of such a table has all texts of its task.
    """
    values = [row.get(name) for row in rows]
    return any(value in _EMPTY or _RESULTS.match(str(value)) for value in values)
