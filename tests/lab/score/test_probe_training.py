"""What a probe learns from: a file, people's labels, a ranker's; what says nothing is counted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.helpers.stores import SEGMENTER, new, new_database
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidRecord, NotAllowed, NotReady
from tui_annotate.domain.people import OPERATOR, Actor, Person, Role
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Document, Request, Sample, SampleKind, Side
from tui_annotate.domain.scores import RunKind, Score, ScoreRun
from tui_annotate.domain.spans import Span
from tui_annotate.lab.score import probes
from tui_annotate.lab.score.probe_training import (
    LabelSource,
    ProbeOptions,
    ProbeTrainingService,
    TrainingQuestions,
    UnusedReason,
    read_questions,
    train_on,
)
from tui_annotate.lab.score.probes import Probe, TrainedProbe
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.scores.store import ScoreStore

ANA = Person("ana", "Ana")


class Store:
    """A store with answers to questions."""

    def __init__(self, folder: Path) -> None:
        self.database = new_database(folder)
        self.corpus, self.log = CorpusStore(self.database), AnnotationStore(self.database)
        self.scores = ScoreStore(self.database)

    def answers(self, group: str, *wrong: bool | None, question: str = "?") -> None:
        """Answers to one question that Ana calls wrong or right; None where she did not look."""
        for place, each in enumerate(wrong):
            documents = (
                Document(Side.SOURCE, "in Paris", "answer"),
                Document(Side.SUMMARY, "Rome"),
            )
            asked = Request(question=question.replace("?", f"Where is {group}?"))
            name = f"{group}.{place}"
            sample = Sample(
                "d", name, documents, kind=SampleKind.QUESTION, group=group, request=asked
            )
            self.corpus.add([new(sample)], segmenter=SEGMENTER)
            if each is None:
                continue
            claim = (Anchor(Side.SUMMARY, 0, Span(0, 4)),)
            marks = (
                (OwnedAnnotation("ana", Annotation(name, claim, labels=(("Wrong",),))),)
                if each
                else ()
            )
            done = (Assignment("ana", State.DONE),)
            self.log.import_records([Record(sample, marks, done, (ANA,))])

    def ranked(self, **categories: str) -> None:
        """What a ranker says of each group."""
        run = ScoreRun(id="r", kind=RunKind.RANK, maker="percentile", dataset="d")
        keys = [key for key in self.corpus.keys("d") if key.id.partition(".")[0] in categories]
        report = [
            Score(key=key, name="category", text=categories[key.id.partition(".")[0]])
            for key in keys
        ]
        self.scores.write(run, report)

    def train(
        self, actor: Actor | None = None, **asked: Any
    ) -> tuple[TrainedProbe, TrainingQuestions]:
        """By people's labels, unless something else is asked for."""
        machines: Any = SimpleNamespace(**vars(self), actor=actor or OPERATOR)
        return ProbeTrainingService(machines).run(
            ProbeOptions(**{"model_folder": "m", "dataset": "d", **asked})
        )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Without samples."""
    made = Store(tmp_path)
    yield made
    made.database.close()


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the training was given; nothing is learnt."""
    found: dict[str, Any] = {}

    def train(questions: list[str], known: list[bool], **how: Any) -> TrainedProbe:
        found.update(how, said=dict(zip(questions, known, strict=True)))
        how["on_progress"](len(questions))
        probe = Probe(folder="m", model="h", layer=1, weights=(1.0,), bias=0.0)
        return TrainedProbe(probe=probe, training=1, held_out=1, layers={})

    monkeypatch.setattr(probes, "train", train)
    return found


def test_people_say_which_answers_are_right(store: Store, given: dict[str, Any]) -> None:
    """A question counts where all its answers are right, or all are wrong; each is asked once."""
    store.answers("a", False, False)
    store.answers("b", True, True)
    store.answers("c", True, False)
    store.answers("e", None)
    store.answers("f", True, question=" ")
    _, found = store.train(layer=2, seed=5)
    assert given["said"] == {"Where is a?": True, "Where is b?": False}
    assert (given["model"], given["layer"], given["seed"]) == ("m", 2, 5)
    assert found.unused == {UnusedReason.MIXED_LABELS: 2, UnusedReason.NO_QUESTION: 1}


def test_a_ranker_may_say_it(store: Store, given: dict[str, Any]) -> None:
    """By its categories; what it left undecided teaches nothing."""
    for group in "abcef":
        store.answers(group, None)
    with pytest.raises(NotReady, match="'d'"):
        store.train(label_source=LabelSource.MACHINE)
    store.ranked(a="all-right", b="all-wrong", c="partial-right", e="undecided")
    _, found = store.train(label_source=LabelSource.MACHINE)
    assert given["said"] == {"Where is a?": True, "Where is b?": False}
    assert found.unused == {"partial-right": 1, "undecided": 1, UnusedReason.NOT_RANKED: 1}


def test_a_file_may_say_it(tmp_path: Path, given: dict[str, Any]) -> None:
    """With question and category; a dataset is not needed."""
    path = tmp_path / "q.jsonl"
    rows = [("A?", "all-right"), ("B?", "all-wrong"), ("C?", "undecided"), ("", "all-right")]
    lines = [json.dumps({"question": question, "category": said}) for question, said in rows]
    path.write_text("\n".join(lines), "utf-8")
    seen: list[float | None] = []
    found = read_questions(path)
    train_on(ProbeOptions(model_folder="m"), found, progress=lambda at: seen.append(at.share))
    assert given["said"] == {"A?": True, "B?": False}
    assert found.unused == {"undecided": 1, UnusedReason.NO_QUESTION: 1}
    assert seen == [1.0]


@pytest.mark.parametrize(
    "line", ["oops", "[1]", '{"question": "A?"}', '{"question": 1, "category": "all-right"}']
)
def test_a_wrong_line_is_told_by_its_place(tmp_path: Path, line: str) -> None:
    """And nothing is learnt."""
    path = tmp_path / "q.jsonl"
    path.write_text('{"question": "A?", "category": ""}\n' + line + "\n", "utf-8")
    with pytest.raises(InvalidRecord, match=r"q\.jsonl:2"):
        read_questions(path)


def test_what_is_no_answer_teaches_nothing(store: Store, given: dict[str, Any]) -> None:
    """A dataset of pairs is refused, with what to bring."""
    documents = (Document(Side.SOURCE, "A."), Document(Side.SUMMARY, "B."))
    store.corpus.add([new(Sample("d", "1", documents))], segmenter=SEGMENTER)
    with pytest.raises(NotReady, match="'d'"):
        store.train()
    assert given == {}


def test_only_who_manages_trains(store: Store) -> None:
    """Labels of others are behind it."""
    with pytest.raises(NotAllowed):
        store.train(Actor("li", Role.REVIEWER))
    assert store.corpus.keys("d") == ()
