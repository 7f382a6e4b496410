"""A study in which one annotator has samples in every state, and others left words everywhere.

Each word of another person, of a reviewer, of a known answer or of the annotator's own first
reading is a marker: `secret` and what it belongs to. `VISIBLE` names the few that she may see.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tests.helpers.stores import LABELS, SEGMENTER, claim, fill, new, sample
from tui_annotate import workspace as workspaces
from tui_annotate.domain import event_builders
from tui_annotate.domain.adjudication import RejectionReason
from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.assignment_plan import AssignmentOptions, AssignmentOrder
from tui_annotate.domain.assignment_rules import Gold
from tui_annotate.domain.assignments import State
from tui_annotate.domain.people import Person, second_reader
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.scores import RunKind, ScoreRun
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.storage.log.action_writer import ActionWriter
from tui_annotate.workspace import Workspace

STATES: Final = ("new", "begun", "done", "skipped", "flagged", "reopened")
VISIBLE: Final = {
    "secret-answer-done": "she completed the sample, and it is adjudicated",
    "secret-other-done-settled": "a note of an annotation that was accepted there",
    "secret-first-done": "she completed the second reading as well",
    "secret-other-done": "a note of an annotation that was accepted there",
    "secret-first-waiting": "its second reading was never assigned",
    "secret-answer-waiting": "so that her work there is complete",
    "secret-other-waiting": "a note of an annotation that was accepted there",
}
NAMES: Final = ("ana", "ben", "li", "rea")
OPTIONS: Final = AssignmentOptions(order=AssignmentOrder.INGESTED)


@dataclass(frozen=True)
class Study:
    """The workspace; `people` has those of `NAMES`."""

    space: Workspace
    people: dict[str, Person]

    def keys(self) -> list[SampleKey]:
        """All samples, in order of import."""
        return list(self.space.corpus.keys())

    def says(self, who: Person, key: SampleKey, marker: str, *, state: str = "done") -> None:
        """Somebody annotates, rates and comments a sample, with a marker in every word."""
        annotate, name = self.space.annotate, who.id
        if state == "new":
            return
        made = claim(
            f"{name[:4]}-{name[-2:]}-{key.dataset}-{key.id}",
            4,
            10,
            label="Fine",
            note=f"{marker} note",
        )
        annotate.add(name, key, made, seconds=1)
        annotate.comment(name, key, f"{marker} comment", seconds=1)
        if state in ("done", "reopened"):
            annotate.finish(name, key, seconds=1)
        if state == "skipped":
            annotate.skip(name, key, reason=f"{marker} reason", seconds=1)
        if state == "flagged":
            annotate.flag(name, key, reason=f"{marker} reason", seconds=1)
        if state == "reopened":
            self.reopen(who, key)

    def reopen(self, who: Person, key: SampleKey) -> None:
        change = {"state": State.REOPENED.value}
        ActionWriter(self.space.log, self.space.guidance).do(
            who.id,
            key,
            lambda _, stream: event_builders.assign(stream.state, "reopen", change),
            seconds=1,
        )

    def adjudicate(self, key: SampleKey, marker: str) -> None:
        """A reviewer adds an annotation of their own and a comment, and rejects all candidates."""
        review, who = self.space.team.review, self.people["rea"].id
        made = replace(claim(f"rea-{key.dataset}-{key.id}", 11, 15), note=f"{marker} note")
        seen = review.open(who, key).seen
        seen = review.edit(who, key, made, seen=seen, seconds=1).seen
        seen = review.comment(who, key, f"{marker} comment", seen=seen, seconds=1).seen
        review.finish(
            who,
            key,
            rest=RejectionReason.SLIP,
            leave=["comments", "questions"],
            seen=seen,
            seconds=1,
        )


def build(folder: Path) -> None:
    """The study without accounts; practice is in another one, as it hides all other samples."""
    with workspaces.create(folder) as space:
        (folder / "labels.yaml").write_text(LABELS, "utf-8")
        study = Study(space, {name: space.person(name) for name in NAMES})
        # First, because the owner of a workspace without accounts sees it where undo leads to it.
        _add_hidden_machine(study)
        _add_states(study)
        _add_second_readings(study)
        _add_gold(study)


def _add_states(study: Study) -> None:
    people = study.people
    for review in ("open", "settled"):
        keys = fill(study.space.corpus, *(f"{state}-{review}" for state in STATES))
        for state, key in zip(STATES, keys, strict=True):
            study.says(people["ben"], key, f"secret-other-{key.id}")
            study.says(people["li"], key, f"secret-other-{key.id}")
            study.says(people["ana"], key, f"own-{key.id}", state=state)
            study.space.team.comments.write(people["ben"].id, key, f"secret-question-{key.id}")
            if review == "settled":
                study.adjudicate(key, f"secret-answer-{state}")


def _add_second_readings(study: Study) -> None:
    space, ana = study.space, study.people["ana"]
    names = ("waiting", "unread", "half", "reopened", "returned", "undone", "done")
    keys = dict(zip(names, fill(space.corpus, *names, dataset="again"), strict=True))
    for name, key in keys.items():
        state = "reopened" if name == "reopened" else "done"
        study.says(ana, key, f"secret-first-{name}", state=state)
        if name == "undone":
            space.annotate.undo(ana.id)
        study.says(study.people["ben"], key, f"secret-other-{name}")
        study.says(study.people["li"], key, f"secret-other-{name}")
        thread = space.team.comments.write(ana.id, key, f"secret-first-{name} question")
        space.team.comments.reply(thread.id, f"secret-first-{name} reply")
        space.people.keep_place(ana.id, key, {"note": f"secret-first-{name} draft"})
        study.adjudicate(key, f"secret-answer-{name}")
    # A second reading of an adjudicated sample is locked, unless the dataset allows later edits.
    space.corpus.allow_edits_after_adjudication("again", allowed=True)
    space.team.assignments.give("again", ["ana"], OPTIONS)
    repeated = AssignmentOptions(str(len(names)), order=AssignmentOrder.INGESTED)
    space.team.assignments.repeat("again", ["ana"], repeated)
    with space.team.database.writing() as connection:
        connection.exec_driver_sql(
            "DELETE FROM allotments WHERE person LIKE '%~2' AND sample_id ="
            " (SELECT id FROM samples WHERE external = 'waiting')"
        )
    second = second_reader(ana)
    space.annotate.add(second.id, keys["half"], claim("again-half", 16, 33), seconds=1)
    study.says(second, keys["done"], "own-done")
    space.corpus.allow_edits_after_adjudication("again", allowed=False)
    space.team.review.reopen_work(
        study.people["rea"].id, keys["returned"], reason="again", person=ana.id
    )
    space.corpus.allow_edits_after_adjudication("again", allowed=True)


def _add_gold(study: Study) -> None:
    keys = fill(study.space.corpus, "g1", "g2", "g3", "g4", dataset="gold")
    for key in keys[:2]:
        study.says(study.people["ben"], key, f"secret-gold-{key.id}")
        study.says(study.people["li"], key, f"secret-gold-{key.id}")
    study.adjudicate(keys[0], "secret-gold-adjudicated")
    rule = Gold((), person=study.people["ben"].id, every=2)
    study.space.team.assignments.gold("gold", rule)
    study.space.team.assignments.give("gold", ["ana"], OPTIONS)
    for key in keys[:1]:
        study.says(study.people["ana"], key, "own-gold")


def build_checks(folder: Path) -> None:
    """Six samples, two of them gold, adjudicated before; ana did one of each kind alike.

    The dataset is not named after what is in it, so that the word gold occurs nowhere else.
    """
    with workspaces.create(folder) as space:
        (folder / "labels.yaml").write_text(LABELS, "utf-8")
        study = Study(space, {name: space.person(name) for name in NAMES})
        keys = fill(space.corpus, *"abcdef", dataset="news")
        for key in keys[:2]:
            study.says(study.people["ben"], key, "known")
            study.adjudicate(key, "known")
        rule = Gold((), person=study.people["ben"].id, every=2)
        space.team.assignments.gold("news", rule)
        space.team.assignments.give("news", ["ana"], OPTIONS)
        for key in (keys[0], keys[2]):
            study.says(study.people["ana"], key, "own")


def _add_hidden_machine(study: Study) -> None:
    """A detector's values came as metadata, and its suggestions in a file; both are hidden."""
    space, key = study.space, SampleKey("hidden", "h1")
    made = sample(key.id, dataset=key.dataset, summary="Only here.")
    meta = {"detector": "secret-detector-column", "score": 0.25, "topic_id": "7"}
    space.corpus.add([new(replace(made, meta=meta))], segmenter=SEGMENTER)
    run = ScoreRun(id="hidden-run", kind=RunKind.SUGGEST, maker="detector", dataset=key.dataset)
    claim_of_it = (Anchor(Side.SUMMARY, 0, Span(0, 4)),)
    suggestion = Suggestion(
        id="", maker="detector", run="", claim=claim_of_it, note="secret-detector-reason"
    )
    space.machines.suggestions.add(run, [(key, suggestion)])
    space.machines.blind_datasets.hide(key.dataset)
    space.annotate.add(study.people["ana"].id, key, claim("own-h1", 0, 4), seconds=1)
    space.annotate.finish(study.people["ana"].id, key, seconds=1)


def build_practice(folder: Path) -> None:
    """A practice dataset with one sample in each state; its answers are known by ben's work."""
    with workspaces.create(folder) as space:
        (folder / "labels.yaml").write_text(LABELS, "utf-8")
        study = Study(space, {name: space.person(name) for name in NAMES})
        keys = fill(space.corpus, *STATES, dataset="practice")
        for key in keys:
            study.says(study.people["ben"], key, f"secret-practice-{key.id}")
        space.team.assignments.practice("practice", ["ana"], gold="ben")
        for key in keys:
            study.says(study.people["ana"], key, f"own-{key.id}", state=key.id)


PRACTICE_VISIBLE: Final = {"secret-practice-done": "the answer is feedback on completed practice"}


def restore(store: Path, kept: Path) -> None:
    """Write the contents of the database `kept` into `store`, while the workspace is open."""
    with closing(sqlite3.connect(kept)) as source, closing(sqlite3.connect(store)) as target:
        source.backup(target)
