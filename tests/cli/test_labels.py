"""labels: the set is checked, and changes with all work that has its labels."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import tui_annotate
from tests.cli.conftest import Command, numbers
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span


def test_labels_are_checked_with_their_line(filled: Command, tmp_path: Path) -> None:
    """A sound label set is printed with its digits; a broken one is refused with its place."""
    assert filled("labels", "check").code == 0
    shown = filled("labels", "check", "--json").json
    assert ["Unwanted", "Intrinsic"] in [label["path"] for label in shown]
    broken = tmp_path / "broken.yaml"
    broken.write_text("- A\n- A\n", "utf-8")
    done = filled("labels", "check", str(broken))
    assert done.code == 2
    assert "'A'" in done.err
    assert filled("labels", "check", "absent.yaml").code == 2


def test_labels_are_printed_with_all_their_rules(command: Command, tmp_path: Path) -> None:
    """A table for people holds what the JSON does."""
    file = tmp_path / "mine.yaml"
    file.write_text(
        "- {name: A, key: 3, color: '#aabbcc', exclusive: true, note: required}\n"
        "- {name: B, evidence: none, children: [{name: C, description: why}]}\n"
        "- {name: D, retired: true}\n"
        "- {name: E, split: [A, B.C]}\n"
    )
    shown = command("labels", "check", str(file)).out
    assert [re.split("  +", line.strip()) for line in shown.splitlines()] == [
        ["digit", "label", "key", "color", "rules", "description"],
        ["3", "A", "3", "#aabbcc", "note required, exclusive"],
        ["2", "B", "evidence none"],
        ["1", "C", "evidence none", "why"],
        ["D", "retired"],
        ["E", "split into A and B.C"],
    ]
    report = command("labels", "check", str(file), "--json").json
    assert [(each["key"], each["color"]) for each in report] == [
        ("3", "#aabbcc"),
        ("", ""),
        ("", ""),
        ("", ""),
        ("", ""),
    ]
    assert [each["retired"] for each in report] == [False, False, False, True, False]
    assert report[-1]["split"] == [["A"], ["B", "C"]]


# labels that change -----------------------------------------------------------------------------


@pytest.fixture
def annotated(filled: Command, tmp_path: Path) -> Command:
    """The same with an annotation of ana, and one of an import with a label of another set."""
    with tui_annotate.open(tmp_path) as space:
        ana, key = space.person("ana"), next(iter(space.corpus.keys()))
        anchor = (Anchor(Side.SUMMARY, 0, Span(0, 3)),)
        made = Annotation("a" * 8, anchor, labels=(("Questionable",),))
        space.annotate.add(ana.id, key, made, seconds=1)
        odd = replace(made, id="b" * 8, labels=(("Unwanted", "Instrinsic"),))
        sample = space.corpus.sample(key).sample
        people = (Person("li", "Li"),)
        owned = (OwnedAnnotation("li", odd),)
        space.log.import_records([Record(sample, people=people, annotations=owned)])
    return filled


def labels_of(tmp_path: Path) -> list[str]:
    """The labels of all annotations."""
    with tui_annotate.open(tmp_path) as space:
        found = [owned.annotation.labels for _, owned in space.annotations()]
    return sorted(".".join(path) for labels in found for path in labels)


def test_labels_change_by_command(annotated: Command, tmp_path: Path) -> None:
    """What would be is told as what was; undo takes it back; a list tells all of it."""
    report = annotated("labels", "rename", "Questionable", "Doubtful", "--dry-run")
    assert report.code == 0
    assert report.err
    assert labels_of(tmp_path) == ["Questionable", "Unwanted.Instrinsic"]
    done = annotated("labels", "rename", "Questionable", "Doubtful")
    assert done.out == report.out
    assert re.search(r"ana +pairs +Questionable +Doubtful +1", done.out)
    assert all(each in done.err for each in ("Questionable", "Doubtful"))
    assert numbers(done.err)[0] == 1
    assert labels_of(tmp_path) == ["Doubtful", "Unwanted.Instrinsic"]
    assert annotated("labels", "split", "Doubtful", "Vague", "Odd", "--json").json["reopened"] == 0
    assert annotated("labels", "retire", "Vague").code == 0
    assert annotated("labels", "merge", "Odd", "Vague", "Benign").code == 0
    for _ in range(4):
        assert annotated("labels", "undo").code == 0
    assert labels_of(tmp_path) == ["Questionable", "Unwanted.Instrinsic"]
    shown = annotated("labels", "history").out
    listed = annotated("labels", "history", "--json").json
    assert len(shown.splitlines()) == 1 + len(listed)
    assert all(each["version"][:8] in shown for each in listed)
    assert sum(each["undone"] for each in listed) == 4
    assert sum(each["in_force"] for each in listed) == 1
    words = ("Questionable", "Doubtful")
    assert all(word in listed[1]["change"] for word in words)
    assert all(word in shown.splitlines()[2] for word in words)
    assert annotated("labels", "show").out == (tmp_path / "labels.yaml").read_text("utf-8")


def test_a_mistake_is_told_with_what_to_do(annotated: Command) -> None:
    """Of every command; nothing is changed."""
    before = annotated("labels", "history").out
    for words, report in {
        ("rename", "Nope", "X"): "'Nope'",
        ("merge", "Benign"): "'Benign'",
        ("split", "Benign", "X"): "'Benign'",
        ("retire", "Benign", "--dataset", "no"): "'no'",
        ("apply", "absent.yaml"): "absent.yaml",
        ("normalize", "--rule", "X=Benign", "--yes"): "'X'",
        ("undo",): "",
    }.items():
        error = annotated("labels", *words).error
        assert error is not None
        assert report in error.message
        assert error.hint
    assert annotated("labels", "history").out == before


def test_imports_are_mended_by_rules_that_are_shown(annotated: Command, tmp_path: Path) -> None:
    """Nothing is done without a yes; rules of a file and of the line go before those proposed."""
    report = annotated("labels", "normalize", "--dry-run")
    pattern = r"Unwanted\.Instrinsic +Unwanted\.Intrinsic +1 "
    assert re.search(pattern, report.out)
    done = annotated("labels", "normalize")
    assert type(done.error) is InvalidInput
    assert "--yes" in done.error.hint
    assert labels_of(tmp_path) == ["Questionable", "Unwanted.Instrinsic"]
    (tmp_path / "rules.txt").write_text("# ours\nUnwanted.Instrinsic=\n")
    left = annotated("labels", "normalize", "--rules", "rules.txt", "--yes")
    assert re.search(r"\S +Unwanted\.Instrinsic +1 +pairs/bridge$", left.out, re.MULTILINE)
    assert all(word in left.err for word in ("--rule ", "labels.yaml", "labels check"))
    rule = ("--rule", "Unwanted.Instrinsic=Unwanted.Extrinsic")
    wanted = annotated("labels", "normalize", "--rules", "rules.txt", *rule, "--yes", "--json")
    assert wanted.json["rules"] == [
        {"label": "Unwanted.Instrinsic", "becomes": "Unwanted.Extrinsic", "reason": "asked"}
    ]
    assert labels_of(tmp_path) == ["Questionable", "Unwanted.Extrinsic"]


@pytest.mark.parametrize(
    "line",
    [
        "normalize --rule Questionable=Vague --rule Unwanted.Instrinsic= --yes",
        "merge Questionable Vague",
    ],
)
def test_what_waits_since_a_split_is_chosen_for_all(
    annotated: Command, tmp_path: Path, line: str
) -> None:
    """By a rule, or by a merge that takes the label out of the set as well; both can be undone."""
    annotated("labels", "split", "Questionable", "Vague", "Odd")
    report = annotated("labels", "normalize", "--dry-run")
    assert re.search(r"\S +Questionable +1 +pairs/bridge$", report.out, re.MULTILINE)
    row = r"Questionable +Vague, Odd +ana +1\n"
    assert re.search(row, annotated("labels", "history").out)
    assert re.search(row, annotated("status").out)
    (waits,) = annotated("status", "--json").json["waiting"]
    assert (waits["label"], waits["name"], waits["annotations"]) == ("Questionable", "ana", 1)
    waiting = "Questionable of ana (1)"
    assert waiting in annotated("doctor").out
    refused = annotated("labels", "normalize", "--rule", "Questionable=Benign", "--yes")
    assert isinstance(refused.error, InvalidInput)
    assert "Vague, Odd" in refused.error.hint
    assert annotated("labels", *line.split()).code == 0
    assert labels_of(tmp_path) == ["Unwanted.Instrinsic", "Vague"]
    assert annotated("status", "--json").json["waiting"] == []
    assert waiting not in annotated("doctor").out
    assert annotated("labels", "undo").code == 0
    assert labels_of(tmp_path) == ["Questionable", "Unwanted.Instrinsic"]


def test_names_of_any_script_are_given_as_they_are(annotated: Command, tmp_path: Path) -> None:
    """Slashes, blanks, Chinese, quotes of YAML; what a terminal would obey is shown harmlessly."""
    for new in ("捏造/虚构", "not: so #1", "'quoted'", "=", "-"):
        assert annotated("labels", "rename", "--", "Questionable", new).code == 0
        assert new in labels_of(tmp_path)
        assert annotated("labels", "undo").code == 0
    assert annotated("labels", "rename", "Questionable", "a.b").code == 2


def test_a_file_that_is_not_taken_up_is_told(annotated: Command, tmp_path: Path) -> None:
    """By status, doctor and JSON, with the line that tells what would be."""
    (tmp_path / "labels.yaml").write_text("- Benign\n", "utf-8")
    line = f"labels apply {tmp_path / 'labels.yaml'} --dry-run"
    assert line in annotated("status").err
    assert "Questionable" in annotated("status", "--json").json["labels_refused"]
    assert line in annotated("doctor").out
    report = annotated("labels", "apply", "labels.yaml", "--dry-run")
    assert re.search(r"^  pairs/bridge +ana .*Questionable$", report.out, re.MULTILINE)
    places = annotated("labels", "apply", "labels.yaml", "--dry-run", "--json")
    assert (places.code, places.json["problems"][0]["person"]) == (1, "ana")


@pytest.mark.parametrize(
    "line",
    [
        "apply less.yaml",
        "apply broken.yaml",
        "apply less.yaml --dataset pairs",
        "rename Benign Questionable",
        "merge Benign Benign",
        "split Benign X",
        "retire Gone",
        "normalize --rule X=Benign",
        "undo",
        "rename Benign Fine --dataset pairs",
    ],
)
def test_a_trial_is_refused_as_the_deed_is(annotated: Command, tmp_path: Path, line: str) -> None:
    """With the same words and exit code; it does not say that it would be done."""
    (tmp_path / "less.yaml").write_text("- Benign\n", "utf-8")
    (tmp_path / "broken.yaml").write_text("- A: {", "utf-8")
    done = annotated("labels", *line.split())
    report = annotated("labels", *line.split(), "--dry-run")
    assert done.code in (1, 2)
    assert (report.code, report.err) == (done.code, done.err)


def test_a_dataset_gets_its_own_set(annotated: Command, tmp_path: Path) -> None:
    """By a file; then it is shown, listed and changed by its name."""
    (tmp_path / "own.yaml").write_text("- Questionable\n- {name: Plain, key: 2}\n", "utf-8")
    mine = ("--dataset", "pairs")
    assert annotated("labels", "apply", "own.yaml", *mine).code == 0
    again = annotated("labels", "apply", "own.yaml", *mine)
    (listed,) = annotated("labels", "history", *mine, "--json").json
    assert (again.code, listed["version"][:12] in again.err) == (0, True)
    assert annotated("labels", "rename", "Plain", "Simple", *mine).code == 0
    assert annotated("labels", "show", *mine).out == "- Questionable\n- {name: Simple, key: 2}\n"
    assert len(annotated("labels", "history", *mine, "--json").json) == 2


def test_samples_without_a_rating_are_counted_and_opened_again(
    annotated: Command, tmp_path: Path
) -> None:
    """The same label set is enough; without a scale nothing is opened."""
    on = ("labels", "apply", "labels.yaml", "--reopen-unrated")
    assert annotated(*on, "--dry-run", "--json").json["missing_parts"] == []
    with tui_annotate.open(tmp_path) as space:
        who, key = space.people.all()[0].id, space.corpus.keys()[-1]
        space.annotate.finish(who, key, seconds=0)
    assert "without a rating scale, which are not reopened: pair" in annotated(*on).err
    lacking = annotated("labels", "apply", "labels.yaml", "--lacking", "reopen")
    assert "no completed sample lacks a note or evidence" in lacking.err
    with (tmp_path / "tui-annotate.toml").open("a") as file:
        file.write('ratings = ["good", "poor"]\n')
    tried = annotated(*on, "--dry-run")
    assert (tried.code, "completed samples without a rating: 1" in tried.out) == (0, True)
    (found,) = annotated(*on, "--json").json["missing_parts"]
    assert (found["part"], found["samples"], found["reopened"]) == ("rating", 1, 1)
    assert annotated("doctor").code == 0
