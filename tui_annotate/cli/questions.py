"""The commands `messages`: questions of annotators, with replies, and announcements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Final, TypedDict

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.help_format import TEAM
from tui_annotate.cli.options import add_command, add_group, argument, flag, open_workspace
from tui_annotate.cli.report_parts import NotePart, Part, ResultPart
from tui_annotate.domain.errors import InvalidInput

if TYPE_CHECKING:
    from tui_annotate.domain.comments import CommentThread, PersonComment
    from tui_annotate.services.comments import CommentService

SHORT: Final = 8
"""Number of characters of a thread's id that are printed, enough to name the thread."""
LIST_UNANSWERED: Final = "tui-annotate messages questions list --unanswered"
"""Command in hints of other commands that count unanswered questions."""


class PrintedComment(TypedDict):
    """A message of a person.

    Attributes:
        author: id of the person.
        name: name of the person.
    """

    id: str
    author: str
    text: str
    at: str
    name: str


class PrintedThread(TypedDict):
    """A question with its replies.

    Attributes:
        annotation: id of the annotation asked about; empty for the whole sample.
        quote, labels: text and labels of the annotation when the question was asked.
        unanswered: whether the last message is the annotator's.
    """

    id: str
    sample: str
    annotation: str
    quote: str
    labels: list[list[str]]
    person: str
    unanswered: bool
    messages: list[PrintedComment]


def register(app: typer.Typer) -> None:
    messages = add_group(app, "messages", "Exchange messages with annotators.", panel=TEAM)
    questions = add_group(messages, "questions", "Ask, list and answer questions of annotators.")
    add_command(
        questions,
        list_questions,
        "messages questions list --unanswered",
        "messages questions list --sample news/17",
        name="list",
    )
    add_command(
        questions,
        ask,
        'messages questions ask news/17 "Is a date a number?"',
        'messages questions ask news/17 --quote "in 1932" "Is this too long?"',
    )
    add_command(questions, reply, 'messages questions reply 3f0a9c41 "Yes, that one too."')
    announcements = add_group(messages, "announcements", "Show messages to all annotators.")
    add_command(announcements, list_announcements, "messages announcements list", name="list")
    add_command(
        announcements,
        create,
        'messages announcements create "The guidelines now cover dates."',
    )


def list_questions(
    *,
    unanswered: Annotated[
        bool, flag("--unanswered", "List only questions and threads that wait for a reply.")
    ] = False,
    sample: Annotated[
        str,
        options.sample_option(
            "List only questions and threads about this sample: ID or DATASET/ID."
        ),
    ] = "",
    common: options.CommonOptions,
) -> None:
    """List questions and threads of annotators, with replies."""
    with open_workspace(common.workspace) as space:
        service = space.team.comments
        key = space.corpus.find(sample) if sample else None
        threads = service.list_threads(unanswered=unanswered, sample=key)
        text: list[Part] = [part for each in threads for part in _describe_thread(each, service)]
        values = [_thread_as_json(each, service) for each in threads]
    if not threads:
        text = [NotePart("no unanswered questions" if unanswered else "no questions")]
    output.show(values, text, as_json=common.as_json)


def ask(
    sample: Annotated[
        str,
        argument("SAMPLE", "Sample that you ask about: ID or DATASET/ID."),
    ],
    text: Annotated[str, argument("TEXT", "Text of the question to the reviewers.")],
    *,
    annotation: Annotated[
        str | None,
        options.option(
            "--annotation", "ID", "Ask about your annotation with this id, or its beginning."
        ),
    ] = None,
    quote: Annotated[
        str | None,
        options.option(
            "--quote", "WORDS", "Ask about your only annotation that contains these words."
        ),
    ] = None,
    name: options.NameOption = "",
    common: options.CommonOptions,
) -> None:
    """Ask the reviewers about a sample, or about one of your annotations.

    The reply appears next to the sample, at the start of your next session, and in `questions
    list`.
    """
    if annotation is not None and quote is not None:
        raise InvalidInput("--annotation and --quote both name an annotation", "omit one of them")
    for option, value in (("--annotation", annotation), ("--quote", quote)):
        # An empty variable of a script would otherwise ask about the whole sample.
        if value is not None and not value.strip():
            raise InvalidInput(
                f"{option} {value!r} names no annotation",
                f"give {option} a value, or omit it to ask about the sample",
            )
    with open_workspace(common.workspace) as space:
        person = options.working_person(space, name)
        service = space.team.comments
        key = space.corpus.find(sample)
        about_annotation = ""
        if annotation or quote:
            about_annotation = service.find_annotation(
                person.id, key, start=annotation or "", quote=quote or ""
            )
        thread = service.write(person.id, key, text, annotation=about_annotation)
        about = f"{key}, {thread.about}" if thread.about else str(key)
        asked = _thread_as_json(thread, service)
    output.show(asked, [ResultPart(f"asked the reviewers about {about}")], as_json=common.as_json)


def reply(
    thread_id: Annotated[
        str,
        argument(
            "ID",
            "Beginning of the id of a question or thread, as listed by `messages questions list`.",
        ),
    ],
    text: Annotated[str, argument("TEXT", "Text of the reply to the annotator.")],
    *,
    common: options.CommonOptions,
) -> None:
    """Reply to a question or thread.

    The annotator sees the reply at the start of the next session, and later next to the sample.
    """
    with open_workspace(common.workspace) as space:
        service = space.team.comments
        thread = service.reply(thread_id, text)
        name = service.name(thread.person)
        value = _thread_as_json(thread, service)
    line = ResultPart(f"replied to {name} about {_describe_sample(thread)}")
    output.show(value, [line], as_json=common.as_json)


def list_announcements(*, common: options.CommonOptions) -> None:
    """List announcements, oldest first."""
    with open_workspace(common.workspace) as space:
        service = space.team.comments
        announcements = service.notices()
        text: list[Part] = []
        for each in announcements:
            text.append(f"{each.at[:16]}, {service.name(each.author)}:")
            text.extend(_indent(each.text))
        values = [_comment_as_json(each, service) for each in announcements]
    if not announcements:
        text = [NotePart("no announcements")]
    output.show(values, text, as_json=common.as_json)


def create(
    text: Annotated[str, argument("TEXT", "Text of the announcement.")],
    *,
    common: options.CommonOptions,
) -> None:
    """Show a message to every annotator at their next session."""
    with open_workspace(common.workspace) as space:
        service = space.team.comments
        added = service.notice(text)
        value = _comment_as_json(added, service)
    line = ResultPart("announcement stored: annotators see it at their next session")
    output.show(value, [line], as_json=common.as_json)


def _describe_thread(thread: CommentThread, service: CommentService) -> Iterator[str]:
    line = f"{thread.id[:SHORT]}  {_describe_sample(thread)}"
    if thread.annotation:
        line += f", annotation {thread.annotation}"
    if thread.about:
        line += f", {thread.about}"
    if thread.waiting:
        line += ", unanswered"
    yield line
    for each in thread.remarks:
        yield f"  {service.name(each.author)}, {each.at[:16]}:"
        yield from _indent(each.text)


def _indent(text: str) -> list[str]:
    return [f"    {line}" for line in text.splitlines()]


def _describe_sample(thread: CommentThread) -> str:
    return str(thread.question.sample or "")


def _thread_as_json(thread: CommentThread, service: CommentService) -> PrintedThread:
    return {
        "id": thread.id,
        "sample": _describe_sample(thread),
        "annotation": thread.annotation,
        "quote": thread.quoted.quote,
        "labels": [list(path) for path in thread.quoted.labels],
        "person": thread.person,
        "unanswered": thread.waiting,
        "messages": [_comment_as_json(each, service) for each in thread.remarks],
    }


def _comment_as_json(comment: PersonComment, service: CommentService) -> PrintedComment:
    return {
        "id": comment.id,
        "author": comment.author,
        "text": comment.text,
        "at": comment.at,
        "name": service.name(comment.author),
    }
