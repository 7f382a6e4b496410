"""Asks a judge about many questions concurrently, and counts replies and costs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event, Lock
from typing import Any, Self, TypedDict, TypeVar

from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.progress import TaskProgress, replies_from
from tui_annotate.lab.chat import prompts
from tui_annotate.lab.chat.prompts import Prompt
from tui_annotate.lab.chat.replies import NoReply, ParsingJudge, ReplyTally
from tui_annotate.lab.judge.rows import QuestionRow
from tui_annotate.plugins.judges import Judge, ModelReply, Question

_In = TypeVar("_In")
_Out = TypeVar("_Out")
_Options = TypeVar("_Options")


@dataclass
class JudgeRunner:
    """Asks a judge about many questions for a command; several threads may use it."""

    judge: Judge
    language: str = ""
    folders: Sequence[Path] = ()
    at_once: int = 4
    progress: Callable[[TaskProgress], None] | None = None
    tally: ReplyTally = field(default_factory=ReplyTally)
    _prompts: dict[tuple[str, str], Prompt] = field(default_factory=dict)
    _started: float = field(default_factory=time.monotonic)
    _done: list[int] = field(default_factory=lambda: [0, 0])
    _lock: Lock = field(default_factory=Lock)
    _stop: Event = field(default_factory=Event)

    def prompt(self, name: str, language: str) -> Prompt:
        """Return a prompt in the runner's language, or in `language` if the runner has none."""
        spoken = self.language or language
        if (name, spoken) not in self._prompts:
            self._prompts[name, spoken] = prompts.load_prompt(
                name, language=spoken, folders=self.folders
            )
        return self._prompts[name, spoken]

    def ask(
        self,
        row: QuestionRow,
        prompt: str,
        *,
        read: Callable[[str], _Out | None],
        **slots: str | int,
    ) -> _Out | NoReply:
        """Fill a prompt, ask the judge about it, and parse the reply; see `ask_all`."""
        return self.ask_all(row, prompt, [slots], read=read)[0]

    def ask_all(
        self,
        row: QuestionRow,
        prompt: str,
        slots: Iterable[Mapping[str, str | int]],
        *,
        read: Callable[[str], _Out | None],
    ) -> list[_Out | NoReply]:
        """Fill a prompt with each mapping and the row's `{question}`, ask, and parse the replies.

        After an unclear reply, the question is asked again. A result is `NoReply` if the reply
        stays unclear, or if the endpoint refuses the question or fails to answer it.
        """
        if self._stop.is_set():
            raise _Cancelled
        questions = [
            Question(user=self.prompt(prompt, row.language).fill(question=row.question, **each))
            for each in slots
        ]
        reminder = self.prompt("again", row.language).fill()
        parser = ParsingJudge(
            self.judge, reminder=reminder, tally=self.tally, on_reply=self._on_reply
        )
        return parser.ask_all(questions, read)

    def run(
        self,
        work: Callable[[QuestionRow, JudgeRunner, _Options], _Out],
        rows: Sequence[QuestionRow],
        options: _Options,
    ) -> list[_Out]:
        """Return the result of a function for each row, in order.

        Raises:
            TuiAnnotateError: as for `map`.
            Unavailable: the endpoint refused all questions.
        """
        found = list(self.map(rows, lambda row: work(row, self, options)))
        self.tally.check_refusals()
        return found

    def map(self, items: Sequence[_In], work: Callable[[_In], _Out]) -> Iterator[_Out]:
        """Yield the result of a function for each item, in order; several items run at a time.

        After the iterator is closed, running items stop after their pending replies.

        Raises:
            TuiAnnotateError: the error of the first item that fails; the other items stop too.
        """
        self._stop.clear()
        self._done[:] = [0, len(items)]
        self._report_progress()
        failed: list[BaseException] = []

        def attempt(item: _In) -> _Out:
            if self._stop.is_set():
                raise _Cancelled
            try:
                return work(item)
            except _Cancelled:
                raise
            except BaseException as error:
                failed.append(error)
                self._stop.set()
                raise

        pool = ThreadPoolExecutor(max(min(self.at_once, len(items)), 1))
        try:
            for outcome in pool.map(attempt, items):
                self._done[0] += 1
                yield outcome
        except _Cancelled:
            raise failed[0] from None
        finally:
            self._stop.set()
            pool.shutdown(cancel_futures=True)

    def parameters(self) -> dict[str, Any]:
        """Return the model, the host and the versions of used prompts, to store with a run."""
        used = {
            f"{name}.{spoken}": prompt.version for (name, spoken), prompt in self._prompts.items()
        }
        judge = self.judge
        return {"model": judge.model, "host": judge.host, "prompts": dict(sorted(used.items()))}

    def _on_reply(self) -> None:
        if self._stop.is_set():
            raise _Cancelled
        self._report_progress()

    def _report_progress(self) -> None:
        if self.progress is None:
            return
        with self._lock:
            done, total = self._done
            calls = self.tally.asked + self.tally.cached
            seconds = time.monotonic() - self._started
            share = done / total if total else None
            waiting = replies_from(self.judge.host)
            self.progress(
                TaskProgress("asking", calls, share=share, seconds=seconds, waiting=waiting)
            )


class _Cancelled(Exception):
    pass


class ReplyNotCached(Exception):
    """A judge that only reads the cache has no stored reply to a prompt."""


class CachedJudge:
    """A judge that returns stored replies only, for estimates of cost."""

    def __init__(self, judge: Judge) -> None:
        self.name = judge.name
        self.model = judge.model
        self.host = judge.host
        self._judge = judge

    def ask(self, question: Question) -> ModelReply:
        """Return the stored reply to a question; raise ReplyNotCached if there is none."""
        if not self._judge.cached(question):
            raise ReplyNotCached
        return self._judge.ask(question)

    def ask_all(
        self, questions: Sequence[Question]
    ) -> Iterator[tuple[int, ModelReply | TuiAnnotateError]]:
        """Yield the stored replies, then raise ReplyNotCached if any is missing."""
        unknown = 0
        for place, question in enumerate(questions):
            if self._judge.cached(question):
                yield place, self._judge.ask(question)
            else:
                unknown += 1
        if unknown:
            raise ReplyNotCached

    def cached(self, question: Question) -> bool:
        return self._judge.cached(question)


@dataclass(frozen=True, slots=True)
class ExpectedCalls:
    """Estimated maximum number of requests to a judge, and of characters to send."""

    calls: int = 0
    characters: int = 0

    def __add__(self, other: ExpectedCalls) -> ExpectedCalls:
        return ExpectedCalls(self.calls + other.calls, self.characters + other.characters)

    @classmethod
    def of(
        cls, runner: JudgeRunner, prompt: str, row: QuestionRow, *, calls: int, texts: int = 0
    ) -> Self:
        """Return the cost of several requests with the same prompt and question."""
        frame = len(runner.prompt(prompt, row.language).text) + len(row.question)
        return cls(calls, calls * frame + texts)


class PrintedJudgePlan(TypedDict):
    """What a judge would be asked, with `--dry-run`.

    Attributes:
        calls: the maximum number of calls.
        cached: the calls of these that are cached.
        characters: the approximate number of characters that the other calls would send.
    """

    questions: int
    calls: int
    cached: int
    characters: int


@dataclass(frozen=True, slots=True)
class JudgePlan:
    """The estimated cost of a judge command: requests, stored replies, code points to send."""

    rows: int
    calls: int
    cached: int
    characters: int

    def as_json(self) -> PrintedJudgePlan:
        """Return the plan as `--dry-run --json` prints it."""
        return {
            "questions": self.rows,
            "calls": self.calls,
            "cached": self.cached,
            "characters": self.characters,
        }


def plan_cost(
    rows: Sequence[QuestionRow],
    runner: JudgeRunner,
    options: _Options,
    *,
    work: Callable[[QuestionRow, JudgeRunner, _Options], object],
    estimate: Callable[[QuestionRow, JudgeRunner, _Options], ExpectedCalls],
) -> JudgePlan:
    """Estimate the cost of asking a judge, from stored replies and maximum costs."""
    calls = 0
    cached = 0
    characters = 0
    for row in rows:
        # The copy of the runner only reads cached replies, and has its own counts.
        walking = replace(
            runner, judge=CachedJudge(runner.judge), tally=ReplyTally(), progress=None
        )
        most = estimate(row, walking, options)
        try:
            work(row, walking, options)
        except ReplyNotCached:
            known = walking.tally.cached
            calls += max(most.calls, known + 1)
            share = known / most.calls if most.calls else 0.0
            characters += round(most.characters * (1 - min(share, 1.0)))
        else:
            calls += walking.tally.cached
        cached += walking.tally.cached
    return JudgePlan(rows=len(rows), calls=calls, cached=cached, characters=characters)
