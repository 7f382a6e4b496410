"""An endpoint that only a workspace names gets nothing before its user trusts it."""

from __future__ import annotations

import io
import re
import shlex
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.conftest import Command, Result
from tests.helpers.effort import example_limit
from tests.helpers.errors import has_code
from tests.plugins.embedders.endpoint_server import KEY, FakeEndpoint, refusal
from tests.services.ingest_stores import write_pairs
from tui_annotate import workspace as workspaces
from tui_annotate.cli import endpoint_trust
from tui_annotate.cli.endpoint_trust import add_to_list
from tui_annotate.domain.endpoint_trust import UNTRUSTED, EndpointTrust
from tui_annotate.domain.errors import NotAllowed, Unavailable
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import EmbedderOptions
from tui_annotate.settings import WORKSPACE_FILE, user_file

COMMON = "sk-common-key-9Qw8"


@pytest.fixture
def planted(
    command: Command, endpoint: FakeEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A data file with a workspace next to it, as they come out of an archive.

    The user owns both; the API key of other programs is in the environment.
    """
    del command  # it makes the folder current
    monkeypatch.delenv("TUI_ANNOTATE_API_KEY")
    monkeypatch.delenv("TUI_ANNOTATE_EMBEDDER")
    monkeypatch.setenv("OPENAI_API_KEY", COMMON)
    folder = tmp_path / "pairs.jsonl.annotations"
    workspaces.create(folder).close()
    (folder / WORKSPACE_FILE).write_text(f'embedder = "remote:m"\nbase_url = "{endpoint.url}"\n')
    return write_pairs(tmp_path / "pairs.jsonl", samples=2)


Answer = Callable[..., list[str]]


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Answer:
    """Gives answers at a terminal, and keeps the questions."""

    def give(*answers: str) -> list[str]:
        questions: list[str] = []
        left = iter(answers)

        def read(question: str) -> str:
            questions.append(question)
            return next(left)

        terminal = SimpleNamespace(isatty=lambda: True)
        monkeypatch.setattr(endpoint_trust, "sys", SimpleNamespace(stdin=terminal, stderr=terminal))
        monkeypatch.setattr("tui_annotate.cli.output.read_answer", read)
        return questions

    return give


def check_refused(done: Result) -> None:
    """The command ended with the error of an endpoint without trust, and its hint."""
    assert done.error is not None
    assert (type(done.error), done.error.code, done.code) == (NotAllowed, UNTRUSTED, 1)
    assert "lab trust-endpoint" in done.error.hint


@pytest.mark.parametrize(
    "words",
    [
        ("annotate", "pairs.jsonl"),
        ("ingest", "pairs.jsonl", "-w", "pairs.jsonl.annotations"),
        ("lab", "vectors", "rebuild", "-w", "pairs.jsonl.annotations", "--embedder", "remote:m"),
    ],
)
def test_without_a_terminal_nothing_is_sent(
    command: Command, endpoint: FakeEndpoint, planted: Path, words: tuple[str, ...]
) -> None:
    """Nor is anything stored; the hint is the command after which it works."""
    done = command(*words)
    check_refused(done)
    assert done.error is not None
    with workspaces.open(planted.with_name("pairs.jsonl.annotations")) as space:
        assert space.corpus.totals() == (0, 0, 0)
    assert endpoint.headers == []
    found = re.search(r"hint: .*tui-annotate (lab trust-endpoint .*)", done.err)  # without -w
    assert found is not None
    assert command(*shlex.split(found[1])).code == 0
    assert command("ingest", "pairs.jsonl", "-w", "pairs.jsonl.annotations").code == 0
    assert len(endpoint.texts) > 0
    assert {each.get("authorization") for each in endpoint.headers} == {None}


def test_a_dry_run_needs_no_trust(command: Command, endpoint: FakeEndpoint, planted: Path) -> None:
    """It sends nothing."""
    words = ("ingest", str(planted), "-w", "pairs.jsonl.annotations", "--dry-run", "--json")
    assert command(*words).json["cost"]["calls"] == 1
    assert endpoint.headers == []


def test_the_store_names_an_endpoint_too(
    command: Command, endpoint: FakeEndpoint, planted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An option trusts it for one run; the address that is then stored needs trust again."""
    folder = planted.with_name("pairs.jsonl.annotations")
    (folder / WORKSPACE_FILE).write_text("")
    named = ("--embedder", "remote:m", "--base-url", endpoint.url)
    assert command("ingest", str(planted), "-w", str(folder), *named).code == 0
    sent = len(endpoint.headers)
    more = write_pairs(planted.with_name("more.jsonl"), samples=5)
    check_refused(command("ingest", str(more), "-w", str(folder)))
    check_refused(command("lab", "vectors", "rebuild", "-w", str(folder)))
    check_refused(command("datasets", "replace", "pairs", str(more), "-w", str(folder)))
    with workspaces.open(folder) as space, pytest.raises(NotAllowed, check=has_code(UNTRUSTED)):
        space.ingest(more)
    assert len(endpoint.headers) == sent
    monkeypatch.setenv("TUI_ANNOTATE_TRUSTED_ENDPOINTS", endpoint.url)
    assert command("ingest", str(more), "-w", str(folder)).code == 0
    assert len(endpoint.headers) > sent


def test_an_argument_or_a_variable_trusts_for_the_run(
    endpoint: FakeEndpoint, planted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In Python, and in the environment; an address of the same host with another port is new."""
    folder = planted.with_name("pairs.jsonl.annotations")
    monkeypatch.setenv("TUI_ANNOTATE_BASE_URL", "http://127.0.0.1:1/v1")
    with (
        workspaces.open(folder, base_url="http://127.0.0.1:2/v1") as space,
        pytest.raises(NotAllowed),
    ):
        space.settings.endpoints.require(endpoint.url)
    monkeypatch.setenv("TUI_ANNOTATE_BASE_URL", endpoint.url)
    with workspaces.open(folder) as space:
        assert space.ingest(planted).embedded > 0


@pytest.mark.parametrize(
    ("answers", "is_sent", "key"),
    [
        (("n",), False, None),
        (("",), False, None),
        (("y", "n"), True, None),
        (("y", "y"), True, COMMON),
    ],
)
def test_a_terminal_asks_once(
    command: Command,
    endpoint: FakeEndpoint,
    planted: Path,
    answer: Answer,
    answers: tuple[str, ...],
    is_sent: bool,
    key: str | None,
) -> None:
    """The answer y is remembered, for texts and for the key apart; any other one sends nothing."""
    questions = answer(*answers)
    words = ("ingest", str(planted), "-w", "pairs.jsonl.annotations")
    done = command(*words)
    assert len(questions) == len(answers)
    if not is_sent:
        check_refused(done)
        assert (endpoint.headers, user_file().read_text()) == ([], "")
        return
    assert done.code == 0
    header = f"Bearer {key}" if key else None
    assert {each.get("authorization") for each in endpoint.headers} == {header}
    assert command(*words).code == 0
    assert len(questions) == len(answers)


def test_annotating_goes_on_without_vectors(
    command: Command,
    endpoint: FakeEndpoint,
    planted: Path,
    answer: Answer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The question comes before the screen; after a no, no process is started for vectors."""
    opened: list[Path] = []

    def open_screen(folder: Path, **_: object) -> int:
        opened.append(folder)
        return 0

    def compute(folder: Path, _: EndpointTrust) -> None:
        pytest.fail(f"texts of {folder} would be sent")

    monkeypatch.setattr("tui_annotate.cli.data_files._has_terminal", lambda: True)
    monkeypatch.setattr("tui_annotate.cli.screen.annotate", open_screen)
    monkeypatch.setattr("tui_annotate.cli.vectors.computing_vectors", compute)
    questions = answer("n")
    done = command("annotate", str(planted))
    assert (done.code, len(questions), opened) == (
        0,
        1,
        [planted.with_name("pairs.jsonl.annotations")],
    )
    assert endpoint.headers == []


def test_the_process_for_vectors_asks_nothing(
    endpoint: FakeEndpoint, planted: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """It has no terminal; what it was refused is printed when it ends."""
    from tui_annotate.cli.vectors import computing_vectors

    folder = planted.with_name("pairs.jsonl.annotations")
    with workspaces.open(folder) as space:
        space.ingest(planted, embed=False)
    with computing_vectors(folder, EndpointTrust()) as process:
        assert process.wait(60) == 1
    said = capfd.readouterr().err
    assert "\n  hint: if you trust it: tui-annotate lab trust-endpoint" in said
    assert endpoint.headers == []


def test_the_process_for_vectors_has_the_trust_of_the_run(
    endpoint: FakeEndpoint, planted: Path
) -> None:
    """Also where an answer could not be stored; texts and the key are trusted apart."""
    from tui_annotate.cli.vectors import computing_vectors

    folder = planted.with_name("pairs.jsonl.annotations")
    with workspaces.open(folder) as space:
        space.ingest(planted, embed=False)
    trust = EndpointTrust()
    trust.add(endpoint.url, with_key=False)
    with computing_vectors(folder, trust) as process:
        assert process.wait(60) == 0
    assert {each.get("authorization") for each in endpoint.headers} == {None}
    with workspaces.open(folder) as space:
        space.ingest(write_pairs(planted.with_name("more.jsonl"), samples=5), embed=False)
    trust.add(endpoint.url, with_key=True)
    with computing_vectors(folder, trust) as process:
        assert process.wait(60) == 0
    assert endpoint.headers[-1]["authorization"] == f"Bearer {COMMON}"


def test_a_refused_request_tells_how_to_send_the_key(
    command: Command, endpoint: FakeEndpoint, planted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key that stays here may be what the endpoint misses."""
    monkeypatch.setenv("TUI_ANNOTATE_TRUSTED_ENDPOINTS", endpoint.url)
    endpoint.script.append(refusal(401, "who are you?"))
    done = command("ingest", str(planted), "-w", "pairs.jsonl.annotations")
    assert "--with-key" in done.err
    assert "OPENAI_API_KEY" in done.err
    assert COMMON not in done.err
    monkeypatch.setenv("TUI_ANNOTATE_TRUSTED_ENDPOINTS_WITH_KEY", endpoint.url)
    assert command("ingest", str(planted), "-w", "pairs.jsonl.annotations").code == 0
    assert endpoint.headers[-1]["authorization"] == f"Bearer {COMMON}"


def test_an_own_key_is_not_sent_where_only_texts_are_trusted(
    command: Command, endpoint: FakeEndpoint, planted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may belong to another endpoint; where an option names the endpoint, it is sent."""
    monkeypatch.setenv("TUI_ANNOTATE_API_KEY", KEY)
    monkeypatch.setenv("TUI_ANNOTATE_TRUSTED_ENDPOINTS", endpoint.url)
    words = ("ingest", str(planted), "-w", "pairs.jsonl.annotations")
    assert command(*words).code == 0
    assert {each.get("authorization") for each in endpoint.headers} == {None}
    rebuild = (
        "lab",
        "vectors",
        "rebuild",
        "-w",
        "pairs.jsonl.annotations",
        "--base-url",
        endpoint.url,
    )
    assert command(*rebuild).code == 0
    assert endpoint.headers[-1]["authorization"] == f"Bearer {KEY}"


def test_a_command_trusts_an_origin(command: Command) -> None:
    """Of any URL at the endpoint; once; with a key in a list of its own."""
    trust = ("lab", "trust-endpoint")
    done = command(*trust, "HTTP://LocalHost:1/v1", "--json").json
    assert done == {"endpoint": "http://localhost:1", "with_key": False, "file": str(user_file())}
    command(*trust, "http://localhost:1")
    command(*trust, "https://a.example/v1", "--with-key")
    assert tomllib.loads(user_file().read_text()) == {
        "trusted_endpoints": ["http://localhost:1"],
        "trusted_endpoints_with_key": ["https://a.example"],
    }
    assert command(*trust, "localhost").code == 2


def test_what_the_settings_file_contains_stays(command: Command) -> None:
    """Comments, tables, other lists, and a link to a file elsewhere."""
    file, real = user_file(), user_file().with_name("dotfile")
    listed = 'trusted_endpoints = [\n  # at home\n  "http://a",\n]\n'
    text = f'theme = "light"  # mine\n{listed}[keys]\nundo = "z"\n'
    real.write_text(text)
    real.chmod(0o644)
    file.unlink()
    file.symlink_to(real)
    command("lab", "trust-endpoint", "http://b")
    assert file.is_symlink()
    assert real.read_text() == text.replace("= [", '= ["http://b", ', 1)
    assert real.stat().st_mode & 0o777 == 0o644
    real.write_text("theme = ")
    broken = command("lab", "trust-endpoint", "http://c")
    assert (broken.code, real.read_text()) == (2, "theme = ")


@pytest.mark.parametrize("has_name", [True, False])
def test_without_a_home_a_command_tells_what_to_set(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_name: bool
) -> None:
    """Nothing is written into the current folder, and the answer y holds for the run."""

    def find_folder(*_: object, **__: object) -> str:
        if has_name:
            return "~/.config/tui-annotate"
        raise RuntimeError("no home directory")

    monkeypatch.delenv("TUI_ANNOTATE_CONFIG")
    monkeypatch.setattr("platformdirs.user_config_dir", find_folder)
    done = command("lab", "trust-endpoint", "http://b")
    assert type(done.error) is Unavailable
    assert "TUI_ANNOTATE_CONFIG" in done.error.hint
    assert list(tmp_path.iterdir()) == []


def test_an_answer_that_cannot_be_stored_holds_for_the_run(
    command: Command,
    endpoint: FakeEndpoint,
    planted: Path,
    answer: Answer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In a home that cannot be written; it is told."""
    monkeypatch.setenv("TUI_ANNOTATE_CONFIG", "/proc/nowhere/config.toml")
    answer("y", "n")
    done = command("ingest", str(planted), "-w", "pairs.jsonl.annotations")
    assert (done.code, "warning" in done.err) == (0, True)
    assert endpoint.headers


def test_a_plug_in_gets_no_address_without_trust(
    endpoint: FakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A built-in one sends nothing; one of another package, which sends by itself, is not made."""
    with pytest.raises(NotAllowed, check=has_code(UNTRUSTED)):
        registry.load_embedder("remote:m", base_url=endpoint.url).embed(["text"])
    made: list[str] = []

    def make(options: EmbedderOptions) -> object:
        made.append(options.base_url)
        return registry.load_embedder("static")

    point = SimpleNamespace(load=lambda: make, dist=None, value="other:make")
    monkeypatch.setattr(registry, "_third_party", lambda _: {"other": point})
    with pytest.raises(NotAllowed, check=has_code(UNTRUSTED)):
        registry.load_embedder("other:m", base_url=endpoint.url)
    trust = EndpointTrust()
    trust.add(endpoint.url, with_key=False)
    registry.load_embedder("other:m", base_url=endpoint.url, trust=trust)
    assert (made, endpoint.headers) == ([endpoint.url], [])


@settings(max_examples=example_limit(200))
@given(st.lists(st.sampled_from(["http://a", 'quo"te', "b\\s"]), unique=True), st.booleans())
def test_any_list_of_a_file_can_be_extended(values: list[str], other: bool) -> None:
    """The new value comes first; the file stays valid."""
    import json

    text = f"names = {json.dumps(values)}\n" + ("[keys]\nundo = 'z'\n" if other else "")
    changed: dict[str, Any] = tomllib.loads(add_to_list(text, "names", "new"))
    assert changed == {**tomllib.loads(text), "names": ["new", *values]}
    missing = tomllib.loads(add_to_list(text, "others", "new"))
    assert missing == {**tomllib.loads(text), "others": ["new"]}


def test_the_end_of_input_is_no_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal that is closed trusts nothing."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert not endpoint_trust._is_yes("?")
