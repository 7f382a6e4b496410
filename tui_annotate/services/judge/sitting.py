"""A judge at work on many questions: prompts by language, several questions at a time, counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock
from typing import Any, TypeVar

from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.progress import Progress
from tui_annotate.plugins import prompts
from tui_annotate.plugins.asking import Answered, Judge, Question
from tui_annotate.plugins.clearly import Clearly, Tally
from tui_annotate.plugins.prompts import Prompt

_In = TypeVar("_In")
_Out = TypeVar("_Out")


@dataclass
class Sitting:
    """A judge with its prompts, for the length of one deed. Threads may share it.

    Attributes:
        language: of all prompts; empty: as each question is written.
        folders: of a user's own prompts.
        at_once: questions that are worked on at a time; the judge bounds its requests by itself.
        tally: what asking came to.
    """

    judge: Judge
    language: str = ""
    folders: Sequence[Path] = ()
    at_once: int = 4
    progress: Callable[[Progress], None] | None = None
    tally: Tally = field(default_factory=Tally)
    _used: dict[tuple[str, str], Prompt] = field(default_factory=dict)
    _began: float = field(default_factory=time.monotonic)
    _done: list[int] = field(default_factory=lambda: [0, 0])
    _lock: Lock = field(default_factory=Lock)
    _over: Event = field(default_factory=Event)

    def prompt(self, name: str, language: str) -> Prompt:
        """The text of a prompt, for a question in a language.

        Raises:
            InvalidInput: a user's file can not be used.
        """
        spoken = self.language or language
        if (name, spoken) not in self._used:
            self._used[name, spoken] = prompts.load(name, language=spoken, folders=self.folders)
        return self._used[name, spoken]

    def put(self, name: str, language: str, **values: str | int) -> Question:
        """A question of a prompt."""
        return Question(user=self.prompt(name, language).filled(**values))

    def clearly(self, language: str) -> Clearly:
        """What asks the judge until it is clear."""
        reminder = self.prompt("again", language).text
        return Clearly(self.judge, reminder=reminder, tally=self.tally, heard=self._heard)

    def each(self, items: Sequence[_In], deed: Callable[[_In], _Out]) -> Iterator[_Out]:
        """What a deed gives for each item, in their order; several at a time.

        Whoever stops listening stops it: deeds that wait are not begun, and those that are at work
        ask for nothing more once they have the replies that are under way.

        Raises:
            TuiAnnotateError: of the first deed that fails; the others end likewise.
        """
        self._over.clear()
        self._done[:] = [0, len(items)]
        failed: list[BaseException] = []

        def attempt(item: _In) -> _Out:
            if self._over.is_set():
                raise _Over
            try:
                return deed(item)
            except _Over:
                raise
            except BaseException as error:
                failed.append(error)
                self._over.set()
                raise

        pool = ThreadPoolExecutor(max(min(self.at_once, len(items)), 1))
        try:
            for outcome in pool.map(attempt, items):
                self._done[0] += 1
                yield outcome
        except _Over:
            raise failed[0] from None
        finally:
            self._over.set()
            pool.shutdown(cancel_futures=True)

    def parameters(self) -> dict[str, Any]:
        """What a run remembers: model, host, the versions of the prompts that were used."""
        used = {f"{name}.{spoken}": prompt.version for (name, spoken), prompt in self._used.items()}
        judge = self.judge
        return {"model": judge.model, "host": judge.host, "prompts": dict(sorted(used.items()))}

    def _heard(self) -> None:
        if self._over.is_set():
            raise _Over
        if self.progress is None:
            return
        with self._lock:
            done, total = self._done
            calls = self.tally.asked + self.tally.cached
            seconds = time.monotonic() - self._began
            share = done / total if total else None
            self.progress(Progress("asking", calls, share=share, seconds=seconds))


class _Over(Exception):
    """Nobody waits for this deed any more."""


class Unasked(Exception):
    """The next reply is not known, and nobody is to be asked."""


class Known:
    """A judge that says what it said before, and nothing else: for telling costs."""

    def __init__(self, judge: Judge) -> None:
        self.name, self.model, self.host = judge.name, judge.model, judge.host
        self._judge = judge

    def ask(self, question: Question) -> Answered:
        """See `Judge.ask`.

        Raises:
            Unasked: it did not say so before.
        """
        if not self._judge.cached(question):
            raise Unasked
        return self._judge.ask(question)

    def ask_all(
        self, questions: Sequence[Question]
    ) -> Iterator[tuple[int, Answered | TuiAnnotateError]]:
        """See `Judge.ask_all`; those that are known first, then Unasked is raised."""
        unknown = 0
        for place, question in enumerate(questions):
            if self._judge.cached(question):
                yield place, self._judge.ask(question)
            else:
                unknown += 1
        if unknown:
            raise Unasked

    def cached(self, question: Question) -> bool:
        """See `Judge.cached`."""
        return self._judge.cached(question)
