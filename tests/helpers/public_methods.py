"""Calls every public method that can be reached from a workspace, with values for its parameters.

Methods are found by looking at objects, so that a new one can not be forgotten: `unknown` names the
parameters for which no value is known here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from itertools import islice, product
from typing import Any, Final

from tests.helpers.stores import claim
from tui_annotate.domain.adjudication_history import LaterWork
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Sample, SampleKey, SampleKind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.services.authentication import AuthenticationService
from tui_annotate.services.authentication.hashing import Argon2Hasher
from tui_annotate.services.suggestions import ScoreThreshold
from tui_annotate.storage.labels.store import GuidanceKind
from tui_annotate.storage.people.accounts import AccountStore
from tui_annotate.storage.people.sessions import SessionStore
from tui_annotate.storage.sqlite_database import SqliteDatabase
from tui_annotate.storage.vectors.store import VectorStore
from tui_annotate.workspace import Workspace

CLOSED: Final = (
    Argon2Hasher,
    AuthenticationService,  # signing in, which comes before there is anybody to be blind
    AccountStore,
    SessionStore,
    VectorStore,  # what texts mean, and nothing that anybody did
    SqliteDatabase,  # the file itself, which whoever can open it has anyhow
)
LEFT_OUT: Final = {
    "acting": "another actor has another workspace",
    "close": "ends all of it",
    "keep": "the name of somebody who signed in; no work",
}


def plain_values(sample: Sample) -> dict[str, list[Any]]:
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
        "lengths": {}, "checks": [], "path": ("Fine",), "paths": [], "session": [], "folder": "w",
        "where": "x",
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
        "part": "note", "later": LaterWork(since=1), "allowed": True, "recorded": {},
        "change": lambda _: "x", "url": "http://x", "with_key": False, "variable": "x",
    }  # fmt: skip
    return {name: [value] for name, value in plain.items()}


def public_methods(
    value: Any, path: str, seen: set[int]
) -> Iterator[tuple[str, Callable[..., Any]]]:
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
            yield from public_methods(found, f"{path}.{name}", seen)


def unknown_parameters(method: Callable[..., Any], given: Mapping[str, list[Any]]) -> list[str]:
    """The parameters that must be given and are not known here: add them to `_given`."""
    return [
        f"{method.__qualname__}({name})"
        for name, parameter in inspect.signature(method).parameters.items()
        if parameter.default is parameter.empty and name not in {*given, "args", "kwargs"}
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]


def calls(method: Callable[..., Any], given: Mapping[str, list[Any]]) -> Iterator[Any]:
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
                outcome(call, given)
                for _, method in public_methods(inside, "", set())
                for call in calls(method, given)
            )
    if isinstance(result, Iterator):
        return repr(list(islice(result, 1000)))
    return repr(result)


def outcome(call: Callable[[], Any], given: Mapping[str, list[Any]]) -> str:
    """What comes of a call: its result, or the words of its refusal."""
    try:
        return _shown(call(), given)
    except TuiAnnotateError as error:
        return f"{error.message} {error.hint}"
    except (TypeError, AttributeError, ValueError, KeyError, StopIteration):
        return ""  # something was given that it can not use; it gave nothing
