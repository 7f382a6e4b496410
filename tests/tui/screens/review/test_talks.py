"""Questions of annotators, answered on the reviewing screen."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from tests.tui.screens.review_app import FIRST, SECOND, Reviewer, make, open_review
from tui_annotate import workspace
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor.review.messages import ReviewText
from tui_annotate.tui.dialogs.comment_thread import CommentDialog


def ask(folder: Path, name: str, text: str) -> None:
    """Somebody writes about the first sample."""
    with workspace.open(folder) as space:
        space.team.comments.write(space.person(name).id, FIRST, text)


def answers(folder: Path) -> dict[str, list[str]]:
    """What was said in each talk, by who asked."""
    with workspace.open(folder) as space:
        remarks = space.team.comments
        return {
            remarks.name(talk.person): [each.text for each in talk.remarks]
            for talk in remarks.list_threads()
        }


async def opened(reviewer: Reviewer) -> str:
    """What stands on screen once the palette's action is done."""
    reviewer.screen.do("talk.write")
    await reviewer.settled()
    return reviewer.shown()


async def test_the_talk_that_waits_longest_is_answered_first(tmp_path: Path) -> None:
    """Each who asked has an answer of their own; nobody is named before the sample is settled."""
    make(tmp_path)
    ask(tmp_path, "ana", "Is a film a set?")
    ask(tmp_path, "li", "Which town?")
    async with open_review(tmp_path, sample="a") as reviewer:
        shown = await opened(reviewer)
        assert " · 1 " in shown
        assert "Is a film a set?" in shown
        assert not re.search(r"\b(ana|li)\b", shown)
        await reviewer.press("N o enter")
        assert reviewer.says(ReviewText.ANSWER_SENT)
        assert "Which town?" in await opened(reviewer)
        assert reviewer.review_draft.open_parts.questions == 1
        await reviewer.press("O u r s enter")
        assert reviewer.review_draft.open_parts.questions == 0
        shown = await opened(reviewer)
        assert "Ours" in shown
        assert " · 1 " not in shown
        await reviewer.press("escape")
    assert answers(tmp_path) == {"ana": ["Is a film a set?", "No"], "li": ["Which town?", "Ours"]}


async def test_a_talk_about_an_annotation_shows_the_annotation(tmp_path: Path) -> None:
    """With its labels and words, above what was asked."""
    make(tmp_path)
    with workspace.open(tmp_path) as space:
        ana = space.person("ana").id
        own = space.log.stream(ana, FIRST).annotations[0]
        space.team.comments.write(ana, FIRST, "Too long?", annotation=own.id)
        words = own.claim[0].span.of(space.corpus.sample(FIRST).sample.document(Side.SUMMARY).text)
    async with open_review(tmp_path, sample="a") as reviewer:
        shown = await opened(reviewer)
        assert f'"{words}"' in shown
        assert "Too long?" in shown
        await reviewer.press("escape")


async def test_a_talk_shows_what_its_annotation_was(tmp_path: Path) -> None:
    """Next to what it is now, where it was changed since; alone, where it was deleted."""
    make(tmp_path)
    with workspace.open(tmp_path) as space:
        ana = space.person("ana").id
        own = space.log.stream(ana, FIRST).annotations[0]
        summary = space.corpus.sample(FIRST).sample.document(Side.SUMMARY).text
        words = own.claim[0].span.of(summary)
        space.team.comments.write(ana, FIRST, "Too long?", annotation=own.id)
        whole = own.claim[0]._replace(span=Span(0, 12))
        changed = replace(own, claim=(whole,))
        space.annotate.edit(ana, FIRST, changed, seconds=1)
        space.annotate.finish(ana, FIRST, seconds=1)
    async with open_review(tmp_path, sample="a") as reviewer:
        shown = " ".join(re.findall(r"[^\s│]+", await opened(reviewer)))
        assert f'"{words}"' in shown
        assert f'Extrinsic "{summary[:12]}"' in shown
        await reviewer.press("escape")
    with workspace.open(tmp_path) as space:
        now = space.log.stream(ana, FIRST).state.annotations[own.id]
        space.annotate.remove(ana, FIRST, own.id, version=now["version"], seconds=1)
    async with open_review(tmp_path, sample="a") as reviewer:
        shown = " ".join(re.findall(r"[^\s│]+", await opened(reviewer)))
        assert f'"{words}"' in shown
        await reviewer.press("escape")


async def test_a_new_reviewer_is_sent_to_no_guidelines(tmp_path: Path) -> None:
    """Only annotators are; the reviewer's first line is about the review."""
    folder = make(tmp_path)
    with workspace.open(folder) as space:
        space.team.apply_guidelines("Mark all of it.\n")
    async with open_review(folder) as reviewer:
        assert not reviewer.draft.guidelines_unread


async def test_where_nobody_asked_the_line_says_so(tmp_path: Path) -> None:
    """Nothing opens, and keys stay keys."""
    make(tmp_path)
    ask(tmp_path, "ana", "Is a film a set?")
    async with open_review(tmp_path, sample=str(SECOND)) as reviewer:
        await opened(reviewer)
        assert not isinstance(reviewer.app.screen, CommentDialog)
        assert reviewer.says(ReviewText.NOBODY_ASKED)


async def test_an_answer_that_is_not_sent_is_not_lost(tmp_path: Path) -> None:
    """Nothing is sent by closing; an answer that the store refused stands in the line again."""
    make(tmp_path)
    ask(tmp_path, "ana", "Is a film a set?")
    async with open_review(tmp_path, sample="a") as reviewer:
        await opened(reviewer)
        await reviewer.press("N o escape")
        assert answers(tmp_path) == {"ana": ["Is a film a set?"]}
        await opened(reviewer)
        await reviewer.press(" ".join("x" * 5))
        dialog = reviewer.app.screen
        assert isinstance(dialog, CommentDialog)
        dialog.dismiss("y" * 2001)
        await reviewer.settled()
        assert "2,001 characters" in reviewer.line()
        assert "yyyy" in await opened(reviewer)
