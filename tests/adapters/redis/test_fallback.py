"""Windows that others stand in for."""

import logging
from threading import Barrier, Event, Thread

import pytest
from typing_extensions import override

from repaircore.adapters.redis.fallback import REST_SECONDS, FallbackWindows
from repaircore.kernel.errors import Unavailable
from repaircore.limits.model import Limit, Verdict, WindowStatus
from repaircore.limits.ports import Windows

LIMIT = Limit(5)


class Scripted(Windows):
    """Windows that admit everybody, or are lost."""

    def __init__(self, *, lost: bool = False) -> None:
        self.lost = lost
        self.asked: list[str] = []
        self.closed = False

    def _ask(self, how: str) -> None:
        self.asked.append(how)
        if self.lost:
            raise Unavailable("It does not answer.")

    @override
    def acquire(self, subject: str, limit: Limit) -> Verdict:
        self._ask("acquire")
        return Verdict(admitted=True)

    @override
    def hit(self, subject: str, limit: Limit) -> WindowStatus:
        self._ask("hit")
        return WindowStatus(limit=limit.count, remaining=1, reset_at=2)

    @override
    def peek(self, subject: str, limit: Limit) -> Verdict:
        self._ask("peek")
        return Verdict(admitted=True)

    @override
    def close(self) -> None:
        self.closed = True


class Seconds:
    """A clock that goes only when told."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_while_the_first_answers_the_second_is_not_asked() -> None:
    first, second = Scripted(), Scripted()
    windows = FallbackWindows(first, second, name="Redis", clock=Seconds())
    windows.acquire("a", LIMIT)
    windows.hit("a", LIMIT)
    windows.peek("a", LIMIT)
    assert (first.asked, second.asked) == (["acquire", "hit", "peek"], [])
    windows.close()
    assert first.closed
    assert second.closed


@pytest.mark.parametrize("how", ["acquire", "hit", "peek"])
def test_what_is_lost_is_left_alone_for_a_rest(how: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "repaircore.limits")
    first, second, clock = Scripted(lost=True), Scripted(), Seconds()
    windows = FallbackWindows(first, second, name="Redis", clock=clock)
    for _ in range(10):
        getattr(windows, how)("a", LIMIT)
    assert (first.asked, second.asked) == ([how], [how] * 10)
    clock.now = REST_SECONDS
    for _ in range(10):
        getattr(windows, how)("a", LIMIT)
    assert (len(first.asked), len(second.asked)) == (2, 20)
    first.lost = False
    clock.now = 2 * REST_SECONDS
    for _ in range(10):
        getattr(windows, how)("a", LIMIT)
    assert (len(first.asked), len(second.asked)) == (12, 20)
    assert len(caplog.records) == 2


def test_when_both_are_lost_it_is_said() -> None:
    windows = FallbackWindows(Scripted(lost=True), Scripted(lost=True), name="Redis", clock=Seconds())
    for _ in range(2):
        with pytest.raises(Unavailable):
            windows.acquire("a", LIMIT)


class Waiting(Scripted):
    """Windows that are lost only after a while, each time."""

    def __init__(self) -> None:
        super().__init__(lost=True)
        self.entered = Barrier(2)
        self.go = Event()

    @override
    def _ask(self, how: str) -> None:
        if self.asked:  # the first loss is quick
            self.entered.wait(30)
            self.go.wait(30)
        super()._ask(how)


def test_after_a_rest_one_finds_out_and_the_others_do_not_wait() -> None:
    first, second, clock = Waiting(), Scripted(), Seconds()
    windows = FallbackWindows(first, second, name="Redis", clock=clock)
    windows.acquire("a", LIMIT)
    clock.now = REST_SECONDS
    scout = Thread(target=windows.acquire, args=("a", LIMIT), daemon=True)
    scout.start()
    first.entered.wait(30)
    for _ in range(5):
        assert windows.acquire("a", LIMIT).admitted
    assert len(second.asked) == 6
    first.go.set()
    scout.join(30)
    assert len(first.asked) == 2
    assert len(second.asked) == 7
