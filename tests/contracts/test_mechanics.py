"""The directory of mechanics on both databases."""

import io
from datetime import date
from typing import Any

import pytest
from attrs import evolve
from tests.contracts.appointments import MONDAY, a_booking, a_customer, a_mechanic
from tests.contracts.partners import add_partner
from tests.threads import at_once

from repaircore.adapters.sql.engine.database import Database
from repaircore.core import Core
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.imports import ImportResult, Upload
from repaircore.kernel.paging import Page
from repaircore.mechanics.csv_file import HEADER, to_row
from repaircore.mechanics.errors import MechanicNotFound
from repaircore.mechanics.model import Mechanic
from repaircore.mechanics.search import SearchMechanics
from repaircore.testing.clock import FrozenClock

LIVE, TEST = Environment.LIVE, Environment.TEST
FULL = {
    "name": "Main Street Garage", "email": "desk@garage.example", "phone": "+1 614 555 0123", "address": "1 Main St",
    "city": "Columbus", "zip_code": "43215", "services": "oil change (30 min, $59.95); brakes", "languages": "en; Spanish", "slot_minutes": "30", "capacity": "2",
    "hours": "mon-fri 08:00-12:00,13:00-17:00", "exceptions": "2026-12-25 closed; 2026-12-24 08:00-12:00",
    "state": "", "time_zone": "",
}  # fmt: skip


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(MONDAY)


def search(core: Core, environment: Environment, **query: Any) -> Page[Mechanic]:
    page = core.mechanic_search.find(environment, SearchMechanics(**query))
    mechanics = tuple(each.mechanic for each in page)
    return Page(items=mechanics, number=page.number, per_page=page.per_page, total=page.total)


def import_rows(core: Core, *rows: str, environment: Environment = LIVE) -> ImportResult:
    text = "\n".join([",".join(HEADER), *rows]) + "\n"
    return core.mechanics.import_file(
        Upload(name="mechanics.csv", content=io.BytesIO(text.encode()), environment=environment)
    )


def row(name: str, ref: str = "", *, hours: str = "", city: str = "Columbus") -> str:
    return f"{ref},{name},,,,{city},OH,,America/New_York,,,{hours},,,"


def test_add_stores_every_field(core: Core) -> None:
    full, bare = a_mechanic(core, LIVE, **FULL), a_mechanic(core, LIVE)

    assert core.mechanics.get(LIVE, full.ref) == full
    assert core.mechanics.get(LIVE, bare.ref) == bare
    assert full.profile.state == "OH"
    assert list(core.mechanics.iter_all(LIVE)) == [full, bare]


def test_environments_have_separate_directories(core: Core) -> None:
    here = a_mechanic(core, LIVE)

    with pytest.raises(MechanicNotFound):
        core.mechanics.get(TEST, here.ref)
    with pytest.raises(MechanicNotFound):
        core.mechanics.remove(here.ref, TEST)

    assert list(core.mechanics.iter_all(TEST)) == []


def test_search_filters_by_state_and_service(core: Core) -> None:
    brakes = [a_mechanic(core, LIVE, name=f"B{number}", services="Brakes") for number in range(3)]
    oil = a_mechanic(core, LIVE, name="Oil", services="oil change")
    a_mechanic(core, LIVE, name="Elsewhere", state="CA")

    assert list(search(core, LIVE, state="oh")) == [*brakes, oil]
    assert list(search(core, LIVE, state="OH", service="Oil-Change")) == [oil]
    second = search(core, LIVE, state="OH", page=2, per_page=3)

    assert (list(second), second.total, second.last) == ([oil], 4, 2)
    assert list(search(core, LIVE, state="OH", page=9)) == []
    assert list(search(core, LIVE, state="OH", service="paint")) == []


def test_search_around_a_place_lists_the_nearest_first(core: Core) -> None:
    near, here, rated = (
        a_mechanic(core, LIVE, name=name, zip_code=code)
        for name, code in (("Near", "43201"), ("Here", "43215"), ("Rated", "43215"))
    )
    a_mechanic(core, LIVE, name="Far", zip_code="44101")
    a_mechanic(core, LIVE, name="Nowhere")
    query = SearchMechanics(zip="43215")
    with core.storage.transaction() as work:
        work.mechanics.rate(rated.id, 5)
    by_distance = core.mechanic_search.find(LIVE, query).items
    by_rating = core.mechanic_search.find(LIVE, evolve(query, sort="-rating")).items

    assert [each.mechanic.ref for each in by_distance] == [here.ref, rated.ref, near.ref]
    assert [each.mechanic.ref for each in by_rating] == [rated.ref, here.ref, near.ref]
    assert by_distance[0].distance_miles == 0.0
    assert 0.0 < (by_distance[2].distance_miles or 0.0) < 5.0


@pytest.mark.parametrize("sort", [None, "-rating", "next_free"])
def test_search_of_the_test_environment_lists_those_without_a_place_last(
    core: Core, sort: str | None
) -> None:
    nowhere, near, here = (
        a_mechanic(core, TEST, name=name, zip_code=code)
        for name, code in (("Nowhere", ""), ("Near", "43201"), ("Here", "43215"))
    )
    found = core.mechanic_search.find(TEST, SearchMechanics(zip="43215", sort=sort)).items
    refs = [each.mechanic.ref for each in found]
    distances = [each.distance_miles for each in found]

    assert [ref for ref in refs if ref in {nowhere.ref, near.ref, here.ref}] == [
        here.ref,
        near.ref,
        nowhere.ref,
    ]
    if sort != "next_free":
        assert distances == [0.0, distances[1], *[None] * (len(found) - 2)]


def test_search_reaches_across_the_date_line(core: Core) -> None:
    adak = a_mechanic(core, LIVE, name="Adak", state="", time_zone="", zip_code="99546")
    query = SearchMechanics(latitude=51.9, longitude=179.9, radius_miles=200)
    (found,) = core.mechanic_search.find(LIVE, query).items

    assert found.mechanic.ref == adak.ref
    assert 100 < (found.distance_miles or 0.0) < 200
    assert core.mechanic_search.find(LIVE, evolve(query, radius_miles=100)).total == 0


def test_search_reports_every_bad_field(core: Core) -> None:
    with pytest.raises(Invalid) as refused:
        search(core, LIVE, state="Ohio", service="!", page=0, per_page=51)

    assert set(refused.value.fields) == {"state", "service", "page", "per_page"}


def test_search_adds_sandbox_mechanics_once(core: Core) -> None:
    lists = at_once(8, lambda: [one.ref for one in search(core, TEST, state="TX")])

    assert all(refs == lists[0] for refs in lists)
    assert len(set(lists[0])) == 3
    assert list(search(core, LIVE, state="TX")) == []


def test_remove_hides_a_mechanic(core: Core) -> None:
    first, *others = search(core, TEST, state="TX")
    core.mechanics.remove(first.ref, TEST)

    assert list(search(core, TEST, state="TX")) == others
    for act in (core.mechanics.get, lambda environment, ref: core.mechanics.remove(ref, environment)):
        with pytest.raises(MechanicNotFound):
            act(TEST, first.ref)


def test_changes_of_the_directory_are_audited(core: Core) -> None:
    garage = a_mechanic(core, LIVE, capacity="2")
    for city in ("", "", "Columbus"):
        import_rows(core, row("Garage", garage.ref, city=city))
    core.mechanics.remove(garage.ref)
    changes = [entry for entry in core.audit.list_newest() if entry.subject.startswith("mechanics/")]
    removed, second, first, added = changes

    assert [entry.action for entry in (added, first, second, removed)] == [
        "mechanic.add",
        "mechanic.change",
        "mechanic.change",
        "mechanic.remove",
    ]
    assert {entry.subject for entry in changes} == {f"mechanics/{garage.ref}"}
    assert (second.before, second.after) == ({"city": ""}, {"city": "Columbus"})
    assert (removed.before, removed.after) == ({"active": True}, {"active": False})


def test_mechanic_with_upcoming_appointments_is_not_removed(core: Core, database: Database) -> None:
    partner, garage = add_partner(database), a_mechanic(core)
    for time in ("09:00", "10:00"):
        core.appointments.book(a_booking(garage, a_customer(core, partner), time), partner)
        with pytest.raises(Conflict) as caught:
            core.mechanics.remove(garage.ref, TEST)
        expected = "1 upcoming appointment." if time == "09:00" else "2 upcoming appointments."
        assert caught.value.message.endswith(expected)


@pytest.mark.parametrize("state", ["Ohio", "XX"])
def test_list_page_refuses_an_unknown_state(core: Core, state: str) -> None:
    a_mechanic(core, LIVE)
    with pytest.raises(Invalid) as refused:
        core.mechanics.list_page(LIVE, state=state)

    assert set(refused.value.fields) == {"state"}
    assert core.mechanics.list_page(LIVE, state="oh").total == 1
    assert core.mechanics.list_page(LIVE, state="CA").total == 0


@pytest.mark.parametrize(
    "ref", ["", "x", "apt_01m7wx6s0ce2jsmdd4rhxwsq51", "mec_01m7wx6s0ce2jsmdd4rhxwsq51", "mec_\0"]
)
def test_get_refuses_an_unknown_reference(core: Core, ref: str) -> None:
    with pytest.raises(MechanicNotFound):
        core.mechanics.get(LIVE, ref)


def test_replace_refuses_a_concurrent_change(core: Core) -> None:
    stored = a_mechanic(core, LIVE)
    with core.storage.transaction() as work:
        work.mechanics.replace(stored, evolve(stored, profile=evolve(stored.profile, name="A")))
    with pytest.raises(Conflict), core.storage.transaction() as work:
        work.mechanics.replace(stored, evolve(stored, profile=evolve(stored.profile, name="B")))

    assert core.mechanics.get(LIVE, stored.ref).profile.name == "A"


def test_import_file_adds_and_updates(core: Core) -> None:
    first = import_rows(core, row("One"), row("Two"), row("one", city="columbus"))
    again = import_rows(core, row("ONE", hours="sat 08:00-12:00"), row("Three"))

    assert (first.added, first.updated, first.unchanged) == (2, 1, 0)
    assert (again.added, again.updated) == (1, 1)
    one, *others = core.mechanics.iter_all(LIVE)

    assert one.profile.name == "ONE"
    assert one.profile.schedule.weekly[5] == ((480, 720),)
    assert len(others) == 2
    assert [entry.action for entry in core.audit.list_newest(limit=20)].count("mechanic.change") == 2


def test_import_file_rejects_the_file_for_a_bad_row(core: Core) -> None:
    taken = import_rows(core, row("One"), row("Two", hours="whenever"))

    assert (taken.saved, taken.rejected) == (False, 1)
    assert list(core.mechanics.iter_all(LIVE)) == []


def test_import_file_of_an_export_adds_to_the_other_environment_only(core: Core) -> None:
    full = a_mechanic(core, LIVE, **FULL)
    line = ",".join(f'"{cell}"' for cell in to_row(full))

    here = import_rows(core, line)
    there = import_rows(core, line, environment=TEST)

    assert (here.unchanged, there.added) == (1, 1)
    (copy,) = core.mechanics.iter_all(TEST)

    assert copy.ref != full.ref
    assert copy.profile == full.profile
    assert list(core.mechanics.iter_all(LIVE)) == [full]


def test_import_file_restores_a_removed_mechanic(core: Core) -> None:
    stored = a_mechanic(core, LIVE)
    core.mechanics.remove(stored.ref, LIVE)

    import_rows(core, row("Renamed", stored.ref))

    assert core.mechanics.get(LIVE, stored.ref).profile.name == "Renamed"


def test_list_slots_follows_bookings(core: Core, database: Database) -> None:
    caller = add_partner(database)
    mechanic, ada = a_mechanic(core), a_customer(core, caller)
    before = core.mechanics.find_next_slot(mechanic)
    core.appointments.book(a_booking(mechanic, ada, "08:00", "2026-03-02"), caller)
    core.appointments.book(a_booking(mechanic, ada, "10:00", "2026-03-02"), caller)

    after = core.mechanics.find_next_slot(mechanic)
    slots = core.mechanics.list_slots(mechanic, date(2026, 3, 2))

    assert before is not None
    assert after is not None
    assert (before.time, after.time) == ("08:00", "09:00")
    assert [slot.time for slot, is_free in slots if not is_free] == ["08:00", "10:00"]
    assert len(slots) == 9


@pytest.mark.parametrize("day", [date(2026, 3, 1), date(2027, 3, 3)])
def test_list_slots_is_limited_to_a_year(core: Core, day: date) -> None:
    with pytest.raises(Invalid) as refused:
        core.mechanics.list_slots(a_mechanic(core), day)

    assert set(refused.value.fields) == {"date"}


def test_find_next_slot_is_none_without_hours(core: Core) -> None:
    assert core.mechanics.find_next_slot(a_mechanic(core, hours="mon closed")) is None
