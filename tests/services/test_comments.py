"""Remarks and news: each is read by whom it is for, and told once."""

from __future__ import annotations

import re
from itertools import count

import pytest
from sqlalchemy import insert

from tests.helpers.printed_numbers import printed_numbers
from tests.helpers.stores import annotate, claim, fill
from tui_annotate.domain.comments import CommentThread
from tui_annotate.domain.errors import InvalidInput, NotAllowed, NotFound
from tui_annotate.domain.people import OPERATOR, Actor, Person, Role, second_reader
from tui_annotate.domain.samples import SampleKey
from tui_annotate.services.comments import CommentService, News
from tui_annotate.storage.columns import PEOPLE
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.labels.store import GuidanceKind, GuidanceStore
from tui_annotate.storage.log.comments import CommentStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.sqlite_database import SqliteDatabase

MOMENTS = count(1)


@pytest.fixture
def corpus(database: SqliteDatabase) -> CorpusStore:
    """Its corpus."""
    return CorpusStore(database)


def clock() -> str:
    """A later moment each time, after whatever the stores' own clocks say."""
    return f"2999-01-01T00:00:{next(MOMENTS):09d}"


def names() -> dict[str, str]:
    """Who is who."""
    return {"ana": "Ana", "ben": "Ben", "li": "Li"}


def remarks(
    database: SqliteDatabase, person: str = "", role: Role = Role.ANNOTATOR
) -> CommentService:
    """The service as somebody has it; as the owner of the files without a name."""
    actor = Actor(person, role) if person else OPERATOR
    return CommentService(CommentStore(database, actor=actor), names, actor, clock)


def news(database: SqliteDatabase, person: str) -> News:
    """The service as an annotator has it, whose clock is that of the remarks."""
    actor = Actor(person, Role.ANNOTATOR)
    store = CommentStore(database, actor=actor)
    return News(GuidanceStore(database), store, PeopleStore(database), names, clock)


@pytest.fixture
def key(database: SqliteDatabase, corpus: CorpusStore) -> SampleKey:
    """A sample, in a store that knows three people."""
    with database.writing() as connection:
        for name in names():
            row = {"id": name, "name": name.title(), "kind": "account", "created": ""}
            connection.execute(insert(PEOPLE).values(row))
    return fill(corpus, "1", "2")[0]


def texts(talks: list[CommentThread]) -> list[list[str]]:
    """What was said, talk by talk."""
    return [[each.text for each in talk.remarks] for talk in talks]


def test_a_talk_goes_to_and_fro(database: SqliteDatabase, key: SampleKey) -> None:
    """One talk for a person and a sample in each reading; it waits, then does not."""
    ana, li = remarks(database, "ana"), remarks(database, "li", Role.REVIEWER)
    ana.write("ana", key, "Is a date a number?")
    (asked,) = li.list_threads(unanswered=True)
    li.reply(asked.id[:6], "It is.")
    assert li.list_threads(unanswered=True) == []
    second = second_reader(Person("ana", "Ana")).id
    ana.write(second, key, "Thanks.")
    found = ana.find_thread(second, key)
    assert found is not None
    assert texts([found]) == [["Thanks."]]
    assert found.waiting
    first = ana.find_thread("ana", key)
    assert first is not None
    assert texts([first]) == [["Is a date a number?", "It is."]]
    assert ana.find_thread("ana", SampleKey("d", "2")) is None


def test_nobody_reads_the_talks_of_another(database: SqliteDatabase, key: SampleKey) -> None:
    """Annotators see their own talks alone, whatever they ask for; reviewers and admins see all."""
    ana, ben = remarks(database, "ana"), remarks(database, "ben")
    ana.write("ana", key, "Mine.")
    ben.write("ben", key, "His.")
    remarks(database, "li", Role.REVIEWER).reply(ana.list_threads()[0].id, "Yours.")
    assert texts(ana.list_threads()) == [["Mine.", "Yours."]]
    assert texts(ben.list_threads(sample=key)) == [["His."]]
    assert ben.find_thread("ana", key) is None
    assert ben.store.replies("ana") == []
    for service in (remarks(database), remarks(database, "li", Role.REVIEWER)):
        assert texts(service.list_threads()) == [["Mine.", "Yours."], ["His."]]


def test_who_may_say_what(database: SqliteDatabase, key: SampleKey) -> None:
    """Nobody writes as another; annotators answer nobody, and only admins tell all."""
    ana = remarks(database, "ana")
    talk = ana.write("ana", key, "Why?")
    for refused in (
        lambda: ana.write("ben", key, "As Ben."),
        lambda: ana.reply(talk.id, "So."),
        lambda: ana.notice("All!"),
        lambda: remarks(database, "li", Role.REVIEWER).notice("All!"),
    ):
        with pytest.raises(NotAllowed):
            refused()
    remarks(database, "li", Role.ADMIN).notice("All!")
    assert [each.text for each in ana.notices()] == ["All!"]


def test_what_can_not_be_said(database: SqliteDatabase, key: SampleKey) -> None:
    """Nothing, about no sample, in no talk, or what no store takes."""
    ana, owner = remarks(database, "ana"), remarks(database)
    for wrong in ("", "a\0b", "\ud800"):
        with pytest.raises(InvalidInput):
            ana.write("ana", key, wrong)
    with pytest.raises(NotFound):
        ana.write("ana", SampleKey("d", "none"), "Where?")
    for start in ("", "zz"):
        with pytest.raises(NotFound):
            owner.reply(start, "So.")
    assert (owner.name("ana"), owner.name("x"), owner.name("")) == ("Ana", "x", "admin")


def told(service: News, person: str) -> list[list[tuple[str, ...]]]:
    """The lines of each of the news."""
    return [[tuple(line) for line in item.lines] for item in service.of(person)]


NOTICE: list[tuple[str, ...]] = [(" ", "Welcome.")]


def test_news_are_told_once(database: SqliteDatabase, key: SampleKey) -> None:
    """Notices, replies, and what changed in guidelines and labels, since the last time."""
    guidance, ana = GuidanceStore(database), news(database, "ana")
    guidance.keep(GuidanceKind.GUIDELINES, "Mark it.\n")
    remarks(database).notice("Welcome.")
    assert told(ana, "ana") == [NOTICE]
    ana.saw("ana")
    assert told(ana, "ana") == []
    talk = remarks(database, "ana").write("ana", key, "Why?")
    remarks(database, "ben").write("ben", key, "Me too.")
    assert told(ana, "ana") == []
    remarks(database, "li", Role.REVIEWER).reply(talk.id, "So.")
    ana.people.keep_preference("ana", "news_seen", "2000")
    assert told(ana, "ana") == [NOTICE, [(" ", "So.")], [("+", "Mark it.")]]
    answered = ana.of("ana")[1].title
    assert ("Li" in answered, "d/1" in answered) == (True, True)
    assert told(news(database, "ben"), "ben") == [NOTICE]


def test_a_change_is_told_by_its_lines(database: SqliteDatabase, key: SampleKey) -> None:
    """Against what was in force at the last time; a way there and back is no news."""
    del key
    guidance, ana = GuidanceStore(database), news(database, "ana")
    guidance.keep(GuidanceKind.GUIDELINES, "One.\nTwo.\n")
    then = guidance.editions(GuidanceKind.GUIDELINES)[-1].at
    ana.people.keep_preference("ana", "news_seen", then)
    guidance.keep(GuidanceKind.GUIDELINES, "One.\nThree.\n")
    guidance.keep(GuidanceKind.GUIDELINES, "Own.\n", dataset="d", by="li")
    first, own = ana.of("ana")
    assert [tuple(piece) for piece in first.lines] == [
        (" ", "One."),
        ("-", "Two."),
        ("+", "Three."),
    ]
    assert [tuple(piece) for piece in own.lines] == [("+", "Own.")]
    assert re.search(r"\bd\b", own.title)
    assert not re.search(r"\bd\b", first.title)
    guidance.keep(GuidanceKind.GUIDELINES, "One.\nTwo.\n")
    assert told(ana, "ana") == [[("+", "Own.")]]
    guidance.keep(GuidanceKind.GUIDELINES, "\n".join(map(str, range(100))), dataset="d")
    (long,) = ana.of("ana")
    assert (len(long.lines), printed_numbers(long.lines[-1].text)) == (61, [["40"]])


def test_each_annotation_has_its_own_talk(database: SqliteDatabase, key: SampleKey) -> None:
    """Next to that of the sample; only the annotator's own annotations can be asked about."""
    annotating = annotate(database)
    for who in ("ana", "ben"):
        annotating.add(who, key, claim(f"{who}-1"), seconds=1)
    ana, li = remarks(database, "ana"), remarks(database, "li", Role.REVIEWER)
    ana.write("ana", key, "About all.")
    ana.write("ana", key, "About one.", annotation="ana-1")
    talk = ana.find_thread("ana", key, annotation="ana-1")
    assert talk is not None
    assert (talk.annotation, talk.waiting) == ("ana-1", True)
    li.reply(talk.id, "Yes.")
    ana.write("ana", key, "And this?", annotation="ana-1")
    assert texts(ana.list_threads()) == [["About all."], ["About one.", "Yes.", "And this?"]]
    assert [each.annotation for each in li.list_threads(unanswered=True)] == ["", "ana-1"]
    for name in ("ben-1", "nothing"):
        with pytest.raises(NotFound) as refused:
            ana.write("ana", key, "Mine?", annotation=name)
        assert repr(name) in refused.value.message
    annotating.remove("ana", key, "ana-1", version=1, seconds=1)
    ana.write("ana", key, "It is gone.", annotation="ana-1")
    assert len(li.list_threads()[1].remarks) == 4
