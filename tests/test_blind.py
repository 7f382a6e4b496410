"""To an annotator, the work of others is not there: whatever is called, and by whatever name.

The methods are found by looking at what a workspace gives, so that a new one can not be forgotten:
where a parameter has a name that is not known here, the test says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pytest

from tests.helpers.public_methods import (
    calls,
    outcome,
    plain_values,
    public_methods,
    unknown_parameters,
)
from tests.helpers.stores import LABELS, claim, fill
from tests.helpers.suggestions import suggest
from tui_annotate import workspace as workspaces
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Actor, Person, Role
from tui_annotate.domain.records import OwnedAnnotation, Record, RecordFilter
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.services.authentication.account_management import NewAccount
from tui_annotate.storage.labels.store import GuidanceKind
from tui_annotate.workspace import Workspace

SENTINEL: Final = "s3nt1nel"

DUMP: Final = [
    {
        "sample_id": 0,
        "source": "The bridge opened in 1932.",
        "summary": "The bridge cost 15 million.",
        "annotations": [
            {
                "annot_id": f"{SENTINEL}-1",
                "annotator": "b0b0",
                "annotator_name": "bo",
                "label": [f"{SENTINEL}-label"],
                "note": f"{SENTINEL} of a dump",
                "summary_start": 0,
                "summary_end": 10,
            }
        ],
    }
]


@dataclass(frozen=True)
class Scene:
    """A workspace in which ben left a word wherever words can be left, and ana did her own.

    Attributes:
        mine: the workspace as ana may use it.
        all_of_it: the same as the owner of its files does.
    """

    mine: Workspace
    all_of_it: Workspace
    ana: Person
    ben: Person
    key: SampleKey
    folder: Path

    @property
    def work(self) -> str:
        """All that ben did, as text."""
        space, ben = self.all_of_it, self.ben.id
        streams = [space.log.events(person, key) for person, key in space.log.streams()]
        others = [event for events in streams for event in events if event.person != self.ana.id]
        return repr((others, space.people.preferences(ben), space.people.place(ben, self.key)))


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    """The workspace."""
    folder = tmp_path / "w"
    dump = tmp_path / "m.json"
    dump.write_text(json.dumps(DUMP), "utf-8")
    with workspaces.create(folder) as space:
        (folder / "labels.yaml").write_text(LABELS, "utf-8")
        one, _ = fill(space.corpus, "1", "2")
        assert space.ingest(dump, embedder="none").added == 1
        for name, role in (("root", Role.ADMIN), ("ana", None), ("ben", None)):
            email = f"{name}@example.org"
            space.team.accounts.add(NewAccount(name, email, role, password="lamps over water"))
        ben, ana = (space.team.accounts.find(name).person for name in ("ben", "ana"))
        report = suggest(space.team.database, one, one, spans=((0, 3), (4, 9)))
        _work(space.acting(Actor(ben.id, Role.ANNOTATOR)), ben, one)
        _answer(space.acting(Actor(ben.id, Role.ANNOTATOR)), ben, report)
        sample = space.corpus.sample(one).sample
        foreign = replace(claim("b-imported", label=f"{SENTINEL}-label"), origin="imported:x")
        space.log.import_records([Record(sample, (OwnedAnnotation(ben.id, foreign),), (), (ben,))])
        mine = space.acting(Actor(ana.id, Role.ANNOTATOR))
        mine.annotate.add(ana.id, one, claim("a-1"), seconds=1)
        yield Scene(mine, space, ana, ben, one, tmp_path)


def _work(space: Workspace, ben: Person, key: SampleKey) -> None:
    space.annotate.add(ben.id, key, claim("b-1", note=f"{SENTINEL} note"), seconds=1)
    space.annotate.flag(ben.id, key, reason=f"{SENTINEL} reason", seconds=1)
    space.annotate.people.keep_place(ben.id, key, {"where": SENTINEL})
    space.annotate.people.keep_preference(ben.id, "theme", SENTINEL)
    space.team.comments.write(ben.id, key, f"{SENTINEL} remark")


def _answer(space: Workspace, ben: Person, told: list[Suggestion]) -> None:
    """One suggestion is refused, with words, the other taken with a note."""
    key = SampleKey("d", "1")
    space.annotate.refuse(ben.id, key, told[0].id, reason=f"{SENTINEL} refusal", seconds=1)
    own = replace(claim("b-2", 4, 9), note=f"{SENTINEL} taken")
    space.annotate.accept(ben.id, key, told[1].id, changed=own, seconds=1)


def _given(scene: Scene) -> Mapping[str, list[Any]]:
    """What to give for a parameter of some name; what is ben's wherever it can be."""
    space, ben, key = scene.all_of_it, scene.ben, scene.key
    stored = space.corpus.sample(key)
    event = space.log.events(ben.id, key)[0]
    talk = next(iter(space.team.comments.list_threads())).remarks[0].id
    return plain_values(stored.sample) | {
        "person": [ben.id, scene.ana.id],
        "person_id": [ben.id],
        "reviewer": [ben.id, scene.ana.id],
        "admin": [ben.id, scene.ana.id],
        "people": [{ben.id: ben}],
        "to": [[ben.id]],
        "who": [ben.id],
        "key": [key],
        "keys": [[key]],
        "damaged": [[key]],
        "filters": [RecordFilter(), RecordFilter(person=ben.id), RecordFilter(state="flagged")],
        "event": [event],
        "stream": [space.log.stream(ben.id, key)],
        "says": [{key: 0.5}],
        "segments": [stored.segments],
        "name": [event.id, ben.name],
        "talk": [talk],
        "comments": [
            [reply for talk in space.team.comments.list_threads() for reply in talk.remarks]
        ],
        "replies": [True, False],
        "start": [talk],
        "version": [space.guidance.version(GuidanceKind.LABELS), 1],
        "target": [scene.folder / "out"],
        "problem": [str],
        "suggestion_id": [
            each.suggestion.id for each in space.annotate.store.suggested(ben.id, key)
        ],
    }


def test_no_method_gives_an_annotator_what_others_did(scene: Scene) -> None:
    """Nor changes it: of all public methods that can be reached, with another's name and one's own.

    What the owner of the files is given by the same methods holds it, or this would show nothing.
    """
    given = _given(scene)
    before = scene.work
    leaks, harm, unknown = [], [], []
    for path, method in public_methods(scene.mine, "workspace", set()):
        unknown += unknown_parameters(method, given)
        report = [outcome(call, given) for call in calls(method, given)]
        leaks += [path] * any(SENTINEL in words for words in report)
        if scene.work != before:
            harm.append(path)
            before = scene.work
    assert (leaks, harm, unknown) == ([], [], [])
    written = [file.read_bytes() for file in scene.folder.glob("out*") if file.is_file()]
    assert not any(SENTINEL.encode() in content for content in written)


def test_the_owner_of_the_files_sees_all(scene: Scene) -> None:
    """By the same ways, or the silence towards an annotator would show nothing."""
    given = _given(scene)
    ends = [
        "records",
        "annotations",
        "open",
        "preferences",
        "events",
        "stream",
        "own_claims",
        "labels_in_use",
    ]
    ends += ["standing", "reading", "nearest", "list_threads", "suggested", "list_suggestions"]
    found = {
        path.rpartition(".")[2]
        for path, method in public_methods(scene.all_of_it, "workspace", set())
        if path.rpartition(".")[2] in ends
        if any(SENTINEL in outcome(call, given) for call in calls(method, given))
    }
    assert set(ends) - found == set()


def test_who_else_is_there_is_no_annotators_to_know(scene: Scene) -> None:
    """Others are asked for by name in vain, in the words for a name that nobody has."""
    refusals = set()
    for name in ("ben", scene.ben.id, "nobody"):
        with pytest.raises(InvalidInput) as caught:
            scene.mine.export(person=name)
        assert repr(name) in caught.value.message
        refusals.add((caught.value.message.replace(repr(name), ""), caught.value.hint))
    assert len(refusals) == 1
    ((_, hint),) = refusals
    assert "ana" in hint
    assert "ben" not in hint
    assert scene.mine.export(person="ana").annotations == 1
    assert scene.all_of_it.export(person="ben").annotations == 3
