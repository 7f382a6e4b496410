"""The commands of scores."""

from __future__ import annotations

import json
import re
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command, Result
from tests.helpers.printed_numbers import printed_numbers
from tests.lab.score.test_generations import ROW
from tests.plugins.chat_server import chatting, refusal
from tests.plugins.embedders.endpoint_server import refusal as embedding_refusal
from tests.plugins.embedders.endpoint_server import serving
from tests.plugins.loopback import Reply
from tui_annotate.domain.errors import NotAllowed
from tui_annotate.plugins.retry import (
    REPEAT_HINT,
    REPEAT_VECTORS_HINT,
    RESUME_HINT,
    RetryPolicy,
)

SECOND = {"question": "Who?", "answer": "Ana", "generation": [{"text": "Ana."}, {"text": "Ben."}]}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with two questions, made once."""
    from tui_annotate.workspace import create

    folder = tmp_path_factory.mktemp("made")
    rows = "".join(json.dumps(row) + "\n" for row in (ROW, SECOND))
    (folder / "set.jsonl").write_text(rows, "utf-8")
    with create(folder / "w") as space:
        assert space.ingest(folder / "set.jsonl", embedder="none").added == 4
    return folder


@pytest.fixture
def work(command: Command, made: Path, tmp_path: Path) -> Command:
    """A way to run commands beside a copy of it."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return lambda *arguments: command(*arguments, "-w", "w")


def test_scores_are_computed_listed_and_removed(work: Command) -> None:
    """Each scorer makes a run; the newest of a maker stands, and one is removed by its start."""
    done = work(
        "lab", "scores", "compute", "--scorer", "unigram", "--language", "en", "--top-k", "3"
    )
    assert done.code == 0, done.err
    assert "unigram" in done.out
    assert printed_numbers(done.out) == [["4", "8"]]
    (run,) = work("lab", "scores", "compute", "--scorer", "unigram", "--json").json
    assert (run["maker"], run["samples"], run["scores"]) == ("unigram", 4, 8)
    assert (run["low"], run["kind"]) == (["top_k_avg_probs_score"], "score")
    listed = work("lab", "scores", "list", "--json").json
    assert [each["newest"] for each in listed] == [False, True]
    assert "older" in work("lab", "scores", "list").out
    removed = work("lab", "scores", "delete", listed[1]["run"][:8], "--yes")
    assert removed.code == 0
    assert [each["newest"] for each in work("lab", "scores", "list", "--json").json] == [True]
    assert work("lab", "scores", "delete", "nix", "--yes").code == 2
    assert work("lab", "scores", "delete", "unigram", "--yes", "--json").json["maker"] == "unigram"
    assert work("lab", "scores", "list", "--json").json == []


def test_a_dry_run_says_what_would_be_sent(work: Command) -> None:
    """Nothing is stored, and nothing leaves this machine."""
    plain = work("lab", "scores", "compute", "--scorer", "unigram", "--dry-run")
    assert "unigram" in plain.out
    assert printed_numbers(plain.out) == [["4"]]  # no address, no characters to send
    report = work(
        "lab",
        "scores",
        "compute",
        "--scorer",
        "similarity",
        "--embedder",
        "static",
        "--dry-run",
        "--json",
    )
    assert report.json == [{"scorer": "similarity", "samples": 4, "calls": 0, "characters": 0}]
    assert work("lab", "scores", "list", "--json").json == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("compute",), "--scorer"),
        (("compute", "--scorer", "nix"), "'nix'"),
        (("compute", "--scorer", "similarity"), "--embedder"),
        (("compute", "--scorer", "unigram", "--dataset", "nix"), "'nix'"),
        (("compute", "--scorer", "unigram", "--language", "fr"), "'fr'"),
        (("list", "--dataset", "nix"), "'nix'"),
        (("import",), "--sample-columns"),
        (("import", "set.jsonl", "--sample-columns", "all"), "--sample-columns"),
        (("import", "set.jsonl", "--score", "n"), "'id'"),
        (("import", "none.csv", "--score", "n"), "none.csv"),
        (("import", "--sample-columns", "nix"), "nix"),
    ],
)
def test_what_can_not_be_scored_is_told(
    work: Command, arguments: tuple[str, ...], said: str
) -> None:
    """In a line, with a hint, and no run is made."""
    done = work("lab", "scores", *arguments)
    assert done.code in {1, 2}
    assert said in done.err
    assert "Traceback" not in done.err
    assert work("lab", "scores", "list", "--json").json == []


def test_scores_are_imported_and_ranked(work: Command) -> None:
    """From columns and from a file; ranked by the names that are asked for."""
    columns = work("lab", "scores", "import", "--sample-columns", "all", "--json").json
    assert columns["maker"] == "import:generations"
    Path("p.csv").write_text("id,p\n0.1,0.9\n0.3,0.2\n1.0,0.5\n1.1,0.4\n", "utf-8")
    report = work("lab", "scores", "import", "p.csv", "--score", "probe", "--score-column", "p")
    assert "import:probe" in report.out
    assert printed_numbers(report.out) == [["4", "4"]]
    ranked = work(
        "lab",
        "scores",
        "rank",
        "--score",
        "probe",
        "--upper-percentile",
        "70",
        "--lower-percentile",
        "30",
        "--json",
    ).json
    assert ranked["labels"] == {"right": 1, "wrong": 1, "undecided": 2}
    assert ranked["parameters"]["used"] == ["probe"]
    shown = work("lab", "scores", "rank", "--score", "probe")
    assert "partial-right" in shown.out
    assert re.search("percentile.*probe", shown.err)
    preferred = work("export", "--to", "preferences").out
    assert json.loads(preferred)["preference"][0] == "In tide pools."
    assert "'nix'" in work("lab", "scores", "rank", "--ranker", "nix").err
    length = work("lab", "scores", "rank", "--ranker", "length", "--short-diff", "9")
    assert re.search("length.*sim2answer_score, rm_score", length.err)


def test_files_of_who_manages_carry_scores_that_screens_hide(work: Command) -> None:
    """Hiding is for those who annotate; a file for training is the same with it."""
    work("lab", "scores", "import", "--sample-columns", "all")
    shown = work("export", "--to", "generations").out
    work("suggestions", "hide", "--dataset", "set")
    assert "sim2answer_score" in shown
    assert work("export", "--to", "generations").out == shown


def _recipe(**parts: Any) -> None:
    Path("a.yml").write_text(json.dumps(parts), "utf-8")


def test_one_file_does_it_all(work: Command) -> None:
    """What it names is read, scored, ranked and written; again it adds nothing."""
    data = {"input_data_path": "set.jsonl", "output_data_path": "out.jsonl"}
    scorer = {"unigram_scorer_en": {"unigram_top_k": 3}}
    _recipe(data=data, scorer=scorer, ranker={"ranker_name": "SimpleRanker"})
    plan = work("lab", "pipeline", "a.yml", "--dry-run")
    assert "set.jsonl" in plan.out
    assert not Path("out.jsonl").exists()
    done = work("lab", "pipeline", "a.yml", "--json").json
    assert (done["dataset"], done["added"], done["written"]) == ("set", 0, {"out.jsonl": 4})
    assert [run["parameters"]["language"] for run in done["runs"]] == ["en"]
    assert len(Path("out.jsonl").read_text("utf-8").splitlines()) == 2
    assert "out.jsonl" in work("lab", "pipeline", "a.yml").out


def test_without_scorers_the_scores_of_the_input_are_ranked(work: Command) -> None:
    """And a dataset that is stored needs no input."""
    _recipe(
        data={"dataset": "set", "output_rank_data_path": "p.jsonl"},
        scorer=None,
        ranker={"use": ["sim2answer_score"]},
    )
    report = work("lab", "pipeline", "a.yml", "--dry-run", "--json").json
    assert report["ranker"] == {"scores": ["sim2answer_score"]}
    done = work("lab", "pipeline", "a.yml", "--json").json
    assert [run["maker"] for run in done["runs"]] == ["import:generations"]
    assert done["ranking"]["labels"]["right"] == 1


def test_a_wrong_recipe_or_input_changes_nothing(work: Command) -> None:
    """The line is told; an input that is not whole stops before it is scored."""
    _recipe(data={"dataset": "set"}, scorer={"bleu": None})
    assert re.search("a.yml:1: .*'bleu'", work("lab", "pipeline", "a.yml").err)
    Path("bad.jsonl").write_text(json.dumps(ROW) + "\n{}\n", "utf-8")
    scorer = {"unigram_scorer": {"model_path": "x"}}
    _recipe(data={"input_data_path": "bad.jsonl"}, scorer=scorer)
    done = work("lab", "pipeline", "a.yml")
    assert done.code == 2
    assert "unigram_scorer.model_path" in done.err
    assert "bad.jsonl:2" in done.err
    assert work("lab", "scores", "list", "--json").json == []


def test_misuse_of_train_probe_is_told(answers: Command) -> None:
    """File and labels both, neither, another word, a strange layer; nobody labelled anything."""
    train = ("lab", "scores", "train-probe", "--model-folder", "m", "-o", "p.json")
    for wrong in ([], ["answers.jsonl", "--label-source", "human"], ["--label-source", "mine"]):
        done = answers(*train, *wrong)
        assert (done.code, "--label-source" in done.err) == (2, True)
    for layer in ("first", "0", "9" * 5000):
        done = answers(*train, "--label-source", "human", "--layer", layer)
        assert (done.code, f"'{layer[:5]}" in done.err) == (2, True)
    done = answers(*train, "--label-source", "machine")
    assert (done.code, "lab scores rank" in done.err) == (1, True)
    assert not Path("p.json").exists()


def test_a_judge_scores_answers(answers: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """On loopback; its words stand beside; without a model it is refused; a plan asks nobody."""
    monkeypatch.delenv("TUI_ANNOTATE_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    refused = answers("lab", "scores", "compute", "--scorer", "judge")
    assert (refused.code != 0, "--judge" in refused.err) == (True, True)
    reply = json.dumps({"reason": "so", "verdict": "right"})
    with chatting(lambda _: reply) as chat:
        asked = (
            "lab",
            "scores",
            "compute",
            "--scorer",
            "judge",
            "--judge",
            "toy",
            "--base-url",
            chat.url,
        )
        planned = answers(*asked, "--dry-run", "--json").json
        assert (planned[0]["calls"], chat.asked) == (2, [])
        assert answers(*asked).code == 0
        assert len(chat.asked) == 2
        assert answers(*asked).code == 0
        assert len(chat.asked) == 2
        once = partial(RetryPolicy, attempts=1, first_attempts=1)
        monkeypatch.setattr("tui_annotate.lab.chat.llm_judge.RetryPolicy", once)
        monkeypatch.setattr("tui_annotate.cli.output.PROGRESS_INTERVAL", 0.0)
        chat.script.extend([Reply(late=True)] * 2)
        late = answers(*asked[:6], "late", *asked[7:], "--timeout", "0.1")
        assert (late.code, "0.1 s" in late.err, "--timeout" in late.err) == (1, True, True)
        assert f"replies from {chat.url[7:-3]}" in late.err
        chat.asked.clear()
        chat.answer = lambda _: "perhaps"
        unclear = answers(*asked[:6], "other", *asked[7:], "--json")
        assert (unclear.code, unclear.json[0]["unclear"]) == (3, 2)
        assert unclear.json[0]["refused"] == 0
        assert answers(*asked[:6], "other", *asked[7:], "--max-unclear", "1").code == 0
        assert len(chat.asked) == 2 * 6
        chat.answer = lambda _: reply
        chat.script.append(refusal(400, "too long"))
        partial_run = answers(*asked[:6], "third", *asked[7:], "--json", "--concurrency", "1")
        counts = [partial_run.json[0][name] for name in ("values", "unclear", "refused")]
        assert (partial_run.code, counts) == (3, [1, 0, 1])
    listed = answers("lab", "scores", "list", "--json").json
    makers = {each["maker"] for each in listed}
    assert makers == {"judge-score:toy", "judge-score:other", "judge-score:third"}


def test_a_scorer_without_values_is_exit_code_3(command: Command) -> None:
    """The other scorers are stored and printed; the error names the way out."""
    answers = [{"text": "饕餮"}, {"text": "魑魅"}]  # the static vectors know none of these
    row = {"question": "桥？", "answer": "饕餮", "generation": answers}
    Path("zh.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    assert command("init", "zh").code == 0
    assert command("ingest", "zh.jsonl", "--embedder", "static", "-w", "zh").code == 0
    scorers = ("--scorer", "similarity", "--scorer", "unigram", "--language", "en")
    done = command("lab", "scores", "compute", *scorers, "--answer-only", "--json", "-w", "zh")
    assert done.code == 3
    lacking, found = done.json
    assert (lacking["maker"], lacking["run"], lacking["values"]) == ("similarity", None, 0)
    assert "no value for any of 2 samples" in lacking["error"]
    assert (found["maker"], found["values"] > 0) == ("unigram", True)
    assert "--embedder none" in done.err
    done = command("lab", "scores", "compute", "--scorer", "similarity", "-w", "zh")
    assert (done.code, printed_numbers(done.out)) == (0, [["2", "4"]])
    assert "characters" in done.err
    (run,) = command(
        "lab",
        "scores",
        "compute",
        "--scorer",
        "similarity",
        "--embedder",
        "none",
        "--json",
        "-w",
        "zh",
    ).json
    assert (run["without"], run["embedder"], run["values"]) == (0, "characters", 4)
    assert run["missing"] == {"sim2answer_score": 0, "sim2gen_score": 0}


@pytest.mark.parametrize(
    ("scorer", "ranker", "key"),
    [
        ({"similarity": {}}, {}, "embedder: static"),
        ({"probe": {}}, {}, "probe:FILE"),
        ({"judge": {}}, {}, "lab scores compute --scorer judge"),
        ({"unigram": {}}, {"up": 20, "down": 30}, "up_percentile: 70"),
    ],
)
def test_hints_of_a_pipeline_name_keys_of_its_file(
    work: Command, scorer: dict[str, Any], ranker: dict[str, Any], key: str
) -> None:
    """`lab pipeline` has no options of scorers: a hint names the key, or another command."""
    recipe = {"data": {"dataset": "set"}, "scorer": scorer, "ranker": ranker or None}
    Path("p.yml").write_text(json.dumps(recipe), "utf-8")
    done = work("lab", "pipeline", "p.yml")
    hint = done.err.partition("hint: ")[2]
    assert (done.code != 0, key in hint) == (True, True), done.err
    assert "--" not in hint.partition("tui-annotate ")[0]


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ("{name: combined}", "percentile"),
        ("{down: 80}", "down_percentile: 30"),
        ("{name: length, use: [a]}", "the key use"),
    ],
)
def test_a_ranker_is_checked_before_a_pipeline_computes(
    work: Command, rules: str, told: str
) -> None:
    """No score is stored, and none was paid for; the hint names keys of the file."""
    text = f"data: {{dataset: set}}\nscorer: {{unigram_scorer_en: }}\nranker: {rules}\n"
    Path("p.yml").write_text(text, "utf-8")
    done = work("lab", "pipeline", "p.yml")
    assert (done.code, "p.yml:3" in done.err, told in done.err) == (2, True, True)
    assert work("lab", "scores", "list", "--json").json == []
    assert work("lab", "pipeline", "p.yml", "--dry-run").code == 2


def test_a_pipeline_writes_no_json_into_a_table(work: Command) -> None:
    """`output_data_path: t.csv` is refused before anything is computed; a probe likewise."""
    Path("p.yml").write_text("data: {dataset: set, output_data_path: t.csv}\n", "utf-8")
    done = work("lab", "pipeline", "p.yml")
    assert (done.code, "t.csv" in done.err) == (2, True)
    done = work("lab", "scores", "train-probe", "set.jsonl", "--model-folder", "m", "-o", "t.csv")
    assert (done.code, "t.csv" in done.err) == (2, True)


def test_a_pipeline_uses_the_judge_of_the_settings(
    answers: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An address of the settings or of the file gets no text until the user trusts it."""
    monkeypatch.delenv("TUI_ANNOTATE_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    reply = json.dumps({"reason": "so", "verdict": "right"})
    dataset = answers("datasets", "list", "--json").json[0]["name"]

    def run(options: dict[str, str] | None) -> Result:
        recipe = {"data": {"dataset": dataset}, "scorer": {"judge": options}}
        Path("p.yml").write_text(json.dumps(recipe), "utf-8")
        return answers("lab", "pipeline", "p.yml")

    with chatting(lambda _: reply) as chat:
        for options in ({"model": "toy", "base_url": chat.url}, None):
            Path("tui-annotate.toml").write_text(
                "" if options else f'judge_model = "m"\njudge_url = "{chat.url}"\n'
            )
            refused = run(options)
            assert (type(refused.error), chat.asked) == (NotAllowed, [])
        monkeypatch.setenv("TUI_ANNOTATE_TRUSTED_ENDPOINTS", chat.url)
        assert run(None).code == 0
        assert len(chat.asked) == 2
        assert run({"model": "toy"}).code == 0
        assert len(chat.asked) == 2 * 2
    makers = {each["maker"] for each in answers("lab", "scores", "list", "--json").json}
    assert {each.partition("@")[0] for each in makers} == {"judge-score:m", "judge-score:toy"}


def test_limits_of_a_scoring_run(answers: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """--limit, --max-retries and --no-cache are those of the judge commands."""
    monkeypatch.delenv("TUI_ANNOTATE_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    reply = json.dumps({"reason": "so", "verdict": "right"})
    with chatting(lambda _: reply) as chat:
        judge = ("--scorer", "judge", "--judge", "toy", "--base-url", chat.url)
        asked = ("lab", "scores", "compute", *judge)
        assert answers(*asked, "--no-cache").code == 0
        assert answers(*asked, "--no-cache").code == 0
        assert len(chat.asked) == 2 * 2
        chat.script.extend([refusal(500, "broken")] * 9)
        broken = answers(*asked, "--no-cache", "--max-retries", "0", "--concurrency", "1")
        assert (broken.code, len(chat.script)) == (1, 7)
        assert (RESUME_HINT in broken.err, REPEAT_HINT in broken.err) == (False, True)


def test_a_limit_counts_questions_with_all_answers(work: Command) -> None:
    """The other samples have no score of the run, which a note states; a plan counts them too."""
    command = (
        "lab",
        "scores",
        "compute",
        "--scorer",
        "unigram",
        "--language",
        "en",
        "--limit",
        "1",
    )
    assert work(*command, "--dry-run", "--json").json[0]["samples"] == 2
    (run,) = work(*command, "--json").json
    assert (run["samples"], run["values"], run["parameters"]["limit"]) == (2, 4, 1)
    assert any("--limit 1" in note for note in run["notes"])
    Path("p.yml").write_text("data: {dataset: set}\nscorer: {unigram_scorer_en: }\n", "utf-8")
    done = work("lab", "pipeline", "p.yml", "--limit", "1", "--json").json
    assert [each["samples"] for each in done["runs"]] == [2]
    assert work("lab", "scores", "compute", "--scorer", "unigram", "--limit", "-1").code == 2


def test_retries_of_an_embedder_are_limited(work: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """As no vectors are stored, the error does not promise that a repeated run continues."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    Path("p.yml").write_text(
        "data: {dataset: set}\nscorer: {similarity: {embedder: 'remote:m'}}\n", "utf-8"
    )
    with serving() as endpoint:
        monkeypatch.setenv("TUI_ANNOTATE_BASE_URL", endpoint.url)
        for command in (
            ("lab", "scores", "compute", "--scorer", "similarity", "--embedder", "remote:m"),
            ("lab", "pipeline", "p.yml"),
        ):
            endpoint.script.extend([embedding_refusal(500, "broken")] * 9)
            done = work(*command, "--max-retries", "0")
            # The second request has a harmless text, which shows that the endpoint is at fault.
            assert (done.code, len(endpoint.script)) == (1, 7), done.err
            assert (RESUME_HINT in done.err, REPEAT_VECTORS_HINT in done.err) == (False, True)
            endpoint.script.clear()


def test_a_text_that_an_embedder_fails_for_is_counted(
    work: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other answers have their scores; exit code 3."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    scorer = ("lab", "scores", "compute", "--scorer", "similarity", "--embedder", "remote:m")
    with serving() as endpoint:
        monkeypatch.setenv("TUI_ANNOTATE_BASE_URL", endpoint.url)
        whole = work(*scorer, "--json")
        assert (whole.code, whole.json[0]["failed"]) == (0, 0)
        endpoint.poison = endpoint.texts[-1]
        done = work(*scorer, "--json")
        Path("p.yml").write_text(
            "data: {dataset: set}\nscorer: {similarity: {embedder: 'remote:m'}}\n", "utf-8"
        )
        partial_run = work("lab", "pipeline", "p.yml")
        assert (partial_run.code, "failed for 1 text" in partial_run.err) == (3, True)
    (report,) = done.json
    assert (done.code, report["failed"]) == (3, 1)
    assert report["maker"] == "similarity:m"
    assert 0 < report["values"] < whole.json[0]["values"]
    assert any("invalid input (400)" in note for note in report["notes"])
