"""The rules for work from another workspace."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tui_annotate.domain.adjudication import Adjudication, ReviewAction
from tui_annotate.domain.annotations import Anchor, Annotation, annotation_to_json
from tui_annotate.domain.history import (
    ALLOW,
    IMPORT,
    JOIN,
    Change,
    Event,
    PendingEvent,
)
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.work_rules import CLOCK_TOLERANCE, WorkRules, find_broken_rule

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
SAMPLE = Sample("d", "s", (Document(Side.SOURCE, "A source."), Document(Side.SUMMARY, "One two.")))
RULES = WorkRules(SAMPLE, frozenset({("Fine",), ("Wrong", "Number")}), NOW)
OWN = Annotation(
    "a", (Anchor(Side.SUMMARY, 0, Span(0, 3)),), (Anchor(Side.SOURCE, 0, Span(2, 8)),), (("Fine",),)
)


def event(
    annotation: Annotation | None = OWN,
    verb: str = "add",
    *,
    at: datetime = NOW,
    seconds: float = 60.0,
) -> Event:
    """An event that adds or replaces an annotation."""
    after = Change({"a": annotation_to_json(annotation)} if annotation else {})
    action = PendingEvent(verb, Change({}), after)
    return Event("e", 1, "p", "d", "s", action, at.isoformat(), seconds)


TRUSTED = WorkRules(SAMPLE, None, NOW)


def problem(*new: Event, here: tuple[Event, ...] = (), rules: WorkRules = RULES) -> str:
    """Why events are refused."""
    return find_broken_rule(new, here, rules)


def moved(start: int, end: int, *, index: int = 0, side: Side = Side.SUMMARY) -> Annotation:
    """The annotation with another span."""
    return replace(OWN, claim=(Anchor(side, index, Span(start, end)),))


def test_work_as_annotators_do_it_is_accepted() -> None:
    """Own work with the longest gap, a clock within the tolerance, and labels of any level fits."""
    late = event(replace(OWN, labels=(("Wrong", "Number"),)), at=NOW + CLOCK_TOLERANCE)
    assert problem(event(), late, event(None, "done")) == ""


@pytest.mark.parametrize(
    ("new", "named"),
    [
        (event(replace(OWN, labels=(("Odd",),))), "'Odd'"),
        (event(replace(OWN, labels=(("Wrong",),))), "'Wrong'"),
        (event(replace(OWN, origin="machine:gpt")), "'machine:gpt'"),
        (event(replace(OWN, origin="machine:gpt"), IMPORT), "'machine:gpt'"),
        (event(replace(OWN, origin="machine:gpt"), JOIN), "'machine:gpt'"),
        (event(replace(OWN, origin="adjudicated")), "'adjudicated'"),
        (event(replace(OWN, origin="rejected")), "'rejected'"),
        (event(replace(OWN, origin="imported:brat")), "'imported:brat'"),
        (event(replace(OWN, labels=(("Odd",),)), IMPORT), "'Odd'"),
        (event(replace(OWN, settled=Adjudication("r", ReviewAction.OWN))), "adjudication"),
        (event(verb="take"), "'take'"),
        (event(at=datetime(2999, 1, 1, tzinfo=UTC)), "2999"),
        (event(at=NOW + CLOCK_TOLERANCE + timedelta(seconds=1)), "2026-01-01T13:00:01"),
        (event(replace(OWN, created="2999-01-01T00:00:00Z")), "2999-01-01T00:00:00Z"),
        (event(replace(OWN, updated="2999-01-01")), "2999-01-01"),
        (event(seconds=60.5), "60.5"),
        (event(None, "read", seconds=1e11), "1e+11"),
        (event(None, IMPORT, seconds=1e11), "1e+11"),
        (event(moved(0, 4)), "0:4"),
        (event(moved(3, 7)), "3:7"),
        (event(moved(0, 9)), "0:9"),
        (event(moved(0, 3, index=1)), "a "),
        (event(moved(0, 3, side=Side.SOURCE)), "not in the summary"),
    ],
)
def test_each_broken_rule_is_refused_with_the_value(new: Event, named: str) -> None:
    """Labels, origins, times, working times and spans that no local action makes are refused."""
    says = problem(event(None, "read"), new)
    assert named in says
    assert repr(new.action.verb) in says


def test_imported_work_keeps_what_its_file_had() -> None:
    """An import may bring labels, spans and working times that no annotator's action has."""
    theirs = replace(moved(3, 7), origin="imported:brat", labels=(("Odd",),))
    assert problem(event(theirs, IMPORT, seconds=86_400.0)) == ""
    assert problem(event(theirs, JOIN)) == ""


def test_an_origin_never_changes() -> None:
    """An edit or an undo keeps the origin that the annotation has in the stream."""
    theirs = replace(OWN, origin="imported:brat")
    assert problem(event(theirs, IMPORT), event(replace(theirs, note="n"), "edit")) == ""
    assert problem(event(replace(theirs, note="n"), "undo"), here=(event(theirs, IMPORT),)) == ""
    assert problem(event(), event(theirs, "edit"))
    assert problem(event(theirs, IMPORT), event(OWN, "edit"))


def test_what_the_local_stream_had_is_not_checked_again() -> None:
    """A transition back to a stored annotation is accepted, a changed one is not."""
    odd = replace(OWN, labels=(("Odd",),))
    assert problem(event(odd, JOIN), here=(event(odd),)) == ""
    assert problem(event(replace(odd, note="n"), JOIN), here=(event(odd),))


def test_labels_are_free_where_no_label_set_is_known() -> None:
    """In the working folder of a bundle, which lacks earlier label sets, any label is accepted."""
    odd = event(replace(OWN, labels=(("Odd",),)))
    assert problem(odd, rules=replace(RULES, labels=None)) == ""
    assert problem(odd, rules=replace(RULES, labels=frozenset()))


@pytest.mark.parametrize("changes", [{"origin": "machine:gpt"}, {"labels": (("Other",),)}])
def test_work_that_its_workspace_checked_is_accepted(changes: dict[str, Any]) -> None:
    """As imports have it, with a span that ends in white space; a span outside the text is not."""
    imported = replace(moved(0, 4), **changes)
    assert problem(event(imported), rules=TRUSTED) == ""
    assert problem(event(imported))
    assert problem(event(moved(0, 400)), rules=TRUSTED)


def test_an_import_keeps_the_spans_of_its_file() -> None:
    """But not the origin of a machine; and only an admin's stream allows a review."""
    assert problem(event(moved(0, 4), IMPORT)) == ""
    assert problem(event(replace(OWN, origin="machine:gpt"), IMPORT))
    assert problem(event(None, ALLOW))
