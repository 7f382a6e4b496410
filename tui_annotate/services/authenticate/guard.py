"""Slows guessers down: each attempt counts as failed before it is looked at, then may be forgiven.

So many processes that guess at once get no more answers than one. Who signed in from a client
before is let in with the right password, however much others fail there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from tui_annotate.domain.errors import Throttled
from tui_annotate.domain.nouns import many
from tui_annotate.domain.throttle import ACCOUNT, CLIENT, OWN_PAIR, PAIR, Rule, longest
from tui_annotate.storage.people.attempts import AttemptStore


@dataclass(frozen=True, slots=True)
class Ticket:
    """An attempt that was counted.

    Attributes:
        pair: the scope of account and client together.
        wide: the other scopes that it was counted for.
        wait: seconds; where it is not 0, only somebody known there may be right.
    """

    pair: str
    wide: tuple[str, ...]
    wait: int


@dataclass(frozen=True, slots=True)
class Guard:
    """Counts attempts in a store.

    Attributes:
        clock: the time, with its zone.
    """

    attempts: AttemptStore
    clock: Callable[[], datetime]

    def admit(self, name: str, client: str, *, known: bool) -> Ticket:
        """Counts an attempt as failed.

        Args:
            name: of the account, as it was typed.
            known: whether the owner of that account signed in from this client before.

        Raises:
            Throttled: this account has to wait at this client, whatever the password.
        """
        now, own = self.clock(), OWN_PAIR if known else PAIR
        rules: dict[str, Rule] = {_scope("client", client): CLIENT}
        if not known:
            rules[_scope("account", name)] = ACCOUNT
        with self.attempts.counting(now) as tallies:
            pair = _scope("pair", name, client)
            wait = tallies.of(pair).wait(now, own)
            if wait:
                raise throttled(longest([wait]))
            slowed = longest(tallies.of(scope).wait(now, rule) for scope, rule in rules.items())
            if slowed and not known:
                # Nothing typed here leaves a row of its own, or rows would grow with each guess.
                pair = _scope("pair", "", client)
            counted = {pair: own} if slowed else {pair: own, **rules}
            for scope, rule in counted.items():
                tallies.keep(scope, tallies.of(scope).failed(now, rule))
        return Ticket(pair, () if slowed else tuple(rules), slowed)

    def forgive(self, ticket: Ticket) -> None:
        """Takes back what an attempt was counted for: it was right."""
        with self.attempts.counting(self.clock()) as tallies:
            tallies.drop(ticket.pair)
            for scope in ticket.wide:
                tallies.keep(scope, tallies.of(scope).forgiven())


def throttled(seconds: int) -> Throttled:
    """The refusal of somebody who has to wait."""
    again = f"try again in {many(seconds, 'second')}"
    return Throttled("too many attempts failed", again, seconds=seconds)


def _scope(*parts: str) -> str:
    """A name for the store; hashed, as people type passwords where an address is asked for."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
