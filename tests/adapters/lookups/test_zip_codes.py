from zoneinfo import ZoneInfo

import pytest
import zipcodes
from tests.threads import at_once

from repaircore.adapters.lookups.zip_codes import ShippedZipCodes
from repaircore.adapters.lookups.zip_rows import Located, locate
from repaircore.adapters.lookups.zip_table import shipped_zip_codes
from repaircore.facilities.model import ZipPlace


@pytest.mark.parametrize(
    ("code", "state", "zone"),
    [
        ("90210", "CA", "America/Los_Angeles"),
        ("10001", "NY", "America/New_York"),
        ("00901", "PR", "America/Puerto_Rico"),
        ("96813", "HI", "Pacific/Honolulu"),
    ],
)
def test_zip_code_has_its_place(code: str, state: str, zone: str) -> None:
    place = ShippedZipCodes().find(code)

    assert place is not None
    assert (place.zip_code, place.state, place.time_zone) == (code, state, zone)
    assert place.point is not None
    assert 15 < place.point.latitude < 72
    assert -180 < place.point.longitude < -60


def test_unused_zip_code_is_none() -> None:
    assert ShippedZipCodes().find("00000") is None


@pytest.mark.parametrize(("code", "state"), [("09012", "AE"), ("96201", "AP"), ("34001", "AA")])
def test_military_zip_code_has_a_state_and_no_coordinates(code: str, state: str) -> None:
    place = ShippedZipCodes().find(code)

    assert place is not None
    assert (place.state, place.point, place.time_zone) == (state, None, None)


@pytest.mark.parametrize("text", ["", "9021", "90210-1", "90210-1234", "9021%", "abcde", "٩٠٢١٠"])
def test_text_other_than_five_digits_is_none(text: str) -> None:
    assert ShippedZipCodes().find(text) is None


def test_every_found_time_zone_exists() -> None:
    codes = ShippedZipCodes()
    found = [place for prefix in range(1000) if (place := codes.find(f"{prefix:03}01"))]
    assert len(found) > 500
    for zone in {place.time_zone for place in found if place.time_zone is not None}:
        assert ZoneInfo(zone).key == zone


def test_threads_can_load_the_table_at_once() -> None:
    codes = ShippedZipCodes()
    answers = at_once(8, lambda: codes.find("60601"))

    assert [place.state for place in answers if place is not None] == ["IL"] * 8


def test_shipped_table_has_every_place_of_the_list() -> None:
    rows = zipcodes.list_all()  # type: ignore[no-untyped-call]  # the package is typed in part
    located: dict[str, Located | None] = {}
    for row in rows:
        located.setdefault(row["zip_code"], locate(row))
    table = shipped_zip_codes()
    found = {code: None if (place := table.find(code)) is None else _located(place) for code in located}

    assert len(table) > 30_000
    assert found == located
    assert [place.zip_code for place in table] == sorted(
        code for code in located if located[code] is not None
    )
    assert table.find("00000") is None
    assert table.find("99999") is None


def _located(place: ZipPlace) -> Located:
    if place.point is None:
        return Located(place.state)
    return Located(place.state, place.time_zone, place.point.latitude, place.point.longitude)
