"""Project rules about the Python API: typed keywords, and a function for each command."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import StrEnum
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from pkgutil import resolve_name
from types import FunctionType
from typing import Any, assert_type

import pytest

import tui_annotate
from tests.helpers.pages import PAGES, codes
from tests.project.test_commands import commands
from tui_annotate.cli.commands import program
from tui_annotate.domain.errors import InvalidArgument, InvalidInput, TuiAnnotateError
from tui_annotate.domain.people import OPERATOR
from tui_annotate.domain.records import RecordFilter, RecordFilters
from tui_annotate.lab.judge.dataset_runs import DatasetJudge
from tui_annotate.lab.score.scoring import ScoreService
from tui_annotate.lab.services import ResearchServices
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.plugins.registry import _PROTOCOLS
from tui_annotate.services.annotate.service import AnnotationService
from tui_annotate.settings import SETTING_NAMES, SettingsFlags
from tui_annotate.workspace import Workspace
from tui_annotate.workspace.machines import MachineServices
from tui_annotate.workspace.team import TeamServices

PAGE = "docs/python.md"
ROW = re.compile(r"^\| (`[^|]+`) \| (.+) \|$", re.MULTILINE)
TABLE = {
    command: cell
    for commands_cell, cell in ROW.findall(PAGES[PAGE].partition("### Options and keywords")[0])
    for command in re.findall(r"`([^`]+)`", commands_cell)
}
"""The text of the cell with functions, by command."""
FUNCTIONS = sorted({name for cell in TABLE.values() for name in re.findall(r"`([^`]+)`", cell)})
COMMAND_ONLY = {"users ssh setup", "ssh session", "store show"}
"""Commands about screens, the terminal or a server's files, which a script does not need."""
INTERNAL = {"export_service", "assist", "vectors", "read_only"}
"""Attributes of a workspace that serve commands and screens."""
GROUPS = (Workspace, TeamServices, MachineServices)


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A new workspace, whose owner may do everything."""
    with tui_annotate.create(tmp_path_factory.mktemp("api") / "work") as made:
        yield made


def find(name: str, space: Workspace) -> Any:
    """Return what a dotted name of the page means: a part of a workspace, or of a module."""
    first, _, rest = name.partition(".")
    if first != "workspace":
        return resolve_name(name)
    return attrgetter(rest)(space) if rest else space


def is_public_function(name: str, space: Workspace) -> bool:
    """Return whether a name has no private part, can be called, and describes its parameters."""
    try:
        found = find(name, space)
    except (AttributeError, ImportError):
        return False
    described = bool(found.__doc__) or not inspect.signature(found).parameters
    return callable(found) and described and "._" not in name


def test_every_command_has_its_functions_in_the_table() -> None:
    """The table has each command once, and names a function unless a script needs none."""
    known = {" ".join(words) for words in commands()}
    screens = {"review"}  # a group that is also a screen; its actions are below the table
    assert set(TABLE) - screens == known - screens
    empty = {command for command, cell in TABLE.items() if "`" not in cell}
    assert empty == COMMAND_ONLY


def test_every_function_of_the_table_exists(space: Workspace) -> None:
    """Each name is public and can be called, and has a docstring if it has parameters."""
    assert [name for name in FUNCTIONS if not is_public_function(name, space)] == []


def undocumented_errors(name: str, space: Workspace) -> set[str]:
    """Return the errors that a function itself raises, but its docstring does not name."""
    found = find(name, space)
    described = (found.__doc__ or "") + (type(getattr(found, "__self__", None)).__doc__ or "")
    raised = set()
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(found))))):
        match node:
            case ast.Raise(exc=ast.Call(func=ast.Name(id=error))) if error[0].isupper():
                raised.add(error)
            case ast.Call(func=ast.Name(id="require_permission")):
                raised.add("NotAllowed")
    return {error for error in raised if error not in described}


def test_functions_of_the_table_name_their_errors(space: Workspace) -> None:
    """Also the permission that a function checks; errors of inner functions are not checked."""
    functions = [name for name in FUNCTIONS if not isinstance(find(name, space), type)]
    wrong = {name: undocumented_errors(name, space) for name in functions}
    assert {name: errors for name, errors in wrong.items() if errors} == {}


def test_every_other_name_of_the_page_exists(space: Workspace) -> None:
    """The names of the page's sentences exist too."""
    named = {
        name for name in codes(PAGE) if re.fullmatch(r"(workspace|tui_annotate)(\.\w+)+", name)
    }
    missing = []
    for name in named - {f"tui_annotate.{kind}" for kind in _PROTOCOLS}:  # entry points
        try:
            find(name, space)
        except (AttributeError, ImportError):
            missing.append(name)
    assert missing == []


def test_each_service_of_a_plug_in_is_of_its_typed_class(space: Workspace) -> None:
    """The class that the page names for a typed call is the class of the service."""
    rows = re.findall(r"^\| (\w+) \| `(tui_annotate\.lab\.[\w.]+)` \|$", PAGES[PAGE], re.MULTILINE)
    assert {name for name, _ in rows} == set(registry.plugin_names("services"))
    for name, target in rows:
        made = resolve_name(target)(space.machines)
        assert type(made) is type(getattr(space.machines, name))


def test_research_services_have_types(space: Workspace) -> None:
    """Type checkers, which also check this file, and the running program agree on the classes."""
    services = tui_annotate.research(space)
    assert_type(services.scoring, ScoreService)
    assert_type(services.judging, DatasetJudge)
    types = ResearchServices.__annotations__
    assert {name: type(getattr(services, name)).__name__ for name in types} == types
    assert set(registry.plugin_names("services")) == set(types)


def test_an_unknown_service_is_no_attribute(
    space: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A typing error is an AttributeError; a disabled service is InvalidInput."""
    machines = space.acting(OPERATOR).machines
    assert not hasattr(machines, "scorings")
    assert hasattr(machines, "scoring")
    monkeypatch.setenv(registry.DISABLED, "services:ranking")
    with pytest.raises(InvalidInput, match="ranking"):
        _ = machines.ranking


def test_every_public_part_of_a_workspace_is_on_the_page() -> None:
    """No method of Workspace is public and unknown to readers."""
    words = set(re.findall(r"\w+", PAGES[PAGE]))
    found = {name for name in vars(Workspace) if not name.startswith("_")}
    assert found - words - INTERNAL == set()


def classes(space: Workspace) -> set[type]:
    """Return the classes of the groups, and of each service that the page names."""
    owners = (name.rpartition(".")[0] for name in FUNCTIONS if name.startswith("workspace."))
    return {*GROUPS, *(type(find(owner, space)) for owner in owners)}


def test_every_public_method_has_typed_keywords(space: Workspace) -> None:
    """No public method takes keywords that a type checker and `help` cannot name."""
    untyped = []
    found = classes(space)
    assert len(found) > 25
    for owner in found:
        for name, method in inspect.getmembers(owner, inspect.isfunction):
            for each in inspect.signature(method).parameters.values():
                typed = each.annotation is not each.empty or each.name == "self"
                free = each.kind is each.VAR_KEYWORD and "Unpack" not in str(each.annotation)
                if not name.startswith("_") and (free or not typed):
                    untyped.append(f"{owner.__name__}.{name}: {each}")
    assert untyped == []


def test_the_functions_of_the_package_have_typed_keywords() -> None:
    """The functions of `tui_annotate` name their keywords, too."""
    for name in tui_annotate.__all__:
        found = getattr(tui_annotate, name)
        if isinstance(found, type):
            continue
        for each in inspect.signature(found).parameters.values():
            assert each.kind is not each.VAR_KEYWORD or "Unpack" in str(each.annotation), name


def test_keywords_are_the_fields_of_their_classes() -> None:
    """Filters and settings of a call are those of a filter and of the settings."""
    filters = {each.name for each in fields(RecordFilter)}
    assert set(RecordFilters.__annotations__) == filters
    assert set(SettingsFlags.__annotations__) == set(SETTING_NAMES) - {"store_url", "store_schema"}


def test_each_exported_name_is_that_of_its_module() -> None:
    """Names are imported at their first use, listed by `dir`, and known to type checkers."""
    tree = ast.parse(Path(tui_annotate.__file__).read_text("utf-8"))
    (typed,) = (node for node in tree.body if isinstance(node, ast.If))
    declared = {
        name.name: node.module
        for node in ast.walk(typed)
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assert set(tui_annotate.__all__) <= set(dir(tui_annotate))
    for name, module in tui_annotate._SOURCES.items():
        assert declared[name] == f"tui_annotate.{module}"
        assert getattr(tui_annotate, name) is getattr(import_module(f"tui_annotate.{module}"), name)
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert set(tui_annotate.__all__) - defined == set(tui_annotate._SOURCES)
    with pytest.raises(AttributeError):
        _ = tui_annotate.anchor


def test_the_kinds_of_errors_are_exported() -> None:
    """A script can catch each kind of error by a name of the package."""
    kinds = {each.__name__ for each in TuiAnnotateError.__subclasses__()}
    assert kinds < set(tui_annotate.__all__)


def test_the_package_loads_only_what_is_used() -> None:
    """The import needs few modules, because each command pays for it."""
    script = "import sys, tui_annotate; print([each for each in sys.modules if '.' in each])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    loaded = {each for each in ast.literal_eval(done.stdout) if each.startswith("tui_annotate.")}
    assert loaded == {"tui_annotate.domain", "tui_annotate.domain.version"}


def test_the_help_of_open_names_what_exists(space: Workspace) -> None:
    """Each method and each service of the docstring exists."""
    text = inspect.getdoc(tui_annotate.open) or ""
    described = text.partition("Methods of the workspace:")[2].partition("docs/python.md")[0]
    entries = re.findall(r"^    (?=\S)(.+?): ", described, re.MULTILINE)
    names = [name for entry in entries for name in re.findall(r"[a-z_.]+(?=\(|,|$)", entry)]
    assert len(names) > 12
    for name in names:
        assert find(f"workspace.{name}", space) is not None, name


def test_the_examples_of_the_help_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The code in the help of `create`, then that of `open`, on a file with one sample."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TUI_ANNOTATE_EMBEDDER", "none")
    Path("news.csv").write_text(
        "id,source,summary\n1,It cost 12 million pounds.,It cost 15 million pounds.\n", "utf-8"
    )
    for function in (tui_annotate.create, tui_annotate.open):
        exec(textwrap.dedent(example(function)), {})
    assert "1 samples added, 0 refused" in capsys.readouterr().out
    assert "not in the source" in Path("annotations.csv").read_text("utf-8")


def example(function: Any) -> str:
    """Return the indented lines of a docstring from its first import on."""
    lines = (inspect.getdoc(function) or "").splitlines()
    begin = next(at for at, line in enumerate(lines) if line.startswith("    import"))
    end = next(
        at for at, line in enumerate(lines) if at > begin and line and not line.startswith("    ")
    )
    return "\n".join(lines[begin:end])


def test_the_package_says_that_it_is_typed() -> None:
    """Type checkers read the annotations of the installed package."""
    assert (Path(tui_annotate.__file__).parent / "py.typed").is_file()


def parameters(space: Workspace) -> Iterator[tuple[str, inspect.Parameter]]:
    """Yield the parameters of public methods, functions and exported classes, with their owners."""
    for owner in classes(space):
        for name, method in inspect.getmembers(owner, inspect.isfunction):
            if not name.startswith("_"):
                for each in inspect.signature(method).parameters.values():
                    yield f"{owner.__name__}.{name}", each
    made_by_open = {"Workspace"}
    exported = [f"tui_annotate.{name}" for name in set(tui_annotate.__all__) - made_by_open]
    for name in (*FUNCTIONS, *exported):
        found = find(name, space)
        if not (isinstance(found, type) and issubclass(found, (Exception, StrEnum))):
            for each in inspect.signature(found).parameters.values():
                yield name, each


COMMON_OPTIONS = {"--help", "--quiet", "--verbose", "--version"}
SECTION = PAGES[PAGE].partition("### Options and keywords")[2].partition("Research tools add")[0]
EXCEPTIONS = [
    (set(re.findall(r"`(--[a-z-]+)`", options)), scopes, cell, "..." in options)
    for left, cell in re.findall(r"^\| (.*`--.+) \| (.+) \|$", SECTION, re.MULTILINE)
    for options, scopes in [(left, re.findall(r"`([a-z][a-z -]+)`", left))]
]
"""Rows of options with another name: options, commands, names of keywords, whether more options."""


def own_classes() -> dict[str, Any]:
    """Return the classes of the package that are loaded, by their unique names."""
    modules = [each for name, each in sys.modules.items() if name.startswith("tui_annotate.")]
    found = [each for module in modules for each in vars(module).values()]
    return {each.__name__: each for each in found if isinstance(each, type)}


def keyword_names(annotation: str, known: dict[str, Any], seen: frozenset[str]) -> set[str]:
    """Return the fields of the classes of options that an annotation names."""
    names: set[str] = set()
    for word in set(re.findall(r"\w+", annotation)) - seen:
        found = known.get(word)
        if found is None or not re.search(r"Options|Filter|Rules|Practice|Gold|Threshold", word):
            described = is_dataclass(found) and word in {"DatasetDescription", "NewAccount"}
            if not described and word != "ColumnNames":
                continue
        own = dict(getattr(found, "__annotations__", {}))
        names |= own.keys()
        for inner in own.values():
            names |= keyword_names(str(inner), known, seen | {word})
    return names


def keywords_of(command: str, space: Workspace, known: dict[str, Any]) -> set[str]:
    """Return the keywords of the functions of a command, with those of their options."""
    names: set[str] = set()
    for name in re.findall(r"`([^`]+)`", TABLE[command]):
        for each in inspect.signature(find(name, space)).parameters.values():
            names |= {each.name, *keyword_names(str(each.annotation), known, frozenset())}
    return names


def is_excepted(option: str, command: str, keywords: set[str]) -> bool:
    """Return whether the page states what an option of a command is called in Python."""
    for options, scopes, cell, has_more in EXCEPTIONS:
        in_row = option in options or (has_more and option[2:].replace("-", "_") in FILE_FIELDS)
        if in_row and (not scopes or any(command.startswith(scope) for scope in scopes)):
            named = {name.partition("=")[0] for name in re.findall(r"`([a-z_]+=?)[^`.]*`", cell)}
            if not named or named & keywords:
                return True
    return False


FILE_FIELDS = {each.name for each in fields(ImportOptions)}


def test_options_and_keywords_have_the_same_names(space: Workspace) -> None:
    """The page lists every other option, and no option that needs no exception."""
    functions = [find(name, space) for name in FUNCTIONS]
    assert functions
    known = own_classes()
    missing, used = set(), set()
    for words, command in leaves(program()):
        name = " ".join(words)
        if name not in TABLE or "`" not in TABLE[name]:
            continue
        keywords = keywords_of(name, space, known)
        for option in {each for param in command.params for each in param.opts}:
            if not option.startswith("--") or option in COMMON_OPTIONS:
                continue
            if option[2:].replace("-", "_") in keywords:
                continue
            if is_excepted(option, name, keywords):
                used.add(option)
            else:
                missing.add(f"{name} {option}")
    assert sorted(missing) == []
    assert sorted(set().union(*(options for options, *_ in EXCEPTIONS)) - used) == []


def leaves(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield each command with its words."""
    below = getattr(command, "commands", {})
    if not below:
        yield words, command
    for name, each in below.items():
        yield from leaves(each, (*words, name))


def test_public_methods_refuse_unknown_keywords(space: Workspace) -> None:
    """Each public method with keywords suggests a similar one.

    Not those of the screen's actions: each key would pass one more function, and Python refuses.
    """
    plain = []
    for owner in classes(space) - {AnnotationService}:
        for name, method in vars(owner).items():
            if isinstance(method, FunctionType) and not name.startswith("_"):
                free = any(
                    each.kind is each.VAR_KEYWORD
                    for each in inspect.signature(method).parameters.values()
                )
                if not free and not hasattr(method, "__wrapped__"):
                    plain.append(f"{owner.__name__}.{name}")
    assert plain == []
    call: Any = space.export
    with pytest.raises(InvalidArgument) as refused:
        call("x.csv", formt="csv")
    assert "'format'" in refused.value.hint
    made: Any = ImportOptions
    with pytest.raises(InvalidArgument) as refused:
        made(id_colum="id")
    assert "'id_column'" in refused.value.hint


def test_paths_may_be_text(space: Workspace) -> None:
    """No public function takes a path that must be a `Path`."""
    bare = {
        f"{owner}: {each}"
        for owner, each in parameters(space)
        if re.search(r"\bPath\b", str(each.annotation))
        and not re.search(r"\bstr\b", str(each.annotation))
    }
    assert sorted(bare) == []


def test_help_of_the_annotation_service_begins_with_its_actions() -> None:
    """Generated methods of a dataclass, such as comparisons, would come before them."""
    own = {name for cls in AnnotationService.__mro__[:-1] for name in vars(cls)}
    shown = {"__eq__", "__hash__", "__repr__", "__setattr__", "__delattr__"}
    assert not {
        name for name in own & shown if inspect.isfunction(getattr(AnnotationService, name))
    }
    assert "annotate.finish(" in (inspect.getdoc(tui_annotate.open) or "")
