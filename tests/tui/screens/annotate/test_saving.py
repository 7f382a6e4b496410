"""The store's thread and the clock of work; and what the screen does when the store refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from textual.events import Key
from textual.message import Message

from tests.tui.screens.annotate_app import Person, make_workspace, open_app
from tui_annotate.domain.errors import Conflict, NotAllowed, TuiAnnotateError, Unavailable
from tui_annotate.domain.samples import Side
from tui_annotate.editor.messages import MessageCode
from tui_annotate.tui.store_thread import JobFinished, Stopwatch, StoreJob, StoreThread
from tui_annotate.tui.widgets.header_bar import SaveState


class Post:
    """Keeps the answers in order, and tells them."""

    def __init__(self) -> None:
        self.answers: list[JobFinished] = []
        self.told: list[str] = []
        self.saver = StoreThread(self.take)

    def take(self, message: Message) -> None:
        """Called in the store's thread."""
        assert isinstance(message, JobFinished)
        self.answers.append(message)

    def job(self, call: Callable[[], Any], *, writes: bool = False) -> StoreJob[Any]:
        """A job whose end is told."""

        def failed(error: TuiAnnotateError) -> None:
            self.told.append(f"not {error.message}")

        return StoreJob(call, lambda result: self.told.append(str(result)), failed, writes)

    def end(self) -> list[str]:
        """Everything is done and answered."""
        self.saver.close()
        for answer in self.answers:
            self.saver.answer(answer)
        return self.told


def raising(error: Exception) -> Callable[[], Any]:
    """A call that fails."""

    def call() -> Any:
        raise error

    return call


def test_what_waits_for_a_frame_is_done_before_what_comes_later() -> None:
    """Also where the frame never came; and by the end at the latest."""
    post = Post()
    post.saver.send(post.job(lambda: "frame"))
    post.saver.send_deferred(post.job(lambda: "behind"))
    assert post.saver.waiting == 1
    post.saver.send(post.job(lambda: "later"))
    post.saver.send_deferred(post.job(lambda: "last"))
    assert post.end() == ["frame", "behind", "later", "last"]
    post.saver.send_deferred(post.job(lambda: "too late"))
    assert post.saver.waiting == 0


def test_jobs_are_done_in_order_and_all_are_done_at_the_end() -> None:
    """Closing waits for what was given."""
    post = Post()
    for number in range(20):
        post.saver.send(post.job(partial(str, number)))
    assert post.saver.waiting == 20
    assert post.end() == [str(number) for number in range(20)]
    assert post.saver.waiting == 0


def test_after_a_refused_save_nothing_leads_away_until_it_was_told() -> None:
    """What writes goes on; what does not is given up, in silence."""
    post = Post()
    post.saver.send(post.job(raising(Unavailable("disk full")), writes=True))
    post.saver.send(post.job(lambda: "left"))
    post.saver.send(post.job(lambda: "saved", writes=True))
    assert post.end() == ["not disk full", "saved"]


def test_an_answer_does_not_set_free_what_was_given_before_it() -> None:
    """A refused save that is told at once still holds back what stood behind it."""
    post, begun, answered = Post(), Event(), Event()

    def wait() -> bool:
        begun.set()
        return answered.wait(10)

    post.saver.send(post.job(raising(Unavailable("disk full")), writes=True))
    post.saver.send(post.job(wait, writes=True))
    post.saver.send(post.job(lambda: "left"))
    assert begun.wait(10)
    post.saver.answer(post.answers.pop(0))
    post.saver.send(post.job(lambda: "after"))
    answered.set()
    assert post.end() == ["not disk full", "True", "after"]


def test_closing_says_what_was_refused_and_not_told() -> None:
    """Deeds alone, in their order; what was told or given up is not said again."""
    post = Post()
    odd = raising(ValueError("odd"))
    deeds = [raising(Unavailable("told")), raising(Unavailable("first")), lambda: "kept", odd]
    for deed in deeds:
        post.saver.send(replace(post.job(deed, writes=True), shown=True))
    post.saver.send(replace(post.job(lambda: "left"), shown=True))
    post.saver.send_last(lambda: None)
    post.saver.close()
    post.saver.answer(post.answers.pop(0))
    first, second = post.saver.close()
    assert first.message == "first"
    assert "ValueError: odd" in second.message


def test_what_is_given_after_the_end_is_dropped() -> None:
    """A key behind the last one begins nothing, and nobody waits for its answer."""
    post = Post()
    post.saver.close()
    post.saver.send(post.job(lambda: "late"))
    assert (post.end(), post.saver.waiting) == ([], 0)


def test_what_nobody_expected_is_told_as_an_error_of_ours() -> None:
    """The kind and the words, and the log has the rest."""
    post = Post()
    post.saver.send(post.job(raising(ValueError("odd"))))
    (report,) = post.end()
    assert "ValueError: odd" in report


def test_the_last_call_is_made_whatever_became_of_the_others() -> None:
    """The place is kept even after a refused save, and nobody waits for its answer."""
    post, kept = Post(), list[str]()
    post.saver.send(post.job(raising(Unavailable("disk full")), writes=True))
    post.saver.send_last(lambda: kept.append("place"))
    post.saver.send_last(raising(Unavailable("disk full")))
    post.end()
    assert kept == ["place"]


def test_pauses_are_no_work_and_nothing_is_counted_twice() -> None:
    """A gap counts up to a minute; taken seconds begin anew; full comes before the store cuts."""
    now = [0.0]
    watch = Stopwatch(clock=lambda: now[0])
    watch.touch()
    for gap in (10.0, 20.0, 500.0):
        now[0] += gap
        watch.touch()
    before, taken, after = watch.full, [watch.take(), watch.take()], watch.full
    assert (before, after) == (True, False)
    assert taken == [90.0, 0.0]
    now[0] += 5
    assert watch.take() == 5.0


class Failing:
    """A store whose writes fail with what is given, until it is None."""

    def __init__(self, annotate: Any, error: TuiAnnotateError | None) -> None:
        self._annotate, self.error = annotate, error

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._annotate, name)
        if name not in {"add", "edit", "remove", "finish", "comment"}:
            return real

        def call(*args: Any, **kwargs: Any) -> Any:
            if self.error:
                raise self.error
            return real(*args, **kwargs)

        return call


def break_store(person: Person, error: TuiAnnotateError) -> Failing:
    """From now on the person's writes fail."""
    current = person.screen.current
    assert current is not None
    failing = Failing(current.session.annotate, error)
    broken: Any = failing
    session = replace(current.session, annotate=broken)
    person.screen.current = replace(current, session=session)
    return failing


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace."""
    return make_workspace(tmp_path / "work")


async def test_a_full_disk_is_told_and_the_draft_is_there_again(folder: Path) -> None:
    """Not saved, in the line and in the header; a digit saves it once there is room."""
    async with open_app(folder) as person:
        disk = break_store(person, Unavailable("the disk is full", "make room"))
        await person.press("down")
        await person.words("15", "pounds")
        await person.press("space 1")
        assert person.draft.save_failed
        assert person.said().kind == "error"
        assert "the disk is full" in person.line()
        assert "make room" in person.line()
        assert f"✗ {SaveState.NOT_SAVED.text()}" in person.shown()
        assert not person.annotations
        await person.press("enter")
        assert person.said().kind == "warning"
        assert person.draft.sample.id == "a"
        disk.error = None
        await person.press("2")
        (known,) = person.annotations
        assert known.claim[0].span.of(person.draft.text(Side.SUMMARY)) == "15 million pounds"
        assert f"✓ {SaveState.SAVED.text()}" in person.shown()


async def test_a_refused_edit_after_a_conflict_shows_what_stands_there(folder: Path) -> None:
    """The stored version is read again, and the change is in hand beside it."""
    async with open_app(folder) as person:
        await person.press("1 e 2")
        store = break_store(person, Conflict("it changed meanwhile", "look again"))
        await person.press("enter")
        assert person.draft.save_failed
        assert person.said().kind == "error"
        assert "it changed meanwhile" in person.line()
        assert person.draft.editing is not None
        assert len(person.draft.labels) == 2
        store.error = None
        await person.press("enter")
        assert len(person.annotations[0].labels) == 2


async def test_done_that_is_refused_stays_on_the_sample(folder: Path) -> None:
    """The reason is told, and the next Enter works."""
    async with open_app(folder) as person:
        store = break_store(person, Unavailable("the store is read-only"))
        await person.press("down down down enter")
        assert person.line() == "the store is read-only"
        assert person.screen.open_sample is not None
        assert person.screen.open_sample.sample.id == "a"
        store.error = None
        await person.press("enter")
        assert person.screen.open_sample.sample.id == "b"


async def test_what_to_do_about_a_failure_can_be_read(folder: Path) -> None:
    """At 80 columns, however long the message is; the row is given back with the next key."""
    async with open_app(folder) as person:
        await person.press("down down down")
        why = Unavailable(f"{'/a/long/way' * 5}/store.sqlite can not be written", "make room there")
        break_store(person, why)
        panes = [person.screen.pane(side) for side in Side]
        height = sum(pane.size.height for pane in panes)
        await person.press("1")
        assert person.shown().splitlines()[-4].strip().endswith("make room there")
        assert sum(pane.size.height for pane in panes) == height - 1
        await person.press("down")
        assert sum(pane.size.height for pane in panes) == height


async def test_a_refused_note_on_the_sample_waits_for_m(folder: Path) -> None:
    """Its text is not gone, and the next `m` opens it again."""
    async with open_app(folder) as person:
        store = break_store(person, Unavailable("the disk is full"))
        await person.press("m h i enter")
        assert person.line() == "the disk is full"
        store.error = None
        await person.press("m enter")
        assert person.said().code is MessageCode.COMMENT_SAVED
        assert person.screen.open_sample is not None
        assert person.screen.open_sample.assignment.comment == "hi"


async def test_leaving_twice_is_leaving_once(folder: Path) -> None:
    """Keys behind the one that leaves, also a second such, are dropped; the app ends well."""
    async with open_app(folder) as person:
        for key in ("ctrl+q", "ctrl+q", "1", "down"):
            person.app.post_message(Key(key, None))
        await person.app._close_messages()
    assert (person.app.problem, person.app.refused) == ("", "")


async def test_a_save_that_fails_while_leaving_is_told_after_the_end(folder: Path) -> None:
    """A digit and the end in one breath on a full disk: the reason outlives the screen."""
    async with open_app(folder) as person:
        break_store(person, Unavailable("the disk is full", "make room"))
        person.screen.do("option.choose", digit="1")
        person.screen.quit()
    assert person.app.refused == "the disk is full · make room"


def test_who_may_not_go_on_is_stopped_before_the_job() -> None:
    """Nothing guarded is begun, the giver is told first, then whoever asks for the way on."""
    post = Post()
    done: list[str] = []
    post.saver.check_session = raising(NotAllowed("your session has ended"))
    post.saver.stopped = lambda error: post.told.append(f"stopped: {error.message}")
    post.saver.send(post.job(partial(done.append, "write"), writes=True))
    post.saver.send(replace(post.job(lambda: "signed in"), free=True))
    post.saver.send_last(partial(done.append, "place"))
    assert post.end() == [
        "not your session has ended",
        "stopped: your session has ended",
        "signed in",
    ]
    assert done == []


def test_a_guard_that_can_not_look_is_a_failure_as_any_other() -> None:
    """A busy store is no reason to ask for a password."""
    post = Post()
    stopped: list[TuiAnnotateError] = []
    post.saver.check_session = raising(Unavailable("busy"))
    post.saver.stopped = stopped.append
    post.saver.send(post.job(lambda: "x"))
    assert post.end() == ["not busy"]
    assert stopped == []
