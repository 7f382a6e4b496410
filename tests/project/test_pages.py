"""Project rules about README and docs: what they name exists, and what exists they name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from typer.exceptions import TyperException

from tests.helpers.pages import PAGES, ROOT, Call, blocks, calls, codes, languages, prose
from tests.project.test_commands import commands
from tui_annotate.cli.commands import place_global_options, program
from tui_annotate.cli.ssh import SshSetupPart, build_setup
from tui_annotate.editor.actions import ACTIONS
from tui_annotate.editor.key_map import shown_keys
from tui_annotate.editor.key_state import EVERYWHERE, REVIEWING, KeyState
from tui_annotate.settings import PREFIX, SETTING_NAMES

CALLS = [call for page in PAGES for call in calls(page)]
COMMANDS = set(commands())
OTHERS = {"--check", "--show-documents"}
"""Options of other programs that stand in sentences."""
NOT_RUN = {
    *(("annotate",), ("review",), ("view",), ("ssh", "session")),  # a screen
    ("store", "move"),  # a database server
    ("lab", "position", "show"),  # another one
    ("lab", "models", "download"),  # a hub
    ("agreement",),  # two people must have completed a sample
    ("messages", "questions", "reply"),  # an annotator must have asked on a screen
    ("review", "allow"),  # an annotator must have completed a sample on a screen
    ("review", "reopen"),  # a reviewer must have adjudicated a sample on a screen
    *(("assignments", name) for name in ("promote-to-gold", "rescore-gold", "resume")),  # the same
    *(
        ("lab", "judge", "suggest"),
        ("lab", "scores", "train-probe"),
    ),  # an endpoint, and a language model
}
"""Commands that no block of a page can run; tests of their own do."""
LINKING = (*PAGES, "CONTRIBUTING.md", "CHANGELOG.md", "sample_data/README.md")
VARIABLE = re.compile(rf"\b{PREFIX}[A-Z_]*[A-Z]\b")


@cache
def _app() -> Any:
    return program()


def _command(words: tuple[str, ...]) -> tuple[Any, tuple[str, ...], tuple[str, ...]]:
    """The command that some words call, its name, and its arguments."""
    command, name = _app(), tuple[str, ...]()
    words = tuple(place_global_options(command, words))
    while words and words[0] in getattr(command, "commands", {}):
        command, name, words = command.commands[words[0]], (*name, words[0]), words[1:]
    return command, name, words


def _wrong(call: Call) -> str:
    """What is wrong with a call, without running it; empty for nothing."""
    command, name, arguments = _command(call.words)
    if getattr(command, "commands", None) and not command.invoke_without_command and call.whole:
        return f"there is no command {' '.join(call.words)}"
    # The command keeps its first --help, also for the test of the reference.
    context = command.make_context(
        " ".join(name), [], resilient_parsing=True, help_option_names=["-h", "--help"]
    )
    parser = command.make_parser(context)
    context.resilient_parsing = False  # from here on an unknown option is an error
    try:
        given, left, _ = parser.parse_args(list(arguments))
    except TyperException as error:
        return error.format_message()
    if left:
        return f"too much: {' '.join(left)}"
    missing = [each.name for each in command.params if each.required and not given.get(each.name)]
    return f"missing: {', '.join(missing)}" if missing and call.whole else ""


def test_there_are_calls_enough() -> None:
    """So many that the pattern still finds what is there."""
    assert len([call for call in CALLS if call.whole]) > 150
    assert len([call for call in CALLS if call.page == "docs/server.md"]) > 15


def test_every_call_is_valid() -> None:
    """Its command and options exist, and it has as many arguments as the command takes."""
    wrong = [(str(call), why) for call in CALLS if (why := _wrong(call))]
    assert wrong == []


def test_every_command_and_option_of_a_sentence_exists() -> None:
    """The one behind a group's name; options of the command before them, else of any."""
    groups = {name[:-1] for name in COMMANDS}
    every = {option for name in COMMANDS | groups for option in _options(name)}
    wrong = []
    for page, code in ((name, code) for name in PAGES for code in codes(name)):
        command, name, rest = _command(tuple(code.removeprefix("tui-annotate ").split()))
        group = name and getattr(command, "commands", None)
        known = _options(name) if name in COMMANDS else every
        unknown = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", code)) - known - OTHERS
        if unknown or (group and re.match("[a-z]", " ".join(rest))):
            wrong.append(f"{page}: {code}")
    assert wrong == []


@cache
def _options(name: tuple[str, ...]) -> set[str]:
    params = _command(name)[0].params
    return {"--help", *(each for one in params for each in (*one.opts, *one.secondary_opts))}


def test_every_command_stands_in_a_page() -> None:
    """In a block or in a sentence."""
    said = {_command(call.words)[1] for call in CALLS}
    said |= {_command(tuple(code.split()))[1] for page in PAGES for code in codes(page)}
    assert {" ".join(name) for name in COMMANDS - said} == set()


def test_every_command_that_can_be_run_is_run() -> None:
    """In a block of some page; `tests/end_to_end/test_pages.py` does it."""
    run = {_command(call.words)[1] for page in PAGES for call in calls(page, "sh") if call.whole}
    assert {" ".join(name) for name in COMMANDS - NOT_RUN - run} == set()


def test_every_setting_and_variable_stands_in_a_page() -> None:
    """Settings by their names in the file, variables that are none of these by theirs."""
    said = {code for page in PAGES for code in codes(page)}
    names = set(SETTING_NAMES)
    assert {name.removeprefix("people_") for name in names} - said == set()
    assert _variables("tui_annotate") - {PREFIX + name.upper() for name in names} - said == set()


def test_every_variable_of_a_page_is_one_that_there_is() -> None:
    """Of the settings, the package, the tests or the benchmarks."""
    known = {PREFIX + each.upper() for each in SETTING_NAMES}
    known |= _variables("tui_annotate", "tests", "benchmarks")
    assert set(VARIABLE.findall("".join(PAGES.values()))) - known == set()


def _variables(*folders: str) -> set[str]:
    """Those of ours that the modules of some folders name."""
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    code = "\n".join(path.read_text("utf-8") for path in paths)
    ends = re.findall(r"PREFIX \+ \"([A-Z_]+)\"", code)
    return set(VARIABLE.findall(code)) | {PREFIX + end for end in ends}


def test_every_key_of_a_table_exists() -> None:
    """In tables whose column is headed `press` or `key`, what stands between backticks."""
    known = {shown_keys((key,)) for action in ACTIONS for key in action.keys}
    wrong = [
        f"{page}: {row}"
        for page in PAGES
        for row, cell in _key_cells(page)
        for code in re.findall(r"`([^`]+)`", cell)
        if set(code.split()) - known
    ]
    assert wrong == []


def _key_cells(page: str) -> Iterator[tuple[str, str]]:
    """(row, its cell of keys) of every table of keys in a page."""
    tables = re.findall(r"^\| (key|to) \| (?:does|press) \|\n(.*?)\n\n", PAGES[page] + "\n\n",
                        re.MULTILINE | re.DOTALL)  # fmt: skip
    for head, table in tables:
        for row in table.splitlines()[1:]:
            yield row, row.split(" | ")[0 if head == "key" else 1]


def test_every_quoted_action_is_in_the_list_of_actions() -> None:
    """Names next to `:`, the palette or the list of actions; in review, those of its screen."""
    states = {page: (REVIEWING if page == "docs/reviewers.md" else EVERYWHERE) for page in PAGES}
    quoted = [(page, name) for page in PAGES for name in _quoted_actions(page)]
    assert len(quoted) > 8
    wrong = [f"{page}: {name}" for page, name in quoted if name not in _listed(states[page])]
    assert wrong == []


def _quoted_actions(page: str) -> Iterator[str]:
    """What sentences and rows about the list of actions have in quotation marks."""
    rows = re.sub(r"\n(?=[| -]|\n)", "\n\n", prose(page)).split("\n\n")
    for row in rows:
        for sentence in re.split(r"(?<=[.;]) ", " ".join(row.split())):
            if "`:`" in sentence or re.search(r"\b(palette|list of actions)\b", sentence):
                yield from re.findall(r"\"([a-z][^\"]+)\"", sentence)


def _listed(states: KeyState) -> set[str]:
    """What the list of actions has on screens in some states."""
    return {
        action.words(state) for action in ACTIONS for state in states & action.states
    }  # fmt: skip


def test_every_block_says_what_it_is() -> None:
    """`sh` is run, `console` is looked at; the others are no commands."""
    known = {"sh", "console", "text", "python", "json", "toml", "xml"}
    assert {page: languages(page) - known for page in PAGES if languages(page) - known} == {}


@cache
def _anchors(path: Path) -> set[str]:
    """What GitHub makes of the headings of a page."""
    titles = re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_link_leads_somewhere() -> None:
    """The file is there, and the heading in it."""
    wrong = []
    for page in LINKING:
        here = ROOT / page
        text = PAGES.get(page) or here.read_text("utf-8")
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            name, _, heading = link.partition("#")
            target = (here.parent / name) if name else here
            there = target.exists() and (not heading or heading in _anchors(target))
            if not there and not link.startswith("http"):
                wrong.append(f"{page}: {link}")
    assert wrong == []


def test_every_page_is_found_from_the_readme() -> None:
    """By links from page to page."""
    found, new = set(), {"README.md"}
    while new:
        page = new.pop()
        found.add(page)
        links = re.findall(r"\]\(([\w./-]+\.md)", PAGES[page])
        paths = {((ROOT / page).parent / link).resolve() for link in links}
        new |= {name for name in PAGES if (ROOT / name) in paths} - found
    assert set(PAGES) - found == set()


def test_the_make_targets_exist() -> None:
    """Every one that a page names is one of the Makefile."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    wrong = []
    for page in PAGES:
        lines = [*codes(page), *"".join(blocks(page, "sh", "console")).splitlines()]
        named = {target for line in lines for target in re.findall(r"^make ([a-z-]+)", line)}
        wrong += [f"{page}: make {target}" for target in named - targets]
    assert wrong == []


def test_each_make_command_of_the_readme_has_a_line() -> None:
    """People copy them one by one: each line is one call of make, with a comment."""
    (called,) = [each for each in blocks("README.md", "console") if "make " in each]
    assert [line.split()[:2] for line in called.splitlines()] == [
        ["make", "demo"],
        ["make", "test"],
    ]


def test_what_people_copy_is_what_setup_prints() -> None:
    """The lines for a client, and the account, as `users ssh setup` has them."""
    page = PAGES["docs/server.md"]
    printed = build_setup(
        "annotate", Path("/srv/annotation/news"), ["python"], password_login=False
    )
    client = printed[SshSetupPart.CLIENT].split("\n")[1:6]
    assert "\n".join(client) in page
    assert printed[SshSetupPart.ACCOUNT].split("\n")[1] in page
