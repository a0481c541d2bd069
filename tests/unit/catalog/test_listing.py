import pytest

from repaircore.catalog.listing import covers, listed_models
from repaircore.catalog.model import Engine, Fuel, Make, ModelEngines, Offer, Span

ENGINE = Engine(tenths=20, cylinders=4, fuel=Fuel.GASOLINE, hp=150)
OPEN: Span = (1984, None)
MAKE = Make(
    name="Ford",
    years=(OPEN,),
    names={"l9*": (), "astrovan": ("Astro",), "silverado": ()},
)


def model(name: str, first: int, last: int) -> ModelEngines:
    return ModelEngines(name=name, offers=(Offer(engine=ENGINE, first=first, last=last),))


def list_models(
    known: dict[str, list[Span]], *table: ModelEngines, year: int | None = 2010, make: Make = MAKE
) -> list[str]:
    return listed_models(make, known, table, year, newest=2027)


@pytest.mark.parametrize(
    ("spans", "year", "result"),
    [
        ([(1990, 1995)], 1990, True),
        ([(1990, 1995)], 1996, False),
        ([(1990, 1995), (2008, None)], 2027, True),
        ([(2008, None)], 2028, False),
        ([(1970, None)], 1983, False),
        ([(1970, 1980)], None, False),
        ([(1970, 1983)], None, False),
        ([(1970, 1984)], None, True),
        ([(1970, None)], 1984, True),
        ([(1970, None)], 2027, True),
        ([(1970, None)], None, True),
        ([(1990, 1995)], 1989, False),
        ([(1990, 1995)], 1995, True),
        ([(1970, 1990)], None, True),
        ([], None, False),
    ],
)
def test_years_count_from_1984_to_the_newest(spans: list[Span], year: int | None, result: object) -> None:
    assert covers(spans, year, newest=2027) is result


def test_listed_models_merge_two_sources_alphabetically() -> None:
    known: dict[str, list[Span]] = {"Ranger": [(1983, 2011)], "Focus": [(2000, 2018)]}

    assert list_models(known, model("escape", 2001, 2026)) == ["escape", "Focus", "Ranger"]


def test_spelling_of_the_table_wins() -> None:
    assert list_models({"F150": [OPEN]}, model("F-150", 1984, 2026)) == ["F-150"]


def test_listed_models_end_where_the_table_ends() -> None:
    assert list_models({"Aveo": [(2004, None)]}, model("Aveo", 2004, 2011), year=2016) == []
    assert list_models({"Aveo": [(2004, None)]}, year=2016) == ["Aveo"]
    assert list_models({"Tracker": [(1999, 2020)]}, model("Tracker", 1999, 2004), year=2005) == []


def test_heavy_trucks_are_not_listed_and_models_are_renamed() -> None:
    known: dict[str, list[Span]] = {"L9000": [OPEN], "Silverado": [OPEN], "Astro Van": [OPEN]}

    assert list_models(known) == ["Astro"]


def test_names_that_share_an_entry_are_split() -> None:
    assert list_models({"Caravan/Grand Caravan": [OPEN]}) == ["Caravan", "Grand Caravan"]


def test_make_has_no_models_in_years_without_sales() -> None:
    gone = Make(name="Saab", years=((1984, 2011),))

    assert list_models({"9-3": [(1999, None)]}, year=2012, make=gone) == []
    assert list_models({"9-3": [(1999, None)]}, year=2011, make=gone) == ["9-3"]


def test_make_without_years_has_no_models() -> None:
    assert list_models({"X": [OPEN]}, make=Make(name="Nobody", years=())) == []
