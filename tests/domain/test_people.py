"""Names and times of people."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.assignments import IDLE_CAP, State, working_seconds
from tui_annotate.domain.errors import InvalidInput, NotAllowed
from tui_annotate.domain.people import (
    LONGEST_NAME,
    OPERATOR,
    SETTLED,
    Actor,
    Permission,
    Person,
    Role,
    base_person,
    check_name,
    is_allowed,
    require_permission,
    second_reader,
    visible_people,
)


@pytest.mark.parametrize("name", ["ana", " ana ", "李 明", "O'Neil-Ødegård", "x" * LONGEST_NAME])
def test_a_name_is_kept_without_its_edges(name: str) -> None:
    """What people are called is a name."""
    assert check_name(name) == name.strip()


@pytest.mark.parametrize(
    "name", ["", "  ", "x" * (LONGEST_NAME + 1), "a\x1b[31m", "a\nb", "a\u2028b", "\ud800"]
)
def test_what_is_no_name_is_refused_with_its_value(name: str) -> None:
    """Empty, endless, or with controls in it."""
    with pytest.raises(InvalidInput) as caught:
        check_name(name)
    assert repr(name) in caught.value.message


@given(st.floats(allow_nan=False))
def test_a_pause_is_no_work(gap: float) -> None:
    """Between two actions a minute counts at most, and nothing less than nothing."""
    assert working_seconds(gap) == min(max(gap, 0), IDLE_CAP)
    assert isinstance(working_seconds(gap), float)


def test_the_queue_passes_over_what_is_finished() -> None:
    """Done, skipped and flagged are finished; nothing else is."""
    assert {state for state in State if state.finished} == {
        State.DONE,
        State.SKIPPED,
        State.FLAGGED,
    }


ME = "me"
OWNERS = {
    "own": ME,
    "own again": second_reader(Person(ME, "x")).id,
    "another": "u-2",
    "settled": SETTLED,
}
ALLOWED = {
    # role: whose work (empty: the workspace, or all people together): what may be done with it
    Role.ANNOTATOR: {
        "own": "read write report", "own again": "read write report", "another": "",
        "settled": "", "": "",
    },
    Role.REVIEWER: {
        "own": "read write report", "own again": "read write report",
        "another": "read review report", "settled": "read write", "": "read review report",
    },
    Role.ADMIN: {
        "own": "read write report", "own again": "read write report",
        "another": "read review report manage", "settled": "read write",
        "": "read review report manage",
    },
}  # fmt: skip


@pytest.mark.parametrize("verb", list(Permission))
@pytest.mark.parametrize("whose", ["own", "own again", "another", "settled", ""])
@pytest.mark.parametrize("role", list(Role))
def test_who_may_do_what_with_whose_work(role: Role, whose: str, verb: Permission) -> None:
    """As the table says: all roles, all verbs, all owners; a refusal names nobody."""
    actor, owner = Actor(ME, role), OWNERS.get(whose, "")
    allowed = verb.value in ALLOWED[role][whose].split()
    assert is_allowed(actor, verb, owner) is allowed
    if allowed:
        require_permission(actor, verb, owner)
        return
    with pytest.raises(NotAllowed) as caught:
        require_permission(actor, verb, owner)
    assert not {ME, OWNERS["another"]} & set(caught.value.message.split())


@pytest.mark.parametrize("verb", list(Permission))
@pytest.mark.parametrize("owner", ["", "you", SETTLED])
def test_the_owner_of_the_files_may_all(verb: Permission, owner: str) -> None:
    """Who can read the files anyhow is refused nothing."""
    assert is_allowed(OPERATOR, verb, owner)


def test_an_annotator_sees_their_own_readings_alone() -> None:
    """The first and the second; whoever may read all is narrowed by nothing."""
    assert visible_people(Actor(ME, Role.ANNOTATOR)) == (ME, OWNERS["own again"])
    assert visible_people(Actor(ME, Role.REVIEWER)) is None
    assert visible_people(OPERATOR) is None
    assert base_person(OWNERS["own again"]) == ME
