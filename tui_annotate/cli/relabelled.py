"""What a change of labels did or would do, as it is printed; and the command `labels normalise`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import completion, output
from tui_annotate.cli.options import DryOption, JsonOption, WorkspaceOption, YesOption, opened
from tui_annotate.cli.reports import read_text
from tui_annotate.domain.labels import JOINER

if TYPE_CHECKING:
    from tui_annotate.services.relabel import Place, Report
    from tui_annotate.services.relabel.normalising import Odd, Rule

SetOption = Annotated[
    str,
    typer.Option(
        "--dataset",
        metavar="NAME",
        help="The set of this dataset; else the workspace's.",
        autocompletion=completion.datasets,
    ),
]
LabelArgument = Annotated[
    str,
    typer.Argument(
        metavar="LABEL",
        help="With its parents, as Unwanted.Intrinsic.",
        autocompletion=completion.labels,
    ),
]

_SHOWN = 10
"""Places of one kind that are listed; --json has all."""

_PLACES = {
    "breaks": "against a rule of the label",
    "alike": "the same label on the same claim",
    "left": "changed since, left as they are",
    "lost": "with a label that the set lacks",
}
_RULES = {"evidence": "takes no evidence", "note": "takes no note", "alone": "must stand alone"}
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


def tell(report: Report, *, as_json: bool) -> None:
    """Prints what a change did, or would do."""
    if as_json:
        output.as_json(report.as_json())
        return
    show(report)
    output.say(_summary(report))
    if report.file == "left":
        output.say(
            "labels.yaml says something else and was left: tui-annotate labels apply labels.yaml"
        )


def show(report: Report) -> None:
    """Prints whose annotations a change is about, and what to look at."""
    if report.counts:
        output.table(
            [
                *(output.Column(name, flexible=True) for name in ("person", "dataset")),
                output.Column("label", flexible=True),
                output.Column("becomes", flexible=True),
                output.Column("annotations", number=True),
            ],
            [
                (
                    each.person,
                    each.dataset,
                    each.label,
                    "stays" if each.becomes == each.label else each.becomes or "-",
                    each.annotations,
                )
                for each in report.counts
            ],
        )
    for what, title in _PLACES.items():
        _list_places(title, report.of(what))


def _list_places(title: str, places: Sequence[Place]) -> None:
    if not places:
        return
    output.line("")
    output.line(f"{title}: {len(places):,}")
    for place in places[:_SHOWN]:
        numbers = ", ".join(map(str, place.numbers))
        rule = f", which {_RULES[place.says]}" if place.says else ""
        label = f" {place.label}{rule}" if place.label else ""
        output.line(f"  {place.dataset}/{place.sample}  {place.person}  no. {numbers} {label}")
    if len(places) > _SHOWN:
        output.line(f"  and {len(places) - _SHOWN:,} more; --json has all")


def _summary(report: Report) -> str:
    if report.kind == "apply" and report.before == report.after:
        return f"version {report.after[:12]} is in force already"
    if report.kind == "normalise" and not report.annotations:
        return "no label is to be mended"
    told = [
        f"annotations: {report.annotations:,}",
        f"samples: {report.samples:,}, for each person who has them",
        *([f"opened again: {report.reopened:,}"] if report.reopened else []),
        *([f"finished again: {report.closed:,}"] if report.closed else []),
    ]
    verb = "done" if report.done else "nothing was changed; it would be"
    return f"{verb}: {report.told}; {'; '.join(told)}"


def normalise(
    *,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            "--rule",
            metavar="FROM=TO",
            help="What a label becomes; FROM= leaves it. Repeatable.",
            show_default=False,
        ),
    ] = None,
    rule_file: Annotated[
        Path | None,
        typer.Option(
            "--rules",
            metavar="FILE",
            help="A file of rules, one a line; lines that begin with # are skipped.",
            show_default=False,
        ),
    ] = None,
    dataset: Annotated[
        str,
        typer.Option(
            "--dataset",
            metavar="NAME",
            help="Work in this dataset alone.",
            autocompletion=completion.datasets,
        ),
    ] = "",
    dry_run: DryOption = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Mend labels that came with imports and are not in the set.

    By rules that are shown first. They are proposed where one label of the set fits; those of
    --rule and --rules go before them, and may also choose, for all at once, what came of a label
    that was split. What has no rule is listed.
    """
    from tui_annotate.services.relabel import normalising

    asked = [*(normalising.lines(read_text(rule_file)) if rule_file else []), *(rule or [])]
    with opened(workspace) as space:
        service = space.team.relabel
        odd, labels = service.odd(dataset=dataset)
        wanted = normalising.rules(asked, odd, labels)
        rules = normalising.chosen(normalising.proposed(odd, labels), wanted)
        shown = {} if as_json else _show(odd, rules)
        renames = {each.old: each.new for each in rules}
        done = not dry_run and bool(rules)
        if done:
            output.ask(f"mend {shown.get('annotations', 'these')} labels?", yes=yes)
        report = service.normalise(renames, dataset=dataset, dry=not done)
    if as_json:
        output.as_json({**report.as_json(), **_as_json(odd, rules)})
    else:
        tell(report, as_json=False)


def _show(odd: Sequence[Odd], rules: Sequence[Rule]) -> dict[str, int]:
    """Prints the rules and what has none; gives how many labels are to be mended."""
    from tui_annotate.services.relabel.normalising import MENDED

    known = {each.path: each for each in odd if each.what in MENDED}
    if rules:
        output.table(
            [
                output.Column("label", flexible=True),
                output.Column("becomes", flexible=True),
                output.Column("annotations", number=True),
                output.Column("because"),
                output.Column("for example", flexible=True),
            ],
            [
                (
                    JOINER.join(each.old),
                    JOINER.join(each.new),
                    known[each.old].annotations,
                    _WHY[each.why],
                    ", ".join(known[each.old].examples),
                )
                for each in rules
            ],
        )
    ruled = [known[rule.old] for rule in rules]
    _show_rest([each for each in odd if each not in ruled])
    return {"annotations": sum(known[each.old].annotations for each in rules)}


def _show_rest(odd: Sequence[Odd]) -> None:
    if not odd:
        return
    output.line("")
    output.line("without a rule:")
    output.table(
        [
            output.Column("what"),
            output.Column("label", flexible=True),
            output.Column("annotations", number=True),
            output.Column("for example", flexible=True),
        ],
        [(_ODD[each.what], each.label, each.annotations, ", ".join(each.examples)) for each in odd],
    )


def _as_json(odd: Sequence[Odd], rules: Sequence[Rule]) -> dict[str, Any]:
    return {
        "rules": [
            {"label": JOINER.join(each.old), "becomes": JOINER.join(each.new), "why": each.why}
            for each in rules
        ],
        "odd": [
            {
                "what": each.what,
                "label": each.label,
                "annotations": each.annotations,
                "examples": each.examples,
            }
            for each in odd
        ],
    }
