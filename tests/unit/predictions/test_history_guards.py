"""Who may read the history, checked in the use cases because embedding applications call them directly."""

from collections.abc import Callable
from uuid import UUID

import pytest

from repaircore.core import Core
from repaircore.kernel.callers import LOCAL, Caller, Credential, Environment, Role
from repaircore.kernel.errors import Forbidden, Invalid, NotFound
from repaircore.kernel.paging import PageRequest
from repaircore.predictions.history import PastPredictions

SESSION_ID = UUID(int=1)
PUBLISHABLE = Caller(
    user_id=1, role=Role.USER, environment=Environment.LIVE, credential=Credential.PUBLISHABLE, key_id=1
)
USER = Caller(user_id=1, role=Role.USER, environment=Environment.LIVE, credential=Credential.SESSION)
READS: list[Callable[[PastPredictions, Caller], object]] = [
    lambda history, caller: history.page(caller=caller),
    lambda history, caller: history.list_each(caller=caller),
    lambda history, caller: history.red_flags(caller),
    lambda history, caller: history.get(SESSION_ID, caller),
]


@pytest.mark.parametrize("read", READS)
def test_publishable_key_reads_no_history(
    core: Core, read: Callable[[PastPredictions, Caller], object]
) -> None:
    with pytest.raises(Forbidden):
        read(core.past_predictions, PUBLISHABLE)


@pytest.mark.parametrize("caller", [LOCAL, USER])
def test_other_callers_read_the_history(core: Core, caller: Caller) -> None:
    history = core.past_predictions
    assert history.page(caller=caller).items == ()
    assert [*history.list_each(caller=caller), *history.red_flags(caller)] == []
    with pytest.raises(NotFound):
        history.get(SESSION_ID, caller)


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (PageRequest(number=0), "page"),
        (PageRequest(per_page=0), "per_page"),
        (PageRequest(per_page=101), "per_page"),
    ],
)
def test_page_outside_the_limits_is_rejected(core: Core, request_: PageRequest, field: str) -> None:
    with pytest.raises(Invalid) as rejected:
        core.past_predictions.page(request=request_)

    assert set(rejected.value.fields) == {field}
