"""Earlier names of commands and options lead to the present ones, with a note on standard error."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.cli.test_main import process
from tests.helpers.terminal import program as words_of_process
from tui_annotate.cli.commands import find_command, option_names, program
from tui_annotate.cli.earlier_names import COMMANDS, OPTIONS, replace_earlier_names

NOTE = "the earlier name works until version 1.0"


def replaced(line: str) -> str:
    """A command line with the present names."""
    return shlex.join(replace_earlier_names(shlex.split(line), program()))


def words_of_command(name: str) -> list[str]:
    """The words of a present name without its options, such as `--all`."""
    return [word for word in name.split() if not word.startswith("--")]


def group_of(name: str) -> Any:
    """The group in which an earlier name was looked up, by its present name."""
    parent = name.rpartition(" ")[0]
    return find_command(program(), words_of_command(COMMANDS.get(parent, parent)))


@pytest.mark.parametrize("earlier", COMMANDS)
def test_every_present_command_exists(earlier: str) -> None:
    """Its options exist too; in the same group, the earlier name is free unless it is listed."""
    words = words_of_command(COMMANDS[earlier])
    command: Any = program()
    for word in words:
        command = command.commands[word]
    options = {word for word in COMMANDS[earlier].split() if word.startswith("--")}
    assert options <= option_names(command)
    assert earlier.rpartition(" ")[2] not in getattr(group_of(earlier), "commands", {}) or (
        earlier in {"annotations delete", "people list", "settings trust-endpoint"}
    )


@pytest.mark.parametrize(
    ("command", "earlier"), [(name, each) for name, table in OPTIONS.items() for each in table]
)
def test_every_present_option_exists(command: str, earlier: str) -> None:
    """In its command, which has no option of the earlier name any more."""
    names = option_names(find_command(program(), (command or "export").split()))
    assert OPTIONS[command][earlier] in names
    assert earlier not in names


@pytest.mark.usefixtures("earlier_names_allowed")
@pytest.mark.parametrize("earlier", COMMANDS)
def test_an_earlier_name_has_the_help_of_the_present_one(earlier: str, command: Command) -> None:
    """With one note on standard error, and nothing else there."""
    found = command(*earlier.split(), "--help")
    assert found.code == 0
    assert found.out == command(*words_of_command(COMMANDS[earlier]), "--help").out
    assert found.err == f"note: {earlier} is called {COMMANDS[earlier]} now; {NOTE}\n"


@pytest.mark.usefixtures("earlier_names_allowed")
@pytest.mark.parametrize(
    ("earlier", "present"),
    [
        ("people list --json", "users list --all --json"),
        ("--json people list", "users list --all --json"),
        ("-w {} people list", "-w {} users list --all"),
        ("people -w {} list", "users list --all -w {}"),
        ("snapshots list --json", "audit snapshots list --json"),
        ("snapshots --json list", "audit snapshots list --json"),
        ("keys --json", "annotate --list-keys --json"),
        ("formats --json", "datasets formats --json"),
        ("export --to csv --pseudonymise", "export --to csv --pseudonymize"),
    ],
)
def test_standard_output_stays_as_it_was(
    earlier: str, present: str, annotated: Command, tmp_path: Path
) -> None:
    """What a script reads is the same; the note is one line elsewhere."""
    found = annotated(*earlier.format(tmp_path).split())
    wanted = annotated(*present.format(tmp_path).split())
    assert (found.code, found.out) == (wanted.code, wanted.out)
    assert found.code == 0
    assert found.out
    assert len([line for line in found.err.splitlines() if line.endswith(NOTE)]) == 1
    assert NOTE not in wanted.err


@pytest.mark.usefixtures("earlier_names_allowed")
@pytest.mark.parametrize(
    ("earlier", "present"),
    [
        ("annotations delete --mine", "datasets clear --mine"),
        ("annotations delete --json", "datasets clear --json"),
        ("annotations --json delete", "datasets clear --json"),
        ("report html -o x.html", "report -o x.html"),
        ("report -w news html", "report -w news"),
        ("-w news report html file.json", "-w news report file.json"),
        ("pipeline run -w w recipe.yml", "lab pipeline -w w recipe.yml"),
        ("pipeline -w w run recipe.yml", "lab pipeline -w w recipe.yml"),
        ("demo there", "init --demo there"),
        ("restore backups/one new", "backup restore backups/one new"),
        ("ssh keys add ben key.pub", "users ssh keys add ben key.pub"),
        ("ssh authorized-keys -w w FILE", "users ssh authorized-keys -w w FILE"),
        ("judge sort x.csv --k 5", "lab judge sort x.csv --cutoff 5"),
        ("lab -w w judge sort x.csv --k=5", "lab -w w judge sort x.csv --cutoff=5"),
        ("scores import x.csv --name q", "lab scores import x.csv --score q"),
        ("models install minilm --yes", "lab models install minilm --run"),
        ("doctor --bundle report.json", "doctor --bug-report report.json"),
        ("users update ana --name Ana", "users edit ana --name Ana"),
    ],
)
def test_earlier_lines_become_present_ones(earlier: str, present: str) -> None:
    """With global options wherever they are, and options whose names changed."""
    assert replaced(earlier) == present


@pytest.mark.parametrize(
    "line",
    [
        "messages questions ask bridge -- keys",
        "export --to csv -- --pseudonymise",
        "lab scores import x.csv --score q -- --name",
        "agreement --label keys",
        "agreement --label --pseudonymise",
        "export --dataset people --to csv",
        "export --label=--pseudonymise --to csv",
        "lab scores import x.csv --score-column --name",
        "lab scores import x.csv --score --name",
        "backup create keys",
        "annotate keys",
        "annotate -w demo --as people",
        "-w people status",
        "--workspace demo status",
        "init demo",
        "status --pseudonymise",  # the command never had the option
        "users create --name ana",
        "init --yes",
        "",
        "--json",
        "no-such people",
    ],
)
def test_values_and_other_words_are_no_names(line: str) -> None:
    """A name counts only where a command or an option is expected."""
    assert replaced(line) == line


@pytest.mark.usefixtures("earlier_names_allowed")
@pytest.mark.parametrize(
    ("line", "present"),
    [
        ("backup", "backup create"),
        ("backup DIR", "backup create DIR"),
        ("backup --vectors DIR", "backup create --include-vectors DIR"),
        ("backup -w w DIR --vectors", "backup create -w w DIR --include-vectors"),
        ("-w w backup --json", "-w w backup create --json"),
        ("backup create", "backup create"),
        ("backup create --vectors", "backup create --include-vectors"),
        ("backup -w w create DIR", "backup -w w create DIR"),
        ("backup restore one two", "backup restore one two"),
        ("backup --help", "backup --help"),
        ("backup -w w -h", "backup -w w -h"),
    ],
)
def test_backup_without_a_command_makes_a_backup(line: str, present: str) -> None:
    """As before version 1.0, so that no script that runs each night makes none."""
    assert replaced(line) == present


@pytest.mark.usefixtures("earlier_names_allowed")
def test_a_script_of_earlier_versions_makes_backups(filled: Command, tmp_path: Path) -> None:
    """With the same JSON on standard output; the note names the present command."""
    made = filled("backup", "--json")
    assert made.code == 0
    assert Path(json.loads(made.out)["folder"]).parent == tmp_path / "backups"
    assert "note: backup is called backup create now" in made.err
    copied = filled("backup", "--vectors", "copy")
    assert copied.code == 0
    assert copied.err.count(NOTE) == 2
    assert filled("restore", "copy", "again").code == 0
    assert (tmp_path / "again" / "store.sqlite").is_file()


def test_a_session_of_ssh_prints_no_note(filled: Command, tmp_path: Path) -> None:
    """Lines of authorized_keys call it; it keeps its name."""
    for line in ("ssh session --help", f"ssh session -w {tmp_path}", "ssh --help"):
        assert NOTE not in filled(*line.split()).err
        assert replaced(line) == line


@pytest.mark.parametrize(
    ("line", "present"),
    [
        ("snapshot list", "audit snapshots"),
        ("formts", "datasets formats"),
        ("peopl list", "users"),
        ("kyes", "annotate --list-keys"),
        ("sessons", "users sessions"),
        ("users updat ben", "edit"),
        ("assignments promot", "promote-to-gold"),
        ("labels normalis", "normalize"),
        ("ssh kes", "users ssh keys"),
        ("lab position export-promps", "build-prompts"),
        ("statu", "status"),
        ("lab vectors lits", "list"),
    ],
)
def test_a_misspelt_name_gets_the_present_one_as_a_suggestion(
    line: str, present: str, command: Command
) -> None:
    """Also if it is an earlier name that was misspelt; each suggestion is printed once."""
    found = command(*line.split())
    assert found.code == 2
    message = found.err.splitlines()[0]
    assert message.count("Did you mean") == 1
    assert f"'{present}'" in message


def test_the_shell_completes_no_earlier_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor the group that only sshd calls."""
    monkeypatch.setenv("_TUI_ANNOTATE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "tui-annotate ")
    monkeypatch.setenv("COMP_CWORD", "1")
    proposed = set(process(words_of_process()).stdout.split())
    assert {"annotate", "users", "lab"} <= proposed
    assert not proposed & {*COMMANDS, "ssh"}


@pytest.mark.usefixtures("earlier_names_allowed")
def test_a_plug_in_had_its_command_at_the_top(capsys: pytest.CaptureFixture[str]) -> None:
    """It is found in `lab` now; a word that no plug-in has stays as it is."""
    lab = SimpleNamespace(commands={"shout": SimpleNamespace(params=[])}, params=[])
    group = SimpleNamespace(commands={"lab": lab}, params=[])
    line = replace_earlier_names(["-w", "work", "shout", "--json"], group)
    assert line == ["-w", "work", "lab", "shout", "--json"]
    assert NOTE in capsys.readouterr().err
    assert replace_earlier_names(["whisper"], group) == ["whisper"]
