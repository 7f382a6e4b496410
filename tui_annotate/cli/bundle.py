"""Commands for work without any server: make a person's bundle, bring it home."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import completion, output
from tui_annotate.cli.options import JsonOption, WorkspaceOption, examples, opened
from tui_annotate.domain.merging import in_words

if TYPE_CHECKING:
    from tui_annotate.domain.history import StreamState
    from tui_annotate.domain.merging import Fork
    from tui_annotate.storage.work.merging import Merged, Taken

REFUSED = 3
SHOWN = 20


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    group = typer.Typer(
        help="One person's work in a file, to annotate anywhere.",
        no_args_is_help=True,
    )
    group.command(
        epilog=examples(
            "tui-annotate bundle make --for ana -o ana.bundle",
            "tui-annotate bundle make --for ana --dataset news -o ana-news.bundle",
        )
    )(make)
    group.command(epilog=examples("tui-annotate bundle merge ana.bundle"))(merge)
    app.add_typer(group, name="bundle")


def make(
    *,
    who: Annotated[
        str,
        typer.Option(
            "--for",
            metavar="PERSON",
            help="Whose: a name, an id, with accounts an address.",
            autocompletion=completion.people,
        ),
    ],
    target: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="The new file.")],
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            "--dataset",
            metavar="NAME",
            help="This dataset alone; may be given several times.",
            autocompletion=completion.datasets,
        ),
    ] = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Write somebody's samples to a file.

    With their own work, labels and vectors; nobody else's work is in it. They open it with
    tui-annotate annotate FILE, and send it back.
    """
    from tui_annotate.workspace import carrying

    with opened(workspace) as space:
        person = carrying.somebody(space, who)
        packed = carrying.bundles(space, person).make(person, target, datasets=dataset or ())
    if as_json:
        output.as_json(
            {
                "file": str(target),
                "person": person.name,
                "samples": packed.samples,
                "with_work": packed.streams,
                "documents_with_vectors": packed.vectors,
            }
        )
        return
    output.line(
        f"{target}: {output.many(packed.samples, 'sample')} for {person.name}, "
        f"{packed.streams:,} with work"
    )
    output.say(f"next, anywhere: tui-annotate annotate {target}")


def merge(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A bundle that was annotated.")],
    *,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Bring the work of a bundle home; once more changes nothing.

    Where the same sample was worked on here meanwhile, the newest stands, the other is in the log,
    and both are listed.
    """
    from tui_annotate.workspace import carrying

    with opened(workspace) as space:
        about = carrying.looked_at(file)
        merged = carrying.bundles(space, about.owner).merge(file)
    if as_json:
        output.as_json(as_values(merged))
    else:
        tell(merged)
    if merged.refused:
        raise typer.Exit(REFUSED)


def tell(merged: Merged) -> None:
    """What became of work that came in, for people."""
    output.line(
        f"{merged.person.name}: {output.many(merged.streams, 'sample')} with something new, "
        f"{merged.known:,} as they were"
    )
    tell_apart(merged)


def tell_apart(merged: Merged) -> None:
    """What both sides did otherwise, and what does not fit here."""
    _tell_forks(merged.forks)
    for taken in merged.refused[:SHOWN]:
        output.say(f"left out: {taken.key}: {taken.refused}")
    if len(merged.refused) > SHOWN:
        output.say(f"left out: {len(merged.refused) - SHOWN:,} more")


def _tell_forks(forks: list[Fork]) -> None:
    """Both versions of what was done on two sides, the one that stands first."""
    for fork in forks:
        sides = [("there", fork.there_at, fork.there), ("here", fork.here_at, fork.here)]
        (side, at, stands), (other, other_at, lost) = sides if fork.there_wins else sides[::-1]
        output.line(f"conflict: {fork.dataset}/{fork.sample}")
        output.line(f"  stands   ({side}, {output.seconds(at)}): {in_words(stands)}")
        output.line(f"  in the log ({other}, {output.seconds(other_at)}): {in_words(lost)}")


def as_values(merged: Merged) -> dict[str, Any]:
    """What became of work that came in, as JSON values."""
    return {
        "person": merged.person.name,
        "samples": merged.streams,
        "events": merged.events,
        "known": merged.known,
        "conflicts": [fork_as_values(fork) for fork in merged.forks],
        "refused": reasons(merged.refused),
    }


def reasons(refused: list[Taken]) -> list[dict[str, str]]:
    """What was left out and why, as JSON values."""
    return [
        {"dataset": each.key.dataset, "sample": each.key.id, "reason": each.refused}
        for each in refused
    ]


def fork_as_values(fork: Fork) -> dict[str, Any]:
    """Both versions of what was done on two sides."""
    return {
        "dataset": fork.dataset,
        "sample": fork.sample,
        "stands": "there" if fork.there_wins else "here",
        "here": _version(fork.here, fork.here_at),
        "there": _version(fork.there, fork.there_at),
    }


def _version(state: StreamState, at: str) -> dict[str, Any]:
    return {
        "at": at,
        **state.assignment,
        "annotations": [dict(each) for each in state.annotations.values()],
    }
