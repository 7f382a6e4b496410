"""Problems of imports: how long they are, and of which kind."""

from __future__ import annotations

import pytest

from tui_annotate.domain.records import Problem, count_kind


@pytest.mark.parametrize("value", ["x" * 10_000, "it's " * 2000, "\n" * 10_000, "🌉" * 10_000])
def test_a_problem_quotes_at_most_200_characters_of_a_value(value: str) -> None:
    """The message around a long value stays as it is; short values are quoted whole."""
    problem = Problem("a:1", f"the value {value!r} of 'file' is not 'x'")
    assert len(problem.message) < 450  # an escaped character has two
    assert problem.message.startswith(f"the value {value!r}"[:100])
    assert problem.message.endswith(" of 'file' is not 'x'")
    message = f"the file's value {'y' * 200!r} is not valid"
    assert Problem("a:1", message).message == message


def test_problems_of_one_kind_differ_only_in_values() -> None:
    """Ids and numbers do not make a kind of their own; the name of a column does."""
    kinds: dict[str, int] = {}
    for number in range(500):
        count_kind(kinds, Problem("a", f"duplicate id 'n{number}': already used at a:{number}"))
        count_kind(kinds, Problem("a", f"column {'ab'[number % 2]!r} is empty"))
    assert sorted(kinds.values()) == [250, 250, 500]


def test_the_number_of_kinds_is_bounded() -> None:
    """A file whose problems all differ does not fill the memory or the screen."""
    kinds: dict[str, int] = {}
    for number in range(500):
        count_kind(kinds, Problem("a", "x" * number))
    assert (len(kinds), sum(kinds.values())) == (101, 500)
