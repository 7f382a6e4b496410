"""Unsupported spans of summaries that a model proposes, stored as suggestions for annotators.

Replies are untrusted: quotes that are not in the texts, and labels that are not in the label set,
are refused and counted. Replies are cached: an interrupted run continues, and a repeated run adds
nothing.
"""

from __future__ import annotations

import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.labels import JOINER, Label, LabelTree, Requirement
from tui_annotate.domain.people import Permission, require_permission
from tui_annotate.domain.progress import TaskProgress, replies_from
from tui_annotate.domain.samples import Sample, SampleKey, Side
from tui_annotate.domain.scores import RunKind, Score, ScoreRun
from tui_annotate.domain.suggestions import Suggestion, with_id
from tui_annotate.lab.argument_types import check_fields
from tui_annotate.lab.chat import prompts
from tui_annotate.lab.chat.replies import NoReply, ParsingJudge, ReplyTally, parse_json
from tui_annotate.lab.score.ranking import normalise_values
from tui_annotate.methods.quote_location import locate_quote
from tui_annotate.plugins.judges import Judge, Question

if TYPE_CHECKING:
    from tui_annotate.workspace.machines import MachineServices

NO_QUOTE: Final = "quotes that are not in the summary"
NO_EVIDENCE: Final = "evidence that is not in the source"
NO_LABEL: Final = "labels that are not in the label set"
NO_PART: Final = "proposals with missing or invalid fields"

_MAX_PARTS: Final = 200
"""Maximum number of proposals in a model's reply; a longer reply is treated as unreadable."""
_MAX_REPLY: Final = 200_000
_MAX_REASON: Final = 500


@dataclass(frozen=True, slots=True)
class ProposedSpan:
    """A span of a summary that a model calls unsupported, as a quote, with quoted evidence."""

    quote: str
    label: str
    evidence: tuple[str, ...]
    reason: str


def parse_proposals(reply: str) -> tuple[ProposedSpan | None, ...] | None:
    """Parse the unsupported spans that a reply proposes; None for a reply in a different form.

    `evidence` and `reason` are optional; `evidence` is one quote or a list. Invalid proposals among
    valid ones are None.
    """
    rows = parse_json(reply) if len(reply) <= _MAX_REPLY else None
    if not isinstance(rows, list) or len(rows) > _MAX_PARTS:
        return None
    found = tuple(_parse_span(row) if isinstance(row, Mapping) else None for row in rows)
    return found if not found or any(found) else None


def _parse_span(row: Mapping[str, Any]) -> ProposedSpan | None:
    quote, label, reason = row.get("quote"), row.get("label"), row.get("reason")
    evidence = row.get("evidence")
    quotes = evidence if isinstance(evidence, list) else ["" if evidence is None else evidence]
    words = (quote, label, "" if reason is None else reason)
    if not all(isinstance(word, str) for word in (*words, *quotes)) or len(quotes) > _MAX_PARTS:
        return None
    return (
        ProposedSpan(str(quote), str(label), tuple(quotes), str(words[2]))
        if str(quote).strip()
        else None
    )


class PromptLabels:
    """Labels that a model may assign to spans, by the names in its prompt."""

    def __init__(self, tree: LabelTree) -> None:
        self._labels = {
            JOINER.join(label.path): label for label in tree.offered() if not label.choices
        }

    def describe(self) -> str:
        """Return one line of text for each label of a prompt, with its name and description."""
        return "\n".join(
            f"- {name}: {' '.join(label.description.split())}" if label.description else f"- {name}"
            for name, label in self._labels.items()
        )

    def find(self, name: str) -> Label | None:
        """Return the label with a name, in upper or lower case; None for an unknown name."""
        wanted = name.strip().casefold()
        return next((each for key, each in self._labels.items() if key.casefold() == wanted), None)


@dataclass(frozen=True, slots=True)
class LocatedProposals:
    """A model's proposals whose quotes were found in the texts."""

    suggestions: tuple[Suggestion, ...]
    refused: tuple[str, ...] = ()


def locate_proposals(
    sample: Sample, spans: Iterable[ProposedSpan | None], labels: PromptLabels, *, maker: str
) -> LocatedProposals:
    """Find the quotes and labels of proposals; refuse those whose quote or label is unknown."""
    summary = sample.document(Side.SUMMARY)
    found: dict[str, Suggestion] = {}
    refused = []
    for part in spans:
        if part is None:
            refused.append(NO_PART)
            continue
        span, label = locate_quote(part.quote, summary.text), labels.find(part.label)
        if span is None or label is None:
            refused.append(NO_QUOTE if span is None else NO_LABEL)
            continue
        quotes = () if label.evidence is Requirement.NONE else part.evidence
        evidence = [_locate_evidence(quote, sample) for quote in quotes if quote.strip()]
        refused += [NO_EVIDENCE] * evidence.count(None)
        made = Suggestion(
            id="",
            maker=maker,
            run="",
            claim=(Anchor(Side.SUMMARY, 0, span),),
            evidence=tuple(anchor for anchor in evidence if anchor is not None),
            labels=(label.path,),
            note=shorten_reason(part.reason),
        )
        one = with_id(sample.key, made)
        found.setdefault(one.id, one)
    return LocatedProposals(tuple(found.values()), tuple(refused))


def _locate_evidence(quote: str, sample: Sample) -> Anchor | None:
    """Return the position of a quote in the first source that contains it, else None."""
    for index, document in enumerate(sample.side(Side.SOURCE)):
        span = locate_quote(quote, document.text)
        if span is not None:
            return Anchor(Side.SOURCE, index, span)
    return None


def shorten_reason(text: str) -> str:
    """Shorten a model's reason to one printable line of at most 500 code points."""
    plain = "".join(each if each.isprintable() else " " for each in text)
    line = " ".join(plain.split())
    return line if len(line) <= _MAX_REASON else f"{line[: _MAX_REASON - 1]}…"


PROMPT: Final = "annotate"
SPANS: Final = "unsupported_spans"
"""Name of the score that counts a summary's proposed spans; fewer are better."""
MAX_CHARACTERS: Final = 24_000
"""Default maximum number of code points to send of the sources, and of the summary."""

_PAGE: Final = 64
_MAX_TOKENS: Final = 4096
"""Maximum number of tokens in a model's reply, which may propose many spans."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalOptions:
    """Options with which a model proposes unsupported spans."""

    dataset: str
    language: str = ""
    folders: tuple[Path, ...] = ()
    max_chars: int = MAX_CHARACTERS
    limit: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        if self.max_chars < 1 or self.limit < 0:
            raise InvalidInput(
                f"invalid limits: --max-chars {self.max_chars}, --limit {self.limit}",
                "pass --max-chars of at least 1 and --limit of at least 0",
            )


@dataclass(frozen=True, slots=True)
class ProposalPlan:
    samples: int
    cached: int
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalReport:
    """The result of asking a model for unsupported spans.

    Attributes:
        skipped: number of samples without a source or a summary.
        cut: number of samples whose text was cut.
        new: number of suggestions that were not stored before.
    """

    run: str
    samples: int
    skipped: int
    cut: int
    proposals: int
    new: int
    refused: Mapping[str, int]
    tally: ReplyTally


@dataclass(slots=True)
class _RunState:
    options: ProposalOptions
    labels: PromptLabels
    versions: dict[str, str] = field(default_factory=dict)
    total: int = 0
    read: int = 0
    skipped: int = 0
    cut: int = 0

    def build_question(self, sample: Sample) -> Question:
        summary = sample.document(Side.SUMMARY)
        language = self.options.language or summary.language
        prompt = prompts.load_prompt(PROMPT, language=language, folders=self.options.folders)
        self.versions[f"{PROMPT}.{prompt.language}"] = prompt.version
        texts = [document.text for document in sample.side(Side.SOURCE)]
        source = "\n\n".join(texts)
        most = self.options.max_chars
        self.cut += len(source) > most or len(summary.text) > most
        user = prompt.fill(
            labels=self.labels.describe(), source=source[:most], summary=summary.text[:most]
        )
        return Question(user=user, max_tokens=_MAX_TOKENS)


@dataclass(frozen=True, slots=True)
class ProposalService:
    machines: MachineServices

    def plan(self, options: ProposalOptions, judge: Judge) -> ProposalPlan:
        """Count the samples, requests and characters of a run without sending a request.

        Raises:
            NotAllowed, NotFound: as for `run`.
        """
        require_permission(self.machines.actor, Permission.MANAGE)
        state, parser = self._start_run(options, judge)
        samples = cached = characters = 0
        for some in self._read_pages(state):
            for question in map(state.build_question, some):
                known = parser.cached(question, parse_proposals)
                samples += 1
                cached += known
                characters += 0 if known else len(question.user)
        return ProposalPlan(samples, cached, characters)

    def run(
        self,
        options: ProposalOptions,
        judge: Judge,
        *,
        progress: Callable[[TaskProgress], None] | None = None,
    ) -> ProposalReport:
        """Ask a model about each sample, and store the proposed spans that are in the texts.

        Raises:
            NotFound: the dataset does not exist, or no sample has both sides.
            InvalidInput: a prompt is invalid.
            Unavailable: the endpoint cannot be reached, or refuses all questions; replies so far
                are cached.
            NotAllowed: the current user may not manage the workspace.
        """
        require_permission(self.machines.actor, Permission.MANAGE)
        state, parser = self._start_run(options, judge)
        maker = f"judge:{judge.model}"
        found: dict[SampleKey, tuple[Suggestion, ...]] = {}
        refused: Counter[str] = Counter()
        began, waiting = time.monotonic(), replies_from(judge.host)

        def report_progress(unread: int = 0) -> None:
            if progress:
                done = state.read - unread
                share = (done + state.skipped) / state.total
                seconds = time.monotonic() - began
                progress(
                    TaskProgress("asking", done, share=share, seconds=seconds, waiting=waiting)
                )

        for some in self._read_pages(state):
            report_progress(len(some))
            replies = parser.ask_all(
                [state.build_question(sample) for sample in some], parse_proposals
            )
            for sample, spans in zip(some, replies, strict=True):
                if not isinstance(spans, NoReply):
                    each = locate_proposals(sample, spans, state.labels, maker=maker)
                    found[sample.key] = each.suggestions
                    refused.update(each.refused)
            report_progress()
        parser.tally.check_refusals()
        run = _score_run(options, judge, state, kind=RunKind.SUGGEST)
        pairs = ((key, each) for key, several in found.items() for each in several)
        new = self.machines.suggestions.add(run, pairs)
        if (new or parser.tally.asked) and not options.limit:
            scores = _score_run(options, judge, state, kind=RunKind.JUDGE)
            self.machines.scores.write(scores, _count_spans(found))
        return ProposalReport(
            run=run.id if new else "",
            samples=state.read,
            skipped=state.skipped,
            cut=state.cut,
            proposals=sum(map(len, found.values())),
            new=new,
            refused=dict(sorted(refused.items())),
            tally=parser.tally,
        )

    def _start_run(self, options: ProposalOptions, judge: Judge) -> tuple[_RunState, ParsingJudge]:
        prompts.check_folders(options.folders)
        language = options.language or prompts.LANGUAGES[0]
        reminder = prompts.load_prompt("again", language=language, folders=options.folders)
        state = _RunState(options, PromptLabels(self.machines.labels(options.dataset)))
        return state, ParsingJudge(judge, reminder=reminder.fill())

    def _read_pages(self, state: _RunState) -> Iterator[list[Sample]]:
        """Yield lists of samples that have a source and a summary; no transaction stays open."""
        dataset, limit = state.options.dataset, state.options.limit
        keys = self.machines.corpus.keys(dataset)
        state.total = len(keys)
        waiting = iter(keys)
        while page := list(islice(waiting, _PAGE)):
            samples = [self.machines.corpus.sample(key).sample for key in page]
            whole = [each for each in samples if all(each.side(side) for side in Side)]
            state.skipped += len(samples) - len(whole)
            kept = whole[: limit - state.read] if limit else whole
            state.read += len(kept)
            if kept:
                yield kept
            if limit and state.read == limit:
                return
        if not state.read:
            known = ", ".join(each.name for each in self.machines.corpus.datasets()) or "none"
            raise NotFound(
                f"no sample with a source and a summary in dataset {dataset!r}",
                f"choose a different dataset; existing datasets: {known}",
            )


def _count_spans(found: Mapping[SampleKey, Sequence[Suggestion]]) -> Iterator[Score]:
    """Yield each sample's number of proposed spans as a score, normalised over all samples."""
    counts = [float(len(several)) for several in found.values()]
    for key, count, value in zip(found, counts, normalise_values(counts), strict=True):
        yield Score(key=key, name=SPANS, raw=count, value=value)


def _score_run(
    options: ProposalOptions, judge: Judge, state: _RunState, *, kind: RunKind
) -> ScoreRun:
    return ScoreRun(
        id=str(uuid.uuid4()),
        kind=kind,
        maker=f"judge:{judge.model}",
        dataset=options.dataset,
        parameters={
            "model": judge.model,
            "host": judge.host,
            "prompts": dict(sorted(state.versions.items())),
            "max_chars": options.max_chars,
        },
        low=frozenset({SPANS}),
    )
