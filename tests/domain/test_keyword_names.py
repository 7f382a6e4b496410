"""Tests of keywords: earlier names work with a warning, unknown ones are refused."""

from __future__ import annotations

import inspect
import warnings
from dataclasses import dataclass, replace
from typing import Any, TypedDict, Unpack

import pytest

from tui_annotate.domain.errors import InvalidArgument
from tui_annotate.domain.keyword_names import check_field_names, check_keywords, earlier_keywords


@check_field_names(share="count")
@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Options with a renamed field."""

    count: int = 0


class Filters(TypedDict, total=False):
    """Names of filters."""

    person: str


@check_keywords
class Service:
    """A service with a renamed keyword, a plain method, and one that takes any keyword."""

    @earlier_keywords(dry="dry_run")
    def apply(self, text: str, *, dry_run: bool = False) -> tuple[str, bool]:
        """Return what was given."""
        return text, dry_run

    def show(self, *, dataset: str = "") -> str:
        """Return what was given."""
        return dataset

    def list(self, *, top: int = 5, **filters: Unpack[Filters]) -> Filters:
        """Return what was given."""
        return filters if top else {}

    def filter(self, **filters: str) -> dict[str, str]:
        """Return what was given."""
        return filters


SERVICE: Any = Service()
ORDER: Any = Order


def test_an_earlier_name_works_with_a_warning() -> None:
    """The warning names both, at the line of the caller."""
    with pytest.warns(DeprecationWarning, match="'dry'.*'dry_run'") as warned:
        assert SERVICE.apply("a", dry=True) == ("a", True)
    assert warned[0].filename == __file__
    with pytest.warns(DeprecationWarning, match="'share'.*'count'"):
        assert ORDER(share=3).count == 3


def test_a_field_is_read_by_its_earlier_name() -> None:
    """The warning names both, at the line of the caller."""
    with pytest.warns(DeprecationWarning, match="'share'.*'count'") as warned:
        assert ORDER(count=3).share == 3
    assert warned[0].filename == __file__


def test_a_field_is_replaced_by_its_earlier_name() -> None:
    """`dataclasses.replace` gives the present value, too, which is not the user's."""
    order: Any = Order(count=3)
    with pytest.warns(DeprecationWarning, match="'share'.*'count'") as warned:
        assert replace(order, share=4) == Order(count=4)
    assert warned[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert replace(order, count=4) == Order(count=4)
    with pytest.raises(InvalidArgument):
        replace(order, cuont=4)


def test_present_names_give_no_warning() -> None:
    """By keyword or by position."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert SERVICE.apply("a", dry_run=True) == SERVICE.apply(text="a", dry_run=True)
        assert SERVICE.show(dataset="d") == "d"
        assert ORDER(count=1) == Order(count=1)


@pytest.mark.parametrize(
    ("call", "similar"),
    [
        (lambda: SERVICE.apply("a", dry_rum=True), "dry_run"),
        (lambda: SERVICE.show(datset="d"), "dataset"),
        (lambda: ORDER(cuont=1), "count"),
        (lambda: SERVICE.list(persn="a"), "person"),
        (lambda: SERVICE.list(tpo=1), "top"),
    ],
)
def test_an_unknown_keyword_is_refused(call: Any, similar: str) -> None:
    """The error is also a TypeError, as of Python itself, and suggests a similar name."""
    with pytest.raises(TypeError) as refused:
        call()
    assert isinstance(refused.value, InvalidArgument)
    assert f"did you mean {similar!r}?" in refused.value.hint


def test_both_names_are_refused() -> None:
    """It is not clear which value is meant."""
    with pytest.raises(InvalidArgument):
        SERVICE.apply("a", dry=True, dry_run=False)


def test_signatures_stay() -> None:
    """Help and editors show the function's own parameters."""
    assert list(inspect.signature(Service.apply).parameters) == ["self", "text", "dry_run"]
    assert SERVICE.filter(anything="1") == {"anything": "1"}
    assert SERVICE.list(person="1") == {"person": "1"}
