import logging
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Final

import pytest

from repaircore.kernel.errors import Unavailable
from repaircore.kernel.leases import is_in_force, renewed_lease

_LOG = logging.getLogger(__name__)
NOW: Final = datetime(2026, 3, 4, 5, 6, tzinfo=UTC)
MINUTE: Final = timedelta(minutes=1)


@pytest.mark.parametrize(
    ("ends_in", "is_held"),
    [
        (None, False),
        (timedelta(0), False),
        (timedelta(microseconds=1), True),
        (MINUTE, True),
        (MINUTE + timedelta(microseconds=1), True),
        (2 * MINUTE, True),
        (2 * MINUTE + timedelta(microseconds=1), False),
    ],
    ids=[
        "never made",
        "ended",
        "nearly ended",
        "just made",
        "made after the clock was read",
        "made by a clock that is ahead",
        "made before the clock was set back",
    ],
)
def test_lease_is_in_force(*, ends_in: timedelta | None, is_held: bool) -> None:
    held_until = None if ends_in is None else NOW + ends_in

    assert is_in_force(held_until, NOW, lasts=MINUTE) is is_held


def test_lease_is_renewed_until_the_work_ends_although_a_call_fails(caplog: pytest.LogCaptureFixture) -> None:
    calls, again = list[int](), Event()

    def renew() -> None:
        calls.append(len(calls))
        if len(calls) == 1:
            raise Unavailable("The database is busy.")
        again.set()

    with renewed_lease(renew, subject="job sweep", log=_LOG, seconds=0.01):
        assert again.wait(10)
    count = len(calls)
    Event().wait(0.05)

    assert len(calls) == count >= 2
    assert [entry.getMessage() for entry in caplog.records] == [
        "The lease of the job sweep could not be renewed: The database is busy."
    ]


def test_lease_is_renewed_after_an_unexpected_error(caplog: pytest.LogCaptureFixture) -> None:
    calls, again = list[int](), Event()

    def renew() -> None:
        calls.append(len(calls))
        if len(calls) == 1:
            raise ZeroDivisionError
        again.set()

    with renewed_lease(renew, subject="job sweep", log=_LOG, seconds=0.01):
        assert again.wait(10)

    assert [entry.getMessage() for entry in caplog.records] == [
        "The lease of the job sweep could not be renewed"
    ]


def test_lease_is_not_renewed_at_once() -> None:
    calls: list[int] = []
    with renewed_lease(lambda: calls.append(1), subject="job sweep", log=_LOG):
        Event().wait(0.05)

    assert calls == []
