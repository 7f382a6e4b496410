"""The commands `labels`: list, check and change label sets. A change also updates annotations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypedDict

import typer

from tui_annotate.cli import completion, options, output
from tui_annotate.cli.guidelines import VersionText
from tui_annotate.cli.help_format import CORE
from tui_annotate.cli.hints import ADD_LABELS
from tui_annotate.cli.options import add_command, add_group, argument, flag, open_workspace, option
from tui_annotate.cli.report_parts import (
    Column,
    Columns,
    MessagePart,
    NotePart,
    Part,
    Table,
    Text,
    flexible_column,
    number_column,
)
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.label_changes import LackingWork
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.domain.labels import JOINER, Label, LabelTree, Requirement
from tui_annotate.domain.report_collections import rating_scale
from tui_annotate.domain.workspace_files import LABELS
from tui_annotate.plugins.files.small_text import read_text
from tui_annotate.settings import find_workspace

if TYPE_CHECKING:
    from tui_annotate.domain.annotations import LabelPath
    from tui_annotate.services.relabel import (
        LabelSetVersion,
        LackingCount,
        RelabelFinding,
        RelabelReport,
    )
    from tui_annotate.services.relabel.change_writer import RelabelCount
    from tui_annotate.services.relabel.normalising import IrregularLabels, LabelReplacement
    from tui_annotate.services.status import PendingChoices


SetOption = Annotated[
    str,
    options.dataset_option("Dataset with its own label set (default: the workspace's label set)."),
]
LackingOption = Annotated[
    LackingWork | None,
    option(
        "--lacking",
        "reopen|keep",
        "Reopen or keep completed samples with annotations that lack a note or evidence which"
        " their label requires after the change (default: refuse the change).",
    ),
]
LabelArgument = Annotated[
    str,
    argument(
        "LABEL",
        "Label with its parent labels, for example Unwanted.Intrinsic.",
        complete=completion.labels,
    ),
]

SHORT = 12


_WHY = {
    "asked": "your rule",
    "letters": "differs from a label only in case or spaces",
    "parent": "the parent label is missing",
    "spelling": "misspelled",
}
_ODD = {
    "outside": "not in the label set",
    "split": "label was split, and no new label is chosen yet",
    "parent": "parent label without a child label",
    "tops": "labels below different top-level labels",
    "none": "no label",
}
_MOST_FINDINGS = 10
"""Maximum number of printed findings of each kind; `--json` lists all."""

_FINDING_TITLES = {
    "breaks": "annotations that violate a rule of their label",
    "lacks": "annotations that lack what their label requires",
    "unrated": "completed samples without a rating",
    "alike": "several annotations with the same label on the same claim",
    "left": "annotations that stay as they are, because people edited them after the label change",
    "lost": "annotations with a label that is not in the set",
}
_RULES = {
    ("breaks", "evidence"): "allows no evidence",
    ("breaks", "note"): "allows no note",
    ("breaks", "alone"): "must be alone",
    ("lacks", "evidence"): "requires evidence",
    ("lacks", "note"): "requires a note",
    ("unrated", "rating"): "has no rating",
}


class PrintedLabel(TypedDict):
    """A label.

    Attributes:
        digit: position of the label on the bar; empty for none.
        key, color: the requested ones.
        split: paths that the label was split into.
    """

    path: LabelPath
    digit: str
    key: str
    color: str
    description: str
    evidence: Requirement
    note: Requirement
    exclusive: bool
    retired: bool
    split: Sequence[LabelPath]


class PrintedReplacement(TypedDict):
    """A label that becomes another, and why."""

    label: str
    becomes: str
    reason: str


class PrintedUnusualLabel(TypedDict):
    """A label that cannot be used as it is, with the ids of some annotations.

    Attributes:
        kind: `outside` (not in the label set), `split` (waits for a choice), `parent` (parent
            without a child), `tops` (labels of several groups) or `none` (no label).
    """

    kind: str
    label: str
    annotations: int
    examples: Sequence[str]


class PrintedRules(TypedDict):
    """Replacements of labels, and all unusual labels."""

    rules: list[PrintedReplacement]
    unusual_labels: list[PrintedUnusualLabel]


def register(app: typer.Typer) -> None:
    labels = add_group(
        app, "labels", "Manage label sets and the labels of annotations.", panel=CORE
    )
    add_command(labels, list_labels, "labels list", "labels list --dataset news", name="list")
    add_command(labels, check, "labels check", "labels check my-labels.yaml")
    add_command(labels, history, "labels history", "labels history --dataset news")
    add_command(labels, show, "labels show --dataset news > news.yaml")
    add_command(
        labels, apply, "labels apply labels.yaml --dry-run", "labels apply news.yaml --dataset news"
    )
    add_command(labels, rename, "labels rename Unwanted.Intrinsic Contradicted --dry-run")
    add_command(labels, merge, "labels merge Benign Questionable Harmless --dry-run")
    add_command(labels, split, "labels split Questionable Doubtful Unclear --dry-run")
    add_command(labels, retire, "labels retire Questionable --dry-run")
    add_command(
        labels,
        normalize,
        "labels normalize --dry-run",
        "labels normalize --rule Unwanted.Instrinsic=Unwanted.Intrinsic --yes",
    )
    add_command(labels, undo, "labels undo --dry-run")


def list_labels(*, dataset: SetOption = "", common: options.CommonOptions) -> None:
    """List the labels in use, with their keys on the screen.

    The digit is the label's key on the screen. `key` and `color` are the values in the label set
    file.
    """
    with open_workspace(common.workspace) as space:
        if dataset:
            options.choose_dataset(space, dataset)
        tree = space.team.proposals.labels(dataset)
    _show_labels(tree, as_json=common.as_json)


def history(
    *,
    dataset: Annotated[
        str | None,
        options.dataset_option(
            "List only versions of this dataset's label set; '' lists the workspace's."
        ),
    ] = None,
    common: options.CommonOptions,
) -> None:
    """List label set changes, and annotations that need a new label.

    After a label was split, annotators choose one of the new labels for each of its annotations.
    `status --json` also lists the annotations without a choice.
    """
    with open_workspace(common.workspace) as space:
        versions = space.team.relabel.versions(dataset)
        waiting = space.status().waiting
    text = (Table(versions, _VERSIONS), waiting_table(waiting))
    output.show(versions, text, as_json=common.as_json)


def _name_use(version: LabelSetVersion) -> str:
    if version.in_force:
        return "now"
    return "undone" if version.undone else ""


_VERSIONS: Final[Columns[LabelSetVersion]] = (
    flexible_column("dataset", lambda each: each.dataset or "(all)"),
    Column("version", lambda each: each.version[:SHORT]),
    Column("in use since", lambda each: output.format_time(each.at)),
    Column("by", lambda each: each.by or "owner"),
    flexible_column("change", lambda each: each.change or "first version"),
    number_column("labels"),
    Column("", _name_use),
)


def show(
    version: Annotated[
        str, argument("VERSION", "Beginning of the hash of a label set version (default: current).")
    ] = "",
    *,
    dataset: SetOption = "",
    common: options.CommonOptions,
) -> None:
    """Print a version of a label set as YAML."""
    with open_workspace(common.workspace) as space:
        text = space.team.relabel.text(version, dataset=dataset)
    output.show(VersionText(dataset=dataset, text=text), [Text(text)], as_json=common.as_json)


def apply(
    file: Annotated[Path, argument("FILE", "Label set file in YAML.")],
    *,
    dataset: SetOption = "",
    lacking: LackingOption = None,
    reopen_unrated: Annotated[
        bool,
        flag(
            "--reopen-unrated",
            "Also reopen completed samples without a rating, if samples of their kind have a rating"
            " scale. FILE can be the current label set.",
        ),
    ] = False,
    include_adjudicated: Annotated[
        bool,
        flag(
            "--include-adjudicated",
            "With --reopen-unrated, also reopen work that is locked because its sample is"
            " adjudicated; annotators can then change all of it.",
        ),
    ] = False,
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Make a file the current label set.

    The label set applies to one dataset, or to all datasets without their own label set. The
    command refuses a label set that lacks labels of existing annotations; --dry-run lists these
    annotations, and those that lack a note or evidence that the label set requires now, and counts
    them by person. Practice samples are never reopened. With the current label set, --lacking
    reopen reopens the completed samples that an earlier change kept.
    """
    from tui_annotate.services.relabel import RelabelConflict

    if include_adjudicated and not reopen_unrated:
        raise InvalidInput(
            "--include-adjudicated has no effect without --reopen-unrated", "give both, or neither"
        )
    labels = read_text(file)
    with open_workspace(common.workspace) as space:
        try:
            found = space.team.relabel.apply(
                labels,
                name=str(file),
                dataset=dataset,
                dry_run=dry_run,
                lacking=lacking,
                reopen_unrated=reopen_unrated,
                include_adjudicated=include_adjudicated,
            )
            unrated = space.log.count_unrated() if reopen_unrated else {}
            without_scale = [
                each for each in unrated if not rating_scale(each, space.settings.ratings)
            ]
        except RelabelConflict as refused:
            if dry_run:
                text = _describe_report(refused.report)
                output.show(refused.report.as_json(), text, as_json=common.as_json)
            raise
    _show_change(found, as_json=common.as_json)
    if lacking is LackingWork.REOPEN and not found.of("lacks"):
        output.print_message("no completed sample lacks a note or evidence that its labels require")
    if reopen_unrated and not found.of("unrated"):
        output.print_message("no completed sample of a kind with a rating scale lacks a rating")
    if without_scale:
        names = ", ".join(without_scale)
        output.print_message(f"samples without a rating scale, which are not reopened: {names}")


def rename(
    old: LabelArgument,
    new: Annotated[str, argument("NEW", "New name of the label; the label keeps its parents.")],
    *,
    dataset: SetOption = "",
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Rename a label in the label set and on all annotations.

    Labels below the renamed label stay below its new name.
    """
    with open_workspace(common.workspace) as space:
        found = space.team.relabel.rename(old, new, dataset=dataset, dry_run=dry_run)
    _show_change(found, as_json=common.as_json)


def merge(
    labels: Annotated[
        list[str],
        argument("LABEL... INTO", "Labels to merge, then the label that replaces these labels."),
    ],
    *,
    dataset: SetOption = "",
    lacking: LackingOption = None,
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Merge labels into one label, in the set and on annotations.

    The command lists claims on which several annotations get the same label.
    """
    *old, into = labels
    if not old:
        raise InvalidInput(
            f"cannot merge labels: only the label {into!r} is given",
            "name the labels to merge, then the label that replaces these labels",
        )
    with open_workspace(common.workspace) as space:
        found = space.team.relabel.merge(
            old, into, dataset=dataset, dry_run=dry_run, lacking=lacking
        )
    _show_change(found, as_json=common.as_json)


def split(
    old: LabelArgument,
    new: Annotated[list[str], argument("NEW NEW...", "Names of the new labels, at least two.")],
    *,
    dataset: SetOption = "",
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Split a label into several labels.

    For each annotation with the split label, an annotator must choose one of the new labels.
    Completed and imported samples with such annotations are opened again for their annotators.
    """
    with open_workspace(common.workspace) as space:
        found = space.team.relabel.split(old, new, dataset=dataset, dry_run=dry_run)
    _show_change(found, as_json=common.as_json)


def retire(
    label: LabelArgument,
    *,
    dataset: SetOption = "",
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Deprecate a label: existing uses stay, new uses are refused.

    All labels below the label are deprecated too.
    """
    with open_workspace(common.workspace) as space:
        found = space.team.relabel.retire(label, dataset=dataset, dry_run=dry_run)
    _show_change(found, as_json=common.as_json)


def undo(
    *, dataset: SetOption = "", dry_run: options.DryOption = False, common: options.CommonOptions
) -> None:
    """Undo the last change of a label set.

    Annotations that were edited after the change are not changed.
    """
    with open_workspace(common.workspace) as space:
        found = space.team.relabel.undo(dataset=dataset, dry_run=dry_run)
    _show_change(found, as_json=common.as_json)


def check(
    file: Annotated[
        Path | None, argument("FILE", "Label set file (default: the workspace's labels.yaml).")
    ] = None,
    *,
    common: options.CommonOptions,
) -> None:
    """Check a label set file, and list its labels.

    The digit is the label's key on the screen. `key` and `color` are the values in the file.
    """
    path = file or find_workspace(common.workspace) / LABELS
    _show_labels(parse_labels(read_text(path), name=str(path)), as_json=common.as_json)


def _show_labels(tree: LabelTree, *, as_json: bool) -> None:
    digits = {label.path: digit for digit, label in tree.bar()}
    columns: Columns[Label] = (
        Column("digit", lambda label: digits.get(label.path, "")),
        Column("label", lambda label: "  " * (len(label.path) - 1) + label.path[-1]),
        Column("key"),
        Column("color"),
        Column("rules", _describe_rules),
        flexible_column("description"),
    )
    labels = list(tree.walk())
    values: list[PrintedLabel] = [
        {
            "path": label.path,
            "digit": digits.get(label.path, ""),
            "key": label.key,
            "color": label.color,
            "description": label.description,
            "evidence": label.evidence,
            "note": label.note,
            "exclusive": label.exclusive,
            "retired": label.retired,
            "split": label.split,
        }
        for label in labels
    ]
    output.show(values, [Table(labels, columns)], as_json=as_json)


def _describe_rules(label: Label) -> str:
    needs = {"evidence": label.evidence, "note": label.note}
    rules = [f"{what} {need}" for what, need in needs.items() if need is not Requirement.OPTIONAL]
    if label.exclusive:
        rules.append("exclusive")
    if label.retired:
        rules.append("retired")
    if label.split:
        rules.append("split into " + " and ".join(JOINER.join(path) for path in label.split))
    return ", ".join(rules)


def normalize(
    *,
    rule: Annotated[
        list[str] | None,
        option(
            "--rule", "FROM=TO", "Replace label FROM with TO; FROM= keeps label FROM. Repeatable."
        ),
    ] = None,
    rule_file: Annotated[
        Path | None,
        option(
            "--rules",
            "FILE",
            "File of rules FROM=TO, one per line; lines that begin with # are skipped.",
        ),
    ] = None,
    dataset: Annotated[
        str,
        options.dataset_option(
            "Normalise only annotations of this dataset (default: all datasets)."
        ),
    ] = "",
    lacking: LackingOption = None,
    dry_run: options.DryOption = False,
    yes: options.YesOption = False,
    common: options.CommonOptions,
) -> None:
    """Replace imported labels that are not in the label set.

    The command proposes a rule for each label that resembles exactly one label of the label set,
    and shows all rules before it applies them. Rules of --rule and --rules take precedence; they
    can also choose the new label for all annotations of a split label. Labels without a rule are
    listed.
    """
    from tui_annotate.services.relabel import normalising

    lines = [
        *(normalising.read_rule_lines(read_text(rule_file)) if rule_file else []),
        *(rule or []),
    ]
    with open_workspace(common.workspace) as space:
        service = space.team.relabel
        irregular, labels = service.find_irregular_labels(dataset=dataset)
        given = normalising.parse_rules(lines, irregular, labels)
        rules = normalising.choose_rules(normalising.propose_replacements(irregular, labels), given)
        known = {each.path: each for each in irregular if each.kind in normalising.MENDED}
        replaced = [known[rule.old] for rule in rules]
        if not common.as_json:
            output.print_parts(_describe_replacements(irregular, rules, replaced))
        renames = {each.old: each.new for each in rules}
        done = not dry_run and bool(rules)
        if done:
            count = sum(each.annotations for each in replaced)
            number = output.many(count, "label") if count else "these labels"
            output.ask(f"replace {number}?", yes=yes)
        report = service.normalise(renames, dataset=dataset, dry_run=not done, lacking=lacking)
    output.show(
        {**report.as_json(), **_rules_as_json(irregular, rules)},
        _describe_change(report),
        as_json=common.as_json,
    )


def _describe_replacements(
    irregular: Sequence[IrregularLabels],
    rules: Sequence[LabelReplacement],
    replaced: Sequence[IrregularLabels],
) -> Iterator[Part]:
    """Describe the rules with the labels that they replace, then the labels without a rule."""
    if rules:
        yield Table(list(zip(rules, replaced, strict=True)), _REPLACEMENTS)
    if unruled := [each for each in irregular if each not in replaced]:
        yield ""
        yield "labels without a rule:"
        yield Table(unruled, _IRREGULAR)
        if any(each.kind == "outside" for each in unruled):
            yield NotePart(f"write rules for them (--rule FROM=TO), {ADD_LABELS}")


_REPLACEMENTS: Final[Columns[tuple[LabelReplacement, IrregularLabels]]] = (
    flexible_column("label", lambda each: JOINER.join(each[0].old)),
    flexible_column("replaced by", lambda each: JOINER.join(each[0].new)),
    number_column("annotations", lambda each: each[1].annotations),
    Column("reason", lambda each: _WHY[each[0].reason]),
    flexible_column("examples", lambda each: ", ".join(each[1].examples)),
)
_IRREGULAR: Final[Columns[IrregularLabels]] = (
    Column("problem", lambda each: _ODD[each.kind]),
    flexible_column("label"),
    number_column("annotations"),
    flexible_column("examples", lambda each: ", ".join(each.examples)),
)


def _rules_as_json(
    irregular: Sequence[IrregularLabels], rules: Sequence[LabelReplacement]
) -> PrintedRules:
    return {
        "rules": [
            {
                "label": JOINER.join(each.old),
                "becomes": JOINER.join(each.new),
                "reason": each.reason,
            }
            for each in rules
        ],
        "unusual_labels": [
            {
                "kind": each.kind,
                "label": each.label,
                "annotations": each.annotations,
                "examples": each.examples,
            }
            for each in irregular
        ],
    }


def _show_change(report: RelabelReport, *, as_json: bool) -> None:
    output.show(report.as_json(), _describe_change(report), as_json=as_json)


def _describe_change(report: RelabelReport) -> Iterator[Part]:
    yield from _describe_report(report)
    summary = _summarise(report)
    yield NotePart(summary) if report.applied else MessagePart(summary)
    if report.file == "left":
        yield MessagePart(
            "warning: labels.yaml contains a different label set and was not changed; to use it:"
            " tui-annotate labels apply labels.yaml"
        )


_CHANGES: Final[Columns[RelabelCount]] = (
    flexible_column("person"),
    flexible_column("dataset"),
    flexible_column("label"),
    flexible_column(
        "replaced by",
        lambda each: "unchanged" if each.becomes == each.label else each.becomes or None,
    ),
    number_column("annotations"),
)
_LACKING: Final[Columns[LackingCount]] = (
    flexible_column("person"),
    flexible_column("dataset"),
    flexible_column("lacks", "part"),
    number_column("annotations"),
    number_column("samples"),
    number_column("reopened"),
    number_column("practice"),
    number_column("gold"),
    number_column("locked"),
)


def _describe_report(report: RelabelReport) -> Iterator[Part]:
    if report.counts:
        yield Table(report.counts, _CHANGES)
    for what, title in _FINDING_TITLES.items():
        yield from _describe_findings(title, report.of(what))
    yield Table(report.missing_parts, _LACKING, below=True)
    if practice := sum(each.practice for each in report.missing_parts):
        yield NotePart(f"practice samples that stay as they are: {practice:,}")
    if locked := sum(each.locked for each in report.missing_parts):
        yield NotePart(
            f"samples that stay complete because a review locked them: {locked:,}"
            " (--include-adjudicated reopens them)"
        )


def _describe_findings(title: str, findings: Sequence[RelabelFinding]) -> Iterator[Part]:
    if not findings:
        return
    yield ""
    yield f"{title}: {len(findings):,}"
    for each in findings[:_MOST_FINDINGS]:
        numbers = f"  no. {', '.join(map(str, each.numbers))} " if each.numbers else ""
        rule = f", which {_RULES[each.kind, each.detail]}" if each.detail else ""
        label = f" {each.label}{rule}" if each.label else ""
        yield f"  {each.dataset}/{each.sample}  {each.person}{numbers}{label}"
    if len(findings) > _MOST_FINDINGS:
        yield f"  and {len(findings) - _MOST_FINDINGS:,} more; list all with --json"


def _summarise(report: RelabelReport) -> str:
    unchanged = report.before == report.after and not (report.reopened or report.of("unrated"))
    if report.kind == "apply" and unchanged:
        return f"label set version {report.after[:12]} is already in use"
    if report.kind == "normalise" and not report.annotations:
        return "no annotation has a label that a rule replaces"
    parts = [
        f"annotations: {report.annotations:,}",
        f"samples (once for each of their annotators): {report.samples:,}",
    ]
    if report.reopened:
        parts.append(f"opened again: {report.reopened:,}")
    if report.closed:
        parts.append(f"completed again: {report.closed:,}")
    verb = "done" if report.applied else "nothing was changed (--dry-run)"
    return f"{verb}: {report.change}; {'; '.join(parts)}"


_WAITING: Final[Columns[PendingChoices]] = (
    flexible_column("waits for a choice", "label"),
    flexible_column("between", lambda each: ", ".join(each.choices)),
    flexible_column("person", "name"),
    number_column("annotations"),
)


def waiting_table(waiting: Sequence[PendingChoices]) -> Table[PendingChoices]:
    """Return a table of annotations whose label was split, and that need a new label."""
    return Table(waiting, _WAITING, below=True)
