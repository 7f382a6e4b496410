"""The pages before work and around it, over real stores with accounts."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest

from tests.tui.screens.annotate_app import make_workspace
from tests.tui.team import ANA, LI, OWN, PASSWORD, Visitor, add, make_team, visiting
from tui_annotate import workspace
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.people import Person, PersonKind, Role
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor.messages import MessageCode
from tui_annotate.tui.auth_session import TokenFile
from tui_annotate.tui.key_queue import forget_keys
from tui_annotate.tui.screens import sign_in_forms
from tui_annotate.tui.screens.sign_in_forms import CODE
from tui_annotate.tui.session import ForcedIdentity

TEXT = "The film was loved"
_SIGN_IN, _OWN = (
    sign_in_forms.sign_in_form("", can_stay_signed_in=True),
    sign_in_forms.password_form(""),
)
CODE_CHOICE, EMAIL_FIELD = dict(_SIGN_IN.choices)[CODE].text(), _SIGN_IN.fields[0].name.text()
OLD_FIELD, _, AGAIN_FIELD = (field.name.text() for field in _OWN.fields)
OWN_PAGE = sign_in_forms.first_password_form("", old=True).title.text()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three samples, Ana and 李娜."""
    return make_team(tmp_path / "work")


async def signed_in(visitor: Visitor, email: str = LI, password: str = PASSWORD) -> None:
    """Barrier the first page, to work."""
    await visitor.until(CODE_CHOICE)
    await visitor.type(email, password)
    await visitor.at_work()


def saved(folder: Path) -> list[tuple[str, Annotation]]:
    """All annotations, each with the name of whose it is."""
    with workspace.open(folder) as space:
        names = {person.id: person.name for person in space.people.all()}
        return [(names[owned.person], owned.annotation) for _, owned in space.annotations()]


async def test_nothing_of_the_work_is_seen_before_one_signs_in(folder: Path) -> None:
    """What is wrong is told in words; then everything is done as the one who signed in."""
    async with visiting(folder) as visitor:
        await visitor.until(CODE_CHOICE)
        assert TEXT not in visitor.shown()
        await visitor.type(LI, "wrong")
        await visitor.until("✗")
        assert LI in visitor.shown()
        assert TEXT not in visitor.shown()
        await visitor.type(PASSWORD)
        await visitor.at_work()
        assert TEXT in visitor.shown()
        assert "李娜" in visitor.shown()
        await visitor.pilot.press("full_stop", "1")
        await visitor.until("✓ saved")
    assert [name for name, _ in saved(folder)] == ["李娜"]


def imported(folder: Path, *people: str) -> Path:
    """A workspace with an imported annotation of each person, all named Zoe."""
    make_workspace(folder)
    with workspace.open(folder) as space:
        stored = space.corpus.sample(next(space.samples()).key).sample
        for number, person in enumerate(people):
            made = Annotation(
                person,
                (Anchor(Side.SUMMARY, 0, Span(number, number + 3)),),
                labels=(("Unwanted",),),
                origin="imported:mercury",
            )
            known = Person(person, "Zoe", PersonKind.IMPORTED)
            owned = (OwnedAnnotation(person, made),)
            space.log.import_records([Record(stored, owned, (), (known,))])
    return folder


SAME = sign_in_forms.same_person_form([Person("z", "Zoe")])
YES, NO = (name.text() for _, name in SAME.choices)


@pytest.mark.parametrize(("keys", "work"), [(("enter",), 1), (("down", "enter"), 0)])
async def test_the_user_is_asked_once_about_imported_work(
    tmp_path: Path, keys: tuple[str, ...], work: int
) -> None:
    """Yes continues the imported work under its id; no keeps both people, and no text is shown."""
    folder = imported(tmp_path / "work", "ab12")
    async with visiting(folder, person="Zoe") as visitor:
        await visitor.until(YES)
        assert NO in visitor.shown()
        assert TEXT not in visitor.shown()
        await visitor.pilot.press(*keys)
        await visitor.at_work()
    async with visiting(folder, person="Zoe") as visitor:
        await visitor.at_work()
    with workspace.open(folder) as space:
        zoe = space.person("Zoe").id
        assert (zoe == "ab12") is bool(work)
        assert len(list(space.annotations(person=zoe))) == work
        assert sorted(each.kind for each in space.people.all()) == (
            [PersonKind.LOCAL] if work else [PersonKind.IMPORTED, PersonKind.LOCAL]
        )


async def test_earlier_own_work_is_merged_with_the_imported_work(tmp_path: Path) -> None:
    """Who worked here before the file came has both after the answer."""
    folder = imported(tmp_path / "work", "ab12")
    with workspace.open(folder) as space:
        zoe = space.person("Zoe").id
    async with visiting(folder, person="Zoe") as visitor:
        await visitor.until(YES)
        await visitor.pilot.press("enter")
        await visitor.at_work()
    with workspace.open(folder) as space:
        assert space.person("Zoe").id == zoe
        assert [owned.person for _, owned in space.annotations()] == [zoe]


async def test_a_name_in_another_case_is_asked_about(tmp_path: Path) -> None:
    """The imported work belongs to the name that the user gave."""
    folder = imported(tmp_path / "work", "ab12")
    async with visiting(folder, person="zoe") as visitor:
        await visitor.until(YES)
        await visitor.pilot.press("enter")
        await visitor.at_work()
    async with visiting(folder, person="zoe") as visitor:
        await visitor.at_work()
    with workspace.open(folder) as space:
        zoe = space.person("zoe")
        assert (zoe.name, zoe.kind) == ("zoe", PersonKind.LOCAL)
        assert [owned.person for _, owned in space.annotations()] == [zoe.id]


async def test_an_ambiguous_imported_name_is_never_linked(tmp_path: Path) -> None:
    """With two imported people of the name, the page only names their ids and the command."""
    folder = imported(tmp_path / "work", "ab12", "cd34")
    async with visiting(folder, person="Zoe") as visitor:
        await visitor.until("users merge")
        assert "ab12, cd34" in visitor.shown()
        await visitor.pilot.press("enter")
        await visitor.at_work()
    with workspace.open(folder) as space:
        assert not list(space.annotations(person=space.person("Zoe").id))
        assert space.people.find_namesakes("Zoe") == ()


async def test_a_new_name_is_announced_once(tmp_path: Path) -> None:
    """The first session under a name next to other people shows a message on the status line."""
    folder = make_workspace(tmp_path / "work")
    with workspace.open(folder) as space:
        space.person("ana")
    for new in (True, False):
        async with visiting(folder, person="Zoe", size=(120, 24)) as visitor:
            await visitor.at_work()
            shown = MessageCode.NEW_NAME.text(name="Zoe")
            assert (shown in visitor.shown()) is new


async def test_without_accounts_no_page_comes(tmp_path: Path) -> None:
    """No key more than before, no lock, and no action of accounts."""
    async with visiting(make_workspace(tmp_path / "work"), person="ana") as visitor:
        await visitor.at_work()
        visitor.app.sign_in_flow.lock_if_idle()
        await visitor.pilot.press("colon")
        await visitor.until("Search for an action")
        await visitor.pilot.press(*"password")
        await visitor.until("No such action")
        await visitor.pilot.press("escape")


async def test_who_stays_signed_in_begins_at_once(folder: Path) -> None:
    """Until they sign out by the palette, which leaves."""
    async with visiting(folder) as visitor:
        await visitor.until(CODE_CHOICE)
        await visitor.type(LI)
        await visitor.pilot.press("down", "space", "up")
        await visitor.type(PASSWORD)
        await visitor.at_work()
    async with visiting(folder) as visitor:
        await visitor.at_work()
        assert "李娜" in visitor.shown()
        await visitor.choose("sign out and quit")
        while visitor.app.is_running:
            await visitor.pilot.pause(0.001)
    assert TokenFile.of(folder).read() is None
    async with visiting(folder) as visitor:
        await visitor.until(CODE_CHOICE)


async def test_an_invited_person_sets_a_password_and_works(folder: Path) -> None:
    """By a page of its own, which leads back as well."""
    with workspace.open(folder) as space:
        add(space, "Ben", "ben@example.org", invited=True)
        _, code = space.team.accounts.invite("ben@example.org")
    async with visiting(folder) as visitor:
        await visitor.until(CODE_CHOICE)
        await visitor.pilot.press("up", "enter")
        await visitor.until(AGAIN_FIELD)
        await visitor.pilot.press("escape")
        await visitor.until(EMAIL_FIELD)
        await visitor.pilot.press("up", "enter")
        await visitor.until(AGAIN_FIELD)
        await visitor.type(code, OWN, "another")
        await visitor.until("✗")
        await visitor.type(OWN, OWN)
        await visitor.at_work()
        assert "Ben" in visitor.shown()


async def test_a_password_of_somebody_else_is_changed_before_work(folder: Path) -> None:
    """The one that was just typed is not asked for again."""
    with workspace.open(folder) as space:
        space.team.accounts.reset_password(LI, "nine black herons")
    async with visiting(folder) as visitor:
        await visitor.until(CODE_CHOICE)
        await visitor.type(LI, "nine black herons")
        await visitor.until(OWN_PAGE)
        assert TEXT not in visitor.shown()
        await visitor.type(OWN, OWN)
        await visitor.at_work()
    async with visiting(folder) as visitor:
        await signed_in(visitor, password=OWN)


async def test_whom_sshd_knows_begins_at_once(folder: Path) -> None:
    """Nobody is asked for anything; a closed account is told, and q leaves."""
    with workspace.open(folder) as space:
        person = space.team.accounts.find(LI).person.id
    async with visiting(folder, bound=ForcedIdentity(person), own=False) as visitor:
        await visitor.at_work()
        assert "李娜" in visitor.shown()
    with workspace.open(folder) as space:
        space.team.accounts.disable(LI)
    async with visiting(folder, bound=ForcedIdentity(person), own=False) as visitor:
        await visitor.until("you have no account here")
        await visitor.pilot.press("q")


async def test_the_lock_covers_the_texts_and_gives_back_the_same_place(folder: Path) -> None:
    """A half-written note is kept before; only the password opens; then it is in hand again."""
    async with visiting(folder) as visitor:
        await signed_in(visitor)
        await visitor.pilot.press("down", "full_stop", "m", *"half")
        visitor.app.sign_in_flow.note_activity()
        clock = visitor.app.sign_in_flow._clock
        visitor.app.sign_in_flow._clock = lambda: clock() + 29 * 60
        visitor.app.sign_in_flow.lock_if_idle()
        await visitor.pilot.pause()
        assert "half" in visitor.shown()
        visitor.app.sign_in_flow._clock = lambda: clock() + 30 * 60
        visitor.app.sign_in_flow.lock_if_idle()
        visitor.app.sign_in_flow.lock_if_idle()
        await visitor.until("no key pressed for 30 minutes")
        for words in ("film", "half"):
            assert words not in visitor.shown()
        await visitor.type("wrong")
        await visitor.until("✗")
        await visitor.pilot.press("escape", "q")
        assert "Locked" in visitor.shown()
        await visitor.type("", PASSWORD)
        await visitor.until("half")
        await visitor.pilot.press("enter")
        await visitor.at_work()
        await visitor.pilot.press("1")
        await visitor.until("✓ saved")
    ((_, annotation),) = saved(folder)
    assert annotation.note == "half"


async def test_keys_wait_while_a_password_is_looked_at(folder: Path) -> None:
    """After a wrong one they are the next try; after the right one nothing below has them."""
    async with visiting(folder) as visitor:
        await signed_in(visitor)
        session_guard, looked = visitor.app.sign_in_flow.session_guard, Event()
        assert session_guard
        unlock = session_guard.unlock

        def slowly(password: str) -> None:
            assert looked.wait(60)
            unlock(password)

        session_guard.unlock = slowly  # type: ignore[method-assign]
        clock = visitor.app.sign_in_flow._clock
        visitor.app.sign_in_flow._clock = lambda: clock() + 30 * 60
        visitor.app.sign_in_flow.lock_if_idle()
        await visitor.until("no key pressed for 30 minutes")
        await visitor.type("wrong", PASSWORD)
        forget_keys(visitor.app.sample_screen)  # as a save does that is refused below the page
        looked.set()
        await visitor.until("Locked", gone=True)
        looked.clear()
        visitor.app.sign_in_flow._clock = lambda: clock() + 60 * 60
        visitor.app.sign_in_flow.lock_if_idle()
        await visitor.until("no key pressed for 30 minutes")
        await visitor.type(PASSWORD, ".1")
        looked.set()
        await visitor.until("Locked", gone=True)
        await visitor.at_work()
    assert saved(folder) == []


async def test_what_closes_itself_under_a_page_leaves_the_page(folder: Path) -> None:
    """A dialog that gets its answer late does not open the lock."""
    async with visiting(folder) as visitor:
        await signed_in(visitor)
        await visitor.pilot.press("G")
        await visitor.until("Go to sample")
        dialog = visitor.app.screen
        clock = visitor.app.sign_in_flow._clock
        visitor.app.sign_in_flow._clock = lambda: clock() + 31 * 60
        visitor.app.sign_in_flow.lock_if_idle()
        await visitor.until("Locked")
        dialog.dismiss()
        await visitor.pilot.pause()
        assert "Locked" in visitor.shown()
        assert "film" not in visitor.shown()


async def test_leaving_a_locked_screen_is_no_way_around_the_lock(folder: Path) -> None:
    """Also who had stayed signed in is asked at the next start."""
    async with visiting(folder) as visitor:
        await visitor.until(CODE_CHOICE)
        await visitor.type(LI)
        await visitor.pilot.press("down", "space", "up")
        await visitor.type(PASSWORD)
        await visitor.at_work()
        clock = visitor.app.sign_in_flow._clock
        visitor.app.sign_in_flow._clock = lambda: clock() + 31 * 60
        visitor.app.sign_in_flow.lock_if_idle()
        await visitor.until("Locked")
        await visitor.pilot.press("ctrl+q")
        while visitor.app.is_running:
            await visitor.pilot.pause(0.001)
    async with visiting(folder) as visitor:
        await visitor.until(CODE_CHOICE)


async def test_whom_a_key_knows_opens_the_lock_by_enter(folder: Path) -> None:
    """They could come in again by their key all the same; leaving the page signs out."""
    with workspace.open(folder) as space:
        person = space.team.accounts.find(LI).person.id
    async with visiting(folder, bound=ForcedIdentity(person), own=False) as visitor:
        await visitor.at_work()
        clock = visitor.app.sign_in_flow._clock
        visitor.app.sign_in_flow._clock = lambda: clock() + 31 * 60
        visitor.app.sign_in_flow.lock_if_idle()
        await visitor.until("Locked")
        await visitor.pilot.press("enter")
        await visitor.until(TEXT)


async def test_a_session_that_has_ended_stops_the_save_and_keeps_the_work(folder: Path) -> None:
    """The password is asked for, of the same person; the draft is there, and one key saves it."""
    async with visiting(folder) as visitor:
        await signed_in(visitor)
        with workspace.open(folder) as space:
            space.team.authenticate.sign_everybody_out()
        await visitor.pilot.press("down", "full_stop", "1")
        await visitor.until("you are signed out")
        assert TEXT not in visitor.shown()
        assert saved(folder) == []
        await visitor.type(PASSWORD)
        await visitor.until("not saved: repeat it")
        await visitor.pilot.press("1")
        await visitor.until("✓ saved")
        await visitor.pilot.press("enter")
        await visitor.at_work()
    assert [name for name, _ in saved(folder)] == ["李娜"]


async def test_a_password_that_an_admin_set_meanwhile_is_changed_first(folder: Path) -> None:
    """It opens, and is changed before the work is seen again."""
    async with visiting(folder) as visitor:
        await signed_in(visitor)
        with workspace.open(folder) as space:
            space.team.accounts.reset_password(LI, "nine black herons")
        await visitor.pilot.press("full_stop", "1")
        await visitor.until("you are signed out")
        await visitor.type("nine black herons")
        await visitor.until(OWN_PAGE)
        assert TEXT not in visitor.shown()
        await visitor.type(OWN, OWN)
        await visitor.until("not saved: repeat it")
        await visitor.pilot.press("1")
        await visitor.until("✓ saved")


async def test_a_closed_account_can_only_leave(folder: Path) -> None:
    """Its password opens nothing any more."""
    async with visiting(folder) as visitor:
        await signed_in(visitor)
        with workspace.open(folder) as space:
            space.team.accounts.disable(LI)
        await visitor.pilot.press("full_stop", "1")
        await visitor.until("Sign in again")
        await visitor.type(PASSWORD)
        await visitor.until("✗")
        await visitor.pilot.press("up", "enter")
        while visitor.app.is_running:
            await visitor.pilot.pause(0.001)
    assert saved(folder) == []


async def test_a_password_is_changed_from_the_palette(folder: Path) -> None:
    """The session goes on; Escape changes nothing."""
    async with visiting(folder) as visitor:
        await signed_in(visitor)
        await visitor.choose("change my password")
        await visitor.until(OLD_FIELD)
        await visitor.pilot.press("escape")
        await visitor.until(OLD_FIELD, gone=True)
        await visitor.choose("change my password")
        await visitor.until(OLD_FIELD)
        await visitor.type("wrong", OWN, OWN)
        await visitor.until("✗")
        await visitor.type(PASSWORD, OWN, OWN)
        await visitor.until("Password changed")
        await visitor.pilot.press("full_stop", "1")
        await visitor.until("✓ saved")
    async with visiting(folder) as visitor:
        await signed_in(visitor, password=OWN)


async def test_the_second_session_is_told_and_takes_over(folder: Path) -> None:
    """The first one's draft stays in sight; an admin is not in the way of an annotator."""
    async with visiting(folder) as one:
        await signed_in(one)
        async with visiting(folder) as other:
            await signed_in(other, ANA)
        async with visiting(folder) as two:
            await two.until(CODE_CHOICE)
            await two.type(LI, PASSWORD)
            await two.until("You have another session, open since")
            assert TEXT not in two.shown()
            await two.pilot.press("enter")
            await two.at_work()
            await one.pilot.press("full_stop", "1")
            await one.until("Another session replaced this one at")
            assert "not saved" in one.shown()
            assert saved(folder) == []
            await one.pilot.press("enter")
            await one.until("Another session", gone=True)
            await one.pilot.press("1")
            await one.until("✓ saved")
            await two.pilot.press("full_stop", "2")
            await two.until("Another session replaced this one at")
            await two.pilot.press("down", "enter")
            while two.app.is_running:
                await two.pilot.pause(0.001)
        await one.pilot.press("down", "full_stop", "2")
        await one.until("2 annotations")
    assert [name for name, _ in saved(folder)] == ["李娜", "李娜"]


@pytest.mark.parametrize("known", [False, True])
async def test_an_annotator_who_reviews_is_refused_before_a_takeover(
    folder: Path, *, known: bool
) -> None:
    """The annotator's other session goes on; the refusal names the role."""
    with workspace.open(folder) as space:
        person = space.team.accounts.find(LI).person.id
    bound = ForcedIdentity(person) if known else None
    async with visiting(folder) as one:
        await signed_in(one)
        async with visiting(folder, reviewing=True, bound=bound) as two:
            if not known:
                await two.until(CODE_CHOICE)
                await two.type(LI, PASSWORD)
            await two.until(Role.ANNOTATOR.value)
            assert "another session" not in two.shown()
            assert two.app.sample_screen.draft is None
        await one.pilot.press("full_stop", "1")
        await one.until("✓ saved")
    assert [name for name, _ in saved(folder)] == ["李娜"]
