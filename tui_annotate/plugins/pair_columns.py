"""The columns of known collections of pairs, by the collection's name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from tui_annotate.domain.errors import NotFound
from tui_annotate.plugins.protocols import ImportOptions


class PairColumns(NamedTuple):
    """The columns of the two texts, and of what sibling summaries of one text share."""

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
    """Options with the columns of a collection, where they name none of their own.

    Raises:
        NotFound: no collection has the name; the hint lists those that there are.
    """
    if not name:
        return options
    columns = COLLECTIONS.get(name.casefold())
    if columns is None:
        raise NotFound(
            f"no collection {name!r} is known",
            f"there are: {', '.join(COLLECTIONS)}; else --source-column and --summary-column",
        )
    source, summary = options.source_column, options.summary_column
    return replace(
        options,
        source_column=columns.source if source == _DEFAULT.source_column else source,
        summary_column=columns.summary if summary == _DEFAULT.summary_column else summary,
        group_column=options.group_column or columns.group,
    )
