"""The formats that there are, by what each says of itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tui_annotate.plugins import registry
from tui_annotate.plugins.traits import COLUMNS, OWN, TITLES, About, Trait, said_by


@dataclass(frozen=True, slots=True)
class Form:
    """A format.

    Attributes:
        about: None where it says nothing of itself.
    """

    name: str
    reads: bool
    writes: bool
    about: About | None

    @property
    def target(self) -> str:
        """What it is written to, in words; empty for what is only read."""
        if not self.writes:
            return ""
        return " + ".join(self.about.files) or self.about.place.value if self.about else "file"

    @property
    def layered(self) -> bool:
        """Whether it holds one layer of work, and one must say whose."""
        return bool(self.about and self.about.layered and self.writes)

    @property
    def losses(self) -> tuple[str, ...]:
        """What it can not carry, in words; empty for what is only read."""
        if not self.writes:
            return ()
        if self.about is None:
            return ("not told",)
        own = self.about.carried.get(Trait.IMPORTED) == OWN
        others = (f"{Trait.IMPORTED}, in another form",) if own else ()
        return (*self.about.lost, *others) or ("nothing",)


def forms() -> Iterator[Form]:
    """Every format that works, readers first; a broken one is one line of the log."""
    readers = dict(registry.load_all("importers"))
    writers = dict(registry.load_all("exporters"))
    for name in dict.fromkeys([*readers, *writers]):
        about = said_by(writers.get(name) or readers.get(name))
        yield Form(name, name in readers, name in writers, about)


def table() -> str:
    """What survives in each format that is written, as a table in Markdown."""
    rows = [("format", *TITLES), ("---",) * (len(TITLES) + 1)]
    for form in forms():
        if form.writes and form.about:
            carried = form.about.carried
            rows.append((f"`{form.name}`", *(carried.get(trait, "no") for trait in COLUMNS)))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)
