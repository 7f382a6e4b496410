"""Commands about label sets: labels check, list, show, apply, rename, merge, split and so on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import completion, options, output
from tui_annotate.cli.options import add_command, add_group, argument, open_workspace, option
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.domain.labels import JOINER, Label, Requirement
from tui_annotate.plugins.files.small_text import read_text
from tui_annotate.settings import find_workspace

if TYPE_CHECKING:
    from tui_annotate.services.relabel import RelabelFinding, RelabelReport
    from tui_annotate.services.relabel.normalising import IrregularLabels, LabelReplacement
    from tui_annotate.services.status import PendingChoices


SetOption = Annotated[str, options.dataset_option("The set of this dataset; else the workspace's.")]
LabelArgument = Annotated[
    str, argument("LABEL", "With its parents, as Unwanted.Intrinsic.", complete=completion.labels)
]

SHORT = 12
"""Characters of a version's hash that are shown."""


_LABEL_FIELDS = ("key", "color", "description", "evidence", "note", "exclusive", "retired", "split")
_WHY = {
    "asked": "asked for",
    "letters": "the same letters",
    "parent": "its parent was left out",
    "spelling": "a slip of the pen",
}
_ODD = {
    "outside": "not in the set",
    "split": "split, waits for a choice",
    "parent": "a parent, none of its children",
    "tops": "labels of several groups",
    "none": "no label",
}
_MOST_FINDINGS = 10
"""Places of one kind that are listed; --json has all."""

_FINDING_TITLES = {
    "breaks": "against a rule of the label",
    "alike": "the same label on the same claim",
    "left": "changed since, left as they are",
    "lost": "with a label that the set lacks",
}
_RULES = {"evidence": "takes no evidence", "note": "takes no note", "alone": "must stand alone"}


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    labels = add_group(app, "labels", "The label set, and work under one that changes.")
    add_command(labels, check, "labels check", "labels check my-labels.yaml")
    add_command(labels, list_versions, "labels list", name="list")
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
        normalise,
        "labels normalise --dry-run",
        "labels normalise --rule Unwanted.Instrinsic=Unwanted.Intrinsic --yes",
    )
    add_command(labels, undo, "labels undo --dry-run")


def list_versions(
    *,
    dataset: Annotated[
        str | None,
        options.dataset_option("Of this dataset's own set alone; empty for the workspace's."),
    ] = None,
    common: options.CommonOptions,
) -> None:
    """List what was done to the label sets, and what is in force.

    Below it stands what waits for a choice, anywhere; `status --json` has it too.
    """
    with open_workspace(common.workspace) as space:
        versions, waiting = space.team.relabel.versions(dataset), space.status().waiting
    titles = ("dataset", "version", "since", "by", "what", "labels", "")
    output.print_table_or_json(
        versions,
        [
            output.Column(each, number=each == "labels", flexible=each in {"dataset", "what"})
            for each in titles
        ],
        [
            (
                each.dataset or "(all)",
                each.version[:SHORT],
                each.at[:19],
                each.by or "the owner",
                each.told or "first version",
                each.labels,
                "now" if each.in_force else "undone" if each.undone else "",
            )
            for each in versions
        ],
        as_json=common.as_json,
    )
    if not common.as_json:
        print_waiting(waiting)


def show(
    version: Annotated[
        str, argument("VERSION", "The start of its hash; else the one in force.")
    ] = "",
    *,
    dataset: SetOption = "",
    workspace: options.WorkspaceOption = None,
) -> None:
    """Print a version of a label set as it was given."""
    with open_workspace(workspace) as space:
        text = space.team.relabel.text(version, dataset=dataset)
    output.print_text(text)


def apply(
    file: Annotated[Path, argument("FILE", "A label set.")],
    *,
    dataset: SetOption = "",
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Put a label set in force.

    For all datasets without their own, or for one. Refused where annotations would be left with
    labels that it lacks; --dry-run says whose.
    """
    from tui_annotate.services.relabel import RelabelConflict

    text = read_text(file)
    with open_workspace(common.workspace) as space:
        try:
            found = space.team.relabel.apply(text, name=str(file), dataset=dataset, dry=dry_run)
        except RelabelConflict as refused:
            if dry_run and common.as_json:
                output.print_json(refused.report.as_json())
            elif dry_run:
                _print_report(refused.report)
            raise
    _print_change(found, as_json=common.as_json)


def rename(
    old: LabelArgument,
    new: Annotated[str, argument("NEW", "Its new name.")],
    *,
    dataset: SetOption = "",
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Give a label another name, on all annotations that have it.

    Labels below it go along.
    """
    with open_workspace(common.workspace) as space:
        found = space.team.relabel.rename(old, new, dataset=dataset, dry=dry_run)
    _print_change(found, as_json=common.as_json)


def merge(
    labels: Annotated[list[str], argument("FROM... INTO", "Labels, and the one that they become.")],
    *,
    dataset: SetOption = "",
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Make one label of several, on all annotations.

    Those that become alike are listed.
    """
    *old, into = labels
    if not old:
        raise InvalidInput(
            f"{into!r} alone can not be merged", "name the labels, then the one that they become"
        )
    with open_workspace(common.workspace) as space:
        found = space.team.relabel.merge(old, into, dataset=dataset, dry=dry_run)
    _print_change(found, as_json=common.as_json)


def split(
    old: LabelArgument,
    new: Annotated[list[str], argument("NEW NEW...", "What comes in its place.")],
    *,
    dataset: SetOption = "",
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Put two labels or more in the place of one.

    Annotations that have it wait for a choice. Samples that were finished or imported are opened
    again for those who have such annotations.
    """
    with open_workspace(common.workspace) as space:
        found = space.team.relabel.split(old, new, dataset=dataset, dry=dry_run)
    _print_change(found, as_json=common.as_json)


def retire(
    label: LabelArgument,
    *,
    dataset: SetOption = "",
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Keep a label for work that has it, and give it no more.

    So with all labels below it.
    """
    with open_workspace(common.workspace) as space:
        found = space.team.relabel.retire(label, dataset=dataset, dry=dry_run)
    _print_change(found, as_json=common.as_json)


def undo(
    *, dataset: SetOption = "", dry_run: options.DryOption = False, common: options.CommonOptions
) -> None:
    """Take back the last change of a label set.

    Annotations that were changed since stay as they are.
    """
    with open_workspace(common.workspace) as space:
        found = space.team.relabel.undo(dataset=dataset, dry=dry_run)
    _print_change(found, as_json=common.as_json)


def check(
    file: Annotated[Path | None, argument("FILE", "Else the workspace's labels.yaml.")] = None,
    *,
    common: options.CommonOptions,
) -> None:
    """Check a label set, and print it as the screen shows it.

    The digit is where the label stands on the bar; key and color are what it asks for.
    """
    path = file or find_workspace(common.workspace) / "labels.yaml"
    tree = parse_labels(read_text(path), name=str(path))
    digits = {label.path: digit for digit, label in tree.bar()}
    names = ("digit", "label", "key", "color", "rules", "description")
    output.print_table_or_json(
        [
            {
                "path": label.path,
                "digit": digits.get(label.path, ""),
                **{name: getattr(label, name) for name in _LABEL_FIELDS},
            }
            for label in tree.walk()
        ],
        [output.Column(name, flexible=name == "description") for name in names],
        [
            (
                digits.get(label.path, ""),
                "  " * (len(label.path) - 1) + label.path[-1],
                label.key,
                label.color,
                _describe_rules(label),
                label.description,
            )
            for label in tree.walk()
        ],
        as_json=common.as_json,
    )


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


def normalise(
    *,
    rule: Annotated[
        list[str] | None,
        option("--rule", "FROM=TO", "What a label becomes; FROM= leaves it. Repeatable."),
    ] = None,
    rule_file: Annotated[
        Path | None,
        option(
            "--rules", "FILE", "A file of rules, one a line; lines that begin with # are skipped."
        ),
    ] = None,
    dataset: Annotated[str, options.dataset_option("Work in this dataset alone.")] = "",
    dry_run: options.DryOption = False,
    yes: options.YesOption = False,
    common: options.CommonOptions,
) -> None:
    """Mend labels that came with imports and are not in the set.

    By rules that are shown first. They are proposed where one label of the set fits; those of
    --rule and --rules go before them, and may also choose, for all at once, what came of a label
    that was split. What has no rule is listed.
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
        count = 0 if common.as_json else _print_rules(irregular, rules)
        renames = {each.old: each.new for each in rules}
        done = not dry_run and bool(rules)
        if done:
            output.ask(f"mend {output.many(count, 'label') if count else 'these labels'}?", yes=yes)
        report = service.normalise(renames, dataset=dataset, dry=not done)
    if common.as_json:
        output.print_json({**report.as_json(), **_rules_as_json(irregular, rules)})
    else:
        _print_change(report, as_json=False)


def _print_rules(irregular: Sequence[IrregularLabels], rules: Sequence[LabelReplacement]) -> int:
    from tui_annotate.services.relabel.normalising import MENDED

    known = {each.path: each for each in irregular if each.what in MENDED}
    rows = []
    for rule in rules:
        found, old, new = known[rule.old], JOINER.join(rule.old), JOINER.join(rule.new)
        rows.append((old, new, found.annotations, _WHY[rule.why], ", ".join(found.examples)))
    count, examples = output.number_column("annotations"), output.flexible_column("for example")
    if rows:
        titles = map(output.flexible_column, ("label", "becomes"))
        output.print_table([*titles, count, "because", examples], rows)
    ruled = [known[rule.old] for rule in rules]
    if unruled := [each for each in irregular if each not in ruled]:
        output.print_line("")
        output.print_line("without a rule:")
        output.print_table(
            ["what", output.flexible_column("label"), count, examples],
            [
                (_ODD[each.what], each.label, each.annotations, ", ".join(each.examples))
                for each in unruled
            ],
        )
    return sum(each.annotations for each in ruled)


def _rules_as_json(
    irregular: Sequence[IrregularLabels], rules: Sequence[LabelReplacement]
) -> dict[str, Any]:
    return {
        "rules": [
            {"label": JOINER.join(each.old), "becomes": JOINER.join(each.new), "why": each.why}
            for each in rules
        ],
        "odd": [
            {name: getattr(each, name) for name in ("what", "label", "annotations", "examples")}
            for each in irregular
        ],
    }


def _print_change(report: RelabelReport, *, as_json: bool) -> None:
    if as_json:
        output.print_json(report.as_json())
        return
    _print_report(report)
    output.print_message(_summarise(report))
    if report.file == "left":
        output.print_message(
            "labels.yaml says something else and was left: tui-annotate labels apply labels.yaml"
        )


def _print_report(report: RelabelReport) -> None:
    rows = []
    for each in report.counts:
        becomes = "stays" if each.becomes == each.label else each.becomes or "-"
        rows.append((each.person, each.dataset, each.label, becomes, each.annotations))
    if rows:
        titles = map(output.flexible_column, ("person", "dataset", "label", "becomes"))
        output.print_table([*titles, output.number_column("annotations")], rows)
    for what, title in _FINDING_TITLES.items():
        _print_findings(title, report.of(what))


def _print_findings(title: str, findings: Sequence[RelabelFinding]) -> None:
    if not findings:
        return
    output.print_line("")
    output.print_line(f"{title}: {len(findings):,}")
    for each in findings[:_MOST_FINDINGS]:
        numbers = ", ".join(map(str, each.numbers))
        rule = f", which {_RULES[each.says]}" if each.says else ""
        label = f" {each.label}{rule}" if each.label else ""
        output.print_line(f"  {each.dataset}/{each.sample}  {each.person}  no. {numbers} {label}")
    if len(findings) > _MOST_FINDINGS:
        output.print_line(f"  and {len(findings) - _MOST_FINDINGS:,} more; --json has all")


def _summarise(report: RelabelReport) -> str:
    if report.kind == "apply" and report.before == report.after:
        return f"version {report.after[:12]} is in force already"
    if report.kind == "normalise" and not report.annotations:
        return "no label is to be mended"
    parts = [
        f"annotations: {report.annotations:,}",
        f"samples: {report.samples:,}, for each person who has them",
        *([f"opened again: {report.reopened:,}"] if report.reopened else []),
        *([f"finished again: {report.closed:,}"] if report.closed else []),
    ]
    verb = "done" if report.done else "nothing was changed; it would be"
    return f"{verb}: {report.told}; {'; '.join(parts)}"


def print_waiting(waiting: Sequence[PendingChoices]) -> None:
    """A table of what waits for a choice since a label was split; nothing where nothing does."""
    titles = map(output.flexible_column, ("waits for a choice", "of", "person"))
    output.print_table_below(
        [*titles, output.number_column("annotations")],
        [(each.label, ", ".join(each.choices), each.name, each.annotations) for each in waiting],
    )
