"""Tests of errors: what a traceback shows, and that processes can pass errors to each other."""

from __future__ import annotations

import copy
import pickle
import traceback

import pytest

from tui_annotate.domain.errors import (
    Conflict,
    InvalidInput,
    InvalidRecord,
    ReadOnly,
    Throttled,
    TuiAnnotateError,
    VectorsPending,
)

ERRORS = [
    Conflict("the sample changed", "open it again", code="changed"),
    InvalidRecord("no text", "add a text", where="a.jsonl:3", code="span-refused"),
    Throttled("too many sign-ins", "wait", seconds=30),
    VectorsPending(40, "run the import again"),
    ReadOnly("the workspace cannot be written", "free some space", reason="the disk is full"),
]


def test_an_error_as_text_has_its_hint() -> None:
    """A script that prints an error, and a traceback, show the hint on a line of its own."""
    error = InvalidInput("unknown exporter 'cvs'", "did you mean 'csv'?")
    assert str(error).splitlines() == ["unknown exporter 'cvs'", "  hint: did you mean 'csv'?"]
    assert traceback.format_exception(error)[-1].count("did you mean 'csv'?") == 1
    assert error.message == "unknown exporter 'cvs'"
    assert error.args == (error.message,)


def test_an_error_without_a_hint_is_its_message() -> None:
    """There is no empty line for a hint."""
    assert str(InvalidInput("wrong")) == "wrong"


def test_a_hint_that_was_added_later_is_shown() -> None:
    """Some functions complete the hint of an error that passes through them."""
    error = InvalidInput("wrong")
    error.hint = "do it right"
    assert str(error).endswith("hint: do it right")


@pytest.mark.parametrize("error", ERRORS, ids=lambda each: type(each).__name__)
def test_errors_can_be_copied_and_pickled(error: TuiAnnotateError) -> None:
    """An error of a worker process keeps its class, texts, code and other values."""
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(other) is type(error)
        assert vars(other) == vars(error)
        assert (str(other), other.args) == (str(error), error.args)
