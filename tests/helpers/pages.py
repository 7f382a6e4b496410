"""README and docs as tests read them: pages, blocks of code, and the calls of tui-annotate."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]
PAGES = {
    str(path.relative_to(ROOT)): path.read_text("utf-8")
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
}
"""What users read, by its path."""

_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`([^`]+)`")
_NAMES = {"tui-annotate", "tui"}  # the page on servers has an alias
_ENDS = re.compile(r"[()<>|&;]+")


def load_module(path: str) -> ModuleType:
    """Import a script of the repository that is in no package, such as `docs/reference.py`."""
    spec = spec_from_file_location(Path(path).stem, ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Call:
    """The words after `tui-annotate` somewhere in a page.

    Attributes:
        whole: it stands in a block, as it is typed; in a sentence words may be left out.
    """

    page: str
    words: tuple[str, ...]
    whole: bool = True

    def __str__(self) -> str:
        return f"{self.page}: tui-annotate {' '.join(self.words)}"


def blocks(page: str, *languages: str) -> list[str]:
    """The blocks of a page in some languages, in order; without any, all."""
    return [
        block for name, block in _FENCED.findall(PAGES[page]) if name in languages or not languages
    ]


def languages(page: str) -> set[str]:
    """Those that its blocks are in; empty for a block that names none."""
    return {name for name, _ in _FENCED.findall(PAGES[page])}


def prose(page: str) -> str:
    """A page without its blocks."""
    return _FENCED.sub("", PAGES[page])


def codes(page: str) -> list[str]:
    """What stands between backticks in its sentences and tables."""
    return [" ".join(code.split()) for code in _INLINE.findall(prose(page))]


def calls(page: str, *among: str) -> Iterator[Call]:
    """Calls of a page: in its blocks, or those in some languages; written out in its sentences."""
    for block in blocks(page, *(among or ("sh", "console", "text"))):
        for line in block.replace("\\\n", " ").splitlines():
            yield from (Call(page, words) for words in _in_line(re.sub(r"^[#$] ", "", line)))
    for code in codes(page):
        if code.startswith("tui-annotate "):
            yield from (Call(page, words, whole=False) for words in _in_line(code))


def _in_line(line: str) -> Iterator[tuple[str, ...]]:
    """The words of each call in a line of a shell, as far as it goes."""
    if not re.search(r"\btui(-annotate)? ", line):
        return
    tokens = shlex.shlex(line, posix=True, punctuation_chars=True)
    tokens.whitespace_split = True
    found: list[str] | None = None
    for token in (*tokens, ";"):
        if found is not None and _ENDS.fullmatch(token):
            if re.match("[a-z]|--[a-z-]+$", " ".join(found)):
                yield tuple(found)
            found = None
        elif found is not None:
            found.append(token)
        elif token.rpartition("/")[2] in _NAMES:
            found = []
