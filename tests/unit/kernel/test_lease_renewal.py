import logging
from threading import Event

import pytest

from repaircore.kernel.errors import Unavailable
from repaircore.kernel.lease_renewal import renewed_lease

_LOG = logging.getLogger(__name__)


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


def test_lease_is_not_renewed_at_once() -> None:
    calls: list[int] = []
    with renewed_lease(lambda: calls.append(1), subject="job sweep", log=_LOG):
        Event().wait(0.05)

    assert calls == []
