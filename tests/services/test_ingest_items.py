"""Collections into a workspace: names stay what they were, and texts that are shared are one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.plugins.formats.test_autojudge import POOLS, TOPICS, UNDER, lines, report
from tui_annotate import workspace as workspaces
from tui_annotate.domain.samples import SampleKey
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.services.ingest import IngestFiles, IngestReport
from tui_annotate.workspace import Workspace

ROOT = Path(__file__).parents[2]


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    """An empty workspace."""
    with workspaces.create(tmp_path / "w") as made:
        yield made


def taken(space: Workspace, folder: Path, *rows: Any, **how: Any) -> IngestReport:
    """What an ingest of some lines did."""
    runs, options = lines(folder / "runs.jsonl", *rows), _reading(folder)
    return space.ingest(runs, format="autojudge", options=options, **{"embedder": "none"} | how)


def _reading(folder: Path) -> ImportOptions:
    return ImportOptions(dataset="d", topics=lines(folder / "topics.jsonl", *TOPICS))


def ids(space: Workspace, first: str = "") -> list[str]:
    """The ids of what is stored, those that begin so."""
    return [sample.id for sample in space.samples() if sample.id.startswith(first)]


def test_a_team_that_comes_later_changes_no_name(space: Workspace, tmp_path: Path) -> None:
    """Who was there first keeps the run's plain name, also when all come again."""
    first = report("one", team="teamB")
    later = report("two", team="teamA")
    assert taken(space, tmp_path, first).added == 2
    assert taken(space, tmp_path, later).added == 2
    assert ids(space, "r") == ["r|1101|run1", "r|1101|teamA/run1"]
    again = taken(space, tmp_path, later, first)
    assert (again.added, again.known, again.refused) == (0, 4, 0)


def test_judgements_find_the_run_that_was_named_with_its_team(
    space: Workspace, tmp_path: Path
) -> None:
    """Lines of one team alone go to what is stored, not beside it."""
    taken(space, tmp_path, report("one", team="teamB"), report("two", team="teamA"))
    alice = space.people.local("alice").id
    space.annotate.rate(alice, SampleKey("d", "c|1101|teamB/run1|0"), "Bad", seconds=1.0)
    target = tmp_path / "judged.jsonl"
    space.export(target, format="autojudge")
    target.write_text(target.read_text("utf-8").replace('"alice"', '"zoe"'), "utf-8")
    before = ids(space)
    done = space.ingest(target, embedder="none")
    assert (done.added, done.refused) == (0, 0)
    assert ids(space) == before
    (found,) = [one for one in space.records() if one.sample.id == "c|1101|teamB/run1|0"]
    assert sorted(work.rating for work in found.assignments) == ["Bad", "Bad"]


def _judged(file: Path, *said: tuple[str, str, str]) -> Path:
    """A file of lines: who rated a report how, with what comment; the rated have a span."""
    whole = {"team_id": "t", "run_id": "r", "topic_id": "1", "sentences": [{"text": "Crabs hide."}]}
    about = {"dataset": "d", "request_id": "1", "run_id": "r", "team_id": "t", "topic_id": "1"}
    span = {"start": 0, "end": 5, "text": "Crabs", "sentence_idx": 0}
    rows = [
        {**about, "username": who, "rating": rating, "comment": comment,
         "spans": [span] if rating != "Not rated" else [], "report": whole}
        for who, rating, comment in said
    ]  # fmt: skip
    return lines(file, *rows)


def test_newer_lines_of_a_person_stand(space: Workspace, tmp_path: Path) -> None:
    """Rating and comment as the last file has them; what changed is told, once."""
    key = SampleKey("d", "r|1|r")
    files = [
        _judged(tmp_path / "one.jsonl", ("alice", "Not rated", "")),
        _judged(tmp_path / "two.jsonl", ("alice", "Mostly Good", "fine")),
        _judged(tmp_path / "three.jsonl", ("alice", "Bad", "poor")),
    ]
    stood = []
    for file in (*files, files[-1]):
        done = space.ingest(file, embedder="none")
        work = space.log.stream("alice", key).assignment
        stood.append((work.rating, work.comment, done.warnings, len(done.notes)))
    assert stood == [
        ("", "", 0, 0),
        ("Mostly Good", "fine", 0, 0),
        ("Bad", "poor", 0, 1),
        ("Bad", "poor", 0, 0),
    ]
    assert len(space.log.events("alice", key)) == 3


def test_lines_against_work_that_was_done_here_are_doubts(space: Workspace, tmp_path: Path) -> None:
    """Told by file and line of that person; what was done here stands."""
    both = [("alice", "Bad", ""), ("ben", "Bad", "")]
    space.ingest(_judged(tmp_path / "one.jsonl", *both), embedder="none")
    key = SampleKey("d", "r|1|r")
    space.annotate.rate("ben", key, "Perfect", seconds=1.0)
    file = _judged(tmp_path / "two.jsonl", ("alice", "So-so", ""), ("ben", "So-so", ""))
    done = space.ingest(file, embedder="none")
    (doubt,) = done.problems
    assert f"{file}:2 (ben)" in doubt.where
    assert ("'Perfect'" in doubt.message, "'So-so'" in doubt.message) == (True, True)
    assert (done.warnings, done.refused, done.outcome) == (1, 0, "all")
    assert [space.log.stream(who, key).assignment.rating for who in ("alice", "ben")] == [
        "So-so",
        "Perfect",
    ]


def test_a_run_that_comes_later_has_its_documents_once_all_are_replaced(
    space: Workspace, tmp_path: Path
) -> None:
    """An ingest overwrites nothing and says so; `replace` gives documents all runs by now."""
    of: dict[str, Any] = {"documents": {"a": POOLS}}
    rows = [report(("x", ["a"]), run="run1", **of), report(("y", ["a"]), run="run2", **of)]
    assert not taken(space, tmp_path, rows[0]).notes
    ana = space.people.local("ana").id
    space.annotate.rate(ana, SampleKey("d", "d|1101|a"), "Bad", seconds=1.0)
    later = taken(space, tmp_path, rows[1])
    assert (later.added, later.known, later.known_documents) == (2, 1, 1)
    assert any("datasets replace" in note for note in later.notes)
    assert not taken(space, tmp_path, *rows).notes
    files = IngestFiles([lines(tmp_path / "runs.jsonl", *rows)], "autojudge", _reading(tmp_path))
    space.ingest_service.replace(files, dataset="d", embedder="none")
    (found,) = [one for one in space.records() if one.sample.id == "d|1101|a"]
    assert found.sample.meta["runs"] == ["run1", "run2"]
    assert [work.rating for work in found.assignments] == ["Bad"]


def test_documents_that_reports_share_are_stored_once(space: Workspace, tmp_path: Path) -> None:
    """One text in reports, citations and by itself is one document, cut and embedded once."""
    documents = {"a": POOLS, "b": UNDER}
    rows = [
        report(("One.", ["a", "b"]), ("Two.", ["a"]), run=run, documents=documents)
        for run in ("run1", "run2", "run3")
    ]
    done = taken(space, tmp_path, *rows, embedder="static")
    texts = Counter(document.text for sample in space.samples() for document in sample.documents)
    assert done.documents == done.embedded == len(texts) == space.status().documents == 5
    assert texts["Crabs hide under rocks."] == 3 + 3 + 1


def test_progress_is_of_what_was_stored(space: Workspace, tmp_path: Path) -> None:
    """Though all is read before the first sample: shares grow, and end at the whole."""
    shares: list[float | None] = []
    rows = [report(*(f"{n} {m} " * 300 for m in range(20)), run=f"run{n}") for n in range(40)]
    taken(space, tmp_path, *rows, progress=lambda told: shares.append(told.share))
    found = [share for share in shares if share is not None]
    assert found == sorted(found)
    assert found[0] < 1.0 == found[-1]


def test_strict_stores_all_or_nothing(space: Workspace, tmp_path: Path) -> None:
    """A bad line refuses the whole collection, and is told by its line."""
    done = taken(space, tmp_path, report("one"), "{", strict=True)
    assert (done.strict, done.refused, ids(space)) == (True, 1, [])
    assert done.problems[0].where == f"{tmp_path / 'runs.jsonl'}:2"
    assert taken(space, tmp_path, report("one"), strict=True).added == 2


def test_the_sample_collection_comes_in_whole(space: Workspace) -> None:
    """As the page says: with its topics, and the documents that stand beside the runs."""
    folder = ROOT / "sample_data" / "autojudge"
    options = ImportOptions(
        dataset="demo", topics=folder / "topics.jsonl", documents=folder / "documents.jsonl"
    )
    done = space.ingest(folder / "runs", format="autojudge", options=options, embedder="none")
    assert (done.added, done.refused, done.warnings) == (77, 0, 0)
    kinds = Counter(sample.kind.value for sample in space.samples())
    assert kinds == {"report": 12, "document": 9, "citation": 56}
    texts = {one.id: one.documents[0].text for one in space.samples() if one.id[0] == "d"}
    pages = map(json.loads, (folder / "documents.jsonl").read_text("utf-8").splitlines())
    assert sorted(texts.values()) == sorted(f"{one['title']}\n\n{one['text']}" for one in pages)
