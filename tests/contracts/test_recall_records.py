"""The contract of the port ``RecallRecords``, on both databases."""

from datetime import date

from attrs import evolve

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.recalls.model import Campaign, Recall, RecalledVehicle, RecallSource

PUMP = Campaign(
    campaign="24V901000",
    summary="The pump may seize.",
    consequence="The engine may stall.",
    remedy="It is replaced.",
    park_it=False,
    park_outside=True,
    reported_on=date(2024, 1, 15),
    source=RecallSource.FLAT_FILE,
)
BARE = Campaign(
    campaign="24V902000",
    summary=None,
    consequence=None,
    remedy=None,
    park_it=None,
    park_outside=None,
    reported_on=None,
    source=RecallSource.LIST,
)
ACCORD = RecalledVehicle(campaign="24V901000", make="Honda", model="Accord", year=2019, component="FUEL")


def save(database: Database, *vehicles: RecalledVehicle) -> None:
    with work.open_work(database, write=True) as unit:
        unit.recalls.save_campaigns([PUMP, BARE])
        unit.recalls.save_vehicles(vehicles)


def test_save_stores_campaigns_and_vehicles(database: Database) -> None:
    civic = evolve(ACCORD, campaign=BARE.campaign, model="Civic", year=None, component=None)
    save(database, ACCORD, civic)
    with work.open_work(database, write=False) as unit:
        assert list(unit.recalls.campaigns([PUMP.campaign, "none"])) == [PUMP]
        assert list(unit.recalls.campaigns([BARE.campaign])) == [BARE]
        assert list(unit.recalls.vehicles([BARE.campaign])) == [civic]
        assert not unit.recalls.campaigns([])
        assert not unit.recalls.vehicles([])
        assert list(unit.recalls.after("", limit=10)) == [
            Recall(campaign=PUMP, vehicle=ACCORD),
            Recall(campaign=BARE, vehicle=civic),
        ]


def test_after_returns_the_next_campaigns(database: Database) -> None:
    civic = evolve(ACCORD, campaign=BARE.campaign, model="Civic")
    save(database, ACCORD, evolve(ACCORD, model="Odyssey"), civic)
    with work.open_work(database, write=False) as unit:
        first = unit.recalls.after("", limit=1)
        assert [(recall.campaign.campaign, recall.vehicle.model) for recall in first] == [
            (PUMP.campaign, "Accord"),
            (PUMP.campaign, "Odyssey"),
        ]
        assert list(unit.recalls.after(PUMP.campaign, limit=1)) == [Recall(campaign=BARE, vehicle=civic)]
        assert not unit.recalls.after(BARE.campaign, limit=1)


def test_save_again_replaces(database: Database) -> None:
    save(database, ACCORD)
    newer = evolve(PUMP, remedy=None, park_it=True, source=RecallSource.LIST)
    spelled = evolve(ACCORD, make="HONDA", model="ACCORD", component="FUEL; ENGINE")
    with work.open_work(database, write=True) as unit:
        unit.recalls.save_campaigns([newer])
        unit.recalls.save_vehicles([spelled])
        unit.recalls.save_campaigns([])
        unit.recalls.save_vehicles([])
    with work.open_work(database, write=False) as unit:
        assert list(unit.recalls.after("", limit=10)) == [
            Recall(campaign=newer, vehicle=evolve(ACCORD, component="FUEL; ENGINE"))
        ]


def test_of_a_make_and_year_is_newest_first_with_unknown_years(database: Database) -> None:
    assert_empty(database)
    unknown = evolve(ACCORD, campaign=BARE.campaign, year=None)
    others = (evolve(ACCORD, year=2018), evolve(ACCORD, make="Acura"))
    save(database, unknown, ACCORD, *others)
    with work.open_work(database, write=False) as unit:
        found = unit.recalls.of(make="HONDA", year=2019)
        assert [(recall.campaign.campaign, recall.vehicle.year) for recall in found] == [
            ("24V901000", 2019),
            ("24V902000", None),
        ]
        assert list(unit.recalls.of(make="Ford", year=2019)) == []


def test_cover_years_stores_each_year_once(database: Database) -> None:
    for years in ([2024, 2022], [], range(2021, 2024)):
        with work.open_work(database, write=True) as unit:
            unit.recalls.cover_years(years)

    with work.open_work(database, write=False) as unit:
        assert list(unit.recalls.covered_years()) == [2021, 2022, 2023, 2024]


def assert_empty(database: Database) -> None:
    with work.open_work(database, write=False) as unit:
        assert list(unit.recalls.covered_years()) == []
        assert list(unit.recalls.of(make="Honda", year=2019)) == list(unit.recalls.after("", limit=10)) == []
