"""Tokens of shared estimates: whole, or none at all."""

from datetime import UTC, datetime
from string import ascii_letters, digits

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from repaircore.adapters.crypto.estimates import HmacEstimates
from repaircore.kernel.money import PriceRange
from repaircore.pricing.model import Breakdown, PartLine
from repaircore.shared_estimates.model import SharedEstimate

SEAL = HmacEstimates(b"k" * 32)
LETTERS = f"{ascii_letters}{digits}-_"
ESTIMATE = SharedEstimate(
    vehicle_name="2003 Honda Accord EX-V6",
    problem_name="Brakes > Front Brake Pads",
    problem_slug="brake-pads-front",
    zip_code="90210",
    state="CA",
    local=PriceRange(low=17812, average=28350, high=45123),
    breakdown=Breakdown(
        parts=(PartLine(name="Front brake pad set", unit_price=4615, quantity=1),),
        labor_hours=1.19,
        labor_rate=19126,
    ),
    red_flag_reason=None,
    misfit=None,
    computed_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    expires_at=datetime(2026, 2, 1, tzinfo=UTC),
)


@given(st.text(), st.text(), st.none() | st.text())
def test_token_opens_to_what_was_sealed(vehicle: str, problem: str, reason: str | None) -> None:
    estimate = evolve(ESTIMATE, vehicle_name=vehicle, problem_name=problem, red_flag_reason=reason)

    assert SEAL.open(SEAL.seal(estimate)) == estimate


def test_token_fits_an_address() -> None:
    token = SEAL.seal(ESTIMATE)

    assert set(token) <= set(LETTERS)
    assert len(token) < 600


@pytest.mark.parametrize("at", range(0, 250, 7))
def test_changed_token_opens_to_nothing(at: int) -> None:
    token = SEAL.seal(ESTIMATE)
    others = [f"{token[:at]}{letter}{token[at + 1 :]}" for letter in LETTERS if letter != token[at]]

    assert [other for other in others if SEAL.open(other) is not None] == []


def test_last_letter_counts_as_well() -> None:
    token = SEAL.seal(ESTIMATE)

    assert [letter for letter in LETTERS if SEAL.open(token[:-1] + letter) is not None] == [token[-1]]


@pytest.mark.parametrize(
    "odd", ["", "e", "é", "=" * 9, "a" * 100_000, "\x00", "!" * 60, "\N{AUTOMOBILE}" * 30]
)
def test_odd_token_opens_to_nothing(odd: str) -> None:
    assert SEAL.open(odd) is None
    assert SEAL.open(SEAL.seal(ESTIMATE) + odd) is None or not odd


def test_token_of_another_installation_opens_to_nothing() -> None:
    assert HmacEstimates(b"o" * 32).open(SEAL.seal(ESTIMATE)) is None
