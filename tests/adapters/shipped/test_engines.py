"""The shipped table of engines has plausible values and existing models."""

from collections import Counter

import pytest

from repaircore.adapters.lookups.vin_catalog import VinCatalog, shipped_catalog
from repaircore.adapters.lookups.vpic_models import VpicKnownModels
from repaircore.adapters.shipped.engines import ShippedEngines, engine_files, read_engines
from repaircore.adapters.shipped.makes import shipped_makes
from repaircore.adapters.shipped.mechanics import shipped_mechanics
from repaircore.catalog.listing import covers
from repaircore.catalog.model import EARLIEST, Fuel, ModelEngines, Offer
from repaircore.catalog.model_names import closest_name
from repaircore.kernel.spelling import key

NEWEST = 2026
TABLE = ShippedEngines()
MAKES = sorted(engine_files())

every_make = pytest.mark.parametrize("make", MAKES)


def offers(make: str) -> list[tuple[ModelEngines, Offer]]:
    return [(model, offer) for model in TABLE.list_for_make(make) for offer in model.offers]


def test_table_has_many_models() -> None:
    assert sum(len(TABLE.list_for_make(make)) for make in MAKES) >= 800
    assert set(MAKES) <= set(shipped_makes())


@every_make
def test_engines_are_plausible(make: str) -> None:
    assert TABLE.list_for_make(make)
    for model, offer in offers(make):
        engine = offer.engine
        assert engine.hp is not None, model.name
        assert 40 <= engine.hp <= 1300, (model.name, engine)
        if engine.fuel in {Fuel.ELECTRIC, Fuel.HYDROGEN}:
            assert (engine.tenths, engine.cylinders) == (None, None), (model.name, engine)
        else:
            assert engine.tenths is not None
            assert engine.cylinders is not None, (model.name, engine)
            assert 6 <= engine.tenths <= 84, (model.name, engine)
            assert engine.cylinders in {2, 3, 4, 5, 6, 8, 10, 12, 16}, (model.name, engine)
            assert 1.8 <= engine.tenths / engine.cylinders <= 11.5, (model.name, engine)
            assert engine.hp / (engine.tenths / 10) <= 420, (model.name, engine)


@every_make
def test_years_are_within_those_of_the_make(make: str) -> None:
    known = shipped_makes()[make]
    for model, offer in offers(make):
        assert EARLIEST <= offer.first <= offer.last <= NEWEST, model.name
        for year in (offer.first, offer.last):
            assert covers(known.years, year, newest=NEWEST), (model.name, year)


@every_make
def test_table_has_no_duplicates(make: str) -> None:
    names = Counter(key(model.name) for model in TABLE.list_for_make(make))
    assert max(names.values()) == 1
    for model in TABLE.list_for_make(make):
        same = Counter((offer.engine, offer.first, offer.trims) for offer in model.offers)
        assert max(same.values()) == 1, model.name
        assert all(len(set(offer.trims)) == len(offer.trims) for offer in model.offers), model.name


def test_nine_of_ten_models_have_names_known_to_vpic() -> None:
    vpic = VpicKnownModels(VinCatalog(shipped_catalog()), shipped_mechanics)
    named = [(make, model.name) for make in MAKES for model in TABLE.list_for_make(make)]
    unknown = [
        (make, name) for make, name in named if closest_name(vpic.models(make), name, make=make) is None
    ]

    assert len(unknown) <= len(named) / 10, unknown


@pytest.mark.parametrize("make", ["HONDA", "Mercedes", "chevy", "VW", "land rover"])
def test_make_is_found_in_any_spelling(make: str) -> None:
    assert TABLE.list_for_make(make)


@pytest.mark.parametrize("make", ["", "Nobody", "../makes", "honda.toml", "%"])
def test_unlisted_make_has_no_models(make: str) -> None:
    assert list(TABLE.list_for_make(make)) == []


@pytest.mark.parametrize(
    "row",
    [
        'years = [2000, 2001], hp = 100, fuel = "Coal"',
        "years = [2000], hp = 100, fuel = 'Diesel'",
        "years = [2000, 2001], fuel = 'Diesel'",
    ],
)
def test_invalid_file_is_refused(row: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        read_engines(f'make = "X"\n[[model]]\nname = "Y"\nengines = [{{ {row} }}]')
