from decimal import Decimal
from pathlib import Path

import pytest

from repaircore.adapters.shipped.fares import read_fares
from repaircore.kernel.errors import Invalid
from repaircore.providers.businesses import RideType
from repaircore.providers.drivers import Service
from repaircore.rides.model import RideOutcome

_SHIPPED = Path("src/repaircore/data/fares.toml").read_text("utf-8")
_TOWING = "base = 75.00\nper_mile = 4.00\nincluded_miles = 5.0\nminimum = 75.00\n"


def test_everything_that_can_be_asked_for_has_a_fare() -> None:
    assert {*map(str, Service), *map(str, RideType)} == set(read_fares().services)
    assert set(read_fares().outcomes) == set(RideOutcome) - {RideOutcome.COMPLETED}


def test_an_installation_brings_its_own_table(tmp_path: Path) -> None:
    own = tmp_path / "fares.toml"
    own.write_text(_SHIPPED.replace("base = 75.00", "base = 80.00"), "utf-8")
    assert read_fares(own).services["towing"].base == 8_000


@pytest.mark.parametrize(
    ("was", "now", "word"),
    [
        ("base = 75.00", "base = -1", "-1"),
        ("base = 75.00", 'base = "much"', "'much'"),
        ("base = 75.00", "", "base"),
        ("base = 75.00", "base = nan", "NaN is not a number"),
        ("percent = 25", "percent = true", "True is not a number"),
        (_TOWING, _TOWING.replace("75.00", "0.004"), "fares.towing costs nothing"),
        ('from = "22:00"', 'from = "25:00"', "hour"),
        ("[outcomes]", "[comes_out]", "outcomes"),
        ("road_factor = 1.3", "road_factor = [", "table of fares"),
        ('"provider_late"', '"bad_mood"', "bad_mood"),
        ('days = ["saturday"', 'days = ["caturday"', "caturday"),
        ("[fares.towing]", "[fares.tow]", "towing"),
    ],
)
def test_what_is_wrong_with_a_table_is_told(tmp_path: Path, was: str, now: str, word: str) -> None:
    own = tmp_path / "fares.toml"
    own.write_text(_SHIPPED.replace(was, now, 1), "utf-8")
    with pytest.raises(Invalid) as told:
        read_fares(own)
    assert word in told.value.message


def test_a_service_may_have_no_base_as_long_as_it_has_a_minimum(tmp_path: Path) -> None:
    own = tmp_path / "fares.toml"
    own.write_text(_SHIPPED.replace("base = 75.00", "base = 0", 1), "utf-8")
    assert read_fares(own).services["towing"].base == 0


def test_percentages_are_those_that_are_written(tmp_path: Path) -> None:
    own = tmp_path / "fares.toml"
    own.write_text(
        _SHIPPED.replace("percent = 25", "percent = 8.2").replace("= 50", "= 12.5"),
        "utf-8",
    )
    table = read_fares(own)
    assert table.times[0].percent == Decimal("8.2")
    assert table.cancellation.arrived_percent == Decimal("12.5")


def test_a_table_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="cannot be read"):
        read_fares(tmp_path / "none.toml")
