"""Looking through a file: all of it is there, each sample whole, and nothing can be written."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.helpers import annotated_file as viewed
from tests.helpers.errors import has_code
from tests.helpers.stores import sample
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.progress import TaskProgress
from tui_annotate.domain.records import OwnedAnnotation, Problem, Record
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.spans import Span
from tui_annotate.methods.segmentation import segment
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.services.file_browser import FileBrowser, FileLoader
from tui_annotate.storage.corpus.file_index import FileIndex


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[FileBrowser]:
    """The file of `viewed`."""
    with viewed.browsed(tmp_path) as there:
        yield there


def test_a_sample_is_whole(browser: FileBrowser) -> None:
    """Everybody's annotations in reading order, states, sentences, people, its place."""
    looked = browser.open(SampleKey("d", "first"))
    assert [one.annotation.id for one in looked.annotations] == ["b1", "a1", "s1", "a2"]
    assert [one.person for one in looked.annotations] == ["p2", "p1", "adjudicated", "p1"]
    assert [one.person for one in looked.assignments] == ["p1", "p3"]
    assert looked.segments == (segment(viewed.SOURCE), segment(viewed.SUMMARY))
    assert (looked.position, looked.total) == (1, 3)


def test_samples_are_walked_in_the_order_of_the_file(browser: FileBrowser) -> None:
    """From one to the next, and no further than the ends."""
    assert browser.first() == ("d", "first")
    assert (
        browser.first("d/third")
        == browser.index.key(3)
        == browser.index.find(" th ")
        == ("d", "third")
    )
    assert browser.index.key(4) is browser.index.key(0) is None
    with pytest.raises(NotFound):
        browser.first("fourth")


def test_people_are_listed(browser: FileBrowser) -> None:
    """By name; who read and found nothing is among them."""
    assert [person.name for person in browser.people] == ["ana", "ben", "li", "settled"]


def test_labels_are_those_of_the_file(browser: FileBrowser) -> None:
    """Those that are known first, in their own order; parents above children; no rules."""
    assert [label.path for label in browser.labels.walk()] == [
        ("Unwanted",), ("Unwanted", "Intrinsic"), ("Odd",),
    ]  # fmt: skip


def test_ids_are_told_apart(tmp_path: Path) -> None:
    """Two people's annotations under one id are two, and paths without an end are no labels."""
    twice = [
        viewed.said("x", who, "A mayor", labels=[["n"] * 5000, ["Odd"]]) for who in ("p1", "p2")
    ]
    record = viewed.sample("one", people=viewed.PEOPLE, annotations=twice)
    with viewed.browsed(tmp_path, record) as browser:
        looked = browser.open(SampleKey("d", "one"))
        assert [label.path for label in browser.labels.walk()] == [("Odd",)]
    assert [one.annotation.id for one in looked.annotations] == ["x", "x (2)"]


class _Strange:
    """An importer of somebody else, which did not look where its spans end."""

    def read(self, path: Path, options: ImportOptions) -> Iterable[Record | Problem]:
        """A record whose span is outside, one of a document that is not there, and a sound one."""
        del path, options
        for name, anchor in (("far", (0, 10_000)), ("gone", (7, 2)), ("ok", (0, 2))):
            claim = (Anchor(Side.SUMMARY, anchor[0], Span(0, anchor[1])),)
            yield Record(sample(name), (OwnedAnnotation("p", Annotation(name, claim)),), where=name)
        yield Problem("end", "a doubt", refused=False)


def test_what_can_not_be_drawn_is_left_out_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its place; the others are there."""
    monkeypatch.setattr(registry, "load", lambda *_: _Strange())
    report: list[Problem] = []
    shares: list[TaskProgress] = []
    file = viewed.write(tmp_path)
    with closing(FileIndex()) as index:
        taken = FileLoader("strange", problem=report.append, progress=shares.append).run(
            file, index
        )
        assert index.page()[0][0].key.id == "ok"
    assert (taken.taken, taken.refused, taken.doubts) == (1, 2, 1)
    assert [one.where for one in report] == ["far", "gone", "end"]
    assert shares[-1].records == 1


def test_a_file_with_a_bad_line_is_shown_without_it(tmp_path: Path) -> None:
    """As with ingest: the line is told, the others are there."""
    file = viewed.write(tmp_path)
    file.write_text(file.read_text("utf-8") + json.dumps({"format": "x"}) + "\n", "utf-8")
    report: list[Problem] = []
    with closing(FileIndex()) as index:
        taken = FileLoader(problem=report.append).run(file, index)
    assert (taken.taken, taken.refused) == (3, 1)
    assert report[0].where.endswith("work.jsonl:4")


def test_nothing_that_writes_work_is_loaded() -> None:
    """The app of a file knows neither the service of annotators nor the log."""
    code = (
        "import sys, tui_annotate.tui.view_app, tui_annotate.services.file_browser;"
        "from tui_annotate.tui.screens.view import listing;"
        "bad = [m for m in sys.modules if m.startswith('tui_annotate') and"
        " any(part in m for part in ('tui.store_thread', 'services.annotate', 'action_writer',"
        " 'storage.log.event_log', 'storage.log.annotation_store', 'finishing'))];"
        "assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_file_is_walked_through_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No workspace comes into being, and no file that anybody sees, not even meanwhile."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    file = tmp_path / "pairs.jsonl"
    lines = [{"source": f"{at} It cost 12. " * 99, "summary": "It cost 15."} for at in range(2000)]
    file.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    with FileLoader().browse(file, LabelTree((), "")) as (browser, taken):
        assert (taken.taken, browser.first()) == (2000, ("pairs", "1"))
        assert list(tmp_path.iterdir()) == [file]
    refused = FileLoader("native").browse(file, LabelTree((), ""))
    with pytest.raises(InvalidInput, check=has_code("no-sample")), refused:
        pass
    assert list(tmp_path.iterdir()) == [file]
