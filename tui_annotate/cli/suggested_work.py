"""Describes how much human work began with suggestions of machines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tui_annotate.cli import output
from tui_annotate.cli.report_parts import MessagePart
from tui_annotate.domain.suggested_work import SuggestedReadings


def describe_suggested_work(
    found: Mapping[str, SuggestedReadings],
    *,
    excluded: bool,
    names: Mapping[str, str] | None = None,
) -> Iterator[MessagePart]:
    """Warn of human labels that rest on suggestions, which flatter the machine that made them.

    Args:
        excluded: whether this work was left out.
        names: names of people by id, to print how many readings each of them has.
    """
    for maker, work in found.items():
        counts = [f"{count:,} {kind}" for kind, count in sorted(work.answers.items())]
        answers = ", ".join(counts)
        if names is not None:
            people = sorted((names[person], count) for person, count in work.people.items())
            answers += f"; {', '.join(f'{name} {count:,}' for name, count in people)}"
        readings = output.many(work.readings, "reading")
        if excluded:
            yield MessagePart(f"excluded: {readings} with suggestions of {maker}: {answers}")
        else:
            yield MessagePart(
                f"warning: in {readings}, annotators answered suggestions of {maker} ({answers}):"
                " their labels are not independent of it",
                hint="to exclude such work, pass --without-suggested-work",
            )
