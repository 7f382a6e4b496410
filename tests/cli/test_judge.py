"""The commands of judges: files and datasets in, tables, files and JSON out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command, Result
from tests.plugins.chat_server import KEY, FakeChat, chatting, refusal
from tests.services.scripted_judge import Script, contexts

ROWS: list[dict[str, Any]] = [
    {
        "question": "Who built the bridge?",
        "contexts": contexts(5, 0, 9, 1, 0, 7, 3, 2),
        "answer": "It was built.",
        "ground_truth": "Eiffel built it.",
    },
    {"question": "Is it \x1b[31mred?", "contexts": contexts(0), "answer": None},
]


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeChat]:
    """An endpoint that knows how relevant each text is."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    with chatting(Script(gathered=lambda _: "Answer: \x1b[2J5")) as there:
        yield there


@pytest.fixture
def rag(tmp_path: Path) -> Path:
    """Two questions in a file."""
    path = tmp_path / "rag.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def ask(command: Command, chat: FakeChat, *words: Any) -> Result:
    """A command of judges, at the endpoint."""
    return command("judge", *map(str, words), "--model", "m", "--base-url", chat.url)


def test_sort_writes_the_published_form(
    command: Command, chat: FakeChat, rag: Path, tmp_path: Path
) -> None:
    """The fields and types of the project, figures with 3 decimals; null with a reason."""
    done = ask(command, chat, "sort", rag, "-k", 3, "-o", tmp_path / "sorted.json")
    assert done.code == 0
    first, second = json.loads((tmp_path / "sorted.json").read_text())
    assert {name: first[name] for name in first if name != "contexts"} == {
        "question": ROWS[0]["question"],
        "good": [0, 2, 3, 5, 6, 7], "bad": [1, 4], "sorted": [2, 5, 0, 6, 7, 3],
        "spearman": 0.429, "sim": 0.667, "overlap": [2, 0],
    }  # fmt: skip
    assert (second["spearman"], second["sorted"]) == (None, [])
    assert second["reason"]
    assert "0.429" in done.out
    assert "mean spearman: 0.429 of 1; without: 1" in done.out
    assert "\x1b" not in done.out + done.err
    assert "20 asked" in done.err


def test_the_second_time_costs_nothing(
    command: Command, chat: FakeChat, rag: Path, tmp_path: Path
) -> None:
    """Replies are kept beside the output; the plan says so, and asks nobody."""
    target = tmp_path / "sorted.json"
    kept = tmp_path / "sorted.json.replies.jsonl"
    plan = command("judge", "sort", str(rag), "--model", "m", "--dry-run")
    assert "2 questions: 26 calls at most, 0 known" in plan.out
    assert not chat.headers
    ask(command, chat, "sort", rag, "-o", target)
    assert kept.exists()
    again = ask(command, chat, "sort", rag, "-o", target)
    assert "0 asked" in again.err
    plan = ask(command, chat, "sort", rag, "--cache", kept, "--dry-run", "--json")
    assert plan.json == {"questions": 2, "calls": 20, "cached": 20, "characters": 0}


def test_without_a_place_replies_are_not_kept(command: Command, chat: FakeChat, rag: Path) -> None:
    """It is told before anything is asked; the JSON is that of the file."""
    done = ask(command, chat, "sort", rag, "--no-screen", "--bottom", "--swap", "--json")
    assert "replies are not kept" in done.err
    assert done.json[0]["good"] is None


def test_generate_writes_lines_and_files(
    command: Command, chat: FakeChat, rag: Path, tmp_path: Path
) -> None:
    """Lines that are read again, and the files of the project with names that fit."""
    out = tmp_path / "truths.jsonl"
    done = ask(command, chat, "generate", rag, "-o", out, "--gt-dir", tmp_path / "gt")
    assert done.code == 0
    assert "\x1b" not in done.out + done.err
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["ground_truth"] for line in lines] == ["\x1b[2J5", "\x1b[2J5"]
    files = sorted((tmp_path / "gt").iterdir())
    assert [file.name for file in files] == [
        "GT_Is it _31mred.json",
        "GT_Who built the bridge.json",
    ]
    told = json.loads(files[1].read_text())
    assert list(told) == ["question", "contexts", "ground_truth"]
    assert told["ground_truth"] == "答案: \x1b[2J5"
    assert ask(command, chat, "sort", out).code == 0


def test_generate_tells_what_nobody_knows(command: Command, chat: FakeChat, rag: Path) -> None:
    """It is no failure: null, with the reason, and a line that says how many."""
    chat.answer = lambda _: "unknown"
    done = ask(command, chat, "generate", rag, "--json", "--slow")
    assert done.code == 0
    assert [each["ground_truth"] for each in done.json] == [None, None]
    assert "without an answer: 2 questions" in done.err
    assert "do not tell" in ask(command, chat, "generate", rag).out


def test_generate_plans(command: Command, chat: FakeChat, rag: Path) -> None:
    """Nobody is asked."""
    done = ask(command, chat, "generate", rag, "--dry-run", "--json")
    assert (done.json["calls"], chat.asked) == (2, [])


@pytest.mark.parametrize("ending", ["xlsx", "csv", "jsonl"])
def test_evaluate_writes_tables(
    command: Command, chat: FakeChat, rag: Path, tmp_path: Path, ending: str
) -> None:
    """The means are printed, what was generated is told."""
    chat.answer = Script()
    out = tmp_path / f"result.{ending}"
    done = ask(command, chat, "evaluate", rag, "-o", out, "--embedder", "static")
    assert done.code == 0
    assert out.stat().st_size > 100
    assert "mean faithfulness: 0.500 of 2; without: 0" in done.out
    assert "generated first: 1 answer\n" in done.err
    assert "generated first: 1 ground truth\n" in done.err


def test_evaluate_prints_json(command: Command, chat: FakeChat, rag: Path) -> None:
    """Means with counts, and a row for each question; chosen metrics alone."""
    chat.answer = Script(statements=())
    words = ("--metric", "faithfulness", "--metric", "context_recall", "--json")
    done = ask(command, chat, "evaluate", rag, *words)
    assert done.json["means"] == {
        "faithfulness": {"mean": None, "count": 0, "missing": 2},
        "context_recall": {"mean": 0.5, "count": 2, "missing": 0},
    }
    assert done.json["rows"][0]["reasons"] == {"faithfulness": "the answer states nothing"}
    plan = ask(command, chat, "evaluate", rag, "--dry-run", "--json")
    assert plan.json["calls"] == 2 + 3 + 8 + 1 + 2 + 3 + 1 + 1 + 2


def test_without_vectors_one_score_is_missing(command: Command, chat: FakeChat, rag: Path) -> None:
    """The others are there."""
    chat.answer = Script()
    done = ask(command, chat, "evaluate", rag, "--embedder", "none")
    assert "mean answer_relevancy: - of 0; without: 2" in done.out


def test_a_dataset_keeps_what_is_said(command: Command, chat: FakeChat, rag: Path) -> None:
    """Runs stand in the workspace, replies too; a manager's settings name the judge."""
    chat.answer = Script()
    command("init", "work")
    command(
        "ingest",
        "-w",
        "work",
        "--format",
        "rag",
        "--dataset",
        "rag",
        "--embedder",
        "none",
        str(rag),
    )
    settings = Path("work/tui-annotate.toml")
    settings.write_text(f'judge_model = "m"\njudge_url = "{chat.url}"\n')
    for deed in (("sort",), ("generate",), ("evaluate", "--embedder", "static")):
        done = command("judge", *deed, "--dataset", "rag", "-w", "work")
        assert done.code == 0, done.err
    asked = len(chat.asked)
    command("judge", "sort", "--dataset", "rag", "-w", "work")
    assert len(chat.asked) == asked
    from tui_annotate import workspace

    with workspace.open("work") as space:
        makers = [run.maker for run in space.machines.scores.runs("rag")]
        assert makers == ["judge-sort:m", "judge-generate:m", "judge-evaluate:m", "judge-sort:m"]
        assert "judge_order" in space.machines.scores.names("rag")


def test_prompts_can_be_changed(
    command: Command, chat: FakeChat, rag: Path, tmp_path: Path
) -> None:
    """They are written once, and stand in for ours where they are named; a broken one is told."""
    mine = tmp_path / "mine"
    assert "prompts written" in command("judge", "prompts", str(mine)).out
    assert (mine / "pair.zh.txt").exists()
    own = mine / "screen.en.txt"
    own.write_text("Mine {question} {context} if only in part\n")
    assert command("judge", "prompts", str(mine)).out.endswith(": 0\n")
    ask(command, chat, "sort", rag, "--prompts", mine)
    assert sum(prompt.startswith("Mine") for prompt in chat.prompts) == 9
    own.write_text("Mine {question}")
    broken = ask(command, chat, "sort", rag, "--prompts", mine)
    assert (broken.code, "screen.en.txt lacks {context}" in broken.err) == (2, True)
    assert command("judge", "prompts", str(rag)).code == 1
    assert ask(command, chat, "sort", rag, "--prompts", tmp_path / "none").code == 2


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["sort"], 2, "name a file, or a dataset"),
        (["sort", "rag.jsonl", "--dataset", "x"], 2, "name a file, or a dataset"),
        (["sort", "none.jsonl"], 2, "there is no file none.jsonl"),
        (["sort", "RAG", "--language", "de"], 2, "no prompts in 'de'"),
        (["evaluate", "RAG", "--metric", "beauty"], 2, "no metric 'beauty'"),
        (["evaluate", "RAG", "--backend", "other"], 2, "no back end 'other'"),
        (["generate", "RAG", "--gt-dir", "RAG"], 2, "is a file"),
    ],
)
def test_what_can_not_be_done(
    command: Command, chat: FakeChat, rag: Path, words: list[str], code: int, told: str
) -> None:
    """It is told before anybody is asked, as far as it can be known."""
    done = ask(command, chat, *[str(rag) if word == "RAG" else word for word in words])
    assert (done.code, told in done.err) == (code, True), done.err


def test_nobody_is_asked_who_was_not_named(
    command: Command, rag: Path, monkeypatch: pytest.MonkeyPatch, chat: FakeChat
) -> None:
    """Neither the library's variables nor the embedder's endpoint are an address of a judge."""
    monkeypatch.setenv("OPENAI_BASE_URL", chat.url)
    monkeypatch.setenv("TUI_ANNOTATE_BASE_URL", chat.url)
    done = command("judge", "sort", str(rag), "--model", "m")
    assert (done.code, "nobody said where the model is" in done.err) == (2, True)
    assert not chat.headers


def test_a_broken_file_is_told(command: Command, chat: FakeChat, rag: Path) -> None:
    """With its line, before anybody is asked."""
    rag.write_text(rag.read_text() + '{"question": 1, "contexts": ["a"]}\n')
    done = ask(command, chat, "sort", rag)
    assert (done.code, "rag.jsonl:3" in done.err) == (2, True)
    assert not chat.asked


def test_a_hostile_endpoint_changes_nothing(
    command: Command,
    chat: FakeChat,
    rag: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No file, no escape code on the terminal, and the key nowhere."""
    monkeypatch.setenv("TUI_ANNOTATE_API_KEY", KEY)
    chat.script.extend([refusal(403, f"\x1b[2J{KEY}")] * 20)
    done = ask(command, chat, "sort", rag, "-o", tmp_path / "out.json")
    assert done.code == 1
    assert "\x1b" not in done.err
    chat.script.clear()
    ask(command, chat, "sort", rag, "-o", tmp_path / "out.json")
    told = [done.out, done.err, *(p.read_text() for p in tmp_path.rglob("out.json*"))]
    assert not [each for each in told if KEY in each]


def test_unclear_replies_are_told(command: Command, chat: FakeChat, rag: Path) -> None:
    """How often was asked again, and what stayed unclear."""
    chat.answer = lambda _: "perhaps"
    done = ask(command, chat, "sort", rag)
    assert "unclear: 18" in done.err
    assert "not counted on: 9" in done.err
