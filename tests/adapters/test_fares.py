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


def test_shipped_fares_cover_every_service_and_outcome() -> None:
    assert {*map(str, Service), *map(str, RideType)} == set(read_fares().services)
    assert set(read_fares().outcomes) == set(RideOutcome) - {RideOutcome.COMPLETED}


def test_read_fares_reads_the_file_of_an_installation(tmp_path: Path) -> None:
    file = tmp_path / "fares.toml"
    file.write_text(_SHIPPED.replace("base = 75.00", "base = 80.00"), "utf-8")

    assert read_fares(file).services["towing"].base == 8_000


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("base = 75.00", "base = -1", "-1"),
        ("base = 75.00", 'base = "much"', "'much'"),
        ("base = 75.00", "", "base"),
        ("base = 75.00", "base = nan", "NaN is not a number"),
        ("percent = 25", "percent = true", "True is not a number"),
        (_TOWING, _TOWING.replace("75.00", "0.004"), "fares.towing must have a base"),
        ('from = "22:00"', 'from = "25:00"', "hour"),
        ("[outcomes]", "[comes_out]", "outcomes"),
        ("road_factor = 1.3", "road_factor = [", "fares file is invalid"),
        ('"provider_late"', '"bad_mood"', "bad_mood"),
        ('days = ["saturday"', 'days = ["caturday"', "caturday"),
        ("[fares.towing]", "[fares.tow]", "towing"),
    ],
)
def test_read_fares_reports_errors(tmp_path: Path, old: str, new: str, word: str) -> None:
    file = tmp_path / "fares.toml"
    file.write_text(_SHIPPED.replace(old, new, 1), "utf-8")
    with pytest.raises(Invalid) as caught:
        read_fares(file)

    assert word in caught.value.message


def test_read_fares_accepts_a_service_with_a_minimum_and_no_base(tmp_path: Path) -> None:
    file = tmp_path / "fares.toml"
    file.write_text(_SHIPPED.replace("base = 75.00", "base = 0", 1), "utf-8")

    assert read_fares(file).services["towing"].base == 0


def test_read_fares_keeps_percentages_exact(tmp_path: Path) -> None:
    file = tmp_path / "fares.toml"
    file.write_text(
        _SHIPPED.replace("percent = 25", "percent = 8.2").replace("= 50", "= 12.5"),
        "utf-8",
    )
    table = read_fares(file)

    assert table.times[0].percent == Decimal("8.2")
    assert table.cancellation.arrived_percent == Decimal("12.5")


def test_read_fares_refuses_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="cannot be read"):
        read_fares(tmp_path / "none.toml")
