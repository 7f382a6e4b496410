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
report --dataset nowhere
report --person nowhere
report --label Nowhere
report nowhere.json
agreement --dataset nowhere
agreement --person nowhere
agreement --label Nowhere
lab match --sample nowhere --side summary --span 0:5
datasets clear --mine --yes --dataset nowhere
datasets clear --mine --yes --sample nowhere
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
labels normalize --dataset nowhere
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
lab assist evaluate nowhere.json
lab assist report --dataset nowhere
lab assist report --person nowhere
lab assist report --label Nowhere
datasets show nowhere
datasets replace nowhere a.jsonl
datasets replace pairs nowhere.csv
datasets delete nowhere --yes
lab vectors rebuild --embedder nowhere
lab vectors delete nowhere
sync bundles create --person nowhere -o x.bundle
sync bundles create --person ana --create --dataset nowhere -o x.bundle
sync bundles merge nowhere.bundle
audit snapshots replay nowhere
users show nowhere
users edit nowhere --name x
users disable nowhere
users enable nowhere
users invite nowhere
users delete nowhere --yes
users import nowhere.csv
users sessions end nowhere
users sessions end --person nowhere
users ssh keys add nowhere nowhere.pub
users ssh keys delete nowhere
guidelines list --dataset nowhere
guidelines show --dataset nowhere
guidelines apply nowhere.md
guidelines apply labels.yaml --dataset nowhere
messages questions list --sample nowhere
messages questions reply nowhere text
lab scores compute --dataset nowhere --scorer unigram
lab scores compute --dataset pairs --scorer nowhere
lab scores import nowhere.csv --score x
lab scores import scores.csv --score x --dataset nowhere
lab scores import scores.csv --score x --score-column nowhere
lab scores list --dataset nowhere
lab scores delete nowhere --yes
lab scores rank --dataset nowhere
lab scores rank --ranker nowhere
lab scores compare --dataset nowhere
lab scores compare --score nowhere
lab scores compare --column nowhere
lab judge sort nowhere.jsonl --model m --base-url http://localhost:1/v1
lab judge sort --dataset nowhere --model m --base-url http://localhost:1/v1
lab judge suggest --dataset nowhere --model m --base-url http://localhost:1/v1
lab pipeline nowhere.yaml
lab position create-qa nowhere.jsonl --passages 2 --gold-position 0 -o out
lab position evaluate nowhere.jsonl
lab position evaluate --dataset nowhere
lab position build-prompts nowhere.jsonl
lab position show nowhere
backup restore nowhere new
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
