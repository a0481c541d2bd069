"""A lifecycle allows exactly the actions of its table."""

from enum import StrEnum

import pytest

from repaircore.kernel.errors import Conflict
from repaircore.kernel.lifecycle import Lifecycle, NotAllowed, allowed_sentence


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


def test_lifecycle_after_follows_the_table() -> None:
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
def test_lifecycle_after_rejects_other_actions_and_lists_the_allowed(
    state: State, action: Action, message: str, allowed: list[str]
) -> None:
    with pytest.raises(NotAllowed) as error:
        DOOR.after(state, action)

    assert error.value.message == message
    assert f"{error.value.reason} {allowed_sentence(allowed)}" == message
    assert error.value.details == {"status": state, "allowed": allowed}


def test_lifecycle_after_lists_only_what_the_caller_may_do() -> None:
    with pytest.raises(Conflict, match=r"Allowed: shut\.") as error:
        DOOR.after(State.OPEN, Action.RING, allowed=["shut"])

    assert error.value.details == {"status": "open", "allowed": ["shut"]}
