"""Rows put to a model: prompts out, or the model's answers beside the rows, in the rows' order.

A prompt that is too long, or that the model refuses, keeps its row: without an answer, and told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final, TextIO

from tui_annotate.domain.errors import InvalidInput, TuiAnnotateError
from tui_annotate.domain.positions import ANSWER, ERROR, Row, Task, gold_position, passages, task
from tui_annotate.methods.position_making import reordered
from tui_annotate.methods.position_prompts import Style, prompt
from tui_annotate.plugins.asking import Answered, Judge, Question
from tui_annotate.services.position.files import Placed, at, rows, write

_AT_ONCE: Final = 64
"""Rows that are held at a time."""
_SHOWN: Final = ("title", "text", "id", "score", "hasanswer", "isgold", "original_retrieval_index")
"""What a prediction says of a passage, in the original's order."""

Told = Callable[[str, int | None, str], None]
"""Where a row stands, its gold position, and why it has no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How rows are put to a model.

    Attributes:
        template: replaces the wording of the prompts.
        longest: code points of a prompt that is still sent; 0 for any number.
        temperature, top_p, max_tokens: as `Question`.
    """

    style: Style = Style.PLAIN
    template: str = ""
    longest: int = 0
    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 100


@dataclass(slots=True)
class Asked:
    """How it went, so far.

    Attributes:
        rows: that were read.
        cached: whose answers were known.
        unanswered: that have no answer, by gold position.
        characters: code points of the prompts that were, or would be, sent.
    """

    rows: int = 0
    cached: int = 0
    unanswered: dict[int | None, int] = field(default_factory=dict)
    characters: int = 0

    def miss(self, place: int | None) -> None:
        """Counts a row without an answer."""
        self.unanswered[place] = self.unanswered.get(place, 0) + 1


def prompts(paths: Iterable[Path], target: TextIO, manner: Manner) -> int:
    """Writes each row with its prompt, and gives how many; a bad row ends it by its line.

    Raises:
        InvalidRecord: a row can not be read, or no prompt can be made of it.
    """
    count = 0
    for path in paths:
        for placed in rows(path):
            with at(placed.where):
                write({**placed.row, **_put(placed.row, manner)}, target)
            count += 1
    return count


def check(paths: Iterable[Path], manner: Manner) -> int:
    """Makes every prompt and sends none, so that a bad row is found before anybody is paid.

    Returns:
        How many rows there are.

    Raises:
        InvalidRecord: as `prompts`.
    """
    count = 0
    for path in paths:
        for placed in rows(path):
            with at(placed.where):
                prompt(placed.row, style=manner.style, template=manner.template)
            count += 1
    return count


def forecast(paths: Iterable[Path], judge: Judge, manner: Manner) -> Asked:
    """What a run would cost; asks nobody."""
    done = Asked()
    for path in paths:
        for _, row in rows(path):
            made = prompt(row, style=manner.style, template=manner.template)
            done.rows += 1
            if _too_long(made, manner):
                done.miss(gold_position(row))
            elif judge.cached(_question(made, manner)):
                done.cached += 1
            else:
                done.characters += len(made)
    return done


def run(
    paths: Iterable[Path],
    judge: Judge,
    manner: Manner,
    *,
    target: TextIO,
    told: Told,
    step: Callable[[int], None],
) -> Asked:
    """Writes each row with the model's answer; what is known already is not asked again.

    Args:
        told: hears of each row that has no answer.
        step: hears how many rows are done.

    Raises:
        Unavailable: the model can not be reached; what it said so far is kept.
        InvalidRecord: as `prompts`.
    """
    done = Asked()
    for path in paths:
        stream = rows(path)
        while batch := list(islice(stream, _AT_ONCE)):
            for placed, said in zip(batch, _answers(batch, judge, manner), strict=True):
                row = {**placed.row, **_put(placed.row, manner), **_of_model(judge, manner)}
                if isinstance(said, Answered):
                    row[ANSWER] = said.text
                    done.cached += said.cached
                    done.characters += 0 if said.cached else len(row["model_prompt"])
                else:
                    row |= {ANSWER: None, ERROR: said.message}
                    place = gold_position(placed.row)
                    done.miss(place)
                    told(placed.where, place, said.message)
                write(row, target)
            done.rows += len(batch)
            step(done.rows)
    return done


def _answers(
    batch: list[Placed], judge: Judge, manner: Manner
) -> Iterator[Answered | InvalidInput]:
    """What is said to each row, in order; a refusal where it has no answer."""
    outcomes: dict[int, Answered | InvalidInput] = {}
    questions: list[tuple[int, Question]] = []
    for place, (where, row) in enumerate(batch):
        with at(where):
            made = prompt(row, style=manner.style, template=manner.template)
        if _too_long(made, manner):
            message = f"the prompt has {len(made):,} characters, more than {manner.longest:,}"
            outcomes[place] = InvalidInput(message)
        else:
            questions.append((place, _question(made, manner)))
    if questions:
        for index, outcome in judge.ask_all([question for _, question in questions]):
            outcomes[questions[index][0]] = _kept(outcome)
    return (outcomes[place] for place in range(len(batch)))


def _kept(outcome: Answered | TuiAnnotateError) -> Answered | InvalidInput:
    """An answer, or the refusal of one question; whatever else happened ends the run."""
    if isinstance(outcome, Answered | InvalidInput):
        return outcome
    raise outcome


def _too_long(made: str, manner: Manner) -> bool:
    return 0 < manner.longest < len(made)


def _question(made: str, manner: Manner) -> Question:
    return Question(
        user=made,
        temperature=manner.temperature,
        top_p=manner.top_p,
        max_tokens=manner.max_tokens,
    )


def _put(row: Row, manner: Manner) -> dict[str, Any]:
    """The prompt of a row, and what the model is shown, in the original's fields."""
    made = {"model_prompt": prompt(row, style=manner.style, template=manner.template)}
    if task(row) is Task.KV:
        return {**made, "model_ordered_kv_records": row["ordered_kv_records"]}
    closed = manner.style is Style.CLOSED_BOOK
    shown = [] if closed else [_shown(each) for each in passages(row, shown=False)]
    return {
        **made,
        "model_documents": shown,
        "model_prompt_mention_random_ordering": manner.style is Style.RANDOM_NOTE,
        "model_use_random_ordering": reordered(row),
    }


def _shown(passage: Row) -> dict[str, Any]:
    found = {name: passage.get(name) for name in _SHOWN}
    return found | {"score": _number(found["score"])}


def _number(score: Any) -> Any:
    try:
        return float(score)
    except (TypeError, ValueError):
        return None


def _of_model(judge: Judge, manner: Manner) -> dict[str, Any]:
    return {
        "model": judge.model,
        "model_temperature": manner.temperature,
        "model_top_p": manner.top_p,
    }
