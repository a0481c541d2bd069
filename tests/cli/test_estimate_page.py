from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from repaircore.predictions.model import (
    EstimatedProblem,
    EstimatedRegion,
    EstimatedVehicle,
    Figures,
    LocalFigures,
    MemorySource,
    ModelFigures,
    Prediction,
)
from repaircore.pricing.model import Basis, Breakdown, ExplanationStep, PartLine
from repaircore_cli.estimate_page import page
from repaircore_cli.terminal import PLAIN, Look

UNICODE = Look(width=80, unicode=True, color=False)
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def _figures(low: int, average: int, high: int, a: int | None, b: int | None) -> Figures:
    return Figures(
        vehicle=EstimatedVehicle(
            id=UUID(int=1),
            vin="1HGCV1F34JA",
            display_name="2018 Honda Accord EX",
            make="Honda",
            model="Accord",
            year=2018,
            trim="EX",
            engine="1.5L 4-cyl",
        ),
        problem=EstimatedProblem(id=101, slug="front-brake-pads", display_name="Brakes > Front brake pads"),
        region=EstimatedRegion(
            zip_code="43004",
            state="OH",
            labor_rate=13000,
            labor_rate_source="state_table",
            labor_rate_text="$130.00 an hour.",
        ),
        local=LocalFigures(
            low=low,
            average=average,
            high=high,
            sample_size=0,
            effective_sample_size=0.0,
            confidence=51,
            basis=(Basis(level=None, name="the repair book", invoices=0, weight=100.0),),
        ),
        breakdown=Breakdown(
            parts=(PartLine(name="Pad set", unit_price=7000, quantity=1),), labor_hours=1.5, labor_rate=13000
        ),
        model_a=ModelFigures(
            average=a, match=None, source="offline", unavailable_reason=None if a else "timed out"
        ),
        model_b=ModelFigures(
            average=b, match=None, source="offline", unavailable_reason=None if b else "timed out"
        ),
        ai_average=a,
        match=None,
        red_flag=False,
        red_flag_reason=None,
        explanation=(ExplanationStep(name="book", text="The book − says so.", value=1.0),),
        warnings=(),
        partial=False,
    )


def _prediction(figures: Figures) -> Prediction:
    return Prediction(
        session_id=UUID(int=2),
        source=MemorySource.CACHED,
        computed_at=NOW - timedelta(hours=18),
        expires_at=NOW + timedelta(hours=54),
        now=NOW,
        figures=figures,
        warnings=("problem_does_not_fit_vehicle", "something_new"),
    )


ORDINARY = _figures(20000, 26500, 40000, 26500, 22000)


def test_cached_answer_states_its_remaining_confidence() -> None:
    assert "cached, 75.00% left, good until 2026-03-03 18:00 UTC" in page(_prediction(ORDINARY), PLAIN)


def test_red_flag_is_printed_with_its_reason() -> None:
    flagged = evolve(ORDINARY, red_flag=True, red_flag_reason="The models say twice as much.")
    assert "RED FLAG   The models say twice as much." in page(_prediction(flagged), PLAIN)


def test_model_without_a_figure_has_a_reason() -> None:
    result = page(_prediction(_figures(20000, 26500, 40000, 26500, None)), PLAIN)
    assert "unavailable: timed out" in result


def test_warnings_are_printed_as_text_and_unknown_ones_too() -> None:
    result = page(_prediction(ORDINARY), PLAIN)
    assert "does not fit this vehicle" in result
    assert "something_new" in result


def test_escape_codes_are_printed_only_with_color() -> None:
    assert "\x1b" not in page(_prediction(ORDINARY), UNICODE)
    assert "\x1b[" in page(_prediction(ORDINARY), evolve(UNICODE, color=True))


def test_color_does_not_change_the_layout() -> None:
    colored = page(_prediction(ORDINARY), evolve(UNICODE, color=True))
    for style in ("\x1b[1;31m", "\x1b[1m", "\x1b[2m", "\x1b[0m"):
        colored = colored.replace(style, "")
    assert colored == page(_prediction(ORDINARY), UNICODE)


@pytest.mark.parametrize("explain", [True, False])
def test_plain_terminal_gets_ascii_with_the_same_layout(*, explain: bool) -> None:
    plain = page(_prediction(ORDINARY), PLAIN, explain=explain)
    assert plain.isascii()
    wide = page(_prediction(ORDINARY), UNICODE, explain=explain)
    assert [len(line) for line in plain.splitlines()] == [len(line) for line in wide.splitlines()]


def test_marks_are_at_their_positions() -> None:
    lines = page(_prediction(_figures(10000, 20000, 30000, 20000, 30000)), PLAIN).splitlines()
    bar = next(line for line in lines if line.startswith(" |-"))
    marks = lines[lines.index(bar) + 1]
    assert bar.index("+") == len(bar) // 2
    assert marks.index("A") == bar.index("+")
    assert marks.index("B") == len(bar) - 1


def test_model_outside_the_range_is_shown_as_an_arrow() -> None:
    lines = page(_prediction(_figures(20000, 26500, 40000, 100, 9_000_000)), PLAIN).splitlines()
    assert any(line.startswith(" < A") and line.endswith("B >") for line in lines)


MONEY = st.integers(1, 99_999_999)


@given(
    st.tuples(MONEY, MONEY, MONEY),
    st.none() | MONEY,
    st.none() | MONEY,
    st.integers(60, 100),
    st.booleans(),
)
def test_any_figures_fit_the_width(
    range_: tuple[int, int, int],
    a: int | None,
    b: int | None,
    width: int,
    unicode: bool,  # noqa: FBT001 - hypothesis gives it
) -> None:
    low, average, high = sorted(range_)
    result = page(
        _prediction(_figures(low, average, high, a, b)), Look(width=width, unicode=unicode, color=False)
    )
    assert max(len(line) for line in result.splitlines()) <= width
