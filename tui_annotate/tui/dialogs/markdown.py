"""Shows Markdown in a terminal: headings, lists, tables, quotes, code and emphasis.

The text is made safe for the terminal before it is parsed, and no part of it becomes an escape
sequence or markup. Marks that are not understood stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, zip_longest
from typing import Final

from tui_annotate.domain.line_text import text_width
from tui_annotate.domain.text_display import character_width
from tui_annotate.tui.line_text import split_paragraphs, wrap_line
from tui_annotate.tui.row_widgets import Words

_TEXT, _STRONG, _EMPHASIS, _CODE, _HEADING, _QUIET = (
    "text", "strong", "underlined", "accent", "title_focused", "quiet",
)  # fmt: skip

_FENCE: Final = re.compile(r" {0,3}(```|~~~)")
_HEAD: Final = re.compile(r" {0,3}#{1,6} +(.*?)(?: +#+)? *$")
_RULE: Final = re.compile(r" {0,3}([-*_])(?: *\1){2,} *$")
_ITEM: Final = re.compile(r"( *)([-*+]|\d{1,9}[.)]) +(?=\S)")
_QUOTE: Final = re.compile(r" {0,3}> ?")
_DIVIDER: Final = re.compile(r" *\|?(?: *:?-+:? *\|)* *:?-+:? *\|? *$")
_CELL_EDGE: Final = re.compile(r"(?<!\\)\|")
_INLINE: Final = re.compile(
    r"`(?P<code>[^`]{1,400})`"
    r"|\*\*(?=\S)(?P<strong>[^*]{1,400}?)(?<=\S)\*\*"
    r"|(?<!\w)__(?=\S)(?P<strong2>[^_]{1,400}?)(?<=\S)__(?!\w)"
    r"|(?<![\w*])\*(?=[^\s*])(?P<emphasis>[^*]{1,400}?)(?<=\S)\*(?![\w*])"
    r"|(?<!\w)_(?=[^\s_])(?P<emphasis2>[^_]{1,400}?)(?<=\S)_(?!\w)"
    r"|\\(?P<escaped>[\\`*_{}\[\]()#+.!|>-])"
)
_ROLES: Final = {
    "code": _CODE,
    "strong": _STRONG,
    "strong2": _STRONG,
    "emphasis": _EMPHASIS,
    "emphasis2": _EMPHASIS,
    "escaped": _TEXT,
}
_WRAPPED_CELLS: Final = 40
"""Minimum width of a line that continues on the next one; a shorter line was ended on purpose."""
_LEAST_CELLS: Final = 8
"""Minimum width of wrapped text next to an indent."""


def remove_heading(text: str, heading: str) -> str:
    """Return Markdown without its first line, if that is a heading with the given words."""
    first, _, rest = text.lstrip().partition("\n")
    found = _HEAD.match(first)
    return rest.lstrip("\n") if found and found[1].casefold() == heading.casefold() else text


def render_markdown(text: str, cells: int) -> list[list[Words]]:
    """Return the lines of a Markdown text, wrapped to `cells` cells, with style names."""
    lines: list[list[Words]] = []
    source = split_paragraphs(text)
    at = 0
    while at < len(source):
        line = source[at]
        if fence := _FENCE.match(line):
            end = _find_fence(source, at + 1, fence[1])
            lines += [
                [(f"  {piece}", _CODE)]
                for code in source[at + 1 : end]
                for piece in wrap_line(code, max(cells - 2, _LEAST_CELLS))
            ]
            at = end + 1
        elif "|" in line and at + 1 < len(source) and _is_divider(source[at + 1]):
            end = next((n for n in range(at + 2, len(source)) if "|" not in source[n]), len(source))
            lines += _render_table(line, source[at + 2 : end], cells)
            at = end
        elif _RULE.match(line):
            lines.append([("─" * min(cells, 40), _QUIET)])
            at += 1
        elif head := _HEAD.match(line):
            lines += _wrap_runs([], _parse_inline(head[1], _HEADING), cells)
            at += 1
        else:
            end = _find_paragraph_end(source, at)
            lines += _render_paragraph(source[at:end], cells)
            at = end
    return lines


def _find_fence(source: Sequence[str], start: int, fence: str) -> int:
    ends = (n for n in range(start, len(source)) if source[n].lstrip().startswith(fence))
    return next(ends, len(source))


def _is_divider(line: str) -> bool:
    """Return whether a line separates the head of a table from its rows."""
    return "|" in line and "-" in line and _DIVIDER.match(line) is not None


def _is_plain(line: str) -> bool:
    """Return whether a line continues the paragraph before it."""
    starts = (_FENCE, _HEAD, _RULE, _ITEM, _QUOTE)
    return bool(line.strip()) and "|" not in line and not any(each.match(line) for each in starts)


def _find_paragraph_end(source: Sequence[str], at: int) -> int:
    """Return the index after the last line that continues the line at an index."""
    end = at + 1
    if not source[at].strip():
        return end
    while end < len(source) and _is_plain(source[end]):
        if text_width(source[end - 1]) < _WRAPPED_CELLS:
            break
        end += 1
    return end


def _render_paragraph(source: Sequence[str], cells: int) -> list[list[Words]]:
    """Render a paragraph, a quote or an item of a list; source lines are joined."""
    first = source[0]
    head: list[Words] = []
    role = _TEXT
    if item := _ITEM.match(first):
        mark = "•" if item[2] in "-*+" else item[2]
        head = [(f"{item[1]}{mark} ", _QUIET)]
        first = first[item.end() :]
    elif quote := _QUOTE.match(first):
        head = [("  ", _TEXT)]
        first = first[quote.end() :]
        role = _QUIET
    elif len(first) > len(first.lstrip()) and first.strip():
        head = [(" " * (len(first) - len(first.lstrip())), _TEXT)]
    joined = first.strip()
    for line in map(str.strip, source[1:]):
        wide = joined[-1:] and character_width(joined[-1]) == 2 == character_width(line[0])
        joined += line if wide else f" {line}"
    return _wrap_runs(head, _parse_inline(joined, role), cells)


def _render_table(head: str, rows: Sequence[str], cells: int) -> list[list[Words]]:
    """Render each row as a block, in which each cell follows the name of its column.

    Columns side by side would be too narrow to read in a terminal.
    """
    names = _split_row(head)
    lines: list[list[Words]] = []
    if not rows:
        lines += _wrap_runs([], _parse_inline(" | ".join(names), _HEADING), cells)
    for row in rows:
        first, *others = _split_row(row)
        title: list[Words] = [(f"{names[0]}: ", _QUIET)] if names[0] else []
        lines += _wrap_runs(title, _parse_inline(first, _STRONG), cells, indent=2)
        for name, cell in zip_longest(names[1:], others, fillvalue=""):
            if cell:
                label: list[Words] = [(f"  {name}: " if name else "  ", _QUIET)]
                lines += _wrap_runs(label, _parse_inline(cell, _TEXT), cells, indent=4)
    return lines


def _split_row(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return [cell.strip() for cell in _CELL_EDGE.split(inner)]


def _parse_inline(text: str, role: str) -> list[Words]:
    """Split a text into pieces with style names; `role` is that of plain text."""
    pieces: list[Words] = []
    start = 0
    for match in _INLINE.finditer(text):
        kind = match.lastgroup or "escaped"
        pieces.append((text[start : match.start()], role))
        pieces.append((match[kind], role if kind == "escaped" else _ROLES[kind]))
        start = match.end()
    pieces.append((text[start:], role))
    return [piece for piece in pieces if piece[0]]


def _wrap_runs(
    head: Sequence[Words], pieces: Sequence[Words], cells: int, *, indent: int | None = None
) -> list[list[Words]]:
    """Wrap pieces after a head; further lines are indented by the head's width, or by `indent`."""
    used = sum(text_width(text) for text, _ in head)
    text = "".join(piece for piece, _ in pieces)
    roles = [role for piece, role in pieces for _ in piece]
    left = used if indent is None else indent
    if cells - max(used, left) < _LEAST_CELLS:
        head, used, left = [], 0, 0
    first, *_ = wrap_line(text, cells - used)
    wrapped = [first, *wrap_line(text[len(first) :].lstrip(" "), cells - left)]
    lines: list[list[Words]] = []
    at = 0
    for number, line in enumerate(filter(None, wrapped)):
        found = text.find(line, at)
        at = max(found, at)
        own = roles[at : at + len(line)]
        own += [own[-1] if own else _TEXT] * (len(line) - len(own))
        start: list[Words] = [(" " * left, _TEXT)] if left else []
        lines.append([*(start if number else head), *_join_roles(line, own)])
        at += len(line) if found >= 0 else 0
    return lines or [[*head]]


def _join_roles(text: str, roles: Sequence[str]) -> Iterator[Words]:
    """Yield the parts of a text that have one style each."""
    at = 0
    for role, group in groupby(roles):
        end = at + len(list(group))
        yield text[at:end], role
        at = end
