"""Progress of a phase: shares of a total, and seconds since it began."""

from __future__ import annotations

from tui_annotate.domain.progress import TaskProgress, time_phase


def test_a_phase_reports_its_share() -> None:
    """Never more than all of it; none where the total is unknown."""
    found: list[TaskProgress] = []
    report = time_phase(found.append, "scoring", total=4)
    report(1)
    report(5)
    time_phase(found.append, "ranking")(7)
    assert [(each.phase, each.records, each.share) for each in found] == [
        ("scoring", 1, 0.25),
        ("scoring", 5, 1.0),
        ("ranking", 7, None),
    ]
    assert all(each.seconds >= 0 for each in found)


def test_a_phase_without_a_listener() -> None:
    """Without a listener nothing happens."""
    time_phase(None, "scoring", total=1)(1)
