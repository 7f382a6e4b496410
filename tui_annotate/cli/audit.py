"""The commands `audit`: verify the event log, and print the digest of all events (the head)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict, cast

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.help_format import ADMINISTRATION
from tui_annotate.cli.options import add_command, add_group, flag, open_workspace, option
from tui_annotate.cli.report_parts import Cell, Facts, Part
from tui_annotate.domain.change_record import join_tokens, split_tokens
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.hash_chain import head_from_json, head_from_token
from tui_annotate.domain.strict_json import parse_unique
from tui_annotate.plugins.files.small_text import read_text

if TYPE_CHECKING:
    from tui_annotate.domain.change_record import RecordHead, RowFault
    from tui_annotate.domain.hash_chain import ChainFault, LogHead, StreamHead
    from tui_annotate.services.audit import AuditReport, RecordedHead

FORMAT = "tui-annotate-head/1"
SHOWN = 20
"""Maximum number of problems of the event log to print."""


class PrintedHead(TypedDict):
    """The head of the event log.

    Attributes:
        head: digest of the event log, COUNT:DIGEST.
        full_head: digest of the event log and of the record of changes,
            v2:COUNT:DIGEST:ENTRIES:HASH.
        entries: number of entries in the record of changes.
        last: time of the last event; empty without events.
    """

    format: str
    head: str
    full_head: str
    entries: int
    events: int
    streams: int
    last: str


class HeadWithStreams(PrintedHead, total=False):
    """The head of the event log, and with `--streams` the last event of each stream."""

    heads: Sequence[StreamHead]


class LostHead(TypedDict):
    """A recorded head of a stream that the log does not contain."""

    person: str
    dataset: str
    sample: str
    seq: int
    hash: str
    message: str


class PrintedVerdict(PrintedHead):
    """Whether the event log is unaltered, with the first 1,000 faults of each kind.

    Attributes:
        altered: number of altered streams.
        texts: messages on texts and samples that are not as imported.
        contains: whether the log begins with the given head and nothing was altered; null without a
            head.
        record_continues: whether the record of changes continues that of a full head; null without
            one.
    """

    sound: bool
    altered: int
    breaks: Sequence[ChainFault]
    rows: Sequence[RowFault]
    altered_rows: int
    texts: Sequence[str]
    altered_texts: int
    contains: bool | None
    record_continues: bool | None
    lost: list[LostHead]


def register(app: typer.Typer) -> typer.Typer:
    """Add the group `audit`, and return it for the group of another module."""
    audit = add_group(
        app,
        "audit",
        "Verify the event log, and keep snapshots for publication.",
        panel=ADMINISTRATION,
    )
    add_command(
        audit,
        verify,
        "audit verify",
        "audit verify --against head.json",
        "audit verify --against 4:9f86d081884c7d65...",
    )
    add_command(audit, head, "audit head", "audit head --json --streams > head.json")
    return audit


def head(
    *,
    streams: Annotated[
        bool,
        flag("--streams", "With --json: include a digest of the events of each sample and person."),
    ] = False,
    common: options.CommonOptions,
) -> None:
    """Print the head of the event log: a digest of all events.

    The full head also covers people, accounts, label sets, guidelines, datasets, samples, the
    titles and sentences of texts, assignments and their order, pools, questions with replies, and
    fitted weights. Store the head on another machine. `audit verify --against HEAD` later shows
    whether the workspace still contains all of that time, unaltered.
    """
    if streams and not common.as_json:
        raise InvalidInput("--streams needs --json", "add --json")
    with open_workspace(common.workspace) as space:
        audit = space.team.audit
        audit.start_record()
        found = audit.head()
        record = audit.record_head()
        heads = audit.heads() if streams else None
        removed = audit.is_record_removed()
    if removed:
        output.print_message(
            "warning: the record of changes was removed outside the program, so that the full head"
            " covers no people, label sets, texts and assignments; restore a backup with:"
            " tui-annotate backup restore"
        )
    facts: dict[str, Cell] = {
        "head": found.token,
        "full head": join_tokens(found.token, record),
        "events": found.events,
        "streams": found.streams,
        "last": output.format_time(found.last) or "no events",
    }
    output.show(_head_as_json(found, record, heads), [Facts(facts)], as_json=common.as_json)


def _head_as_json(
    found: LogHead, record: RecordHead, heads: Sequence[StreamHead] | None
) -> HeadWithStreams:
    value = cast("HeadWithStreams", _log_head_as_json(found, record))
    if heads is not None:
        value["heads"] = heads
    return value


def _log_head_as_json(found: LogHead, record: RecordHead) -> PrintedHead:
    return {
        "format": FORMAT,
        "head": found.token,
        "full_head": join_tokens(found.token, record),
        "entries": record.entries,
        "events": found.events,
        "streams": found.streams,
        "last": found.last,
    }


def verify(
    *,
    against: Annotated[
        str | None,
        option(
            "--against",
            "FILE|HEAD",
            "Earlier output of `audit head`: a JSON file, the head or the full head.",
        ),
    ] = None,
    common: options.CommonOptions,
) -> None:
    """Verify the event log, and list altered events.

    The command checks the hash chain of events, that the tables agree with the log, that texts
    have their hashes, and that people, label sets, the titles and sentences of texts, assignments
    and their order, pools, questions, replies and weights are as the program stored them. It does
    not check passwords, sessions, scores, suggestions, vectors and the sort values in the queue
    orders that all people share, nor what an earlier version of the program did not record. A user
    who can write the database could replace the whole log; only a head that is stored elsewhere
    reveals such a change.

    Exit code: 0 the log is unaltered, 1 the log was altered.
    """
    recorded = None if against is None else _read_kept_head(against)
    with open_workspace(common.workspace) as space, output.show_progress("events") as progress:
        verdict = space.team.audit.verify(against=recorded, progress=progress)
        names = {person.id: person.name for person in space.people.all()}
    output.set_exit_code(0 if verdict.sound else 1)
    output.show(
        _verdict_as_json(verdict), _describe_verdict(verdict, names), as_json=common.as_json
    )
    if not verdict.sound:
        raise typer.Exit(1)


def _read_kept_head(against: str) -> RecordedHead:
    from tui_annotate.services.audit import RecordedHead

    if not against.strip():
        raise InvalidInput(
            f"--against {against!r} is no head, so nothing could be compared",
            "give a file written by tui-annotate audit head --json, or its COUNT:DIGEST;"
            " without --against, the workspace is only compared with itself",
        )
    text = read_text(Path(against)) if Path(against).is_file() else against
    heads: list[StreamHead] = []
    if text.lstrip().startswith("{"):
        try:
            value = parse_unique(text)
        except ValueError as error:
            raise InvalidInput(
                f"{against} is not valid JSON: {error}", "check whether the file is complete"
            ) from error
        listed = value.get("heads", [])
        if not isinstance(listed, list):
            hint = "pass a file written by: tui-annotate audit head --json --streams"
            raise InvalidInput(f"the field 'heads' is {listed!r}, which is not a list", hint)
        heads = [head_from_json(each) for each in listed]
        text = str(value.get("full_head") or value.get("head", ""))
    log, record = split_tokens(text)
    return RecordedHead(*head_from_token(log), heads, record)


def _describe_verdict(verdict: AuditReport, names: Mapping[str, str]) -> Iterator[Part]:
    head = verdict.head
    if verdict.is_unaltered:
        yield (
            f"event log unaltered: {output.many(head.events, 'event')} in"
            f" {output.many(head.streams, 'stream')}; the hash chain is intact,"
            " and the tables agree with the log"
        )
    yield from _describe_altered_rows(verdict)
    for each in verdict.breaks[:1]:
        yield f"altered: {_describe_break(each, names)}"
        yield f"  {each.message}"
    for each in verdict.breaks[1:SHOWN]:
        yield f"also: {_describe_break(each, names)}: {each.message}"
    if verdict.broken > SHOWN:
        yield f"and {output.many(verdict.broken - SHOWN, 'stream')} more; list all with --json"
    if verdict.kept is not None:
        yield from _describe_kept_head(verdict, verdict.kept, names)
    yield f"full head: {join_tokens(head.token, verdict.record)}"
    yield f"head: {head.token}"


def _describe_altered_rows(verdict: AuditReport) -> Iterator[Part]:
    for row in verdict.rows[:SHOWN]:
        named = f" ({row.name})" if row.name else ""
        yield f"altered: table {row.table}, row {row.key}{named}: {row.message}"
        if row.recorded is not None or row.found is not None:
            yield f"  recorded: {row.recorded or 'no row'}"
            yield f"  found: {row.found or 'no row'}"
    if verdict.altered_rows > SHOWN:
        more = output.many(verdict.altered_rows - SHOWN, "row")
        yield f"and {more} more; list all with --json"
    for says in verdict.texts[:SHOWN]:
        yield f"altered: {says}"
    if verdict.altered_texts > SHOWN:
        more = output.many(verdict.altered_texts - SHOWN, "text")
        yield f"and {more} more; list all with --json"
    if not verdict.record.entries and not verdict.record_removed:
        yield (
            "not verified: people, label sets, sentences, assignments and weights, because an"
            " earlier version made the store; `tui-annotate audit head` starts their record"
        )


def _describe_break(found: ChainFault, names: Mapping[str, str]) -> str:
    if not found.sample:
        if found.dataset:
            return f"the removed annotations of dataset {found.dataset}"
        what = "samples that people completed" if found.person else "samples in queue orders"
        return f"the stored numbers of {what}"
    where = _describe_stream(found, names)
    return f"{where}, event {found.seq} ({found.id}) of {found.at}" if found.seq else where


def _describe_stream(found: ChainFault | StreamHead, names: Mapping[str, str]) -> str:
    who = f"{names[found.person]} ({found.person})" if found.person in names else found.person
    return f"the work of {who} on {found.dataset}/{found.sample}"


def _describe_kept_head(
    verdict: AuditReport, kept: RecordedHead, names: Mapping[str, str]
) -> Iterator[Part]:
    if verdict.record_matches is False:
        yield (
            "the full head is not confirmed: the record of changes (people, label sets,"
            " assignments, weights, samples) was replaced or cut"
        )
    if verdict.contains:
        later = verdict.head.events - kept.events
        events = output.many(kept.events, "event")
        yield (
            f"the log still contains all {events} that the earlier head (digest of the log) covers,"
            f" and {later:,} newer events"
        )
        if kept.record is not None:
            newer = verdict.record.entries - kept.record.entries
            entries = output.many(newer, "newer entry", "newer entries")
            yield (
                "the record of changes (people, label sets, assignments, weights, samples)"
                f" continues the full head, with {entries}"
            )
        return
    if verdict.matches:
        if verdict.record_matches is not False:
            yield (
                "the earlier head (digest of the log) is not confirmed: its hashes are still in the"
                " log, but events or tables were altered"
            )
        return
    first = output.many(kept.events, "event")
    yield (
        "the log does not match the earlier head (digest of the log):"
        f" it was changed in the first {first}"
    )
    if verdict.head.events < kept.events:
        now = output.many(verdict.head.events, "event")
        yield f"  events were removed from the log, which now has {now}"
    for head, says in verdict.lost[:SHOWN]:
        yield f"  {_describe_stream(head, names)}: {says}"
    if len(verdict.lost) > SHOWN:
        yield f"  and {output.many(len(verdict.lost) - SHOWN, 'stream')} more; list all with --json"


def _verdict_as_json(verdict: AuditReport) -> PrintedVerdict:
    return {
        "sound": verdict.sound,
        **_log_head_as_json(verdict.head, verdict.record),
        "altered": verdict.broken,
        "breaks": verdict.breaks,
        "rows": verdict.rows,
        "altered_rows": verdict.altered_rows,
        "texts": verdict.texts,
        "altered_texts": verdict.altered_texts,
        "contains": verdict.contains,
        "record_continues": verdict.record_matches,
        "lost": [
            {
                "person": head.person,
                "dataset": head.dataset,
                "sample": head.sample,
                "seq": head.seq,
                "hash": head.hash,
                "message": message,
            }
            for head, message in verdict.lost
        ],
    }
