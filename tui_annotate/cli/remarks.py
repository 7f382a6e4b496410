"""Commands about what people say to each other: remarks list, remarks reply, notice."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import completion, output
from tui_annotate.cli.options import JsonOption, WorkspaceOption, examples, opened
from tui_annotate.domain.samples import SampleKey

if TYPE_CHECKING:
    from tui_annotate.domain.remarks import Remark, Talk
    from tui_annotate.services.remark import Remarks

SHORT = 8
"""Characters of a talk's id that are shown."""


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    remarks = typer.Typer(help="What people say about samples.", no_args_is_help=True)
    remarks.command(
        "list",
        epilog=examples(
            "tui-annotate remarks list --waiting", "tui-annotate remarks list --sample news/17"
        ),
    )(list_talks)
    remarks.command(epilog=examples('tui-annotate remarks reply 3f0a9c41 "Yes, that one too."'))(
        reply
    )
    app.add_typer(remarks, name="remarks")
    app.command(epilog=examples('tui-annotate notice "The guidelines say more about dates now."'))(
        notice
    )


def list_talks(
    *,
    waiting: Annotated[
        bool, typer.Option("--waiting", help="Those alone that wait for an answer.")
    ] = False,
    sample: Annotated[
        str,
        typer.Option(
            metavar="ID",
            help="About this sample alone: an id, or dataset/id.",
            autocompletion=completion.samples,
        ),
    ] = "",
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """List what annotators wrote, the answers, and notices."""
    with opened(workspace) as space:
        service = space.team.remarks
        key = space.corpus.find(sample) if sample else None
        talks = service.talks(waiting=waiting, sample=key)
        notices = [] if waiting or key else service.notices()
        if as_json:
            output.as_json(
                {
                    "talks": [_talk_as_json(talk, service) for talk in talks],
                    "notices": [_as_json(each, service) for each in notices],
                }
            )
            return
        for talk in talks:
            _tell(talk, service)
        for each in notices:
            output.line(f"notice of {each.at[:16]} by {service.name(each.author)}:")
            _tell_text(each.text)
    if not talks and not notices:
        output.say("nobody waits for an answer" if waiting else "nobody said anything yet")


def _tell(talk: Talk, service: Remarks) -> None:
    waits = ", waits for an answer" if talk.waiting else ""
    output.line(f"{talk.id[:SHORT]}  {_sample(talk.remarks[0].sample)}{waits}")
    for each in talk.remarks:
        output.line(f"  {service.name(each.author)}, {each.at[:16]}:")
        _tell_text(each.text)


def _tell_text(text: str) -> None:
    for line in text.splitlines():
        output.line(f"    {line}")


def _sample(key: SampleKey | None) -> str:
    return str(key) if key else ""


def _talk_as_json(talk: Talk, service: Remarks) -> dict[str, Any]:
    return {
        "id": talk.id,
        "sample": _sample(talk.remarks[0].sample),
        "person": talk.person,
        "waiting": talk.waiting,
        "remarks": [_as_json(each, service) for each in talk.remarks],
    }


def _as_json(remark: Remark, service: Remarks) -> dict[str, Any]:
    value = asdict(remark)
    return {
        **{name: value[name] for name in ("id", "author", "text", "at")},
        "name": service.name(remark.author),
    }


def reply(
    talk: Annotated[
        str, typer.Argument(metavar="TALK", help="The start of its id, as remarks list shows it.")
    ],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What you answer.")],
    *,
    workspace: WorkspaceOption = None,
) -> None:
    """Answer an annotator.

    They are told when they next begin, and find it at the sample.
    """
    with opened(workspace) as space:
        service = space.team.remarks
        said = service.reply(talk, text)
        output.line(f"answered {service.name(said.person)} about {_sample(said.remarks[0].sample)}")


def notice(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What all are told.")],
    *,
    workspace: WorkspaceOption = None,
) -> None:
    """Tell all something, once, when each next begins."""
    with opened(workspace) as space:
        space.team.remarks.notice(text)
    output.line("all are told when they next begin")
