"""The command `labels normalise`: mends labels that came with imports and are not in the set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import completion, labels_telling, output
from tui_annotate.cli.options import DryOption, JsonOption, WorkspaceOption, YesOption, opened
from tui_annotate.domain.labels import JOINER
from tui_annotate.plugins.files.whole import read_text

if TYPE_CHECKING:
    from tui_annotate.services.relabel.normalising import Odd, Rule

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
            count = shown.get("annotations")
            output.ask(f"mend {output.many(count, 'label') if count else 'these labels'}?", yes=yes)
        report = service.normalise(renames, dataset=dataset, dry=not done)
    if as_json:
        output.as_json({**report.as_json(), **_as_json(odd, rules)})
    else:
        labels_telling.tell(report, as_json=False)


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
