"""Metrics of models, webhooks and predictions."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import pytest
from attrs import define, field
from tests.unit.payments.payments import make_payment
from typing_extensions import override

from repaircore.adapters.metrics.models import MODEL_FAILURES, MODEL_SECONDS, MeasuredModel
from repaircore.adapters.metrics.payments import PAYMENTS_LAPSED, CountedNews
from repaircore.adapters.metrics.prometheus import PrometheusMeter
from repaircore.adapters.metrics.shared import SHARED, files, share, share_standalone
from repaircore.adapters.metrics.webhooks import WEBHOOK_SECONDS, MeasuredSender
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.metrics import Meter, Metric
from repaircore.payments.model import LAPSED, PaymentState
from repaircore.payments.ports import NoPaymentNews
from repaircore.predictions.ports import PriceModel
from repaircore.pricing.model import PriceQuestion
from repaircore.webhooks.model import AttemptResult, Message
from repaircore.webhooks.ports import Sender

COUNTED = Metric("things_total", "Things.", ("kind",))
TIMED = Metric("thing_seconds", "How long things took.")
QUESTION = cast("PriceQuestion", None)
MESSAGE = Message(url="https://hooks.example", environment=Environment.TEST, body=b"", headers={})


def test_durations_are_counted_from_a_millisecond_to_ten_seconds() -> None:
    meter = PrometheusMeter()
    labeled = Metric("labeled_seconds", "How long labeled things took.", ("kind",))
    meter.time(TIMED, 0.002)
    meter.time(labeled, 0.002, "a")
    for name in ("thing_seconds_bucket", "labeled_seconds_bucket"):
        counts = {sample.labels["le"]: sample.value for sample in meter.samples() if sample.name == name}
        assert (counts["0.001"], counts["0.0025"], counts["10.0"]) == (0, 1, 1)


@define
class RecordingMeter(Meter):
    """Record metrics without their seconds."""

    recorded: list[tuple[str, ...]] = field(factory=list)

    @override
    def count(self, measure: Metric, *labels: str) -> None:
        self.recorded.append((measure.name, *labels))

    @override
    def time(self, measure: Metric, seconds: float, *labels: str) -> None:
        assert seconds >= 0
        self.recorded.append((measure.name, *labels))


@define
class Model(PriceModel):
    """Return a price, or fail."""

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
class ScriptedSender(Sender):
    """Return the answer of the test."""

    sent: AttemptResult

    @override
    def send(self, message: Message) -> AttemptResult:
        return self.sent


def test_call_of_a_model_is_passed_on_and_timed() -> None:
    notes = RecordingMeter()
    model = MeasuredModel(Model(), "a", notes)

    assert (model.source, model.price(QUESTION, seconds=1)) == ("openai", 540)
    assert notes.recorded == [(MODEL_SECONDS.name, "a", "openai")]


@pytest.mark.parametrize("failure", [Unavailable("timed out"), RuntimeError("odd")])
def test_failing_model_is_counted_and_still_fails(failure: Exception) -> None:
    notes = RecordingMeter()
    with pytest.raises(type(failure)):
        MeasuredModel(Model(failure), "b", notes).price(QUESTION, seconds=1)

    assert notes.recorded == [(MODEL_FAILURES.name, "b", "openai"), (MODEL_SECONDS.name, "b", "openai")]


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (AttemptResult(status=204), "2xx"),
        (AttemptResult(status=410), "4xx"),
        (AttemptResult(status=503), "5xx"),
        (AttemptResult(error="x"), "none"),
    ],
)
def test_attempt_is_labeled_by_its_result(sent: AttemptResult, answer: str) -> None:
    notes = RecordingMeter()

    assert MeasuredSender(ScriptedSender(sent), notes).send(MESSAGE) == sent
    assert notes.recorded == [(WEBHOOK_SECONDS.name, answer)]


def test_metrics_are_written_in_prometheus_format() -> None:
    meter = PrometheusMeter()
    for kind in ("a", "a", 'odd "one"\n'):
        meter.count(COUNTED, kind)
    meter.time(TIMED, 0.02)
    lines = meter.text([(Metric("standing", "Stands.", ("of",)), [(("x",), 2.5)])]).decode().splitlines()

    assert "# TYPE repaircore_things_total counter" in lines
    assert 'repaircore_things_total{kind="a"} 2.0' in lines
    assert 'repaircore_things_total{kind="odd \\"one\\"\\n"} 1.0' in lines
    assert 'repaircore_thing_seconds_bucket{le="0.01"} 0.0' in lines
    assert 'repaircore_thing_seconds_bucket{le="0.025"} 1.0' in lines
    assert "repaircore_thing_seconds_count 1.0" in lines
    assert 'repaircore_standing{of="x"} 2.5' in lines


def test_counter_cannot_be_used_as_a_timer() -> None:
    meter = PrometheusMeter()
    meter.count(COUNTED, "a")
    with pytest.raises(TypeError):
        meter.time(COUNTED, 0.1, "a")


COUNTING = """
import os, sys
from pathlib import Path
from repaircore.adapters.metrics.shared import share_standalone
share_standalone(Path(sys.argv[1]))
from repaircore.adapters.metrics.prometheus import PrometheusMeter
from repaircore.kernel.metrics import Metric
meter = PrometheusMeter()
meter.count(Metric("things_total", "Things.", ("kind",)), "a")
meter.time(Metric("thing_seconds", "How long."), 0.02)
print("counted", flush=True)
sys.stdin.read()
"""


@contextmanager
def counting(folder: Path) -> Iterator[None]:
    """Run a process, outside of a server, that counts one thing; it is killed at the end."""
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    environ.pop(SHARED, None)
    with subprocess.Popen(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", COUNTING, str(folder)],
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"counted\n"
        yield
        process.kill()


def figures_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    monkeypatch.setenv(SHARED, str(folder))
    lines = PrometheusMeter().text([]).decode().splitlines()
    return {
        name: float(figure) for name, _, figure in (line.rpartition(" ") for line in lines if line[0] != "#")
    }


def test_figures_of_ended_processes_are_summed_in_a_fixed_number_of_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file_counts = []
    for number in range(1, 5):
        with counting(tmp_path):
            values = figures_in(tmp_path, monkeypatch)
            assert values['repaircore_things_total{kind="a"}'] == number
            assert values['repaircore_thing_seconds_bucket{le="0.025"}'] == number
            assert values["repaircore_thing_seconds_count"] == number
            file_counts.append(len(files(tmp_path)))

    assert file_counts == [2, 4, 4, 4]


def test_figures_of_a_live_process_are_separate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with counting(tmp_path), counting(tmp_path):
        assert len(files(tmp_path)) == 4
        share(tmp_path, reset=True, environ={})
        assert len(files(tmp_path)) == 4
        assert figures_in(tmp_path, monkeypatch)['repaircore_things_total{kind="a"}'] == 2


def test_server_start_resets_the_figures(tmp_path: Path) -> None:
    for _ in range(2):
        with counting(tmp_path):
            pass
    (tmp_path / "counter_1.db").touch()
    (tmp_path / "other.txt").touch()
    environ: dict[str, str] = {}
    share(tmp_path, reset=True, environ=environ)

    assert environ[SHARED] == str(tmp_path)
    assert files(tmp_path) == []
    assert (tmp_path / "other.txt").exists()


def test_folder_of_the_environment_is_used_by_all(tmp_path: Path) -> None:
    named = {SHARED: str(tmp_path / "named")}
    share_standalone(tmp_path, environ=named)
    share(tmp_path, reset=False, environ=named)

    assert named == {SHARED: str(tmp_path / "named")}
    assert [one.name for one in tmp_path.iterdir()] == ["named"]


def test_failed_fees_are_counted_and_refunds_are_not() -> None:
    notes = RecordingMeter()
    news = CountedNews(news=NoPaymentNews(), meter=notes)
    news(None, make_payment(PaymentState.VOIDED, reason=LAPSED))
    news(None, make_payment(PaymentState.REFUNDED))

    assert notes.recorded == [(PAYMENTS_LAPSED.name, "test")]
