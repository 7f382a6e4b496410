"""Commands with an endpoint: priced before, remembered after, and the key never told or kept."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command, numbers
from tests.plugins.embedders.endpoint_server import KEY, FakeEndpoint, refusal, serving
from tests.plugins.loopback import Reply
from tests.services.ingest_stores import write_pairs
from tui_annotate import workspace as workspaces
from tui_annotate.cli import output
from tui_annotate.cli.ingest import describe_failed_texts
from tui_annotate.domain.errors import NotAllowed, Unavailable
from tui_annotate.plugins.retry import RetryPolicy
from tui_annotate.services.ingest.report import FailedText, IngestReport


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """A file of 20 pairs: 30 documents."""
    return write_pairs(tmp_path / "pairs.jsonl", samples=20)


def remote(endpoint: FakeEndpoint) -> tuple[str, ...]:
    """The options that name it."""
    return "--embedder", "remote:m", "--base-url", endpoint.url


def sent(endpoint: FakeEndpoint) -> int:
    """Code points that went over the line."""
    return sum(map(len, endpoint.texts))


def test_a_dry_run_tells_the_price_and_asks_nobody(
    command: Command, endpoint: FakeEndpoint, pairs: Path
) -> None:
    """To the character; what has vectors already costs nothing, what waits for them is counted."""
    command("init", ".")
    dry = ("ingest", str(pairs), "--dry-run")
    report = command(*dry, *remote(endpoint))
    cost = command(*dry, *remote(endpoint), "--json").json["cost"]
    price = report.out.splitlines()[1]
    assert "remote:m" in price
    assert numbers(price)[:3] == [1, cost["characters"], cost["tokens"]]
    assert endpoint.headers == []
    endpoint.script.extend([refusal(401, "no")])
    refused = command("ingest", str(pairs), *remote(endpoint))
    assert type(refused.error) is Unavailable
    assert "'remote:m'" in refused.error.message
    assert "lab vectors rebuild" in refused.error.hint
    assert command(*dry, *remote(endpoint), "--json").json["cost"] == cost
    command("ingest", str(pairs), *remote(endpoint))
    assert sent(endpoint) == cost["characters"]
    assert cost["tokens"] == -(-cost["characters"] // 4)
    assert command(*dry, "--json").json["cost"] == {"calls": 0, "characters": 0, "tokens": 0}
    assert command("ingest", str(pairs), "--dry-run", "--json").json["cost"]["calls"] == 0


def test_a_text_that_always_fails_is_named_and_counted(
    command: Command, endpoint: FakeEndpoint, pairs: Path
) -> None:
    """Exit code 3; all other vectors are stored, and a repeated command asks for it alone."""
    command("init", ".")
    rows = [json.loads(line) for line in pairs.read_text("utf-8").splitlines()]
    endpoint.poison = rows[3]["summary"].split(". ")[0] + ". "
    done = command("ingest", str(pairs), *remote(endpoint), "--json")
    assert (done.code, done.json["failed"], done.json["embedded"]) == (3, 1, 29)
    (failed,) = done.json["failed_texts"]
    place = {"dataset": "pairs", "sample": "4", "side": "summary", "document": ""}
    assert failed.items() >= place.items()
    assert (failed["start"], failed["end"]) == (0, len(endpoint.poison))
    assert "400" in failed["reason"]
    for again in (("ingest", str(pairs)), ("lab", "vectors", "rebuild", "--missing")):
        asked = sent(endpoint)
        done = command(*again, *remote(endpoint))
        assert done.code == 3
        assert "pairs/4" in done.err
        hint = f"tui-annotate lab vectors rebuild --missing --base-url {endpoint.url}\n"
        assert hint in done.err
        assert endpoint.poison.strip() not in done.err
        assert sent(endpoint) - asked < 500  # one sentence is compared, the others are known
    endpoint.poison = ""
    done = command(*hint.split()[1:], "--json")
    assert (done.code, done.json["failed"], done.json["embedded"]) == (0, 0, 1)
    (listed,) = command("lab", "vectors", "list", "--json").json
    assert (listed["documents"], listed["waiting"]) == (30, 0)


def test_failed_texts_beyond_those_that_are_listed_are_counted(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """The message names how many --json lists."""
    text = FailedText(
        dataset="d", sample="s", side="source", document="", start=0, end=1, reason="no"
    )
    for listed, expected in ((40, "20 more; list them"), (30, "20 more; list the first 30")):
        report = IngestReport(failed=40, failed_texts=[text] * listed)
        output.print_parts(describe_failed_texts(report))
        assert expected in capfd.readouterr().err


def test_a_request_has_a_time_limit(
    command: Command, endpoint: FakeEndpoint, pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An endpoint that does not reply in time is left; the error names the option."""
    once = partial(RetryPolicy, attempts=1, first_attempts=1)
    monkeypatch.setattr("tui_annotate.plugins.embedders.remote.RetryPolicy", once)
    command("init", ".")
    limit = ("--timeout", "0.1")
    for asked in (("ingest", str(pairs)), ("lab", "vectors", "rebuild")):
        endpoint.script.extend([Reply(late=True)] * 2)  # also for a harmless text
        done = command(*asked, *remote(endpoint), *limit)
        assert (done.code, "0.1 s" in done.err, "--timeout" in done.err) == (1, True, True)


def test_what_is_made_here_has_no_price(command: Command, pairs: Path) -> None:
    """Words alone, or vectors of this machine."""
    command("init", ".")
    dry = command("ingest", str(pairs), "--dry-run", "--embedder", "static", "--json")
    assert dry.json["cost"] is None
    command("ingest", str(pairs), "--embedder", "none")
    report = command("lab", "vectors", "rebuild", "--embedder", "static", "--dry-run")
    assert (report.code, report.out.count("\n"), numbers(report.out)) == (0, 1, [])
    assert command("lab", "vectors", "rebuild", "--dry-run", "--json").json == {"cost": None}


def test_a_rebuild_has_a_price_too(command: Command, endpoint: FakeEndpoint, pairs: Path) -> None:
    """That of all texts, or of those that are missing."""
    command("init", ".")
    command("ingest", str(pairs), "--embedder", "none")
    rebuild = ("lab", "vectors", "rebuild", *remote(endpoint))
    cost = command(*rebuild, "--dry-run", "--json").json["cost"]
    report = command(*rebuild, "--dry-run").out
    assert "remote:m" in report
    assert numbers(report)[:3] == [1, cost["characters"], cost["tokens"]]
    assert endpoint.headers == []
    assert command(*rebuild).code == 0
    assert sent(endpoint) == cost["characters"]
    assert command(*rebuild, "--dry-run", "--json").json["cost"]["characters"] == 0
    anew = command("lab", "vectors", "rebuild", "--dry-run", "--json").json["cost"]
    assert anew == cost


def test_the_key_is_kept_nowhere_and_told_to_nobody(
    command: Command, endpoint: FakeEndpoint, pairs: Path, tmp_path: Path
) -> None:
    """Not in a file of the workspace, nor in what commands print, whatever the endpoint says."""
    endpoint.script.extend([refusal(401, f"the key {KEY} is wrong"), Reply(402, body=KEY)])
    results = [
        command("init", "."),
        command("ingest", str(pairs), *remote(endpoint)),
        command("ingest", str(pairs), "--json", *remote(endpoint)),
        command("ingest", str(pairs), "--dimensions", "8", *remote(endpoint)),
        command("ingest", str(pairs)),
        command("lab", "vectors", "list", "--json"),
        command("doctor"),
        command("status"),
    ]
    assert endpoint.headers[-1]["authorization"] == f"Bearer {KEY}"
    assert "(401)" in results[1].err
    assert "TUI_ANNOTATE_API_KEY" in results[1].err
    assert command("lab", "vectors", "list", "--json").json[0]["documents"] == 30
    assert not [result for result in results if KEY in result.out + result.err]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


def test_a_workspace_file_can_name_an_endpoint(
    command: Command,
    endpoint: FakeEndpoint,
    pairs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With model and dimensions; once it is trusted, ingest needs no options at all."""
    monkeypatch.delenv("TUI_ANNOTATE_EMBEDDER")
    command("init", ".")
    settings = f'embedder = "remote:m"\nbase_url = "{endpoint.url}"\ndimensions = 4\n'
    (tmp_path / "tui-annotate.toml").write_text(settings, "utf-8")
    refused = command("ingest", str(pairs))
    assert (type(refused.error), endpoint.headers) == (NotAllowed, [])
    monkeypatch.setenv("TUI_ANNOTATE_TRUSTED_ENDPOINTS", endpoint.url)
    assert command("ingest", str(pairs), "--json").json["embedder"] == "remote:m"
    assert {question["dimensions"] for question in endpoint.answered} == {4}


def test_a_dataset_is_replaced_with_the_same_embedder(
    command: Command, endpoint: FakeEndpoint, pairs: Path, tmp_path: Path
) -> None:
    """From another address, where one is given."""
    command("init", ".")
    command("ingest", str(pairs), *remote(endpoint))
    other = write_pairs(tmp_path / "other.jsonl", samples=6)
    before = len(endpoint.answered)
    with serving() as moved:
        done = command("datasets", "replace", "pairs", str(other), "--base-url", moved.url)
        assert done.code == 0
        assert len(moved.answered) >= 1
    assert len(endpoint.answered) == before


def test_a_selection_asks_nobody(command: Command, endpoint: FakeEndpoint, pairs: Path) -> None:
    """Stored vectors of its sentence stand in for its own, and say so."""
    command("init", ".")
    command("ingest", str(pairs), *remote(endpoint))
    before = len(endpoint.headers)
    found = command(
        "lab",
        "match",
        "--sample",
        "1",
        "--side",
        "summary",
        "--span",
        "0:20",
        "--by",
        "vectors",
        "--json",
    )
    assert found.code == 0
    assert found.json["signals"] == "m only"
    assert len(endpoint.headers) == before


def test_a_killed_ingest_is_gone_on_with(
    endpoint: FakeEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed while an answer is on its way: in the end all is there, little was sent twice."""
    folder = tmp_path / "work"
    workspaces.create(folder).close()
    file = write_pairs(tmp_path / "many.jsonl", samples=400, sentences=30)
    arguments = [sys.executable, "-m", "tui_annotate", "ingest", str(file), "-w", str(folder)]
    answer = endpoint.reply
    started: list[subprocess.Popen[bytes]] = []

    def kills(path: str, question: dict[str, Any]) -> Reply:
        if len(endpoint.texts) > 4_000:
            started[0].send_signal(signal.SIGKILL)
        return answer(path, question)

    monkeypatch.setattr(endpoint, "reply", kills)
    process = subprocess.Popen(
        [*arguments, *remote(endpoint)], env=os.environ, stderr=subprocess.DEVNULL
    )
    started.append(process)
    assert process.wait() == -signal.SIGKILL
    monkeypatch.setattr(endpoint, "reply", answer)
    first = len(endpoint.texts)
    with workspaces.open(folder, trusted_endpoints=[endpoint.url]) as space:
        report = space.ingest(file)
        used = space.corpus.vector_set()
        assert used is not None
        assert space.corpus.waiting(used.table) == (0, 0)
    assert report.notes == []
    assert 0 < report.embedded < 600
    assert len(set(endpoint.texts)) >= 6_000
    assert len(endpoint.texts) - len(set(endpoint.texts)) < first


def test_a_change_in_passing_is_refused_with_the_whole_command(
    command: Command, endpoint: FakeEndpoint, pairs: Path, tmp_path: Path
) -> None:
    """Endpoint and dimensions stand in the line that the hint gives, so that it works."""
    command("init", ".")
    command("ingest", str(pairs), "--embedder", "static")
    how = (*remote(endpoint), "--dimensions", "8")
    refused = command("ingest", str(pairs), *how)
    assert refused.error is not None
    assert refused.code == 1
    assert f"tui-annotate lab vectors rebuild -w {tmp_path} {' '.join(how)}" in refused.error.hint
