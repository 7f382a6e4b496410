"""A workspace: made, opened, used from Python, examined."""

from __future__ import annotations

import gc
import io
import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tui_annotate
from tests.helpers.stores import SEGMENTER, claim, fill, new
from tui_annotate import workspace as workspaces
from tui_annotate.domain.annotations import Anchor, LabelPath
from tui_annotate.domain.errors import (
    Conflict,
    InvalidInput,
    InvalidLabels,
    NotFound,
    Unavailable,
)
from tui_annotate.domain.samples import Document, Sample, SampleKey, SampleKind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.vector_sets import VectorSet
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.services.agreement import AgreementOptions
from tui_annotate.settings import remember_name
from tui_annotate.storage.labels.store import GuidanceKind
from tui_annotate.workspace import Workspace

ROOT = Path(__file__).parents[1]
PAIRS = [
    {"id": "b1", "source": "The bridge opened in 1932. It cost 12 million pounds.",
     "summary": "The bridge cost 15 million pounds."},
    {"id": "b2", "source": "The bridge opened in 1932. It cost 12 million pounds.",
     "summary": "It was loved."},
]  # fmt: skip


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    """A new workspace."""
    with tui_annotate.create(tmp_path / "work") as made:
        yield made


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """A file of two pairs with one source."""
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(pair) + "\n" for pair in PAIRS), "utf-8")
    return path


def test_a_new_workspace_has_all_its_parts_for_its_owner_alone(tmp_path: Path) -> None:
    """Whatever the umask says; and no part is missing."""
    old = os.umask(0)
    try:
        workspaces.create(str(tmp_path / "deep" / "work")).close()
    finally:
        os.umask(old)
    folder = tmp_path / "deep" / "work"
    names = {"tui-annotate.toml", "labels.yaml", "store.sqlite", "vectors", "log", "backups"}
    assert {path.name for path in folder.iterdir()} == names
    for path in (folder, *folder.iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)


def test_a_workspace_is_made_once(space: Workspace) -> None:
    """A second time is a conflict, and changes nothing."""
    with pytest.raises(Conflict):
        tui_annotate.create(space.path)


def test_what_is_in_the_folder_stays(tmp_path: Path) -> None:
    """Labels that are there are taken; a making that was killed is ended."""
    (tmp_path / "labels.yaml").write_text("- Mine")
    with tui_annotate.create(tmp_path) as made:
        assert [label.name for label in made.labels.walk()] == ["Mine"]
        fill(made.corpus, "1")
    (tmp_path / "tui-annotate.toml").unlink()
    with tui_annotate.create(tmp_path) as made:
        assert len(made.corpus.keys("d")) == 1


def test_a_folder_that_can_not_be_written_is_told(tmp_path: Path) -> None:
    """A file in its place."""
    (tmp_path / "file").touch()
    with pytest.raises(Unavailable):
        tui_annotate.create(tmp_path / "file" / "work")


def test_opening_finds_it_as_the_commands_do(
    space: Workspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """By path, by environment; settings by flags; what is none is told."""
    monkeypatch.setenv("TUI_ANNOTATE_WORKSPACE", str(space.path))
    with tui_annotate.open() as opened:
        assert opened.path == space.path
    with tui_annotate.open(space.path, order="ingested", language=None) as opened:
        assert opened.settings.order == "ingested"
    with pytest.raises(NotFound, match=r"tui\-annotate\.toml"):
        tui_annotate.open(tmp_path)
    (space.path / "store.sqlite").unlink()
    with pytest.raises(NotFound):
        tui_annotate.open(space.path)


def test_labels_of_the_file_become_versions_of_the_store(space: Workspace) -> None:
    """A changed file is taken up, a broken one is told, and a lost one is no loss."""
    first = space.labels
    file = space.path / "labels.yaml"
    assert file.read_text("utf-8") == workspaces.default_labels()
    file.write_text("- Only")
    assert [label.name for label in space.labels.walk()] == ["Only"]
    file.write_text("- Only\n- Only")
    with pytest.raises(InvalidLabels, match=r"labels\.yaml.*twice"):
        _ = space.annotate
    file.write_bytes(b"- \xff")
    with pytest.raises(InvalidLabels, match="UTF-8"):
        _ = space.annotate
    file.unlink()
    assert [label.name for label in space.labels.walk()] == ["Only"]
    assert space.guidance.text(GuidanceKind.LABELS, first.version) == workspaces.default_labels()
    file.mkdir()
    with pytest.raises(Unavailable):
        _ = space.annotate


def test_guidelines_are_taken_up_too(space: Workspace) -> None:
    """From guidelines.md, shown on every desk."""
    (key,) = fill(space.corpus, "1")
    (space.path / "guidelines.md").write_text("Read twice.")
    assert space.annotate.open(space.person("ana").id, key).guidelines == "Read twice."


def test_a_name_is_a_person(space: Workspace) -> None:
    """The same name is the same one; without a name it is whoever is remembered."""
    ana = space.person("ana")
    assert space.person().name == "reader"
    remember_name(space.path, "ana")
    assert space.person() == ana
    assert space.person("bo") != ana


def test_the_whole_job_from_python(space: Workspace, pairs: Path, tmp_path: Path) -> None:
    """Ingest, look, match, annotate, export, read again."""
    report = space.ingest(pairs, str(pairs), embedder="none")
    assert (report.added, report.known) == (2, 2)
    assert [each.id for each in space.samples(dataset="pairs")] == ["1", "2"]
    key = SampleKey("pairs", "1")
    found = space.match(key, side=Side.SUMMARY, span=Span(16, 33))
    assert found.text == "15 million pounds"
    assert found.sample.key == key
    assert found.matches[0].span.of(PAIRS[0]["source"]).strip() == "It cost 12 million pounds."
    assert "words" in found.signals
    ana = space.person("ana")
    space.annotate.add(ana.id, key, claim("a", label="Benign"), seconds=1)
    ((reported, owned),) = space.annotations(person="ana")
    assert (reported, owned.person, owned.annotation.id) == (key, ana.id, "a")
    target = tmp_path / "out.jsonl"
    assert space.export(target).annotations == 1
    stream = io.StringIO()
    space.export(stream, format="native", dataset="pairs")
    assert stream.getvalue() == target.read_text("utf-8")
    space.export(str(tmp_path / "out.csv"), format="csv", label="Benign")
    assert "15 million pounds" in (tmp_path / "out.csv").read_text("utf-8-sig")
    with tui_annotate.create(tmp_path / "copy") as copy:
        copy.ingest(target, embedder="none")
        (record,) = copy.records(sample="1")
        (original,) = space.records(sample="1")
        assert record.annotations == original.annotations


@pytest.mark.parametrize("options", [None, ImportOptions(dataset="d")])
def test_the_language_of_the_settings_applies_with_other_options(
    tmp_path: Path, pairs: Path, options: ImportOptions | None
) -> None:
    """An import without a language uses that of the settings, whatever else is chosen."""
    tui_annotate.create(tmp_path / "zh").close()
    with tui_annotate.open(tmp_path / "zh", language="zh") as space:
        space.ingest(pairs, embedder="none", options=options)
        languages = {
            document.language for sample in space.samples() for document in sample.documents
        }
        assert languages == {"zh"}


@pytest.mark.parametrize(
    ("name", "value", "suggested"),
    [
        ("dataset", "pears", "'pairs'"),
        ("sample", "pairs/b1", "'b1'"),
        ("sample", "b", "pairs/b1"),
        ("person", "anna", "'ana'"),
        ("label", "Benine", "'Benign'"),
        ("state", "dome", "'done'"),
        ("practice", "wit", "'with'"),
        ("gold", "wit", "'with'"),
        ("datset", "pairs", "'dataset'"),
        ("since", date(2026, 1, 31), "text"),
        ("label", ("Unwanted", "Intrinsic"), "'Unwanted.Intrinsic'"),
    ],
)
def test_a_wrong_filter_is_refused_at_the_call(
    space: Workspace, pairs: Path, name: str, value: Any, suggested: str
) -> None:
    """Every method with filters raises InvalidInput with a suggestion before it yields anything."""
    space.ingest(pairs, embedder="none", options=ImportOptions(id_column="id"))
    space.person("ana")
    calls = (space.samples, space.annotations, space.records, space.assist_report, space.export)
    for call in calls:
        filters: Any = {name: value}
        with pytest.raises(InvalidInput) as caught:
            call(**filters)
        assert suggested in caught.value.hint


@pytest.mark.parametrize(
    "call",
    [
        lambda space, who: space.annotate.clear(who, dataset="pears"),
        lambda space, who: space.annotate.next_incomplete(
            who, SampleKind.REPORT, None, dataset="pears"
        ),
        lambda space, who: space.annotate.items.topics(who, "pears", SampleKind.REPORT),
        lambda space, who: space.team.review.queue(who, dataset="pears"),
        lambda space, _: list(space.team.review.decisions(dataset="pears")),
        lambda space, _: space.team.assignments.show("pears"),
        lambda space, _: space.team.relabel.versions("pears"),
        lambda space, _: space.team.guidelines.versions("pears"),
        lambda space, _: space.team.agreement.report(AgreementOptions(dataset="pears")),
        lambda space, _: space.machines.scores.runs("pears"),
        lambda space, _: space.machines.suggestion_service.report(dataset="pears"),
        lambda space, _: list(space.machines.suggestion_service.list_suggestions(dataset="pears")),
    ],
)
def test_no_service_returns_nothing_for_an_unknown_dataset(
    space: Workspace, pairs: Path, call: Callable[[Workspace, str], object]
) -> None:
    """The error quotes the dataset, and the hint has the known name."""
    space.ingest(pairs, embedder="none")
    with pytest.raises((InvalidInput, NotFound), match="'pears'") as caught:
        call(space, space.person("ana").id)
    assert "'pairs'" in caught.value.hint


def test_a_filter_of_none_filters_nothing(space: Workspace) -> None:
    """A script can pass None for a filter that is not in use."""
    fill(space.corpus, "1")
    filters: Any = {"dataset": None}
    assert [each.id for each in space.samples(**filters)] == ["1"]


def test_a_wrong_setting_is_refused_with_a_suggestion(space: Workspace) -> None:
    """A misspelled setting of `open` is InvalidInput that names the nearest setting."""
    flags: Any = {"ordr": "ingested"}
    with pytest.raises(InvalidInput, match="'ordr'") as caught:
        tui_annotate.open(space.path, **flags)
    assert "'order'" in caught.value.hint


@pytest.mark.parametrize(
    ("labels", "stored"),
    [
        (("Unwanted.Intrinsic",), ("Unwanted", "Intrinsic")),
        (("Intrinsic",), ("Unwanted", "Intrinsic")),
        ("Benign", ("Benign",)),
        ((("Unwanted", "Intrinsic"),), ("Unwanted", "Intrinsic")),
    ],
)
def test_a_label_can_be_plain_text(space: Workspace, labels: Any, stored: LabelPath) -> None:
    """Text names a label by its path with dots or by its name; the stored label is a path."""
    (key,) = fill(space.corpus, "1")
    ana = space.person("ana").id
    saved = space.annotate.add(ana, key, replace(claim("a"), labels=labels), seconds=0)
    ((_, owned),) = space.annotations()
    assert owned.annotation.labels == (stored,)
    assert saved.annotation is not None
    edited = replace(saved.annotation, labels=space.labels.resolve(["Extrinsic"]))
    space.annotate.edit(ana, key, edited, seconds=0)
    ((_, owned),) = space.annotations(label="Unwanted.Extrinsic")
    assert owned.annotation.id == "a"


@pytest.mark.parametrize(
    ("labels", "named", "hint"),
    [
        (("Extrinsik",), "'Extrinsik'", "'Extrinsic'"),
        ("Nope", "'Nope'", "Benign"),
        (("Unwanted", "Intrinsic"), "('Unwanted', 'Intrinsic')", "(('Unwanted', 'Intrinsic'),)"),
    ],
)
def test_a_label_that_names_nothing_or_two_things_is_refused(
    space: Workspace, labels: Any, named: str, hint: str
) -> None:
    """The error quotes the label as given, and the hint has what to write instead."""
    (key,) = fill(space.corpus, "1")
    given = replace(claim("a"), labels=labels)
    with pytest.raises(InvalidInput) as caught:
        space.annotate.add(space.person("ana").id, key, given, seconds=0)
    assert named in caught.value.message
    assert hint in caught.value.hint
    assert not list(space.annotations())


def test_ids_that_do_not_fit_are_named(space: Workspace) -> None:
    """An annotation's id that other work has, and an unknown person, are a Conflict with a hint."""
    fill(space.corpus, "1", "2")
    one, two, ana = SampleKey("d", "1"), SampleKey("d", "2"), space.person("ana").id
    mark = replace(claim("same"), labels=(("Benign",),))
    space.annotate.add(ana, one, mark, seconds=0)
    with pytest.raises(Conflict, match="same id") as caught:
        space.annotate.add(ana, two, mark, seconds=0)
    assert "uuid4" in caught.value.hint
    with pytest.raises(Conflict, match="person") as caught:
        space.annotate.add("unknown", two, replace(mark, id="other"), seconds=0)
    assert "workspace.person" in caught.value.hint
    assert len(list(space.annotations())) == 1


def test_a_side_can_be_plain_text(space: Workspace) -> None:
    """An anchor with the side's value as text is stored as an anchor of that side."""
    (key,) = fill(space.corpus, "1")
    side: Any = "summary"
    given = replace(claim("a", label="Benign"), claim=(Anchor(side, 0, Span(0, 3)),))
    space.annotate.add(space.person("ana").id, key, given, seconds=0)
    ((_, owned),) = space.annotations()
    assert owned.annotation.claim == (Anchor(Side.SUMMARY, 0, Span(0, 3)),)


def test_a_document_is_named_where_there_are_several(space: Workspace) -> None:
    """A wrong name and a missing one are told with the names there are."""
    documents = (
        Document(Side.SOURCE, "It cost 12 million.", "a"),
        Document(Side.SOURCE, "It opened in 1932.", "b"),
        Document(Side.SUMMARY, "It cost 15 million."),
    )
    made = Sample("d", "1", documents)
    space.corpus.add([new(made)], segmenter=SEGMENTER)
    assert space.match(made.key, side=Side.SOURCE, span=Span(0, 2), document="b").text == "It"
    with pytest.raises(InvalidInput, match="2") as caught:
        space.match(made.key, side=Side.SOURCE, span=Span(0, 2))
    assert "'a', 'b'" in caught.value.hint
    with pytest.raises(NotFound, match="'c'"):
        space.match(made.key, side=Side.SOURCE, span=Span(0, 2), document="c")


# how it stands -----------------------------------------------------------------------------------


def test_status_tells_what_is_there(space: Workspace) -> None:
    """Samples, documents, segments, annotations, done; by dataset and by person."""
    key, _ = fill(space.corpus, "1", "2")
    ana = space.person("ana").id
    space.annotate.add(ana, key, claim("a", label="Benign"), seconds=1)
    space.annotate.finish(ana, key, seconds=1)
    status = space.status()
    assert (status.samples, status.documents, status.segments) == (2, 3, 6)
    assert (status.annotations, status.completed, status.embedder, status.embedded) == (1, 1, "", 0)
    assert [dataset.name for dataset in status.datasets] == ["d"]
    assert [(row.name, row.completed) for row in status.progress] == [("ana", 1)]


def findings(space: Workspace) -> dict[str, tuple[str, str]]:
    """What a check found: state and remedy by name."""
    return {found.check: (found.state, found.hint) for found in space.check()}


def test_a_sound_workspace_has_nothing_to_mend(space: Workspace, pairs: Path) -> None:
    """With vectors and without."""
    assert set(findings(space).values()) == {("ok", "")}
    pytest.importorskip("wordllama", reason="no static vectors on this platform")
    space.ingest(pairs)
    assert space.status().embedded == 3
    assert set(findings(space).values()) == {("ok", "")}


def test_what_is_wrong_is_told_with_the_line_that_mends_it(space: Workspace) -> None:
    """Labels that can not be read, and vectors that are gone, behind, or too few."""
    (space.path / "labels.yaml").write_text("- A: {")
    assert findings(space)["labels"][0] == "error"
    (space.path / "labels.yaml").write_text("- A")
    fill(space.corpus, "1")
    rebuild = ("warning", f"tui-annotate lab vectors rebuild -w {space.path}")
    used = vector_set(space, "e")
    assert findings(space)["vectors"] == rebuild
    waiting = space.corpus.unembedded(used.table, 10)
    rows = [
        (name, place, *segment, np.full(4, 0.5, np.float32))
        for name, _, segments in waiting
        for place, segment in enumerate(segments)
    ]
    space.vectors.add(used.table, rows)
    assert findings(space)["vectors"] == ("warning", f"{rebuild[1]} --embedder e")
    space.corpus.mark_embedded(used.table, [name for name, *_ in waiting])
    assert findings(space)["vectors"] == ("ok", "")
    space.corpus.forget_embedded(used.table)
    space.corpus.mark_embedded(
        used.table, [name for name, *_ in waiting], unknown=[name for name, *_ in waiting[1:]]
    )
    state, mend = findings(space)["vectors"]
    assert (state, mend.startswith(f"{rebuild[1]} --embedder neural:")) == ("warning", True)
    assert (space.status().embedded, space.status().lexical_only) == (
        len(waiting),
        len(waiting) - 1,
    )
    space.corpus.keep_vector_set(replace(used, token_dimensions=2))
    assert findings(space)["vectors"] == rebuild
    space.corpus.keep_vector_set(used)
    space.corpus.mark_embedded(used.table, ["0" * 64])
    assert findings(space)["vectors"] == rebuild
    shutil.rmtree(space.path / "vectors")
    assert findings(space)["vectors"] == rebuild


def vector_set(space: Workspace, embedder: str) -> VectorSet:
    """A set of vectors, in use."""
    table = space.vectors.table_name(embedder, "1", SEGMENTER)
    kept = VectorSet(
        embedder=embedder, label="l", version="1", segmenter=SEGMENTER, table=table, dimensions=4
    )
    space.corpus.keep_vector_set(kept)
    space.corpus.use_vector_set(kept.table)
    return kept


def test_vectors_that_are_not_in_use_are_told(space: Workspace) -> None:
    """They take room; that is no fault."""
    vector_set(space, "one")
    other = vector_set(space, "two")
    space.vectors.add(other.table, [("0" * 64, 0, 0, 1, np.full(4, 0.5, np.float32))])
    space.corpus.use_vector_set("")
    (found,) = [each for each in space.check() if each.check == "other vectors"]
    assert (found.state, found.hint) == ("ok", "")
    assert "one (0.0 MB), two (0.0 MB)" in found.message
    assert findings(space)["vectors"] == ("ok", "")


def test_labels_that_are_gone_but_in_use_are_a_doubt(space: Workspace) -> None:
    """Named with how many annotations have them; a dataset's own set is asked for its own."""
    ana = space.person("ana").id
    for key in (*fill(space.corpus, "1", "2"), *fill(space.corpus, "1", dataset="own")):
        space.annotate.add(ana, key, claim(f"{key}", label="Benign"), seconds=1)
    assert findings(space)["labels"] == ("ok", "")
    space.guidance.keep(GuidanceKind.LABELS, "- Benign\n", dataset="own")
    space.guidance.keep(GuidanceKind.LABELS, "- Other\n")
    (space.path / "labels.yaml").write_text("- Other\n")
    (found,) = [each for each in space.check() if each.check == "labels"]
    assert found.state == "warning"
    assert "Benign (2)" in found.message
    assert str(space.path / "labels.yaml") in found.hint


def test_a_file_that_loses_labels_of_work_is_not_taken_up(space: Workspace) -> None:
    """The set of the store stays, and it is told why; what only adds is taken up at once."""
    file = space.path / "labels.yaml"
    ana = space.person("ana").id
    (key,) = fill(space.corpus, "1")
    space.annotate.add(ana, key, claim("a", label="Benign"), seconds=1)
    before = space.labels
    file.write_text("- Unwanted\n- Questionable\n")
    assert space.labels == before
    (found,) = [each for each in space.check() if each.check == "label file"]
    assert (found.state, "Benign" in found.message) == ("warning", True)
    assert f"labels apply {file} --dry-run" in found.hint
    file.write_text("- Benign\n- New\n")
    assert [label.name for label in space.labels.walk()] == ["Benign", "New"]
    assert space.team.proposals.refused() == ""


@pytest.mark.parametrize(
    "text",
    [
        "- {name: Benign, evidence: none}\n",
        "- {name: Benign, note: none}\n",
        "- {name: Benign, split: [A, B]}\n- A\n- B\n",
    ],
)
def test_a_file_with_rules_that_work_breaks_is_not_taken_up(space: Workspace, text: str) -> None:
    """Nor one under which finished work would wait; without such work it is."""
    ana = space.person("ana").id
    (key,) = fill(space.corpus, "1")
    evidence = (Anchor(Side.SOURCE, 0, Span(4, 10)),)
    made = claim("a", label="Benign", note="so")
    space.annotate.add(ana, key, replace(made, evidence=evidence), seconds=1)
    before = space.labels
    (space.path / "labels.yaml").write_text(text)
    assert space.labels == before
    assert space.team.proposals.refused().endswith(": Benign")
    again = space.annotate.open(ana, key).annotations[0]
    space.annotate.remove(ana, key, "a", version=again.version, seconds=1)
    with workspaces.open(space.path) as later:
        assert later.labels != before


def test_looking_and_writing_out_take_up_no_labels(space: Workspace, tmp_path: Path) -> None:
    """Only who annotates does; an export may name a label of the file all the same."""
    fill(space.corpus, "1")
    before = space.labels.version
    (space.path / "labels.yaml").write_text("- Quite new\n")
    space.check()
    space.export(tmp_path / "out", label="Quite new")
    assert space.guidance.version(GuidanceKind.LABELS) == before
    (space.path / "labels.yaml").write_text("- A: {")
    space.export(tmp_path / "out", label="Unwanted.Intrinsic")
    with pytest.raises(InvalidInput, match="'Quite new'"):
        space.export(tmp_path / "out", label="Quite new")


def test_a_store_that_breaks_while_it_is_open_is_told(space: Workspace) -> None:
    """Not raised: the check goes on to the rest."""
    fill(space.corpus, *map(str, range(40)))
    space.close()
    store = space.path / "store.sqlite"
    whole = store.read_bytes()
    store.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    found = space._status_reader.store()
    assert found[0].state == "error"
    assert found[0].hint


# what it costs -----------------------------------------------------------------------------------

OPENING = """
import sys
import tui_annotate
with tui_annotate.open(sys.argv[1]) as space:
    person = space.person("ana").id
    key = space.annotate.start(person)
    desk = space.annotate.open(person, key)
    list(space.annotate.queue(person).rows)
print(*sys.modules)
"""


def test_opening_a_sample_loads_nothing_heavy(space: Workspace) -> None:
    """Neither Alembic nor LanceDB nor a screen, a command line, a segmenter or an array."""
    fill(space.corpus, "1")
    done = subprocess.run(
        [sys.executable, "-c", OPENING, str(space.path)],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "sqlalchemy" in loaded
    heavy = {
        "alembic",
        "pydantic",
        "sqlmodel",
        "lancedb",
        "numpy",
        "pyarrow",
        "pysbd",
        "rich",
        "textual",
        "typer",
    }
    assert not loaded & (heavy | {"wordllama", "tokenizers"})


def test_the_package_opens_what_it_makes(tmp_path: Path) -> None:
    """The two words of the API, and the docstring's promises of names."""
    with tui_annotate.create(tmp_path / "w") as made:
        path = made.path
    with tui_annotate.open(path) as opened:
        for word in ("samples", "annotations", "match", "ingest", "export"):
            assert getattr(opened, word).__doc__
    assert tui_annotate.__version__


def test_closing_gives_back_every_file(space: Workspace, pairs: Path) -> None:
    """At once, and however often: not only when Python next looks for what nobody holds."""

    def work() -> set[str]:
        with tui_annotate.open(space.path) as opened:
            opened.ingest(pairs, embedder="static")
            key = next(iter(opened.samples())).key
            opened.match(key, side=Side.SUMMARY, span=Span(4, 20))
            opened.check()
            opened.team.audit.head()
        return {each.name for each in Path("/dev/fd").iterdir()}

    space.close()
    gc.disable()
    try:
        first = work()
        assert all(work() <= first for _ in range(2))
    finally:
        gc.enable()


def test_former_annotations_are_found(space: Workspace, pairs: Path) -> None:
    """One's own, by the vectors that ingest made, or by words where there are none."""
    space.ingest(pairs, options=ImportOptions(id_column="id"), embedder="none")
    who, key = space.person("ana").id, SampleKey("pairs", "b1")
    said = claim("one", 11, 33, label="Benign")
    space.annotate.add(who, key, said, seconds=1)
    (found,) = space.past_annotations.nearest(who, key, said.claim[0])
    assert (found.id, found.text) == ("one", "cost 15 million pounds")
    assert space.past_annotations.nearest(who, key, said.claim[0], without="one") == ()
