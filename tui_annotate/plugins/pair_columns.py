"""Column names of well-known collections of source-summary pairs, by name of the collection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from tui_annotate.domain.errors import NotFound
from tui_annotate.plugins.protocols import ImportOptions


class PairColumns(NamedTuple):
    source: str
    summary: str
    group: str = ""


COLLECTIONS: Final[Mapping[str, PairColumns]] = {
    "aggrefact": PairColumns("doc", "summary", "id"),
    "frank": PairColumns("article", "summary", "hash"),
    "summac": PairColumns("document", "claim"),
    "true": PairColumns("grounding", "generated_text"),
}
_DEFAULT: Final = ImportOptions()


def set_pair_columns(name: str, options: ImportOptions) -> ImportOptions:
    """Set the import's columns to those of a known collection, unless the user chose them.

    Raises:
        NotFound: the collection is unknown; the hint lists the known collections.
    """
    if not name:
        return options
    columns = COLLECTIONS.get(name.casefold())
    if columns is None:
        raise NotFound(
            f"unknown collection {name!r}",
            f"use one of: {', '.join(COLLECTIONS)}, or pass --source-column and --summary-column",
        )
    source, summary = options.source_column, options.summary_column
    return replace(
        options,
        source_column=columns.source if source == _DEFAULT.source_column else source,
        summary_column=columns.summary if summary == _DEFAULT.summary_column else summary,
        group_column=options.group_column or columns.group,
    )
