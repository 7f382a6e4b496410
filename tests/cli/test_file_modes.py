"""Files that commands write are readable only by their owner, whatever the umask is."""

from __future__ import annotations

import json
import os
import shlex
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.end_to_end import screen_states as states
from tests.helpers.position_rows import question
from tests.helpers.ssh_keys import KEYS
from tests.helpers.terminal import Terminal, environment, program
from tests.lab.chat.scripted_judge import Script, contexts
from tests.lab.score.test_generations import ROW
from tests.plugins.chat_server import chatting
from tests.plugins.hub_server import NAME, hub
from tests.plugins.sync.table_server import KEY, serving_table
from tests.project.test_commands import commands
from tui_annotate.cli import screen

WALK = """
init w
ingest -w w --id-column id --group-column group --embedder static pairs.jsonl
init --demo demo
labels apply -w w set.yaml
labels rename -w w Fine Good
labels merge -w w Good Odd
labels undo -w w
labels split -w w Wrong Worse Worst
labels retire -w w Odd
guidelines apply -w w guide.md
datasets replace -w w pairs pairs.jsonl --id-column id --group-column group
sync bundles create -w w --person ana --create -o ana.bundle
annotate ana.bundle
sync bundles merge -w w ana.bundle
sync push -w w --as ana shared
sync pull -w w --as ana shared
sync pull -o rows.jsonl
export -w w --to native -o out.jsonl
export -w w --to csv -o out.csv.gz
export -w w --to brat -o brat
export -w w --to xlsx -o out.xlsx
export -w w --to native --pseudonymize -o names.jsonl
convert pairs.jsonl --id-column id --to native converted.jsonl
convert out.jsonl --to native --pseudonymize --pseudonym-key own.key converted.jsonl.zst
report -w w -o report.html
report -w w
audit snapshots create paper -w w
audit snapshots replay paper -w w -o state.jsonl
users pseudonyms new-key -w w --yes
backup create -w w
backup create -w w --include-vectors copy
backup restore copy restored
lab vectors rebuild -w w
lab judge export-prompts prompts
lab judge sort rag.jsonl --model m --base-url {chat} -o sorted.json
lab judge generate rag.jsonl --model m --base-url {chat} -o answers.json --answers-dir answers
lab judge evaluate rag.jsonl --model m --base-url {chat} -o scores.json --embedder static
ingest -w w --from rag --dataset rag rag.jsonl
lab judge sort -w w --dataset rag --model m --base-url {chat}
lab judge suggest -w w --dataset pairs --model m --base-url {chat}
ingest -w w --from generations set.jsonl
lab scores compute -w w --scorer unigram --dataset set
lab pipeline -w w recipe.yml
lab position create-kv --keys 5 --examples 2 --gold-position 0,2 -o kv
lab position create-qa nq.jsonl --passages 5 --gold-position 0 -o qa.jsonl.gz
lab position build-prompts qa.jsonl.gz -o prompts.jsonl
lab position run -w w qa.jsonl.gz --model m --base-url {chat} -o predictions.jsonl
lab position evaluate predictions.jsonl -o evaluated.jsonl
init team
users create -w team --name Ben --email ben@example.org --invite
users export -w team -o users.csv
users ssh keys add -w team Ben key.pub
users ssh authorized-keys -w team keys/authorized_keys
"""
"""Commands that write files, in an order in which each finds what it reads."""

ELSEWHERE = {
    ("lab", "models", "download"), ("lab", "scores", "train-probe"), ("review",), ("view",),
    ("lab", "trust-endpoint"), ("store", "move"),
}  # fmt: skip
"""Commands that write files, and that need more: tests of their own are below; train-probe needs
PyTorch, so that its test is in tests/lab/score/test_local_models.py, and `store move` a database
server, so that its tests are in tests/cli/test_store.py."""

NO_FILES = """
agreement; assignments create; assignments escalate; assignments gold; assignments list
assignments move; assignments pool; assignments practice; assignments promote-to-gold
assignments repeat; assignments rescore-gold; assignments resume; assignments top-up
assignments undo; audit head; audit snapshots list; audit verify; datasets clear; datasets delete
datasets edit; datasets formats; datasets list; datasets show; doctor; guidelines diff
guidelines list; guidelines show; lab assist evaluate; lab assist report; lab assist tune
lab judge cache; lab match; lab models install; lab position show; lab scores compare
lab scores delete; lab scores import; lab scores list; lab scores rank; lab vectors delete
lab vectors list; labels check; labels history; labels list; labels normalize; labels show
messages announcements create; messages announcements list; messages questions ask
messages questions list; messages questions reply; review allow; review export; review list
review reopen; ssh session; status; store show; suggestions create; suggestions delete
suggestions hide; suggestions import; suggestions list; suggestions report; suggestions unhide
sync delete; sync status; sync table-sql; users accept-invite; users delete; users disable
users edit; users enable; users import; users invite; users list; users merge; users pseudonyms list
users reset-password; users sessions end; users sessions list; users show; users ssh keys delete
users ssh keys list; users ssh setup; users unmerge
"""
"""Commands that print, and change only the store of a workspace or delete files."""


def _entries(folder: Path) -> set[tuple[Path, int]]:
    """Return each file and folder below a folder with its inode: a replaced file is a new one."""
    return {(path, path.lstat().st_ino) for path in folder.rglob("*") if not path.is_symlink()}


def _open_to_others(folder: Path, known: set[tuple[Path, int]]) -> list[str]:
    """Return the new files and folders whose mode is not 0600 or 0700."""
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path, _ in _entries(folder) - known}
    return sorted(
        f"{path.relative_to(folder)} {mode:o}"
        for path, mode in modes.items()
        if mode != (0o700 if path.is_dir() else 0o600)
    )


@contextmanager
def _umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def _answer(prompt: str) -> str:
    """Answer prompts of judges as they ask; other prompts get an empty list."""
    try:
        return Script()(prompt)
    except StopIteration:
        return "[]"


def _lines(path: str, *rows: object) -> None:
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


@pytest.fixture
def inputs(pairs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the commands read, and a home."""
    folder = pairs.parent
    monkeypatch.chdir(folder)
    for name in ("shared", "keys", "home"):
        (folder / name).mkdir()
    monkeypatch.setenv("HOME", str(folder / "home"))
    monkeypatch.setenv("TUI_ANNOTATE_STATE", str(folder / "home" / "state"))
    labels = Path("set.yaml")
    labels.write_text("- Unwanted: [Intrinsic]\n- Fine\n- Odd\n- Wrong\n", "utf-8")
    Path("guide.md").write_text("# Guide\n", "utf-8")
    Path("key.pub").write_text(f"{KEYS[0]}\n", "utf-8")
    _lines(
        "rag.jsonl",
        {"question": "Who?", "contexts": contexts(5, 1), "answer": "A.", "ground_truth": "B."},
    )
    _lines("set.jsonl", ROW)
    recipe = {
        "data": {"input_data_path": "set.jsonl", "output_data_path": "ranked.jsonl"},
        "scorer": {"unigram_scorer_en": {"unigram_top_k": 3}},
        "ranker": {"ranker_name": "SimpleRanker"},
    }
    _lines("recipe.yml", recipe)
    _lines("nq.jsonl", question())
    return folder


def test_every_command_is_known_to_write_files_or_not() -> None:
    """A new command is added to the walk, or to the commands that write no files."""
    walked = {tuple(shlex.split(line)) for line in WALK.strip().splitlines()}
    listed = {
        tuple(each.split()) for each in NO_FILES.replace("\n", ";").split(";") if each.strip()
    }
    for words in commands():
        is_walked = words in ELSEWHERE or any(line[: len(words)] == words for line in walked)
        assert is_walked != (words in listed), words


def test_files_are_for_their_owner_alone_under_any_umask(
    inputs: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file and folder that a command creates has mode 0600 or 0700 where all bits are free."""
    monkeypatch.setattr(screen, "need_terminal", lambda _: None)
    monkeypatch.setattr(screen, "annotate", lambda *_, **__: 0)
    faults, known = list[str](), _entries(inputs)
    with _umask(0), chatting(_answer) as chat, serving_table() as table:
        monkeypatch.setenv("TUI_ANNOTATE_SYNC_URL", table.url)
        monkeypatch.setenv("TUI_ANNOTATE_SYNC_KEY", KEY)
        for line in WALK.strip().splitlines():
            if line.startswith("sync pull -o"):
                table.put("d", "ana", "s", {})
            done = command(*shlex.split(line.format(chat=chat.url)))
            assert done.code == 0, f"{line}\n{done.err}"
            faults += [f"{line}: {each}" for each in _open_to_others(inputs, known)]
            known |= _entries(inputs)
    assert faults == []


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("annotate -w w --as ana", "opened in 1889"),
        ("review -w w", "ctrl+q"),
        ("view pairs.jsonl", "opened in 1889"),
    ],
)
def test_screens_write_files_for_their_owner_alone(
    words: str, shown: str, inputs: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log and the remembered state of a screen have the same modes as files of commands."""
    ids = ("--id-column", "id", "--group-column", "group")
    assert command("init", "w").code == 0
    assert command("ingest", "-w", "w", *ids, "--embedder", "none", "pairs.jsonl").code == 0
    monkeypatch.setenv("TMPDIR", str(inputs))
    known = _entries(inputs)
    start = ["sh", "-c", 'umask 0; exec "$@"', "sh", *program(*shlex.split(words))]
    with Terminal(start, folder=inputs) as terminal:
        terminal.wait(shown)
        states.quit_app(terminal)
    assert words.startswith("view") or Path("w/log/app.log").exists()
    assert _open_to_others(inputs, known) == []


@pytest.mark.skipif(
    find_spec("huggingface_hub") is None, reason="huggingface_hub comes with the vectors' packages"
)
def test_a_downloaded_model_is_for_its_owner_alone(inputs: Path) -> None:
    """The libraries of the hub write their files under the same umask."""
    known = _entries(inputs)
    with hub({"config.json": b"{}", "model.safetensors": b"numbers", "vocab.txt": b"a"}) as there:
        env = {"HF_ENDPOINT": there.address, "HF_HOME": str(inputs / "hf")}
        words = ("lab", "models", "download", NAME, "model", "--revision", "main")
        done = subprocess.run(
            program(*words), env=environment() | env, capture_output=True, check=False, umask=0
        )
    assert done.returncode == 0, done.stderr
    assert Path("model/model.safetensors").exists()
    assert _open_to_others(inputs, known) == []


def test_settings_of_a_person_are_for_that_person_alone(
    inputs: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The settings file and its folder are made where there were none."""
    known = _entries(inputs)
    monkeypatch.setenv("TUI_ANNOTATE_CONFIG", str(inputs / "config" / "config.toml"))
    with _umask(0):
        assert command("lab", "trust-endpoint", "http://localhost:1").code == 0
    assert Path("config/config.toml").exists()
    assert _open_to_others(inputs, known) == []


@pytest.mark.parametrize("mask", [0, 0o077])
def test_a_workspace_of_a_group_keeps_its_modes(mask: int, inputs: Path, command: Command) -> None:
    """Files that a command rewrites stay readable and writable for the group of the workspace."""
    assert command("init", "w").code == 0
    assert command("guidelines", "apply", "-w", "w", "guide.md").code == 0
    for path, _ in _entries(inputs / "w"):
        path.chmod(0o2770 if path.is_dir() else 0o660)
    Path("w").chmod(0o2770)
    Path("guide.md").write_text("# Another guide\n", "utf-8")
    with _umask(mask):
        assert command("labels", "apply", "-w", "w", "set.yaml").code == 0
        assert command("guidelines", "apply", "-w", "w", "guide.md").code == 0
    texts = [Path("w", name).read_text("utf-8") for name in ("labels.yaml", "guidelines.md")]
    assert texts == [Path(name).read_text("utf-8") for name in ("set.yaml", "guide.md")]
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path, _ in _entries(inputs / "w")}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o660}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o2770}


def test_accounts_are_exported_for_their_owner_alone(inputs: Path, command: Command) -> None:
    """A file that others could read is closed when password hashes are written to it."""
    Path("users.csv").touch()
    Path("users.csv").chmod(0o644)
    Path("out.jsonl").touch()
    Path("out.jsonl").chmod(0o640)
    assert command("init", "w").code == 0
    assert command("users", "export", "-w", "w", "-o", "users.csv").code == 0
    assert command("export", "-w", "w", "--to", "native", "-o", "out.jsonl").code == 0
    modes = [stat.S_IMODE(Path(name).stat().st_mode) for name in ("users.csv", "out.jsonl")]
    assert modes == [0o600, 0o640]
    assert inputs.is_dir()


def test_a_group_can_use_new_files_of_its_workspace(
    inputs: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vectors that one member computes are for all; the umask of the process stays."""
    monkeypatch.chdir(inputs)
    assert command("init", "w").code == 0
    Path("w").chmod(0o2770)
    with _umask(0):
        words = "ingest -w w --id-column id --group-column group --embedder static pairs.jsonl"
        assert command(*words.split()).code == 0
        assert os.umask(0) == 0
    modes = {path.stat().st_mode & 0o777 for path in Path("w/vectors").rglob("*.lance/*/*")}
    assert modes
    assert not [mode for mode in modes if mode & 0o067 != 0o060 and mode & 0o077 != 0o070]
