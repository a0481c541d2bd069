from threading import Barrier, Event, Thread, active_count, current_thread
from time import monotonic

import pytest
from attrs import define, field
from tests.programs import printed
from typing_extensions import override

from repaircore.adapters.ai.chat_completions import ChatPriceModel
from repaircore.adapters.ai.messages import MessagesPriceModel
from repaircore.adapters.ai.offline import ComponentTableModel, HoursRegressionModel
from repaircore.adapters.ai.panel import ParallelPanel
from repaircore.kernel.errors import Unavailable
from repaircore.predictions.ports import PriceModel
from repaircore.pricing.model import Opinion, PriceQuestion
from repaircore.testing import upstream as server
from repaircore.testing.builders import a_question
from repaircore.testing.models import CountingPanel, ScriptedModel
from repaircore.testing.upstream import Answer, MisbehavingUpstream, Status

GRACE = 2.0


@define
class StuckModel(PriceModel):
    """Ignore the time budget."""

    release: Event = field(factory=Event)
    calls: int = 0

    @property
    @override
    def source(self) -> str:
        return "stuck"

    @override
    def price(self, question: PriceQuestion, *, seconds: float) -> int:
        self.calls += 1
        self.release.wait(20)
        return 540_00


@define
class MeetingModel(PriceModel):
    """Answer only when both are called at the same time."""

    barrier: Barrier
    average: int

    @property
    @override
    def source(self) -> str:
        return "meeting"

    @override
    def price(self, question: PriceQuestion, *, seconds: float) -> int:
        self.barrier.wait(10)
        return self.average


@define
class InlineModel(PriceModel):
    """Record the calling threads."""

    threads: list[Thread] = field(factory=list)

    @property
    @override
    def source(self) -> str:
        return "offline"

    @override
    def price(self, question: PriceQuestion, *, seconds: float) -> int:
        self.threads.append(current_thread())
        return 500_00


class BrokenModel(ScriptedModel):
    @override
    def price(self, question: PriceQuestion, *, seconds: float) -> int:
        raise ZeroDivisionError("secret detail")


def test_both_are_called_at_once_and_a_comes_first() -> None:
    barrier = Barrier(2)
    panel = ParallelPanel(MeetingModel(barrier, 400_00), MeetingModel(barrier, 500_00))

    assert [opinion.average for opinion in panel.ask(a_question(), offline=False, seconds=10)] == [
        400_00,
        500_00,
    ]


def test_failed_model_gives_an_opinion_without_a_figure() -> None:
    panel = ParallelPanel(ScriptedModel(Unavailable("timed out")), ScriptedModel(540_00))

    assert panel.ask(a_question(), offline=False, seconds=10) == (
        Opinion(average=None, source="scripted", unavailable_reason="timed out"),
        Opinion(average=540_00, source="scripted"),
    )


def test_late_model_does_not_delay_the_other() -> None:
    stuck = StuckModel()
    before = monotonic()
    late, good = ParallelPanel(stuck, ScriptedModel(540_00)).ask(a_question(), offline=False, seconds=0.2)
    stuck.release.set()

    assert monotonic() - before < 0.2 + GRACE
    assert late == Opinion(average=None, source="stuck", unavailable_reason="no response within 0.2 s")
    assert good.average == 540_00


def test_two_late_models_share_one_budget() -> None:
    stuck = StuckModel()
    before = monotonic()
    opinions = ParallelPanel(stuck, stuck).ask(a_question(), offline=False, seconds=0.2)
    stuck.release.set()

    assert monotonic() - before < 0.2 + GRACE
    assert [opinion.average for opinion in opinions] == [None, None]


def test_models_that_never_answer_do_not_accumulate_threads() -> None:
    stuck = StuckModel()
    panel = ParallelPanel(stuck, ScriptedModel(540_00), most_at_once=3)
    before = active_count()
    reasons = [panel.ask(a_question(), offline=False, seconds=0.05)[0].unavailable_reason for _ in range(6)]

    assert active_count() <= before + 3
    assert stuck.calls <= 3
    assert reasons[-1] == "too many requests at once"
    stuck.release.set()


def test_finished_thread_frees_its_place() -> None:
    panel = ParallelPanel(ScriptedModel(500_00), ScriptedModel(540_00), most_at_once=2)
    for _ in range(20):
        opinions = panel.ask(a_question(), offline=False, seconds=10)

        assert [opinion.average for opinion in opinions] == [500_00, 540_00]


def test_bug_in_a_model_gives_an_opinion_without_details(caplog: pytest.LogCaptureFixture) -> None:
    panel = ParallelPanel(BrokenModel(1), ComponentTableModel())
    broken, good = panel.ask(a_question(), offline=False, seconds=10)

    assert broken.unavailable_reason == "failed unexpectedly"
    assert good.average is not None
    assert "ZeroDivisionError" in caplog.text


def test_offline_model_answers_in_the_callers_thread() -> None:
    inline = InlineModel()
    ParallelPanel(ScriptedModel(540_00), inline).ask(a_question(), offline=False, seconds=10)

    assert inline.threads == [current_thread()]


def test_test_environment_calls_no_remote_model() -> None:
    a, b = ScriptedModel(540_00), ScriptedModel(540_00)
    opinions = ParallelPanel(a, b).ask(a_question(), offline=True, seconds=10)

    assert [opinion.source for opinion in opinions] == ["offline", "offline"]
    assert [opinion.average for opinion in opinions] == [
        ComponentTableModel().price(a_question(), seconds=1),
        HoursRegressionModel().price(a_question(), seconds=1),
    ]
    assert (a.calls, b.calls) == (0, 0)


def test_two_remote_models_over_the_network() -> None:
    with MisbehavingUpstream() as upstream:
        upstream.behave("/v1/messages", Status(500), Answer(610))
        chat = ChatPriceModel.at(upstream.url, api_key="k", name="m")
        messages = MessagesPriceModel.at(upstream.url, api_key="k", name="m")
        opinions = ParallelPanel(chat, messages).ask(a_question(), offline=False, seconds=10)

    assert opinions == (
        Opinion(average=540_00, source="openai"),
        Opinion(average=610_00, source="anthropic"),
    )


def test_hanging_and_dripping_servers_share_one_budget() -> None:
    with MisbehavingUpstream() as upstream:
        upstream.behave("/v1/chat/completions", server.HANG)
        upstream.behave("/v1/messages", server.DRIPPING_HEADERS)
        chat = ChatPriceModel.at(upstream.url, api_key="k", name="m")
        messages = MessagesPriceModel.at(upstream.url, api_key="k", name="m")
        before = monotonic()
        opinions = ParallelPanel(chat, messages).ask(a_question(), offline=False, seconds=0.5)

        assert monotonic() - before < 0.5 + GRACE

    assert [opinion.unavailable_reason for opinion in opinions] == ["no response within 0.5 s"] * 2


def test_late_model_does_not_prevent_exit() -> None:
    program = """
from time import sleep
from repaircore.adapters.ai.panel import ParallelPanel
from repaircore.testing.builders import a_question
from repaircore.testing.models import ScriptedModel

class Stuck(ScriptedModel):
    def price(self, question, *, seconds):
        sleep(60)

print(ParallelPanel(Stuck(1), ScriptedModel(54000)).ask(a_question(), offline=False, seconds=.1)[1].average)
"""

    assert printed(program) == "54000\n"


def test_counting_panel_counts_and_passes_on() -> None:
    panel = CountingPanel(ParallelPanel(ScriptedModel(540_00), ScriptedModel(550_00)))

    assert [opinion.average for opinion in panel.ask(a_question(), offline=False, seconds=10)] == [
        540_00,
        550_00,
    ]
    panel.ask(a_question(), offline=True, seconds=10)

    assert panel.calls == 2
    assert [call.offline for call in panel.questions] == [False, True]
