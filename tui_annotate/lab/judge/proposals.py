"""Unsupported spans of summaries that a model proposes, stored as suggestions for annotators.

Replies are untrusted: quotes that are not in the texts or are ambiguous, and labels that are not in
the label set, are refused and counted. A reply of which nothing is usable is asked for again, and
then unclear: it does not mean that nothing is unsupported. Replies are cached: an interrupted run
continues, and a repeated run adds nothing.
"""

from __future__ import annotations

import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.errors import InvalidInput, NotFound, Unavailable
from tui_annotate.domain.keyword_names import check_keywords
from tui_annotate.domain.labels import JOINER, Label, LabelTree, Requirement
from tui_annotate.domain.people import Permission, require_permission
from tui_annotate.domain.progress import TaskProgress, replies_from
from tui_annotate.domain.samples import Sample, SampleKey, Side
from tui_annotate.domain.scores import RunKind, Score, ScoreRun
from tui_annotate.domain.suggestions import Suggestion, with_id
from tui_annotate.lab.argument_types import check_fields
from tui_annotate.lab.chat import prompts
from tui_annotate.lab.chat.replies import (
    NoReply,
    ParsedReply,
    ParsingJudge,
    ReplyTally,
    parse_objects,
)
from tui_annotate.lab.score.ranking import normalise_values
from tui_annotate.methods.quote_location import find_meant_spans
from tui_annotate.plugins.judges import Judge, Question
from tui_annotate.services.suggestions import EarlierSuggestions, find_earlier
from tui_annotate.services.suggestions.sample_results import SPANS

if TYPE_CHECKING:
    from tui_annotate.workspace.machines import MachineServices

NO_QUOTE: Final = "quotes that are not in the summary"
NO_OCCURRENCE: Final = "numbers of occurrences that the quote does not have in the summary"
NO_EVIDENCE: Final = "evidence that is not in the source"
AMBIGUOUS_QUOTE: Final = "quotes that occur more than once in the summary"
AMBIGUOUS_EVIDENCE: Final = "evidence that occurs more than once in the source"
NO_LABEL: Final = "labels that are not in the label set"
NO_PART: Final = "proposals with missing or invalid fields"

_MAX_PARTS: Final = 200
"""Maximum number of proposals in a model's reply; a longer reply is treated as unreadable."""
_MAX_REPLY: Final = 200_000
_MAX_REASON: Final = 500
_UNREADABLE: Final = "the reply is not a JSON list of objects"


@dataclass(frozen=True, slots=True)
class ProposedSpan:
    """A span of a summary that a model calls unsupported, as a quote, with quoted evidence.

    `context` is a longer passage of the summary with the quote, `occurrence` the number of the
    occurrence that is meant, from 1; both are optional.
    """

    quote: str
    label: str
    evidence: tuple[str, ...]
    reason: str
    context: str = ""
    occurrence: int | None = None


def parse_proposals(reply: str) -> tuple[ProposedSpan | None, ...] | None:
    """Parse the unsupported spans that a reply proposes; None for a reply in a different form.

    `evidence` and `reason` are optional; `evidence` is one quote, or a list of quotes or of objects
    with a `quote`. Invalid proposals are None.
    """
    rows = parse_objects(reply, field="quote") if len(reply) <= _MAX_REPLY else None
    if rows is None or len(rows) > _MAX_PARTS:
        return None
    return tuple(_parse_span(row) if isinstance(row, Mapping) else None for row in rows)


def _parse_span(row: Mapping[str, Any]) -> ProposedSpan | None:
    given = {name: row.get(name) for name in ("quote", "label", "reason", "context")}
    words = {name: "" if word is None else word for name, word in given.items()}
    evidence = _parse_evidence(row.get("evidence"))
    occurrence = row.get("occurrence")
    if evidence is None or not (occurrence is None or type(occurrence) is int):
        return None
    if not all(isinstance(word, str) for word in words.values()):
        return None
    if not words["quote"].strip() or not words["label"].strip():
        return None
    return ProposedSpan(**words, evidence=evidence, occurrence=occurrence)


def _parse_evidence(value: Any) -> tuple[str, ...] | None:
    if value is None:
        return ()
    given = value if isinstance(value, list) else [value]
    quotes = [each.get("quote") if isinstance(each, Mapping) else each for each in given]
    texts = tuple(quote for quote in quotes if isinstance(quote, str))
    return texts if len(texts) == len(quotes) <= _MAX_PARTS else None


class PromptLabels:
    """Labels that a model may assign to spans, by the names in its prompt."""

    def __init__(self, tree: LabelTree) -> None:
        self._labels = {
            JOINER.join(label.path): label for label in tree.offered() if not label.choices
        }
        self._last_names = [(label.name.casefold(), label.path) for label in tree.walk()]

    def describe(self) -> str:
        """Return one line of text for each label of a prompt, with its name and description."""
        return "\n".join(
            f"- {name}: {' '.join(label.description.split())}" if label.description else f"- {name}"
            for name, label in self._labels.items()
        )

    def find(self, name: str) -> Label | None:
        """Return the label with a name, in upper or lower case; None for an unknown name.

        A name is the path of a label, or its last part if no other label of the set has it.
        """
        wanted = name.strip().casefold()
        for key, label in self._labels.items():
            if key.casefold() == wanted:
                return label
        paths = [path for last, path in self._last_names if last == wanted]
        return self._labels.get(JOINER.join(paths[0])) if len(paths) == 1 else None


@dataclass(frozen=True, slots=True)
class LocatedProposals:
    """A model's proposals whose quotes were found in the texts."""

    suggestions: tuple[Suggestion, ...]
    refused: tuple[str, ...] = ()


def locate_proposals(
    sample: Sample, spans: Iterable[ProposedSpan | None], labels: PromptLabels, *, maker: str
) -> LocatedProposals:
    """Find the quotes and labels of proposals; refuse those with a wrong or ambiguous one."""
    summary = sample.document(Side.SUMMARY)
    found: dict[str, Suggestion] = {}
    refused = []
    for part in spans:
        if part is None:
            refused.append(NO_PART)
            continue
        spans_meant = find_meant_spans(
            part.quote, summary.text, context=part.context, occurrence=part.occurrence
        )
        label = labels.find(part.label)
        if len(spans_meant) > 1:
            refused.append(AMBIGUOUS_QUOTE)
            continue
        if not spans_meant:
            others = find_meant_spans(part.quote, summary.text, context=part.context)
            refused.append(NO_OCCURRENCE if others else NO_QUOTE)
            continue
        if label is None:
            refused.append(NO_LABEL)
            continue
        evidence = []
        quotes = () if label.evidence is Requirement.NONE else part.evidence
        for quote in quotes:
            anchors = _locate_evidence(quote, sample) if quote.strip() else []
            if len(anchors) == 1:
                evidence += anchors
            elif quote.strip():
                refused.append(AMBIGUOUS_EVIDENCE if anchors else NO_EVIDENCE)
        made = Suggestion(
            id="",
            maker=maker,
            run="",
            claim=(Anchor(Side.SUMMARY, 0, spans_meant[0]),),
            evidence=tuple(evidence),
            labels=(label.path,),
            note=shorten_reason(part.reason),
        )
        one = with_id(sample.key, made)
        found.setdefault(one.id, one)
    return LocatedProposals(tuple(found.values()), tuple(refused))


def _locate_evidence(quote: str, sample: Sample) -> list[Anchor]:
    """Return all positions in the sources that a quote may mean."""
    return [
        Anchor(Side.SOURCE, index, span)
        for index, document in enumerate(sample.side(Side.SOURCE))
        for span in find_meant_spans(quote, document.text)
    ]


@dataclass(slots=True)
class ProposalReader:
    """Parses the replies about one sample, and keeps why the last reply has nothing usable.

    Attributes:
        refused: reasons of the proposals that were refused, if the reply has no other proposals.
    """

    sample: Sample
    labels: PromptLabels
    maker: str
    reason: str = ""
    refused: tuple[str, ...] = ()

    def __call__(self, reply: str) -> LocatedProposals | None:
        """Return what a reply proposes; None if it is unreadable or all proposals are refused."""
        self.reason = ""
        self.refused = ()
        spans = parse_proposals(reply)
        if spans is None:
            self.reason = _UNREADABLE
            return None
        found = locate_proposals(self.sample, spans, self.labels, maker=self.maker)
        if not spans or found.suggestions:
            return found
        self.refused = found.refused
        counts = (f"{each}: {count:,}" for each, count in sorted(Counter(self.refused).items()))
        self.reason = f"all proposals were refused: {'; '.join(counts)}"
        return None


def shorten_reason(text: str) -> str:
    """Shorten a model's reason to one printable line of at most 500 code points."""
    plain = "".join(each if each.isprintable() else " " for each in text)
    line = " ".join(plain.split())
    return line if len(line) <= _MAX_REASON else f"{line[: _MAX_REASON - 1]}…"


PROMPT: Final = "annotate"
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
    """What a run of proposals would send.

    Attributes:
        samples: number of samples, of which `cached` need no request.
        characters: length of all prompts to be sent, in code points.
    """

    samples: int
    cached: int
    characters: int


@dataclass(frozen=True, slots=True)
class MissingProposals:
    """Why a sample has no usable reply; `unusable`: whether all proposals of it were refused."""

    missing: NoReply
    reason: str
    unusable: bool = False

    def __str__(self) -> str:
        return f"{self.missing.kind}: {self.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalReport:
    """The result of asking a model for unsupported spans.

    Attributes:
        skipped: number of samples without a source or a summary.
        cut: number of samples whose text was cut.
        new: number of suggestions that were not stored before.
        nothing_found: number of samples for which the model proposes nothing.
        missing: the samples without a usable reply, which have no value, in order.
        earlier: suggestions of earlier runs of the model that it does not propose any more.
    """

    run: str
    samples: int
    skipped: int
    cut: int
    proposals: int
    new: int
    refused: Mapping[str, int]
    tally: ReplyTally
    nothing_found: int = 0
    missing: Mapping[SampleKey, MissingProposals] = field(default_factory=dict)
    earlier: tuple[EarlierSuggestions, ...] = ()


@dataclass(slots=True)
class _RunState:
    options: ProposalOptions
    labels: PromptLabels
    versions: dict[str, str] = field(default_factory=dict)
    total: int = 0
    read: int = 0
    skipped: int = 0
    cut: int = 0
    found: dict[SampleKey, tuple[Suggestion, ...]] = field(default_factory=dict)
    missing: dict[SampleKey, MissingProposals] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)

    def take(self, reader: ProposalReader, reply: ParsedReply[LocatedProposals]) -> None:
        """Keep what a sample's reply proposes, or why it has no usable reply."""
        key = reader.sample.key
        if reply.value is not None:
            self.found[key] = reply.value.suggestions
            self.refused.update(reply.value.refused)
        elif reply.missing is not None:
            self.missing[key] = MissingProposals(
                reply.missing, reply.reason or reader.reason, unusable=bool(reader.refused)
            )
            self.refused.update(reader.refused)

    def counts(self) -> dict[str, int]:
        """Return the numbers of samples to store with a run."""
        return {
            "samples": self.read,
            "nothing_found": self.nothing_found,
            "missing": len(self.missing),
        }

    def pairs(self) -> Iterator[tuple[SampleKey, Suggestion]]:
        for key, several in self.found.items():
            for each in several:
                yield key, each

    @property
    def nothing_found(self) -> int:
        return sum(not several for several in self.found.values())

    def build_question(self, sample: Sample) -> Question:
        """Return the request for a sample, with texts cut to the limit of characters.

        Counts the samples whose texts were cut, and records the version of the prompt.
        """
        summary = sample.document(Side.SUMMARY)
        language = self.options.language or summary.language
        prompt = prompts.load_prompt(PROMPT, language=language, folders=self.options.folders)
        self.versions[f"{PROMPT}.{prompt.language}"] = prompt.version
        texts = [document.text for document in sample.side(Side.SOURCE)]
        source = "\n\n".join(texts)
        most = self.options.max_chars
        if len(source) > most or len(summary.text) > most:
            self.cut += 1
        user = prompt.fill(
            labels=self.labels.describe(), source=source[:most], summary=summary.text[:most]
        )
        return Question(user=user, max_tokens=_MAX_TOKENS)


@check_keywords
@dataclass(frozen=True, slots=True)
class ProposalService:
    """Asks a judge for unsupported spans of samples, and stores them as suggestions."""

    machines: MachineServices

    def plan(self, options: ProposalOptions, judge: Judge) -> ProposalPlan:
        """Count the samples, requests and characters of a run without sending a request.

        Raises:
            NotAllowed, NotFound: as for `run`.
        """
        require_permission(self.machines.actor, Permission.MANAGE)
        state, parser = self._start_run(options, judge)
        samples = 0
        cached = 0
        characters = 0
        for some in self._read_pages(state):
            for sample in some:
                question = state.build_question(sample)
                known = parser.cached(question, ProposalReader(sample, state.labels, ""))
                samples += 1
                if known:
                    cached += 1
                else:
                    characters += len(question.user)
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
            Unavailable: the endpoint cannot be reached, or answers no question. Suggestions of
                the replies so far are stored.
            NotAllowed: the current user may not manage the workspace.
        """
        require_permission(self.machines.actor, Permission.MANAGE)
        state, parser = self._start_run(options, judge)
        maker = f"judge:{judge.model}"
        began = time.monotonic()
        waiting = replies_from(judge.host)

        def report_progress(unread: int = 0) -> None:
            if progress:
                done = state.read - unread
                share = (done + state.skipped) / state.total
                seconds = time.monotonic() - began
                progress(
                    TaskProgress("asking", done, share=share, seconds=seconds, waiting=waiting)
                )

        try:
            for some in self._read_pages(state):
                report_progress(len(some))
                readers = [ProposalReader(sample, state.labels, maker) for sample in some]
                self._ask_page(readers, parser, state)
                report_progress()
        except Unavailable:
            # The scores of a part of the samples would hide those of an earlier, complete run.
            self._store_suggestions(options, judge, state)
            raise
        parser.tally.check_refusals()
        run, new = self._store_suggestions(options, judge, state)
        if (new or parser.tally.asked) and state.found and not options.limit:
            scores = _score_run(options, judge, state, kind=RunKind.JUDGE)
            self.machines.scores.write(scores, _count_spans(state))
        return ProposalReport(
            run=run.id if new else "",
            samples=state.read,
            skipped=state.skipped,
            cut=state.cut,
            proposals=sum(map(len, state.found.values())),
            new=new,
            refused=dict(sorted(state.refused.items())),
            tally=parser.tally,
            nothing_found=state.nothing_found,
            missing=state.missing,
            earlier=find_earlier(
                self.machines.suggestions, {(key, run.maker) for key in state.found}, state.pairs()
            ),
        )

    def _ask_page(
        self, readers: Sequence[ProposalReader], parser: ParsingJudge, state: _RunState
    ) -> None:
        """Ask about some samples; keep the replies in the order of the samples, also on errors."""
        questions = [(state.build_question(reader.sample), reader) for reader in readers]
        replies: list[tuple[int, ParsedReply[LocatedProposals]]] = []
        try:
            for each in parser.ask_each(questions):
                replies.append(each)  # noqa: PERF402  an error must not lose the replies before it
        finally:
            for at, reply in sorted(replies, key=itemgetter(0)):
                state.take(readers[at], reply)

    def _store_suggestions(
        self, options: ProposalOptions, judge: Judge, state: _RunState
    ) -> tuple[ScoreRun, int]:
        """Store the suggestions so far; return their run, and how many are new."""
        run = _score_run(options, judge, state, kind=RunKind.SUGGEST)
        return run, self.machines.suggestions.add(run, state.pairs())

    def _start_run(self, options: ProposalOptions, judge: Judge) -> tuple[_RunState, ParsingJudge]:
        prompts.check_folders(options.folders)
        language = options.language or prompts.LANGUAGES[0]
        reminder = prompts.load_prompt("again", language=language, folders=options.folders)
        state = _RunState(options, PromptLabels(self.machines.labels(options.dataset)))
        return state, ParsingJudge(judge, reminder=reminder.fill())

    def _read_pages(self, state: _RunState) -> Iterator[list[Sample]]:
        """Yield lists of samples that have a source and a summary; no transaction stays open."""
        dataset = state.options.dataset
        limit = state.options.limit
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


def _count_spans(state: _RunState) -> Iterator[Score]:
    """Yield each sample's number of proposed spans as a score, normalised over all samples.

    The score of a sample without a usable reply has no value, and the reason as its text.
    """
    counts = [float(len(several)) for several in state.found.values()]
    for key, count, value in zip(state.found, counts, normalise_values(counts), strict=True):
        yield Score(key=key, name=SPANS, raw=count, value=value)
    for key, each in state.missing.items():
        yield Score(key=key, name=SPANS, raw=None, value=None, text=str(each))


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
            "counts": state.counts(),
        },
        low=frozenset({SPANS}),
    )
