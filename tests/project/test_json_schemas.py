"""Project rules about the schemas of what commands print with --json."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, NotRequired, TypedDict

import pytest
from jsonschema import Draft202012Validator

from docs.json_outputs import OUTPUTS
from docs.json_schemas import AnyOf, Fields, list_names, make_schema
from tests.helpers.pages import PAGES
from tests.project.test_commands import commands
from tui_annotate.cli.commands import find_command, option_names, program

MANUAL = PAGES["docs/json.md"]
NOT_ARRAYS = {
    "assignments list": "it lists the progress of people, rules and batches",
}
"""Commands named `list` that print several kinds of things, so that they print an object."""


def schemas() -> Iterator[tuple[str, dict[str, Any]]]:
    """Each command with its schema."""
    for command, shape in OUTPUTS.items():
        yield command, make_schema(shape, title=command, description="")


def test_every_command_with_json_has_a_schema() -> None:
    """A new command is added to `OUTPUTS` in docs/json_outputs.py."""
    printing = {
        " ".join(words)
        for words in commands()
        if "--json" in option_names(find_command(program(), words))
    }
    assert len(printing) > 100
    assert set(OUTPUTS) == printing


def test_schemas_are_valid() -> None:
    """By the schema of JSON Schema 2020-12."""
    for _, schema in schemas():
        Draft202012Validator.check_schema(schema)


def test_the_manual_names_every_field() -> None:
    """With its name in backticks or quotes."""
    missing = {
        command: names
        for command, schema in schemas()
        if (names := {each for each in list_names(schema) if not is_named(each)})
    }
    assert missing == {}


def is_named(field: str) -> bool:
    """Whether the page on JSON names a field."""
    return re.search(rf'[`"]{re.escape(field)}[`"]', MANUAL) is not None


def test_lists_are_arrays_of_objects() -> None:
    """What lists one kind of thing prints an array; what reports several kinds, an object."""
    listing = {command: schema for command, schema in schemas() if command.endswith(" list")}
    assert len(listing) > 10
    wrong = [
        command
        for command, schema in listing.items()
        if command not in NOT_ARRAYS and not all(map(is_array, schema.get("anyOf", [schema])))
    ]
    assert wrong == []
    assert [command for command in NOT_ARRAYS if is_array(listing[command])] == []


def is_array(schema: Mapping[str, Any]) -> bool:
    """Whether a schema is one of arrays of objects."""
    return schema.get("type") == "array" and schema["items"].get("type", "object") == "object"


class Place(NamedTuple):
    """A place in a text."""

    line: int
    name: str


@dataclass
class Found:
    """What was found.

    Attributes:
        places: where it was found; None if
            it was not found.
    """

    places: list[Place] | None
    count: int = 0

    @property
    def twice(self) -> bool:
        """Whether it was found twice."""
        return self.count == 2


class Named(TypedDict):
    """A name."""

    name: str
    note: NotRequired[str]


class Numbered(Named):
    number: float


def test_a_schema_has_the_fields_of_its_type() -> None:
    """Fields of all kinds of classes, with their descriptions."""
    schema = make_schema(
        Fields(Found, "twice", without=["count"], one=Numbered),
        title="find",
        description="Find it.",
        closed=True,
    )
    place = {
        "type": "array",
        "prefixItems": [{"type": "integer"}, {"type": "string"}],
        "items": False,
        "minItems": 2,
    }
    assert schema == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "find",
        "description": "Find it.",
        "type": "object",
        "properties": {
            "places": {
                "description": "where it was found; null if it was not found.",
                "anyOf": [{"type": "array", "items": place}, {"type": "null"}],
            },
            "twice": {"description": "Whether it was found twice.", "type": "boolean"},
            "one": {"$ref": "#/$defs/Numbered"},
        },
        "required": ["places", "twice", "one"],
        "additionalProperties": False,
        "$defs": {
            "Numbered": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "note": {"type": "string"},
                    "number": {"type": "number"},
                },
                "required": ["name", "number"],
                "additionalProperties": False,
            }
        },
    }


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ({"name": "a"}, True),
        ({"name": "a", "note": "b"}, True),
        ({"name": "a", "other": 1}, False),
        ({"note": "a"}, False),
        ([{"name": "a", "number": 1.5}], True),
        ([{"name": "a", "number": "1"}], False),
    ],
)
def test_a_closed_schema_refuses_other_fields(value: Any, fits: bool) -> None:
    """The published schemas allow further fields, the tests of commands do not."""
    shape = AnyOf(Named, list[Numbered])
    closed = make_schema(shape, title="", description="", closed=True)
    assert Draft202012Validator(closed).is_valid(value) is fits
