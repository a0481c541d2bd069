from collections.abc import Sequence

import pytest
from attrs import evolve
from tests.soak.checker import violations
from tests.soak.history import Call


def write(state: str, started: float, ended: float, *, key: str | None = None) -> Call:
    return Call(
        what="ride",
        key=key or f"{started}",
        status=200,
        subject="ride_1",
        state=state,
        begun=started,
        ended=ended,
    )


def read(state: str, started: float, ended: float) -> Call:
    return evolve(write(state, started, ended), what="read", key=None)


CREATED, ACCEPTED = write("pending", 1, 2), write("accepted", 5, 8)


@pytest.mark.parametrize(
    "reads",
    [
        [read("pending", 3, 4)],
        [read("pending", 4, 6), read("accepted", 4, 6)],
        [read("pending", 6, 7), read("accepted", 6, 7), read("accepted", 9, 10)],
        [read("pending", 1.5, 1.7)],
    ],
)
def test_reads_of_acknowledged_or_concurrent_writes_are_consistent(reads: Sequence[Call]) -> None:
    assert violations([CREATED, ACCEPTED, *reads], {"ride_1": "accepted"}) == []


@pytest.mark.parametrize(
    "wrong",
    [
        read("pending", 9, 10),  # a step back
        read("accepted", 3, 4),  # before the write
        read("completed", 9, 10),  # never
    ],
)
def test_any_other_read_is_a_violation(wrong: Call) -> None:
    assert len(violations([CREATED, ACCEPTED, wrong], {"ride_1": "accepted"})) == 1


@pytest.mark.parametrize("stored", [{}, {"ride_1": "pending"}])
def test_lost_acknowledged_write_is_a_violation(stored: dict[str, str]) -> None:
    (violation,) = violations([CREATED, ACCEPTED], stored)
    assert violation.startswith("ride_1 was acknowledged as accepted")


def test_key_with_two_records_is_a_violation() -> None:
    twin = evolve(CREATED, subject="ride_2")
    (violation,) = violations([CREATED, twin], {"ride_1": "pending", "ride_2": "pending"})
    assert "ride_2" in violation


def test_unexpected_answers_are_violations() -> None:
    answers = [(200, True), (409, True), (429, True), (503, True), (503, False), (500, True), (404, True)]
    calls = [
        evolve(CREATED, status=status, subject=None, key=str(number), is_retry_said=has_retry_after)
        for number, (status, has_retry_after) in enumerate(answers)
    ]
    assert len(violations(calls, {})) == 3
