"""What `lab position run` does with prompts that the endpoint refuses, and with limits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command, Result
from tests.plugins.chat_server import FakeChat, chatting, refusal
from tests.plugins.loopback import Reply


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeChat]:
    """An endpoint on loopback."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with chatting() as there:
        yield there


@pytest.fixture
def rows(command: Command, tmp_path: Path) -> Path:
    """Six key-value rows, and a workspace for the replies."""
    command("init", "work")
    path = tmp_path / "kv.jsonl"
    made = command(
        "lab", "position", "create-kv", "--keys", "4", "--examples", "6", "-o", str(path)
    )
    assert made.code == 0, made.err
    return path


def run(command: Command, chat: FakeChat, rows: Path, *words: str) -> Result:
    """The command that sends the prompts of the rows."""
    where = ("--model", "m", "--base-url", chat.url, "-w", "work")
    return command("lab", "position", "run", str(rows), *where, *words)


def test_a_refused_prompt_is_one_row(command: Command, chat: FakeChat, rows: Path) -> None:
    """Also the first one: the others have answers, and the exit code is 3."""
    out = rows.with_name("out.jsonl")
    chat.script.append(refusal(400, "maximum context length exceeded"))
    done = run(command, chat, rows, "-o", str(out), "--concurrency", "1", "--json")
    assert (done.code, done.json["refused"], done.json["unanswered"]) == (3, 1, {"2": 1})
    answers = [json.loads(line)["model_answer"] for line in out.read_text().splitlines()]
    assert answers == [None, *["1"] * 5]


def test_refusals_alone_are_an_error_of_the_endpoint(
    command: Command, chat: FakeChat, rows: Path
) -> None:
    """No row is written as if the model had been asked."""
    out = rows.with_name("out.jsonl")
    chat.script.extend([refusal(400, "no such model")] * 9)
    done = run(command, chat, rows, "-o", str(out))
    assert (done.code, out.exists()) == (1, False)
    assert "no such model" in done.err


def test_only_the_first_rows_are_sent(command: Command, chat: FakeChat, rows: Path) -> None:
    """--limit counts over all files; a plan counts them as well."""
    out = rows.with_name("out.jsonl")
    plan = run(command, chat, rows, "--limit", "2", "--dry-run", "--json")
    assert plan.json["rows"] == 2
    assert run(command, chat, rows, str(rows), "--limit", "2", "-o", str(out)).code == 0
    assert (len(out.read_text().splitlines()), len(chat.asked)) == (2, 2)


def test_a_broken_endpoint_is_left_soon(command: Command, chat: FakeChat, rows: Path) -> None:
    """After ten failures in a row no further row is begun."""
    broken: list[Any] = [refusal(500, "broken")] * 99

    def reply(path: str, body: dict[str, Any]) -> Reply:
        del path, body
        failed: Reply = broken.pop()
        return failed

    chat.reply = reply  # type: ignore[method-assign]
    done = run(command, chat, rows, "--max-retries", "0", "--concurrency", "2")
    assert done.code == 1
    assert len(broken) >= 99 - 12


def test_replies_are_in_the_cache_of_the_user(command: Command, chat: FakeChat, rows: Path) -> None:
    """Another workspace sends nothing again, unless --no-cache is passed."""
    run(command, chat, rows)
    command("init", "other")
    run(command, chat, rows, "-w", "other")
    assert len(chat.asked) == 6
    run(command, chat, rows, "--no-cache")
    assert len(chat.asked) == 12


def test_a_null_answer_is_no_answer(command: Command, rows: Path) -> None:
    """A row with a null model_answer is unanswered; the other rows of the file are scored."""
    lines = [json.loads(line) for line in rows.read_text().splitlines()]
    for at, row in enumerate(lines):
        row["model_answer"] = None if at == 0 else row["value"]
    rows.write_text("".join(json.dumps(row) + "\n" for row in lines))
    done = command("lab", "position", "evaluate", str(rows), "--json")
    assert done.code == 0, done.err
    del lines[1]["model_answer"]
    rows.write_text("".join(json.dumps(row) + "\n" for row in lines))
    missing = command("lab", "position", "evaluate", str(rows))
    assert (missing.code, f"{rows}:2" in missing.err) == (2, True)


@pytest.mark.parametrize("form", [(), ("--json",), ("--csv",)])
def test_no_score_at_all_is_exit_code_3(
    command: Command, rows: Path, form: tuple[str, ...]
) -> None:
    """The table is printed, and a message counts the rows by the reason."""
    lines = [json.loads(line) | {"model_answer": None} for line in rows.read_text().splitlines()]
    rows.write_text("".join(json.dumps(row) + "\n" for row in lines))
    done = command("lab", "position", "evaluate", str(rows), *form)
    assert (done.code, "without an answer: 6" in done.err) == (3, True)
    assert "Traceback" not in done.err
    assert done.out
