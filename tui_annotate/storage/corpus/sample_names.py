"""What somebody calls a sample, to its key: an id, dataset/id, or the start of one id alone."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, and_, false, or_

from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.columns import DATASETS, SAMPLES
from tui_annotate.storage.statements import SAMPLE_KEY


def meant(connection: Connection, name: str) -> SampleKey:
    """The sample that somebody means.

    Raises:
        NotFound: none, or several; the hint names some.
    """
    keys = (DATASETS.c.name, SAMPLES.c.external)
    splits = [place for place, character in enumerate(name) if character == "/"]
    conditions = (
        (SAMPLES.c.external == name,),
        (or_(false(), *(_is_key(name[:at], name[at + 1 :]) for at in splits)),),
        (SAMPLES.c.external >= name, SAMPLES.c.external < name + "\U0010ffff"),
    )
    rows: Sequence[tuple[str, str]] = ()
    for condition in conditions:
        found = SAMPLE_KEY.where(*condition).order_by(*keys).limit(4)
        rows = rows or [(row[0], row[1]) for row in connection.execute(found)]
    if len(rows) != 1:
        several = ", ".join(f"{row[0]}/{row[1]}" for row in rows[:3])
        raise NotFound(
            f"{name!r} names {'more than one' if rows else 'no'} sample",
            f"for example {several}" if rows else "give an id, its start, or dataset/id",
        )
    return SampleKey(*rows[0])


def _is_key(dataset: str, sample: str) -> ColumnElement[bool]:
    return and_(DATASETS.c.name == dataset, SAMPLES.c.external == sample)
