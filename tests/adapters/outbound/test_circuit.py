from threading import Semaphore

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.adapters.outbound.hands import ManualClock
from tests.threads import at_once

from repaircore.adapters.outbound.circuit import OPENS_AFTER, REST_SECONDS, Breaker, Circuit
from repaircore.adapters.outbound.failures import CircuitOpen, NoAnswer

no_deadline = settings(deadline=None)  # a busy machine is not a defect
NOW = 1000.0


def after_failures(count: int) -> Circuit:
    circuit = Circuit()
    for _ in range(count):
        circuit = circuit.admitted(NOW).failed(NOW)
    return circuit


def test_circuit_stays_closed_below_the_limit() -> None:
    assert after_failures(OPENS_AFTER - 1).admits(NOW)


def test_circuit_opens_at_the_limit_for_a_rest() -> None:
    opened = after_failures(OPENS_AFTER)

    assert not opened.admits(NOW)
    assert not opened.admits(NOW + REST_SECONDS - 0.001)
    assert opened.admits(NOW + REST_SECONDS)


def test_half_open_circuit_allows_one_probe() -> None:
    probing = after_failures(OPENS_AFTER).admitted(NOW + REST_SECONDS)

    assert not probing.admits(NOW + REST_SECONDS)


def test_lost_probe_blocks_the_next_for_one_rest_only() -> None:
    probing = after_failures(OPENS_AFTER).admitted(NOW + REST_SECONDS)

    assert probing.admits(NOW + 2 * REST_SECONDS)


def test_failed_probe_opens_the_circuit_for_another_rest() -> None:
    later = NOW + REST_SECONDS
    reopened = after_failures(OPENS_AFTER).admitted(later).failed(later + 7)

    assert not reopened.admits(later + REST_SECONDS)
    assert reopened.admits(later + 7 + REST_SECONDS)


def test_successful_probe_closes_the_circuit() -> None:
    closed = after_failures(OPENS_AFTER).admitted(NOW + REST_SECONDS).succeeded()

    assert closed == Circuit()
    assert closed.admits(NOW)


@no_deadline
@given(st.lists(st.booleans()))
def test_only_consecutive_failures_open_the_circuit(outcomes: list[bool]) -> None:
    circuit = Circuit()
    for good in outcomes:
        circuit = circuit.admitted(NOW).succeeded() if good else circuit.admitted(NOW).failed(NOW)
    row = len(outcomes) - max((place + 1 for place, good in enumerate(outcomes) if good), default=0)

    assert circuit.admits(NOW) == (row < OPENS_AFTER)


def fail_times(breaker: Breaker, times: int) -> None:
    for _ in range(times):
        with pytest.raises(NoAnswer, match="busy"), breaker.guarding():
            raise NoAnswer("busy")


def passes(breaker: Breaker) -> bool:
    try:
        with breaker.guarding():
            return True
    except CircuitOpen:
        return False


def test_failing_service_is_not_called_and_probed_after_a_rest() -> None:
    clock = ManualClock()
    breaker = Breaker(clock)
    fail_times(breaker, OPENS_AFTER)
    assert not passes(breaker)

    clock.wait(REST_SECONDS)

    assert passes(breaker)
    assert passes(breaker)


def test_success_between_failures_keeps_the_circuit_closed() -> None:
    breaker = Breaker(ManualClock())
    for _ in range(2):
        fail_times(breaker, OPENS_AFTER - 1)
        assert passes(breaker)


def test_bug_of_ours_does_not_count_as_a_failure() -> None:
    breaker = Breaker(ManualClock())
    for _ in range(OPENS_AFTER + 1):
        with pytest.raises(ZeroDivisionError), breaker.guarding():
            raise ZeroDivisionError

    assert passes(breaker)


def test_only_one_thread_probes() -> None:
    clock = ManualClock()
    breaker = Breaker(clock)
    fail_times(breaker, OPENS_AFTER)
    clock.wait(REST_SECONDS)
    rested = Semaphore(0)

    def ask() -> str:
        try:
            with breaker.guarding():
                # The probe lasts until all other threads are done.
                return "passed" if all(rested.acquire(timeout=10) for _ in range(7)) else "late"
        except CircuitOpen:
            rested.release()
            return "rested"

    assert sorted(at_once(8, ask)) == ["passed"] + ["rested"] * 7
