"""To an annotator, the work of others is not there: whatever is called, and by whatever name.

The methods are found by looking at what a workspace gives, so that a new one can not be forgotten:
where a parameter has a name that is not known here, the test says so.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import islice, product
from pathlib import Path
from typing import Any, Final

import pytest

from tests.helpers.stores import LABELS, claim, fill
from tests.helpers.suggestions import suggest
from tui_annotate import workspace as workspaces
from tui_annotate.domain.adjudication_history import LaterWork
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import InvalidInput, TuiAnnotateError
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.people import Actor, Person, Role
from tui_annotate.domain.records import OwnedAnnotation, Record, RecordFilter
from tui_annotate.domain.samples import Sample, SampleKey, SampleKind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.services.authentication import AuthenticationService
from tui_annotate.services.authentication.account_management import NewAccount
from tui_annotate.services.authentication.hashing import Argon2Hasher
from tui_annotate.services.suggestions import ScoreThreshold
from tui_annotate.storage.database import Database
from tui_annotate.storage.labels.store import GuidanceKind
from tui_annotate.storage.people.accounts import AccountStore
from tui_annotate.storage.people.sessions import SessionStore
from tui_annotate.storage.vectors.store import VectorStore
from tui_annotate.workspace import Workspace

SENTINEL: Final = "s3nt1nel"

CLOSED: Final = (
    Argon2Hasher,
    AuthenticationService,  # signing in, which comes before there is anybody to be blind
    AccountStore,
    SessionStore,
    VectorStore,  # what texts mean, and nothing that anybody did
    Database,  # the file itself, which whoever can open it has anyhow
)
LEFT_OUT: Final = {
    "acting": "another actor has another workspace",
    "close": "ends all of it",
    "keep": "the name of somebody who signed in; no work",
}
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
    return _values(stored.sample) | {
        "person": [ben.id, scene.ana.id],
        "person_id": [ben.id],
        "reviewer": [ben.id, scene.ana.id],
        "admin": [ben.id, scene.ana.id],
        "people": [{ben.id: ben}],
        "to": [[ben.id]],
        "who": [ben.id],
        "key": [key],
        "keys": [[key]],
        "filters": [RecordFilter(), RecordFilter(person=ben.id), RecordFilter(state="flagged")],
        "event": [event],
        "stream": [space.log.stream(ben.id, key)],
        "says": [{key: 0.5}],
        "segments": [stored.segments],
        "name": [event.id, ben.name],
        "talk": [talk],
        "start": [talk],
        "version": [space.guidance.version(GuidanceKind.LABELS), 1],
        "target": [scene.folder / "out"],
        "problem": [str],
        "later": [LaterWork(since=1)],
        "allowed": [True],
        "suggestion_id": [
            each.suggestion.id for each in space.annotate.store.suggested(ben.id, key)
        ],
    }


def _values(sample: Sample) -> dict[str, list[Any]]:
    """The parameters that are nobody's."""
    moment = "2026-01-01T00:00:00.000000+00:00"
    plain: dict[str, Any] = {
        "order": "by-source", "annotation_id": "b-1", "limit": 50, "seconds": 1.0, "step": 1,
        "text": "words", "reason": "words", "rating": "good", "value": "x", "format": "native",
        "exporter": "native", "dataset": "d", "kind": GuidanceKind.LABELS, "search": "",
        "place": {}, "states": (State.FLAGGED,), "after": None, "side": Side.SUMMARY,
        "span": Span(0, 3), "claim": claim("x").claim[0], "anchor": claim("x").claim[0],
        "sample": sample, "outside": SampleKey("d", "2"), "record": Record(sample),
        "records": [Record(sample)], "names": ["b-1", "a-1"], "plans": [], "wanted": [0],
        "annotation": claim("b-1"), "labels": lambda _="": None, "batch": [], "segmenter": "x",
        "hashes": [each.sha256 for each in sample.documents], "table": "none", "loose": True,
        "documents": [each.sha256 for each in sample.documents], "used": None, "vectors": {},
        "lengths": {}, "path": ("Fine",), "paths": [], "session": [], "folder": "w", "where": "x",
        "fingerprint": "x", "now": moment, "since": moment, "holder": "x", "seen": {},
        "candidates": [], "rest": None, "note": "", "code": "x", "new": None,
        "password": "lamps over the water",
        "email": "x@example.org", "accounts": [], "asked": None, "kept": None, "told": print,
        "token": "x", "wish": None, "number": 1, "score": "", "ids": (), "rule": None, "pool": None,
        "comment": None, "heads": {}, "log": None, "by": "x", "owner": "x", "key_line": "x",
        "run_id": "x", "maker": "judge:tiny", "scores": [], "suggestions": [], "found": [],
        "runner": None, "options": None, "backend": "own", "embedder": "none", "reply": "x",
        "about": {}, "columns": [], "judge": None, "threshold": ScoreThreshold(below=0.5),
        "before": "x", "label": None, "other": LabelTree((), "x"), "topic": "1", "run": "run1",
        "change": lambda _: "x", "url": "http://x", "with_key": False, "variable": "x",
    }  # fmt: skip
    return {name: [value] for name, value in plain.items()}


def _doors(value: Any, path: str, seen: set[int]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every public method that can be reached from an object of ours, once."""
    if id(value) in seen or not type(value).__module__.startswith("tui_annotate."):
        return
    seen.add(id(value))
    if isinstance(value, CLOSED):
        return
    for name in sorted(set(dir(value)) - LEFT_OUT.keys()):
        if name.startswith("_"):
            continue
        try:
            found = getattr(value, name)
        except TuiAnnotateError:
            continue  # the door itself is shut
        if inspect.ismethod(found):
            yield f"{path}.{name}", found
        else:
            yield from _doors(found, f"{path}.{name}", seen)


def _unknown(method: Callable[..., Any], given: Mapping[str, list[Any]]) -> list[str]:
    """The parameters that must be given and are not known here: add them to `_given`."""
    return [
        f"{method.__qualname__}({name})"
        for name, parameter in inspect.signature(method).parameters.items()
        if parameter.default is parameter.empty and name not in {*given, "args", "kwargs"}
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]


def _calls(method: Callable[..., Any], given: Mapping[str, list[Any]]) -> Iterator[Any]:
    """What a method gives, for each of the things that can be given to it."""
    chosen: dict[str, list[Any]] = {}
    for name, parameter in inspect.signature(method).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if name in given:
            chosen[name] = [_fitting(each, str(parameter.annotation)) for each in given[name]]
    for values in product(*chosen.values()):
        yield lambda values=values: method(**dict(zip(chosen, values, strict=True)))


def _fitting(value: Any, kind: str) -> Any:
    """What is given, as a parameter of that kind takes it."""
    if kind == "Person":
        return Person(value, "x")
    if kind == "Kind":
        return SampleKind.CITATION
    if kind == "str" and isinstance(value, Sample):
        return value.id
    return value


def _shown(result: Any, given: Mapping[str, list[Any]]) -> str:
    """All that a result says, with what its own methods give where it is a transaction."""
    if isinstance(result, AbstractContextManager) and not isinstance(result, Workspace):
        with result as inside:
            return "".join(
                _outcome(call, given)
                for _, method in _doors(inside, "", set())
                for call in _calls(method, given)
            )
    if isinstance(result, Iterator):
        return repr(list(islice(result, 1000)))
    return repr(result)


def _outcome(call: Callable[[], Any], given: Mapping[str, list[Any]]) -> str:
    """What comes of a call: its result, or the words of its refusal."""
    try:
        return _shown(call(), given)
    except TuiAnnotateError as error:
        return f"{error.message} {error.hint}"
    except (TypeError, AttributeError, ValueError, KeyError, StopIteration):
        return ""  # something was given that it can not use; it gave nothing


def test_no_method_gives_an_annotator_what_others_did(scene: Scene) -> None:
    """Nor changes it: of all public methods that can be reached, with another's name and one's own.

    What the owner of the files is given by the same methods holds it, or this would show nothing.
    """
    given = _given(scene)
    before = scene.work
    leaks, harm, unknown = [], [], []
    for path, method in _doors(scene.mine, "workspace", set()):
        unknown += _unknown(method, given)
        report = [_outcome(call, given) for call in _calls(method, given)]
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
        for path, method in _doors(scene.all_of_it, "workspace", set())
        if path.rpartition(".")[2] in ends
        if any(SENTINEL in _outcome(call, given) for call in _calls(method, given))
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
