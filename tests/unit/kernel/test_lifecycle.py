"""A lifecycle allows what its table says, and nothing else."""

from enum import StrEnum

import pytest

from repaircore.kernel.errors import Conflict
from repaircore.kernel.lifecycle import Lifecycle


class State(StrEnum):
    OPEN = "open"
    SHUT = "shut"


class Action(StrEnum):
    SHUT = "shut"
    PAINT = "paint"


DOOR = Lifecycle[State, Action](
    {State.OPEN: {Action.PAINT: State.OPEN, Action.SHUT: State.SHUT}, State.SHUT: {}}
)


def test_an_action_leads_where_the_table_says() -> None:
    assert DOOR.after(State.OPEN, Action.SHUT) is State.SHUT
    assert DOOR.after(State.OPEN, Action.PAINT) is State.OPEN


def test_what_is_allowed_is_told_in_the_order_of_the_table() -> None:
    assert DOOR.allowed(State.OPEN) == (Action.PAINT, Action.SHUT)
    assert DOOR.allowed(State.SHUT) == ()


def test_what_is_not_in_the_table_is_refused_and_says_what_is() -> None:
    with pytest.raises(Conflict, match=r"shut does not allow this: paint\. It allows: nothing any more"):
        DOOR.after(State.SHUT, Action.PAINT)
    half = Lifecycle[State, Action]({State.OPEN: {Action.PAINT: State.OPEN}})
    with pytest.raises(Conflict, match="It allows: paint"):
        half.after(State.OPEN, Action.SHUT)
