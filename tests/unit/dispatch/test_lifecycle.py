"""The lifecycle of a request, compared with the full table."""

import pytest

from repaircore.dispatch.lifecycle import REQUESTS, RequestAction
from repaircore.dispatch.model import ACTIVE, RequestStatus
from repaircore.kernel.errors import Conflict

TABLE = {
    ("sent", "offer"): "offered",
    ("sent", "decline"): "declined",
    ("sent", "expire"): "expired",
    ("sent", "close"): "closed",
    ("offered", "offer"): "offered",
    ("offered", "decline"): "declined",
    ("offered", "choose"): "chosen",
    ("offered", "pass_over"): "not_chosen",
    ("expired", "offer"): "offered",
    ("expired", "decline"): "declined",
    ("expired", "close"): "closed",
    ("chosen", "change"): "chosen",
    ("chosen", "drop_out"): "dropped_out",
    ("chosen", "end"): "ended",
}
PAIRS = [(status, action) for status in RequestStatus for action in RequestAction]


@pytest.mark.parametrize(("status", "action"), [pair for pair in PAIRS if pair in TABLE])
def test_request_takes_each_step_of_the_table(status: RequestStatus, action: RequestAction) -> None:
    assert REQUESTS.after(status, action) == TABLE[status, action]


@pytest.mark.parametrize(("status", "action"), [pair for pair in PAIRS if pair not in TABLE])
def test_request_refuses_every_other_step(status: RequestStatus, action: RequestAction) -> None:
    with pytest.raises(Conflict):
        REQUESTS.after(status, action)


def test_active_requests_are_those_that_may_change() -> None:
    assert {status for status in RequestStatus if REQUESTS.allowed(status)} == ACTIVE
