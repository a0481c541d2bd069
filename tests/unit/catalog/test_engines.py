from repaircore.catalog.engines import EngineEntry, EngineSold, engines_of, entry, of_entries, of_table
from repaircore.catalog.model import CatalogEntry, Engine, Fuel, ModelEngines, Offer

FOUR = Engine(tenths=24, cylinders=4, fuel=Fuel.GASOLINE, hp=185)
SPORT = Engine(tenths=24, cylinders=4, fuel=Fuel.GASOLINE, hp=189)
SIX = Engine(tenths=35, cylinders=6, fuel=Fuel.GASOLINE, hp=278)
BARE_FOUR = Engine(tenths=24, cylinders=4, fuel=Fuel.GASOLINE)
BARE_DIESEL = Engine(tenths=20, cylinders=4, fuel=Fuel.DIESEL)
TABLE = [EngineSold(FOUR, ()), EngineSold(SPORT, ("Sport",)), EngineSold(SIX, ("EX-L V6", "Touring"))]


def test_without_a_trim_every_engine_is_listed_the_smallest_first() -> None:
    assert engines_of(TABLE[::-1], [EngineSold(BARE_DIESEL, ())], None) == [BARE_DIESEL, FOUR, SPORT, SIX]


def test_a_trim_has_the_engines_that_name_it() -> None:
    assert engines_of(TABLE, [], "sport") == [SPORT]
    assert engines_of(TABLE, [], "TOURING") == [SIX]
    assert engines_of(TABLE, [], "Touring w/Navigation") == [SIX]


def test_a_trim_that_nobody_names_has_the_engines_that_are_no_trims() -> None:
    assert engines_of(TABLE, [], "LX") == [FOUR]
    assert engines_of(TABLE[1:], [], "LX") == [SPORT, SIX]
    assert engines_of(TABLE, [], " ") == [FOUR, SPORT, SIX]


def test_an_imported_engine_yields_to_the_same_one_with_horsepower() -> None:
    assert engines_of(TABLE, [EngineSold(BARE_FOUR, ())], None) == [FOUR, SPORT, SIX]
    assert engines_of(TABLE, [EngineSold(BARE_FOUR, ("SE",))], "SE") == [FOUR, SPORT]
    assert engines_of([], [EngineSold(BARE_FOUR, ()), EngineSold(BARE_FOUR, ())], None) == [BARE_FOUR]


def test_only_the_years_of_an_offer_count() -> None:
    model = ModelEngines(name="Accord", offers=(Offer(engine=FOUR, first=2013, last=2015),))
    assert [len(of_table([model], year)) for year in (2012, 2013, 2015, 2016)] == [0, 1, 1, 0]


def test_an_entry_tells_its_engine_and_trim() -> None:
    told = CatalogEntry(make="A", model="B", published="B SE", year=2015, engine=BARE_FOUR, trim="SE")
    assert of_entries([told]) == [EngineSold(BARE_FOUR, ("SE",))]


def test_an_engine_is_written_in_words() -> None:
    assert entry(FOUR) == EngineEntry(displacement="2.4L", hp="185", cylinders="4", fuel="Gasoline")
    motor = Engine(tenths=None, cylinders=None, fuel=Fuel.ELECTRIC, hp=283)
    assert entry(motor) == EngineEntry(displacement="", hp="283", cylinders="", fuel="Electric")
    assert entry(BARE_DIESEL).hp == ""
