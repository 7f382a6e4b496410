"""Looking through a file: all of it is there, each sample whole, and nothing can be written."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests import viewed
from tests.stores import sample
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.progress import Progress
from tui_annotate.domain.records import Owned, Problem, Record
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.spans import Span
from tui_annotate.methods.segmentation import segment
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.services.browse import Browse, Gather, Gathered


@pytest.fixture
def browse(tmp_path: Path) -> Iterator[Browse]:
    """The file of `viewed`."""
    with viewed.browsed(tmp_path) as there:
        yield there


def test_a_sample_is_whole(browse: Browse) -> None:
    """Everybody's annotations in reading order, states, sentences, people, its place."""
    looked = browse.open(SampleKey("d", "first"))
    assert [one.annotation.id for one in looked.annotations] == ["b1", "a1", "s1", "a2"]
    assert [one.person for one in looked.annotations] == ["p2", "p1", "adjudicated", "p1"]
    assert [one.person for one in looked.assignments] == ["p1", "p3"]
    assert {person.name for person in looked.people.values()} == {"ana", "ben", "li", "settled"}
    assert looked.segments == (segment(viewed.SOURCE), segment(viewed.SUMMARY))
    assert (looked.position, looked.total) == (1, 3)


def test_samples_are_walked_in_the_order_of_the_file(browse: Browse) -> None:
    """From one to the next, and no further than the ends."""
    assert browse.first() == ("d", "first")
    assert (
        browse.first("d/third") == browse.neighbour(2, 1) == browse.find(" th ") == ("d", "third")
    )
    assert browse.neighbour(3, 1) is browse.neighbour(1, -1) is None
    with pytest.raises(NotFound):
        browse.first("fourth")


def test_people_are_told_with_how_much_they_did(browse: Browse) -> None:
    """By name; who read and found nothing is among them."""
    assert [(person.name, count) for person, count in browse.people] == [
        ("ana", 2), ("ben", 1), ("li", 0), ("settled", 1),
    ]  # fmt: skip


def test_labels_are_those_of_the_file(browse: Browse) -> None:
    """Those that are known first, in their own order; parents above children; no rules."""
    assert [label.path for label in browse.labels.walk()] == [
        ("Unwanted",), ("Unwanted", "Intrinsic"), ("Odd",),
    ]  # fmt: skip


def test_ids_are_told_apart(tmp_path: Path) -> None:
    """Two people's annotations under one id are two, and paths without an end are no labels."""
    twice = [
        viewed.said("x", who, "A mayor", labels=[["n"] * 5000, ["Odd"]]) for who in ("p1", "p2")
    ]
    record = viewed.sample("one", people=viewed.PEOPLE, annotations=twice)
    with viewed.browsed(tmp_path, record) as browse:
        looked = browse.open(SampleKey("d", "one"))
        assert [label.path for label in browse.labels.walk()] == [("Odd",)]
    assert [one.annotation.id for one in looked.annotations] == ["x", "x (2)"]


class _Strange:
    """An importer of somebody else, which did not look where its spans end."""

    def read(self, path: Path, options: ImportOptions) -> Iterable[Record | Problem]:
        """A record whose span is outside, one of a document that is not there, and a sound one."""
        del path, options
        for name, anchor in (("far", (0, 10_000)), ("gone", (7, 2)), ("ok", (0, 2))):
            claim = (Anchor(Side.SUMMARY, anchor[0], Span(0, anchor[1])),)
            yield Record(sample(name), (Owned("p", Annotation(name, claim)),), where=name)
        yield Problem("end", "a doubt", refused=False)


def test_what_can_not_be_drawn_is_left_out_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its place; the others are there."""
    monkeypatch.setattr(registry, "load", lambda *_: _Strange())
    told: list[Problem] = []
    shares: list[Progress] = []
    file = viewed.write(tmp_path)
    with closing(Gathered()) as gathered:
        taken = Gather("strange", problem=told.append, progress=shares.append).run(file, gathered)
        assert gathered.page()[0][0].key.id == "ok"
    assert (taken.taken, taken.refused, taken.doubts) == (1, 2, 1)
    assert [one.where for one in told] == ["far", "gone", "end"]
    assert shares[-1].records == 1


def test_a_file_with_a_bad_line_is_shown_without_it(tmp_path: Path) -> None:
    """As with ingest: the line is told, the others are there."""
    file = viewed.write(tmp_path)
    file.write_text(file.read_text("utf-8") + json.dumps({"format": "x"}) + "\n", "utf-8")
    told: list[Problem] = []
    with closing(Gathered()) as gathered:
        taken = Gather(problem=told.append).run(file, gathered)
    assert (taken.taken, taken.refused) == (3, 1)
    assert told[0].where.endswith("work.jsonl:4")


def test_nothing_that_writes_work_is_loaded() -> None:
    """The app of a file knows neither the service of annotators nor the log."""
    code = (
        "import sys, tui_annotate.tui.view_app, tui_annotate.services.browse;"
        "from tui_annotate.tui.screens.view import legend, listing;"
        "bad = [m for m in sys.modules if m.startswith('tui_annotate') and"
        " any(part in m for part in ('tui.saving', 'services.annotate', 'ledger',"
        " 'storage.work.log', 'storage.work.store', 'finishing'))];"
        "assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
