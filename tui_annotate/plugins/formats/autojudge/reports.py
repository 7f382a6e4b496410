"""A report of a run in the one form that all else uses; it takes any of the three ways to cite."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.plugins.admission import LONGEST_TEXT, described, identifier
from tui_annotate.plugins.formats.autojudge.fields import unfit

BREAK: Final = "\n\n"
"""Between a document's title and its text."""
_SHAPES: Final = {"ids": "document ids", "map": "a map with confidences", "places": "numbers"}
_MEND: Final = "cite in one way in all of a report"


class Page(NamedTuple):
    """A document as a report has it; title and url are None where they are not given."""

    text: str
    title: str | None = None
    url: str | None = None

    @property
    def whole(self) -> str:
        """The text that is read and that offsets count in: the title, if any, stands before it."""
        return f"{self.title}{BREAK}{self.text}" if self.title else self.text


class Sentence(NamedTuple):
    """A sentence, and the ids of the documents that it cites, as the report orders them."""

    text: str
    citations: tuple[str, ...] = ()


class Run(NamedTuple):
    """Whose report it is."""

    run: str
    team: str


@dataclass(frozen=True, slots=True)
class RunReport:
    """What one run answers to one topic.

    Attributes:
        documents: by id, as the report orders them; an id that is cited may be missing.
    """

    topic: str
    run: Run
    sentences: tuple[Sentence, ...]
    documents: Mapping[str, Page] = field(default_factory=dict)

    def cited(self) -> list[str]:
        """The ids that it cites, each once, in order."""
        return list(dict.fromkeys(key for one in self.sentences for key in one.citations))

    def as_json(self) -> dict[str, Any]:
        """The report as it stands in exported lines: keys and order are the format's."""
        return {
            "team_id": self.run.team,
            "run_id": self.run.run,
            "topic_id": self.topic,
            "sentences": [sentence_to_json(one) for one in self.sentences],
            "documents": {key: page_to_json(key, one) for key, one in self.documents.items()},
        }


def sentence_to_json(sentence: Sentence) -> dict[str, Any]:
    """A sentence of a report; without a citation there is no list."""
    cited = {"citations": list(sentence.citations)} if sentence.citations else {}
    return {"text": sentence.text, **cited}


def page_to_json(key: str, page: Page) -> dict[str, Any]:
    """A document of a report."""
    return {"id": key, "text": page.text, "title": page.title, "url": page.url}


def packed(report: RunReport) -> str:
    """The report as one line, which `unpacked` reads."""
    return json.dumps(report.as_json(), ensure_ascii=False)


def unpacked(line: str) -> RunReport:
    """What `packed` wrote."""
    value = json.loads(line)
    return RunReport(
        value["topic_id"],
        Run(value["run_id"], value["team_id"]),
        tuple(Sentence(one["text"], tuple(one.get("citations", ()))) for one in value["sentences"]),
        {
            key: Page(one["text"], one["title"], one["url"])
            for key, one in value["documents"].items()
        },
    )


def report_of(value: Mapping[str, Any]) -> tuple[RunReport, list[str]]:
    """A report as a system wrote it, and doubts about its documents.

    Raises:
        InvalidInput: it says not whose it is or on what; it has no sentences; something in it has
            the wrong kind; or it cites in several ways.
    """
    about = value.get("metadata")
    if not isinstance(about, dict):
        raise unfit(value, "metadata", "an object")
    told = next((name for name in ("responses", "answer") if value.get(name) is not None), None)
    if told is None:
        raise InvalidInput("there is neither 'responses' nor 'answer'", "a report has sentences")
    sentences = _sentences(value[told], value.get("references"), name=told)
    documents, doubts = pages(value.get("documents"))
    run = Run(*(_name(about, name, of="metadata") for name in ("run_id", "team_id")))
    return RunReport(_topic(about), run, sentences, documents), doubts


def written_report(line: Mapping[str, Any], *, of: str = "") -> RunReport:
    """The report that stands in an exported line.

    Args:
        of: what holds it, where that is not all of the line.

    Raises:
        InvalidInput: something is missing or of the wrong kind.
    """
    value = line.get("report")
    if not isinstance(value, dict):
        raise unfit(line, "report", "an object", of=of)
    if not isinstance(value.get("sentences"), list):
        raise unfit(value, "sentences", "a list", of="report")
    sentences = _sentences(value["sentences"], None, name="sentences")
    documents, doubts = pages(value.get("documents"))
    if doubts:
        raise InvalidInput(doubts[0])
    run, team, topic = (
        _name(value, name, of="report") for name in ("run_id", "team_id", "topic_id")
    )
    return RunReport(topic, Run(run, team), sentences, documents)


def _name(about: Mapping[str, Any], name: str, *, of: str) -> str:
    value = about.get(name)
    if not isinstance(value, str):
        raise unfit(about, name, of=of)
    return identifier(value, what=name)


def _topic(about: Mapping[str, Any]) -> str:
    """The topic: `topic_id`, else `narrative_id`, which may be a number."""
    narrative = about.get("narrative_id")
    told = None if narrative is None else identifier(narrative, what="narrative_id")
    if about.get("topic_id") is None:
        if told is None:
            raise InvalidInput("there is neither 'topic_id' nor 'narrative_id' in 'metadata'")
        return told
    topic = _name(about, "topic_id", of="metadata")
    if told not in (None, topic):
        raise InvalidInput(
            f"'topic_id' is {topic!r} and 'narrative_id' is {told!r}", "they must be the same"
        )
    return topic


def _sentences(value: Any, references: Any, *, name: str) -> tuple[Sentence, ...]:
    if not isinstance(value, list):
        raise InvalidInput(f"{name!r} is {described(value)}, not a list")
    texts, cited = [], []
    for place, each in enumerate(value):
        if not isinstance(each, dict):
            message = f"sentence {place} of {name!r} is {described(each)}, not an object"
            raise InvalidInput(message, 'write {"text": "..."}')
        if not isinstance(each.get("text"), str):
            error = unfit(each, "text")
            raise InvalidInput(f"sentence {place} of {name!r}: {error.message}", error.hint)
        texts.append(each["text"])
        cited.append(each.get("citations"))
    return tuple(map(Sentence, texts, _cited(cited, references)))


def _cited(cited: Sequence[Any], references: Any) -> list[tuple[str, ...]]:
    """What each sentence cites, as ids; all must cite in one way."""
    first: tuple[int, str] | None = None
    for place, value in enumerate(cited):
        shape = _shape(value, place)
        if shape and first and shape != first[1]:
            ways = f"{first[0]} by {_SHAPES[first[1]]}, sentence {place} by {_SHAPES[shape]}"
            raise InvalidInput(f"sentence {ways}", _MEND)
        first = first or ((place, shape) if shape else None)
    if first is None:
        return [()] * len(cited)
    listed = _references(references) if first[1] == "places" else []
    return [_ids(value or (), listed) for value in cited]


def _shape(value: Any, place: int) -> str:
    """How a sentence cites: a key of `_SHAPES`; empty where it cites nothing."""
    if isinstance(value, dict):
        if all(_is_number(each) for each in value.values()):
            return "map" if value else ""
    elif isinstance(value, list):
        if all(isinstance(each, str) for each in value):
            return "ids" if value else ""
        if all(isinstance(each, int) and not isinstance(each, bool) for each in value):
            return "places"
    elif value is None:
        return ""
    raise InvalidInput(
        f"the citations of sentence {place} are neither ids, numbers, nor ids with confidences",
        'write ["doc-1"], [0] with \'references\', or {"doc-1": 0.9}',
    )


def _is_number(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _references(value: Any) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise InvalidInput("'references' is no list of document ids")
    return value


def _ids(value: Any, references: Sequence[str]) -> tuple[str, ...]:
    """Ids in their order; of a map the surest first; numbers outside of `references` name none."""
    if isinstance(value, dict):
        found = sorted(value, key=lambda key: -value[key])
    elif value and isinstance(value[0], str):
        found = list(value)
    else:
        found = [references[each] for each in value if 0 <= each < len(references)]
    return tuple(identifier(each, what="id of a cited document") for each in found)


def pages(value: Any) -> tuple[dict[str, Page], list[str]]:
    """The documents of a report by id, and what is wrong with those that are left out.

    Raises:
        InvalidInput: there is something else than documents by id.
    """
    if value is None:
        return {}, []
    if not isinstance(value, dict):
        raise InvalidInput(f"'documents' is {described(value)}, not an object")
    found, doubts = {}, []
    for key, each in value.items():
        try:
            found[identifier(key, what="id of a document")] = page(each)
        except InvalidInput as error:
            doubts.append(f"document {key[:60]!r} is not available: {error.message}")
    return found, doubts


def page(value: Any) -> Page:
    """A document.

    Raises:
        InvalidInput: it has no text, too much of it, or something in it has the wrong kind.
    """
    if not isinstance(value, dict):
        raise InvalidInput(f"it is {described(value)}, not an object")
    text, title, url = value.get("text"), value.get("title"), value.get("url")
    if not isinstance(text, str):
        raise _its(unfit(value, "text"))
    for name, told in (("title", title), ("url", url)):
        if not isinstance(told, str | None):
            raise _its(unfit(value, name))
    made = Page(text, title or None, url)
    if not made.whole.strip():
        raise InvalidInput("it has no text")
    if (length := len(made.whole)) > LONGEST_TEXT:
        raise InvalidInput(f"it holds {length:,} characters, more than {LONGEST_TEXT:,}")
    return made


def _its(error: InvalidInput) -> InvalidInput:
    return InvalidInput(f"its {error.message}", error.hint)
