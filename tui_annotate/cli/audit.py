"""Commands about the log as evidence: audit verify, audit head."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import output
from tui_annotate.cli.options import JsonOption, WorkspaceOption, examples, opened
from tui_annotate.domain.chains import head_from_json, head_from_token
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.plugins.files.whole import read_text

if TYPE_CHECKING:
    from tui_annotate.domain.chains import Break, Head, LogHead
    from tui_annotate.services.audit import Kept, Verdict

FORMAT = "tui-annotate-head/1"
SHOWN = 20


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    audit = typer.Typer(
        help="What the log can show later: that it was not altered.", no_args_is_help=True
    )
    audit.command(
        epilog=examples(
            "tui-annotate audit verify",
            "tui-annotate audit verify --against head.json",
            "tui-annotate audit verify --against 4:9f86d081884c7d65...",
        )
    )(verify)
    audit.command(
        epilog=examples(
            "tui-annotate audit head", "tui-annotate audit head --json --streams > head.json"
        )
    )(head)
    app.add_typer(audit, name="audit")


def head(
    *,
    streams: Annotated[
        bool,
        typer.Option(
            "--streams", help="With --json: the head of each stream too, to name what changed."
        ),
    ] = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Print a digest of all that was done, to keep elsewhere.

    Kept where nobody of this machine can change it, it shows later whether the log still begins
    with what it holds now.
    """
    if streams and not as_json:
        raise InvalidInput("--streams is for --json alone", "add --json")
    with opened(workspace) as space:
        audit = space.team.audit
        found = audit.head()
        heads = audit.heads() if streams else None
    if as_json:
        output.as_json(head_as_json(found, heads))
        return
    output.facts(
        {
            "head": found.token,
            "events": found.events,
            "streams": found.streams,
            "last": output.seconds(found.last) or "no event yet",
        }
    )


def head_as_json(found: LogHead, heads: list[Head] | None) -> dict[str, Any]:
    """A head as the file that is kept; `heads` stands there only if asked for."""
    value: dict[str, Any] = {
        "format": FORMAT,
        "head": found.token,
        "events": found.events,
        "streams": found.streams,
        "last": found.last,
    }
    return value if heads is None else {**value, "heads": [list(each) for each in heads]}


def verify(
    *,
    against: Annotated[
        str,
        typer.Option(
            metavar="FILE|HEAD",
            help="What audit head printed earlier: its JSON in a file, or COUNT:DIGEST.",
            show_default=False,
        ),
    ] = "",
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Read the whole log and say what was altered.

    Exit code 1 if anything was. Each event must follow its predecessor, and the tables must say
    what the log says. Whoever can write the file could write all of it anew: only a head kept
    elsewhere shows that.
    """
    kept = _kept(against) if against else None
    with opened(workspace) as space, output.progress("events") as tell:
        verdict = space.team.audit.verify(against=kept, progress=tell)
        names = {person.id: person.name for person in space.people.all()}
    if as_json:
        output.as_json(_verdict_as_json(verdict))
    else:
        _tell(verdict, names)
    if not verdict.sound:
        raise typer.Exit(1)


def _kept(against: str) -> Kept:
    """A head out of a file, or as it was typed.

    Raises:
        InvalidInput: neither.
    """
    from tui_annotate.services.audit import Kept

    text = read_text(Path(against)) if Path(against).is_file() else against
    heads: list[Head] = []
    if text.lstrip().startswith("{"):
        try:
            value = json.loads(text)
        except ValueError as error:
            raise InvalidInput(f"{against} is no JSON: {error}", "was it cut?") from error
        heads = [head_from_json(each) for each in _listed(value.get("heads", []))]
        text = str(value.get("head", ""))
    return Kept(*head_from_token(text), heads)


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidInput(
            f"{value!r} is no list of heads", "give a file of tui-annotate audit head --json"
        )
    return value


def _tell(verdict: Verdict, names: Mapping[str, str]) -> None:
    head = verdict.head
    if not verdict.broken:
        output.line(
            f"sound: {output.many(head.events, 'event')} in {output.many(head.streams, 'stream')}, "
            "each follows its predecessor, and the tables say the same"
        )
    else:
        _tell_breaks(verdict, names)
    if verdict.kept is not None:
        _tell_kept(verdict, names)
    output.line(f"head: {head.token}")


def _tell_breaks(verdict: Verdict, names: Mapping[str, str]) -> None:
    first, *others = verdict.breaks
    output.line(f"altered: {_named(first, names)}")
    output.line(f"  {first.says}")
    for other in others[: SHOWN - 1]:
        output.line(f"also: {_named(other, names)}: {other.says}")
    if verdict.broken > SHOWN:
        output.line(f"and {output.many(verdict.broken - SHOWN, 'stream')} more; see --json")


def _named(found: Break, names: Mapping[str, str]) -> str:
    if not found.sample:
        return "the counts of finished work"
    where = _stream(found, names)
    return f"{where}, event {found.seq} ({found.id}), of {found.at}" if found.seq else where


def _stream(found: Break | Head, names: Mapping[str, str]) -> str:
    """Whose work on what; by the id too, which the log has."""
    who = f"{names[found.person]} ({found.person})" if found.person in names else found.person
    return f"the work of {who} on {found.dataset}/{found.sample}"


def _tell_kept(verdict: Verdict, names: Mapping[str, str]) -> None:
    kept = verdict.kept
    assert kept is not None  # noqa: S101  the caller looked
    if verdict.contains:
        later = verdict.head.events - kept.events
        events = output.many(kept.events, "event")
        output.line(f"holds the head that was kept: {events}, and {later:,} since")
        return
    first = "event differs" if kept.events == 1 else f"{kept.events:,} events differ"
    output.line(f"does not hold the head that was kept: the first {first}")
    if verdict.head.events < kept.events:
        now = output.many(verdict.head.events, "event is", "events are")
        output.line(f"  {now} there now: some were removed")
    for head, says in verdict.lost[:SHOWN]:
        output.line(f"  {_stream(head, names)}: {says}")
    if len(verdict.lost) > SHOWN:
        output.line(f"  and {output.many(len(verdict.lost) - SHOWN, 'stream')} more; see --json")


def _verdict_as_json(verdict: Verdict) -> dict[str, Any]:
    from dataclasses import asdict

    lost = [{**head._asdict(), "says": says} for head, says in verdict.lost]
    return {
        "sound": verdict.sound,
        **head_as_json(verdict.head, None),
        "altered": verdict.broken,
        "breaks": [asdict(each) for each in verdict.breaks],
        "contains": verdict.contains,
        "lost": lost,
    }
