"""Messages between users: threads on a sample, and announcements to all annotators."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.labels import JOINER
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.text_diff import DiffPart

REVIEWERS: Final = "reviewers"
"""The recipients of a message from an annotator: all reviewers."""
ALL: Final = "all"
LONGEST: Final = 2000
LONGEST_QUOTE: Final = 500
"""Maximum number of characters of an annotation's text that a question repeats."""
_BETWEEN: Final = " ... "


@dataclass(frozen=True, slots=True)
class PersonComment:
    """A message from one user to others, about a sample or to all annotators.

    Attributes:
        sample: the sample that the message is about; None for an announcement.
        reader: `REVIEWERS`, `ALL`, or a person's id.
        answers: id of the thread's first message; empty for a first message.
        annotation: id of the annotation that an annotator asks about; empty for the whole sample,
            and in replies. The annotation may have been deleted since.
        quote, labels: text and labels of this annotation when the message was written; empty if it
            was already deleted.
    """

    id: str
    sample: SampleKey | None
    author: str
    reader: str
    answers: str
    text: str
    at: str
    annotation: str = ""
    quote: str = ""
    labels: tuple[LabelPath, ...] = ()

    @property
    def asker(self) -> str:
        """The id of the annotator whose thread has the message; `ALL` for an announcement."""
        return self.author if self.reader == REVIEWERS else self.reader


@dataclass(frozen=True, slots=True)
class CommentThread:
    """The messages between an annotator and the reviewers, in order of time.

    They are about one sample, or about one annotation of the annotator.
    """

    remarks: Sequence[PersonComment]

    @property
    def question(self) -> PersonComment:
        """The first question; the clock of another machine may put a reply before it."""
        asked = (each for each in self.remarks if each.reader == REVIEWERS)
        return next(asked, self.remarks[0])

    @property
    def id(self) -> str:
        return self.question.id

    @property
    def person(self) -> str:
        """The id of the annotator who began the conversation."""
        return self.question.asker

    @property
    def annotation(self) -> str:
        """The id of the annotation that the thread is about; empty for the whole sample."""
        return self.question.annotation

    @property
    def quoted(self) -> PersonComment:
        """The first message that has the text of the annotation; without any, the question."""
        return next((each for each in self.remarks if each.quote), self.question)

    @property
    def about(self) -> str:
        """Labels and text of the annotation when its annotator first asked; empty if unknown."""
        quoted = self.quoted
        return describe_quote(quoted.quote, quoted.labels) if quoted.quote else ""

    @property
    def waiting(self) -> bool:
        """Whether the last message waits for an answer of the reviewers."""
        return self.remarks[-1].reader == REVIEWERS


@dataclass(frozen=True, slots=True)
class NewsItem:
    """A news item shown at the start of a session, such as changed lines of the guidelines."""

    title: str
    lines: tuple[DiffPart, ...]


def check_text(text: str) -> str:
    """Return a stripped message; InvalidInput if it is empty or has over 2,000 code points."""
    trimmed = text.strip()
    if not trimmed or len(trimmed) > LONGEST:
        raise InvalidInput(
            f"the message has {len(trimmed):,} characters", f"write 1 to {LONGEST:,} characters"
        )
    return trimmed


def describe_quote(quote: str, labels: Sequence[LabelPath]) -> str:
    """Return the labels and the quoted text of an annotation."""
    named = ", ".join(JOINER.join(path) for path in labels)
    return f'{named or "no label"}: "{quote}"'


def quote_annotation(annotation: Annotation, read: Callable[[Side, int], str]) -> str:
    """Return the text of an annotation's claim, else of its evidence; a long one is cut.

    `read` returns the text of the document at an index on one side of the sample.
    """
    anchors = annotation.claim or annotation.evidence
    texts = [each.span.of(read(each.side, each.index)) for each in anchors]
    whole = _BETWEEN.join(texts)
    return whole if len(whole) <= LONGEST_QUOTE else whole[:LONGEST_QUOTE] + _BETWEEN.rstrip()


def hide_reviewer(comment: PersonComment) -> PersonComment:
    """Return a message as its annotator may receive it in a file: no reply names its reviewer."""
    return comment if comment.reader == REVIEWERS else replace(comment, author=REVIEWERS)


def comment_to_json(comment: PersonComment) -> dict[str, Any]:
    """Return a message as JSON fields for files; fields on an annotation only if there is one."""
    dataset, sample = comment.sample or ("", "")
    value: dict[str, Any] = {"dataset": dataset, "sample": sample}
    value |= {name: getattr(comment, name) for name in _TEXT_FIELDS}
    if comment.annotation:
        labels = [list(path) for path in comment.labels]
        value |= {"annotation": comment.annotation, "quote": comment.quote, "labels": labels}
    return value


def comment_from_json(value: Any) -> PersonComment:
    """Return a message on a sample from JSON fields of a file.

    Raises:
        InvalidInput: a field is missing or is not text, or the message is too long or an
            announcement.
    """
    if not isinstance(value, Mapping):
        raise InvalidInput(f"a question is {value!r:.40}, not a JSON object")
    texts = {name: value.get(name, "") for name in (*_TEXT_FIELDS, *_ABOUT_FIELDS)}
    for name, text in texts.items():
        if not isinstance(text, str) or (name in _NEEDED_FIELDS and not text):
            raise InvalidInput(f"the field {name!r} of a question is {text!r:.40}, not a text")
    if texts["reader"] == ALL:
        raise InvalidInput("an announcement is not a question")
    check_text(texts["text"])
    labels = value.get("labels", [])
    if not isinstance(labels, list) or not all(_is_label(path) for path in labels):
        raise InvalidInput("the field 'labels' of a question is not a list of labels")
    key = SampleKey(texts.pop("dataset"), texts.pop("sample"))
    return PersonComment(sample=key, labels=tuple(map(tuple, labels)), **texts)


_TEXT_FIELDS: Final = ("id", "author", "reader", "answers", "text", "at")
_ABOUT_FIELDS: Final = ("dataset", "sample", "annotation", "quote")
_NEEDED_FIELDS: Final = {"dataset", "sample", "id", "reader", "text", "at"}


def _is_label(path: Any) -> bool:
    return isinstance(path, list) and bool(path) and all(isinstance(name, str) for name in path)
