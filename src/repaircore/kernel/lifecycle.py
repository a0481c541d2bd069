"""Lifecycles: tables that say which action leads from a state to which."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Generic, TypeVar

from attrs import frozen

from repaircore.kernel.errors import Conflict

S = TypeVar("S", bound=StrEnum)
A = TypeVar("A", bound=StrEnum)


@frozen
class Lifecycle(Generic[S, A]):
    """State → action → state. What is not in the table is refused; a state without actions is an end."""

    table: Mapping[S, Mapping[A, S]]

    def allowed(self, state: S) -> tuple[A, ...]:
        """List what may be done, in the order of the table."""
        return tuple(self.table[state])

    def after(self, state: S, action: A, *, told: Sequence[str] | None = None) -> S:
        """Give the state that an action leads to.

        ``told`` is what whoever is refused may do instead, where that is less than the state allows.

        Raises:
            Conflict: the state does not allow it; what it does allow is told.
        """
        led_to = self.table[state].get(action)
        if led_to is None:
            allowed = [*map(str, self.allowed(state))] if told is None else [*told]
            named = ", ".join(allowed) or "nothing any more"
            raise Conflict(
                f"What is {state} does not allow this: {action}. It allows: {named}.",
                details={"status": str(state), "allowed": allowed},
            )
        return led_to
