"""Labels that came with imports and are not in the set: told, and mended by rules seen first."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tui_annotate
from tests.helpers.stores import claim, fill, new_database
from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import SampleKey
from tui_annotate.services.relabel import normalising
from tui_annotate.services.relabel.normalising import IrregularLabels
from tui_annotate.settings import load
from tui_annotate.workspace import Workspace

ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("TUI_ANNOTATE_SHARED", ROOT.parent / "shared"))
LABELS = parse_labels(
    "- Unwanted: [Intrinsic, Extrinsic]\n- Benign\n- Made up\n- 捏造/虚构\n"
    "- {name: Old, split: [Benign, Made up]}\n- A: [Same]\n- B: [Same]\n- k=v\n"
)


def path(whole: str) -> LabelPath:
    """A path written with dots."""
    return tuple(whole.split("."))


def odd(*labels: str | LabelPath) -> list[IrregularLabels]:
    """Labels outside the set, one annotation each."""
    paths = [path(label) if isinstance(label, str) else label for label in labels]
    return [IrregularLabels("outside", ".".join(each), each, Counter(ana=1)) for each in paths]


@pytest.mark.parametrize(
    ("label", "becomes", "why"),
    [
        ("Unwanted.Instrinsic", "Unwanted.Intrinsic", "spelling"),
        ("unwanted.INTRINSIC", "Unwanted.Intrinsic", "letters"),
        ("Made-Up", "Made up", "letters"),
        ("ＭａｄｅＵｐ", "Made up", "letters"),
        (("Unwanted.Extrinsic",), "Unwanted.Extrinsic", "letters"),
        ("Intrinsic", "Unwanted.Intrinsic", "parent"),
        ("extrinsic", "Unwanted.Extrinsic", "parent"),
        ("Bening", "Benign", "spelling"),
        ("捏造", "", ""),
        ("Same", "", ""),
        ("old", "", ""),
        ("Ben", "", ""),
        ("Unwanted.Something else", "", ""),
        ("Benign.Intrinsic", "", ""),
    ],
)
def test_a_rule_is_proposed_where_one_label_fits(
    label: str | LabelPath, becomes: str, why: str
) -> None:
    """Case, width and signs; a parent left out; a slip of the pen. Never where two would fit."""
    rules = normalising.propose_replacements(odd(label), LABELS)
    assert [(".".join(rule.new), rule.reason) for rule in rules] == (
        [(becomes, why)] if why else []
    )


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_a_distance_is_one_of_letters(one: str, other: str) -> None:
    """Nought for the same alone, the same both ways, and never more than the longer one."""
    found = normalising.edit_distance(one, other)
    assert (found == 0) == (one == other)
    assert found == normalising.edit_distance(other, one)
    assert abs(len(one) - len(other)) <= found <= max(len(one), len(other))


def test_letters_turned_are_one_slip() -> None:
    """As are one too many, one too few, and another one."""
    for wrong in ("Bening", "Benignn", "Benin", "Benugn"):
        assert normalising.edit_distance(wrong, "Benign") == 1


def asked(*rules: str, of: Sequence[IrregularLabels]) -> dict[str, str]:
    """What rules mean."""
    made = normalising.parse_rules(rules, of, LABELS)
    return {".".join(old): ".".join(rule.new) if rule else "" for old, rule in made.items()}


def test_a_rule_names_labels_as_they_are_shown() -> None:
    """Also names that hold dots, slashes, Chinese, or an equals sign."""
    there = odd("x/y", ("a.b",), "虚构", "p=q")
    assert asked("x/y=捏造/虚构", "a.b=Benign", "虚构 = Made up", "p=q=k=v", of=there) == {
        "x/y": "捏造/虚构", "a.b": "Benign", "虚构": "Made up", "p=q": "k=v",
    }  # fmt: skip


def test_a_rule_may_leave_a_label_and_goes_before_what_is_proposed() -> None:
    """Nothing behind the sign leaves it as it is."""
    there = odd("Bening", "intrinsic")
    wanted = normalising.parse_rules(["Bening=", "intrinsic=Unwanted.Extrinsic"], there, LABELS)
    chosen = normalising.choose_rules(normalising.propose_replacements(there, LABELS), wanted)
    assert [(rule.old, rule.new) for rule in chosen] == [
        (("intrinsic",), ("Unwanted", "Extrinsic"))
    ]


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("Bening", "'Bening'"),
        ("Other=Benign", "'Other'"),
        ("Benign=Made up", "'Benign'"),
        ("Bening=Old", "'Old'"),
    ],
)
def test_what_is_no_rule_is_told(rule: str, told: str) -> None:
    """With the value, and what there is."""
    with pytest.raises(InvalidInput, match=told):
        normalising.parse_rules([rule], odd("Bening"), LABELS)


def test_what_was_split_becomes_one_of_its_parts() -> None:
    """By a rule of somebody alone, and nothing else; the hint names what can be done."""
    there = [IrregularLabels("split", "Old", ("Old",), Counter(ana=1))]
    assert normalising.propose_replacements(there, LABELS) == []
    assert asked("Old=Made up", of=there) == {"Old": "Made up"}
    with pytest.raises(InvalidInput, match=r"'k=v'.*'Old'") as caught:
        asked("Old=k=v", of=there)
    assert "Benign, Made up" in caught.value.hint


def test_a_rule_leads_to_a_label_of_the_set() -> None:
    """Else it is told which there are."""
    with pytest.raises(InvalidInput, match="'Nope'"):
        normalising.parse_rules(["Bening=Nope"], odd("Bening"), LABELS)


def test_a_file_of_rules_has_one_a_line() -> None:
    """Comments, blank lines and line ends of Windows are passed over."""
    text = "\ufeff# ours\r\n\r\nBening=Benign\r\n  x = y\n"
    assert normalising.read_rule_lines(text) == ["Bening=Benign", "x = y"]


# real work ---------------------------------------------------------------------------------------


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace with labels as imports have them."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "tui-annotate.toml").write_text("")
    (folder / "labels.yaml").write_text("- Unwanted: [Intrinsic, Extrinsic]\n- Benign\n")
    with Workspace(folder, load(folder), new_database(folder)) as made:
        (key, *_) = fill(made.corpus, "1", "2")
        made.annotate.labels()
        said = [["Unwanted.Instrinsic"], ["Unwanted"], ["Benign", "Unwanted.Extrinsic"], []]
        for person in ("ana", "bo"):
            owned = [
                OwnedAnnotation(person, _said(f"{person}{place}", labels, place))
                for place, labels in enumerate(said)
            ]
            sample = made.corpus.sample(SampleKey("d", "1")).sample
            people = (Person(person, person),)
            made.log.import_records([Record(sample, people=people, annotations=tuple(owned))])
        assert key.id == "1"
        yield made


def _said(name: str, labels: list[str], place: int) -> Annotation:
    made = claim(name, place, place + 5)
    return replace(made, labels=tuple(path(label) for label in labels), origin="imported:mercury")


def test_all_that_is_out_of_the_ordinary_is_told(space: Workspace) -> None:
    """Labels outside the set, parents alone, several groups, none: with how many, and where."""
    found, _ = space.team.relabel.find_irregular_labels()
    report = [(each.kind, each.label, each.annotations, each.examples) for each in found]
    assert report == [
        ("none", "", 2, ["d/1"]),
        ("outside", "Unwanted.Instrinsic", 2, ["d/1"]),
        ("parent", "Unwanted", 2, ["d/1"]),
        ("tops", "Benign + Unwanted.Extrinsic", 2, ["d/1"]),
    ]


def test_rules_mend_what_they_name_alone(space: Workspace) -> None:
    """A rule for a parent leaves its children; all can be taken back."""
    service = space.team.relabel
    before = list(space.annotations())
    renames = {path("Unwanted.Instrinsic"): path("Unwanted.Intrinsic"),
               path("Unwanted"): path("Unwanted.Extrinsic")}  # fmt: skip
    assert service.normalise(renames, dry_run=True).annotations == 4
    assert service.normalise(renames).annotations == 4
    labels = [owned.annotation.labels for _, owned in space.annotations()]
    assert set(labels) == {
        (path("Unwanted.Intrinsic"),), (path("Unwanted.Extrinsic"),),
        (("Benign",), path("Unwanted.Extrinsic")), (),
    }  # fmt: skip
    assert [each.kind for each in service.find_irregular_labels()[0]] == ["none", "tops"]
    service.undo()
    assert list(space.annotations()) == before
    assert service.normalise({}).applied is False


def test_one_dataset_alone_may_be_mended(space: Workspace) -> None:
    """Also one that has no label set of its own."""
    service = space.team.relabel
    renames = {path("Unwanted.Instrinsic"): path("Unwanted.Intrinsic")}
    assert service.normalise(renames, dataset="d").annotations == 2
    assert service.undo(dataset="d").annotations == 2


def test_faithbench_comes_in_as_it_is_and_is_mended(tmp_path: Path) -> None:
    """All batches: told, mended by rules that are seen first, and out again with the new labels."""
    files = sorted((SHARED / "data" / "faithbench").glob("batch_*_annotation.json"))
    if not files:
        pytest.skip("real data: no folder TUI_ANNOTATE_SHARED with dumps")
    with tui_annotate.create(tmp_path / "work") as space:
        space.ingest(*files, embedder="none")
        service = space.team.relabel
        found, labels = service.find_irregular_labels()
        count = Counter({(each.kind, each.label): each.annotations for each in found})
        rules = normalising.propose_replacements(found, labels)
        assert [(".".join(rule.old), ".".join(rule.new)) for rule in rules] == [
            ("Unwanted.Instrinsic", "Unwanted.Intrinsic")
        ]
        wrong = count["outside", "Unwanted.Instrinsic"]
        assert wrong == _said_wrong(files)
        assert {what for what, _ in count} == {"none", "outside", "parent", "tops"}
        report = service.normalise({rule.old: rule.new for rule in rules})
        assert (report.annotations, report.of("breaks"), report.of("alike")) == (wrong, [], [])
        assert not [each for each in service.find_irregular_labels()[0] if each.kind == "outside"]
        space.export(tmp_path / "out.json", format="mercury")
        text = (tmp_path / "out.json").read_text("utf-8")
        assert ("Instrinsic" in text, text.count("Unwanted.Intrinsic") >= wrong) == (False, True)
        assert space.team.audit.verify().sound
        service.undo()
        space.export(tmp_path / "again.json", format="mercury")
        assert (tmp_path / "again.json").read_text("utf-8").count("Unwanted.Instrinsic") == wrong


def _said_wrong(files: Sequence[Path]) -> int:
    records = [record for file in files for record in json.loads(file.read_text("utf-8"))]
    said = [one["label"] for record in records for one in record["annotations"]]
    return sum("Unwanted.Instrinsic" in labels for labels in said)
