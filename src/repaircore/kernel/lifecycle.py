"""Lifecycles: tables of the actions that each state allows, and the states that they lead to."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Generic, TypeVar

from attrs import field, frozen

from repaircore.kernel.errors import Conflict

S = TypeVar("S", bound=StrEnum)
A = TypeVar("A", bound=StrEnum)


class NotAllowed(Conflict):
    """A state does not allow an action: ``reason`` says so; the message also says what is allowed instead."""

    def __init__(self, reason: str, *, status: str, allowed: Sequence[str]) -> None:
        super().__init__(
            f"{reason} {allowed_sentence(allowed)}", details={"status": status, "allowed": [*allowed]}
        )
        self.reason = reason


def allowed_sentence(actions: Sequence[str]) -> str:
    """Return a sentence on which actions are allowed, such as ``Allowed: start, cancel.``."""
    return f"Allowed: {', '.join(actions) or 'nothing'}."


@frozen
class Lifecycle(Generic[S, A]):
    """State → action → state. An action that is not in the table is refused; a state without actions is final.

    ``noun`` names the record in error messages. ``phrases`` has a phrase for each action whose name is not a verb with
    the record as its object, such as ``{Action.RATE: "rate the driver of {}"}``.
    """

    table: Mapping[S, Mapping[A, S]]
    noun: str = field(kw_only=True)
    phrases: Mapping[A, str] = field(factory=dict, kw_only=True)

    def allowed(self, state: S) -> tuple[A, ...]:
        """List the actions that a state allows, in the order of the table."""
        return tuple(self.table[state])

    def after(self, state: S, action: A, *, allowed: Sequence[str] | None = None) -> S:
        """Return the state that an action leads to.

        ``allowed`` replaces the list in the error if this caller may take fewer actions; it does not restrict them.

        Raises:
            NotAllowed: the state does not allow the action; the details list ``allowed`` (default: all that it allows).
        """
        next_state = self.table[state].get(action)
        if next_state is None:
            actions = [*map(str, self.allowed(state))] if allowed is None else [*allowed]
            raise NotAllowed(f"Cannot {self._phrase(state, action)}.", status=str(state), allowed=actions)
        return next_state

    def _phrase(self, state: S, action: A) -> str:
        """Return an action on a record in a state, in words: "start an accepted ride"."""
        article = "an" if state[0] in "aeiou" else "a"
        phrase = self.phrases.get(action, f"{action.replace('_', ' ')} {{}}")
        return phrase.format(f"{article} {state} {self.noun}")
