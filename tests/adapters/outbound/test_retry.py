from collections.abc import Callable

import pytest
from attrs import define, field
from tests.adapters.outbound.hands import ManualClock

from repaircore.adapters.outbound.deadline import Deadline
from repaircore.adapters.outbound.failures import DeadlineExceeded, NoAnswer
from repaircore.adapters.outbound.retry import call_with_retry

PASSING = NoAnswer("busy", retry_after=0.0)
LASTING = NoAnswer("the credentials were rejected")


@define
class ScriptedService:
    """Return scripted answers, each after some seconds."""

    script: list[str | NoAnswer]
    clock: ManualClock = field(factory=ManualClock)
    takes: float = 0.0
    calls: int = 0

    def __call__(self) -> str:
        self.clock.now += self.takes
        self.calls += 1
        answer = self.script[self.calls - 1]
        if isinstance(answer, NoAnswer):
            raise answer
        return answer

    def get(self, seconds: float = 7.0, pause: Callable[[float], None] | None = None) -> str:
        return call_with_retry(self, deadline=Deadline(seconds, self.clock), pause=pause or self.clock.wait)


def test_transient_failure_is_retried_once() -> None:
    service = ScriptedService([PASSING, "well"])

    assert service.get() == "well"
    assert service.calls == 2


def test_second_failure_is_raised() -> None:
    service = ScriptedService([PASSING, PASSING, "well"])
    with pytest.raises(NoAnswer, match="busy"):
        service.get()

    assert service.calls == 2


@pytest.mark.parametrize("failure", [LASTING, DeadlineExceeded(7)])
def test_permanent_failure_is_not_retried(failure: NoAnswer) -> None:
    service = ScriptedService([failure, "well"])
    with pytest.raises(type(failure)):
        service.get()

    assert service.calls == 1


@pytest.mark.parametrize(("takes", "calls"), [(3.0, 2), (5.2, 2), (5.3, 1), (6.0, 1), (8.0, 1)])
def test_retry_without_enough_time_is_skipped(takes: float, calls: int) -> None:
    service = ScriptedService([PASSING, PASSING], takes=takes)
    with pytest.raises(NoAnswer, match="busy"):
        service.get(7)

    assert service.calls == calls


def test_retry_after_beyond_the_deadline_is_not_waited_for() -> None:
    service = ScriptedService([NoAnswer("rate limit exceeded", retry_after=3600.0), "well"])
    with pytest.raises(NoAnswer, match="rate limit exceeded"):
        service.get()

    assert service.calls == 1


def test_pause_lasts_as_long_as_retry_after_and_counts() -> None:
    service = ScriptedService([NoAnswer("rate limit exceeded", retry_after=2.0), "well"], takes=1.0)
    pauses = list[float]()

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        service.clock.wait(seconds)

    assert service.get(7, pause) == "well"
    assert pauses == [2.0]
    assert service.clock.now == 4.0


def test_deadline_is_shared_by_every_step_and_its_error_states_the_total() -> None:
    clock = ManualClock(now=100.0)
    deadline = Deadline(7, clock)
    clock.wait(4)

    assert deadline.require_left() == pytest.approx(3)
    clock.wait(3)
    with pytest.raises(DeadlineExceeded, match=r"^no response within 7 s$"):
        deadline.require_left()
