"""What is told to a meter about models, webhooks and predictions."""

from pathlib import Path
from typing import cast

import pytest
from attrs import define, field
from tests.unit.payments.payments import a_payment
from typing_extensions import override

from repaircore.adapters.metrics.models import MODEL_FAILURES, MODEL_SECONDS, MeasuredModel
from repaircore.adapters.metrics.payments import PAYMENTS_LAPSED, CountedNews
from repaircore.adapters.metrics.prometheus import PrometheusMeter
from repaircore.adapters.metrics.shared import SHARED, apart, files, share
from repaircore.adapters.metrics.webhooks import WEBHOOK_SECONDS, MeasuredSender
from repaircore.estimates.model import PriceQuestion
from repaircore.estimates.ports import PriceModel
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.measures import Measure, Meter
from repaircore.payments.model import LAPSED, PaymentState
from repaircore.payments.ports import Unheard
from repaircore.webhooks.model import Message, Sent
from repaircore.webhooks.ports import Sender

COUNTED = Measure("things_total", "Things.", ("kind",))
TIMED = Measure("thing_seconds", "How long things took.")
QUESTION = cast("PriceQuestion", None)
MESSAGE = Message(url="https://hooks.example", environment=Environment.TEST, body=b"", headers={})


@define
class Notes(Meter):
    """Keeps what it is told, without the seconds."""

    told: list[tuple[str, ...]] = field(factory=list)

    @override
    def count(self, measure: Measure, *labels: str) -> None:
        self.told.append((measure.name, *labels))

    @override
    def time(self, measure: Measure, seconds: float, *labels: str) -> None:
        assert seconds >= 0
        self.told.append((measure.name, *labels))


@define
class Model(PriceModel):
    """Gives a price, or fails."""

    failure: Exception | None = None

    @property
    @override
    def source(self) -> str:
        return "openai"

    @override
    def price(self, question: PriceQuestion, *, seconds: float) -> int:
        if self.failure is not None:
            raise self.failure
        return 540


@define
class Answering(Sender):
    """Is answered as the test says."""

    sent: Sent

    @override
    def send(self, message: Message) -> Sent:
        return self.sent


def test_a_model_is_asked_as_it_is_and_its_answer_timed() -> None:
    notes = Notes()
    model = MeasuredModel(Model(), "a", notes)
    assert (model.source, model.price(QUESTION, seconds=1)) == ("openai", 540)
    assert notes.told == [(MODEL_SECONDS.name, "a", "openai")]


@pytest.mark.parametrize("failure", [Unavailable("timed out"), RuntimeError("odd")])
def test_a_model_that_fails_is_counted_and_fails_all_the_same(failure: Exception) -> None:
    notes = Notes()
    with pytest.raises(type(failure)):
        MeasuredModel(Model(failure), "b", notes).price(QUESTION, seconds=1)
    assert notes.told == [(MODEL_FAILURES.name, "b", "openai"), (MODEL_SECONDS.name, "b", "openai")]


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (Sent(status=204), "2xx"),
        (Sent(status=410), "4xx"),
        (Sent(status=503), "5xx"),
        (Sent(error="x"), "none"),
    ],
)
def test_an_attempt_is_told_by_what_it_was_answered_with(sent: Sent, answer: str) -> None:
    notes = Notes()
    assert MeasuredSender(Answering(sent), notes).send(MESSAGE) == sent
    assert notes.told == [(WEBHOOK_SECONDS.name, answer)]


def test_figures_are_written_in_the_words_of_prometheus() -> None:
    meter = PrometheusMeter()
    for kind in ("a", "a", 'odd "one"\n'):
        meter.count(COUNTED, kind)
    meter.time(TIMED, 0.02)
    told = meter.text([(Measure("standing", "Stands.", ("of",)), [(("x",), 2.5)])]).decode().splitlines()
    assert "# TYPE repaircore_things_total counter" in told
    assert 'repaircore_things_total{kind="a"} 2.0' in told
    assert 'repaircore_things_total{kind="odd \\"one\\"\\n"} 1.0' in told
    assert 'repaircore_thing_seconds_bucket{le="0.01"} 0.0' in told
    assert 'repaircore_thing_seconds_bucket{le="0.025"} 1.0' in told
    assert "repaircore_thing_seconds_count 1.0" in told
    assert 'repaircore_standing{of="x"} 2.5' in told


def test_what_is_counted_cannot_be_timed_as_well() -> None:
    meter = PrometheusMeter()
    meter.count(COUNTED, "a")
    with pytest.raises(TypeError):
        meter.time(COUNTED, 0.1, "a")


def test_processes_that_a_server_does_not_start_keep_their_figures_apart(tmp_path: Path) -> None:
    environ: dict[str, str] = {}
    beside = apart(tmp_path)
    for folder in (tmp_path, beside):
        folder.mkdir(exist_ok=True)
        (folder / "counter_1.db").touch()
    (tmp_path / "other.txt").touch()
    assert sorted(files(tmp_path)) == sorted(str(one / "counter_1.db") for one in (tmp_path, beside))
    share(tmp_path, anew=True, environ=environ)
    assert environ[SHARED] == str(tmp_path)
    assert files(tmp_path) == [str(beside / "counter_1.db")]


def test_fees_that_could_not_be_taken_are_counted_and_refunds_are_not() -> None:
    notes = Notes()
    news = CountedNews(news=Unheard(), meter=notes)
    news(None, a_payment(PaymentState.VOIDED, reason=LAPSED))
    news(None, a_payment(PaymentState.REFUNDED))
    assert notes.told == [(PAYMENTS_LAPSED.name, "test")]
