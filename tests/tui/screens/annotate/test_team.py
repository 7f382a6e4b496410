"""Others, over the annotating screen: news at the start, talks with reviewers, figures."""

from __future__ import annotations

from pathlib import Path

from tests.tui.screens.annotate_app import Person, make_workspace, open_app
from tui_annotate import workspace
from tui_annotate.domain.samples import SampleKey
from tui_annotate.editor.messages import LineText, MessageCode
from tui_annotate.tui.dialogs.comment_thread import CommentDialog
from tui_annotate.tui.dialogs.news import NewsDialog
from tui_annotate.tui.dialogs.work_statistics import WorkStatisticsDialog
from tui_annotate.tui.screens.annotate.screen import AnnotateScreen

KEY = SampleKey("films", "a")


def top(ana: Person) -> type:
    """What is over all else."""
    return type(ana.app.screen)


async def do(ana: Person, action: str) -> None:
    """An action of the palette."""
    ana.screen.do(action)
    await ana.settled()


async def test_news_come_once(tmp_path: Path) -> None:
    """What is new stands over the first sample until it is read; then it is not told again."""
    make_workspace(tmp_path)
    async with open_app(tmp_path) as ana:
        assert top(ana) is AnnotateScreen
    with workspace.open(tmp_path) as space:
        space.team.comments.notice("Dates count as numbers.")
        space.team.apply_guidelines("Mark all of it.\n")
    async with open_app(tmp_path) as ana:
        assert top(ana) is NewsDialog
        shown = ana.shown()
        assert "Dates count as numbers." in shown
        assert "+ Mark all of it." in shown
        await ana.press("enter")
        assert top(ana) is AnnotateScreen
    async with open_app(tmp_path) as ana:
        assert top(ana) is AnnotateScreen


async def test_the_guidelines_are_named_until_they_are_opened(tmp_path: Path) -> None:
    """Every line about the next label names their key, after other keys and another start, too."""
    make_workspace(tmp_path)
    async with open_app(tmp_path) as ana:
        assert not ana.draft.guidelines_unread
    with workspace.open(tmp_path) as space:
        space.team.apply_guidelines("Mark all of it.\n")
        space.team.comments.notice("Dates count as numbers.")
    hint = LineText.GUIDELINES_KEY.text()
    async with open_app(tmp_path, name="ben") as ben:
        assert top(ben) is NewsDialog
        await ben.press("enter j .")
        assert hint in ben.shown()
    async with open_app(tmp_path, name="ben") as ben:
        await ben.press("j")
        assert hint in ben.shown()
        await ben.press("g")
        assert "Mark all of it." in ben.shown()
        await ben.press("q")
        assert hint not in ben.shown()
        await ben.press(">")
        assert not ben.draft.guidelines_unread


async def test_the_guidelines_are_named_on_the_first_sample_only(tmp_path: Path) -> None:
    """A message takes their line, and a first finished sample ends it."""
    make_workspace(tmp_path)
    with workspace.open(tmp_path) as space:
        space.team.apply_guidelines("Mark all of it.\n")
    hint = LineText.GUIDELINES_KEY.text()
    async with open_app(tmp_path) as ana:
        assert hint in ana.shown()
        await ana.press("x")
        assert ana.said().code is MessageCode.NO_ANNOTATION_TO_DELETE
        assert hint not in ana.shown()
        await ana.press("s")
        assert not ana.draft.guidelines_unread


async def test_a_talk_with_the_reviewers(tmp_path: Path) -> None:
    """What is written reaches them, their answer is told at the next start, and both are read."""
    make_workspace(tmp_path)
    async with open_app(tmp_path) as ana:
        await do(ana, "talk.write")
        assert top(ana) is CommentDialog
        await ana.press("W h y enter")
        assert ana.said().code is MessageCode.SENT_TO_REVIEWERS
        await do(ana, "talk.write")
        await ana.press("escape")
    with workspace.open(tmp_path) as space:
        (talk,) = space.team.comments.list_threads(unanswered=True)
        assert (talk.remarks[0].text, talk.remarks[0].sample) == ("Why", KEY)
        space.team.comments.reply(talk.id, "So.")
    async with open_app(tmp_path) as ana:
        assert top(ana) is NewsDialog
        assert "films/a" in ana.shown()
        assert "So." in ana.shown()
        await ana.press("q")
        await do(ana, "talk.write")
        assert "Why" in ana.shown()
        assert "So." in ana.shown()
        await ana.press("escape")


async def test_a_talk_about_one_annotation(tmp_path: Path) -> None:
    """It names the annotation, is kept apart from that of the sample, and outlives a deletion."""
    make_workspace(tmp_path)
    async with open_app(tmp_path) as ana:
        await do(ana, "talk.annotation")
        assert ana.said().code is MessageCode.NO_ANNOTATION_TO_ASK_ABOUT
        await ana.words("loved")
        await ana.press("3 a")
        await do(ana, "talk.annotation")
        assert top(ana) is CommentDialog
        assert 'Benign "loved"' in ana.shown()
        await ana.press("W h y enter")
        assert ana.said().code is MessageCode.SENT_TO_REVIEWERS
        name = ana.annotations[0].id
        await do(ana, "talk.write")
        assert "Why" not in ana.shown()
        await ana.press("escape")
        await do(ana, "annotation.delete")
        await do(ana, "talk.write")
        shown = ana.shown()  # no one can focus the annotation any more
        assert "Why" in shown
        assert '"loved"' in shown
        await ana.press("escape")
    with workspace.open(tmp_path) as space:
        (talk,) = space.team.comments.list_threads(unanswered=True)
        assert (talk.remarks[0].text, talk.annotation) == ("Why", name)


async def test_a_remark_that_is_refused_stays(tmp_path: Path) -> None:
    """It is told, and stands in the line the next time."""
    make_workspace(tmp_path)
    async with open_app(tmp_path) as ana:
        await do(ana, "talk.write")
        for line in ana.app.screen.query("LineInput"):
            line.value = "x" * 2001  # type: ignore[attr-defined]
        await ana.press("enter")
        assert "2,001 " in ana.line()
        await do(ana, "talk.write")
        assert "xxxx" in ana.shown()
        await ana.press("escape")


async def test_figures(tmp_path: Path) -> None:
    """Counted when they are asked for, and anew by a key."""
    make_workspace(tmp_path)
    async with open_app(tmp_path) as ana:
        await do(ana, "figures.show")
        assert top(ana) is WorkStatisticsDialog
        await ana.press("r")
        dialog = ana.app.screen
        assert isinstance(dialog, WorkStatisticsDialog)
        assert dialog._figures is not None
        assert dialog.heading in ana.shown()
        await ana.press("q")
        assert top(ana) is AnnotateScreen
