"""position: rows made, put to a model on loopback, scored; each refusal by its line."""

from __future__ import annotations

import csv
import gzip
import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.helpers.position_rows import golden, lines, lookup, placed, question, real
from tests.helpers.printed_numbers import printed_numbers
from tests.plugins.chat_server import chatting, refusal
from tests.plugins.loopback import Reply
from tui_annotate import workspace as workspaces
from tui_annotate.lab.position.study_rows import gold_position
from tui_annotate.plugins.retry import RetryPolicy


def put(name: str, *rows: Any) -> str:
    """A file of rows."""
    Path(name).write_text(lines(*rows), "utf-8")
    return name


def rows(path: str) -> list[Any]:
    """The rows of a file, plain or packed."""
    raw = Path(path).read_bytes()
    text = (gzip.decompress(raw) if path.endswith(".gz") else raw).decode()
    return [json.loads(line) for line in text.split("\n")[:-1]]


def positions(path: str) -> list[int | None]:
    """Where the answer of each row stands."""
    return [gold_position(row) for row in rows(path)]


# making


def test_a_file_for_each_place(command: Command) -> None:
    """Named after the input, packed as it is, the same bytes each time."""
    Path("nq.jsonl.gz").write_bytes(gzip.compress(lines(question(), question("b?")).encode()))
    asked = (
        "lab",
        "position",
        "create-qa",
        "nq.jsonl.gz",
        "--passages",
        "5",
        "--gold-position",
        "even:3",
    )
    done = command(*asked, "-o", "one", "--shuffle", "--seed", "7")
    assert (done.code, ["6", "3"] in printed_numbers(done.err)) == (0, True)
    names = [f"nq-5-documents-gold-at-{at}.jsonl.gz" for at in (0, 2, 4)]
    assert done.out.splitlines() == [f"one/{name}" for name in names]
    assert positions(f"one/{names[1]}") == [2, 2]
    command(*asked, "-o", "two", "--shuffle", "--seed", "7")
    command(*asked, "-o", "three", "--shuffle", "--seed", "8")
    same = [Path("one", name).read_bytes() == Path("two", name).read_bytes() for name in names]
    assert all(same)
    assert any(Path("one", n).read_bytes() != Path("three", n).read_bytes() for n in names)


def test_one_file_of_all_places(command: Command) -> None:
    """Where its name says that it is one; rows of a question together."""
    put("nq.jsonl", question(), question("b?"))
    asked = (
        "lab",
        "position",
        "create-qa",
        "nq.jsonl",
        "--passages",
        "3",
        "--gold-position",
        "all",
    )
    done = command(*asked, "-o", "all.jsonl.gz", "--json")
    assert done.json == {"files": ["all.jsonl.gz"], "rows": 6, "not_finite": 0}
    assert positions("all.jsonl.gz") == [0, 1, 2, 0, 1, 2]
    assert (
        command("lab", "position", "create-qa", "nq.jsonl", "--oracle", "-o", "o.jsonl").code == 0
    )
    assert [len(row["ctxs"]) for row in rows("o.jsonl")] == [1, 1]


@pytest.mark.parametrize(
    ("how", "told"),
    [
        (("--passages", "1", "--gold-position", "0"), "1"),
        (("--passages", "0", "--gold-position", "0"), "0"),
        (("--passages", "3", "--gold-position", "3"), "3 "),
        (("--passages", "3", "--gold-position=-1"), "'-1'"),
        (("--passages", "6", "--gold-position", "0"), "nq.jsonl:1: the row has 4 "),
        (("--passages", "3"), "--gold-position"),
        (("--oracle", "--gold-position", "0"), "--oracle"),
    ],
)
def test_what_can_not_be_made_leaves_nothing(
    command: Command, how: tuple[str, ...], told: str
) -> None:
    """L9, L10: the exit code says so, the line where there is one, and there is no folder."""
    put("nq.jsonl", question())
    done = command("lab", "position", "create-qa", "nq.jsonl", *how, "-o", "out")
    assert (done.code, told in done.err) == (2, True)
    assert not Path("out").exists()


def test_a_bad_row_behind_good_ones_leaves_nothing(command: Command) -> None:
    """It is told by its line; what stood there before stays."""
    put("nq.jsonl", question(), {"question": "q"})
    put("out.jsonl", {"a": 1})
    asked = ("lab", "position", "create-qa", "nq.jsonl", "--passages", "3", "--gold-position", "0")
    for target in ("out.jsonl", "folder"):
        done = command(*asked, "-o", target)
        assert (done.code, "nq.jsonl:2: " in done.err) == (2, True)
    assert rows("out.jsonl") == [{"a": 1}]
    assert not Path("folder").exists()
    Path("there").write_text("", "utf-8")
    for target, named in (("there", "there is a file"), ("no/where", "does not exist")):
        done = command(*asked, "-o", target)
        assert (done.code, named in done.err) == (2, True)
    put("kv.jsonl", lookup(0))
    assert "create-kv" in command(*asked[:3], "kv.jsonl", *asked[4:], "-o", "x").err


def test_keys_are_drawn_and_moved(command: Command) -> None:
    """The same seed draws the same; a file of them is moved to other places."""
    asked = ("lab", "position", "create-kv", "--keys", "5", "--examples", "4", "--seed", "3")
    assert command(*asked, "-o", "a.jsonl.gz").code == 0
    assert command(*asked[:6], "2", *asked[7:], "-o", "b.jsonl").code == 0
    assert rows("a.jsonl.gz")[:2] == rows("b.jsonl")
    assert (
        command(
            "lab", "position", "create-kv", "a.jsonl.gz", "--gold-position", "0,4", "-o", "m"
        ).code
        == 0
    )
    assert positions("m/a-gold-at-4.jsonl.gz") == [4] * 4
    assert command(*asked, "--gold-position", "all", "-o", "all.jsonl").code == 0
    assert positions("all.jsonl") == [0, 1, 2, 3, 4] * 4


@pytest.mark.parametrize(
    ("how", "told"),
    [
        (("--keys", "1", "--examples", "1"), "1 "),
        (("--keys", "2", "--examples", "0"), "0 "),
        (("--keys", "2"), "--keys"),
        ((), "--keys"),
        (("kv.jsonl",), "--gold-position"),
        (("kv.jsonl", "--gold-position", "9"), "kv.jsonl:1: "),
        (("qa.jsonl", "--gold-position", "0"), "qa.jsonl:1: "),
    ],
)
def test_keys_that_can_not_be_drawn(command: Command, how: tuple[str, ...], told: str) -> None:
    """Too few, none, or of another task."""
    put("kv.jsonl", lookup(0))
    put("qa.jsonl", placed(0))
    done = command("lab", "position", "create-kv", *how, "-o", "out.jsonl")
    assert (done.code, told in done.err) == (2, True)


def test_a_workspace_gives_rows_of_its_own(command: Command, pairs: Path) -> None:
    """Each source among other samples' sources, which do not hold the answer."""
    more = [
        {"id": str(n), "source": f"Stone {n} is grey.", "summary": f"Stone {n}."} for n in range(3)
    ]
    put("more.jsonl", *more)
    assert command("init").code == 0
    for file in (str(pairs), "more.jsonl"):
        done = command("ingest", file, "--dataset", "d", "--id-column", "id", "--embedder", "none")
        assert done.code == 0, done.err
    asked = (
        "lab",
        "position",
        "create-qa",
        "--from-workspace",
        "--passages",
        "3",
        "--gold-position",
        "1",
    )
    refused = command(*asked, "-o", "own.jsonl")
    assert (refused.code, "d/bridge" in refused.err) == (2, True)
    done = command(*asked, "--question", "what is told?", "--dataset", "d", "-o", "own.jsonl")
    assert (done.code, positions("own.jsonl")) == (0, [1] * 5)
    first = rows("own.jsonl")[0]
    assert first["sample"] == "d/bridge"
    assert first["ctxs"][1]["text"].startswith("The bridge cost 12 million")
    assert first["answers"] == ["The bridge cost 15 million pounds. It was loved."]
    assert len({passage["text"] for passage in first["ctxs"]}) == 3
    before = Path("own.jsonl").read_bytes()
    command(*asked, "--question", "what is told?", "--dataset", "d", "-o", "own.jsonl")
    assert Path("own.jsonl").read_bytes() == before
    many = (
        "lab",
        "position",
        "create-qa",
        "--from-workspace",
        "--passages",
        "9",
        "--gold-position",
        "0",
    )
    done = command(*many, "--question", "q", "-o", "x.jsonl")
    assert ["4", "8"] in printed_numbers(done.err.partition("d/bridge")[2])
    assert "'e'" in command(*asked, "--dataset", "e", "-o", "x").err
    assert command("lab", "position", "create-qa", "-o", "x").code == 2


# prompts and models


def test_prompts_stand_in_their_rows(command: Command) -> None:
    """For a model that is run elsewhere; a template replaces the wording."""
    put("qa.jsonl", placed(1), lookup(0))
    done = command("lab", "position", "build-prompts", "qa.jsonl")
    first, second = map(json.loads, done.out.splitlines())
    assert first["model_prompt"].endswith("who?\nAnswer:")
    assert [each["score"] for each in first["model_documents"]] == [1.5, None, 1.5]
    assert second["model_ordered_kv_records"] == lookup(0)["ordered_kv_records"]
    Path("t.txt").write_text("{question}!{search_results}\n", "utf-8")
    put("one.jsonl", placed(1))
    assert (
        command(
            "lab", "position", "build-prompts", "one.jsonl", "--template", "t.txt", "-o", "p.jsonl"
        ).code
        == 0
    )
    assert rows("p.jsonl")[0]["model_prompt"].startswith("who?!Document [1]")
    both = ("--template", "t.txt", "--style", "query-aware")
    assert command("lab", "position", "build-prompts", "one.jsonl", *both).code == 2
    Path("closed.txt").write_text("{question}!\n", "utf-8")
    both = ("--template", "closed.txt", "--style", "closed-book")
    done = command("lab", "position", "build-prompts", "one.jsonl", *both)
    assert json.loads(done.out)["model_prompt"] == "who?!"
    assert command("lab", "position", "build-prompts", "qa.jsonl", "--json").code == 2
    wrote = command("lab", "position", "build-prompts", "qa.jsonl", "--json", "-o", "w.jsonl").json
    assert wrote["file"] == "w.jsonl"
    done = command(
        "lab", "position", "build-prompts", "qa.jsonl", "--style", "closed-book", "-o", "p.jsonl"
    )
    assert re.search(r"qa\.jsonl:2: .*closed-book", done.err)
    closed = command("lab", "position", "build-prompts", "one.jsonl", "--style", "closed-book").out
    assert json.loads(closed)["model_documents"] == []
    assert (
        len(command("lab", "position", "build-prompts", "one.jsonl", "qa.jsonl").out.splitlines())
        == 3
    )


@pytest.mark.parametrize(
    ("template", "told"),
    [
        ("{search_results}\n{questoin}\n", r"t\.txt:2: .*\{questoin\}"),
        ("{question}\n", r"qa\.jsonl:1: .*\{search_results\}"),
        ("{key} {formatted_kv_records}\n", r"qa\.jsonl:1: .*\{key\}"),
        ("\n", r"t\.txt "),
    ],
)
def test_a_template_that_can_not_be_filled_is_refused(
    command: Command, template: str, told: str
) -> None:
    """An unknown or missing placeholder is named before any request; no file is written."""
    put("qa.jsonl", placed(1))
    Path("t.txt").write_text(template, "utf-8")
    assert command("init").code == 0
    with chatting() as chat:
        model = ("--model", "toy", "--base-url", chat.url)
        for asked in (("run", *model), ("run", *model, "--dry-run"), ("build-prompts",)):
            name, *more = asked
            done = command(
                "lab", "position", name, "qa.jsonl", "--template", "t.txt", "-o", "p.jsonl", *more
            )
            assert (done.code, bool(re.search(told, done.err))) == (2, True), done.err
        assert (chat.asked, Path("p.jsonl").exists()) == ([], False)


def test_a_model_answers_and_is_not_asked_twice(command: Command) -> None:
    """Predictions in the original's fields, in the rows' order; a second run is all known."""
    put("qa.jsonl", *[placed(at, name=f"who {at}?") for at in (0, 1, 2)], lookup(2))
    assert command("init").code == 0
    with chatting(lambda prompt: f"The sea star. {len(prompt)}") as chat:
        asked = ("lab", "position", "run", "qa.jsonl", "--model", "toy", "--base-url", chat.url)
        dry = command(*asked, "--dry-run", "--json")
        assert (dry.json["rows"], dry.json["cached"], chat.asked) == (4, 0, [])
        done = command(*asked, "-o", "p.jsonl.gz", "--json")
        assert (done.code, done.json["rows"], done.json["unanswered"]) == (0, 4, {})
        assert done.json["characters"] == dry.json["characters"]
        again = command(*asked, "-o", "q.jsonl.gz")
        assert again.code == 0
        assert any(each[:3] == ["4", "4", "0"] for each in printed_numbers(again.err))
        assert len(chat.asked) == 4
        assert {body["max_tokens"] for body in chat.asked} == {100}
    made = rows("p.jsonl.gz")
    assert Path("p.jsonl.gz").read_bytes() == Path("q.jsonl.gz").read_bytes()
    assert [row.get("question", row.get("key")) for row in made] == [
        "who 0?",
        "who 1?",
        "who 2?",
        "key",
    ]
    for row in made:
        assert row["model_answer"] == f"The sea star. {len(row['model_prompt'])}"
        assert (row["model"], row["model_temperature"], row["model_top_p"]) == ("toy", 0.0, 1.0)
    assert (made[0]["model_use_random_ordering"], "model_documents" in made[3]) == (False, False)


def test_rows_have_no_numbers_that_json_does_not_have(command: Command) -> None:
    """Numbers of the input that JSON does not have are null in each file of rows, and counted."""
    odd: dict[str, Any] = {"p": float("nan"), "q": {"r": [float("inf")]}}
    put("in.jsonl", question(**odd))
    put("qa.jsonl", placed(0, **odd))
    assert command("init").code == 0
    to_one = ("--passages", "2", "--gold-position", "0")
    with chatting() as chat:
        model = ("--model", "toy", "--base-url", chat.url)
        for asked in (
            ("create-qa", "in.jsonl", *to_one),
            ("build-prompts", "qa.jsonl"),
            ("run", "qa.jsonl", *model),
        ):
            done = command("lab", "position", *asked, "-o", "out.jsonl", "--json")
            assert (done.code, done.json["not_finite"]) == (0, 2), done.err
            assert ["2"] in printed_numbers(done.err)
            assert (rows("out.jsonl")[0]["p"], rows("out.jsonl")[0]["q"]) == (None, {"r": [None]})
    done = command("lab", "position", "create-qa", "in.jsonl", *to_one, "-o", "folder", "--json")
    assert done.json["not_finite"] == 2
    put("p.jsonl", placed(0, "kelp", **odd))
    done = command("lab", "position", "evaluate", "p.jsonl", "-o", "s.jsonl")
    assert (rows("s.jsonl")[0]["p"], ["2"] in printed_numbers(done.err)) == (None, True)
    Path("p.jsonl").write_text('{"question": "q?", "ctxs": [], "ctxs": []}\n', "utf-8")
    done = command("lab", "position", "evaluate", "p.jsonl")
    assert (done.code, "p.jsonl:1: " in done.err, "'ctxs'" in done.err) == (2, True, True)


def test_prompts_that_are_too_long_keep_their_rows(command: Command) -> None:
    """They are told, counted by position, and in no mean; the exit code says so."""
    put("qa.jsonl", placed(0), placed(1, name="who" * 200), placed(2, name="who now?"))
    assert command("init").code == 0
    with chatting(lambda _: "kelp") as chat:
        asked = ("lab", "position", "run", "qa.jsonl", "--model", "toy", "--base-url", chat.url)
        dry = command(*asked, "--max-chars", "500", "--dry-run")
        assert ["1", "1", "1"] in printed_numbers(dry.err)
        done = command(*asked, "--max-chars", "500", "-o", "p.jsonl")
        assert (done.code, "qa.jsonl:2: " in done.err) == (3, True)
        chat.script.append(refusal(400, "too many tokens"))
        refused = command(*asked, "--max-tokens", "7", "--concurrency", "1", "-o", "r.jsonl")
        assert (refused.code, "too many tokens" in refused.err) == (3, True)
        chat.failing = "now?"
        once = ("--max-tokens", "8", "--max-retries", "0", "--concurrency", "1")
        failed = command(*asked, *once, "-o", "f.jsonl", "--json")
        assert (failed.code, "qa.jsonl:3: " in failed.err) == (3, True)
        assert (failed.json["failed"], failed.json["refused"]) == (1, 0)
    assert [row["model_answer"] for row in rows("f.jsonl")] == ["kelp", "kelp", None]
    assert [row["model_answer"] for row in rows("p.jsonl")] == ["kelp", None, "kelp"]
    assert "500" in rows("p.jsonl")[1]["model_error"]
    assert sum(row["model_answer"] is None for row in rows("r.jsonl")) == 1
    report = command("lab", "position", "evaluate", "p.jsonl", "--json").json
    assert [(each["n"], each["unanswered"]) for each in report["groups"]] == [
        (1, 0),
        (0, 1),
        (1, 0),
    ]
    assert report["groups"][1]["mean"] is None
    assert ["1"] in printed_numbers(command("lab", "position", "evaluate", "p.jsonl").err)
    assert command("ingest", "p.jsonl", "--embedder", "none").code == 0
    of = command("lab", "position", "evaluate", "--dataset", "p", "--json").json
    assert of["groups"] == report["groups"]


def test_thinking_is_not_written(command: Command) -> None:
    """A reply of only thinking is no answer; --keep-thinking keeps all, without a new request."""
    put("qa.jsonl", placed(0), placed(1, name="who now?"))
    assert command("init").code == 0
    with chatting(lambda at: f"<think>hm{'' if 'now' in at else '</think> sea star'}") as chat:
        asked = ("lab", "position", "run", "qa.jsonl", "--model", "toy", "--base-url", chat.url)
        done = command(*asked, "-o", "p.jsonl")
        assert (done.code, "qa.jsonl:2: " in done.err) == (3, True)
        assert [row["model_answer"] for row in rows("p.jsonl")] == ["sea star", None]
        assert "--max-tokens" in rows("p.jsonl")[1]["model_error"]
        assert command(*asked, "--keep-thinking", "-o", "k.jsonl").code == 0
        assert [row["model_answer"] for row in rows("k.jsonl")] == [
            "<think>hm</think> sea star",
            "<think>hm",
        ]
        assert len(chat.asked) == 3  # the reply without an answer was not stored


def test_thinking_is_not_scored(command: Command) -> None:
    """The first line after the thinking counts, for questions and for keys."""
    thought = "<think>a sea star?\nvalue-1</think>\n"
    put("p.jsonl", placed(0, f"{thought}sea star"), placed(0, f"{thought}kelp", name="b?"))
    put("kv.jsonl", lookup(0) | {"model_answer": f"{thought}none"})

    def mean(*words: str) -> float:
        found: float = command("lab", "position", "evaluate", *words, "--json").json["all"]["mean"]
        return found

    assert (mean("p.jsonl"), mean("kv.jsonl")) == (0.5, 0.0)
    assert (mean("p.jsonl", "--keep-thinking"), mean("kv.jsonl", "--keep-thinking")) == (1.0, 1.0)
    assert command("init").code == 0
    assert command("ingest", "p.jsonl", "--dataset", "d", "--embedder", "none").code == 0
    assert (mean("--dataset", "d"), mean("--dataset", "d", "--keep-thinking")) == (0.5, 1.0)


def test_a_file_with_nothing_in_it_has_no_mean(command: Command) -> None:
    """There is nothing to divide by: exit code 3; with -o it stays a file without rows."""
    put("none.jsonl")
    Path("none.json").write_text("[]", "utf-8")
    done = command(
        "lab", "position", "evaluate", "none.jsonl", "none.json", "-o", "out.jsonl", "--json"
    )
    assert (done.code, done.json["groups"], rows("out.jsonl")) == (3, [], [])
    assert (done.json["all"]["n"], done.json["all"]["mean"]) == (0, None)
    assert command("lab", "position", "build-prompts", "none.jsonl").code == 2


def test_a_model_that_is_gone_ends_the_run(command: Command) -> None:
    """Nothing half-written; a bad row is found before anybody is asked."""
    put("qa.jsonl", placed(0), placed(1))
    put("bad.jsonl", placed(0), placed(1, ctxs=[]))
    assert command("init").code == 0
    with chatting() as chat:
        asked = ("--model", "toy", "--base-url", chat.url, "-o", "p.jsonl")
        bad = command("lab", "position", "run", "bad.jsonl", *asked)
        assert (bad.code, "bad.jsonl:2: " in bad.err, chat.asked) == (
            2,
            True,
            [],
        )
        chat.script.extend([refusal(401, "no such key")] * 2)
        gone = command("lab", "position", "run", "qa.jsonl", *asked)
    assert (gone.code, Path("p.jsonl").exists()) == (1, False)


def test_a_request_has_a_time_limit(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the command waits, it says for whom; after the limit, the error names the option."""
    monkeypatch.setattr("tui_annotate.cli.output.PROGRESS_INTERVAL", 0.0)
    once = partial(RetryPolicy, attempts=1, first_attempts=1)
    monkeypatch.setattr("tui_annotate.lab.chat.llm_judge.RetryPolicy", once)
    put("qa.jsonl", placed(0))
    assert command("init").code == 0
    with chatting() as chat:
        chat.script.append(Reply(late=True))
        asked = ("lab", "position", "run", "qa.jsonl", "--model", "toy", "--base-url", chat.url)
        done = command(*asked, "--timeout", "0.1", "-o", "p.jsonl")
    assert (done.code, "0.1 s" in done.err, "--timeout" in done.err) == (1, True, True)
    assert f"replies from {chat.url[7:-3]}" in done.err
    assert command(*asked, "--temperature", "nan").code == 2


# scoring


def test_files_of_the_original_are_scored_as_there(command: Command) -> None:
    """L11, L12: means by position and in all, and each row's score."""
    found = golden("evaluate.json")
    for kind in ("qa", "kv"):
        put(f"{kind}.jsonl", *found[f"{kind}_input"])
        done = command("lab", "position", "evaluate", f"{kind}.jsonl", "-o", "s.jsonl", "--json")
        report = {
            str(e["gold-position"]): {"n": e["n"], "mean": e["mean"]} for e in done.json["groups"]
        }
        assert report == found[f"{kind}_by_gold_position"]
        assert done.json["all"]["mean"] == pytest.approx(found[f"{kind}_mean"], abs=1e-15)
        assert rows("s.jsonl") == found[f"{kind}_output"]


def test_stock_predictions_of_real_rows(command: Command) -> None:
    """L13: the first gold answer is always right."""
    path = real("data", "lost-in-the-middle", "nq-open-oracle-200.jsonl.gz")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        made = [json.loads(line) for line in file]
    put("p.jsonl", *[row | {"model_answer": row["ctxs"][0]["title"]} for row in made])
    done = command("lab", "position", "evaluate", "p.jsonl", "--json").json
    assert done["all"]["mean"] == golden("oracle_200_scores.json")["scores"]["gold_title"]


def test_rules_mend_the_metric(command: Command) -> None:
    """One by one; what is passed over is told."""
    put(
        "p.jsonl",
        placed(0, "sea starship"),
        placed(0, "\nsea star", name="b?"),
        placed(0, "kelp", answers=["the"], name="c?"),
    )

    def mean(*rules: str) -> tuple[int, float]:
        found = command("lab", "position", "evaluate", "p.jsonl", "--json", *rules).json["all"]
        return found["n"], round(found["mean"], 3)

    assert mean() == (3, 0.667)
    assert mean("--whole-words") == (3, 0.333)
    assert mean("--first-line") == (3, 1.0)
    assert mean("--skip-empty") == (2, 0.5)
    report = command("lab", "position", "evaluate", "p.jsonl").err
    assert ["1"] in printed_numbers(report)  # an answer that is nothing but what is taken off
    assert "--skip-empty" in report
    report = command("lab", "position", "evaluate", "p.jsonl", "--skip-empty").err
    assert printed_numbers(report) == [["1"], ["1"]]  # that answer, and its row


def test_only_what_all_groups_share(command: Command) -> None:
    """The same questions at each place; the others are counted."""
    put("p.jsonl", placed(0, "sea star"), placed(2, "kelp"), placed(0, "kelp", name="b?"))
    done = command("lab", "position", "evaluate", "p.jsonl", "--shared-questions", "--json").json
    assert [(each["n"], each["mean"]) for each in done["groups"]] == [(1, 1.0), (1, 0.0)]
    assert done["left_out"] == 1
    assert ["1"] in printed_numbers(
        command("lab", "position", "evaluate", "p.jsonl", "--shared-questions").err
    )


def test_groups_by_other_things(command: Command) -> None:
    """Models, sizes, tasks, files; what is unknown is refused with what there is."""
    put("a.jsonl", placed(0, "sea star"), placed(1, "sea star", model=None))
    put("b.jsonl", lookup(1, "value-1", count=4))
    done = command(
        "lab", "position", "evaluate", "a.jsonl", "b.jsonl", "--by", "model,file,task", "--json"
    )
    report = [(each["model"], each["file"], each["task"]) for each in done.json["groups"]]
    assert report == [("m", "a.jsonl", "qa"), ("m", "b.jsonl", "kv"), (None, "a.jsonl", "qa")]
    shown = command(
        "lab", "position", "evaluate", "a.jsonl", "b.jsonl", "--by", "documents,model"
    ).out
    assert "documents  model  n" in shown
    assert "gold-position" in command("lab", "position", "evaluate", "a.jsonl", "--by", "x").err


def test_nothing_is_scored_without_rows(command: Command) -> None:
    """Rows without an answer are named by line; no files and two kinds of rows are refused."""
    put("p.jsonl", placed(0, "a"), placed(1))
    done = command("lab", "position", "evaluate", "p.jsonl", "-o", "s.jsonl")
    assert (done.code, bool(re.search(r"p\.jsonl:2: .*model_answer", done.err))) == (2, True)
    assert not Path("s.jsonl").exists()
    put("n.jsonl", placed(0, model_answer=3))
    assert "model_answer" in command("lab", "position", "evaluate", "n.jsonl").err
    assert command("lab", "position", "evaluate").code == 2
    assert command("lab", "position", "evaluate", "p.jsonl", "--dataset", "d").code == 2
    assert command("lab", "position", "evaluate", "--dataset", "d", "-o", "x").code == 2


def test_people_and_the_metric_are_compared(command: Command, tmp_path: Path) -> None:
    """On a dataset and on its exported rows alike; who overrules is counted."""
    put(
        "study.jsonl",
        *[placed(at, said, name=f"{at}?") for at, said in enumerate(("sea star", "3"))],
    )
    assert command("init").code == 0
    assert command("ingest", "study.jsonl", "--embedder", "none").code == 0
    with workspaces.open(tmp_path) as space:
        first, second = space.corpus.keys("study")
        ana, ben = (space.people.local(name).id for name in ("ana", "ben"))
        space.annotate.rate(ana, first, "Correct", seconds=1.0)
        space.annotate.rate(ana, second, "Correct", seconds=1.0)
        space.annotate.rate(ben, second, "Correct", seconds=1.0)
        positions = space.machines.positions
        by = positions.chart("study").by
        assert positions.failing("study", (1,), by=by) == []
    report = command("lab", "position", "evaluate", "--dataset", "study", "--json").json
    people = {"judged": 2, "both": 1, "metric_alone": 0, "people_alone": 1, "neither": 0}
    assert report["people"] == people | {"open": 0, "kappa": 0.0}
    shown = command("lab", "position", "evaluate", "--dataset", "study").out
    assert any(numbers[:1] == ["2"] for numbers in printed_numbers(shown))
    assert command("export", "--to", "open-qa", "-o", "judged.jsonl").code == 0
    assert (
        command("lab", "position", "evaluate", "judged.jsonl", "--json").json["people"]
        == report["people"]
    )
    strict = ("--dataset", "study", "--whole-words", "--first-line", "--json")
    assert command("lab", "position", "evaluate", *strict).json["all"] == report["all"]
    missing = command("lab", "position", "evaluate", "--dataset", "other")
    assert (missing.code, "'other'" in missing.err) == (2, True)


def test_the_chart_needs_a_terminal_and_a_dataset(command: Command) -> None:
    """It says which there are; where there is one, that is meant."""
    assert command("init").code == 0
    assert command("lab", "position", "show").code == 2
    put("a.jsonl", placed(0, "kelp"))
    put("b.jsonl", placed(0, "kelp"))
    command("ingest", "a.jsonl", "--embedder", "none")
    assert "ssh -t" in command("lab", "position", "show").err
    command("ingest", "b.jsonl", "--embedder", "none")
    several = command("lab", "position", "show")
    assert (several.code, "a, b" in several.err) == (2, True)
    assert "ssh -t" in command("lab", "position", "show", "b").err


def test_one_file_twice_and_two_models_give_no_common_mean(command: Command) -> None:
    """A copy is refused with both lines; two models get a table each."""
    answers = [placed(at, "sea star", name=name) for name in ("a?", "b?", "c?") for at in (0, 1, 2)]
    put("a.jsonl", *answers)
    put("copy.jsonl", *answers)
    put("b.jsonl", *[row | {"model": "other", "model_answer": "kelp"} for row in answers])
    for files in (("a.jsonl", "a.jsonl"), ("a.jsonl", "copy.jsonl")):
        done = command("lab", "position", "evaluate", *files)
        assert (done.code, "a.jsonl" in done.err) == (2, True)
    assert "copy.jsonl:1: " in done.err
    done = command("lab", "position", "evaluate", "a.jsonl", "b.jsonl")
    assert done.code == 0
    assert re.findall("^model: (.+)$", done.out, re.MULTILINE) == ["m", "other"]
    assert re.findall(r"^ +all +(\d+) +(\d+) +([\d.]+)", done.out, re.MULTILINE) == [
        ("9", "3", "1.000"), ("9", "3", "0.000")
    ]  # fmt: skip
    assert "bootstrap by question" in done.err
    done = command(
        "lab", "position", "evaluate", "a.jsonl", "b.jsonl", "--by", "model,gold-position"
    )
    assert "all" not in done.out.split()


@pytest.mark.parametrize(
    "how",
    [
        ("create-qa", "qa.jsonl", "--passages", "3", "--gold-position", "0"),
        ("create-kv", "--keys", "3", "--examples", "1"),
        ("build-prompts", "qa.jsonl"),
        ("run", "qa.jsonl", "--model", "m", "--base-url", "http://127.0.0.1:9/v1"),
        ("evaluate", "p.jsonl"),
    ],
)
@pytest.mark.parametrize("target", ["t.csv", "t.csv.gz", "t.XLSX"])
def test_rows_are_not_written_into_a_table(
    command: Command, how: tuple[str, ...], target: str
) -> None:
    """JSON lines in `t.csv` would open as one broken column; nothing is written."""
    put("qa.jsonl", question())
    put("p.jsonl", placed(0, "sea star"))
    done = command("lab", "position", *how, "-o", target)
    assert (done.code, target in done.err, ".jsonl" in done.err) == (2, True, True)
    assert not Path(target).exists()


def test_means_are_printed_as_csv(command: Command) -> None:
    """A row for each group and one for each table, with the numbers of --json."""
    put("a.jsonl", *[placed(at, "sea star", name=name) for name in "ab" for at in (0, 1)])
    put("b.jsonl", placed(0, "kelp", name="a", model="other"))
    done = command("lab", "position", "evaluate", "a.jsonl", "b.jsonl", "--csv")
    found = list(csv.DictReader(done.out.splitlines()))
    columns = ("model", "gold-position", "n", "mean", "questions")
    assert [[row[name] for name in columns] for row in found] == [
        ["m", "0", "2", "1.0", "2"],
        ["m", "1", "2", "1.0", "2"],
        ["m", "all", "4", "1.0", "2"],
        ["other", "0", "1", "0.0", "1"],
    ]
    assert command("lab", "position", "evaluate", "a.jsonl", "--csv", "--json").code == 2
