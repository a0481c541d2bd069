"""The sentences of an estimate's explanation, for histories and markets that differ in one thing."""

from typing import Any

import pytest
from attrs import evolve
from tests.unit.pricing.jobs import (
    ACCORD,
    BATTERY,
    BOOK,
    CAMRY,
    HOME,
    LABOR_ONLY,
    PADS,
    PILOT,
    RATE,
    Past,
    estimated,
    evidence,
)

from repaircore.book.model import PartKind, PartNeed
from repaircore.pricing.estimator import estimate, outlook
from repaircore.pricing.explanation import vehicle_step
from repaircore.pricing.model import PartsTier
from repaircore.pricing.places import Market
from repaircore.pricing.variances import variances_of
from repaircore.testing.builders import a_problem
from repaircore.transactions.tally import NO_ERRORS, bin_of
from repaircore.vehicle_facts.model import Factors

NO_PAST = Past()


def _texts(past: Past = NO_PAST, market: Market = HOME, *, drift: float = 0.0) -> dict[str, str]:
    seen = evolve(past.of(ACCORD), drift=drift)
    found = estimate(outlook(BOOK, seen, market=market, variances=variances_of(BOOK.spread)))
    return {step.name: step.text for step in found.steps}


def test_estimate_by_the_book_has_no_more_steps_than_it_needs() -> None:
    assert [*_texts()] == ["book", "problem", "region", "lines", "range"]
    assert _texts()["problem"] == "We have none of these on other makes yet; the price is what the book says."
    assert [*_texts(drift=-0.02)] == ["book", "problem", "drift", "region", "lines", "range"]
    assert "by −2% beyond the price index" in _texts(drift=-0.02)["drift"]


def test_book_without_parts_states_only_hours() -> None:
    step = estimated(book=LABOR_ONLY).steps[0]

    assert step.text == (
        "The book expects 1.00 h on a 2012 Honda Accord: $144.00 at the national rate of $144.00 an hour."
    )


@pytest.mark.parametrize(
    ("on_accord", "on_pilot", "make", "model"),
    [
        (0, 1, "1 invoice for other jobs on Honda vehicles suggests", None),
        (0, 2, "2 invoices for other jobs on Honda vehicles suggest", None),
        (1, 0, "1 invoice for other jobs on Honda vehicles suggests", "1 invoice for other jobs on Honda Accord vehicles suggests"),
        (2, 1, "3 invoices for other jobs on Honda vehicles suggest", "2 invoices for other jobs on Honda Accord vehicles suggest"),
    ],
)  # fmt: skip
def test_index_of_the_make_and_of_the_model_is_stated_with_its_invoices(
    on_accord: int, on_pilot: int, make: str, model: str | None
) -> None:
    past = Past().with_evidence(
        *(evidence(20_000, ACCORD, BATTERY) for _ in range(on_accord)),
        *(evidence(20_000, PILOT, BATTERY) for _ in range(on_pilot)),
        *(evidence(0, CAMRY, BATTERY) for _ in range(5)),
    )
    texts = _texts(past)

    assert texts["make_index"].startswith(f"{make} +")
    assert texts["make_index"].endswith("compared with those on all vehicles.")
    if model is None:
        assert "model_index" not in texts
    else:
        assert texts["model_index"].startswith(f"{model} +")


def test_levels_without_invoices_are_stated_once() -> None:
    texts = _texts(Past().with_evidence(*[evidence(10_000, ACCORD)] * 2))

    # All invoices are on the model's years: the levels above have none of their own.
    assert [name for name in texts if name in {"problem", "make", "model", "years"}] == ["problem", "years"]
    assert texts["years"].startswith("We have 2 of these on this model's years. They make up ")
    single = _texts(Past().with_evidence(evidence(10_000, CAMRY)))

    assert (
        "We have 1 of these on other makes. It makes up 22% of the price; the other 78% is"
        in single["problem"]
    )
    assert "(the book counts as 3.5 invoices)" in single["problem"]


@pytest.mark.parametrize(
    ("price_level", "text"),
    [(1.004, "as much as"), (1.006, "1% more than"), (0.996, "as much as"), (0.9, "10% less than"), (1.25, "25% more than")],
)  # fmt: skip
def test_prices_are_compared_with_the_books_year(price_level: float, text: str) -> None:
    step = _texts(market=evolve(HOME, price_level=price_level))["prices"]

    assert f"repairs cost {text} in the book's base year" in step
    assert "Shops here" not in step


@pytest.mark.parametrize(
    ("levels", "text"),
    [
        ({"parts_level": 1.1}, "by +10% in parts prices and by +0% in billed hours."),
        ({"hours_level": 0.9}, "by +0% in parts prices and by −10% in billed hours."),
    ],
)
def test_prices_of_a_place_are_stated_if_they_differ_from_elsewhere(
    levels: dict[str, Any], text: str
) -> None:
    assert _texts(market=evolve(HOME, **levels))["prices"].endswith(text)


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (RATE, "charges 0% more than the national rate ($144.00 against $144.00 an hour); that moves the price by +0%."),
        (RATE * 5 // 4, "charges 25% more than the national rate ($180.00 against $144.00 an hour); that moves the price by +12%."),
        (RATE * 3 // 4, "charges 25% less than the national rate ($108.00 against $144.00 an hour); that moves the price by −12%."),
    ],
)  # fmt: skip
def test_labor_rate_is_compared_with_the_national_rate(rate: int, text: str) -> None:
    assert _texts(market=evolve(HOME, rate=rate))["region"].endswith(text)


def test_hours_of_a_place_move_the_labor_of_its_region() -> None:
    text = _texts(market=evolve(HOME, hours_level=1.2))["region"]

    assert text.endswith("charges 0% more than the national rate ($144.00 against $144.00 an hour); that moves the price by +9%.")  # fmt: skip


@pytest.mark.parametrize("is_own", [True, False])
def test_median_of_past_errors_is_that_of_the_repair_or_of_other_repairs(*, is_own: bool) -> None:
    tally = NO_ERRORS
    for _ in range(60):
        tally = tally.plus(bin_of(0.2))
    past = Past(errors={PADS: tally, 0: tally} if is_own else {0: tally})
    texts = _texts(past.with_evidence(evidence(0, ACCORD)) if is_own else past)

    assert ("of such jobs were off" if is_own else "of other repairs were off") in texts["past_errors"]


def test_vehicle_like_the_books_needs_no_step() -> None:
    problem, factors = a_problem(parts=()), Factors(labor=1.0, parts=1.0)

    assert vehicle_step(problem, factors, BOOK, year=2026) is None


@pytest.mark.parametrize(
    ("model_year", "text"),
    [
        (None, "Parts are aftermarket, as on 60% of invoices."),
        (2026, "Parts are aftermarket, as on 31% of invoices at 0 years."),
        (2025, "Parts are aftermarket, as on 31% of invoices at 1 year."),
        (2016, "Parts are aftermarket, as on 60% of invoices at 10 years."),
        (
            2015,
            "Parts are aftermarket, as on 60% of invoices at 11 years. Its age moves hours +1% and parts −1%.",
        ),
    ],
)
def test_grade_of_parts_and_age_are_stated(model_year: int | None, text: str) -> None:
    step = vehicle_step(
        a_problem(),
        Factors(labor=1.0, parts=1.0, year=model_year),
        evolve(BOOK, tier=PartsTier.AFTERMARKET),
        year=2026,
    )

    assert step is not None
    assert (step.text, step.value) == (text, 390.0)


@pytest.mark.parametrize(
    ("first", "second", "common", "text"),
    [(1.0, 1.0, True, "parts −16%"), (1.0, 0.0, True, "parts −11%"), (0.0, 1.0, True, "parts −5%"), (1.0, 1.0, False, None)],
)  # fmt: skip
def test_age_moves_the_parts_by_their_share_of_the_price(
    *, first: float, second: float, common: bool, text: str | None
) -> None:
    parts = (
        PartNeed(name="Rotor", quantity=2, price=100_00, ageing=first),
        PartNeed(name="Pads", quantity=1, price=100_00, ageing=second),
        PartNeed(name="Fluid", quantity=1, price=900_00, kind=PartKind.FLUID),
    )
    factors = Factors(labor=1.0, parts=1.0, year=1990, common=common)
    step = vehicle_step(a_problem(parts=parts), factors, BOOK, year=2026)

    assert step is not None
    assert step.text == f"Its age moves hours +10%{'' if text is None else f' and {text}'}."


def test_age_moves_only_what_a_repair_has() -> None:
    factors = Factors(labor=1.0, parts=1.0, year=1990)
    labor, parts = (
        vehicle_step(a_problem(), factors, book, year=2026) for book in (LABOR_ONLY, evolve(BOOK, hours=0.0))
    )

    assert labor is not None
    assert parts is not None
    assert (labor.text, parts.text) == ("Its age moves hours +10%.", "Its age moves parts −16%.")
