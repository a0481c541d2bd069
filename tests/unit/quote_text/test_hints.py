import pytest

from repaircore.quote_text.hints import find_hints


@pytest.mark.parametrize(
    ("text", "vin"),
    [
        ("VIN 1HGCM82633A004352", "1HGCM82633A004352"),
        ("vin 1hgcm82633aoo4352", "1HGCM82633A004352"),
        ("1HGCM82633A004353", "1HGCM82633A004353"),
        ("1HGCM82633A004353 1HGCM82633A004352", "1HGCM82633A004352"),  # the one whose check digit holds
        ("1HGCM82633A004353 1HGCM82633A004354", "1HGCM82633A004353"),
        ("RECOMMENDATXONS AND", None),
        ("1HGCM82633A00435", None),
    ],
)
def test_find_hints_finds_a_vin(text: str, vin: str | None) -> None:
    assert find_hints(text).vin == vin


@pytest.mark.parametrize(
    ("text", "zip_code"),
    [
        ("80205", None),
        ("Denver, CO 80205", "80205"),
        ("CO. 80205-1234", "80205"),
        ("zip code: 80205", "80205"),
        ("Denver, CO 80205 zip 80301", "80301"),
    ],
)
def test_find_hints_finds_a_zip_code(text: str, zip_code: str | None) -> None:
    assert find_hints(text).zip_code == zip_code


@pytest.mark.parametrize(
    ("text", "miles"),
    [
        ("Mileage: 118,402", 118_402),
        ("Odometer in 118402", 118_402),
        ("118402 mi", 118_402),
        ("118k miles", 118_000),
        ("Mileage 118k", 118_000),
        ("Mileage 118,402 of 200k miles", 118_402),
        ("Mileage 2,000,000", 2_000_000),
        ("Mileage 2,000,001", None),
        ("118402", None),
    ],
)
def test_find_hints_finds_the_odometer(text: str, miles: int | None) -> None:
    assert find_hints(text).odometer == miles


@pytest.mark.parametrize(
    ("text", "vehicle"),
    [
        ("2003  Honda Accord EX VIN 1", "2003 Honda Accord EX"),
        ("1980 Ford F-150 XLT 4x4 Super Cab", "1980 Ford F-150 XLT 4x4 Super"),
        ("1979 Ford F-150", None),
        ("2049 Ford F-150", "2049 Ford F-150"),
        ("2050 Ford F-150", None),
        (f"2003 Honda {'a' * 200}", f"2003 Honda {'a' * 89}"),
    ],
)
def test_find_hints_finds_the_vehicle(text: str, vehicle: str | None) -> None:
    assert find_hints(text).vehicle == vehicle
