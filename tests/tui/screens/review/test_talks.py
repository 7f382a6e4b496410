"""Questions of annotators, answered on the reviewing screen."""

from __future__ import annotations

from pathlib import Path

from tests.tui.screens.reviews import FIRST, SECOND, Reviewer, in_review, make
from tui_annotate import workspace
from tui_annotate.tui.dialogs.talk import TalkDialog


def ask(folder: Path, name: str, text: str) -> None:
    """Somebody writes about the first sample."""
    with workspace.open(folder) as space:
        space.team.remarks.write(space.person(name).id, FIRST, text)


def answers(folder: Path) -> dict[str, list[str]]:
    """What was said in each talk, by who asked."""
    with workspace.open(folder) as space:
        remarks = space.team.remarks
        return {
            remarks.name(talk.person): [each.text for each in talk.remarks]
            for talk in remarks.talks()
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
    async with in_review(tmp_path, sample="a") as reviewer:
        shown = await opened(reviewer)
        assert "Asked about this sample · 1 person waits too" in shown
        assert "an annotator" in shown
        assert "Is a film a set?" in shown
        assert "ana" not in shown.replace("an annotator", "")
        await reviewer.press("N o enter")
        assert reviewer.line() == "answered: whoever asked is told when they next begin"
        assert "Which town?" in await opened(reviewer)
        await reviewer.press("O u r s enter")
        shown = await opened(reviewer)
        assert "a reviewer" in shown
        assert "too" not in shown.partition("Asked")[2].partition("\n")[0]
        await reviewer.press("escape")
    assert answers(tmp_path) == {"ana": ["Is a film a set?", "No"], "li": ["Which town?", "Ours"]}


async def test_where_nobody_asked_the_line_says_so(tmp_path: Path) -> None:
    """Nothing opens, and keys stay keys."""
    make(tmp_path)
    ask(tmp_path, "ana", "Is a film a set?")
    async with in_review(tmp_path, sample=str(SECOND)) as reviewer:
        await opened(reviewer)
        assert not isinstance(reviewer.app.screen, TalkDialog)
        assert reviewer.line() == "nobody asked anything about this sample"


async def test_an_answer_that_is_not_sent_is_not_lost(tmp_path: Path) -> None:
    """Nothing is sent by closing; an answer that the store refused stands in the line again."""
    make(tmp_path)
    ask(tmp_path, "ana", "Is a film a set?")
    async with in_review(tmp_path, sample="a") as reviewer:
        await opened(reviewer)
        await reviewer.press("N o escape")
        assert answers(tmp_path) == {"ana": ["Is a film a set?"]}
        await opened(reviewer)
        await reviewer.press(" ".join("x" * 5))
        dialog = reviewer.app.screen
        assert isinstance(dialog, TalkDialog)
        dialog.dismiss("y" * 2001)
        await reviewer.settled()
        assert "2,001 characters" in reviewer.line()
        assert "yyyy" in await opened(reviewer)
