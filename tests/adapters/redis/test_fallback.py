"""Rate-limit windows with a fallback."""

import logging
from threading import Barrier, Event, Thread

import pytest
from typing_extensions import override

from repaircore.adapters.redis.fallback import REST_SECONDS, FallbackWindows
from repaircore.kernel.errors import Unavailable
from repaircore.limits.model import Limit, Verdict, WindowStatus
from repaircore.limits.ports import Windows

LIMIT = Limit(5)


class ScriptedWindows(Windows):
    """Windows that admit everybody, or are unavailable."""

    def __init__(self, *, lost: bool = False) -> None:
        self.lost = lost
        self.calls: list[str] = []
        self.closed = False

    def _ask(self, how: str) -> None:
        self.calls.append(how)
        if self.lost:
            raise Unavailable("It is not responding.")

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


class ManualClock:
    """A manual clock."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_second_is_not_called_while_the_first_answers() -> None:
    first, second = ScriptedWindows(), ScriptedWindows()
    windows = FallbackWindows(first, second, name="Redis", clock=ManualClock())
    windows.acquire("a", LIMIT)
    windows.hit("a", LIMIT)
    windows.peek("a", LIMIT)
    assert (first.calls, second.calls) == (["acquire", "hit", "peek"], [])
    windows.close()
    assert first.closed
    assert second.closed


@pytest.mark.parametrize("how", ["acquire", "hit", "peek"])
def test_lost_windows_are_not_called_for_a_while(how: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "repaircore.limits")
    first, second, clock = ScriptedWindows(lost=True), ScriptedWindows(), ManualClock()
    windows = FallbackWindows(first, second, name="Redis", clock=clock)
    for _ in range(10):
        getattr(windows, how)("a", LIMIT)
    assert (first.calls, second.calls) == ([how], [how] * 10)
    clock.now = REST_SECONDS
    for _ in range(10):
        getattr(windows, how)("a", LIMIT)
    assert (len(first.calls), len(second.calls)) == (2, 20)
    first.lost = False
    clock.now = 2 * REST_SECONDS
    for _ in range(10):
        getattr(windows, how)("a", LIMIT)
    assert (len(first.calls), len(second.calls)) == (12, 30)  # both count while the first may be empty
    clock.now += LIMIT.seconds
    getattr(windows, how)("a", LIMIT)
    assert (len(first.calls), len(second.calls)) == (13, 30)
    assert len(caplog.records) == 2


class LosableWindows(Windows):
    """Windows in memory that can be lost and come back empty."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.lost = False
        self.logs: dict[str, list[float]] = {}

    def _log(self, subject: str, limit: Limit) -> list[float]:
        if self.lost:
            raise Unavailable("It is not responding.")
        log = self.logs.setdefault(subject, [])
        log[:] = [at for at in log if self.clock.now - at < limit.seconds]
        return log

    @override
    def acquire(self, subject: str, limit: Limit) -> Verdict:
        log = self._log(subject, limit)
        admitted = len(log) < limit.count
        log += [self.clock.now] * admitted
        return Verdict(admitted=admitted)

    @override
    def hit(self, subject: str, limit: Limit) -> WindowStatus:
        admitted = self.acquire(subject, limit).admitted
        left = limit.count - len(self.logs[subject])
        return WindowStatus(limit=limit.count, remaining=left, reset_at=1, admitted=admitted)

    @override
    def peek(self, subject: str, limit: Limit) -> Verdict:
        return Verdict(admitted=len(self._log(subject, limit)) < limit.count)

    @override
    def close(self) -> None:
        pass


@pytest.mark.parametrize("how", ["acquire", "hit"])
def test_store_that_comes_back_empty_admits_no_extra_requests(how: str) -> None:
    clock = ManualClock()
    first, second = LosableWindows(clock), LosableWindows(clock)
    windows = FallbackWindows(first, second, name="Redis", clock=clock)

    def admitted() -> int:
        return sum(getattr(windows, how)("login", LIMIT).admitted for _ in range(20))

    before = admitted()
    first.lost = True
    during = admitted()
    first.lost = False
    first.logs.clear()
    clock.now = REST_SECONDS

    assert (before, during, admitted()) == (5, 5, 0)
    assert not windows.peek("login", LIMIT).admitted
    clock.now += LIMIT.seconds
    assert admitted() == 5
    assert admitted() == 0


def test_status_is_that_of_the_fuller_window() -> None:
    clock = ManualClock()
    first, second = LosableWindows(clock), LosableWindows(clock)
    windows = FallbackWindows(first, second, name="Redis", clock=clock)
    first.lost = True
    for _ in range(3):
        windows.hit("a", LIMIT)
    first.lost = False
    clock.now = REST_SECONDS

    assert windows.hit("a", LIMIT).remaining == 1


def test_loss_of_both_is_unavailable() -> None:
    windows = FallbackWindows(
        ScriptedWindows(lost=True), ScriptedWindows(lost=True), name="Redis", clock=ManualClock()
    )
    for _ in range(2):
        with pytest.raises(Unavailable):
            windows.acquire("a", LIMIT)


class SlowWindows(ScriptedWindows):
    """Windows that fail only after a while, each time."""

    def __init__(self) -> None:
        super().__init__(lost=True)
        self.entered = Barrier(2)
        self.go = Event()

    @override
    def _ask(self, how: str) -> None:
        if self.calls:  # the first loss is quick
            self.entered.wait(30)
            self.go.wait(30)
        super()._ask(how)


def test_one_caller_probes_after_a_rest_and_others_do_not_wait() -> None:
    first, second, clock = SlowWindows(), ScriptedWindows(), ManualClock()
    windows = FallbackWindows(first, second, name="Redis", clock=clock)
    windows.acquire("a", LIMIT)
    clock.now = REST_SECONDS
    scout = Thread(target=windows.acquire, args=("a", LIMIT), daemon=True)
    scout.start()
    first.entered.wait(30)
    for _ in range(5):
        assert windows.acquire("a", LIMIT).admitted
    assert len(second.calls) == 7
    first.go.set()
    scout.join(30)
    assert len(first.calls) == 2
    assert len(second.calls) == 7
