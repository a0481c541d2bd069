"""Predictions on both databases: one caller computes and concurrent callers reuse the answer."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.conftest import OpenCore
from tests.threads import at_once
from tests.writes import rows, unwritten
from typing_extensions import override

from repaircore.adapters.ai.panel import ParallelPanel
from repaircore.adapters.outbound.circuit import REST_SECONDS
from repaircore.core import Core
from repaircore.kernel.callers import Caller, Credential, Environment, Role
from repaircore.kernel.errors import Forbidden, Invalid, Unavailable
from repaircore.predictions.model import (
    PARTIAL_CACHE_LIFETIME,
    MemorySource,
    PredictBySpecs,
    PredictByVin,
    Prediction,
    Question,
)
from repaircore.predictions.ports import ComputeClaims, ModelPanel
from repaircore.predictions.service import Predictions
from repaircore.pricing.model import Opinion, PriceQuestion
from repaircore.quote_text.model import QuoteLine
from repaircore.quotes.comparison import Verdict
from repaircore.quotes.quote import Quote
from repaircore.testing.clock import FrozenClock
from repaircore.testing.models import CountingPanel, ScriptedModel
from repaircore.vehicles.errors import VehicleNotFound

ASK = PredictByVin(vin="1HGCM82633A004352", zip_code="90210", problem_identifier="brake-pads-front")
SPECS = PredictBySpecs(
    year=2015, make="Toyota", model="Camry", zip_code="10001", problem_identifier="brake-pads-front"
)
QUESTION = Question(
    environment=Environment.LIVE,
    vehicle_key="1HGCM82633A",
    problem_id=101,
    zip_code="90210",
    mileage_band=None,
)
ADA = Caller(user_id=1, role=Role.USER, environment=Environment.LIVE, credential=Credential.SECRET)


def test_installation_has_its_own_sessions(core: Core) -> None:
    own, other = core.predictions.predict(ASK), core.predictions.predict(ASK, ADA)

    assert own.session_id != other.session_id
    assert core.predictions.predict(ASK).session_id == own.session_id


def test_concurrent_equal_questions_are_computed_once(core: Core, panel: CountingPanel) -> None:
    result = at_once(8, lambda: core.predictions.predict(ASK, ADA))

    assert panel.calls == 1
    assert len({one.session_id for one in result}) == 1
    assert [one.source for one in result].count(MemorySource.FRESH) == 1


def test_answer_without_a_model_is_recomputed_when_the_model_is_available(
    open_core: OpenCore, clock: FrozenClock
) -> None:
    away = ScriptedModel(Unavailable("It is away."), 120_00)
    panel = CountingPanel(ParallelPanel(away, ScriptedModel(Unavailable("It is away."), 130_00)))
    core = open_core(panel=panel)

    first = core.predictions.predict(ASK)
    clock.advance(PARTIAL_CACHE_LIFETIME - timedelta(seconds=1))
    same = core.predictions.predict(ASK)
    clock.advance(timedelta(seconds=1))
    whole = core.predictions.predict(ASK)
    clock.advance(PARTIAL_CACHE_LIFETIME)

    assert [one.source for one in (first, same, whole)] == [
        MemorySource.FRESH,
        MemorySource.CACHED,
        MemorySource.FRESH,
    ]
    assert [one.figures.partial for one in (first, same, whole)] == [True, True, False]
    assert core.predictions.predict(ASK).source is MemorySource.CACHED
    assert panel.calls == 2


def test_partial_answer_is_cached_no_longer_than_a_failing_service_rests() -> None:
    assert PARTIAL_CACHE_LIFETIME.total_seconds() <= REST_SECONDS


@pytest.mark.parametrize("inspection", ["state-safety-inspection", "emissions-test"])
def test_price_range_and_quote_check_use_the_statutory_fee(core: Core, inspection: str) -> None:
    query = evolve(ASK, zip_code="10001", problem_identifier=inspection)
    predicted = core.predictions.predict(query).figures
    problem_id = predicted.problem.id
    about = core.vehicles.decode(ASK.vin)

    glance = core.price_ranges.ranges(Environment.LIVE, "10001", about, [problem_id])[problem_id]
    line = QuoteLine(total=500_00, problem_identifier=inspection)
    (checked,) = core.quotes.check(Quote(vin=ASK.vin, zip_code="10001", lines=(line,))).lines

    assert (glance.low, glance.average, glance.high) == (
        predicted.local.low,
        predicted.local.average,
        predicted.local.high,
    )
    assert checked.expected is not None
    assert checked.expected.average == predicted.local.average
    assert checked.assessment is not None
    assert (checked.assessment.verdict, checked.assessment.percentile) == (Verdict.VERY_HIGH, 100.0)


class FakeWait:
    """Wait by moving the clock, and run a callback on the way."""

    def __init__(self, clock: FrozenClock, then: Iterator[None]) -> None:
        self._clock = clock
        self._then = then
        self.seconds = 0.0

    def __call__(self, seconds: float) -> None:
        self.pass_by(seconds)
        next(self._then, None)

    def pass_by(self, seconds: float) -> None:
        self.seconds += seconds
        self._clock.advance(timedelta(seconds=seconds))

    def at(self, core: Core) -> Predictions:
        return evolve(core.predictions, wait=self, timer=lambda: self.seconds)


def claim_question(core: Core, clock: FrozenClock) -> str:
    owner = core.predictions.claims.acquire(QUESTION, now=clock(), seconds=9)

    assert owner is not None
    return owner


def test_waiting_caller_takes_the_answer_once_stored(
    core: Core, open_core: OpenCore, clock: FrozenClock, panel: CountingPanel
) -> None:
    owner = claim_question(core, clock)
    other = open_core()

    def answer_arrives() -> Iterator[None]:
        yield
        core.predictions.claims.release(QUESTION, owner)
        other.predictions.predict(ASK)
        yield

    waiting = FakeWait(clock, answer_arrives())
    result = waiting.at(core).predict(ASK, ADA)

    assert result.source is MemorySource.CACHED
    assert panel.calls == 1
    assert waiting.seconds < 1


def test_waiting_caller_computes_after_the_claim_expires(
    core: Core, clock: FrozenClock, panel: CountingPanel
) -> None:
    claim_question(core, clock)
    waiting = FakeWait(clock, iter(()))
    result = waiting.at(core).predict(ASK, ADA)

    assert result.source is MemorySource.FRESH
    assert panel.calls == 1
    assert waiting.seconds == pytest.approx(core.predictions.seconds)


@pytest.mark.parametrize("slower", [1, 50])
def test_waiting_caller_gives_up_when_its_budget_is_spent(
    core: Core, clock: FrozenClock, slower: int
) -> None:
    class BusyClaims(ComputeClaims):
        """Claims that are always taken, and slow to check."""

        @override
        def acquire(self, question: Question, *, now: datetime, seconds: float) -> str | None:
            waiting.pass_by(0.01 * slower)
            return None

        @override
        def release(self, question: Question, owner: str) -> None:
            raise AssertionError(owner)

    waiting = FakeWait(clock, iter(()))
    with pytest.raises(Unavailable):
        evolve(waiting.at(core), claims=BusyClaims()).predict(ASK, ADA)

    assert waiting.seconds <= core.predictions.seconds + 2 * 0.01 * slower


def test_answer_stored_first_is_returned_to_all(core: Core, panel: CountingPanel) -> None:
    class FreeClaims(ComputeClaims):
        """Claims that everybody gets."""

        @override
        def acquire(self, question: Question, *, now: datetime, seconds: float) -> str | None:
            return "anybody"

        @override
        def release(self, question: Question, owner: str) -> None:
            """Release nothing."""

    def ask() -> Prediction:
        return evolve(core.predictions, claims=FreeClaims()).predict(ASK, ADA)

    result = at_once(6, ask)

    assert panel.calls >= 1
    assert len({one.session_id for one in result}) == 1
    assert [one.source for one in result].count(MemorySource.FRESH) == 1


def test_failed_computation_releases_the_claim(core: Core, clock: FrozenClock) -> None:
    for _ in range(2):
        with pytest.raises(VehicleNotFound):
            core.predictions.predict(evolve(ASK, vin="ZZZZZZZZZZZ"))

    assert claim_question(core, clock)


def test_invalid_question_is_refused_before_anything_is_written(core: Core, database_url: str) -> None:
    bad = [
        evolve(ASK, zip_code="00000"),
        evolve(ASK, zip_code="x"),
        evolve(ASK, vin="x"),
        evolve(ASK, mileage=-1),
        evolve(ASK, problem_identifier="x"),
    ]
    with unwritten(database_url):
        for ask in bad:
            with pytest.raises(Invalid):
                core.predictions.predict(ask)


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("vin", 5, "The vin field must be a string."),
        ("zip_code", 90210, "The zip code field must be a string."),
        ("problem_identifier", 101, "The problem identifier field must be a string."),
        ("mileage", 88_000.0, "The mileage field must be an integer."),
        ("mileage", True, "The mileage field must be an integer."),
    ],
)
def test_value_of_the_wrong_type_is_refused_by_field_name(
    core: Core, field: str, value: Any, expected: str
) -> None:
    with pytest.raises(Invalid) as caught:
        core.predictions.predict(evolve(ASK, **{field: value}))

    assert caught.value.fields == {field: (expected,)}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("year", 2015.0),
        ("year", True),
        ("year", "2015"),
        ("make", 5),
        ("model", None),
        ("trim", 5),
        ("engine", b"2.4L"),
        ("zip_code", 10001),
        ("problem_identifier", 101),
    ],
)
def test_specs_of_the_wrong_type_are_refused_and_nothing_is_written(
    core: Core, database_url: str, field: str, value: Any
) -> None:
    with unwritten(database_url), pytest.raises(Invalid) as caught:
        core.predictions.predict_by_specs(evolve(SPECS, **{field: value}))

    assert list(caught.value.fields) == [field]


def test_every_value_of_the_wrong_type_is_reported(core: Core) -> None:
    bad: Any = {"vin": None, "zip_code": "1", "problem_identifier": 5, "mileage": "many"}
    with pytest.raises(Invalid) as caught:
        core.predictions.predict(PredictByVin(**bad))

    assert list(caught.value.fields) == list(bad)


@pytest.mark.parametrize("figures", ["", "{}", "null", '{"vehicle": {"year": 2003.0}}'])
def test_unreadable_cached_answer_is_replaced(
    core: Core, open_core: OpenCore, database_url: str, figures: str
) -> None:
    first = core.predictions.predict(ASK)
    engine = sa.create_engine(database_url)
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE remembered SET figures = :figures"), {"figures": figures})
    engine.dispose()
    result = open_core().predictions.predict(ASK)

    assert (result.source, result.figures) == (MemorySource.FRESH, first.figures)
    assert rows(database_url)["remembered"] == 1
    assert open_core().predictions.predict(ASK).session_id == result.session_id


def test_concurrent_equal_specs_create_one_vehicle(core: Core, database_url: str) -> None:
    def ask() -> Prediction:
        return core.predictions.predict_by_specs(SPECS, ADA)

    assert len({one.session_id for one in at_once(6, ask)}) == 1
    assert rows(database_url)["vehicles"] == 1


def test_only_an_admin_adjusts_prices_and_within_bounds(core: Core) -> None:
    with pytest.raises(Forbidden):
        core.predictions.adjust_prices(5, ADA)
    for percent in (-90.01, 500.01, float("nan"), float("inf")):
        with pytest.raises(Invalid) as caught:
            core.predictions.adjust_prices(percent)

        assert list(caught.value.fields) == ["percent"]

    assert core.predictions.price_adjustment() == 0.0


def test_steps_about_the_models_have_their_figure_and_the_flag(core: Core) -> None:
    figures = core.predictions.predict(ASK).figures
    steps = {step.name: step.value for step in figures.explanation}

    assert figures.ai_average is not None
    assert steps["models"] == figures.ai_average / 100
    assert steps["red flag"] == float(figures.red_flag)


class HurriedPanel(ModelPanel):
    """A panel whose models agree, and which records how many seconds they get."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    @override
    def ask(self, question: PriceQuestion, *, offline: bool, seconds: float) -> Sequence[Opinion]:
        self.seconds.append(seconds)
        return [Opinion(average=300_00, source="offline")] * 2


@pytest.mark.parametrize("spent", [0.0, 0.25, 0.875, 0.9, 1.0])
def test_models_get_seven_eighths_of_the_budget_less_what_was_spent(
    open_core: OpenCore, spent: float
) -> None:
    panel = HurriedPanel()
    predictions = open_core(panel=panel).predictions
    times = iter([100.0])
    later = 100.0 + spent * predictions.seconds
    evolve(predictions, timer=lambda: next(times, later)).predict(ASK)

    assert panel.seconds == [pytest.approx(max(0.0, 7 / 8 - spent) * predictions.seconds)]


def test_answer_of_one_model_is_partial_and_raises_no_flag(open_core: OpenCore) -> None:
    silent = ScriptedModel(Unavailable("It is away."))
    whole, partial, local = (
        open_core(panel=panel).predictions.predict(evolve(ASK, zip_code=code)).figures
        for code, panel in (
            ("90210", HurriedPanel()),
            ("90211", ParallelPanel(ScriptedModel(300_00), silent)),
            ("90212", ParallelPanel(silent, silent)),
        )
    )
    steps = {step.name: step for step in partial.explanation}

    assert [one.partial for one in (whole, partial, local)] == [False, True, True]
    assert [one.ai_average for one in (whole, partial, local)] == [300_00, 300_00, None]
    assert (partial.red_flag, partial.red_flag_reason, partial.doubt) == (False, None, None)
    assert steps["models"].text.startswith("Model A (")
    assert "model B (" in steps["models"].text
    assert steps["red flag"].text.startswith("One of the two AI models is missing")
    assert steps["red flag"].value == 0
    (without,) = [step for step in local.explanation if step.name in {"models", "red flag"}]

    assert without.text.startswith("Neither AI model gave a price: model A (")
    assert without.value == 0


def test_price_adjustment_is_accepted_up_to_its_bounds_and_audited_once(core: Core) -> None:
    for percent in (-90, 500, 500, -0.0):
        assert core.predictions.adjust_prices(percent) == percent == core.predictions.price_adjustment()
    entries = [entry for entry in core.audit.list_newest(limit=9) if entry.action == "price_adjustment.set"]

    assert str(core.predictions.price_adjustment()) == "0.0"
    assert [(entry.before, entry.after) for entry in entries] == [
        ({"percent": 500.0}, {"percent": 0.0}),
        ({"percent": -90.0}, {"percent": 500.0}),
        ({"percent": 0.0}, {"percent": -90.0}),
    ]
