"""What the commands of judges share: rows and a judge, as their options mean them, and costs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui_annotate.cli import output
from tui_annotate.cli.options import opened
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Verb

if TYPE_CHECKING:
    from tui_annotate.domain.vector_sets import VectorSet
    from tui_annotate.plugins.asking import Replies
    from tui_annotate.services.judge import Asked, Judging, Plan, Row, Sitting
    from tui_annotate.settings import Settings

_NOWHERE = "http://localhost"
"""What stands for the endpoint where nobody is asked."""
_KEPT = ".replies.jsonl"
"""What follows the name of the output in that of the file beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The options that all of these commands have."""

    file: Path | None
    dataset: str
    model: str
    base_url: str
    language: str
    prompts: Path | None
    concurrency: int
    cache: Path | None
    target: Path | None
    dry_run: bool
    as_json: bool
    workspace: Path | None

    @classmethod
    def of(cls, parameters: dict[str, Any]) -> Chosen:
        """Those among the parameters of a command."""
        return cls(**{name: parameters[name] for name in cls.__slots__})


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Rows, and a judge that is ready for them.

    Attributes:
        judging: keeps what is said with the samples; None for a file.
        used: what the workspace's vectors were made with.
    """

    rows: list[Row]
    sitting: Sitting
    asked: Asked
    settings: Settings
    judging: Judging | None = None
    used: VectorSet | None = None


@contextmanager
def bench(chosen: Chosen) -> Iterator[Bench]:
    """What the options mean; while it is open, a bar shows how far the judge is.

    Raises:
        InvalidInput: neither file nor dataset is named, or both are; or they hold no questions.
        NotFound, Unavailable: they, or the judge, can not be had.
    """
    from tui_annotate.workspace.judging import PROMPTS

    if chosen.file is not None and not chosen.dataset:
        from tui_annotate.services.judge import read
        from tui_annotate.settings import load

        if not chosen.file.exists():
            raise InvalidInput(f"there is no file {chosen.file}", "check the name")
        with _ready(chosen, load(), _replies(chosen)) as (asked, sitting):
            yield Bench(rows=read(chosen.file), sitting=sitting, asked=asked, settings=load())
    elif chosen.dataset and chosen.file is None:
        with opened(chosen.workspace, needs=Verb.MANAGE) as space:
            judging = space.machines.judging
            rows = judging.rows(chosen.dataset)
            replies = _named(chosen) or judging.replies
            own = (space.path / PROMPTS,)
            with _ready(chosen, space.settings, replies, own=own) as (asked, sitting):
                yield Bench(
                    rows=rows,
                    sitting=sitting,
                    asked=asked,
                    settings=space.settings,
                    judging=judging,
                    used=space.corpus.vector_set(),
                )
    else:
        raise InvalidInput("name a file, or a dataset", "FILE, or --dataset NAME")


@contextmanager
def _ready(
    chosen: Chosen, settings: Settings, replies: Replies | None, *, own: tuple[Path, ...] = ()
) -> Iterator[tuple[Asked, Sitting]]:
    """Who is asked, ready for it; with nobody to be asked, no address is needed."""
    from tui_annotate.services.judge import seated
    from tui_annotate.workspace.judging import asked_by

    folders = (chosen.prompts, *own) if chosen.prompts else own
    if chosen.prompts and not chosen.prompts.is_dir():
        raise InvalidInput(
            f"there is no folder {chosen.prompts}", "see: tui-annotate judge prompts"
        )
    nowhere = _NOWHERE if chosen.dry_run and not settings.judge_url else ""
    asked = asked_by(
        settings,
        model=chosen.model,
        base_url=chosen.base_url or nowhere,
        language=_spoken(chosen.language),
        folders=folders,
        concurrency=chosen.concurrency,
    )
    with output.progress("replies") as tell:
        yield asked, seated(asked, replies, progress=None if chosen.dry_run else tell)


def _spoken(language: str) -> str:
    if language not in {"", "en", "zh"}:
        raise InvalidInput(f"there are no prompts in {language!r}", "--language is en or zh")
    return language


def _replies(chosen: Chosen) -> Replies | None:
    """Where replies to questions of a file are kept: as named, else beside the output."""
    from tui_annotate.storage.reply_file import ReplyFile

    if found := _named(chosen):
        return found
    if chosen.target is not None:
        return ReplyFile(chosen.target.with_name(chosen.target.name + _KEPT))
    if not chosen.dry_run:
        output.say("replies are not kept: name an output with -o, or a file with --cache")
    return None


def _named(chosen: Chosen) -> Replies | None:
    from tui_annotate.storage.reply_file import ReplyFile

    return ReplyFile(chosen.cache) if chosen.cache else None


def tell_plan(found: Plan, at: Bench, chosen: Chosen) -> None:
    """Prints what it would take."""
    named = chosen.base_url or at.settings.judge_url
    host = at.sitting.judge.host if named else "an address that is not named yet"
    if chosen.as_json:
        output.as_json(found.as_json())
        return
    left = found.calls - found.cached
    output.line(
        f"{output.many(found.rows, 'question')}: {output.many(found.calls, 'call')} at most, "
        f"{found.cached:,} known; to ask of {host}: {left:,}, about {found.characters:,} characters"
    )


def tell_tally(sitting: Sitting) -> None:
    """Says what asking came to, on standard error."""
    told = sitting.tally
    output.say(f"replies: {told.asked:,} asked of {sitting.judge.host}, {told.cached:,} known")
    if told.again:
        output.say(f"asked again, as a reply was unclear: {told.again:,}")
    if told.unclear:
        output.say(f"unclear all the same, and not counted on: {told.unclear:,}")
    if told.refused:
        output.say(f"not taken by the endpoint: {told.refused:,}")
