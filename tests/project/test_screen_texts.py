"""Project rules about the texts of the screen: they are in catalogues, and errors have codes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from gettext import NullTranslations
from pathlib import Path

import pytest

from tests.helpers.screen_texts import screen_texts
from tests.project.test_sources import ROOT, named, sources
from tui_annotate.domain import errors
from tui_annotate.domain.assignments import State
from tui_annotate.editor.action import NO_NEED
from tui_annotate.editor.actions import action_of
from tui_annotate.editor.glyphs import StateName
from tui_annotate.editor.key_map import default_keys
from tui_annotate.editor.key_state import READING
from tui_annotate.editor.messages import MessageCode
from tui_annotate.editor.screen_message import (
    Plural,
    ScreenMessage,
    describe_error,
    screen_text,
    use_translations,
)

TABLES = {
    "Action", "_move", "_with_names", "ListAction", "LegendEntry", "_mark", "_on_text", "_letter",
    "_match",
}  # fmt: skip
"""Functions that make an entry of a table; the texts of a table are looked up when displayed."""

DISPLAYS = {
    "TextPage", "HelpGroup", "show_title", "show_text", "show_opening", "notify", "show_message",
}  # fmt: skip
"""Functions that display their first argument, which may be one word."""

NO_TEXTS = {
    "tui_annotate/tui/palette.py": "names of colours and styles",
    "tui_annotate/tui/theme.py": "names of colours",
}
"""Modules whose literals are no texts for people."""

EXCEPTIONS = {
    "damaged sample": "text of the log",
    "fr 1 ": "grid of a layout",
    "fr auto ": "grid of a layout",
    "evidence by hand": "id of a question",
    "typed reason": "id of a question",
    "-title": "id of a widget",
    "label ": "name of a style",
    "match ": "name of a style",
    "glyph ": "name of a style",
    "tui_annotate.tui.": "name of a module",
    "user ": "stored name of a client",
    "tmux: server": "name of a process",
    "%(asctime)s %(levelname)s %(name)s: %(message)s": "format of the log",
    "label 0": "name of a style",
    "label 1": "name of a style",
    "Label A B": "example of a label and two annotators in a legend",
    "FormInput, FormChoice": "selector of widgets",
    "lead gap": "classes of a widget",
    "count must be a number, not ": "error of the program",
}
"""Literals that are not displayed to users, and what they are."""

KEYS = {"PgUp", "PgDn", "Home", "End", "Tab", "Space", "Enter", "Esc"}
ERRORS = {
    name
    for name, each in vars(errors).items()
    if isinstance(each, type) and issubclass(each, errors.TuiAnnotateError)
}
OWN_CODES = {"ReadOnly", "Throttled", "VectorsPending", "WorkPaused"}
"""Errors whose class gives the code, or is one cause."""
SHOWN_ERRORS = (
    "domain/event_builders", "domain/history", "domain/labels", "domain/people",
    "services/annotate/queries", "services/annotate/service", "services/authentication/__init__",
    "services/review/__init__", "services/review/open_items", "services/review/queries",
    "services/review/review_sample", "storage/log/adjudications", "storage/log/action_writer",
    "storage/log/event_log", "storage/second_readings", "storage/suggestions", "workspace/members",
)  # fmt: skip
"""Modules below the screen whose errors annotators and reviewers see on ordinary paths."""
WORD = re.compile(r"[^\W\d_]{2,}")


def screen_modules() -> list[Path]:
    """The modules that make texts of the screen."""
    lab = ROOT / "tui_annotate" / "lab"
    parts = [*lab.glob("*/feature.py"), lab / "position" / "screen.py"]
    return [*sources("tui_annotate/tui", "tui_annotate/editor"), *sorted(parts)]


def callee(node: ast.Call) -> str:
    """The last name of what a call calls."""
    return ast.unparse(node.func).rpartition(".")[2]


def without_display(node: ast.AST) -> bool:
    """Whether literals below a node are not displayed, or are those of a catalogue."""
    if isinstance(node, ast.ClassDef):
        return any(ast.unparse(base) == "ScreenMessage" for base in node.bases)
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)  # a docstring
    if isinstance(node, ast.Assign | ast.AnnAssign):
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        return ast.unparse(target) in {"DEFAULT_CSS", "CSS"}
    if isinstance(node, ast.Call):
        hidden = any(
            each.arg == "show" and ast.unparse(each.value) == "False" for each in node.keywords
        )
        return hidden or ast.unparse(node.func).startswith("_log.") or callee(node) in TABLES
    return False


def literals(node: ast.AST) -> Iterator[ast.Constant | ast.JoinedStr | ast.Call]:
    """All texts and calls below a node that may display without a catalogue or table."""
    if without_display(node):
        return
    if isinstance(node, ast.JoinedStr | ast.Call | ast.Constant):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from literals(child)


def is_phrase(text: str) -> bool:
    """Whether a literal has a blank between words, and words that are not names of keys."""
    words = [word for word in text.split() if WORD.search(word) and word not in KEYS]
    return bool(words) and " " in text.strip()


def literals_of_tables(tree: ast.AST) -> Iterator[str]:
    """The literals in the tables of a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and callee(node) in TABLES:
            for part in ast.walk(node):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value


def displayed(tree: ast.AST) -> Iterator[ast.Constant]:
    """The literals of a module that look as if a screen displayed them."""
    for part in literals(tree):
        if isinstance(part, ast.Constant):
            if isinstance(part.value, str) and is_phrase(part.value):
                yield part
        elif isinstance(part, ast.JoinedStr):
            pieces = (piece for piece in part.values if isinstance(piece, ast.Constant))
            yield from (piece for piece in pieces if WORD.search(str(piece.value)))
        elif callee(part) in DISPLAYS and part.args:
            first = part.args[0]
            if isinstance(first, ast.Constant) and WORD.search(str(first.value)):
                yield first


def test_each_text_is_in_a_catalogue_or_a_table() -> None:
    """A phrase is displayed through `screen_text`, so that it can be translated."""
    found = [
        f"{named(path)}:{node.lineno}: {node.value!r}"
        for path in screen_modules()
        if named(path) not in NO_TEXTS
        for node in displayed(ast.parse(path.read_text("utf-8")))
        if node.value not in EXCEPTIONS
    ]
    assert not found, "\n" + "\n".join(found)


def test_tables_are_enumerated() -> None:
    """A translator gets each phrase of a table."""
    known = set(screen_texts())
    missing = [
        f"{named(path)}: {text!r}"
        for path in screen_modules()
        for text in literals_of_tables(ast.parse(path.read_text("utf-8")))
        if is_phrase(text) and text not in known and text not in EXCEPTIONS
    ]
    assert not missing, "\n" + "\n".join(missing)


def test_errors_have_codes() -> None:
    """An error that a screen shows has a code, by which its cause is known in each language."""
    below = [ROOT / "tui_annotate" / f"{module}.py" for module in SHOWN_ERRORS]
    without = [
        f"{named(path)}:{node.lineno}"
        for path in [*screen_modules(), *below]
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and callee(node) in ERRORS - OWN_CODES
        and not any(keyword.arg == "code" for keyword in node.keywords)
    ]
    assert not without, "\n" + "\n".join(without)


def test_no_text_is_looked_up_at_import() -> None:
    """The language is chosen after modules are imported, so a text is looked up in functions."""
    early = [
        f"{named(path)}:{node.lineno}"
        for path in screen_modules()
        for node in evaluated_at_import(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and callee(node) in {"text", "screen_text"}
    ]
    assert not early, "\n" + "\n".join(early)


def evaluated_at_import(node: ast.AST) -> Iterator[ast.AST]:
    """All parts of a module except the bodies of its functions."""
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from (part for default in child.args.defaults for part in ast.walk(default))
        else:
            yield from evaluated_at_import(child)


class Pseudo(NullTranslations):
    """A language in which each text has a mark."""

    def gettext(self, message: str) -> str:
        return f"«{message}»"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return f"«{n}: {msgid2 if n != 1 else msgid1}»"


@pytest.fixture
def pseudo() -> Iterator[None]:
    """The screen's texts in a language in which each has a mark."""
    use_translations(Pseudo())
    yield
    use_translations(NullTranslations())


class CountText(ScreenMessage):
    """A catalogue with a plural."""

    SAMPLES = Plural("{count:,} sample of {name}", "{count:,} samples of {name}")


def test_a_plural_has_the_form_of_its_count() -> None:
    """One sample, but no samples and 1,000 samples."""
    counts = (0, 1, 1000)
    texts = [CountText.SAMPLES.text(count=count, name="Ana") for count in counts]
    assert texts == ["0 samples of Ana", "1 sample of Ana", "1,000 samples of Ana"]


def test_a_state_has_one_name() -> None:
    """The screens name a state as commands and reports do."""
    assert {state: StateName[state.name].text() for state in State} == {
        state: state.display_name for state in State
    }


@pytest.mark.usefixtures("pseudo")
def test_catalogues_and_tables_are_translated() -> None:
    """Messages, plurals, the help and the key line are looked up in the language of the screen."""
    assert MessageCode.NO_MATCH_LIT.text() == "«No match»"
    assert CountText.SAMPLES.text(count=2, name="Ana") == "«2: 2 samples of Ana»"
    keys = default_keys()
    assert all(group.title.startswith("«") for group in keys.help(READING, ~NO_NEED))
    shown = [text for group in keys.help(READING, ~NO_NEED) for _, text in group.rows]
    shown += [name for _, name in keys.line(READING)]
    assert all(text.startswith("«") for text in shown)
    assert action_of("undo").words(READING) == screen_text(action_of("undo").help)
    hint = describe_error(errors.NotFound("there is no sample 'a{1}'", "check the id"))
    assert hint == "«there is no sample 'a{1}'» · «check the id»"
