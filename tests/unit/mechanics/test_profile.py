"""Profiles of mechanics as text."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.facilities.model import ZipPlace
from repaircore.facilities.states import STATE_CODES
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Invalid
from repaircore.kernel.geo import Point
from repaircore.kernel.hours import is_zone, parse_weekly
from repaircore.kernel.imports import RejectedRow
from repaircore.kernel.references import Kind, is_reference
from repaircore.mechanics.csv_file import HEADER, MechanicRow, read_mechanics, to_row
from repaircore.mechanics.model import Mechanic
from repaircore.mechanics.offers import service_word
from repaircore.mechanics.profile import format_profile, identity, parse_profile
from repaircore.mechanics.sandbox import TIME_ZONES, sandbox_mechanics
from repaircore.mechanics.slots import slots_on
from repaircore.testing.clock import EPOCH

COLUMBUS = ZipPlace(zip_code="43215", state="OH", point=Point(39.97, -83.0), time_zone="America/New_York")
FULL = {
    "name": "Main Street Garage",
    "email": "desk@garage.example",
    "phone": "+1 614 555 0123",
    "address": "1 Main Street",
    "city": "Columbus",
    "state": "Ohio",
    "zip_code": "43215",
    "time_zone": "America/New_York",
    "services": "Oil change; brakes, Brakes",
    "hours": "mon-fri 08:00-12:00,13:00-17:00; sat 09:00-12:00",
    "exceptions": "2026-12-25 closed; 2026-12-24 08:00-12:00",
    "slot_minutes": "30",
    "capacity": "2",
}


def columbus(code: str) -> ZipPlace | None:
    return COLUMBUS if code == "43215" else None


def test_parse_profile_reads_every_field() -> None:
    profile = parse_profile(FULL, columbus)

    assert profile.state == "OH"
    assert profile.services == ("brakes", "oil_change")
    assert profile.point == COLUMBUS.point
    assert profile.schedule.weekly == parse_weekly(FULL["hours"])
    assert profile.schedule.exceptions == {date(2026, 12, 24): ((480, 720),), date(2026, 12, 25): ()}
    assert (profile.schedule.slot_minutes, profile.schedule.capacity) == (30, 2)


def test_parse_profile_takes_state_and_time_zone_from_the_zip_code() -> None:
    profile = parse_profile({"name": "Garage", "zip_code": "43215-1234"}, columbus)

    assert (profile.state, profile.schedule.time_zone) == ("OH", "America/New_York")
    assert profile.schedule.weekly == parse_weekly("mon-fri 08:00-17:00")
    assert (profile.schedule.slot_minutes, profile.schedule.capacity) == (60, 1)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("name", " "), ("name", "x" * 256), ("name", "a\x07b"), ("email", "nobody"), ("phone", "call me"),
        ("state", "Bavaria"), ("zip_code", "00000"), ("zip_code", "ABC"), ("time_zone", "Mars/Olympus"),
        ("services", "; ".join(f"service {number}" for number in range(51))), ("services", "x" * 61),
        ("hours", "whenever"), ("hours", "mon 08:00-17:03"), ("exceptions", "christmas closed"),
        ("exceptions", "2026-02-30 closed"), ("exceptions", "2026-12-24 8-12"), ("slot_minutes", "0"),
        ("slot_minutes", "7"), ("slot_minutes", "485"), ("slot_minutes", "an hour"), ("capacity", "0"),
        ("capacity", "101"), ("capacity", "-1"), ("capacity", "٢"),
    ],
)  # fmt: skip
def test_parse_profile_reports_a_bad_field(name: str, text: str) -> None:
    with pytest.raises(Invalid) as refused:
        parse_profile({**FULL, name: text}, columbus)

    assert set(refused.value.fields) == {name}


def test_parse_profile_reports_every_bad_field() -> None:
    with pytest.raises(Invalid) as refused:
        parse_profile({"capacity": "x", "hours": "x"}, columbus)

    assert list(refused.value.fields) == ["name", "state", "time_zone", "hours", "capacity"]
    for name in ("state", "time_zone"):
        (sentence,) = refused.value.fields[name]
        assert sentence.endswith("is required without a ZIP code.")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("slot_minutes", "5"),
        ("slot_minutes", "480"),
        ("capacity", "1"),
        ("capacity", "100"),
        ("hours", "mon 08:05-17:55"),
        (
            "exceptions",
            "; ".join(f"{2026 + number // 28}-02-{number % 28 + 1:02} closed" for number in range(400)),
        ),
    ],
)
def test_parse_profile_reads_the_limits(name: str, text: str) -> None:
    cells = format_profile(parse_profile({**FULL, "slot_minutes": "5", name: text}, columbus))

    assert cells[name].count(";") == text.count(";")
    assert cells[name].startswith(text[:10])


def test_parse_profile_limits_the_exceptions() -> None:
    days = "; ".join(f"{2026 + number // 28}-02-{number % 28 + 1:02} closed" for number in range(401))
    with pytest.raises(Invalid, match="more than 400 days"):
        parse_profile({**FULL, "exceptions": days}, columbus)


@pytest.mark.parametrize(
    ("stars", "ratings", "rating"), [(0, 0, None), (5, 1, 5.0), (13, 3, 4.3), (14, 3, 4.7)]
)
def test_rating_is_the_average_to_one_decimal(stars: int, ratings: int, rating: float | None) -> None:
    garage = Mechanic(
        id=1,
        ref="mec_1",
        environment=Environment.LIVE,
        profile=parse_profile(FULL, columbus),
        is_active=True,
        created_at=EPOCH,
        updated_at=EPOCH,
        stars=stars,
        ratings=ratings,
    )

    assert garage.rating == rating


def test_format_profile_is_inverse_to_parsing() -> None:
    profile = parse_profile(FULL, columbus)

    assert parse_profile(format_profile(profile), columbus) == profile


def test_read_mechanics_reads_an_export() -> None:
    mechanic = Mechanic(
        id=1,
        ref=next(sandbox_mechanics("OH"))[0],
        environment=Environment.LIVE,
        profile=parse_profile(FULL, columbus),
        is_active=True,
        created_at=EPOCH,
        updated_at=EPOCH,
    )
    cells = [f'"{cell}"' for cell in to_row(mechanic)]

    rows = list(read_mechanics([",".join(HEADER) + "\n", ",".join(cells) + "\n"], columbus))

    assert rows == [MechanicRow(mechanic.ref, mechanic.profile)]


def test_read_mechanics_rejects_a_row_with_every_reason() -> None:
    lines = ["ref,name,state,time_zone\n", "nobody,,OH,America/New_York\n", "a,b\n"]

    first, second = list(read_mechanics(lines, columbus))

    assert isinstance(first, RejectedRow)
    assert len(first.reasons) == 2
    assert isinstance(second, RejectedRow)


def test_read_mechanics_refuses_a_file_without_names() -> None:
    with pytest.raises(Invalid) as refused:
        list(read_mechanics(["state\n", "OH\n"], columbus))

    assert set(refused.value.fields) == {"file"}


def test_identity_is_name_and_place() -> None:
    here = parse_profile(FULL, columbus)

    assert identity(parse_profile({**FULL, "name": "MAIN STREET-Garage", "hours": ""}, columbus)) == identity(
        here
    )
    assert identity(parse_profile({**FULL, "zip_code": "", "city": "Dayton"}, columbus)) != identity(here)


@given(text=st.text(max_size=40))
def test_service_word_has_letters_digits_and_underscores(text: str) -> None:
    word = service_word(text)

    assert service_word(word) == word
    assert not word.startswith("_")
    assert all(one.isascii() and (one.isalnum() or one == "_") for one in word)


@pytest.mark.parametrize("state", sorted(STATE_CODES))
def test_sandbox_mechanics_exist_in_each_state(state: str) -> None:
    fleet = list(sandbox_mechanics(state))

    assert len({ref for ref, _ in fleet}) == len(fleet) > 1
    assert fleet == list(sandbox_mechanics(state))
    assert is_zone(TIME_ZONES[state])
    for ref, profile in fleet:
        assert is_reference(Kind.MECHANIC, ref)
        assert parse_profile(format_profile(profile), columbus) == profile
        assert slots_on(profile.schedule, date(2026, 3, 4))


def test_appointment_takes_the_minutes_of_its_service_or_a_slot() -> None:
    offers = "oil change (45 min); brakes (90 min); diagnosis ($60)"
    profile = parse_profile({**FULL, "services": offers}, columbus)

    requested = ["oil_change", "brakes", "diagnosis", "tires", None]
    assert [profile.minutes_of(service) for service in requested] == [45, 90, 30, 30, 30]
