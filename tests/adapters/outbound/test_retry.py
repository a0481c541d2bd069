from collections.abc import Callable

import pytest
from attrs import define, field
from tests.adapters.outbound.hands import Hands

from repaircore.adapters.outbound.deadline import Deadline
from repaircore.adapters.outbound.failures import DeadlineExceeded, NoAnswer
from repaircore.adapters.outbound.retry import call_with_retry

PASSING = NoAnswer("busy", retry_after=0.0)
LASTING = NoAnswer("the key was refused")


@define
class Party:
    """Answer as scripted, each time after some seconds."""

    script: list[str | NoAnswer]
    clock: Hands = field(factory=Hands)
    takes: float = 0.0
    calls: int = 0

    def __call__(self) -> str:
        self.clock.now += self.takes
        self.calls += 1
        said = self.script[self.calls - 1]
        if isinstance(said, NoAnswer):
            raise said
        return said

    def asked(self, seconds: float = 7.0, pause: Callable[[float], None] | None = None) -> str:
        return call_with_retry(self, deadline=Deadline(seconds, self.clock), pause=pause or self.clock.wait)


def test_passing_failure_is_tried_once_more() -> None:
    party = Party([PASSING, "well"])

    assert party.asked() == "well"
    assert party.calls == 2


def test_two_failures_are_enough() -> None:
    party = Party([PASSING, PASSING, "well"])
    with pytest.raises(NoAnswer, match="busy"):
        party.asked()

    assert party.calls == 2


@pytest.mark.parametrize("failure", [LASTING, DeadlineExceeded(7)])
def test_lasting_failure_is_not_tried_again(failure: NoAnswer) -> None:
    party = Party([failure, "well"])
    with pytest.raises(type(failure)):
        party.asked()

    assert party.calls == 1


@pytest.mark.parametrize(("takes", "calls"), [(3.0, 2), (5.2, 2), (5.3, 1), (6.0, 1), (8.0, 1)])
def test_try_that_could_hardly_be_in_time_is_not_made(takes: float, calls: int) -> None:
    party = Party([PASSING, PASSING], takes=takes)
    with pytest.raises(NoAnswer, match="busy"):
        party.asked(7)

    assert party.calls == calls


def test_nobody_waits_longer_than_the_time_for_a_party_that_asks_to() -> None:
    party = Party([NoAnswer("asked too often", retry_after=3600.0), "well"])
    with pytest.raises(NoAnswer, match="asked too often"):
        party.asked()

    assert party.calls == 1


def test_pause_is_as_long_as_the_failure_says_and_counts() -> None:
    party = Party([NoAnswer("asked too often", retry_after=2.0), "well"], takes=1.0)
    pauses = list[float]()

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        party.clock.wait(seconds)

    assert party.asked(7, pause) == "well"
    assert pauses == [2.0]
    assert party.clock.now == 4.0


def test_deadline_is_the_same_for_every_step_and_tells_the_whole_time() -> None:
    clock = Hands(now=100.0)
    deadline = Deadline(7, clock)
    clock.wait(4)

    assert deadline.require_left() == pytest.approx(3)
    clock.wait(3)
    with pytest.raises(DeadlineExceeded, match=r"^no answer within 7 s$"):
        deadline.require_left()
