from threading import Barrier, Event, Thread
from time import monotonic

import pytest
from attrs import define, field
from typing_extensions import override

from repaircore.adapters.ai.chat_completions import ChatPriceModel
from repaircore.adapters.ai.circuit import OPENS_AFTER, REST_SECONDS
from repaircore.adapters.ai.failures import Late, ModelFailed
from repaircore.adapters.ai.resilience import RESTING, RestingModel, RetryingModel, resilient
from repaircore.estimates.model import PriceQuestion
from repaircore.estimates.ports import PriceModel
from repaircore.kernel.errors import Unavailable
from repaircore.testing.builders import a_question
from repaircore.testing.models import ScriptedModel
from repaircore.testing.upstream import Answer, MisbehavingUpstream, Status

PASSING = ModelFailed("busy", again_after=0.0)
LASTING = ModelFailed("the key was refused")


@define
class Hands:
    """A clock that is set by hand."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@define
class SlowModel(PriceModel):
    """Fail after some time, in a way that is worth another try."""

    takes: float
    clock: Hands
    failure: Unavailable = PASSING
    given: list[float] = field(factory=list)

    @property
    @override
    def source(self) -> str:
        return "slow"

    @override
    def price(self, question: PriceQuestion, *, seconds: float) -> int:
        self.given.append(seconds)
        self.clock.now += self.takes
        raise self.failure


def test_a_passing_failure_is_tried_once_more() -> None:
    inner = ScriptedModel(PASSING, 540_00)
    assert RetryingModel(inner).price(a_question(), seconds=5) == 540_00
    assert inner.calls == 2


def test_two_failures_are_enough() -> None:
    inner = ScriptedModel(PASSING, PASSING, 540_00)
    with pytest.raises(Unavailable, match="busy"):
        RetryingModel(inner).price(a_question(), seconds=5)
    assert inner.calls == 2


def test_a_lasting_failure_is_not_tried_again() -> None:
    inner = ScriptedModel(LASTING, 540_00)
    with pytest.raises(Unavailable, match="key"):
        RetryingModel(inner).price(a_question(), seconds=5)
    assert inner.calls == 1


def test_the_second_try_gets_only_what_is_left() -> None:
    clock = Hands()
    slow = SlowModel(takes=3.0, clock=clock)
    with pytest.raises(Unavailable):
        RetryingModel(slow, clock=clock).price(a_question(), seconds=7)
    assert slow.given == [7.0, 4.0]


def test_a_try_that_could_hardly_be_in_time_is_not_made() -> None:
    clock = Hands()
    slow = SlowModel(takes=6.0, clock=clock)
    with pytest.raises(Unavailable):
        RetryingModel(slow, clock=clock).price(a_question(), seconds=7)
    assert slow.given == [7.0]


def test_nobody_waits_longer_than_the_budget_for_a_server_that_asks_to() -> None:
    inner = ScriptedModel(ModelFailed("asked too often", again_after=3600.0), 540_00)
    with pytest.raises(Unavailable, match="asked too often"):
        RetryingModel(inner).price(a_question(), seconds=7)
    assert inner.calls == 1


def test_being_late_tells_the_whole_budget_whatever_the_last_try_had() -> None:
    inner = ScriptedModel(PASSING, Late(1.234))
    with pytest.raises(Unavailable, match=r"^no answer within 7 s$"):
        RetryingModel(inner).price(a_question(), seconds=7)


def test_the_pause_is_as_long_as_the_failure_says_and_counts() -> None:
    clock, pauses = Hands(), list[float]()

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        clock.now += seconds

    slow = SlowModel(takes=1.0, clock=clock, failure=ModelFailed("asked too often", again_after=2.0))
    with pytest.raises(Unavailable):
        RetryingModel(slow, clock=clock, pause=pause).price(a_question(), seconds=7)
    assert pauses == [2.0]
    assert slow.given == [7.0, 4.0]


def test_a_busy_server_is_asked_again_when_it_said() -> None:
    with MisbehavingUpstream() as upstream:
        upstream.behave("/v1/chat/completions", Status(429, {"retry-after": "0"}), Answer(600))
        model = resilient(ChatPriceModel.at(upstream.url, api_key=None, name="m"))
        assert model.price(a_question(), seconds=5) == 600_00
        assert upstream.requests() == 2


def failed_times(model: PriceModel, times: int) -> None:
    for _ in range(times):
        with pytest.raises(Unavailable):
            model.price(a_question(), seconds=5)


def test_a_failing_model_is_left_alone_and_probed_after_a_rest() -> None:
    clock = Hands()
    inner = ScriptedModel(*[LASTING] * OPENS_AFTER, 540_00)
    model = RestingModel(inner, clock=clock)
    failed_times(model, OPENS_AFTER)
    with pytest.raises(Unavailable, match=RESTING):
        model.price(a_question(), seconds=5)
    assert inner.calls == OPENS_AFTER

    clock.now += REST_SECONDS
    assert model.price(a_question(), seconds=5) == 540_00
    assert model.price(a_question(), seconds=5) == 540_00


def test_a_success_between_failures_keeps_it_awake() -> None:
    inner = ScriptedModel(*[LASTING] * (OPENS_AFTER - 1), 540_00, *[LASTING] * (OPENS_AFTER - 1), 550_00)
    model = RestingModel(inner, clock=Hands())
    failed_times(model, OPENS_AFTER - 1)
    assert model.price(a_question(), seconds=5) == 540_00
    failed_times(model, OPENS_AFTER - 1)
    assert model.price(a_question(), seconds=5) == 550_00


@define
class GatedModel(PriceModel):
    """Fail until told otherwise; then hold each question until the gate opens."""

    well: bool = False
    gate: Event = field(factory=Event)
    calls: int = 0

    @property
    @override
    def source(self) -> str:
        return "gated"

    @override
    def price(self, question: PriceQuestion, *, seconds: float) -> int:
        self.calls += 1
        if not self.well:
            raise LASTING
        self.gate.wait(10)
        return 540_00


def test_of_many_threads_one_probes() -> None:
    clock, inner = Hands(), GatedModel()
    model = RestingModel(inner, clock=clock)
    failed_times(model, OPENS_AFTER)
    clock.now += REST_SECONDS
    inner.well = True
    barrier, told = Barrier(8), list[str]()

    def ask() -> None:
        barrier.wait(10)
        try:
            told.append(str(model.price(a_question(), seconds=5)))
        except Unavailable as failure:
            told.append(failure.message)
        if len(told) == 7:
            inner.gate.set()

    threads = [Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sorted(told) == ["54000"] + [RESTING] * 7
    assert inner.calls == OPENS_AFTER + 1


def test_a_resting_model_costs_no_time() -> None:
    with MisbehavingUpstream(Status(401)) as upstream:
        model = resilient(ChatPriceModel.at(upstream.url, api_key="k", name="m"))
        failed_times(model, OPENS_AFTER)
        before = monotonic()
        failed_times(model, 100)
        assert monotonic() - before < 2
        assert upstream.requests() == OPENS_AFTER
