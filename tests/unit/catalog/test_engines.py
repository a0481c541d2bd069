from repaircore.catalog.engines import (
    EngineSold,
    engines_in_entries,
    engines_in_table,
    select_engines,
)
from repaircore.catalog.model import CatalogEntry, Engine, Fuel, ModelEngines, Offer
from repaircore.catalog.views import CatalogEngineView

FOUR = Engine(tenths=24, cylinders=4, fuel=Fuel.GASOLINE, hp=185)
SPORT = Engine(tenths=24, cylinders=4, fuel=Fuel.GASOLINE, hp=189)
SIX = Engine(tenths=35, cylinders=6, fuel=Fuel.GASOLINE, hp=278)
BARE_FOUR = Engine(tenths=24, cylinders=4, fuel=Fuel.GASOLINE)
BARE_DIESEL = Engine(tenths=20, cylinders=4, fuel=Fuel.DIESEL)
TABLE = [EngineSold(FOUR, ()), EngineSold(SPORT, ("Sport",)), EngineSold(SIX, ("EX-L V6", "Touring"))]


def test_select_engines_lists_all_without_a_trim_smallest_first() -> None:
    assert select_engines(TABLE[::-1], [EngineSold(BARE_DIESEL, ())], None) == [BARE_DIESEL, FOUR, SPORT, SIX]


def test_trim_has_the_engines_that_name_it() -> None:
    assert select_engines(TABLE, [], "sport") == [SPORT]
    assert select_engines(TABLE, [], "TOURING") == [SIX]
    assert select_engines(TABLE, [], "Touring w/Navigation") == [SIX]


def test_unknown_trim_has_the_engines_without_a_trim() -> None:
    assert select_engines(TABLE, [], "LX") == [FOUR]
    assert select_engines(TABLE[1:], [], "LX") == [SPORT, SIX]
    assert select_engines(TABLE, [], " ") == [FOUR, SPORT, SIX]


def test_imported_engine_yields_to_one_with_horsepower() -> None:
    assert select_engines(TABLE, [EngineSold(BARE_FOUR, ())], None) == [FOUR, SPORT, SIX]
    assert select_engines(TABLE, [EngineSold(BARE_FOUR, ("SE",))], "SE") == [FOUR, SPORT]
    assert select_engines([], [EngineSold(BARE_FOUR, ()), EngineSold(BARE_FOUR, ())], None) == [BARE_FOUR]


def test_only_the_years_of_an_offer_count() -> None:
    model = ModelEngines(name="Accord", offers=(Offer(engine=FOUR, first=2013, last=2015),))

    assert [len(engines_in_table([model], year)) for year in (2012, 2013, 2015, 2016)] == [0, 1, 1, 0]


def test_engines_in_entries_have_their_trim() -> None:
    result = CatalogEntry(make="A", model="B", published="B SE", year=2015, engine=BARE_FOUR, trim="SE")

    assert engines_in_entries([result]) == [EngineSold(BARE_FOUR, ("SE",))]


def test_engine_view_is_in_words() -> None:
    assert CatalogEngineView.of(FOUR) == CatalogEngineView(
        displacement="2.4L", hp="185", cylinders="4", fuel="Gasoline"
    )
    motor = Engine(tenths=None, cylinders=None, fuel=Fuel.ELECTRIC, hp=283)

    assert CatalogEngineView.of(motor) == CatalogEngineView(
        displacement="", hp="283", cylinders="", fuel="Electric"
    )
    assert CatalogEngineView.of(BARE_DIESEL).hp == ""
