"""The commands of judges."""

from __future__ import annotations

import csv
import json
import re
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import tui_annotate
from tests.cli.conftest import Command, Result
from tests.helpers.printed_numbers import printed_numbers
from tests.lab.chat.scripted_judge import Script, contexts
from tests.plugins.chat_server import KEY, FakeChat, chatting, refusal
from tests.plugins.embedders.endpoint_server import serving
from tests.plugins.loopback import Reply
from tui_annotate.domain.errors import InvalidInput, NotAllowed, NotFound
from tui_annotate.lab.judge.evaluation import MetricScore
from tui_annotate.lab.judge.metrics import MissingReason
from tui_annotate.plugins.retry import (
    REPEAT_HINT,
    REPEAT_VECTORS_HINT,
    RESUME_HINT,
    RetryPolicy,
)
from tui_annotate.settings import workspaces

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
    return command("lab", "judge", *map(str, words), "--model", "m", "--base-url", chat.url)


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
        "spearman": 0.429, "sim": 0.667, "overlap": [2, 0], "covered": False,
        "unclear": 0,
        "refused": 0,
        "failed": 0,
    }  # fmt: skip
    assert (second["spearman"], second["sorted"]) == (None, [])
    assert second["reason"]
    assert "0.429" in done.out
    assert re.search(r"spearman\D+0\.429\D+1\D+1", done.out)
    assert "\x1b" not in done.out + done.err
    assert re.search(r"\b20 .* 0\b", done.err)


def test_the_second_time_costs_nothing(
    command: Command, chat: FakeChat, rag: Path, tmp_path: Path
) -> None:
    """Replies are in one cache per user, whatever the output; the plan says so."""
    plan = command("lab", "judge", "sort", str(rag), "--model", "m", "--dry-run")
    assert re.search(r"\b2\b\D+\b26\b\D+\b0\b", plan.out)
    assert not chat.headers
    ask(command, chat, "sort", rag)
    asked = len(chat.asked)
    assert asked == 20
    for words in ((), ("-o", tmp_path / "a.json"), ("-o", tmp_path / "b.json"), ("--json",)):
        again = ask(command, chat, "sort", rag, *words)
        assert re.search(r"\b0 .* 20\b", again.err)
    questions = [row["question"] for row in ROWS]
    given = [row["contexts"] for row in ROWS]
    tui_annotate.sort(questions, given, model="m", base_url=chat.url)
    assert len(chat.asked) == asked
    assert [path.name for path in tmp_path.glob("*.replies.jsonl")] == []
    plan = ask(command, chat, "sort", rag, "--dry-run", "--json")
    assert plan.json == {"questions": 2, "calls": 20, "cached": 20, "characters": 0}


def test_a_dataset_and_a_file_share_replies(command: Command, chat: FakeChat, rag: Path) -> None:
    """What was asked for a dataset is known for a file, and the other way round."""
    chat.answer = Script()
    command("init", "work")
    rag.write_text("".join(json.dumps(row | {"answer": "It."}) + "\n" for row in ROWS))
    command("ingest", "-w", "work", "--from", "rag", "--embedder", "none", str(rag))
    dataset = ("--dataset", "rag", "-w", "work")
    ask(command, chat, "sort", *dataset)
    ask(command, chat, "generate", rag)
    asked = len(chat.asked)
    ask(command, chat, "sort", rag)
    ask(command, chat, "generate", *dataset)
    assert len(chat.asked) == asked


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this machine")
def test_an_output_that_cannot_be_written_names_what_is_stored(
    command: Command, chat: FakeChat, rag: Path
) -> None:
    """The results for a dataset are in the workspace, those for a file nowhere."""
    chat.answer = Script()
    command("init", "work")
    command("ingest", "-w", "work", "--from", "rag", "--embedder", "none", str(rag))
    for source, hint in (
        (("--dataset", "rag", "-w", "work"), "the results are stored in the workspace"),
        ((rag,), "nothing was changed"),
    ):
        done = ask(command, chat, "sort", *source, "-o", "/dev/full")
        assert (done.code, done.error and done.error.hint) == (1, hint)


def test_other_addresses_models_and_no_cache_are_asked_again(
    command: Command, chat: FakeChat, rag: Path, tmp_path: Path
) -> None:
    """A reply belongs to its address and model; --cache and --no-cache are on their own."""
    ask(command, chat, "sort", rag)
    with chatting(Script()) as other:
        ask(command, other, "sort", rag)
        assert len(other.asked) == 20
        ask(command, other, "sort", rag)
        assert len(other.asked) == 20
    command("lab", "judge", "sort", str(rag), "--model", "n", "--base-url", chat.url)
    assert len(chat.asked) == 2 * 20
    ask(command, chat, "sort", rag, "--no-cache")
    assert len(chat.asked) == 3 * 20
    own = ("--cache", tmp_path / "own.jsonl")
    for _ in range(2):
        ask(command, chat, "sort", rag, *own)
        assert len(chat.asked) == 4 * 20
    assert ask(command, chat, "sort", rag, *own, "--no-cache").code == 2


@pytest.mark.parametrize("name", ["guidelines.md", "pseudonyms.key", "log/replies.jsonl"])
def test_no_cache_is_a_file_that_a_workspace_keeps(
    command: Command, chat: FakeChat, rag: Path, tmp_path: Path, name: str
) -> None:
    """Also if the file is missing: nothing is created, and nothing is sent."""
    command("init", "w")
    before = sorted((tmp_path / "w").rglob("*"))
    for file in (tmp_path / "w" / name, tmp_path / "w" / "labels.yaml"):
        done = ask(command, chat, "sort", rag, "--cache", file)
        assert (done.code, done.error and done.error.code) == (2, "workspace-file")
    assert (sorted((tmp_path / "w").rglob("*")), len(chat.asked)) == (before, 0)


def test_replies_next_to_an_output_are_still_used(
    command: Command, chat: FakeChat, rag: Path, tmp_path: Path
) -> None:
    """The file of an earlier version is read and left as it is; a damaged line is skipped."""
    former = tmp_path / "sorted.json.replies.jsonl"
    ask(command, chat, "sort", rag, "--cache", former)
    former.write_text("broken\n" + former.read_text())
    content = former.read_bytes()
    asked = len(chat.asked)
    ask(command, chat, "sort", rag, "-o", tmp_path / "sorted.json")
    assert (len(chat.asked), former.read_bytes()) == (asked, content)


def test_the_cache_is_shown_and_deleted(
    command: Command, chat: FakeChat, rag: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its path, size and number of replies; deleted only after a confirmation."""
    assert command("lab", "judge", "cache", "--json").json["bytes"] == 0
    ask(command, chat, "sort", rag)
    shown = command("lab", "judge", "cache", "--json").json
    path = Path(shown["file"])
    assert (shown["replies"], shown["bytes"]) == (20, path.stat().st_size)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert ["20"] in printed_numbers(command("lab", "judge", "cache").out)
    assert command("lab", "judge", "cache", "--delete").code == 2
    assert path.exists()
    path.chmod(0o644)  # as a copy of it may be
    ask(command, chat, "sort", rag)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert command("lab", "judge", "cache", "--delete", "--yes", "--json").json["deleted"]
    assert not path.exists()
    again = ("lab", "judge", "cache", "--delete", "--yes")
    assert (command(*again, "--json").json["deleted"], command(*again).code) == (False, 0)
    assert "deleted" not in command(*again).err
    ask(command, chat, "sort", rag)
    assert len(chat.asked) == 2 * 20
    monkeypatch.delenv("TUI_ANNOTATE_STATE")
    monkeypatch.setattr("platformdirs.user_state_dir", no_home)
    assert command("lab", "judge", "cache").code == 1


def test_without_a_home_nothing_is_cached(
    command: Command,
    chat: FakeChat,
    rag: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """One warning, and the command does its work; so too if the folder cannot be written."""
    monkeypatch.setenv("TUI_ANNOTATE_STATE", str(rag / "below"))
    assert ask(command, chat, "sort", rag).code == 0
    assert len(caplog.records) == 1
    caplog.clear()
    monkeypatch.delenv("TUI_ANNOTATE_STATE")
    monkeypatch.setattr("platformdirs.user_state_dir", no_home)
    assert ask(command, chat, "sort", rag).code == 0
    assert len(caplog.records) == 1
    assert len(chat.asked) == 2 * 20


def no_home(*_: Any, **__: Any) -> str:
    """What platformdirs does for a user without a home."""
    raise RuntimeError("could not determine the home directory")


def test_generate_writes_lines_and_files(
    command: Command, chat: FakeChat, rag: Path, tmp_path: Path
) -> None:
    """Lines that are read again, and the files of the project with names that fit."""
    out = tmp_path / "truths.jsonl"
    done = ask(command, chat, "generate", rag, "-o", out, "--answers-dir", tmp_path / "gt")
    assert done.code == 0
    assert "\x1b" not in done.out + done.err
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["ground_truth"] for line in lines] == ["\x1b[2J5", "\x1b[2J5"]
    files = sorted((tmp_path / "gt").iterdir())
    assert [file.name for file in files] == [
        "GT_Is it _31mred.json",
        "GT_Who built the bridge.json",
    ]
    report = json.loads(files[1].read_text())
    assert list(report) == ["question", "contexts", "ground_truth"]
    assert report["ground_truth"] == "答案: \x1b[2J5"
    assert ask(command, chat, "sort", out).code == 0


def test_generate_tells_what_nobody_knows(command: Command, chat: FakeChat, rag: Path) -> None:
    """Null, with the reason, and a line that says how many; no answer at all is exit code 3."""
    chat.answer = lambda _: "unknown"
    done = ask(command, chat, "generate", rag, "--json", "--one-by-one")
    assert done.code == 3
    assert [each["ground_truth"] for each in done.json] == [None, None]
    assert ["2"] in printed_numbers(done.err)
    assert {each["reason"] for each in done.json} == {MissingReason.UNKNOWN_ANSWER}
    assert MissingReason.UNKNOWN_ANSWER in ask(command, chat, "generate", rag).out


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
    assert re.search(r"faithfulness\D+0\.500\D+2\D+0", done.out)
    rows = ask(command, chat, "evaluate", rag, "--embedder", "static", "--json").json["rows"]
    assert [row["generated"] for row in rows] == [[], ["answer", "ground_truth"]]


def test_evaluate_prints_json(command: Command, chat: FakeChat, rag: Path) -> None:
    """Means with counts, and a row for each question; chosen metrics alone."""
    chat.answer = Script(statements=())
    words = ("--metric", "faithfulness", "--metric", "context_recall", "--json")
    done = ask(command, chat, "evaluate", rag, *words)
    assert done.json["means"] == {
        "faithfulness": {
            "mean": None,
            "count": 0,
            "missing": 2,
            "reasons": {MissingReason.EMPTY_ANSWER: 2},
        },
        "context_recall": {"mean": 0.5, "count": 2, "missing": 0, "reasons": {}},
    }
    assert done.json["rows"][0]["reasons"] == {"faithfulness": MissingReason.EMPTY_ANSWER}
    plan = ask(command, chat, "evaluate", rag, "--dry-run", "--json")
    assert plan.json["calls"] == 2 + 3 + 8 + 1 + 2 + 3 + 1 + 1 + 2


def test_without_an_embedder_questions_are_compared_by_words(
    command: Command, chat: FakeChat, rag: Path
) -> None:
    """The similarity is printed; all metrics have values."""
    chat.answer = Script()
    done = ask(command, chat, "evaluate", rag, "--embedder", "none")
    assert done.code == 0, done.err
    assert re.search(r"answer_relevancy: 0\.\d+\D+2\D+0", done.out)
    assert "answer_relevancy by the similarity of words" in done.out


@pytest.mark.parametrize("metrics", [["answer_relevancy"], ["answer_relevancy", "faithfulness"]])
def test_a_metric_without_a_value_is_exit_code_3(
    command: Command, chat: FakeChat, rag: Path, tmp_path: Path, metrics: list[str]
) -> None:
    """The results are written, and a message names the metric and the reason."""
    chat.answer = Script()
    words = [word for metric in metrics for word in ("--metric", metric)]
    words += ["--embedder", "none", "--similarity", "vectors", "-o", str(tmp_path / "out.jsonl")]
    done = ask(command, chat, "evaluate", rag, *words)
    assert (done.code, (tmp_path / "out.jsonl").exists()) == (3, True)
    (line,) = [each for each in done.err.splitlines() if "no value for any question" in each]
    assert ("answer_relevancy" in line, MissingReason.NO_VECTORS in line) == (True, True)


@pytest.mark.parametrize(
    ("words", "said", "reason"),
    [
        (("sort",), "0", MissingReason.NO_USEFUL_CONTEXT),
        (("generate",), "unknown", MissingReason.UNKNOWN_ANSWER),
        (("evaluate", "--metric", "faithfulness"), "[]", MissingReason.EMPTY_ANSWER),
    ],
)
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_run_without_any_value_is_exit_code_3(
    command: Command,
    chat: FakeChat,
    rag: Path,
    words: tuple[str, ...],
    said: str,
    reason: str,
    form: tuple[str, ...],
) -> None:
    """Although each reply was clear; a message states the most frequent reason, JSON each one."""
    rag.write_text("".join(json.dumps(row | {"answer": "It."}) + "\n" for row in ROWS))
    chat.answer = lambda _: said
    done = ask(command, chat, *words, rag, *form)
    assert (done.code, f"most frequent reason: {reason} (2 questions)" in done.err) == (3, True)
    assert not form or json.dumps(str(reason)) in done.out


def test_an_interrupted_run_without_a_cache_starts_again(
    command: Command, chat: FakeChat, rag: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl+C promises a continuation only if the replies so far are cached."""

    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tui_annotate.lab.judge.runner.JudgeRunner.run", interrupt)
    command("init", "work")
    command("ingest", "-w", "work", "--from", "rag", "--embedder", "none", str(rag))
    for source in ((rag,), ("--dataset", "rag", "-w", "work")):
        for words, continues in (((), True), (("--no-cache",), False)):
            done = ask(command, chat, "sort", *source, *words)
            assert (done.code, "to continue" in done.err) == (130, continues)
            assert ("asks again" in done.err) is not continues


def test_the_oldest_replies_are_deleted(command: Command, chat: FakeChat, rag: Path) -> None:
    """--keep leaves the newest replies; only these are not asked for again."""
    ask(command, chat, "sort", rag, "--concurrency", "1")
    path = Path(command("lab", "judge", "cache", "--json").json["file"])
    newest = path.read_text().splitlines()[-5:]
    assert command("lab", "judge", "cache", "--keep", "5").code == 2
    done = command("lab", "judge", "cache", "--delete", "--keep", "5", "--yes", "--json").json
    assert (done["deleted"], done["deleted_replies"]) == (True, 15)
    assert path.read_text().splitlines() == newest
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in path.parent.iterdir() if each.name.startswith(path.name)] == [
        path.name
    ]
    again = command("lab", "judge", "cache", "--delete", "--keep", "5", "--yes", "--json").json
    assert (again["deleted"], again["deleted_replies"]) == (False, 0)
    ask(command, chat, "sort", rag, "--concurrency", "1")
    assert len(chat.asked) == 20 + 15


def test_a_cache_of_another_user_is_not_used(
    command: Command,
    chat: FakeChat,
    rag: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Someone who may write to the folder could have put replies there; one warning."""
    ask(command, chat, "sort", rag)
    path = Path(command("lab", "judge", "cache", "--json").json["file"])
    content = path.read_bytes()
    monkeypatch.setattr("tui_annotate.settings.workspaces._own_ids", set)
    assert ask(command, chat, "sort", rag).code == 0
    assert (len(chat.asked), len(caplog.records)) == (2 * 20, 1)
    assert path.read_bytes() == content


def test_a_run_without_a_cache_promises_no_continuation(
    command: Command, chat: FakeChat, rag: Path
) -> None:
    """After an error of the endpoint, with --no-cache a repeated run starts again."""
    once = ("--max-retries", "0", "--concurrency", "1")
    for words, continues in (((), True), (("--no-cache",), False)):
        # All questions fail, so that the run ends; one of them fails, so that the others are done.
        for failures, code in ((99, 1), (1, 3)):
            chat.script.extend([refusal(500, "broken")] * failures)
            done = ask(command, chat, "sort", rag, *once, *words)
            hints = (RESUME_HINT in done.err, REPEAT_HINT in done.err)
            assert (done.code, *hints) == (code, continues, not continues)
            chat.script.clear()


def test_a_broken_embedder_loses_no_replies(
    command: Command, chat: FakeChat, rag: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hint states that its vectors are not kept; the judge's replies are."""
    chat.answer = Script()
    with serving() as endpoint:
        monkeypatch.setenv("TUI_ANNOTATE_BASE_URL", endpoint.url)
        words = ("--metric", "answer_relevancy", "--embedder", "remote:e", "--max-retries", "0")
        for fresh in (True, False):
            before = len(chat.asked)
            endpoint.script.extend([refusal(500, "broken")] * 9)
            done = ask(command, chat, "evaluate", rag, *words, "--concurrency", "1")
            assert (done.code, REPEAT_VECTORS_HINT in done.err) == (1, True)
            assert "results of this run" not in done.err
            assert (len(chat.asked) > before + 1) is fresh


def test_the_similarity_is_printed(command: Command, chat: FakeChat, rag: Path) -> None:
    """Chinese has no static vectors: it is compared by words, apart from the others."""
    rows = [
        {"question": "谁建造了这座桥？", "contexts": ["桥"], "answer": "埃菲尔。"},
        {"question": "What?", "contexts": ["a"], "answer": "It."},
    ]
    rag.write_text("".join(json.dumps(row) + "\n" for row in rows))
    questions = {"埃菲尔": "谁建造了这座桥？", "It.": "What?"}
    chat.answer = lambda prompt: json.dumps(
        {
            "question": next(each for name, each in questions.items() if name in prompt),
            "noncommittal": 0,
        }
    )
    words = ("evaluate", rag, "--metric", "answer_relevancy", "--embedder", "static")
    done = ask(command, chat, *words, "--json")
    assert done.json["similarities"] == {
        "vectors": {"mean": pytest.approx(1), "count": 1},
        "words": {"mean": pytest.approx(1), "count": 1},
    }
    assert [row["similarity"] for row in done.json["rows"]] == ["words", "vectors"]
    assert done.json["embedder"].startswith("static")
    printed = ask(command, chat, *words)
    assert re.search(r"vectors of static.*1\.000.*\b1\b", printed.out)
    assert re.search(r"similarity of words.*1\.000.*\b1\b", printed.out)
    assert "--similarity" in printed.err
    alone = ask(command, chat, *words, "--similarity", "words", "--json")
    assert list(alone.json["similarities"]) == ["words"]


@pytest.mark.parametrize("name", ["sort", "generate", "evaluate"])
def test_a_request_has_a_time_limit(
    command: Command,
    chat: FakeChat,
    rag: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    """An endpoint that does not reply in time ends the command, which names the option."""
    once = partial(RetryPolicy, attempts=1, first_attempts=1)
    monkeypatch.setattr("tui_annotate.lab.chat.llm_judge.RetryPolicy", once)
    chat.script.extend([Reply(late=True)] * 99)
    done = ask(command, chat, name, rag, "--timeout", "0.1")
    assert (done.code, "0.1 s" in done.err, "--timeout" in done.err) == (1, True, True), done.err
    assert ask(command, chat, name, rag, "--timeout", "0").code == 2
    assert ask(command, chat, name, rag, "--timeout", "nan").code == 2
    assert ask(command, chat, name, rag, "--max-unclear", "nan").code == 2


def test_thinking_is_no_part_of_answers(command: Command, chat: FakeChat, rag: Path) -> None:
    """Neither of generated nor of given answers, unless --keep-thinking keeps it."""
    script = Script()
    chat.answer = lambda prompt: f"<think>1 or 2?</think>{script(prompt)}"
    assert ask(command, chat, "sort", rag, "--json").json[0]["spearman"] == 0.429
    found = ask(command, chat, "generate", rag, "--json").json
    assert [each["ground_truth"] for each in found] == ["found", "found"]
    kept = ask(command, chat, "generate", rag, "--keep-thinking", "--json").json
    assert kept[0]["ground_truth"] == "<think>1 or 2?</think>Answer: found"
    rag.write_text(rag.read_text().replace("It was built", "<think>hm</think>It was built"))
    chat.asked.clear()
    faithful = ("evaluate", rag, "--metric", "faithfulness", "--json")
    found = ask(command, chat, *faithful).json["rows"]
    assert [each["answer"] for each in found] == ["It was built.", "an answer"]
    assert not [prompt for prompt in chat.prompts if "<think>" in prompt]
    found = ask(command, chat, *faithful, "--keep-thinking").json["rows"]
    assert all(each["answer"].startswith("<think>") for each in found)


def test_a_dataset_keeps_what_is_said(
    command: Command, chat: FakeChat, rag: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs stand in the workspace, replies too; a manager's settings name the judge."""
    chat.answer = Script()
    command("init", "work")
    command(
        "ingest",
        "-w",
        "work",
        "--from",
        "rag",
        "--dataset",
        "rag",
        "--embedder",
        "none",
        str(rag),
    )
    settings = Path("work/tui-annotate.toml")
    settings.write_text(f'judge_model = "m"\njudge_url = "{chat.url}"\n')
    refused = command("lab", "judge", "sort", "--dataset", "rag", "-w", "work")
    assert (type(refused.error), chat.asked) == (NotAllowed, [])
    monkeypatch.setenv("TUI_ANNOTATE_TRUSTED_ENDPOINTS", chat.url)
    for words in (("sort",), ("generate",), ("evaluate", "--embedder", "static")):
        done = command("lab", "judge", *words, "--dataset", "rag", "-w", "work")
        assert done.code == 0, done.err
    asked = len(chat.asked)
    command("lab", "judge", "sort", "--dataset", "rag", "-w", "work")
    assert len(chat.asked) == asked
    from tui_annotate import workspace

    with workspace.open("work") as space:
        makers = [run.maker for run in space.machines.scores.runs("rag")]
        assert makers == ["judge-sort:m", "judge-generate:m", "judge-evaluate:m", "judge-sort:m"]
        assert "judge_order" in space.machines.scores.names("rag")


WAYS_TO_NAME = ("option", "folder", "variable")


@pytest.mark.parametrize("way", WAYS_TO_NAME)
def test_a_file_is_judged_with_the_settings_of_the_workspace(
    command: Command, chat: FakeChat, rag: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """Model, address and prompts are the workspace's; nothing is sent to an untrusted address."""
    chat.answer = Script()
    command("init", "work")
    folder = Path("work").resolve()
    settings = folder / "tui-annotate.toml"
    settings.write_text(f'judge_model = "m"\njudge_url = "{chat.url}"\nembedder = "none"\n')
    command("lab", "judge", "export-prompts", str(folder / "prompts"))
    own = folder / "prompts" / "screen.en.txt"
    own.write_text("Mine {question} {context} if only in part\n")
    words = ("-w", str(folder)) if way == "option" else ()
    if way == "folder":
        monkeypatch.chdir(folder)
    if way == "variable":
        monkeypatch.setenv("TUI_ANNOTATE_WORKSPACE", str(folder))
    for name in ("sort", "generate", "evaluate"):
        planned = command("lab", "judge", name, str(rag), *words, "--dry-run")
        assert (planned.code, chat.asked) == (0, []), planned.err
        refused = command("lab", "judge", name, str(rag), *words)
        assert (type(refused.error), chat.asked) == (NotAllowed, [])
    monkeypatch.setenv("TUI_ANNOTATE_TRUSTED_ENDPOINTS", chat.url)
    for name in ("sort", "generate", "evaluate"):
        done = command("lab", "judge", name, str(rag), *words)
        assert (done.code, done.error) == (0, None), done.err
    assert any(prompt.startswith("Mine") for prompt in chat.prompts)


def test_no_text_of_a_file_goes_to_an_untrusted_embedder(
    command: Command, chat: FakeChat, rag: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The workspace's settings name the address of the embedder; the judge is named by options."""
    chat.answer = Script()
    monkeypatch.delenv("TUI_ANNOTATE_EMBEDDER", raising=False)
    command("init", "work")
    with serving() as endpoint:
        Path("work/tui-annotate.toml").write_text(
            f'embedder = "remote:e"\nbase_url = "{endpoint.url}"\n'
        )
        refused = ask(command, chat, "evaluate", rag, "-w", "work")
        assert (type(refused.error), endpoint.headers, chat.asked) == (NotAllowed, [], [])


def test_a_named_folder_that_is_no_workspace_is_refused_for_a_file(
    command: Command, chat: FakeChat, rag: Path
) -> None:
    """Its settings would be ignored otherwise; a file outside a workspace needs none."""
    assert ask(command, chat, "sort", rag).code == 0
    chat.asked.clear()
    assert type(ask(command, chat, "sort", rag, "-w", "missing").error) is NotFound
    assert chat.asked == []


def test_settings_of_another_user_s_workspace_are_not_used_for_a_file(
    command: Command, chat: FakeChat, rag: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A workspace that the user did not name is passed over, with a warning."""
    command("init", "work")
    folder = Path("work").resolve()
    (folder / "tui-annotate.toml").write_text(f'judge_model = "m"\njudge_url = "{chat.url}"\n')
    monkeypatch.setenv("TUI_ANNOTATE_TRUSTED_ENDPOINTS", chat.url)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(workspaces, "foreign_owner", lambda _: 12345)
    refused = command("lab", "judge", "sort", str(rag))
    assert (type(refused.error), chat.asked) == (InvalidInput, [])
    assert "warning:" in refused.err
    done = ask(command, chat, "sort", rag)
    assert (done.code, "warning:" in done.err) == (0, True)


def test_prompts_can_be_changed(
    command: Command, chat: FakeChat, rag: Path, tmp_path: Path
) -> None:
    """They are written once, and stand in for ours where they are named; a broken one is told."""
    mine = tmp_path / "mine"
    assert str(mine) in command("lab", "judge", "export-prompts", str(mine)).err
    assert (mine / "pair.zh.txt").exists()
    own = mine / "screen.en.txt"
    own.write_text("Mine {question} {context} if only in part\n")
    again = command("lab", "judge", "export-prompts", str(mine), "--json").json
    assert again == {"folder": str(mine), "written": 0}
    ask(command, chat, "sort", rag, "--prompts", mine)
    assert sum(prompt.startswith("Mine") for prompt in chat.prompts) == 9
    own.write_text("Mine {question}")
    broken = ask(command, chat, "sort", rag, "--prompts", mine)
    assert (broken.code, bool(re.search(r"screen\.en\.txt.*\{context\}", broken.err))) == (2, True)
    asked = len(chat.asked)
    own.write_text("Mine {question} {context} if only in part {questoin}")
    for words in (("sort", rag), ("sort", rag, "--dry-run"), ("evaluate", rag)):
        broken = ask(command, chat, *words, "--prompts", mine)
        assert (broken.code, "{questoin}" in broken.err, len(chat.asked)) == (2, True, asked)
    assert command("lab", "judge", "export-prompts", str(rag)).code == 1
    assert ask(command, chat, "sort", rag, "--prompts", tmp_path / "none").code == 2


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["sort"], 2, "--dataset"),
        (["sort", "rag.jsonl", "--dataset", "x"], 2, "--dataset"),
        (["sort", "none.jsonl"], 2, "none.jsonl"),
        (["sort", "RAG", "--language", "de"], 2, "'de'"),
        (["evaluate", "RAG", "--metric", "beauty"], 2, "'beauty'"),
        (["evaluate", "RAG", "--backend", "other"], 2, "'other'"),
        (["generate", "RAG", "--answers-dir", "RAG"], 2, "rag.jsonl"),
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
    done = command("lab", "judge", "sort", str(rag), "--model", "m")
    assert (done.code, "--base-url" in done.err) == (2, True)
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
    report = [done.out, done.err, *(p.read_text() for p in tmp_path.rglob("out.json*"))]
    assert not [each for each in report if KEY in each]


@pytest.mark.parametrize(
    "lacking",
    [
        {"question": "When?", "contexts": []},
        {"question": "When?", "contexts": None},
        {"question": "When?", "contexts": [" "]},
        {"question": "When?"},
        {"user_input": "When?", "retrieved_contexts": []},
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_a_question_without_contexts_has_a_reason(
    command: Command, chat: FakeChat, rag: Path, lacking: dict[str, Any], first: bool
) -> None:
    """The values of a question without contexts are null; the other questions are judged."""
    lines = [json.dumps(lacking), *rag.read_text().splitlines()[:1]]
    rag.write_text("\n".join(lines if first else lines[::-1]) + "\n")
    at = 0 if first else 1
    done = ask(command, chat, "sort", rag, "--json")
    assert done.code == 0, done.err
    given = lacking.get("contexts") or []
    assert (done.json[at]["spearman"], done.json[at]["contexts"]) == (None, given)
    assert done.json[at]["reason"] == MissingReason.NO_CONTEXTS
    assert done.json[1 - at]["spearman"] == 0.429
    done = ask(command, chat, "generate", rag, "--json")
    assert (done.json[at]["ground_truth"], done.json[at]["reason"]) == (
        None,
        MissingReason.NO_CONTEXTS,
    )
    chat.answer = Script()
    done = ask(command, chat, "evaluate", rag, "--metric", "context_recall", "--json")
    assert done.json["rows"][at]["reasons"] == {"context_recall": MissingReason.NO_GROUND_TRUTH}
    assert ask(command, chat, "sort", rag, "--dry-run").code == 0


def test_unclear_replies_are_told(command: Command, chat: FakeChat, rag: Path) -> None:
    """The counts of repeated and of unclear questions are printed; the command is done in part."""
    chat.answer = lambda _: "perhaps"
    done = ask(command, chat, "sort", rag)
    assert done.code == 3
    assert ["18"] in printed_numbers(done.err)
    assert ["9"] in printed_numbers(done.err)
    assert MissingReason.UNCLEAR_JUDGE in done.out


@pytest.mark.parametrize(
    ("words", "silence", "reason"),
    [
        (("sort",), "perhaps", MissingReason.UNCLEAR_JUDGE),
        (("generate",), "", MissingReason.SILENT_JUDGE),
        (("evaluate", "--metric", "faithfulness"), "", MissingReason.UNCLEAR_JUDGE),
    ],
)
def test_an_unreadable_judge_is_no_result(
    command: Command,
    chat: FakeChat,
    rag: Path,
    tmp_path: Path,
    words: tuple[str, ...],
    silence: str,
    reason: str,
) -> None:
    """Unreadable replies are counted with a reason, not cached, and end with exit code 3."""
    chat.answer = lambda _: silence
    cache = tmp_path / "kept.jsonl"
    done = ask(command, chat, *words, rag, "--cache", cache, "--json")
    rows = done.json["rows"] if words[0] == "evaluate" else done.json
    assert (done.code, "--max-unclear" in done.err) == (3, True)
    assert min(each["unclear"] for each in rows) > 0
    told = [each.get("reason") or each["reasons"]["faithfulness"] for each in rows]
    assert set(told) <= {reason, MissingReason.SILENT_JUDGE}
    assert not cache.exists()
    allowed = ask(command, chat, *words, rag, "--max-unclear", "1")
    assert allowed.code == 3  # no question has a value
    asked = len(chat.asked)
    ask(command, chat, *words, rag, "--cache", cache)
    assert len(chat.asked) > asked


def test_some_unclear_replies_are_allowed(command: Command, chat: FakeChat, rag: Path) -> None:
    """By default, up to a tenth of the questions may lack a readable reply; refusals count too."""
    script = Script()
    chat.answer = lambda prompt: "perhaps" if "rel3" in prompt else script(prompt)
    done = ask(command, chat, "sort", rag, "--keep-irrelevant", "--json")
    share = done.json[0]["unclear"] / 16
    assert share > 0.1
    assert done.code == 3
    lenient = ("sort", rag, "--keep-irrelevant", "--max-unclear")
    assert ask(command, chat, *lenient, str(share)).code == 0
    assert ask(command, chat, *lenient, str(share - 0.01)).code == 3
    assert ask(command, chat, *lenient, "2").code == 2


PART = {
    "quote": "15 million pounds",
    "label": "Unwanted.Intrinsic",
    "evidence": "12 million pounds",
    "reason": "\x1b[31m12, not 15",
}


def _says(prompt: str) -> str:
    return json.dumps([PART, PART | {"quote": "never"}] if "bridge" in prompt else [])


@pytest.fixture(autouse=True)
def _without_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TUI_ANNOTATE_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def test_proposals_are_told_and_stored_once(filled: Command) -> None:
    """What it would take first; then what stands in the texts; the same again costs nothing."""
    with chatting(_says) as chat:
        asked = ("lab", "judge", "suggest", "--model", "toy", "--base-url", chat.url)
        planned = filled(*asked, "--dry-run", "--json").json
        assert (planned["samples"], planned["calls"], chat.asked) == (2, 2, [])
        assert re.search(r"\b2\b\D+\b2\b.*127\.0\.0\.1", filled(*asked, "--dry-run").out)
        done = filled(*asked)
        assert (done.code, "\x1b" in done.out + done.err) == (0, False)
        assert ["2", "1", "1", "2", "0"] in printed_numbers(done.out)
        assert ["1"] in printed_numbers(done.err)
        again = filled(*asked, "--json").json
        assert (again["run"], again["new"], again["requested"], again["cached"]) == (None, 0, 0, 2)
        assert len(chat.asked) == 2
    listed = filled("suggestions", "list", "--json").json
    assert [each["maker"] for each in listed] == ["judge:toy"]


def test_one_sample_that_always_fails_is_reported_alone(filled: Command) -> None:
    """The suggestions on the other samples are stored; the exit code is 3 until it is answered."""
    with chatting(_says) as chat:
        asked = (
            "lab",
            "judge",
            "suggest",
            "--model",
            "toy",
            "--base-url",
            chat.url,
            "--max-retries",
            "0",
        )
        chat.failing = "15 million"
        done = filled(*asked, "--max-unclear", "1", "--json")
        chat.failing = ""
        again = filled(*asked, "--json")
    assert (done.code, done.json["failed"], len(done.json["missing"])) == (3, 1, 1)
    assert done.json["missing"][0]["kind"] == "failed"
    assert "500" in done.json["missing"][0]["reason"]
    assert (again.code, again.json["cached"], again.json["missing"]) == (0, 1, [])


def test_what_could_not_be_read_or_sent_whole_is_told(filled: Command) -> None:
    """Unclear replies, and texts longer than what may be sent."""
    with chatting(lambda _: "hm") as chat:
        asked = ("lab", "judge", "suggest", "--model", "toy", "--base-url", chat.url)
        done = filled(*asked, "--max-chars", "10", "--limit", "1")
        none = filled(*asked, "--max-unclear", "1", "--limit", "1")
        report = filled(*asked, "--max-chars", "10", "--limit", "1", "--json").json
        chat.answer = lambda prompt: "[]" if "bridge" in prompt else "hm"
        lenient = filled(*asked, "--max-unclear", "1", "--json")
    assert (done.code, none.code, lenient.code) == (3, 3, 0)
    assert (lenient.json["unclear"] > 0, lenient.json["nothing_found"] > 0) == (True, True)
    assert re.search(r"--max-chars.*\b1\b", done.err)
    assert (report["truncated"], report["unclear"]) == (1, 1)


def test_a_reply_of_ten_megabytes_changes_nothing(filled: Command) -> None:
    """It is refused or unclear, in bounded memory, and no suggestion comes of it."""
    with chatting(lambda _: "x" * 10_000_000) as chat:
        filled("lab", "judge", "suggest", "--model", "toy", "--base-url", chat.url, "--limit", "1")
    assert filled("suggestions", "list", "--json").json == []


def test_without_an_address_nothing_leaves(filled: Command) -> None:
    """It is refused; a plan needs none."""
    done = filled("lab", "judge", "suggest", "--model", "toy")
    assert (done.code != 0, "--base-url" in done.err) == (True, True)
    assert filled("lab", "judge", "suggest", "--model", "toy", "--dry-run").code == 0


@pytest.mark.parametrize(
    "words", [("sort", "--keep-irrelevant"), ("generate",), ("evaluate", "--embedder", "static")]
)
@pytest.mark.parametrize("status", [400, 500])
def test_a_refused_or_failed_prompt_is_one_question(
    command: Command, chat: FakeChat, tmp_path: Path, words: tuple[str, ...], status: int
) -> None:
    """Whatever the order of rows: the others are written, and the exit code is 3."""
    rows = [
        {"question": name, "contexts": [f"{name} rel1", "x rel2"], "answer": "A."}
        for name in ("toolong", "b?", "c?", "d?")
    ]
    chat.answer = Script()
    reply = chat.reply

    def limited(path: str, body: dict[str, Any]) -> Reply:
        if "toolong" in body["messages"][-1]["content"]:
            return refusal(status, "maximum context length exceeded")
        return reply(path, body)

    chat.reply = limited  # type: ignore[method-assign]
    path, out = tmp_path / "rows.jsonl", tmp_path / "out.json"
    kinds = {
        400: (MissingReason.REFUSED_PROMPT, "refused", "failed"),
        500: (MissingReason.FAILED_PROMPT, "failed", "refused"),
    }
    found = []
    for order in (rows, rows[::-1]):
        path.write_text("".join(json.dumps(row) + "\n" for row in order))
        limits = ("--no-cache", "--max-unclear", "0.05", "--max-retries", "0")
        done = ask(command, chat, *words, path, "-o", out, *limits)
        assert done.code == 3, done.err
        found.append(sorted(re.findall(r"toolong|[bcd]\?", out.read_text())))
        results = {row["question"]: row for row in json.loads(out.read_text())}
        refused = results.pop("toolong")
        reasons = {refused["reason"]} if "reason" in refused else {*refused["reasons"].values()}
        reason, kind, other = kinds[status]
        assert reasons == {reason}
        assert (refused[kind] > 0, refused[other], refused["unclear"]) == (True, 0, 0)
        counts = {(row["refused"], row["failed"], row["unclear"]) for row in results.values()}
        assert counts == {(0, 0, 0)}
        assert "maximum context length exceeded" in done.err
        out.unlink()
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["sort", "generate", "evaluate"])
def test_refusals_alone_are_an_error_of_the_endpoint(
    command: Command, chat: FakeChat, rag: Path, tmp_path: Path, name: str
) -> None:
    """Nothing is written; the error states the reason and the number of refusals."""
    chat.script.extend([refusal(400, "no such model")] * 99)
    done = ask(command, chat, name, rag, "-o", tmp_path / "out.json")
    assert (done.code, (tmp_path / "out.json").exists()) == (1, False)
    assert "no such model" in done.err


@pytest.mark.parametrize("name", ["sort", "generate", "evaluate"])
def test_a_broken_endpoint_is_left_soon(
    command: Command, chat: FakeChat, tmp_path: Path, name: str
) -> None:
    """After the last retry no further row is begun, and --max-retries limits the retries."""
    path = tmp_path / "rows.jsonl"
    rows = [
        {"question": f"{at}?", "contexts": contexts(1, 2, 3), "answer": "A."} for at in range(20)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    chat.script.extend([refusal(500, "broken")] * 999)
    done = ask(command, chat, name, path, "--max-retries", "0", "--concurrency", "2")
    assert done.code == 1
    assert 999 - len(chat.script) <= 10 + 3  # two rows have two questions at a time each


def test_a_question_that_occurs_twice_is_not_from_a_cache(
    command: Command, chat: FakeChat, rag: Path
) -> None:
    """With --no-cache, it is sent once in a run, and nothing is said of a cache."""
    rag.write_text((json.dumps(ROWS[0]) + "\n") * 2)
    for once in (True, False):
        done = ask(command, chat, "sort", rag, "--no-cache", "--concurrency", "1")
        assert (done.code, "cache" in done.err) == (0, False)
        assert len(chat.asked) == (19 if once else 38)
        assert ["19"] in [numbers[-1:] for numbers in printed_numbers(done.err)]


def test_missing_replies_are_counted_by_their_reason(
    command: Command, chat: FakeChat, rag: Path
) -> None:
    """Also in the message about --max-unclear: a refused prompt is not unclear."""
    chat.script.append(refusal(400, "content policy"))
    done = ask(command, chat, "sort", rag, "--concurrency", "1", "--max-unclear", "0")
    assert done.code == 3
    assert "(unclear: 0, refused: 1, failed: 0)" in done.err


def test_a_limit_uses_the_first_questions(command: Command, chat: FakeChat, rag: Path) -> None:
    """The other questions are neither asked nor in the result."""
    for name in ("sort", "generate"):
        done = ask(command, chat, name, rag, "--limit", "1", "--json")
        assert [each["question"] for each in done.json] == [ROWS[0]["question"]]
    plan = ask(command, chat, "evaluate", rag, "--limit", "1", "--dry-run", "--json")
    assert plan.json["questions"] == 1


def test_requests_have_a_maximum_of_characters(
    command: Command, chat: FakeChat, tmp_path: Path
) -> None:
    """No request holds more of the contexts; generate reads all of them, in smaller groups."""
    path = tmp_path / "rows.jsonl"
    letters = ["a" * 90, "b" * 30, "c" * 30, "d" * 30, "e" * 10]
    row = {"question": "Q?", "contexts": letters, "answer": "It.", "ground_truth": ""}
    path.write_text(json.dumps(row) + "\n")

    def sent() -> list[int]:
        return [
            sum(len(each[0]) for each in re.finditer(r"([a-e])\1{5,}", prompt))
            for prompt in chat.prompts
        ]

    chat.answer = lambda prompt: "1" if "digit" in prompt else "Answer: found"
    done = ask(command, chat, "sort", path, "--max-chars", "60")
    assert done.code == 0
    assert max(sent()) == 60
    assert "--max-chars" in done.err
    for words in ((), ("--one-by-one",)):
        chat.asked.clear()
        plan = ask(
            command, chat, "generate", path, "--max-chars", "60", "--dry-run", "--json", *words
        )
        ask(command, chat, "generate", path, "--max-chars", "60", *words)
        gathered = [each for each in sent() if each]
        assert max(gathered) <= 60
        assert plan.json["calls"] >= len(chat.asked)
        if not words:
            assert sum(gathered) == sum(map(len, letters))
    assert ask(command, chat, "generate", path, "--max-chars", "1").code == 2


@pytest.mark.parametrize("name", ["sort", "generate", "evaluate"])
def test_the_suffix_selects_the_format(
    command: Command, chat: FakeChat, rag: Path, tmp_path: Path, name: str
) -> None:
    """A table, a JSON array or JSON lines: never another format than the name promises."""
    chat.answer = Script()
    words = ("--metric", "faithfulness") if name == "evaluate" else ()
    found: dict[str, list[Any]] = {}
    for suffix in ("csv", "xlsx", "json", "jsonl", "ndjson", "txt"):
        out = tmp_path / f"out.{suffix}"
        assert ask(command, chat, name, rag, "-o", out, *words).code == 0
        if suffix == "csv":
            found[suffix] = list(csv.DictReader(out.read_text().splitlines()))
        elif suffix == "xlsx":
            sheet = openpyxl.load_workbook(out).worksheets[0]
            first, *rows = sheet.iter_rows(values_only=True)
            found[suffix] = [dict(zip(first, row, strict=True)) for row in rows]
        elif suffix == "json":
            found[suffix] = json.loads(out.read_text())
        elif suffix != "txt":
            found[suffix] = [json.loads(line) for line in out.read_text().splitlines()]
    questions = [row["question"] for row in ROWS]
    assert all(len(rows) == len(questions) for rows in found.values())
    assert [row["question"] for row in found["json"]] == questions
    assert found["json"] == found["jsonl"] == found["ndjson"]
    for table in ("csv", "xlsx"):
        assert {key for row in found["json"] for key in row} <= found[table][0].keys()
    assert json.loads(found["csv"][0]["contexts"]) == ROWS[0]["contexts"]
    if name == "sort":
        covered = [row["covered"] for row in found["json"]]
        assert [row["covered"] for row in found["xlsx"]] == covered
        assert [json.loads(row["covered"]) for row in found["csv"]] == covered
    assert found["xlsx"][0]["question"] == questions[0]


@pytest.mark.parametrize("name", ["sort", "generate", "evaluate"])
@pytest.mark.parametrize("target", ["out.tsv", "out.parquet.gz", "out.html", "none/out.json", "."])
def test_a_target_that_cannot_be_written_costs_nothing(
    command: Command, chat: FakeChat, rag: Path, name: str, target: str
) -> None:
    """It is refused before anything is sent."""
    done = ask(command, chat, name, rag, "-o", target)
    assert (done.code, chat.headers) == (2, [])


def test_hints_name_only_options_of_the_command(
    command: Command, chat: FakeChat, rag: Path
) -> None:
    """An importer's hints name its options; a judge's file has a form of its own."""
    for content in ("a,b\n1,2\n", '{"q": 1}\n', '{"question": "Q?", "contexts": "x"}\n'):
        path = rag.with_suffix(".csv" if "," in content[:2] else ".jsonl")
        path.write_text(content)
        done = ask(command, chat, "sort", path)
        assert done.code == 2
        assert "contexts" in done.err.splitlines()[-1]
        assert "--source-column" not in done.err
        assert "--from" not in done.err
    rag.write_text(json.dumps(ROWS[0]) + "\n")
    done = ask(command, chat, "evaluate", rag, "--embedder", "remote:m")
    assert (done.code, "TUI_ANNOTATE_BASE_URL" in done.err) == (2, True)


def test_the_requests_of_ragas_are_counted(
    command: Command, chat: FakeChat, rag: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its replies are not cached, and not those of our runner."""

    class Ragas:
        requests = 7

        def __init__(self, *_: Any, **__: Any) -> None:
            """Whatever the options are."""

        def score(self, metric: str, row: Any) -> MetricScore:
            """The same for all."""
            del metric, row
            return MetricScore(0.5)

    monkeypatch.setattr("tui_annotate.lab.judge.ragas_scale.RagasScale", Ragas)
    rag.write_text(json.dumps(ROWS[0]) + "\n")
    words = ("--backend", "ragas", "--metric", "faithfulness")
    done = ask(command, chat, "evaluate", rag, *words)
    assert done.code == 0, done.err
    assert re.search(r"ragas: 7\b", done.err)
    assert "replies: 0" not in done.err
