"""Traces of suggestions in readings that contain no answer to them.

An annotator who read a suggestion and did not answer it, or who accepted it and undid that, may
have marked its words by hand. The tables of answers then have no row; the event log has one.
"""

from __future__ import annotations

from typing import Final

from tui_annotate.domain.history import DISCARD

HAD_SUGGESTION: Final = (
    "w.updated > r.at AND h.kind <> 'settled'"
    " AND (h.kind <> 'imported' OR EXISTS (SELECT 1 FROM answers e WHERE e.person = w.person))"
)
"""Condition: a person (`h`) worked on a sample (`w`) after its suggestion's run (`r`).

Adjudication and imported work do not count. Whether the dataset hides suggestions is not stored for
the past, so that callers leave out the datasets that hide them at present.
"""

PASSED_READINGS: Final = (
    "SELECT DISTINCT w.person AS person, w.sample_id AS sample_id"  # noqa: S608  constants
    " FROM suggestions g JOIN runs r ON r.number = g.run AND r.finished <> ''"
    " JOIN assignments w ON w.sample_id = g.sample_id AND w.state = 'done'"
    f" JOIN people h ON h.id = w.person AND {HAD_SUGGESTION}"
    " WHERE NOT EXISTS (SELECT 1 FROM answers b WHERE b.person = w.person"
    "   AND b.sample_id = g.sample_id AND b.suggestion = g.id)"
)
"""Query of the completed readings whose annotator had a suggestion and did not answer it."""

UNDONE_ACCEPTANCES: Final = (
    "SELECT DISTINCT w.person AS person, w.sample_id AS sample_id, w.state AS state,"  # noqa: S608  constants
    "   u.key AS suggestion, json_extract(u.value, '$.maker') AS maker"
    " FROM assignments w JOIN samples k ON k.id = w.sample_id"
    " JOIN datasets q ON q.id = k.dataset_id"
    " JOIN events e ON e.person = w.person AND e.dataset = q.name AND e.sample = k.external"
    "   AND e.verb = 'accept'"
    " CROSS JOIN json_each(CASE WHEN json_valid(e.after)"
    "   THEN coalesce(json_extract(e.after, '$.suggestions'), '{}') ELSE '{}' END) u"
    " WHERE w.person <> 'adjudicated'"
    # Without this, each reading of each dataset would be looked up in the log.
    "   AND w.sample_id IN (SELECT sample_id FROM suggestions UNION SELECT sample_id FROM answers)"
    "   AND NOT EXISTS (SELECT 1 FROM answers b WHERE b.person = w.person"
    "     AND b.sample_id = w.sample_id AND b.suggestion = u.key)"
    "   AND NOT EXISTS (SELECT 1 FROM events n WHERE n.person = e.person AND n.dataset = e.dataset"
    f"    AND n.sample = e.sample AND n.seq > e.seq AND n.verb = '{DISCARD}')"
)
"""Query of the acceptances of the log that the person undid, and whose suggestion has no answer."""
