"""PredictionWriter encodes figures once, and writes the same bytes as a full encoding."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.http.people import ACCORD

from repaircore.core import Core
from repaircore.facilities.rates import RateBasis
from repaircore.json_text import encode
from repaircore.predictions.model import (
    EstimatedProblem,
    EstimatedRegion,
    EstimatedVehicle,
    Figures,
    LocalFigures,
    MemorySource,
    ModelFigures,
    PredictByVin,
    Prediction,
)
from repaircore.predictions.views import prediction_view
from repaircore.pricing.model import Basis, Breakdown, ExplanationStep, PartLine
from repaircore.transactions.levels import Level
from repaircore.vehicles.matching import Match, MatchSource
from repaircore_http.fast_path import prediction_bytes
from repaircore_http.fast_path.prediction_bytes import PredictionWriter

NOW = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
MOMENTS = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - hypothesis adds the zone
TEXTS = st.text(max_size=12)
CENTS = st.integers(0, 10_000_000)
NUMBERS = st.floats(0, 1000)
MODELS = st.builds(
    ModelFigures,
    average=st.none() | CENTS,
    match=st.none() | NUMBERS,
    source=TEXTS,
    unavailable_reason=st.none() | TEXTS,
)
STEPS = st.builds(ExplanationStep, name=TEXTS, text=TEXTS, value=NUMBERS)
LINES = st.builds(PartLine, name=TEXTS, unit_price=CENTS, quantity=st.integers(1, 9))
LEVELS = st.builds(
    Basis, level=st.none() | st.sampled_from(Level), name=TEXTS, invoices=st.integers(0, 99), weight=NUMBERS
)
FIGURES = st.builds(
    Figures,
    vehicle=st.builds(EstimatedVehicle, vin=st.none() | TEXTS, year=st.integers(1980, 2030)),
    problem=st.builds(EstimatedProblem, id=st.integers(1, 999)),
    region=st.builds(EstimatedRegion, labor_rate=CENTS, labor_rate_source=st.sampled_from(RateBasis)),
    local=st.builds(
        LocalFigures,
        low=CENTS,
        average=CENTS,
        high=CENTS,
        sample_size=st.integers(0, 99),
        effective_sample_size=NUMBERS,
        confidence=st.integers(0, 100),
        basis=st.lists(LEVELS, max_size=2).map(tuple),
    ),
    breakdown=st.builds(
        Breakdown, parts=st.lists(LINES, max_size=2).map(tuple), labor_hours=NUMBERS, labor_rate=CENTS
    ),
    model_a=MODELS,
    model_b=MODELS,
    ai_average=st.none() | CENTS,
    match=st.none() | NUMBERS,
    explanation=st.lists(STEPS, max_size=2).map(tuple),
    warnings=st.just(()),
)
REQUEST = PredictByVin(vin=ACCORD, zip_code="90210", problem_identifier="brake-pads-front")


@st.composite
def predictions(draw: st.DrawFn, figures: Figures) -> Prediction:
    computed_at = draw(MOMENTS)
    return Prediction(
        session_id=draw(st.uuids()),
        source=draw(st.sampled_from(MemorySource)),
        computed_at=computed_at,
        expires_at=computed_at + draw(st.timedeltas(timedelta(minutes=1), timedelta(days=3))),
        now=draw(MOMENTS),
        figures=figures,
        warnings=tuple(draw(st.lists(st.text(max_size=20), max_size=3))),
    )


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(FIGURES, st.data())
def test_spliced_answer_equals_the_encoded_view(figures: Figures, data: st.DataObject) -> None:
    writer = PredictionWriter()
    for _ in range(3):
        prediction = data.draw(predictions(figures))
        assert writer.write(prediction) == encode(prediction_view(prediction))


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(FIGURES, min_size=2, max_size=4), st.data())
def test_cached_figures_are_never_mixed_up(several: list[Figures], data: st.DataObject) -> None:
    writer = PredictionWriter()
    for figures in (*several, *several, *(evolve(each) for each in several)):
        prediction = data.draw(predictions(figures))
        assert writer.write(prediction) == encode(prediction_view(prediction))


def test_answer_has_the_vehicle_match(core: Core) -> None:
    prediction = core.predictions.predict(REQUEST)
    vehicle = core.vehicles.resolve(ACCORD)
    matched = evolve(prediction, match=Match(source=MatchSource.DATABASE, count=2, vehicle=vehicle))
    assert PredictionWriter().write(matched) == encode(prediction_view(matched))
    assert b'"vehicle_match"' in PredictionWriter().write(matched)


def test_cache_is_bounded(core: Core) -> None:
    prediction = core.predictions.predict(REQUEST)
    writer = PredictionWriter(size=2)
    for number in range(5):
        other = evolve(prediction, figures=evolve(prediction.figures, match=float(number)))
        assert writer.write(other) == encode(prediction_view(other))
    assert len(writer) == 2
    assert prediction_bytes.CACHE_SIZE > 2


def test_cached_figures_object_is_shared_until_prices_change(core: Core) -> None:
    core.predictions.predict(REQUEST)
    first, second = (core.predictions.predict(REQUEST) for _ in range(2))
    assert first.figures is second.figures
    core.predictions.adjust_prices(10.0)
    dearer, again = (core.predictions.predict(REQUEST) for _ in range(2))
    assert dearer.figures is again.figures
    assert dearer.figures == first.figures.adjusted(10.0)
    core.predictions.adjust_prices(0.0)
    assert core.predictions.predict(REQUEST).figures == first.figures


def test_every_answer_has_its_own_session(core: Core) -> None:
    writer = PredictionWriter()
    prediction = evolve(core.predictions.predict(REQUEST), now=NOW)
    for number in (1, 2):
        session = UUID(int=number)
        assert str(session).encode() in writer.write(evolve(prediction, session_id=session))
