"""Takes handed-out work back, or over to others; what was begun stays where it is unless asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select, update

from tui_annotate.domain.errors import Conflict, NotFound
from tui_annotate.domain.handouts import HandoutKind
from tui_annotate.domain.people import Person
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.columns import DATASETS, HANDOUTS
from tui_annotate.storage.shares import allotments, pools
from tui_annotate.storage.shares.allotments import Allotted
from tui_annotate.storage.shares.store import Handout, Held, Sharing

_RULES = (HandoutKind.POOL, HandoutKind.ESCALATE, HandoutKind.PRACTICE)


@dataclass(frozen=True, slots=True)
class Undone:
    """What became of a handout that was taken back.

    Attributes:
        removed: samples that were not begun, taken from people.
        kept: those that were begun and stay theirs.
        free: datasets that are everybody's again.
    """

    handout: Handout
    removed: int
    kept: int
    free: tuple[str, ...]


def undo(sharing: Sharing, number: int = 0, *, begun: bool = False) -> Undone:
    """Takes a handout back, the last that holds where none is named, with the rule that it made.

    Samples that were moved go back to whom they were moved from.

    Args:
        begun: takes also what was begun; the work stays in the store.

    Raises:
        NotFound: there is no such handout, or none that holds.
        Conflict: it was taken back already.
    """
    handout = _meant(sharing, number)
    held = sharing.held(handout=handout.id)
    gone = [each for each in held if begun or not each.begun]
    datasets = {each.key.dataset for each in held} | {handout.dataset} - {""}
    allotments.release(sharing.connection, [each.allotted for each in gone])
    if handout.kind is HandoutKind.MOVE:
        _give_back(sharing, handout, {each.key: each for each in gone})
    values = update(HANDOUTS).where(HANDOUTS.c.id == handout.id).values(undone=sharing.at)
    sharing.connection.execute(values)
    free = tuple(name for name in sorted(datasets) if _lift(sharing, name, handout))
    return Undone(handout, len(gone), len(held) - len(gone), free)


def _meant(sharing: Sharing, number: int) -> Handout:
    holding = [each for each in sharing.handouts() if not each.undone or each.id == number]
    meant = [each for each in holding if number in (0, each.id)]
    if not meant:
        what = f"there is no handout {number}" if number else "nothing is handed out"
        raise NotFound(what, "see: tui-annotate assign show")
    if meant[-1].undone:
        raise Conflict(f"handout {number} was taken back", "see: tui-annotate assign show")
    return meant[-1]


def _give_back(sharing: Sharing, moved: Handout, gone: Mapping[SampleKey, Held]) -> None:
    for dataset, sample, person, handout in moved.request["rows"]:
        if each := gone.get(SampleKey(dataset, sample)):
            row = Allotted(person, each.allotted.sample_id)
            allotments.allot(sharing.connection, [row], handout=handout)


def _lift(sharing: Sharing, dataset: str, handout: Handout) -> bool:
    """Takes the rule of a handout off; whether the dataset is everybody's again."""
    query = select(DATASETS.c.id).where(DATASETS.c.name == dataset)
    dataset_id = sharing.connection.execute(query).scalar()
    if dataset_id is None:
        return False
    rule = sharing.rule(dataset_id, handout.kind) if handout.kind in _RULES else None
    if rule is not None and rule["handout"] == handout.id:
        allotments.keep_setting(sharing.connection, dataset_id, handout.kind, value=None)
        if handout.kind is HandoutKind.POOL:
            pools.fill(sharing.connection, dataset_id, None)
    return allotments.free(sharing.connection, dataset_id)


def move(
    sharing: Sharing, given: Mapping[str, Sequence[Held]], *, giver: Person, to: Sequence[str]
) -> int:
    """Takes samples from somebody over to others; the number of the handout.

    Args:
        given: by person, what they get of it.
        to: their ids, as they were asked for.
    """
    moved = [each for own in given.values() for each in own]
    rows = [[*each.key, giver.id, each.handout] for each in moved]
    request = {"from": giver.id, "to": list(to), "rows": rows}
    allotments.release(sharing.connection, [each.allotted for each in moved])
    new = [Allotted(who, each.allotted.sample_id) for who, own in given.items() for each in own]
    return sharing.apply(HandoutKind.MOVE, "", rows=new, request=request)


def put_back(sharing: Sharing, held: Sequence[Held]) -> None:
    """Takes samples from somebody for others to draw.

    Raises:
        Conflict: one of them is of a dataset that people do not draw from.
    """
    for each in held:
        dataset_id = sharing.dataset_row(each.key.dataset)
        if pools.pool_of(sharing.connection, dataset_id) is None:
            raise Conflict(
                f"nobody draws from dataset {each.key.dataset!r}", "name somebody: --to NAME"
            )
    allotments.release(sharing.connection, [each.allotted for each in held])
