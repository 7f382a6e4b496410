"""`assist report`: figures of real work for people and programs, narrowed as exports are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tui_annotate import workspace as workspaces
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.offers import Offer
from tui_annotate.domain.samples import Match, SampleKey, Side
from tui_annotate.domain.spans import Span

KEY = SampleKey("pairs", "bridge")
FIRST, SECOND = Span(0, 35), Span(36, 70)


@pytest.fixture
def worked(filled: Command, tmp_path: Path) -> Command:
    """Two people: ana took the first match, bo looked at it and took none; one save is untold."""
    with workspaces.open(tmp_path) as space:
        source = space.corpus.sample(KEY)
        matches = tuple(
            Match(0, at, segment.span, 0.9 - at / 2, at + 1)
            for at, segment in enumerate(source.segments[0])
        )
        best = matches[0].span.trim(source.sample.documents[0].text)
        assert best is not None
        for name, label, looked, taken in (
            ("ana", ("Unwanted", "Intrinsic"), {1}, (Anchor(Side.SOURCE, 0, best),)),
            ("bo", ("Benign",), {1, 2}, ()),
        ):
            who = space.person(name).id
            one = Annotation(name, (Anchor(Side.SUMMARY, 0, Span(0, 10)),), taken, (label,))
            offer = Offer(matches=matches, looked=frozenset(looked))
            space.annotate.add(who, KEY, one, seconds=1, offer=offer)
            if name == "bo":
                more = Annotation("x", (Anchor(Side.SUMMARY, 0, Span(15, 20)),), (), (label,))
                space.annotate.add(who, KEY, more, seconds=1)
    return filled


def test_people_get_tables(worked: Command) -> None:
    """Shares over their intervals, in groups, in 80 columns; what is not known is said."""
    done = worked("assist", "report")
    assert done.code == 0
    assert "left out: 1 annotation with no record of what the assist showed" in done.err
    assert max(map(len, (done.out + done.err).splitlines())) <= 80
    lines = [line.split() for line in done.out.splitlines()]
    assert lines[1] == ["all", "2", "1", "100%", "100%", "100%", "0%", "50%"]
    assert lines[2] == ["21-100", "21-100", "21-100", "0-79", "9-91"]
    assert ["ana", "1", "1", "100%"] in [line[:4] for line in lines]
    assert next(line for line in lines if line[:1] == ["bo"])[-1] == "100%"
    assert "Unwanted.Intrinsic" in done.out
    assert "ranked by" in done.out


def test_programs_get_json(worked: Command) -> None:
    """Counts, shares, bounds; by week where that is asked for."""
    found = worked("assist", "report", "--json").json
    assert (found["annotations"], found["unknown"], found["spans"]) == (2, 1, 1)
    assert found["refused_best"] == {"count": 1, "share": 0.5, "low": 0.0945, "high": 0.9055}
    assert [row["name"] for row in found["by_annotator"]] == ["ana", "bo"]
    assert "by_week" in worked("assist", "report", "--json", "--weeks").json


def test_filters_are_those_of_exports(worked: Command) -> None:
    """A name of nothing is refused, and the rest narrows."""
    assert worked("assist", "report", "--json", "--person", "ana").json["annotations"] == 1
    assert worked("assist", "report", "--json", "--label", "Unwanted").json["annotations"] == 1
    assert worked("assist", "report", "--json", "--sample", "tea").json["annotations"] == 0
    assert worked("assist", "report", "--json", "--since", "2999-01-01").json["unknown"] == 0
    refused = worked("assist", "report", "--person", "nobody")
    assert (refused.code, "no person is named 'nobody'" in refused.err) == (2, True)


def test_where_nothing_is_known_it_is_said(filled: Command) -> None:
    """No table of dashes."""
    done = filled("assist", "report")
    assert (done.code, done.out) == (0, "")
    assert "nothing to report yet" in done.err
