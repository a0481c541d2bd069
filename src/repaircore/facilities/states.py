"""The states and territories of the United States, by name and two-letter code."""

from typing import Final

UNITED_STATES: Final = "US"

_COUNTRIES: Final = frozenset({"us", "usa", "united states", "united states of america"})

_NAMES: Final = {
    "alabama": "AL",
    "alaska": "AK",
    "american samoa": "AS",
    "arizona": "AZ",
    "arkansas": "AR",
    "california": "CA",
    "colorado": "CO",
    "connecticut": "CT",
    "delaware": "DE",
    "district of columbia": "DC",
    "florida": "FL",
    "georgia": "GA",
    "guam": "GU",
    "hawaii": "HI",
    "idaho": "ID",
    "illinois": "IL",
    "indiana": "IN",
    "iowa": "IA",
    "kansas": "KS",
    "kentucky": "KY",
    "louisiana": "LA",
    "maine": "ME",
    "maryland": "MD",
    "massachusetts": "MA",
    "michigan": "MI",
    "minnesota": "MN",
    "mississippi": "MS",
    "missouri": "MO",
    "montana": "MT",
    "nebraska": "NE",
    "nevada": "NV",
    "new hampshire": "NH",
    "new jersey": "NJ",
    "new mexico": "NM",
    "new york": "NY",
    "north carolina": "NC",
    "north dakota": "ND",
    "northern mariana islands": "MP",
    "ohio": "OH",
    "oklahoma": "OK",
    "oregon": "OR",
    "pennsylvania": "PA",
    "puerto rico": "PR",
    "rhode island": "RI",
    "south carolina": "SC",
    "south dakota": "SD",
    "tennessee": "TN",
    "texas": "TX",
    "utah": "UT",
    "vermont": "VT",
    "virgin islands": "VI",
    "virginia": "VA",
    "washington": "WA",
    "washington dc": "DC",
    "west virginia": "WV",
    "wisconsin": "WI",
    "wyoming": "WY",
}
STATE_CODES: Final = frozenset(_NAMES.values())
"""The two-letter code of every state and territory."""


def country_code(country: str | None) -> str | None:
    """Return ``US`` for any name of the United States, and anything else unchanged."""
    return UNITED_STATES if country is not None and _plain(country) in _COUNTRIES else country


def is_home(country: str | None) -> bool:
    """Return whether a country is the United States, which is also the default."""
    return country_code(country) in {None, UNITED_STATES}


def state_code(state: str | None) -> str | None:
    """Return the two-letter code of a state given by name or code, and anything else unchanged."""
    if state is None:
        return None
    plain = _plain(state)
    return plain.upper() if plain.upper() in STATE_CODES else _NAMES.get(plain, state)


def _plain(name: str) -> str:
    return " ".join(name.replace(".", "").replace(",", " ").casefold().split())
