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
    PAINT_OVER = "paint_over"
    RING = "ring"


DOOR = Lifecycle[State, Action](
    {State.OPEN: {Action.PAINT_OVER: State.OPEN, Action.SHUT: State.SHUT}, State.SHUT: {}},
    noun="door",
    phrases={Action.RING: "ring the bell of {}"},
)


def test_lifecycle_after_leads_where_the_table_says() -> None:
    assert DOOR.after(State.OPEN, Action.SHUT) is State.SHUT
    assert DOOR.after(State.OPEN, Action.PAINT_OVER) is State.OPEN


def test_lifecycle_allowed_lists_actions_in_the_order_of_the_table() -> None:
    assert DOOR.allowed(State.OPEN) == (Action.PAINT_OVER, Action.SHUT)
    assert DOOR.allowed(State.SHUT) == ()


@pytest.mark.parametrize(
    ("state", "action", "message", "allowed"),
    [
        (State.SHUT, Action.PAINT_OVER, "Cannot paint over a shut door. Allowed: nothing.", []),
        (
            State.OPEN,
            Action.RING,
            "Cannot ring the bell of an open door. Allowed: paint_over, shut.",
            ["paint_over", "shut"],
        ),
    ],
)
def test_lifecycle_after_refuses_other_actions_and_lists_the_allowed_ones(
    state: State, action: Action, message: str, allowed: list[str]
) -> None:
    with pytest.raises(Conflict) as caught:
        DOOR.after(state, action)

    assert caught.value.message == message
    assert caught.value.details == {"status": state, "allowed": allowed}


def test_lifecycle_after_lists_what_the_caller_may_do_where_that_is_less() -> None:
    with pytest.raises(Conflict, match=r"Allowed: shut\.") as caught:
        DOOR.after(State.OPEN, Action.RING, allowed=["shut"])

    assert caught.value.details == {"status": "open", "allowed": ["shut"]}
