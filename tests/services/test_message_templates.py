"""Values that a message inserts are removed, and the program's own words stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.services.bug_report.message_templates import REMOVED, MessageTemplates

SOURCE = '''
"""A docstring of the module."""
NOUN = "event"
REASON = "the disk is full"
def say(path, name, count, reason):
    yield f"the store cannot be used because {reason}: {path}"
    yield f"work of {name} on {path}, event {count}"
    yield f"{count:,} GB free on this disk"
    log.warning("no vectors for %s: %s", name, reason)
    CODE = "Saved by {name} at noon"
'''
TEMPLATES = MessageTemplates([SOURCE], private={"20231"})


@pytest.mark.parametrize(
    ("message", "masked"),
    [
        ("the disk is full", "the disk is full"),
        ("work of ana on news/17, event 3", f"work of {REMOVED} on {REMOVED}, event 3"),
        ("work of 20231 on x, event 20231", f"work of {REMOVED} on {REMOVED}, event {REMOVED}"),
        ("75.2 GB free on this disk", "75.2 GB free on this disk"),
        ("no vectors for ana: Quill, my dear", f"no vectors for {REMOVED}: {REMOVED}"),
        ("Saved by ana at noon", f"Saved by {REMOVED} at noon"),
        ("2 events", "2 events"),
        ("2 aunts", REMOVED),
        ("event", REMOVED),
        ("ana", REMOVED),
        ("", ""),
    ],
)
def test_a_message_keeps_what_the_source_says(message: str, masked: str) -> None:
    """Words of the source and numbers stay; a single word is never taken for the program's."""
    assert TEMPLATES.mask(message) == masked


def test_a_reason_inside_a_message_is_kept() -> None:
    """An inserted text of the program itself stays; the path is removed."""
    masked = TEMPLATES.mask("the store cannot be used because the disk is full: /opt/ana")
    assert masked == f"the store cannot be used because the disk is full: {REMOVED}"


def test_parts_of_a_message_are_compared_one_by_one() -> None:
    """A message that was put together keeps the parts that are known."""
    masked = TEMPLATES.mask("Quill: the disk is full; 75 GB free on this disk")
    assert masked == f"{REMOVED}: the disk is full; 75 GB free on this disk"


PRIVATE = st.text(st.characters(categories=["L", "Nd", "P", "Zs"]), min_size=1).map("Qzx{}".format)


@given(
    PRIVATE, st.sampled_from(["{}", "work of {} on {}, event 3", "no vectors for {}: {}", "a\n{}"])
)
def test_no_inserted_value_remains(value: str, message: str) -> None:
    """Whatever it is, and however often it is there."""
    assert "Qzx" not in TEMPLATES.mask(message.replace("{}", value))
