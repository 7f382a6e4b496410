"""Signing in: who gets in, for how long, and how often somebody may try."""

from __future__ import annotations

import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from argon2 import PasswordHasher, low_level

from tests.helpers.errors import has_code
from tests.helpers.stores import new_database
from tests.services.account_stores import CHEAP, HERE, PASSWORD, Clock, Counting, Doors
from tui_annotate.domain.errors import InvalidInput, NotAllowed, Throttled
from tui_annotate.domain.people import Actor, Person, PersonKind, Role
from tui_annotate.domain.throttle import ACCOUNT, CLIENT, OWN_PAIR, PAIR
from tui_annotate.services.authentication.hashing import (
    Argon2Hasher,
    hash_code,
    hash_token,
    is_hash,
    new_code,
)


@pytest.fixture
def doors(tmp_path: Path) -> Iterator[Doors]:
    """An empty store."""
    database = new_database(tmp_path)
    yield Doors(database)
    database.close()


@pytest.fixture
def ana(doors: Doors) -> str:
    """The admin."""
    return doors.add("ana")


@pytest.fixture
def ben(doors: Doors, ana: str) -> str:
    """An annotator, whose password an admin typed."""
    assert ana
    return doors.add("ben")


def refused(doors: Doors, email: str, password: str, client: str = HERE) -> NotAllowed:
    """The refusal of a sign-in."""
    with pytest.raises(NotAllowed) as caught:
        doors.authenticate.sign_in(email, password, client=client)
    return caught.value


# signing in ------------------------------------------------------------------------------------


def test_without_accounts_nobody_has_to_sign_in(doors: Doors) -> None:
    """The first account turns it on; that all are disabled does not turn it off."""
    assert not doors.authenticate.required()
    doors.add("ana")
    assert doors.authenticate.required()


def test_address_and_password_sign_in(doors: Doors, ana: str) -> None:
    """However the address is typed; whoever it is acts in their role."""
    signed = doors.authenticate.sign_in(" ANA@Example.org", PASSWORD, client=HERE)
    assert signed.person == Person(ana, "ana", PersonKind.ACCOUNT)
    assert (signed.actor, signed.must_change) == (Actor(ana, Role.ADMIN), False)
    assert signed.token not in repr(signed)
    assert len(signed.token) >= 43  # 256 bits
    doors.authenticate.check(signed.session)


def test_composed_and_decomposed_letters_are_one_password(doors: Doors, ana: str) -> None:
    """Also where the hash was made elsewhere, of what was typed there."""
    word = "Übermäßig lang"
    apart = unicodedata.normalize("NFD", word)
    doors.accounts().reset_password(ana, apart)
    for typed in (word, apart):
        assert doors.authenticate.sign_in("ana@example.org", typed, client=HERE).person.id == ana
    elsewhere = PasswordHasher(1, 8, 1).hash(apart)
    assert [Argon2Hasher(*CHEAP).verify(typed, elsewhere) for typed in (apart, word)] == [
        True,
        False,
    ]


def test_every_refusal_is_alike(doors: Doors, ana: str, ben: str) -> None:
    """The same words after the same work, one hash, whatever it is that is wrong.

    A password, an address that nobody has, a disabled account, one without a password.
    """
    doors.accounts().disable(ben)
    doors.accounts().store.change(ana, hash="")
    report = {
        str(refused(doors, address, PASSWORD if address != "ana@example.org" else "x"))
        for address in ("nobody@example.org", "ben@example.org", "ana@example.org", "", "\ud800")
    }
    assert len(report) == 1
    doors.accounts().store.change(ana, hash=doors.hasher.hash(PASSWORD))
    assert {str(refused(doors, "ana@example.org", "wrong"))} == report
    assert len(doors.hasher.verified) == 6


def test_a_password_that_somebody_else_set_is_to_be_changed(doors: Doors, ben: str) -> None:
    """Until it is; by key or user name nothing is to be changed."""
    authenticate = doors.authenticate
    signed = authenticate.sign_in("ben@example.org", PASSWORD, client=HERE)
    assert signed.must_change
    assert authenticate.resume(signed.token, client=HERE).must_change
    by_key = authenticate.by_key(ben, client=HERE)
    assert not by_key.must_change
    assert not authenticate.resume(by_key.token, client=HERE).must_change
    authenticate.change_password(ben, PASSWORD, "water under lamps", session=signed.session)
    assert not authenticate.resume(signed.token, client=HERE).must_change
    assert not authenticate.sign_in("ben@example.org", "water under lamps", client=HERE).must_change


def test_key_and_user_name_sign_in_whose_they_are(doors: Doors, ben: str) -> None:
    """And nobody whose account is disabled, or who has none."""
    authenticate = doors.authenticate
    doors.accounts().update("ben", unix_user="benjamin")
    assert authenticate.by_key(ben, client=HERE).person.id == ben
    assert authenticate.by_unix("benjamin", client="pts/1").person.id == ben
    assert authenticate.actor_of("benjamin") == Actor(ben, Role.ANNOTATOR)
    doors.accounts().disable(ben)
    for call in (
        lambda: authenticate.by_key(ben, client=HERE),
        lambda: authenticate.by_key("nobody", client=HERE),
        lambda: authenticate.by_unix("benjamin", client=HERE),
        lambda: authenticate.by_unix("", client=HERE),
        lambda: authenticate.actor_of("root"),
    ):
        with pytest.raises(NotAllowed):
            call()


def test_whoever_comes_in_is_made_known(doors: Doors, ben: str) -> None:
    """By whatever door: where the accounts are another workspace's, work has nobody's name else."""
    report: list[Person] = []
    authenticate = replace(doors.authenticate, keep=report.append)
    doors.accounts().update("ben", unix_user="benjamin")
    _, code = doors.accounts().invite("ben")
    token = authenticate.sign_in("ben@example.org", PASSWORD, client=HERE).token
    authenticate.resume(token, client=HERE)
    authenticate.by_key(ben, client=HERE)
    authenticate.by_unix("benjamin", client=HERE)
    authenticate.actor_of("benjamin")
    authenticate.redeem(code, "violin in the rain", client=HERE)
    assert report == [Person(ben, "ben", PersonKind.ACCOUNT)] * 6


# sessions --------------------------------------------------------------------------------------


def test_the_store_has_no_token(doors: Doors, ana: str) -> None:
    """Only its hash: who reads the file can not go on with anybody's session."""
    signed = doors.authenticate.sign_in("ana@example.org", PASSWORD, client=HERE)
    with doors.database.reading() as connection:
        rows = connection.exec_driver_sql("SELECT * FROM sessions").all()
    assert hash_token(signed.token) in repr(rows)
    assert signed.token not in repr(rows)
    assert ana in repr(rows)


def test_a_session_goes_on_until_it_expires(doors: Doors, ana: str) -> None:
    """From its beginning, however often it is used, and from wherever."""
    signed = doors.authenticate.sign_in("ana@example.org", PASSWORD, client=HERE)
    doors.clock.goes_on(days=6, hours=23)
    again = doors.authenticate.resume(signed.token, client="198.51.100.1")
    assert (again.session, again.token, again.person.id) == (signed.session, signed.token, ana)
    doors.clock.goes_on(hours=1, seconds=1)
    for call in (
        lambda: doors.authenticate.resume(signed.token, client=HERE),
        lambda: doors.authenticate.check(signed.session),
    ):
        with pytest.raises(NotAllowed):
            call()


def test_only_a_token_resumes(doors: Doors, ana: str) -> None:
    """Neither its hash, nor the session's id, nor nothing."""
    assert ana
    signed = doors.authenticate.sign_in("ana@example.org", PASSWORD, client=HERE)
    for token in (hash_token(signed.token), signed.session, "", "\ud800"):
        with pytest.raises(NotAllowed):
            doors.authenticate.resume(token, client=HERE)


def test_signing_out_ends_one_or_all(doors: Doors, ana: str, ben: str) -> None:
    """One session, a person's, everybody's; to end what is over is no harm."""
    authenticate = doors.authenticate
    first, second = (authenticate.by_key(ana, client=HERE) for _ in range(2))
    third = authenticate.by_key(ben, client=HERE)
    authenticate.sign_out(first.session)
    authenticate.sign_out(first.session)
    authenticate.sign_out("")
    authenticate.check(second.session)
    assert authenticate.sign_out_everywhere(ana) == 1
    assert authenticate.sign_out_everywhere(ana) == 0
    authenticate.check(third.session)
    assert authenticate.sign_everybody_out() == 1
    for signed in (first, second, third):
        with pytest.raises(NotAllowed):
            authenticate.check(signed.session)
    assert authenticate.by_key(ben, client=HERE).person.id == ben


def test_what_takes_away_rights_ends_sessions(doors: Doors, ben: str) -> None:
    """Another role, a disabled account, another password; another name does not."""
    accounts, authenticate = doors.accounts(), doors.authenticate
    signed = authenticate.by_key(ben, client=HERE)
    accounts.update(ben, name="Ben")
    accounts.update(ben, role=Role.ANNOTATOR)
    authenticate.check(signed.session)
    changes: tuple[Callable[[], object], ...] = (
        lambda: accounts.update(ben, role=Role.REVIEWER),
        lambda: accounts.reset_password(ben, "words of another"),
        lambda: accounts.disable(ben),
    )
    for change in changes:
        signed = authenticate.by_key(ben, client=HERE)
        change()
        with pytest.raises(NotAllowed):
            authenticate.check(signed.session)
    accounts.enable(ben)
    with pytest.raises(NotAllowed):
        authenticate.check(signed.session)


def test_being_seen_is_noted_once_a_minute(doors: Doors, ana: str) -> None:
    """So that looking at each save costs a read."""
    signed = doors.authenticate.by_key(ana, client=HERE)
    began = doors.accounts().signed_in()[0].seen
    doors.clock.goes_on(seconds=59)
    doors.authenticate.check(signed.session)
    assert doors.accounts().signed_in()[0].seen == began
    doors.clock.goes_on(seconds=1)
    doors.authenticate.check(signed.session)
    assert doors.accounts().signed_in()[0].seen > began


# passwords -------------------------------------------------------------------------------------


def test_a_changed_password_ends_the_other_sessions(doors: Doors, ana: str) -> None:
    """The one in which it was changed goes on."""
    authenticate = doors.authenticate
    here, there = (authenticate.by_key(ana, client=HERE) for _ in range(2))
    authenticate.change_password(ana, PASSWORD, "water under lamps", session=here.session)
    authenticate.check(here.session)
    with pytest.raises(NotAllowed):
        authenticate.check(there.session)
    unknown = refused(doors, "nobody@example.org", PASSWORD)
    assert str(refused(doors, "ana@example.org", PASSWORD)) == str(unknown)
    authenticate.sign_in("ana@example.org", "water under lamps", client=HERE)


def test_a_password_is_changed_by_who_knows_it(doors: Doors, ana: str) -> None:
    """And to a good one; guessing the old one is slowed down as well."""
    authenticate = doors.authenticate
    with pytest.raises(InvalidInput, check=has_code("password-common")):
        authenticate.change_password(ana, PASSWORD, "password1")
    with pytest.raises(InvalidInput, check=has_code("password-own-name")):
        authenticate.change_password(ana, PASSWORD, "ana@example.org")
    for _ in range(PAIR.free + 1):
        with pytest.raises(NotAllowed):
            authenticate.change_password(ana, "wrong", "water under lamps")
    with pytest.raises(Throttled):
        authenticate.change_password(ana, PASSWORD, "water under lamps")
    authenticate.sign_in("ana@example.org", PASSWORD, client=HERE)


def test_hashes_are_argon2id_as_strong_as_asked(doors: Doors) -> None:
    """The least is that of OWASP; two of one password differ."""
    made = Argon2Hasher().hash(PASSWORD)
    assert made.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert is_hash(made)
    assert made != Argon2Hasher().hash(PASSWORD)
    assert Argon2Hasher().verify(PASSWORD, made)
    assert not Argon2Hasher().verify(PASSWORD + "x", made)
    assert not Argon2Hasher().verify(PASSWORD, "")
    assert doors.hasher.is_weaker("!")
    assert [Argon2Hasher(3).is_weaker(made), Argon2Hasher(2, 19457).is_weaker(made)] == [True, True]
    assert [Argon2Hasher(parallelism=2).is_weaker(made), Argon2Hasher().is_weaker(made)] == [
        True,
        False,
    ]


def test_an_account_that_is_not_there_costs_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hash as strong as all others is computed for it, so that no answer comes sooner."""
    hasher = Argon2Hasher(*CHEAP)
    asked: list[tuple[bytes, str]] = []

    def verify(password: bytes, known: str) -> bool:
        asked.append((password, known))
        return True

    monkeypatch.setitem(vars(hasher), "_argon2", SimpleNamespace(verify=verify))
    assert not hasher.verify("x", "")
    ((password, known),) = asked
    assert (password, is_hash(known), hasher.is_weaker(known)) == (b"x", True, False)


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The cost of each hash that argon2 computes, as `m=8,t=1,p=1`."""
    costs: list[str] = []
    verify = low_level.verify_secret

    def counted(known: bytes, *how: Any) -> bool:
        costs.append(known.decode().split("$")[3])
        return verify(known, *how)

    monkeypatch.setattr(low_level, "verify_secret", counted)
    return costs


@pytest.mark.parametrize("password", ["wrong", "u\u0308ber wrong"])
def test_no_cost_shows_who_has_an_account(
    password: str, doors: Doors, ana: str, computed: list[str]
) -> None:
    """A refusal computes the same hashes for old, new, stronger, missing and unknown passwords."""
    assert ana  # the hash of an old setting
    doors.add("dan")
    doors.accounts().store.change(doors.accounts().find("dan").person.id, hash="")
    doors.hasher = Counting(2, 16, 1)
    doors.accounts().disable(doors.add("ben"))
    doors.hasher = Counting(1, 32, 2)  # imported with another cost
    doors.add("cleo")
    doors.hasher = Counting(2, 16, 1)
    work = {}
    for name in ("ana", "ben", "cleo", "dan", "nobody"):
        computed.clear()
        refused(doors, f"{name}@example.org", password, client=name)
        work[name] = sorted(computed)
    times = 1 if password.isascii() else 2
    all_costs = sorted(["m=8,t=1,p=1", "m=16,t=2,p=1", "m=32,t=1,p=2"] * times)
    assert work == dict.fromkeys(work, all_costs)


def test_where_all_hashes_have_one_cost_one_is_computed(
    doors: Doors, ana: str, computed: list[str]
) -> None:
    """After the last user signed in with a raised setting, a sign-in computes one hash again."""
    assert ana
    doors.hasher = Counting(2, 16, 1)
    doors.authenticate.sign_in("ana@example.org", PASSWORD, client=HERE)
    computed.clear()
    refused(doors, "nobody@example.org", "wrong")
    assert computed == ["m=16,t=2,p=1"]


@pytest.mark.parametrize(
    "text", ["", "x", "$argon2i$v=19$m=8,t=1,p=1$MTIzNDU2Nzg$MTIzNDU2Nzg5MDEyMzQ1Ng"]
)
def test_a_hash_of_another_kind_is_none(text: str) -> None:
    """Nor is nothing."""
    assert not is_hash(text)


@pytest.mark.parametrize(
    ("cost", "taken"),
    [
        ("m=8,t=1,p=1", True),
        ("m=4194305,t=1,p=1", False),
        ("m=8,t=65,p=1", False),
        ("m=8,t=1,p=65", False),
        ("m=8,t=0,p=1", False),
    ],
)
def test_a_hash_that_would_cost_too_much_is_none(cost: str, taken: bool) -> None:
    """Whoever signs in has to wait for it."""
    assert is_hash(f"$argon2id$v=19${cost}$MTIzNDU2Nzg$MTIzNDU2Nzg5MDEyMzQ1Ng") is taken


def test_a_risen_setting_hashes_anew_at_the_next_sign_in(doors: Doors, ana: str) -> None:
    """Once; the password and the sessions stay."""
    signed = doors.authenticate.by_key(ana, client=HERE)
    doors.hasher = Counting(2, 16, 1)
    for _ in range(2):
        doors.authenticate.sign_in("ana@example.org", PASSWORD, client=HERE)
        found = doors.accounts().find("ana").hash
        assert found.startswith("$argon2id$v=19$m=16,t=2,p=1$")
    assert len(set(doors.hasher.verified)) == 2
    doors.authenticate.check(signed.session)


def test_warnings_of_libraries_stop_nothing() -> None:
    """With every warning an error, and a terminal that shows all: nothing is heard of them."""
    code = (
        "from tui_annotate.services.authentication.hashing import Argon2Hasher;"
        "print(Argon2Hasher(1, 8, 1).verify('x', Argon2Hasher(1, 8, 1).hash('x')))"
    )
    for how in ("error", "always"):
        done = subprocess.run(
            [sys.executable, "-W", how, "-c", code], capture_output=True, text=True, check=True
        )
        assert (done.stdout, done.stderr) == ("True\n", "")


# invitations -----------------------------------------------------------------------------------


def test_a_code_sets_the_first_password_once(doors: Doors, ben: str) -> None:
    """However it is typed; the next one is void, and nothing is to be changed."""
    _, code = doors.accounts().invite("ben")
    typed = code.lower().replace("-", " ")
    signed = doors.authenticate.redeem(typed, "violin in the rain", client=HERE)
    assert (signed.person.id, signed.must_change) == (ben, False)
    doors.authenticate.check(signed.session)
    with pytest.raises(NotAllowed):
        doors.authenticate.redeem(code, "violin in the sun", client=HERE)
    doors.authenticate.sign_in("ben@example.org", "violin in the rain", client=HERE)


def test_a_code_is_void_after_a_week_or_a_newer_one(doors: Doors, ben: str) -> None:
    """And for an account that is disabled; a bad password does not use it up."""
    accounts, authenticate = doors.accounts(), doors.authenticate
    _, older = accounts.invite("ben")
    _, newer = accounts.invite("ben")
    with pytest.raises(InvalidInput):
        authenticate.redeem(newer, "short", client=HERE)
    for _ in range(2):
        with pytest.raises(NotAllowed):
            authenticate.redeem(older, "violin in the rain", client=HERE)
    doors.clock.goes_on(days=7, seconds=1)
    with pytest.raises(NotAllowed):
        authenticate.redeem(newer, "violin in the rain", client=HERE)
    _, code = accounts.invite("ben")
    accounts.disable(ben)
    with pytest.raises(NotAllowed):
        authenticate.redeem(code, "violin in the rain", client=HERE)


def test_guesses_at_codes_are_slowed_down(doors: Doors, ben: str) -> None:
    """Whoever has a good one does not wait for them."""
    _, code = doors.accounts().invite(ben)
    for number in range(CLIENT.free + 1):
        with pytest.raises(NotAllowed):
            doors.authenticate.redeem(f"A{number}", "violin in the rain", client=HERE)
    with pytest.raises(Throttled):
        doors.authenticate.redeem("BBBBB", "violin in the rain", client=HERE)
    signed = doors.authenticate.redeem(code, "violin in the rain", client=HERE)
    assert signed.person.id == ben


def test_a_good_code_takes_back_what_it_counted(doors: Doors, ana: str) -> None:
    """A class that begins together, behind one address, redeems its codes and locks nobody out."""
    assert ana
    for number in range(CLIENT.free + 1):
        doors.add(f"p{number}")
        _, code = doors.accounts().invite(f"p{number}")
        doors.authenticate.redeem(code, "violin in the rain", client=HERE)
    assert not isinstance(refused(doors, "ana@example.org", "wrong"), Throttled)
    with pytest.raises(NotAllowed):
        doors.authenticate.redeem("BBBBB", "violin in the rain", client=HERE)


def test_no_code_is_like_another() -> None:
    """Five groups of what is easily told apart; blanks, dashes and case do not matter."""
    codes = {new_code() for _ in range(50)}
    assert len(codes) == 50
    for code in codes:
        assert [len(group) for group in code.split("-")] == [5] * 5
        assert not set(code) & set("01OIl")
        assert hash_code(code) == hash_code(f" {code.replace('-', '').lower()} ")


# throttling ------------------------------------------------------------------------------------


def test_a_guesser_waits_longer_and_longer(doors: Doors, ana: str) -> None:
    """At one account from one client; the right password does not help until the wait is over."""
    assert ana
    for _ in range(PAIR.free + 1):
        assert not isinstance(refused(doors, "ana@example.org", "wrong"), Throttled)
    waits = []
    for _ in range(4):
        error = refused(doors, "ana@example.org", PASSWORD)
        assert isinstance(error, Throttled)
        waits.append(error.seconds)
        assert str(error.seconds) in error.hint
        doors.clock.goes_on(seconds=error.seconds)
        assert not isinstance(refused(doors, "ana@example.org", "wrong"), Throttled)
    assert waits == [2, 4, 8, 16]
    doors.clock.goes_on(seconds=32)
    doors.authenticate.sign_in("ana@example.org", PASSWORD, client=HERE)


def test_a_neighbour_locks_nobody_out_for_long(doors: Doors, ana: str) -> None:
    """Where the owner signed in before, the wait at their own address is two minutes at most."""
    assert ana
    doors.authenticate.sign_in("ana@example.org", PASSWORD, client=HERE)
    longest = 0
    for _ in range(40):
        error = refused(doors, "ana@example.org", "wrong")
        if isinstance(error, Throttled):
            longest = max(longest, error.seconds)
            doors.clock.goes_on(seconds=error.seconds)
    assert longest == OWN_PAIR.cap == 120
    doors.clock.goes_on(seconds=OWN_PAIR.cap)
    doors.authenticate.sign_in("ana@example.org", PASSWORD, client=HERE)


def test_an_unknown_account_is_throttled_alike(doors: Doors, ana: str) -> None:
    """Word by word, and with the same work each time: or addresses could be found out."""
    assert ana
    report: dict[str, list[tuple[str, int]]] = {}
    for address in ("ana@example.org", "nobody@example.org"):
        for _ in range(PAIR.free + 4):
            before = len(doors.hasher.verified)
            error = refused(doors, address, "wrong", client=address)
            work = len(doors.hasher.verified) - before
            report.setdefault(address, []).append((f"{type(error)} {error} {error.hint}", work))
    assert report["ana@example.org"] == report["nobody@example.org"]


def test_a_client_that_tries_many_accounts_waits(doors: Doors, ana: str) -> None:
    """Whoever signs in there for the first time waits with it, two minutes at most."""
    assert ana
    for number in range(CLIENT.free + 1):
        assert not isinstance(refused(doors, f"{number}@example.org", "x"), Throttled)
    for number in range(200):
        refused(doors, f"more{number}@example.org", "x")
    error = refused(doors, "ana@example.org", PASSWORD)
    assert isinstance(error, Throttled)
    assert error.seconds <= CLIENT.cap
    doors.clock.goes_on(seconds=error.seconds)
    doors.authenticate.sign_in("ana@example.org", PASSWORD, client=HERE)


def test_third_party_lock_nobody_out(doors: Doors, ana: str) -> None:
    """However many clients guess, an account is open from where its owner signed in before.

    From a new place they wait some seconds.
    """
    assert doors.authenticate.sign_in("ana@example.org", PASSWORD, client=HERE).person.id == ana
    for number in range(60):
        refused(doors, "ana@example.org", "wrong", client=f"bot {number}")
    doors.authenticate.sign_in("ana@example.org", PASSWORD, client=HERE)
    error = refused(doors, "ana@example.org", PASSWORD, client="new")
    assert isinstance(error, Throttled)
    assert error.seconds <= ACCOUNT.cap
    doors.clock.goes_on(seconds=error.seconds)
    doors.authenticate.sign_in("ana@example.org", PASSWORD, client="new")


def test_a_neighbour_who_guesses_locks_nobody_out(doors: Doors, ana: str) -> None:
    """Behind one address, who was there before gets in.

    Who was not, or errs, can not tell accounts that exist from others.
    """
    doors.authenticate.sign_in("ana@example.org", PASSWORD, client=HERE)
    for number in range(CLIENT.free + 2):
        refused(doors, f"{number}@example.org", "x")
    report = {}
    for address in ("ana@example.org", "nobody@example.org"):
        before = len(doors.hasher.verified)
        error = refused(doors, address, "wrong")
        report[address] = (type(error), str(error), error.hint, len(doors.hasher.verified) - before)
    assert report["ana@example.org"] == report["nobody@example.org"]
    assert report["ana@example.org"][0] is Throttled
    assert doors.authenticate.sign_in("ana@example.org", PASSWORD, client=HERE).person.id == ana


def test_guesses_leave_no_growing_pile(doors: Doors, ana: str) -> None:
    """Neither of addresses, nor for ever; and nothing that was typed."""
    assert ana
    for number in range(300):
        refused(doors, f"{number}@example.org", "x")
    with doors.database.reading() as connection:
        rows = connection.exec_driver_sql("SELECT * FROM attempts").all()
    assert len(rows) < 2 * CLIENT.free + 10
    assert "example" not in repr(rows)
    doors.clock.goes_on(hours=13)
    refused(doors, "last@example.org", "x")
    with doors.database.reading() as connection:
        assert len(connection.exec_driver_sql("SELECT * FROM attempts").all()) == 3


def test_counts_outlive_processes(doors: Doors, ana: str) -> None:
    """Each session over ssh is one: the next process knows of the last one's guesses."""
    assert ana
    for _ in range(PAIR.free + 1):
        refused(Doors(doors.database, doors.clock), "ana@example.org", "wrong")
    assert isinstance(refused(Doors(doors.database), "ana@example.org", "wrong"), Throttled)


def test_a_right_password_takes_back_what_it_counted(doors: Doors, ana: str) -> None:
    """A room full of people signs in one behind the other, all day long."""
    assert ana
    for _ in range(3 * CLIENT.free):
        doors.authenticate.sign_in("ana@example.org", PASSWORD, client=HERE)
    assert doors.clock == Clock()
