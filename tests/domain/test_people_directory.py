"""Who is NAME: by id, by name, and one error for each way to fail."""

from __future__ import annotations

import pytest

from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.people import Person
from tui_annotate.domain.people_directory import find_person, match_people

ANA = Person("a1", "Ana")
BO = Person("b1", "Bo")
OTHER_BO = Person("b2", "Bo")
PEOPLE = [ANA, BO, OTHER_BO]


def test_a_person_is_found_by_id_or_name() -> None:
    """An id or a name that one person has."""
    assert find_person("b2", PEOPLE, advice="") == OTHER_BO
    assert find_person("Ana", PEOPLE, advice="") == ANA


def test_an_id_is_stronger_than_a_name() -> None:
    """No person can take over an id by a name that is equal to it."""
    copy = Person("c1", "a1")
    assert match_people("a1", [copy, ANA]) == [ANA]


def test_a_name_of_several_people_is_refused() -> None:
    """The hint lists their ids, because the name does not choose one of them."""
    with pytest.raises(NotFound) as caught:
        find_person("Bo", PEOPLE, advice="")
    assert caught.value.message == "several people have the name 'Bo'"
    assert caught.value.hint == "give the id of one person: b1, b2"


def test_an_unknown_name_is_refused() -> None:
    """The error names the kind of person; the hint has the nearest name, and the advice."""
    with pytest.raises(NotFound) as caught:
        find_person("Anna", PEOPLE, advice="list them", kind="merged person")
    assert caught.value.message == "unknown merged person 'Anna'"
    assert caught.value.hint == "did you mean 'Ana'? list them"
