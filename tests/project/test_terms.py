"""The texts of the program use the field's standard terms: words that it avoids, by a list."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "tui_annotate"
AREAS = sorted(
    path.relative_to(ROOT).as_posix()
    for path in PACKAGE.iterdir()
    if path.suffix == ".py" or (path.is_dir() and (path / "__init__.py").exists())
)
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "sample_data/README.md", "docs")
SQL = re.compile(r"\b(SELECT|INSERT|UPDATE|DELETE|CREATE|FROM|WHERE|JOIN)\b")
STYLES = re.compile(r"[\w&.-]+ \{ ?[\w-]+:")
CODE = re.compile(r"``[^`]+``|`[^`\n]+`")
LINK = re.compile(r"\]\([^)\s]+\)")
BLOCK = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)


class Term(NamedTuple):
    """A denied word or sense, the words to use, and contexts in which it is right."""

    pattern: re.Pattern[str]
    use: str
    allowed: tuple[re.Pattern[str], ...]


class Text(NamedTuple):
    """A text that people read, and the line where it begins."""

    line: int
    words: str


@cache
def terms() -> tuple[Term, ...]:
    """The checked-in list."""
    table = tomllib.loads((Path(__file__).parent / "denied_terms.toml").read_text("utf-8"))
    return tuple(
        Term(
            re.compile(each["pattern"], re.IGNORECASE),
            each["use"],
            tuple(re.compile(rf"\b({one})\b", re.IGNORECASE) for one in each.get("allowed", ())),
        )
        for each in table["term"]
    )


def faults(text: str) -> Iterator[str]:
    """Each denied word of a text, with its replacement."""
    prose = LINK.sub("]", CODE.sub("`code`", text))
    for term in terms():
        left = prose
        for context in term.allowed:
            left = context.sub("…", left)
        for found in term.pattern.finditer(left):
            yield f"{found.group()!r}: write {term.use}"


def is_prose(text: str) -> bool:
    """Two words or more, and neither SQL nor a style sheet."""
    return bool(re.search(r"[A-Za-z]{2,}\W* \W*[A-Za-z]+", text)) and not (
        SQL.search(text) or STYLES.search(text)
    )


def texts_of_module(code: str) -> Iterator[Text]:
    """Strings of two words or more, and docstrings; a string with fields is one text."""
    tree = ast.parse(code)
    inside = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for value in node.values
        if isinstance(value, ast.Constant)
        for part in (value,)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            words = "".join(
                str(value.value) if isinstance(value, ast.Constant) else "{}"
                for value in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) in inside:
                continue
            words = node.value
        else:
            continue
        if is_prose(words):
            yield Text(node.lineno, words)


def comments_of_module(code: str) -> Iterator[Text]:
    """Lines of comment."""
    for number, line in enumerate(code.splitlines(), 1):
        found = re.search(r"(?:^|\s)# ?([^\"']*)$", line)
        if found:
            yield Text(number, found.group(1))


def faults_of_file(path: Path) -> list[str]:
    """Each denied word of a module or a page, by its line."""
    content = path.read_text("utf-8")
    if path.suffix == ".py":
        texts = [*texts_of_module(content), *comments_of_module(content)]
    else:
        prose = BLOCK.sub(lambda block: "\n" * block.group().count("\n"), content)
        texts = [Text(number, line) for number, line in enumerate(prose.splitlines(), 1)]
    return [
        f"{path.relative_to(ROOT)}:{text.line}: {fault}"
        for text in texts
        for fault in faults(text.words)
    ]


def faults_below(name: str, pattern: str) -> list[str]:
    """Each denied word of a file, or of the files of a folder that fit a pattern."""
    path = ROOT / name
    files = [path] if path.is_file() else sorted(path.rglob(pattern))
    return [fault for file in files for fault in faults_of_file(file)]


def test_the_list_finds_what_it_denies() -> None:
    """A denied word is found, an allowed context and code are not."""
    assert len(list(faults("it stands beside the text"))) == 2
    assert not list(faults("the `told` field, in place of the old one"))
    assert not list(faults("Sign in to the workspace"))


@pytest.mark.parametrize("area", AREAS)
def test_no_module_uses_a_denied_term(area: str) -> None:
    """Strings, docstrings and comments of one part of the package."""
    assert not (found := faults_below(area, "*.py")), "\n" + "\n".join(found)


@pytest.mark.parametrize("page", PAGES)
def test_no_page_uses_a_denied_term(page: str) -> None:
    """README, the pages of docs, and the changelog."""
    assert not (found := faults_below(page, "*.md")), "\n" + "\n".join(found)
