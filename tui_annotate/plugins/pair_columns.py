"""Chooses the columns with source and summary in a table: by their names, else by their texts."""

from __future__ import annotations

import csv
import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple

from tui_annotate.domain.errors import InvalidInput, InvalidRecord, NotFound
from tui_annotate.domain.records import Problem
from tui_annotate.domain.samples import SampleKey
from tui_annotate.plugins.column_texts import (
    Rows,
    explain_no_texts,
    find_person_column,
    find_span_columns,
    guess_span_options,
    has_no_task_text,
    has_questions,
    has_several_words,
    has_tags,
    is_empty,
    is_label_studio_table,
    is_request,
    join_texts,
    simplify_name,
)
from tui_annotate.plugins.files.streams import read_lines
from tui_annotate.plugins.protocols import ColumnChoice, ImportOptions, PairColumns
from tui_annotate.plugins.record_validation import (
    COLUMNS_AMBIGUOUS,
    COLUMNS_MISSING,
    join_missing_columns,
    missing_column,
)
from tui_annotate.plugins.text_lists import is_list_like

SAMPLED_ROWS: Final = 50
"""Number of rows at the beginning of a table by which its columns are chosen."""


class _Collection(NamedTuple):
    """A published collection, recognized by its column names or by the value of a column."""

    title: str
    marks: tuple[str, ...]
    columns: PairColumns
    spans: tuple[str, ...] = ()


_FORMS: Final = """
AggreFact; dataset id doc summary; doc summary id
CLIFF; dataset=cliff id doc summ; doc summ id; annotated_span error_type
AggreFact; dataset id doc summ; doc summ id; annotated_span error_type
FRANK; hash model_name article summary; article summary hash
SummaC; document claim label cut; document claim
TRUE; grounding generated_text; grounding generated_text
HaluEval; document right_summary hallucinated_summary; document hallucinated_summary
HaluEval; knowledge hallucinated_answer; knowledge hallucinated_answer
HaluEval; knowledge hallucinated_response; knowledge hallucinated_response
HaluEval; user_query chatgpt_response; user_query chatgpt_response
RAGTruth; context output hallucination_labels; context output
UHGEval; news_beginning hallucinated_continuation; newsBeginning hallucinatedContinuation - \
newsRemainder; annotations
"""
_COLLECTIONS: Final = tuple(
    _Collection(
        title,
        tuple(marks.split()),
        PairColumns(*(name.strip("-") for name in columns.split())),
        tuple(" ".join(spans).split()),
    )
    for title, marks, columns, *spans in (line.split(";") for line in _FORMS.split("\n") if line)
)
COLLECTIONS: Final[Mapping[str, PairColumns]] = {
    each.title.casefold(): each.columns for each in reversed(_COLLECTIONS)
}
"""Maps a value of `--columns`, the name of a published collection, to the collection's columns."""

_DELIMITERS: Final = (",", ";", "\t", "|")
"""Cell delimiters that are detected.

The semicolon is common in countries with decimal commas, the tab in text copied from a spreadsheet.
"""
_SOURCES: Final = """
source document article doc context premise passage grounding knowledge evidence 原文 文章 \
contexts retrieved_contexts documents passages wiki_passage source_info
text input content story dialogue transcript report body full_text source_text prompt 正文
"""
_SUMMARIES: Final = """
summary claim highlights answer hypothesis response summ generated_text generated_summary 摘要 回答
target output completion prediction abstract statement model_summary system_summary summary_text
"""
"""Usual names of columns with summaries; the second line holds the less certain names."""
_IDS: Final = (
    "id", "sample_id", "example_id", "instance_id", "item_id", "record_id", "pair_id", "uid",
    "uuid", "guid", "unique_id", "idx", "summary_id", "doc_id", "document_id", "article_id",
)  # fmt: skip
"""Usual names of columns with ids of samples, the most certain first."""
STANDARD: Final = PairColumns("source", "summary")
_TEXT_SHARE: Final = 0.8
"""A column contains texts if at least this fraction of its values has several words."""
_LONGEST: Final = 100_000
"""Maximum number of code points to compare of a text."""
_WHOLE_SUMMARY: Final = 12
"""Number of distinct words from which on a text may be a summary rather than a title."""
_LOWEST_SCORE = 0.15
"""Minimum score of the best pair of columns."""
_LEAD = 1.5
"""Minimum ratio of the best pair's score to the next pair's score."""
_MOST_CANDIDATES: Final = 9


def set_pair_columns(name: str, options: ImportOptions) -> ImportOptions:
    """Set the columns of a known collection, unless chosen; raise NotFound for an unknown one."""
    if not name:
        return options
    columns = COLLECTIONS.get(name.casefold())
    if columns is None:
        known = ", ".join(sorted(COLLECTIONS))
        raise NotFound(
            f"unknown collection {name!r}",
            f"use one of: {known}, or pass --source-column and --summary-column",
        )
    refuse_shared_column(options, columns)
    return fill_columns(options, columns)


def refuse_shared_column(options: ImportOptions, columns: PairColumns) -> None:
    """Refuse options that name, for one text only, the column that usually has the other text.

    Raises:
        InvalidInput: with `columns` for what the options do not name, both texts would be the same.
    """
    sides = STANDARD._fields[:2]
    for side, other in (sides, sides[::-1]):
        chosen = getattr(options, f"{side}_column")
        if chosen and not getattr(options, f"{other}_column") and chosen == getattr(columns, other):
            raise InvalidInput(
                f"--{side}-column names {chosen!r}, which is the usual column of the {other}",
                f"name the column of the {other} too: --{other}-column NAME",
                code=COLUMNS_AMBIGUOUS,
            )


def fill_columns(options: ImportOptions, columns: PairColumns) -> ImportOptions:
    """Return import options with these columns where the options name none."""
    named: dict[str, Any] = {
        f"{side}_column": own or other
        for side, own, other in zip(columns._fields, _columns_of(options), columns, strict=True)
    }
    if options.source_column not in ("", columns.source):  # the second belongs to the other source
        named["second_source_column"] = options.second_source_column
    return replace(options, **named)


def span_columns_of(options: ImportOptions) -> set[str]:
    """Return the names of the columns of spans, and of what belongs to them."""
    return {
        options.span_column,
        options.span_label_column,
        options.start_column,
        options.end_column,
        options.person_column,
    } - {""}


def _columns_of(options: ImportOptions) -> PairColumns:
    return PairColumns(*(getattr(options, f"{name}_column") for name in PairColumns._fields))


def set_columns(
    table: str,
    rows: Sequence[Mapping[str, Any]],
    options: ImportOptions,
    *,
    numbered: Sequence[SampleKey],
) -> ImportOptions:
    """Return import options with the columns of a table, whose first rows are `rows`.

    The columns are remembered in `options.chosen_columns`, and decide when the table is read again.
    Of the columns of earlier imports, those of a table with the same header decide before others.
    `numbered` are the possible keys of the first row if row numbers are the sample ids.

    Raises:
        InvalidInput: no columns can be the source and the summary; or the choice is ambiguous, and
            `options.choose_columns` is None; or the second source is not another column; or earlier
            imports used several id columns, and the first row is not stored.
    """
    dataset = numbered[0].dataset
    names = list(dict.fromkeys(name for row in rows for name in row))
    header = sha256(json.dumps(sorted(names)).encode()).hexdigest()[:16]
    chosen = options.chosen_columns.get((dataset, table))
    if chosen and (again := _find_used([chosen], names, options)):
        options = fill_columns(options, again)
    else:
        kept = options.used_columns.get(dataset, ())
        used = [PairColumns(*each[:5]) for each in kept]
        same = [PairColumns(*each[:5]) for each in kept if each[5:] == (header,)]
        fitting = [found for each in same if (found := _find_used([each], names, options))]
        stored = _prefer_stored(fitting, rows[0], options, numbered=numbered)
        used = [*stored, *same, *used]
        is_named = options.source_column and options.summary_column
        if not is_named or _find_used(used, names, options) not in {None, _columns_of(options)}:
            choose = options.choose_columns or _accept_certain
            options = fill_columns(options, choose(find_columns(table, rows, options, used=used)))
    columns = _columns_of(options)
    _check_second_source(columns, names)
    options.chosen_columns[dataset, table] = columns
    lists = _has_lists(columns.source, rows)
    return replace(
        options,
        table_columns=(*columns, header),
        list_source=lists,
        label_studio=_reads_label_studio(names, options),
    )


def _has_lists(column: str, rows: Rows) -> bool:
    """Return whether most cells of a column are lists of texts, not only a text in brackets."""
    values = [row.get(column) for row in rows if row.get(column) not in (None, "")]
    lists = sum(
        isinstance(value, list) or (isinstance(value, str) and is_list_like(value))
        for value in values
    )
    return 2 * lists > len(values)


def _reads_label_studio(names: Sequence[str], options: ImportOptions) -> bool:
    """Return whether a table is read as Label Studio's, which options for spans prevent."""
    is_plain = not options.has_spans and options.person_column in ("", "annotator")
    return is_plain and is_label_studio_table(names)


def describe_unread(rows: Rows, options: ImportOptions) -> Iterator[Problem]:
    """Yield a warning for spans, and for people, in columns of a table that are not imported.

    The warnings have no position. A table of Label Studio has none: all its work is read.
    """
    if options.label_studio:
        return
    names = list(dict.fromkeys(name for row in rows for name in row))
    known = _find_collection(names, rows)
    lists = []
    span_options = {}
    if not options.has_spans and not (known and known.spans):
        lists = find_span_columns(names, rows)
        span_options = guess_span_options(rows, summary=options.summary_column)
    person = find_person_column(names)
    repeats = bool(person) and not options.merges_rows and _repeats_texts(rows, options)
    person_options = {"--person-column": person} if repeats else {}
    for name in lists:
        message = f"column {name!r} has spans, which are not imported as annotations"
        hint = f"to import the spans: {_join_options({'--span-column': name} | person_options)}"
        yield Problem("", message, hint, refused=False, code="spans-unread")
    if span_options and not lists:
        shown = " and ".join(map(repr, span_options.values()))
        message = f"{shown} seem to be columns of spans, which are not imported as annotations"
        hint = f"to import the spans: {_join_options(span_options | person_options)}"
        yield Problem("", message, hint, refused=False, code="spans-unread")
    if repeats:
        message = f"rows repeat their texts, and column {person!r} seems to name annotators"
        spans = {"--span-column": lists[0]} if lists else span_options
        hint = f"to make one sample of the rows: {_join_options(person_options | spans)}"
        yield Problem("", message, hint, refused=False, code="people-unread")
    if options.person_column and not options.has_spans:
        message = (
            f"column {options.person_column!r} names annotators, but no column names their spans: "
            "their work is not imported"
        )
        hint = "name their columns with --span-column, or with --start-column and --end-column"
        yield Problem("", message, hint, refused=False, code="span-people-unread")


def find_id_column(rows: Rows, options: ImportOptions) -> str:
    """Return the column that seems to have the ids of the samples; empty if there is none.

    A column with another name than `id` must have a different value in each row, unless several
    rows are one sample.
    """
    used = {*_columns_of(options), *span_columns_of(options)}
    names = dict.fromkeys(name for row in rows for name in row if name not in used)
    found = {simplify_name(name): name for name in reversed(names)}
    for known in _IDS:
        if known not in found:
            continue
        values = [row.get(found[known]) for row in rows]
        shown = {str(value) for value in values if value not in (None, "")}
        if known == "id" or options.merges_rows or len(shown) == len(values):
            return found[known]
    return ""


def _join_options(named: Mapping[str, str]) -> str:
    return shlex.join(word for pair in named.items() for word in pair)


def _repeats_texts(rows: Rows, options: ImportOptions) -> bool:
    texts = [
        json.dumps([row.get(options.source_column), row.get(options.summary_column)])
        for row in rows
    ]
    return len({*texts}) < len(texts)


def _prefer_stored(
    used: Sequence[PairColumns],
    row: Mapping[str, Any],
    options: ImportOptions,
    *,
    numbered: Sequence[SampleKey],
) -> Sequence[PairColumns]:
    """Return the columns under whose id a row is stored; none if one id column is possible."""
    rivals = [each for each in used if each._replace(id="") == used[0]._replace(id="")]
    if len(set(rivals)) < 2:
        return ()
    for each in rivals:
        own = [numbered[0]._replace(id=str(row.get(each.id)))] if each.id else numbered
        for key in own:
            sample = options.stored(key) if options.stored else None
            texts = [document.text for document in sample.documents] if sample else []
            if all(row.get(name) in texts for name in each[:2]):
                return [each]
    if len(ids := {each.id for each in rivals} - {""}) > 1:
        message = "earlier imports of tables with the same header used different id columns: "
        hint = f"name the column of the sample ids, for example: --id-column {min(ids)}"
        raise InvalidInput(message + ", ".join(sorted(ids)), hint, code=COLUMNS_AMBIGUOUS)
    return ()


def _check_second_source(columns: PairColumns, names: Sequence[str]) -> None:
    second = columns.second_source
    option = "--second-source-column"
    if second and second in columns[:2]:
        message = f"{option} names {second!r}, which is already the column of the source or summary"
        raise InvalidInput(message, f"pass another column, or omit {option}")
    if second and second not in names:
        raise join_missing_columns([missing_column(second, names, option=option)])


def _accept_certain(choice: ColumnChoice) -> PairColumns:
    if choice.is_certain:
        return choice.columns
    hint = f"name the columns: {choice.columns.options}"
    raise InvalidInput(choice.question, hint, code=COLUMNS_AMBIGUOUS)


def find_columns(
    table: str,
    rows: Sequence[Mapping[str, Any]],
    options: ImportOptions,
    *,
    used: Sequence[PairColumns] = (),
) -> ColumnChoice:
    """Find the source and summary columns of a table by column names, or else by their texts.

    `used`: columns of earlier tables of the same dataset, which decide before names.

    Raises:
        InvalidInput: no columns can be the source and the summary.
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    known = _find_collection(names, rows)
    spans = () if options.span_column or not known else known.spans
    if before := _find_used(used, names, options):
        return ColumnChoice(table, (before,), "as imported before", spans=spans)
    if known and not (options.source_column or options.summary_column):
        reason = f"the columns of {known.title}"
        return ColumnChoice(table, (known.columns,), reason, is_collection=True, spans=spans)
    unlikely = span_columns_of(options)
    if is_label_studio_table(names):
        unlikely |= {name for name in names if has_no_task_text(name, rows)}
    names = [name for name in names if name not in unlikely]
    faults: dict[str, str] = {}
    named = find_named_columns(names, options, rows=rows, faults=faults)
    texts = _TextColumns.read(names, rows) if len(named) != 1 else _TextColumns({})
    if named:
        return _choose_by_names(table, named, texts)
    found = find_named_columns(names, options, others=list(texts.words), rows=rows, faults={})
    if not found and {*STANDARD[:2]} <= {*names} and _allows(STANDARD, options):
        # The table has the program's own names and no other texts: bad rows are refused one by one.
        return ColumnChoice(table, (STANDARD,), "columns chosen by name")
    has_both = all(_has_side(names, side) for side in _sides(options))
    if not found and faults and has_both:
        guessed = _guess_columns([name for name in names if name not in faults], options)
        raise InvalidInput(
            f"the columns of {table} are unclear: {'; '.join(faults.values())}",
            f"name the columns of the texts, of {', '.join(names)}: {guessed.options}",
            code=COLUMNS_AMBIGUOUS,
        )
    if not found:
        raise _missing_error(names, options)
    requests = {pair: texts.find_request(pair, options) for pair in found}
    usable = [pair for pair, side in requests.items() if not side]
    if not usable:
        raise _request_error(table, names, requests, faults=faults)
    choice = _choose_by_texts(table, {pair: texts.score(pair) for pair in usable})
    return replace(choice, is_certain=choice.is_certain and not faults)


def _request_error(
    table: str,
    names: Sequence[str],
    requests: Mapping[PairColumns, str],
    *,
    faults: Mapping[str, str],
) -> InvalidInput:
    """Return the error for a table whose possible pairs of columns all have a column of requests.

    `requests`: the side of this column in each pair.
    """
    side = min(requests.values())  # "source" before "summary"
    columns = dict.fromkeys(getattr(pair, which) for pair, which in requests.items())
    reasons = [*faults.values()]
    reasons += [f"column {column!r} has questions or prompts" for column in columns]
    return InvalidInput(
        f"{table} has no {side} text: {'; '.join(reasons)}",
        f"add a column with the {side} of each row to the file; if the file has one, name it with"
        f" --{side}-column (the columns are: {', '.join(names)})",
        code=COLUMNS_AMBIGUOUS,
    )


def _guess_columns(names: Sequence[str], options: ImportOptions) -> PairColumns:
    """Return the columns with the best names; the word COLUMN stands for a side without one."""
    sides = [
        side.chosen or next(iter(_find_names(side.without_other(names), side.groups)), "COLUMN")
        for side in _sides(options)
    ]
    return PairColumns(*sides)


def _find_used(
    used: Iterable[PairColumns], names: Sequence[str], options: ImportOptions
) -> PairColumns | None:
    """Return the first columns that a table has and that name the user's source and summary.

    Other columns that the user names replace the former ones.
    """
    own = _columns_of(options)
    for each in used:
        wanted = _columns_of(fill_columns(options, each))
        former = {name for name, named in zip(wanted, own, strict=True) if not named}
        if wanted[:2] == each[:2] and {*each[:2], *former} - {""} <= {*names}:
            return wanted
    return None


def has_used_columns(rows: Rows, options: ImportOptions) -> bool:
    """Return whether a table has the columns of an earlier import of any dataset."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    used = [PairColumns(*each[:5]) for kept in options.used_columns.values() for each in kept]
    return _find_used(used, names, options) is not None


def _missing_error(names: Sequence[str], options: ImportOptions) -> InvalidInput:
    lacking = []
    for name, side in zip(STANDARD, _sides(options), strict=False):
        if side.other in names and not side.chosen and name == side.other:
            return InvalidInput(
                f"no column for the {name}: you named {name!r} as the column of the other text; the"
                f" columns are: {', '.join(map(repr, names))}",
                f"name the column of the {name} with --{name}-column",
                code=COLUMNS_MISSING,
            )
        if not _has_side(names, side):
            lacking.append(missing_column(side.chosen or name, names, option=f"--{name}-column"))
    if not lacking:
        lacking.append(missing_column("source", names, option="--source-column"))
    return join_missing_columns(lacking)


def _has_side(names: Sequence[str], side: _SideNames) -> bool:
    """Return whether a table has the column that the user chose for a side, or one by its name."""
    if side.chosen:
        return side.chosen in names
    return bool(_find_names(side.without_other(names), side.groups))


def _allows(columns: PairColumns, options: ImportOptions) -> bool:
    """Return whether columns are those that the user chose, where the user chose any."""
    return all(
        side.chosen in ("", column) for side, column in zip(_sides(options), columns, strict=False)
    )


def _choose_by_names(table: str, named: Sequence[PairColumns], texts: _TextColumns) -> ColumnChoice:
    """Choose among several pairs of columns with the right names by their texts, best first."""
    plausible = [pair for pair in named if texts.score(pair)] or named
    standard = [pair for pair in plausible if pair == STANDARD]
    best = standard or sorted(plausible, key=texts.score, reverse=True)
    return ColumnChoice(table, tuple(best), "columns chosen by name", is_certain=len(best) == 1)


def _choose_by_texts(table: str, scores: Mapping[PairColumns, float]) -> ColumnChoice:
    best, *others = sorted(scores, key=lambda pair: -scores[pair])
    likely = [pair for pair in others if scores[pair]] if scores[best] else others
    lead = _LEAD * scores[others[0]] if others else 0
    is_certain = scores[best] >= max(_LOWEST_SCORE, lead)
    candidates = (best, *likely)[:_MOST_CANDIDATES]
    return ColumnChoice(
        table, candidates, "columns chosen by text lengths and shared words", is_certain=is_certain
    )


class _SideNames(NamedTuple):
    """Columns that can have the text of one side.

    Attributes:
        chosen: the column that the user names; empty if none.
        groups: usual names, the most certain on the first line.
        other: the column that the user names for the other side, which this side never has.
    """

    chosen: str
    groups: str
    other: str

    def without_other(self, names: Iterable[str]) -> list[str]:
        """Return the columns that are possible for this side."""
        return [name for name in names if not self.other or name != self.other]


def _sides(options: ImportOptions) -> tuple[_SideNames, _SideNames]:
    source = options.source_column
    summary = options.summary_column
    return _SideNames(source, _SOURCES, summary), _SideNames(summary, _SUMMARIES, source)


def find_named_columns(
    names: Sequence[str],
    options: ImportOptions,
    *,
    others: Sequence[str] = (),
    rows: Rows = (),
    faults: dict[str, str] | None = None,
) -> list[PairColumns]:
    """Return the pairs of columns that options or names select; `others` are for a missing side.

    A column that a name selects must have texts in `rows`. If only columns without texts have a
    name for a side, the reason is added to `faults`.
    """
    sides = []
    for side in _sides(options):
        if side.chosen:
            sides.append([side.chosen] if side.chosen in names else [])
            continue
        free = side.without_other(names)
        groups = side.groups
        possible = [name for group in groups.splitlines() for name in _find_names(free, group)]
        is_summary = groups is _SUMMARIES
        sources = _source_names(names, options) if is_summary else []
        wrong = {
            name: explain_no_texts(name, rows, is_summary=is_summary, sources=sources)
            for name in possible
        }
        good = [name for name, fault in wrong.items() if not fault]
        if not good and is_summary:  # rows after the inspected ones may have summaries
            good = [name for name in possible if is_empty(name, rows)]
        if not good and faults is not None:
            faults.update(wrong)
        sides.append(_find_names(good, groups) or list(others))
    sources, summaries = sides
    return [PairColumns(*pair) for pair in product(sources, summaries) if len({*pair}) == 2]


def _source_names(names: Sequence[str], options: ImportOptions) -> list[str]:
    if options.source_column:
        return [options.source_column]
    return [name for group in _SOURCES.splitlines() for name in _find_names(names, group)]


def read_first_line(path: Path, options: ImportOptions) -> str:
    """Return the first line with content, without Excel's line `sep=`; empty if there is none."""
    with suppress(InvalidRecord):  # reported when the file is read
        for line in read_lines(path, encoding=options.encoding):
            if line.text.strip() and not line.text.startswith("sep="):
                return line.text
    return ""


def find_delimiter(header: str, options: ImportOptions) -> str:
    """Return the delimiter that gives the source and summary columns, else the most columns."""
    found = {sign: _split_header(header, sign) for sign in _DELIMITERS}
    return max(
        found, key=lambda sign: (bool(find_named_columns(found[sign], options)), len(found[sign]))
    )


def has_pair_header(path: Path, options: ImportOptions) -> bool:
    """Return whether the first line of a file names columns for source and summary."""
    line = read_first_line(path, options)
    names = _split_header(line, options.delimiter or find_delimiter(line, options))
    return bool(find_named_columns(names, options))


def _split_header(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []


def _find_names(names: Iterable[str], groups: str) -> list[str]:
    for group in groups.splitlines():
        known = set(group.split())
        if found := [name for name in names if simplify_name(name) in known]:
            return found
    return []


def _find_collection(names: Iterable[str], rows: Sequence[Mapping[str, Any]]) -> _Collection | None:
    actual = {simplify_name(name): name for name in names}
    for title, marks, columns, spans in _COLLECTIONS:
        wanted = dict(mark.partition("=")[::2] for mark in marks)
        if actual.keys() >= wanted.keys() and all(
            str(rows[0].get(actual[name])).casefold() == value
            for name, value in wanted.items()
            if value
        ):
            found = PairColumns(*(name and actual.get(simplify_name(name), "") for name in columns))
            held = tuple(name for name in spans if name in actual.values())
            return _Collection(title, marks, found, held) if all(found[:2]) else None
    return None


@dataclass(frozen=True, slots=True)
class _TextColumns:
    """Distinct words of each row, for each column that holds texts of several words.

    `requests`: columns with questions or prompts, which are neither source nor summary.
    `questions`: those of these columns that have nothing but questions.
    """

    words: Mapping[str, Sequence[frozenset[str]]]
    requests: frozenset[str] = frozenset()
    questions: frozenset[str] = frozenset()

    @classmethod
    def read(cls, names: Iterable[str], rows: Sequence[Mapping[str, Any]]) -> _TextColumns:
        from tui_annotate.methods.lexical import find_words

        words = {}
        names = [*names]
        for name in names:
            texts = [join_texts(row.get(name))[:_LONGEST] for row in rows]
            found = [frozenset(word.text for word in find_words(text)) for text in texts]
            several = sum(
                has_several_words(text) and (" " in text.strip() or not text.isascii())
                for text in texts
            )
            if several >= _TEXT_SHARE * len(rows) and not has_tags(name, rows):
                words[name] = found
        questions = frozenset(name for name in words if has_questions(name, rows))
        requests = (name for name in words if is_request(name))
        return cls(words, questions.union(requests), questions)

    def find_request(self, pair: PairColumns, options: ImportOptions) -> str:
        """Return the side whose column has requests: `source` or `summary`; empty if none has.

        Columns that the user names are never returned, nor are prompts that contain the words of
        a shorter summary: their source may be in them.
        """
        is_prompt = pair.source in self.requests - self.questions
        has_source = is_prompt and self._compare(pair) >= _LOWEST_SCORE
        if pair.source in self.requests and not options.source_column and not has_source:
            return STANDARD.source
        if pair.summary in self.requests and not options.summary_column:
            return STANDARD.summary
        return ""

    def score(self, pair: PairColumns) -> float:
        """Return how well two columns fit as source and summary, from 0 to 1.

        The score is the fraction of the summary's words that are in the source, times the fraction
        of rows with a shorter summary. It is reduced for summaries as short as titles, and for
        summaries that are repeated more often than their sources.
        """
        if {pair.source, pair.summary} & self.requests:
            return 0.0
        return self._compare(pair)

    def _compare(self, pair: PairColumns) -> float:
        """Return the score of two columns, whether they have requests or not."""
        if not self.words.keys() >= {pair.source, pair.summary}:
            return 0.0
        sources = self.words[pair.source]
        summaries = self.words[pair.summary]
        both = list(zip(sources, summaries, strict=True))
        repeated = min(1, len(set(summaries)) / len(set(sources)))
        shared = sum(len(source & summary) / max(len(summary), 1) for source, summary in both)
        shorter = sum(len(summary) < len(source) for source, summary in both)
        length = sum(len(summary) for _, summary in both) / len(both)
        return shared * shorter / len(both) ** 2 * repeated * min(1, length / _WHOLE_SUMMARY)
