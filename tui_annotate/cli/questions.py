"""Commands about comments and announcements: remarks list, remarks reply, notice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.options import add_command, add_group, argument, flag, open_workspace

if TYPE_CHECKING:
    from tui_annotate.domain.comments import CommentThread, PersonComment
    from tui_annotate.services.comments import CommentService

SHORT = 8
"""Characters of a thread's id that are shown."""


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    remarks = add_group(app, "remarks", "What people say about samples.")
    add_command(
        remarks,
        list_threads,
        "remarks list --waiting",
        "remarks list --sample news/17",
        name="list",
    )
    add_command(remarks, reply, 'tui-annotate remarks reply 3f0a9c41 "Yes, that one too."')
    add_command(app, notice, 'tui-annotate notice "The guidelines say more about dates now."')


def list_threads(
    *,
    waiting: Annotated[bool, flag("--waiting", "Those alone that wait for an answer.")] = False,
    sample: Annotated[
        str, options.sample_option("About this sample alone: an id, or dataset/id.")
    ] = "",
    common: options.CommonOptions,
) -> None:
    """List what annotators wrote, the answers, and notices."""
    with open_workspace(common.workspace) as space:
        service = space.team.comments
        key = space.corpus.find(sample) if sample else None
        threads = service.list_threads(waiting=waiting, sample=key)
        announcements = [] if waiting or key else service.notices()
        if common.as_json:
            output.print_json(
                {
                    "talks": [_thread_as_json(thread, service) for thread in threads],
                    "notices": [_comment_as_json(each, service) for each in announcements],
                }
            )
            return
        for thread in threads:
            _print_thread(thread, service)
        for each in announcements:
            output.print_line(f"notice of {each.at[:16]} by {service.name(each.author)}:")
            _print_indented(each.text)
    if not threads and not announcements:
        output.print_message(
            "nobody waits for an answer" if waiting else "nobody said anything yet"
        )


def _print_thread(thread: CommentThread, service: CommentService) -> None:
    waits = ", waits for an answer" if thread.waiting else ""
    output.print_line(f"{thread.id[:SHORT]}  {_describe_sample(thread)}{waits}")
    for each in thread.remarks:
        output.print_line(f"  {service.name(each.author)}, {each.at[:16]}:")
        _print_indented(each.text)


def _print_indented(text: str) -> None:
    for line in text.splitlines():
        output.print_line(f"    {line}")


def _describe_sample(thread: CommentThread) -> str:
    return str(thread.remarks[0].sample or "")


def _thread_as_json(thread: CommentThread, service: CommentService) -> dict[str, Any]:
    return {
        "id": thread.id,
        "sample": _describe_sample(thread),
        "person": thread.person,
        "waiting": thread.waiting,
        "remarks": [_comment_as_json(each, service) for each in thread.remarks],
    }


def _comment_as_json(comment: PersonComment, service: CommentService) -> dict[str, Any]:
    value = {name: getattr(comment, name) for name in ("id", "author", "text", "at")}
    return {**value, "name": service.name(comment.author)}


def reply(
    thread_id: Annotated[str, argument("TALK", "The start of its id, as remarks list shows it.")],
    text: Annotated[str, argument("TEXT", "What you answer.")],
    *,
    workspace: options.WorkspaceOption = None,
) -> None:
    """Answer an annotator.

    They are told when they next begin, and find it at the sample.
    """
    with open_workspace(workspace) as space:
        service = space.team.comments
        thread = service.reply(thread_id, text)
        output.print_line(
            f"answered {service.name(thread.person)} about {_describe_sample(thread)}"
        )


def notice(
    text: Annotated[str, argument("TEXT", "What all are told.")],
    *,
    workspace: options.WorkspaceOption = None,
) -> None:
    """Tell all something, once, when each next begins."""
    with open_workspace(workspace) as space:
        space.team.comments.notice(text)
    output.print_line("all are told when they next begin")
