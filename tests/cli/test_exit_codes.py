"""One exit code for one cause, over all commands: unknown names and missing files are 2."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Command

UNKNOWN = """
ingest nowhere.csv
convert nowhere.json out.json --to native
convert a.jsonl out.json --to nowhere
convert a.jsonl out.json --to native --from nowhere
view nowhere.json
annotate --sample nowhere
export --to nowhere
export --to csv --dataset nowhere
export --to csv --person nowhere
export --to csv --label Nowhere
report html --dataset nowhere
report html --person nowhere
report html --label Nowhere
report html nowhere.json
agreement --dataset nowhere
agreement --person nowhere
agreement --label Nowhere
match --sample nowhere --side summary --span 0:5
annotations delete --mine --yes --dataset nowhere
annotations delete --mine --yes --sample nowhere
labels check nowhere.yaml
labels list --dataset nowhere
labels history --dataset nowhere
labels show --dataset nowhere
labels show nowhere
labels apply nowhere.yaml
labels apply labels.yaml --dataset nowhere
labels rename Nowhere Other
labels rename Benign Other --dataset nowhere
labels merge Nowhere Benign
labels split Nowhere One Two
labels retire Nowhere
labels normalise --dataset nowhere
labels undo --dataset nowhere
assignments list --dataset nowhere
assignments create --dataset nowhere --person ana --create
assignments create --dataset pairs --person nowhere
assignments create --dataset pairs --person ana --create nowhere
assignments top-up --dataset nowhere --open 3 --person ana --create
assignments top-up --dataset pairs --open 3 --person nowhere
assignments move nowhere
assignments repeat --dataset nowhere
assignments repeat --dataset pairs --person nowhere
assignments pool --dataset nowhere
assignments escalate --dataset nowhere --when differ
assignments practice --dataset nowhere
review list --dataset nowhere
review list --order disagree:nowhere
suggestions list --dataset nowhere
suggestions import nowhere.jsonl
suggestions create --dataset nowhere --score s --below 1
suggestions create --dataset pairs --score nowhere --below 1
suggestions delete --maker nowhere --yes
suggestions report --dataset nowhere
suggestions hide --dataset nowhere
suggestions unhide --dataset nowhere
assist evaluate nowhere.json
assist report --dataset nowhere
assist report --person nowhere
assist report --label Nowhere
datasets show nowhere
datasets replace nowhere a.jsonl
datasets replace pairs nowhere.csv
datasets delete nowhere --yes
vectors rebuild --embedder nowhere
vectors delete nowhere
bundles create --person nowhere -o x.bundle
bundles create --person ana --create --dataset nowhere -o x.bundle
bundles merge nowhere.bundle
snapshots replay nowhere
users show nowhere
users update nowhere --name x
users disable nowhere
users enable nowhere
users invite nowhere
users delete nowhere --yes
users import nowhere.csv
sessions end nowhere
sessions end --person nowhere
ssh keys add nowhere nowhere.pub
ssh keys delete nowhere
guidelines list --dataset nowhere
guidelines show --dataset nowhere
guidelines apply nowhere.md
guidelines apply labels.yaml --dataset nowhere
questions list --sample nowhere
questions reply nowhere text
scores compute --dataset nowhere --scorer unigram
scores compute --dataset pairs --scorer nowhere
scores import nowhere.csv --score x
scores import scores.csv --score x --dataset nowhere
scores import scores.csv --score x --score-column nowhere
scores list --dataset nowhere
scores delete nowhere --yes
scores rank --dataset nowhere
scores rank --ranker nowhere
scores compare --dataset nowhere
scores compare --score nowhere
scores compare --column nowhere
judge sort nowhere.jsonl --model m --base-url http://localhost:1/v1
judge sort --dataset nowhere --model m --base-url http://localhost:1/v1
judge suggest --dataset nowhere --model m --base-url http://localhost:1/v1
pipeline run nowhere.yaml
position create-qa nowhere.jsonl --passages 2 --gold-position 0 -o out
position evaluate nowhere.jsonl
position evaluate --dataset nowhere
position export-prompts nowhere.jsonl
position show nowhere
restore nowhere new
audit verify --against nowhere.json
status -w nowhere
"""
"""Each command with a name, or a file, that does not exist."""


@pytest.fixture
def furnished(filled: Command, tmp_path: Path) -> Command:
    """A workspace with samples, and files to name."""
    (tmp_path / "scores.csv").write_text("id,x\nbridge,1\n", "utf-8")
    (tmp_path / "a.jsonl").write_text('{"id": "n", "source": "A.", "summary": "B."}\n', "utf-8")
    return filled


def test_what_does_not_exist_is_wrong_usage(furnished: Command) -> None:
    """The error names it, and the exit code is 2; all commands run in the same workspace."""
    faults = []
    for line in UNKNOWN.strip().splitlines():
        done = furnished(*shlex.split(line))
        if done.code != 2:
            faults.append(f"{line}: exit code {done.code}: {done.err}")
        if "nowhere" not in done.err.lower():
            faults.append(f"{line}: the error does not name it: {done.err}")
    assert not faults, "\n" + "\n".join(faults)


@pytest.mark.parametrize("line", ["labels undo", "assignments undo", "guidelines show"])
def test_a_state_that_forbids_it_is_a_failure(line: str, furnished: Command) -> None:
    """Nothing is wrong with the command line, so that the exit code is 1."""
    done = furnished(*shlex.split(line))
    assert done.code == 1, done.err


@pytest.mark.parametrize(
    "line", ["annotate", "review", "view a.jsonl", "ssh session", "lab position show"]
)
def test_a_screen_without_a_terminal_is_wrong_usage(line: str, furnished: Command) -> None:
    """Before anything else is looked at, or because of what is missing: always 2."""
    assert furnished(*shlex.split(line)).code == 2


@pytest.mark.parametrize(
    "line", ["datasets delete pairs", "lab scores delete x", "datasets clear --mine"]
)
def test_a_confirmation_without_a_terminal_is_wrong_usage(line: str, furnished: Command) -> None:
    """`--yes` is missing, or what it would delete."""
    assert furnished(*shlex.split(line)).code == 2
