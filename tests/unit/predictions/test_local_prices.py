"""Which place, shops and entered rate the price levels of a question and of an invoice come from."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from attrs import define, evolve, field

from repaircore.facilities.model import Facility, Region, ZipPlace
from repaircore.facilities.region import EnteredRate
from repaircore.kernel.callers import Environment
from repaircore.kernel.geo import Point
from repaircore.predictions.ports import PredictionsWork
from repaircore.pricing.places import NO_CELLS, PlaceCells
from repaircore.transactions.evidence import NOWHERE, Place
from repaircore.wiring.pricing import local_prices

LOCAL = local_prices()
LIVE = Environment.LIVE
HERE, THERE = Point(34.1, -118.4), Point(34.2, -118.4)
BEVERLY_HILLS = ZipPlace(zip_code="90210", state="CA", point=HERE, time_zone="America/Los_Angeles")


def shop(number: int, **fields: Any) -> Facility:
    made = Facility(
        id=number,
        name=f"Shop {number}",
        city=None,
        state="CA",
        zip_code="90210",
        country="US",
        avg_labor_rate=None,
        point=HERE,
        created_at=datetime(2026, 1, 2, tzinfo=UTC),
    )
    return evolve(made, **fields)


@define
class Looked:
    """A unit of work that remembers which cells were looked up."""

    calls: list[tuple[Environment, Place, tuple[int, ...]]] = field(factory=list)

    @property
    def evidence(self) -> "Looked":
        return self

    @property
    def work(self) -> PredictionsWork:
        return cast("PredictionsWork", self)

    def get_place_cells(self, environment: Environment, place: Place, shops: Sequence[int]) -> PlaceCells:
        self.calls.append((environment, place, tuple(shops)))
        return NO_CELLS


@pytest.fixture
def looked() -> Looked:
    return Looked()


def test_question_is_answered_with_the_nearest_shops_of_one_address(looked: Looked) -> None:
    shops = (shop(3), shop(4, avg_labor_rate=200_00), shop(5, point=THERE, avg_labor_rate=300_00))
    region = Region(state="CA", shops=shops)
    found = LOCAL.of_region(looked.work, LIVE, BEVERLY_HILLS, region, wages=1.0)

    assert looked.calls == [(LIVE, Place(state="CA", area="902", shop=3), (3, 4))]
    assert found.prices.place == Place(state="CA", area="902", shop=3)
    assert found.entered == EnteredRate(200_00, 1)


def test_question_without_a_shop_nearby_has_its_area(looked: Looked) -> None:
    found = LOCAL.of_region(looked.work, LIVE, BEVERLY_HILLS, Region(state="CA"), wages=1.0)

    assert looked.calls == [(LIVE, Place(state="CA", area="902"), ())]
    assert found.entered is None


def test_invoice_of_a_zip_code_teaches_only_the_area(looked: Looked) -> None:
    region = Region(state="CA", shops=(shop(3),))
    found = LOCAL.of_zip_code(looked.work, LIVE, BEVERLY_HILLS, region, wages=1.0)

    assert looked.calls == [(LIVE, Place(state="CA", area="902", shop=3), (3,))]
    assert found.prices.place == Place(state="CA", area="902")


def test_invoice_of_a_shop_is_compared_with_that_shop(looked: Looked) -> None:
    own = shop(3, avg_labor_rate=200_00)
    place = LOCAL.place_of(own)
    found = LOCAL.of_invoice(looked.work, LIVE, place, own, wages=1.0)

    assert place == found.prices.place == Place(state="CA", area="902", shop=3)
    assert looked.calls == [(LIVE, place, (3,))]
    assert found.entered == EnteredRate(200_00, 1)


@pytest.mark.parametrize(
    ("zip_code", "place"),
    [("90210", Place(state="CA", area="902")), (None, NOWHERE), ("00000", NOWHERE)],
)
def test_invoice_without_a_shop_is_compared_with_its_area(
    looked: Looked, zip_code: str | None, place: Place
) -> None:
    found = LOCAL.of_invoice(looked.work, LIVE, LOCAL.place_of(None, zip_code), None, wages=1.0)

    assert looked.calls == [(LIVE, place, ())]
    assert (found.prices.place, found.entered) == (place, None)


def test_entered_rate_is_compared_at_the_wages_of_its_day(looked: Looked) -> None:
    own = shop(3, avg_labor_rate=200_00)
    rates = [
        LOCAL.of_invoice(looked.work, LIVE, LOCAL.place_of(own), own, wages=wages).prices.levels.rate
        for wages in (1.0, 1.25)
    ]

    assert rates[0] > rates[1]


@pytest.mark.parametrize("code", [None, "00000", "nonsense"])
def test_shop_without_a_known_zip_code_has_only_its_state(code: str | None) -> None:
    assert LOCAL.place_of(shop(3, zip_code=code), "90210") == Place(state="CA", shop=3)
    assert LOCAL.place_of(shop(3, zip_code=code, state=None)) == Place(state="", shop=3)
