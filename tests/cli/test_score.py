"""The commands of scores, rankings and recipes, as somebody gives them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.plugins.formats.test_generations import ROW

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
    done = work("score", "--scorer", "unigram", "--lang", "en", "--top-k", "3")
    assert done.code == 0, done.err
    assert done.out == "unigram: 4 samples of set, 8 scores\n"
    (run,) = work("score", "--scorer", "unigram", "--json").json
    assert (run["maker"], run["samples"], run["scores"]) == ("unigram", 4, 8)
    assert (run["low"], run["kind"]) == (["top_k_avg_probs_score"], "score")
    listed = work("score", "list", "--json").json
    assert [each["stands"] for each in listed] == [False, True]
    assert "older" in work("score", "list").out
    removed = work("score", "remove", listed[1]["run"][:8], "--yes")
    assert removed.code == 0
    assert [each["stands"] for each in work("score", "list", "--json").json] == [True]
    assert work("score", "remove", "nix", "--yes").code == 1
    assert work("score", "remove", "unigram", "--yes").code == 0
    assert work("score", "list", "--json").json == []


def test_a_dry_run_says_what_would_be_sent(work: Command) -> None:
    """Nothing is stored, and nothing leaves this machine."""
    plain = work("score", "--scorer", "unigram", "--dry-run")
    assert plain.out == "unigram: 4 samples; nothing leaves this machine\n"
    told = work("score", "--scorer", "similarity", "--embedder", "static", "--dry-run", "--json")
    assert told.json == [{"scorer": "similarity", "samples": 4, "calls": 0, "characters": 0}]
    assert work("score", "list", "--json").json == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "no scorer is named"),
        (("--scorer", "nix"), "no scorer 'nix'"),
        (("--scorer", "similarity"), "no vectors"),
        (("--scorer", "unigram", "--dataset", "nix"), "no dataset 'nix'"),
        (("--scorer", "unigram", "--lang", "fr"), "no language 'fr'"),
        (("list", "--dataset", "nix"), "no dataset 'nix'"),
        (("import",), "name either a file, or columns"),
        (("import", "set.jsonl", "--columns", "all"), "name either a file, or columns"),
        (("import", "set.jsonl", "--name", "n"), "no column 'id'"),
        (("import", "none.csv", "--name", "n"), "no file"),
        (("import", "--columns", "nix"), "no sample of 'set' has a column of nix"),
    ],
)
def test_what_can_not_be_scored_is_told(
    work: Command, arguments: tuple[str, ...], said: str
) -> None:
    """In a line, with a hint, and no run is made."""
    done = work("score", *arguments)
    assert done.code in {1, 2}
    assert said in done.err
    assert "Traceback" not in done.err
    assert work("score", "list", "--json").json == []


def test_scores_are_imported_and_ranked(work: Command) -> None:
    """From columns and from a file; ranked by the names that are asked for."""
    columns = work("score", "import", "--columns", "all", "--json").json
    assert columns["maker"] == "import:generations"
    Path("p.csv").write_text("id,p\n0.1,0.9\n0.3,0.2\n1.0,0.5\n1.1,0.4\n", "utf-8")
    told = work("score", "import", "p.csv", "--name", "probe", "--score-column", "p")
    assert told.out == "import:probe: 4 samples of set, 4 scores\n"
    ranked = work("rank", "--use", "probe", "--up-percentile", "70", "--down", "30", "--json").json
    assert ranked["labels"] == {"right": 1, "wrong": 1, "undecided": 2}
    assert ranked["parameters"]["used"] == ["probe"]
    shown = work("rank", "--use", "probe")
    assert "partial-right" in shown.out
    assert "percentile of set, by probe" in shown.err
    preferred = work("export", "--format", "preferences").out
    assert json.loads(preferred)["preference"][0] == "In tide pools."
    assert "no ranker 'nix'" in work("rank", "--ranker", "nix").err
    length = work("rank", "--ranker", "length", "--short-diff", "9")
    assert "length of set, by sim2answer_score, rm_score" in length.err


def test_files_of_who_manages_carry_scores_that_screens_hide(work: Command) -> None:
    """Hiding is for those who annotate; a file for training is the same with it."""
    work("score", "import", "--columns", "all")
    shown = work("export", "--format", "generations").out
    work("suggestions", "hide", "--dataset", "set")
    assert "sim2answer_score" in shown
    assert work("export", "--format", "generations").out == shown


def _recipe(**parts: Any) -> None:
    Path("a.yml").write_text(json.dumps(parts), "utf-8")


def test_one_file_does_it_all(work: Command) -> None:
    """What it names is read, scored, ranked and written; again it adds nothing."""
    data = {"input_data_path": "set.jsonl", "output_data_path": "out.jsonl"}
    scorer = {"unigram_scorer_en": {"unigram_top_k": 3}}
    _recipe(data=data, scorer=scorer, ranker={"ranker_name": "SimpleRanker"})
    plan = work("automate", "run", "a.yml", "--dry-run")
    assert "set.jsonl" in plan.out
    assert not Path("out.jsonl").exists()
    done = work("automate", "run", "a.yml", "--json").json
    assert (done["dataset"], done["added"], done["written"]) == ("set", 0, {"out.jsonl": 4})
    assert [run["parameters"]["language"] for run in done["runs"]] == ["en"]
    assert len(Path("out.jsonl").read_text("utf-8").splitlines()) == 2
    assert "written: out.jsonl" in work("automate", "run", "a.yml").out


def test_without_scorers_the_scores_of_the_input_are_ranked(work: Command) -> None:
    """And a dataset that is stored needs no input."""
    _recipe(
        data={"dataset": "set", "output_rank_data_path": "p.jsonl"},
        scorer=None,
        ranker={"use": ["sim2answer_score"]},
    )
    told = work("automate", "run", "a.yml", "--dry-run", "--json").json
    assert told["ranker"] == {"use": ["sim2answer_score"]}
    done = work("automate", "run", "a.yml", "--json").json
    assert [run["maker"] for run in done["runs"]] == ["import:generations"]
    assert done["ranking"]["labels"]["right"] == 1


def test_a_wrong_recipe_or_input_changes_nothing(work: Command) -> None:
    """The line is told; an input that is not whole stops before it is scored."""
    _recipe(data={"dataset": "set"}, scorer={"bleu": None})
    assert "a.yml:1: unknown key 'bleu'" in work("automate", "run", "a.yml").err
    Path("bad.jsonl").write_text(json.dumps(ROW) + "\n{}\n", "utf-8")
    scorer = {"unigram_scorer": {"model_path": "x"}}
    _recipe(data={"input_data_path": "bad.jsonl"}, scorer=scorer)
    done = work("automate", "run", "a.yml")
    assert done.code == 2
    assert "not used: unigram_scorer.model_path" in done.err
    assert "bad.jsonl:2" in done.err
    assert work("score", "list", "--json").json == []
