"""A label that is only renamed keeps its meaning: no figure, filter or export changes with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.helpers.stores import fill, new_database
from tests.services.test_relabel import put
from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.assignment_plan import AssignmentOptions
from tui_annotate.domain.assignment_rules import Gold
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import RecordFilter
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.scores import RunKind, ScoreRun
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.lab.score.comparison import Comparison, ComparisonOptions
from tui_annotate.plugins.protocols import ExportOptions
from tui_annotate.services.agreement import Agreement, AgreementOptions
from tui_annotate.settings import load
from tui_annotate.storage.labels.store import GuidanceKind
from tui_annotate.workspace import Workspace

LABELS = """\
- Unwanted: [Intrinsic, Extrinsic]
- Questionable
- Benign
"""
WORK = {
    "1": {"ana": "Unwanted.Intrinsic", "bo": "Unwanted.Extrinsic"},
    "2": {"ana": "Benign", "bo": "Unwanted.Intrinsic"},
    "3": {"ana": "Benign", "bo": "Benign"},
    "4": {"ana": "Questionable", "bo": "Questionable"},
}


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace with four samples that two people read, and suggestions on all of them."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "tui-annotate.toml").write_text("")
    (folder / "labels.yaml").write_text(LABELS)
    with Workspace(folder, load(folder), new_database(folder)) as made:
        fill(made.corpus, *WORK)
        made.annotate.labels()
        read(made, "d", WORK)
        run = ScoreRun(id=str(uuid4()), kind=RunKind.SUGGEST, maker="m", dataset="d")
        made.machines.suggestions.add(run, [(SampleKey("d", name), _suggest()) for name in WORK])
        yield made


def _suggest() -> Suggestion:
    claim = (Anchor(Side.SUMMARY, 0, Span(16, 20)),)
    return Suggestion(id="", maker="m", run="", claim=claim, labels=(("Unwanted", "Extrinsic"),))


def read(space: Workspace, dataset: str, work: dict[str, dict[str, str]]) -> None:
    """Completed work of several people with one annotation on each sample."""
    for sample, labels in work.items():
        for name, label in labels.items():
            person, key = space.person(name).id, SampleKey(dataset, sample)
            put(space, person, key, f"{dataset}{sample}{name}", label)
            space.annotate.finish(person, key, seconds=1)


def compare(space: Workspace, **asked: Any) -> Comparison:
    """The maker's suggestions against people."""
    found: Comparison = space.machines.comparing.report(
        ComparisonOptions(dataset="d", suggestions=("m",), **asked)
    )
    return found


def figures(found: Comparison) -> object:
    """All that is computed from the labels."""
    return found.unsupported, found.supported, found.spans[0].result


def test_a_renamed_benign_still_means_supported(space: Workspace) -> None:
    """The default of `lab scores compare` follows the label through all of its names."""
    before = compare(space)
    assert (before.unsupported, before.supported, before.benign) == (3, 1, ("Benign",))
    space.team.relabel.rename("Benign", "Harmless")
    after = compare(space)
    assert (figures(after), after.benign) == (figures(before), ("Harmless",))
    space.team.relabel.rename("Harmless", "Fine")
    assert figures(compare(space)) == figures(before)
    space.team.relabel.rename("Fine", "Benign")
    assert (figures(compare(space)), compare(space).benign) == (figures(before), ("Benign",))


def test_an_undone_rename_gives_a_label_no_other_meaning(space: Workspace) -> None:
    """Only renames that are in effect count."""
    space.team.relabel.rename("Questionable", "Benign2")
    space.team.relabel.undo()
    space.team.relabel.rename("Benign", "Harmless")
    before = compare(space)
    space.team.relabel.undo()
    assert (figures(compare(space)), compare(space).benign) == (figures(before), ("Benign",))


def test_a_merged_benign_means_supported_no_more(space: Workspace) -> None:
    """A label with the work of several labels has not the meaning of one; the result says so."""
    space.team.relabel.rename("Benign", "Harmless")
    space.team.relabel.merge(["Harmless"], "Questionable")
    after = compare(space)
    assert (after.unsupported, after.supported, after.benign) == (4, 0, ())


def test_a_dataset_that_is_newer_than_the_rename_shares_it(space: Workspace) -> None:
    """The workspace's label set has one history for all datasets that use it."""
    space.team.relabel.rename("Benign", "Harmless")
    fill(space.corpus, "1", dataset="later")
    assert space.log.former_label_names("later") == ((("Benign",), ("Harmless",)),)


def test_options_take_former_names(space: Workspace) -> None:
    """`--unsupported-label` and `--label` find a label by an earlier name."""
    by_label = compare(space, unsupported_labels=("Intrinsic",))
    filters = RecordFilter(label="Unwanted.Intrinsic")
    assert space.export_service.checked(filters).label == "Unwanted.Intrinsic"
    space.team.relabel.rename("Intrinsic", "Contradiction")
    for name in ("Intrinsic", "Unwanted.Intrinsic"):
        assert figures(compare(space, unsupported_labels=(name,))) == figures(by_label)
        checked = space.export_service.checked(RecordFilter(label=name))
        assert checked.label == "Unwanted.Contradiction"
    with pytest.raises(InvalidInput):
        space.export_service.checked(RecordFilter(label="Intrinsik"))


def test_a_label_that_has_a_former_name_now_comes_first(space: Workspace) -> None:
    """The label that is named so today is meant, not the one that was."""
    space.team.relabel.rename("Questionable", "Unclear")
    text = (space.path / "labels.yaml").read_text()
    space.team.relabel.apply(text + "- Questionable\n", name="new.yaml")
    assert space.export_service.checked(RecordFilter(label="Questionable")).label == "Questionable"


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize(
    ("old", "new"),
    [("Unwanted", "Bad"), ("Intrinsic", "Contradiction"), ("Benign", "A"), ("Questionable", "Z")],
)
def test_agreement_under_an_old_label_set_survives_a_rename(
    space: Workspace, old: str, new: str, level: int
) -> None:
    """The order of the old set applies to the labels' current names."""
    version = space.guidance.version(GuidanceKind.LABELS)
    options = AgreementOptions(label_set=version, label_level=level)
    before = space.team.agreement.report(options)
    assert before.together.samples == 4
    space.team.relabel.rename(old, new)
    after = space.team.agreement.report(options)
    assert _values(after) == _values(before)
    assert after.strangers == []
    assert [name.split(".") for name in after.labels] == [
        [new if part == old else part for part in name.split(".")] for name in before.labels
    ]


def test_agreement_of_two_datasets_with_other_names_keeps_the_order(space: Workspace) -> None:
    """A label has its place in the old set under each of its current names."""
    fill(space.corpus, "1", dataset="e")
    read(space, "e", {"1": {"ana": "Benign", "bo": "Unwanted.Intrinsic"}})
    version = space.guidance.version(GuidanceKind.LABELS)
    labels = (space.path / "labels.yaml").read_text() + "# own\n"
    space.team.relabel.apply(labels, name="own.yaml", dataset="e")
    space.team.relabel.rename("Intrinsic", "Wrong", dataset="e")
    found = space.team.agreement.report(AgreementOptions(label_set=version))
    assert found.labels == [
        "Unwanted.Intrinsic", "Unwanted.Wrong", "Unwanted.Extrinsic", "Questionable", "Benign",
    ]  # fmt: skip


def _values(found: Agreement) -> list[object]:
    return [*map(asdict, found.together.figures), *map(asdict, found.together.pairs)]


def test_verdicts_of_an_export_keep_their_meaning(space: Workspace, tmp_path: Path) -> None:
    """FaithBench's table has its own words, whatever the label set calls them by now."""
    target, options = tmp_path / "verdicts.csv", ExportOptions(layer="all")
    space.export_service.run("faithbench-csv", target, options=options)
    before = target.read_text()
    for old, new in {"Benign": "Harmless", "Unwanted": "Bad", "Questionable": "Open"}.items():
        space.team.relabel.rename(old, new)
    target.unlink()
    report = space.export_service.run("faithbench-csv", target, options=options)
    assert (target.read_text(), report.records) == (before, 4)


def test_review_ranks_by_the_meaning_of_labels(space: Workspace) -> None:
    """A machine that agrees with people is no surprise after a rename either."""
    says = {SampleKey("d", name): float(name == "3") for name in WORK}
    space.team.review.sort_against(says)
    before = dict(space.team.review._machine_differences)
    space.team.relabel.rename("Benign", "Harmless")
    space.team.review.sort_against(says)
    assert space.team.review._machine_differences == before


def test_a_rename_is_no_later_change_of_a_known_answer(space: Workspace) -> None:
    """Neither if it came after the check; only another content is."""
    fill(space.corpus, *"1234", dataset="gold")
    read(space, "gold", {"1": {"kim": "Unwanted.Intrinsic"}, "2": {"kim": "Benign"}})
    space.team.assignments.gold("gold", Gold((), every=2, seed="1"), answers="kim")
    space.team.assignments.give("gold", ["li"], AssignmentOptions())
    li, kim = space.person("li").id, space.person("kim").id
    while key := space.annotate.next_unfinished(li, None):
        space.annotate.finish(li, key, seconds=1)

    def older() -> tuple[int, int]:
        (found,) = space.team.progress.figures().gold
        return found.checks, found.older_answers

    checks = older()[0]
    assert older() == (checks, 0)
    space.team.relabel.rename("Intrinsic", "Contradiction")
    space.team.relabel.rename("Benign", "Harmless")
    assert older() == (checks, 0)
    for name in "12":  # li was checked with one of them, or with both
        gold = SampleKey("gold", name)
        space.annotate.remove(kim, gold, f"gold{name}kim", version=2, seconds=1)
        space.annotate.finish(kim, gold, seconds=1)
    assert older() == (checks, checks)
