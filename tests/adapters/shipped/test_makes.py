import pytest

from repaircore.adapters.lookups.vin_catalog import VinCatalog, shipped_catalog
from repaircore.adapters.lookups.vpic_models import VpicKnownModels
from repaircore.adapters.shipped.engines import ShippedEngines
from repaircore.adapters.shipped.makes import read_makes, shipped_makes
from repaircore.adapters.shipped.mechanics import shipped_mechanics
from repaircore.catalog.listing import covers, listed_models
from repaircore.catalog.model import EARLIEST, Make
from repaircore.kernel.spelling import key

NEWEST = 2026
WITHOUT_MODELS = {"Renault"}
"""Makes without models in vPIC and in the table of engines."""

VPIC = VpicKnownModels(VinCatalog(shipped_catalog()), shipped_mechanics)
makes = sorted({make.name: make for make in shipped_makes().values()}.values(), key=lambda make: make.name)


def test_makes_sell_passenger_vehicles() -> None:
    names = {make.name for make in makes}

    assert {"Honda", "Mercedes-Benz", "smart", "Rolls-Royce", "Ram", "Geo"} <= names
    assert not {"Freightliner", "Harley-Davidson", "Blue Bird", "Winnebago", "Utility Trailer"} & names


@pytest.mark.parametrize("about", makes, ids=lambda make: make.name)
def test_make_has_models_in_nearly_every_year(about: Make) -> None:
    known = {model: spans for name in (about.name, *about.also) for model, spans in VPIC.models(name).items()}
    engines = ShippedEngines().list_for_make(about.name)
    years = [year for year in range(EARLIEST, NEWEST + 1) if covers(about.years, year, newest=NEWEST)]
    empty = [year for year in years if not listed_models(about, known, engines, year, newest=NEWEST)]

    assert len(empty) <= (len(years) if about.name in WITHOUT_MODELS else 0.25 * len(years)), empty


@pytest.mark.parametrize("about", makes, ids=lambda make: make.name)
def test_renamed_models_exist_in_vpic(about: Make) -> None:
    named = {key(name) for spelled in (about.name, *about.also) for name in VPIC.models(spelled)}
    parts = {
        key(part)
        for spelled in (about.name, *about.also)
        for name in VPIC.models(spelled)
        for part in name.split("/")
    }
    unknown = [
        pattern
        for pattern in about.names
        if not (
            any(name.startswith(pattern[:-1]) for name in named)
            if pattern.endswith("*")
            else pattern in named | parts
        )
    ]

    assert unknown == []


def test_two_makes_with_one_spelling_are_refused() -> None:
    with pytest.raises(ValueError, match="spelled alike"):
        read_makes(
            '[[make]]\nname = "A"\nyears = "1984-"\n[[make]]\nname = "B"\nyears = "1984-"\nalso = ["a"]'
        )


@pytest.mark.parametrize("years", ["1984", "from 1984", "1984-19", "1984-1990;2000-"])
def test_invalid_years_are_refused(years: str) -> None:
    with pytest.raises(ValueError, match="model years"):
        read_makes(f'[[make]]\nname = "A"\nyears = "{years}"')
