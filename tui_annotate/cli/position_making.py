"""The commands `position make-qa` and `position make-kv`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tui_annotate.cli import completion, output
from tui_annotate.cli.options import JsonOption, WorkspaceOption, opened
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Verb

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tui_annotate.services.position.files import Placed
    from tui_annotate.services.position.making import Made

InArgument = Annotated[
    Path | None,
    typer.Argument(metavar="IN", help="Rows, plain or packed.", show_default=False),
]
GoldOption = Annotated[
    str,
    typer.Option(
        "--gold-at",
        metavar="PLACES",
        help="Where the answer stands, from 0: 0,4,9, all, or even:K for K of them end to end.",
        show_default=False,
    ),
]
TargetOption = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="PLACE",
        help="A folder, for a file each place; or one file: .jsonl, .jsonl.gz, .jsonl.zst.",
        show_default=False,
    ),
]
SeedOption = Annotated[
    int,
    typer.Option(metavar="S", help="Of all that is drawn; the same one gives the same bytes."),
]

CountOption = Annotated[
    int | None, typer.Option(metavar="N", help="Passages in all, at least 2.", show_default=False)
]
AskedOption = Annotated[
    str, typer.Option(metavar="TEXT", help="Asked of samples without a question of their own.")
]


def make_qa(
    source: InArgument = None,
    *,
    documents: CountOption = None,
    gold_at: GoldOption = "",
    target: TargetOption,
    oracle: Annotated[
        bool, typer.Option("--oracle", help="The gold passage alone, as the best case.")
    ] = False,
    random_order: Annotated[
        bool, typer.Option("--random-order", help="Shuffle the distractors; else as retrieved.")
    ] = False,
    seed: SeedOption = 0,
    from_workspace: Annotated[
        bool,
        typer.Option("--from-workspace", help="The workspace's own samples in place of IN."),
    ] = False,
    dataset: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Of the workspace: this one alone.",
            autocompletion=completion.datasets,
        ),
    ] = "",
    question: AskedOption = "",
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Put the passage that answers at each place among other ones.

    Distractors are the first that a retriever found without an answer. From a workspace they are
    sources of other samples.
    """
    if (source is None) != from_workspace:
        raise InvalidInput("rows come from IN, or from the workspace", "IN, or --from-workspace")
    if oracle and (documents is not None or gold_at):
        raise InvalidInput("--oracle has one passage alone", "leave out --documents and --gold-at")
    if not oracle and (documents is None or not gold_at):
        raise InvalidInput(
            "how many passages, and where the answer?", "--documents 20 --gold-at even:5"
        )
    from tui_annotate.services.position import making

    wanted = making.Wanted(
        documents=making.FEWEST if documents is None else documents,
        gold_at=gold_at or "0",
        oracle=oracle,
        seed=seed if random_order else None,
    )
    if source is not None:
        from tui_annotate.services.position.files import rows

        _tell(making.questions(rows(source), target, wanted, name=source), as_json=as_json)
        return
    with _padded(workspace, dataset, question, count=documents or 1, seed=seed) as rows_of:
        name = Path(f"{dataset or 'workspace'}.jsonl")
        _tell(making.questions(rows_of, target, wanted, name=name), as_json=as_json)


@contextmanager
def _padded(
    workspace: Path | None, dataset: str, question: str, *, count: int, seed: int
) -> Iterator[Iterable[Placed]]:
    """Rows out of a workspace, which is open as long as they are read."""
    from tui_annotate.services.position.padding import Padding, padded

    with opened(workspace, needs=Verb.REPORT) as space:
        if dataset and not space.corpus.keys(dataset):
            there = ", ".join(each.name for each in space.corpus.datasets())
            raise InvalidInput(f"no dataset is named {dataset!r}", f"there are: {there or 'none'}")
        wanted = Padding(documents=count, seed=seed, dataset=dataset, question=question)
        yield padded(space.corpus, wanted)


def make_kv(
    source: InArgument = None,
    *,
    keys: Annotated[
        int | None,
        typer.Option(metavar="N", help="Pairs of a row, at least 2.", show_default=False),
    ] = None,
    examples: Annotated[
        int | None, typer.Option(metavar="M", help="Rows.", show_default=False)
    ] = None,
    gold_at: GoldOption = "",
    seed: SeedOption = 0,
    target: TargetOption,
    as_json: JsonOption = False,
) -> None:
    """Make rows of random keys and values; one key is asked for.

    With IN, its pairs are moved instead. Without --gold-at the pair stands where it was drawn.
    """
    from tui_annotate.services.position import making

    if (source is None) == (keys is None and examples is None):
        raise InvalidInput(
            "rows are drawn, or come from IN", "--keys 75 --examples 500, or IN with --gold-at"
        )
    if source is not None:
        from tui_annotate.services.position.files import rows

        if not gold_at:
            raise InvalidInput("where shall the pairs stand?", "--gold-at 0,37,74")
        found, name = rows(source), source
    else:
        if keys is None or examples is None:
            raise InvalidInput("how many keys, and how many rows?", "--keys 75 --examples 500")
        found = making.drawn_lookups(keys, examples, seed=seed)
        name = Path(f"kv-{keys}-keys.jsonl")
    _tell(making.lookups(found, target, gold_at, name=name), as_json=as_json)


def _tell(made: Made, *, as_json: bool) -> None:
    if as_json:
        output.as_json({"files": [str(path) for path in made.files], "rows": made.rows})
        return
    for path in made.files:
        output.line(str(path))
    output.say(f"{output.many(made.rows, 'row')} in {output.many(len(made.files), 'file')}")
