import tomllib
from importlib.resources import files
from typing import Any

import pytest
import us
import zipcodes

from repaircore.adapters.shipped.prices import read_labor_rates
from repaircore.facilities.labor_table import TableBasis
from repaircore.facilities.states import STATE_CODES

RATES = read_labor_rates()


def shipped() -> dict[str, Any]:
    return tomllib.loads((files("repaircore") / "data" / "labor_rates.toml").read_text("utf-8"))


def test_every_zip_code_in_use_has_a_rate_explained_by_its_place() -> None:
    everywhere = zipcodes.list_all()  # type: ignore[no-untyped-call]
    found = {(row["zip_code"][:3], row["state"]) for row in everywhere if row["active"]}

    lines = {place: RATES.at(f"{place[0]}01", place[1]) for place in found}

    assert not [place for place, rate in lines.items() if rate.basis is TableBasis.NATIONAL]
    assert {state.abbr for state in us.states.STATES} | {"DC"} == RATES.states.keys()
    assert RATES.states.keys() | RATES.territories.keys() >= STATE_CODES


def test_at_least_sixty_metro_areas_are_listed() -> None:
    assert len({place.name for place in RATES.metros.values()}) >= 60


def test_every_rate_follows_from_its_price_level_and_the_posted_rate() -> None:
    data = shipped()
    posted = {state: line["posted"] for state, line in data["states"].items()}
    mean = sum(value for state, value in posted.items() if state not in {"DC", "NC"}) / 49

    def rate(level: float, state: str) -> float:
        return float(data["national"] * (level / 100) ** 1.25 * (posted[state] / 139.6) ** 0.25)

    for state, line in data["states"].items():
        assert line["rate"] == pytest.approx(rate(line["level"], state), abs=0.6), state
        assert line["rural"] == pytest.approx(rate(0.95 * line["level"], state), abs=0.6), state
    for line in data["metro"]:
        assert line["rate"] == pytest.approx(rate(line["level"], line["state"]), abs=0.6), line["name"]

    assert mean == pytest.approx(139.6, abs=1.0)


@pytest.mark.parametrize("zip_code", ["10001", "11201", "02108", "94103", "98101", "20001"])
def test_expensive_cities_are_a_seventh_above_the_national_rate(zip_code: str) -> None:
    state = {"1": "NY", "0": "MA", "9": "CA", "2": "DC"}[zip_code[0]]

    rate = RATES.at(zip_code, "WA" if zip_code.startswith("98") else state)

    assert rate.basis is TableBasis.METRO
    assert rate.rate > RATES.national * 8 / 7


def test_mississippi_is_not_expensive() -> None:
    jackson, country = RATES.at("39201", "MS"), RATES.at("38610", "MS")

    assert country.basis is TableBasis.RURAL
    assert country.rate < jackson.rate < RATES.national * 0.95


def test_territories_and_military_post_offices_state_their_basis() -> None:
    for zip_code, state, name in (
        ("00901", "PR", "Puerto Rico"),
        ("96910", "GU", "Guam"),
        ("00802", "VI", "the U.S. Virgin Islands"),
        ("96799", "AS", "American Samoa"),
        ("96950", "MP", "the Northern Mariana Islands"),
    ):
        assert name in RATES.at(zip_code, state).origin

    assert RATES.at("09012", "AE").basis is TableBasis.MILITARY


def test_no_rate_is_implausible() -> None:
    places = [*RATES.metros.values(), *RATES.territories.values()]
    rates = [place.rate for place in places] + [state.rate for state in RATES.states.values()]

    assert all(7_000 <= rate <= 25_000 for rate in rates)


@pytest.mark.parametrize(
    "text", ["", "national = 1", 'year = 2025\nnational = "x"\n[states]\n[rural]', "???"]
)
def test_malformed_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_labor_rates(text)


def test_zip_prefix_of_two_metros_is_refused() -> None:
    text = (files("repaircore") / "data" / "labor_rates.toml").read_text("utf-8")
    twice = '\n[[metro]]\nname = "Gotham"\nstate = "NY"\nrate = 1\nlevel = 1\nzips = ["100"]\n'

    with pytest.raises(ValueError, match="100 is listed under both New York and Gotham"):
        read_labor_rates(text + twice)
