"""Column names of well-known collections of source-summary pairs, by name of the collection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from tui_annotate.domain.errors import NotFound
from tui_annotate.plugins.protocols import ImportOptions


class PairColumns(NamedTuple):
    """Names of the columns with the source, the summary, and the group of related samples."""

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
    """Return import options with a collection's columns; columns that the user chose stay.

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
