"""Schemas of what commands print with --json, and checks of printed values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from tui_annotate.cli.commands import place_global_options, program
from tui_annotate.domain.strict_json import encode_strict


def command_words(arguments: Sequence[str]) -> str:
    """The words of the command that a command line with present names calls."""
    words = []
    command: Any = program()
    for word in place_global_options(program(), arguments):
        if word not in getattr(command, "commands", {}):
            break
        command = command.commands[word]
        words.append(word)
    return " ".join(words)


@cache
def _validator(command: str) -> Any:
    """A validator that is made at its first use: most tests print no JSON."""
    from jsonschema import Draft202012Validator

    from docs.json_outputs import OUTPUTS
    from docs.json_schemas import make_schema

    schema = make_schema(OUTPUTS[command], title=command, description="", closed=True)
    return Draft202012Validator(schema)


def schema_faults(command: str, value: object) -> list[str]:
    """Where a printed value differs from its command's schema; further fields are faults, too."""
    from jsonschema.exceptions import best_match

    faults = []
    for error in _validator(command).iter_errors(_as_printed(value)):
        found = best_match([error]) or error  # of a choice, the fault of the likeliest part
        faults.append(f"{command}: {found.json_path}: {found.message:.300}")
    return faults


def _as_printed(value: object) -> Any:
    """A value as a reader of the printed JSON gets it."""
    text, _ = encode_strict(
        value, default=lambda part: str(part) if isinstance(part, Path) else asdict(part)
    )
    return json.loads(text)
