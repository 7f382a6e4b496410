"""What commands print with --json fits their schemas, which the fixture `command` checks."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Command
from tui_annotate.cli import output

PRINTED = {
    "missing": {"created": True},
    "type": {"workspace": 1, "created": True},
    "further": {"workspace": "", "created": True, "by": ""},
}


@pytest.mark.parametrize("printed", PRINTED.values(), ids=PRINTED)
def test_a_field_that_does_not_fit_fails(
    printed: dict[str, object], command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing field, one of another type, and one that the type does not have."""
    print_json = output.print_json
    monkeypatch.setattr(output, "print_json", lambda _: print_json(printed))
    with pytest.raises(AssertionError, match=r"init: \$"):
        command("init", "--json")
