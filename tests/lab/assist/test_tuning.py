"""Weights of a workspace: fitted to accepted evidence, refused without a gain, stored, undone."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tui_annotate
from tests.helpers.tuning_queries import DIRECTIONS, draw_queries, write_dump
from tui_annotate import workspace as workspaces
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assist_snapshot import AssistSnapshot
from tui_annotate.domain.errors import Conflict, Damaged, NotAllowed, NotReady
from tui_annotate.domain.people import Actor, Role
from tui_annotate.domain.progress import TaskProgress
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.lab.assist import tuning
from tui_annotate.lab.assist.evaluation import EvidenceChoice, evaluate
from tui_annotate.lab.assist.tuning import (
    LEAST_QUERIES,
    LEAST_SOURCES,
    TuningService,
)
from tui_annotate.methods.matching import BUILT_IN, VECTORS, WORDS, Calibration
from tui_annotate.methods.tuning import TuningQuery, assign_folds
from tui_annotate.services.assist.sample import SampleAssist
from tui_annotate.services.assist.weights import stored_weights, weights_in_use
from tui_annotate.workspace import Workspace

BUILT = BUILT_IN[frozenset({WORDS, VECTORS})]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with enough evidence, and the file that it was imported from."""
    folder = tmp_path_factory.mktemp("tuning")
    dump = write_dump(folder / "dump.json", sources=12)
    with tui_annotate.create(folder / "w") as made:
        assert made.ingest(dump, embedder="none").added == 12
    return folder


@pytest.fixture
def space(made: Path) -> Iterator[Workspace]:
    """The workspace, with its built-in weights in use before and after the test."""
    with tui_annotate.open(made / "w") as opened:
        opened.corpus.set_setting("assist_weights", "[]")
        yield opened


def scores(space: Workspace, side: Side = Side.SUMMARY) -> list[float]:
    """The scores of the matches of the first claim, or of its evidence."""
    key = space.corpus.keys()[0]
    found = space.match(key, side=side, span=Span(0, 30), top=20)
    return [match.score for match in found.matches]


def run_drawn(
    monkeypatch: pytest.MonkeyPatch, space: Workspace, queries: list[TuningQuery]
) -> dict[str, Any]:
    """The report on drawn queries instead of those of the workspace."""
    monkeypatch.setattr(TuningService, "_read_queries", lambda *_: queries)
    found: dict[str, Any] = space.assist_tuning.run()
    return found


def test_tuning_drops_a_useless_signal(space: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where only words find the evidence, MRR on left-out sources rises beyond its interval."""
    true = Calibration({WORDS: 1.0, VECTORS: 0.0}, 30.0, -6.0)
    found = run_drawn(monkeypatch, space, draw_queries(true, sources=80, seed=1))
    assert found["improved"]
    assert found["worse"] == []
    assert all(each["weights"][VECTORS] < 0.12 for each in found["curves"])
    own = found["measures"]["both"]["mrr"]
    assert own["difference"] > 0
    assert own["excludes_zero"]


@pytest.mark.parametrize("seed", range(4))
def test_noise_is_no_gain(space: Workspace, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Where the built-in weights drew the evidence, nothing is stored unless it is forced."""
    true = replace(BUILT, offset=BUILT.offset - 0.1)
    found = run_drawn(monkeypatch, space, draw_queries(true, sources=15, seed=seed))
    assert not found["improved"]
    with pytest.raises(Conflict) as refused:
        space.assist_tuning.apply(found)
    assert refused.value.code == "no-gain"
    assert stored_weights(space.corpus) == []
    version = space.assist_tuning.apply(found, force=True)
    assert [each.version for each in stored_weights(space.corpus)] == [version]


def test_too_few_queries_are_refused_with_the_numbers(tmp_path: Path) -> None:
    """One source or one query too few is refused, with what is needed and what there is."""
    with tui_annotate.create(tmp_path / "w") as space:
        with pytest.raises(NotReady, match=f"{LEAST_QUERIES}.*{LEAST_SOURCES}"):
            space.assist_tuning.run()
        count = LEAST_SOURCES - 1
        dump = write_dump(tmp_path / "dump.json", sources=count, claims=6)
        space.ingest(dump, embedder="none")
        with pytest.raises(NotReady, match=f"{6 * count} queries from {count} sources") as refused:
            space.assist_tuning.run()
        assert refused.value.exit_code == 1


def test_the_seed_alone_decides(space: Workspace) -> None:
    """The same seed gives the same report, to the last digit; another seed gives other folds."""
    first, again, other = (space.assist_tuning.run(seed=seed) for seed in (3, 3, 4))
    assert first == again
    assert first["curves"] == other["curves"] or first["measures"] != other["measures"]
    assert first["measures"] != other["measures"]
    assert json.loads(json.dumps(first)) == first


def test_queries_are_those_of_evaluate(space: Workspace, made: Path) -> None:
    """Number of queries and built-in measures are the same as in an evaluation of the export."""
    found = space.assist_tuning.run()["measures"]
    measured = evaluate([made / "dump.json"], embedder="none")
    for direction in DIRECTIONS:
        assert found[direction]["sources"] == measured["sources"][direction] == 12
        assert found[direction]["old"] == pytest.approx(
            measured[direction] | {"brier": found[direction]["old"]["brier"]}
        )


def test_stored_weights_rank_until_they_are_undone(space: Workspace, made: Path) -> None:
    """They change the scores of matches and evaluations, and name who stored them and when."""
    before = scores(space)
    steps: list[TaskProgress] = []
    found = space.assist_tuning.run(progress=steps.append)
    assert steps[-1].share == 1
    assert scores(space) == before  # nothing is stored yet
    admin = space.acting(Actor("root", Role.ADMIN))
    version = admin.assist_tuning.apply(found)
    (stored,) = stored_weights(space.corpus)
    assert (stored.version, stored.by, stored.embedder) == (version, "root", "none")
    assert stored.at
    after = scores(space)
    assert after != before
    assert after[0] > before[0]
    stored_now = stored_weights(space.corpus)
    measured = evaluate([made / "dump.json"], embedder="none", weights=stored_now)
    assert measured["weights"] == version
    assert evaluate([made / "dump.json"], embedder="none")["weights"] == ""
    assert space.assist_tuning.undo() == version
    assert scores(space) == before
    assert [each.version for each in stored_weights(space.corpus)] == [version, ""]
    with pytest.raises(Conflict):
        space.assist_tuning.undo()


@pytest.mark.parametrize("selected", Side)
def test_weights_belong_to_a_direction(space: Workspace, selected: Side) -> None:
    """Weights of one direction rank only the selections of that direction."""
    before = {side: scores(space, side) for side in Side}
    found = space.assist_tuning.run()
    (own,) = [each for each in found["curves"] if each["direction"].startswith(selected)]
    space.assist_tuning.apply({**found, "curves": [own]})
    assert scores(space, selected) != before[selected]
    assert scores(space, selected.other) == before[selected.other]


def test_a_prepared_sample_takes_up_new_weights(space: Workspace) -> None:
    """Word counts are reused, but the weights are those in use when the sample is opened."""
    stored = space.corpus.sample(space.corpus.keys()[0])
    words = space.assist.prepare(stored.sample, stored.segments, vectors=False)
    version = space.assist_tuning.apply(space.assist_tuning.run())
    ready = space.assist.prepare(stored.sample, stored.segments, vectors=False, words=words)
    assert (words.weights, ready.weights) == ("", version)
    space.assist_tuning.undo()
    undone = space.assist.prepare(stored.sample, stored.segments, vectors=False, words=ready)
    anchor = Anchor(Side.SUMMARY, 0, Span(0, 30))
    assert undone.match(anchor) == words.match(anchor) != ready.match(anchor)


def test_weights_of_another_embedder_do_not_rank(space: Workspace) -> None:
    """Weights belong to the embedder for which they were fitted."""
    found = space.assist_tuning.run()
    space.assist_tuning.apply({**found, "embedder": "other 1"})
    assert weights_in_use(space.corpus).version == ""
    version = space.assist_tuning.apply(found)
    space.assist_tuning.apply({**found, "embedder": "other 2"})
    assert weights_in_use(space.corpus).version == version
    kept = json.loads(space.corpus.setting("assist_weights") or "")
    newer = [each | {"field of a newer version": 1} for each in kept]
    space.corpus.set_setting("assist_weights", json.dumps(newer))
    assert weights_in_use(space.corpus).version == version


def test_fields_of_a_newer_version_stay(space: Workspace) -> None:
    """Weights that are added do not change the entries that are stored already."""
    newer = [{"embedder": "none", "later": 1}, {"curves": []}]
    space.corpus.set_setting("assist_weights", json.dumps(newer))
    version = space.assist_tuning.apply(space.assist_tuning.run())
    assert json.loads(space.corpus.setting("assist_weights") or "")[:-1] == newer
    assert weights_in_use(space.corpus).version == version


@pytest.mark.parametrize(
    "curve",
    [
        {"direction": "summary_to_request"},
        {"weights": {"signal of a newer version": 1.0}},
        {"weights": None},
    ],
)
def test_unknown_curves_rank_nothing(space: Workspace, curve: dict[str, Any]) -> None:
    """An unknown direction, combination of signals or value leaves the built-in curves in use."""
    before = {side: scores(space, side) for side in Side}
    known = {"direction": DIRECTIONS[0], "weights": {WORDS: 1.0}, "slope": 3.0, "offset": -1}
    for own, changed in ((known, True), (known | curve, False)):
        entry = [{"embedder": "none", "curves": [own]}]
        space.corpus.set_setting("assist_weights", json.dumps(entry))
        assert weights_in_use(space.corpus).version
        assert ({side: scores(space, side) for side in Side} != before) is changed


@pytest.mark.parametrize("stored", ["[", "{}", "3", "[1]", '[{"curves": 3}]'])
def test_damaged_weights_can_be_removed(space: Workspace, stored: str) -> None:
    """Ranking and fitting raise an error with a hint, and an undo removes the weights."""
    before = scores(space)
    space.corpus.set_setting("assist_weights", stored)
    with pytest.raises(Damaged) as refused:
        scores(space)
    assert "lab assist tune --undo" in refused.value.hint
    with pytest.raises(Damaged):
        space.assist_tuning.run()
    assert space.assist_tuning.undo() == ""
    assert scores(space) == before


def test_weights_stored_at_once_are_all_kept(
    space: Workspace, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From before the stored weights are read, no other process can write until all are stored."""
    space.assist_tuning.apply(space.assist_tuning.run())
    found = space.assist_tuning.run(seed=1)

    def dump(value: object) -> str:
        other = sqlite3.connect(made / "w" / "store.sqlite", timeout=0)
        with closing(other), pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")
        return json.dumps(value)

    monkeypatch.setattr(tuning, "json", SimpleNamespace(dumps=dump))
    space.assist_tuning.apply(found)
    assert len(stored_weights(space.corpus)) == 2


def test_a_backup_keeps_the_weights(space: Workspace, tmp_path: Path) -> None:
    """A workspace that is restored from a backup ranks as the original."""
    version = space.assist_tuning.apply(space.assist_tuning.run())
    space.team.backup.run(tmp_path / "copy")
    workspaces.restore(tmp_path / "copy", to=tmp_path / "restored")
    with tui_annotate.open(tmp_path / "restored") as restored:
        assert weights_in_use(restored.corpus).version == version
        assert scores(restored) == scores(space)


@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.REVIEWER])
def test_only_admins_tune(space: Workspace, role: Role) -> None:
    """Weights are fitted to the evidence of all people, and rank for all people."""
    with pytest.raises(NotAllowed):
        _ = space.acting(Actor("a1", role)).assist_tuning


def test_evidence_of_machines_does_not_count() -> None:
    """Annotations that people made, accepted, adjudicated or imported count."""
    origins = ("human", "adjudicated", "imported:mercury", "machine:m", "rejected")
    claim = (Anchor(Side.SUMMARY, 0, Span(0, 1)),)
    work = tuple(OwnedAnnotation("a", Annotation(each, claim, origin=each)) for each in origins)
    texts = (Document(Side.SOURCE, "A."), Document(Side.SUMMARY, "B."))
    kept = tuning._keep_people(Record(Sample("d", "1", texts), work))
    assert tuple(each.annotation.origin for each in kept.annotations) == origins[:3]


def test_no_fold_learns_from_a_text_of_another(
    space: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The unrelated text of a query is another source of the same fold."""
    search = tuning._search
    read: list[tuple[str, str | None]] = []

    def spy(ready: SampleAssist, other: SampleAssist | None, choice: EvidenceChoice) -> Any:
        unrelated = other.sample.documents[0].sha256 if other else None
        read.append((ready.sample.documents[0].sha256, unrelated))
        return search(ready, other, choice)

    monkeypatch.setattr(tuning, "_search", spy)
    space.assist_tuning.run(seed=2)
    folds = assign_folds({own for own, _ in read}, 2)
    assert len(folds) == 12
    found = [(own, other) for own, other in read if other]
    assert {each for pair in found for each in pair} == folds.keys()
    assert all(own != other and folds[own] == folds[other] for own, other in found)


def test_a_saved_annotation_names_the_weights(tmp_path: Path) -> None:
    """The assist snapshot of an annotation and the report on it name the version of the weights."""
    dump = write_dump(tmp_path / "dump.json", sources=1)
    with tui_annotate.create(tmp_path / "w") as space:
        space.ingest(dump, embedder="none")
        (key,) = space.corpus.keys()
        person = space.person("ana").id
        evidence = Anchor(Side.SOURCE, 0, Span(0, 10))
        own = Annotation("a-1", (Anchor(Side.SUMMARY, 0, Span(0, 10)),), (evidence,))
        space.annotate.add(person, key, own, seconds=1, offer=AssistSnapshot(weights="123abc"))
        traces = [owned.annotation.trace for _, owned in space.annotations(person="ana")]
        assert [trace and trace.weights for trace in traces] == ["123abc"]
        names = [row["name"] for row in space.assist_report()["by_ranking"]]
        assert any("123abc" in name for name in names)
