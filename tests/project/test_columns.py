"""`storage/columns.py` has the columns of the classes in `storage/tables.py`."""

from __future__ import annotations

import pytest
from sqlalchemy import Column, MetaData, Table, Text

from tui_annotate.storage.migrations import columns_module


def test_the_names_of_columns_are_current() -> None:
    """The module is what the generator writes from the tables of today."""
    written = columns_module.MODULE.read_text("utf-8")
    assert written == columns_module.write_module(), "write it again: make columns"


def test_each_table_is_written_with_its_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order of their definition, one column a line."""
    metadata = MetaData()
    Table("pages", metadata, Column("number", Text), Column("heading", Text))
    monkeypatch.setattr(columns_module, "METADATA", metadata)
    body = columns_module.write_module().partition("\nPAGES")[2]
    assert body == ': Final = _define_table(\n    "pages",\n    "number",\n    "heading",\n)\n'
